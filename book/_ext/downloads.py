"""Files to download: all verdicts, all printed numbers with ours, and the data package.

{downloads}      their buttons
{data-package}   what the data package contains, one row for each kind of table
"""

import json
import zipfile
from itertools import groupby

from _ext.extension import afterwards, directive, is_whole, shown
from _ext.results_pages import table

from compendium.comparison import stored_comparisons
from compendium.package import verdicts
from compendium.papers import DATA

VERDICTS, NUMBERS, PACKAGE = "verdicts.csv", "printed_numbers.csv", "data_package.zip"  # in the folder downloads
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of all files, so that equal contents make an equal archive


@directive("downloads")
def downloads(directive):
    """A button for each file."""
    to_top = "../" * directive.env.docname.count("/")
    return [shown("downloads.html", folder=f"{to_top}downloads", verdicts=VERDICTS, numbers=NUMBERS, package=PACKAGE)]


@directive("data-package")
def data_package(directive):
    """The tables of the package, those of an experiment in one row."""
    rows = []
    for folder, resources in groupby(_resources(), key=lambda resource: resource["path"].rpartition("/")[0]):
        resources = list(resources)
        several = folder.count("/") > 1  # the tables of an experiment
        for name, own in [(folder, resources)] if several else [(each["path"], [each]) for each in resources]:
            columns = {field["name"] for each in own for field in each.get("schema", {}).get("fields", ())}
            what = (
                f"{len(own)} tables of {folder.partition('/')[2].replace('/', '.')}"
                if several
                else own[0].get("description", "")
            )
            size = sum(each["bytes"] for each in own)
            rows.append(
                {"file or folder": f"`{name}`", "what": what, "columns": len(columns), "kB": f"{size / 1000:,.0f}"}
            )
    return table(directive, rows, "The files of the data package")


def _resources():
    file = DATA / "datapackage.json"  # a project whose papers are new has none
    return json.loads(file.read_text(encoding="utf-8"))["resources"] if file.is_file() else []


@afterwards
def write_downloads(app, site):
    """Write the files that the buttons offer."""
    if not is_whole(app, "download"):
        return
    folder = site / "downloads"
    folder.mkdir()
    verdicts().to_csv(folder / VERDICTS, index=False)
    stored_comparisons().to_csv(folder / NUMBERS, index=False)
    paths = [resource["path"] for resource in _resources()]
    with zipfile.ZipFile(folder / PACKAGE, "w") as archive:
        for path in ("datapackage.json", "README.md", *paths) if paths else ():
            archive.writestr(zipfile.ZipInfo(path, LONG_AGO), (DATA / path).read_bytes(), zipfile.ZIP_DEFLATED)

"""The files that ``download.md`` offers: all verdicts, all printed numbers with ours, and the data package.

{data-package}   what the data package contains, one row for each kind of table
"""

import json
import zipfile
from itertools import groupby

from _ext.extension import afterwards, directive, is_whole
from _ext.results_pages import table

from compendium.comparison import stored_comparisons
from compendium.package import verdicts
from compendium.papers import DATA

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of all files, so that equal contents make an equal archive


@directive("data-package")
def data_package(directive):
    """The tables of the package, those of an experiment in one row."""
    rows = []
    for name, group in groupby(_resources(), key=_row_of):
        resources = list(group)
        columns = {field["name"] for each in resources for field in each.get("schema", {}).get("fields", ())}
        what = f"{len(resources)} tables of {name.partition('/')[2].replace('/', '.')}"
        rows.append(
            {
                "file or folder": f"`{name}`",
                "what": resources[0].get("description", "") if name == resources[0]["path"] else what,
                "columns": len(columns),
                "kB": f"{sum(each['bytes'] for each in resources) / 1000:,.1f}",
            }
        )
    return table(directive, rows, "The files of the data package")


def _row_of(resource):
    """The name of the row that shows a table: the folder of an experiment, or the file itself."""
    folder = resource["path"].rpartition("/")[0]
    return folder if folder.count("/") > 1 else resource["path"]


def _resources():
    file = DATA / "datapackage.json"  # a project whose papers are new has none
    return json.loads(file.read_text(encoding="utf-8"))["resources"] if file.is_file() else []


@afterwards
def write_downloads(app, site):
    """Write the files."""
    if not is_whole(app, "download"):
        return
    folder = site / "downloads"
    folder.mkdir()
    verdicts().to_csv(folder / "verdicts.csv", index=False)
    stored_comparisons().to_csv(folder / "printed_numbers.csv", index=False)
    paths = [resource["path"] for resource in _resources()]
    with zipfile.ZipFile(folder / "data_package.zip", "w") as archive:
        for path in ("datapackage.json", "README.md", *paths) if paths else ():
            archive.writestr(zipfile.ZipInfo(path, LONG_AGO), (DATA / path).read_bytes(), zipfile.ZIP_DEFLATED)

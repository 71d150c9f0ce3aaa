"""Collect the sources of the site: pages of the book and the papers, executed notebooks, users' runs."""

import shutil
from pathlib import Path

import yaml
from _ext.api_pages import write_pages
from _ext.places import READINGS, joined, shown_with_paper

from compendium.claim_records import stored_records
from compendium.markup import anchor_of
from compendium.papers import BOOK as EXECUTED
from compendium.papers import DATA, RESULTS, ROOT, YOURS, notebook_files, papers, printed_files, summary_files
from compendium.published import all_claims

BOOK = ROOT / "book"
NO_SOURCE = shutil.ignore_patterns("_build", "__pycache__", "render.py", "staging.py")


def collect(folder):
    """Collect the sources in a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BOOK, folder, ignore=NO_SOURCE)
    for part in ("api", "claims", "data/measured", "executed", "papers", YOURS):
        (folder / part).mkdir(parents=True)
    _copy((RESULTS / YOURS).glob("*.ipynb"), folder / YOURS)
    _copy(DATA.glob("measured/*.csv"), folder / "data" / "measured")
    _copy((RESULTS / EXECUTED / f"{name}.ipynb" for name in summary_files()), folder)
    _copy((RESULTS / EXECUTED / f"{name}.ipynb" for name in notebook_files()), folder / "executed")
    for paper in papers().values():
        if (page := paper.folder / "page.md").is_file():
            _collect_page(paper, page.read_text(encoding="utf-8"), folder)
    references = [DATA / "references.bib", *sorted((DATA / "published").glob("*.bib"))]
    (folder / "references.bib").write_text("\n".join(file.read_text(encoding="utf-8") for file in references), "utf-8")
    for claim in stored_records():
        text = f"# {claim.title}\n\n"
        text += f"```{{claim}} {claim.paper} {claim.claim_id}\n```\n"
        (folder / "claims" / f"{anchor_of(claim.paper, claim.claim_id)}.md").write_text(text, encoding="utf-8")
    contents = _table_of_contents()
    contents["parts"].append({"caption": "Reference", "chapters": [write_pages(folder / "api")]})
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")


def _copy(files, folder):
    """Copy those of the files that there are."""
    for file in filter(Path.is_file, files):
        shutil.copy(file, folder)


def _collect_page(paper, text, folder):
    """A paper's page; with the notebook on readings of the paper, if there is one."""
    target, readings = folder / "papers" / f"{paper.key}.md", folder / "executed" / f"{paper.key}_{READINGS}.ipynb"
    if readings.is_file():
        target = target.with_suffix(".ipynb")
        text = joined(text, readings.read_text(encoding="utf-8"), readings.stem)
    target.write_text(text, encoding="utf-8")


def _table_of_contents():
    """The book's pages in order: every paper with its notebooks, the same of other folders, then ``contents.yml``."""
    contents = yaml.safe_load((BOOK / "contents.yml").read_text(encoding="utf-8"))
    claims = [{"file": f"claims/{anchor_of(c.paper, c.claim_id)}"} for c in all_claims().itertuples()]
    for page in (page for part in contents for page in part["chapters"] if page["file"] == "claims"):
        page["sections"] = claims
    reproductions, others = [], []
    for paper in papers().values():
        pages = [{"file": f"executed/{page}"} for page in paper.pages if not shown_with_paper(page)]
        if printed_files(paper.key):
            reproductions.append({"file": f"papers/{paper.key}", "sections": pages})
        else:  # experiments that reproduce no paper have no page of their own
            others += pages
    parts = [{"caption": "The papers", "chapters": reproductions}, {"caption": "Beyond the papers", "chapters": others}]
    return {"format": "jb-book", "root": "index", "parts": [*filter(lambda part: part["chapters"], parts), *contents]}

"""Render the executed notebooks of a run as the site: stage, build with warnings as errors, then replace the old site.

python book/render.py
python book/render.py --run NAME      only the page of the user's run results/yours/NAME.ipynb
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml
from _ext.api_pages import write_pages
from _ext.places import READINGS, joined, link_to, shown_with_paper

from compendium.markup import anchor_of
from compendium.papers import BOOK as EXECUTED
from compendium.papers import DATA, NOTEBOOKS, RESULTS, ROOT, YOURS, notebook_files, papers, printed_files
from compendium.published import all_claims
from compendium.runner.alone import alone
from compendium.runner.check import CHECKED

BOOK = ROOT / "book"
BUILD = BOOK / "_build"
SITE = BUILD / "html"
STAGE = BUILD / "source"
SOURCES = ("*.yml", "*.md", "methods/*.md", "_static/*", "_templates/*", "_ext/*.py", "_ext/*.js")


def stage():
    """Collect the sources of the site: pages of the book and the papers, executed notebooks, users' runs."""
    shutil.rmtree(STAGE, ignore_errors=True)
    for pattern in SOURCES:
        for file in sorted(BOOK.glob(pattern)):
            copy(file, STAGE / file.relative_to(BOOK))
    for paper in papers().values():
        for page in paper.pages:
            if (file := RESULTS / EXECUTED / f"{page}.ipynb").is_file():
                copy(file, STAGE / "executed" / file.name)
        if (page := paper.folder / "page.md").is_file():
            copy_page(paper, page)
    for file in sorted((DATA / "measured").glob("*.csv")):
        copy(file, STAGE / "data" / "measured" / file.name)
    references = [DATA / "references.bib", *sorted((DATA / "published").glob("*.bib"))]
    (STAGE / "references.bib").write_text("\n".join(file.read_text(encoding="utf-8") for file in references), "utf-8")
    for claim in all_claims().itertuples():
        page = STAGE / "claims" / f"{anchor_of(claim.paper, claim.claim_id)}.md"
        page.parent.mkdir(exist_ok=True)
        title = f"# Claim {claim.claim_id} of {papers()[claim.paper].name}"
        page.write_text(f"{title}\n\n```{{claim}} {claim.paper} {claim.claim_id}\n```\n", encoding="utf-8")
    contents = table_of_contents()
    contents["parts"].append({"caption": "Reference", "chapters": [write_pages(STAGE, link_to)]})
    (STAGE / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")
    for file in sorted((RESULTS / "yours").glob("*.ipynb")):
        copy(file, STAGE / "yours" / file.name)


def copy_page(paper, page):
    """A paper's page; with the notebook on readings of the paper, if there is one."""
    readings = STAGE / "executed" / f"{paper.key}_{READINGS}.ipynb"
    if not readings.is_file():
        copy(page, STAGE / "papers" / f"{paper.key}.md")
        return
    target = STAGE / "papers" / f"{paper.key}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    text, notebook = (file.read_text(encoding="utf-8") for file in (page, readings))
    target.write_text(joined(text, notebook, readings.stem), encoding="utf-8")


def table_of_contents():
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


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def site_digest():
    """Hash of all inputs of the site; if it is unchanged, there is nothing to stage or render."""
    inputs = [file for pattern in SOURCES for file in BOOK.glob(pattern)]
    inputs += [*DATA.rglob("*"), *(ROOT / "fscore").rglob("*.py"), *NOTEBOOKS.rglob("*.py")]
    inputs += [file for pattern in ("*.md", "*.yml", "*.ipynb") for file in NOTEBOOKS.rglob(pattern)]
    inputs += [*(RESULTS / EXECUTED).glob("*.ipynb"), *(RESULTS / YOURS).glob("*.ipynb"), CHECKED]
    digest = hashlib.sha256()
    for file in sorted({*inputs, ROOT / "requirements.lock", Path(__file__)}):
        if file.is_file():
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def render():
    """Build with warnings as errors; replace the old site when the new one is complete.

    A user's run that can't be rendered is omitted with a message; everything else must render.
    """
    started = time.monotonic()
    pages = sum(1 for pattern in ("*.md", "*.ipynb") for _ in STAGE.rglob(pattern))
    print(f"Rendering {pages} pages, about {3 + pages // 3} s ...", flush=True)
    output = BUILD / "new"
    while (said := sphinx(output)) and (runs := named_runs(said)):
        for run in runs:
            print(f"Omitted: results/yours/{run.name} can't be rendered.", file=sys.stderr)
            run.unlink()
    if said:
        sys.exit(f"{said}\nRendering failed; the site is unchanged.")
    old = BUILD / "old"
    shutil.rmtree(old, ignore_errors=True)
    if SITE.exists():
        SITE.rename(old)
    (output / "_build" / "html").rename(SITE)
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(output, ignore_errors=True)
    print(f"Rendered in {time.monotonic() - started:.0f} s.")


def render_run(name):
    """Render the page of one user's run and put it into the site; print its path.

    The other pages are staged as titles, for the navigation. If there is no site yet, they make a provisional one.
    """
    page = STAGE / YOURS / f"{name}.ipynb"
    for stub in unrendered_pages():
        if stub not in (page, STAGE / "rerun.md", STAGE / "bibliography.md"):
            write_stub(stub)
    output = BUILD / "run"
    said = sphinx(output, strict=False)
    rendered = output / "_build" / "html"
    if not (rendered / YOURS / f"{name}.html").is_file():
        sys.exit(f"{said}\nThe page of the run can't be rendered; its tables are in results/{YOURS}/{name}.json.")
    copied = (f"{YOURS}/{name}.html", "rerun.html", f"_sources/{YOURS}/{name}.ipynb", "_images/*")
    for pattern in copied if SITE.is_dir() else ("**/*",):
        for file in rendered.glob(pattern):
            if file.is_file():
                copy(file, SITE / file.relative_to(rendered))
    shutil.rmtree(output, ignore_errors=True)
    print(f"Open {(SITE / YOURS / f'{name}.html').as_uri()}")


def unrendered_pages():
    """Staged pages, and places of the notebooks that never ran."""
    staged = {file for pattern in ("**/*.md", "**/*.ipynb") for file in STAGE.glob(pattern)}
    return sorted(staged | {STAGE / "executed" / file.name for file in notebook_files().values()})


def write_stub(file):
    """Replace a page by its title."""
    source = file if file.is_file() else notebook_files()[file.stem]
    text = source.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    title = text[text.index("# ") :].partition("\n")[0]
    stub = f"{title}\n\n`make book` renders this page.\n"
    if file.suffix == ".ipynb":
        cell = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": stub}
        stub = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(stub, encoding="utf-8")


def sphinx(output, *, strict=True):
    """Render the staged sources into a folder; return the messages if that failed, else an empty string."""
    shutil.rmtree(output, ignore_errors=True)
    command = [Path(sys.executable).with_name("jupyter-book"), "build", STAGE, "--path-output", output]
    command += ["-W", "-n", "--keep-going", "-q"] if strict else ["-q"]
    path = os.pathsep.join([str(ROOT), str(NOTEBOOKS)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return f"{done.stdout}{done.stderr}" or "jupyter-book failed" if done.returncode else ""


def named_runs(messages):
    """The staged users' runs that error messages mention."""
    return [file for file in sorted((STAGE / "yours").glob("*.ipynb")) if f"yours/{file.stem}" in messages]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", help="only the page of this user's run")
    options = parser.parse_args()
    if options.run is not None:
        if not (RESULTS / YOURS / f"{options.run}.ipynb").is_file():
            where = f"results/{YOURS}/{options.run}.ipynb"
            sys.exit(f"there is no run {where}; make run lists the notebooks that you can run.")
        stage()
        render_run(options.run)
        return
    key, digest = BUILD / "site.key", site_digest()
    if key.is_file() and SITE.is_dir() and json.loads(key.read_text(encoding="utf-8")) == digest:
        print("The site is up to date.")
    else:
        stage()
        key.unlink(missing_ok=True)
        render()
        key.write_text(json.dumps(digest), encoding="utf-8")
    print(f"Open {(SITE / 'index.html').as_uri()}")


if __name__ == "__main__":
    try:
        with alone(BUILD / ".lock", "renders the site"):
            main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the site is unchanged.")
    except OSError as error:
        sys.exit(f"Rendering failed; the site is unchanged: {error}.")

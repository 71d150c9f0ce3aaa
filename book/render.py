"""Render the executed notebooks of a run as the site: stage, build with warnings as errors, then replace the old site.

python book/render.py
python book/render.py --run NAME      only the page of the user's run results/yours/NAME.ipynb
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from compendium.papers import BOOK as EXECUTED
from compendium.papers import NOTEBOOKS, RESULTS, ROOT, YOURS, all_notebook_files, notebook_files, summary_files
from compendium.runner.outputs import is_current, one_build_at_a_time, publish, tree_key

BOOK = ROOT / "book"
BUILD = BOOK / "_build"
SITE = BUILD / "html"
STAGE = BUILD / "source"


def stage():
    """Collect the sources of the site."""
    from staging import collect  # takes longer to import than to see that a site is up to date

    collect(STAGE)


def render(key):
    """Build with warnings as errors; replace the old site when the new one is complete.

    A user's run that can't be rendered is omitted with a message; everything else must render.
    """
    started = time.monotonic()
    pages = sum(1 for file in STAGE.rglob("*") if file.suffix in (".md", ".ipynb"))
    print(f"Rendering {pages} pages, about {3 + pages // 3} s ...", flush=True)
    output = BUILD / "new"
    while (said := sphinx(output)) and (runs := named_runs(said)):
        for run in runs:
            print(f"Omitted: results/yours/{run.name} can't be rendered.", file=sys.stderr)
            run.unlink()
    if said:
        sys.exit(f"{said}\nRendering failed; the site is unchanged.")
    publish(output / "_build" / "html", SITE, key)
    shutil.rmtree(output)
    print(f"Rendered in {time.monotonic() - started:.0f} s.")


def named_runs(messages):
    """The staged users' runs that error messages mention."""
    return [file for file in sorted((STAGE / YOURS).glob("*.ipynb")) if f"{YOURS}/{file.stem}" in messages]


def render_run(name):
    """Render the page of one user's run and put it into the site; print its path.

    The other pages are staged as titles, for the navigation. If there is no site yet, they make a provisional one.
    """
    write_stubs(f"{YOURS}/{name}", "rerun", "bibliography")
    output = BUILD / "run"
    said = sphinx(output, "-q")
    rendered = output / "_build" / "html"
    if not (rendered / YOURS / f"{name}.html").is_file():
        notebook = f"results/{YOURS}/{name}.ipynb"
        sys.exit(
            f"{said}\nThe page of the run can't be rendered; {notebook} shows its tables, kept in results/measured."
        )
    copied = (f"{YOURS}/{name}.html", "rerun.html", f"_sources/{YOURS}/{name}.ipynb", "_images/*")
    for pattern in copied if SITE.is_dir() else ("**/*",):
        for file in (file for file in rendered.glob(pattern) if file.is_file()):
            target = SITE / file.relative_to(rendered)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    shutil.rmtree(output, ignore_errors=True)
    print(f"Open {(SITE / YOURS / f'{name}.html').as_uri()}")


def write_stubs(*whole):
    """Replace all staged pages by their titles, also those of notebooks that never ran, but not those named here."""
    staged = {file for file in STAGE.rglob("*") if file.suffix in (".md", ".ipynb")}
    staged |= {STAGE / "executed" / file.name for file in notebook_files().values()}
    staged |= {STAGE / file.name for file in summary_files().values()}
    for file in staged:
        if str(file.relative_to(STAGE).with_suffix("")) not in whole:
            write_stub(file)


def write_stub(file):
    """Replace a page, or that of a notebook that never ran, by its title."""
    source = file if file.is_file() else all_notebook_files()[file.stem]
    text = source.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    title = re.search(r"^# .*", text, re.MULTILINE)[0]
    file.unlink(missing_ok=True)
    text = f"---\ntitle_only: true\n---\n\n{title}\n\n`make book` renders this page.\n"
    file.with_suffix(".md").write_text(text, encoding="utf-8")


def sphinx(output, *options):
    """Render the staged sources into a folder; return the messages if that failed, else an empty string."""
    shutil.rmtree(output, ignore_errors=True)
    command = [Path(sys.executable).with_name("jupyter-book"), "build", STAGE, "--path-output", output]
    path = os.pathsep.join([str(ROOT), str(NOTEBOOKS)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    command += options or ("-W", "-n", "--keep-going", "-q")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return f"{done.stdout}{done.stderr}" or "jupyter-book failed" if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", help="only the page of this user's run")
    name = parser.parse_args().run
    if name is not None:
        if not (RESULTS / YOURS / f"{name}.ipynb").is_file():
            where = f"results/{YOURS}/{name}.ipynb"
            sys.exit(f"there is no run {where}; make run lists the notebooks that you can run.")
        stage()
        render_run(name)
        return
    key = tree_key(BOOK, RESULTS / EXECUTED, RESULTS / YOURS)
    if is_current(SITE, key):
        print("The site is up to date.")
    else:
        stage()
        render(key)
    print(f"Open {(SITE / 'index.html').as_uri()}")


if __name__ == "__main__":
    try:
        with one_build_at_a_time():
            main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the site is unchanged.")
    except OSError as error:
        sys.exit(f"Rendering failed; the site is unchanged: {error}.")

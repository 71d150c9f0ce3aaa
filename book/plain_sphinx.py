"""Render the site by Sphinx and MyST-NB without jupyter-book, and say what differs from the site of `render.py`.

This shows what leaving jupyter-book takes. Its part is the configuration: ``_build/plain/source/conf.py`` has what it
makes of ``_config.yml``, less its own extensions. On the day that the pin must go, this ``conf.py`` takes the place of
``_config.yml``, and `sphinx` that of the function of this name in `render.py`.

python book/plain_sphinx.py
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from render import BUILD, ROOT, SITE
from staging import collect

from compendium.papers import NOTEBOOKS

PLAIN = BUILD / "plain"
OWN = ("jupyter_book", "sphinx_comments", "sphinx_multitoc_numbering")  # no page uses them
OPTIONS = ("comments_config", "use_jupyterbook_latex", "use_multitoc_numbering")
BY_BUILD = re.compile(r'\?(?:v|digest)=[0-9a-f]+|<meta name="generator"[^>]*>')  # in every page


def configure(source):
    """Write Sphinx's ``conf.py`` of the staged sources."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([jupyter_book, "config", "sphinx", source], check=True, capture_output=True)
    file = source / "conf.py"
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.partition(" = ")[0] not in OPTIONS]
    text = "\n".join(lines) + "\n"
    for extension in OWN:
        text = text.replace(f", '{extension}'", "")
    file.write_text(f"import sys\n\nsys.path.insert(0, {str(source)!r})\n{text}", encoding="utf-8")


def sphinx(source, output):
    """Render the sources with warnings as errors; return the messages, which are empty if all is well."""
    path = os.pathsep.join([str(ROOT), str(NOTEBOOKS)])
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-b", "html", source, output]
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    return f"{done.stdout}{done.stderr}" or "Sphinx failed" if done.returncode else ""


def differences(plain, site):
    """In how many pages two sites differ, and which files only one of them has, one line each."""
    pages = {folder: {file.relative_to(folder) for file in folder.rglob("*.html")} for folder in (plain, site)}
    both = sorted(pages[plain] & pages[site])
    other = [page for page in both if _contents(plain / page) != _contents(site / page)]
    lines = [f"{len(both)} pages in both, {len(other)} of them differ"]
    lines += [f"  differs: {page}" for page in other]
    lines += [f"  only by Sphinx alone: {page}" for page in sorted(pages[plain] - pages[site])]
    return lines + [f"  only by jupyter-book: {page}" for page in sorted(pages[site] - pages[plain])]


def _contents(file):
    return BY_BUILD.sub("", file.read_text(encoding="utf-8"))


def main():
    if not SITE.is_dir():
        sys.exit("There is no site to compare with; run: make book")
    shutil.rmtree(PLAIN, ignore_errors=True)
    collect(PLAIN / "source")
    configure(PLAIN / "source")
    if said := sphinx(PLAIN / "source", PLAIN / "html"):
        sys.exit(said)
    print(*differences(PLAIN / "html", SITE), sep="\n")


if __name__ == "__main__":
    main()

"""A new paper: a copy of ``compendium/skeleton`` under the paper's key, which builds and passes the tests as it is."""

import re
import subprocess
import sys

from compendium.papers import DATA, NOTEBOOKS, ROOT
from compendium.runner.notebooks import RunError

__all__ = ["write"]

PLACEHOLDER = "newpaper2000"
TEMPLATE = NOTEBOOKS / "compendium" / "skeleton" / PLACEHOLDER
# Files that lie elsewhere than in the paper's folder: name in the template to their place.
ELSEWHERE = {
    "published/numbers.csv": DATA / "published" / f"{PLACEHOLDER}.csv",
    "published/claims.csv": DATA / "published" / f"{PLACEHOLDER}_claims.csv",
    "published/bib": DATA / "published" / f"{PLACEHOLDER}.bib",
    "test.py": ROOT / "tests" / f"test_{PLACEHOLDER}.py",
}


def write(key):
    """Write the files of a new paper and name them.

    Parameters
    ----------
    key : str
        Author and year in lower case, such as ``"peng2005"``.

    Raises
    ------
    RunError
        If the key has another form, or its folder exists.
    """
    if not re.fullmatch(r"[a-z]+\d{4}[a-z]?", key):
        raise RunError(f"{key!r} is not a paper's key; write author and year in lower case, such as peng2005.")
    if (NOTEBOOKS / key).exists():
        raise RunError(f"notebooks/{key} exists; choose another key or remove it.")
    written = []
    for source in sorted(file for file in TEMPLATE.rglob("*") if file.is_file() and "__pycache__" not in file.parts):
        name = source.relative_to(TEMPLATE).as_posix()
        target = ELSEWHERE.get(name, NOTEBOOKS / PLACEHOLDER / name)
        target = ROOT / str(target.relative_to(ROOT)).replace(PLACEHOLDER, key)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text(encoding="utf-8").replace(PLACEHOLDER, key), encoding="utf-8")
        written.append(str(target.relative_to(ROOT)))
    # The order of imports depends on the key.
    for command in (["check", "--fix", "-q"], ["format", "-q"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, NOTEBOOKS / key, ROOT / "tests" / f"test_{key}.py"])
    print("\n".join(["Wrote", *(f"  {name}" for name in written), f"Next: make book, then edit notebooks/{key}."]))

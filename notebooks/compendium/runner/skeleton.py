"""Create a new paper: a renamed copy of ``compendium/skeleton``, which builds and passes the tests unchanged."""

import re
import subprocess
import sys

from compendium.papers import DATA, NOTEBOOKS, ROOT
from compendium.runner.execution import RunError

PLACEHOLDER = "newpaper2000"
TEMPLATE = NOTEBOOKS / "compendium" / "skeleton" / PLACEHOLDER
# Template files that belong outside the paper's folder, with their destinations.
ELSEWHERE = {
    "published/numbers.csv": DATA / "published" / f"{PLACEHOLDER}.csv",
    "published/claims.csv": DATA / "published" / f"{PLACEHOLDER}_claims.csv",
    "published/bib": DATA / "published" / f"{PLACEHOLDER}.bib",
    "test.py": ROOT / "tests" / f"test_{PLACEHOLDER}.py",
    "simulated.py": ROOT / "tests" / "simulated" / f"{PLACEHOLDER}.py",
}


def write(key):
    """Write the files of a new paper and print their names.

    Parameters
    ----------
    key : str
        Author and year in lower case, such as ``"peng2005"``.

    Raises
    ------
    RunError
        If the key is malformed, or its folder already exists.
    """
    if not re.fullmatch(r"[a-z]+\d{4}[a-z]?", key):
        raise RunError(f"{key!r} is not a valid key; write author and year in lower case, such as peng2005.")
    if (NOTEBOOKS / key).exists():
        raise RunError(f"notebooks/{key} already exists; choose another key or remove the folder.")
    written = []
    for source in sorted(file for file in TEMPLATE.rglob("*") if file.is_file() and "__pycache__" not in file.parts):
        name = source.relative_to(TEMPLATE).as_posix()
        target = ELSEWHERE.get(name, NOTEBOOKS / PLACEHOLDER / name)
        target = ROOT / str(target.relative_to(ROOT)).replace(PLACEHOLDER, key)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8").replace(PLACEHOLDER, key)
        for before in ("Authors ", "year: ", "year = {"):
            text = text.replace(f"{before}2000", before + re.search(r"\d{4}", key)[0])
        target.write_text(text, encoding="utf-8")
        written.append(str(target.relative_to(ROOT)))
    # The sorting of imports depends on the key.
    code = [ROOT / name for name in written if name.endswith(".py")]
    for command in (["check", "--fix", "-q"], ["format", "-q"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *code])
    then = f"Next: make measure, make book, `tests/simulations.py {key}`, then edit notebooks/{key}."
    print("\n".join(["Wrote", *(f"  {name}" for name in written), then]))

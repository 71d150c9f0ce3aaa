"""Sources under version control: notebooks without outputs whose parameters cell matches the experiment, new papers.

``make lint`` also checks that the rules of claims name existing tables. A new paper is a renamed copy of
``compendium/skeleton``, which builds and passes the tests unchanged.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize

from compendium.experiment import experiment_of, parameters_cell
from compendium.papers import DATA, NOTEBOOKS, ROOT, all_notebook_files, papers, summary_files
from compendium.runner.execution import RunError, read_notebook
from compendium.verdicts import rules_of, unlisted_rules
from fscore._files import write_atomically

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


def lint():
    """Reject notebooks that differ from `stripped`, and rules that no claim has or whose tables nothing measures."""
    for name, file in all_notebook_files().items():
        notebook = read_notebook(file)
        if _outdated(name, notebook):
            raise RunError(f"the parameters cell of {name} differs from what its experiment declares; run: make format")
        if file.read_text(encoding="utf-8") != stripped(notebook):
            raise RunError(f"{name}.ipynb contains outputs or stray metadata; run: make format")
    for paper in papers().values():
        if unlisted := unlisted_rules(paper.key):
            raise RunError(
                f"notebooks/{paper.key}/claims.py has {', '.join(unlisted)}, but data/published/{paper.key}_claims.csv "
                "lists no such claim; add a row for each."
            )
        measured = {name: set(experiment_of(name).schema) for name in paper.pages}
        for claim_id, rule in rules_of(paper.key).items():
            if not any(set(rule.needs) <= tables for tables in measured.values()):
                raise RunError(
                    f"the rule of claim {claim_id} of {paper.key} needs the tables {', '.join(rule.needs)}, which no "
                    "experiment of the paper measures together."
                )


def strip():
    """Rewrite every notebook so that it passes `lint`."""
    for name, file in all_notebook_files().items():
        notebook = read_notebook(file)
        if cell := _outdated(name, notebook):
            cell.source = _declared(name)
        text = stripped(notebook)
        if file.read_text(encoding="utf-8") != text:
            write_atomically(file, text)


def stripped(notebook):
    """The text of a notebook without outputs, counts and irrelevant metadata."""
    import nbformat

    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in ("tags", "mystnb")}
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return nbformat.writes(notebook) + "\n"


def _outdated(name, notebook):
    """The parameters cell if it differs from what the experiment declares; those on all papers have none."""
    if name in summary_files():
        return None
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ()))
    return cell if _spelled(cell.source) != _spelled(_declared(name)) else None


def _declared(name):
    return parameters_cell(experiment_of(name).parameters)


def _spelled(cell):
    """The code of a cell, however it is laid out, and its comments."""
    tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
    return ast.dump(ast.parse(cell)), [token.string for token in tokens if token.type == tokenize.COMMENT]


def write_paper(key):
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
    then = f"Next: make measure, .venv/bin/python tests/simulations.py {key} and make book; then edit notebooks/{key}."
    print("\n".join(["Wrote", *(f"  {name}" for name in written), then]))

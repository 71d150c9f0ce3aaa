"""Notebooks: their source, their parameters, and the hash of everything that their pages depend on."""

import json
import sys

from compendium.digest import code_digest
from compendium.experiment import experiment_of
from compendium.kept import hash_of
from compendium.papers import NOTEBOOKS, notebook_files, paper_of, printed_files
from compendium.parts import discovered_modules
from compendium.results import readings_of
from compendium.source_code import imported_names
from compendium.store import find


class RunError(Exception):
    """An error for the user, in one sentence."""


def experiment_named(name):
    """The experiment (its class) of a notebook that the user named."""
    if name not in notebook_files():
        raise RunError(f"unknown notebook {name!r}; the notebooks are {', '.join(notebook_files())}.")
    return experiment_of(name)


def read_notebook(file):
    """A notebook; cells without an id, of which nbformat would warn, get one by their place."""
    import nbformat  # takes longer than to see that a notebook is up to date

    notebook = json.loads(file.read_text(encoding="utf-8"))
    for number, cell in enumerate(notebook["cells"]):
        cell.setdefault("id", f"cell-{number:02d}")
    return nbformat.reads(json.dumps(notebook), as_version=4)


def key_of(name, experiment):
    """Hash of everything that an executed notebook depends on.

    Covers its source, the parameters, the store's entry, the code that its cells reach, printed numbers and Python.

    Parameters
    ----------
    name : str
    experiment : Experiment
        With the parameters of the run.

    Returns
    -------
    str
    """
    source, paper, entry = notebook_files()[name].read_text(encoding="utf-8"), paper_of(name), find(experiment)
    ours = NOTEBOOKS / "compendium"
    files = [*(NOTEBOOKS / paper).glob("*.html"), *(NOTEBOOKS / paper).glob("*.yml"), *(ours / "templates").glob("*")]
    files = [*printed_files(paper), *sorted(files), ours / "runner" / "execution.py"]
    files += [file for part in (entry, readings_of(paper)) if part for file in sorted(part.folder.iterdir())]
    return hash_of(
        source,
        json.dumps(experiment.values, sort_keys=True),
        code_digest([*imported(source), f"{paper}.claims", *discovered_modules(paper)]),
        sys.version,
        *(file.read_bytes() for file in files),
    )


def imported(source):
    """What the cells of a notebook import."""
    cells = ["".join(cell["source"]) for cell in json.loads(source)["cells"] if cell["cell_type"] == "code"]
    return set().union(*(imported_names(cell) for cell in cells if not cell.startswith("%")))

"""Notebooks: their source, their parameters, and the hash of everything that their pages depend on."""

import hashlib
import json
import sys

from compendium.digest import code_digest
from compendium.discovered import discovered_modules
from compendium.experiment import experiment_of
from compendium.papers import NOTEBOOKS, notebook_files, paper_of, printed_files
from compendium.source_code import imported_names
from compendium.store import find

__all__ = ["RunError", "experiment_named", "key_of", "notebook_names", "read_notebook", "source_of"]


class RunError(Exception):
    """An error for the user, in one sentence."""


def notebook_names():
    """Names of all notebooks, in the order of the book."""
    return list(notebook_files())


def experiment_named(name):
    """The experiment (its class) of a notebook that the user named."""
    if name not in notebook_files():
        raise RunError(f"unknown notebook {name!r}; the notebooks are {', '.join(notebook_names())}.")
    return experiment_of(name)


def read_notebook(name):
    """The notebook as JSON."""
    return json.loads(notebook_files()[name].read_text(encoding="utf-8"))


def source_of(cell):
    return "".join(cell["source"])


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
    notebook, paper, entry = read_notebook(name), paper_of(name), find(experiment)
    code = [source_of(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    reached = set().union(*(imported_names(source) for source in code if not source.startswith("%")))
    digest = hashlib.sha256()
    for part in (
        json.dumps([(cell["cell_type"], source_of(cell), cell["metadata"]) for cell in notebook["cells"]]),
        json.dumps(experiment.values, sort_keys=True),
        code_digest([*reached, f"{paper}.claims", *discovered_modules(paper)]),
        *(file.read_text(encoding="utf-8") for file in printed_files(paper)),
        *(file.read_text("utf-8") for name in ("*.html", "*.yml") for file in sorted((NOTEBOOKS / paper).glob(name))),
        *(file.read_text("utf-8") for file in sorted(NOTEBOOKS.glob("compendium/templates/*.html"))),
        (NOTEBOOKS / "compendium" / "runner" / "execution.py").read_text(encoding="utf-8"),
        sys.version,
    ):
        digest.update(part.encode() + b"\0")
    for file in sorted(entry.folder.iterdir()) if entry else ():
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()

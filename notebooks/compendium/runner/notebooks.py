"""Notebooks: their source, their parameters, and the hash of everything that their pages depend on."""

import hashlib
import json
import sys

import yaml

from compendium.digest import code_digest
from compendium.discovered import discovered_modules
from compendium.papers import NOTEBOOKS, REFERENCE, notebook_files, paper_of, papers, printed_files
from compendium.parameters import check, coerce, read_parameters
from compendium.reference import reference_file
from compendium.source_code import imported_names
from fscore.datasets import fingerprint

__all__ = [
    "RunError",
    "checked",
    "key_of",
    "named_datasets",
    "needed_datasets",
    "notebook_names",
    "parameters_of",
    "profile_settings",
    "read_notebook",
    "source_of",
]


class RunError(Exception):
    """An error for the user, in one sentence."""


def notebook_names():
    """Names of all notebooks, in the order of the book."""
    return list(notebook_files())


def read_notebook(name):
    """The notebook as JSON."""
    if name not in notebook_files():
        raise RunError(f"unknown notebook {name!r}; the notebooks are {', '.join(notebook_names())}.")
    return json.loads(notebook_files()[name].read_text(encoding="utf-8"))


def source_of(cell):
    return "".join(cell["source"])


def parameters_of(name):
    """The parameters of a notebook, from its cell tagged ``parameters``."""
    for cell in read_notebook(name)["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            return read_parameters(source_of(cell))
    raise RunError(f"notebook {name!r} has no cell tagged 'parameters'.")


def profile_settings(profile):
    """Parameters that a profile sets in all papers, by notebook."""
    known = {"quick", REFERENCE}
    for paper in papers().values():
        if (file := paper.folder / "profiles.yml").is_file():
            known |= set(yaml.safe_load(file.read_text(encoding="utf-8")) or {})
    if profile not in known:
        raise RunError(f"unknown profile {profile!r}; the profiles are {', '.join(sorted(known))}.")
    settings = {}
    for paper in papers().values():
        own = paper.settings(profile)
        if unknown := sorted(set(own) - set(paper.pages)):
            raise RunError(
                f"profile {profile!r} of {paper.key} sets parameters of {unknown[0]!r}, which is not its notebook."
            )
        settings |= own
    return settings


def checked(name, values):
    """Convert values to the annotated types and validate them."""
    described = parameters_of(name)
    values = coerce(described, values)
    check(described, values)
    return values


def named_datasets(name, values):
    """Data sets named by a run's parameters, in order, without duplicates."""
    return _named_by({parameter.name: parameter.default for parameter in parameters_of(name)} | values, name)


def needed_datasets(name, values):
    """Data sets that a run must have: those of ``dataset``, and those that the user named.

    The defaults of other parameters only say what to do with a data set if it is in the run.
    """
    defaults = {parameter.name: parameter.default for parameter in parameters_of(name) if parameter.name == "dataset"}
    return _named_by(defaults | values, name)


def _named_by(values, name):
    found = []
    for parameter in parameters_of(name):
        if parameter.domain == "data sets" and parameter.name in values:
            value = values[parameter.name]
            found.extend(value if isinstance(value, list) else [value])
    return list(dict.fromkeys(found))


def key_of(name, values, run):
    """Hash of everything that a page depends on, including its display.

    Covers source, parameters, reachable code, data, printed numbers, accepted results and environment. Whether the
    experiment itself must be recomputed is decided by `compendium.page.experiment_digest`.
    """
    notebook = read_notebook(name)
    code = [source_of(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    reached = set().union(*(imported_names(source) for source in code if not source.startswith("%")))
    paper = paper_of(name)
    digest = hashlib.sha256()
    for part in (
        json.dumps([(cell["cell_type"], source_of(cell), cell["metadata"]) for cell in notebook["cells"]]),
        json.dumps(values, sort_keys=True),
        code_digest([*reached, f"{paper}.claims", *discovered_modules(paper)]),
        *(f"{dataset} {fingerprint(dataset)}" for dataset in named_datasets(name, values)),
        *(file.read_text(encoding="utf-8") for file in printed_files(paper)),
        *(
            (NOTEBOOKS / "compendium" / "runner" / f"{part}.py").read_text("utf-8")
            for part in ("notebooks", "execution")
        ),
        sys.version,
    ):
        digest.update(part.encode() + b"\0")
    accepted = reference_file(name)
    if accepted.is_file() and run != REFERENCE:
        digest.update(accepted.read_bytes())
    return digest.hexdigest()

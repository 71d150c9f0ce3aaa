"""What a notebook is, which parameters it takes, and the hash of everything a run of it depends on."""

import hashlib
import json
import sys
from pathlib import Path

import yaml

from fscore.datasets import fingerprint
from compendium import REFERENCE
from compendium.parameters import check, coerce, read_parameters
from compendium.digest import code_digest, imported_names

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "results"
YOURS = "yours"  # the run that collects what users ask for, beside the profiles


class RunError(Exception):
    """One sentence for the person at the terminal."""


def notebook_names():
    """Names of all notebooks of the book."""
    return sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb"))


def read_notebook(name):
    """The notebook as JSON."""
    file = NOTEBOOKS / f"{name}.ipynb"
    if not file.is_file():
        raise RunError(f"there is no notebook {name!r}; the notebooks are {', '.join(notebook_names())}.")
    return json.loads(file.read_text(encoding="utf-8"))


def code_of(cell):
    return "".join(cell["source"])


def parameters_of(name):
    """The described parameters of a notebook, from its cell tagged ``parameters``."""
    for cell in read_notebook(name)["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            return read_parameters(code_of(cell))
    raise RunError(f"notebook {name!r} has no cell tagged 'parameters'.")


def profile_settings(profile):
    """The named settings of a profile: notebook to parameters."""
    file = NOTEBOOKS / "params" / f"{profile}.yml"
    if not file.is_file():
        known = sorted(f.stem for f in file.parent.glob("*.yml"))
        raise RunError(f"there is no profile {profile!r}; the profiles are {', '.join(known)}.")
    return yaml.safe_load(file.read_text(encoding="utf-8")) or {}


def checked(name, values):
    """Values of the annotated types, or one sentence that says what is wrong."""
    described = parameters_of(name)
    values = coerce(described, values)
    check(described, values)
    return values


def named_datasets(name, values):
    """Data sets that a run's parameters name, in order, each once."""
    found = []
    for parameter in parameters_of(name):
        if parameter.domain == "data sets":
            value = values.get(parameter.name, parameter.default)
            found.extend(value if isinstance(value, list) else [value])
    return list(dict.fromkeys(found))


def key_of(name, values, run):
    """Hash of everything a run depends on: source, parameters, reachable code, data, printed numbers, environment."""
    notebook = read_notebook(name)
    code = [code_of(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    reached = set().union(*(imported_names(source) for source in code if not source.startswith("%")))
    paper = name.partition("_")[0]
    digest = hashlib.sha256()
    for part in (
        json.dumps([(cell["cell_type"], code_of(cell), cell["metadata"]) for cell in notebook["cells"]]),
        json.dumps(values, sort_keys=True),
        code_digest([*reached, f"{paper}.claims"]),
        *(f"{dataset} {fingerprint(dataset)}" for dataset in named_datasets(name, values)),
        *_published_lines(paper),
        *(NOTEBOOKS.joinpath(file).read_text(encoding="utf-8") for file in ("_notebooks.py", "_execution.py")),
        sys.version,
    ):
        digest.update(part.encode() + b"\0")
    reference = ROOT / "data" / "reference" / f"{name}.json"
    if reference.is_file() and run != REFERENCE:
        digest.update(reference.read_bytes())
    return digest.hexdigest()


def _published_lines(paper):
    """The paper's printed numbers and its lines of the claims: another paper's don't matter to it."""
    for file in sorted((ROOT / "data" / "published").glob("*.csv")):
        text = file.read_text(encoding="utf-8")
        if file.stem == "claims":
            yield "\n".join(line for line in text.splitlines() if line.startswith(paper))
        elif file.stem.startswith(paper):
            yield text

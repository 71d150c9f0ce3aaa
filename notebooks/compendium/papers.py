"""Discovery of papers: their folders next to this package, notebooks and page order, and what their modules import.

There is no list of papers: every folder with an ``about.yml`` is a paper (or another group of experiments), and every
notebook in it is a page. Imports only the standard library and PyYAML, because the runner needs it before it starts a
kernel.
"""

import ast
import importlib
import importlib.util
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

NOTEBOOKS = Path(__file__).resolve().parents[1]
ROOT = NOTEBOOKS.parent
DATA = ROOT / "data"
RESULTS = ROOT / "results"
BOOK = "book"  # folder of the executed notebooks that the site shows
SUMMARY = "summary"  # folder of the notebooks on all papers together
YOURS = "yours"  # name of the run that collects users' own runs


@dataclass(frozen=True)
class Paper:
    """One folder of experiments, as its ``about.yml`` describes it.

    Attributes
    ----------
    key : str
        Name of the folder, and prefix of the paper's files elsewhere (``data/published/<key>*.csv``).
    name : str
        Short name for tables: authors and year.
    year : int
    methods : str
        What the paper proposes, in one line.
    pages : tuple of str
        Its notebooks in reading order.
    link : str
        Where to read it: the DOI, or the archive that has it; empty if unknown.
    names : dict of str to str
        What pages write for its abbreviations.
    """

    key: str
    name: str
    year: int
    methods: str
    pages: tuple
    link: str = ""
    names: dict = field(default_factory=dict)

    @property
    def folder(self):
        return NOTEBOOKS / self.key


@cache
def papers():
    """All papers, most recent first.

    Returns
    -------
    dict of str to Paper
    """
    found = [_read(file.parent) for file in NOTEBOOKS.glob("*/about.yml")]
    return {paper.key: paper for paper in sorted(found, key=lambda paper: (-paper.year, paper.key))}


def _read(folder):
    about = yaml.safe_load((folder / "about.yml").read_text(encoding="utf-8"))
    names = sorted(file.stem for file in folder.glob("*.ipynb"))
    first = [name for name in about.get("pages") or () if name in names]
    return Paper(folder.name, **about | {"pages": (*first, *(name for name in names if name not in first))})


@cache
def notebook_files():
    """Files of all notebooks by name, in the order of the book."""
    return {page: paper.folder / f"{page}.ipynb" for paper in papers().values() for page in paper.pages}


@cache
def summary_files():
    """Files, by name, of the notebooks on all papers together, which show what the store holds and measure nothing."""
    return {file.stem: file for file in sorted((NOTEBOOKS / SUMMARY).glob("*.ipynb"))}


def all_notebook_files():
    """Files of the papers' notebooks and of those on all papers, by name."""
    return notebook_files() | summary_files()


def paper_of(notebook):
    """Key of the paper that a notebook belongs to."""
    return notebook_files()[notebook].parent.name


def printed_files(paper):
    """The files with the printed numbers and the claims of one paper."""
    folder = DATA / "published"
    return sorted([*folder.glob(f"{paper}.csv"), *folder.glob(f"{paper}_*.csv")])


def part_of(paper, name):
    """A module of a paper, for instance its ``claims``; None if it has none of this name.

    Parameters
    ----------
    paper : str
        Key of the paper.
    name : str

    Returns
    -------
    module or None
    """
    full = f"{paper}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) is not None else None


def names_of(paper):
    """What pages write for a paper's abbreviations: ``names`` in its ``about.yml``, if it has any."""
    return papers()[paper].names if paper in papers() else {}


def imported_names(source, package=""):
    """Dotted names that ``source`` imports, at any level of the code.

    Parameters
    ----------
    source : str
        Python code.
    package : str
        The package that the code lives in, to resolve relative imports.

    Returns
    -------
    set of str
        A name imported from a module appears as ``module.name``; a module imported as a whole as ``module``.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = parents[: len(parents) - node.level + 1] if node.level else []
            base = ".".join([*base, *filter(None, [node.module])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def names_reached(module):
    """Dotted names that a module of a paper imports, itself or by way of other modules of papers.

    Parameters
    ----------
    module : str
        Such as ``"nel1998.pbil"``.

    Returns
    -------
    set of str
    """
    reached, modules = set(), [module]
    for dotted in modules:
        file = NOTEBOOKS.joinpath(*dotted.split(".")).with_suffix(".py")
        if file.is_file() and not dotted.startswith("compendium."):
            names = imported_names(file.read_text(encoding="utf-8"), dotted.rpartition(".")[0])
            reached |= names
            modules += sorted({*names, *(name.rpartition(".")[0] for name in names)}.difference(modules))
    return reached

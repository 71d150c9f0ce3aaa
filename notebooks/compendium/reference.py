"""The accepted results of the paper profile, which every page shows: one compressed file per notebook.

Imports only the standard library, because the runner hashes the files before it starts a kernel.
"""

import gzip
import json

from compendium.papers import DATA
from fscore._files import write_atomically

__all__ = ["accepted_results", "reference", "reference_file", "write_reference"]

FOLDER = DATA / "reference"
SUFFIX = ".json.gz"


def reference_file(notebook):
    """File of a notebook's accepted results, whether or not it exists."""
    return FOLDER / f"{notebook}{SUFFIX}"


def reference(notebook):
    """The accepted results of the paper profile, or None if there are none yet.

    Parameters
    ----------
    notebook : str

    Returns
    -------
    dict or None
        As written by :class:`compendium.page.Page`.
    """
    file = reference_file(notebook)
    return json.loads(gzip.decompress(file.read_bytes())) if file.is_file() else None


def accepted_results():
    """All accepted results by notebook."""
    names = sorted(file.name.removesuffix(SUFFIX) for file in FOLDER.glob(f"*{SUFFIX}"))
    return {name: reference(name) for name in names}


def write_reference(notebook, results):
    """Store results as accepted; equal results make equal bytes.

    Parameters
    ----------
    notebook : str
    results : dict
        As written by :class:`compendium.page.Page`.
    """
    text = json.dumps(results, ensure_ascii=False, separators=(",", ":")) + "\n"
    write_atomically(reference_file(notebook), gzip.compress(text.encode(), mtime=0))

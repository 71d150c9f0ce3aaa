"""Sources of notebooks, and the error that ends a command."""

import json


class RunError(Exception):
    """An error for the user, in one sentence."""


def check_names(names, known):
    """Raise `RunError` if the user named a notebook that is not among those known."""
    for name in names:
        if name not in known:
            raise RunError(f"unknown notebook {name!r}; the notebooks are {', '.join(known)}.")


def read_notebook(file):
    """A notebook; cells without an id, of which nbformat would warn, get one by their place."""
    import nbformat  # takes longer than to see that a notebook is up to date

    notebook = json.loads(file.read_text(encoding="utf-8"))
    for number, cell in enumerate(notebook["cells"]):
        cell.setdefault("id", f"cell-{number:02d}")
    return nbformat.reads(json.dumps(notebook), as_version=4)

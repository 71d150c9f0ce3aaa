"""What a source file imports, and what it reaches. Nothing that is read is imported."""

import ast

from compendium.papers import NOTEBOOKS


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

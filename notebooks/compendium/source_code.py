"""What a source file tells Python to do, and what it imports, kept in ``.cache/code`` by the file's contents.

Comments, docstrings, formatting and blocks for type checkers tell Python nothing. Uses only the standard library and
imports none of the modules that it reads.
"""

import ast
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compendium.kept import hash_of, kept


@dataclass(frozen=True)
class Source:
    """What a module's file contains.

    Attributes
    ----------
    code : str
        SHA-256 of what it tells Python to do, the same in every version of Python.
    imports : list of str
        Dotted names that it imports at any level, sorted.
    exports : dict of str to str, or None
        If the file does nothing but import: the dotted name of each name that it binds.
    """

    code: str
    imports: list
    exports: dict | None


@cache
def read_source(file, module):
    """Read a module's file; what was read once is kept on disk.

    Parameters
    ----------
    file : Path
    module : str
        Its dotted name, which resolves relative imports.

    Returns
    -------
    Source
    """
    text = file.read_bytes()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return Source(**kept("code", hash_of(_own_text(), package, text), lambda: _read(text, package)))


@cache
def _own_text():
    """The text of this file: what was kept is of no use to another reader."""
    return Path(__file__).read_bytes()


def _read(text, package):
    tree = _WithoutTypes().visit(ast.parse(text))
    imports = list(_imports(tree, package))
    return {
        "code": hashlib.sha256(_spell(tree).encode()).hexdigest(),
        "imports": sorted({name for bindings in imports for name in bindings.values()}),
        "exports": _exports(tree, imports),
    }


def _exports(tree, imports):
    for node in tree.body:
        dunder = isinstance(node, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id.startswith("__") for target in node.targets
        )
        if not (_says_nothing(node) or dunder or isinstance(node, ast.Import | ast.ImportFrom)):
            return None
    bound = {name: value for bindings in imports for name, value in bindings.items()}
    return None if "*" in bound else bound


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
    return {name for bindings in _imports(ast.parse(source), package) for name in bindings.values()}


def _imports(tree, package):
    """For each import statement, a mapping of local names to dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [node.module])])
            yield {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}


class _WithoutTypes(ast.NodeTransformer):
    """Removes blocks for type checkers."""

    def visit_If(self, node):
        if getattr(node.test, "id", None) == "TYPE_CHECKING":
            return node.orelse or None
        return self.generic_visit(node)


def _spell(node):
    """A syntax tree as text, without documentation."""
    if isinstance(node, list):
        return f"[{' '.join(_spell(item) for item in node if not _says_nothing(item))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if name not in {"ctx", "type_ignores"}]
    spelled = " ".join(f"{name}={_spell(value)}" for name, value in fields if value is not None and value != [])
    return f"{type(node).__name__}({spelled})"


def _says_nothing(node):
    """Whether a statement is documentation."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

"""What a source file tells Python to do, and what it imports, kept in ``.cache/code`` by the file's contents.

Comments, docstrings, formatting, annotations and imports for annotations alone tell Python nothing. Uses only the
standard library and imports none of the modules that it reads.
"""

import ast
import contextlib
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compendium.kept import hash_of, kept

__all__ = ["Source", "imported_names", "read_source"]


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
    tree = _without_types(ast.parse(text))
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


# Annotations by which the fields of a dataclass differ in what they do.
MARKERS = {"ClassVar", "InitVar", "KW_ONLY"}


class _TypeRemover(ast.NodeTransformer):
    """Removes annotations and blocks for type checkers; remembers the names that they used."""

    def __init__(self):
        self.names = {"annotations"}  # of __future__

    def visit(self, node):
        if isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING":
            self.names.add("TYPE_CHECKING")
            return node.orelse or None
        for field in ("annotation", "returns"):
            annotation = getattr(node, field, None)
            if annotation is not None and not _declares_parameter(node):
                self.names |= _annotating_names(annotation)
                kept = " ".join(sorted(_names(annotation) & MARKERS))
                setattr(node, field, ast.Name(kept) if isinstance(node, ast.AnnAssign) else None)
        self.generic_visit(node)
        if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.bases:
            node.body = [_plain(statement) for statement in node.body]
        return node


def _declares_parameter(node):
    """Whether a statement declares a parameter of an experiment, whose values are checked against its annotation."""
    return getattr(getattr(getattr(node, "value", None), "func", None), "id", None) == "parameter"


def _names(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _plain(statement):
    """In a class that is neither a dataclass nor derived, an annotated value is a value."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None and not _names(statement.annotation) - {""}:
        return ast.Assign([statement.target], statement.value)
    return statement


def _annotating_names(annotation):
    """Names in an annotation, which may be quoted, or in part."""
    quoted = [node.value for node in ast.walk(annotation) if isinstance(getattr(node, "value", None), str)]
    with contextlib.suppress(SyntaxError):
        return _names(annotation).union(*(_names(ast.parse(text)) for text in quoted))
    return _names(annotation)


def _without_types(tree):
    """A syntax tree without annotations, and without the imports of names that only annotations use."""
    remover = _TypeRemover()
    tree = remover.visit(tree)
    unused = remover.names - _names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) not in unused]
    return tree


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
    """Whether a statement is documentation, or an import without names."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return not node.names
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

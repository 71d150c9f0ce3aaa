"""What a source file tells Python to do, what it imports, and which of our modules it reaches.

Comments, docstrings, formatting and blocks for type checkers tell Python nothing. Imports are followed from name to
name: ``from fscore.filters import relieff`` leads to the module that defines ``relieff``, not to all that the package
exports. Imports none of the modules that it reads.
"""

import ast
import hashlib
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compendium.papers import NOTEBOOKS

APART = "compendium.store"  # finds and keeps tables: what it imports, no experiment uses


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
    """Read a module's file.

    Parameters
    ----------
    file : Path
    module : str
        Its dotted name, which resolves relative imports.

    Returns
    -------
    Source
    """
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    tree = _WithoutTypes().visit(ast.parse(file.read_bytes()))
    imports = list(_imports(tree, package))
    return Source(
        code=hashlib.sha256(_spell(tree).encode()).hexdigest(),
        imports=sorted({name for bindings in imports for name in bindings.values()}),
        exports=_exports(tree, imports),
    )


@cache
def _roots():
    """Folders that contain our top-level packages."""
    return tuple(dict.fromkeys((Path(importlib.util.find_spec("fscore").origin).parents[1], NOTEBOOKS)))


@cache
def module_file(name):
    """Source file of one of our modules; None if there is no such module."""
    for root in _roots():
        stem = root.joinpath(*name.split("."))
        for candidate in (stem / "__init__.py", stem.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


def reachable_modules(names):
    """All of our modules whose code the given names can use.

    Parameters
    ----------
    names : iterable of str
        Dotted names of modules, or of objects in them; names outside our packages are ignored.

    Returns
    -------
    dict of str to Path
        Module name to source file, sorted by name.
    """
    found, seen, todo = {}, set(), list(names)
    while todo:
        name = todo.pop()
        if name in seen or name.startswith(APART):
            continue
        seen.add(name)
        parts = name.split(".")
        for n in range(1, len(parts) + 1):  # importing a module executes its packages first
            module, following = ".".join(parts[:n]), ".".join(parts[: n + 1])
            file = module_file(module)
            if file is None:
                continue
            source = read_source(file, module)
            exports = source.exports if file.name == "__init__.py" and following != module else None
            if exports and parts[n] in exports:
                todo.append(exports[parts[n]])
            elif exports is None or module_file(following) is None:
                found[module] = file
                todo += source.imports
    return dict(sorted(found.items()))


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

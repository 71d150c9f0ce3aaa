"""Digest of everything that a number depends on: the code that it uses and the installed packages that this code uses.

Imports are followed from name to name: ``from fscore.filters import relieff`` leads to the module that defines
``relieff``. A package's ``__init__`` that only re-exports is skipped, so exporting one more name changes no digest.
Nor do comments, docstrings, formatting, annotations and imports for annotations alone, which no number depends on.
Uses only the standard library and imports none of the modules that it reads: the runner computes the digest of every
notebook before it decides whether to start a kernel.
"""

import ast
import contextlib
import hashlib
import importlib.util
import re
from functools import cache
from importlib import metadata
from pathlib import Path

from compendium.papers import NOTEBOOKS

__all__ = ["code_digest", "imported_names", "installed_versions", "reachable_modules"]


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


@cache
def _re_exports(file, package):
    """Names that a package's ``__init__`` imports; None if it does anything but import."""
    tree = _tree(file)
    for node in tree.body:
        dunder = isinstance(node, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id.startswith("__") for target in node.targets
        )
        if not (_is_documentation(node) or dunder or isinstance(node, ast.Import | ast.ImportFrom)):
            return None
    bound = {}
    for bindings in _imports(tree, package):
        bound.update(bindings)
    return None if "*" in bound else bound


@cache
def _direct_imports(file, module):
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(name for bindings in _imports(_tree(file), package) for name in bindings.values())


@cache
def _tree(file):
    return _without_types(ast.parse(file.read_text(encoding="utf-8")))


# Annotations by which the fields of a dataclass differ in what they do.
MARKERS = {"ClassVar", "InitVar", "KW_ONLY"}


class _TypeRemover(ast.NodeTransformer):
    """Removes annotations and blocks for type checkers; remembers the names that they used."""

    def __init__(self):
        self.names = {"annotations"}  # of __future__

    def visit_If(self, node):
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            self.names |= _names(node.test)
            return node.orelse or None
        return self.generic_visit(node)

    def visit_arg(self, node):
        self._take(node, "annotation")
        return node

    def visit_FunctionDef(self, node):
        self._take(node, "returns")
        return self.generic_visit(node)

    def visit_ClassDef(self, node):
        """In a class that is neither a dataclass nor derived, an annotated value is a value."""
        self.generic_visit(node)
        if not node.decorator_list and not node.bases:
            node.body = [_plain(statement) for statement in node.body]
        return node

    def visit_AnnAssign(self, node):
        """Annotations of an experiment's parameters stay: values are checked against them."""
        if not (isinstance(node.value, ast.Call) and getattr(node.value.func, "id", None) == "parameter"):
            markers = _names(node.annotation) & MARKERS
            self._take(node, "annotation")
            node.annotation = ast.Name(" ".join(sorted(markers)))
        return node

    def _take(self, node, field):
        if getattr(node, field) is not None:
            self.names |= _annotating_names(getattr(node, field))
            setattr(node, field, None)


def _names(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _plain(statement):
    """An assignment without its annotation, if there is none left to tell; other statements as they are."""
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
        if isinstance(getattr(node, "body", None), list):
            for statement in [s for s in node.body if isinstance(s, ast.Import | ast.ImportFrom)]:
                kept = [alias for alias in statement.names if (alias.asname or alias.name) not in unused]
                if kept:
                    statement.names = kept
                else:
                    node.body.remove(statement)
    return tree


@cache
def _code(file):
    """What a source file tells Python to do, as text that is the same in every version of Python."""
    return _spell(_tree(file))


def _spell(node):
    """A syntax tree as text, without documentation."""
    if isinstance(node, list):
        return f"[{' '.join(_spell(item) for item in node if not _is_documentation(item))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if name not in {"ctx", "type_ignores"}]
    spelled = " ".join(f"{name}={_spell(value)}" for name, value in fields if value is not None and value != [])
    return f"{type(node).__name__}({spelled})"


def _is_documentation(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


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
        if name in seen:
            continue
        seen.add(name)
        module, attribute = _split(name)
        for package in _parents(name):  # importing a module executes its packages first
            exports = _re_exports(module_file(package), package)
            if exports is None:
                _include(package, found, todo)
            elif name.removeprefix(f"{package}.").partition(".")[0] in exports:
                todo.append(exports[name.removeprefix(f"{package}.").partition(".")[0]])
        if module and not (attribute and _is_re_export(module, attribute)):
            _include(module, found, todo)
    return dict(sorted(found.items()))


def _split(name):
    """The longest prefix of ``name`` that is one of our modules, and the rest."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        if module_file(".".join(parts[:n])) is not None:
            return ".".join(parts[:n]), ".".join(parts[n:])
    return "", name


def _parents(name):
    """Our packages that contain the module or object, outermost first."""
    parts = name.split(".")
    packages = (".".join(parts[:n]) for n in range(1, len(parts)))
    return [package for package in packages if (file := module_file(package)) and file.name == "__init__.py"]


def _is_re_export(module, attribute):
    file = module_file(module)
    exports = _re_exports(file, module) if file.name == "__init__.py" else None
    return exports is not None and attribute.partition(".")[0] in exports


def _include(module, found, todo):
    file = module_file(module)
    found[module] = file
    todo.extend(_direct_imports(file, module))


def installed_versions(names):
    """Installed versions of the packages that provide some modules, and of all that these packages require.

    Parameters
    ----------
    names : iterable of str
        Dotted names of modules, or of objects in them; our own and the standard library's are ignored.

    Returns
    -------
    dict of str to str
        Version by package, sorted by name. A package of no use to the code has no influence on its digest.
    """
    todo = [package for name in names for package in _providers().get(name.partition(".")[0], ())]
    found = {}
    while todo:
        package = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if package not in found:
            found[package], required = _installed(package)
            todo += required
    return dict(sorted((package, version) for package, version in found.items() if version))


@cache
def _installed(package):
    """Version of a package and the packages that it requires; None and none if it is required elsewhere only."""
    try:
        required = [entry for entry in metadata.requires(package) or () if "extra ==" not in entry]
        return metadata.version(package), [re.match(r"[\w.-]+", entry)[0] for entry in required]
    except metadata.PackageNotFoundError:
        return None, []


@cache
def _providers():
    ours = {file.stem for root in _roots() for file in root.iterdir()}
    return {module: found for module, found in metadata.packages_distributions().items() if module not in ours}


def code_digest(names):
    """SHA-256 of the sources of all modules that ``names`` can reach, and of the packages that these use.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    str
        Hexadecimal digest.
    """
    digest = hashlib.sha256()
    modules, imported = reachable_modules(names), set(names)
    for name, file in modules.items():
        digest.update(f"{name}\0{_code(file)}\0".encode())
        imported |= _direct_imports(file, name)
    for package, version in installed_versions(imported).items():
        digest.update(f"{package}=={version}\0".encode())
    return digest.hexdigest()

"""Digest of everything that a number depends on: the code that it uses and the installed packages that this code uses.

Imports are followed from name to name: ``from fscore.filters import relieff`` leads to the module that defines
``relieff``. A package's ``__init__`` that only re-exports is skipped, so exporting one more name changes no digest.
Nor does what `compendium.source_code` ignores. Imports none of the modules that it follows: the runner computes the
digest of every notebook before it decides whether to start a kernel.
"""

import hashlib
import importlib.util
import re
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from compendium.kept import hash_of, kept
from compendium.papers import NOTEBOOKS
from compendium.source_code import read_source

# Find and keep tables, but no number depends on them.
APART = ("compendium.digest", "compendium.store")


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
    ours = {file.stem for root in _roots() for file in root.iterdir()}
    modules = {name.partition(".")[0] for name in names} - ours
    todo = [package for module in modules for package in _installed()["providers"].get(module, ())]
    found = {}
    while todo:
        package = _normalized(todo.pop())
        if package not in found and package in _installed()["packages"]:  # else it is required elsewhere only
            found[package], required = _installed()["packages"][package]
            todo += required
    return dict(sorted(found.items()))


@cache
def _installed():
    """Which packages provide a module, and each package's version and requirements; kept, since it takes long."""
    folders = sorted(str(file) for path in sys.path for file in Path(path).glob("*.dist-info"))
    return kept("packages", hash_of(sys.version, *folders), _read_installed)


def _read_installed():
    packages = {}
    for distribution in metadata.distributions():
        required = [re.match(r"[\w.-]+", entry)[0] for entry in distribution.requires or () if "extra ==" not in entry]
        packages.setdefault(_normalized(distribution.name), (distribution.version, required))
    return {"providers": metadata.packages_distributions(), "packages": packages}


def _normalized(package):
    return re.sub(r"[-_.]+", "-", package).lower()


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
        source = read_source(file, name)
        digest.update(f"{name}\0{source.code}\0".encode())
        imported.update(source.imports)
    for package, version in installed_versions(imported).items():
        digest.update(f"{package}=={version}\0".encode())
    return digest.hexdigest()

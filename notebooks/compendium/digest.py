"""What a study's numbers depend on: the digest of every module it can reach, and of the locked dependencies.

Standard library only, and nothing is imported to be looked at: the notebook runner asks these questions for every
notebook before it decides whether a kernel must start at all.
"""

import ast
import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
LOCK = PACKAGE.parent / "requirements.lock"


def module_file(name):
    """Path of module ``name`` inside the package, or None if there is no such module."""
    stem = PACKAGE.parent.joinpath(*name.split("."))
    for candidate in (stem / "__init__.py", stem.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def imported_names(source, module=""):
    """Dotted names that ``source`` imports from the package, wherever in the code the import stands.

    Parameters
    ----------
    source : str
        Python code.
    module : str
        The dotted name of the *package* the code lives in, to resolve relative imports.

    Returns
    -------
    set of str
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [node.module])])
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return {name for name in names if name.split(".")[0] == PACKAGE.name}


@cache
def _direct_imports(file, module):
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(imported_names(file.read_text(encoding="utf-8"), package))


def reachable_modules(names):
    """Every module of the package that importing ``names`` can execute.

    Parameters
    ----------
    names : iterable of str
        Dotted names; those that are no module of the package (a function in one, say) are passed over.

    Returns
    -------
    dict of str to Path
        Module name to source file, sorted by name.
    """
    found, todo = {}, list(names)
    while todo:
        name = todo.pop()
        file = module_file(name)
        if name in found or file is None:
            continue
        found[name] = file
        todo.extend(_direct_imports(file, name))
        todo.append(name.rpartition(".")[0])  # importing a module executes its packages first
    return dict(sorted(found.items()))


def environment_digest():
    """Hash of the lock file; of the installed versions where the package stands without one."""
    if LOCK.is_file():
        return hashlib.sha256(LOCK.read_bytes()).hexdigest()
    versions = sorted(f"{d.metadata['Name']}=={d.version}" for d in metadata.distributions())
    return hashlib.sha256("\n".join(versions).encode()).hexdigest()


def code_digest(names):
    """SHA-256 over the sources of all modules that ``names`` can reach, and the environment.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    str
        Hexadecimal digest.
    """
    digest = hashlib.sha256(environment_digest().encode())
    for name, file in reachable_modules(names).items():
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()

"""Rules for the whole project: direction of imports, public names, lightweight import."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import fscore
from compendium.papers import papers
from compendium.source_code import imported_names

PACKAGE = Path(fscore.__file__).parent

# Subpackages, and those from which each may import besides itself.
ALLOWED_IMPORTS = {
    "_auc": set(),
    "_deprecation": {"_warnings"},
    "_files": set(),
    "_parameters": set(),
    "_pickling": set(),
    "_threads": set(),
    "_typing": set(),
    "_validation": set(),
    "_warnings": set(),
    "kernels": set(),
    "datasets": {"_typing"},
    "criteria": {"kernels", "_parameters", "_typing", "_validation", "_warnings", "neural"},
    "filters": {"kernels", "_parameters", "_typing", "_validation"},
    "weighting": {"kernels", "_parameters", "_typing", "_validation", "_warnings", "filters"},
    "lvq": {"kernels", "_auc", "_parameters", "_typing", "_validation", "filters"},
    "neural": {"kernels", "_parameters", "_threads", "_typing", "_validation"},
    "neighbours": {"_parameters", "_typing", "_validation"},
    "search": {"kernels", "_pickling", "_parameters", "_typing", "_validation", "_warnings", "criteria", "stability"},
    "stability": {"_typing", "_validation"},
    "dossier": {"_files", "datasets", "criteria", "filters", "weighting", "search", "stability"},
    "_compiling": {"kernels", "criteria", "filters", "weighting", "lvq", "search"},
    "__main__": {"_compiling", "dossier"},
}
SUBPACKAGES = [name for name in ALLOWED_IMPORTS if (PACKAGE / name / "__init__.py").is_file()]


def subpackage_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_one_way(file):
    inside = file.relative_to(PACKAGE)
    subpackage = inside.parts[0].removesuffix(".py")
    if subpackage == "__init__":
        return
    package = ".".join(["fscore", *inside.parts[:-1]])
    used = {subpackage_of(name) for name in imported_names(file.read_text(encoding="utf-8"), package)} - {
        None,
        subpackage,
    }
    used = {name for name in used if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}
    assert used <= ALLOWED_IMPORTS[subpackage], f"{inside} imports from {sorted(used - ALLOWED_IMPORTS[subpackage])}"


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_public_names_have_docstrings(subpackage):
    module = importlib.import_module(f"fscore.{subpackage}")
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name).__doc__, f"fscore.{subpackage}.{name} has no docstring"


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_every_module_has_a_docstring(file):
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


def test_importing_the_package_imports_no_heavy_dependency():
    code = "import fscore, fscore.datasets, sys; print([m for m in ('numpy', 'sklearn', 'cvxpy') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_importing_all_subpackages_imports_nothing_heavy_besides_sklearn():
    heavy = "numba", "cvxpy", "highspy", "matplotlib", "pooch"
    code = "".join(f"import fscore.{name}; " for name in SUBPACKAGES if name != "kernels")
    code += f"import sys; print('sklearn' in sys.modules, [m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "True []"


def test_the_library_never_imports_the_compendium(root):
    compendium = {path.name for path in (root / "notebooks").iterdir() if path.is_dir()}
    for file in PACKAGE.rglob("*.py"):
        imported = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"), "fscore")}
        assert not imported & compendium, file


def test_the_compendium_imports_no_paper(root):
    for file in (root / "notebooks" / "compendium").rglob("*.py"):
        if "skeleton" not in file.relative_to(root / "notebooks" / "compendium").parts:
            imported = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"))}
            assert not imported & set(papers()), file

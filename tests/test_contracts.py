"""What holds for the whole project: direction of imports, public names, light import."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import fscore
from compendium.digest import imported_names
from compendium.papers import papers

PACKAGE = Path(fscore.__file__).parent

# Data flows one way: a room may import from itself and from the rooms in its set.
LEFT_OF = {
    "_files": set(),
    "_validation": set(),
    "_warnings": set(),
    "kernels": set(),
    "datasets": set(),
    "criteria": {"kernels", "_validation", "_warnings", "neural"},
    "filters": {"kernels", "_validation"},
    "weighting": {"kernels", "_validation", "_warnings", "filters"},
    "lvq": {"kernels", "_validation", "filters"},
    "neural": {"kernels", "_validation"},
    "neighbours": {"_validation"},
    "search": {"kernels", "_validation", "_warnings", "criteria", "stability"},
    "stability": {"_validation"},
}
ROOMS = [name for name in LEFT_OF if (PACKAGE / name / "__init__.py").is_file()]


def room_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_one_way(file):
    inside = file.relative_to(PACKAGE)
    room = inside.parts[0].removesuffix(".py")
    if room == "__init__":
        return
    package = ".".join(["fscore", *inside.parts[:-1]])
    used = {room_of(name) for name in imported_names(file.read_text(encoding="utf-8"), package)} - {None, room}
    used = {name for name in used if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}
    assert used <= LEFT_OF[room], f"{inside} imports from {sorted(used - LEFT_OF[room])}"


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_state_their_public_names(room):
    module = importlib.import_module(f"fscore.{room}")
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name).__doc__, f"fscore.{room}.{name} has no docstring"


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_every_module_says_what_it_is(file):
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


def test_importing_the_package_is_light():
    code = "import fscore, fscore.datasets, sys; print([m for m in ('numpy', 'sklearn', 'cvxpy') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_weighting_does_not_import_solvers_it_may_not_need():
    code = "import fscore.weighting, sys; print('cvxpy' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_the_library_never_imports_the_compendium(root):
    beside = {path.name for path in (root / "notebooks").iterdir() if path.is_dir()}
    for file in PACKAGE.rglob("*.py"):
        imported = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"), "fscore")}
        assert not imported & beside, file


def test_the_compendium_imports_no_paper(root):
    for file in (root / "notebooks" / "compendium").rglob("*.py"):
        if "skeleton" not in file.relative_to(root / "notebooks" / "compendium").parts:
            imported = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"))}
            assert not imported & set(papers()), file

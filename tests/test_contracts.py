"""Rules for the whole project: direction of imports, public names, lightweight import."""

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fscore
from compendium.papers import imported_names, papers

PACKAGE = Path(fscore.__file__).parent

# Rooms, and those from which each may import besides itself and the tools.
ALLOWED_IMPORTS = {
    "kernels": set(),
    "datasets": set(),
    "criteria": {"kernels", "neural"},
    "filters": {"kernels"},
    "weighting": {"kernels", "filters"},
    "lvq": {"kernels"},
    "neural": set(),
    "neighbors": set(),
    "search": {"kernels", "criteria", "stability"},
    "stability": set(),
    "report": {"datasets", "criteria", "filters", "weighting", "search", "stability"},
    "_compiling": {"kernels", "criteria", "filters", "weighting", "lvq", "search"},
    "__main__": {"_compiling", "report"},
}
TOOLS = {file.stem for file in PACKAGE.glob("_[a-z]*.py")} - set(ALLOWED_IMPORTS)  # import only one another
SUBPACKAGES = [name for name in ALLOWED_IMPORTS if (PACKAGE / name / "__init__.py").is_file()]


def subpackage_of(dotted):
    parts = dotted.split(".")
    return parts[1] if parts[0] == "fscore" and len(parts) > 1 else None


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_module_has_a_docstring_and_its_imports_go_one_way(file):
    text = file.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    inside = file.relative_to(PACKAGE)
    subpackage = inside.parts[0].removesuffix(".py")
    if subpackage == "__init__":
        return
    assert subpackage in {*ALLOWED_IMPORTS, *TOOLS}
    package = ".".join(["fscore", *inside.parts[:-1]])
    used = {subpackage_of(name) for name in imported_names(text, package)} - {None, subpackage}
    used = {name for name in used if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}
    allowed = TOOLS | ALLOWED_IMPORTS.get(subpackage, set())
    assert used <= allowed, f"{inside} imports from {sorted(used - allowed)}"


def test_a_public_name_that_is_gone_stands_in_the_changelog(root):
    """``public_names.txt`` lists the names of the last release; ``make release`` writes the new list."""
    unreleased = "\n".join(file.read_text(encoding="utf-8") for file in (root / "changelog.d").glob("*.*.md"))
    for line in (root / "tests" / "public_names.txt").read_text(encoding="utf-8").split():
        room, _, name = line.rpartition(".")
        there = importlib.util.find_spec(room) is not None
        if there and name in importlib.import_module(room).__all__:
            continue
        gone = name if there else room
        said = re.search(rf"`([\w.]+\.)?{re.escape(gone)}\b", unreleased)
        assert said, f"{line} is gone; say in changelog.d what replaces `{gone}`"


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import fscore, fscore.datasets", ("numpy", "sklearn", "cvxpy")),
        (
            "from fscore.datasets import status, fingerprint; status('sonar'); fingerprint('iris')",
            ("numpy", "scipy", "sklearn", "pandas", "pooch", "requests"),
        ),
        (
            "".join(f"import fscore.{name}; " for name in SUBPACKAGES if name != "kernels") + "import sklearn",
            ("numba", "cvxpy", "highspy", "matplotlib", "pooch"),
        ),
    ],
    ids=["package", "status of data", "all subpackages"],
)
def test_imports_are_light(code, heavy):
    code += f"; import sys; print([m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_the_library_imports_no_compendium_and_private_modules_of_sklearn_in_one_file(root):
    compendium = {path.name for path in (root / "notebooks").iterdir() if path.is_dir()}
    for file in PACKAGE.rglob("*.py"):
        names = imported_names(file.read_text(encoding="utf-8"), "fscore")
        assert not {name.partition(".")[0] for name in names} & compendium, file
        private = {name for name in names if name.startswith("sklearn.") and "._" in name}
        assert not private or file == PACKAGE / "_sklearn.py", f"{file}: {private}"


def test_private_attributes_of_others_are_used_in_one_file():
    ours, foreign = {"_replace", "_fields", "_getframe"}, []  # of named tuples, and of sys
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")}
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            ours.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            ours.add(node.id if isinstance(node, ast.Name) else node.attr)
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                name = node.attr
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
                name = getattr(node.args[1], "value", "")
            else:
                continue
            if re.match("_[a-z]", str(name)) and name not in ours and file.name != "_sklearn.py":
                foreign.append((file.name, node.lineno, name))
    assert not foreign


def test_the_compendium_imports_no_paper(root):
    for file in (root / "notebooks" / "compendium").rglob("*.py"):
        if "skeleton" not in file.relative_to(root / "notebooks" / "compendium").parts:
            imported = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"))}
            assert not imported & set(papers()), file

"""Imports, pyproject.toml, requirements.lock and environment.yml agree; make's targets are documented."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def required(project):
    """All requirements of the project, including extras."""
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return [Requirement(line) for line in lines]


@pytest.fixture(scope="module")
def locked(root):
    """Versions locked for Python 3.11 on Linux, by name."""
    environment = {**default_environment(), "python_version": "3.11", "python_full_version": "3.11.9"}
    versions = {}
    for line in (root / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if "==" in line and not line.lstrip().startswith(("#", "--")):
            requirement = Requirement(line.rstrip(" \\"))
            if requirement.marker is None or requirement.marker.evaluate(environment):
                versions[canonicalize_name(requirement.name)] = next(iter(requirement.specifier)).version
    return versions


@pytest.fixture(scope="module")
def conda(root):
    """Versions in environment.yml by name, including its pip section."""
    dependencies = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    pip = next(entry for entry in dependencies if isinstance(entry, dict))["pip"]
    lines = [entry for entry in dependencies if isinstance(entry, str)] + [e for e in pip if not e.startswith("-e")]
    pairs = (re.match(r"([\w.-]+?)(?:==?([\w.]+))?$", line).groups() for line in lines)
    return {canonicalize_name(name): version for name, version in pairs}


GENERATED = {"_ext", "newpaper2000", "units_of_test", "your"}  # made by tests, the skeleton of a paper, or Sphinx


def imported_modules(folder):
    """Top-level modules that the Python files and notebooks of a folder import."""
    parts = [part for part in folder.iterdir() if part.name != "_build"]  # which a build may just replace
    files = [file for part in parts for file in (part.rglob("*") if part.is_dir() else [part])]
    sources = [file.read_text(encoding="utf-8") for file in files if file.suffix == ".py"]
    for file in (file for file in files if file.suffix == ".ipynb"):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        sources += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


@pytest.fixture(scope="module")
def owners():
    """Distributions by the top-level modules that they have."""
    return metadata.packages_distributions()


@pytest.mark.parametrize(
    ("folder", "extras"),
    [("fscore", ["data", "plot", "report"]), *((f, ...) for f in ("notebooks", "book", "tests"))],
)
def test_what_is_imported_is_declared(root, project, owners, folder, extras):
    declared = list(project["dependencies"])
    for name, lines in project["optional-dependencies"].items():
        declared += lines if extras is ... or name in extras else []
    declared = {canonicalize_name(Requirement(line).name) for line in declared}
    places = (".", "notebooks", "book", "book/_ext", "tests")
    ours = {file.stem for place in places for file in (root / place).iterdir()}
    others = set(imported_modules(root / folder)) - ours - {*sys.stdlib_module_names, *GENERATED}
    undeclared = {m for m in others if not declared & {canonicalize_name(name) for name in owners.get(m, [m])}}
    assert not undeclared, f"add to pyproject.toml what has the modules {sorted(undeclared)}"
    if folder == "fscore":
        unused = declared - {canonicalize_name(name) for module in others for name in owners[module]}
        assert not unused, f"remove {sorted(unused)} from pyproject.toml"


def test_lock_satisfies_every_requirement(required, locked):
    for requirement in required:
        version = locked.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is required but not locked; run: make lock"
        assert requirement.specifier.contains(version), f"{requirement}: {version} is locked"


def test_conda_environment_has_the_locked_versions(required, locked, conda):
    for requirement in required:
        name = canonicalize_name(requirement.name)
        assert conda.get(name) == locked[name], f"environment.yml: {name} is {conda.get(name)}, locked {locked[name]}"


def test_conda_environment_has_no_other_packages(required, conda):
    ours = {canonicalize_name(requirement.name) for requirement in required}
    assert set(conda) - ours == {"python", "make", "pip"}


def test_python_versions_agree(project, conda):
    assert SpecifierSet(project["requires-python"]).contains(conda["python"])


def test_lock_has_hashes_and_names_no_host(root):
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text
    for entry in re.split(r"\n(?=\S)", text.strip()):
        if not entry.startswith("#"):
            assert "--hash=sha256:" in entry, f"no hash: {entry.splitlines()[0]}"


def test_build_requirements_are_locked_too(root, project):
    system = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert set(system) == set(project["optional-dependencies"]["build"])


def test_help_lists_every_target(root):
    said = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"\.PHONY: (.*)", (root / "Makefile").read_text(encoding="utf-8"))[1].split()
    for target in phony:
        assert re.search(rf"make {target}\s+\w", said), f"make {target} is undocumented"

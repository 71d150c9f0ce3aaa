"""The library alone: its wheel, installed outside the checkout, imports and passes its tests.

Imports of packages that are neither declared dependencies nor test tools fail there. In CI all tests of the library run
against the wheel but the slow ones and those that only compare numbers of compiled code; elsewhere those of a few
subpackages. CI also runs some of them, with the latest dependencies, on every other supported version of Python that is
on the PATH.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

TESTS = Path(__file__).parent
FEW = {"test_stability.py", "test_datasets.py"}  # compile nothing
COMPILING = {"test_citizenship.py", "test_kernels_knn.py"}
ONLY_NUMBERS = {  # take long, and import nothing that the others don't
    "test_criteria_quick.py",
    "test_criteria_svm.py",
    "test_kernels_knn_metrics.py",
    "test_kernels_knn_regression.py",
    "test_mutual_information.py",
}
CLASSIFIERS = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
SUPPORTED = [version for c in CLASSIFIERS for version in re.findall(r"^Programming Language :: Python :: (3\.\d+)$", c)]
RUNNING = f"3.{sys.version_info.minor}"

# Imported when Python starts; rejects undeclared dependencies, which packages that look for them don't find.
GUARD = '''
import importlib.util
import sys

class OnlyDeclared:
    """Rejects top-level modules of distributions that the library doesn't depend on."""

    refused = {refused!r}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.refused:
            raise ModuleNotFoundError(f"{{name}} is not a dependency of fscore", name=name)

def find_spec(name, package=None, find=importlib.util.find_spec):
    return None if name.partition(".")[0] in OnlyDeclared.refused else find(name, package)

sys.meta_path.insert(0, OnlyDeclared())
importlib.util.find_spec = find_spec
sys.path[:] = [entry for entry in sys.path if not entry.startswith({checkout!r}) or "site-packages" in entry]
'''


def needed(*names):
    """The named distributions and all distributions that they depend on."""
    found, todo = set(), list(names)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        found.add(name)
        try:
            requirements = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:  # required on another platform only
            continue
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                todo.append(requirement.name)
    return found


def refused_modules():
    allowed = needed("fscore", "pytest", "pytest-xdist", "hypothesis", "packaging")
    by_module = metadata.packages_distributions()
    return sorted(
        module
        for module, owners in by_module.items()
        if not {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & allowed
    )


def library_tests():
    """Test files that use neither compendium, papers nor checkout."""
    for file in sorted(TESTS.glob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imported = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        arguments = {
            argument.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for argument in node.args
        }
        ours = {path.name for path in (TESTS.parent / "notebooks").iterdir()}
        if not imported & ours and not arguments & {"root", "site", "executed"} and file != Path(__file__):
            yield file


@pytest.fixture(scope="module")
def installed(tmp_path_factory, root):
    """Environment variables of a Python that finds the wheel's fscore and only its declared dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", root, "--no-deps", "--no-build-isolation", "-w", folder], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", wheel], check=True)
    (folder / "site" / "sitecustomize.py").write_text(GUARD.format(refused=refused_modules(), checkout=str(root)))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    return folder, {**environment, "PYTHONPATH": str(folder / "site"), "HYPOTHESIS_NO_PLUGINS": "1"}


def run(installed, *words):
    folder, environment = installed
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)


def built(root, folder, umask, date):
    """Wheel and source distribution of a copy of the sources, with file dates and permissions of its own."""
    skip = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(root / "fscore", folder / "fscore", ignore=skip)
    (folder / "data" / "reference").mkdir(parents=True)
    (folder / "data" / "reference" / "page.json").touch()
    for name in ("pyproject.toml", "README.md", "LICENSE", "data/registry.csv"):
        shutil.copyfile(root / name, folder / name)
    for file in folder.rglob("*"):
        file.chmod((0o777 if file.is_dir() else 0o666) & ~umask)
        os.utime(file, (date, date))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", "out"]
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return {file.suffix: file for file in sorted((folder / "out").iterdir())}


def test_two_builds_of_the_same_sources_are_identical(root, tmp_path):
    one = built(root, tmp_path / "one", 0o022, 1_000_000_000)
    other = built(root, tmp_path / "a second copy", 0o077, 1_700_000_000)
    assert set(one) == {".whl", ".gz"}
    for suffix in one:
        assert one[suffix].read_bytes() == other[suffix].read_bytes()


def test_the_source_distribution_builds_the_same_wheel(root, tmp_path):
    built_here = built(root, tmp_path / "here", 0o022, 1_000_000_000)
    shutil.unpack_archive(built_here[".gz"], tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("fscore-*")
    assert {path.name for path in unpacked.iterdir()} == {
        *("fscore", "data", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"),
    }
    assert [path.name for path in (unpacked / "data").iterdir()] == ["registry.csv"]
    assert (unpacked / "fscore" / "py.typed").is_file()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
    subprocess.run(command, cwd=unpacked, check=True, capture_output=True)
    (wheel,) = (unpacked / "out").glob("*.whl")
    assert wheel.read_bytes() == built_here[".whl"].read_bytes()


def test_the_wheel_contains_only_the_library(installed):
    names = {path.name for path in (installed[0] / "site").iterdir()} - {"sitecustomize.py", "__pycache__"}
    assert {name for name in names if not name.endswith(".dist-info")} == {"fscore"}
    assert (installed[0] / "site" / "fscore" / "py.typed").is_file()


def test_every_module_imports_from_the_wheel(installed):
    code = """
import importlib, pkgutil, fscore
for module in pkgutil.walk_packages(fscore.__path__, "fscore."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(fscore.__file__)
"""
    done = run(installed, "-c", code)
    assert done.returncode == 0, done.stderr
    assert str(installed[0]) in done.stdout


def test_the_guard_rejects_undeclared_dependencies(installed):
    for module in ("IPython", "papermill", "compendium"):
        assert run(installed, "-c", f"import {module}").returncode != 0


def test_data_sets_load_from_the_wheel(installed):
    done = run(installed, "-c", "from fscore.datasets import load; print(load('wine').data.shape)")
    assert done.stdout.strip() == "(178, 13)", done.stderr


def copy_tests(folder, names):
    """Put tests of the library into a folder of their own, and return the command that runs them."""
    (folder / "tests").mkdir()
    files = [file for file in library_tests() if file.name in names]
    assert len(files) == len(names)
    for file in [*files, TESTS / "conftest.py"]:
        shutil.copyfile(file, folder / "tests" / file.name)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: slow\n  browser: browser\n")
    return ["-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-m", "not slow", "tests"]


@pytest.mark.slow
def test_the_tests_of_the_library_pass_on_the_wheel(installed):
    names = {file.name for file in library_tests()} - ONLY_NUMBERS if "CI" in os.environ else FEW
    done = run(installed, *copy_tests(installed[0], names))
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in SUPPORTED if version != RUNNING])
def test_other_versions_of_python_pass_with_the_latest_dependencies(installed, tmp_path, version):
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True).returncode:
        pytest.skip(f"no python{version} on the PATH that can make environments")
    environment = {key: value for key, value in installed[1].items() if key != "PYTHONPATH"}
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True, env=environment)
    python = tmp_path / "venv" / "bin" / "python"
    (wheel,) = installed[0].glob("*.whl")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--only-binary", ":all:"]
    done = subprocess.run([*pip, wheel, "pytest", "hypothesis"], env=environment, capture_output=True, text=True)
    if done.returncode and "CI" not in os.environ:
        pytest.skip(f"the dependencies cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    command = [python, *copy_tests(tmp_path, FEW | COMPILING)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_this_version_of_python_is_declared():
    assert RUNNING in SUPPORTED

"""The library alone: its wheel, installed outside the checkout, imports and passes its tests.

Imports of packages that are neither declared dependencies nor test tools fail there. Of the library's tests those of
data and of compiled code run against the wheel. In CI they also run, with the latest dependencies, on every other
supported version of Python that is on the PATH, and some more tests with the oldest versions that are declared.
"""

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
from sklearn.datasets import load_wine

TESTS = Path(__file__).parent
FEW = {"test_stability.py", "test_datasets.py"}  # compile nothing
COMPILING = {"test_gamma.py"}
WITH_SCIKIT_LEARN = {"test_criteria_columnwise.py", "test_search_checkpoint.py", "test_search_sklearn.py"}
PROJECT = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("data", "plot", "report")  # of the library; the others are for the compendium
PYTHONS = re.compile(r"Programming Language :: Python :: (3\.\d+)")
SUPPORTED = [found[1] for found in map(PYTHONS.fullmatch, PROJECT["classifiers"]) if found]
RUNNING = f"3.{sys.version_info.minor}"

# Imported when Python starts; rejects packages that are not declared, which others that look for them don't find.
GUARD = '''
import importlib.util
import os
import sys

class OnlyDeclared:
    """Rejects top-level modules of distributions that the library, or one of its extras, doesn't depend on."""

    refused = {with_extras!r} if "WITH_EXTRAS" in os.environ else {without!r}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.refused:
            raise ModuleNotFoundError(f"{{name}} is not declared", name=name)

def find_spec(name, package=None, find=importlib.util.find_spec):
    return None if name.partition(".")[0] in OnlyDeclared.refused else find(name, package)

sys.meta_path.insert(0, OnlyDeclared())
importlib.util.find_spec = find_spec
checkouts = [entry for entry in sys.path if os.path.isdir(os.path.join(entry, "compendium"))]
sys.path[:] = [entry for entry in sys.path if entry not in (*checkouts, *map(os.path.dirname, checkouts))]
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


def refused_modules(*extras):
    """Top-level modules that are installed here, but not with the library, these extras and the test tools."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    tools = ("pytest", "pytest-xdist", "hypothesis", "packaging")
    allowed = needed(*tools, *(Requirement(line).name for line in lines)) | {"fscore-selection"}
    by_module = metadata.packages_distributions()
    return sorted(
        module
        for module, owners in by_module.items()
        if not {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & allowed
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory, built_here):
    """Environment variables of a Python that finds the wheel's fscore and only its declared dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    wheel = shutil.copy(built_here[".whl"], folder)
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", wheel], check=True)
    guard = GUARD.format(without=refused_modules(), with_extras=refused_modules(*EXTRAS))
    (folder / "site" / "sitecustomize.py").write_text(guard)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    return folder, {**environment, "PYTHONPATH": str(folder / "site"), "HYPOTHESIS_NO_PLUGINS": "1"}


def run(installed, *words, extras=False):
    folder, environment = installed
    environment = {**environment, "WITH_EXTRAS": "1"} if extras else environment
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)


def built(root, folder, umask, date):
    """Wheel and source distribution of a copy of the sources, with file dates and permissions of its own."""
    skip = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(root / "fscore", folder / "fscore", ignore=skip)
    (folder / "data" / "reference").mkdir(parents=True)
    (folder / "data" / "reference" / "page.json").touch()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "LICENSES/Unicode-3.0.txt",
        "data/languages.csv",
        "data/registry.csv",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(root / name, folder / name)
    for file in folder.rglob("*"):
        file.chmod((0o777 if file.is_dir() else 0o666) & ~umask)
        os.utime(file, (date, date))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", "out"]
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return {file.suffix: file for file in sorted((folder / "out").iterdir())}


@pytest.fixture(scope="module")
def built_here(root, tmp_path_factory):
    return built(root, tmp_path_factory.mktemp("built") / "here", 0o022, 1_000_000_000)


def test_two_builds_of_the_same_sources_are_identical(root, built_here, tmp_path):
    other = built(root, tmp_path / "a second copy", 0o077, 1_700_000_000)
    assert set(built_here) == {".whl", ".gz"}
    for suffix in other:
        assert built_here[suffix].read_bytes() == other[suffix].read_bytes()


def test_the_source_distribution_builds_the_same_wheel(built_here, tmp_path):
    shutil.unpack_archive(built_here[".gz"], tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("fscore_selection-*")
    assert {path.name for path in unpacked.iterdir()} == {
        *("fscore", "data", "pyproject.toml", "README.md", "LICENSE", "LICENSES", "PKG-INFO"),
    }
    assert {path.name for path in (unpacked / "data").iterdir()} == {"languages.csv", "registry.csv"}
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
    done = run(installed, "-c", code, extras=True)
    assert done.returncode == 0, done.stderr
    assert str(installed[0]) in done.stdout


def test_the_guard_rejects_undeclared_dependencies(installed):
    for module in ("IPython", "papermill", "compendium"):
        assert run(installed, "-c", f"import {module}", extras=True).returncode != 0
    assert run(installed, "-c", "import cvxpy").returncode != 0


WITHOUT_EXTRAS = """
import importlib
from fscore.datasets import load
from fscore.search import SFS, plot_trace
from fscore.weighting import MDM
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

for room in ("criteria", "filters", "lvq", "neural", "neighbors", "stability"):
    importlib.import_module(f"fscore.{room}")
X, y = load("wine", return_X_y=True)
search = SFS(LinearDiscriminantAnalysis(), n_features_to_select=2).fit(X, y)
MDM().fit(X[::8], y[::8])
MDM(solver="full").fit(X[::8], y[::8])
for needs_an_extra in (
    lambda: plot_trace(search),
    lambda: load("sonar"),
    lambda: importlib.import_module("fscore.report"),
):
    try:
        needs_an_extra()
    except ModuleNotFoundError as error:
        print(error)
"""


def test_without_extras_all_rooms_work_and_what_is_missing_is_named(installed, tmp_path, monkeypatch):
    monkeypatch.setitem(installed[1], "FSCORE_DATA", str(tmp_path))
    monkeypatch.delitem(installed[1], "FSCORE_DATA_MIRROR", raising=False)
    done = run(installed, "-c", WITHOUT_EXTRAS)
    install = 'which is not installed; run: pip install "fscore-selection'
    assert done.stdout.splitlines() == [
        f'A plot needs matplotlib, {install}[plot]"',
        f'Downloading sonar.all-data needs pooch, {install}[data]"',
        f'The report needs jinja2, {install}[report]"',
    ], done.stderr


def copy_tests(folder, names):
    """Put tests of the library into a folder of their own, and return the command that runs them."""
    (folder / "tests").mkdir()
    for name in [*names, "conftest.py", "criteria_steps.py", "search_tables.py"]:
        shutil.copyfile(TESTS / name, folder / "tests" / name)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: slow\n  browser: browser\n")
    options = ["--import-mode=importlib", "-p", "no:cacheprovider", "-o", "pythonpath=tests", "-m", "not slow"]
    return ["-m", "pytest", "-q", *options, "tests"]


@pytest.mark.slow
def test_tests_of_data_and_of_compiled_code_pass_on_the_wheel(installed):
    """The code is that of the checkout: what may be missing are data, and what compiling needs."""
    done = run(installed, *copy_tests(installed[0], FEW | COMPILING), extras=True)
    assert done.returncode == 0, done.stdout[-3000:]


class EmptyEnvironment:
    """A new environment with nothing in it; this one's pip installs there."""

    def __init__(self, folder, python, installed):
        self.folder = folder
        self.variables = {key: value for key, value in installed[1].items() if key != "PYTHONPATH"}
        (self.wheel,) = installed[0].glob("*.whl")
        self.python = folder / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "venv", "--without-pip", folder / "venv"], check=True, env=self.variables)

    def run(self, *words, python=None):
        command = [python or self.python, *words]
        return subprocess.run(command, cwd=self.folder, env=self.variables, capture_output=True, text=True)

    def install(self, extras, *others):
        pip = ["-m", "pip", "--disable-pip-version-check", "--python", self.python, "install", "-q", "--no-compile"]
        done = self.run(*pip, "--only-binary", ":all:", f"{self.wheel}{extras}", *others, python=sys.executable)
        if done.returncode and "CI" not in os.environ:
            pytest.skip(f"the dependencies cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in SUPPORTED if version != RUNNING])
def test_other_versions_of_python_pass_with_the_latest_dependencies(installed, tmp_path, version):
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", "import venv"], capture_output=True).returncode:
        pytest.skip(f"no python{version} on the PATH that can make environments")
    environment = EmptyEnvironment(tmp_path, python, installed)
    environment.install(f"[{','.join(EXTRAS)}]", "pytest", "hypothesis")
    done = environment.run(*copy_tests(tmp_path, FEW | COMPILING))
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
def test_the_oldest_declared_versions_do(installed, tmp_path):
    environment = EmptyEnvironment(tmp_path, sys.executable, installed)
    oldest = [line.replace(">=", "==") for line in PROJECT["dependencies"]]
    environment.install("", *oldest, "pytest", "hypothesis", "polars")
    done = environment.run(*copy_tests(tmp_path, WITH_SCIKIT_LEARN))  # which compile, too
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_library_needs_few_packages():
    assert len(needed(*(Requirement(line).name for line in PROJECT["dependencies"]))) < 30


@pytest.mark.slow
def test_in_an_empty_environment_the_extra_runs_the_report(installed, tmp_path):
    environment = EmptyEnvironment(tmp_path, sys.executable, installed)
    environment.install("[report]")
    load_wine(as_frame=True).frame.iloc[::4, -4:].to_csv(tmp_path / "wine.csv", index=False)
    options = ("--target", "target", "--methods", "anova", "--jobs", "1")
    done = environment.run("-m", "fscore", "report", "wine.csv", *options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "wine_report" / "report.html").is_file()


def test_this_version_of_python_is_declared():
    assert RUNNING in SUPPORTED

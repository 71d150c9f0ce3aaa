"""Adding a paper is adding files: nothing old is executed or computed again, and its page and verdict appear."""

import os
import shutil
import subprocess
import sys

import pytest

KEY = "peng2005"


class Copy:
    """A copy of the project with the results and the cache of the quick profile."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {key: value for key, value in os.environ.items() if key != "FSCORE_CACHE"}
        self.environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / "notebooks")])

    def python(self, *words):
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def files(self, *parts):
        folder = self.folder.joinpath(*parts)
        return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def copy(root, executed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "_build", ".hypothesis")
    for name in ("fscore", "notebooks", "data", "book", "tests"):
        shutil.copytree(root / name, folder / name, ignore=skip)
    shutil.copytree(executed, folder / "results" / "quick")
    shutil.copytree(root / ".cache" / "studies", folder / ".cache" / "studies", ignore=shutil.ignore_patterns("*.log"))
    for name in ("pyproject.toml", "requirements.lock", "README.md", "Makefile"):
        shutil.copyfile(root / name, folder / name)
    return Copy(folder)


@pytest.fixture(scope="module")
def added(copy):
    """The copy with the skeleton of a new paper, built and rendered."""
    sources = {file: file.read_bytes() for part in ("notebooks", "data", "tests") for file in copy.files(part)}
    results, cache = copy.files("results"), copy.files(".cache")
    wrote = copy.python("notebooks/run.py", "paper", KEY)
    assert wrote.returncode == 0, wrote.stderr
    built = copy.python("notebooks/run.py", "build")
    assert built.returncode == 0, built.stderr
    rendered = copy.python("book/render.py")
    assert rendered.returncode == 0, rendered.stderr
    return {"sources": sources, "results": results, "cache": cache, "built": built.stdout}


def test_only_new_files_were_written(copy, added):
    assert all(file.read_bytes() == content for file, content in added["sources"].items())
    for place in (f"notebooks/{KEY}/{KEY}_accuracy.ipynb", f"data/published/{KEY}_claims.csv", f"tests/test_{KEY}.py"):
        assert (copy.folder / place).is_file()


def test_no_other_notebook_was_executed(copy, added):
    assert "Executing 1 of" in added["built"]
    after = copy.files("results")
    assert {file for file in after if file not in added["results"]} == {
        copy.folder / "results" / "quick" / f"{KEY}_accuracy.{ending}" for ending in ("ipynb", "json", "key")
    }
    assert all(after[file] == changed for file, changed in added["results"].items())


def test_no_other_unit_was_computed(copy, added):
    """An old experiment measured again finds all of its units in the cache."""
    units = {file.parent for file in copy.files(".cache") if file.name == "output.pkl"}
    assert {file.parent for file in added["cache"] if file.name == "output.pkl"} < units
    for ending in ("key", "json"):
        (copy.folder / "results" / "quick" / f"somol2011_course.{ending}").unlink()
    built = copy.python("notebooks/run.py", "build", "somol2011_course")
    assert "Executing 1 of 1" in built.stdout, built.stderr
    assert {file.parent for file in copy.files(".cache") if file.name == "output.pkl"} == units


def test_its_page_and_its_verdict_are_in_the_book(copy, added):
    site = copy.folder / "book" / "_build" / "html"
    page = (site / "papers" / f"{KEY}.html").read_text(encoding="utf-8")
    assert "P1 (Table 1)" in page
    assert "points below all 4" in page, "the evidence of its verdict"
    assert "Table 1, published and reproduced" in (site / "executed" / f"{KEY}_accuracy.html").read_text("utf-8")
    front = (site / "index.html").read_text(encoding="utf-8")
    assert f'href="papers/{KEY}.html"' in front
    assert "Authors 2000" in front


def test_the_skeleton_passes_lint_and_tests(copy, added):
    for words in (
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["notebooks/run.py", "lint"],
        ["-m", "pytest", "-q", f"tests/test_{KEY}.py"],
        [
            "-m",
            "pytest",
            "-q",
            "tests/test_notebooks.py",
            "tests/test_compendium.py",
            "-k",
            f"{KEY} or readme or claim",
        ],
    ):
        done = copy.python(*words)
        assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-2000:]}"


def test_a_wrong_or_taken_key_is_refused(copy, added):
    assert "is not a paper's key" in copy.python("notebooks/run.py", "paper", "../peng").stderr
    assert f"notebooks/{KEY} exists" in copy.python("notebooks/run.py", "paper", KEY).stderr

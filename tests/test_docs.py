"""Examples in README, book and docstrings run, and the pages name only commands that exist."""

import dataclasses
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import fscore

PACKAGE = Path(fscore.__file__).parent
PAGES = ("README.md", "book/library.md")
WITH_EXAMPLES = [file for file in sorted(PACKAGE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_examples_in_docstrings_give_the_printed_output(file):
    dotted = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    done = doctest.testmod(importlib.import_module(dotted), globs={})  # as a reader types it
    assert done.failed == 0
    assert done.attempted == file.read_text(encoding="utf-8").count(">>> "), "an example was not found"


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, root):
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


def test_examples_beside_other_packages_run(root, capsys):
    for package in ("skore", "skrub"):
        pytest.importorskip(package, reason=f"{package} is no dependency; the page says with which version it was run")
    test_examples_run("book/beside.md", root)
    selected = capsys.readouterr().out.splitlines()[-1]
    assert "mean" in selected or "site" in selected


def test_what_extends_the_library_works_as_its_page_says(root, capsys):
    """Each example stands alone; what it prints is checked against brute force or the plain search."""
    page = (root / "book" / "extending.md").read_text(encoding="utf-8")
    criterion, rule, search = re.findall(r"```{example}\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(compile(criterion, "criterion", "exec"), names)
    R = np.abs(np.corrcoef(np.column_stack([names["X"], names["y"]]), rowvar=False))
    for features, value in names["search"].trace_[["features", "value"]].itertuples(index=False):
        k, s = len(features), list(features)
        among = (R[np.ix_(s, s)].sum() - k) / max(k * (k - 1), 1)
        assert value == pytest.approx(k * R[s, -1].mean() / np.sqrt(k + k * (k - 1) * among))  # as Hall prints it
    names = {}
    exec(compile(rule, "rule", "exec"), names)
    first = names["search"].trace_[names["search"].trace_["step"] == 0]
    near = first[first["value"] >= first["value"].max() - 0.02]
    assert names["search"].path_["features"].iloc[0] == near["features"].iloc[0]
    names = {}
    exec(compile(search, "search", "exec"), names)
    found = names["search"]
    assert found.score_ == found.trace_["value"].max()
    assert found.set_params(max_evaluations=20).fit(names["X"], names["y"]).stopped_ == "evaluations"
    assert len(capsys.readouterr().out.splitlines()) == 3


def rows_of_coming_from():
    """Each line of code in the last column of the page's tables."""
    text = (Path(__file__).parents[1] / "book" / "coming_from.md").read_text(encoding="utf-8")
    cells = [line.rstrip(" |").rpartition("|")[2] for line in text.splitlines() if line.startswith("|")]
    return list(dict.fromkeys(code for cell in cells for code in re.findall("`(.*?)`", cell)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", rows_of_coming_from())
def test_every_line_for_those_who_come_from_elsewhere_runs(code):
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.iloc[::3, :9].astype(float)
    y = y.iloc[::3]
    names = {"X": X, "y": y, "model": KNeighborsClassifier(3), "f_classif": f_classif, "SelectKBest": SelectKBest}
    names |= {"CalibratedClassifierCV": CalibratedClassifierCV, "LogisticRegression": LogisticRegression}
    for room in ("search", "criteria", "filters", "weighting", "lvq"):
        names |= vars(importlib.import_module(f"fscore.{room}"))
    if "search" in code:
        names["search"] = names["SFS"](names["model"], 5, cv=3).fit(X, y)
    found = eval(code, names)
    if hasattr(found, "fit"):
        found = found.fit(X, y)
        assert not hasattr(found, "get_support") or 0 < found.get_support().sum() <= 9
    assert found is not None


def test_the_pages_of_the_reference_share_out_the_public_names(api_pages):
    pages = api_pages.pages()
    listed = [path for paths in pages.values() for path in paths]
    assert sorted(listed) == sorted(api_pages.public_objects())
    assert {"fscore.search.SFFS", "fscore.search.SBFS"} <= set(pages["search"])
    assert set(api_pages.EXTENDING) == {path.rpartition(".")[2] for path in pages["extending"]}


def test_what_classes_share_is_described_once(api_pages):
    app = SimpleNamespace(env=SimpleNamespace(temp_data={}))
    shared = [f"{name} : int\n    About {name}." for name in "abc"]
    texts = {name: "\n".join([f"{name}.", "", "Parameters", "----------", *own]) for name, own in {
        "fscore.search.SFS": [*shared, "tol : float\n    Least gain."],
        "fscore.search.SBFS": [*shared, "tol : float\n    Another meaning."],
        "fscore.search.PBIL": shared[:2],
    }.items()}  # fmt: skip
    found = {}
    for name, text in texts.items():
        lines = text.splitlines()
        api_pages.share(app, "class", name, None, {}, lines)
        found[name] = "\n".join(lines)
    assert "About a." in found["fscore.search.SFS"]
    assert "About a." not in found["fscore.search.SBFS"]
    assert "a, b, c\n    See `SFS`." in found["fscore.search.SBFS"]
    assert "Another meaning." in found["fscore.search.SBFS"]
    assert "About b." in found["fscore.search.PBIL"]  # two entries are too few to refer to


def documentation(root):
    return [
        root / "README.md",
        root / "CONTRIBUTING.md",
        *(root / "book").glob("*.md"),
        *(root / "book/methods").glob("*.md"),
    ]


def test_shell_commands_exist(root):
    text = "\n".join(file.read_text(encoding="utf-8") for file in documentation(root))
    commands = {line.split()[0] for line in "".join(re.findall(r"```bash\n(.*?)```", text, re.DOTALL)).splitlines()}
    assert "make" in commands
    for command in commands - {"make"}:
        assert command.startswith(".venv/bin/"), command
        assert Path(sys.executable).with_name(Path(command).name).is_file(), command


def test_make_targets_in_the_documentation_exist(root):
    help_text = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    targets = set(re.findall(r"^  make (\w+)", help_text, re.MULTILINE))
    for file in documentation(root):
        for target in re.findall(r"(?:^|`)make ([a-z]+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert target in targets, f"{file.name}: make {target}"


NUMPYDOC = (
    *("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References"),
    "Examples",
)


def sections(text):
    """The sections of a docstring, in order."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(section):
    """The names that a section of parameters describes."""
    lines = [line for line in section.splitlines() if line and not line[0].isspace()]
    return [name.strip().lstrip("*") for line in lines for name in line.partition(" : ")[0].split(",")]


def test_docstrings_follow_numpydoc(api_pages):
    """All of the names that a room exports."""
    listed = set(api_pages.public_objects())
    for room in ("search", "criteria", "filters", "weighting", "lvq", "neural", "neighbors", "stability"):
        assert {f"fscore.{room}.{name}" for name in importlib.import_module(f"fscore.{room}").__all__} <= listed
    for path, thing in api_pages.public_objects().items():
        text = inspect.getdoc(thing)
        assert text.splitlines()[0].endswith("."), f"{path}: its first line is no sentence"
        found = sections(text)
        assert list(found) == sorted(found, key=NUMPYDOC.index), f"{path}: sections {', '.join(found)}"
        if inspect.isclass(thing) and issubclass(thing, tuple | Exception):
            continue  # results and errors
        described = documented(found.get("Parameters", ""))
        accepted = list(inspect.signature(thing).parameters)
        assert set(described) <= {*accepted, "options", "params"}, f"{path}: describes a parameter that doesn't exist"
        elsewhere = re.search(r"[Aa]s in|[Oo]thers|are those of", text)
        if not elsewhere and not dataclasses.is_dataclass(thing):
            assert set(described) == set(accepted), f"{path}: {sorted(set(accepted) - set(described))} not described"


@pytest.fixture
def api_pages(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    return importlib.import_module("_ext.api_pages")


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("fscore.search.SFFS", "fscore.search.SFFS"),
        ("SFFS", "fscore.search.SFFS"),
        ("SFFS(KNeighborsClassifier(3), 4)", "fscore.search.SFFS"),
        ("fisher_score", "fscore.filters.fisher_score"),
        ("relieff()", "fscore.filters.relieff"),
        ("fscore.search.NoSuchName", None),
        ("report", None),  # a word, until a call makes it a name
        ("make book", None),
        ("sklearn.feature_selection.SelectKBest", None),
    ],
)
def test_code_that_is_a_public_name_is_recognized(api_pages, code, path):
    assert api_pages.target(code) == path


def test_the_reference_says_where_a_name_is_used(api_pages):
    used = api_pages.used_in()
    assert "hocke2014_mdm" in used["fscore.weighting.MDM"]
    assert "nel1998_pbil" not in used["fscore.weighting.MDM"]
    assert set(used) <= set(api_pages.public_objects())


def test_docstrings_become_valid_markup(api_pages):
    lines = ["As in [1]_.", "Bunch", "    data : ndarray", "        The samples.", ".. [1] Nel (1998)."]
    api_pages.tidy(None, "function", "name", None, {}, lines)
    assert lines == ["As in [1].", "Bunch", "", "    * **data** (ndarray)", "      The samples.", "*  [1] Nel (1998)."]

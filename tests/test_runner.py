"""The runner: checks parameters first, executes only what changed, publishes only on success.

Each test works on a copy of the project with one small notebook.
"""

import functools
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

import run
from compendium.experiment import experiment_of
from compendium.markup import escape_markdown
from compendium.papers import notebook_files
from compendium.runner import outputs, sources
from compendium.runner.execution import RunError, leave_figures_alone, mark_as_user_run, slug_of
from compendium.runner.outputs import KEY
from fscore._files import write_atomically
from fscore.datasets import DatasetUnavailableError
from fscore.datasets.registry import lookup

TINY = [
    ("markdown", [], "# A tiny page\n\n$$\nx = 1\n$$ (eq-tiny)\n\nSee {eq}`eq-tiny` and {numref}`fig-tiny`."),
    (
        "code",
        ["parameters"],
        'dataset: str = "iris"  # data set, in data sets\n'
        "n: int = 3  # how many, in [1, 9]\n"
        "target: str | None = None  # label column of a CSV file\n"
        'mode: str = "good"  # what the page does, in {good, bad, slow}\n'
        "seed: int = 0  # root of all random numbers, in [0, 4294967295]",
    ),
    (
        "code",
        [],
        "from compendium.page import Page\nfrom tiny2000 import figures\nfrom tiny2000.page import Tiny\n\n"
        "page = Page(Tiny, globals())",
    ),
    ("code", [], "results = page.tables()"),
    ("code", [], 'page.show(results.t, "Numbers")'),
    ("code", [], "page.show(results.t, figures.CAPTION)"),
    ("code", [], "page.provenance()"),
]

EXPERIMENT = '''"""The experiment of a tiny page."""

import time

import pandas as pd

from compendium.experiment import Experiment, Schema, parameter, table


class Tiny(Experiment):
    """Numbers; appends to the file ``measured`` at each measurement."""

    schema = Schema(t=table())

    dataset: str = parameter("iris", "data set", "data sets")
    n: int = parameter(3, "how many", "[1, 9]")
    target: str | None = parameter(None, "label column of a CSV file")
    mode: str = parameter("good", "what the page does", "{good, bad, slow}")

    def measure(self):
        with open("measured", "a", encoding="utf-8") as file:
            file.write("x")
        if self.mode == "slow":
            open("started", "w").close()
            time.sleep(60)
        if self.mode == "bad":
            raise RuntimeError("it went wrong.")
        return {"t": pd.DataFrame({"value": range(self.n)})}
'''

PAPER = {
    "__init__.py": '"""A tiny paper."""\n',
    "page.py": EXPERIMENT,
    "figures.py": 'CAPTION = "A view"\n',
    "claims.py": "",
    "about.yml": "name: Tiny 2000\nyear: 2000\nmethods: none\n",
    "page.md": "# Tiny\n\n```{claim-cards} tiny2000\n```\n",
}


def write_notebook(folder, cells=TINY, name="tiny2000_page"):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    for number, (kind, tags, source) in enumerate(cells):
        cell = (nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell)(source)
        cell["id"] = f"cell-{number}"
        if tags:
            cell["metadata"]["tags"] = tags
        notebook.cells.append(cell)
    notebook.cells[-2]["metadata"]["mystnb"] = {"figure": {"caption": "c", "name": "fig-tiny"}}
    file = folder / "notebooks" / "tiny2000" / f"{name}.ipynb"
    nbformat.write(notebook, file)
    return file


# Runs commands of a copy of the project in processes forked from this one, which has imported what they use.
FORKING = """
import contextlib, io, json, os, runpy, sys, tempfile

import jinja2, joblib, matplotlib.figure, nbclient, numba, papermill, scipy.stats, sklearn.model_selection, yaml
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import KernelProvisionerFactory

for line in sys.stdin:
    if os.fork() == 0:
        break
    os.wait()
    print("ended", flush=True)
else:
    sys.exit()

folder, environment, commands = json.loads(line)
tempfile.tempdir = None  # another one than that of the imports
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
results = []
for words in commands:
    sys.argv = [os.path.join(folder, "notebooks", "run.py"), *words]
    said, error, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(error):
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            status = end.code
            if isinstance(status, str):  # as Python does
                print(status, file=sys.stderr)
                status = 1
    results.append({"returncode": status or 0, "stdout": said.getvalue(), "stderr": error.getvalue()})
print(json.dumps(results), flush=True)
"""


@pytest.fixture(scope="module")
def forking():
    """The process that others are forked from."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKING], **pipes) as process:
        yield process


class Project:
    """A copy of the project that tests can modify; its only paper is a tiny one."""

    def __init__(self, folder, forking):
        self.folder = folder
        self.forking = forking
        self.paper = folder / "notebooks" / "tiny2000"
        self.results = folder / "results"
        # The copy must use its own package and cache, whatever the environment sets.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FSCORE_")}
        self.environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / "notebooks")])

    def run(self, *words):
        """Status and outputs of a command."""
        return self.each([words])[0]

    def each(self, commands):
        """The same of several commands, which one process runs."""
        self.forking.stdin.write(json.dumps([str(self.folder), self.environment, commands]) + "\n")
        self.forking.stdin.flush()
        *_, results = iter(self.forking.stdout.readline, "ended\n")
        return [SimpleNamespace(**result) for result in json.loads(results)]

    def default(self, mode):
        """Let the experiment do something else by default."""
        for file in (self.paper / "page.py", self.paper / "tiny2000_page.ipynb"):
            file.write_text(re.sub(r'(mode: str = (?:parameter\()?\\?")\w+', rf"\g<1>{mode}", file.read_text()))

    def outputs(self, run="book"):
        return {file.name: file.read_bytes() for file in (self.results / run).glob("*")}

    def tables(self):
        """Entries of the store that were measured here."""
        return [json.loads(file.read_text()) for file in self.results.glob("measured/*/*/*/about.json")]

    @property
    def measured(self):
        """Number of times that the experiment was measured."""
        file = self.folder / "measured"
        return len(file.read_text()) if file.exists() else 0


@pytest.fixture
def project(root, tmp_path, forking):
    return project_in(root, tmp_path, forking)


def project_in(root, folder, forking):
    """A project in an empty folder."""
    python_only = shutil.ignore_patterns("*.nbi", "*.nbc")
    shutil.copytree(root / "fscore", folder / "fscore", ignore=python_only)
    shutil.copytree(root / "data", folder / "data", ignore=shutil.ignore_patterns("downloads", "measured"))
    shutil.copytree(root / "notebooks" / "compendium", folder / "notebooks" / "compendium", ignore=python_only)
    shutil.copyfile(root / "notebooks" / "run.py", folder / "notebooks" / "run.py")
    for file in ("requirements.lock", "README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copyfile(root / file, folder / file)
    project = Project(folder, forking)
    project.paper.mkdir()
    for name, text in PAPER.items():
        (project.paper / name).write_text(text)
    write_notebook(folder)
    return project


@pytest.fixture(scope="module")
def once_built(root, tmp_path_factory, forking):
    """A project that was built; tests modify copies of it."""
    project = project_in(root, tmp_path_factory.mktemp("once_built"), forking)
    done = project.run("build", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert "Executing 1 of 1 notebooks" in done.stdout
    return project


@pytest.fixture
def built(once_built, tmp_path):
    shutil.copytree(once_built.folder, tmp_path, dirs_exist_ok=True)
    return Project(tmp_path, once_built.forking)


def test_build_executes_once(built):
    assert set(built.outputs()) == {"tiny2000_page.ipynb", KEY}
    (about,) = built.tables()
    assert about["parameters"]["n"] == 3
    assert built.measured == 1
    before = built.outputs()
    second = built.run("build")
    assert "up to date" in second.stdout
    assert built.outputs() == before


def test_executed_notebook_is_clean_and_shows_no_path(once_built):
    text = (once_built.results / "book" / "tiny2000_page.ipynb").read_text()
    notebook = json.loads(text)
    assert str(once_built.folder) not in text
    ids = [cell["id"] for cell in notebook["cells"]]
    below = [name for name in ids if name.endswith("-below")]  # what a figure's cell shows besides the figure
    assert [name for name in ids if name not in below] == [f"cell-{i:03d}" for i in range(len(ids) - len(below))]
    assert not any({"papermill", "execution"} & set(cell["metadata"]) for cell in notebook["cells"])
    assert "papermill" not in notebook["metadata"]


def test_a_notebook_on_all_papers_follows_the_check(built):
    text = nbformat.v4.new_markdown_cell("# All papers")
    code = "from compendium.runner.check import checked\nlist(checked().get('notebooks', {}))"
    notebook = nbformat.v4.new_notebook(cells=[text, nbformat.v4.new_code_cell(code)])
    (built.folder / "notebooks" / "summary").mkdir()
    nbformat.write(notebook, built.folder / "notebooks" / "summary" / "all.ipynb")

    def build(*commands):
        done = built.each([["build", "--jobs", "1", *words] for words in commands])
        assert not any(each.returncode for each in done), done
        executed = nbformat.read(built.results / "book" / "all.ipynb", as_version=4)
        return done[-1].stdout, executed.cells[1].outputs[0].data["text/plain"]

    assert build([])[1] == "[]"
    said, checked = build(["--check", "1s"], ["--check", "1s"])
    assert checked == "['tiny2000_page']"
    assert "2 notebooks are up to date." in said


def test_the_key_depends_on_names_and_contents_of_what_pages_are_made_from(monkeypatch, tmp_path):
    for name in ("ROOT", "SOURCES"):
        monkeypatch.setattr(outputs, name, {"ROOT": tmp_path, "SOURCES": (tmp_path / "src", tmp_path / "lock")}[name])
    source, lock, page = tmp_path / "src" / "deep" / "a.py", tmp_path / "lock", tmp_path / "book" / "page.md"
    for file in (source, lock, page):
        write_atomically(file, "a = 1")
    key = outputs.tree_key()
    write_atomically(source, "a = 1")  # at another time
    write_atomically(source.with_name("__pycache__") / "a.nbi", "compiled")
    write_atomically(tmp_path / "README.md", "no page shows it")
    assert outputs.tree_key() == key
    changes = [
        lambda: source.write_text("a = 2"),
        lambda: lock.write_text(""),
        lambda: source.rename(source.with_name("b.py")),
    ]
    found = [key, outputs.tree_key(page.parent)]
    for change in changes:
        change()
        found.append(outputs.tree_key())
    assert len(set(found)) == len(found)


def test_one_notebook_is_executed_for_the_site_as_it_is_and_the_next_build_executes_all(built):
    file = built.paper / "tiny2000_page.ipynb"
    file.write_text(file.read_text().replace("A tiny page", "Another title"))
    wrong, one = built.each(
        [["build", "--only", "tiny2000_pige"], ["build", "--only", "notebooks/tiny2000_page.ipynb"]]
    )
    assert "unknown notebook 'tiny2000_pige'; the notebooks are tiny2000_page." in wrong.stderr
    assert one.returncode == 0, one.stderr
    assert "Another title" in built.outputs()["tiny2000_page.ipynb"].decode()
    assert built.measured == 1
    assert "Executing 1 of 1 notebooks." in built.run("build").stdout
    shutil.rmtree(built.results / "book")
    one, all_ = built.each([["build", "--only", "tiny2000_page"], ["build"]])
    assert "Executing 1 of 1 notebooks." in one.stdout, "there was no site"
    assert "1 notebooks are up to date." in all_.stdout


def test_failure_is_reported_and_publishes_nothing(built):
    before = built.outputs()
    built.default("bad")
    failed = built.run("build")
    assert failed.returncode == 1
    last = failed.stderr.strip().splitlines()[-2:]
    assert last[0] == (
        "notebook 'tiny2000_page' has no tables, because measuring failed with RuntimeError: it went wrong."
    )
    assert "The site is unchanged" in last[1]
    assert built.outputs() == before


def test_a_cell_that_fails_is_reported_and_kept(built):
    file = built.paper / "tiny2000_page.ipynb"
    file.write_text(file.read_text().replace("page.show(results.t, figures.CAPTION)", "page.show(results.u, 'x')"))
    failed = built.run("build")
    assert failed.returncode == 1
    for said in ("cell 5", "AttributeError", "The failed copy is results/failed/tiny2000_page.ipynb."):
        assert said in failed.stderr
    assert (built.results / "failed" / "tiny2000_page.ipynb").is_file()


def test_wrong_words_and_data_end_in_one_sentence_before_a_kernel_starts(project):
    """Words are split as in a shell and never executed."""
    for name, content in {
        "mine": "a,label\n1,x\n2,y\n",
        "my file": "a,label\n1,x\n2,y\n3,x\n",
        "holes": "a,b,y\n1,2,0\n3,,1\n5,6,0\n7,8,1\n",
        "single": "a,b,y\n1,2,x\n3,4,x\n",
    }.items():
        (project.folder / f"{name}.csv").write_text(content)
    wrong = {
        "tiny2000_pige": "the notebooks are tiny2000_page",
        "tiny2000_page m=3": "unknown parameter 'm'",
        "tiny2000_page n=10": "in [1, 9]",
        "tiny2000_page n=many": "an integer",
        "tiny2000_page mode=ugly": "{good, bad, slow}",
        "tiny2000_page dataset=irises": "iris",
        "tiny2000_page dataset=mammogram": "not public",
        "tiny2000_page n": "write n=value",
        "tiny2000_page missing.yml": "does not exist",
        "tiny2000_page dataset=mine.csv target=nothing": "nothing",
        "tiny2000_page dataset=holes.csv target=y": "1 missing or infinite values, in b; replace them",
        "tiny2000_page dataset=single.csv target=y": "only one class ('x')",
    }
    quoted = {
        "dataset='my file.csv' target=nothing; touch=1": "unknown parameter 'touch'",
        "dataset='my file.csv' target=nothing": "nothing",
        "mode='good": "unmatched quotation mark",
    }
    commands = [
        *(["rerun", *words.split()] for words in wrong),
        ["build", "--jobs", "0"],
        ["check", "1s", "--jobs", "-1"],
    ]
    commands += [["rerun", "tiny2000_page", "--words", words] for words in quoted]
    no_jobs = [f"jobs = {number} is invalid; write a number of processes, 1 or more." for number in (0, -1)]
    said = [*wrong.values(), *no_jobs, *quoted.values()]
    *failures, helped = project.each([*commands, ["rerun", "tiny2000_page", "help"]])
    for sentence, failed in zip(said, failures, strict=True):
        assert failed.returncode != 0
        *warnings, last = failed.stderr.strip().splitlines()
        assert sentence in last
        assert not warnings or "UserWarning: holes.csv" in warnings[0]
        assert "Measuring" not in failed.stdout
    assert not project.results.exists()
    assert "how many, in [1, 9]" in helped.stdout


@pytest.fixture
def rerun(monkeypatch):
    """A function that reruns a notebook of this project as far as the measurement; returns the experiment's values."""
    given = []

    def measure(experiment, **_):
        given.append(experiment.values)
        raise RunError("measured")

    monkeypatch.setattr("compendium.store.measure", measure)

    def rerun(name, *words):
        with pytest.raises(RunError, match=r"^measured$"):
            run.rerun(name, list(words))
        return given.pop()

    return rerun


@pytest.fixture
def refused(monkeypatch):
    """Names of the data sets that were to be fetched; none can be."""
    names = []

    def fetch(dataset):
        names.append(dataset.name)
        raise DatasetUnavailableError(f"{dataset.name}: no copy was found.")

    monkeypatch.setattr(run, "status", lambda name: "missing" if lookup(name).files else "bundled")
    monkeypatch.setattr(run, "fetch", fetch)
    return names


@pytest.fixture
def mine(tmp_path):
    """A CSV file whose label column is named #cls."""
    file = tmp_path / "mine.csv"
    file.write_text("a,#cls,b\n" + "1,x,2\n2,y,3\n" * 9)
    return str(file)


def test_a_run_needs_only_the_data_that_it_names(rerun, refused, mine):
    values = rerun("somol2011_fragility", f"dataset={mine}", "target=#cls")
    assert (values["dataset"], values["target"]) == ([mine], "#cls")
    assert refused == []
    for words, name in (("dataset=wine large=[madelon]", "madelon"), ("dataset=[wine,sonar]", "sonar")):
        with pytest.raises(RunError, match=f"{name}: no copy was found"):
            run.rerun("somol2011_fragility", words.split())


def test_a_run_on_the_default_data_does_without_what_cannot_be_had(rerun, refused, capsys):
    assert rerun("somol2011_course", "delta=3")["delta"] == 3
    assert refused == ["spectf"]
    assert "spectf: no copy was found. The run does without it." in capsys.readouterr().out
    with pytest.raises(RunError, match="golub: no copy was found"):
        run.rerun("hocke2014_gene_expression", ["dataset=golub"])


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("target=#cls", "#cls"),
        ("target=a: b", "a: b"),
        ("target=[kg]", "[kg]"),
        ("target=yes", "yes"),
        ("target=007", "007"),
        ("target='null'", "null"),
        ('target="a b"', "a b"),
        ("target=null", None),
        ("dataset=a #1.csv", "a #1.csv"),
        ("dataset=[wine, iris]", ["wine", "iris"]),
        ("dataset=[01, yes, 1:30, 2020-01-01]", ["01", "yes", "1:30", "2020-01-01"]),
        ("max_samples=null", None),
        ("max_samples=NULL", None),
        ("max_samples=010", "010"),
        ("max_samples=-1e3", "-1e3"),
        ("max_samples=1:30", "1:30"),
    ],
)
def test_texts_are_taken_as_they_are_written(word, value):
    assert run.given_parameters([word], experiment_of("somol2011_course").parameters) == {word.partition("=")[0]: value}


def test_a_parameter_file_is_read_as_words_are(tmp_path):
    file, parameters = tmp_path / "my.yml", experiment_of("somol2011_course").parameters
    file.write_text("dataset: [007, no]\ntarget: 1.50\nmax_samples: 010\n")
    expected = {"dataset": ["007", "no"], "target": "1.50", "max_samples": "010"}
    assert run.given_parameters([str(file)], parameters) == expected
    file.write_text("seed: 1\nseed: 2\n")
    for words in [str(file)], ["seed=1", "seed=2"]:
        with pytest.raises(RunError, match="'seed' is given more than once; give each parameter once"):
            run.given_parameters(words, parameters)
    for tagged in "!!bool 3", "!!timestamp 3":
        with pytest.raises(RunError, match="is not valid YAML"):
            run.given_parameters([f"max_samples={tagged}"], parameters)


@pytest.mark.parametrize("word", ["target=", "target= ", "dataset=", "max_samples=", "max_samples=#5"])
def test_an_empty_value_is_refused(word):
    with pytest.raises(RunError, match=f"'{word}' gives no value; write one, or leave {word.partition('=')[0]} out"):
        run.given_parameters([word], experiment_of("somol2011_course").parameters)


def test_a_parameter_without_a_value_is_named():
    parameters = experiment_of("somol2011_course").parameters
    with pytest.raises(RunError, match=r"^'delta' has no value; write delta=value, without blanks around"):
        run.given_parameters(["delta", "=", "3"], parameters)
    with pytest.raises(RunError, match=r"^'dleta' is not a parameter; write name=value, "):
        run.given_parameters(["dleta"], parameters)


@pytest.mark.parametrize("words", ["dataset=wine target=nonsense", "target=nonsense"])
def test_a_label_column_needs_a_file(rerun, words):
    with pytest.raises(RunError, match="target = 'nonsense' is the label column of a CSV file, but none is among"):
        run.rerun("hocke2014_mdm", words.split())


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("comparison_arena", "sizes=abc", "sizes = "),
        ("comparison_arena", "known=n=5", "n of at least 20"),
        ("hocke2014_gene_expression", "n_splits=1", "n_splits = 1 is invalid"),
    ],
)
def test_an_experiment_checks_its_parameters_before_a_kernel_starts(rerun, refused, name, word, said):
    with pytest.raises(RunError, match=said):
        run.rerun(name, word.split())
    assert refused == []


@pytest.mark.parametrize(("rows", "words"), [(3, []), (4, ["max_samples=20"])])
def test_a_class_too_small_to_be_halved_is_named_before_a_kernel_starts(rerun, tmp_path, rows, words):
    file = tmp_path / "mine.csv"
    file.write_text("a,y\n" + "1,rare\n" * rows + "2,common\n3,other\n" * 20)
    with pytest.raises(RunError, match=r"mine\.csv: the half that selects has a single sample of class 'rare'"):
        run.rerun("somol2011_hybrid", [f"dataset={file}", *words])
    file.write_text("a,y\n" + "1,rare\n" * 4 + "2,common\n3,other\n" * 20)
    assert rerun("somol2011_hybrid", f"dataset={file}")


def test_values_that_the_data_are_too_small_for_end_in_one_sentence(monkeypatch, tmp_path):
    def measure(experiment, **_):
        raise ValueError("n_splits=10 folds need ten samples; lower n_splits.")

    monkeypatch.setattr("compendium.store.measure", measure)
    for name in ("ROOT", "RESULTS"):
        monkeypatch.setattr(run, name, tmp_path)
    said = r"^somol2011_course has no tables: n_splits=10 folds need .*; lower n_splits\. \(The traceback is in failed/"
    with pytest.raises(RunError, match=said):
        run.rerun("somol2011_course", ["dataset=iris", "delta=2"])
    (kept,) = (tmp_path / "failed").iterdir()
    assert "Traceback" in kept.read_text()


@pytest.mark.parametrize("error", [MemoryError(), TerminatedWorkerError("A worker process managed by the executor")])
def test_a_run_that_was_killed_or_ran_out_of_memory_ends_in_one_sentence(monkeypatch, error):
    monkeypatch.setattr("compendium.store.measure", Mock(side_effect=error))
    with pytest.raises(RunError, match=rf"^notebook 'somol2011_course' was killed or .*; {type(error).__name__}\.$"):
        run.rerun("somol2011_course", ["dataset=iris", "delta=2"])


def test_your_run_gets_a_page_of_its_own(built):
    before = built.outputs()
    (built.folder / "mine.csv").write_text("a,b,label\n1,2,x\n2,3,y\n4,5,x\n6,7,y\n")
    (built.folder / "my.yml").write_text("dataset: mine.csv\ntarget: label\nn: 4\n")
    done = built.run("rerun", "tiny2000_page", "my.yml")
    assert done.returncode == 0, done.stderr
    assert built.outputs() == before
    (file,) = (built.results / "yours").glob("*.ipynb")
    first = json.loads(file.read_text())["cells"][0]["source"]
    assert first.startswith(f"# A tiny page ({escape_markdown('dataset = mine.csv, target = label, n = 4')})\n")
    # Labels of this page are renamed; the published page keeps its own.
    assert "(eq-tiny)" not in first
    assert "eq-tiny-" in first
    assert '"fig-tiny"' not in file.read_text()
    assert "Measuring tiny2000_page with {" in done.stdout
    again = built.run("rerun", "tiny2000_page", "my.yml")
    assert "Measuring" not in again.stdout, "its tables are there"
    assert re.search(r"^Tables: .*\nExecuting the notebook \.\.\.\nNotebook: ", again.stdout, re.MULTILINE)


def test_plain_papermill_works(project):
    out = project.folder / "out.ipynb"
    command = [
        sys.executable,
        "-m",
        "papermill",
        "notebooks/tiny2000/tiny2000_page.ipynb",
        out,
        "-p",
        "dataset",
        "wine",
    ]
    done = subprocess.run(command, cwd=project.folder, env=project.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "178" in out.read_text()
    assert project.measured == 1
    (about,) = project.tables()
    assert about["parameters"]["dataset"] == "wine"


@pytest.mark.slow
def test_the_way_of_a_number_from_its_experiment_to_its_page(project):
    """As CONTRIBUTING tells it: measured, shown, changed, found, stale, measured again."""
    study, accepted = project.paper / "page.py", project.folder / "data" / "measured" / "tiny2000" / "page"

    def page():
        assert project.run("build").returncode == 0
        return project.outputs()["tiny2000_page.ipynb"].decode()

    measured, again = project.each([["measure"], ["measure"]])
    assert measured.returncode == 0, measured.stderr
    assert "tiny2000_page is stale: its tables were never measured." in measured.stdout
    assert "tiny2000_page: new" in measured.stdout
    about = json.loads((accepted / "about.json").read_text())
    assert (about["parameters"]["n"], about["version"]) == (3, 1)
    assert "The store is up to date; an experiment whose version is raised is measured again." in again.stdout
    shown = page()
    assert project.measured == 1, "the page takes the tables from the store"

    study.write_text(study.read_text().replace("range(self.n)", "range(7, self.n + 7)"))
    unmoved, replayed = project.each([["measure"], ["check", "1s"]])
    assert "up to date" in unmoved.stdout, "nothing compares code"
    assert "tiny2000_page: all: t: value, row 0" in re.sub(r"[(']", "", replayed.stderr), "replay does"

    study.write_text(study.read_text().replace("    dataset: str", "    version = 2\n\n    dataset: str"))
    stale = page()
    assert "These tables are older than the code, which declares other values of version." in stale
    measured, replayed = project.each([["measure", "tiny2000_page"], ["check", "1s"]])
    assert "tiny2000_page is stale: version differs." in measured.stdout
    assert "tiny2000_page: these numbers move\n  t: 3 of 3 means move, most " in measured.stdout
    assert "1 of 1 units were measured again" in replayed.stdout
    assert "tiny2000_page,2,unknown,0" in (project.folder / "data" / "replays.csv").read_text()
    assert len({shown, stale, page()}) == 3


def test_measure_leaves_out_what_is_no_papers_own(project):
    (project.paper / "page.md").unlink()
    left, every = project.each([["measure"], ["measure", "--all"]])
    assert "Stale are tiny2000_page, too; make measure ALL=1" in left.stdout
    assert "tiny2000_page: new" in every.stdout
    assert project.measured == 1


@pytest.mark.slow
def test_display_uses_stored_tables(built):
    """A changed figure, rule or sentence measures nothing."""
    (before,) = built.tables()
    changes = (
        (built.paper / "figures.py", "A view", "Another view"),
        (built.folder / "notebooks" / "compendium" / "templates" / "table.html", "<caption>", "<caption class=t>"),
    )
    for file, old, new in changes:
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
    done = built.run("build")
    assert "Executing 1 of 1" in done.stdout, done.stderr
    for *_, new in changes:
        assert new in json.dumps(built.outputs()["tiny2000_page.ipynb"].decode())
    assert built.measured == 1
    assert built.tables() == [before]


NAME = "hocke2014_illustration"


@pytest.fixture
def source(monkeypatch, tmp_path):
    """A copy of a notebook of this project, in place of all notebooks."""
    file = tmp_path / f"{NAME}.ipynb"
    shutil.copyfile(notebook_files()[NAME], file)
    monkeypatch.setattr(sources, "all_notebook_files", lambda: {NAME: file})
    return file


def test_lint_finds_what_strip_repairs(source):
    """Outputs, and parameters that differ from what their experiment declares."""
    good = source.read_text()
    executed = json.loads(good)
    executed["cells"][1]["execution_count"] = 3
    bad = {
        json.dumps(executed): f"^{NAME}.ipynb contains outputs or stray metadata",
        good.replace("n_samples: int = 24", "n_samples: int = 25"): "differs from what its experiment declares; run: m",
        good.replace("n_samples: int = 24", "n_samples = 24"): NAME,  # an invalid cell is rewritten
    }
    run.main(["lint"])
    for text, said in bad.items():
        source.write_text(text)
        with pytest.raises(RunError, match=said):
            run.main(["lint"])
        run.main(["strip"])
        assert source.read_text() == good


@pytest.mark.filterwarnings("error")
def test_cells_without_ids_get_them_by_their_place_and_no_warning(source):
    good = source.read_text()
    notebook = json.loads(good)
    assert [cell.pop("id") for cell in notebook["cells"]] == [f"cell-{n:02d}" for n in range(len(notebook["cells"]))]
    source.write_text(json.dumps(notebook))
    with pytest.raises(RunError, match=NAME):
        run.main(["lint"])
    run.main(["strip"])
    assert source.read_text() == good


def test_lint_finds_a_rule_whose_table_no_experiment_measures(source, monkeypatch):
    rules = {"T1": SimpleNamespace(needs=["radii"])}
    monkeypatch.setattr(sources, "papers", lambda: {"tiny2000": SimpleNamespace(key="tiny2000", pages=[NAME])})
    monkeypatch.setattr(sources, "rules_of", {"tiny2000": rules}.get)
    monkeypatch.setattr(sources, "unlisted_rules", {"tiny2000": []}.get)
    run.main(["lint"])
    rules["T1"].needs = ["radii", "u"]
    with pytest.raises(RunError, match="claim T1 of tiny2000 needs the tables radii, u"):
        run.main(["lint"])


def test_lint_finds_a_rule_that_no_claim_has(source, monkeypatch):
    """It would be decided nowhere."""
    claims = importlib.import_module("somol2011.claims")
    monkeypatch.setattr(claims, "S99", type("S99", (claims.Claim,), {"__module__": "somol2011.claims"}), raising=False)
    said = (
        r"^notebooks/somol2011/claims\.py has S99, but data/published/somol2011_claims\.csv lists no such claim; add a"
    )
    with pytest.raises(RunError, match=said):
        run.main(["lint"])


def test_what_a_figures_cell_shows_besides_stands_below_it_in_a_cell_of_its_own():
    drawing, sentence = {"data": {"image/svg+xml": "<svg/>"}}, {"data": {"text/html": "<p>It falls.</p>"}}
    figure = {"id": "a", "metadata": {"mystnb": {"figure": {"name": "fig-ranks"}}}, "outputs": [drawing, sentence]}
    other = {"id": "b", "metadata": {}, "outputs": [sentence, sentence]}
    notebook = {"cells": [figure, other]}
    leave_figures_alone("mine", notebook)
    assert [cell["outputs"] for cell in notebook["cells"]] == [[drawing], [sentence], [sentence, sentence]]
    assert notebook["cells"][1]["metadata"] == {"tags": ["remove-input"]}
    with pytest.raises(RunError, match=r"^notebook 'mine' .* 'fig-ranks' draws 2 figures; draw each in a cell of its"):
        leave_figures_alone("mine", {"cells": [{**figure, "outputs": [drawing, drawing]}]})


def test_labels_that_begin_like_others_are_renamed_once():
    text = "# A page\n\n(fig-a)=\n(fig-a-b)=\n(fig-a-b-c)=\n"
    text += "See {numref}`fig-a`, {numref}`fig-a-b`, {ref}`fig-a-b-c`, fig-a-d."
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": text}]}
    mark_as_user_run(notebook, {}, "tiny2000_page-abc123")
    said = notebook["cells"][0]["source"]
    assert said.endswith("See {numref}`fig-a-abc123`, {numref}`fig-a-b-abc123`, {ref}`fig-a-b-c-abc123`, fig-a-d.")
    assert "(fig-a-abc123)=\n(fig-a-b-abc123)=\n(fig-a-b-c-abc123)=" in said


def test_a_run_says_that_the_settings_described_are_those_of_the_published_one():
    cells = ["# A page\n", "## The experiment\n\n| data | *iris* |", "## Tables\n"]
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": source} for source in cells]}
    mark_as_user_run(notebook, {"n": 3}, "tiny2000_page-abc123")
    said = notebook["cells"][1]["source"]
    assert re.match(r"## The experiment\n\n\*The published run, [^\n]* at the top of this page\.\*\n\n\| data", said)
    assert notebook["cells"][2]["source"] == "## Tables\n"


def test_ctrl_c_during_the_imports_gives_no_traceback(root, tmp_path):
    (tmp_path / "yaml.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    handled = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a parallel test run ignores it
    command = [sys.executable, root / "notebooks" / "run.py", "lint"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, preexec_fn=handled)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_a_command_whose_output_nobody_reads_ends_silently(root):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, root / "notebooks" / "run.py", "rerun", NAME, "help"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")
@pytest.mark.parametrize(("length", "forked"), [(75, "True"), (76, "False")])
def test_kernels_are_forked_unless_the_folder_of_temporary_files_is_too_long_for_a_socket(project, length, forked):
    script = "from compendium.runner import execution as k; k.PRELOADED = []; k.fork_kernels(); print(k.FORKS)"
    (project.folder / "notebooks" / "run.py").write_text(script)
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        folder = Path(short) / ("t" * (length - len(short) - 1))
        folder.mkdir()
        project.environment["TMPDIR"] = str(folder)
        done = project.run()
    assert (done.stdout.strip(), done.stderr) == (forked, "")


def test_names_and_titles_of_your_runs_have_no_folders(tmp_path):
    (tmp_path / "mine.csv").write_text("a,y\n1,0\n2,1\n")
    values = {"dataset": ["wine", str(tmp_path / "mine.csv")], "out": str(tmp_path)}
    assert slug_of("tiny2000_page", values).startswith("tiny2000_page-dataset_wine_mine.csv_out_")
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# A page\n"}]}
    mark_as_user_run(notebook, {"dataset": values["dataset"]}, "tiny2000_page-abc123")
    said = escape_markdown("dataset = ['wine', 'mine.csv']")
    assert notebook["cells"][0]["source"].startswith(f"# A page ({said})\n")


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("outcome", "", ["--target=outcome"]),
        (
            "-log p",
            "--groups 'patient id' --budget 5s",
            ["--target=-log p", "--groups", "patient id", "--budget", "5s"],
        ),
        ("y", "--seed=1", ["--target=y", "--seed=1"]),
        ("y", "--drop '$(touch x)*'", ["--target=y", "--drop", "$(touch x)*"]),
    ],
)
def test_options_of_a_report_are_quoted_as_in_a_shell(target, options, words, monkeypatch):
    """Names of columns with blanks reach the library's command, and no shell evaluates them."""
    called = Mock(side_effect=SystemExit)
    monkeypatch.setattr(os, "execv", called)
    with pytest.raises(SystemExit):
        run.main(["report", f"--words={options}", "--", "-my file.csv", target])
    ((_, (_, *command)), _) = called.call_args
    assert command == ["-m", "fscore", "report", *words, "--", "-my file.csv"]
    with pytest.raises(RunError, match=r"^\"--groups 'a\" has an unmatched quotation mark\.$"):
        run.main(["report", "--words=--groups 'a", "--", "my.csv", target])


def test_make_run_lists_the_notebooks_that_it_runs(root):
    said = subprocess.run(["make", "-s", "run"], cwd=root, capture_output=True, text=True).stdout
    assert {line.strip() for line in said.splitlines()[1:]} == set(notebook_files())

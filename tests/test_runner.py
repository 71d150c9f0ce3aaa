"""The runner: strict before it starts, executes only what changed, publishes only what succeeded.

Each test works on a copy of the project with one small notebook.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import nbformat
import pytest

TINY = [
    ("markdown", [], "# A tiny page\n\n$$\nx = 1\n$$ (eq-tiny)\n\nSee {eq}`eq-tiny` and {numref}`fig-tiny`."),
    (
        "code",
        ["parameters"],
        'dataset: str = "iris"  # data set, in data sets\n'
        "n: int = 2  # how many, in [1, 9]\n"
        "target: str | None = None  # label column of a CSV file\n"
        'mode: str = "good"  # what the page does, in {good, bad, slow}',
    ),
    (
        "code",
        [],
        'import pandas as pd\n\nfrom compendium.page import Page\n\npage = Page("hocke2014_tiny", globals())',
    ),
    ("code", [], "names = page.data(dataset, target)"),
    (
        "code",
        [],
        'import time\n\nif mode == "slow":\n    open("started", "w").close()\n    time.sleep(60)\n'
        'if mode == "bad":\n    raise RuntimeError("it went wrong")',
    ),
    ("code", [], 'table = page.table("t", pd.DataFrame({"value": range(n)}), "Numbers")'),
    ("code", [], "page.provenance()"),
]


def write_notebook(folder, cells=TINY, name="hocke2014_tiny"):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    for number, (kind, tags, source) in enumerate(cells):
        cell = (nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell)(source)
        cell["id"] = f"cell-{number}"
        if tags:
            cell["metadata"]["tags"] = tags
        notebook.cells.append(cell)
    notebook.cells[-2]["metadata"]["mystnb"] = {"figure": {"caption": "c", "name": "fig-tiny"}}
    file = folder / "notebooks" / f"{name}.ipynb"
    nbformat.write(notebook, file)
    return file


class Project:
    """A copy of the project that can be spoiled."""

    def __init__(self, folder):
        self.folder = folder
        self.results = folder / "results"
        # A terminal's settings must not reach the copy: its own package, its own cache.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FSCORE_")}
        self.environment["PYTHONPATH"] = str(folder)

    def command(self, *words):
        return [sys.executable, str(self.folder / "notebooks" / "run.py"), *map(str, words)]

    def run(self, *words, **options):
        options = {"capture_output": True, "text": True, "cwd": self.folder, "env": self.environment, **options}
        return subprocess.run(self.command(*words), **options)

    def key(self, values=None):
        code = f"from compendium.runner.notebooks import key_of; print(key_of('hocke2014_tiny', {values or {}!r}, 'quick'))"
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=self.folder / "notebooks",
            env=self.environment,
        ).stdout.strip()

    def profile(self, text):
        (self.folder / "notebooks" / "params" / "quick.yml").write_text(text)

    def outputs(self, run="quick"):
        return {file.name: file.read_bytes() for file in (self.results / run).glob("*")}


@pytest.fixture
def project(root, tmp_path):
    python_only = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(root / "fscore", tmp_path / "fscore", ignore=python_only)
    shutil.copytree(root / "data", tmp_path / "data", ignore=shutil.ignore_patterns("downloads", "reference"))
    shutil.copytree(root / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    for file in ("requirements.lock", "README.md"):
        shutil.copyfile(root / file, tmp_path / file)
    write_notebook(tmp_path)
    project = Project(tmp_path)
    project.profile("hocke2014_tiny:\n  n: 3\n")
    return project


def test_build_executes_once(project):
    first = project.run("build")
    assert first.returncode == 0, first.stderr
    assert set(project.outputs()) == {f"hocke2014_tiny.{ending}" for ending in ("ipynb", "json", "key")}
    results = json.loads((project.results / "quick" / "hocke2014_tiny.json").read_text())
    assert results["parameters"]["n"] == 3
    assert results["run"] == "quick"
    before = project.outputs()
    second = project.run("build")
    assert "up to date" in second.stdout
    assert project.outputs() == before


def test_executed_notebook_is_clean_and_shows_no_path(project):
    project.run("build")
    text = (project.results / "quick" / "hocke2014_tiny.ipynb").read_text()
    notebook = json.loads(text)
    assert str(project.folder) not in text
    assert [cell["id"] for cell in notebook["cells"]] == [f"cell-{i:03d}" for i in range(len(notebook["cells"]))]
    assert not any({"papermill", "execution"} & set(cell["metadata"]) for cell in notebook["cells"])
    assert "papermill" not in notebook["metadata"]


def test_key_ignores_dates_and_hears_contents(project):
    folder, key = project.folder, project.key()

    def changed(file, text):
        nonlocal key
        file.write_text(text)
        old, key = key, project.key()
        return key != old

    notebook = folder / "notebooks" / "hocke2014_tiny.ipynb"
    os.utime(notebook)
    assert not changed(notebook, notebook.read_text()), "a touched file is no changed file"
    assert changed(notebook, notebook.read_text().replace("A tiny page", "Another page"))
    reached = folder / "fscore" / "report" / "style.py"
    assert changed(reached, reached.read_text() + "\n# changed\n")
    other = folder / "fscore" / "search" / "__init__.py"
    assert not changed(other, other.read_text() + "\n# changed\n"), "the page can't reach the search room"
    other = folder / "fscore" / "weighting" / "__init__.py"
    assert not changed(other, other.read_text() + "\n# changed\n"), "nor feature weights"
    claims = folder / "data" / "published" / "claims.csv"
    assert not changed(claims, claims.read_text() + "chen2012,C1,a,b,c\n"), "another paper's claim"
    assert changed(claims, claims.read_text() + "hocke2014,M99,a,b,c\n")
    lock = folder / "requirements.lock"
    assert changed(lock, lock.read_text() + "# changed\n")
    reference = folder / "data" / "reference"
    reference.mkdir()
    assert changed(reference / "hocke2014_tiny.json", "{}")
    assert project.key({"n": 4}) != key
    assert project.key({"dataset": "wine"}) != key


def test_key_hears_the_bytes_of_a_csv_file(project):
    file = project.folder / "mine.csv"
    file.write_text("a,y\n1,0\n2,1\n")
    key = project.key({"dataset": str(file)})
    file.write_text("a,y\n1,0\n3,1\n")
    assert project.key({"dataset": str(file)}) != key


def test_failure_is_loud_and_publishes_nothing(project):
    assert project.run("build").returncode == 0
    before = project.outputs()
    project.profile("hocke2014_tiny:\n  mode: bad\n")
    failed = project.run("build")
    assert failed.returncode == 1
    for said in ("hocke2014_tiny", "cell 5", "RuntimeError", "it went wrong", "results/failed/hocke2014_tiny.ipynb"):
        assert said in failed.stderr
    assert (project.results / "failed" / "hocke2014_tiny.ipynb").is_file()
    after = project.outputs()
    assert after == {name: text for name, text in before.items() if not name.endswith(".key")}


def test_killed_build_publishes_nothing_and_resumes(project):
    project.profile("hocke2014_tiny:\n  mode: slow\n")
    process = subprocess.Popen(
        project.command("build"), cwd=project.folder, env=project.environment, stdout=subprocess.DEVNULL
    )
    wait_for(project.folder / "started")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kill_executions(project)
    assert project.outputs() == {}
    project.profile("hocke2014_tiny:\n  n: 3\n")
    assert project.run("build").returncode == 0
    assert len(project.outputs()) == 3


def test_interrupted_build_says_that_it_resumes(project):
    project.profile("hocke2014_tiny:\n  mode: slow\n")
    process = subprocess.Popen(
        project.command("build"),
        cwd=project.folder,
        env=project.environment,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # Whatever runs in a shell's background ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for(project.folder / "started")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "the same command resumes" in said
    assert project.outputs() == {}


def wait_for(file, seconds=60):
    deadline = time.monotonic() + seconds
    while not file.exists():
        assert time.monotonic() < deadline, f"{file.name} never appeared"
        time.sleep(0.1)


def kill_executions(project):
    """The execution of a killed build would finish by itself; the test doesn't wait for it."""
    found = subprocess.run(
        ["pgrep", "-f", f"{project.folder}/notebooks/run.py execute"], capture_output=True, text=True
    )
    for pid in found.stdout.split():
        os.killpg(int(pid), signal.SIGKILL)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hocke2014_tinny"], "the notebooks are hocke2014_tiny"),
        (["hocke2014_tiny", "m=3"], "unknown parameter 'm'"),
        (["hocke2014_tiny", "n=10"], "in [1, 9]"),
        (["hocke2014_tiny", "n=many"], "whole number"),
        (["hocke2014_tiny", "mode=ugly"], "{good, bad, slow}"),
        (["hocke2014_tiny", "dataset=irises"], "iris"),
        (["hocke2014_tiny", "dataset=mammogram"], "not public"),
        (["hocke2014_tiny", "n"], "name=value"),
        (["hocke2014_tiny", "missing.yml"], "no parameter file"),
        (["hocke2014_tiny", "dataset=mine.csv", "target=nothing"], "nothing"),
    ],
)
def test_wrong_parameters_end_in_one_sentence_before_a_kernel_starts(project, words, said):
    (project.folder / "mine.csv").write_text("a,label\n1,x\n2,y\n")
    failed = project.run("rerun", *words)
    assert failed.returncode != 0
    assert said in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
    assert "Executing" not in failed.stdout
    assert not project.results.exists()


def test_wrong_profile_is_refused_before_anything_runs(project):
    project.profile("hocke2014_tiny:\n  m: 3\n")
    failed = project.run("build")
    assert failed.returncode == 1
    assert "profile 'quick', notebook 'hocke2014_tiny': unknown parameter 'm'" in failed.stderr
    project.profile("hocke2014_gone:\n  n: 3\n")
    assert "no notebook" in project.run("build").stderr
    assert "the profiles are paper, quick" in project.run("build", "--profile", "slow").stderr


def test_help_lists_the_parameters(project):
    said = project.run("rerun", "hocke2014_tiny", "help").stdout
    assert "n " in said
    assert "how many, in [1, 9]" in said


def test_your_run_gets_a_page_of_its_own(project):
    project.run("build")
    before = project.outputs()
    (project.folder / "mine.csv").write_text("a,b,label\n1,2,x\n2,3,y\n4,5,x\n")
    (project.folder / "my.yml").write_text("dataset: mine.csv\ntarget: label\nn: 4\n")
    done = project.run("rerun", "hocke2014_tiny", "my.yml")
    assert done.returncode == 0, done.stderr
    assert project.outputs() == before
    (file,) = (project.results / "yours").glob("*.ipynb")
    first = json.loads(file.read_text())["cells"][0]["source"]
    assert first.startswith("# A tiny page (dataset = mine.csv, target = label, n = 4)")
    # The published page keeps its labels: those of this page have other names.
    assert "(eq-tiny)" not in first
    assert "eq-tiny-" in first
    assert '"fig-tiny"' not in file.read_text()


def test_plain_papermill_works(project):
    out = project.folder / "out.ipynb"
    command = [sys.executable, "-m", "papermill", "notebooks/hocke2014_tiny.ipynb", out, "-p", "dataset", "wine"]
    done = subprocess.run(command, cwd=project.folder, env=project.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "178" in out.read_text()
    assert (project.folder / "results" / "papermill" / "hocke2014_tiny.json").is_file()


def test_accept_takes_only_current_results_of_the_paper_profile(project):
    refused = project.run("accept")
    assert refused.returncode == 1
    assert "make book PROFILE=paper" in refused.stderr
    (project.folder / "notebooks" / "params" / "paper.yml").write_text("hocke2014_tiny:\n  n: 9\n")
    project.run("build", "--profile", "paper")
    assert project.run("accept").returncode == 0
    accepted = json.loads((project.folder / "data" / "reference" / "hocke2014_tiny.json").read_text())
    assert accepted["parameters"]["n"] == 9
    # Accepting must not make the accepted run out of date: its own verdicts are no input of the paper profile.
    assert "up to date" in project.run("build", "--profile", "paper").stdout


def test_lint_finds_outputs_and_strip_removes_them(project):
    file = write_notebook(project.folder)
    project.run("strip")
    assert project.run("lint").returncode == 0
    notebook = json.loads(file.read_text())
    notebook["cells"][2]["execution_count"] = 3
    file.write_text(json.dumps(notebook))
    refused = project.run("lint")
    assert refused.returncode == 1
    assert "hocke2014_tiny" in refused.stderr
    project.run("strip")
    assert project.run("lint").returncode == 0

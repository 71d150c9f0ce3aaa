"""Whatever happens to a build, the next one completes: nothing broken is published, nothing finished is lost.

Each test works on a small copy of the project, with two papers written by the skeleton and a book of few pages.
"""

import gzip
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

import nbformat
import psutil
import pytest

from compendium.runner.outputs import KEY

pytestmark = pytest.mark.slow

MOMENTS, IN_A_ROW = 3, 3  # at which a build is killed, and how many of them before one may complete

PAPERS = ("ding2003", "peng2005")
FIRST, SECOND = (f"{paper}_accuracy" for paper in PAPERS)
UNITS = 6  # of each paper

# Appended to an experiment: a file called "fault" says what goes wrong, and "measured" lists the units that started.
FAULTS = f'''
FIRST = {PAPERS[0]!r}


def _faulty(**unit):
    """The unit, or what the file ``fault`` says."""
    import os
    import signal
    import time
    from pathlib import Path

    with open("measured", "a", encoding="utf-8") as file:
        file.write(f"{{__name__}} {{unit['repeat']}}\\n")
    first = __name__.startswith(FIRST)
    fault = Path("fault").read_text("utf-8") if first and Path("fault").exists() else ""
    if fault == "raise":
        raise RuntimeError("it went\\nwrong")
    if fault == "hang":
        time.sleep(600)
    if fault == "memory":
        import numpy as np

        np.zeros((2**24, 2**24))
    if fault == "kill":  # as the system does when memory runs out
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.3)
    return _classify(**unit)
'''


class Project:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.results = folder / "results" / "book"
        self.temporary = folder / "tmp"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("FSCORE_")}
        self.environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / "notebooks")])
        self.environment["TMPDIR"] = str(self.temporary)
        # As make does: -o takes the environment for up to date.
        self.make = ["make", "-o", ".venv/.ready", "book", "JOBS=2", "CHECK=0"]

    def copy(self, folder):
        shutil.copytree(
            self.folder, folder, symlinks=True, ignore=shutil.ignore_patterns("results", ".cache", "_build")
        )
        return Project(folder)

    def start(self, *command, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **options}
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, **options)

    def run(self, *command, **options):
        """Run a command to its end; return its exit status and what it said."""
        process = self.start(*command, **options)
        return process.wait(), process.communicate()[0]

    def build(self, *words, **options):
        return self.run(sys.executable, "notebooks/run.py", "build", *words, **options)

    def fault(self, name):
        """Let the first paper's experiment fail in a way; "" heals it."""
        (self.folder / "fault").write_text(name)

    def tables(self):
        """The published tables, as text."""
        found = {}
        for file in sorted(self.results.glob("*.ipynb")):
            paper, _, name = file.stem.partition("_")
            tables = self.folder.glob(f"results/measured/{paper}/{name}/*/accuracy.csv.gz")
            (found[file.stem],) = {gzip.decompress(table.read_bytes()).decode() for table in tables}
        return found

    def unfinished(self):
        """The notebooks that a build has executed and not yet published, and what else it has left beside them."""
        return sorted(file.name for file in self.results.parent.glob(".book-*/*"))

    def measured(self):
        """The units that were started since the last call."""
        file = self.folder / "measured"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def wait_for_silence(self):
        """Wait until no process of this copy runs."""

        def running():
            for process in psutil.process_iter():
                with suppress(psutil.Error):
                    if process.environ().get("TMPDIR") == str(self.temporary):
                        return process.status() != psutil.STATUS_ZOMBIE
            return False

        wait_until(lambda: not running())

    def finished_units(self):
        return len(list((self.folder / ".cache").rglob("output.pkl")))


def kill_tree(process, *, whole):
    """End a process by SIGKILL, alone or with everything that it started."""
    parent = psutil.Process(process.pid)
    for victim in [parent, *(parent.children(recursive=True) if whole else [])]:
        with suppress(psutil.NoSuchProcess):
            victim.kill()
    process.wait()


@pytest.fixture(scope="session")
def template(root, tmp_path_factory):
    """The copy that all others start from: sources only."""
    folder = tmp_path_factory.mktemp("faults") / "template"
    skip = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for name in ("fscore", "notebooks/compendium", "book/_ext", "book/_static", "book/_templates"):
        shutil.copytree(root / name, folder / name, ignore=skip)
    for name in ("data/published", "tests", "tmp"):
        (folder / name).mkdir(parents=True)
    for name in (
        *("notebooks/run.py", "requirements.lock", "pyproject.toml", "README.md", "CHANGELOG.md", "Makefile"),
        *(
            "data/languages.csv",
            "data/registry.csv",
            "data/references.bib",
            "book/_config.yml",
            "book/bibliography.md",
            "book/render.py",
            "book/staging.py",
        ),
    ):
        shutil.copyfile(root / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)
    project = Project(folder)
    for paper in PAPERS:
        status, said = project.run(sys.executable, "notebooks/run.py", "paper", paper)
        assert status == 0, said
        file = folder / "notebooks" / paper / "accuracy.py"
        text = file.read_text(encoding="utf-8")
        assert "run_units(_classify" in text
        assert "n_repeats: int = parameter(10" in text
        text = text.replace("n_repeats: int = parameter(10", f"n_repeats: int = parameter({UNITS}")
        file.write_text(text.replace("run_units(_classify", "run_units(_faulty") + FAULTS)
    assert project.run(sys.executable, "notebooks/run.py", "strip")[0] == 0
    # A book of few pages, without the reference of the library.
    (folder / "book" / "index.md").write_text("# A book\n\nText.\n")
    (folder / "book" / "glossary.md").write_text("# Glossary\n\n:::{glossary}\nunit\n  A call that is measured.\n:::\n")
    for name in ("redirects.yml", "search_terms.yml"):
        (folder / "book" / name).write_text("{}\n")
    chapters = "".join(f"  - file: {name}\n" for name in ("bibliography", "glossary"))
    (folder / "book" / "contents.yml").write_text(f"- caption: More\n  chapters:\n{chapters}")
    staging = (folder / "book" / "staging.py").read_text(encoding="utf-8")
    line = '    contents["parts"].append({"caption": "Reference", "chapters": [write_pages(folder / "api")]})\n'
    assert line in staging
    (folder / "book" / "staging.py").write_text(staging.replace(line, ""))
    return project


@pytest.fixture(scope="session")
def undisturbed(template, tmp_path_factory):
    """The tables of an undisturbed build; it also fills the caches of compiled code that the copies start with."""
    status, said = template.build("--jobs", "1")
    assert status == 0, said
    tables = template.tables()
    assert len(tables) == len(PAPERS)
    assert len(template.measured()) == UNITS * len(PAPERS)
    return tables


@pytest.fixture
def project(template, undisturbed, tmp_path_factory):
    # a short path, since kernels have sockets in it
    return template.copy(tmp_path_factory.mktemp("p") / "project")


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def interruptible():
    """Background processes of a shell ignore SIGINT, and so would their children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


# kill -9 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(MOMENTS // IN_A_ROW))
def test_make_book_killed_several_times_is_completed_by_the_next(project, undisturbed, seed):
    """Killed at random moments: make and all that it started (a power failure), or the runner alone."""
    draw = random.Random(seed)
    finished, moments = 0, []
    for number in range(IN_A_ROW):
        whole, moment = number % 2 == 0, draw.uniform(0.2, 12.0)
        moments.append(f"{moment:.1f} s")
        kill_after(moment, project.start(*project.make), whole=whole)
        project.wait_for_silence()
        assert all(undisturbed[name] == table for name, table in project.tables().items()), "what is published is whole"
        assert project.finished_units() >= finished, "nothing finished is lost"
        finished = project.finished_units()
    published, unfinished, _ = project.tables(), project.unfinished(), project.measured()
    status, said = project.run(*project.make)
    assert status == 0, said
    assert project.tables() == undisturbed
    assert len(project.measured()) == UNITS * len(PAPERS) - finished, f"only the rest is done, after {moments}"
    executed = len(PAPERS) - sum(name.endswith(".ipynb") for name in unfinished)
    assert published or f"Executing {executed} of {len(PAPERS)} notebooks" in said
    assert (project.folder / "book" / "_build" / "html" / "index.html").is_file()
    assert {file.name for file in project.results.iterdir()} == {f"{name}.ipynb" for name in undisturbed} | {KEY}
    assert project.unfinished() == [], "no temporary files are left"


def kill_after(seconds, process, *, whole):
    """Kill a build, or the process that make has started only, if it still runs after so many seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    if process.poll() is None:
        runner = psutil.Process(process.pid).children()
        kill_tree(psutil.Process(process.pid) if whole or not runner else runner[0], whole=whole)
    process.wait()


def test_a_run_has_its_page_before_the_book_is_built(template, tmp_path):
    project = template.copy(tmp_path / "project")
    with open(project.folder / "book" / "contents.yml", "a", encoding="utf-8") as contents:
        contents.write("    sections:\n    - glob: yours/*\n")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A run")])
    (project.folder / "results" / "yours").mkdir(parents=True)
    nbformat.write(notebook, project.folder / "results" / "yours" / "run-1.ipynb")
    status, said = project.run(sys.executable, "book/render.py", "--run", "run-1")
    assert status == 0, said
    site = project.folder / "book" / "_build" / "html"
    assert (site / "yours" / "run-1.html").is_file()
    assert (site / "index.html").is_file()
    assert not (site / "verdicts.pdf").exists(), "no page leads to it"


# two at once ---------------------------------------------------------------------------------------------------------


def test_two_builds_at_once_share_the_work(project, undisturbed):
    both = [project.start(*project.make, "CHECK=60s") for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert project.tables() == undisturbed
    assert len(project.measured()) == 2 * UNITS * len(PAPERS), "each unit is measured once, and once more as a check"
    assert any("Another build is running; waiting for its end." in text for text in said)
    assert any("2 notebooks are up to date" in text for text in said)


# experiments that fail -----------------------------------------------------------------------------------------------


def test_an_experiment_that_fails_is_named_and_the_others_are_measured(project, undisturbed):
    for fault, message in (
        ("raise", r"has no tables, because measuring failed with RuntimeError: it went wrong"),
        ("memory", r"was killed or ran out of memory; use smaller .*; (_Array)?MemoryError"),
        ("kill", r"was killed or ran out of memory; use smaller parameters or fewer jobs"),
    ):
        project.fault(fault)
        status, said = project.build("--jobs", "2")
        assert status == 1
        error = said[said.index(f"notebook '{FIRST}'") :].strip().splitlines()
        assert re.match(f"notebook '{FIRST}' {message}", error[0]), said
        # joblib may add a warning of what a killed process held
        ours = [line for line in error[1:] if not re.search(r"resource_tracker|warnings\.warn", line)]
        assert ours == ["The site is unchanged."]
        assert project.tables() == {}
    assert {line.split(".")[0] for line in project.measured()} == set(PAPERS)
    project.fault("")
    status, said = project.build()
    assert status == 0, said
    assert project.tables() == undisturbed
    assert {line.split(".")[0] for line in project.measured()} <= {PAPERS[0]}


# Ctrl-C --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["Measuring", "measured", "Executing", "Rendering"])
def test_ctrl_c_ends_with_one_sentence_and_the_next_build_completes(project, undisturbed, stage):
    if stage == "Rendering":
        assert project.build()[0] == 0
    with tempfile.TemporaryFile("w+") as output:
        process = project.start(*project.make, stdout=output, start_new_session=True, preexec_fn=interruptible)

        def said():
            output.seek(0)
            return output.read()

        wait_until((project.folder / "measured").exists if stage == "measured" else lambda: stage in said())
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(30) != 0
        text = said()
    assert "Traceback" not in text, text
    rendering = stage == "Rendering"
    sentence = "Interrupted; the site is unchanged." if rendering else "Interrupted. What is finished is kept; the"
    assert text.count(sentence) == 1, text
    project.wait_for_silence()
    finished = project.finished_units()
    project.measured()
    status, text = project.run(*project.make) if rendering else project.build()
    assert status == 0, text
    assert project.tables() == undisturbed
    assert len(project.measured()) == UNITS * len(PAPERS) - finished
    assert not list(project.temporary.glob("fscore-*")), "temporary folders are removed"


# disks and permissions -----------------------------------------------------------------------------------------------


def test_a_quota_ends_with_one_sentence_and_spoils_nothing(project, undisturbed):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))  # bytes of a file

    status, said = project.build(preexec_fn=limited)
    assert status == 1
    assert "Traceback" not in said
    errors = said[said.index("notebook '") :].strip().splitlines()
    assert all(
        re.match(r"notebook '\w+' has no results.*File too large.*Free disk space", line) for line in errors[:-1]
    )
    assert errors[-1] == "The site is unchanged."
    assert project.tables() == {}
    assert project.unfinished() == [], "no incomplete file is left"
    finished = project.finished_units()
    project.measured()
    status, said = project.build()
    assert status == 0, said
    assert project.tables() == undisturbed
    assert len(project.measured()) == UNITS * len(PAPERS) - finished


@pytest.mark.parametrize("place", ["results", ".cache"])
def test_a_folder_that_cannot_be_written_is_named(project, place):
    without = []
    if os.getuid() == 0:  # root may write everywhere, unless it gives up that right
        without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if not shutil.which("setpriv") or subprocess.run([*without, "true"], capture_output=True).returncode:
            pytest.skip("needs another user than root, or setpriv")
    (project.folder / place).mkdir()
    (project.folder / place).chmod(0o555)
    status, said = project.run(*without, sys.executable, "notebooks/run.py", "build")
    (project.folder / place).chmod(0o755)
    assert status == 1
    assert "Traceback" not in said
    assert re.search(rf"{re.escape(str(project.folder / place))}.*Permission denied.*permissions", said), said
    assert project.tables() == {}
    assert project.measured() == [], "refused before anything is measured"


# torn files ----------------------------------------------------------------------------------------------------------


def test_torn_files_of_results_and_cache_are_measured_again(project, undisturbed):
    assert project.build()[0] == 0
    (project.results / KEY).write_text("torn")
    about = sorted((project.folder / "results" / "measured").rglob("about.json"))[0]
    about.write_text('{"parameters": {')
    torn = sorted((project.folder / ".cache").rglob("output.pkl"))[0]
    torn.write_bytes(torn.read_bytes()[:-20])
    project.measured()
    status, said = project.build()
    assert status == 0, said
    assert project.tables() == undisturbed
    assert len(project.measured()) <= 1

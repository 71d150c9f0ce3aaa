"""Execute one notebook by papermill, in a kernel forked from a process that has imported what notebooks use.

These imports take most of the time of a kernel's start.
"""

import hashlib
import json
import logging
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from importlib.metadata import EntryPoint
from multiprocessing import forkserver
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from compendium.markup import escape_markdown, source_line
from compendium.papers import NOTEBOOKS, RESULTS, ROOT, all_notebook_files
from fscore._files import write_atomically
from fscore._interrupts import ctrl_c_ignored

TIMEOUT = 6 * 3600  # seconds per cell, in case a solver hangs
KILLED = "was killed or ran out of memory; use smaller parameters or fewer jobs (make book JOBS=1, run.py --jobs 1)"
OUT_OF_MEMORY = ("MemoryError", "_ArrayMemoryError", "TerminatedWorkerError")


class RunError(Exception):
    """An error for the user, in one sentence."""


def check_names(names, known):
    """Raise `RunError` if the user named a notebook that is not among those known."""
    for name in names:
        if name not in known:
            raise RunError(f"unknown notebook {name!r}; the notebooks are {', '.join(known)}.")


def read_notebook(file):
    """A notebook; cells without an id, of which nbformat would warn, get one by their place."""
    import nbformat  # takes longer than to see that a notebook is up to date

    notebook = json.loads(file.read_text(encoding="utf-8"))
    for number, cell in enumerate(notebook["cells"]):
        cell.setdefault("id", f"cell-{number:02d}")
    return nbformat.reads(json.dumps(notebook), as_version=4)


def slug_of(name, values):
    """A readable file name for a user's run, unique for its parameters."""
    text = "-".join(f"{key}-{_without_folder(value)}" for key, value in values.items())
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:6]
    return f"{name}-{re.sub(r'[^A-Za-z0-9.]+', '_', text)[:60].strip('_')}-{digest}"


def _without_folder(value):
    """The value of a parameter, with only the name of a file; the page's table of parameters has the whole path."""
    if isinstance(value, list):
        return [_without_folder(item) for item in value]
    is_file = isinstance(value, str) and os.path.isabs(value) and os.path.isfile(value)
    return os.path.basename(value) if is_file else value


def execute(name, folder, values=None, slug=""):
    """Execute a notebook; raise :class:`RunError` with cell and error if it fails.

    Parameters
    ----------
    name : str
    folder : Path
        Where the executed notebook is written.
    values : dict, optional
        Parameters that differ from the declared ones.
    slug : str, default=""
        Name of a user's run, see `slug_of`; by default the notebook's page of the book is made.
    """
    target = folder / f"{slug or name}.ipynb"
    try:
        notebook = clean(_executed(name, values or {}, target))
        leave_figures_alone(name, notebook)
        paper = all_notebook_files()[name].parent.name
        add_below_title(notebook, source_line(paper, name, own=bool(slug)))
        if slug:
            mark_as_user_run(notebook, values, slug)
        write_atomically(target, json.dumps(notebook, indent=1, ensure_ascii=False))
    except OSError as error:
        raise RunError(
            f"notebook {name!r} has no results, because a file cannot be written: {error.strerror or error}"
            f"{f' ({error.filename})' if error.filename else ''}. Free disk space, or correct the permissions of "
            f"{folder} and {tempfile.gettempdir()}; the same command resumes."
        ) from None


def _executed(name, values, target):
    """What papermill makes of a notebook, in a kernel of its own."""
    import nbformat
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from traitlets.config import Config

    # papermill can't parse types such as 'str | None' and would warn about them; parameters are already checked.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)  # its lines about dead kernels; the error says it
    with tempfile.TemporaryDirectory(prefix="fscore-") as scratch:
        executed = Path(scratch, "executed.ipynb")
        # Sockets in a private folder avoid races for ports and the warning about unencrypted ports.
        sockets = Config({"KernelManager": {"transport": "ipc", "ip": str(Path(scratch, "k"))}})
        try:
            papermill.execute_notebook(
                read_notebook(all_notebook_files()[name]),
                executed,
                parameters=values,
                kernel_name="python3",
                cwd=str(ROOT),
                progress_bar=False,
                execution_timeout=TIMEOUT,
                config=sockets,
                extra_arguments=["--log-level=CRITICAL"],  # a kernel that ends is interrupted, and calls that an error
            )
        except (papermill.PapermillExecutionError, CellTimeoutError, DeadKernelError) as error:
            failed = RESULTS / "failed" / target.name
            failed.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(executed, failed)
            said = f"notebook {name!r} {_said(error).removesuffix('.')}"
            raise RunError(f"{said}. The failed copy is {failed.relative_to(ROOT)}.") from None
        return nbformat.read(executed, as_version=4)


def killed_in_words(kind):
    """What became of a run that ended with an error of this name; empty if it says that code failed."""
    return f"{KILLED}; {kind}" if kind in OUT_OF_MEMORY else ""


def _said(error):
    """What went wrong in a notebook."""
    kind = getattr(error, "ename", type(error).__name__)  # of the error in the cell
    if kind == "DeadKernelError":
        return KILLED
    if kind == "CellTimeoutError":
        return f"was stopped, because one of its cells took longer than {TIMEOUT} s"
    if said := killed_in_words(kind):
        return f"{said} in cell {error.cell_index}"
    return f"failed in cell {error.cell_index} with {kind}: {' '.join(error.evalue.split())}"


PROMPTS = {"parameters": "Parameters", "injected-parameters": "Your parameters"}  # on folded cells, by tag
CODE_OF = {  # on other folded cells: what their code makes, by the first call in them
    "plt.show(": "this figure",
    "page.verdicts(": "the verdicts",
    "page.evidence(": "the evidence",
    "page.provenance(": "the details",
    "page.show(": "this table",
    "HTML(": "this table",
    "Markdown(": "this paragraph",
    "page.say(": "this sentence",
}


def clean(notebook):
    """Drop everything that differs between runs with equal results: timestamps, cell ids, stderr."""
    notebook["metadata"] = {"kernelspec": notebook["metadata"].get("kernelspec", {})}
    for position, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{position:03d}"
        tags = cell["metadata"].get("tags", [])
        if PROMPTS.keys() & tags:
            tags.append("hide-input")  # a click opens it
        if prompt := _prompt(cell, tags):
            shown = {"code_prompt_show": prompt, "code_prompt_hide": prompt}
            cell["metadata"]["mystnb"] = shown | cell["metadata"].get("mystnb", {})
        for entry in ("papermill", "execution"):
            cell["metadata"].pop(entry, None)
        if cell["cell_type"] == "code":
            cell["outputs"] = [output for output in cell["outputs"] if output.get("name") != "stderr"]
    return notebook


def _prompt(cell, tags):
    """What a folded cell is called: a click on it opens it."""
    named = [PROMPTS[tag] for tag in tags if tag in PROMPTS]
    made = next((what for call, what in CODE_OF.items() if call in cell["source"]), "the tables")
    if named or "hide-input" in tags:
        return named[0] if named else f"Code of {made}"
    return f"{made[0].upper()}{made[1:]} and its code" if "hide-cell" in tags else ""


def leave_figures_alone(name, notebook):
    """Move what a figure's cell shows besides to a cell below: it would get label and caption of the figure, too."""
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        if not (label := _figure(cell).get("name")):
            continue
        drawn = [output for output in cell["outputs"] if "image/svg+xml" in output.get("data", {})]
        if len(drawn) > 1:
            raise RunError(
                f"notebook {name!r} can't be shown: the cell of the figure {label!r} draws {len(drawn)} figures; draw "
                "each in a cell of its own."
            )
        if besides := [output for output in cell["outputs"] if output not in drawn]:
            cell["outputs"] = drawn
            shown = {"id": f"{cell['id']}-below", "metadata": {"tags": ["remove-input"]}, "outputs": besides}
            cells.append({"cell_type": "code", "source": "", "execution_count": None, **shown})
    notebook["cells"] = cells


LABELS = (
    re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE),  # Markdown target
    re.compile(r"^:(?:label|name): ([\w-]+)$", re.MULTILINE),  # directive
    re.compile(r"^\$\$ \(([\w-]+)\)$", re.MULTILINE),  # equation
)

LINK = re.compile(r"\]\(([\w-]+)\.ipynb")  # to another page of the same paper
EXPERIMENT = re.compile(r"^## The experiment$", re.MULTILINE)
AS_PUBLISHED = "*The published run, with its data sets and sizes; those of yours are at the top of this page.*"


def mark_as_user_run(notebook, values, slug):
    """Put the parameters into the title, and rename labels so that they don't clash with the published page."""
    cells = notebook["cells"]
    labels = {label for cell in cells for pattern in LABELS for label in pattern.findall(cell["source"])}
    labels |= {figure["name"] for cell in cells if (figure := _figure(cell)).get("name")}
    suffix = slug.rpartition("-")[2]
    # Whole labels in one pass: one label may begin like another, or like what another was renamed to.
    any_label = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(labels))) or '(?!)'})(?![\w-])")
    for cell in cells:
        if cell["cell_type"] == "markdown":
            text = LINK.sub(r"](../executed/\1.ipynb", cell["source"])
            text = EXPERIMENT.sub(rf"\g<0>\n\n{AS_PUBLISHED}", text)
            cell["source"] = any_label.sub(rf"\1-{suffix}", text)
        if _figure(cell).get("name"):
            _figure(cell)["name"] += f"-{suffix}"
    said = ", ".join(f"{key} = {_without_folder(value)}" for key, value in values.items()) or "default parameters"
    said = escape_markdown(said)
    add_below_title(notebook, f"```{{admonition}} Your run\nParameters: {said}.\n```", in_title=f" ({said})")


def add_below_title(notebook, text, in_title=""):
    """Add a paragraph below a notebook's title, and something at its end."""
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title, _, rest = cell["source"].partition("\n")
    cell["source"] = f"{title}{in_title}\n\n{text}\n{rest}"


def _figure(cell):
    return cell["metadata"].get("mystnb", {}).get("figure", {})


# This project's code, one thread for linear algebra, and a fixed order of sets.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(NOTEBOOKS)]),
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
PRELOADED = [__name__, "compendium.page", "fscore.search", "matplotlib_inline.backend_inline"]
LONGEST_FOLDER = 75  # for temporary files: the path of a socket there has at most 107 characters
# The linear algebra of macOS does not survive a fork. Where nothing is forked, each kernel imports for itself.
FORKS = sys.platform == "linux" and len(tempfile.gettempdir()) <= LONGEST_FOLDER
FORKING = multiprocessing.get_context("forkserver" if FORKS else "spawn")


class Forked(LocalProvisioner):
    """Forks a kernel, where Jupyter's own class starts a program."""

    async def launch_kernel(self, cmd, **kwargs):
        self.process = _Kernel(target=_run, args=(cmd[cmd.index("-f") :], os.getcwd()))
        self.process.start()
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Kernel(FORKING.Process):
    """A process with what the class above uses of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def poll(self):
        return self.exitcode

    def wait(self):
        self.join()
        return self.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


def _run(arguments, folder):
    """Run a kernel in a group of its own; it ends when the process ends that it was forked from."""
    os.setsid()
    os.chdir(folder)
    IPKernelApp.launch_instance(arguments, parent_handle=os.getppid())


def fork_kernels():
    """From now on fork the kernels that this process starts."""
    os.environ.update(ENVIRONMENT)
    factory = KernelProvisionerFactory.instance()
    factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", factory.GROUP_NAME)
    factory.default_provisioner_name = "forked"
    if FORKS:
        FORKING.set_forkserver_preload(PRELOADED)
        with ctrl_c_ignored():
            forkserver.ensure_running()


def kill_kernels():
    """Kill the kernels that run."""
    for process in multiprocessing.active_children():
        if isinstance(process, _Kernel):
            process.kill()

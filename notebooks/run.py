"""The strict runner around papermill: checks first, executes only what changed, publishes only what succeeded.

    python notebooks/run.py build --profile quick         every notebook of the book, in parallel
    python notebooks/run.py rerun NOTEBOOK key=value ...  one notebook with your parameters (or a YAML file, or help)
    python notebooks/run.py lint, strip                   no outputs, counts or stray metadata in the sources
    python notebooks/run.py accept                        make the paper profile's results the reference

A run leaves ``results/<run>/<notebook>.ipynb`` (executed), ``.json`` (tables, verdicts, provenance) and ``.key`` (the
hash of all it depends on). They are written beside their targets and moved there only on success.
"""

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

import yaml

from fscore._files import write_atomically
from fscore.datasets import load, status
from fscore.datasets.fetching import fetch
from fscore.datasets.registry import is_path, lookup
from compendium import REFERENCE
from compendium.parameters import ParameterError, describe

from compendium.runner.execution import execute, slug_of
from compendium.runner.parallel import build, cores, kernel_environment, stored_state
from compendium.runner.notebooks import (
    NOTEBOOKS,
    RESULTS,
    ROOT,
    YOURS,
    RunError,
    checked,
    code_of,
    key_of,
    named_datasets,
    notebook_names,
    parameters_of,
    profile_settings,
    read_notebook,
)


def given_parameters(words):
    """Parameters from ``key=value`` words, or from one YAML file."""
    if len(words) == 1 and words[0].lower().endswith((".yml", ".yaml")):
        file = Path(words[0])
        if not file.is_file():
            raise RunError(f"there is no parameter file {words[0]!r}.")
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise RunError(f"{words[0]} holds no 'name: value' lines.")
        return values
    values = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise RunError(f"{word!r} is no parameter; write name=value, the path of a YAML file, or help.")
        try:
            values[name] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise RunError(f"the value of {word!r} can't be read; quote it as in YAML.") from None
    return values


def rerun(name, words):
    """Execute one notebook with the user's parameters; its page appears under "Your runs" at the next ``make book``."""
    if words == ["help"]:
        print(describe(parameters_of(name)))
        return
    values = checked(name, given_parameters(words))
    for dataset in named_datasets(name, values):
        try:
            _have(dataset, values.get("target"))
        except (ValueError, OSError) as error:
            raise RunError(str(error)) from None
    slug = slug_of(name, values)
    os.environ.update(kernel_environment(cores()))
    print(f"Executing {name} with {values or 'its default parameters'} ...", flush=True)
    execute(name, values, YOURS, RESULTS / YOURS / slug)
    print(f"Done: results/{YOURS}/{slug}.ipynb. Its page appears under 'Your runs' at the next 'make book'.")


def _have(dataset, target):
    """Make sure that a data set can be loaded: fetch it, or say in one sentence what is wrong with it."""
    if is_path(dataset):
        load(dataset, target=target)
    elif status(dataset) == "missing":
        fetch(lookup(dataset))
    elif status(dataset) == "not public":
        raise RunError(f"data set {dataset!r} is not public; if you have it, give the path of a CSV file of it.")


def accept():
    """Copy the paper profile's results to ``data/reference``: the book shows them beside every quick run."""
    settings = profile_settings(REFERENCE)
    current, stale = [], []
    for name in notebook_names():
        key = key_of(name, checked(name, settings.get(name) or {}), REFERENCE)
        (current if stored_state(RESULTS / REFERENCE / name).get("key") == key else stale).append(name)
    if not current:
        raise RunError(f"no run of the {REFERENCE} profile is up to date: make book PROFILE={REFERENCE}")
    target = ROOT / "data" / "reference"
    target.mkdir(parents=True, exist_ok=True)
    for name in current:
        results = json.loads((RESULTS / REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
        text = json.dumps(results, ensure_ascii=False, separators=(",", ":")) + "\n"
        write_atomically(target / f"{name}.json", text)
    readme = ROOT / "README.md"
    write_atomically(readme, with_verdicts(readme.read_text(encoding="utf-8")))
    print(f"Accepted as data/reference, and counted in README.md: {', '.join(current)}.")
    if stale:
        print(f"Left as they were, for want of an up-to-date run of the {REFERENCE} profile: {', '.join(stale)}.")


def with_verdicts(text):
    """README's text with the table of verdict counts of the reference results."""
    from compendium.published import PAPERS
    from compendium.results import REFERENCE_FOLDER, counts_by_paper, read_results, verdicts_of

    counts = counts_by_paper(verdicts_of(read_results(REFERENCE_FOLDER)))
    lines = [f"| paper | {' | '.join(counts.columns)} |", f"| --- |{' ---: |' * len(counts.columns)}"]
    for paper, row in counts.iterrows():
        lines.append(f"| {PAPERS[paper]} | {' | '.join(str(number) for number in row)} |")
    begin, end = "<!-- verdicts: written by make accept -->", "<!-- end of verdicts -->"
    before, rest = text.split(begin)
    return "\n".join([before + begin, "", *lines, "", end + rest.split(end)[1]])


def stripped(notebook):
    """A notebook as it belongs into version control: no outputs, no counts, only metadata that means something."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook["cells"]:
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key in ("tags", "mystnb")}
        cell["source"] = code_of(cell).splitlines(keepends=True)  # a line a line: changes can be read
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def lint(strip=False):
    """Find notebooks that aren't stripped, or strip them."""
    for name in notebook_names():
        file = NOTEBOOKS / f"{name}.ipynb"
        wanted = stripped(read_notebook(name))
        if file.read_text(encoding="utf-8") != wanted:
            if not strip:
                raise RunError(f"notebooks/{name}.ipynb holds outputs or stray metadata: make format")
            write_atomically(file, wanted)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="bring the book's notebooks up to date")
    command.add_argument("--profile", default="quick")
    command.add_argument("--jobs", type=int, default=cores())
    command.add_argument("only", nargs="*", help="only these notebooks")
    command = commands.add_parser("rerun", help="one notebook with your parameters")
    command.add_argument("notebook")
    command.add_argument("parameters", nargs="*", help="key=value ..., a YAML file, or help")
    command = commands.add_parser("execute", help="(used by build) parameters as JSON on standard input")
    command.add_argument("notebook")
    command.add_argument("--run", required=True)
    command.add_argument("--progress", type=Path)
    commands.add_parser("lint", help="refuse notebooks with outputs or stray metadata")
    commands.add_parser("strip", help="take them out")
    commands.add_parser("accept", help="make the paper profile's results the reference")
    options = parser.parse_args(arguments)

    origin = Path(importlib.util.find_spec("fscore").origin)
    if origin.parents[1] != ROOT:
        raise RunError("the fscore that Python finds is not this project's: run 'make' here, which installs it.")
    if options.command == "build":
        build(options.profile, options.jobs, options.only)
    elif options.command == "rerun":
        rerun(options.notebook, options.parameters)
    elif options.command == "execute":
        values = json.load(sys.stdin)
        execute(options.notebook, values, options.run, RESULTS / options.run / options.notebook, options.progress)
    elif options.command == "accept":
        accept()
    else:
        lint(strip=options.command == "strip")


if __name__ == "__main__":
    try:
        main()
    except (RunError, ParameterError) as error:
        sys.exit(f"{error}")

"""Run notebooks with papermill: check parameters first, execute only what changed, publish only on success.

    python notebooks/run.py build --profile quick         bring all notebooks up to date, in parallel
    python notebooks/run.py build --profile paper NAME    only one notebook
    python notebooks/run.py rerun NOTEBOOK key=value ...  run one with your parameters (or a YAML file, or help)
    python notebooks/run.py lint                          check that sources have no outputs and declared parameters
    python notebooks/run.py strip                         fix the sources so that they pass lint
    python notebooks/run.py accept                        make the paper profile's results the reference
    python notebooks/run.py reproduce                     compare builds with one job, two jobs, on a cluster
    python notebooks/run.py processors                    compare builds with the instructions of two processors
    python notebooks/run.py simulate                      apply the claims' rules to simulated data, record the answers
    python notebooks/run.py paper KEY                     write the skeleton of a new paper

A run writes ``results/<run>/<notebook>.ipynb`` (executed), ``.json`` (tables, verdicts, provenance) and ``.key`` (the
hash of everything it depends on). The files are replaced atomically, and only on success.
"""

import argparse
import errno
import importlib.util
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import yaml

from compendium.experiment import experiment_of
from compendium.papers import RESULTS, ROOT, YOURS
from compendium.parameters import ParameterError, describe
from compendium.runner.build import build, cores, kernel_environment, try_cluster
from compendium.runner.execution import execute, slug_of
from compendium.runner.notebooks import RunError, checked, needed_datasets, parameters_of
from fscore.datasets import DatasetUnavailableError, check_classification, load, status
from fscore.datasets.fetching import fetch
from fscore.datasets.registry import is_path, lookup

NULL = ("null", "~")  # no value, in YAML
SCHEDULER = "send the units of work to this Dask cluster: tcp://host:8786"


def given_parameters(words, parameters=()):
    """Parameters from ``key=value`` words, or from one YAML file; ``parameters`` are those of the notebook."""
    if len(words) == 1 and words[0].lower().endswith((".yml", ".yaml")):
        file = Path(words[0])
        if not file.is_file():
            raise RunError(f"parameter file {words[0]!r} does not exist.")
        try:
            values = read_yaml(file.read_text(encoding="utf-8"))
        except ValueError:
            raise RunError(f"{words[0]} is not a YAML file in UTF-8; write one 'name: value' per line.") from None
        if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
            raise RunError(f"{words[0]} contains no 'name: value' lines.")
        return values
    values, known = {}, {parameter.name: parameter for parameter in parameters}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise RunError(f"{word!r} is not a parameter; write name=value, the path of a YAML file, or help.")
        try:
            values[name] = text if name in known and is_literal(text, known[name]) else read_yaml(text)
        except ValueError:
            raise RunError(f"the value of {word!r} is not valid YAML; quote it.") from None
        if values[name] is None and text not in NULL:  # nothing, or a comment
            raise RunError(f"{word!r} gives no value; write one, or leave {name} out for its default.")
    return values


def is_literal(text, parameter):
    """Whether the text after ``key=`` is the value itself, such as a label column named ``#1`` or ``yes``."""
    is_yaml = text in NULL or text.startswith(("'", '"')) or (parameter.is_list and text.startswith("["))
    return parameter.element_type == "str" and bool(text.strip()) and not is_yaml


def read_yaml(text):
    """Values in YAML without aliases, which can make a few lines stand for gigabytes; ValueError if it is none."""
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise ValueError("YAML aliases are not read")
        return yaml.safe_load(text)
    except (yaml.YAMLError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def split(text):
    """Split a string into words, quoted as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:
        raise RunError(f"{text!r} has an unmatched quotation mark.") from None


def rerun(name, words, *, render=False):
    """Execute one notebook with the user's parameters, and render its page if asked to."""
    if words == ["help"]:
        print(describe(parameters_of(name)))
        return
    values = checked(name, given_parameters(words, parameters_of(name)))
    datasets, target = needed_datasets(name, values), values.get("target")
    if target is not None and not any(map(is_path, datasets)):
        raise RunError(
            f"target = {target!r} is the label column of a CSV file, but none is among the data sets of this run "
            f"({', '.join(datasets)}); name a file, or leave target out."
        )
    try:
        experiment = experiment_of(name)(**values)  # refuses what no single parameter shows
        for dataset in datasets:
            optional = "dataset" not in values and experiment.fallback is not None
            _make_available(experiment, dataset, target, optional=optional)
            if is_path(dataset):
                experiment.check_file(dataset)
    except (ValueError, OSError) as error:
        raise RunError(str(error)) from None
    try_cluster([name])
    slug = slug_of(name, values)
    os.environ.update(kernel_environment(cores()))
    print(f"Executing {name} with {values or 'its default parameters'} ...", flush=True)
    execute(name, values, YOURS, RESULTS / YOURS / slug)
    print(f"Done: results/{YOURS}/{slug}.ipynb")
    if render:
        print("Rendering its page ...", flush=True)
        if subprocess.run([sys.executable, ROOT / "book" / "render.py", "--run", slug]).returncode:
            raise RunError("The run is complete, but its page could not be rendered.")


def _make_available(experiment, dataset, target, *, optional=False):
    """Make sure that an experiment can use a data set, fetching it if necessary; an error if it cannot but must."""
    if is_path(dataset):
        if not experiment.reads_any_file:
            from compendium.protocol import check_name

            bunch = load(dataset, target=target)
            check_classification(bunch, allow_missing=experiment.allows_missing)
            check_name(dataset, bunch.data.shape)
    elif status(dataset) == "missing":
        try:
            fetch(lookup(dataset))
        except DatasetUnavailableError as error:
            if not optional:
                raise
            print(f"{error} The page is made without it.")
    elif status(dataset) == "not public":
        raise RunError(f"data set {dataset!r} is not public; if you have it, pass the path of a CSV file.")


def end_with_the_runner():
    """Wait until the runner closes the other end of standard input, then end this process and its kernel."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)  # for the kernel, and to remove temporary files
    os.kill(os.getpid(), signal.SIGKILL)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="bring the book's notebooks up to date")
    command.add_argument("--profile", default="quick")
    command.add_argument("--jobs", type=int, default=cores())
    command.add_argument("--scheduler", default="", help=SCHEDULER)
    command.add_argument("only", nargs="*", help="only these notebooks")
    command = commands.add_parser("rerun", help="one notebook with your parameters")
    command.add_argument("notebook")
    command.add_argument("parameters", nargs="*", help="key=value ..., a YAML file, or help")
    command.add_argument("--words", default="", help="the same as one text, quoted as in a shell")
    command.add_argument("--scheduler", default="", help=SCHEDULER)
    command.add_argument("--render", action="store_true", help="render the page and print its path")
    command = commands.add_parser("execute", help="(used by build) parameters as JSON on standard input")
    command.add_argument("notebook")
    command.add_argument("--run", required=True)
    command.add_argument("--progress", type=Path)
    command = commands.add_parser("lint", help="reject notebooks with outputs or with undeclared parameters")
    command.add_argument("only", nargs="*", help="only these notebooks")
    command = commands.add_parser("strip", help="remove outputs and rewrite the parameters as declared")
    command.add_argument("only", nargs="*", help="only these notebooks")
    commands.add_parser("accept", help="make the paper profile's results the reference")
    command = commands.add_parser("reproduce", help="compare builds with one job, two jobs, on a cluster")
    command.add_argument("only", nargs="*", help="only these notebooks")
    command = commands.add_parser("processors", help="compare builds with the instructions of two processors")
    command.add_argument("only", nargs="*", help="only these notebooks")
    commands.add_parser("simulate", help="apply the claims' rules to simulated data and record the answers")
    command = commands.add_parser("paper", help="write the skeleton of a new paper")
    command.add_argument("key", help="author and year, such as peng2005")
    options = parser.parse_args(arguments)

    origin = Path(importlib.util.find_spec("fscore").origin)
    if origin.parents[1] != ROOT:
        raise RunError("Python imports another copy of fscore than this project's; run 'make' here to install it.")
    if scheduler := getattr(options, "scheduler", ""):
        os.environ["FSCORE_SCHEDULER"] = scheduler
    if options.command == "build":
        build(options.profile, options.jobs, options.only)
    elif options.command == "rerun":
        rerun(options.notebook, [*options.parameters, *split(options.words)], render=options.render)
    elif options.command == "execute":
        values = json.loads(sys.stdin.readline())
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # removes the temporary files
        threading.Thread(target=end_with_the_runner, daemon=True).start()
        execute(options.notebook, values, options.run, RESULTS / options.run / options.notebook, options.progress)
    else:  # imported only here: the other commands do not need them
        from compendium import simulations
        from compendium.runner import accept, processors, reproduce, skeleton, sources

        if options.command == "paper":
            skeleton.write(options.key)
        elif options.command == "simulate":
            simulations.write_record()
        elif options.command == "accept":
            accept.accept()
        else:
            {
                "lint": sources.lint,
                "strip": sources.strip,
                "reproduce": reproduce.reproduce,
                "processors": processors.compare_processors,
            }[options.command](options.only)


if __name__ == "__main__":
    try:
        main()
    except (RunError, ParameterError) as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Interrupted. Finished notebooks are kept; the same command resumes.")
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        where = error.filename or tempfile.gettempdir()
        sys.exit(f"Cannot write {where}: {error.strerror}. Free disk space or correct the permissions, then repeat.")

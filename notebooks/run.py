"""Run notebooks with papermill: check parameters first, measure what the store lacks, publish only on success.

    python notebooks/run.py build                         check the store, execute all notebooks (--only NAME: one)
    python notebooks/run.py rerun NOTEBOOK key=value ...  run one with your parameters (or a YAML file, or help)
    python notebooks/run.py measure [NOTEBOOK ...]        measure stale tables of data/measured (--all: readings, too)
    python notebooks/run.py check 1h                      replay units, those first that never were, and record them
    python notebooks/run.py lint                          check that sources have no outputs and declared parameters
    python notebooks/run.py strip                         fix the sources so that they pass lint
    python notebooks/run.py rows                          count repeated rows and groups of all data sets that are here
    python notebooks/run.py package                       describe all files of data/ in its datapackage.json
    python notebooks/run.py paper KEY                     write the skeleton of a new paper
    python notebooks/run.py report FILE COLUMN            which columns of a file predict this one (--words: options)

Tables are kept in the store (`compendium.store`). Executed notebooks are written to ``results/book``, which is replaced
when all are complete, or to ``results/yours/<run>.ipynb``.
"""

import signal

if handled := __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the imports without a traceback

import argparse
import errno
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import ClassVar

import yaml
from joblib import cpu_count

from compendium import store
from compendium.experiment import ParameterError, as_list, coerce, describe, experiment_of
from compendium.package import write_row_counts
from compendium.papers import RESULTS, ROOT, YOURS, all_notebook_files, notebook_files
from compendium.runner import build, check, measuring, sources
from compendium.runner.execution import RunError, check_names, execute, fork_kernels, killed_in_words, slug_of
from compendium.runner.outputs import one_build_at_a_time
from compendium.units import ClusterError
from fscore._files import write_atomically
from fscore._interrupts import exit_with
from fscore.datasets import DatasetUnavailableError, status
from fscore.datasets.fetching import fetch
from fscore.datasets.registry import is_path, lookup

NULL = ("null", "Null", "NULL", "~")  # no value, in YAML


class Texts(yaml.SafeLoader):
    """YAML whose values are texts or nothing, and that gives no name twice: a parameter's type says what a text is."""

    yaml_implicit_resolvers: ClassVar[dict] = {}

    def construct_mapping(self, node, deep=False):
        names = [name.value for name, _ in node.value if isinstance(name, yaml.ScalarNode)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise RunError(f"{twice!r} is given more than once; give each parameter once.")
        return super().construct_mapping(node, deep)


Texts.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(rf"(?:{'|'.join(NULL)})?\Z"), None)


def given_parameters(words, parameters=()):
    """Texts of parameters from ``key=value`` words, or from a YAML file; ``parameters`` are those of the notebook."""
    if len(words) == 1 and words[0].lower().endswith((".yml", ".yaml")):
        return parameters_in(Path(words[0]))
    values, known = {}, {parameter.name: parameter for parameter in parameters}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals and name in known:
            raise RunError(f"{name!r} has no value; write {name}=value, without blanks around the equals sign.")
        if not equals:
            raise RunError(f"{word!r} is not a parameter; write name=value, the path of a YAML file, or help.")
        if name in values:
            raise RunError(f"{name!r} is given more than once; give each parameter once.")
        try:
            values[name] = text if name in known and is_literal(text, known[name]) else read_yaml(text)
        except ValueError:
            raise RunError(f"the value of {word!r} is not valid YAML; quote it.") from None
        if values[name] is None and text not in NULL:  # nothing, or a comment
            raise RunError(f"{word!r} gives no value; write one, or leave {name} out for its default.")
    return values


def parameters_in(file):
    """Parameters from a YAML file, as texts."""
    try:
        values = read_yaml(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise RunError(f"parameter file {str(file)!r} does not exist.") from None
    except RunError as error:
        raise RunError(f"{file}: {error}") from None
    except ValueError:
        raise RunError(f"{file} is not a YAML file in UTF-8; write one 'name: value' per line.") from None
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise RunError(f"{file} contains no 'name: value' lines.")
    return values


def is_literal(text, parameter):
    """Whether the text after ``key=`` is the value itself, such as a label column named ``#1`` or ``yes``."""
    is_yaml = text in NULL or text.startswith(("'", '"')) or (parameter.is_list and text.startswith("["))
    return parameter.element_type == "str" and bool(text.strip()) and not is_yaml


def read_yaml(text):
    """Texts in YAML without aliases, which can make a few lines stand for gigabytes; ValueError for other texts."""
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise ValueError("YAML aliases are not read")
        return yaml.load(text, Texts)
    except (yaml.YAMLError, OverflowError, RecursionError, LookupError, AttributeError) as error:
        raise ValueError(str(error)) from None


def number_of_jobs(text):
    """The number of processes from the command line."""
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise RunError(f"jobs = {text} is invalid; write a number of processes, 1 or more.")
    return int(text)


def name_of_notebook(text):
    """The name of a notebook from the command line, where it may be a path."""
    return Path(text).name.removesuffix(".ipynb")


def split(text):
    """Split a string into words, quoted as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:
        raise RunError(f"{text!r} has an unmatched quotation mark.") from None


def rerun(name, words, *, jobs=-1, scheduler="", render=False):
    """Measure one experiment with the user's parameters, execute its notebook, and render its page if asked to."""
    check_names([name], notebook_files())
    kind = experiment_of(name)
    if words == ["help"]:
        print(describe(kind.parameters))
        return
    values = coerce(kind.parameters, given_parameters(words, kind.parameters))
    try:
        experiment = kind(**values)
    except (ValueError, OSError) as error:
        raise RunError(str(error)) from None
    slug = slug_of(name, values)
    try:
        _check_data(experiment, values)
        if store.find(experiment) is None:
            print(f"Measuring {name} with {values or 'its default parameters'} ...", flush=True)
        found = experiment.entry(n_jobs=jobs, scheduler=scheduler)
    except (ClusterError, DatasetUnavailableError, store.DataError) as error:
        raise RunError(str(error)) from None
    except ValueError as error:  # values that the data are too small for, say
        where = RESULTS / "failed" / f"{slug}.txt"
        write_atomically(where, traceback.format_exc())
        raise RunError(f"{name} has no tables: {error} (The traceback is in {where.relative_to(ROOT)}.)") from None
    except Exception as error:
        if killed := killed_in_words(type(error).__name__):
            raise RunError(f"notebook {name!r} {killed}.") from None
        raise
    print(f"Tables: {found.folder.relative_to(ROOT)}\nExecuting the notebook ...", flush=True)
    fork_kernels()
    execute(name, RESULTS / YOURS, values, slug)
    print(f"Notebook: results/{YOURS}/{slug}.ipynb", flush=True)
    if render:
        print("Rendering its page ...", flush=True)
    if render and subprocess.run([sys.executable, ROOT / "book" / "render.py", "--run", slug]).returncode:
        raise RunError("The run is complete, but its page could not be rendered.")


def _check_data(experiment, values):
    """Refuse data that a run can't have or use; fetch what it lacks and the user named, else say what is left out."""
    given = [experiment.values.get("dataset")]
    given += [values.get(parameter.name) for parameter in experiment.parameters if parameter.domain == "data sets"]
    names = dict.fromkeys(name for value in given for name in as_list(value))
    if values.get("target") is not None and not any(map(is_path, names)):
        raise RunError(
            f"target = {values['target']!r} is the label column of a CSV file, but none is among the data sets of this "
            f"run ({', '.join(names)}); name a file, or leave target out."
        )
    needed = [] if store.find(experiment) is not None else [name for name in names if not is_path(name)]
    for name in needed:
        if status(name) == "not public":
            raise RunError(f"data set {name!r} is not public; if you have it, pass the path of a CSV file.")
        if status(name) == "missing":
            try:
                fetch(lookup(name))
            except DatasetUnavailableError as error:
                if "dataset" in values:
                    raise
                print(f"{error} The run does without it.")
    store.describe(experiment)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    some, where = (argparse.ArgumentParser(add_help=False) for _ in range(2))
    some.add_argument("only", nargs="*", type=name_of_notebook, help="only these notebooks")
    where.add_argument("--jobs", type=number_of_jobs, default=cpu_count(), help="processes")
    where.add_argument("--scheduler", default="", help="send units to this Dask cluster: tcp://host:8786")

    def add(name, run, *parents):
        command = commands.add_parser(name, parents=parents)
        command.set_defaults(run=run)
        return command

    building = add("build", _build, where)
    building.add_argument(
        "--only", action="append", type=name_of_notebook, dest="pages", default=[], help="execute no other notebook"
    )
    building.add_argument("--check", default="0", help="time of the units to measure again, such as 60s, 10m or all")
    running = add("rerun", _rerun, where)
    running.add_argument("notebook", type=name_of_notebook)
    running.add_argument("parameters", nargs="*", help="key=value ..., a YAML file, or help")
    running.add_argument("--words", default="", help="the same as one text, quoted as in a shell")
    running.add_argument("--render", action="store_true", help="render the page and print its path")
    of_stale = add("measure", lambda to: measuring.measure_stale(to.only, to.jobs, to.scheduler, to.all), some, where)
    of_stale.add_argument("--all", action="store_true", help="readings and comparisons of methods, too")
    replaying = add("check", _check, where)
    replaying.add_argument("budget", help="time of the units to measure again, such as 60s, 10m or all")
    add("lint", lambda to: sources.lint())
    add("strip", lambda to: sources.strip())
    add("rows", lambda to: write_row_counts())
    add("package", lambda to: measuring.update())
    add("paper", lambda to: sources.write_paper(to.key)).add_argument("key", help="author and year, such as peng2005")
    reporting = add("report", _report_on)
    reporting.add_argument("csv", help="a CSV file with a header line")
    reporting.add_argument("target", help="the column to predict")
    reporting.add_argument("--words", default="", help="options of python -m fscore report, quoted as in a shell")
    options = parser.parse_args(arguments)

    origin = Path(importlib.util.find_spec("fscore").origin)
    if origin.parents[1] != ROOT:
        raise RunError("Python imports another copy of fscore than this project's; run 'make' here to install it.")
    check_names(getattr(options, "only", ()), notebook_files())
    options.run(options)


def _build(options):
    check.budget_of(options.check)  # refuses it before anything runs
    check_names(options.pages, all_notebook_files())
    with one_build_at_a_time():
        build.build(options.jobs, options.pages, options.check, options.scheduler)


def _check(options):
    check.budget_of(options.budget)
    try:
        check.extend(options.budget, options.jobs)
    finally:
        measuring.update()


def _rerun(options):
    words = [*options.parameters, *split(options.words)]
    rerun(options.notebook, words, jobs=options.jobs, scheduler=options.scheduler, render=options.render)


def _report_on(options):
    """The library's own command takes over this process, so that Ctrl-C and the exit status are its own."""
    words = [f"--target={options.target}", *split(options.words), "--", options.csv]
    os.execv(sys.executable, [sys.executable, "-m", "fscore", "report", *words])


def _report(failure):
    """As Python does, but for joblib's manager of processes, which fails where Ctrl-C takes its work away."""
    if type(failure.thread).__name__ != "_ExecutorManagerThread":
        threading.__excepthook__(failure)


if __name__ == "__main__":
    threading.excepthook = _report
    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        exit_with(main)
    except (RunError, ParameterError) as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Interrupted. What is finished is kept; the same command goes on from there.")
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        where = error.filename or tempfile.gettempdir()
        sys.exit(f"Cannot write {where}: {error.strerror}. Free disk space or correct the permissions, then repeat.")

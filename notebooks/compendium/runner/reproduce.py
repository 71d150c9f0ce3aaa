"""Build the same notebooks several times, in different places, and compare every table byte for byte."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from compendium.frames import from_json, to_json
from compendium.papers import ROOT
from compendium.results import read_results
from compendium.runner.notebooks import RunError

__all__ = ["build_copy", "compare_builds", "copy_project", "hashes", "reproduce", "untimed"]

PARTS = ("fscore", "notebooks", "data", "requirements.lock", "pyproject.toml")
UNTIMED = "seconds"  # metrics and columns whose name contains it are durations, which differ from run to run
START = 60  # seconds until the scheduler of the local cluster has written its address


def reproduce(only=()):
    """Build the quick profile in copies of the project: with one job, with two jobs, and on a Dask cluster.

    Parameters
    ----------
    only : sequence of str, optional
        Names of notebooks; by default all.

    Raises
    ------
    RunError
        If a table differs.
    """
    builds = {"one job": partial(build_copy, "--jobs", "1"), "two jobs": partial(build_copy, "--jobs", "2")}
    if find_spec("distributed"):
        builds["cluster"] = _build_on_a_cluster
    else:
        print("The package distributed is not installed: there is no build on a cluster.")
    found = {}
    with tempfile.TemporaryDirectory(prefix="fscore-reproduce-") as scratch:
        for number, (name, build) in enumerate(builds.items(), start=1):
            print(f"Build {number} of {len(builds)}: {name}.", flush=True)
            folder = copy_project(Path(scratch, f"copy {number}"))
            build(folder=folder, only=only)
            found[name] = hashes(read_results(folder / "results" / "quick"))
    table = compare_builds(found)
    print(table.to_string(index=False))
    differing = table[table[list(found)].nunique(axis=1) > 1]
    if len(differing):
        names = ", ".join(f"{row.notebook}: {row.table}" for row in differing.itertuples())
        raise RunError(f"{len(differing)} of {len(table)} tables differ between {len(found)} builds: {names}.")
    print(f"All {len(table)} tables of {len(found)} builds are equal, byte for byte; durations were left out.")


def copy_project(folder):
    """Copy what a build needs into a new folder, and return that."""
    folder.mkdir()
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nbc", "*.nbi"))
        else:
            shutil.copy(source, folder / name)
    return folder


def _build_on_a_cluster(folder, only):
    with _cluster_of_two(folder) as address:
        build_copy("--jobs", "1", "--scheduler", address, folder=folder, only=only)


def build_copy(*options, folder, only, variables=None):
    """Build the quick profile in a copy of the project.

    Parameters
    ----------
    *options : str
        Of the command ``build``.
    folder : Path
    only : sequence of str
        Names of notebooks; empty for all.
    variables : dict, optional
        Environment variables of the build.

    Raises
    ------
    RunError
        If the build fails.
    """
    command = [sys.executable, "notebooks/run.py", "build", "--profile", "quick", *options, *only]
    if subprocess.run(command, cwd=folder, env=_environment(folder) | (variables or {})).returncode:
        raise RunError("a build failed; the message above says where.")


def _environment(folder):
    paths = [str(folder), str(folder / "notebooks")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "FSCORE_CACHE": str(folder / "units")}


@contextmanager
def _cluster_of_two(folder):
    """A Dask scheduler and two worker processes that run the copy's code; yields the scheduler's address."""
    contact = folder / "scheduler.json"
    local = ("--scheduler-file", str(contact), "--no-dashboard")
    with ExitStack() as stack:
        start = time.monotonic()
        scheduler = _started(stack, folder, "scheduler", "--host", "127.0.0.1", "--port", "0", *local)
        while not contact.exists():
            if scheduler.poll() is not None or time.monotonic() > start + START:
                said = (folder / "scheduler.log").read_text(encoding="utf-8", errors="replace").strip()
                raise RunError(f"the scheduler of the cluster has not started; it said: {said[-500:] or 'nothing'}")
            time.sleep(0.1)
        _started(stack, folder, "worker", "--nworkers", "2", "--nthreads", "1", *local)
        yield json.loads(contact.read_text(encoding="utf-8"))["address"]


def _started(stack, folder, command, *options):
    """A process of Dask that ends with the stack; its messages are kept in a file."""
    log = stack.enter_context((folder / f"{command}.log").open("wb"))
    words = [sys.executable, "-m", "dask", command, *options]
    process = subprocess.Popen(words, cwd=folder, env=_environment(folder), stdout=log, stderr=log)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process


def hashes(results):
    """SHA-256 of every table, without durations.

    Parameters
    ----------
    results : dict of str to dict
        As from `compendium.results.read_results`.

    Returns
    -------
    dict of (str, str) to (int, str)
        Number of rows and hash, by notebook and table.
    """
    return {
        (notebook, name): (len(frame), hashlib.sha256(json.dumps(to_json(frame)).encode()).hexdigest())
        for notebook, content in results.items()
        for name, frame in ((name, untimed(from_json(table))) for name, table in content["tables"].items())
    }


def untimed(frame):
    """A table without its durations."""
    frame = frame.loc[:, [UNTIMED not in str(name) for name in frame.columns]]
    return frame[~frame["metric"].astype(str).str.contains(UNTIMED)] if "metric" in frame else frame


def compare_builds(builds):
    """Put the hashes of several builds side by side.

    Parameters
    ----------
    builds : dict of str to dict
        By name of the build, what `hashes` returns.

    Returns
    -------
    DataFrame
        notebook, table, rows, and for each build the hash's first 16 digits; "missing" without the table.
    """
    rows = []
    for key in sorted({key for found in builds.values() for key in found}):
        n_rows, codes = zip(*(found.get(key, (0, "missing")) for found in builds.values()), strict=True)
        rows.append((*key, max(n_rows), *(code[:16] for code in codes)))
    return pd.DataFrame(rows, columns=["notebook", "table", "rows", *builds])

"""Build the same notebooks twice, in two places, and compare every table byte for byte."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from compendium.frames import from_json, to_json
from compendium.papers import ROOT
from compendium.results import read_results
from compendium.runner.notebooks import RunError

__all__ = ["compare_builds", "hashes", "reproduce", "untimed"]

PARTS = ("fscore", "notebooks", "data", "requirements.lock", "pyproject.toml")
UNTIMED = "seconds"  # metrics and columns whose name contains it are durations, which differ from run to run


def reproduce(only=()):
    """Build the quick profile in two copies of the project, with one and with two jobs, and compare their tables.

    Parameters
    ----------
    only : sequence of str, optional
        Names of notebooks; by default all.

    Raises
    ------
    RunError
        If a table differs.
    """
    with tempfile.TemporaryDirectory(prefix="fscore-reproduce-") as scratch:
        folders = [_copy(Path(scratch, name)) for name in ("first", "a second copy")]
        for jobs, folder in enumerate(folders, start=1):
            print(f"Build {jobs} of 2, with {jobs} {'job' if jobs == 1 else 'jobs'}.", flush=True)
            _build(folder, jobs, only)
        table = compare_builds(*(hashes(read_results(folder / "results" / "quick")) for folder in folders))
    print(table.to_string(index=False))
    differing = table[table["first"] != table["second"]]
    if len(differing):
        names = ", ".join(f"{row.notebook}: {row.table}" for row in differing.itertuples())
        raise RunError(f"{len(differing)} of {len(table)} tables differ between two builds: {names}.")
    print(f"All {len(table)} tables are equal, byte for byte; durations were left out.")


def _copy(folder):
    folder.mkdir()
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nbc", "*.nbi"))
        else:
            shutil.copy(source, folder / name)
    return folder


def _build(folder, jobs, only):
    paths = [str(folder), str(folder / "notebooks")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "FSCORE_CACHE": str(folder / "units")}
    command = [sys.executable, "notebooks/run.py", "build", "--profile", "quick", "--jobs", str(jobs), *only]
    if subprocess.run(command, cwd=folder, env=environment).returncode:
        raise RunError("a build failed; the message above says where.")


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


def compare_builds(first, second):
    """Put the hashes of two builds side by side.

    Parameters
    ----------
    first, second : dict
        As from `hashes`.

    Returns
    -------
    DataFrame
        notebook, table, rows, first, second (the hashes' first 16 digits; "missing" without the table).
    """
    missing = (0, "missing")
    rows = [
        (*key, first.get(key, missing)[0], first.get(key, missing)[1][:16], second.get(key, missing)[1][:16])
        for key in sorted({*first, *second})
    ]
    return pd.DataFrame(rows, columns=["notebook", "table", "rows", "first", "second"])

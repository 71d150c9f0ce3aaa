"""Build the same notebooks with this processor's instructions and with those of an older one; measure what differs.

Linear algebra libraries and numpy choose their instructions when they are loaded, and compiled loops are made for the
processor. All three can be told to do without the newer instructions, so one machine shows what another would compute.
"""

import platform
import tempfile
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from compendium.papers import DATA
from compendium.results import read_results, tables_of
from compendium.runner.notebooks import RunError
from compendium.runner.reproduce import build_copy, copy_project, untimed
from fscore._files import write_atomically

__all__ = ["compare_processors", "differences"]

MEASURED = DATA / "measured" / "processors.csv"
OLDER = "nehalem"  # of 2008: the last one by its maker without vectors of more than two numbers


def compare_processors(only=()):
    """Build the quick profile twice, and write how much the tables of each notebook differ.

    Parameters
    ----------
    only : sequence of str, optional
        Names of notebooks; by default all, and only then the table of the page on trust is replaced.

    Raises
    ------
    RunError
        If this processor is not of the x86-64 family, or a build fails.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        raise RunError(f"the older processor is of the x86-64 family, this machine's is {platform.machine()}.")
    found = []
    with tempfile.TemporaryDirectory(prefix="fscore-processors-") as scratch:
        for number, variables in enumerate(({}, older_instructions()), start=1):
            print(f"Build {number} of 2: {'an older' if variables else 'this'} processor's instructions.", flush=True)
            folder = copy_project(Path(scratch, f"copy {number}"))
            build_copy(folder=folder, only=only, variables=variables)
            found.append(read_results(folder / "results" / "quick"))
    table = differences(*found)
    print(table.to_string(index=False))
    if not only:
        write_atomically(MEASURED, table.to_csv(index=False, lineterminator="\n"))


def older_instructions():
    """Environment variables that keep OpenBLAS, numpy and numba from newer instructions."""
    newer = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "OPENBLAS_CORETYPE": OLDER.capitalize(),
        "NPY_DISABLE_CPU_FEATURES": " ".join(newer),
        "NUMBA_CPU_NAME": OLDER,
    }


def differences(one, other):
    """How much the tables of two builds differ.

    Parameters
    ----------
    one, other : dict of str to dict
        As from `compendium.results.read_results`.

    Returns
    -------
    DataFrame
        By notebook with tables: numbers (in the first build) and how many of them differ; the largest difference, as a
        share of the greatest number in its column; how many other cells differ. Durations are left out.
    """
    names = [name for name in sorted(one) if one[name]["tables"]]
    return pd.DataFrame([{"notebook": name, **_summary(one[name], other[name])} for name in names])


def _summary(one, other):
    one, other = tables_of(one), tables_of(other)
    tables = [_compared(untimed(one[name]), untimed(other[name])) for name in one]
    shares = np.concatenate([t[0] for t in tables])
    others = np.concatenate([t[1] for t in tables])
    largest = shares.max(initial=0.0)
    return {
        "numbers": len(shares),
        "numbers that differ": int((shares > 0).sum()),
        "largest difference": f"{largest:.0e}" if largest else "",
        "other cells that differ": int(others.sum()),
    }


def _compared(one, other):
    """The differences of all numbers, as shares of the greatest in the column; whether each other cell differs."""
    if list(one.columns) != list(other.columns) or len(one) != len(other):
        return np.empty(0), np.ones(one.size, dtype=bool)
    shares, differ = [], []
    for a, b in ((one.iloc[:, c], other.iloc[:, c]) for c in range(one.shape[1])):
        pairs = [pair for cells in zip(a, b, strict=True) for pair in _parts(*cells)]
        numbers = np.array([pair for pair in pairs if all(map(_is_number, pair))], dtype=float).reshape(-1, 2)
        greatest = np.abs(numbers).max(initial=0.0)
        shares.append(np.abs(numbers[:, 0] - numbers[:, 1]) / (greatest or 1.0))
        differ += [
            u != v and not (_is_missing(u) and _is_missing(v))
            for u, v in pairs
            if not (_is_number(u) and _is_number(v))
        ]
    return np.concatenate(shares or [np.empty(0)]), np.array(differ, dtype=bool)


def _parts(u, v):
    """Pairs of the entries of two tuples of the same length; otherwise the pair itself."""
    if isinstance(u, tuple) and isinstance(v, tuple) and len(u) == len(v):
        return [pair for cells in zip(u, v, strict=True) for pair in _parts(*cells)]
    return [(u, v)]


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and np.isfinite(value)


def _is_missing(value):
    return value is None or (isinstance(value, float) and np.isnan(value))

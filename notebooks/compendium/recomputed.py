"""What a build recomputed, compared with the reference: means with their standard errors, table by table."""

import numpy as np
import pandas as pd
from scipy import stats

from compendium.tables import in_words

__all__ = ["agreement", "compare_means", "largest_differences"]

REPETITIONS = ("repeat", "fold", "split", "start", "run")  # columns that number repetitions
SETTINGS = ("nu", "k", "tau", "lambda", "alpha", "delete_rate", "distance", "factor")  # numbers that identify a row
DERIVED = ("sd", "std", "n", "count", "error", "place", "critical_difference")
LEVEL = 0.95
COLUMNS = ["equal", "within its error", "outside", "no error known"]


def compare_means(measured, accepted):
    """Compare the means of two tables of the same experiment.

    Parameters
    ----------
    measured, accepted : DataFrame
        Tidy tables with a column ``value``, or wide ones, whose columns of floats are compared. Rows that differ only
        in the number of the repetition are averaged.

    Returns
    -------
    DataFrame
        One row for each mean that both tables have: what it is (``item``), ``here``, ``reference``, ``error`` (the
        standard error of the difference, NaN if neither table repeats the measurement), ``errors`` (the difference in
        standard errors) and ``verdict``, one of `COLUMNS`. The spread is that of the reference (or of ``measured``, if
        the reference has no repetitions) and the interval Student's at 95 %, so that one in twenty correct means is
        outside. Durations are omitted: they depend on the machine.
    """
    keys = [name for name in _keys(measured) if name in _keys(accepted)]
    both = _means(measured, keys).merge(
        _means(accepted, keys), left_index=True, right_index=True, suffixes=("_here", "_reference")
    )
    items = [
        ", ".join(in_words(part) for part in np.atleast_1d(np.array(key, dtype=object)) if part != "")
        for key in both.index
    ]
    variance = both["var_reference"].fillna(both["var_here"])
    freedom = both["count_reference"].where(both["var_reference"].notna(), both["count_here"]) - 1
    error = np.sqrt(variance * (1 / both["count_reference"] + 1 / both["count_here"]))
    difference = both["mean_here"] - both["mean_reference"]
    equal = np.isclose(both["mean_here"], both["mean_reference"], rtol=1e-9, atol=1e-12, equal_nan=True)
    within = difference.abs() <= stats.t.ppf((1 + LEVEL) / 2, freedom.clip(lower=1)) * error
    table = pd.DataFrame(
        {
            "item": items,
            "here": both["mean_here"].to_numpy(),
            "reference": both["mean_reference"].to_numpy(),
            "error": error.to_numpy(),
            "errors": (difference / error.where(error > 0)).fillna(np.inf * np.sign(difference)).to_numpy(),
            "verdict": np.select([equal, error.isna(), within], [COLUMNS[0], COLUMNS[3], COLUMNS[1]], COLUMNS[2]),
        }
    )
    return table[np.array(["second" not in item for item in items], dtype=bool)].reset_index(drop=True)


def _keys(frame):
    """The columns that identify what was measured."""
    return [name for name in frame.columns if name not in _values(frame) and not _derived(name)]


def _values(frame):
    """The columns that hold measured numbers."""
    if "value" in frame:
        return ["value"]
    floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name])]
    return [name for name in floats if name not in SETTINGS and not _derived(name)]


def _derived(name):
    return name in REPETITIONS or name in DERIVED or name.endswith("_sd") or name.startswith("sd_")


def _means(frame, keys):
    """Mean, variance and count by keys and column."""
    long = frame.melt(id_vars=keys, value_vars=_values(frame), var_name="column of", value_name="measured")
    by = [*keys, *(["column of"] if _values(frame) != ["value"] else [])] or ["column of"]
    long[by] = long[by].astype(object).where(long[by].notna(), "")  # equal keys, also if one table has no NaN
    return long.groupby(by, sort=False)["measured"].agg(["mean", "var", "count"])


def agreement(measured, accepted):
    """Count by table how the means of a run agree with those of the reference.

    Parameters
    ----------
    measured, accepted : dict of str to DataFrame
        Tables of the same names.

    Returns
    -------
    DataFrame
        One row for each table that has numbers in common: ``table``, ``rows here``, ``rows in the reference``, ``means
        compared``, and how many of them are equal, within the error, outside, or without a known error.
    """
    rows = []
    for name, frame in measured.items():
        verdicts = compare_means(frame, accepted[name])["verdict"]
        row = {"table": name.replace("_", " "), "rows here": len(frame), "rows in the reference": len(accepted[name])}
        counts = verdicts.value_counts().reindex(COLUMNS, fill_value=0)
        rows.append(row | {"means compared": len(verdicts)} | counts.to_dict())
    return pd.DataFrame(rows)


def largest_differences(measured, accepted, n=5):
    """The means that lie farthest outside their error.

    Parameters
    ----------
    measured, accepted : dict of str to DataFrame
    n : int, default=5

    Returns
    -------
    DataFrame
        At most ``n`` rows: ``table``, ``what``, ``here``, ``reference``, ``difference in standard errors``.
    """
    found = []
    for name, frame in measured.items():
        compared = compare_means(frame, accepted[name])
        found.append(compared[compared["verdict"] == COLUMNS[2]].assign(table=name.replace("_", " ")))
    columns = ["table", "item", "here", "reference", "errors"]
    rows = pd.concat(found, ignore_index=True)[columns] if found else pd.DataFrame(columns=columns)
    rows = rows.sort_values("errors", key=lambda errors: -errors.abs(), kind="stable").head(n)
    return rows.rename(columns={"item": "what", "errors": "difference in standard errors"}).reset_index(drop=True)

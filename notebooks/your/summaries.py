"""What the pages show of the tables of the report and of its bench."""

import html

import numpy as np
import pandas as pd

from compendium.inference import mean_interval, share_interval
from compendium.published import published

__all__ = ["advice", "by_trap", "columns", "goals", "patterns", "rankings", "real_sets", "rebuild"]

SOMOL_NAMES = {"iono": "ionosphere", "wpbc": "wpbc_31"}  # others are those of the registry
TASKS = ("classification", "regression")


def goals(tables):
    """Each promise of the report with its goal, what was measured, and whether the goal is met.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `your.data_bench.DataBench`.

    Returns
    -------
    DataFrame
        promise, goal, measured, interval (95 %), met: by the interval, since few files can't tell.
    """
    outcomes = tables.traps["outcome"]
    planted = outcomes[outcomes.isin(["found", "missed"])]
    n_files = tables.traps["file"].nunique()
    alarmed = tables.traps.loc[outcomes == "false alarm", "file"].nunique()
    rows = [
        _share("planted traps found", "at least 95 %", (planted == "found").sum(), len(planted), (0.95, 1.0)),
        _share("files with a false alarm", "at most 5 %", alarmed, n_files, (0.0, 0.05)),
    ]
    right = tables.patterns["right"]
    rows.append(
        _share("right answers on files after public ones", "at least 90 %", right.sum(), len(right), (0.9, 1.0))
    )
    held = tables.scores["holdout"].between(tables.scores["lower"], tables.scores["upper"])
    promise = "90 % intervals that hold the hold-out score (all files)"
    rows.append(_share(promise, "85 to 95 %", held.sum(), len(held), (0.85, 0.95)))
    for task in TASKS:
        scores = tables.scores[tables.scores["task"] == task]
        if len(scores) < 2:
            continue
        error = scores["honest"] - scores["holdout"]
        promise = f"{task}: honest score minus hold-out, mean"
        rows.append(_row(promise, "within 0.01", error.mean(), mean_interval(error), (-0.01, 0.01), "+.3f"))
        covered = held[scores.index]
        promise = f"{task}: 90 % intervals that hold the hold-out score"
        rows.append(_share(promise, "85 to 95 %", covered.sum(), len(covered), (0.85, 0.95)))
    for name, part in (("all files", tables.rankings), *tables.rankings.groupby("effect", sort=False)):
        gain, best = _against_best(part)
        name = name if name == "all files" else f"target depends on a {name}"
        promise = f"relevant columns found by the report minus by the best single method, {best} ({name})"
        rows.append(_row(promise, "at least 0", gain.mean(), mean_interval(gain), (0.0, np.inf), "+.3f"))
        others = part[part["method"] != best]
        if (gain == 0).all() and not _singles(others).empty:  # a tie with itself says little, the next best more
            gain, other = _against_best(others)
            promise = f"the same, without {best}, which the report equals in every file: {other} ({name})"
            rows.append(_row(promise, "at least 0", gain.mean(), mean_interval(gain), (0.0, np.inf), "+.3f"))
    return pd.DataFrame(rows)


def _row(promise, goal, value, interval, wanted, form):
    low, high = interval
    between = f"{low:{form}} to {high:{form}}" if np.isfinite(high - low) else "one file"
    return {
        "promise": promise,
        "goal": goal,
        "measured": f"{value:{form}}",
        "interval": between,
        "met": _met(interval, wanted),
    }


def _met(interval, wanted):
    """Yes if the whole interval lies within the wanted one, no if none of it does."""
    (low, high), (least, most) = interval, wanted
    if least <= low and high <= most:
        return "✓ yes"
    return "✗ no" if high < least or low > most else "◌ can't tell"


def _share(promise, goal, hits, n, wanted):
    return _row(promise, goal, hits / n, share_interval(int(hits), int(n)), wanted, ".1%")


def _against_best(rankings):
    """Share found by the report minus that of the method with the largest mean, by file; the name of that method."""
    singles = _singles(rankings)
    best = singles.mean().idxmax()
    return rankings[rankings["method"] == "report"].set_index("file")["value"] - singles[best], best


def _singles(rankings):
    """Shares found by each method that ranked in all files."""
    wide = rankings.pivot(index="file", columns="method", values="value")
    return wide.drop(columns=["report"]).dropna(axis=1)


def by_trap(tables):
    """Each kind of trap: how often it was planted and found, and the alarms without one.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
    """
    counts = tables.traps.pivot_table(index="trap", columns="outcome", values="file", aggfunc="count", fill_value=0)
    counts = counts.reindex(columns=["found", "missed", "false alarm"], fill_value=0).drop(
        index="none", errors="ignore"
    )
    counts.insert(0, "planted", counts["found"] + counts["missed"])
    return counts.rename_axis(columns=None).reset_index()


def patterns(tables):
    """Each file after the pattern of a public one, with the questions that the report answered wrongly.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
        file, traps (that are there), asked, right, wrong answers.
    """
    rows = []
    for file, asked in tables.patterns.groupby("file", sort=False):
        wrong = [f"{row.question}: {row.answer}" for row in asked[~asked["right"]].itertuples()]
        traps = asked.loc[asked["question"] == "traps", "expected"].iloc[0]
        rows.append([file, traps, len(asked), int(asked["right"].sum()), "; ".join(wrong)])
    return pd.DataFrame(rows, columns=["file", "traps in it", "questions", "right", "wrong answers"])


def rankings(tables):
    """Mean share of relevant columns that each method ranks first, by task and effect; best first.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
    """
    found = tables.rankings
    cases = found["task"] + ", " + found["effect"]
    wide = found.assign(case=cases).pivot_table(index="method", columns="case", values="value", sort=False)
    wide.insert(0, "all files", found.groupby("method")["value"].mean())
    complete = wide.notna().all(axis=1)
    wide.loc[~complete, "all files"] = np.nan  # a method that ranks for one task only
    return wide.sort_values("all files", ascending=False).rename_axis(columns=None).reset_index()


def real_sets(tables):
    """Each real data set beside what a paper found with 3-NN and sequential searches on it.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
        The paper's columns are its mean accuracy and subset size of the searches with one k (Table 3), where printed.
    """
    printed = published("somol2011").query("table == '3' and k == '3' and metric in ['rate', 'size']")
    printed = printed.replace({"dataset": SOMOL_NAMES}).pivot(index="dataset", columns="metric", values="value")
    rows = []
    for _, row in tables.real.iterrows():
        there = printed.loc[row["dataset"]] if row["dataset"] in printed.index else None
        rows.append(
            {
                "dataset": row["dataset"],
                "columns": row["features"],
                "chosen": row["chosen"],
                "paper chose": np.nan if there is None else float(there["size"]),
                "accuracy": row["accuracy"],
                "paper's accuracy": np.nan if there is None else float(there["rate"]),
                "balanced accuracy": f"{row['honest']:.2f} ({row['lower']:.2f} to {row['upper']:.2f})",
                "with all": row["all_columns"],
                "traps": row["traps"] or "none",
                "advice": row["sentence"].partition(":")[0],
            }
        )
    return pd.DataFrame(rows)


def columns(tables):
    """The table ``columns``; a category's columns are listed if there is one.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `your.data.Data`.

    Returns
    -------
    DataFrame
    """
    listed = tables.columns
    return listed.drop(columns="columns") if (listed["columns"] == listed["name"]).all() else listed


def advice(tables):
    """The sentence to act on, and where the files are.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `your.data.Data`.

    Returns
    -------
    list of str
    """
    row = tables.advice.iloc[0]
    said = [row["sentence"], *([row["question"]] if row["question"] else [])]
    said.append(f"{row['rows']:,} rows in use, {row['columns']:,} columns to choose from, {row['task']}.")
    if row["folder"]:
        said.append(
            f"The report as one file, the list of columns, the fitted model and its lines are in {row['folder']}."
        )
    return said


def rebuild(tables):
    """The lines of Python that make the model again, as HTML.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    str
    """
    return f"<pre><code>{html.escape(chr(10).join(tables.lines['line']))}</code></pre>"

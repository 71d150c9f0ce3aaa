"""The promises of the report, judged by the tables of its bench."""

import numpy as np
import pandas as pd

from compendium.inference import mean_interval, share_interval

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
        promise, goal, measured, interval (95%), met: by the interval, since few files can't tell.
    """
    outcomes = tables.traps["outcome"]
    planted = outcomes[outcomes.isin(["found", "missed"])]
    n_files = tables.traps["file"].nunique()
    alarmed = tables.traps.loc[outcomes == "false alarm", "file"].nunique()
    rows = [
        _share("planted traps found", "at least 95%", (planted == "found").sum(), len(planted), (0.95, 1.0)),
        _share("files with a false alarm", "at most 5%", alarmed, n_files, (0.0, 0.05)),
    ]
    right = tables.patterns["right"]
    rows.append(_share("right answers on files after public ones", "at least 90%", right.sum(), len(right), (0.9, 1.0)))
    held = tables.scores["holdout"].between(tables.scores["lower"], tables.scores["upper"])
    promise = "90% intervals that hold the hold-out score (all files)"
    rows.append(_share(promise, "85 to 95%", held.sum(), len(held), (0.85, 0.95)))
    for task in TASKS:
        scores = tables.scores[tables.scores["task"] == task]
        if len(scores) < 2:
            continue
        error = scores["honest"] - scores["holdout"]
        promise = f"{task}: honest score minus hold-out, mean"
        rows.append(_row(promise, "within 0.01", error.mean(), mean_interval(error), (-0.01, 0.01), "+.3f"))
        covered = held[scores.index]
        promise = f"{task}: 90% intervals that hold the hold-out score"
        rows.append(_share(promise, "85 to 95%", covered.sum(), len(covered), (0.85, 0.95)))
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


def in_one_line(judged):
    """How many promises hold, fail, and need more files, in a sentence.

    Parameters
    ----------
    judged : DataFrame
        As from `goals`.

    Returns
    -------
    str
    """
    yes, no = (judged["met"].str.endswith(word).sum() for word in ("yes", "no"))
    n, open_ = len(judged), len(judged) - yes - no
    said = [
        f"{yes or 'none'} of {n} promises {'is' if yes <= 1 else 'are'} shown to hold",
        f"{no or 'none'} {'fails' if no <= 1 else 'fail'}",
    ]
    if open_:
        said.append(f"{open_} {'needs' if open_ == 1 else 'need'} more files")
    return ", ".join(said).capitalize() + "."


def _row(promise, goal, value, interval, wanted, form):
    low, high = interval
    between = f"{low:{form}} to {high:{form}}" if np.isfinite(high - low) else "one file"
    what = {"promise": promise, "goal": goal, "measured": f"{value:{form}}", "interval": between}
    return {**what, "met": _met(interval, wanted)}


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

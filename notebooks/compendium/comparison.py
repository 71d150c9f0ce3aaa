"""Published beside measured: how a paper's printed numbers are graded, and the one way in which pages show them.

The module ``printed`` of each paper compares its numbers with ours::

    PUBLISHED = PublishedNumbers("peng2005", rates={r"^Table 1:": 1.0})

    def comparisons(tables):
        table = compare(printed, tables["accuracy"], ["dataset", "method"])
        return {"Table 1": PUBLISHED.graded("Table 1", table)}

``tables`` are all tables of the paper's experiments, by name (``experiment.name`` where several have a table of that
name). If the module has a function ``as_measured``, it returns the printed numbers in the form of such tables.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from compendium.experiment import experiment_of
from compendium.inference import grouped_error
from compendium.papers import papers, part_of
from compendium.published import GRADES, LEVEL, UNEXPLAINED, explained, graded, rounded_to
from compendium.store import stored_tables

INPUT, METRIC = "input", "metric"
# Each grade with a mark, so that no reader depends on colour.
MARKED = dict(zip(GRADES, (f"{mark} {grade}" for mark, grade in zip("✓✓◐✗✗", GRADES, strict=True)), strict=True))
WORDS = {**MARKED, "differs": "✗ differs", INPUT: f"= {INPUT}"}


@dataclass
class PublishedNumbers:
    """How the printed numbers of a paper are graded.

    Attributes
    ----------
    paper : str
        Key of the paper.
    rates : dict of str to float
        Numbers that are rates, as patterns of "Table 5: madelon, OS, 0.5, test", with the size of one point.
    inputs : str
        Pattern of the numbers that our experiments were given, so that their agreement says nothing.
    """

    paper: str
    rates: Mapping = field(default_factory=dict)
    inputs: str = "(?!)"

    def point(self, name):
        """The size of one point of a number that is a rate; NaN for other numbers."""
        return next((point for pattern, point in self.rates.items() if re.search(pattern, name)), float("nan"))

    def graded(self, table, comparison):
        """Grade a comparison.

        Parameters
        ----------
        table : str
            Its name in print, such as "Table 3", by which recorded explanations are found.
        comparison : DataFrame
            As from `compendium.published.compare`; a column ``item`` names each number, if it is there.

        Returns
        -------
        DataFrame
            With the columns cause, explanation, attainable and grade of `compendium.published.graded`. A number that
            our experiments were given has the grade "input".
        """
        comparison = comparison.reset_index(drop=True)
        if "item" not in comparison:
            on = comparison.columns[: comparison.columns.get_loc("published")]
            comparison["item"] = [", ".join(map(str, case)) for case in comparison[on].itertuples(index=False)]
        frame = explained(comparison, self.paper, table)
        names = [f"{table}: {item}" for item in frame["item"]]
        frame = graded(frame.assign(point=[self.point(name) for name in names])).drop(columns="point")
        given = np.array([re.search(self.inputs, name) is not None for name in names], dtype=bool)
        return frame.assign(grade=np.where(given & (frame["grade"] != ""), INPUT, frame["grade"]))


def side_by_side(comparison, on=None, keep=(), causes=True):
    """The one display of published beside measured; `Page.show` applies it to a comparison.

    Parameters
    ----------
    comparison : DataFrame
        As from `PublishedNumbers.graded`.
    on : list of str, optional
        Columns that identify a case, by default those that were compared on. If ``metric`` is not among them, a case
        has one row, in which each metric has its own columns.
    keep : list of str, optional
        Further columns to show.
    causes : bool, default=True
        Whether to say why a number differs. Causes are recorded for the main reading, not for another one.

    Returns
    -------
    DataFrame
        Only the cases of which a number was measured. The printed number with its spread; ours with the digits of print
        and its standard deviation over repetitions; and the grade with the difference in standard errors where these
        are known.
    """
    on = list(comparison.columns[: comparison.columns.get_loc("published")]) if on is None else list(on)
    comparison = comparison if "sd" in comparison else comparison.assign(sd=np.nan)
    if not causes:
        comparison = comparison.assign(grade=comparison["grade"].replace(dict.fromkeys(GRADES[-2:], "differs")))
    cases = comparison.groupby([name for name in on if name != METRIC] or [METRIC], sort=False, dropna=False)
    measured = comparison[cases["reproduced"].transform("count") > 0]
    wide = METRIC in measured and METRIC not in on
    metrics = measured[METRIC] if METRIC in measured else pd.Series("", measured.index)
    unprinted = {metric: _decimals_without_print(part) for metric, part in measured.groupby(metrics)}
    lines = {}
    for place, (metric, row) in enumerate(zip(metrics, measured.to_dict("records"), strict=True)):
        case = {name: row[name] for name in [*on, *keep]}
        line = lines.setdefault(str(case) if wide else place, case)
        cells = zip(("published", "reproduced", "grade"), _cells(row, unprinted[metric]), strict=True)
        line |= {f"{metric}, {name}" if wide else name: text for name, text in cells}
    return pd.DataFrame(list(lines.values()))


def _cells(row, unprinted):
    """What the cells of one number say."""
    theirs = row.get("spread")
    theirs = f" ± {theirs}" if isinstance(theirs, str) and theirs else ""
    decimals = unprinted if np.isnan(row["published"]) else int(row["decimals"])
    sd = "" if np.isnan(row["sd"]) else f" ± {row['sd']:.{max(decimals, 1)}f}"
    published, ours = (rounded_to(row[name], decimals).replace("nan", "–") for name in ("published", "reproduced"))
    return published + theirs, ours if ours == "–" else ours + sd, in_words(row)


def in_words(row):
    """A number's grade with its mark, the recorded cause, and the difference in standard errors."""
    grade = row["grade"]
    if not grade:
        missing = "not printed" if np.isnan(row["published"]) else "not measured"
        return f"– {missing if np.isnan(row['difference']) else 'error unknown'}"
    cause = f" ({row['cause']})" if grade == "differs, explained" else ""
    return WORDS[grade] + cause + ("" if grade == GRADES[0] else errors_in_words(row["errors"], "se"))


def errors_in_words(size, unit):
    """A difference in standard errors or deviations: ", +0.5 se"; empty if it is unknown."""
    if pd.isna(size) or not np.isfinite(size):
        return ""
    text = f"{size:+.1f}".replace("-", "−")
    return f", {text[1:] if text[1:] == '0.0' else text} {unit}"  # zero has no sign


def _decimals_without_print(part):
    """Decimals of ours where nothing is printed: those of the column, or 0 for whole numbers, 1 from 10 on, else 3."""
    if part["published"].notna().any():
        return int(part["decimals"].max())
    ours = part["reproduced"].astype(float)
    if ours.eq(ours.round()).all() and part["sd"].isna().all():
        return 0
    return 1 if (ours.abs() >= 10).any() or ours.eq(ours.round()).all() else 3


# All numbers ----------------------------------------------------------------------------------------------------------

COLUMNS = ["paper", "table", "item", "published", "reproduced", "n", "error", "difference", "errors", "p", "agrees"]
REASONS = ["theirs", "shared", "repetitions", "errors_of_mean", "cause", "explanation", "grade", "attainable"]
AGREE, KNOWN, OPEN = SHARES = "agree", "differ for a known cause", "differ unexplained"
COUNTS = ["printed", "inputs", "comparable", *GRADES, *SHARES]
WHOLE = [*COUNTS, "attainable", "noisy", "narrow", "beyond_chance"]  # columns of the scoreboard that count
HALF = 0.5 + 1e-9  # of the paper's error: what ours should be at most
SPREADS = r"\b(?:sd|standard deviation)\b"  # in the names of numbers that are spreads
ALL = "all"
REACH = 5  # standard errors that the figure shows
FEWEST = 3  # groups of numbers from which the error of their mean is estimated


@cache
def stored_comparisons():
    """Every printed number of every paper with ours, in the store.

    Papers of which an experiment's table is missing are left out.

    Returns
    -------
    DataFrame
        `COLUMNS`, cause, explanation and grade; one row per printed number. A number that our experiments were given
        has the grade "input".
    """
    tables = stored_tables()
    found = []
    for paper in papers().values():
        own, printed = _tables(paper, tables), part_of(paper.key, "printed")
        if own is None or printed is None:
            continue
        for label, comparison in printed.comparisons(own).items():
            comparison = comparison[comparison["published"].notna() | comparison["reproduced"].isna()]
            found.append(comparison.assign(paper=paper.key, table=label).reindex(columns=[*COLUMNS, *REASONS]))
    if not found:
        return pd.DataFrame(columns=[*COLUMNS, *REASONS])
    return pd.concat([frame.astype({"agrees": object}) for frame in found], ignore_index=True)


def _tables(paper, tables):
    """All tables of a paper's experiments by name; None if one is missing."""
    own, names = {}, Counter(name for notebook in paper.pages for name in experiment_of(notebook).schema)
    for notebook in paper.pages:
        found = tables.get(notebook, {})
        if set(experiment_of(notebook).schema) - set(found):
            return None
        experiment = notebook.removeprefix(f"{paper.key}_")
        for name, table in found.items():
            own[name if names[name] == 1 else f"{experiment}.{name}"] = table
    return own


def beyond_chance(comparisons):
    """Which numbers differ by more than chance would make some of so many differ.

    Of the numbers that are compared by a standard error, those that the procedure of Benjamini and Hochberg (1995)
    finds at a false discovery rate of 5%; and all others that differ, because no chance is known for them.

    Parameters
    ----------
    comparisons : DataFrame
        As from `stored_comparisons`.

    Returns
    -------
    Series of bool
    """
    by_error = _by_error(comparisons)
    beyond = comparisons["agrees"].eq(False)
    if by_error.any():
        beyond[by_error] &= stats.false_discovery_control(comparisons.loc[by_error, "p"]) <= LEVEL
    return beyond


def _by_error(comparisons):
    """Which numbers are compared by a standard error."""
    return comparisons["agrees"].notna() & comparisons["error"].gt(0)


def as_a_whole(comparisons):
    """Test each table, and all tables of a paper, as a whole: do the numbers lie above or below print on average?

    Parameters
    ----------
    comparisons : DataFrame
        As from `stored_comparisons`. Only numbers that are compared by a standard error count, no inputs, and no
        spreads. Numbers that differ for a recorded cause count, too: to leave them out would favor the other direction.

    Returns
    -------
    DataFrame
        paper, table ("all" for those of a paper that has several), n (numbers), mean (of ours minus print, in standard
        errors), low, high (95%), ``off``: "above", "below", or empty if the interval contains zero; ``carried_by``:
        the data set (first word of ``item``) without which the mean would be less than half as large, and not off; else
        empty; ``explained``: whether it would be so without misprints, and without any number of a data set and
        quantity (last word of ``item``) in which a difference has another recorded cause.

    Notes
    -----
    Where a number is one of our repetitions, ``errors_of_mean`` is the difference of their mean, which counts here.
    Numbers of a table share data and splits. Where both sides repeated the experiment, our repetitions say how much of
    their error they share (see `compendium.published.compare`): then the test is about these data sets. Otherwise
    numbers of one data set, the first word of ``item``, may depend on each other in any way, and data sets are taken
    to be independent; with fewer than three of them, all numbers are taken to share all of their error, and the mean
    has an error of one.
    """
    rows = []
    means = comparisons["table"].str.startswith("Table") & ~comparisons["item"].str.contains(SPREADS)
    counted = comparisons[_by_error(comparisons) & means & comparisons["grade"].ne("input")]
    several = counted.groupby("paper")["table"].transform("nunique") > 1
    both = pd.concat([counted, counted[several].assign(table=ALL)])
    for (paper, table), part in both.groupby(["paper", "table"], sort=False):
        words = part["item"].str.split(", ")
        part = part.assign(group=words.str[0], quantity=words.str[0] + words.str[-1])
        mean, reach = _mean_and_reach(part)
        off = "above" if mean > reach else "below" if mean < -reach else ""
        groups = part["group"].unique() if off else ()
        left = {group: _left(part[part["group"] != group], mean) for group in groups}
        carried_by = min(left, key=left.get) if left and min(left.values()) < np.inf else ""
        misprint = part["cause"].eq("misprint")
        shifted = part.loc[~misprint & ~part["cause"].isin(["", UNEXPLAINED]), "quantity"]
        explained = bool(off) and _left(part[~misprint & ~part["quantity"].isin(shifted)], mean) < np.inf
        rows.append((paper, table, len(part), mean, mean - reach, mean + reach, off, carried_by, explained))
    columns = ["paper", "table", "n", "mean", "low", "high", "off", "carried_by", "explained"]
    return pd.DataFrame(rows, columns=columns)


def _left(rest, mean):
    """What is left of the mean in a part of the table; infinite if that is more than half of it, or off as well."""
    left, reach = map(abs, _mean_and_reach(rest)) if len(rest) else (np.inf, 0.0)
    return left if left <= min(reach, abs(mean) / 2) else np.inf


def _mean_and_reach(part):
    """Mean of differences in standard errors, and half the width of its interval."""
    errors = part["errors_of_mean"].fillna(part["errors"]).astype(float).to_numpy()
    repeated = part["shared"].dropna()
    n_groups = part["group"].nunique()
    if part["table"].iloc[0] != ALL and len(repeated) == len(part) and repeated.mean() > 0:
        reach = stats.t.ppf(1 - LEVEL / 2, part["repetitions"].min() - 1) * np.sqrt(repeated.mean())
    elif n_groups >= FEWEST:
        reach = stats.t.ppf(1 - LEVEL / 2, n_groups - 1) * grouped_error(errors, part["group"])
    else:
        reach = stats.norm.ppf(1 - LEVEL / 2)
    return errors.mean(), reach


def scoreboard(comparisons):
    """Count the printed numbers by paper, table and grade.

    Parameters
    ----------
    comparisons : DataFrame
        As from `stored_comparisons`.

    Returns
    -------
    DataFrame
        paper, table, printed (numbers), inputs (given to our experiments, so not compared), comparable (all others that
        we have a value for), the grades; agree (within chance), differ for a known cause, differ unexplained;
        attainable, how many could be identical or close given the paper's own noise;
        noisy, how many have a standard error that is known on both sides; narrow, in how many of these ours is at most
        half of the paper's; ratio, the median of ours to the paper's;
        by_chance, how many numbers would differ on average if all that are compared
        by a standard error were equal; and beyond_chance, how many of the unexplained `beyond_chance` finds.
    """
    grade = comparisons["grade"]
    flags = pd.DataFrame({"printed": True, "inputs": grade.eq("input"), "comparable": grade.isin(GRADES)})
    flags = flags.assign(**{name: grade.eq(name) for name in GRADES})
    flags[AGREE] = flags[list(GRADES[:3])].any(axis=1)
    flags[KNOWN], flags[OPEN] = (flags[name] for name in GRADES[3:])
    flags["attainable"] = flags["comparable"] & comparisons["attainable"].eq(True)
    ratio = _ratio(comparisons).where(flags["comparable"])
    flags["noisy"], flags["narrow"] = ratio.notna(), ratio <= HALF
    flags["by_chance"] = LEVEL * (_by_error(comparisons) & ~flags["inputs"])
    flags["beyond_chance"] = flags["differs, unexplained"] & beyond_chance(comparisons)
    by = [comparisons["paper"], comparisons["table"]]
    counts = flags.groupby(by, sort=False).sum().astype(dict.fromkeys(WHOLE, int))
    return counts.assign(ratio=ratio.groupby(by, sort=False).median()).reset_index()


def _ratio(comparisons):
    """Our part of the standard error of each difference in units of the paper's; NaN where one is unknown."""
    both, theirs = comparisons["error"].astype(float), comparisons["theirs"].astype(float)
    return np.sqrt((both**2 - theirs**2).clip(lower=0)) / theirs.where(theirs > 0)


def mean_in_words(row):
    """The mean difference of a row of `as_a_whole`, its interval, and of a table that is off by which data and why."""
    said = f"{row['mean']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
    if not row["off"]:
        return said
    carried = f"; not so without {row['carried_by']}" if row["carried_by"] else ""
    return f"{said}, {row['off']} print{carried}; {'explained below' if row['explained'] else 'unexplained'}"


def differences_figure(compared, whole, *, row=0.24, ink="black"):
    """A figure with one row per table.

    Parameters
    ----------
    compared : DataFrame
        As from `stored_comparisons`.
    whole : DataFrame
        The rows, as from `as_a_whole`. One without a mean has a hollow square at zero, and its
        ``note`` beside it.
    row : float, default=0.24
        Height of a row, in inches.
    ink : str, default="black"
        Color of lines and text.

    Returns
    -------
    matplotlib Figure
    """
    compared = compared[compared["grade"].ne("input")]
    figure = Figure(figsize=(4.2, row * len(whole) + 0.8), layout="constrained")
    axes = figure.add_subplot()
    labels = []
    for place, table in enumerate(whole.itertuples()):
        own = compared["paper"].eq(table.paper) & compared["table"].eq(table.table)
        errors = compared.loc[own, "errors"].dropna().to_numpy(float).clip(-REACH, REACH)
        height = place + 0.3 * (np.arange(len(errors)) % 5 - 2) / 2  # so that equal numbers can be told apart
        axes.scatter(errors, height, s=5, color=ink, alpha=0.25, linewidths=0)
        labels.append(f"{papers()[table.paper].name.split()[0]} {table.table.removeprefix('Table ')}")
        if np.isnan(table.mean):
            axes.scatter(0, place, s=30, marker="s", facecolors="none", edgecolors=ink, zorder=3)
            axes.annotate(table.note, (0.25, place), color=ink, fontsize=8, va="center")
            continue
        axes.plot(np.clip([table.low, table.high], -REACH, REACH), [place] * 2, color=ink, linewidth=1.6, linestyle="-")
        axes.scatter(np.clip(table.mean, -REACH, REACH), place, s=34, marker="D", color=ink, zorder=3)
    axes.axvline(0, color=ink, linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(whole)), labels)
    axes.set_ylim(len(whole) - 0.4, -0.6)
    axes.set_xlim(-REACH - 0.2, REACH + 0.2)
    axes.set_xlabel("below print      standard errors      above print", color=ink, fontsize=10)
    axes.tick_params(labelsize=10, color=ink, labelcolor=ink)
    axes.spines[:].set_color(ink)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def numbers_in_words():
    """A sentence on the printed numbers: how many agree, differ for a known cause, and differ without one."""
    counts = scoreboard(stored_comparisons())[COUNTS].sum()
    if not (n := counts["comparable"]):
        return ""
    return f"We recomputed {n:,} of {counts['printed']:,} printed numbers: {shares_in_words(counts)}"


def shares_in_words(counts):
    """The end of a sentence on the numbers that are compared, from their counts as from `scoreboard`."""
    agree, known, unexplained = (f"{counts[share] / counts['comparable']:.0%}" for share in SHARES)
    return f"{agree} agree within chance, {known} differ for a known cause, {unexplained} differ without one."

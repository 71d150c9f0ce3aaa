"""Published beside measured: how a paper's printed numbers are graded, and the one way in which pages show them.

The module ``printed`` of each paper declares how its numbers are compared::

    PUBLISHED = PublishedNumbers("peng2005", rates={r"^Table 1:": 1.0})

    @PUBLISHED.comparisons
    def comparisons(tables):
        table = compare(printed, tables["accuracy"], ["dataset", "method"])
        return {"Table 1": PUBLISHED.graded("Table 1", table)}
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from compendium.papers import part_of
from compendium.published import GRADES, explained, graded, rounded_to
from compendium.tables import errors_in_words

__all__ = ["MARKED", "PublishedNumbers", "published_numbers_of", "side_by_side"]

INPUT, METRIC = "input", "metric"
# Each grade with a mark, so that no reader depends on colour.
MARKED = dict(zip(GRADES, (f"{mark} {grade}" for mark, grade in zip("✓✓◐✗✗", GRADES, strict=True)), strict=True))
WORDS = {**MARKED, "differs": "✗ differs", INPUT: f"= {INPUT}"}

_DECLARED = {}


@dataclass
class PublishedNumbers:
    """How the printed numbers of a paper are compared with ours.

    Attributes
    ----------
    paper : str
        Key of the paper.
    rates : dict of str to float
        Numbers that are rates, as patterns of "Table 5: madelon, OS, 0.5, test", with the size of one point.
    inputs : str
        Pattern of the numbers that our experiments were given, so that their agreement says nothing.
    compared : callable or None
        Maps all tables of the paper's experiments, by name (``experiment.name`` where several have a table of that
        name), to one graded comparison for each printed table; see `comparisons`.
    measured : callable
        Returns the printed numbers in the form of the experiments' tables; see `as_measured`.
    """

    paper: str
    rates: Mapping = field(default_factory=dict)
    inputs: str = "(?!)"
    compared: Callable | None = None
    measured: Callable = dict

    def __post_init__(self):
        _DECLARED[self.paper] = self

    def comparisons(self, function):
        """Declare the function that compares all printed numbers (a decorator)."""
        self.compared = function
        return function

    def as_measured(self, function):
        """Declare the function that gives the printed numbers in the form of our tables (a decorator)."""
        self.measured = function
        return function

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


def published_numbers_of(paper):
    """The declaration in a paper's module ``printed``; None if it has none."""
    part_of(paper, "printed")
    return _DECLARED.get(paper)


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


def _decimals_without_print(part):
    """Decimals of ours where nothing is printed: those of the column, or 0 for whole numbers, 1 from 10 on, else 3."""
    if part["published"].notna().any():
        return int(part["decimals"].max())
    ours = part["reproduced"].astype(float)
    if ours.eq(ours.round()).all() and part["sd"].isna().all():
        return 0
    return 1 if (ours.abs() >= 10).any() or ours.eq(ours.round()).all() else 3

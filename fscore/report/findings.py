"""Findings from the results: nested cross-validation scores, frequencies, the recommendation."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import t as student

from fscore.report.analysis import GOOD, N_BATCHES
from fscore.report.issues import listed
from fscore.report.outputs import render, substitutes, visible
from fscore.report.scores import CONFIDENCE, Score, difference, losses, score, wilson
from fscore.search import resampled_error
from fscore.stability import nogueira_stability

__all__ = ["Findings", "read_findings"]

_UNSURE = 0.1  # half an interval that is too wide to decide anything
_SURE_ERRORS = 3  # standard errors above chance, from which one of several classes is told from the others
_TOO_GOOD = 0.99
_TOO_GOOD_ALONE = 0.95  # of a single column
# Issues about columns of which the report asks whether they are known before the target.
_ASKED = (
    *("joint leak", "mostly equal", "follow-up time", "filled in for one class", "order within groups"),
    "coarser target",
)


@dataclass
class Findings:
    """Everything that the page, the tables and the model are made from.

    Attributes
    ----------
    verdict : {"select", "all", "unclear", "nothing", "unfinished", "quick"}
        Unfinished until all folds are scored, since few of them can point the other way; quick if there is only the
        first answer from few rows.
    sentence : str
        What to do.
    question : str
        What to ask before the score is believed; empty if nothing.
    model, method : str
        The best of the models, and the ranking that the selection was taken from.
    columns, small, recommended : list of int
        The selection, best first; the smallest good set; the columns of the final model: the selection, or all.
    chosen, everything, gain : Score or None
        Honest scores of the selection and of all columns, and their difference.
    smallest, loss : Score or None
        Honest score of the smallest good set, and that minus the score of all columns.
    told : (str, Score) or None
        Which of several classes the selection tells best from all others, if surely better than by chance, and its
        balanced accuracy for these two.
    other_splits : dict of str to Score
        Scores by other splits into training and test rows, of columns that are chosen for these.
    other_columns : dict of str to str
        That, in words, with the columns of groups and of time that most folds of the split chose.
    split : str
        How the test rows of the headline were drawn; empty for at random or as the user asked.
    forwards, grouped : bool
        Whether they were drawn forwards in time, and whether all rows of a group together.
    chance, reported : float
        Score of a constant prediction (the mean of the training part) on the same folds; the best score that the
        search saw.
    models : dict of str to float
        Score of each model with all columns that are ranked, in the inner folds of all rows.
    tested, predicted : ndarray
        Rows of the outer folds, and the predictions for them with the selection.
    frequency : dict of int to (share, lower, upper)
        How often a column was selected again in halves of the rows.
    stability : Stability or None
    effects : dict of int to (value, lower, upper)
        How much the score falls when a column is shuffled.
    curves : dict of int to dict
        ``grid`` and ``means``: what the model predicts for each value of a column.
    instead : dict of int to list of str
        Names of columns that order the rows like a selected one.
    sizes : list of (size, score, lower, upper)
    ranks : dict of str to list of int
        The first hundred columns of every method, from all rows.
    n_rows, n_groups, n_folds, n_outer, n_halves : int
        Rows scored; groups that they are in, if a column gives them;
        folds that are scored, and all; halves in which columns were selected again.
    outlook : (float, float) or None
        Of a first answer: what twice the rows added to its score, and how high it may end if each further doubling adds
        as much.
    stopped : {None, "budget", "interrupt"}
        Why the work ended early, if it did.
    """

    verdict: str
    model: str
    method: str
    columns: list
    small: list
    recommended: list
    sizes: list
    reported: float
    models: dict
    chance: float
    n_rows: int
    n_outer: int
    n_folds: int = 0
    n_groups: int = 0
    split: str = ""
    forwards: bool = False
    grouped: bool = False
    chosen: Score | None = None
    everything: Score | None = None
    gain: Score | None = None
    smallest: Score | None = None
    loss: Score | None = None
    told: tuple | None = None
    other_splits: dict = field(default_factory=dict)
    other_columns: dict = field(default_factory=dict)
    tested: np.ndarray | None = field(default=None, compare=False)
    predicted: np.ndarray | None = field(default=None, compare=False)
    frequency: dict = field(default_factory=dict)
    n_halves: int = 0
    stability: object = None
    effects: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)
    instead: dict = field(default_factory=dict)
    ranks: dict = field(default_factory=dict)
    outlook: tuple | None = None
    stopped: str | None = None
    sentence: str = ""
    question: str = ""

    @property
    def is_guess(self):
        """Whether neither the selection nor all columns are surely better than no column."""
        return self.chosen is not None and max(self.chosen.lower, self.everything.lower) <= self.chance

    @property
    def has_good_subset(self):
        """Whether there is a smaller set that is better than a guess."""
        smaller = self.smallest is not None and len(self.small) < max(len(self.recommended), len(self.columns))
        return smaller and self.smallest.lower > self.chance

    @property
    def again(self):
        """How often the columns of the selection were selected again, on average; None if that wasn't measured."""
        shares = [self.frequency[column][0] for column in self.columns if column in self.frequency]
        return np.mean(shares) if shares else None


def read_findings(problem, analysis, results, stopped=None):
    """Read the results.

    Parameters
    ----------
    problem : Problem
    analysis : Analysis
    results : dict
        By step; "select" or "quick" is required.
    stopped : str, optional
        Why some are missing.

    Returns
    -------
    Findings
    """
    task, n_columns = problem.task, len(problem.columns)
    folds = [results[f"fold {k}"] for k in range(len(analysis.outer)) if f"fold {k}" in results]
    quick = "quick" in results and not ("select" in results and _test_more(folds, results["quick"]["folds"], analysis))
    folds = results["quick"]["folds"] if quick else folds
    selected = (results["quick"] if quick else results)["select"]
    columns = selected["order"][: selected["size"]]
    split = results["quick"]["split"] if quick else analysis.split
    rows = analysis.splits()[split]
    findings = Findings(
        verdict="quick" if quick else "unfinished",
        columns=columns,
        small=selected["order"][: selected["small"]],
        recommended=columns,
        **{name: selected[name] for name in ("model", "method", "sizes", "reported", "models")},
        chance=0.0 if task == "regression" else 1 / (problem.y.max() + 1),
        n_rows=results["quick"]["n_rows"] if quick else len(analysis.y),
        n_groups=0 if rows.groups is None or not problem.group_name else len(np.unique(rows.groups)),
        n_outer=len(folds if quick else analysis.outer),
        n_folds=len(folds),
        split=split,
        forwards=rows.time is not None,
        grouped=rows.groups is not None,
        ranks=results.get("agreement", {}),
        stopped=stopped,
    )
    if folds:
        _score(findings, folds, rows)
        if task == "classification" and len(problem.target.classes) > 2:
            findings.told = _told(findings, rows, problem.target.classes)
    if quick and results["quick"]["halved"]:
        _, _, halved = _joined(results["quick"]["halved"], rows)
        doublings = np.log2(len(analysis.y) / findings.n_rows)
        gain = max(0.0, findings.chosen.value - halved["chosen"].value)
        findings.outlook = gain, min(1.0, findings.chosen.upper + gain * doublings)
    for number, (name, other_rows, outer) in enumerate(analysis.other_splits):
        more = [results[key] for k in range(len(outer)) if (key := f"split {number} fold {k}") in results]
        if len(more) == len(outer):
            findings.other_splits[name] = _joined(more, other_rows)[2]["chosen"]
            findings.other_columns[name] = _columns_of_split(problem, more)
    if effects := results.get("effects"):
        findings.effects = _effects(effects)
        findings.curves = {int(column): curve for column, curve in effects["curves"].items()}
    if folds and not quick and len(folds) == len(analysis.outer):
        findings.verdict = _verdict(findings, n_columns)
        smaller_is_no_worse = findings.has_good_subset and findings.loss.value >= 0
        if findings.verdict == "all" and smaller_is_no_worse:
            findings.columns, findings.chosen, findings.gain = findings.small, findings.smallest, findings.loss
            findings.predicted = np.concatenate([fold["small"] for fold in folds])
            findings.verdict = _verdict(findings, n_columns)
        limited = (analysis.settings.max_features or n_columns) < n_columns
        every = findings.verdict == "all" and not limited
        findings.recommended = list(range(n_columns)) if every else findings.columns
    findings.instead = substitutes(problem, findings.columns)
    _again(findings, results, n_columns)
    findings.sentence = render("answer.txt", findings=findings, problem=problem, unsure=_UNSURE).strip()
    findings.question = _question(findings, problem)
    return findings


def _test_more(folds, of_first_answer, analysis):
    """Whether the folds that are done test more rows than those of the first answer, or are all that there are."""
    n_tested = sum(len(fold["test"]) for fold in folds)
    return len(folds) == len(analysis.outer) or n_tested > sum(len(fold["test"]) for fold in of_first_answer)


def _joined(folds, rows):
    """Test rows of all folds, their scores and losses: by the selection, a small set, all columns, and none."""
    test = np.concatenate([fold["test"] for fold in folds]).astype(int)
    tested, task = rows[test], rows.task
    numbers = np.repeat(np.arange(len(folds)), [len(fold["test"]) for fold in folds])
    loss = {}
    for name in ("chosen", "small", "all", "mean"):
        predicted = np.concatenate([np.broadcast_to(fold[name], len(fold["test"])) for fold in folds])
        loss[name] = losses(tested.y, predicted, task)
    scores = {name: score(tested.y, of_rows, task, numbers, tested.groups) for name, of_rows in loss.items()}
    return test, loss, scores


def _columns_of_split(problem, folds):
    """That columns were chosen for a split, and which of those that give the groups or the time; "" of one column."""
    chosen = Counter(problem.columns[column] for fold in folds for column in fold["columns"])
    names = [name for name in (problem.group_name, *problem.time_columns) if 2 * chosen[name] > len(folds)]
    among = f", {listed(names)} among them" if names else ""
    return f" with columns chosen for that{among}" if len(problem.columns) > 1 else ""


def _score(findings, folds, rows):
    findings.tested, loss, scores = _joined(folds, rows)
    tested = rows[findings.tested]
    findings.predicted = np.concatenate([fold["chosen"] for fold in folds])
    findings.chosen, findings.smallest, findings.everything = (scores[name] for name in ("chosen", "small", "all"))
    findings.gain = difference(tested.y, loss["chosen"], loss["all"], rows.task, tested.groups)
    findings.loss = difference(tested.y, loss["small"], loss["all"], rows.task, tested.groups)
    findings.chance = scores["mean"].value if rows.task == "regression" else 1 / len(np.unique(tested.y))


def _told(findings, rows, classes):
    """The class that is told best from all others, of those that surely are, and the score; or None."""
    tested, told = rows[findings.tested], []
    for code, name in enumerate(classes):
        y, predicted = ((numbers == code).astype(int) for numbers in (tested.y, findings.predicted))
        if 0 < y.sum() < len(y):
            of_two = score(y, losses(y, predicted, rows.task), rows.task, groups=tested.groups)
            if of_two.value > 0.5 + _SURE_ERRORS * of_two.error:
                told.append((name, of_two))
    return max(told, key=lambda one: one[1].value, default=None)


def _again(findings, results, n_columns):
    halves = [row for k in range(N_BATCHES) for row in results.get(f"resamples {k}", {}).get("columns", [])]
    size = len(findings.columns)
    masks = np.array([np.isin(np.arange(n_columns), half[:size]) for half in halves], dtype=int)
    findings.n_halves = len(halves)
    if halves:
        findings.frequency = {
            k: (float(share), *wilson(share, len(halves))) for k, share in enumerate(masks.mean(axis=0))
        }
    if len(halves) > 2 and size < n_columns:
        findings.stability = nogueira_stability(masks, confidence=CONFIDENCE)


def _effects(effects):
    """Mean over folds of what shuffling costs, with an interval that is corrected for shared training rows."""
    importance = np.array(effects["importance"])
    n_folds, mean = len(importance), importance.mean(axis=0)
    half = 0 * mean
    if n_folds > 1:
        half = resampled_error(importance, 1 / (n_folds - 1)) * student.ppf((1 + CONFIDENCE) / 2, n_folds - 1)
    rows = zip(effects["columns"], mean, mean - half, mean + half, strict=True)
    return {column: tuple(map(float, row)) for column, *row in rows}


def _verdict(findings, n_columns):
    if findings.is_guess:
        margin = max(findings.chosen.upper, findings.everything.upper) - findings.chance
        return "unclear" if margin > _UNSURE else "nothing"
    worse = findings.gain.upper < 0 and findings.gain.value < -GOOD
    if len(findings.columns) == n_columns or worse or findings.chosen.lower <= findings.chance:
        return "all"
    return "unclear" if findings.gain.lower < -_UNSURE else "select"


def _question(findings, problem):
    """What to ask before the score is believed."""
    if names := list(dict.fromkeys(n for issue in problem.issues if issue.kind in _ASKED for n in issue.columns)):
        return f"Are the values of {visible(listed(names))} known before the target? Leave out by --drop what isn't."
    every = range(len(problem.columns))
    for columns, estimate in ((findings.columns, findings.chosen), (every, findings.everything)):
        limit = _TOO_GOOD_ALONE if len(columns) == 1 else _TOO_GOOD
        if estimate is not None and estimate.value > limit:
            names = visible(listed(problem.columns[column] for column in columns))
            return f"This is too good for most data. Are the values of {names} known before the target?"
    return ""

"""What the results say: honest scores, frequencies, the sentence to act on."""

from dataclasses import dataclass

import numpy as np

from fscore.dossier.scores import CONFIDENCE, Score, difference, losses, score, values, wilson
from fscore.dossier.work import N_BATCHES
from fscore.stability import nogueira_stability

__all__ = ["Findings", "Frequency", "findings", "interval", "measure_of"]

_UNSURE = 0.1  # half an interval that is too wide to decide anything


@dataclass(frozen=True)
class Frequency:
    """How often a unit was selected."""

    share: float
    lower: float
    upper: float


@dataclass
class Findings:
    """Everything that the page, the tables and the model are made from.

    Attributes
    ----------
    verdict : {"select", "all", "unclear", "nothing", "unfinished"}
        Unfinished until all folds are scored: few of them can point the other way.
    sentence : str
        What to do.
    units : list of int
        The selection, best first.
    recommended : list of int
        Units of the final model: the selection, or all if no limit was set.
    chosen, everything, gain : Score or None
        Honest scores of the selection and of all columns, and their difference.
    chance, reported, shuffled : float or None
        Score of a constant prediction (the mean of the training part) on the same folds; what the search itself
        reports, and what it reports for shuffled labels.
    frequency : dict of int to Frequency
    n_folds, n_outer, n_halves : int
        Folds that are scored, and all; halves in which columns were selected again.
    stability : Stability or None
    effects : dict of int to Score
    near : dict of int to list
        Associated units: number, association, change of the score when taken instead (None if selected), error.
    ceiling : float or None
    knee : int or None
    models : (str, str)
        Of the selection, and of all columns.
    ranking : str
        Of the selection.
    sizes : list
        Size, score, standard error, ranking and model of the best candidate of each size.
    ranks : dict of str to list of int
        The first hundred units of every method, from all rows.
    stopped : {None, "budget", "interrupt"}
        Why the work ended early, if it did.
    """

    verdict: str
    sentence: str
    units: list
    recommended: list
    chosen: Score | None
    everything: Score | None
    gain: Score | None
    chance: float
    reported: float
    shuffled: float | None
    frequency: dict
    n_folds: int
    n_outer: int
    n_halves: int
    stability: object
    effects: dict
    near: dict
    ceiling: float | None
    knee: int | None
    models: tuple
    ranking: str
    sizes: list
    ranks: dict
    stopped: str | None = None


def findings(problem, work, results, stopped=None):
    """Read the results.

    Parameters
    ----------
    problem : Problem
    work : Work
    results : dict
        By unit of work, as far as they are there; "select" must be.
    stopped : str, optional
        Why some are not there.

    Returns
    -------
    Findings
    """
    task, selected = problem.target.task, results["select"]
    n_units = len(problem.units)
    units = selected["units"]
    scored = [k for k in range(len(work.outer)) if f"fold {k}" in results]
    parts = [results[f"fold {k}"] for k in scored]
    chosen = everything = gain = None
    chance = 0.0 if task == "regression" else 1 / (problem.y.max() + 1)
    if parts:
        test = np.concatenate([part["test"] for part in parts]).astype(int)
        y, fold = work.rows.y[test], np.repeat(np.arange(len(parts)), [len(part["test"]) for part in parts])
        loss = {name: losses(y, np.concatenate([part[name] for part in parts]), task) for name in ("chosen", "all")}
        chosen, everything = (score(y, loss[name], task, fold) for name in ("chosen", "all"))
        gain = difference(y, loss["chosen"], loss["all"], task)
        chance = 1 / len(np.unique(y)) if task == "classification" else _score_of_means(y, work, scored)
    halves = [row for k in range(N_BATCHES) for row in results.get(f"resamples {k}", {}).get("units", [])]
    masks = np.zeros((len(halves), n_units), dtype=int)
    for row, members in enumerate(halves):
        masks[row, members] = 1
    frequency = {unit: _frequency(masks[:, unit]) for unit in range(n_units)} if len(halves) else {}
    verdict = "unfinished"
    if len(parts) == len(work.outer):
        verdict = _verdict(chosen, everything, gain, chance, len(units), n_units)
    limited = (work.settings.max_features or n_units) < n_units
    found = Findings(
        verdict=verdict,
        sentence="",
        units=units,
        recommended=list(range(n_units)) if verdict == "all" and not limited else units,
        chosen=chosen,
        everything=everything,
        gain=gain,
        chance=chance,
        reported=selected["reported"],
        shuffled=results.get("shuffled", {}).get("reported"),
        frequency=frequency,
        n_folds=len(parts),
        n_outer=len(work.outer),
        n_halves=len(halves),
        stability=nogueira_stability(masks, confidence=CONFIDENCE)
        if len(halves) > 2 and len(units) < n_units
        else None,
        effects={int(unit): Score(*effect) for unit, effect in results.get("effects", {}).get("effects", {}).items()},
        near={int(unit): rows for unit, rows in results.get("substitutes", {}).get("near", {}).items()},
        ceiling=results.get("effects", {}).get("ceiling"),
        knee=_knee(selected["sizes"]),
        models=(selected["chosen"][2], selected["all"][2]),
        ranking=selected["chosen"][0],
        sizes=selected["sizes"],
        ranks=selected["ranks"],
        stopped=stopped,
    )
    found.sentence = _sentence(found, problem, len(work.rows.y))
    return found


def _score_of_means(y, work, scored):
    """R2 of the training mean on the folds that are scored: far below zero where the level changes between folds."""
    means = [np.full(len(test), work.rows.y[train].mean()) for train, test in (work.outer[k] for k in scored)]
    return float(values(y, losses(y, np.concatenate(means), "regression"), "regression"))


def _frequency(hits):
    return Frequency(float(hits.mean()), *wilson(hits.mean(), len(hits)))


def _verdict(chosen, everything, gain, chance, n_selected, n_units):
    if chosen.lower <= chance and everything.lower <= chance:
        open_ = max(chosen.upper, everything.upper) - chance > _UNSURE
        return "unclear" if open_ else "nothing"
    if n_selected == n_units or gain.upper < 0 or chosen.lower <= chance:  # all columns are better than chance
        return "all"
    return "unclear" if gain.lower < -_UNSURE else "select"


def _knee(sizes):
    """The size whose score lies farthest above the straight line from the first to the best, over log size."""
    if len(sizes) < 3:
        return None
    best = max(range(len(sizes)), key=lambda place: sizes[place][1])
    if best < 2:
        return sizes[best][0]
    x = np.log([row[0] for row in sizes[: best + 1]])
    s = np.array([row[1] for row in sizes[: best + 1]])
    above = (s - s[0]) / max(s[-1] - s[0], 1e-12) - (x - x[0]) / (x[-1] - x[0])
    return sizes[int(np.argmax(above))][0]


def measure_of(task):
    """Name of the score."""
    return "balanced accuracy" if task == "classification" else "R²"


def interval(estimate, digits=2):
    """Value and interval in one phrase."""
    return f"{estimate.value:.{digits}f} ({estimate.lower:.{digits}f} to {estimate.upper:.{digits}f})"


def _sentence(found, problem, n_rows):
    measure, k, p = measure_of(problem.target.task), len(found.units), len(problem.units)
    columns = f"{k} column{'s' if k > 1 else ''}"
    these = f"this {columns}" if k == 1 else f"these {columns}"
    if found.verdict == "unfinished":
        lead = f"{these} lead{'s' if k == 1 else ''} so far"
        if found.chosen is None:
            return f"Not finished: {lead}, but no fold has scored them yet. The same command goes on."
        return (
            f"Not finished: {lead}, with {measure} {interval(found.chosen)} in {found.n_folds} of {found.n_outer} "
            "folds. The same command goes on."
        )
    chosen, everything = interval(found.chosen), interval(found.everything)
    if found.verdict == "select":
        again = [found.frequency[unit].share for unit in found.units if unit in found.frequency]
        subject = "it comes" if k == 1 else "on average, each comes"
        stable = f"; {subject} back in {np.mean(again):.0%} of resamples" if again else ""
        return f"Use {these}: {measure} {chosen}, against {found.everything.value:.2f} with all {p}{stable}."
    if found.verdict == "all":
        if k == p:
            kept = "the only column" if p == 1 else f"all {p} columns"
            return f"Don't select: the search kept {kept}, with {measure} {everything}."
        if len(found.recommended) < p:  # a limit was set
            return (
                f"Allow more columns: all {p} have {measure} {everything}, the best {k} that were allowed {chosen}. "
                f"The model has {these}, as asked."
            )
        if found.chosen.lower <= found.chance:
            return (
                f"Don't select: all {p} columns have {measure} {everything}; that of the best {k}, {chosen}, can't be "
                f"told from {found.chance:.2f}, that of a guess."
            )
        return (
            f"Don't select: no smaller set comes up to all {p} columns, with {measure} {everything} against "
            f"{found.chosen.value:.2f} with the best {k}."
        )
    guessed = found.chosen.lower <= found.chance and found.everything.lower <= found.chance
    if guessed and found.chance < -_UNSURE:
        return (
            f"Can't tell: the level of the target changes between training and test parts (its mean in training has "
            f"{measure} {found.chance:.2f}), and no column follows it ({measure} {chosen}); take out its trend first."
        )
    if found.verdict == "nothing":
        return (
            f"Don't select: no column tells anything about the target; {measure} is {chosen}, and "
            f"{found.chance:.2f} without any column."
        )
    if guessed:
        return (
            f"Too few samples to tell: with {n_rows} rows, {measure} {chosen} can't be told from {found.chance:.2f}, "
            "that of a guess."
        )
    return (
        f"Too few samples to tell whether {columns} are as good as all {p}: {measure} {chosen} against {everything}; "
        f"the difference lies between {found.gain.lower:+.2f} and {found.gain.upper:+.2f}."
    )

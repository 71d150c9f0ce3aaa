"""Selection of units from training rows: several rankings, cut at the size that cross-validation prefers."""

from typing import NamedTuple

import numpy as np

from fscore.dossier.folds import folds
from fscore.dossier.models import MODELS, encode, fit_predict
from fscore.dossier.rankings import MOST_UNITS, rank_units
from fscore.dossier.scores import difference, losses, values

__all__ = ["Candidate", "Curve", "Settings", "choose", "curve", "sizes_up_to"]

ALL = "all columns"  # the ranking of the candidates that don't select
N_INNER = 4


class Settings(NamedTuple):
    """What a selection needs to know besides the data."""

    task: str
    methods: tuple
    max_features: int | None
    seed: int
    cost: tuple | None = None  # of each unit


class Candidate(NamedTuple):
    """A way to select and predict: the first `size` units of a ranking, for a model."""

    ranking: str
    size: int
    model: str


class Curve(NamedTuple):
    """Cross-validated losses of all candidates.

    Attributes
    ----------
    candidates : list of Candidate
    loss : ndarray of shape (n_candidates, n_tested)
    y : ndarray of shape (n_tested,)
    fold : ndarray of shape (n_tested,)
    cost : ndarray of shape (n_candidates,)
        Number of units, or the mean over folds of their total cost.
    """

    candidates: list
    loss: np.ndarray
    y: np.ndarray
    fold: np.ndarray
    cost: np.ndarray

    def scores(self, task):
        """Score of each candidate."""
        return values(self.y, self.loss, task)


def sizes_up_to(most):
    """Sizes to try: all small ones, then in steps of about a half.

    Examples
    --------
    >>> from fscore.dossier.selecting import sizes_up_to
    >>> sizes_up_to(30)
    [1, 2, 3, 4, 6, 9, 13, 19, 28, 30]
    """
    sizes, size = [], 1
    while size < most:
        sizes.append(size)
        size = max(size + 1, round(size * 1.45))
    return [*sizes, most]


def curve(X, kinds, units, rows, settings, *, ranks=None, models=MODELS):
    """Cross-validate every ranking, size and model; rankings see the training part of each fold only.

    Parameters
    ----------
    X : DataFrame
    kinds : dict of str to str
    units : list of Unit
    rows : Rows
        The target of the rows of X.
    settings : Settings
    ranks : dict of str to ndarray, optional
        Rankings made from all rows: the curve is then the optimistic one that a search reports.
    models : sequence of str

    Returns
    -------
    Curve
    """
    task, n_units = settings.task, len(units)
    most = min(settings.max_features or n_units, n_units, MOST_UNITS)
    names = [*settings.methods, "vote"] if len(settings.methods) > 1 else list(settings.methods)
    candidates = [Candidate(name, size, model) for name in names for size in sizes_up_to(most) for model in models]
    candidates += [Candidate(ALL, n_units, model) for model in models]
    unit_cost = np.ones(n_units) if settings.cost is None else np.array(settings.cost)
    cost = np.zeros(len(candidates))
    predicted, tested, numbers = [], [], []
    splits = folds(rows, N_INNER, settings.seed)
    for number, (train, test) in enumerate(splits):
        A, B, owner = encode(X, kinds, units, train, test)
        ranked = ranks or rank_units(A, rows.y[train], owner, n_units, task, settings.methods, settings.seed)
        ranked = {**ranked, ALL: np.arange(n_units)}
        known, part = {}, []
        for place, (name, size, model) in enumerate(candidates):
            chosen = np.sort(ranked[name][:size])
            cost[place] += unit_cost[chosen].sum() / len(splits)
            key = (chosen.tobytes(), model)
            if key not in known:
                columns = np.isin(owner, chosen)
                known[key] = fit_predict(model, task, A[:, columns], rows.y[train], B[:, columns])
            part.append(known[key])
        predicted.append(np.array(part))
        tested.append(test)
        numbers.append(np.full(len(test), number))
    tested = np.concatenate(tested)
    y = rows.y[tested]
    return Curve(candidates, losses(y, np.concatenate(predicted, axis=1), task), y, np.concatenate(numbers), cost)


def choose(found, task, *, selecting=True):
    """The cheapest candidate of the best one's ranking that is within one standard error of it, row by row.

    Among equally cheap ones it is the best-scored. Other rankings are no candidates: one of many that are within one
    standard error has a small set by chance.

    Parameters
    ----------
    found : Curve
    task : {"classification", "regression"}
    selecting : bool, default=True
        False chooses among the candidates with all columns, where only the model differs.

    Returns
    -------
    Candidate
    """
    scores = found.scores(task)
    open_ = np.flatnonzero([(candidate.ranking != ALL) == selecting for candidate in found.candidates])
    best = open_[np.argmax(scores[open_])]
    inside = [
        place
        for place in open_
        if found.candidates[place].ranking == found.candidates[best].ranking
        and (gap := difference(found.y, found.loss[best], found.loss[place], task)).value <= gap.error
    ]
    return found.candidates[min(inside, key=lambda place: (found.cost[place], -scores[place], place))]

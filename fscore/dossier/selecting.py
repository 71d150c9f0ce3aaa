"""Selection of units from training rows: several rankings, cut at the size that cross-validation prefers."""

from typing import NamedTuple

import numpy as np

from fscore.dossier.folds import folds
from fscore.dossier.models import MODELS, encode, predictions
from fscore.dossier.rankings import MOST_UNITS, rank_units
from fscore.dossier.scores import CONFIDENCE, difference, losses, values

__all__ = ["Candidate", "Curve", "Settings", "choose", "curve", "preferred", "sizes_up_to"]

ALL = "all columns"  # the ranking of the candidates that don't select
PREFERRED = ("backward", "vote")
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
            key = chosen.tobytes()
            if key not in known:
                columns = np.isin(owner, chosen)
                known[key] = predictions(models, task, A[:, columns], rows.y[train], B[:, columns])
            part.append(known[key][model])
        predicted.append(np.array(part))
        tested.append(test)
        numbers.append(np.full(len(test), number))
    tested = np.concatenate(tested)
    y = rows.y[tested]
    return Curve(candidates, losses(y, np.concatenate(predicted, axis=1), task), y, np.concatenate(numbers), cost)


def preferred(rankings):
    """Name of the ranking that is used unless another one is better beyond chance.

    Parameters
    ----------
    rankings : collection of str

    Returns
    -------
    str
        Backward elimination, the vote where that isn't among them, or the only one.
    """
    return next(name for name in (*PREFERRED, *rankings) if name in rankings)


def choose(found, task, *, selecting=True):
    """A candidate of the preferred ranking: the cheapest within one standard error of its best one, row by row.

    Another ranking than the preferred one is used only if its best candidate is better beyond the 90 % interval of the
    difference, corrected for the number of other rankings (Bonferroni): one of them is the best by chance. Among
    equally cheap candidates the best-scored one is chosen.

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
    places = {}  # of the candidates of each ranking
    for place, candidate in enumerate(found.candidates):
        if (candidate.ranking != ALL) == selecting:
            places.setdefault(candidate.ranking, []).append(place)
    best_of = {name: max(here, key=lambda place: scores[place]) for name, here in places.items()}
    name = max(best_of, key=lambda name: scores[best_of[name]])
    first = preferred(places)
    confidence = 1 - (1 - CONFIDENCE) / max(len(places) - 1, 1)
    if difference(found.y, *found.loss[[best_of[name], best_of[first]]], task, confidence).lower <= 0:
        name = first
    best = found.loss[best_of[name]]
    gaps = {place: difference(found.y, best, found.loss[place], task) for place in places[name]}
    inside = [place for place, gap in gaps.items() if gap.value <= gap.error]
    return found.candidates[min(inside, key=lambda place: (found.cost[place], -scores[place], place))]

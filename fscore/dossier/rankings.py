"""Rankings of units by several methods, and their vote. All see encoded training rows only."""

import warnings
from statistics import fmean

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from fscore.dossier.elimination import backward_elimination
from fscore.dossier.models import model
from fscore.filters import mutual_information, mutual_information_regression, relieff, rrelieff
from fscore.search import SFS

__all__ = ["METHODS", "methods_for", "rank_units", "screen"]

METHODS = {
    "anova": "share of variance that the target explains, each column by itself",
    "mutual-information": "mutual information with the target, each column by itself",
    "relief": "ReliefF (for a quantity RReliefF): differences to the nearest rows",
    "mrmr": "relevance divided by redundancy with what was taken before",
    "linear": "size of the coefficients in a linear model of all columns",
    "backward": "backward elimination from a linear model of all columns and their significant products",
    "knn-search": "forward search by cross-validated nearest neighbours",
}
MOST_UNITS = 200  # that methods rank; more are screened first
_SEARCH_UNITS, _SEARCH_ROWS, _SEARCH_DEPTH = 40, 800, 10
_RELIEF_ROWS = 600


def methods_for(task):
    """The methods that can rank for a task, by name."""
    return [name for name in METHODS if not (task == "regression" and name == "knn-search")]


def rank_units(A, y, owner, n_units, task, methods, seed=0):
    """Rank the units by every method and by their vote.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_encoded)
        Standardized numbers and dummies.
    y : ndarray of shape (n_samples,)
    owner : ndarray of shape (n_encoded,)
        Unit of each encoded column.
    n_units : int
    task : {"classification", "regression"}
    methods : sequence of str
    seed : int

    Returns
    -------
    dict of str to ndarray of shape (n_units,)
        Units from the best to the worst, by method; with several methods also under "vote" (mean rank).
    """
    alive = screen(A, y, owner, n_units, task)
    columns = np.flatnonzero(np.isin(owner, alive) & (A.std(axis=0) > 0))
    alive = np.unique(owner[columns])  # a unit that is constant in these rows is last
    if len(alive) == 0:
        return {name: np.arange(n_units) for name in (*methods, *(["vote"] if len(methods) > 1 else []))}
    place = {unit: k for k, unit in enumerate(alive)}
    A, local = A[:, columns], np.array([place[unit] for unit in owner[columns]])
    rest = np.setdiff1d(np.arange(n_units), alive)
    ranked, ranks = {}, []
    for name in methods:
        worth = _WORTH[name](A, y, local, task, seed)
        order = np.argsort(-worth, kind="stable")
        ranked[name] = np.concatenate([alive[order], rest]).astype(int)
        ranks.append(rankdata(-worth))
    if len(methods) > 1:
        order = np.argsort([fmean(column) for column in zip(*ranks, strict=True)], kind="stable")
        ranked["vote"] = np.concatenate([alive[order], rest]).astype(int)
    return ranked


def screen(A, y, owner, n_units, task):
    """The units worth a closer look: all, or those best by themselves and by Relief.

    Parameters
    ----------
    A, y, owner, n_units, task
        As in `rank_units`.

    Returns
    -------
    ndarray of int
    """
    if n_units <= MOST_UNITS:
        return np.arange(n_units)
    alone = _by_unit(_explained(A, y, task), owner, n_units)
    near = _by_unit(_relief_weights(A, y, task, 0, 200), owner, n_units)
    best = np.argsort(-alone, kind="stable")[: MOST_UNITS * 3 // 4]
    return np.union1d(best, np.argsort(-near, kind="stable")[: MOST_UNITS // 4])


def _by_unit(values, owner, n_units):
    """The best value of each unit's columns."""
    best = np.full(n_units, -np.inf)
    np.maximum.at(best, owner, values)
    return best


def _explained(A, y, task):
    """Share of each column's variance that the target explains."""
    Z = A - A.mean(axis=0)
    total = np.maximum((Z**2).sum(axis=0), np.finfo(float).tiny)
    if task == "regression":
        t = y - y.mean()
        return (t @ Z) ** 2 / (total * max(t @ t, np.finfo(float).tiny))
    membership = np.eye(y.max() + 1)[y]
    counts = np.maximum(membership.sum(axis=0), 1)
    return ((membership.T @ Z) ** 2 / counts[:, None]).sum(axis=0) / total


def _anova(A, y, owner, task, seed):
    return _by_unit(_explained(A, y, task), owner, owner.max() + 1)


def _information(A, y, owner, task, seed):
    """Kernel density estimates for numbers, counts for what has few values."""
    n_units = owner.max() + 1
    worth = np.zeros(n_units)
    most = min(10, len(A) // 2)  # values that are counted: each must be there twice on average
    few = np.array([len(np.unique(A[:, owner == unit], axis=0)) <= most for unit in range(n_units)])
    many = np.flatnonzero(~few[owner])
    if len(many):
        information = mutual_information if task == "classification" else mutual_information_regression
        values = information(A[:, many], y)
        worth = np.maximum(_by_unit(values, owner[many], n_units), 0)
    for unit in np.flatnonzero(few):
        codes = np.unique(A[:, owner == unit], axis=0, return_inverse=True)[1].ravel()
        worth[unit] = _counted_information(codes, y, task)
    return worth


def _counted_information(codes, y, task):
    """Mutual information of a category and the target, less its bias."""
    if task == "regression":
        means = np.bincount(codes, y) / np.bincount(codes)
        left = ((y - means[codes]) ** 2).sum() / max(len(y) - codes.max() - 1, 1)
        variance = y.var(ddof=1)
        return max(0.5 * np.log(variance / max(left, np.finfo(float).eps * variance)), 0.0) if variance > 0 else 0.0
    joint = np.zeros((codes.max() + 1, y.max() + 1))
    np.add.at(joint, (codes, y), 1)
    joint /= len(y)
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    positive = joint > 0
    value = (joint[positive] * np.log(joint[positive] / independent[positive])).sum()
    return max(value - (joint.shape[0] - 1) * (joint.shape[1] - 1) / (2 * len(y)), 0.0)


def _relief(A, y, owner, task, seed):
    return _by_unit(_relief_weights(A, y, task, seed, _RELIEF_ROWS), owner, owner.max() + 1)


def _relief_weights(A, y, task, seed, most_rows):
    n_rows = None if len(A) <= most_rows else most_rows
    if task == "regression":
        return rrelieff(A, y, n_neighbors=min(10, len(A) - 1), n_iterations=n_rows, random_state=seed)
    fewest = np.bincount(y)[np.unique(y)].min()
    if fewest < 2:
        return _explained(A, y, task)
    return relieff(A, y, n_neighbors=int(min(10, fewest - 1)), n_iterations=n_rows, random_state=seed)


def _mrmr(A, y, owner, task, seed):
    """Greedy: relevance (share of variance explained) over mean absolute correlation with what was taken (FCQ)."""
    n_units = owner.max() + 1
    relevance = _by_unit(_explained(A, y, task), owner, n_units)
    correlation = np.abs(np.nan_to_num(np.corrcoef(A, rowvar=False).reshape(A.shape[1], A.shape[1])))
    redundancy = np.zeros((n_units, n_units))
    np.maximum.at(redundancy, (owner[:, None], owner[None, :]), correlation)
    shared, left = np.zeros(n_units), np.ones(n_units, dtype=bool)
    worth = np.empty(n_units)
    for taken in range(n_units):
        quotient = relevance if taken == 0 else relevance / np.maximum(shared / taken, 0.01)
        best = int(np.argmax(np.where(left, quotient, -np.inf)))
        worth[best] = -taken
        left[best] = False
        shared += redundancy[best]
    return worth


def _linear(A, y, owner, task, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made = model("linear", task, *A.shape, len(np.unique(y)) if task == "classification" else 1).fit(A, y)
    size = (np.atleast_2d(made.coef_) ** 2).sum(axis=0) * A.var(axis=0)
    return np.bincount(owner, size)


def _backward(A, y, owner, task, seed):
    return backward_elimination(A, y, owner, owner.max() + 1, task)


def _search(A, y, owner, task, seed):
    """Order in which a forward search takes units; those that it doesn't reach follow by ReliefF."""
    n_units = owner.max() + 1
    relief = _relief(A, y, owner, task, seed)
    candidates = np.sort(np.argsort(-relief, kind="stable")[:_SEARCH_UNITS])
    rows = np.arange(len(y))
    if len(rows) > _SEARCH_ROWS:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_SEARCH_ROWS])
    fewest = np.bincount(y[rows])[np.unique(y[rows])].min()
    if fewest < 3:
        return relief
    columns = np.flatnonzero(np.isin(owner, candidates))
    groups = [np.flatnonzero(owner[columns] == unit).tolist() for unit in candidates]
    search = SFS(
        KNeighborsClassifier(min(5, len(rows) // 4)),
        n_features_to_select=min(_SEARCH_DEPTH, len(candidates)),
        cv=int(min(5, fewest)),
        column_groups=groups,
    ).fit(A[np.ix_(rows, columns)], y[rows])
    worth = rankdata(relief) - n_units - 1
    before = set()
    for step, taken in enumerate(search.path_["features"]):
        for column in set(taken) - before:
            worth[owner[columns[column]]] = n_units - step
        before = set(taken)
    return worth


_WORTH = {
    "anova": _anova,
    "mutual-information": _information,
    "relief": _relief,
    "mrmr": _mrmr,
    "linear": _linear,
    "backward": _backward,
    "knn-search": _search,
}

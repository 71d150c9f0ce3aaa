"""Rankings of columns by several methods. All see encoded training rows only."""

import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif, f_regression

from fscore._sklearn import split_columns
from fscore.filters import MRMR, mutual_information, mutual_information_regression, relieff, rrelieff
from fscore.report.models import make_estimator
from fscore.report.products import backward_elimination
from fscore.report.scores import Rows, folds

__all__ = ["METHODS", "MOST_UNITS", "RANKING_OF_MODEL", "rank", "screen"]

METHODS = {
    "anova": "share of variance that the target explains, each column by itself",
    "mutual-information": "mutual information with the target, each column by itself",
    "relief": "ReliefF (for a quantity RReliefF): differences to the nearest rows",
    "mrmr": "relevance minus redundancy with what was taken before",
    "linear": "size of the coefficients in a linear model of all columns",
    "backward": "backward elimination from a linear model of all columns and their significant products",
    "trees": "elimination from gradient boosting: how much the error grows if a column is shuffled",
}
RANKING_OF_MODEL = {"linear": "backward", "trees": "trees", "forest": "trees"}  # the ranking that goes with each model
MOST_UNITS = 200  # that methods rank; more are screened first
_RELIEF_ROWS = 600
_MRMR_COLUMNS = 60
_N_SHUFFLES = 2
_MOST_ENTRIES = 2**20  # of shuffled copies that are predicted at a time


def rank(method, encoded, y, n_columns, task, seed=0):
    """Rank the columns by a method.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    encoded : dict of str to Encoded
        Of the training rows.
    y : ndarray of shape (n_train,)
    n_columns : int
    task : {"classification", "regression"}
    seed : int

    Returns
    -------
    ndarray of shape (n_columns,)
        Columns from the best to the worst; those that are constant in these rows, or were screened out, come last.
    """
    A, _, source, _ = encoded["linear"]
    varying = np.unique(source[A.std(axis=0) > 0])
    alive = np.intersect1d(screen(encoded, y, n_columns, task), varying)
    if len(alive) == 0:
        return np.arange(n_columns)
    if method == "trees":
        A, _, source, categorical = encoded["trees"]
        order = np.argsort(source)[alive]
        score = _trees(A[:, order], y, categorical[order], task, seed)
    else:
        columns = np.flatnonzero(np.isin(source, alive) & (A.std(axis=0) > 0))
        A, source = A[:, columns], np.searchsorted(alive, source[columns])
        if method == "linear":
            score = _linear(A, y, source, task)
        elif method == "backward":
            score = backward_elimination(A, y, source, len(alive), task)
        else:
            score = best_per_column(RANKERS[method](A, y, task, seed), source)
    rest = np.setdiff1d(np.arange(n_columns), alive)
    return np.concatenate([alive[np.argsort(-score, kind="stable")], rest]).astype(int)


def screen(encoded, y, n_columns, task):
    """The columns to rank: all, or those best by themselves and by Relief.

    Parameters
    ----------
    encoded : dict of str to Encoded
        Of the training rows.
    y : ndarray of shape (n_train,)
    n_columns : int
    task : {"classification", "regression"}

    Returns
    -------
    ndarray of int
    """
    if n_columns <= MOST_UNITS:
        return np.arange(n_columns)
    A, _, source, _ = encoded["linear"]
    alone = best_per_column(_explained(A, y, task), source, n_columns)
    near = best_per_column(_relief(A, y, task, 0, 200), source, n_columns)
    best = np.argsort(-alone, kind="stable")[: MOST_UNITS * 3 // 4]
    return np.union1d(best, np.argsort(-near, kind="stable")[: MOST_UNITS // 4])


def best_per_column(values, source, n_columns=None):
    """The best value of what each column was encoded to."""
    best = np.full(source.max() + 1 if n_columns is None else n_columns, -np.inf)
    np.maximum.at(best, source, values)
    return best


def _explained(A, y, task, seed=0):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # constant columns
        values = (f_classif if task == "classification" else f_regression)(A, y)[0]
    return np.nan_to_num(values, posinf=np.finfo(float).max)


def _information(A, y, task, seed):
    return (mutual_information if task == "classification" else mutual_information_regression)(A, y)


def _relief(A, y, task, seed, most_rows=_RELIEF_ROWS):
    n_rows = None if len(A) <= most_rows else most_rows
    if task == "regression":
        return rrelieff(A, y, n_neighbors=min(10, len(A) - 1), n_iterations=n_rows, random_state=seed)
    fewest = np.bincount(y)[np.unique(y)].min()
    if fewest < 2:
        return _explained(A, y, task)
    return relieff(A, y, n_neighbors=int(min(10, fewest - 1)), n_iterations=n_rows, random_state=seed)


def _mrmr(A, y, task, seed):
    """Places in MRMR of the columns that tell most by themselves; the others follow in that order."""
    alone = rankdata(_explained(A, y, task))
    columns = np.sort(np.argsort(-alone, kind="stable")[:_MRMR_COLUMNS])
    mode = "regression" if task == "regression" else "class_conditional"
    score = alone - len(alone)
    score[columns] = 1 / MRMR(len(columns), mode=mode).fit(A[:, columns], y).ranking_
    return score


def _linear(A, y, source, task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make_estimator("linear", task)[-1].fit(A, y)
    return np.bincount(source, (np.atleast_2d(model.coef_) ** 2).sum(axis=0) * A.var(axis=0))


def _trees(A, y, categorical, task, seed):
    """Recursive elimination of the less important half; a column's importance is measured on rows left out."""
    score = np.zeros(A.shape[1])
    remaining = np.arange(A.shape[1])
    while len(remaining):
        importance = _importance(A[:, remaining], y, categorical[remaining], task, seed)
        order = np.argsort(importance, kind="stable")
        n_out = len(remaining) if len(remaining) <= 4 else len(remaining) // 2
        score[remaining[order[:n_out]]] = score.max() + 1 + np.arange(n_out)
        remaining = np.sort(remaining[order[n_out:]])
    return score


def _importance(A, y, categorical, task, seed):
    total = np.zeros(A.shape[1])
    for train, test in folds(Rows(y, task), 2, seed):
        model = make_estimator("trees", task, categorical).set_params(max_iter=50).fit(A[train], y[train])
        known = test[np.isin(y[test], y[train])] if task == "classification" else test
        total += _growth_of_error(model, A[known], y[known], seed)
    return total


def _growth_of_error(model, A, y, seed):
    """By how much the error grows when a column is shuffled, the mean of two times: `permutation_importance`.

    Only columns by which a tree splits are shuffled; the others change nothing. Many copies of the rows are predicted
    by one call, as each call takes long for a few rows.
    """
    errors = _negative_log_likelihoods if is_classifier(model) else _squared_errors
    n, used = len(A), split_columns(model)
    rng = np.random.RandomState(np.random.RandomState(seed).randint(2**31))
    shuffled = np.arange(n)
    orders = [np.arange(n)]
    for _ in range(_N_SHUFFLES):
        rng.shuffle(shuffled)
        orders.append(orders[-1][shuffled])
    growth = np.zeros(A.shape[1])
    before = errors(model, A, y).mean()
    step = max(1, _MOST_ENTRIES // (_N_SHUFFLES * A.size))
    for first in range(0, len(used), step):
        columns = used[first : first + step]
        copies = np.tile(A, (len(columns) * _N_SHUFFLES, 1)).reshape(len(columns), _N_SHUFFLES, *A.shape)
        for copy, column in zip(copies, columns, strict=True):
            copy[..., column] = A[orders[1:], column]
        after = errors(model, copies.reshape(-1, A.shape[1]), np.tile(y, len(columns) * _N_SHUFFLES))
        growth[columns] = (after.reshape(len(columns), _N_SHUFFLES, n).mean(axis=2) - before).mean(axis=1)
    return growth


def _squared_errors(model, A, y):
    return (model.predict(A) - y) ** 2


def _negative_log_likelihoods(model, A, y):
    chances = model.predict_proba(A)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return -np.log(np.maximum(chances, 1e-12))


RANKERS = {"anova": _explained, "mutual-information": _information, "relief": _relief, "mrmr": _mrmr}

"""How rows are divided, and scores of out-of-fold predictions with intervals: balanced accuracy and R2."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.stats import t
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from fscore.search import resampled_error

__all__ = ["CONFIDENCE", "Rows", "Score", "difference", "draw", "folds", "losses", "measure_of", "score", "wilson"]

CONFIDENCE = 0.9
_LEAST = 1e-30  # of the square of the largest value: the sum of squares of rounding errors alone
_WORST = 1e50  # error of a value; the variance of its square must not overflow
_NO_FOLDS = "the groups don't allow two folds with every class in training; --groups none ignores them."
_ONE_GROUP = "the groups don't allow two folds, since all rows are in one group; --groups none ignores them."


class Rows:
    """What decides how rows may be divided: target, groups and time of a set of rows.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    groups : ndarray of shape (n_samples,) or None
    time : ndarray of shape (n_samples,) or None
    """

    def __init__(self, y, task, groups=None, time=None):
        self.y, self.task, self.groups, self.time = y, task, groups, time

    def __getitem__(self, rows):
        groups = None if self.groups is None else self.groups[rows]
        return Rows(self.y[rows], self.task, groups, None if self.time is None else self.time[rows])


def folds(rows, n_splits, seed):
    """Divide rows into training and test parts.

    Parameters
    ----------
    rows : Rows
    n_splits : int
        At most; fewer where a class or the number of groups doesn't allow as many.
    seed : int

    Returns
    -------
    list of (ndarray, ndarray)
        Training and test rows. Without time, every row is tested once; forwards in time, those of the first part never
        are, and training rows come before test rows.

    Raises
    ------
    ValueError
        If not even two folds are possible.
    """
    if rows.time is not None:
        return _forwards(rows, n_splits)
    n, classes = len(rows.y), np.unique(rows.y) if rows.task == "classification" else []
    of_classes = [rows.y == c for c in classes]
    if rows.groups is None:
        n_splits = max(2, min([n_splits, n, *(int(of_class.sum()) for of_class in of_classes)]))
        kind = StratifiedKFold if of_classes else KFold
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class of one row
            return list(kind(n_splits, shuffle=True, random_state=seed).split(np.zeros(n), rows.y))
    if len(np.unique(rows.groups)) < 2:
        raise ValueError(_ONE_GROUP)
    n_splits = min(n_splits, *(len(np.unique(rows.groups[which])) for which in [slice(None), *of_classes]))
    kind, divided = StratifiedGroupKFold if of_classes else GroupKFold, []
    if n_splits > 1:
        divided = kind(n_splits, shuffle=True, random_state=seed).split(np.zeros(n), rows.y, rows.groups)
        divided = [(train, test) for train, test in divided if all(of_class[train].any() for of_class in of_classes)]
    if not divided:
        raise ValueError(_NO_FOLDS)
    return divided


def _forwards(rows, n_splits):
    """Each part in time is tested by what comes before; a group that continues into it is left out of training."""
    if parts := _parts_in_time(rows, n_splits):
        return parts
    before = "all classes" if rows.task == "classification" else "five rows"
    why, options = f"no point in time has {before} before it and rows after it", ""
    if rows.groups is not None and _parts_in_time(Rows(rows.y, rows.task, time=rows.time), n_splits):
        why = "groups go on over time, and without them too few rows lie before any point in it"
        options = ", --groups none ignores the groups"
    raise ValueError(f"{why}; --time none scores by folds drawn at random{options}.")


def _parts_in_time(rows, n_splits):
    """Training and test rows; an empty list if no part has enough rows before it. Rows of one time are in one part."""
    order = np.argsort(rows.time, kind="stable")
    firsts = [part[0] for part in np.array_split(order, min(n_splits + 1, len(order)))]
    parts = np.split(order, np.unique(np.searchsorted(rows.time[order], rows.time[firsts])))[1:]
    divided, n_classes = [], len(np.unique(rows.y))
    for k, test in enumerate(parts[1:], 1):
        train = np.concatenate(parts[:k])
        if rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        counts = np.unique(rows.y[train], return_counts=True)[1]
        if len(train) >= 5 and (rows.task == "regression" or (len(counts) == n_classes and counts.min() > 1)):
            divided.append((np.sort(train), np.sort(test)))
    return divided


def draw(rows, n, seed=0):
    """Draw about n rows at random: whole groups, or of each class its share and at least 20.

    Of groups of which fewer than five would be taken, rows of all are drawn.

    Parameters
    ----------
    rows : Rows
    n : int
    seed : int

    Returns
    -------
    ndarray of int
    """
    rng = np.random.default_rng(seed)
    sizes = np.zeros(0) if rows.groups is None else np.bincount(rows.groups)
    if len(sizes) and 5 * sizes[sizes > 0].mean() <= n:
        order = rng.permutation(len(sizes))
        return np.flatnonzero(np.isin(rows.groups, order[np.cumsum(sizes[order]) <= n]))
    if rows.task == "regression":
        return np.sort(rng.permutation(len(rows.y))[:n])
    by_class = [rng.permutation(np.flatnonzero(rows.y == c)) for c in np.unique(rows.y)]
    return np.sort(np.concatenate([members[: max(20, round(n * len(members) / len(rows.y)))] for members in by_class]))


class Score(NamedTuple):
    """An estimate with its interval.

    Attributes
    ----------
    value, lower, upper, error : float
        ``error`` is the standard error.
    """

    value: float
    lower: float
    upper: float
    error: float


def measure_of(task):
    """Name of the score."""
    return "balanced accuracy" if task == "classification" else "R²"


def losses(y, predicted, task):
    """Loss of each row: 0 or 1 for a class, the squared error (1e100 at most) for a value.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    predicted : ndarray of shape (..., n_samples)
    task : {"classification", "regression"}

    Returns
    -------
    ndarray of shape (..., n_samples), float64
    """
    if task == "classification":
        return (predicted != y).astype(np.float64)
    return np.clip(predicted - y, -_WORST, _WORST) ** 2


def _weights(y, task):
    """Weights so that the score is ``1 - sum(weights * loss)``."""
    if task == "classification":
        counts = np.bincount(y)
        return 1 / (np.count_nonzero(counts) * counts[y])
    return np.full(len(y), (len(y) - 1) / (len(y) + 1) / _sum_of_squares(y))


def _sum_of_squares(y):
    """About the mean; not less than rounding errors make it, so that R2 is a large negative number if y is constant."""
    return max(((y - y.mean()) ** 2).sum(), _LEAST * (y**2).max(), np.finfo(float).tiny)


def values(y, loss, task):
    """Scores without intervals; `loss` may have leading axes."""
    return 1 - loss @ _weights(y, task)


def score(y, loss, task, fold=None, groups=None):
    """Balanced accuracy, or R2, of out-of-fold predictions.

    R2 compares them with the mean of as many training rows, whose squared errors are expected to be
    ``(n + 1) / (n - 1)`` times those of the tested rows about their own mean (Hawinkel, Waegeman and Maere).

    The standard error is that of a weighted mean of the rows, and not less than that of the groups or of the folds
    (`resampled_error`): rows of one group are wrong together. The interval of balanced accuracy is Wilson's for the
    number of rows that would give that error; the one of R2 is Student's.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    loss : ndarray of shape (n_samples,)
        See `losses`.
    task : {"classification", "regression"}
    fold : ndarray of shape (n_samples,), optional
        Number of the test fold of each row, from 0.
    groups : ndarray of int of shape (n_samples,), optional

    Returns
    -------
    Score

    References
    ----------
    Hawinkel, Waegeman, Maere (2024), "Out-of-sample R2: estimation and inference", The American Statistician 78, 15-25.
    """
    value = float(values(y, loss, task))
    deviations = _deviations(y, loss, task)
    error, n_independent = _error(deviations, groups)
    if fold is not None and fold.max() >= 4:
        means = np.bincount(fold, deviations) / np.bincount(fold) * len(y)
        error = max(error, float(resampled_error(means, 1 / (len(means) - 1))))
    if task == "classification":
        counts = np.unique(y, return_counts=True)[1]
        n_even = len(counts) ** 2 / (1 / counts).sum()
        n_equivalent = min(value * (1 - value) / error**2, n_even) if error > 0 else n_even
        return Score(value, *wilson(value, n_equivalent), error)
    half = t.ppf((1 + CONFIDENCE) / 2, max(n_independent - 2, 1)) * error
    return Score(value, value - half, min(value + half, 1.0), error)


def _error(deviations, groups):
    """Standard error of a sum of deviations that depend on each other within groups; and how many do not."""
    error = float(np.linalg.norm(deviations))
    if groups is None:
        return error, len(deviations)
    sums = np.bincount(np.unique(groups, return_inverse=True)[1], deviations)
    return max(error, float(np.linalg.norm(sums) * np.sqrt(len(sums) / max(len(sums) - 1, 1)))), len(sums)


def _deviations(y, loss, task):
    """What each row adds to the deviation of the score from its expectation, to first order; they sum to zero.

    The loss of a row deviates from the mean of its class, and the squared error of a value from its share of the
    variance of y: a row with an extreme value adds to both.
    """
    w = _weights(y, task)
    if task == "classification":
        return w * (loss - (np.bincount(y, loss) / np.maximum(np.bincount(y), 1))[y])
    return w * (loss - (y - y.mean()) ** 2 * (loss.sum() / _sum_of_squares(y)))


def difference(y, loss, other, task, groups=None):
    """Score of the first minus score of the second, row by row.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    loss, other : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    groups : ndarray of int of shape (n_samples,), optional
        See `score`.

    Returns
    -------
    Score
    """
    w, gain = _weights(y, task), other - loss
    value = float(gain @ w)
    deviations = _deviations(y, gain, task) if task == "classification" else w * (gain - gain.mean())
    error, n_independent = _error(deviations, groups)
    half = t.ppf((1 + CONFIDENCE) / 2, max(n_independent - 2, 1)) * error
    return Score(value, value - half, value + half, error)


def wilson(share, n):
    """Wilson's interval of a proportion.

    Parameters
    ----------
    share : float
    n : float
        Number of trials, possibly not whole.

    Returns
    -------
    lower, upper : float
    """
    z = t.ppf((1 + CONFIDENCE) / 2, max(n - 1, 1))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(max(share * (1 - share), 0) / n + z**2 / (4 * n**2))
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))

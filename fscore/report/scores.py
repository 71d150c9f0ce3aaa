"""Scores of out-of-fold predictions, with intervals: balanced accuracy and R2."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t

__all__ = ["CONFIDENCE", "Score", "difference", "losses", "measure_of", "score", "values", "wilson"]

CONFIDENCE = 0.9
_LEAST = 1e-30  # of the square of the largest value: the sum of squares of rounding errors alone
_WORST = 1e50  # error of a value; the variance of its square must not overflow


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
    return np.full(len(y), 1 / _sum_of_squares(y))


def _sum_of_squares(y):
    """About the mean; not less than rounding errors make it, so that R2 is a large negative number if y is constant."""
    return max(((y - y.mean()) ** 2).sum(), _LEAST * (y**2).max(), np.finfo(float).tiny)


def values(y, loss, task):
    """Scores without intervals; `loss` may have leading axes."""
    return 1 - loss @ _weights(y, task)


def score(y, loss, task, fold=None, confidence=CONFIDENCE):
    """Balanced accuracy, or R2, of out-of-fold predictions.

    The standard error is that of a weighted mean of the rows, and not less than that of the folds: the scores of J
    folds share training rows, so that the variance of their mean is ``(1 / J + n_test / n_train)`` times theirs
    (Nadeau and Bengio). The interval of balanced accuracy is Wilson's for the number of rows that would give that
    error; the one of R2 is Student's.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    loss : ndarray of shape (n_samples,)
        See `losses`.
    task : {"classification", "regression"}
    fold : ndarray of shape (n_samples,), optional
        Number of the test fold of each row.
    confidence : float

    Returns
    -------
    Score

    References
    ----------
    Nadeau, Bengio (2003), "Inference for the generalization error", Machine Learning 52, 239-281.
    """
    value = float(values(y, loss, task))
    deviations = _deviations(y, loss, task)
    error = float(np.sqrt((deviations**2).sum()))
    if fold is not None and len(np.unique(fold)) >= 5:
        error = max(error, _fold_error(deviations, fold))
    if task == "classification":
        counts = np.bincount(y)
        counts = counts[counts > 0]
        n_even = len(counts) ** 2 / (1 / counts).sum()
        n_equivalent = min(value * (1 - value) / error**2, n_even) if error > 0 else n_even
        return Score(value, *wilson(value, n_equivalent, confidence), error)
    half = t.ppf((1 + confidence) / 2, max(len(y) - 2, 1)) * error
    return Score(value, value - half, min(value + half, 1.0), error)


def _deviations(y, loss, task):
    """What each row adds to the deviation of the score from its expectation, to first order; they sum to zero.

    The loss of a row deviates from the mean of its class, and the squared error of a value from its share of the
    variance of y: a row with an extreme value adds to both.
    """
    w = _weights(y, task)
    if task == "classification":
        return w * (loss - (np.bincount(y, loss) / np.maximum(np.bincount(y), 1))[y])
    return w * (loss - (y - y.mean()) ** 2 * (loss.sum() / _sum_of_squares(y)))


def _fold_error(deviations, fold):
    """Error of the mean over folds, corrected for training rows that they share."""
    names, inverse = np.unique(fold, return_inverse=True)
    n_folds = len(names)
    means = np.bincount(inverse, deviations) / np.bincount(inverse) * len(deviations)
    return float(np.std(means, ddof=1) * np.sqrt(1 / n_folds + 1 / (n_folds - 1)))


def difference(y, loss, other, task, confidence=CONFIDENCE):
    """Score of the first minus score of the second, row by row.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    loss, other : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    confidence : float

    Returns
    -------
    Score
    """
    w = _weights(y, task)
    gain = other - loss
    value = float(gain @ w)
    if task == "classification":
        variance = sum(w[y == c][0] ** 2 * (y == c).sum() * gain[y == c].var() for c in np.unique(y))
    else:
        variance = w[0] ** 2 * len(y) * gain.var()
    error = float(np.sqrt(variance))
    half = t.ppf((1 + confidence) / 2, max(len(y) - 2, 1)) * error
    return Score(value, value - half, value + half, error)


def wilson(share, n, confidence=CONFIDENCE):
    """Wilson's interval of a proportion.

    Parameters
    ----------
    share : float
    n : float
        Number of trials, possibly not whole.
    confidence : float

    Returns
    -------
    lower, upper : float
    """
    z = t.ppf((1 + confidence) / 2, max(n - 1, 1))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(max(share * (1 - share), 0) / n + z**2 / (4 * n**2))
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))

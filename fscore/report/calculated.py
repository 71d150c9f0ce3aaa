"""Whether a column is calculated from others: it is a linear function of them, up to rounding."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from fscore.criteria import LinearFit
from fscore.report.evidence import ALONE, EXACT_FIT, FEW_ROWS, FIRST_ROWS
from fscore.search import SBS

__all__ = [
    "FLOAT_ERROR",
    "are_ranges",
    "conversions",
    "exact_fit",
    "exact_set",
    "exact_sum",
    "explained",
    "is_linear_copy",
    "most_correlated",
    "rounding_error",
    "thinned",
    "unit_of",
]

FLOAT_ERROR = 1e-9  # of a difference, in parts of the numbers
_MARGIN = 1.5  # by which the variance of its rounding may be exceeded
_FINE = 0.02  # rounding of a summand, in standard deviations of the sum
_MOST_DIGITS = 9
_ONE_UNIT = 0.01  # difference of a factor from 1
_FINE_UNITS = 0.35  # rounding of two columns, in standard deviations
_MOST_COMBINED = 60  # columns
_N_STEPS = 10
_BEST_FITTED = 0.8  # share of the rows that a sum with exceptions fits
_MOST_MISFIT = 2  # standard deviations of a rounded number, hardly more than half a unit


def unit_of(numbers, n_zeros=0):
    """The unit to which numbers are rounded, such as 0.01; 0 if they have more than eight digits after the point.

    With ``n_zeros=3``, it may be 1000.
    """
    numbers = np.asarray(numbers)
    tolerance = 1e-12 * np.abs(numbers)
    digits = range(-n_zeros, _MOST_DIGITS)
    return next((10.0**-d for d in digits if (np.abs(numbers - numbers.round(d)) <= tolerance).all()), 0.0)


def rounding_error(numbers):
    """Standard error of values that were rounded to the unit of their last digit."""
    return unit_of(numbers, n_zeros=3) / 12**0.5


def thinned(n_rows, most):
    """A slice of rows at equal distances, at most so many."""
    return slice(None, None, -(-n_rows // most))


def is_linear_copy(a, b):
    """Whether a column is a linear function of another one, up to their rounding."""
    pairs = pd.DataFrame({"a": a, "b": b}).dropna()
    a, b = (pairs[name].to_numpy() - pairs[name].mean() for name in pairs)
    slope = (a @ b) / max(a @ a, np.finfo(float).tiny)
    rounding = unit_of(pairs["b"]) + abs(slope) * unit_of(pairs["a"])
    return np.abs(b - slope * a).max(initial=0.0) <= 0.75 * rounding + FLOAT_ERROR * np.ptp(b)


def conversions(numbers):
    """Pairs of columns of which one is the other in another unit, such as °C and °F, both rounded.

    In one unit, as of a start and an end, nothing but the rounding may tell them apart.

    Parameters
    ----------
    numbers : DataFrame of shape (n_samples, n_columns)

    Yields
    ------
    tuple of str
        A column, and a later one.
    """
    units, spread = np.array([unit_of(x.dropna()) for _, x in numbers.items()]), numbers.std().to_numpy()
    z = (numbers - numbers.mean()).fillna(0.0).to_numpy()
    z = z / np.linalg.norm(z, axis=0)
    slopes = np.outer(1 / spread, spread)  # of a later column by an earlier one, where they are copies
    rounding = units + slopes * units[:, None]
    rounding[(np.abs(slopes - 1) < _ONE_UNIT) & (units <= units[:, None])] = 0.0
    may_be = (1 - (z.T @ z) ** 2) * spread**2 <= rounding**2 / 4
    for one, two in np.argwhere(np.triu(may_be & (rounding < _FINE_UNITS * spread), 1)):
        if is_linear_copy(numbers.iloc[:, one], numbers.iloc[:, two]):
            yield numbers.columns[one], numbers.columns[two]


def explained(A, y):
    """Share of the variance of y that a linear function of A explains; 0 if y is constant."""
    if not np.ptp(y):
        return 0.0
    A, y = A - np.mean(A, axis=0), y - np.mean(y)  # scikit-learn takes ten times as long, for each of many columns
    return 1 - ((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum() / (y**2).sum()


def exact_fit(y, error, found=0.0):
    """R2 beyond which y is calculated, if its values are rounded with errors of this size.

    That is less than R2 of a calculation that was found if it fits up to such errors.
    """
    rounded = max(ALONE, 1 - _MARGIN * np.mean(error**2) / max(np.var(y), np.finfo(float).tiny))
    return rounded if found > rounded else min(EXACT_FIT, rounded)


def are_ranges(columns, codes, errors, share=ALONE):
    """Whether each code has a range of a column to itself, up to errors.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
    codes : ndarray of shape (n_samples,)
    errors : float or ndarray of shape (n_columns,)
    share : float, default=0.99
        Of the rows of a code, below and above which others are exceptions.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    parts = [np.sort(columns[codes == code], axis=0) for code in np.unique(codes)]
    few = [int((1 - share) * len(part)) for part in parts]
    low = np.array([part[n] for n, part in zip(few, parts, strict=True)])
    high = np.array([part[-1 - n] for n, part in zip(few, parts, strict=True)])
    by_low = np.argsort(low, axis=0)
    low, high = (np.take_along_axis(ends, by_low, axis=0) for ends in (low, high))
    return (high[:-1] - low[1:]).max(axis=0, initial=-np.inf) <= errors


def exact_set(A, y, error, of_columns=None, with_exceptions=False):
    """The fewest columns of which y is a linear function up to errors, found by elimination.

    Parameters
    ----------
    A : DataFrame of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    error : float or ndarray of shape (n_samples,)
        Standard error of y.
    of_columns : DataFrame of shape (n_samples, n_columns), optional
        Standard errors of some of the columns, in the unit of y.
    with_exceptions : bool, default=False
        Whether four of five rows are enough, as where a sum is given as ">95" in some.

    Returns
    -------
    names : list of str
        Empty if there are no such columns.
    where : str
        In which rows, in words.
    """
    A = most_correlated(A, y)
    if A.shape[1] < 2:
        return [], ""
    errors = np.zeros(A.shape)
    if of_columns is not None:
        errors = of_columns.reindex(columns=A.columns, fill_value=0.0).to_numpy()
    names, A = list(A), ((A - A.mean()) / A.std()).to_numpy()
    rows, where, most, of_all = slice(None), "", 1.0, explained(A, y)

    def exact(columns):
        """The share of the variance of y that a calculation from these columns explains."""
        return min(most, exact_fit(y, np.sqrt(error**2 + (errors[:, list(columns)] ** 2).sum(axis=1)), of_all))

    if of_all <= exact(range(A.shape[1])):
        if not with_exceptions:
            return [], ""
        rows, misfit = _best_fitted(A, y)
        of_these = explained(A[rows], y[rows])
        if misfit > _MOST_MISFIT * error or of_these <= ALONE:
            return [], ""
        where, most = " in most rows", of_these - FLOAT_ERROR
    best = SBS(LinearFit(), 1).fit(A[rows], y[rows]).best_per_size_
    fewest = best["support"][best["value"] > best["support"].map(exact)].iloc[0]
    return [names[column] for column in fewest], where


def exact_sum(A, y):
    """The fewest columns of which y is a weighted sum up to its rounding, or also up to theirs, as of means per game.

    Parameters and returned values as for `exact_set`.
    """
    names, where = exact_set(A, y, rounding_error(y), with_exceptions=True)
    if names or A.empty:
        return names, where
    A = most_correlated(A, y)
    weights = np.abs(LinearRegression().fit(A, y).coef_)
    errors = {name: weight * rounding_error(A[name]) for name, weight in zip(A, weights, strict=True)}
    errors = {name: error for name, error in errors.items() if error < _FINE * np.std(y)}
    return exact_set(A, y, rounding_error(y), pd.DataFrame(errors, A.index))


def most_correlated(numbers, y):
    """The columns that vary, in their order; no more than a fit to the rows can tell apart."""
    n_columns = min(_MOST_COMBINED, max(3, len(y) - FEW_ROWS))
    correlated = numbers.corrwith(pd.Series(y, numbers.index)).abs().dropna().nlargest(n_columns)
    return numbers.loc[:, numbers.columns.isin(correlated.index)]


def _best_fitted(A, y):
    """Four of five rows of a sample that a linear function fits best, and the largest misfit in these.

    Least trimmed squares, by concentration steps.
    """
    rows = sample = np.arange(len(y))[thinned(len(y), FIRST_ROWS + A.shape[1])]
    for _ in range(_N_STEPS):
        misfit = np.abs(y[sample] - LinearRegression().fit(A[rows], y[rows]).predict(A[sample]))
        order = np.argsort(misfit, kind="stable")[: int(_BEST_FITTED * len(sample))]
        rows = sample[order]
    return rows, misfit[order[-1]]

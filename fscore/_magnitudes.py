"""One rule for extreme magnitudes, whatever computes with them.

- What does not depend on the units of a column scales it first (`rescale_extremes`).
- What does refuses columns of which the powers that it computes overflow or underflow, and names column, value and
  remedy (`check_scale`).
- What would lose the digits that all values of a column share subtracts them first (`large_offsets`).
- What loses digits, or finds no optimum, because outliers widen a column, names it (`wide_column`).
"""

import numpy as np

WIDEST = 1e7  # range of a feature in its unit: beyond it, distances lose too many digits
WIDE, TOO_WIDE = 1e4, WIDEST  # range of a column over the median distance of its values to their median
_EXTREME = 400  # 2^400 is about 3e120: sums of squares of such values don't overflow
_DIGITS = 290  # powers between 1e-290 and 1e290 can be summed over many samples and features


def rescale_extremes(X: np.ndarray, largest: int = _EXTREME) -> np.ndarray:
    """Multiply columns of very large or very small values by a power of two, so that sums of their squares are exact.

    For scores that don't depend on the units of a feature. All other columns are returned unchanged.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Finite or NaN.
    largest : int
        The greatest magnitude in each returned column is between ``2**-largest`` and ``2**largest``, or zero.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        X itself if no column is extreme. Scaling by a power of two is exact, except for values that are more than 1e300
        times smaller than the greatest of their column.
    """
    _, exponents = np.frexp(np.nan_to_num(np.fmax(np.fmax.reduce(X), -np.fmin.reduce(X))))
    shift = np.clip(exponents, -largest, largest) - exponents
    return np.ldexp(X, shift) if shift.any() else X


def large_offsets(X, ratio=1e3):
    """What to subtract from each column so that large values close to each other keep their digits.

    So it is with distances computed as ``|a|^2 - 2 a.b + |b|^2``, as scikit-learn's brute-force search does.

    Returns
    -------
    ndarray of shape (n_features,)
        The first value of each column in which it is more than `ratio` times the range; zero for the others.
    """
    return np.where(np.abs(X[0]) > ratio * np.ptp(X, axis=0), X[0], 0.0)


def check_scale(X, caller, *, argument="X", power=2, ranges="largest", largest=None):
    """Refuse values whose differences overflow or underflow when raised to a power.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite.
    caller : estimator or str
        Named in the message. The feature names of an estimator are used, if it has any.
    argument : str, default="X"
        Name of the argument that X was given for.
    power : float, default=2
        The highest power of differences that the caller computes.
    ranges : {"largest", "each", None}, default="largest"
        Which ranges of columns must not be too small: the largest, since columns of smaller ranges then contribute
        nothing to distances; that of each column that varies; or none, for samples that are only predicted.
    largest : float, optional
        Bound on the absolute values, in place of the one that follows from `power`.

    Raises
    ------
    ValueError
        Names the column, the value and a remedy.
    """
    name = caller if isinstance(caller, str) else type(caller).__name__
    names = getattr(caller, "feature_names_in_", np.arange(X.shape[1]))
    smallest, limit = (float(f"1e{sign}{_DIGITS // power:.0f}") for sign in "-+")
    largest = limit if largest is None else largest
    low, high = X.min(axis=0), X.max(axis=0)
    magnitude = np.maximum(high, -low)
    column = magnitude.argmax()
    if magnitude[column] > largest:
        value = high[column] if high[column] == magnitude[column] else low[column]
        raise ValueError(
            f"Column {names[column]} of {argument} contains {value:.3g}, but {name} requires absolute values up to "
            f"{largest:g} to avoid overflow. Divide the column by {abs(value):.0e}, or remove the value if it marks "
            "missing data."
        )
    spread = high - low
    varying = np.flatnonzero(spread)
    if ranges is None or not varying.size:
        return
    column = varying[spread[varying].argmin() if ranges == "each" else spread[varying].argmax()]
    if spread[column] < smallest:
        where, what = ("", "the column") if ranges == "each" else (" in some column", "all columns")
        raise ValueError(
            f"Column {names[column]} of {argument} has the range {spread[column]:.3g}, but {name} requires at least "
            f"{smallest:g}{where} to avoid underflow. Divide {what} by {spread[column]:.0e}."
        )


def wide_column(X, estimator=None, least=WIDE):
    """What to do about the column with the farthest outliers, as a sentence to append; empty if none is so far."""
    deviation = np.median(np.abs(X - np.median(X, axis=0)), axis=0)
    ratio = np.divide(np.ptp(X, axis=0), deviation, out=np.zeros(X.shape[1]), where=deviation > 0)
    column = ratio.argmax()
    if ratio[column] < least:
        return ""
    names = getattr(estimator, "feature_names_in_", np.arange(X.shape[1]))
    return (
        f" Column {names[column]} of X has a range of {ratio[column]:.0e} times the median deviation of its values: "
        "take its logarithm, or clip or remove its outliers."
    )

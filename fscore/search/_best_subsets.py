"""Best subset regression: for every size the subset of columns that fits best, for certain."""

from numbers import Integral, Real

import pandas as pd

from fscore._sklearn import Interval, validate_params
from fscore._typing import ArrayLike
from fscore._validation import check_regression
from fscore.criteria.linear_fit import FIT_MEASURES, LinearFit, fit_measures, residual_variance
from fscore.search._optimal import BranchAndBound


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
    },
    prefer_skip_nested_validation=True,
)
def best_subsets(
    X: ArrayLike, y: ArrayLike, max_features: int | None = None, *, max_seconds: float | None = None
) -> pd.DataFrame:
    """The best linear regression of each size, by branch and bound, with the measures that choose a size.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Numbers.
    max_features : int, optional
        The largest size: at most all columns, and two fewer than the samples. By default 8, or as many as that allows.
    max_seconds : float, optional
        For each size. Where it ends a search, ``certified`` is False; the table ends before a size that was not
        reached.

    Returns
    -------
    DataFrame
        One row for each size: ``size``, ``features`` (tuple of column numbers), ``r2``, ``adjusted_r2``, ``aic``,
        ``bic``, ``cp`` (see `LinearFit`), and ``certified``: whether no subset of the size has a larger R2. Take the
        size with the least ``aic``, ``bic`` or ``cp``, or the largest ``adjusted_r2``.

    Raises
    ------
    ValueError
        If X or y cannot be used, there are fewer than three samples, or ``max_features`` is too large.

    Notes
    -----
    The time grows with the number of subsets that cannot be excluded, at worst exponentially with the columns; some
    tens of columns take seconds. All measures are of the rows at hand: test the choice on others.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fscore.search import best_subsets
    >>> table = best_subsets(*load_diabetes(return_X_y=True), max_features=6)
    >>> table.loc[table["bic"].idxmin(), "features"]
    (1, 2, 3, 6, 8)
    """
    checked, target = check_regression(X, y, ensure_min_samples=3)
    n_samples, n_features = checked.shape
    most = min(n_features, n_samples - 2)
    max_features = min(8, most) if max_features is None else max_features
    if max_features > most:
        raise ValueError(
            f"max_features={max_features} is too large; {n_samples} samples of {n_features} columns allow {most}."
        )
    r2_of_all = LinearFit().bind(checked, target).score([tuple(range(n_features))])[0]
    variance = residual_variance(r2_of_all, n_samples, n_features)
    rows = []
    for size in range(1, max_features + 1):
        search = BranchAndBound(LinearFit(), size, max_seconds=max_seconds).fit(checked, target)
        measures = fit_measures(search.score_, size, n_samples, variance)
        features = tuple(search.get_support(indices=True).tolist())
        if len(features) != size:  # stopped on the way
            break
        rows.append(
            {
                "size": size,
                "features": features,
                **{name: float(measures[name]) for name in FIT_MEASURES},
                "certified": search.stopped_ is None,
            }
        )
    return pd.DataFrame(rows)

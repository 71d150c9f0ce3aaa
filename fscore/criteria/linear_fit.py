"""How well a linear regression fits the rows that it is fitted to: R2, and what weighs it against the subset's size."""

from typing import ClassVar, Literal

import numpy as np

from fscore._magnitudes import rescale_extremes
from fscore._sklearn import StrOptions, estimator_dataclass
from fscore._validation import check_regression
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._fast import MAX_ENTRIES, scaled_inverses
from fscore.criteria._least_squares import MAX_CONDITION, ill_conditioned_error
from fscore.criteria._subsets import by_length

__all__ = ["FIT_MEASURES", "LinearFit", "fit_measures"]

FIT_MEASURES = ("r2", "adjusted_r2", "aic", "bic", "cp")
ROUNDING = 1e-12  # of the target's variance; less is a rounding error, so that all exact fits are equal


def fit_measures(r2, size, n_samples, variance):
    """The measures of linear fits with an intercept.

    With RSS the residual sum of squares divided by the total one, n samples and d features:
    ``aic = n ln RSS + 2 (d + 1)``, ``bic = n ln RSS + ln(n) (d + 1)``, ``cp = RSS / s^2 - n + 2 (d + 1)`` with s^2 the
    residual variance of the fit on all features, ``adjusted_r2 = 1 - RSS (n - 1) / (n - d - 1)``. Constants that are
    the same for every subset are left out.

    Parameters
    ----------
    r2, size : array-like of shape (n_subsets,)
    n_samples : int
    variance : float
        s^2; see `residual_variance`.

    Returns
    -------
    dict of str to ndarray of shape (n_subsets,)
        NaN where too few samples are left to estimate a variance.
    """
    r2, size = np.asarray(r2, dtype=np.float64), np.asarray(size)
    rss, left = np.maximum(1 - r2, ROUNDING), n_samples - size - 1
    logs = np.where(left > 0, n_samples * np.log(rss), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "r2": r2,
            "adjusted_r2": np.where(left > 0, 1 - rss * (n_samples - 1) / left, np.nan),
            "aic": logs + 2 * (size + 1),
            "bic": logs + np.log(n_samples) * (size + 1),
            "cp": rss / variance - n_samples + 2 * (size + 1),
        }


def residual_variance(r2_of_all, n_samples, n_features):
    """Residual variance of the fit on all features, in parts of the total sum of squares; NaN if no sample is left."""
    left = n_samples - n_features - 1
    return max(1 - r2_of_all, ROUNDING) / left if left > 0 else np.nan


@estimator_dataclass
class LinearFit(Criterion):
    """How well a linear regression on the columns fits the rows that it is fitted to.

    Parameters
    ----------
    measure : {"r2", "adjusted_r2", "aic", "bic", "cp"}, default="r2"
        "r2" never falls when a column is added, so `BranchAndBound` finds the best subset of a size for certain:
        *best subset regression*. The others weigh the fit against the number of columns and so choose a size; of
        "aic", "bic" and Mallows' "cp" the criterion is the negative, because a criterion is maximized.

    Notes
    -----
    A fit to the same rows says nothing about new ones: score the chosen columns on others (`nested_score`). Subsets
    that leave no degree of freedom have the worst value, minus infinity, by all measures but "r2"; "cp" needs two more
    rows than columns.

    References
    ----------
    Furnival, Wilson (1974), Technometrics 16: regressions by leaps and bounds. Mallows (1973), Technometrics 15.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fscore.criteria import LinearFit
    >>> from fscore.search import BranchAndBound
    >>> search = BranchAndBound(LinearFit(), 3).fit(*load_diabetes(return_X_y=True))
    >>> search.get_support(indices=True), round(search.score_, 4)
    (array([2, 3, 8]), 0.4801)
    """

    needs_classes = False
    measure: Literal["r2", "adjusted_r2", "aic", "bic", "cp"] = "r2"

    _parameter_constraints: ClassVar[dict] = {"measure": [StrOptions(set(FIT_MEASURES))]}

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """Whether adding a column can never lower the score."""
        return self.measure == "r2"

    def _bind(self, X, y, n_jobs, params):
        X, y = check_regression(X, y)
        Z, v = (_standardized(rescale_extremes(A)) for A in (X, y.astype(np.float64)[:, None]))
        return BoundLinearFit.from_samples(Z, v[:, 0], self.measure)


def _standardized(X):
    centered = X - X.mean(axis=0)
    length = np.sqrt((centered**2).sum(axis=0))
    return centered / np.where(length > 0, length, 1.0)


class BoundLinearFit(BoundCriterion):
    """Each subset is solved on its own, from the correlations of the columns with one another and with y.

    Parameters
    ----------
    correlations : ndarray of shape (n_features, n_features)
    with_y : ndarray of shape (n_features,)
    n_samples : int
    measure : str
    samples : tuple (Z, v), optional
        Columns and target, centered and of unit length, for subsets whose correlations lose too many digits; without
        samples these raise an error.
    """

    def __init__(self, correlations, with_y, n_samples, measure, samples=None):
        self.correlations, self.with_y, self.n_samples, self.measure = correlations, with_y, n_samples, measure
        self.samples = samples
        self.variance = np.nan
        if measure == "cp":
            n_features = len(with_y)
            if n_samples < n_features + 2:
                raise ValueError(
                    f"LinearFit('cp') compares with the fit on all {n_features} columns, which needs "
                    f"{n_features + 2} rows, but there are {n_samples}; use 'bic', or leave columns out."
                )
            self.variance = residual_variance(self._r2(np.arange(n_features)[None])[0], n_samples, n_features)

    @classmethod
    def from_samples(cls, Z, v, measure):
        """From columns and a target that are centered and of unit length."""
        return cls(Z.T @ Z, Z.T @ v, len(v), measure, (Z, v))

    @classmethod
    def from_products(cls, products, n_samples, measure):
        """From products about the mean of all columns and, last, the target."""
        length = np.sqrt(products.diagonal())
        if not length[-1] > 0:
            raise ValueError("y is constant, so no fit explains any of it.")
        scale = 1 / np.where(length > 0, length, 1.0)
        correlations = products * np.outer(scale, scale)
        np.fill_diagonal(correlations, 1.0)  # a constant column, with no correlations, explains nothing
        return cls(correlations[:-1, :-1], correlations[:-1, -1], n_samples, measure)

    def _score(self, subsets):
        r2 = np.empty(len(subsets))
        for positions, columns in by_length(subsets, lambda length: max(1, MAX_ENTRIES // length**2)):
            r2[positions] = self._r2(columns)
            self.raise_if_out_of_time()
        if self.measure == "r2":
            return r2
        sizes = np.array([len(subset) for subset in subsets])
        values = fit_measures(r2, sizes, self.n_samples, self.variance)[self.measure]
        higher_is_better = values if self.measure == "adjusted_r2" else -values
        return np.where(np.isnan(values), -np.inf, higher_is_better)

    def _r2(self, columns):
        """R2 of subsets of one size, an array of shape (n_subsets, size)."""
        inverse, scale, regular = scaled_inverses(self.correlations[columns[:, :, None], columns[:, None, :]])
        products = self.with_y[columns] * scale
        r2 = (products * (inverse @ products[..., None])[..., 0]).sum(axis=-1)
        lost = ~regular | (np.einsum("...ii->...", inverse) > MAX_CONDITION)
        for q in np.flatnonzero(lost):
            r2[q] = self._exact_r2(columns[q])
        return np.clip(r2, 0, 1)

    def _exact_r2(self, columns):
        """R2 of one subset by an orthogonal decomposition, also of columns that depend on one another."""
        if self.samples is None:
            raise ill_conditioned_error(columns)
        Z, v = self.samples
        w = np.linalg.lstsq(Z[:, columns], v)[0]
        return 1 - ((v - Z[:, columns] @ w) ** 2).sum()

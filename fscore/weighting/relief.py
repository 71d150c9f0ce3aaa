"""Relief and ReliefF as feature weightings: their scores, clipped at zero and converted to the features' units."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import ClassVar, Literal, Self

import numpy as np

from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Seed
from fscore.filters import relief, relieff
from fscore.weighting._base import FeatureWeighting, check_sample

__all__ = ["Relief", "ReliefF"]


@estimator_dataclass
class Relief(FeatureWeighting):
    """Weights by Relief: how much more a feature differs from the nearest miss than from the nearest hit.

    Relief computes its scores W for features divided by their ranges, so ``weights_`` is ``max(W, 0) / range**2``: the
    weighted distances do not depend on the scaling of the features. With ``units="data"`` the weights are
    ``max(W, 0)``, and they do.

    Parameters
    ----------
    n_iterations, difference, random_state
        As in :func:`fscore.filters.relief`, which computes the scores.
    units : {"range", "data"}, default="range"
        What the scores weight (not stated by the papers): features divided by their ranges, or the given features.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1) of [2]_. Zero for constant features.
    scores_ : ndarray of shape (n_features,)
        W, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, a class of fewer than two samples, or only constant features.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the weights of discrete features depend on
    the order of the samples.

    References
    ----------
    .. [1] K. Kira and L. A. Rendell, "A practical approach to feature selection", ICML 1992.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> from fscore.weighting import Relief
    >>> Relief().fit([[0, 0], [0, 10], [2, 0], [2, 10]], [0, 0, 1, 1]).weights_
    array([0.25, 0.  ])
    """

    _: KW_ONLY
    n_iterations: int | None = None
    difference: Literal["squared", "absolute"] = "squared"
    units: Literal["range", "data"] = "range"
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "n_iterations": [Interval(Integral, 1, None, closed="left"), None],
        "difference": [StrOptions({"absolute", "squared"})],
        "units": [StrOptions({"range", "data"})],
        "random_state": ["random_state"],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : estimator
        """
        X, codes, classes = check_sample(X, y, estimator=self, ranges="each" if self.units == "range" else "largest")
        self.scores_ = self._score(X, classes[codes])
        weights = np.maximum(self.scores_, 0.0)
        if self.units == "range":
            span = np.ptp(X, axis=0)
            weights /= np.where(span > 0, span, 1.0) ** 2
        self._set_weights(weights, X)
        return self

    def _score(self, X, y):
        return relief(X, y, n_iterations=self.n_iterations, difference=self.difference, random_state=self.random_state)


@estimator_dataclass
class ReliefF(Relief):
    """Weights by ReliefF: k nearest hits, and k nearest misses of each other class.

    ``weights_`` is ``max(W, 0) / range**2``, W the scores, as in :class:`Relief`.

    Parameters
    ----------
    n_neighbors, n_iterations, difference, random_state
        As in :func:`fscore.filters.relieff`, which computes the scores.
    units : {"range", "data"}, default="range"
        What the scores weight (not stated by the papers): features divided by their ranges, or the given features.

    Attributes
    ----------
    weights_, scores_, feature_importances_
        As of :class:`Relief`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, a class of fewer than ``n_neighbors + 1`` samples, or only constant features.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the weights of discrete features depend on
    the order of the samples.

    References
    ----------
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994.
    """

    n_neighbors: int = 10
    _: KW_ONLY
    difference: Literal["squared", "absolute"] = "absolute"

    _parameter_constraints: ClassVar[dict] = {"n_neighbors": [Interval(Integral, 1, None, closed="left")]}

    def _score(self, X, y):
        return relieff(
            X,
            y,
            n_neighbors=self.n_neighbors,
            n_iterations=self.n_iterations,
            difference=self.difference,
            random_state=self.random_state,
        )

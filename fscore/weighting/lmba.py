"""LMBA, reconstructed: stochastic gradient descent on the loss of large margin nearest neighbor classification."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from fscore._sklearn import Interval, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Seed
from fscore.weighting._base import FeatureWeighting, check_sample
from fscore.weighting._targets import loss_and_gradient, target_neighbors

__all__ = ["LMBA"]

LIMIT = 2.0  # largest factor by which one step may change a weight


@estimator_dataclass
class LMBA(FeatureWeighting):
    r"""Loss-margin based feature weights (a reconstruction).

    The original paper [1]_ was not available to us. This follows its description in [2]_, section 1: a weight vector
    is adapted so that the region spanned by the k nearest neighbors of the same class of each sample, plus a margin,
    contains no samples of other classes. With :math:`d(i, j) = \sum_\mu v_\mu^2 (x_{i\mu} - x_{j\mu})^2` that is

    .. math:: L(v) = \sum_{i, j \to i} d(i, j) + c \sum_{i, j \to i} \sum_{l: y_l \ne y_i} [1 + d(i, j) - d(i, l)]_+

    over the k target neighbors j of i, chosen in the unweighted space. L is reduced by stochastic gradient steps,
    sample by sample, starting from the Euclidean distance, v = 1. It is the objective of ``DiagonalLMNN()`` with
    ``mu = c / (1 + c)``; the difference is that LMBA stops after a finite number of steps.

    ``weights_`` is the *squared* vector, in the units of the features.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number k of target neighbors.
    c : float, default=1.0
        Weight of the impostors.
    learning_rate : float, default=0.01
        Step size in the first pass; pass t (from 0) uses ``learning_rate / (1 + t)``.
    n_passes : int, default=20
        Number of passes through the samples.
    random_state : int, RandomState instance or None, default=None
        Shuffles the samples in each pass.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1) of [2]_. Zero for constant features.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    objective_ : float
        L of the final weights.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, only constant features, or values so large or small that their
        squares overflow or underflow.

    Warns
    -----
    UserWarning
        A class has no more than ``n_neighbors`` samples: its samples then have fewer target neighbors.

    Notes
    -----
    Our choices, not stated in the sources: all rates; a step that at most halves or doubles a weight; and a division of
    all features by one number that makes the mean squared distance to the target neighbors 1. So margin and steps do
    not depend on a common unit of the features; they do depend on their relative scaling.

    Identical samples of different classes are allowed; they are impostors under any weights.

    If several samples have the same distance, which is common in rounded data, rounding errors decide which of them are
    target neighbors. These depend on the order of the columns, so the weights can, too.

    References
    ----------
    .. [1] Y. Li and B.-L. Lu, "Feature selection based on loss-margin of nearest neighbor classification", Pattern
       Recognition 42 (2009) 1914-1921.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.weighting import LMBA
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> LMBA(random_state=0).fit(X, X[:, 1] > 0.5).weights_.argmax()
    np.int64(1)
    """

    n_neighbors: int = 3
    _: KW_ONLY
    c: float = 1.0
    learning_rate: float = 0.01
    n_passes: int = 20
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "c": [Interval(Real, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
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
        self : LMBA
        """
        from fscore.kernels.weighting import lmba_pass

        X, codes, _ = check_sample(X, y, estimator=self)
        pairs = target_neighbors(X, codes, self.n_neighbors)
        unit = pairs.unit(X)
        U = (X - X.mean(axis=0)) / unit
        UT = np.ascontiguousarray(U.T)
        random = check_random_state(self.random_state)
        v = (np.ptp(X, axis=0) > 0).astype(float)
        for t in range(self.n_passes):
            order, rate = random.permutation(len(X)), self.learning_rate / (1 + t)
            lmba_pass(U, UT, codes, order, pairs.starts, pairs.targets, v, float(self.c), rate, LIMIT)
        self.objective_ = float(loss_and_gradient(U * v, codes, pairs, 1.0, float(self.c))[0])
        self._set_weights((v / unit) ** 2, X)
        return self

"""Simba: stochastic gradient ascent on the margins of a weighted nearest neighbor classifier."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Seed
from fscore.weighting._base import FeatureWeighting, check_sample

__all__ = ["Simba"]


@estimator_dataclass
class Simba(FeatureWeighting):
    r"""Feature weights that maximize the margin between each sample's nearest miss and nearest hit.

    The margin of a sample under weights v is :math:`\theta(x) = \frac12 (\|x - \mathrm{NM}(x)\|_v -
    \|x - \mathrm{NH}(x)\|_v)` with :math:`\|z\|_v^2 = \sum_\mu v_\mu^2 z_\mu^2` and both neighbors found under v.
    Sample by sample, v takes a step along the gradient of :math:`u(\theta(x))`, starting from v = 1 [1]_. The ascent
    finds a local optimum, so it is repeated with the samples in another order, and the weights with the largest sum of
    utilities are kept.

    ``weights_`` is the *squared* vector, :math:`w = v^2 / \max_\mu v_\mu^2`.

    Parameters
    ----------
    utility : {"linear", "sigmoid"}, default="linear"
        u(t) = t, or u(t) = 1 / (1 + exp(-beta t)), which bounds the effect of a single sample.
    beta : float, default=1.0
        Slope of the sigmoid utility (not stated in the sources at hand). Ignored if ``utility="linear"``.
    n_restarts : int, default=5
        Number of ascents, each in its own random order. (The defaults of this and of ``n_passes`` are those of the
        authors' toolbox, as far as we remember.)
    n_passes : int, default=1
        Number of passes of each ascent through the samples.
    random_state : int, RandomState instance or None, default=None
        Shuffles the samples.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1) of [2]_; the largest is 1. Zero for constant features.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    utility_ : float
        The largest sum of utilities, computed with the largest weight scaled to 1.
    utilities_ : ndarray of shape (n_restarts,)
        The sum of utilities of each ascent.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, only constant features, or values so large or small that their
        squares overflow or underflow.

    Notes
    -----
    Utilities are compared with the largest weight scaled to 1, but the ascent itself is not bounded, so its sum can be
    lower than that of equal weights.

    The step size is proportional to the scale of the features, so scale them to a common range of about one. A step
    takes O(n_samples n_features) time; distances are not stored.

    A sample that is alone in its class has no hit and takes no step, but it can be the miss of others. A neighbor at
    distance zero (a duplicate, of either class) contributes no gradient.

    References
    ----------
    .. [1] R. Gilad-Bachrach, A. Navot and N. Tishby, "Margin based feature selection: theory and algorithms", ICML
       2004.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.weighting import Simba
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> Simba(random_state=0).fit(X, X[:, 1] > 0.5).weights_.argmax()
    np.int64(1)
    """

    utility: Literal["linear", "sigmoid"] = "linear"
    _: KW_ONLY
    beta: float = 1.0
    n_restarts: int = 5
    n_passes: int = 1
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "utility": [StrOptions({"linear", "sigmoid"})],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
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
        self : Simba
        """
        from fscore.kernels.weighting import simba_pass, simba_utility

        X, codes, _ = check_sample(X, y, estimator=self, power=4)  # the weights can grow like X, to the square
        XT = np.ascontiguousarray(X.T)
        varying = np.ptp(X, axis=0) > 0
        utility = self.utility == "sigmoid", float(self.beta)
        random = check_random_state(self.random_state)
        self.utilities_, ascents = np.empty(self.n_restarts), []
        for restart in range(self.n_restarts):
            v = varying.astype(float)
            for _ in range(self.n_passes):
                simba_pass(X, XT, codes, random.permutation(len(X)), v, *utility)
            largest = np.abs(v).max()
            if largest > 0:
                v /= largest
            self.utilities_[restart] = simba_utility(XT, codes, v, *utility)
            ascents.append(v)
        self.utility_ = float(self.utilities_.max())
        self._set_weights(ascents[self.utilities_.argmax()] ** 2, X)
        return self

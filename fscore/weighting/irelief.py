"""I-Relief: Relief with the nearest neighbors as hidden variables, iterated to a fixed point."""

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from fscore._columns import as_array
from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context
from fscore._splits import check_splits
from fscore._typing import ArrayLike, Seed, Splits
from fscore._warnings import warn_user
from fscore.weighting._base import FeatureWeighting, check_sample

__all__ = ["IRelief", "mean_distance"]


@estimator_dataclass
class IRelief(FeatureWeighting):
    r"""Feature weights from expected margins, in which nearest neighbors are known only with a probability.

    With weights w of *absolute* differences, :math:`d_w(x, x') = \sum_\mu w_\mu |x_\mu - x'_\mu|`, sample i is the
    nearest miss (hit) of n with a probability proportional to :math:`\exp(-d_w(x_n, x_i) / \sigma)` among the samples
    of other classes (of its class), and n has the weight :math:`\gamma_n`, the probability that its nearest neighbor
    is a hit. The expected margins :math:`\nu`, averaged over n, give the next weights,
    :math:`w = \max(\nu, 0) / \|\max(\nu, 0)\|_2`, until the weights converge [1]_. With several classes every sample
    of another class is a miss (I-Relief-2).

    ``weights_`` is this w, unchanged. It is learned with absolute differences, whereas eq. (1) of [2]_ has squared
    ones; there is no exact conversion.

    Parameters
    ----------
    sigma : float or "cv", default=1.0
        Kernel width, in the units of the weighted distances. "cv" chooses, among the ``sigmas`` that converge, the one
        with the best cross-validated accuracy of k nearest neighbors; among equals, the widest.
    sigmas : sequence of float or None, default=None
        The widths that "cv" tries. None means the mean distance between samples under equal weights, times 1/16, 1/8,
        ..., 2 (our choice). A constant column makes them smaller; leave such columns out.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for "cv", as in scikit-learn.
    n_neighbors : int, default=3
        Number of neighbors of the classifier for "cv".
    online : bool, default=False
        Update the weights after each sample, with step size :math:`\eta_t = 1 / (a t + 1)`.
    decay : float, default=1.0
        The a of the step size; 1 gives all presentations the same weight, a larger a favors early ones.
    max_iter : int, default=100
        Maximum number of passes through the samples.
    tol : float, default=1e-2
        The weights have converged if the sum of their absolute changes in a pass is below this.
    random_state : int, RandomState instance or None, default=None
        Shuffles the samples in each pass of the online variant.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Of Euclidean norm 1. Zero for constant features.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    sigma_ : float
        The width used.
    cv_scores_ : ndarray of shape (n_sigmas,)
        Mean accuracy of each of ``sigmas``; only if ``sigma="cv"``.
    converged_ : bool
        False if there was a ConvergenceWarning.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, or only constant features; ``sigmas`` that are not
        positive; with "cv", malformed folds, or classes too small for them; values so large or small that their squares
        overflow or underflow.

    Notes
    -----
    The result depends on the scaling of the features, which should be in [0, 1] [1]_. Convergence is guaranteed only if
    ``sigma`` is large enough.

    The next weights maximize :math:`w \cdot \nu` among non-negative w of norm 1, if some margin is positive. If none
    is, the last weights are kept, with a ConvergenceWarning.

    Pairs at distance zero have probability zero, as in PyMVPA; otherwise they would take all of it for a small
    ``sigma``. A sample whose class contains only copies of itself therefore has no margin, but it can be the miss of
    others.

    A pass takes O(n_samples**2 n_features) time and O(n_samples n_features) memory.

    References
    ----------
    .. [1] Y. Sun, "Iterative RELIEF for feature weighting: algorithms, theories, and applications", IEEE TPAMI 29
       (2007) 1035-1051.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.weighting import IRelief
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> IRelief(sigma=0.2).fit(X, X[:, 1] > 0.5).weights_.argmax()
    np.int64(1)
    """

    sigma: float | Literal["cv"] = 1.0
    _: KW_ONLY
    sigmas: Sequence[float] | None = None
    cv: Splits = 5
    n_neighbors: int = 3
    online: bool = False
    decay: float = 1.0
    max_iter: int = 100
    tol: float = 1e-2
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "sigma": [Interval(Real, 0, None, closed="neither"), StrOptions({"cv"})],
        "sigmas": ["array-like", None],
        "cv": ["cv_object"],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "online": ["boolean"],
        "decay": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
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
        self : IRelief
        """
        X, codes, classes = check_sample(X, y, estimator=self, ranges="each")
        vars(self).pop("cv_scores_", None)  # of an earlier fit with "cv"
        sigmas = self._ranked_sigmas(X, classes[codes]) if self.sigma == "cv" else [self.sigma]
        for sigma in sigmas:
            w, nu = self._iterate(X, codes, sigma)
            if self.converged_:
                break
        if not self.converged_ and len(sigmas) > 1:
            w, nu = self._iterate(X, codes, sigmas[0])
        if nu.max() <= 0:
            warn_user(
                f"No feature has a positive margin under sigma={self.sigma_:.3g}: by this measure none separates the "
                "classes, and the last weights are kept. Check the labels, or increase sigma.",
                ConvergenceWarning,
            )
        elif not self.converged_:
            warn_user(
                f"The weights still change by more than tol={self.tol} after {self.n_iter_} passes: increase sigma "
                f"(now {self.sigma_:.3g}) or max_iter.",
                ConvergenceWarning,
            )
        self._set_weights(np.where(np.ptp(X, axis=0) > 0, w, 0.0), X)
        return self

    def _iterate(self, X, codes, sigma):
        """Weights at the fixed point, or after ``max_iter`` passes, and the margins that gave them."""
        from fscore.kernels.weighting import irelief_epoch, irelief_margin

        self.sigma_ = float(sigma)
        XT = np.ascontiguousarray(X.T)
        random = check_random_state(self.random_state)
        w, nu = np.full(X.shape[1], 1 / np.sqrt(X.shape[1])), np.zeros(X.shape[1])
        for iteration in range(self.max_iter):
            before = w.copy()
            if self.online:
                order = random.permutation(len(X))
                irelief_epoch(X, XT, codes, order, w, nu, iteration * len(X), float(self.decay), self.sigma_)
            else:
                nu = irelief_margin(X, XT, codes, w, self.sigma_)
                if nu.max() > 0:
                    w = np.maximum(nu, 0.0)
                    w /= np.linalg.norm(w)
            still = np.abs(w - before).sum() < self.tol
            self.n_iter_, self.converged_ = iteration + 1, bool(still and nu.max() > 0)
            if still:
                break
        return w, nu

    def _ranked_sigmas(self, X, y):
        """The widths from best to worst accuracy; among equals, the widest first."""
        from sklearn.model_selection import cross_val_score
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline

        sigmas = mean_distance(X) * 2.0 ** np.arange(-4, 2) if self.sigmas is None else as_array(self.sigmas)
        numeric = sigmas.ndim == 1 and sigmas.size > 0 and sigmas.dtype.kind in "iuf"
        if not numeric or not np.all((sigmas > 0) & (sigmas < np.inf)):
            raise ValueError(f"sigmas must be a sequence of positive numbers, got {self.sigmas!r}.")
        folds = check_splits(self.cv, X, y)
        self.cv_scores_ = np.empty(len(sigmas))
        params = self.get_params() | {"cv": folds}  # a generator can't be copied
        for k, sigma in enumerate(sigmas):
            of_this_width = type(self)(**(params | {"sigma": float(sigma)}))
            weighted = make_pipeline(of_this_width, KNeighborsClassifier(n_neighbors=self.n_neighbors))
            with warnings.catch_warnings():  # a width that does not converge is judged by its accuracy
                warnings.simplefilter("ignore")
                self.cv_scores_[k] = cross_val_score(weighted, X, y, cv=folds, error_score="raise").mean()
        return sigmas[np.lexsort((sigmas, self.cv_scores_))[::-1]]


def mean_distance(X):
    """Mean of ``sum_mu |x_mu - x'_mu| / sqrt(n_features)`` over all pairs: I-Relief's distance under equal weights.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    float
    """
    n = len(X)  # sorted, the k-th value of a feature is the larger one in k pairs, the smaller in n - 1 - k
    rank = 2 * np.arange(n) - n + 1
    total = (rank @ np.sort(X, axis=0)).sum() * 2 / (n * (n - 1))
    return total / np.sqrt(X.shape[1])

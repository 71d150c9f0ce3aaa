"""Incremental LVQ, updated after each sample: LVQ1 and the weighted algorithms that Andonie & Cataron (2004) compare.

A step of a weighted LVQ (their section 2) finds the winner in the weighted metric, moves it towards or away from the
sample, updates and normalizes the relevances, and adds them to their mean over all steps.
"""

from dataclasses import KW_ONLY
from functools import partial
from numbers import Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fscore._magnitudes import check_scale
from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Seed
from fscore._validation import check_label_types, check_labeled, encode_labels, validated
from fscore.lvq._base import COUNT, NOT_NEGATIVE, POSITIVE, PrototypeClassifier, VectorMetric

__all__ = ["ERLVQ", "LVQ1", "OWARLVQ", "RLVQ"]

FAR = 1e3  # times the largest value: a prototype beyond is pushed away by every sample, each time by more


@estimator_dataclass
class LVQ1(VectorMetric, PrototypeClassifier):
    """Kohonen's LVQ1: the winner moves towards samples of its class and away from others.

    Learns no relevances: ``feature_importances_`` are all equal, so ``SelectFromModel`` or ``RFE`` would select by
    rounding errors or column order. Use :class:`RLVQ` to select features.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Number of prototypes of each class.
    prototypes_init : {"mean", "sample"} or array-like of shape (n_prototypes_total, n_features), default="mean"
        Initial prototypes: class means (with a little noise if a class has several), random samples of the class, or
        an array ordered by class (so that several algorithms can start from the same prototypes).
    learning_rate : float, default=0.05
        Step of the winner as a fraction of its distance to the sample (gamma).
    decay : float, default=0.0
        At step t the learning rate is ``learning_rate / (1 + decay t)``.
    n_epochs : int, default=30
        Number of passes of ``fit`` through the samples.
    shuffle : bool, default=True
        Present the samples in a new random order in each pass.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes_total, n_features)
    prototype_labels_ : ndarray of shape (n_prototypes_total,)
    relevances_ : ndarray of shape (n_features,)
        lambda, the weights of the metric; they sum to one. In LVQ1 all are equal.
    feature_importances_ : ndarray of shape (n_features,)
        The paper's "overall rank": the mean of lambda over all steps.
    history_ : dict of lists
        One entry per pass: "cost", the fraction of samples that were misclassified when they were presented.
    relevance_history_ : ndarray of shape (n_passes, n_features)
        lambda after each pass.
    n_steps_ : int
        Number of steps.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Kohonen (1995), "Self-Organizing Maps"; Andonie & Cataron (2004), section 2.
    """

    n_prototypes: int | ArrayLike = 1
    _: KW_ONLY
    prototypes_init: Literal["mean", "sample"] | ArrayLike = "mean"
    learning_rate: float = 0.05
    decay: float = 0.0
    n_epochs: int = 30
    shuffle: bool = True
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "learning_rate": [POSITIVE],
        "decay": [NOT_NEGATIVE],
        "n_epochs": [COUNT],
        "shuffle": ["boolean"],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train from the initial prototypes, for ``n_epochs`` passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        random_state = check_random_state(self.random_state)
        X, codes, self.classes_ = check_labeled(X, y, estimator=self)
        check_scale(X, self, power=self._power)
        self._initialize(X, codes, random_state)
        for _ in range(self.n_epochs):
            order = random_state.permutation(len(X)) if self.shuffle else slice(None)
            self._run_pass(X[order], codes[order])
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Train on one pass through the samples, in the given order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes; required in the first call if y does not contain all. In that case ``prototypes_init`` must be
            an array, because there are no samples from which to initialize the prototypes of the others.

        Returns
        -------
        self
        """
        first = not hasattr(self, "prototypes_")
        check_label_types(y)
        X, y = validated(partial(validate_data, self), X, y, dtype=np.float64, order="C", reset=first)
        check_scale(X, self, power=self._power, ranges="largest" if first else None)
        present = np.unique(y).tolist()
        if first and classes is None and len(present) == 1:
            raise ValueError(
                f"The first partial_fit has only samples of class {present[0]!r}; pass all classes, and "
                "prototypes_init as an array."
            )
        if first:
            self.classes_, _ = encode_labels(y if classes is None else classes)
        elif classes is not None and set(classes) != set(self.classes_):
            raise ValueError(
                f"classes={np.asarray(classes).tolist()} differ from those of the first call, "
                f"{self.classes_.tolist()}; pass the same, or none."
            )
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y contains the unknown class {unknown[0]}; pass all classes to the first partial_fit.")
        codes = np.searchsorted(self.classes_, y)
        if first:
            self._initialize(X, codes, check_random_state(self.random_state))
        self._run_pass(X, codes)
        return self

    def _initialize(self, X, codes, random_state):
        n_features = X.shape[1]
        self.prototypes_, self._labels = self._initial_prototypes(X, codes, random_state)
        self.prototype_labels_ = self.classes_[self._labels]
        self._largest = float(np.abs(self.prototypes_).max())
        self.relevances_ = np.full(n_features, 1 / n_features)
        self._average = np.zeros(n_features)
        self._previous = np.zeros(n_features)
        self._state = np.array([0, -1], dtype=np.intp)
        self.history_ = {"cost": []}
        self._relevance_log = []

    def _run_pass(self, X, codes):
        from fscore.kernels.lvq import RULES, incremental_pass

        relevance_rate, rule, *options = self._rule()
        errors = incremental_pass(
            X,
            codes.astype(np.intp),
            self.prototypes_,
            self._labels,
            self.relevances_,
            self._average,
            self._previous,
            self._state,
            float(self.learning_rate),
            float(self.decay),
            relevance_rate,
            RULES.index(rule),
            *options,
        )
        self._largest = max(self._largest, float(np.abs(X).max()))
        self._check_finite(self.relevances_)
        self._check_finite(self.prototypes_, limit=FAR * self._largest)
        self.history_["cost"].append(errors / len(X))
        self._relevance_log.append(self.relevances_.copy())
        self.feature_importances_ = self._average.copy()
        self.n_steps_ = int(self._state[0])

    def _rule(self):
        """``relevance_rate, rule, flag, shape, same_class`` of the kernel."""
        return 0.0, "fixed", False, 0.0, False

    def _restrict_metric(self, features):
        super()._restrict_metric(features)
        self._average, self._previous = self._average[features], self._previous[features]
        self.feature_importances_ = self._average.copy()


@estimator_dataclass
class RLVQ(LVQ1):
    """Relevance LVQ: a feature loses relevance if it is far from a correct winner, and gains if far from a wrong one.

    ``lambda_k <- max(lambda_k - a |x_k - w_k|, 0)`` if the winner is correct, ``lambda_k + a |x_k - w_k|`` if not;
    then they are divided by their sum. Features should have similar scales. Parameters and attributes are those of
    :class:`LVQ1`, with the following parameters in addition.

    Parameters
    ----------
    relevance_rate : float, default=1e-4
        The a of the rule. The rule has no equilibrium: with large rates or many passes one feature gets all relevance.
    difference : {"absolute", "squared"}, default="absolute"
        ``|x_k - w_k|`` as first published [1]_, or its square, as restated with GRLVQ [2]_.

    Notes
    -----
    A constant column never differs from the winner, so its relevance only gains when the others lose. Remove such
    columns first, for example with ``VarianceThreshold``.

    References
    ----------
    .. [1] Bojer, Hammer, Schunk & Tluk von Toschanowitz (2001), "Relevance determination in learning vector
       quantization", ESANN.
    .. [2] Hammer & Villmann (2002), Neural Networks 15.
    """

    _: KW_ONLY
    relevance_rate: float = 1e-4
    difference: Literal["squared", "absolute"] = "absolute"

    _parameter_constraints: ClassVar[dict] = {
        "relevance_rate": [NOT_NEGATIVE],
        "difference": [StrOptions({"absolute", "squared"})],
    }

    def _rule(self):
        return float(self.relevance_rate), "relevance", self.difference == "squared", 0.0, False


@estimator_dataclass
class OWARLVQ(LVQ1):
    """OWA-RLVQ, reconstructed: relevances move towards ordered weights of the ranks of ``|x_k - w_k|``.

    We could not find the paper of the method (Cataron & Andonie, AIA 2003). This is our reconstruction from its
    description as "relevances computed as Ordered Weighted Aggregation (OWA) weights". Rank the features by
    ``|x_k - w_k|``, ascending if the winner is correct and descending if not. Then move lambda by the fraction
    ``relevance_rate`` towards Yager's weights of the ranks, ``v_i = Q(i / n) - Q((i - 1) / n)`` with
    ``Q(r) = r^exponent``. Parameters and attributes are those of :class:`LVQ1`, with the following parameters in
    addition.

    Parameters
    ----------
    relevance_rate : float, default=0.01
        Step of the relevances, in [0, 1].
    exponent : float, default=0.5
        Below 1 the first ranks get larger weights; 1 keeps all relevances equal.

    Notes
    -----
    A constant column has the first rank whenever the winner is correct, and so a large relevance. Remove such columns
    first, for example with ``VarianceThreshold``.
    """

    _: KW_ONLY
    relevance_rate: float = 0.01
    exponent: float = 0.5

    _parameter_constraints: ClassVar[dict] = {
        "relevance_rate": [Interval(Real, 0, 1, closed="both")],
        "exponent": [POSITIVE],
    }

    def _rule(self):
        return float(self.relevance_rate), "owa", False, float(self.exponent), False


@estimator_dataclass
class ERLVQ(LVQ1):
    """Energy relevance LVQ: gradient ascent on Onicescu's informational energy, estimated from two samples at a time.

    Let ``D = (x_1 - w_1) - (x_2 - w_2)`` of two consecutive samples and their winners (at the time each sample was
    presented; the paper does not say). With ``G = exp(-|lambda o D|^2 / (4 sigma^2))``, equation 5 reads
    ``lambda_k <- lambda_k + eta / (4 sigma^2) G lambda_k D_k^2``. The step is never negative and grows with the
    spread of the residuals, so features that vary around their prototypes gain and discriminative ones lose.
    A large relevance thus marks a feature with large residuals: ERLVQ is not suitable for ``SelectFromModel``.
    The constant factor of the kernel is included in eta, because in 34 dimensions it exceeds the range of floats.
    Prototypes move by ``gamma lambda_k (x_k - w_k)``, about ``gamma / n_features`` of the distance. Parameters and
    attributes are those of :class:`LVQ1`, with the following parameters in addition.

    Parameters
    ----------
    learning_rate : float, default=0.2
        gamma. The paper gives no values of gamma, eta and sigma.
    relevance_rate : float, default=0.1
        eta.
    sigma : float, default=1.0
        Width of the Parzen window, between 1e-100 and 1e100.
    pairs : {"different", "all"}, default="different"
        Two samples of one class carry no information about the class (equation 4 holds only for different classes), so
        by default they do not change the relevances. "all" applies equation 5 to every pair, as the paper's text does.
    norm : {"softmax", "l1"}, default="softmax"
        The paper's softmax makes all relevances nearly equal at each step (deviations from 1/n shrink by a factor of
        n). "l1" divides by the sum.

    References
    ----------
    Andonie & Cataron (2004), "An informational energy LVQ approach for feature ranking", ESANN, section 3.
    """

    _: KW_ONLY
    learning_rate: float = 0.2
    relevance_rate: float = 0.1
    sigma: float = 1.0
    pairs: Literal["different", "all"] = "different"
    norm: Literal["softmax", "l1"] = "softmax"

    _parameter_constraints: ClassVar[dict] = {
        "relevance_rate": [NOT_NEGATIVE],
        "sigma": [Interval(Real, 1e-100, 1e100, closed="both")],
        "pairs": [StrOptions({"different", "all"})],
        "norm": [StrOptions({"softmax", "l1"})],
    }

    def _rule(self):
        return float(self.relevance_rate), "energy", self.norm == "softmax", float(self.sigma), self.pairs == "all"

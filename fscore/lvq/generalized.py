"""Generalized LVQ: prototypes and metric minimize one differentiable cost.

GLVQ (Sato & Yamada 1996) learns prototypes, GRLVQ (Hammer & Villmann 2002) also a relevance for each feature, GMLVQ
(Schneider, Biehl & Hammer 2009, in ``matrix.py``) a full metric. The cost is the same; only the metric differs.
"""

from contextlib import suppress
from dataclasses import KW_ONLY
from functools import partial
from numbers import Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._magnitudes import check_scale
from fscore._sklearn import HasMethods, Interval, StrOptions, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Floats, Seed, Solver
from fscore._validation import check_label_types, check_labeled, validated
from fscore.lvq._base import COUNT, PrototypeClassifier, VectorMetric, column_means, relative_differences
from fscore.lvq._cost import Diagonal, Euclidean, RelativeDistanceCost
from fscore.lvq._solvers import LBFGS, NormalizedGradient, WaypointAveraging

__all__ = ["GLVQ", "GRLVQ", "GeneralizedLVQ"]

SOLVERS = {"waypoint": WaypointAveraging, "gradient": NormalizedGradient, "lbfgs": LBFGS}


@estimator_dataclass
class GeneralizedLVQ(PrototypeClassifier):
    """Minimizes the relative distance cost.

    Subclasses define the metric: ``_initial_metric(X, random_state)`` gives that of the cost and its initial
    parameters, ``_relevances(params)`` the diagonal of Lambda, and ``_set_metric(params)`` stores what was learned.
    """

    n_prototypes: int | ArrayLike = 1
    _: KW_ONLY
    prototypes_init: Literal["mean", "sample"] | ArrayLike = "mean"
    solver: Literal["waypoint", "gradient", "lbfgs"] | Solver = "waypoint"
    max_iter: int = 100
    early_stopping: bool = False
    validation_loss: Literal["cost", "error", "auc"] = "cost"
    validation_fraction: float = 0.25
    n_iter_no_change: int = 10
    random_state: Seed = None

    _power = 4  # in the gradient

    _parameter_constraints: ClassVar[dict] = {
        "solver": [StrOptions(set(SOLVERS)), HasMethods("minimize")],
        "max_iter": [COUNT],
        "early_stopping": ["boolean"],
        "validation_loss": [StrOptions({"cost", "error", "auc"})],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [COUNT],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: ArrayLike, y: ArrayLike, *, X_val: ArrayLike | None = None, y_val: ArrayLike | None = None
    ) -> Self:
        """Learn prototypes and metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        X_val, y_val : array-like, default=None
            Validation samples for early stopping; without ``early_stopping`` their loss is only recorded.

        Returns
        -------
        self
        """
        random_state = check_random_state(self.random_state)
        X, codes, self.classes_ = check_labeled(X, y, estimator=self)
        check_scale(X, self, power=self._power)
        validation = self._validation_sample(X_val, y_val)
        if self.early_stopping and validation is None:
            X, codes, validation = self._split(X, codes, random_state)

        center = column_means(X)
        W, labels = self._initial_prototypes(X, codes, random_state)
        metric, params = self._initial_metric(X - center, random_state)
        cost = RelativeDistanceCost(X - center, codes, labels, metric, self._entropy_weight(X))
        validation_cost = validation and RelativeDistanceCost(validation[0] - center, validation[1], labels, metric)

        theta = self._minimize(cost, validation_cost, cost.project(np.concatenate([(W - center).ravel(), params])))
        self._check_finite(theta)
        W, params = cost.split(theta)
        self.prototypes_ = W + center
        self.prototype_labels_ = self.classes_[labels]
        self._set_metric(params)
        self._finish(X - center, W)
        return self

    def _minimize(self, cost, validation_cost, theta):
        """Run the solver and record its steps; return the best step with early stopping, otherwise the last."""
        is_class = isinstance(self.solver, type)  # refused by scikit-learn, which names the mistake
        solver = SOLVERS[self.solver]() if isinstance(self.solver, str) else clone(self.solver, safe=is_class)
        history = {"cost": []}
        relevances = []
        best = last = theta
        best_step = 0
        lowest = np.inf if validation_cost is None else _loss(self.validation_loss, validation_cost, theta)

        def report(theta, value, steps):
            nonlocal best, best_step, lowest, last
            last = theta
            history["cost"].append(float(value))
            for name, step in zip(("step_prototypes", "step_metric"), steps, strict=False):
                history.setdefault(name, []).append(step)
            relevances.append(self._relevances(cost.split(theta)[1]))
            if validation_cost is None:
                return
            validation = _loss(self.validation_loss, validation_cost, theta)
            history.setdefault("validation", []).append(float(validation))
            if validation < lowest:
                best, best_step, lowest = theta, len(relevances), validation
            if self.early_stopping and len(relevances) - best_step >= self.n_iter_no_change:
                raise StopIteration

        with suppress(StopIteration):
            solver.minimize(cost, theta, report, self.max_iter)
        self.history_ = history
        self.n_iter_ = len(relevances)
        self._relevance_log = relevances
        return best if self.early_stopping else last

    def _validation_sample(self, X_val, y_val):
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val must be given together; one of them is missing.")
        check_label_types(y_val, "y_val")
        try:
            X_val, y_val = validated(partial(validate_data, self), X_val, y_val, dtype=np.float64, reset=False)
        except ValueError as error:
            raise ValueError(f"X_val and y_val cannot be used: {error}") from None
        check_scale(X_val, self, argument="X_val", power=self._power, ranges=None)
        unknown = np.setdiff1d(y_val, self.classes_)
        if len(unknown):
            raise ValueError(f"y_val contains class {unknown[0]}, which is not in y.")
        if self.validation_loss == "auc" and len(np.unique(y_val)) == 1:
            raise ValueError(
                f"y_val contains class {y_val[0]} only, and an AUC needs two; add validation samples of another class, "
                "or use validation_loss='error'."
            )
        return X_val, np.searchsorted(self.classes_, y_val)

    def _split(self, X, codes, random_state):
        from sklearn.model_selection import train_test_split

        options = {"stratify": self.classes_[codes], "random_state": random_state}
        try:
            train, test = train_test_split(np.arange(len(X)), test_size=self.validation_fraction, **options)
        except ValueError as error:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of X cannot be put aside for early_stopping: "
                f"{str(error).rstrip('.')}. Pass X_val and y_val to fit, or another fraction."
            ) from None
        return X[train], codes[train], (X[test], codes[test])

    def _entropy_weight(self, X):
        return 0.0

    def _finish(self, X, W):
        """Hook for work that needs the centered samples and prototypes after training."""


def _loss(name, cost, theta):
    """``validation_loss`` of the samples of ``cost``."""
    if name == "cost":
        return cost.value(theta) / len(cost.X)
    D = cost.class_distances(theta)
    if name == "error":
        return np.mean(D.argmin(axis=1) != cost.y)
    return 1 - area(relative_differences(D), cost.y, np.arange(D.shape[1]))


class GLVQ(VectorMetric, GeneralizedLVQ):
    """Generalized LVQ with the Euclidean metric.

    Minimizes the sum over samples of ``(d_H - d_M) / (d_H + d_M)``, with the squared distances to the closest prototype
    of the sample's class and of the others. Features should have similar scales (z-scores).

    Learns no relevances: ``feature_importances_`` are all equal, so ``SelectFromModel`` or ``RFE`` would select by
    rounding errors or column order. Use :class:`GRLVQ` or :class:`GMLVQ` to select features.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Number of prototypes of each class.
    prototypes_init : {"mean", "sample"} or array-like of shape (n_prototypes_total, n_features), default="mean"
        Initial prototypes: class means (with a little noise if a class has several), random samples of the class, or
        an array ordered by class.
    solver : {"waypoint", "gradient", "lbfgs"} or solver, default="waypoint"
        :class:`WaypointAveraging`, :class:`NormalizedGradient` or :class:`LBFGS` with their defaults, an instance of
        one of them, or any object with their method ``minimize``.
    max_iter : int, default=100
        Maximum number of steps, each over all samples.
    early_stopping : bool, default=False
        Stop when the loss of the validation samples has not decreased for ``n_iter_no_change`` steps, and keep the
        first step with the least loss. The validation samples are those passed to ``fit``, or a random part of the
        training samples.
    validation_loss : {"cost", "error", "auc"}, default="cost"
        Mean cost, share of misclassified samples, or one minus the AUC of the decision function (with several classes,
        of each class against the rest, averaged).
    validation_fraction : float, default=0.25
        Fraction of the training samples used for validation.
    n_iter_no_change : int, default=10
        Number of steps without improvement after which early stopping ends the training.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes_total, n_features)
    prototype_labels_ : ndarray of shape (n_prototypes_total,)
    Omega_ : ndarray of shape (n_components, n_features)
    Lambda_ : ndarray of shape (n_features, n_features)
    feature_importances_ : ndarray of shape (n_features,)
        Relevances, the diagonal of Lambda; they sum to one. In GLVQ all are equal.
    history_ : dict of lists
        One entry per step: "cost" (summed over samples), step lengths, and "validation" (``validation_loss``) if there
        are validation samples.
    relevance_history_ : ndarray of shape (n_iter_, n_features)
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Sato & Yamada (1996), "Generalized learning vector quantization", NIPS 8; Chen (2012), equations 40 to 50.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.lvq import GLVQ
    >>> bool(GLVQ().fit(*load_iris(return_X_y=True)).score(*load_iris(return_X_y=True)) > 0.9)
    True
    """

    @property
    def feature_importances_(self) -> Floats:
        """Relevances: lambda, the diagonal of Lambda."""
        check_is_fitted(self)
        return self.relevances_

    def _initial_metric(self, X, random_state):
        return Euclidean(), np.empty(0)

    def _set_metric(self, params):
        self.relevances_ = self._relevances(params)

    def _relevances(self, params):
        return np.full(self.n_features_in_, 1 / self.n_features_in_)


class GRLVQ(GLVQ):
    """Generalized relevance LVQ: learns a non-negative relevance for each feature.

    As :class:`GLVQ`, with ``d = sum_k lambda_k (x_k - w_k)^2``; after each step lambda is clipped at zero and scaled
    to sum to one.

    Parameters and attributes are those of :class:`GLVQ`, with the following attribute in addition.

    Attributes
    ----------
    relevances_ : ndarray of shape (n_features,)
        lambda.

    Notes
    -----
    The cost does not change with the relevance of a constant column, which the scaling can raise. Remove such columns
    first, for example with ``VarianceThreshold``.

    References
    ----------
    Hammer & Villmann (2002), "Generalized relevance learning vector quantization", Neural Networks 15.
    """

    def _initial_metric(self, X, random_state):
        return Diagonal(X.shape[1]), np.full(X.shape[1], 1 / X.shape[1])

    def _relevances(self, params):
        return params.copy()


# the area under the ROC curve, for early stopping and for experiments that compute it very often ---------------------


def area(scores, y, classes):
    """AUC of a decision function; with several classes, the mean over each class against the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) for two classes (of ``classes[1]``), else (n_samples, n_classes)
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        The classifier's classes, in its order. A class that is absent from ``y`` is left out of the mean.

    Returns
    -------
    float
    """
    if scores.ndim == 1:
        return _area_of_class(scores, y == classes[1])
    return np.mean([_area_of_class(scores[:, k], y == c) for k, c in enumerate(classes) if c in y])


def _area_of_class(scores, positive):
    """Share of pairs of a positive and another sample in which the positive one scores higher; ties count half."""
    positives, negatives = scores[positive], np.sort(scores[~positive])
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    return below.sum() / (2 * len(positives) * len(negatives))

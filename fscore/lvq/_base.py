"""Base class of the prototype classifiers: prediction, restriction to features, and initial prototypes."""

import copy
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from fscore._columns import as_array, column_numbers
from fscore._magnitudes import check_scale
from fscore._sklearn import Interval, StrOptions
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_new_samples

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")


class PrototypeClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):
    """Nearest prototype in a learned metric.

    A fitted model has ``prototypes_``, ``prototype_labels_``, ``classes_``, and a metric: :class:`VectorMetric` or
    :class:`MatrixMetric`. Values so large or small that powers of them overflow or underflow raise a ValueError, and so
    does training that diverges.
    """

    _power = 2  # the highest power of X that training computes
    _parameter_constraints: ClassVar[dict] = {
        "n_prototypes": [COUNT, "array-like"],
        "prototypes_init": [StrOptions({"mean", "sample"}), "array-like"],
        "random_state": ["random_state"],
    }

    @property
    def Lambda_(self) -> Floats:
        """The metric Lambda = Omega^T Omega of shape (n_features, n_features)."""
        Omega = self.Omega_
        return Omega.T @ Omega

    @property
    def relevance_history_(self) -> Floats:
        """Relevances after each step of batch training, or after each pass of incremental training."""
        check_is_fitted(self)
        return np.reshape(self._relevance_log, (-1, self.n_features_in_))

    # Prediction -------------------------------------------------------------------------------------------------

    def transform(self, X: ArrayLike) -> Floats:
        """Map samples to the learned space, in which the metric is Euclidean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._map(self._check(X))

    def distances(self, X: ArrayLike) -> Floats:
        """Squared learned distances to the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_prototypes)
        """
        X = self._check(X)
        return np.stack([np.square(self._map(X - w)).sum(axis=1) for w in self.prototypes_], axis=1)

    def decision_function(self, X: ArrayLike) -> Floats:
        """How much closer each class is than the nearest other class: ``(d_other - d_c) / (d_other + d_c)``.

        There is no ``predict_proba``: training separates classes and estimates no frequencies, so any function of the
        distances would be an arbitrary probability. ``CalibratedClassifierCV(GMLVQ())`` fits one to held-out samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) for two classes (of ``classes_[1]``), else (n_samples, n_classes)
            In [-1, 1]; 0 at the decision boundary.
        """
        return relative_differences(self._class_distances(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of the nearest prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        nearest = self._class_distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def restrict(self, features: ArrayLike) -> Self:
        """The classifier restricted to a subset of the features, without training again ("original Omega").

        Keeps the columns of Omega (or the entries of lambda) and the components of the prototypes that belong to these
        features, unchanged.

        Parameters
        ----------
        features : array-like
            Column numbers, a boolean mask, or names if it was fitted on named columns.

        Returns
        -------
        A fitted copy that expects ``X[:, features]``.
        """
        from pandas import DataFrame

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        seen = np.empty((0, self.n_features_in_)) if names is None else DataFrame(columns=names)
        features = column_numbers(features, "features", seen)
        if not features:
            raise ValueError("features selects none of the features; select at least one.")
        other = copy.deepcopy(self)
        other.n_features_in_ = len(features)
        if names is not None:
            other.feature_names_in_ = names[features]
        other.prototypes_ = np.ascontiguousarray(self.prototypes_[:, features])
        other._relevance_log = [relevances[features] for relevances in self._relevance_log]
        other._restrict_metric(features)
        return other

    def _check(self, X):
        X = check_new_samples(self, X)
        check_scale(X, self, power=self._power, ranges=None)
        return X

    def _check_finite(self, *learned, limit=np.inf):
        """Raise ValueError if training has diverged: a learned number is not finite, or beyond a limit."""
        if not all(np.isfinite(array).all() and (np.abs(array) <= limit).all() for array in learned):
            raise ValueError(
                f"The training of {self} diverged: prototypes or relevances are not finite, or prototypes are far from "
                "all samples. Use smaller steps, or scale the features to a common range of about one."
            )

    def _class_distances(self, X):
        """Distance to the nearest prototype of each class, in the order of ``classes_``."""
        D = self.distances(X)
        return np.stack([D[:, self.prototype_labels_ == c].min(axis=1) for c in self.classes_], axis=1)

    # Initial prototypes -----------------------------------------------------------------------------------------

    def _initial_prototypes(self, X, codes, random_state):
        """Prototypes and the class number of each, ordered by class."""
        n_classes = len(self.classes_)
        counts = np.atleast_1d(as_array(self.n_prototypes))
        if counts.dtype.kind not in "iu" or counts.shape not in ((1,), (n_classes,)) or counts.min() < 1:
            raise ValueError(
                f"n_prototypes={self.n_prototypes} must be one positive integer, or one for each of the {n_classes} "
                "classes."
            )
        counts = np.broadcast_to(counts, n_classes)
        labels = np.repeat(np.arange(n_classes), counts)
        if not isinstance(self.prototypes_init, str):
            W = finite_array("prototypes_init", self.prototypes_init, (len(labels), X.shape[1]))
            check_scale(W, self, argument="prototypes_init", power=self._power, ranges=None)
            return W, labels
        W = np.empty((len(labels), X.shape[1]))
        for c, count in enumerate(counts):
            members = X[codes == c]
            if len(members) < (count if self.prototypes_init == "sample" else 1):
                raise ValueError(
                    f"Class {self.classes_[c]} has {len(members)} samples, too few for prototypes_init="
                    f"{self.prototypes_init!r}. Start with more, lower n_prototypes, or pass an array of prototypes."
                )
            if self.prototypes_init == "sample":
                W[labels == c] = members[random_state.permutation(len(members))[:count]]
            else:
                # without noise, prototypes at the same mean would stay identical
                noise = random_state.normal(size=(count, X.shape[1])) if count > 1 else 0.0
                spread = np.where(np.ptp(members, axis=0) > 0, members.std(axis=0), 0.0)
                W[labels == c] = column_means(members) + 0.1 * spread * noise
        return W, labels


def column_means(X):
    """Mean of each column; of a constant one its value, from which a mean could differ by rounding."""
    return np.where(np.ptp(X, axis=0) > 0, X.mean(axis=0), X[0])


class VectorMetric(OneToOneFeatureMixin):
    """``d = sum_k lambda_k (x_k - w_k)^2``; lambda is ``relevances_``."""

    @property
    def Omega_(self) -> Floats:
        """The diagonal map Omega with d(x, w) = |Omega (x - w)|^2."""
        check_is_fitted(self)
        return np.diag(np.sqrt(self.relevances_))

    def _map(self, X):
        return X * np.sqrt(self.relevances_)

    def _restrict_metric(self, features):
        self.relevances_ = self.relevances_[features]


class MatrixMetric(ClassNamePrefixFeaturesOutMixin):
    """``d = |Omega (x - w)|^2``; Omega is ``Omega_``."""

    @property
    def feature_importances_(self) -> Floats:
        """Relevances: the diagonal of Lambda."""
        check_is_fitted(self)
        return np.square(self.Omega_).sum(axis=0)

    @property
    def _n_features_out(self):
        return len(self.Omega_)

    def _map(self, X):
        return X @ self.Omega_.T

    def _restrict_metric(self, features):
        self.Omega_ = self.Omega_[:, features]


def finite_array(name, values, shape):
    """An array-like parameter as floats; raises ValueError unless it has this shape and holds finite numbers."""
    try:
        array = np.array(values, dtype=float)
        if array.shape == shape and np.isfinite(array).all():
            return array
    except (TypeError, ValueError):  # of strings, or ragged
        pass
    raise ValueError(f"{name} must be an array of finite numbers of shape {shape}, got {values!r:.200}.")


def relative_differences(D):
    """``(d_other - d_c) / (d_other + d_c)`` for the distances of samples (rows) to classes c (columns).

    Returns
    -------
    ndarray of shape (n_samples,) for two classes (of the second), else (n_samples, n_classes)
    """
    nearest, second = np.partition(D, 1, axis=1)[:, :2].T
    other = np.where(np.arange(D.shape[1]) == D.argmin(axis=1)[:, None], second[:, None], nearest[:, None])
    total = D + other
    differences = np.divide(other - D, total, out=np.zeros_like(total), where=total > 0)
    return differences[:, 1] if D.shape[1] == 2 else differences

"""Generalized LVQ: prototypes and metric descend one differentiable cost.

GLVQ (Sato & Yamada 1996) learns prototypes, GRLVQ (Hammer & Villmann 2002) also a relevance for each feature, GMLVQ
(Schneider, Biehl & Hammer 2009) a full metric. The cost is the same; only the metric differs.
"""

import copy
from contextlib import suppress
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._validation import check_labelled
from fscore.lvq._base import COUNT, NOT_NEGATIVE, MatrixMetric, PrototypeClassifier, VectorMetric
from fscore.lvq._cost import Diagonal, Euclidean, Matrix, RelativeDistanceCost
from fscore.lvq._solvers import LBFGS, NormalizedGradient, WaypointAveraging

__all__ = ["GLVQ", "GMLVQ", "GRLVQ"]

SOLVERS = {"waypoint": WaypointAveraging, "gradient": NormalizedGradient, "lbfgs": LBFGS}


class _GeneralizedLVQ(PrototypeClassifier):
    """Descent on the relative distance cost; subclasses bring the metric."""

    _parameter_constraints: ClassVar[dict] = {
        **PrototypeClassifier._parameter_constraints,
        "solver": [StrOptions(set(SOLVERS)), HasMethods("minimize")],
        "max_iter": [COUNT],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [COUNT],
    }

    def __init__(
        self,
        n_prototypes=1,
        *,
        prototypes_init="mean",
        solver="waypoint",
        max_iter=100,
        early_stopping=False,
        validation_fraction=0.25,
        n_iter_no_change=10,
        random_state=None,
    ):
        self.n_prototypes = n_prototypes
        self.prototypes_init = prototypes_init
        self.solver = solver
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, *, X_val=None, y_val=None):
        """Learn prototypes and metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        X_val, y_val : array-like, default=None
            Held-out samples to stop by; without ``early_stopping`` their cost is only recorded.

        Returns
        -------
        self
        """
        random_state = check_random_state(self.random_state)
        X, codes, self.classes_ = check_labelled(X, y, estimator=self)
        held_out = self._held_out(X_val, y_val)
        if self.early_stopping and held_out is None:
            X, codes, held_out = self._split(X, codes, random_state)

        center = X.mean(axis=0)
        W, labels = self._initial_prototypes(X, codes, random_state)
        metric, params = self._initial_metric(X - center, random_state)
        cost = RelativeDistanceCost(X - center, codes, labels, metric, self._entropy_weight(X))
        watch = held_out and RelativeDistanceCost(held_out[0] - center, held_out[1], labels, metric)

        theta = self._descend(cost, watch, cost.project(np.concatenate([(W - center).ravel(), params])))
        W, params = cost.split(theta)
        self.prototypes_ = W + center
        self.prototype_labels_ = self.classes_[labels]
        self._set_metric(params)
        self._finish(X - center, W)
        return self

    def _descend(self, cost, watch, theta):
        """Run the solver; keep the record and, with early stopping, the best step."""
        solver = SOLVERS[self.solver]() if isinstance(self.solver, str) else clone(self.solver)
        history = {"cost": []}
        relevances = []
        best = last = theta
        best_step, lowest = 0, np.inf if watch is None else watch.value(theta)

        def report(theta, value, steps):
            nonlocal best, best_step, lowest, last
            last = theta
            history["cost"].append(float(value))
            for name, step in zip(("step_prototypes", "step_metric"), steps, strict=False):
                history.setdefault(name, []).append(step)
            relevances.append(self._relevances(cost.split(theta)[1]))
            if watch is None:
                return
            held_out = watch.value(theta)
            history.setdefault("validation", []).append(float(held_out) / len(watch.X))
            if held_out < lowest:
                best, best_step, lowest = theta, len(relevances), held_out
            if self.early_stopping and len(relevances) - best_step >= self.n_iter_no_change:
                raise StopIteration

        with suppress(StopIteration):
            solver.minimize(cost, theta, report, self.max_iter)
        self.history_ = history
        self.n_iter_ = len(relevances)
        self.relevance_history_ = np.reshape(relevances, (self.n_iter_, self.n_features_in_))
        return best if self.early_stopping else last

    def _held_out(self, X_val, y_val):
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val go together; one of them is missing.")
        X_val, y_val = validate_data(self, X_val, y_val, dtype=np.float64, reset=False)
        unknown = np.setdiff1d(y_val, self.classes_)
        if len(unknown):
            raise ValueError(f"y_val holds the class {unknown[0]}, which y does not.")
        return X_val, np.searchsorted(self.classes_, y_val)

    def _split(self, X, codes, random_state):
        from sklearn.model_selection import train_test_split

        train, test = train_test_split(
            np.arange(len(X)), test_size=self.validation_fraction, stratify=codes, random_state=random_state
        )
        return X[train], codes[train], (X[test], codes[test])

    def _initial_metric(self, X, random_state):
        """The metric of the cost, and its parameters at the start."""
        raise NotImplementedError

    def _set_metric(self, params):
        """Keep the learned parameters."""
        raise NotImplementedError

    def _relevances(self, params):
        """Diagonal of Lambda."""
        raise NotImplementedError

    def _entropy_weight(self, X):
        return 0.0

    def _finish(self, X, W):
        """What a model still does with the centred samples and prototypes."""


class GLVQ(VectorMetric, _GeneralizedLVQ):
    """Generalized LVQ with the Euclidean metric.

    Minimizes the sum over samples of ``(d_H - d_M) / (d_H + d_M)``, with the squared distances to the closest prototype
    of the sample's class and of the others. Features should be of like scale (z-scores).

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes of each class.
    prototypes_init : {"mean", "sample"} or array-like of shape (n_prototypes_total, n_features), default="mean"
        Start: class means (with a little noise if a class has several), random samples of the class, or given,
        ordered by class.
    solver : {"waypoint", "gradient", "lbfgs"} or solver, default="waypoint"
        :class:`WaypointAveraging`, :class:`NormalizedGradient`, :class:`LBFGS` with their defaults, or one of them
        with step sizes of your own.
    max_iter : int, default=100
        Steps through all samples.
    early_stopping : bool, default=False
        Stop when the mean cost on held-out samples has not fallen for ``n_iter_no_change`` steps, and keep the best
        step. The held-out samples are those given to ``fit``, else a random part.
    validation_fraction : float, default=0.25
        That part.
    n_iter_no_change : int, default=10
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes_total, n_features)
    prototype_labels_ : ndarray of shape (n_prototypes_total,)
    Omega_ : ndarray of shape (n_components, n_features)
    Lambda_ : ndarray of shape (n_features, n_features)
    feature_importances_ : ndarray of shape (n_features,)
        Relevances, the diagonal of Lambda; they sum to one.
    history_ : dict of lists
        One entry a step: "cost" (summed over samples), step lengths, and "validation" (mean cost) if it is watched.
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

    def _initial_metric(self, X, random_state):
        return Euclidean(), np.empty(0)

    def _set_metric(self, params):
        self.relevances_ = self._relevances(params)

    def _relevances(self, params):
        return np.full(self.n_features_in_, 1 / self.n_features_in_)


class GRLVQ(GLVQ):
    """Generalized relevance LVQ: a non-negative relevance for each feature.

    As :class:`GLVQ`, with ``d = sum_k lambda_k (x_k - w_k)^2``; after each step lambda is clipped at zero and scaled
    to sum one.

    Parameters and attributes are those of :class:`GLVQ`.

    Attributes
    ----------
    relevances_ : ndarray of shape (n_features,)
        lambda.

    References
    ----------
    Hammer & Villmann (2002), "Generalized relevance learning vector quantization", Neural Networks 15.
    """

    def _initial_metric(self, X, random_state):
        return Diagonal(X.shape[1]), np.full(X.shape[1], 1 / X.shape[1])

    def _relevances(self, params):
        return params.copy()


class GMLVQ(MatrixMetric, _GeneralizedLVQ):
    """Generalized matrix LVQ: a full metric ``d = |Omega (x - w)|^2``, with the means to make its relevances readable.

    Parameters and attributes are those of :class:`GLVQ`, and in addition:

    Parameters
    ----------
    n_components : int or None, default=None
        Rows of Omega; None takes as many as features.
    omega_init : {"identity", "random"} or array-like of shape (n_components, n_features) or None, default=None
        Start of Omega: the identity (its first rows), orthonormal random rows, or given. None takes the identity for a
        square Omega and random rows for fewer. Scaled to norm one.
    alpha : float, "auto" or "N^2/10", default=0.0
        Weight of the entropy of the relevances, which is minimized along with the cost (equation 61) and so
        sharpens their profile. "auto" takes ``n_samples / (4 n_features)``. "N^2/10" is the thesis' choice taken at
        its word (N features): against a cost summed over samples it leaves one relevance near one.
    delete_rate : float or None, default=None
        Remove ambiguity after training, see :meth:`remove_ambiguity`; None leaves Omega as trained.

    Attributes
    ----------
    alpha_ : float
        The weight used.

    References
    ----------
    .. [1] Schneider, Biehl & Hammer (2009), "Adaptive relevance matrices in learning vector quantization", Neural
       Computation 21.
    .. [2] Chen (2012), "Supervised feature selection based on generalized matrix LVQ", chapter 4.
    .. [3] Strickert, Hammer, Villmann & Biehl (2013), "Regularization and improved interpretation of linear data
       mappings and adaptive distance measures", IEEE CIDM.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from fscore.lvq import GMLVQ
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), GMLVQ()).fit(X, y)
    >>> model[-1].Lambda_.shape, bool(model.score(X, y) > 0.98)
    ((13, 13), True)
    """

    _parameter_constraints: ClassVar[dict] = {
        **_GeneralizedLVQ._parameter_constraints,
        "n_components": [COUNT, None],
        "omega_init": [StrOptions({"identity", "random"}), "array-like", None],
        "alpha": [NOT_NEGATIVE, StrOptions({"auto", "N^2/10"})],
        "delete_rate": [Interval(Real, 0, 1, closed="left"), None],
    }

    def __init__(
        self,
        n_prototypes=1,
        *,
        prototypes_init="mean",
        n_components=None,
        omega_init=None,
        alpha=0.0,
        delete_rate=None,
        solver="waypoint",
        max_iter=100,
        early_stopping=False,
        validation_fraction=0.25,
        n_iter_no_change=10,
        random_state=None,
    ):
        super().__init__(
            n_prototypes,
            prototypes_init=prototypes_init,
            solver=solver,
            max_iter=max_iter,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            random_state=random_state,
        )
        self.n_components = n_components
        self.omega_init = omega_init
        self.alpha = alpha
        self.delete_rate = delete_rate

    def _restrict_metric(self, features):
        super()._restrict_metric(features)
        self._trained_Omega, self._directions = None, None

    def _initial_metric(self, X, random_state):
        d = X.shape[1]
        m = d if self.n_components is None else self.n_components
        if m > d:
            raise ValueError(f"n_components={m} exceeds the {d} features.")
        init = self.omega_init
        if init is None:
            init = "identity" if m == d else "random"
        if not isinstance(init, str):
            Omega = np.array(init, dtype=float)
            if Omega.shape != (m, d) or not np.any(Omega):
                raise ValueError(f"omega_init must be a matrix of shape {(m, d)} that is not all zero.")
        elif init == "identity":
            Omega = np.eye(m, d)
        else:
            Omega = np.linalg.qr(random_state.normal(size=(d, m)))[0].T
        return Matrix(d, m), Omega.ravel()

    def _entropy_weight(self, X):
        n, d = X.shape
        named = {"auto": n / (4 * d), "N^2/10": d**2 / 10}
        self.alpha_ = named[self.alpha] if isinstance(self.alpha, str) else float(self.alpha)
        return self.alpha_

    def _relevances(self, params):
        return np.square(params.reshape(-1, self.n_features_in_)).sum(axis=0)

    def _set_metric(self, params):
        self.Omega_ = params.reshape(-1, self.n_features_in_).copy()

    # Ambiguity of the relevances ------------------------------------------------------------------------------------

    def _finish(self, X, W):
        self._trained_Omega = self.Omega_
        # Only differences x - w matter, so the data's span is that of the centred samples and prototypes.
        _, self._singular_values, self._directions = np.linalg.svd(np.vstack([X, W]), full_matrices=False)
        if self.delete_rate is not None:
            self.Omega_ = self._minimal_omega(self.delete_rate)

    def _kept_directions(self, delete_rate):
        """Leading right singular vectors of the centred samples and prototypes, shape (n_kept, n_features)."""
        check_is_fitted(self)
        if self._directions is None:
            raise ValueError("a restricted classifier no longer knows its samples; ask before restrict().")
        s = self._singular_values
        n_deleted = round(delete_rate * self.n_features_in_)
        rank = np.count_nonzero(s > s[0] * max(s.size, self.n_features_in_) * np.finfo(float).eps)
        n_kept = min(rank, self.n_features_in_ - n_deleted)
        if n_kept < 1:
            raise ValueError(f"delete_rate={delete_rate} leaves no direction of {self.n_features_in_}; lower it.")
        return self._directions[:n_kept]

    def _minimal_omega(self, delete_rate):
        kept = self._kept_directions(delete_rate)
        Omega = (self._trained_Omega @ kept.T) @ kept
        norm = np.linalg.norm(Omega)
        if norm == 0:
            raise ValueError(f"delete_rate={delete_rate} removes all of Omega; lower it.")
        return Omega / norm

    def remove_ambiguity(self, delete_rate=0.0):
        """Copy whose Omega, as trained, says nothing about directions that the data do not show.

        ``Omega (I - sum_j v_j v_j^T)``, scaled to trace one, where the v_j are the eigenvectors of
        ``C = sum x x^T + sum w w^T`` (centred) with the least eigenvalues: those that are zero, and further ones up to
        the delete rate. Zero ones change no distance between samples and prototypes, only the relevances. Equation 92
        of [2]_ has the projector on the other side of Omega, where it does change distances; equation 85 is right.

        Parameters
        ----------
        delete_rate : float, default=0.0
            Share of the directions to delete, in [0, 1). Beyond the share that is zero this is a truncation.

        Returns
        -------
        A fitted copy.
        """
        other = copy.copy(self)
        other.Omega_ = self._minimal_omega(delete_rate)
        return other

    def ambiguity(self, delete_rate=0.0):
        """How far each relevance could be moved without changing a distance.

        All ``Omega_min + B N^T`` measure the same distances, for any B, if the columns of N span the deleted
        directions. Bounded are the B of at most the norm that the trained Omega has there, ``|Omega N|``.

        Parameters
        ----------
        delete_rate : float, default=0.0
            As in :meth:`remove_ambiguity`.

        Returns
        -------
        DataFrame with a row for each feature and the columns
            ``relevance`` (as trained), ``minimal`` (without the deleted directions, not scaled), ``low`` and ``high``
            (least and greatest over those B), ``spread`` (their difference), ``null_share`` (squared length of the
            feature's axis within the deleted directions: 0 is unambiguous, 1 is unseen by the data).
        """
        import pandas as pd

        kept = self._kept_directions(delete_rate)
        trained = self._trained_Omega
        minimal = (trained @ kept.T) @ kept
        freedom = np.linalg.norm(trained - minimal)
        share = np.clip(1 - np.square(kept).sum(axis=0), 0, 1)
        length, reach = np.linalg.norm(minimal, axis=0), freedom * np.sqrt(share)
        low, high = np.maximum(length - reach, 0) ** 2, (length + reach) ** 2
        columns = {
            "relevance": np.square(trained).sum(axis=0),
            "minimal": length**2,
            "low": low,
            "high": high,
            "spread": high - low,
            "null_share": share,
        }
        return pd.DataFrame(columns, index=getattr(self, "feature_names_in_", None))

"""Generalized matrix LVQ, and the ambiguity of its relevances."""

import copy
from dataclasses import KW_ONLY
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fscore._sklearn import Interval, StrOptions, estimator_dataclass
from fscore._typing import ArrayLike
from fscore.lvq._base import COUNT, NOT_NEGATIVE, MatrixMetric, finite_array
from fscore.lvq._cost import Matrix
from fscore.lvq.generalized import GeneralizedLVQ

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["GMLVQ"]


@estimator_dataclass
class GMLVQ(MatrixMetric, GeneralizedLVQ):
    """Generalized matrix LVQ: learns a full metric ``d = |Omega (x - w)|^2``.

    Parameters and attributes are those of :class:`GLVQ`, with the following in addition.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of rows of Omega; None means as many as features.
    omega_init : {"identity", "random"} or array-like of shape (n_components, n_features) or None, default=None
        Initial Omega: the identity (its first rows), orthonormal random rows, or an array; it is scaled to norm one.
        None means the identity for a square Omega and random rows otherwise.
    alpha : float, "auto" or "N^2/10", default=0.0
        Weight of the entropy of the relevances in the cost (equation 61); a larger weight concentrates them on fewer
        features. "auto" means ``n_samples / (4 n_features)``. "N^2/10" is the choice of the thesis taken literally (N
        features): with a cost summed over samples it concentrates nearly all relevance on one feature.
    delete_rate : float or None, default=None
        Remove ambiguity after training, see :meth:`remove_ambiguity`; None keeps Omega as trained.

    Attributes
    ----------
    alpha_ : float
        The weight used.

    Notes
    -----
    The data say nothing about the relevance of a constant column: from that of the start it changes only as Omega is
    scaled to norm one. ``delete_rate=0.`` removes it if Omega starts from the identity. From another Omega, prototypes
    come to differ in this column. Remove such columns first, for example with ``VarianceThreshold``.

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

    _: KW_ONLY
    n_components: int | None = None
    omega_init: Literal["identity", "random"] | ArrayLike | None = None
    alpha: float | Literal["auto", "N^2/10"] = 0.0
    delete_rate: float | None = None

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [COUNT, None],
        "omega_init": [StrOptions({"identity", "random"}), "array-like", None],
        "alpha": [NOT_NEGATIVE, StrOptions({"auto", "N^2/10"})],
        "delete_rate": [Interval(Real, 0, 1, closed="left"), None],
    }

    def _restrict_metric(self, features):
        super()._restrict_metric(features)
        self._trained_Omega, self._directions = None, None

    def _initial_metric(self, X, random_state):
        d = X.shape[1]
        m = d if self.n_components is None else self.n_components
        if m > d:
            raise ValueError(f"n_components={m} exceeds the number of features, {d}. Lower it, or use None for all.")
        init = self.omega_init
        if init is None:
            init = "identity" if m == d else "random"
        if not isinstance(init, str):
            Omega = finite_array("omega_init", init, (m, d))
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
        # distances depend only on x - w, so the relevant span is that of the centered samples and prototypes
        _, self._singular_values, self._directions = np.linalg.svd(np.vstack([X, W]), full_matrices=False)
        if self.delete_rate is not None:
            self.Omega_ = self._minimal_omega(self.delete_rate)

    def _kept_directions(self, delete_rate):
        """Leading right singular vectors of the centered samples and prototypes, shape (n_kept, n_features)."""
        check_is_fitted(self)
        if self._directions is None:
            raise ValueError("A restricted classifier has no training samples; call this method before restrict().")
        if not isinstance(delete_rate, Real) or not 0 <= delete_rate < 1:
            raise ValueError(f"delete_rate={delete_rate!r} must be a number in [0, 1).")
        s = self._singular_values
        n_deleted = round(delete_rate * self.n_features_in_)
        rank = np.count_nonzero(s > s[0] * max(s.size, self.n_features_in_) * np.finfo(float).eps)
        if rank == 0:
            raise ValueError(
                f"All {self.n_features_in_} columns of X are constant, so no direction can be kept. Check X."
            )
        n_kept = min(rank, self.n_features_in_ - n_deleted)
        if n_kept < 1:
            raise ValueError(f"delete_rate={delete_rate} keeps none of {self.n_features_in_} directions; lower it.")
        return self._directions[:n_kept]

    def _minimal_omega(self, delete_rate):
        V = self._kept_directions(delete_rate)
        Omega = self._trained_Omega
        if len(V) < self.n_features_in_:  # otherwise rounding would separate equal relevances
            Omega = (Omega @ V.T) @ V
        norm = np.linalg.norm(Omega)
        if norm == 0:
            raise ValueError(f"delete_rate={delete_rate} removes all of Omega; lower it.")
        return Omega / norm

    def remove_ambiguity(self, delete_rate: float = 0.0) -> Self:
        """Copy whose trained Omega is zero in directions in which the data do not vary.

        ``Omega (I - sum_j v_j v_j^T)``, scaled to trace one, where the v_j are the eigenvectors of
        ``C = sum x x^T + sum w w^T`` (centered) with the smallest eigenvalues: those that are zero, and further ones up
        to the delete rate. Deleting those with eigenvalue zero changes the relevances, but (apart from a common factor)
        no distance between training samples and prototypes; distances of a new sample outside their span do change.
        Equation 92 of [2]_ has the projector on the other side of Omega, where it changes distances; equation 85 is
        right.

        Parameters
        ----------
        delete_rate : float, default=0.0
            Fraction of the directions to delete, in [0, 1). Beyond the eigenvalues that are zero this is a truncation.

        Returns
        -------
        A fitted copy.
        """
        other = copy.copy(self)
        other.Omega_ = self._minimal_omega(delete_rate)
        return other

    def ambiguity(self, delete_rate: float = 0.0) -> "DataFrame":
        """Range of each relevance over all choices of Omega in the deleted directions.

        The choices are ``Omega_min + B N^T``, where the columns of N span the deleted directions and the norm of B is
        at most that of the trained Omega there, ``|Omega N|``. With a delete rate of zero the data do not vary in these
        directions, and every such B gives the same distances. A higher rate deletes directions in which the data do
        vary; then the distances depend on B too, and the range is the uncertainty due to the truncation.

        Parameters
        ----------
        delete_rate : float, default=0.0
            As in :meth:`remove_ambiguity`.

        Returns
        -------
        DataFrame with one row per feature and the columns
            ``relevance`` (as trained), ``minimal`` (without the deleted directions, not scaled), ``low`` and ``high``
            (smallest and largest over all B), ``spread`` (their difference), ``null_share`` (squared length of the
            feature's axis within the deleted directions: 0 is unambiguous, 1 is undetermined by the data).
        """
        import pandas as pd

        V = self._kept_directions(delete_rate)
        trained = self._trained_Omega
        minimal = (trained @ V.T) @ V
        freedom = np.linalg.norm(trained - minimal)
        share = np.clip(1 - np.square(V).sum(axis=0), 0, 1)
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

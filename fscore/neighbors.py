"""k-nearest neighbors with the number of neighbors chosen by leave-one-out."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from fscore._columns import as_array
from fscore._magnitudes import check_scale, large_offsets
from fscore._sklearn import estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_labeled, check_new_samples

__all__ = ["KNeighborsClassifierCV"]


@estimator_dataclass
class KNeighborsClassifierCV(ClassifierMixin, BaseEstimator):
    """k-NN with the number of neighbors of highest leave-one-out accuracy on the training sample.

    The neighbors are computed once for all numbers. Among equals the smallest number is chosen.

    Parameters
    ----------
    n_neighbors : sequence of int, default=(1, 3, 5, 7, 9, 11)
        Candidates, each less than the number of samples.

    Attributes
    ----------
    n_neighbors_ : int
        The chosen number.
    scores_ : ndarray of shape (len(n_neighbors),)
        Leave-one-out accuracy of each candidate.
    estimator_ : KNeighborsClassifier
        Fitted with the chosen number.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        Invalid ``n_neighbors``, or values so large or small that their squares overflow or underflow.

    References
    ----------
    Nel (1998), section 7.2.2 (footnote 5: odd numbers between 1 and 11).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.neighbors import KNeighborsClassifierCV
    >>> knn = KNeighborsClassifierCV().fit(*load_iris(return_X_y=True))
    >>> knn.n_neighbors_, knn.scores_.round(3)
    (11, array([0.96 , 0.96 , 0.967, 0.967, 0.967, 0.973]))
    """

    n_neighbors: Sequence[int] = (1, 3, 5, 7, 9, 11)

    _parameter_constraints: ClassVar[dict] = {"n_neighbors": ["array-like"]}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the number of neighbors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, codes, self.classes_ = check_labeled(X, y, estimator=self)
        check_scale(X, self)
        candidates = as_array(self.n_neighbors)
        if candidates.ndim != 1 or candidates.size == 0 or candidates.dtype.kind not in "iu" or candidates.min() < 1:
            raise ValueError(f"n_neighbors must be a list of positive integers, got {self.n_neighbors!r}.")
        if candidates.max() >= len(X):
            raise ValueError(
                f"n_neighbors={candidates.max()} must be less than n_samples={len(X)}, because one sample is left out. "
                "Remove the larger candidates."
            )
        self._offsets = large_offsets(X)
        X = X - self._offsets
        neighbors = NearestNeighbors(n_neighbors=candidates.max()).fit(X).kneighbors(return_distance=False)
        hits = self._hits(codes[neighbors], codes, candidates)
        self.scores_ = hits / len(codes)
        self.n_neighbors_ = int(min(candidates[hits == hits.max()]))
        self.estimator_ = KNeighborsClassifier(self.n_neighbors_).fit(X, codes)
        return self

    def _hits(self, labels, truth, candidates):
        """Number of correct votes for each candidate, from the labels of each sample's neighbors by distance."""
        samples = np.arange(len(truth))
        votes = np.zeros((len(truth), len(self.classes_)), dtype=np.int64)
        correct = {}
        for k in range(candidates.max()):
            votes[samples, labels[:, k]] += 1
            if k + 1 in candidates:
                correct[k + 1] = np.sum(votes.argmax(axis=1) == truth)
        return np.array([correct[k] for k in candidates])

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._check(X)
        return self.classes_[self.estimator_.predict(X)]

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Fraction of the neighbors in each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._check(X)
        return self.estimator_.predict_proba(X)

    def _check(self, X):
        X = check_new_samples(self, X)
        check_scale(X, self, ranges=None)
        return X - self._offsets

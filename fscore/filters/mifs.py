"""MIFS: forward ranking by information about the class minus information shared with the selected features."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from fscore._validation import check_labelled
from fscore.filters.mutual_information import mutual_information, pairwise_mutual_information

__all__ = ["MIFS"]


class MIFS(SelectorMixin, BaseEstimator):
    """Battiti's mutual information feature selection, with kernel densities.

    1. Select the feature with the greatest I(C, f).
    2. Compute I(f, s) for the feature s selected last and every remaining f.
    3. Select the f with the greatest ``I(C, f) - alpha * sum of I(f, s) over all selected s``.
    4. Repeat from 2 until enough features are selected.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to take; None takes half of them. The ranking ends there: for a ranking of all features, as
        in the thesis, give their number.
    alpha : float, default=0.5
        Price of shared information; Battiti suggests 0.5 to 1.
    mode, bandwidth
        As in `mutual_information`.

    Attributes
    ----------
    order_ : ndarray of shape (n_features_to_select,)
        The features in the order in which they were taken.
    scores_ : ndarray of shape (n_features_to_select,)
        What each of them had in step 3 (step 1 for the first).
    ranking_ : ndarray of shape (n_features,)
        1 for the feature taken first, and so on; the features not taken share the next rank.
    support_ : ndarray of shape (n_features,), bool
    relevance_ : ndarray of shape (n_features,)
        I(C, f).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    References
    ----------
    Nel (1998), section 4.3; Battiti (1994), "Using mutual information for selecting features in supervised neural net
    learning", IEEE Transactions on Neural Networks 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.filters import MIFS
    >>> MIFS(n_features_to_select=4).fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 1, 0])
    """

    _parameter_constraints: dict = {  # noqa: RUF012 (scikit-learn's convention)
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "mode": [StrOptions({"class_conditional", "joint2d"})],
        "bandwidth": [StrOptions({"normal_reference", "adaptive"})],
    }

    def __init__(self, n_features_to_select=None, *, alpha=0.5, mode="class_conditional", bandwidth="normal_reference"):
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.mode = mode
        self.bandwidth = bandwidth

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, codes, _ = check_labelled(X, y, estimator=self)
        n_features = X.shape[1]
        n_taken = self.n_features_to_select or max(1, n_features // 2)
        if n_taken > n_features:
            raise ValueError(f"n_features_to_select={n_taken} exceeds the {n_features} features of X.")
        self.relevance_ = mutual_information(X, codes, mode=self.mode, bandwidth=self.bandwidth)
        value = self.relevance_.copy()
        order, scores = [], []
        left = np.arange(n_features)
        while True:
            best = left[np.argmax(value[left])]
            order.append(best)
            scores.append(value[best])
            if len(order) == n_taken:
                break
            left = left[left != best]
            shared = pairwise_mutual_information(X[:, [best]], X[:, left], bandwidth=self.bandwidth)[0]
            value[left] -= self.alpha * shared
        self.order_, self.scores_ = np.array(order), np.array(scores)
        self.ranking_ = np.full(n_features, n_taken + 1)
        self.ranking_[self.order_] = np.arange(1, n_taken + 1)
        self.support_ = self.ranking_ <= n_taken
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

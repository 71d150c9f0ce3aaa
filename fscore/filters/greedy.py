"""Greedy rankings by mutual information: relevance to the target minus redundancy with the selected features."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from fscore._sklearn import Interval, SelectorMixin, StrOptions, estimator, fit_context
from fscore._typing import ArrayLike, Columns
from fscore._validation import check_labeled, check_regression
from fscore.filters._discrete import DISCRETE, encode_discrete
from fscore.filters._information import Densities
from fscore.filters.mutual_information import information_with_class

__all__ = ["MIFS", "MRMR"]


@estimator
class _GreedyInformation(SelectorMixin, BaseEstimator):
    """Selects the feature with the greatest score, updates the scores of the others, and repeats.

    A subclass defines the score in `_scores`.
    """

    n_features_to_select: int | None = None
    _: KW_ONLY
    mode: Literal["class_conditional", "joint2d", "regression"] = "class_conditional"
    density: Literal["normal_scores", "values"] = "normal_scores"
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference"
    discrete_features: Literal["auto"] | bool | Columns = "auto"

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "mode": [StrOptions({"class_conditional", "joint2d", "regression"})],
        "density": [StrOptions({"normal_scores", "values"})],
        "bandwidth": [StrOptions({"normal_reference", "adaptive"})],
        "discrete_features": DISCRETE,
    }

    def _scores(self, relevance, shared):
        """Scores of the remaining features.

        Parameters
        ----------
        relevance : ndarray of shape (n_remaining,)
            Their mutual information with the target.
        shared : ndarray of shape (n_selected, n_remaining)
            Their mutual information with the selected features, in the order of selection.

        Returns
        -------
        ndarray of shape (n_remaining,)
        """
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; numbers if ``mode="regression"``.

        Returns
        -------
        self
        """
        densities = Densities(self.density, self.bandwidth)
        X, discrete = encode_discrete(X, self.discrete_features)
        if self.mode == "regression":
            X, y = check_regression(X, y, estimator=self)
            columns, target = densities.columns(X, discrete), densities.columns(y[:, None], [False])
            self.relevance_ = densities.information(columns, target)[:, 0]
        else:
            X, y, _ = check_labeled(X, y, estimator=self)
            columns = densities.columns(X, discrete)
            self.relevance_ = information_with_class(densities, columns, y, self.mode)
        n_features = X.shape[1]
        n_selected = self.n_features_to_select or max(1, n_features // 2)
        if n_selected > n_features:
            raise ValueError(f"n_features_to_select={n_selected} exceeds the number of features of X, {n_features}.")
        order, scores = [], []
        remaining, shared = np.arange(n_features), np.empty((0, n_features))
        while True:
            values = self._scores(self.relevance_[remaining], shared)
            place = np.argmax(values)
            best = remaining[place]
            order.append(best)
            scores.append(values[place])
            if len(order) == n_selected:
                break
            remaining = np.delete(remaining, place)
            information = densities.information([columns[best]], [columns[k] for k in remaining])
            shared = np.vstack([np.delete(shared, place, axis=1), information])
        self.order_, self.scores_ = np.array(order), np.array(scores)
        self.ranking_ = np.full(n_features, n_selected + 1)
        self.ranking_[self.order_] = np.arange(1, n_selected + 1)
        self.support_ = self.ranking_ <= n_selected
        return self


@estimator
class MIFS(_GreedyInformation):
    """Battiti's mutual information feature selection, with kernel densities.

    1. Select the feature with the greatest I(C, f).
    2. Compute I(f, s) for the feature s selected last and every remaining f.
    3. Select the f with the greatest ``I(C, f) - alpha * sum of I(f, s) over all selected s``.
    4. Repeat from 2 until enough features are selected.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Number of features to select; None selects half of them. The ranking ends there: to rank all features, as in
        the thesis, pass their number.
    alpha : float, default=0.5
        Weight of the redundancy; Battiti suggests 0.5 to 1.
    mode : {"class_conditional", "joint2d", "regression"}, default="class_conditional"
        Estimate of the relevance I(C, f): as in `mutual_information`, or `mutual_information_regression`.
    density : {"normal_scores", "values"}, default="normal_scores"
        As in `mutual_information`.
    bandwidth : {"normal_reference", "adaptive"}, default="normal_reference"
        As in `mutual_information`.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, as in `mutual_information`.

    Attributes
    ----------
    order_ : ndarray of shape (n_features_to_select,)
        The selected features in the order of their selection.
    scores_ : ndarray of shape (n_features_to_select,)
        Their scores in step 3 (step 1 for the first).
    ranking_ : ndarray of shape (n_features,)
        1 for the feature selected first, and so on; the features not selected share the next rank.
    support_ : ndarray of shape (n_features,), bool
        Mask of the selected features.
    relevance_ : ndarray of shape (n_features,)
        I(C, f).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    See Also
    --------
    MRMR : Divides the redundancy by the number of selected features, instead of weighting it with a constant.

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

    _: KW_ONLY
    alpha: float = 0.5

    _parameter_constraints: ClassVar[dict] = {"alpha": [Interval(Real, 0, None, closed="left")]}

    def _scores(self, relevance, shared):
        for information in shared:
            relevance = relevance - self.alpha * information
        return relevance


@estimator
class MRMR(_GreedyInformation):
    """Minimum redundancy, maximum relevance, with kernel densities.

    1. Select the feature with the greatest relevance I(C, f).
    2. The redundancy of each remaining f is the mean of I(f, s) over all selected s.
    3. Select the f with the greatest difference, or quotient, of relevance and redundancy.
    4. Repeat from 2 until enough features are selected.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Number of features to select; None selects half of them. The ranking ends there.
    form : {"difference", "quotient"}, default="difference"
        Relevance minus redundancy (MID; equation 7 of [2]_), or divided by it (MIQ; [1]_).
    mode : {"class_conditional", "joint2d", "regression"}, default="class_conditional"
        Estimate of the relevance I(C, f): as in `mutual_information`, or `mutual_information_regression`.
    density : {"normal_scores", "values"}, default="normal_scores"
        As in `mutual_information`.
    bandwidth : {"normal_reference", "adaptive"}, default="normal_reference"
        As in `mutual_information`.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, as in `mutual_information`.

    Attributes
    ----------
    order_ : ndarray of shape (n_features_to_select,)
        The selected features in the order of their selection.
    scores_ : ndarray of shape (n_features_to_select,)
        Their scores in step 3; the relevance for the first.
    ranking_ : ndarray of shape (n_features,)
        1 for the feature selected first, and so on; the features not selected share the next rank.
    support_ : ndarray of shape (n_features,), bool
        Mask of the selected features.
    relevance_ : ndarray of shape (n_features,)
        I(C, f).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    See Also
    --------
    MIFS : Subtracts the redundancy with a constant weight.

    Notes
    -----
    The quotient is infinite for a relevant feature without redundancy, and 0 for a feature without relevance.

    References
    ----------
    .. [1] Ding & Peng (2005), "Minimum redundancy feature selection from microarray gene expression data", Journal of
       Bioinformatics and Computational Biology 3.
    .. [2] Peng, Long & Ding (2005), "Feature selection based on mutual information: criteria of max-dependency,
       max-relevance, and min-redundancy", IEEE Transactions on Pattern Analysis and Machine Intelligence 27.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.filters import MRMR
    >>> MRMR(n_features_to_select=2).fit(*load_iris(return_X_y=True)).get_support(indices=True)
    array([1, 3])
    """

    _: KW_ONLY
    form: Literal["difference", "quotient"] = "difference"

    _parameter_constraints: ClassVar[dict] = {"form": [StrOptions({"difference", "quotient"})]}

    def _scores(self, relevance, shared):
        if len(shared) == 0:
            return relevance
        redundancy = shared.mean(axis=0)
        if self.form == "difference":
            return relevance - redundancy
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(relevance > 0, relevance / redundancy, 0.0)

"""Greedy rankings by mutual information: relevance to the target minus redundancy with the selected features."""

from dataclasses import KW_ONLY
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from fscore._magnitudes import rescale_extremes
from fscore._sklearn import (
    Interval,
    RealNotInt,
    SelectorMixin,
    StrOptions,
    check_parameters,
    estimator_dataclass,
    fit_context,
)
from fscore._typing import ArrayLike, Columns
from fscore._validation import check_labeled, check_regression
from fscore.filters._discrete import DISCRETE, encode_discrete
from fscore.filters._information import Densities
from fscore.filters.moments import fisher_score
from fscore.filters.mutual_information import information_with_class

__all__ = ["MIFS", "MRMR"]

_LEAST = 1e-3  # correlation, below which it is chance; published packages have the same floor


@estimator_dataclass
class _GreedyInformation(SelectorMixin, BaseEstimator):
    """Selects the feature with the greatest score, updates the scores of the others, and repeats.

    A subclass defines the score in `_scores`.
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    mode: Literal["class_conditional", "joint2d", "regression"] = "class_conditional"
    density: Literal["normal_scores", "values"] = "normal_scores"
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference"
    discrete_features: Literal["auto"] | bool | Columns = "auto"

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [
            Interval(RealNotInt, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            None,
        ],
        "mode": [StrOptions({"class_conditional", "joint2d", "regression"})],
        "density": [StrOptions({"normal_scores", "values"})],
        "bandwidth": [StrOptions({"normal_reference", "adaptive"})],
        "discrete_features": DISCRETE,
    }

    def _scores(self, scores, information, relevance, redundancy):
        """Scores of the remaining features after a selection, arrays of shape (n_remaining,) like the arguments.

        Parameters
        ----------
        scores
            Their scores before it.
        information
            What they share with the feature selected last.
        relevance
            Their relevance to the target.
        redundancy
            Mean of what they share with all selected features.
        """
        raise NotImplementedError

    @property
    def _is_regression(self):
        return self.mode == "regression"

    def _measures(self, X, discrete, y):
        """Two functions: relevance of each feature; of a feature and several others, what it shares with each."""
        densities = Densities(self.density, self.bandwidth)
        columns = densities.columns(X, discrete)

        def relevance():
            if self._is_regression:
                return densities.information(columns, densities.columns(y[:, None], [False]))[:, 0]
            return information_with_class(densities, columns, y, self.mode)

        def redundancy(feature, others):
            return densities.information([columns[feature]], [columns[k] for k in others])[0]

        return relevance, redundancy

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
        X, discrete = encode_discrete(X, self.discrete_features)
        if self._is_regression:
            X, y = check_regression(X, y, estimator=self)
        else:
            X, y, _ = check_labeled(X, y, estimator=self)
        return self._rank(X.shape[1], *self._measures(X, discrete, y))

    def _rank(self, n_features, relevance, redundancy):
        """Select greedily by the two functions that `_measures` returns."""
        n_selected = self.n_features_to_select
        if n_selected is None:
            n_selected = max(1, n_features // 2)
        elif not isinstance(n_selected, Integral):
            n_selected = max(1, int(round(n_selected * n_features, 9)))  # 0.29 * 100 is 29, not 28.99...
        if n_selected > n_features:
            raise ValueError(f"n_features_to_select={n_selected} exceeds the number of features of X, {n_features}.")
        self.relevance_ = relevance = relevance()
        order, scores = [], []
        remaining, values, total = np.arange(n_features), relevance, np.zeros(n_features)
        while True:
            position = np.argmax(values)
            best = remaining[position]
            order.append(best)
            scores.append(values[position])
            if len(order) == n_selected:
                break
            remaining, values, total = (np.delete(of_each, position) for of_each in (remaining, values, total))
            information = redundancy(best, remaining)
            total += information
            values = self._scores(values, information, relevance[remaining], total / len(order))
        self.order_, self.scores_ = np.array(order), np.array(scores)
        self.ranking_ = np.full(n_features, n_selected + 1)
        self.ranking_[self.order_] = np.arange(1, n_selected + 1)
        self.support_ = self.ranking_ <= n_selected
        return self


@estimator_dataclass
class MIFS(_GreedyInformation):
    """Battiti's mutual information feature selection, with kernel densities.

    1. Select the feature with the greatest I(C, f).
    2. Compute I(f, s) for the feature s selected last and every remaining f.
    3. Select the f with the greatest ``I(C, f) - alpha * sum of I(f, s) over all selected s``.
    4. Repeat from 2 until enough features are selected.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number of features to select, or their share of all; None selects half of them. The ranking ends there: to rank
        all features, as in the thesis, pass their number or 1.0.
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

    def _scores(self, scores, information, relevance, redundancy):
        return scores - self.alpha * information


@estimator_dataclass
class MRMR(_GreedyInformation):
    """Minimum redundancy, maximum relevance: with mutual information, or with F test and correlation.

    1. Select the feature with the greatest relevance, such as I(C, f).
    2. The redundancy of each remaining f is the mean, such as of I(f, s), over all selected s.
    3. Select the f with the greatest difference, or quotient, of relevance and redundancy.
    4. Repeat from 2 until enough features are selected.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number of features to select, or their share of all; None selects half of them. The ranking ends there.
    form : {"difference", "quotient"}, default="difference"
        Relevance minus redundancy (MID; equation 7 of [2]_), or divided by it (MIQ; [1]_).
    relevance : {"mutual_information", "f_classif", "f_regression"}, default="mutual_information"
        Mutual information with the target, or the F statistic of the analysis of variance between the classes, or, for
        numbers as the target, of the regression on the feature.
    redundancy : {"mutual_information", "correlation"}, default="mutual_information"
        Mutual information of two features, or the absolute value of Pearson's correlation, at least 0.001. With
        ``f_classif`` and ``correlation`` the quotient is FCQ of [1]_, which the packages mrmr_selection and mrmrs
        compute, and the difference FCD.
    mode : {"class_conditional", "joint2d", "regression"}, default="class_conditional"
        Estimate of the relevance I(C, f): as in `mutual_information`, or `mutual_information_regression`.
        Of no effect on ``f_classif`` and ``f_regression``.
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
        I(C, f) or F.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    See Also
    --------
    MIFS : Subtracts the redundancy with a constant weight.

    Notes
    -----
    The quotient is infinite for a relevant feature without redundancy, and 0 for a feature without relevance.

    F statistics and correlations need no densities: a step costs one product of the data with a vector.

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
    >>> selector = MRMR(2, form="quotient", relevance="f_classif", redundancy="correlation")
    >>> selector.fit(*load_iris(return_X_y=True)).order_
    array([2, 3])
    """

    _: KW_ONLY
    form: Literal["difference", "quotient"] = "difference"
    relevance: Literal["mutual_information", "f_classif", "f_regression"] = "mutual_information"
    redundancy: Literal["mutual_information", "correlation"] = "mutual_information"

    _parameter_constraints: ClassVar[dict] = {
        "form": [StrOptions({"difference", "quotient"})],
        "relevance": [StrOptions({"mutual_information", "f_classif", "f_regression"})],
        "redundancy": [StrOptions({"mutual_information", "correlation"})],
    }

    @property
    def _is_regression(self):
        return self.relevance == "f_regression" or (self.mode == "regression" and self.relevance != "f_classif")

    def fit_moments(self, moments: Any) -> Self:
        """Rank the features from sums of products, for more rows than memory.

        Parameters
        ----------
        moments : Moments
            Sums by class for ``relevance="f_classif"``, by folds for ``"f_regression"``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If relevance or redundancy need the rows, or other sums than these.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from fscore.criteria import Moments
        >>> from fscore.filters import MRMR
        >>> moments = Moments.from_batches([load_iris(return_X_y=True)], classes=True)
        >>> MRMR(2, form="quotient", relevance="f_classif", redundancy="correlation").fit_moments(moments).order_
        array([2, 3])
        """
        check_parameters(self)
        by_class = moments.folds is None
        relevance, other = ("f_classif", "f_regression") if by_class else ("f_regression", "f_classif")
        if (self.relevance, self.redundancy) != (relevance, "correlation"):
            raise ValueError(
                f"relevance={self.relevance!r} and redundancy={self.redundancy!r} cannot be had from these sums of "
                f'products; they give relevance={relevance!r} with redundancy="correlation". '
                f"Moments.from_batches(..., classes={not by_class}) gives relevance={other!r}."
            )
        self.n_features_in_ = len(moments.columns)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if all(isinstance(name, str) for name in moments.columns):
            self.feature_names_in_ = np.array(moments.columns, dtype=object)
        correlations = np.maximum(np.abs(moments.correlations()), _LEAST)
        return self._rank(
            self.n_features_in_, moments.f_statistics, lambda feature, others: correlations[feature, others]
        )

    def _measures(self, X, discrete, y):
        by_moments = [self.relevance != "mutual_information", self.redundancy == "correlation"]
        if any(by_moments) and discrete.any():
            name = getattr(self, "feature_names_in_", np.arange(X.shape[1])).tolist()[discrete.argmax()]
            raise ValueError(
                f"Column {name!r} of X holds categories, but the F test and the correlation compare means. Encode it, "
                'for example by OneHotEncoder, or use relevance="mutual_information", redundancy="mutual_information".'
            )
        relevance, redundancy = (None, None) if all(by_moments) else super()._measures(X, discrete, y)
        if any(by_moments):
            units = _centered_units(X)
        if self.relevance != "mutual_information":
            relevance = partial(self._f_statistics, X, y, units)
        if self.redundancy == "correlation":
            return relevance, lambda feature, others: np.maximum(np.abs(units[:, feature] @ units)[others], _LEAST)
        return relevance, redundancy

    def _f_statistics(self, X, y, units):
        if self.relevance == "f_regression":
            if len(y) < 3:
                raise ValueError("relevance='f_regression' needs at least 3 samples, but X has 2. Add samples.")
            squares = np.minimum((units.T @ _centered_units(y[:, None])[:, 0]) ** 2, 1.0)
            with np.errstate(divide="ignore"):
                return squares / (1 - squares) * (len(y) - 2)
        n_classes = y.max() + 1
        if n_classes == len(y):
            raise ValueError(
                f"relevance={self.relevance!r} needs more than {len(y)} samples for {n_classes} classes; check y."
            )
        return fisher_score(X, y) * (len(y) - n_classes) / (n_classes - 1)

    def _scores(self, scores, information, relevance, redundancy):
        if self.form == "difference":
            return relevance - redundancy
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(relevance > 0, relevance / redundancy, 0.0)


def _centered_units(X):
    """The columns of X, centered and of length 1; zero where constant. Their products are Pearson's correlations."""
    X = rescale_extremes(X)
    X = X - X[0]  # a constant column is exactly zero
    X -= X.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", X, X))
    return np.divide(X, length, out=X, where=length > 0)

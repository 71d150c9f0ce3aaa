"""Nested cross-validation: the score of a search on samples that neither selected features nor trained the model."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from fscore._columns import as_array
from fscore._jobs import n_workers
from fscore._sklearn import safe_indexing
from fscore._splits import check_splits
from fscore._typing import ArrayLike, Estimator, Floats, Mask, Splits
from fscore._validation import refuse_masked
from fscore.criteria._column_parameters import clone_for_subset
from fscore.criteria._cv import CVScore, score_range
from fscore.criteria._refit import rows_of, score_of_split
from fscore.search._inputs import check_metadata, checked_target, inner_metadata, takes_weights, weight_of_each
from fscore.search._selector import SubsetSearch
from fscore.stability import Stability, nogueira_stability


def resampled_error(scores: ArrayLike, test_share: float) -> Any:
    """Standard error of a mean score over training and test parts that were drawn again and again from one sample.

    Training parts share rows, so that scores are correlated and the variance of their mean exceeds ``1 / k`` times
    theirs; ``1 / k + n_test / n_train`` accounts for it (Nadeau and Bengio).

    Parameters
    ----------
    scores : array-like of shape (k,) or (k, n_columns)
        A score, or a difference of two, for each part.
    test_share : float
        ``n_test / n_train``: 1 / 9 for ten folds, 1 for halves.

    Returns
    -------
    float or ndarray of shape (n_columns,)
        NaN for fewer than two parts.

    References
    ----------
    Nadeau, Bengio (2003), "Inference for the generalization error", Machine Learning 52, 239-281.

    Examples
    --------
    >>> from fscore.search import resampled_error
    >>> round(float(resampled_error([0.8, 0.9, 1.0], 1 / 2)), 3)
    0.091
    """
    scores = np.asarray(scores, dtype=np.float64)
    k = len(scores)
    if k < 2:
        return np.full(scores.shape[1:], np.nan)[()]
    return np.sqrt((1 / k + test_share) * scores.var(axis=0, ddof=1))


@dataclass(frozen=True, eq=False)
class NestedScore:
    """What `nested_score` returns.

    Attributes
    ----------
    score : float
        Mean of the outer folds' scores.
    lower, upper : float
        Confidence interval of the score, within the range of possible scores.
    scores : ndarray of shape (n_folds,)
    supports : ndarray of shape (n_folds, n_features), dtype=bool
        The columns selected on each training set.
    stability : Stability
        Of the selected subsets, by Nogueira's measure, with its confidence interval (NaN for two outer folds).
    """

    score: float
    lower: float
    upper: float
    scores: Floats
    supports: Mask
    stability: Stability


def nested_score(
    search: Estimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    cv: Splits = 10,
    estimator: Estimator | None = None,
    scoring: str | Callable[..., Any] | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    n_jobs: int | None = None,
) -> NestedScore:
    """Score a search by nested cross-validation.

    The ``score_`` of a search is optimistic, because the same folds chose the subset. Here each outer fold is put
    aside, the search runs on the rest, the estimator is trained on the selected columns of the rest, and scored on the
    fold.

    Parameters
    ----------
    search : selector
        A search of this package, or any scikit-learn feature selector.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        As the estimator takes it.
    cv : int, splitter or iterable of (train, test), default=10
        The outer folds; at least two. The inner ones are the search's own.
    estimator : classifier or regressor, default=None
        None is the estimator by which the search scores subsets; required if there is none. Columns to which its
        parameters refer are columns of X.
    scoring : str, callable or None, default=None
        None is the scoring of the search if the estimator is its own, else the estimator's ``score``.
    groups : array-like of shape (n_samples,), default=None
        Groups of samples, for the outer splitter and for that of the search if it asks for groups, as `GroupKFold`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the fit of the search and of the estimator; scores are not weighted.
    confidence : float in (0, 1), default=0.95
    n_jobs : int, optional
        Outer folds in parallel.

    Returns
    -------
    NestedScore

    Raises
    ------
    ValueError
        No selector, fewer than two outer folds, a search that selects nothing, a score that is not a finite number.

    Notes
    -----
    The interval is Student's with the error of `resampled_error`, since training sets overlap.

    References
    ----------
    Cawley, Talbot (2010), JMLR 11, 2079-2107.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fscore.search import SFFS, nested_score
    >>> X, y = load_wine(return_X_y=True)
    >>> result = nested_score(SFFS(KNeighborsClassifier(3), 3, cv=5), X, y, cv=5)
    >>> result.supports.shape, result.lower < result.score < result.upper
    ((5, 13), True)
    """
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1.")
    if not hasattr(search, "get_support"):
        raise ValueError(
            f"search={search!r} has no get_support; give a search or another selector, and put other steps, such as a "
            "scaler, into the pipeline of its criterion: SFS(make_pipeline(StandardScaler(), SVC()), 3)."
        )
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"scoring={scoring!r} holds several scores, but the result has one; give one of them.")
    refuse_masked(y, "y")
    if estimator is None:
        criterion = _single_criterion(search)
        estimator = criterion.resolved_estimator()
        scoring = criterion.main_scoring if scoring is None else scoring
    scorer = check_scoring(estimator, scoring=scoring)
    stratified = is_classifier(estimator)
    y = checked_target(y, stratified)
    X = X if hasattr(X, "shape") else as_array(X)  # columns of a list can't be taken
    check_metadata({"groups": groups, "sample_weight": sample_weight}, X)
    X, y, groups, sample_weight = indexable(X, y, groups, weight_of_each(sample_weight, X))
    params = inner_metadata(search, groups, sample_weight)
    if sample_weight is not None and not takes_weights(estimator):
        raise ValueError(
            f"{type(estimator).__name__} takes no sample_weight in fit; leave the weights out, or score an estimator "
            "that takes them."
        )
    metadata = {} if groups is None else {"groups": groups}
    splits = check_splits(cv, X, y, classifier=stratified, **metadata)
    if len(splits) < 2:
        raise ValueError("cv holds one split, but an interval needs at least two; pass more splits.")
    results = Parallel(n_jobs=n_workers(n_jobs))(
        delayed(_score_fold)(search, estimator, scorer, X, y, params, number, *split)
        for number, split in enumerate(splits)
    )
    scores = np.array([score for score, _ in results], dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError(
            f"the scores of the outer folds are {scores.tolist()}, not finite numbers; R2, for example, needs two "
            "samples in every test fold and roc_auc both classes: use fewer folds, or another scoring."
        )
    supports = np.array([support for _, support in results])
    share = np.mean([len(test) / len(train) for train, test in splits])
    k = len(scores)
    half = student.ppf((1 + confidence) / 2, k - 1) * resampled_error(scores, share)
    mean, (lowest, highest) = scores.mean(), score_range(scoring, estimator)
    stability = nogueira_stability(supports, confidence=confidence)
    lower, upper = max(mean - half, lowest), min(mean + half, highest)
    return NestedScore(float(mean), float(lower), float(upper), scores, supports, stability)


def _single_criterion(search):
    """The cross-validated estimator by which a search scores subsets."""
    criteria = search._rule.main_criteria() if isinstance(search, SubsetSearch) else []
    if len(criteria) != 1 or not isinstance(criteria[0], CVScore):
        raise ValueError(
            f"{search!r} has no single cross-validated estimator; give the estimator to be scored, for example "
            "estimator=KNeighborsClassifier()."
        )
    return criteria[0]


def _score_fold(search, estimator, scorer, X, y, params, number, train, test):
    """Score of one outer fold, and the columns selected without it."""
    X_train, y_train = safe_indexing(X, train), rows_of(y, train)
    params = {name: safe_indexing(value, train) for name, value in params.items()}
    support = clone(search).fit(X_train, y_train, **params).get_support()
    columns = np.flatnonzero(support).tolist()
    if not columns:
        raise ValueError(f"{search!r} selects no feature in an outer fold, so there is nothing to score.")
    params.pop("groups", None)
    model = clone_for_subset(estimator, columns, X_train)
    model.fit(safe_indexing(X_train, columns, axis=1), y_train, **params)
    return score_of_split(scorer, model, safe_indexing(X, columns, axis=1), y, number, train, test), support

"""Cross-validated score of any scikit-learn estimator; for some without refitting."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.parallel import Parallel, delayed  # unlike joblib's, these carry scikit-learn's configuration along

from fscore._typing import Estimator, Splits
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._discriminant import bind_discriminant
from fscore.criteria._feature_sums import bind_centroid, bind_naive_bayes
from fscore.criteria._folds import fold_mean, list_splits
from fscore.criteria._jobs import n_workers
from fscore.criteria._knn import bind_knn, compiled_knn
from fscore.criteria._least_squares import SCORES, bind_least_squares
from fscore.criteria._subsets import flat
from fscore.criteria._svm import bind_svc

__all__ = ["CVAccuracy", "CVScore", "as_criterion"]

QUICK_WAYS = {  # by type of estimator: scorings, and what binds it; see `fscore.criteria._quick`
    GaussianNB: (("accuracy",), bind_naive_bayes),
    LinearDiscriminantAnalysis: (("accuracy",), bind_discriminant),
    NearestCentroid: (("accuracy",), bind_centroid),
    SVC: (("accuracy",), bind_svc),
    LinearRegression: (SCORES, bind_least_squares),
    Ridge: (SCORES, bind_least_squares),
}


def as_criterion(criterion, cv=10):
    """Return a criterion unchanged, a classifier as its `CVAccuracy`, a regressor as its `CVScore`; refuse the rest."""
    if isinstance(criterion, Criterion):
        return criterion
    if not _is_estimator(criterion):
        raise ValueError(
            f"{criterion!r} is not a classifier or regressor; pass one, or a criterion from fscore.criteria."
        )
    return CVAccuracy(criterion, cv=cv) if is_classifier(criterion) else CVScore(criterion, cv=cv)


def _is_estimator(estimator):
    """Whether an object is a classifier or regressor; works for any object, also for those without tags."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        return False
    return is_classifier(estimator) or is_regressor(estimator)


class CVScore(Criterion):
    """Cross-validated score of a classifier or regressor on a subset of the columns.

    Parameters
    ----------
    estimator : classifier or regressor
    scoring : str, callable, list, tuple, dict or None, default=None
        As in `sklearn.model_selection.cross_validate`; None is the estimator's own ``score``: accuracy or R2. The first
        of several is what searches compare; the others become columns of their ``trace_``.
    cv : int, splitter or iterable of (train, test), default=10
        An int is k-fold without shuffling, stratified for a classifier. The splits are drawn once, when the data are
        bound, so that all subsets are valued on the same folds.
    compiled : bool, default=True
        Value estimators that have a quick way without refitting; see the notes.

    Notes
    -----
    The value is the mean of the fold scores. Accuracies are averaged from integer counts in one fixed order.

    These estimators are valued without refitting, unless metadata are passed; k-NN takes sample weights of the score.
    Their values are those of scikit-learn: accuracies are equal, errors agree to about ten digits. A subset for which
    rounding could decide is refitted.

    ================================  ====================  ======================================================
    Estimator                         ``scoring``           What leads to refitting
    ================================  ====================  ======================================================
    `KNeighborsClassifier`            ``"accuracy"``        metrics other than Minkowski's with p from 1; weights
                                                            other than ``"uniform"`` and ``"distance"``
    `KNeighborsRegressor`             R2, mean squared      the same; several targets, targets in single precision
                                      error and its root,
                                      mean absolute error
    `SVC`                             ``"accuracy"``        a callable kernel, ``class_weight``, ``probability``,
                                                            ``break_ties``, ``max_iter``; more than 9128 samples
    `GaussianNB`                      ``"accuracy"``        ``priors``
    `NearestCentroid`                 ``"accuracy"``        Manhattan distance, ``shrink_threshold``, ``priors``
    `LinearDiscriminantAnalysis`      ``"accuracy"``        solvers other than ``"svd"``, ``priors``,
                                                            ``n_components``; collinear columns
    `LinearRegression`, `Ridge`       R2, mean squared      ``positive``, iterative solvers, several targets;
                                      error and its root    collinear columns
    ================================  ====================  ======================================================

    Several scorings lead to refitting, and so do sparse data, except for k-NN under the Euclidean or the Manhattan
    metric if they take less than 64 MB when dense, and single precision, except for k-NN and `SVC`. The values of k-NN
    are those of scikit-learn unless distances tie; among equal distances the earlier training sample counts as nearer,
    whereas scikit-learn's choice depends on its algorithm and the number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from fscore.criteria import CVScore
    >>> X, y = load_diabetes(return_X_y=True)
    >>> J = CVScore(LinearRegression(), scoring="neg_mean_absolute_error", cv=5).bind(X, y)
    >>> J.values([(2,), (2, 8)]).round(1)
    array([-51.9, -46.9])

    A search that compares R2 and records the mean absolute error as well:

    >>> from fscore.search import SFS
    >>> J = CVScore(LinearRegression(), scoring=["r2", "neg_mean_absolute_error"], cv=5)
    >>> best = SFS(J, 2).fit(X, y).trace_.nlargest(1, "value")
    >>> best[["value", "neg_mean_absolute_error"]].round(2).to_numpy().tolist()
    [[0.44, -46.9]]
    """

    _parameter_constraints: ClassVar[dict] = {
        "cv": ["cv_object"],
        "scoring": [None, str, callable, list, tuple, dict],
        "compiled": ["boolean"],
    }

    def __init__(
        self,
        estimator: Estimator,
        *,
        scoring: str | Callable[..., Any] | Sequence[str] | Mapping[str, Any] | None = None,
        cv: Splits = 10,
        compiled: bool = True,
    ) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.compiled = compiled

    def resolved_estimator(self) -> Any:
        """The estimator that is cross-validated."""
        if not _is_estimator(self.estimator):
            raise ValueError(
                f"{self.estimator!r} is not a classifier or regressor; CVScore takes one, such as Ridge()."
            )
        return self.estimator

    @property
    def needs_classes(self) -> bool:  # type: ignore[override]
        """Whether y holds class labels; otherwise, for a regressor, numbers."""
        return is_classifier(self.resolved_estimator())

    def resolved_cv(self, y: ArrayLike | None = None) -> Any:
        """The splitter."""
        return check_cv(self.cv, y, classifier=self.needs_classes)

    def several_scorings(self) -> Mapping[str, Any] | None:
        """Scorings by name, the one that is compared first; None if there is only one."""
        if isinstance(self.scoring, (list, tuple)):
            if not self.scoring or not all(isinstance(name, str) for name in self.scoring):
                raise ValueError(f"scoring={self.scoring!r} must list names; give scorers in a dict by name.")
            return {name: name for name in self.scoring}
        if isinstance(self.scoring, dict):
            if not self.scoring or not all(isinstance(name, str) for name in self.scoring):
                raise ValueError(f"scoring={self.scoring!r} must hold scorers by name.")
            return self.scoring
        return None

    @property
    def compared_scoring(self) -> Any:
        """What searches compare: the scoring, or the first of several."""
        several = self.several_scorings()
        return self.scoring if several is None else next(iter(several.values()))

    def scorer(self) -> Callable[..., Any]:
        """The scikit-learn scorer; it returns a dict if there are several scorings."""
        several = self.several_scorings()
        return check_scoring(self.resolved_estimator(), scoring=self.scoring if several is None else several)

    @property
    def compiled_knn(self) -> Any:
        """How the compiled k-NN loops value this criterion; None if they don't."""
        if not self.compiled or self.several_scorings() is not None:
            return None
        return compiled_knn(self.resolved_estimator(), self.scoring)

    def checked_target(self, y: ArrayLike) -> Any:
        """y, checked if it holds numbers."""
        return y if self.needs_classes else check_array(y, ensure_2d=False, input_name="y")

    def splits(
        self, X: ArrayLike, y: ArrayLike, params: Mapping[str, Mapping[str, Any]] | None = None
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The list of (train, test) index arrays."""
        metadata = (params or {}).get("split")
        return list_splits(self.cv, self.resolved_cv(y), X, y, metadata, stratified=self.needs_classes)

    def _bind(self, X, y, n_jobs, params):
        estimator = self.resolved_estimator()
        y = self.checked_target(y)
        splits = self.splits(X, y, params)
        several = self.several_scorings()
        further = [] if several is None else list(several)[1:]
        scoring = self.compared_scoring
        refit = BoundCV(estimator, X, y, splits, self.scorer(), scoring, n_jobs, params, further)
        scored = {name: value for name, value in (params.get("score") or {}).items() if value is not None}
        if not self.compiled or several is not None or params.get("fit") or set(scored) - {"sample_weight"}:
            return refit
        if self.compiled_knn is not None:
            worth = scored.get("sample_weight")
            bound = bind_knn(X, y, splits, [estimator.n_neighbors], self.compiled_knn, n_jobs, worth)
            return refit if bound is None else bound
        if scored:
            return refit
        scorings, bind = QUICK_WAYS.get(type(estimator), ((), None))
        bound = bind(refit) if isinstance(scoring, str | None) and scoring in scorings else None
        return refit if bound is None else bound


class CVAccuracy(CVScore):
    """Cross-validated accuracy of a classifier on a subset of the columns: `CVScore` with ``scoring="accuracy"``.

    Parameters
    ----------
    estimator : classifier, default=None
        None is the 3-nearest-neighbour classifier of the paper.
    cv : int, splitter or iterable of (train, test), default=10
    compiled : bool, default=True
        See `CVScore`.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 2.3: wrappers valued by 3-fold and 10-fold cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import CVAccuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> J = CVAccuracy(cv=5).bind(X, y)
    >>> J.values([(2,), (2, 3)]).round(3)
    array([0.94 , 0.953])
    """

    _parameter_constraints: ClassVar[dict] = {"cv": ["cv_object"], "compiled": ["boolean"]}
    scoring = "accuracy"

    def __init__(self, estimator: Estimator | None = None, *, cv: Splits = 10, compiled: bool = True) -> None:
        self.estimator = estimator  # type: ignore[assignment]
        self.cv = cv
        self.compiled = compiled

    def resolved_estimator(self) -> Any:
        """The classifier that is cross-validated."""
        if self.estimator is None:
            return KNeighborsClassifier(n_neighbors=3)
        if not _is_estimator(self.estimator) or not is_classifier(self.estimator):
            raise ValueError(
                f"{self.estimator!r} is not a classifier; CVAccuracy takes one, such as GaussianNB(). "
                "CVScore takes regressors, too."
            )
        return self.estimator

    def scorer(self) -> Callable[..., Any]:
        """The scorer of accuracy; with metadata routing it requests what the classifier requests for its ``score``."""
        scorer = super().scorer()
        if not get_config()["enable_metadata_routing"]:
            return scorer
        requests = getattr(getattr(get_routing_for_object(self.resolved_estimator()), "score", None), "requests", {})
        return scorer.set_score_request(**{name: asked for name, asked in requests.items() if asked is not None})


class BoundCV(BoundCriterion):
    """Any estimator: clone, fit and score on every fold; n_jobs processes share the candidates of a step.

    Attributes
    ----------
    further : list of str
        Scores that are recorded and not compared.
    """

    def __init__(self, estimator, X, y, splits, scorer, scoring, n_jobs, params, further=()):
        self.estimator, self.X, self.y, self.splits = estimator, X, y, splits
        self.scorer, self.scoring = scorer, scoring
        self.sizes = np.array([len(test) for _, test in splits])
        self.counts = scoring == "accuracy" and not params.get("score")
        self.params = params
        self.n_jobs = self.least = n_workers(n_jobs)
        self.batch = 8 * self.n_jobs
        self.context = splits, params
        self.further, self._recorded = list(further), {}
        self._pool = None

    def values(self, subsets):
        flat(subsets, np.shape(self.X)[1])  # refuses bad columns
        if self.n_jobs == 1 or len(subsets) == 1:
            scores = [self._scores(s) for s in subsets]
        else:
            if self._pool is None:  # kept open, so that the workers map the data once and not at every step
                self._pool = Parallel(n_jobs=self.n_jobs).__enter__()
            scores = self._pool(delayed(_scores)(*self._work(), s) for s in subsets)
        scores = np.array(scores).reshape(len(subsets), len(self.sizes), 1 + len(self.further))
        if self.further:
            self._recorded.update(zip(subsets, scores[:, :, 1:].mean(axis=1), strict=True))
        scores = np.ascontiguousarray(scores[:, :, 0])
        if self.counts:
            return fold_mean(np.rint(scores * self.sizes).astype(np.int64), self.sizes)
        return scores.mean(axis=1)

    def fold_scores(self, columns):
        """The score of each fold."""
        return np.array(self._scores(columns))[:, 0]

    def further_scores(self, subsets):
        """Scores that are not compared, for subsets valued before or not: an array for each name."""
        missing = [s for s in subsets if s not in self._recorded]
        if self.further and missing:  # their values came from a cache
            self.values(missing)
        return {name: np.array([self._recorded[s][m] for s in subsets]) for m, name in enumerate(self.further)}

    def _work(self):
        return self.estimator, self.X, self.y, self.splits, self.scorer, self.params, 1 + len(self.further)

    def _scores(self, subset):
        return _scores(*self._work(), subset)

    def close(self):
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None


def _scores(estimator, X, y, splits, scorer, params, n_scores, subset):
    """Scores of every fold on the given columns: a list for each fold."""
    X = _safe_indexing(X, list(subset), axis=1)
    scores = []
    for train, test in splits:
        model = clone(estimator)
        model.fit(_safe_indexing(X, train), _safe_indexing(y, train), **_rows(params.get("fit"), len(y), train))
        X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
        found = scorer(model, X_test, y_test, **_rows(params.get("score"), len(y), test))
        found = [_number(score) for score in (found.values() if isinstance(found, dict) else [found])]
        if len(found) != n_scores or None in found:
            raise ValueError("scoring must return one number for each fold; give several scorers as a dict by name.")
        scores.append(found)
    return scores


def _number(score):
    """A score as a number; None if it is none."""
    with suppress(AttributeError, ValueError):  # what has no item, or several
        score = score.item()
    return score if isinstance(score, Real) else None


def _rows(metadata, n_samples, rows):
    """The given rows of every metadata value that has one entry per sample."""
    return {
        name: _safe_indexing(value, rows) if hasattr(value, "__len__") and len(value) == n_samples else value
        for name, value in (metadata or {}).items()
        if value is not None
    }

"""Cross-validated accuracy of any scikit-learn classifier; k-NN by compiled loops (`fscore.criteria._knn`)."""

from typing import ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed  # unlike joblib's, these carry scikit-learn's configuration along

from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._folds import fold_mean, list_splits
from fscore.criteria._jobs import n_workers
from fscore.criteria._knn import BoundKNN, is_plain_knn
from fscore.criteria._subsets import flat

__all__ = ["CVAccuracy", "as_criterion"]


def as_criterion(criterion, cv=10):
    """Return a criterion unchanged and a classifier as its `CVAccuracy`; refuse anything else."""
    if isinstance(criterion, Criterion):
        return criterion
    if not _is_classifier(criterion):
        raise ValueError(f"{criterion!r} is not a classifier; pass one, or a criterion from fscore.criteria.")
    return CVAccuracy(criterion, cv=cv)


def _is_classifier(estimator):
    """Whether an object is a classifier; works for any object, also for those without scikit-learn's tags."""
    return not isinstance(estimator, type) and hasattr(estimator, "fit") and is_classifier(estimator)


class CVAccuracy(Criterion):
    """Cross-validated accuracy of a classifier on a subset of the columns.

    Parameters
    ----------
    estimator : classifier, default=None
        None is the 3-nearest-neighbour classifier of the paper.
    cv : int, splitter or iterable of (train, test), default=10
        An int is stratified k-fold without shuffling. The splits are drawn once, when the data are bound, so that
        all subsets are judged by the same folds.
    scoring : str, callable or None, default="accuracy"
        As in `sklearn.model_selection.cross_validate`; None is the classifier's own ``score``.
    compiled : bool, default=True
        Value a plain `KNeighborsClassifier` (uniform weights, Euclidean) by compiled loops. The accuracies are those of
        scikit-learn unless distances tie; among equal distances the earlier training sample counts as
        nearer, whereas scikit-learn's choice depends on its algorithm and the number of features.

    Notes
    -----
    The value is the mean of the fold scores. Accuracies are averaged from integer counts in one fixed order.

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

    _parameter_constraints: ClassVar[dict] = {
        "cv": ["cv_object"],
        "scoring": [None, str, callable],
        "compiled": ["boolean"],
    }

    def __init__(self, estimator=None, *, cv=10, scoring="accuracy", compiled=True):
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.compiled = compiled

    def resolved_estimator(self):
        """The classifier that is cross-validated."""
        if self.estimator is None:
            return KNeighborsClassifier(n_neighbors=3)
        if not _is_classifier(self.estimator):
            raise ValueError(f"{self.estimator!r} is not a classifier; CVAccuracy takes one, such as GaussianNB().")
        return self.estimator

    def resolved_cv(self, y=None):
        """The splitter."""
        return check_cv(self.cv, y, classifier=True)

    def scorer(self):
        """The scikit-learn scorer."""
        return check_scoring(self.resolved_estimator(), scoring=self.scoring)

    @property
    def uses_compiled_knn(self):
        """Whether the compiled k-NN loops value this criterion."""
        return self.compiled and self.scoring == "accuracy" and is_plain_knn(self.resolved_estimator())

    def splits(self, X, y, params=None):
        """The list of (train, test) index arrays."""
        return list_splits(self.cv, self.resolved_cv(y), X, y, (params or {}).get("split"))

    def _bind(self, X, y, n_jobs, params):
        splits = self.splits(X, y, params)
        if self.uses_compiled_knn and not params.get("fit") and not params.get("score"):
            bound = BoundKNN.try_bind(X, y, splits, [self.resolved_estimator().n_neighbors], n_jobs)
            if bound is not None:
                return bound
        return BoundCV(
            self.resolved_estimator(), X, y, splits, self.scorer(), self.scoring == "accuracy", n_jobs, params
        )


class BoundCV(BoundCriterion):
    """Any classifier: clone, fit and score on every fold; n_jobs processes share the candidates of a step."""

    def __init__(self, estimator, X, y, splits, scorer, counts, n_jobs, params):
        self.estimator, self.X, self.y, self.splits, self.scorer = estimator, X, y, splits, scorer
        self.sizes = np.array([len(test) for _, test in splits])
        self.counts = counts and not params.get("score")
        self.params = params
        self.n_jobs = self.least = n_workers(n_jobs)
        self.batch = 8 * self.n_jobs
        self.context = splits, params
        self._pool = None

    def values(self, subsets):
        flat(subsets, np.shape(self.X)[1])  # refuses bad columns
        if self.n_jobs == 1 or len(subsets) == 1:
            scores = [self._scores(s) for s in subsets]
        else:
            if self._pool is None:  # kept open, so that the workers map the data once and not at every step
                self._pool = Parallel(n_jobs=self.n_jobs).__enter__()
            scores = self._pool(delayed(_scores)(*self._work(), s) for s in subsets)
        scores = np.array(scores).reshape(len(subsets), len(self.sizes))
        if self.counts:
            return fold_mean(np.rint(scores * self.sizes).astype(np.int64), self.sizes)
        return scores.mean(axis=1)

    def _work(self):
        return self.estimator, self.X, self.y, self.splits, self.scorer, self.params

    def _scores(self, subset):
        return _scores(*self._work(), subset)

    def close(self):
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None


def _scores(estimator, X, y, splits, scorer, params, subset):
    """Score of every fold on the given columns."""
    X = _safe_indexing(X, list(subset), axis=1)
    scores = []
    for train, test in splits:
        model = clone(estimator)
        model.fit(_safe_indexing(X, train), _safe_indexing(y, train), **_rows(params.get("fit"), len(y), train))
        X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
        scores.append(scorer(model, X_test, y_test, **_rows(params.get("score"), len(y), test)))
    return scores


def _rows(metadata, n_samples, rows):
    """The given rows of every metadata value that has one entry per sample."""
    return {
        name: _safe_indexing(value, rows) if hasattr(value, "__len__") and len(value) == n_samples else value
        for name, value in (metadata or {}).items()
        if value is not None
    }

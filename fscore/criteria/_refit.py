"""Any estimator, cross-validated by refitting it on every fold."""

from collections.abc import Sequence
from copy import copy
from functools import partial

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed  # unlike joblib's, these carry scikit-learn's configuration along

from fscore._jobs import n_workers
from fscore._sklearn import check_method_params, safe_indexing
from fscore.criteria._base import BoundCriterion
from fscore.criteria._column_parameters import clone_for_subset, fit_params_of_subset
from fscore.criteria._folds import fold_mean


class BoundCV(BoundCriterion):
    """Any estimator: clone, fit and score on every fold; n_jobs processes share the candidates of a step.

    Parameters
    ----------
    estimator : estimator
    fold_data : list of FoldData
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
    codes : int array of shape (n_samples,) or None
        Class numbers; None without classes, or with several outputs.
    splits : list of (train, test)
    scorer : callable
    scoring : str
        The name of the score that is compared, "other" if no fast scorer knows it.
    n_jobs : int or None
    params : dict of dict
        Metadata for "fit" and "score".
    extra : list of str
        Names of the scores that are recorded and not compared.
    """

    splits: Sequence[tuple[np.ndarray, np.ndarray]]

    def __init__(self, estimator, fold_data, *, y, codes, splits, scorer, scoring, n_jobs, params, extra=()):
        self.estimator, self.fold_data, self.y, self.codes, self.splits = estimator, fold_data, y, codes, splits
        self.n_features = fold_data[0].X.shape[1]
        self.scorer, self.scoring, self.params = scorer, scoring, params
        self.sizes = np.array([len(test) for _, test in splits])
        self.counts = scoring == "accuracy" and not params.get("score")
        self.n_jobs = self.min_batch = n_workers(n_jobs)
        self.max_batch = 8 * self.n_jobs
        self.context = splits, params
        self.extra, self._recorded = list(extra), {}
        self._pool = None

    def with_transformed(self, estimator, fold_data):
        """The same criterion for an estimator that is fitted to transformed samples."""
        bound = copy(self)
        bound.estimator, bound.fold_data, bound.n_features = estimator, fold_data, fold_data[0].X.shape[1]
        bound._recorded = {}
        return bound

    def _score(self, subsets):
        scores = self.score_table(subsets)
        if self.extra:
            self._recorded.update(zip(subsets, scores[:, :, 1:].mean(axis=1), strict=True))
        scores = np.ascontiguousarray(scores[:, :, 0])
        if self.counts:
            return fold_mean(np.rint(scores * self.sizes).astype(np.int64), self.sizes)
        return scores.mean(axis=1)

    def score_table(self, subsets):
        """All that the scorer returns, of shape (n_subsets, n_folds, n_scores)."""
        score = partial(_scores, self.estimator, self.fold_data, self.splits, self.y, self.scorer, self.params)
        if self.n_jobs == 1 or len(subsets) == 1:
            scores_of_subsets = [score(s) for s in subsets]
        else:
            if self._pool is None:  # kept open, so that the workers map the data once and not at every step
                self._pool = Parallel(n_jobs=self.n_jobs).__enter__()
            scores_of_subsets = self._pool(delayed(score)(s) for s in subsets)
        return np.array(scores_of_subsets)

    def _fold_scores(self, columns, folds=None):
        """The scores of all folds, or of those with the given numbers, in ascending order."""
        fold_data = self.fold_data
        if folds is not None:
            fold_data = [data._replace(folds=[f for f in data.folds if f in folds]) for data in fold_data]
            fold_data = [data for data in fold_data if data.folds]
        scores = _scores(self.estimator, fold_data, self.splits, self.y, self.scorer, self.params, columns)
        return np.array(scores)[:, 0]

    def extra_scores(self, subsets):
        missing = [s for s in subsets if s not in self._recorded]
        if self.extra and missing:  # their scores came from a checkpoint
            self.score(missing)
        return {name: np.array([self._recorded[s][m] for s in subsets]) for m, name in enumerate(self.extra)}

    def close(self):
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None


def _scores(estimator, fold_data, splits, y, scorer, params, subset):
    """Scores of every fold of the data on the given columns: a list for each fold."""
    scores = []
    for data in fold_data:
        X = safe_indexing(data.X, list(subset), axis=1)
        model = clone_for_subset(estimator, subset, data.X)
        all_fit_params = fit_params_of_subset(params.get("fit") or {}, estimator, subset, data.X)
        for f in data.folds:
            train, test = splits[f]
            fit_params = check_method_params(X, all_fit_params, train)
            score_params = check_method_params(X, params.get("score") or {}, test)
            model = clone(model)
            model.fit(safe_indexing(X, train), rows_of(y, train), **fit_params)
            score = score_of_split(scorer, model, X, y, f, train, test, **score_params)
            scores.append(list(map(float, score.values() if isinstance(score, dict) else [score])))
    return scores


def rows_of(y, rows):
    """Rows of a target; None of none."""
    return None if y is None else safe_indexing(y, rows)


def score_of_split(scorer, model, X, y, number, train, test, **params):
    """The score of a model on the test samples of a split; an error names the class that the split lacks, if any."""
    target = () if y is None else (safe_indexing(y, test),)
    try:
        return scorer(model, safe_indexing(X, test), *target, **params)
    except ValueError as error:
        if is_classifier(model) and np.ndim(y) == 1:
            _name_missing_class(error, number, safe_indexing(y, train), safe_indexing(y, test))
        raise


def _name_missing_class(error, number, y_train, y_test):
    """Raise an error that names the class that is missing from a split, if there is one."""
    trained, tested = (set(np.asarray(y).tolist()) for y in (y_train, y_test))
    for role, lacking in (("test", trained - tested), ("training", tested - trained)):
        if lacking:
            raise ValueError(
                f"the {role} samples of split {number} of cv hold no sample of the class {min(lacking, key=str)!r}, "
                f"without which the score is not defined ({error}); use fewer folds, or another scoring."
            ) from error

"""The criteria of a search bound to its data, with the scores known so far."""

import math
from typing import Any

import numpy as np

from fscore._sklearn import check_parameters
from fscore.criteria._base import Criterion
from fscore.criteria._cv import CVScore
from fscore.criteria._knn import BoundKNN


class ScoreCache:
    """A bound criterion, or several bound together, with the scores known so far.

    Attributes
    ----------
    scores : list of dict
        For each criterion the score of each subset of columns. The empty set has the score -inf.
    keys : list of str
        For each criterion its key in the checkpoint.
    batch_size : int
        How many subsets to score at once, by the time that they take.
    n_computed : int
        Number of subsets scored rather than remembered.
    failed : dict
        The error of each subset that could not be scored.
    any_scored : bool
        Whether some subset could be scored.
    """

    def __init__(self, bound, criteria):
        self.bound, self.criteria = bound, criteria
        self.keys = []
        self.batch_size, self.n_computed = bound.min_batch, 0
        self.failed, self.any_scored = {}, False
        self.clear()

    def clear(self):
        """Keep no score but that of the empty set."""
        self.scores = [{(): -math.inf} for _ in self.criteria]

    def next_batch(self, subsets, base):
        """The leading subsets to score at once; as many as possible if the candidates of a step share work."""
        largest = self.bound.max_batch
        if largest is None:
            return subsets
        whole_step = base is not None and len(base) >= self.bound.min_shared_columns
        return subsets[: largest if whole_step else min(self.batch_size, largest)]

    def compute(self, subsets):
        """Scores of shape (n_subsets, n_criteria); a ValueError if one is NaN, with which nothing can be compared."""
        table = self.bound._score(subsets).reshape(len(subsets), -1)
        undefined = np.isnan(table).any(axis=1)
        if undefined.any():
            raise ValueError(
                f"{type(self.criteria[0]).__name__} is NaN for the columns {subsets[int(undefined.argmax())]}; its "
                "score must be defined for every subset (roc_auc needs all classes in every test fold, R2 two samples; "
                "use fewer folds or another scoring, and -inf for a subset to be avoided)."
            )
        self.any_scored = True
        return table


def distinct(criteria):
    """The criteria without repetitions: one object may vote twice."""
    return list({id(criterion): criterion for criterion in criteria}.values())


def bind_criteria(rule, X, y, n_jobs, params):
    """Bind the criteria of a rule. k-NN voters that differ only in k share a pass if they have the same folds."""
    main = rule.main_criteria()
    by_pass: dict[Any, list[Criterion]] = {}
    for criterion in distinct(rule.all_criteria()):
        alone = len(main) == 1 and criterion is main[0]  # J is recorded
        by_pass.setdefault(id(criterion) if alone else _pass_of(criterion), []).append(criterion)
    caches = []
    for criteria in by_pass.values():
        bound = criteria[0].bind(X, y, n_jobs=n_jobs, params=params)
        if len(criteria) > 1 and isinstance(bound, BoundKNN):
            for other in criteria[1:]:
                check_parameters(other)
                check_parameters(other.resolved_estimator())
            ks = [c.resolved_estimator().n_neighbors for c in criteria]
            caches.append(ScoreCache(bound.for_neighbors(ks), criteria))
        else:
            caches.append(ScoreCache(bound, criteria[:1]))
            caches += [ScoreCache(c.bind(X, y, n_jobs=n_jobs, params=params), [c]) for c in criteria[1:]]
    return caches


def _pass_of(criterion):
    """Equal for k-NN criteria that differ only in k and were given the same number of folds, or the same splitter."""
    knn = criterion.compiled_knn if isinstance(criterion, CVScore) else None
    if knn is None:
        return id(criterion)
    return knn, criterion.cv if isinstance(criterion.cv, int) else id(criterion.cv)

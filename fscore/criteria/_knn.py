"""Leave-fold-out scores of k-NN for several k at once, by the compiled loops of `fscore.kernels.knn`."""

from contextlib import closing
from math import prod
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils import check_array

from fscore._validation import validated
from fscore.criteria._base import BoundCriterion
from fscore.criteria._jobs import Threads, n_workers
from fscore.criteria._knn_outcomes import Accuracy, Errors
from fscore.criteria._scale import check_squares, has_powers
from fscore.criteria._scorers import ERRORS, scoring_name
from fscore.criteria._subsets import check_columns, check_removed, flat, lexicographic_order, merged, n_shared, without

__all__ = ["BoundKNN", "KNNPanel", "Metric", "bind_knn", "compiled_knn"]

_WORK = 2**26  # of queries times samples times columns: about a tenth of a second
_HELD = 2**22  # neighbours of a part of the queries: 16 MB, and 32 MB of weights; threads hold three times as many
_LEAST = 2**19  # of the same that is worth a call in a thread
_DENSE = 2**23  # entries of a sparse sample that is made dense: 64 MB
_EQUAL = np.empty((0, 0, 0))  # the weights of neighbours that count alike


EXPONENTS = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1, "chebyshev": np.inf}


class Metric(NamedTuple):
    """How neighbours are found and how much each counts."""

    p: float  # exponent of the Minkowski metric
    weighted: bool  # whether a neighbour weighs the inverse of its distance


class CompiledKNN(NamedTuple):
    """What the compiled loops need to know of an estimator, apart from the number of neighbours."""

    metric: Metric
    scoring: str | None  # "accuracy", or one of `ERRORS`


def compiled_knn(estimator, scoring):
    """How the compiled loops value an estimator; None if they cannot."""
    if type(estimator) is KNeighborsClassifier:
        scoring = scoring_name(scoring, ("accuracy",))
    elif type(estimator) is KNeighborsRegressor:
        scoring = scoring_name(scoring, ERRORS)
    else:
        return None
    if (
        scoring == "other"
        or not isinstance(estimator.weights, str)
        or estimator.weights not in ("uniform", "distance")
        or estimator.metric_params
        or not isinstance(estimator.n_neighbors, (int, np.integer))
        or estimator.n_neighbors < 1
    ):
        return None
    p = estimator.p if estimator.metric == "minkowski" else EXPONENTS.get(estimator.metric)
    if not isinstance(p, Real) or not p >= 1:
        return None
    return CompiledKNN(Metric(float(p), estimator.weights == "distance"), scoring)


class View(NamedTuple):
    """A sample in which the neighbours of every query are members of the other folds."""

    X: np.ndarray  # (n_features, n_samples): the values of a feature are contiguous
    samples: np.ndarray  # its transpose: the values of a sample are contiguous
    rows: np.ndarray | slice  # of the sample that was given
    fold: np.ndarray
    queries: np.ndarray
    orders: dict  # feature -> argsort of its values, computed when needed


class BoundKNN(BoundCriterion):
    """Scores of k-NN for each of `ks`; `values` has one column per k unless there is only one.

    Parameters
    ----------
    views : list of View
    splits : list of (train, test)
    ks : sequence of int
    outcome : Accuracy or Errors
        What is made of the neighbours.
    metric : Metric
    n_jobs : int or None
    """

    batch = 512  # keeps the candidates of most steps together

    def __init__(self, views, splits, ks, outcome, metric, n_jobs):
        self.ks = np.array(ks, dtype=np.int64)
        self.order = np.argsort(self.ks, kind="stable")
        self.views, self.outcome, self.metric = views, outcome, metric
        self.n_samples, self.n_features = outcome.n_samples, views[0].X.shape[0]
        self.n_jobs = n_workers(n_jobs)
        self.threads = Threads(self.n_jobs)
        self.context = (splits, outcome.context)

    def close(self):
        self.threads.close()

    def shares_work(self, n_columns):
        return True

    def values(self, subsets):
        return self._scored(self._subset_sums(subsets))

    def fold_scores(self, columns):
        """The score of each fold, for the smallest k."""
        return self.outcome.fold_scores(self._subset_sums([columns]))[0, 0]

    def _subset_sums(self, subsets):
        """Sums of shape (n_folds, n_ks, n_subsets)."""
        from fscore.kernels.knn import subset_neighbours

        flat(subsets, self.n_features)  # refuses bad columns
        sums = self._no_sums(len(subsets))
        rest = []
        for q, s in enumerate(subsets):
            if len(s) == 1:
                one = self._no_sums(1)
                self._single(*check_columns(s, self.n_features), one)
                sums[:, :, q] = one[:, :, 0]
                self._check()
            else:
                rest.append(q)
        if rest:
            rest.sort(key=lambda q: subsets[q])
            walk = [subsets[q] for q in rest]
            some = self._no_sums(len(rest))
            self._run(subset_neighbours, (*flat(walk, self.n_features), self._stored(walk)), walk, some)
            sums[:, :, rest] = some
        return sums

    def _stored(self, walk):
        """How many leading columns each subset shares with the one before, as far as their distances are kept."""
        return np.minimum(n_shared(walk), max(1, 2**23 // self.n_samples))  # 64 MB per thread

    def add_values(self, subset, tuples):
        from fscore.kernels.knn import add_neighbours

        if not subset:
            return self.values([tuple(sorted(t)) for t in tuples])
        sums = self._no_sums(len(tuples))
        arguments = check_columns(subset, self.n_features), *_offsets(tuples, self.n_features)
        subsets = (merged(subset, t) for t in tuples)
        n_listed = self._n_listed(len(tuples))
        self._run(add_neighbours, arguments, subsets, sums, lambda view: (view.samples, n_listed))
        return self._scored(sums)

    def remove_values(self, subset, tuples):
        from fscore.kernels.knn import drop_neighbours

        check_removed(subset, tuples)
        place = {c: a for a, c in enumerate(subset)}
        sums = self._no_sums(len(tuples))
        places = [tuple(sorted(place[c] for c in t)) for t in tuples]
        arguments = check_columns(subset, self.n_features), *_offsets(places, len(subset))
        subsets = (without(subset, t) for t in tuples)
        n_listed = 8 + 2 * int(self.ks.max())
        self._run(drop_neighbours, arguments, subsets, sums, lambda view: (view.samples, n_listed))
        return self._scored(sums)

    def _n_listed(self, n_candidates):
        """Long enough that few walks need a full scan afterwards; the neighbours do not depend on it.

        The list is made once for all candidates: the more there are, the longer it may be. Sorting it takes time with
        the square of its length.
        """
        return 8 + 4 * int(self.ks.max()) + min(200, self.n_samples // 160) + min(16, n_candidates // 8)

    def _no_sums(self, n):
        return self.outcome.no_sums(len(self.ks), n)

    def _single(self, feature, sums):
        from fscore.kernels.knn import single_neighbours

        for view in self.views:
            x = view.X[feature]
            if feature not in view.orders:
                view.orders[feature] = np.argsort(x, kind="stable")
            nearest = np.empty((view.queries.size, 1, self.ks.max()), dtype=np.int32)
            single_neighbours(x, view.orders[feature], view.fold, view.queries, self.metric.p == 1, nearest)
            weights = np.empty(nearest.shape) if self.metric.weighted else _EQUAL
            if self.metric.weighted:
                self._weigh(view, view.queries, flat([(feature,)], self.n_features), nearest, weights)
            self.outcome.add(view, view.queries, nearest, weights, self.ks[self.order], sums)

    def _metric_arguments(self):
        return (self.metric.p == 1,)

    def _weigh(self, view, queries, subset, nearest, weights):
        from fscore.kernels.knn_outputs import inverse_distances

        inverse_distances(view.samples, queries, *subset, self.metric.p, nearest, weights)

    def _run(self, kernel, arguments, subsets, sums, rest=lambda view: ()):
        """Find the neighbours of all queries, and add up what they predict, query by query.

        The queries go through in parts of a fraction of a second, between which time is checked and Ctrl-C acts.
        """
        subset = flat(list(subsets), self.n_features) if self.metric.weighted else None
        n, k = sums.shape[2], self.ks.max()

        def find(part):
            view, queries = part
            nearest = np.empty((queries.size, n, k), dtype=np.int32)
            weights = np.empty(nearest.shape) if self.metric.weighted else _EQUAL
            kernel(view.X, view.fold, queries, *arguments, *self._metric_arguments(), *rest(view), nearest)
            if self.metric.weighted:
                self._weigh(view, queries, subset, nearest, weights)
            return view, queries, nearest, weights

        work = 16 + sum(a.size for a in arguments if a is not None)
        with closing(self.threads.map(find, self._parts(work, n * k))) as parts:
            for part in parts:
                self.outcome.add(*part, self.ks[self.order], sums)
                self._check()

    def _parts(self, work, n_neighbours):
        """Views with some of their queries, each of which takes so much work, and finds so many neighbours."""
        for view in self.views:
            work_of_query = view.fold.size * work
            size = min(_WORK // work_of_query, _HELD // max(1, n_neighbours))
            if self.n_jobs > 1:
                size = min(size // self.n_jobs, max(_LEAST // work_of_query, view.queries.size // (4 * self.n_jobs)))
            size = max(1, size)
            for lo in range(0, view.queries.size, size):
                yield view, view.queries[lo : lo + size]

    def _scored(self, sums):
        values = self.outcome.values(sums)
        if len(self.ks) == 1:
            return values[:, 0]
        columns = np.empty_like(values)
        columns[:, self.order] = values
        return columns


class BoundMetricKNN(BoundKNN):
    """The same for Minkowski metrics other than the Euclidean and the Manhattan one."""

    def _subset_sums(self, subsets):
        from fscore.kernels.knn_metrics import metric_subset_neighbours

        sums = self._no_sums(len(subsets))
        order = lexicographic_order(subsets)
        walk = [subsets[q] for q in order]
        some = self._no_sums(len(walk))
        self._run(metric_subset_neighbours, (*flat(walk, self.n_features), self._stored(walk)), walk, some)
        sums[:, :, order] = some
        return sums

    def add_values(self, subset, tuples):
        from fscore.kernels.knn_metrics import metric_add_neighbours

        sums = self._no_sums(len(tuples))
        arguments = check_columns(subset, self.n_features), *flat(tuples, self.n_features)
        self._run(metric_add_neighbours, arguments, (merged(subset, t) for t in tuples), sums)
        return self._scored(sums)

    def remove_values(self, subset, tuples):
        from fscore.kernels.knn_metrics import metric_drop_neighbours

        check_removed(subset, tuples)
        place = {c: a for a, c in enumerate(subset)}
        sums = self._no_sums(len(tuples))
        places = [tuple(sorted(place[c] for c in t)) for t in tuples]
        arguments = check_columns(subset, self.n_features), *flat(places, len(subset))
        self._run(metric_drop_neighbours, arguments, (without(subset, t) for t in tuples), sums)
        return self._scored(sums)

    def _metric_arguments(self):
        return (self.metric.p,)


def bind_knn(X, y, splits, ks, compiled, n_jobs=None, worth=None):
    """Bind k-NN, or return None if only scikit-learn can value the data.

    It must if splits overlap, or if the data are sparse and large, or sparse with a metric that may refuse them.

    Parameters
    ----------
    X, y : the data
    splits : list of (train, test)
    ks : sequence of int
    compiled : CompiledKNN
    n_jobs : int, optional
    worth : array-like of shape (n_samples,), optional
        Sample weights of the score.
    """
    if issparse(X):
        if prod(X.shape) > _DENSE or compiled.metric.p not in (1, 2):
            return None
        X = X.toarray()
    X = validated(check_array, X, ensure_all_finite=True).astype(np.float64, copy=False)  # refuses strings
    check_squares(X)
    outcome = (Accuracy if compiled.scoring == "accuracy" else Errors).of(y, splits, worth, compiled.scoring)
    views = _views(np.ascontiguousarray(X.T), splits)
    if outcome is None or views is None:
        return None
    fewest = min(range(len(splits)), key=lambda s: len(splits[s][0]))
    if max(ks) > len(splits[fewest][0]):
        raise ValueError(
            f"n_neighbors={max(ks)} needs as many training samples, but split {fewest} trains on "
            f"{len(splits[fewest][0])}; use fewer neighbours or more folds."
        )
    if compiled.metric.p in (1, 2):
        bound = BoundKNN
    elif has_powers(X, compiled.metric.p):
        bound = BoundMetricKNN
    else:
        return None
    return bound(views, splits, ks, outcome, compiled.metric, n_jobs)


class KNNPanel:
    """Several k-NN criteria that differ only in k, valued in one pass, with one row of values per subset."""

    def __init__(self, criteria):
        self.criteria = criteria

    def bind(self, X, y, *, n_jobs=None, params=None):
        """Bind all members to the same folds, or return None if the compiled loops cannot be used."""
        for c in self.criteria:
            c._validate_params()
        if params and (params.get("fit") or params.get("score")):
            return None
        first = self.criteria[0]
        y = first.checked_target(y)
        splits = first.splits(X, y, params)
        ks = [c.resolved_estimator().n_neighbors for c in self.criteria]
        return bind_knn(X, y, splits, ks, first.compiled_knn, n_jobs)

    def identity(self):
        """See `Criterion.identity`."""
        return "KNNPanel", [c.identity() for c in self.criteria]


def _offsets(tuples, n_columns):
    """`flat`, with None for the offsets if each tuple has one column: only then is their general form compiled."""
    indptr, columns = flat(tuples, n_columns)
    return None if all(len(t) == 1 for t in tuples) else indptr, columns


def _views(X, splits):
    """Cut the splits into as few views as possible; None if a split both trains and tests on a sample.

    The splits of one k-fold (train is everything that is not test) share a view. A split that leaves samples out has
    its own view.
    """
    n = X.shape[1]
    samples = np.ascontiguousarray(X.T)
    views, fold = [], np.full(n, -1, dtype=np.int64)

    def finish():
        queries = np.flatnonzero(fold >= 0)
        if queries.size:
            views.append(View(X, samples, slice(None), fold.copy(), queries, {}))
            fold[:] = -1

    for s, (train, test) in enumerate(splits):
        used = np.zeros(n, dtype=np.int64)
        np.add.at(used, train, 1)
        np.add.at(used, test, 1)
        if used.max() > 1:
            return None
        if used.all():
            if (fold[test] >= 0).any():
                finish()
            fold[test] = s
        else:
            rows = np.flatnonzero(used)
            own = np.full(n, -1, dtype=np.int64)
            own[test] = s
            queries = np.flatnonzero(own[rows] >= 0)
            views.append(View(np.ascontiguousarray(X[:, rows]), samples[rows], rows, own[rows], queries, {}))
    finish()
    return views

"""Leave-fold-out accuracy of k-NN for several k at once, by the compiled loops of `fscore.kernels.knn`."""

from concurrent.futures import ThreadPoolExecutor
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_array

from fscore._validation import encode_labels, validated
from fscore.criteria._base import BoundCriterion
from fscore.criteria._folds import fold_mean
from fscore.criteria._jobs import n_workers
from fscore.criteria._scale import check_squares, has_powers
from fscore.criteria._subsets import check_columns, flat, n_shared
from fscore.kernels.knn import add_hits, drop_hits, single_hits, subset_hits
from fscore.kernels.knn_metrics import metric_add_hits, metric_drop_hits, metric_subset_hits

__all__ = ["BoundKNN", "KNNPanel", "bind_knn", "compiled_metric"]

_WORK = 2**26  # of queries times samples times columns: about a tenth of a second


EXPONENTS = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1, "chebyshev": np.inf}


class Metric(NamedTuple):
    """How neighbours are found and how they vote."""

    p: float  # exponent of the Minkowski metric
    weighted: bool  # whether a vote weighs the inverse of its distance


def compiled_metric(estimator):
    """The metric by which the compiled loops value an estimator; None if they cannot."""
    if (
        type(estimator) is not KNeighborsClassifier
        or estimator.weights not in ("uniform", "distance")
        or estimator.metric_params
        or not isinstance(estimator.n_neighbors, (int, np.integer))
        or estimator.n_neighbors < 1
    ):
        return None
    p = estimator.p if estimator.metric == "minkowski" else EXPONENTS.get(estimator.metric)
    if not isinstance(p, Real) or not p >= 1:
        return None
    return Metric(float(p), estimator.weights == "distance")


class View(NamedTuple):
    """A sample in which every query is classified by the members of the other folds."""

    X: np.ndarray  # (n_features, n_samples): the values of a feature are contiguous
    samples: np.ndarray  # its transpose: the values of a sample are contiguous
    y: np.ndarray
    fold: np.ndarray
    queries: np.ndarray
    orders: dict  # feature -> argsort of its values, computed when needed


class BoundKNN(BoundCriterion):
    """Accuracies of k-NN for each of `ks`; `values` has one column per k unless there is only one."""

    batch = 512  # keeps the candidates of most steps together
    steps_share_work = True

    def __init__(self, X, y, splits, ks, views, n_jobs):
        self.ks = np.array(ks, dtype=np.int64)
        self.order = np.argsort(self.ks, kind="stable")
        self.sizes = np.array([len(test) for _, test in splits])
        self.n_samples, self.n_classes = y.size, int(y.max()) + 1
        self.views, self.n_features = views, X.shape[1]
        self.n_jobs = n_workers(n_jobs)
        self.context = (splits, {})

    @classmethod
    def try_bind(cls, X, y, splits, ks, n_jobs=None):
        """Bind, or return None if only scikit-learn can value the data (sparse, or with overlapping splits)."""
        if issparse(X):
            return None
        X = validated(check_array, X, dtype=np.float64, ensure_all_finite=True)
        check_squares(X)
        _, codes = encode_labels(y)
        codes = codes.astype(np.int64)
        views = _views(np.ascontiguousarray(X.T), codes, splits)
        if views is None:
            return None
        fewest = min(range(len(splits)), key=lambda s: len(splits[s][0]))
        if max(ks) > len(splits[fewest][0]):
            raise ValueError(
                f"n_neighbors={max(ks)} needs as many training samples, but split {fewest} trains on "
                f"{len(splits[fewest][0])}; use fewer neighbours or more folds."
            )
        return cls(X, codes, splits, ks, views, n_jobs)

    def values(self, subsets):
        return self._accuracy(self._subset_hits(subsets))

    def fold_scores(self, columns):
        """The accuracy of each fold, for the smallest k."""
        return self._subset_hits([columns])[:, 0, 0] / self.sizes

    def _subset_hits(self, subsets):
        """Hits of shape (n_folds, n_ks, n_subsets)."""
        hits = self._no_hits(len(subsets))
        rest = []
        for q, s in enumerate(subsets):
            if len(s) == 1:
                self._single(*check_columns(s, self.n_features), hits[:, :, q : q + 1])
                self._check()
            else:
                rest.append(q)
        if rest:
            rest.sort(key=lambda q: subsets[q])
            walk = [subsets[q] for q in rest]
            some = self._no_hits(len(rest))
            stored = max(1, 2**23 // self.n_samples)  # prefixes: 64 MB per thread
            self._run(subset_hits, (*flat(walk, self.n_features), np.minimum(n_shared(walk), stored)), some)
            hits[:, :, rest] = some
        return hits

    def add_values(self, subset, tuples):
        if not subset:
            return self.values([tuple(sorted(t)) for t in tuples])
        hits = self._no_hits(len(tuples))
        arguments = check_columns(subset, self.n_features), *flat(tuples, self.n_features)
        self._run(add_hits, arguments, hits, lambda view: (view.samples, self._n_listed(view)))
        return self._accuracy(hits)

    def remove_values(self, subset, tuples):
        place = {c: a for a, c in enumerate(subset)}
        hits = self._no_hits(len(tuples))
        places = [tuple(sorted(place[c] for c in t)) for t in tuples]
        arguments = check_columns(subset, self.n_features), *flat(places, len(subset))
        self._run(drop_hits, arguments, hits, lambda view: (view.samples, 8 + 2 * int(self.ks.max())))
        return self._accuracy(hits)

    def _n_listed(self, view):
        """Long enough that few walks need a full scan afterwards; the hits do not depend on it."""
        k = int(self.ks.max())
        return 24 + 4 * k + view.y.size // 160

    def _no_hits(self, n):
        return np.zeros((len(self.sizes), len(self.ks), n), dtype=np.int64)

    def _single(self, feature, hits):
        for view in self.views:
            x = view.X[feature]
            if feature not in view.orders:
                view.orders[feature] = np.argsort(x, kind="stable")
            order = view.orders[feature]
            ks = self.ks[self.order]
            single_hits(x, order, view.y, view.fold, self.n_classes, view.queries, ks, hits)

    def _run(self, kernel, arguments, hits, rest=lambda view: ()):
        """Run a kernel over all queries in n_jobs threads; hits are integers, so their sum has no rounding.

        The queries go through in parts of a fraction of a second, between which time is checked and Ctrl-C acts.
        """
        ks = self.ks[self.order]
        weight = 16 + sum(a.size for a in arguments)
        for view in self.views:
            last = rest(view)

            def work(queries, out, view=view, last=last):
                kernel(view.X, view.y, view.fold, self.n_classes, queries, *arguments, ks, *last, out)
                return out

            n_threads = 1 if view.queries.size < 64 else self.n_jobs
            size = max(1, n_threads * _WORK // (view.y.size * weight))
            parts = [view.queries[lo : lo + size] for lo in range(0, view.queries.size, size)]
            if n_threads == 1:
                for part in parts:
                    work(part, hits)
                    self._check()
            else:
                with ThreadPoolExecutor(n_threads) as pool:
                    for part in parts:
                        shares = np.array_split(part, n_threads)
                        for share in pool.map(work, shares, [np.zeros_like(hits) for _ in shares]):
                            hits += share
                        self._check()

    def _check(self):
        if self.check is not None:
            self.check()

    def _accuracy(self, hits):
        values = fold_mean(hits.transpose(2, 1, 0), self.sizes)
        if len(self.ks) == 1:
            return values[:, 0]
        columns = np.empty_like(values)
        columns[:, self.order] = values
        return columns


class BoundMetricKNN(BoundKNN):
    """The same for other Minkowski metrics, and for votes weighted by inverse distances.

    Attributes
    ----------
    metric : Metric
    """

    metric = None

    def _subset_hits(self, subsets):
        hits = self._no_hits(len(subsets))
        order = sorted(range(len(subsets)), key=lambda q: subsets[q])
        walk = [subsets[q] for q in order]
        some = self._no_hits(len(walk))
        shared = np.minimum(n_shared(walk), max(1, 2**23 // self.n_samples))
        self._run(metric_subset_hits, (*flat(walk, self.n_features), shared), some, lambda view: self.metric)
        hits[:, :, order] = some
        return hits

    def add_values(self, subset, tuples):
        hits = self._no_hits(len(tuples))
        arguments = check_columns(subset, self.n_features), *flat(tuples, self.n_features)
        self._run(metric_add_hits, arguments, hits, lambda view: self.metric)
        return self._accuracy(hits)

    def remove_values(self, subset, tuples):
        place = {c: a for a, c in enumerate(subset)}
        hits = self._no_hits(len(tuples))
        places = [tuple(sorted(place[c] for c in t)) for t in tuples]
        arguments = check_columns(subset, self.n_features), *flat(places, len(subset))
        self._run(metric_drop_hits, arguments, hits, lambda view: self.metric)
        return self._accuracy(hits)


def bind_knn(X, y, splits, ks, metric, n_jobs=None):
    """Bind k-NN under a metric, or return None if only scikit-learn can value the data."""
    if metric == Metric(2.0, False):
        return BoundKNN.try_bind(X, y, splits, ks, n_jobs)
    bound = BoundMetricKNN.try_bind(X, y, splits, ks, n_jobs)
    if bound is not None:
        bound.metric = metric
        if not has_powers(bound.views[0].samples, metric.p):
            return None
    return bound


class KNNPanel:
    """Several k-NN criteria that differ only in k, valued in one pass, with one row of values per subset."""

    def __init__(self, criteria):
        self.criteria = criteria

    def bind(self, X, y, *, n_jobs=None, params=None):
        """Bind all members to the same folds, or return None if the compiled loops cannot be used."""
        for c in self.criteria:
            c._validate_params()
        splits = self.criteria[0].splits(X, y, params)
        ks = [c.resolved_estimator().n_neighbors for c in self.criteria]
        return bind_knn(X, y, splits, ks, compiled_metric(self.criteria[0].resolved_estimator()), n_jobs)

    def identity(self):
        """See `Criterion.identity`."""
        return "KNNPanel", [c.identity() for c in self.criteria]


def _views(X, y, splits):
    """Cut the splits into as few views as possible; None if a split both trains and tests on a sample.

    The splits of one k-fold (train is everything that is not test) share a view. A split that leaves samples out has
    its own view.
    """
    n = y.size
    samples = np.ascontiguousarray(X.T)
    views, fold = [], np.full(n, -1, dtype=np.int64)

    def finish():
        queries = np.flatnonzero(fold >= 0)
        if queries.size:
            views.append(View(X, samples, y, fold.copy(), queries, {}))
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
            views.append(View(np.ascontiguousarray(X[:, rows]), samples[rows], y[rows], own[rows], queries, {}))
    finish()
    return views

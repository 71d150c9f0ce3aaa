"""Leave-fold-out scores of k-NN for several k at once, by the compiled loops of `fscore.kernels.knn`."""

from collections.abc import Callable
from copy import copy
from functools import partial
from math import prod
from numbers import Integral
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse

from fscore._jobs import threaded
from fscore._magnitudes import check_scale
from fscore._validation import validated
from fscore.criteria._fast import FastCriterion, finite_numbers
from fscore.criteria._folds import ERRORS, fold_mean
from fscore.criteria._subsets import flat, lexicographic_order, n_shared, step_of


def _checked_weights(sample_weight, n_samples):
    """Sample weights as numbers; None if scikit-learn should refuse them, or find that a fold has none."""
    sample_weight = np.asarray(sample_weight)
    if (
        sample_weight.shape != (n_samples,)
        or sample_weight.dtype.kind not in "iuf"
        or not np.isfinite(sample_weight).all()
    ):
        return None
    return sample_weight.astype(np.float64)


class NeighborScore:
    """How the neighbors' predictions are scored.

    Parameters
    ----------
    y : array of shape (n_samples,)
    sample_weight : array of shape (n_samples,)
        Ones, or sample weights.
    sizes : array of shape (n_folds,)
        Sum of the sample weights of each fold.
    """

    def __init__(self, y, sample_weight, sizes):
        self.y, self.sample_weight, self.sizes = y, sample_weight, sizes

    def zero_sums(self, n_ks, n_subsets):
        """Sums of shape (n_folds, n_ks, n_subsets) to start with."""
        return np.zeros((len(self.sizes), n_ks, n_subsets), dtype=self.sample_weight.dtype)

    def add(self, folded, queries, nearest, weights, ks, sums):
        """Add up what the neighbors predict for some queries."""
        raise NotImplementedError

    def fold_scores(self, sums):
        """Scores of shape (n_subsets, n_ks, n_folds)."""
        raise NotImplementedError

    def scores(self, sums):
        """Mean scores of shape (n_subsets, n_ks)."""
        return np.ascontiguousarray(self.fold_scores(sums)).mean(axis=-1)


class Accuracy(NeighborScore):
    """Accuracy of the neighbors' votes, as class numbers: counted in integers, or in sums of weights."""

    @classmethod
    def from_target(cls, y, splits, sample_weight):
        """For class numbers y; None if it must be left to scikit-learn."""
        y = y.astype(np.int64)
        if sample_weight is None:
            return cls(y, np.ones(len(y), dtype=np.int64), np.array([len(test) for _, test in splits]))
        sample_weight = _checked_weights(sample_weight, len(y))
        sizes = None if sample_weight is None else np.array([sample_weight[test].sum() for _, test in splits])
        return None if sizes is None or not (sizes > 0).all() else cls(y, sample_weight, sizes)

    def add(self, folded, queries, nearest, weights, ks, sums):
        from fscore.kernels.knn_outputs import add_hits

        y, sample_weight, n_classes = self.y[folded.rows], self.sample_weight[folded.rows], int(self.y.max()) + 1
        add_hits(nearest, weights, queries, y, folded.fold, n_classes, ks, sample_weight, sums)

    def fold_scores(self, sums):
        return sums.transpose(2, 1, 0) / self.sizes

    def scores(self, sums):
        if self.sample_weight.dtype.kind == "i":
            return fold_mean(sums.transpose(2, 1, 0), self.sizes)
        return super().scores(sums)


class Errors(NeighborScore):
    """A score of the errors of the neighbors' means.

    Parameters
    ----------
    y, sample_weight, sizes
        As of `NeighborScore`.
    totals : float64 array of shape (n_folds,)
        Weighted sum of the squares of y about the mean of the fold.
    scoring : str
        One of `ERRORS`.
    """

    def __init__(self, y, sample_weight, sizes, totals, scoring):
        super().__init__(y, sample_weight, sizes)
        self.totals, self.error_score = totals, ERRORS[scoring]

    @classmethod
    def from_target(cls, y, splits, sample_weight, scoring):
        """For the target y; None if it must be left to scikit-learn."""
        y = np.asarray(y)
        if y.ndim != 1 or not (y.dtype.kind in "iub" or y.dtype == np.float64):
            return None  # scikit-learn would compute in single precision
        sample_weight = np.ones(len(y)) if sample_weight is None else _checked_weights(sample_weight, len(y))
        if sample_weight is None:
            return None
        y = y.astype(np.float64)
        sizes, totals = np.empty(len(splits)), np.empty(len(splits))
        for s, (_, test) in enumerate(splits):
            sizes[s] = sample_weight[test].sum()
            level = (sample_weight[test] * y[test]).sum() / sizes[s] if sizes[s] > 0 else np.nan
            totals[s] = (sample_weight[test] * (y[test] - level) ** 2).sum()
        few = min(len(test) for _, test in splits) < 2
        if not (sizes > 0).all() or (scoring == "r2" and (few or not (totals > 0).all())):
            return None
        return cls(y, sample_weight, sizes, totals, scoring)

    def add(self, folded, queries, nearest, weights, ks, sums):
        from fscore.kernels.knn_outputs import add_errors

        y, sample_weight = self.y[folded.rows], self.sample_weight[folded.rows]
        add_errors(nearest, weights, queries, y, folded.fold, ks, sample_weight, self.error_score.squared, sums)

    def fold_scores(self, sums):
        return self.error_score.from_sums(sums.transpose(2, 1, 0), self.totals, self.sizes)


WORK_PER_BATCH = 2**26  # of queries times samples times columns: about a tenth of a second
MIN_WORK_PER_THREAD = 2**19  # in each call
MIN_SAMPLES_OF_TREES = 2000  # fewer samples are scanned
PILOT_QUERIES = 32  # whose work tells whether trees or scans are faster
MAX_DENSE_ENTRIES = 2**23  # of sparse data that are made dense: 64 MB
NO_WEIGHTS = np.empty((0, 0, 0))
MANHATTAN = {"euclidean": False, "l2": False, "manhattan": True, "cityblock": True, "l1": True}


class Metric(NamedTuple):
    """How neighbors are found and how much each counts."""

    manhattan: bool  # otherwise Euclid's
    weighted: bool  # whether a neighbor weighs the inverse of its distance


def metric_of(estimator):
    """The metric of a k-NN estimator whose parameters `BoundKNN` supports."""
    return Metric(MANHATTAN.get(estimator.metric, estimator.p == 1), estimator.weights == "distance")


class FoldedData(NamedTuple):
    """Samples of which the neighbors of every query are those of the other folds."""

    XT: np.ndarray  # (n_features, n_samples): the values of a feature are contiguous
    X: np.ndarray  # its transpose: the values of a sample are contiguous
    rows: np.ndarray  # of the sample that was given
    fold: np.ndarray
    queries: np.ndarray
    orders: dict  # feature -> argsort of its values, computed when needed


class NeighborSearch(NamedTuple):
    """The kernel that finds the neighbors under some of the subsets, and its arguments."""

    positions: list  # of these subsets
    work: int  # about how many differences the kernel computes for each query
    kernel: Callable  # returns how many differences it has computed, or how many take as long
    prepare: Callable  # of a folded sample; returns a function of queries: the kernel's arguments before its result


class BoundKNN(FastCriterion):
    """Scores of k-NN for each of `ks`; `score` has one column per k unless there is only one.

    Parameters
    ----------
    bound_cv : BoundCV
    fold_data : list of FoldData
        In double precision.
    outcome : NeighborScore
    """

    scorings = ("accuracy", *ERRORS)
    supported: ClassVar[dict] = {
        "weights": ("uniform", "distance"),
        "metric": ("minkowski", *MANHATTAN),
        "p": (1, 2),
        "metric_params": lambda params: not params,
        "n_neighbors": lambda k: isinstance(k, Integral) and int(k) >= 1,
    }

    def __init__(self, bound_cv, fold_data, outcome):
        super().__init__(bound_cv, fold_data)
        self.outcome, self.metric, self.n_jobs = outcome, metric_of(bound_cv.estimator), bound_cv.n_jobs
        self.folded_data = [folded for data in fold_data for folded in _folded_data(data, self.splits)]
        self.n_samples = len(outcome.y)
        self._set_neighbors([bound_cv.estimator.n_neighbors])

    @classmethod
    def from_cv(cls, bound_cv):
        """See `FastCriterion.from_cv`."""
        fold_data = []
        for data in bound_cv.fold_data:
            X = data.X
            if issparse(X):
                if prod(X.shape) > MAX_DENSE_ENTRIES:
                    return None
                X = X.toarray()
            if (X := validated(finite_numbers, X)) is None:
                return None
            X = X.astype(np.float64, copy=False)
            check_scale(X, "k-NN", ranges="each")
            fold_data.append(data._replace(X=X))
        sample_weight = (bound_cv.params.get("score") or {}).get("sample_weight")
        if bound_cv.scoring == "accuracy":
            outcome = Accuracy.from_target(bound_cv.codes, bound_cv.splits, sample_weight)
        else:
            outcome = Errors.from_target(bound_cv.y, bound_cv.splits, sample_weight, bound_cv.scoring)
        return None if outcome is None else cls(bound_cv, fold_data, outcome)

    def for_neighbors(self, ks):
        """The same criterion for other numbers of neighbors, which are scored in one pass."""
        bound = copy(self)
        bound._set_neighbors(ks)
        return bound

    def _set_neighbors(self, ks):
        smallest = min(range(len(self.splits)), key=lambda s: len(self.splits[s][0]))
        n_train = len(self.splits[smallest][0])
        if max(ks) > n_train:
            raise ValueError(
                f"n_neighbors={max(ks)} needs as many training samples, but split {smallest} trains on {n_train}; use "
                "fewer neighbors or more folds."
            )
        self.ks = np.array(ks, dtype=np.int64)
        self.order = np.argsort(self.ks, kind="stable")

    def _score(self, subsets):
        scores = self.outcome.scores(self._sums(subsets))
        if len(self.ks) == 1:
            return scores[:, 0]
        columns = np.empty_like(scores)
        columns[:, self.order] = scores
        return columns

    def _fold_scores(self, columns):
        """For the smallest k."""
        return self.outcome.fold_scores(self._sums([columns]))[0, 0]

    def _sums(self, subsets):
        """Sums of shape (n_folds, n_ks, n_subsets) of what the neighbors predict.

        The queries go through in batches of a fraction of a second, between which time is checked and Ctrl-C acts.
        """
        sums = self.outcome.zero_sums(len(self.ks), len(subsets))
        for search in self._searches(subsets):
            search_sums = self.outcome.zero_sums(len(self.ks), len(search.positions))
            columns = flat([subsets[q] for q in search.positions]) if self.metric.weighted else None
            neighbors = partial(self._neighbors, search, columns)
            with threaded(neighbors, self._batches_of_queries(search), self.n_jobs) as batches:
                for folded, queries, nearest, weights in batches:
                    self.outcome.add(folded, queries, nearest, weights, self.ks[self.order], search_sums)
                    self.raise_if_out_of_time()
            sums[:, :, search.positions] = search_sums
        return sums

    def _neighbors(self, search, columns, batch):
        """A batch of queries with its neighbors and their weights."""
        from fscore.kernels.knn_outputs import inverse_distances

        folded, queries, arguments = batch
        nearest = self._empty_neighbors(queries, search)
        search.kernel(*arguments, nearest)
        weights = np.empty(nearest.shape) if self.metric.weighted else NO_WEIGHTS
        if self.metric.weighted:
            inverse_distances(folded.X, queries, *columns, self.metric.manhattan, nearest, weights)
        return folded, queries, nearest, weights

    def _empty_neighbors(self, queries, search):
        return np.empty((queries.size, len(search.positions), self.ks.max()), dtype=np.int32)

    def _searches(self, subsets):
        """The searches for the neighbors under all subsets: scans of all samples or, where they take less work, trees.

        A step shares its scan, but each subset has its own tree.
        """
        for scan in self._scans(subsets):
            if self.n_samples < MIN_SAMPLES_OF_TREES or not self._trees_are_faster(scan, subsets):
                yield scan
            else:
                yield from (self._tree(q, subsets[q]) for q in scan.positions)

    def _trees_are_faster(self, scan, subsets):
        """Whether trees take less work than a scan, by the work of a few queries; one tree is measured for all."""
        from fscore.kernels.knn_tree import SEARCH, work_of_building

        folded = self.folded_data[0]
        step = -(-folded.queries.size // PILOT_QUERIES)
        queries = np.ascontiguousarray(folded.queries[::step])  # for strided ones, the kernels would be compiled again

        def work(search):
            return search.kernel(*search.prepare(folded)(queries), self._empty_neighbors(queries, search))

        n_trees = len(scan.positions)
        middle = scan.positions[n_trees // 2]
        building = work_of_building(len(subsets[middle]), folded.fold.size) * queries.size / folded.queries.size
        allowed = work(scan) / n_trees - building
        if n_trees == 1 or allowed < SEARCH * queries.size:
            return allowed > SEARCH * queries.size
        return work(self._tree(middle, subsets[middle])) < allowed

    def _tree(self, position, columns):
        """The search under one subset by a tree."""
        from fscore.kernels.knn_tree import SEARCH, build_tree, tree_neighbors

        manhattan, columns = self.metric.manhattan, np.array(columns, dtype=np.int64)

        def prepare(folded):
            tree = build_tree(folded.XT[columns], folded.fold, manhattan, int(self.ks.max()))

            def arguments(queries):
                return tree, queries, np.argsort(tree.place[queries]), manhattan

            return arguments

        return NeighborSearch([position], SEARCH + self.n_samples * columns.size // 16, tree_neighbors, prepare)

    def _scans(self, subsets):
        """The searches under all subsets by scans of all samples, by themselves or by the step that they are."""
        from fscore.kernels import knn

        positions, manhattan = list(range(len(subsets))), self.metric.manhattan
        base, changes, adds = step_of(subsets)
        if not base:
            for q in [q for q in positions if len(subsets[q]) == 1]:
                yield NeighborSearch([q], 2**10, knn.single_neighbors, partial(_in_order, subsets[q][0], manhattan))
            if several := [q for q in lexicographic_order(subsets) if len(subsets[q]) > 1]:
                ordered = [subsets[q] for q in several]
                prefixes = (*flat(ordered), n_shared(ordered), manhattan)
                yield NeighborSearch(
                    several,
                    self.n_samples * (16 + sum(map(len, ordered))),
                    knn.subset_neighbors,
                    lambda folded: lambda queries: (folded.XT, folded.fold, queries, *prefixes),
                )
            return
        n_read = len(base) + sum(map(len, changes))
        if adds:
            kernel, n_listed = knn.add_neighbors, self._n_listed(len(subsets))
        else:
            position = {c: a for a, c in enumerate(base)}
            changes = [tuple(position[c] for c in t) for t in changes]
            kernel, n_listed = knn.drop_neighbors, 8 + 2 * int(self.ks.max())
        step = (np.array(base, dtype=np.int64), *flat(changes), manhattan)
        yield NeighborSearch(
            positions,
            self.n_samples * (16 + n_read),
            kernel,
            lambda folded: lambda queries: (folded.XT, folded.fold, queries, *step, folded.X, n_listed),
        )

    def _n_listed(self, n_candidates):
        """Length of the list of candidates: so long that few need a full scan afterwards. It changes no result.

        The list is made once for all candidates: the more there are, the longer it may be. Sorting it takes time with
        the square of its length.
        """
        return 8 + 4 * int(self.ks.max()) + min(200, self.n_samples // 160) + min(16, n_candidates // 8)

    def _batches_of_queries(self, search):
        """Folded data with a batch of their queries, which takes a fraction of a second, and its arguments."""
        for folded in self.folded_data:
            arguments = search.prepare(folded)
            size = WORK_PER_BATCH // search.work
            if self.n_jobs > 1:
                min_size = max(MIN_WORK_PER_THREAD // search.work, folded.queries.size // (4 * self.n_jobs))
                size = min(size // self.n_jobs, min_size)
            size = max(1, size)
            for lo in range(0, folded.queries.size, size):
                queries = folded.queries[lo : lo + size]
                yield folded, queries, arguments(queries)


def _in_order(feature, manhattan, folded):
    """A function of queries: the arguments of `single_neighbors`."""
    if feature not in folded.orders:
        folded.orders[feature] = np.argsort(folded.XT[feature], kind="stable")
    return lambda queries: (folded.XT[feature], folded.orders[feature], folded.fold, queries, manhattan)


def _folded_data(data, splits):
    """Cut the data of folds into as few `FoldedData` as possible.

    The folds of one k-fold (train is everything that is not test) share one. A split that leaves samples out, or
    uses some twice, has its own.
    """
    n = len(data.X)
    folded_data, fold, rows = [], np.full(n, -1, dtype=np.int64), np.arange(n)
    X = np.ascontiguousarray(data.X)
    XT = np.ascontiguousarray(X.T)

    def finish():
        queries = np.flatnonzero(fold >= 0)
        if queries.size:
            folded_data.append(FoldedData(XT, X, rows, fold.copy(), queries, {}))
            fold[:] = -1

    for f in data.folds:
        train, test = splits[f]
        used = np.concatenate([train, test])
        if (np.bincount(used, minlength=n) == 1).all():
            if (fold[test] >= 0).any():
                finish()
            fold[test] = f
        else:
            order = np.argsort(used, kind="stable")
            split_rows = used[order]
            split_X = X[split_rows]
            split_fold = np.repeat([-1, f], [len(train), len(test)])[order]
            queries = np.flatnonzero(split_fold >= 0)
            split_XT = np.ascontiguousarray(split_X.T)
            folded_data.append(FoldedData(split_XT, split_X, split_rows, split_fold, queries, {}))
    finish()
    return folded_data

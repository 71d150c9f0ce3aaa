"""Leave-fold-out accuracy of support vector classifiers by the compiled solver of `fscore.kernels.svm`."""

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse

from fscore._jobs import threaded
from fscore.criteria._fast import EPS, FastAccuracy, converted_fold_data, finite_numbers, has_classes
from fscore.criteria._subsets import flat, step_of

MAX_BYTES = 10**9  # of the distances and the kernel of one thread: 9128 samples
MAX_ENTRIES_PER_CALL = 2**18  # of the kernels of the subsets: a few milliseconds
KERNELS = ("linear", "poly", "rbf", "sigmoid")  # in the order in which `fscore.kernels.svm` numbers them


def _svc_fold_data(bound_cv):
    """The `FoldData` for `SVC`; None if it is sparse or has too many samples, or if squares or kernels overflow."""
    n = len(bound_cv.codes)
    if any(issparse(data.X) for data in bound_cv.fold_data) or 12 * n**2 > MAX_BYTES or not has_classes(bound_cv):
        return None
    fold_data = converted_fold_data(bound_cv, partial(finite_numbers, dtype=np.float64, order="C"))
    if fold_data is None:
        return None
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if not all(np.isfinite((data.X**2).sum()) for data in fold_data):
            return None
        if any(_largest(bound_cv.estimator, data.X) > np.finfo(np.float32).max for data in fold_data):
            return None
    return fold_data


def _largest(svc, X):
    """A bound on kernel values, of squared distances with their rounding errors, over any subset of the columns.

    libsvm keeps them in single precision, and with infinite ones its solution depends on the processor.
    """
    squares, variances = X**2, X.var(axis=0)
    if svc.gamma == "scale":
        reach = np.max((squares.max(axis=0) / variances)[variances > 0], initial=0.0)
    else:
        reach = (1.0 if svc.gamma == "auto" else svc.gamma) * squares.sum(axis=1).max()
    if svc.kernel == "rbf":
        return np.exp(2 * _relative_radius(X.shape[1]) * reach)
    bounds = {"linear": squares.sum(axis=1).max(), "poly": (reach + abs(svc.coef0)) ** svc.degree}
    return bounds.get(svc.kernel, 1.0)


class SamplesByClass(NamedTuple):
    """The samples in the order of their classes, so that training samples of a class are adjacent."""

    X: np.ndarray
    columns: np.ndarray  # X transposed
    y: np.ndarray
    splits: list
    train: np.ndarray  # training samples of all folds, one fold after another
    train_starts: np.ndarray  # where each fold begins in them
    test: np.ndarray
    test_starts: np.ndarray
    folds: slice


class BoundSVC(FastAccuracy):
    """Accuracies of a support vector classifier, equal to those of scikit-learn."""

    supported: ClassVar[dict] = {
        "kernel": KERNELS,
        "class_weight": None,
        "probability": (False, "deprecated"),
        "max_iter": -1,
        "break_ties": False,
        "verbose": False,
    }
    prepare = staticmethod(_svc_fold_data)

    def __init__(self, bound_cv, fold_data):
        super().__init__(bound_cv, fold_data)
        self.estimator = bound_cv.estimator
        self.samples_by_class = [self._in_class_order(data) for data in fold_data]
        self.n_jobs = max(1, min(bound_cv.n_jobs, MAX_BYTES // (12 * len(self.y) ** 2)))

    def _in_class_order(self, data):
        order = np.argsort(self.y, kind="stable")
        position = np.argsort(order)
        X, y = data.X[order], self.y[order]
        splits = [tuple(position[rows] for rows in split) for split in (self.splits[f] for f in data.folds)]
        (train_starts, train), (test_starts, test) = (flat([split[k] for split in splits]) for k in (0, 1))
        folds = slice(data.folds.start, data.folds.stop)
        columns = np.ascontiguousarray(X.T)
        return SamplesByClass(X, columns, y, splits, train, train_starts, test, test_starts, folds)

    def _hits(self, subsets):
        hits = np.empty((len(subsets), len(self.sizes)), dtype=np.int64)
        step = step_of(subsets)
        changed = [np.array(t, dtype=np.int64) for t in step.changes]
        base = np.array(step.base, dtype=np.int64)
        for ordered in self.samples_by_class:
            self._hits_of_folds(ordered, base, changed, 1.0 if step.adds else -1.0, hits[:, ordered.folds])
        return hits

    def _hits_of_folds(self, ordered, base, changed, sign, hits):
        unused: list[KernelCache] = []  # not used by any thread

        def score(share):
            cache = unused.pop() if unused else KernelCache(len(ordered.y), base.size > 0)
            for q in share:
                self._subset_hits(ordered, base, changed[q], sign, cache, hits[q])
            unused.append(cache)

        size = max(1, min(MAX_ENTRIES_PER_CALL // len(ordered.y) ** 2, len(changed) // (4 * self.n_jobs)))
        shares = (range(lo, min(lo + size, len(changed))) for lo in range(0, len(changed), size))
        with threaded(score, shares, self.n_jobs) as calls:
            for _ in calls:
                self.raise_if_out_of_time()

    def _subset_hits(self, ordered, base, changed, sign, cache, hits):
        from fscore.kernels.svm import Gram, subset_hits

        subset = np.union1d(base, changed) if sign > 0 else np.setdiff1d(base, changed)
        samples = np.ascontiguousarray(ordered.X[:, subset])
        cache.known[:] = False
        gram = Gram(
            ordered.columns,
            base,
            changed,
            sign,
            samples,
            _radius(ordered.X[:, np.union1d(base, changed)]),
            cache.base_rows,
            cache.base_known,
            cache.rows,
            cache.known,
            KERNELS.index(self.estimator.kernel),
            float(self.estimator.coef0),
            int(self.estimator.degree),
        )
        subset_hits(
            gram,
            self._gammas(ordered, samples),
            ordered.train,
            ordered.train_starts,
            ordered.test,
            ordered.test_starts,
            ordered.y,
            int(ordered.y.max()) + 1,
            float(self.estimator.C),
            float(self.estimator.tol),
            bool(self.estimator.shrinking),
            hits,
        )

    def _gammas(self, ordered, samples):
        """gamma in each fold; by ``scale`` it depends on the training samples, to the last bit as scikit-learn's."""
        gamma = self.estimator.gamma
        if gamma == "scale" and self.estimator.kernel != "linear":
            variances = np.array([samples[train].var() for train, _ in ordered.splits])
            return np.array([1.0 / (samples.shape[1] * v) if v != 0 else 1.0 for v in variances])
        if isinstance(gamma, str):
            gamma = 1.0 / samples.shape[1]
        return np.full(len(ordered.splits), float(gamma))


def _radius(samples):
    """Bounds on the rounding errors of squared distances, ours and libsvm's, as `Gram` has them."""
    return _relative_radius(samples.shape[1]) * (samples**2).sum(axis=1)


def _relative_radius(n_columns):
    return (4 * n_columns + 16) * EPS


class KernelCache:
    """Rows of the kernel and of its base; memory is taken when a row is written."""

    def __init__(self, n, has_base):
        self.base_rows = np.empty((n if has_base else 0, n))
        self.base_known = np.zeros(n, dtype=np.bool_)
        self.rows = np.empty((n, n), dtype=np.float32)
        self.known = np.zeros(n, dtype=np.bool_)

"""Leave-fold-out accuracy of support vector classifiers by the compiled solver of `fscore.kernels.svm`."""

from contextlib import closing

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from fscore.criteria._jobs import Threads
from fscore.criteria._quick import EPS, QuickHits, has_classes

__all__ = ["BoundSVC", "bind_svc"]

MAX_BYTES = 10**9  # of the distances and the kernel of one thread: 9128 samples
_SMALL = 2**18  # entries of the kernels of subsets that are valued in one call: a few milliseconds
KERNELS = ("linear", "poly", "rbf", "sigmoid")  # in the order in which `fscore.kernels.svm` numbers them


def bind_svc(refit):
    """Bind `SVC`; None with weights, probabilities and the like, or with more samples than `MAX_BYTES` allows."""
    estimator, n = refit.estimator, len(refit.y)
    if (
        not isinstance(estimator.kernel, str)
        or estimator.kernel not in KERNELS
        or estimator.class_weight is not None
        or getattr(estimator, "probability", False) not in (False, "deprecated")
        or estimator.max_iter != -1
        or estimator.break_ties
        or estimator.verbose
        or issparse(refit.X)
        or 12 * n**2 > MAX_BYTES
        or not has_classes(refit)
    ):
        return None
    estimator._validate_params()
    X = check_array(refit.X, dtype=np.float64, order="C")
    with np.errstate(over="ignore"):
        if not np.isfinite((X * X).sum()):
            return None
    return BoundSVC(refit, X)


class BoundSVC(QuickHits):
    """Accuracies of a support vector classifier, equal to those of scikit-learn."""

    def __init__(self, refit, X):
        super().__init__(refit, X)
        self.estimator = refit.estimator
        order = np.argsort(self.y, kind="stable")  # by class: the training samples of a class lie side by side
        place = np.argsort(order)
        self.X, self.y = X[order], self.y[order]
        self.columns = np.ascontiguousarray(self.X.T)
        self.splits = [tuple(place[rows] for rows in split) for split in self.splits]
        self.folds = tuple(part for k in (0, 1) for part in _joined([split[k] for split in self.splits]))
        self.n_jobs = max(1, min(refit.n_jobs, MAX_BYTES // (12 * len(X) ** 2)))
        self.threads = Threads(self.n_jobs)

    def close(self):
        super().close()
        self.threads.close()

    def _hits(self, base, tuples, sign):
        hits = np.empty((len(tuples), len(self.sizes)), dtype=np.int64)
        base = np.array(base, dtype=np.int64)
        unused = []  # by any thread

        def value(some):
            stored = unused.pop() if unused else _Stored(len(self.y), base.size > 0)
            for q in some:
                self._value(base, np.array(tuples[q], dtype=np.int64), sign, stored, hits[q])
            unused.append(stored)

        size = max(1, min(_SMALL // len(self.y) ** 2, len(tuples) // (4 * self.n_jobs)))
        shares = (range(lo, min(lo + size, len(tuples))) for lo in range(0, len(tuples), size))
        with closing(self.threads.map(value, shares)) as calls:
            for _ in calls:
                self._check()
        return hits

    def _value(self, base, changed, sign, stored, hits):
        from fscore.kernels.svm import Gram, subset_hits

        subset = np.union1d(base, changed) if sign > 0 else np.setdiff1d(base, changed)
        samples = np.ascontiguousarray(self.X[:, subset])
        gammas = self._gammas(samples)
        stored.known[:] = False
        gram = Gram(
            self.columns,
            base,
            changed,
            sign,
            samples,
            self._radius(np.union1d(base, changed)),
            stored.base_rows,
            stored.base_known,
            stored.rows,
            stored.known,
            KERNELS.index(self.estimator.kernel),
            float(self.estimator.coef0),
            int(self.estimator.degree),
        )
        C, tol = float(self.estimator.C), float(self.estimator.tol)
        subset_hits(
            gram, gammas, *self.folds, self.y, int(self.y.max()) + 1, C, tol, bool(self.estimator.shrinking), hits
        )

    def _radius(self, columns):
        """Bounds on the rounding errors of squared distances, ours and libsvm's, as `Gram` has them."""
        return (4 * len(columns) + 16) * EPS * (self.X[:, columns] ** 2).sum(axis=1)

    def _gammas(self, samples):
        """gamma in each fold; by ``scale`` it depends on the training samples, to the last bit as scikit-learn's."""
        gamma = self.estimator.gamma
        if gamma == "scale" and self.estimator.kernel != "linear":
            variances = np.array([samples[train].var() for train, _ in self.splits])
            return np.array([1.0 / (samples.shape[1] * v) if v != 0 else 1.0 for v in variances])
        if isinstance(gamma, str):
            gamma = 1.0 / samples.shape[1]
        return np.full(len(self.splits), float(gamma))


class _Stored:
    """Rows of the kernel and of its base; memory is taken when a row is written."""

    def __init__(self, n, has_base):
        self.base_rows = np.empty((n if has_base else 0, n))
        self.base_known = np.zeros(n, dtype=np.bool_)
        self.rows = np.empty((n, n), dtype=np.float32)
        self.known = np.zeros(n, dtype=np.bool_)


def _joined(parts):
    """Index arrays one after another, and where each begins."""
    start = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=start[1:])
    return np.concatenate(parts).astype(np.int64), start

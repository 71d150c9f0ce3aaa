"""Leave-fold-out accuracy of support vector classifiers by the compiled solver of `fscore.kernels.svm`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils import check_array

from fscore._validation import encode_labels
from fscore.criteria._base import BoundCriterion
from fscore.criteria._folds import fold_mean
from fscore.criteria._jobs import n_workers
from fscore.criteria._subsets import check_columns, flat
from fscore.kernels.svm import EPS, LINEAR, POLY, RBF, SIGMOID, Gram, squared_norms, subset_hits

__all__ = ["BoundSVC", "bind_svc"]

MAX_BYTES = 10**9  # of the distances and the kernel of one thread: 9128 samples
KERNELS = {"linear": LINEAR, "poly": POLY, "rbf": RBF, "sigmoid": SIGMOID}


def bind_svc(estimator, X, y, splits, n_jobs=None):
    """Bind a support vector classifier to data, or return None if only scikit-learn can value them."""
    if (
        type(estimator) is not SVC
        or not isinstance(estimator.kernel, str)
        or estimator.kernel not in KERNELS
        or estimator.class_weight is not None
        or getattr(estimator, "probability", False) not in (False, "deprecated")
        or estimator.max_iter != -1
        or estimator.break_ties
        or estimator.verbose
        or issparse(X)
        or 12 * len(y) ** 2 > MAX_BYTES
    ):
        return None
    estimator._validate_params()
    X = check_array(X, dtype=np.float64, order="C")
    _, codes = encode_labels(y)
    with np.errstate(over="ignore"):
        products_are_finite = np.isfinite((X * X).sum())
    if not products_are_finite or any(len(np.unique(codes[train])) < 2 for train, _ in splits):
        return None
    return BoundSVC(estimator, X, codes.astype(np.int64), splits, n_jobs)


class BoundSVC(BoundCriterion):
    """Accuracies of a support vector classifier, equal to those of scikit-learn."""

    batch = 512
    steps_share_work = True

    def __init__(self, estimator, X, y, splits, n_jobs=None):
        self.estimator, self.X, self.y, self.splits = estimator, X, y, splits
        self.columns = np.ascontiguousarray(X.T)
        self.sizes = np.array([len(test) for _, test in splits])
        self.folds = tuple(part for k in (0, 1) for part in _joined([split[k] for split in splits]))
        self.n_jobs = max(1, min(n_workers(n_jobs), MAX_BYTES // (12 * len(y) ** 2)))
        self.context = splits, {}

    def values(self, subsets):
        flat(subsets, len(self.columns))  # refuses bad columns
        return self._accuracy((), subsets, 1.0)

    def add_values(self, subset, tuples):
        flat(tuples, len(self.columns))
        return self._accuracy(check_columns(subset, len(self.columns)), tuples, 1.0)

    def remove_values(self, subset, tuples):
        return self._accuracy(check_columns(subset, len(self.columns)), tuples, -1.0)

    def fold_scores(self, columns):
        """The accuracy of each fold."""
        return self._hits((), [columns], 1.0)[0] / self.sizes

    def _accuracy(self, base, tuples, sign):
        return fold_mean(self._hits(base, tuples, sign), self.sizes)

    def _hits(self, base, tuples, sign):
        """Hits of shape (n_tuples, n_folds) with each tuple added to the base, or removed from it."""
        hits = np.empty((len(tuples), len(self.sizes)), dtype=np.int64)
        base = np.array(base, dtype=np.int64)
        shares = np.array_split(np.arange(len(tuples)), min(self.n_jobs, max(1, len(tuples))))

        def work(share):
            stored = _Stored(len(self.y), base.size > 0)
            for q in share:
                self._value(base, np.array(tuples[q], dtype=np.int64), sign, stored, hits[q])
                if self.check is not None:
                    self.check()

        if len(shares) == 1:
            work(shares[0])
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(work, shares))
        return hits

    def _value(self, base, changed, sign, stored, hits):
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
            squared_norms(samples),
            self._radius(np.union1d(base, changed)),
            stored.base_rows,
            stored.base_known,
            stored.rows,
            stored.known,
            KERNELS[self.estimator.kernel],
            float(self.estimator.coef0),
            int(self.estimator.degree),
        )
        C, tol = float(self.estimator.C), float(self.estimator.tol)
        subset_hits(
            gram, gammas, *self.folds, self.y, int(self.y.max()) + 1, C, tol, bool(self.estimator.shrinking), hits
        )
        for f in np.flatnonzero(hits < 0):
            train, test = self.splits[f]
            model = clone(self.estimator).fit(samples[train], self.y[train])
            hits[f] = (model.predict(samples[test]) == self.y[test]).sum()

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

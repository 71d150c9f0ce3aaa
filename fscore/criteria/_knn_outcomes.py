"""What is made of the neighbours in k-NN: the accuracy of their votes, or a score of the errors of their means."""

import numpy as np

from fscore._validation import encode_labels
from fscore.criteria._folds import fold_mean
from fscore.criteria._scorers import ERRORS

__all__ = ["Accuracy", "Errors"]


def _checked_worth(worth, n_samples):
    """Sample weights as numbers; None if scikit-learn should refuse them, or find that a fold has none."""
    worth = np.asarray(worth)
    if worth.shape != (n_samples,) or worth.dtype.kind not in "iuf" or not np.isfinite(worth).all():
        return None
    return worth.astype(np.float64)


class Accuracy:
    """Accuracy of the neighbours' votes: counted in integers, or in sums of weights.

    Parameters
    ----------
    y : int64 array of shape (n_samples,)
        Class numbers.
    worth : array of shape (n_samples,)
        Ones, or sample weights.
    sizes : array of shape (n_folds,)
        Sum of the worth of each fold.
    """

    def __init__(self, y, worth, sizes, context):
        self.y, self.worth, self.sizes, self.context = y, worth, sizes, context
        self.n_samples, self.n_classes = len(y), int(y.max()) + 1

    @classmethod
    def of(cls, y, splits, worth, scoring):
        """For the labels y; None if only scikit-learn can tell."""
        y = encode_labels(y)[1].astype(np.int64)
        if worth is None:
            return cls(y, np.ones(len(y), dtype=np.int64), np.array([len(test) for _, test in splits]), {})
        context = {"score": {"sample_weight": worth}}
        worth = _checked_worth(worth, len(y))
        sizes = None if worth is None else np.array([worth[test].sum() for _, test in splits])
        return None if sizes is None or not (sizes > 0).all() else cls(y, worth, sizes, context)

    def no_sums(self, n_ks, n_subsets):
        """Sums of shape (n_folds, n_ks, n_subsets) to start with."""
        return np.zeros((len(self.sizes), n_ks, n_subsets), dtype=self.worth.dtype)

    def add(self, view, queries, nearest, weights, ks, sums):
        """Add up what the neighbours predict for some queries."""
        from fscore.kernels.knn_outputs import add_hits

        y, worth = self.y[view.rows], self.worth[view.rows]
        add_hits(nearest, weights, queries, y, view.fold, self.n_classes, ks, worth, sums)

    def fold_scores(self, sums):
        """Scores of shape (n_subsets, n_ks, n_folds)."""
        return sums.transpose(2, 1, 0) / self.sizes

    def values(self, sums):
        """Values of shape (n_subsets, n_ks)."""
        if self.worth.dtype.kind == "i":
            return fold_mean(sums.transpose(2, 1, 0), self.sizes)
        return np.ascontiguousarray(self.fold_scores(sums)).mean(axis=-1)


class Errors:
    """A score of the errors of the neighbours' means.

    Parameters
    ----------
    y : float64 array of shape (n_samples,)
    worth : float64 array of shape (n_samples,)
        Ones, or sample weights.
    sizes : float64 array of shape (n_folds,)
        Sum of the worth of each fold.
    totals : float64 array of shape (n_folds,)
        Weighted sum of the squares of y about the mean of the fold.
    scoring : str or None
        One of `ERRORS`.
    """

    def __init__(self, y, worth, sizes, totals, scoring, context):
        self.y, self.worth, self.sizes, self.totals, self.context = y, worth, sizes, totals, context
        self.squared, self.score = ERRORS[scoring]
        self.n_samples = len(y)

    @classmethod
    def of(cls, y, splits, worth, scoring):
        """For the target y; None if only scikit-learn can tell."""
        y = np.asarray(y)
        if y.ndim != 1 or not (y.dtype.kind in "iub" or y.dtype == np.float64):
            return None  # scikit-learn would compute in single precision
        context = {} if worth is None else {"score": {"sample_weight": worth}}
        worth = np.ones(len(y)) if worth is None else _checked_worth(worth, len(y))
        if worth is None:
            return None
        y = y.astype(np.float64)
        sizes, totals = [], []
        for _, test in splits:
            sizes.append(worth[test].sum())
            level = (worth[test] * y[test]).sum() / sizes[-1] if sizes[-1] > 0 else np.nan
            totals.append((worth[test] * (y[test] - level) ** 2).sum())
        sizes, totals = np.array(sizes), np.array(totals)
        few = min(len(test) for _, test in splits) < 2
        if not (sizes > 0).all() or (scoring in (None, "r2") and (few or not (totals > 0).all())):
            return None
        return cls(y, worth, sizes, totals, scoring, context)

    def no_sums(self, n_ks, n_subsets):
        """Sums of shape (n_folds, n_ks, n_subsets) to start with."""
        return np.zeros((len(self.sizes), n_ks, n_subsets))

    def add(self, view, queries, nearest, weights, ks, sums):
        """Add up what the neighbours predict for some queries."""
        from fscore.kernels.knn_outputs import add_errors

        y, worth = self.y[view.rows], self.worth[view.rows]
        add_errors(nearest, weights, queries, y, view.fold, ks, worth, self.squared, sums)

    def fold_scores(self, sums):
        """Scores of shape (n_subsets, n_ks, n_folds)."""
        return self.score(sums.transpose(2, 1, 0), self.totals, self.sizes)

    def values(self, sums):
        """Values of shape (n_subsets, n_ks)."""
        return np.ascontiguousarray(self.fold_scores(sums)).mean(axis=-1)

"""The folds of a cross-validation, the mean of their scores, and folds of contiguous blocks within each class."""

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.model_selection import BaseCrossValidator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_consistent_length

from fscore._typing import ArrayLike
from fscore._validation import encode_labels
from fscore._warnings import warn_user


class FoldData(NamedTuple):
    """Samples and the folds they serve: all folds for the data as given, one fold for transformed data."""

    X: Any  # (n_samples, n_features)
    folds: range  # their numbers


def fold_mean(hits, sizes):
    """Mean of the fold accuracies ``hits / sizes``, summed so that equal means are equal numbers.

    Folds of one size are added as integers first: (56 + 55) / 57 and (55 + 56) / 57 must not differ in the last bit,
    or a search takes another path.

    Parameters
    ----------
    hits : int array of shape (..., n_folds)
    sizes : int array of shape (n_folds,)

    Returns
    -------
    float array of shape (...)
    """
    total = 0.0
    for size in np.unique(sizes):
        total = total + hits[..., sizes == size].sum(axis=-1) / size
    return total / len(sizes)


class BlockFolds(BaseCrossValidator):
    """Cross-validation folds of contiguous blocks within each class, in the order of the samples.

    For each class and each fold in turn, the next ``n_left // n_folds_left`` samples of the class in file order go to
    the fold's test set, where ``n_left`` samples of the class and ``n_folds_left`` folds are left. This is how the
    toolbox of Somol et al. divides data for cross-validation; `sklearn.model_selection.StratifiedKFold` without
    shuffling is similar, but gives classes that do not divide evenly other block sizes.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds, at least 2.

    Notes
    -----
    A class with fewer samples than folds is missing from the first test sets. Not stated in Somol et al. (2011); read
    from the authors' feature selection toolbox.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.criteria import BlockFolds
    >>> y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> for train, test in BlockFolds(3).split(y, y):
    ...     print(test)
    [0 5]
    [1 2 6]
    [3 4 7]
    """

    def __init__(self, n_splits: int = 10) -> None:
        if not isinstance(n_splits, Integral) or isinstance(n_splits, bool) or n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r} must be an integer of at least 2.")
        self.n_splits: int = int(n_splits)

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Number of folds.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(
        self, X: ArrayLike, y: ArrayLike | None = None, groups: object = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The training and test samples of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        groups : object
            Ignored.

        Yields
        ------
        train, test : int arrays
            Row numbers, ascending.

        Raises
        ------
        ValueError
            If there are no labels, or no class has a sample for each fold.
        """
        check_consistent_length(X, y)
        fold = self._fold_of_samples(y)
        for k in range(self.n_splits):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _fold_of_samples(self, y):
        if y is None:
            raise ValueError("BlockFolds needs y, because it divides each class; pass the labels.")
        _, codes = encode_labels(y)
        counts = np.bincount(codes)
        if counts.max() < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} folds need a class with as many samples, but the largest has "
                f"{counts.max()}; lower n_splits."
            )
        if counts.min() < self.n_splits:
            warn_user(
                f"The smallest class has {counts.min()} samples, fewer than n_splits={self.n_splits}, and is missing "
                "from some test sets.",
                UserWarning,
            )
        fold = np.empty(len(codes), dtype=np.int64)
        for c in range(len(counts)):
            rows, start = np.flatnonzero(codes == c), 0
            for k in range(self.n_splits):
                stop = start + (len(rows) - start) // (self.n_splits - k)
                fold[rows[start:stop]] = k
                start = stop
        return fold


# scores from sums of errors, by scikit-learn's names ----------------------------------------------------------------


def _r2(sums, totals, sizes):
    return 1 - sums / totals


def _mean(sums, totals, sizes):
    return -sums / sizes


def _root_mean(sums, totals, sizes):
    return -np.sqrt(sums / sizes)


class ErrorScore(NamedTuple):
    """A score from sums of errors.

    Attributes
    ----------
    squared : bool
        Whether the errors are squared.
    from_sums : callable
        Takes the sum of the errors, that of y about its mean, and the number of samples.
    """

    squared: bool
    from_sums: Callable


ERRORS = {
    "r2": ErrorScore(True, _r2),
    "neg_mean_squared_error": ErrorScore(True, _mean),
    "neg_root_mean_squared_error": ErrorScore(True, _root_mean),
    "neg_mean_absolute_error": ErrorScore(False, _mean),
}

OWN_SCORES = {  # by the function behind an estimator's ``score``
    ClassifierMixin.score: "accuracy",
    KNeighborsClassifier.score: "accuracy",
    RegressorMixin.score: "r2",
}

SHARES = ("accuracy", "balanced_accuracy", "top_k_accuracy", "average_precision", "roc_auc")
SCORE_RANGES = {  # by the beginning of scikit-learn's names
    **dict.fromkeys((*SHARES, "precision", "recall", "f1", "jaccard"), (0.0, 1.0)),
    "matthews_corrcoef": (-1.0, 1.0),
    **dict.fromkeys(("r2", "explained_variance", "d2_"), (-np.inf, 1.0)),
    "neg_": (-np.inf, 0.0),
}

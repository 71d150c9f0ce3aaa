"""Samples of the rows for a race: how they are drawn, and scores on blocks of their test rows."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import cycle, islice
from typing import Any, NamedTuple

import joblib
import numpy as np
from scipy.stats import f as f_distribution
from sklearn.metrics import get_scorer, r2_score

from fscore._sklearn import check_method_params, safe_indexing
from fscore.criteria._base import Criterion
from fscore.criteria._cv import CVScore
from fscore.criteria._fast import as_float64
from fscore.criteria._folds import ERRORS, FoldData
from fscore.criteria._refit import BoundCV, rows_of

N_BLOCKS = 40  # of test rows, of all folds together: the t distribution is near its limit
LEVEL = 0.01  # of significance, of the tests of whether folds differ
PREDICTIONS = ("predict", "predict_proba", "decision_function")


@dataclass(repr=False, eq=False)
class SubsampleScore(Criterion):
    """The score on one block of a sample's test rows; a `SubsampledCV` scores all blocks together.

    Attributes
    ----------
    criterion : CVScore
    n_rows : int
        Of the sample.
    block : int
    """

    criterion: CVScore
    n_rows: int
    block: int

    def __str__(self):
        return f"{type(self.criterion).__name__} on {self.n_rows} rows"

    def identity(self):
        """See `Criterion.identity`."""
        return "block of a sample", *self.criterion.identity(), self.n_rows, self.block


def subsampled(criterion, J, min_resources, factor, rng, groups):
    """A criterion bound to growing samples of the rows.

    Parameters
    ----------
    criterion : CVScore
    J : BoundCV
        The criterion bound to all rows.
    min_resources, factor : int
        As in `Race`.
    rng : Generator
    groups : array-like of shape (n_samples,) or None
        Drawn whole.

    Returns
    -------
    list of SubsampledCV
        Without samples that leave no two blocks to test.
    """
    n = J.fold_data[0].X.shape[0]
    order, group = order_of_drawing(rng, n, J.codes, groups)
    position = np.argsort(order)  # of each row in the order
    next_folds, n_rows = cycle(reversed(J.splits)), min_resources
    few_are_enough = n_rows <= n // factor and _are_alike(J)
    samples = []
    while n_rows <= n // factor:
        folds = list(islice(next_folds, _n_testing(J.splits, n_rows) if few_are_enough else len(J.splits)))
        sample = _bind_sample(criterion, J, n_rows, _folds_of_sample(folds, position, n_rows), group)
        if sample is not None:
            samples.append(sample)
        n_rows *= factor
    return samples


def order_of_drawing(rng, n, codes, groups):
    """Rows in the order in which they are drawn, and the group of each row, which may be the row itself."""
    if groups is not None:
        group = rng.permutation(n)[np.unique(groups, return_inverse=True)[1]]
        return np.argsort(group, kind="stable"), group
    order = rng.permutation(n)
    if codes is not None:
        share_before = np.empty(n)  # of a row's class
        for c in range(codes.max() + 1):
            members = order[codes[order] == c]
            share_before[members] = np.maximum(np.arange(len(members)) - N_BLOCKS, 0) / len(members)
        order = order[np.argsort(share_before[order], kind="stable")]
    group = np.empty(n, dtype=np.int64)
    group[order] = np.arange(n)
    return order, group


def _n_testing(splits, size):
    """The number of folds that together test about so many rows; at least one."""
    n_tested = sum(len(test) for _, test in splits)
    return min(max(round(len(splits) * size / n_tested), 1), len(splits))


def _are_alike(J):
    """Whether the test rows of the folds have equal means in every column and in the target, by F tests together."""
    X, y = as_float64(J.fold_data[0].X), np.asarray(J.y if J.codes is None else J.codes)
    if X is None or y.dtype.kind not in "biuf":
        return False
    parts = (np.column_stack([X[test], y[test]]) for _, test in J.splits)
    sizes, means, variances = map(np.array, zip(*[(len(A), A.mean(axis=0), A.var(axis=0)) for A in parts], strict=True))
    k, n = len(sizes), sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):  # constant columns
        between, within = sizes @ (means - sizes @ means / n) ** 2 / (k - 1), sizes @ variances / (n - k)
        p = f_distribution.sf(between / within, k - 1, n - k)
    return bool(np.nanmin(p, initial=1.0) * len(p) > LEVEL)


def _folds_of_sample(splits, position, size):
    """The training rows of each fold among the first ones drawn, and an equal share of them from its test rows."""
    folds = []
    for train, test in splits:
        last = np.sort(position[test])[: math.ceil(size / len(splits))][-1:]
        folds.append((train[position[train] < size], test[position[test] <= last]))
    return [(train, test) for train, test in folds if len(train) > 1 and len(test)]


def _bind_sample(criterion, J, n_rows, folds, group):
    """A `SubsampledCV` on some rows of some folds; None if they leave no two blocks to test."""
    n_groups = min((len(np.unique(group[test])) for _, test in folds), default=0)
    if len(folds) * n_groups < 2:
        return None
    rows = np.unique(np.concatenate([part for fold in folds for part in fold]))
    splits = [tuple(np.searchsorted(rows, part) for part in fold) for fold in folds]
    params = {
        "fit": check_method_params(J.fold_data[0].X, J.params.get("fit") or {}, rows),
        "score": check_method_params(J.fold_data[0].X, J.params.get("score") or {}, rows) | {"group": group[rows]},
    }
    scorer = J.scorer if J.scoring == "other" else get_scorer(J.scoring)  # `estimator.score` would predict again
    block_scorer = BlockScorer(scorer, min(math.ceil(N_BLOCKS / len(splits)), n_groups), J.scoring)
    return SubsampledCV(criterion, J, n_rows, rows, splits, block_scorer, params)


class SubsampledCV(BoundCV):
    """A `BoundCV` on a sample of the rows, which scores every block of test rows.

    Parameters
    ----------
    criterion : CVScore
    J : BoundCV
        The criterion bound to all rows.
    n_rows : int
        Number of rows drawn.
    rows : int array
        Those of them that train or test a model.
    splits : list of (train, test)
        Positions in it.
    scorer : BlockScorer
    params : dict of dict
        Metadata of the sample.

    Attributes
    ----------
    blocks : list of SubsampleScore
        Of all folds.
    cost : float
        Rows that models are trained on, as a share of those for a score on all rows.
    test_share : float
        Samples of a block, as a share of those that a model is trained on; the mean over the folds.
    """

    def __init__(self, criterion, J, n_rows, rows, splits, scorer, params):
        data = FoldData(safe_indexing(J.fold_data[0].X, rows), range(len(splits)))
        super().__init__(
            J.estimator,
            [data],
            y=rows_of(J.y, rows),
            codes=None,
            splits=splits,
            scorer=scorer,
            scoring="other",
            n_jobs=J.n_jobs,
            params=params,
        )
        self.context = (joblib.hash((rows, splits, params)),)
        self.n_rows = n_rows
        self.blocks = [SubsampleScore(criterion, n_rows, b) for b in range(len(splits) * scorer.n_blocks)]
        self.cost = sum(len(train) for train, _ in splits) / sum(len(train) for train, _ in J.splits)
        self.test_share = float(np.mean([len(test) / len(train) for train, test in splits])) / scorer.n_blocks

    def _score(self, subsets):
        try:
            return self.score_table(subsets).reshape(len(subsets), -1)
        except Exception as error:
            raise ValueError(
                f"on a sample of Race, of which {max(len(train) for train, _ in self.splits)} rows train a model, "
                f"{type(error).__name__}: {error}; give a larger min_resources if all rows are enough."
            ) from error


class BlockScorer(NamedTuple):
    """A scorer that returns the scores of blocks of the test samples as a dict: pseudovalues of the jackknife.

    Attributes
    ----------
    scorer : callable
    n_blocks : int
    scoring : str
        "accuracy" or a key of `ERRORS` if the scorer is that one, "other" if not.
    """

    scorer: Callable[..., Any]
    n_blocks: int
    scoring: str = "other"

    def __call__(self, model, X, *target, group, **params):
        """Samples of equal ``group`` are in the same block."""
        block = np.unique(group, return_inverse=True)[1] % self.n_blocks
        score = self._score_of_rows(model, X, target, params)
        whole = score(np.arange(len(block)))
        if self.n_blocks == 1:
            return {0: whole}
        others = [score(np.flatnonzero(block != b)) for b in range(self.n_blocks)]
        return {b: self.n_blocks * whole - (self.n_blocks - 1) * other for b, other in enumerate(others)}

    def _score_of_rows(self, model, X, target, params):
        """A function of rows of X; the model predicts only once."""
        if self.scoring != "other" and not params and np.ndim(target[0]) == 1:
            return score_of_errors(self.scoring, np.asarray(target[0]), np.ravel(model.predict(X)))
        cached = CachedPredictions(model, X)

        def score(rows):
            y = (safe_indexing(A, rows) for A in target)
            score = self.scorer(cached, cached.samples(rows), *y, **check_method_params(X, params, rows))
            return float(next(iter(score.values())) if isinstance(score, dict) else score)

        return score


def score_of_errors(scoring, y, predicted):
    """A function of rows that returns what the scorer of that name returns, without its checks for each call."""
    if scoring == "accuracy":
        hit = y == predicted
        return lambda rows: np.count_nonzero(hit[rows]) / len(rows)
    squared, from_sums = ERRORS[scoring]
    errors = np.subtract(y, predicted, dtype=np.float64)  # integers could overflow
    errors = errors**2 if squared else np.abs(errors)

    def score(rows):
        deviations = y[rows] - y[rows].mean()
        total = deviations @ deviations
        if scoring == "r2" and not total:
            return r2_score(y[rows], predicted[rows])  # finite by convention
        return from_sums(errors[rows].sum(), total, len(rows))

    return score


class CachedPredictions:
    """A fitted model that predicts all test samples once and looks up those of a block.

    Parameters
    ----------
    model : estimator
    X : the test samples
    """

    def __init__(self, model, X):
        self._model, self._X, self._known = model, X, {}

    def samples(self, rows):
        """Rows of X; a prediction for this very object is taken from the cache."""
        self._rows, self._of_rows = rows, safe_indexing(self._X, rows)
        return self._of_rows

    def __getattr__(self, name):
        method = getattr(self._model, name)
        if name not in PREDICTIONS:
            return method

        @wraps(method)  # scorers ask for the name
        def look_up(X, **params):
            if X is not self._of_rows or params:
                return method(X, **params)
            if name not in self._known:
                self._known[name] = method(self._X)
            known = self._known[name]
            return known[self._rows] if isinstance(known, np.ndarray) else method(X)

        return look_up

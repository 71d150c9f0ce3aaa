"""A race among the candidates of a step, on growing samples of the rows."""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from itertools import cycle, islice
from numbers import Integral, Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import joblib
import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t as student
from sklearn.metrics import get_scorer, r2_score

from fscore._sklearn import Interval, check_method_params, check_parameters, estimator_dataclass, safe_indexing
from fscore._typing import ArrayLike, Estimator, Floats, Mask, Seed, Splits
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._cv import CVScore, as_criterion
from fscore.criteria._fast import as_float64
from fscore.criteria._folds import ERRORS, FoldData
from fscore.criteria._refit import BoundCV, rows_of
from fscore.search._nested import resampled_error
from fscore.search._rules import ROUNDING, Candidates, ChoiceRule
from fscore.search._stochastic import generator

if TYPE_CHECKING:
    from fscore.search._evaluator import Evaluator

PREDICTIONS = ("predict", "predict_proba", "decision_function")
UNLIKE = 0.01  # p-value from which folds differ
N_BLOCKS = 40  # of test rows, of all folds together: the t distribution is near its limit


@estimator_dataclass
class Race(ChoiceRule):
    """A race among the candidates of each step, for any estimator on many rows.

    The candidates are scored on a sample of the rows, and those that are significantly behind the best leave. The rest
    are scored on a larger sample, and so on; the last ones on all rows.

    Parameters
    ----------
    criterion : estimator, CVAccuracy or CVScore
        J. An estimator stands for its `CVAccuracy` or `CVScore`, by the folds of the search.
    min_resources : int, default=4000
        Rows of the first sample.
    factor : int, default=2
        Samples have ``factor``, ``factor**2``, ... times as many rows, and at most ``1 / factor`` of all.
    alpha : float, default=0.05
        Level at which a candidate is behind: with this probability, at most, a sample makes a given candidate leave
        that is as good as the best. That one of several such leaves is more likely.
    random_state : int, RandomState or None, default=None
        Draws the rows. Pass an int for the same result at every call, and to resume from a checkpoint.

    Notes
    -----
    The trace holds values on all rows only: those of the chosen candidates, and of the others that reached the end of
    a race. Only they count against ``max_evaluations``. ``computed_`` says how many subsets were scored on samples.

    Models are trained and tested in the folds of J, so that groups and order in time are respected. On a sample of n
    rows and k folds, the model of a fold is trained on the rows of the sample in its training part and tested on n / k
    rows of its test part. Where folds are alike, which F tests of the means of all columns and the target say, k is as
    few as test n rows, which saves most of the work; else, as in a sorted file or a time series, all folds are taken. A
    sample contains that of the round before. It is stratified by class, with 40 rows of each class if there are so
    many. If groups are passed to `fit`, they are drawn whole.

    The scores of two candidates are compared on about 40 blocks of test rows. With S the score of a fold and S_b that
    without the block b of its B blocks, block b counts for ``B S - (B - 1) S_b``, which for a mean over samples is the
    score of the block. A paired one-sided t test compares each candidate with the best, with the variance that Nadeau
    and Bengio take for models trained on shared rows (`resampled_error`), and Holm's correction for the number of
    candidates. A candidate that would gain more from many rows than the best can leave too early.

    After each sample, the differences so far tell how many rows would show that a candidate is behind. The samples that
    follow are those by which the step takes least work; there are none where scores on all rows take less.
    With fewer than ``factor * min_resources`` rows the search is the one without a race.

    Searches that score subsets which are not candidates of a step (best individual, exhaustive, genetic, random) do so
    on all rows. Samples take twice as much memory as the data, at most.

    References
    ----------
    Maron, Moore (1994), "Hoeffding races", NIPS 6. Holm (1979), Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from fscore.search import SFS, Race
    >>> X, y = make_classification(4000, 10, n_informative=2, n_redundant=0, shuffle=False, random_state=0)
    >>> race = Race(DecisionTreeClassifier(max_depth=4), min_resources=500, random_state=0)
    >>> search = SFS(race, 2, cv=5).fit(X, y)
    >>> search.get_support(indices=True)
    array([0, 1])
    >>> search.n_evaluations_ < 19, search.computed_[1]
    (True, ('CVAccuracy on 500 rows', 19))
    """

    criterion: Estimator | Criterion
    _: KW_ONLY
    min_resources: int = 4000
    factor: int = 2
    alpha: float = 0.05
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "min_resources": [Interval(Integral, 100, None, closed="left")],
        "factor": [Interval(Integral, 2, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def resolve(self, cv: Splits = 10) -> None:
        """See `ChoiceRule.resolve`."""
        check_parameters(self)
        J = None if isinstance(self.criterion, ChoiceRule) else as_criterion(self.criterion, cv)
        if not isinstance(J, CVScore):
            raise ValueError(
                f"criterion={self.criterion!r} of Race must be an estimator, a CVAccuracy or a CVScore, whose score "
                "can be estimated on some of the rows; give others to the search itself."
            )
        self.criterion_ = J

    def all_criteria(self) -> list[Criterion]:
        """See `ChoiceRule.all_criteria`."""
        return [self.criterion_]

    def bind_samples(
        self, X: ArrayLike, y: ArrayLike, splits: Any, n_jobs: int | None, params: Mapping[str, Any]
    ) -> list[tuple[BoundCriterion, list]]:
        """See `ChoiceRule.bind_samples`."""
        J = self.criterion_.refitted(X, y, n_jobs, params, splits)
        n = J.fold_data[0].X.shape[0]
        # not RandomState itself: a splitter with the same seed would draw the same permutation
        rng = generator(self.random_state)
        order, group = order_of_drawing(rng, n, J.codes, params.get("split", {}).get("groups"))
        position = np.argsort(order)  # of each row in the order
        samples: list[tuple[Any, list]] = []
        next_folds, size = cycle(reversed(splits)), self.min_resources
        few_are_enough = size <= n // self.factor and _are_alike(J)
        while size <= n // self.factor:
            folds = list(islice(next_folds, _n_testing(splits, size) if few_are_enough else len(splits)))
            bound = _bind_sample(J, _folds_of_sample(folds, position, size), group)
            if bound is not None:
                blocks = [SubsampleScore(self.criterion_, size, b) for b in range(bound.n_scores)]
                samples.append((bound, blocks))
            size *= self.factor
        n_trained = _n_trained(splits)
        self._samples = [
            Subsample(blocks, bound.test_share, _n_trained(bound.splits) / n_trained) for bound, blocks in samples
        ]
        return samples

    def choose(self, evaluator: "Evaluator", candidates: Candidates) -> int:
        """The best on all rows of the candidates that no sample has shown to be behind."""
        left, sample = np.arange(len(candidates)), next(iter(self._samples), None)
        while sample is not None and len(left) > 1:
            running = candidates.at(left.tolist())
            scores = np.column_stack([evaluator.scores(running, block) for block in sample.blocks])
            behind, n_needed = compared_with_best(scores, sample.n_rows, sample.test_share, self.alpha)
            left, n_needed = left[~behind], n_needed[~behind]
            sample = self._next_sample(sample, n_needed)
        return int(left[np.argmax(evaluator.scores(candidates.at(left.tolist())))])

    def _next_sample(self, sample, n_needed):
        """The next sample of the cheapest plan; None if that is to score all that are left on all rows."""

        def plan(n_rows, larger):
            """Its cost for those that are left after a sample, and its next sample."""
            left = np.mean(n_needed > n_rows)
            plans = [(left, None)]
            for i, other in enumerate(larger, 1):
                plans.append((left * other.cost + plan(other.n_rows, larger[i:])[0], other))
            return min(plans, key=itemgetter(0))

        return plan(sample.n_rows, [other for other in self._samples if other.n_rows > sample.n_rows])[1]


class Subsample(NamedTuple):
    """The scores on a sample of the rows.

    Attributes
    ----------
    blocks : list of SubsampleScore
    test_share : float
        Of `SubsampledCV`.
    cost : float
        Rows that models are trained on, as a share of those for a score on all rows.
    """

    blocks: list["SubsampleScore"]
    test_share: float
    cost: float

    @property
    def n_rows(self):
        """Rows of the sample."""
        return self.blocks[0].n_rows


@dataclass(repr=False, eq=False)
class SubsampleScore(Criterion):
    """The score on one block of a sample's test rows; it is bound with those of the other blocks.

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


class SubsampledCV(BoundCV):
    """A `BoundCV` on a sample of the rows, which scores every block of test rows.

    Parameters
    ----------
    J : BoundCV
        On all rows.
    rows : int array
        The sample.
    splits : list of (train, test)
        Positions in it.
    scorer : BlockScorer
    params : dict of dict
        Metadata of the sample.
    """

    def __init__(self, J, rows, splits, scorer, params):
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

    @property
    def n_scores(self):
        """Number of blocks in all folds."""
        return len(self.sizes) * self.scorer.n_blocks

    @property
    def test_share(self):
        """Samples of a block, as a share of those that a model is trained on; the mean over the folds."""
        shares = [len(test) / len(train) for train, test in self.splits]
        return float(np.mean(shares)) / self.scorer.n_blocks

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


def _n_trained(splits):
    """Rows that the models of all folds are trained on."""
    return sum(len(train) for train, _ in splits)


def _n_testing(splits, size):
    """How few folds test so many rows."""
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
    return bool(np.nanmin(p, initial=1.0) * len(p) > UNLIKE)


def _folds_of_sample(splits, position, size):
    """The training rows of each fold among the first ones drawn, and an equal share of them from its test rows."""
    folds = []
    for train, test in splits:
        last = np.sort(position[test])[: math.ceil(size / len(splits))][-1:]
        folds.append((train[position[train] < size], test[position[test] <= last]))
    return [(train, test) for train, test in folds if len(train) > 1 and len(test)]


def _bind_sample(J, folds, group):
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
    return SubsampledCV(J, rows, splits, block_scorer, params)


def compared_with_best(scores: Floats, n_rows: int, test_share: float, alpha: float) -> tuple[Mask, Floats]:
    """Which candidates are significantly behind the best, and how many rows would show that they are.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_blocks)
    n_rows : int
        On which the scores rest.
    test_share : float
        Samples of a block, as a share of those that a model is trained on; see `resampled_error`.
    alpha : float
        Probability, at most, that a given candidate which is as good as the best is found behind, by Holm's procedure.

    Returns
    -------
    behind : bool array of shape (n_candidates,)
    n_needed : ndarray of shape (n_candidates,)
        By the differences found; inf if there is none.
    """
    n_candidates, n_blocks = scores.shape
    best = int(np.argmax(scores.mean(axis=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = scores[best] - scores
        gap[np.abs(gap) <= ROUNDING * np.abs(scores[best])] = 0.0
        mean, error = gap.mean(axis=1), resampled_error(gap.T, test_share)
        t = np.where(mean > 0, mean / error, 0.0)  # of equal scores 0 / 0
        t[mean == np.inf] = np.inf  # could not be scored, while others could
        n_needed = n_rows * (student.isf(alpha / max(n_candidates - 1, 1), n_blocks - 1) / t) ** 2
    by_p = np.argsort(-t, kind="stable")
    p = student.sf(t[by_p], n_blocks - 1)
    behind = np.empty(n_candidates, dtype=bool)
    behind[by_p] = np.maximum.accumulate(p * np.maximum(n_candidates - 1 - np.arange(n_candidates), 1)) <= alpha
    behind[best] = False
    return behind, n_needed

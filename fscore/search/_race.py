"""A race among the candidates of a step, on growing samples of the rows."""

from collections.abc import Mapping
from dataclasses import KW_ONLY
from numbers import Integral, Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.stats import t as student

from fscore._sklearn import Interval, check_parameters, estimator_dataclass
from fscore._typing import ArrayLike, Estimator, Floats, Mask, Seed, Splits
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._cv import CVScore, as_criterion
from fscore.search._nested import resampled_error
from fscore.search._rules import ROUNDING, Candidates, ChoiceRule
from fscore.search._stochastic import generator
from fscore.search._subsamples import subsampled

if TYPE_CHECKING:
    from fscore.search._evaluator import Evaluator


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
    few as test n rows, which saves most of the work. Else, as in a sorted file or a time series, all folds are taken. A
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
        # not RandomState itself: a splitter with the same seed would draw the same permutation
        rng, groups = generator(self.random_state), params.get("split", {}).get("groups")
        self._samples = subsampled(self.criterion_, J, self.min_resources, self.factor, rng, groups)
        return [(sample, sample.blocks) for sample in self._samples]

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
        By the difference from the best that was found; inf where there is none.
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

"""Tables of scores for tests of searches, rules and the evaluator: criteria that look a subset's score up."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from fscore.criteria import BoundCriterion, Criterion
from fscore.search import SubsetSearch


class Table(Criterion):
    """Looks scores up, in a dict or by a function of the columns."""

    def __init__(self, scores, monotone=False):
        self.scores = scores
        self.monotone = monotone

    def _bind(self, X, y, n_jobs, params):
        look_up = self.scores if callable(self.scores) else self.scores.__getitem__
        bound = BoundCriterion()
        bound._score = lambda subsets: np.array([look_up(s) for s in subsets], dtype=float)
        return bound


def flat(n):
    """Data of n columns that hold nothing: tables don't look at them."""
    return np.zeros((2, n)), [0, 1]


def run(criterion, steps, n=6, **options):
    """A fitted search whose steps are a function of the evaluator."""

    class Steps(SubsetSearch):
        def _search(self, evaluator, start, size):
            return steps(evaluator)

    return Steps(criterion, **options).fit(*flat(n))


def selected(search):
    """The columns that a fitted search has selected."""
    return tuple(search.get_support(indices=True).tolist())


def same(a, b):
    """Fail unless two fitted searches went the same way."""
    assert a.trace_.equals(b.trace_)
    assert a.path_.equals(b.path_)
    np.testing.assert_array_equal(a.support_, b.support_)
    assert (a.score_, a.n_evaluations_) == (b.score_, b.n_evaluations_)


def moves(search):
    """What ADD and RMV answered, in order."""
    path = search.path_
    return path["features"][path["move"] != "value"].tolist()


def subsets(D):
    return [s for d in range(1, D + 1) for s in combinations(range(D), d)]


def random_table(D, rng, levels=None):
    """Random scores; on few levels they tie."""
    n = 2**D - 1
    scores = rng.random(n) if levels is None else rng.integers(0, levels, n) / levels
    return dict(zip(subsets(D), scores.tolist(), strict=True))


def monotone_table(D, rng, levels=None):
    """Random increments over the best proper subset; with few levels they tie, and some are zero."""
    table = {(): 0.0}
    for s in subsets(D):
        increment = rng.random() if levels is None else float(rng.integers(0, levels))
        table[s] = max(table[tuple(c for c in s if c != f)] for f in s) + increment
    del table[()]
    return table


seeds = st.integers(0, 2**32 - 1)
tables = st.builds(
    lambda seed, levels: random_table(6, np.random.default_rng(seed), levels), seeds, st.sampled_from([None, 4, 20])
)


def best_of(table, subsets):
    return max(subsets, key=lambda s: table[s])  # the first among equals


def plain_add(table, subset, c, D=6):
    rest = [f for f in range(D) if f not in subset]
    return best_of(table, [tuple(sorted((*subset, *t))) for t in combinations(rest, c)])


def plain_remove(table, subset, c):
    return best_of(table, [tuple(f for f in subset if f not in t) for t in combinations(subset, c)])

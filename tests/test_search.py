"""The walks: against brute force, against hand-traced steps, and the properties their papers promise."""

from functools import partial
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from fscore.criteria import Bhattacharyya, Criterion, CVAccuracy, Mahalanobis
from fscore.criteria._base import BoundCriterion
from fscore.search import (
    PBIL,
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    BranchAndBound,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
    WeightedVoting,
    regularize,
)
from fscore.search._evaluator import Evaluator
from fscore.search._optimal import branch_and_bound, exhaustive_search
from fscore.search._oscillating import dynamic_oscillating_search, oscillating_search
from fscore.search._rules import as_rule
from fscore.search._sequential import best_individual, plus_l_minus_r, sbfs, sbs, sffs, sfs
from fscore.search._stochastic import generator, repair


def random_search(evaluator, size, n_iter, rng):
    return RandomSearch(None, n_iter=n_iter)._draw(evaluator, size, rng)


def genetic_search(evaluator, size, rng, start=None, **options):
    return GeneticSearch(None, **options)._evolve(evaluator, size, rng, start)


def pbil(evaluator, size, rng, start=None, **options):
    """The best subset, and the probabilities."""
    search = PBIL(None, **options)
    search.probabilities_ = np.full(evaluator.n, 0.5)
    return search._learn(evaluator, size, rng, start), search.probabilities_


class Table(Criterion):
    """A criterion that looks values up; monotone if asked for."""

    def __init__(self, values=None, monotone=False):
        self.values = values
        self.is_monotone = monotone

    @property
    def monotone(self):
        return self.is_monotone

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound.asked = []

        def score(subsets, base, adding):
            bound.asked += subsets
            return np.array([self.values[s] for s in subsets])

        bound._score = score
        return bound


def random_table(D, rng, levels=None):
    subsets = [s for d in range(1, D + 1) for s in combinations(range(D), d)]
    values = rng.random(len(subsets)) if levels is None else rng.integers(0, levels, len(subsets)) / levels
    return dict(zip(subsets, values.tolist(), strict=True))


def monotone_table(D, rng, levels=None):
    """Random increments over the best proper subset; with few levels they tie, and some are zero."""
    table = {(): 0.0}
    for d in range(1, D + 1):
        for s in combinations(range(D), d):
            increment = rng.random() if levels is None else float(rng.integers(0, levels))
            table[s] = max(table[tuple(c for c in s if c != f)] for f in s) + increment
    del table[()]
    return table


def evaluator(table, D=6, **options):
    return Evaluator(as_rule(Table(table)), np.zeros((2, D)), np.array([0, 1]), **options)


tables = st.builds(
    lambda seed, levels: random_table(6, np.random.default_rng(seed), levels),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, 4, 20]),
)


def best_of(table, subsets):
    return max(subsets, key=lambda s: table[s])  # the first among equals


def plain_add(table, subset, c, D=6):
    rest = [f for f in range(D) if f not in subset]
    return best_of(table, [tuple(sorted((*subset, *t))) for t in combinations(rest, c)])


def plain_remove(table, subset, c):
    return best_of(table, [tuple(f for f in subset if f not in t) for t in combinations(subset, c)])


# references, written from the paper's numbered steps ----------------------------------------------------------------


def reference_sffs(table, t, c, delta, D=6):
    """Section 1.2.2, SFFS, steps 1-4, with a log of every set that ADD and RMV return."""
    log, known = [], {}
    X = plain_add(table, (), c)
    log.append(X)
    known[len(X)] = X
    while len(X) < min(t + delta, D) // c * c:  # "subsets of delta c features, delta = 1, ..., floor((t + Delta) / c)"
        X = plain_add(table, X, c)
        log.append(X)
        if len(X) not in known or table[X] > table[known[len(X)]]:
            known[len(X)] = X
        while len(X) > c:
            smaller = plain_remove(table, X, c)
            log.append(smaller)
            if table[smaller] <= table[known[len(smaller)]]:
                break
            X = known[len(smaller)] = smaller
    return known[t], log


def reference_sbfs(table, t, c, delta, X, D=6):
    """`reference_sffs` with additions and removals exchanged."""
    log, known = [], {len(X): X}
    while len(X) - c >= max(min(c, t), t - delta):
        X = plain_remove(table, X, c)
        log.append(X)
        if len(X) not in known or table[X] > table[known[len(X)]]:
            known[len(X)] = X
        while len(X) + c <= D:
            larger = plain_add(table, X, c)
            log.append(larger)
            if len(larger) in known and table[larger] <= table[known[len(larger)]]:
                break
            X = known[len(larger)] = larger
    return known[t], log


def reference_branch_and_bound(table, size, fast, best, D=6):
    """The result, and the subsets that a walk on the tree values: the child that leaves most comes first."""
    valued, losses = [], {u: [] for u in range(D)}

    def value(subset):
        valued.append(subset)
        return table[subset]

    def leaf(subset):
        nonlocal best
        if table[subset] > table[best]:
            best = subset

    def visit(subset, known, removable):
        remaining = len(subset) - size
        if remaining == 0:
            leaf(subset)
            return
        if len(removable) == remaining:
            last = tuple(u for u in subset if u not in removable)
            value(last)
            leaf(last)
            return
        without = {u: tuple(v for v in subset if v != u) for u in removable}
        predicted = fast and remaining > 1 and all(losses[u] for u in removable)
        if predicted:
            left = {u: known - sum(losses[u]) / len(losses[u]) for u in removable}
        else:
            left = {u: value(without[u]) for u in removable}
            for u in removable:
                losses[u].append(known - left[u])
        order = sorted(removable, key=lambda u: (left[u], -u))
        for m in reversed(range(len(order) - remaining + 1)):
            u = order[m]
            if not predicted and left[u] <= table[best]:
                return
            of_child = value(without[u]) if predicted else left[u]
            if of_child > table[best]:
                visit(without[u], of_child, order[m + 1 :])

    full = tuple(range(D))
    visit(full, value(full), list(full))
    return best, valued


def reference_os(table, X, c, Delta, D=6):
    """Section 1.2.2, OS, steps 1-6."""
    log = []
    delta = 1
    while True:
        improved = False
        for down in (True, False):
            room = len(X) - delta * c >= c if down else len(X) + delta * c <= D
            if not room:
                continue
            Y = X
            for go in (down, not down):
                for _ in range(delta):
                    Y = plain_remove(table, Y, c) if go else plain_add(table, Y, c)
                    log.append(Y)
            if table[Y] > table[X]:
                X, delta, improved = Y, 1, True
                break
        if not improved:
            if delta * c < Delta:
                delta += 1
            else:
                return X, log


def reference_dos(table, c, Delta, D=6):
    """Section 1.2.2, DOS, steps 1-4."""
    log = []
    X = ()
    for _ in range(min(3, D // c)):
        X = plain_add(table, X, c)
        log.append(X)
    delta = 1
    while True:
        improved = False
        for down in (True, False):
            room = len(X) - delta * c >= c if down else len(X) + delta * c <= D
            if not room or improved:
                continue
            Y = X
            for go in [down] * delta + [not down] * delta:
                Y = plain_remove(table, Y, c) if go else plain_add(table, Y, c)
                log.append(Y)
                if table[Y] > table[X] or (table[Y] == table[X] and len(Y) < len(X)):
                    X, delta, improved = Y, 1, True
                    break
        if not improved:
            if delta * c < Delta:
                delta += 1
            else:
                return X, log


def answers(ev):
    """What ADD and RMV answered, in order."""
    return [s for move, s, _, _ in ev.steps if move != "value"]


@settings(max_examples=150, deadline=None)
@given(tables, st.integers(1, 3), st.integers(0, 6), st.data())
def test_sffs_takes_the_papers_steps(table, c, delta, data):
    t = c * data.draw(st.integers(1, 6 // c))
    ev = evaluator(table)
    want, log = reference_sffs(table, t, c, delta)
    assert sffs(ev, t, c, delta) == want
    assert answers(ev) == log


@settings(max_examples=100, deadline=None)
@given(tables, st.integers(1, 3), st.integers(0, 6), st.data())
def test_sbfs_takes_the_mirrored_steps(table, c, delta, data):
    start = data.draw(st.sampled_from([None, *sorted(table)]))
    full = tuple(range(6)) if start is None else start
    t = data.draw(st.sampled_from(range(len(full) % c or c, len(full) + 1, c)))
    ev = evaluator(table)
    want, log = reference_sbfs(table, t, c, delta, full)
    assert sbfs(ev, t, c, delta, start) == want
    assert answers(ev) == log


@settings(max_examples=150, deadline=None)
@given(tables, st.integers(1, 2), st.integers(1, 6), st.data())
def test_oscillating_search_takes_the_papers_steps(table, c, depth, data):
    start = data.draw(st.sampled_from(sorted(s for s in table if len(s) >= 1)))
    ev = evaluator(table)
    want, log = reference_os(table, start, c, depth)
    got = oscillating_search(ev, start, c, depth)
    assert got == want
    assert answers(ev) == log
    assert len(got) == len(start)
    assert table[got] >= table[start]


@settings(max_examples=150, deadline=None)
@given(tables, st.integers(1, 2), st.integers(1, 6))
def test_dynamic_oscillating_search_takes_the_papers_steps(table, c, depth):
    ev = evaluator(table)
    want, log = reference_dos(table, c, depth)
    assert dynamic_oscillating_search(ev, None, c, depth) == want
    assert answers(ev) == log


def test_dynamic_oscillating_search_starts_with_as_many_groups_as_there_are():
    ev = evaluator(random_table(3, np.random.default_rng(0)), 3)
    dynamic_oscillating_search(ev, None, 2, 2)
    assert [(move, len(s)) for move, s, _, _ in ev.steps] == [("add", 2), ("value", 2)]


@settings(max_examples=60, deadline=None)
@given(tables)
def test_oscillating_results_are_local_optima(table):
    """No single swap improves OS's result when a swap is what a swing of depth 1 finds; DOS also cannot add or drop."""
    result = oscillating_search(evaluator(table), (0, 1, 2), 1, 1)
    for middle, back in [(plain_remove(table, result, 1), plain_add), (plain_add(table, result, 1), plain_remove)]:
        assert table[back(table, middle, 1)] <= table[result]
    result = dynamic_oscillating_search(evaluator(table), None, 1, 6)
    if len(result) < 6:
        assert all(table[tuple(sorted((*result, f)))] <= table[result] for f in range(6) if f not in result)
    if len(result) > 1:
        assert all(table[tuple(g for g in result if g != f)] < table[result] for f in result)


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(1, 5))
def test_simple_walks_against_the_obvious(table, d):
    X = ()
    for _ in range(d):
        X = plain_add(table, X, 1)
    assert sfs(evaluator(table), d) == X
    X = tuple(range(6))
    for _ in range(6 - d):
        X = plain_remove(table, X, 1)
    assert sbs(evaluator(table), d) == X
    singles = sorted(range(6), key=lambda f: (-table[(f,)], f))
    assert best_individual(evaluator(table), d) == tuple(sorted(singles[:d]))
    ev = evaluator(table)
    assert len(plus_l_minus_r(ev, d, 3, 1)) == d
    assert len(plus_l_minus_r(evaluator(table), d, 1, 2)) == d
    assert len(sbfs(evaluator(table), d, 1, 3)) == d


WALKS = {SFS: sfs, SBS: sbs, SFFS: sffs, SBFS: sbfs, PlusLMinusR: plus_l_minus_r}


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(1, 3), st.data())
def test_warm_starts_go_on_from_where_they_are(table, c, data):
    """Again from a subset on the way leads to where the walk has led; any start is valued first."""
    whole = evaluator(table)
    sfs(whole, None, c)
    middle = data.draw(st.sampled_from(answers(whole)))
    last = answers(whole)[-1]
    assert sfs(evaluator(table), len(last), c, middle) == last
    whole = evaluator(table)
    sbs(whole, None, c)
    middle = data.draw(st.sampled_from([s for _, s, _, _ in whole.steps]))
    last = whole.steps[-1][1]
    assert sbs(evaluator(table), len(last), c, middle) == last
    start = data.draw(st.sampled_from(sorted(table)))
    for walk in WALKS.values():
        ev = evaluator(table)
        best = walk(ev, None, c=c, start=start)
        assert next(iter(ev.rows)) == start
        assert {len(s) % c for s in ev.rows} == {len(start) % c}
        assert table[best] >= table[start]
    for walk, sign in (sffs, 1), (sbfs, -1):
        sizes = [d for d in range(1, 7) if (d - len(start)) * sign >= 0 and (d - len(start)) % c == 0]
        size = data.draw(st.sampled_from(sizes))
        best = walk(evaluator(table), size, c, 2, start)
        assert len(best) == size
        assert size != len(start) or table[best] >= table[start]


@pytest.mark.parametrize("search", WALKS)
def test_sequential_searches_start_from_warm_start_from(search):
    X, y = mahalanobis_problem(0, 8)
    start = [1, 2, 4, 7]
    forward = search in (SFS, SFFS, PlusLMinusR)
    found = search(Mahalanobis(), 5 if forward else 3, warm_start_from=start).fit(X, y)
    assert found.trace_["features"].iloc[0] == tuple(start)
    assert found.size_ == (5 if forward else 3)
    with pytest.raises(ValueError, match=r"warm_start_from has 4 units .* searches in the other direction"):
        search(Mahalanobis(), 3 if forward else 5, warm_start_from=start).fit(X, y)
    with pytest.raises(ValueError, match=r"group_size=2 never leads to"):
        search(Mahalanobis(), 5 if forward else 3, warm_start_from=start, group_size=2).fit(X, y)


ROLLING = Table(random_table(8, np.random.default_rng(0)))
RISING = Table(monotone_table(8, np.random.default_rng(0)), monotone=True)
TWO, FOUR, SIX = (0, 1), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5)
PBIL_OPTIONS = {
    "population": 7,
    "learning_rate": 0.2,
    "negative_learning_rate": 0.3,
    "mutation_probability": 0.4,
    "mutation_shift": 0.1,
    "max_generations": 9,
    "converged": 0.2,
}
GENETIC_OPTIONS = {
    "population": 7,
    "generations": 6,
    "crossover": "single_point",
    "crossover_probability": 0.6,
    "mutation_probability": 0.3,
    "tournament": 2,
    "elite": 3,
}


def seeded():
    return generator(np.random.RandomState(3))


@pytest.mark.parametrize(
    ("search", "walk"),
    [
        (BestIndividual(ROLLING, 3), lambda ev: best_individual(ev, 3)),
        (SFS(ROLLING, 6, group_size=2, warm_start_from=TWO), lambda ev: sfs(ev, 6, 2, TWO)),
        (SBS(ROLLING, 2, group_size=2, warm_start_from=SIX), lambda ev: sbs(ev, 2, 2, SIX)),
        (SFFS(ROLLING, 4, group_size=2, delta=2, warm_start_from=TWO), lambda ev: sffs(ev, 4, 2, 2, TWO)),
        (SBFS(ROLLING, 4, group_size=2, delta=2, warm_start_from=SIX), lambda ev: sbfs(ev, 4, 2, 2, SIX)),
        (
            PlusLMinusR(ROLLING, 6, l=3, r=2, group_size=2, warm_start_from=TWO),
            lambda ev: plus_l_minus_r(ev, 6, 3, 2, 2, TWO),
        ),
        (
            PlusLMinusR(ROLLING, 3, l=1, r=3, warm_start_from=SIX),
            lambda ev: plus_l_minus_r(ev, 3, 1, 3, 1, SIX),
        ),
        (
            OscillatingSearch(ROLLING, group_size=2, depth=4),
            lambda ev: oscillating_search(ev, best_individual(ev, 4), 2, 4),
        ),
        (
            OscillatingSearch(ROLLING, 3, group_size=2, depth=2),
            lambda ev: oscillating_search(ev, best_individual(ev, 3), 2, 2),
        ),
        (OscillatingSearch(ROLLING, depth=3, warm_start_from=SIX), lambda ev: oscillating_search(ev, SIX, 1, 3)),
        (
            DynamicOscillatingSearch(ROLLING, group_size=2, depth=2, warm_start_from=FOUR),
            lambda ev: dynamic_oscillating_search(ev, FOUR, 2, 2),
        ),
        (ExhaustiveSearch(ROLLING, 3), lambda ev: exhaustive_search(ev, 3)),
        (BranchAndBound(RISING, 3, variant="fast"), lambda ev: branch_and_bound(ev, 3, "fast")),
        (RandomSearch(ROLLING, 3, n_iter=20, random_state=3), lambda ev: random_search(ev, 3, 20, seeded())),
        (
            PBIL(ROLLING, 3, random_state=3, warm_start_from=TWO, **PBIL_OPTIONS),
            lambda ev: pbil(ev, 3, seeded(), start=TWO, **PBIL_OPTIONS)[0],
        ),
        (
            GeneticSearch(ROLLING, 3, random_state=3, warm_start_from=TWO, **GENETIC_OPTIONS),
            lambda ev: genetic_search(ev, 3, seeded(), start=TWO, **GENETIC_OPTIONS),
        ),
    ],
    ids=lambda part: type(part).__name__,
)
def test_a_search_hands_its_parameters_to_its_walk(search, walk):
    X, y = np.zeros((2, 8)), np.array([0, 1])
    found = search.fit(X, y)
    ev = Evaluator(as_rule(search.criterion), X, y)
    assert tuple(np.flatnonzero(found.support_)) == walk(ev)
    assert found.path_.equals(ev.path())
    assert found.trace_.equals(ev.trace())


class Weights(Criterion):
    """The sum of the columns' weights, every other one negative."""

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        weights = np.arange(1, X.shape[1] + 1) * (-1.0) ** np.arange(X.shape[1])
        bound._score = lambda subsets, base, adding: np.array([weights[list(s)].sum() for s in subsets])
        return bound


@pytest.mark.parametrize(
    ("search", "walk"),
    [
        (SFS, sfs),
        (SBS, sbs),
        (SFFS, sffs),
        (SBFS, sbfs),
        (partial(SFFS, n_features_to_select=5), partial(sffs, size=5)),
        (partial(SBFS, n_features_to_select=5), partial(sbfs, size=5)),
        (PlusLMinusR, plus_l_minus_r),
        (OscillatingSearch, lambda ev: oscillating_search(ev, best_individual(ev, 12))),
        (DynamicOscillatingSearch, dynamic_oscillating_search),
        (partial(PBIL, random_state=3), lambda ev: pbil(ev, None, seeded())[0]),
        (partial(GeneticSearch, random_state=3), lambda ev: genetic_search(ev, None, seeded())),
    ],
)
def test_a_walk_has_the_defaults_of_its_search(search, walk):
    n = 36 if search is DynamicOscillatingSearch else 24  # room for the deepest swing
    X, y = np.zeros((2, n)), np.array([0, 1])
    found = search(Weights()).fit(X, y)
    ev = Evaluator(as_rule(Weights()), X, y)
    assert tuple(np.flatnonzero(found.support_)) == walk(ev)
    assert found.path_.equals(ev.path())


def test_branch_and_bound_takes_the_compiled_walk_unless_a_trace_is_needed():
    X, y = mahalanobis_problem(2)
    compiled, plain = (BranchAndBound(Mahalanobis(), 5, tau=tau).fit(X, y) for tau in (0, 1e-12))
    assert len(compiled.trace_) < compiled.n_evaluations_
    assert len(plain.trace_) == plain.n_evaluations_
    np.testing.assert_array_equal(compiled.support_, plain.support_)


def test_oscillating_search_starts_at_random_if_asked_to():
    X, y = np.zeros((2, 6)), np.array([0, 1])
    table = Table(random_table(6, np.random.default_rng(0)))

    def start(seed):
        search = OscillatingSearch(table, 4, initial="random", random_state=seed).fit(X, y)
        return search.trace_["features"].iloc[0]

    starts = [start(seed) for seed in range(20)]
    assert starts == [start(seed) for seed in range(20)]
    assert all(s == tuple(sorted(set(s))) and len(s) == 4 for s in starts)
    assert len(set(starts)) > 5


def test_oscillating_search_keeps_half_of_the_units_if_no_size_is_given():
    for n, size in (7, 3), (2, 1), (1, 1):
        X, y = np.zeros((2, n)), np.array([0, 1])
        assert OscillatingSearch(Table(random_table(n, np.random.default_rng(0)))).fit(X, y).size_ == size


@pytest.mark.parametrize("search", [BestIndividual, ExhaustiveSearch, BranchAndBound, RandomSearch])
def test_searches_that_start_nowhere_refuse_a_start(search):
    X, y = mahalanobis_problem(0, 5)
    with pytest.raises(ValueError, match=f"{search.__name__} has no starting subset"):
        search(Mahalanobis(), 2, warm_start_from=[0]).fit(X, y)


@pytest.mark.parametrize("search", [PBIL, GeneticSearch])
def test_stochastic_searches_value_their_start_first(search):
    X, y = mahalanobis_problem(0, 8)
    found = search(Mahalanobis(), 3, warm_start_from=[1, 4, 6], random_state=0).fit(X, y)
    assert found.trace_["features"].iloc[0] == (1, 4, 6)


@pytest.mark.parametrize("search", [PBIL, GeneticSearch])
def test_stochastic_searches_start_from_more_or_fewer_than_asked_for(search):
    X, y = mahalanobis_problem(0, 8)
    for start in ([1], [0, 1, 3, 4, 6]):
        assert search(Mahalanobis(), 3, warm_start_from=start, random_state=0).fit(X, y).size_ == 3


@pytest.mark.parametrize(("n", "c"), [(n, c) for n in range(1, 10) for c in (1, 2, 3) if c <= n])
@pytest.mark.parametrize(("l", "r"), [(2, 1), (3, 1), (1, 2), (1, 3), (0, 1)])
def test_plus_l_minus_r_ends_at_the_last_size_that_its_steps_reach(n, c, l, r):
    ev = evaluator(random_table(n, np.random.default_rng(n)), n, max_evaluations=2000)
    plus_l_minus_r(ev, None, l, r, c)
    sizes = [len(s) for _, s, _, _ in ev.steps]
    assert sizes[-1] == (n - n % c if l > r else c + n % c)
    assert all(1 <= d <= n for d in sizes)


@pytest.mark.parametrize(
    ("size", "l", "r", "c", "start", "sizes"),
    [
        (5, 2, 1, 1, None, [1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6, 5]),
        (5, 3, 1, 1, None, [1, 2, 3, 2, 3, 4, 5, 4, 5]),
        (6, 3, 1, 1, None, [1, 2, 3, 2, 3, 4, 5, 4, 5, 6]),
        (1, 1, 3, 1, None, [6, 5, 4, 3, 4, 3, 2, 1, 2, 1]),
        (4, 2, 1, 2, None, [2, 4, 2, 4, 6, 4]),
        (2, 1, 2, 2, None, [6, 4, 2, 4, 2]),
        (None, 1, 0, 3, (0,), [1, 4]),
        (None, 0, 1, 2, (0, 1, 2, 3, 4), [5, 3]),
        (3, 3, 2, 1, (1, 4), [2, 3, 4, 5, 4, 3]),
    ],
)
def test_plus_l_minus_r_by_hand(size, l, r, c, start, sizes):
    ev = evaluator(random_table(6, np.random.default_rng(0)), max_evaluations=200)
    plus_l_minus_r(ev, size, l, r, c, start)
    assert [len(s) for _, s, _, _ in ev.steps] == sizes


def test_best_individual_without_a_size_values_the_nested_sets():
    table = random_table(6, np.random.default_rng(0))
    ev = evaluator(table)
    ranking = sorted(range(6), key=lambda f: -table[(f,)])
    nested = [tuple(sorted(ranking[:d])) for d in range(1, 7)]
    assert best_individual(ev) == best_of(table, nested)
    assert [s for s in ev.rows][6:] == nested[1:]
    assert [s for _, s, _, _ in ev.steps] == nested


@settings(max_examples=40, deadline=None)
@given(tables)
def test_exhaustive_is_brute_force_and_nothing_beats_it(table):
    want = min(table, key=lambda s: (-table[s], len(s), s))
    assert exhaustive_search(evaluator(table)) == want
    for d in range(1, 7):
        ev = evaluator(table)
        best = exhaustive_search(ev, d)
        top = max(v for s, v in table.items() if len(s) == d)
        assert table[best] == top
        assert ev.n_evaluations == sum(len(s) == d for s in table)
        for walk in (sfs, sbs, sffs, sbfs):
            assert table[walk(evaluator(table), d)] <= top
    assert sffs(evaluator(table), 6, 1, None) == tuple(range(6))


@pytest.mark.parametrize(("search", "size", "c"), [(sffs, 7, 1), (sffs, 5, 2), (sbfs, 5, 2)])
def test_a_floating_search_says_which_sizes_it_met(search, size, c):
    with pytest.raises(
        ValueError, match=rf"^size={size} is out of reach: the search met subsets of .*[46] units; choose"
    ):
        search(evaluator(random_table(6, np.random.default_rng(0))), size, c)


def test_exhaustive_counts_the_fixed_columns_alone():
    table = {s: -float(len(s)) for s in random_table(6, np.random.default_rng(0))}
    ev = evaluator(table, units=[(c,) for c in range(5)], fixed=(5,))
    assert exhaustive_search(ev) == ()
    assert ev.n_evaluations == 2**5


def test_regularization_needs_no_trace(monkeypatch):
    """An enumeration that is too long for a trace is regularized from the best of each size."""
    rng = np.random.default_rng(0)
    X, y = np.zeros((4, 6)), np.array([0, 1, 0, 1])
    chosen = set()
    for _ in range(20):
        table = Table(random_table(6, rng, 30))
        for options in ({}, {"tau": 0.1}, {"fixed": [2]}, {"n_features_to_select": 3}):
            options = {"tau": 0.3, **options}
            want = ExhaustiveSearch(table, **options).fit(X, y)
            with monkeypatch.context() as patch:
                patch.setattr("fscore.search._optimal.MAX_KEPT", 10)
                got = ExhaustiveSearch(table, **options).fit(X, y)
            assert got.trace_.empty
            np.testing.assert_array_equal(got.support_, want.support_)
            assert got.score_ == want.score_
            assert got.n_evaluations_ == want.n_evaluations_
            chosen.add((want.size_, want.score_ == want.trace_["value"].max()))
    assert {size for size, best in chosen if not best} >= {1, 2}  # tau did decide


def test_what_a_long_enumeration_cannot_keep_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("fscore.search._optimal.MAX_KEPT", 10)
    X, y = mahalanobis_problem(0, 5)
    with pytest.raises(
        ValueError,
        match=r"^31 subsets are too many to be remembered; leave out the checkpoint, or exclude some features\.$",
    ):
        ExhaustiveSearch(Mahalanobis(), checkpoint=tmp_path / "checkpoint").fit(X, y)
    with pytest.raises(
        ValueError,
        match=r'^31 subsets are too many to be kept for their costs; use secondary="size", or exclude some features\.$',
    ):
        ExhaustiveSearch(Mahalanobis(), tau=0.1, secondary=np.ones(5)).fit(X, y)


def test_an_enumeration_keeps_as_much_as_it_can(monkeypatch):
    X, y = np.zeros((2, 5)), np.array([0, 1])
    for most, size, n_subsets in (31, None, 31), (10, 2, 10), (9, 1, 5):
        monkeypatch.setattr("fscore.search._optimal.MAX_KEPT", most)
        assert len(ExhaustiveSearch(Weights(), size).fit(X, y).trace_) == n_subsets
    assert ExhaustiveSearch(Weights(), 1).fit(np.zeros((2, 25)), y).support_[24]


def test_an_enumeration_of_one_size_is_limited_by_its_own_number_of_subsets():
    y = np.array([0, 1])
    for size, best, n_subsets in (2, [26, 28], 435), (29, list(range(29)), 30):
        found = ExhaustiveSearch(Weights(), size).fit(np.zeros((2, 30)), y)
        assert found.get_support(indices=True).tolist() == best
        assert found.n_evaluations_ == n_subsets
    for n, size, sentence in (
        (30, 15, r"30 features make 1.6e\+08 subsets of size 15; exhaustive search takes up to 3.4e\+07 subsets. Excl"),
        (2000, None, r"2000 features make more than 1e\+300 subsets; exhaustive search takes up to 25. Exclude some"),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            ExhaustiveSearch(Weights(), size).fit(np.zeros((2, n)), y)


def test_an_enumeration_goes_batch_by_batch():
    found = ExhaustiveSearch(Weights()).fit(np.zeros((2, 11)), np.array([0, 1]))
    assert found.path_["n_evaluations"].tolist() == [1023, 2047]  # the empty set is no subset


def mahalanobis_problem(seed, D=12):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    X = rng.standard_normal((80, D)) @ rng.standard_normal((D, D)) + np.outer(y, rng.standard_normal(D))
    return X, y


def test_backtracking_fires_and_wins_under_a_monotone_criterion():
    """The popular rule, which asks a removal to beat the larger set, never backtracks here (PEERS: 0 of 200)."""
    fired = won = 0
    for seed in range(60):
        X, y = mahalanobis_problem(seed)
        ev = Evaluator(as_rule(Mahalanobis()), X, y)
        sffs(ev, 12)
        sizes = [len(s) for _, s, _, _ in ev.steps]
        # a removal was adopted iff two removals follow each other, or the size after a removal is added to
        adopted = ("remove", "remove") in pairwise(move for move, _, _, _ in ev.steps)
        forward = Evaluator(as_rule(Mahalanobis()), X, y)
        sfs(forward, 12)
        floating, plain = ev.best_of_size, forward.best_of_size
        better = [d for d in range(1, 13) if floating[d][1] > plain[d][1] * (1 + 1e-9)]
        assert max(sizes) == 12
        fired += adopted
        won += bool(better)
        assert all(floating[d][1] >= plain[d][1] * (1 - 1e-9) for d in (1, 2, 12))
    assert fired > 30
    assert won > 30


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([None, 3]))
@pytest.mark.parametrize("variant", ["improved", "fast"])
def test_branch_and_bound_values_what_the_bound_leaves(variant, seed, d, levels):
    """Values on few levels tie; the walk starts from the better of forward and backward selection."""
    table = monotone_table(6, np.random.default_rng(seed), levels)
    greedy = evaluator(table)
    start = best_of(table, [sfs(greedy, d), sbs(greedy, d)])
    best, asked = reference_branch_and_bound(table, d, variant == "fast", start)
    assert table[best] == max(v for s, v in table.items() if len(s) == d)
    ev = evaluator(table)
    assert branch_and_bound(ev, d, variant) == best
    assert {s for s in ev.rows} == {s for s in greedy.rows} | set(asked)


def test_branch_and_bound_of_all_units_and_of_groups():
    X, y = mahalanobis_problem(3, 6)
    assert BranchAndBound(Mahalanobis(), 6).fit(X, y).support_.all()
    for seed in range(5):
        X, y = mahalanobis_problem(seed)
        groups = [[0, 5], [1, 7], [8, 4], [2, 9], [3, 11], [6, 10]]
        bounded, exact = (
            search(Mahalanobis(), 2, column_groups=groups).fit(X, y) for search in (BranchAndBound, ExhaustiveSearch)
        )
        np.testing.assert_array_equal(bounded.support_, exact.support_)


def test_branch_and_bound_of_a_vote_is_that_of_its_voter():
    X, y = mahalanobis_problem(4, 6)
    alone, voted = (BranchAndBound(J, 3).fit(X, y) for J in (Mahalanobis(), WeightedVoting([Mahalanobis()])))
    np.testing.assert_array_equal(voted.support_, alone.support_)


@pytest.mark.parametrize("variant", ["improved", "fast"])
def test_branch_and_bound_equals_exhaustive_on_distances_and_saves_work(variant):
    X, y = mahalanobis_problem(1)
    for d in (3, 6, 9):
        exact = ExhaustiveSearch(Mahalanobis(), d).fit(X, y)
        bounded = BranchAndBound(Mahalanobis(), d, variant=variant).fit(X, y)
        np.testing.assert_array_equal(bounded.support_, exact.support_)
        assert bounded.score_ == pytest.approx(exact.score_, rel=1e-9)
    exact = ExhaustiveSearch(Mahalanobis(), 6).fit(X, y)
    bounded = BranchAndBound(Mahalanobis(), 6, variant=variant).fit(X, y)
    assert bounded.n_evaluations_ < 12 * exact.n_evaluations_


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from([Bhattacharyya, Mahalanobis]), st.booleans())
def test_compiled_branch_and_bound_equals_the_plain_walk_and_brute_force(seed, d, criterion, fixed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % rng.integers(2, 4)
    X = rng.standard_normal((60, 9)) @ rng.standard_normal((9, 9)) + rng.standard_normal((3, 9))[y]
    options = {"units": [(c,) for c in (0, 1, 3, 4, 5, 6, 8)], "fixed": (2,)} if fixed else {}
    d = min(d, 6)
    found = []
    for compiled in (True, False):
        ev = Evaluator(as_rule(criterion()), X, y, **options)
        found.append(branch_and_bound(ev, d, compiled=compiled))
        assert ev.best(d) == found[-1]
    brute = Evaluator(as_rule(criterion()), X, y, **options)
    assert found == [exhaustive_search(brute, d)] * 2


def test_compiled_branch_and_bound_pauses_and_stops(monkeypatch):
    X, y = mahalanobis_problem(2)
    want = BranchAndBound(Bhattacharyya(), 5).fit(X, y)
    assert want.stopped_ is None
    monkeypatch.setattr("fscore.criteria._gaussian.MAX_BATCH", 20)
    paused = BranchAndBound(Bhattacharyya(), 5).fit(X, y)
    np.testing.assert_array_equal(paused.support_, want.support_)
    budget = want.n_evaluations_ // 2
    stopped = BranchAndBound(Bhattacharyya(), 5, max_evaluations=budget).fit(X, y)
    assert stopped.stopped_ == "evaluations"
    assert stopped.n_evaluations_ <= budget
    assert stopped.n_features_to_select_ == 5
    regularized = BranchAndBound(Bhattacharyya(), 5, tau=1e-9).fit(X, y)  # the plain walk
    np.testing.assert_array_equal(regularized.support_, want.support_)


def test_regularize_reads_as_written_and_checks_its_costs():
    X, y = mahalanobis_problem(0, 5)
    trace = SFS(Mahalanobis()).fit(X, y).trace_
    assert regularize(trace, 1.0) == trace["value"].iloc[:5].argmax()  # the best single feature
    assert regularize(trace, 0.0) == len(trace) - 1
    with pytest.raises(ValueError, match="secondary holds nan; costs must be finite"):
        regularize(trace, 0.1, [1, 2, 3, np.nan, 5])
    search = SFS(Mahalanobis()).fit(X, y)
    for wrong in (search, 0.9):
        with pytest.raises(ValueError, match=r"^trace=.* is neither a table nor an array of values; .* its trace_\.$"):
            regularize(wrong, 0.1)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"the trace has the value {bad}; values must be numbers or -inf"):
            regularize([0.9, bad, 0.8], 0.1, [1, 2, 3])
        with pytest.raises(ValueError, match=f"secondary holds {bad}; costs must be finite"):
            regularize([0.9, 0.7, 0.8], 0.1, [1, bad, 3])
    assert regularize([-np.inf, -np.inf], 0.1, [2, 1]) == 1
    with pytest.raises(ValueError, match=r"tau=\[1, 2\] must be a number"):
        regularize([0.1, 0.2], [1, 2], [1, 2])


@pytest.mark.parametrize("criterion", [CVAccuracy(cv=5), Bhattacharyya()], ids=repr)
def test_only_ties_make_a_search_depend_on_the_order_of_the_columns(criterion):
    """Two paths that part do so between candidates of equal value, of which the first is chosen."""
    X, y = load_wine(return_X_y=True)
    plain = SFFS(criterion, 6, delta=2).fit(X, y)
    rng = np.random.default_rng(0)
    n_parted = 0
    for _ in range(10):
        order = rng.permutation(13)
        shuffled = SFFS(criterion, 6, delta=2).fit(X[:, order], y)
        named = [tuple(sorted(order[list(f)])) for f in shuffled.path_["features"]]
        parted = [q for q, (a, b) in enumerate(zip(plain.path_["features"], named, strict=False)) if a != b]
        if parted:
            n_parted += 1
            assert plain.path_["value"][parted[0]] == shuffled.path_["value"][parted[0]]
        else:
            np.testing.assert_array_equal(plain.support_[order], shuffled.support_)
    assert (n_parted > 0) == isinstance(criterion, CVAccuracy)


# stochastic searches ------------------------------------------------------------------------------------------------


def test_pbil_first_step_is_the_example_of_the_thesis():
    """alpha = 0.1, no negative rate, no mutation: .55 where the best has the feature, .45 where not (p. 22)."""
    best = (0, 1, 3, 5, 7, 8)
    fake = SimpleNamespace(n=10, best=lambda size=None: best)
    fake.values = lambda subsets: np.array([len(set(s) & set(best)) - len(set(s) - set(best)) for s in subsets], float)
    seen = {}

    def values(subsets, plain=fake.values):
        v = plain(subsets)
        seen["best"] = subsets[int(np.argmax(v))]
        return v

    fake.values = values
    options = {"negative_learning_rate": 0.0, "mutation_probability": 0.0, "max_generations": 1, "population": 30}
    _, p = pbil(fake, None, np.random.default_rng(0), learning_rate=0.1, **options)
    want = np.full(10, 0.45)
    want[list(seen["best"])] = 0.55
    np.testing.assert_allclose(p, want)
    _, p = pbil(fake, None, np.random.default_rng(0), learning_rate=0.1, **{**options, "max_generations": 500})
    assert set(np.flatnonzero(p > 0.95)) | set(np.flatnonzero(p < 0.05)) == set(range(10))  # it converges


def test_pbil_tells_its_probabilities_as_of_the_stop():
    X, y = mahalanobis_problem(0, 8)
    search = PBIL(Mahalanobis(), population=10, random_state=0, max_generations=2).fit(X, y)
    two, n_two = search.probabilities_, search.n_evaluations_
    search.set_params(max_generations=200, max_evaluations=n_two).fit(X, y)
    assert search.stopped_ == "evaluations"
    np.testing.assert_array_equal(search.probabilities_, two)
    search.set_params(max_evaluations=3).fit(X, y)  # within the first generation
    np.testing.assert_array_equal(search.probabilities_, np.full(8, 0.5))
    assert not (two == 0.5).any()
    search.set_params(n_features_to_select=2, fixed=[0, 3]).fit(X, y)  # nothing to search
    np.testing.assert_array_equal(search.probabilities_, np.full(6, 0.5))


@pytest.mark.parametrize("search", ["pbil", "uniform", "single_point", "random"])
@pytest.mark.parametrize("size", [None, 3])
def test_stochastic_searches_find_a_planted_subset_and_repeat(search, size):
    planted = {1, 4, 6}
    D = 8
    subsets = [s for d in range(1, D + 1) for s in combinations(range(D), d)]
    table = {s: float(len(planted & set(s)) - 0.5 * len(set(s) - planted)) for s in subsets}

    def run(seed):
        ev = evaluator(table, D)
        rng = np.random.default_rng(seed)
        if search == "pbil":
            return pbil(ev, size, rng, population=20)[0], list(ev.rows.items())
        if search == "random":
            return random_search(ev, size, 400, rng), list(ev.rows.items())
        return genetic_search(ev, size, rng, population=20, generations=15, crossover=search), list(ev.rows.items())

    subset, rows = run(0)
    assert set(subset) == planted
    assert run(0)[1] == rows
    assert run(1)[1] != rows
    assert all(len(s) >= 1 for s, _ in rows)
    if size:
        assert all(len(s) == 3 for s, _ in rows)


def test_elitism_never_loses_the_best():
    rng = np.random.default_rng(0)
    table = random_table(6, rng)
    best = []
    for generations in range(6):
        ev = evaluator(table)
        genetic_search(ev, None, np.random.default_rng(3), population=6, generations=generations, elite=1)
        best.append(table[ev.best()])
    assert (np.diff(best) >= 0).all()


def test_a_genetic_search_may_keep_all_of_a_generation():
    ev = evaluator(random_table(6, np.random.default_rng(0)))
    genetic_search(ev, None, np.random.default_rng(0), population=4, generations=3, elite=4)
    assert [step[3] for step in ev.steps] == [4] * 4  # no child was valued
    X, y = np.zeros((2, 6)), np.array([0, 1])
    assert GeneticSearch(Table(random_table(6, np.random.default_rng(0))), population=4, elite=4).fit(X, y).size_ >= 1


def test_random_search_asks_in_batches():
    asked = []
    fake = SimpleNamespace(n=5, values=lambda subsets: asked.append(len(subsets)), best=lambda size: (size,))
    assert random_search(fake, 3, 2500, np.random.default_rng(0)) == (3,)
    assert asked == [1024, 1024, 452]
    random_search(fake, None, 1, np.random.default_rng(0))
    assert asked[3:] == [1]


def test_a_compiled_walk_leaves_one_evaluation_for_its_result():
    ev = evaluator(random_table(6, np.random.default_rng(0)), max_evaluations=10)
    ev.values([(0,), (1,)])
    assert ev.run(SimpleNamespace(run=lambda most: most), 3) == 3
    assert ev.run(SimpleNamespace(run=lambda most: most), 100) == 4
    assert ev.n_evaluations == 9


class Scripted:
    """Stands for a random generator: gives what was written down."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def random(self, n=None):
        draw = self.draws.pop(0)
        assert np.shape(draw) == (() if n is None else (n,))
        return np.array(draw)

    def integers(self, low, high, size=None):
        limits, draw = self.draws.pop(0)
        assert limits == (low, high, size)
        return np.array(draw)


LOW, HIGH = 0.1, 0.5  # below a half, not below it
FIRST, SECOND = [LOW, LOW, HIGH, HIGH], [HIGH, HIGH, LOW, LOW]  # the masks (0, 1) and (2, 3), which is the better
OF_THREE = (0, 2, 3)


@pytest.mark.parametrize(
    ("options", "draws", "children"),
    [
        (
            {},
            [
                *[(OF_THREE, [0, 0, 0]), (OF_THREE, [1, 0, 1])],  # the mother is (0, 1), the father (2, 3)
                *[0.79, [0.1, 0.5, 0.49, 0.9], [0.9, 0.9, 0.2, 0.25]],  # genes 0 and 2 of the father; 2 flips
                *[(OF_THREE, [0, 1, 1]), (OF_THREE, [0, 0, 0])],
                *[0.8, [0.9, 0.9, 0.9, 0.24]],  # a copy of (2, 3); 3 flips
            ],
            [(1,), (2,)],
        ),
        (
            {"crossover": "single_point", "crossover_probability": 0.5, "mutation_probability": 0.1},
            [
                *[(OF_THREE, [1, 1, 1]), (OF_THREE, [0, 0, 0])],
                *[0.49, ((1, 4, None), 1), [0.9, 0.9, 0.9, 0.09]],  # from gene 1 on the father's; 3 flips
                *[(OF_THREE, [0, 0, 0]), (OF_THREE, [0, 1, 0])],
                *[0.49, ((1, 4, None), 3), [0.1, 0.2, 0.2, 0.2]],
            ],
            [(1, 3), (0, 1, 3)],
        ),
    ],
    ids=["uniform", "single_point"],
)
def test_a_generation_by_hand(options, draws, children):
    values = {(0, 1): 0.5, (2, 3): 1.0}
    asked = []

    def values_of(subsets):
        asked.append(subsets)
        return np.array([values.get(s, 0.0) for s in subsets])

    fake = SimpleNamespace(n=4, values=values_of, best=lambda size: size)
    rng = Scripted(FIRST, SECOND, *draws)
    assert genetic_search(fake, None, rng, population=2, generations=1, elite=0, **options) is None
    assert asked == [[(0, 1), (2, 3)], children]
    assert not rng.draws


def test_the_elite_are_the_best_then_the_smallest_then_the_earliest():
    values = {(0, 1): 1.0, (2, 3): 1.0, (1,): 1.0, (0, 1, 2): 2.0}
    asked = []

    def values_of(subsets):
        asked.append(subsets)
        return np.array([values[s] for s in subsets])

    masks = [[LOW if u in s else HIGH for u in range(4)] for s in values]
    fake = SimpleNamespace(n=4, values=values_of, best=lambda size: None)
    genetic_search(fake, None, Scripted(*masks), population=4, generations=1, elite=4)
    assert asked[1] == [(0, 1, 2), (1,), (0, 1), (2, 3)]


def scripted_pbil(values, draws, **options):
    """The subsets asked for, in generations, and what `pbil` returns."""
    asked = []

    def values_of(subsets):
        asked.append(subsets)
        return np.array([values[s] for s in subsets])

    n = len(draws[0])
    fake = SimpleNamespace(n=n, values=values_of, value=lambda s: asked.append(s), best=lambda size: size)
    rng = Scripted(*draws)
    result = pbil(fake, options.pop("size", None), rng, **options)
    assert not rng.draws
    return asked, result


def test_two_generations_of_pbil_by_hand():
    draws = [
        *[[0.1, 0.5, 0.1], [0.1, 0.1, 0.9]],  # p = 1/2: the masks (0, 2) and (0, 1), of which the first is the best
        *[[0.29, 0.9, 0.3], ((0, 2, 3), [0, 1, 1])],  # the first of (.55, .36, .64) moves towards 0
        *[[0.52, 0.37, 0.63], [0.6, 0.1, 0.7]],  # (0, 2) and (1,)
        *[[0.9, 0.1, 0.9], ((0, 2, 3), [0, 1, 0])],  # the second of (.6562, .2592, .7408) moves towards 1
    ]
    asked, (_, p) = scripted_pbil(
        {(0, 2): 2.0, (0, 1): 1.0, (1,): 0.0},
        draws,
        population=2,
        max_generations=2,
        learning_rate=0.1,
        negative_learning_rate=0.2,
        mutation_probability=0.3,
        mutation_shift=0.05,
    )
    assert asked == [[(0, 2), (0, 1)], [(0, 2), (1,)]]
    np.testing.assert_allclose(p, [0.6562, 0.29624, 0.7408])


def test_pbil_stops_when_all_probabilities_are_beyond_the_limit():
    generation = [[0.1, 0.9], [0.0, 0.0], ((0, 2, 2), [0, 1])]
    options = {"population": 1, "learning_rate": 0.5, "mutation_probability": 0.0, "converged": 0.25}
    _, (_, p) = scripted_pbil({(0,): 1.0}, generation * 2, **options)
    assert p.tolist() == [0.875, 0.125]  # after (.75, .25), which is at the limit


@pytest.mark.parametrize("towards", [[1, 0], [0, 0]])
def test_a_probability_at_the_limit_has_not_converged(towards):
    """One of (.75, .25) moves beyond its limit, the other stays there."""
    moved = [0.0, 0.9] if towards[0] else [0.9, 0.0]
    draws = [[0.1, 0.9], moved, ((0, 2, 2), towards), [0.1, 0.9], [0.9, 0.9], ((0, 2, 2), [0, 0])]
    options = {"population": 1, "learning_rate": 0.0, "mutation_probability": 0.5, "mutation_shift": 0.5}
    _, (_, p) = scripted_pbil({(0,): 1.0}, draws, start=(0,), max_generations=2, converged=0.25, **options)
    assert p.tolist() == ([0.875, 0.25] if towards[0] else [0.75, 0.125])


def test_pbil_gives_up_after_200_generations():
    asked = []

    def values(subsets):
        asked.append(len(subsets))
        return np.zeros(len(subsets))

    pbil(SimpleNamespace(n=6, values=values, best=lambda size: None), None, np.random.default_rng(0), learning_rate=0.0)
    assert asked == [100] * 200


def test_pbil_starts_near_a_given_subset_and_keeps_the_most_probable_units():
    draws = [
        *[[0.74, 0.24, 0.24], [0.1, 0.9, 0.3]],  # (0, 1, 2); the least probable goes, ties by the second draw
        *[[0.9, 0.2, 0.26], [0.1, 0.8]],  # (1,); 0 comes in
        *[[0.9, 0.9, 0.9], ((0, 2, 3), [0, 0, 0])],
    ]
    asked, (size, _) = scripted_pbil(
        {(0, 1): 1.0}, draws, start=(0,), size=2, population=2, max_generations=1, mutation_probability=0.5
    )
    assert asked == [(0,), [(0, 1), (0, 1)]]
    assert size == 2


@pytest.mark.parametrize(
    ("mask", "size", "draws", "p", "want"),
    [
        ([1, 1, 1, 1], 2, [0.4, 0.1, 0.3, 0.2], None, [1, 0, 1, 0]),
        ([0, 1, 0, 0], 3, [0.4, 0.1, 0.3], None, [1, 1, 0, 1]),
        ([1, 1, 1, 1], 2, [0.4, 0.1, 0.3, 0.2], [0.5] * 4, [1, 0, 1, 0]),
        ([1, 1, 1, 1], 2, [0.4, 0.1, 0.3, 0.2], [0.1, 0.9, 0.2, 0.3], [0, 1, 0, 1]),
        ([0, 0, 0, 0], None, [0.4, 0.1, 0.3, 0.2], [0.1, 0.9, 0.2, 0.3], [0, 1, 0, 0]),
    ],
)
def test_a_mask_is_given_its_size(mask, size, draws, p, want):
    given_mask = np.array(mask, dtype=bool)
    repaired = repair(given_mask, size, Scripted(draws), None if p is None else np.array(p))
    assert repaired.tolist() == [bool(u) for u in want]
    assert given_mask.tolist() == [bool(u) for u in mask]


def test_a_seed_draws_the_same_in_every_version():
    assert generator(np.random.RandomState(0)).random(3).tolist() == [
        0.317072199244371,
        0.5211502012761856,
        0.17351532812243287,
    ]


@pytest.mark.parametrize("n", [1, 2])
def test_few_genes_are_parted_where_they_can_be(n):
    fake = SimpleNamespace(n=n, values=lambda subsets: np.zeros(len(subsets)), best=lambda size: size)
    tournament = ((0, 1, 3), [0, 0, 0])
    rng = Scripted([0.1] * n, tournament, tournament, 0.0, ((1, 2, None), 1), [0.9] * n)
    options = {"population": 1, "generations": 1, "elite": 0, "crossover": "single_point", "mutation_probability": 0.0}
    genetic_search(fake, None, rng, **options)
    assert not rng.draws


def test_a_genetic_search_gives_its_start_the_size_asked_for():
    ev = evaluator(random_table(6, np.random.default_rng(0)))
    best = genetic_search(ev, 2, np.random.default_rng(0), population=5, generations=2, start=(0, 1, 2))
    assert {len(s) for s in ev.rows} == {len(best)} == {2}
    assert set(next(iter(ev.rows))) < {0, 1, 2}
    fake = SimpleNamespace(n=6, values=lambda subsets: np.zeros(len(subsets)), best=lambda size: size)
    assert genetic_search(fake, 2, np.random.default_rng(0), population=5, generations=2) == 2


def test_random_search_takes_each_unit_with_probability_one_half():
    asked = []
    fake = SimpleNamespace(n=3, values=asked.append, best=lambda size: None)
    random_search(fake, None, 2, Scripted([0.5, 0.49, 0.1], [0.49, 0.5, 0.51]))
    assert asked == [[(1, 2), (0,)]]

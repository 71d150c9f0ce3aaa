"""The walks: against brute force, against the papers' numbered steps, and the properties that the papers promise."""

import inspect
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from search_tables import (
    Table,
    best_of,
    flat,
    monotone_table,
    moves,
    plain_add,
    plain_remove,
    random_table,
    seeds,
    selected,
    tables,
)

from fscore.criteria import Bhattacharyya, Mahalanobis
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
)

SIX = flat(6)
ALTERNATING = Table(lambda s: sum((c + 1) * (-1) ** c for c in s))  # odd columns are harmful


def mahalanobis_problem(seed, D=12):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    X = rng.standard_normal((80, D)) @ rng.standard_normal((D, D)) + np.outer(y, rng.standard_normal(D))
    return X, y


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


def best_seen(score, search, size=None):
    """The best of the trace (of one size): highest score, then fewest columns, then earliest."""
    return min((s for s in search.trace_["features"] if size in (None, len(s))), key=lambda s: (-score(s), len(s)))


# sequential and oscillating searches --------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(1, 3), st.integers(0, 6), st.data())
def test_floating_searches_take_the_papers_steps(table, c, delta, data):
    t = c * data.draw(st.integers(1, 6 // c))
    options = {"group_size": c, "delta": None if delta == 6 else delta}
    found = SFFS(Table(table), t, **options).fit(*SIX)
    assert (selected(found), moves(found)) == reference_sffs(table, t, c, delta)
    start = data.draw(st.sampled_from([None, *sorted(s for s in table if len(s) >= c)]))
    full = tuple(range(6)) if start is None else start
    t = data.draw(st.sampled_from(range(len(full) % c or c, len(full) + 1, c)))
    found = SBFS(Table(table), t, warm_start_from=start, **options).fit(*SIX)
    assert (selected(found), moves(found)) == reference_sbfs(table, t, c, delta, full)


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(1, 2), st.integers(1, 6), st.data())
def test_oscillating_searches_take_the_papers_steps(table, c, depth, data):
    start = data.draw(st.sampled_from(sorted(table)))
    found = OscillatingSearch(Table(table), group_size=c, depth=depth, warm_start_from=start).fit(*SIX)
    assert (selected(found), moves(found)) == reference_os(table, start, c, depth)
    assert found.size_ == len(start)
    assert found.score_ >= table[start]
    found = DynamicOscillatingSearch(Table(table), group_size=c, depth=depth).fit(*SIX)
    assert moves(found) == reference_dos(table, c, depth)[1]
    assert selected(found) == best_seen(table.get, found)


def test_defaults_are_the_papers():
    """Of 36 columns, every other one harmful, so that there is room for the deepest swing."""
    X, y = flat(36)
    named = {
        SFFS: {"group_size": 1, "delta": 0},
        SBFS: {"group_size": 1, "delta": 0},
        PlusLMinusR: {"group_size": 1, "l": 2, "r": 1},
        OscillatingSearch: {"group_size": 1, "depth": 10, "initial": "best_individual"},
        DynamicOscillatingSearch: {"group_size": 1, "depth": 15},
    }
    for search, options in named.items():
        found, spelled_out = search(ALTERNATING).fit(X, y), search(ALTERNATING, **options).fit(X, y)
        assert found.path_.equals(spelled_out.path_)
        assert found.n_evaluations_ > 36
    assert selected(found) == tuple(range(0, 36, 2))
    assert found.path_["size"].max() == 18 + 15


def test_a_dynamic_oscillating_search_starts_with_as_many_groups_as_there_are():
    search = DynamicOscillatingSearch(Table(random_table(3, np.random.default_rng(0))), group_size=2, depth=2)
    path = search.fit(*flat(3)).path_
    assert path[["move", "size"]].to_numpy().tolist() == [["add", 2], ["value", 2]]


def test_an_oscillating_search_starts_from_the_best_individuals_or_at_random():
    table = random_table(6, np.random.default_rng(0))

    def start(**options):
        return OscillatingSearch(Table(table), 4, **options).fit(*SIX).trace_["features"]

    best = sorted(range(6), key=lambda f: -table[(f,)])[:4]
    assert start().iloc[6] == tuple(sorted(best))
    starts = [start(initial="random", random_state=seed).iloc[0] for seed in range(12)]
    assert starts == [start(initial="random", random_state=seed).iloc[0] for seed in range(12)]
    assert all(s == tuple(sorted(set(s))) and len(s) == 4 for s in starts)
    assert len(set(starts)) > 5
    for n, size in (7, 3), (2, 1), (1, 1):  # half of the units if no size is given
        assert OscillatingSearch(Table(random_table(n, np.random.default_rng(0)))).fit(*flat(n)).size_ == size


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(1, 5))
def test_simple_walks_against_the_obvious(table, d):
    X = ()
    for _ in range(d):
        X = plain_add(table, X, 1)
    assert selected(SFS(Table(table), d).fit(*SIX)) == X
    X = tuple(range(6))
    for _ in range(6 - d):
        X = plain_remove(table, X, 1)
    assert selected(SBS(Table(table), d).fit(*SIX)) == X
    singles = sorted(range(6), key=lambda f: (-table[(f,)], f))
    nested = [tuple(sorted(singles[:k])) for k in range(1, 7)]
    assert selected(BestIndividual(Table(table), d).fit(*SIX)) == nested[d - 1]
    found = BestIndividual(Table(table)).fit(*SIX)
    assert selected(found) == best_of(table, nested)
    assert found.path_["features"].tolist() == nested
    assert found.trace_["features"].tolist()[6:] == nested[1:]


@settings(max_examples=40, deadline=None)
@given(
    tables,
    st.integers(1, 3),
    st.sampled_from([(2, 1), (3, 1), (1, 2), (1, 3), (0, 1), (1, 0)]),
    st.integers(1, 6),
    st.booleans(),
)
def test_plus_l_minus_r_takes_the_best_tuples_to_the_last_size_that_its_steps_reach(table, c, lr, n, sized):
    c = min(c, n)
    forward = lr[0] > lr[1]
    size = (c if forward else n % c or c) if sized else None
    found = PlusLMinusR(Table(table), size, l=lr[0], r=lr[1], group_size=c).fit(*flat(n))
    path = found.path_[["move", "features"]].to_numpy().tolist()
    subset = () if path[0][0] == "add" else path.pop(0)[1]
    for move, answer in path:
        subset = plain_add(table, subset, c, n) if move == "add" else plain_remove(table, subset, c)
        assert answer == subset
    assert len(subset) == (size or (n - n % c if forward else c + n % c))
    assert selected(found) == (subset if size else best_seen(table.get, found))


@pytest.mark.parametrize(
    ("size", "l", "r", "c", "start", "sizes"),
    [
        (5, 2, 1, 1, None, [1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6, 5]),
        (6, 3, 1, 1, None, [1, 2, 3, 2, 3, 4, 5, 4, 5, 6]),
        (1, 1, 3, 1, None, [6, 5, 4, 3, 4, 3, 2, 1, 2, 1]),
        (4, 2, 1, 2, None, [2, 4, 2, 4, 6, 4]),
        (None, 1, 0, 3, (0,), [1, 4]),
        (None, 0, 1, 2, (0, 1, 2, 3, 4), [5, 3]),
        (3, 3, 2, 1, (1, 4), [2, 3, 4, 5, 4, 3]),
    ],
)
def test_plus_l_minus_r_by_hand(size, l, r, c, start, sizes):
    table = Table(random_table(6, np.random.default_rng(0)))
    found = PlusLMinusR(table, size, l=l, r=r, group_size=c, warm_start_from=start, max_evaluations=200).fit(*SIX)
    assert found.path_["size"].tolist() == sizes


FORWARD, BACKWARD = (SFS, SFFS, PlusLMinusR), (SBS, SBFS, partial(PlusLMinusR, l=1, r=2))


@settings(max_examples=20, deadline=None)
@given(tables, st.integers(1, 3), st.data())
def test_warm_starts_go_on_from_where_they_are(table, c, data):
    """Again from a subset on the way leads to where the walk has led; any start is scored first."""
    J = Table(table)
    for search in (SFS, SBS):
        way = search(J, group_size=c).fit(*SIX).path_["features"].tolist()
        again = search(J, len(way[-1]), group_size=c, warm_start_from=data.draw(st.sampled_from(way))).fit(*SIX)
        assert selected(again) == way[-1]
    start = data.draw(st.sampled_from(sorted(table)))
    for search in (*FORWARD, *BACKWARD):
        found = search(J, group_size=c, warm_start_from=start).fit(*SIX)
        assert found.trace_["features"].iloc[0] == start
        assert set(found.trace_["size"] % c) == {len(start) % c}
        assert found.score_ >= table[start]
    for search, sign in (SFFS, 1), (SBFS, -1):
        sizes = [d for d in range(1, 7) if (d - len(start)) * sign >= 0 and (d - len(start)) % c == 0]
        size = data.draw(st.sampled_from(sizes))
        found = search(J, size, group_size=c, delta=2, warm_start_from=start).fit(*SIX)
        assert found.size_ == size
        assert size != len(start) or found.score_ >= table[start]


# searches that find the optimum -------------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(tables)
def test_exhaustive_is_brute_force_and_nothing_beats_it(table):
    J = Table(table)
    assert selected(ExhaustiveSearch(J).fit(*SIX)) == min(table, key=lambda s: (-table[s], len(s), s))
    for d in range(1, 7):
        best = ExhaustiveSearch(J, d).fit(*SIX)
        of_size = [s for s in table if len(s) == d]
        assert selected(best) == best_of(table, of_size)
        assert best.trace_["features"].tolist() == of_size
        assert all(search(J, d).fit(*SIX).score_ <= best.score_ for search in (SFS, SBS, SFFS, SBFS))
    assert SFFS(J, 6, delta=None).fit(*SIX).size_ == 6


def test_an_enumeration_goes_batch_by_batch_and_counts_the_fixed_columns_alone():
    found = ExhaustiveSearch(ALTERNATING).fit(*flat(11))
    assert found.path_["n_evaluations"].tolist() == [1023, 2047]  # the empty set is no subset
    found = ExhaustiveSearch(Table(lambda s: -len(s)), fixed=[5]).fit(*SIX)
    assert (selected(found), found.n_evaluations_) == ((5,), 2**5)
    assert RandomSearch(ALTERNATING, n_iter=2500).fit(*flat(12)).path_.shape[0] == 3


def test_an_enumeration_too_long_for_a_trace_keeps_what_it_can(monkeypatch, tmp_path):
    """It is regularized from the best of each size."""
    rng = np.random.default_rng(0)
    chosen = set()
    for _ in range(10):
        table = Table(random_table(6, rng, 30))
        for options in ({}, {"tau": 0.1}, {"fixed": [2]}, {"n_features_to_select": 3}):
            options = {"tau": 0.3, **options}
            want = ExhaustiveSearch(table, **options).fit(*SIX)
            with monkeypatch.context() as patch:
                patch.setattr("fscore.search._optimal.MAX_KEPT", 10)
                got = ExhaustiveSearch(table, **options).fit(*SIX)
            assert got.trace_.empty
            assert (selected(got), got.score_, got.n_evaluations_) == (selected(want), want.score_, want.n_evaluations_)
            chosen.add((want.size_, want.score_ == want.trace_["value"].max()))
    assert {size for size, best in chosen if not best} >= {1, 2}  # tau did decide
    for most, size, n_subsets in (31, None, 31), (10, 2, 10), (9, 1, 5):
        monkeypatch.setattr("fscore.search._optimal.MAX_KEPT", most)
        assert len(ExhaustiveSearch(ALTERNATING, size).fit(*flat(5)).trace_) == n_subsets
    for options, sentence in (
        ({"checkpoint": tmp_path / "file"}, "too many to be remembered; leave out the checkpoint"),
        ({"tau": 0.1, "secondary": np.ones(5)}, 'too many to be kept for their costs; use secondary="size"'),
    ):
        with pytest.raises(ValueError, match=f"^31 subsets are {sentence}, or exclude some features"):
            ExhaustiveSearch(Mahalanobis(), **options).fit(*mahalanobis_problem(0, 5))


def test_an_enumeration_of_one_size_is_limited_by_its_own_number_of_subsets():
    for size, best, n_subsets in (2, (26, 28), 435), (29, tuple(range(29)), 30):
        found = ExhaustiveSearch(ALTERNATING, size).fit(*flat(30))
        assert (selected(found), found.n_evaluations_) == (best, n_subsets)


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(1, 6), st.sampled_from([None, 3]))
@pytest.mark.parametrize("variant", ["improved", "fast"])
def test_branch_and_bound_scores_what_the_bound_leaves(variant, seed, d, levels):
    """Scores on few levels tie; the walk starts from the better of forward and backward selection."""
    table = monotone_table(6, np.random.default_rng(seed), levels)
    J = Table(table, monotone=True)
    greedy = [search(J, d).fit(*SIX) for search in (SFS, SBS)]
    best, asked = reference_branch_and_bound(table, d, variant == "fast", best_of(table, map(selected, greedy)))
    assert table[best] == max(v for s, v in table.items() if len(s) == d)
    found = BranchAndBound(J, d, variant=variant).fit(*SIX)
    assert selected(found) == best
    assert set(found.trace_["features"]) == {s for search in greedy for s in search.trace_["features"]} | set(asked)


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(1, 7), st.sampled_from([Bhattacharyya(), Mahalanobis()]), st.booleans())
def test_compiled_branch_and_bound_equals_the_plain_walk_and_brute_force(seed, d, criterion, fixed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % rng.integers(2, 4)
    X = rng.standard_normal((60, 9)) @ rng.standard_normal((9, 9)) + rng.standard_normal((3, 9))[y]
    options = {"excluded": [7], "fixed": [2]} if fixed else {}
    exact = ExhaustiveSearch(criterion, d, **options).fit(X, y)
    compiled = BranchAndBound(criterion, d, **options).fit(X, y)
    plain = BranchAndBound(criterion, d, tau=1e-12, **options).fit(X, y)  # needs the whole trace
    assert selected(compiled) == selected(plain) == selected(exact)
    assert len(plain.trace_) == plain.n_evaluations_


def test_branch_and_bound_saves_work_and_takes_groups_votes_and_all_units():
    X, y = mahalanobis_problem(1)
    groups = [[0, 5], [1, 7], [8, 4], [2, 9], [3, 11], [6, 10]]
    for d, options in (3, {}), (6, {}), (9, {}), (2, {"column_groups": groups}), (12, {}):
        exact = ExhaustiveSearch(Mahalanobis(), d, **options).fit(X, y)
        for variant in "improved", "fast":
            bounded = BranchAndBound(Mahalanobis(), d, variant=variant, **options).fit(X, y)
            assert selected(bounded) == selected(exact)
            assert bounded.score_ == pytest.approx(exact.score_, rel=1e-9)
            assert d != 6 or bounded.n_evaluations_ < 12 * exact.n_evaluations_
        assert selected(BranchAndBound(WeightedVoting([Mahalanobis()]), d, **options).fit(X, y)) == selected(exact)
    compiled = BranchAndBound(Mahalanobis(), 5).fit(X, y)
    assert len(compiled.trace_) < compiled.n_evaluations_  # its walk enters no trace


@pytest.mark.parametrize("variant", ["improved", "fast"])
def test_branch_and_bound_goes_deeper_than_recursion(variant):
    """The sum of nearly equal costs bounds nothing before two columns are left."""
    J, before = Table(lambda s: len(s) + sum(s) / 10**4, monotone=True), sys.getrecursionlimit()
    search = BranchAndBound(J, 1, variant=variant)
    sys.setrecursionlimit(len(inspect.stack()) + 110)
    try:
        search.fit(*flat(150))
    finally:
        sys.setrecursionlimit(before)
    assert selected(search) == (149,)


def test_compiled_branch_and_bound_pauses_and_stops(monkeypatch):
    X, y = mahalanobis_problem(2)
    want = BranchAndBound(Bhattacharyya(), 5).fit(X, y)
    assert want.stopped_ is None
    monkeypatch.setattr("fscore.criteria._gaussian.MAX_BATCH", 20)
    assert selected(BranchAndBound(Bhattacharyya(), 5).fit(X, y)) == selected(want)
    for budget in (150, 200, want.n_evaluations_ // 2):
        stopped = BranchAndBound(Bhattacharyya(), 5, max_evaluations=budget).fit(X, y)
        assert (stopped.stopped_, stopped.n_features_to_select_) == ("evaluations", 5)
        assert stopped.n_evaluations_ <= budget
        assert stopped.score_ == Bhattacharyya().bind(X, y).score([selected(stopped)])[0]


# stochastic searches: oracles that draw in the same order -----------------------------------------------------------


def generator(seed):
    """The same draws in every version: numpy's Generator from four numbers of scikit-learn's RandomState."""
    return np.random.default_rng(np.random.RandomState(seed).randint(0, 2**31 - 1, size=4))


def units(mask):
    return tuple(np.flatnonzero(mask).tolist())


def resized(mask, size, rng, p=None):
    """A mask of the size asked for, or not empty: the least probable go, the most probable come, by lot if equal."""
    goal = max(1, mask.sum()) if size is None else size
    kept = set(units(mask))
    if len(kept) == goal:
        return mask
    pool = [u for u in range(len(mask)) if (u in kept) == (len(kept) > goal)]
    lots = rng.random(len(pool))
    keys = lots if p is None else p[pool] + 1e-9 * lots
    order = [pool[q] for q in np.argsort(keys)]
    while len(kept) > goal:
        kept.remove(order.pop(0))
    while len(kept) < goal:
        kept.add(order.pop())
    return np.isin(np.arange(len(mask)), list(kept))


def reference_random(score, n, size, rng, n_iter):
    return [[units(resized(rng.random(n) < 0.5, size, rng)) for _ in range(n_iter)]]


def reference_genetic(score, n, size, rng, start, population, generations, crossover, cross, flip, tournament, elite):
    """The generations: tournaments, crossover, flips, and the elite: highest score, then smallest, then earliest."""
    masks = [resized(rng.random(n) < 0.5, size, rng) for _ in range(population)]
    if start is not None:
        masks[0] = resized(np.isin(np.arange(n), start), size, rng)
    log = [[units(m) for m in masks]]
    for _ in range(generations):
        ranked = sorted(masks, key=lambda m: (-score(units(m)), m.sum()))
        rank = sorted(range(population), key=lambda q: (-score(units(masks[q])), masks[q].sum()))
        masks, parents = ranked[:elite], masks
        while len(masks) < population:
            mother, father = (parents[min(rng.integers(0, population, tournament), key=rank.index)] for _ in range(2))
            child = mother.copy()
            if rng.random() < cross:
                begin = None if crossover == "uniform" else rng.integers(1, max(2, n))
                swap = rng.random(n) < 0.5 if begin is None else np.array([u >= begin for u in range(n)])
                child = np.where(swap, father, mother)
            masks.append(resized(child != (rng.random(n) < flip), size, rng))
        log.append([units(m) for m in masks])
    return log


def reference_pbil(score, n, size, rng, start, population, rate, negative, mutation, shift, generations, converged):
    """Baluja's steps for one probability at a time; the generations, and the probabilities."""
    p = [0.5] * n if start is None else [0.75 if u in start else 0.25 for u in range(n)]
    log = [] if start is None else [[start]]
    for _ in range(generations):
        masks = [resized(rng.random(n) < np.array(p), size, rng, np.array(p)) for _ in range(population)]
        log.append([units(m) for m in masks])
        scores = [score(s) for s in log[-1]]
        best, worst = masks[scores.index(max(scores))], masks[scores.index(min(scores))]
        mutates, towards = rng.random(n) < mutation, rng.integers(0, 2, n)
        for u in range(n):
            p[u] = (1 - rate) * p[u] + rate * best[u]
            if best[u] != worst[u]:
                p[u] = (1 - negative) * p[u] + negative * best[u]
            if mutates[u]:
                p[u] = (1 - shift) * p[u] + shift * towards[u]
        if all(q < converged or q > 1 - converged for q in p):
            break
    return log, p


def check_generations(search, log):
    """A fitted search scored these generations, each subset once, and has the best of them."""
    score = search.criterion.scores
    assert search.trace_["features"].tolist() == list(dict.fromkeys(s for generation in log for s in generation))
    assert search.path_["features"].tolist() == [max(generation, key=score) for generation in log]
    assert selected(search) == best_seen(score, search, search.n_features_to_select)
    assert search.computed_ == [("Table", search.n_evaluations_)]
    assert search.n_evaluations_ == len(search.trace_)


def half_sum(seed):
    """A score on few levels, so that scores tie."""
    weights = np.random.default_rng(seed).integers(-1, 3, 6)
    return lambda s: float(weights[list(s)].sum() // 2)


half_sums = st.builds(half_sum, seeds)
sizes, starts = st.sampled_from([None, None, None, 1, 3, 5]), st.sampled_from([(), (0,), (1, 2, 4), (0, 1, 2, 3, 5)])


def fitting(n, size, start=()):
    """A drawn size and start as n columns allow them."""
    return None if size is None else min(size, n), tuple(u for u in start if u < n) or None


@settings(max_examples=40, deadline=None)
@given(
    half_sums, st.integers(4, 6), sizes, seeds, starts, st.integers(4, 8), st.integers(1, 4),
    st.sampled_from(["uniform", "single_point"]), st.sampled_from([0.5, 1.0]),
    st.sampled_from([0.0, 0.1, 0.3]), st.integers(1, 3), st.integers(0, 3),
)  # fmt: skip
@example(half_sum(0), 1, None, 0, (), 2, 2, "single_point", 1.0, 0.5, 1, 0)  # one gene cannot be parted
@example(half_sum(0), 2, None, 0, (), 4, 2, "single_point", 1.0, 0.1, 1, 0)
@example(half_sum(0), 6, None, 0, (), 4, 3, "uniform", 1.0, 0.1, 1, 4)  # all of a generation are kept
def test_genetic_search_takes_the_steps_of_a_plain_loop(
    score, n, size, seed, start, population, generations, crossover, cross, flip, tournament, elite
):
    size, start = fitting(n, size, start)
    found = GeneticSearch(
        Table(score), size, population=population, generations=generations, crossover=crossover,
        crossover_probability=cross, mutation_probability=flip, tournament=tournament, elite=elite,
        random_state=seed, warm_start_from=start,
    ).fit(*flat(n))  # fmt: skip
    options = (population, generations, crossover, cross, flip, tournament, elite)
    check_generations(found, reference_genetic(score, n, size, generator(seed), start, *options))


@settings(max_examples=30, deadline=None)
@given(
    half_sums, st.integers(1, 6), sizes, seeds, starts, st.integers(1, 7), st.sampled_from([0.0, 0.1, 0.5]),
    st.sampled_from([0.0, 0.075, 0.5]), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.05, 0.5]),
    st.integers(1, 6), st.sampled_from([0.05, 0.25]),
)  # fmt: skip
@example(len, 1, None, 0, (), 1, 0.5, 0.0, 0.0, 0.05, 4, 0.25)  # 3/4 is at the limit, not beyond
@example(lambda s: -len(s), 2, 1, 0, (), 1, 0.5, 0.0, 0.0, 0.05, 4, 0.25)
def test_pbil_takes_the_steps_of_a_plain_loop(
    score, n, size, seed, start, population, rate, negative, mutation, shift, generations, converged
):
    size, start = fitting(n, size, start)
    found = PBIL(
        Table(score), size, population=population, learning_rate=rate, negative_learning_rate=negative,
        mutation_probability=mutation, mutation_shift=shift, max_generations=generations, converged=converged,
        random_state=seed, warm_start_from=start,
    ).fit(*flat(n))  # fmt: skip
    options = (population, rate, negative, mutation, shift, generations, converged)
    log, p = reference_pbil(score, n, size, generator(seed), start, *options)
    np.testing.assert_allclose(found.probabilities_, p, rtol=1e-12, atol=1e-15)
    check_generations(found, log)


@settings(max_examples=15, deadline=None)
@given(half_sums, st.integers(1, 6), sizes, seeds, st.integers(1, 30))
def test_random_search_draws_as_a_plain_loop(score, n, size, seed, n_iter):
    size, _ = fitting(n, size)
    found = RandomSearch(Table(score), size, n_iter=n_iter, random_state=seed).fit(*flat(n))
    check_generations(found, reference_random(score, n, size, generator(seed), n_iter))


@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("search", [PBIL, GeneticSearch, partial(RandomSearch, n_iter=400)])
def test_stochastic_searches_find_a_planted_subset_from_any_seed(search, size):
    """With their defaults: as many generations as their documentation says, unless they converge."""
    planted = {1, 4, 6}
    J = Table(lambda s: len(planted & set(s)) - 0.5 * len(set(s) - planted))
    found = [search(J, size, random_state=seed).fit(*flat(8)) for seed in range(2)]
    assert all(set(selected(f)) == planted for f in found)
    assert not found[0].trace_.equals(found[1].trace_)
    assert size is None or set(found[0].trace_["size"]) == {3}


def test_pbils_first_step_is_the_example_of_the_thesis():
    """alpha = 0.1, no negative rate, no mutation: .55 where the best has the feature, .45 where not (p. 22)."""
    best = {0, 1, 3, 5, 7, 8}
    J = Table(lambda s: len(best & set(s)) - len(set(s) - best))
    search = PBIL(J, population=30, negative_learning_rate=0, mutation_probability=0, max_generations=1, random_state=0)
    found = search.fit(*flat(10))
    np.testing.assert_allclose(found.probabilities_, np.where(found.support_, 0.55, 0.45))
    p = search.set_params(max_generations=500).fit(*flat(10)).probabilities_
    assert ((p > 0.95) | (p < 0.05)).all()  # it converges
    never = PBIL(Table(lambda s: 0.0), learning_rate=0, random_state=0).fit(*SIX)
    assert len(never.path_) == 200  # generations, of 100 subsets


def test_pbil_tells_its_probabilities_as_of_the_stop():
    J = Table(lambda s: float(sum(s)))
    search = PBIL(J, population=10, random_state=0, max_generations=2).fit(*flat(8))
    two, n_two = search.probabilities_, search.n_evaluations_
    search.set_params(max_generations=200, max_evaluations=n_two).fit(*flat(8))
    assert search.stopped_ == "evaluations"
    np.testing.assert_array_equal(search.probabilities_, two)
    search.set_params(max_evaluations=3).fit(*flat(8))  # within the first generation
    np.testing.assert_array_equal(search.probabilities_, np.full(8, 0.5))
    assert not (two == 0.5).any()
    search.set_params(n_features_to_select=2, fixed=[0, 3]).fit(*flat(8))  # nothing to search
    np.testing.assert_array_equal(search.probabilities_, np.full(6, 0.5))

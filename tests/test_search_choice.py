"""Rules of choice against slow reference implementations written from the equations."""

from itertools import combinations
from math import comb, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import Bhattacharyya, Criterion, CVAccuracy, Mahalanobis
from fscore.criteria._base import BoundCriterion
from fscore.search import SFS, DynamicOscillatingSearch, Hybrid, OrderVoting, WeightedVoting
from fscore.search._evaluator import Evaluator
from fscore.search._rules import BestScore, Candidates, as_rule
from fscore.search._sequential import sbs, sffs, sfs


class Table(Criterion):
    def __init__(self, values=None):
        self.values = values

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound._score = lambda subsets, base, adding: np.array([self.values[s] for s in subsets])
        return bound


D = 5
SUBSETS = [s for d in range(1, D + 1) for s in combinations(range(D), d)]


@st.composite
def ensembles(draw):
    """Tables with few levels (sixteenths: exact in binary), so that ties in values, votes and averages happen."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.sampled_from([2, 4, 16]))
    K = draw(st.integers(1, 4))
    return [dict(zip(SUBSETS, (rng.integers(0, levels, len(SUBSETS)) / 16).tolist(), strict=True)) for _ in range(K)]


def evaluate(criterion, walk):
    ev = Evaluator(as_rule(criterion), np.zeros((2, D)), np.array([0, 1]))
    walk(ev)
    return ev


def slow_alpha(values):
    """Eqs. 15-16, literally: order descending, walk down, count up when the value falls."""
    order = sorted(range(len(values)), key=lambda i: -values[i])
    alpha = [0] * len(values)
    alpha[order[0]] = 1
    for j in range(1, len(values)):
        same = values[order[j - 1]] == values[order[j]]
        alpha[order[j]] = alpha[order[j - 1]] if same else alpha[order[j - 1]] + 1
    return alpha


def slow_beta(values):
    """Eq. 18."""
    return [max(values) - v for v in values]


class SlowVoting:
    """ADD and RMV by eqs. 17, 19, 20 and the running averages of Section 3.1.3."""

    def __init__(self, tables, coefficient):
        self.tables, self.coefficient = tables, coefficient
        self.history = {True: {}, False: {}}
        self.log = []

    def step(self, X, c, adding):
        pool = [f for f in range(D) if f not in X] if adding else X
        tuples = list(combinations(pool, c))
        after = [tuple(sorted({*X, *t} if adding else set(X) - set(t))) for t in tuples]
        votes = [self.coefficient([table[s] for s in after]) for table in self.tables]
        J = [-sum(v[i] for v in votes) / len(votes) for i in range(len(tuples))]
        past = self.history[adding]
        for t, j in zip(tuples, J, strict=True):
            past.setdefault(t, []).append(j)
        tied = [i for i in range(len(tuples)) if abs(J[i] - max(J)) < 1e-12]
        mean = [sum(past[tuples[i]]) / len(past[tuples[i]]) for i in tied]
        chosen = next(i for i, m in zip(tied, mean, strict=True) if m > max(mean) - 1e-12)
        self.log.append(after[chosen])
        return after[chosen]

    def J(self, X):
        return sum(t[X] for t in self.tables) / len(self.tables)


def slow_sffs(slow, c):
    """SFFS to the full size, over a voting's own ADD and RMV."""
    X = slow.step((), c, True)
    known = {len(X): X}
    while len(X) + c <= D:
        X = slow.step(X, c, True)
        if len(X) not in known or slow.J(X) > slow.J(known[len(X)]):
            known[len(X)] = X
        while len(X) > c:
            Y = slow.step(X, c, False)
            if slow.J(Y) <= slow.J(known[len(Y)]):
                break
            X = known[len(Y)] = Y


@settings(max_examples=150, deadline=None)
@given(ensembles(), st.integers(1, 2))
@pytest.mark.parametrize(("voting", "coefficient"), [(OrderVoting, slow_alpha), (WeightedVoting, slow_beta)])
def test_voting_takes_the_slow_steps(voting, coefficient, tables, c):
    slow = SlowVoting(tables, coefficient)
    slow_sffs(slow, c)
    ev = evaluate(voting([Table(t) for t in tables]), lambda ev: sffs(ev, None, c))
    assert [s for _, s, _, _ in ev.steps] == slow.log
    for subset, (value, _) in ev.rows.items():
        assert value == pytest.approx(slow.J(subset), rel=1e-12)


class Given:
    """In place of an evaluator: scores that are given step by step, in sixteenths, one column for each voter."""

    def __init__(self):
        self.memory = {}

    def scores(self, candidates, member):
        return self.table[:, member]


def elected(rule, *tables):
    evaluator, chosen = Given(), []
    for table in tables:
        evaluator.table = np.array(table) / 16
        step = Candidates([(u,) for u in range(len(table))], ())
        chosen.append(rule(list(range(evaluator.table.shape[1]))).choose(evaluator, step))
    return chosen


def test_rounding_breaks_no_tie_of_running_averages():
    """Shortfalls of the first: 0 and 5 sixteenths, of the second: 1 and 4; then both fall behind by nothing."""
    tables = [[5, 0, 0], [4, 0, 0], [5, 0, 0]], [[0, 0, 0], [1, 0, 0], [5, 0, 0]], [[0, 0, 0], [0, 0, 0]]
    assert elected(WeightedVoting, *tables) == [0, 2, 0]


def test_rounding_breaks_no_tie_of_shortfalls():
    """Both lack 0.3 in all, but in floating point the first lacks more."""
    values = np.array([[1.0, 1.0, 0.7], [0.9, 0.8, 1.0]])
    first, second = WeightedVoting._votes(values)
    assert first < second
    assert elected(WeightedVoting, 16 * values) == [0]


@pytest.mark.parametrize("voting", [OrderVoting, WeightedVoting])
def test_a_criterion_that_avoids_all_candidates_leaves_the_choice_to_the_others(voting):
    avoids = np.array([[-np.inf, 5.0], [-np.inf, 8.0], [-np.inf, 2.0]])
    some = np.array([[3.0, 5.0], [-np.inf, 8.0], [4.0, 4.0]])
    assert elected(voting, avoids) == [1]
    assert elected(voting, some)[0] != 1
    assert elected(voting, avoids, avoids) == [1, 1]


def test_large_values_do_not_make_ranks_equal():
    assert elected(OrderVoting, [[1e15], [2e15]]) == [1]
    assert elected(WeightedVoting, [[1.0], [1.0 + 1e-9]]) == [1]


def test_ranks_by_hand():
    """Three candidates, two criteria: ranks (1, 2, 2) and (3, 1, 2), average (2, 1.5, 2)."""
    values = np.array([[0.9, 0.5], [0.8, 0.7], [0.8, 0.6]])
    np.testing.assert_array_equal(OrderVoting._votes(values) / 2, [-2, -1.5, -2])
    np.testing.assert_allclose(WeightedVoting._votes(values), [-0.1, -0.05, -0.1])


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(1, len(SUBSETS) + 1)))
@pytest.mark.parametrize("voting", [OrderVoting, WeightedVoting])
def test_one_voter_is_the_voter(voting, levels):
    """Where no values are equal, so that the running average has nothing to say."""
    table = Table({s: level / 32 for s, level in zip(SUBSETS, levels, strict=True)})
    alone, voted = (evaluate(J, lambda ev: sffs(ev, None)) for J in (table, voting([table])))
    assert [step[:3] for step in voted.steps] == [step[:3] for step in alone.steps]


def test_fused_neighbours_vote_as_separate_ones():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-7 * X.std(axis=0) * rng.standard_normal(X.shape)
    voters = {
        way: [CVAccuracy(KNeighborsClassifier(k), cv=5, compiled=way) for k in (7, 1, 3)] for way in (True, False)
    }
    searches = [DynamicOscillatingSearch(OrderVoting(v), depth=1).fit(X[:, :7], y) for v in voters.values()]
    assert searches[0].path_.equals(searches[1].path_)
    assert searches[0].computed_ == searches[1].computed_
    main = DynamicOscillatingSearch(OrderVoting(voters[True], main=voters[True][2]), depth=1).fit(X[:, :7], y)
    features = main.trace_["features"]
    want = voters[True][2].bind(X[:, :7], y).score([tuple(f) for f in features])
    np.testing.assert_array_equal(main.trace_["value"], want)


def test_two_neighbours_on_the_same_folds_share_one_pass():
    X, y = load_wine(return_X_y=True)
    evaluator = Evaluator(as_rule(OrderVoting([CVAccuracy(KNeighborsClassifier(k), cv=3) for k in (1, 3)])), X, y)
    assert evaluator.scores(Candidates([(0, 6)]), evaluator.rule.members()[0]).shape == (1,)
    assert evaluator.computed() == [("CVAccuracy", 1)] * 2


OVERLAPPING = [(np.arange(178), np.arange(0, 178, 2)), (np.arange(178), np.arange(1, 178, 2))]


@pytest.mark.parametrize(
    "folds",
    [(3, 5), (StratifiedKFold(3), StratifiedKFold(5)), (OVERLAPPING[:1], OVERLAPPING[1:])],
    ids=["numbers", "splitters", "lists"],
)
def test_neighbours_on_different_folds_are_scored_apart(folds):
    X, y = load_wine(return_X_y=True)
    voters = [CVAccuracy(KNeighborsClassifier(k), cv=cv) for k, cv in zip((1, 3), folds, strict=True)]
    evaluator = Evaluator(as_rule(OrderVoting(voters)), X, y)
    assert evaluator.value((0, 6)) == np.mean([voter.bind(X, y).score([(0, 6)])[0] for voter in voters])
    assert evaluator.computed() == [("CVAccuracy", 1)] * 2


# the hybrid ---------------------------------------------------------------------------------------------------------


def slow_hybrid_step(filter, wrapper, lam, X, c, adding, rounding, pure_wrapper):
    """Definitions 4.1 and 4.2; ties at the border and in the end to the first."""
    pool = [f for f in range(D) if f not in X] if adding else X
    tuples = list(combinations(pool, c))
    after = [tuple(sorted({*X, *t} if adding else set(X) - set(t))) for t in tuples]
    T = comb(D - len(X), c) if adding else comb(len(X), c) - 1
    keep = max(1, floor(lam * T + (0.5 if rounding == "nearest" else 1e-9)))
    if lam == 1 and pure_wrapper:
        keep = len(tuples)
    ranked = sorted(range(len(tuples)), key=lambda i: (-filter[after[i]], i))[:keep]
    return after[max(sorted(ranked), key=lambda i: wrapper[after[i]])], keep


@settings(max_examples=150, deadline=None)
@given(
    ensembles(),
    ensembles(),
    st.sampled_from([0, 0.1, 0.25, 0.5, 0.7, 1]),
    st.integers(1, 2),
    st.sampled_from(["nearest", "floor"]),
    st.booleans(),
)
def test_hybrid_takes_the_slow_steps(filters, wrappers, lam, c, rounding, pure_wrapper):
    filter, wrapper = filters[0], wrappers[0]
    for adding in (True, False):
        X = () if adding else tuple(range(D))
        log, kept = [], []
        while (len(X) + c <= D) if adding else (len(X) - c >= c):
            X, keep = slow_hybrid_step(filter, wrapper, lam, X, c, adding, rounding, pure_wrapper)
            log.append(X)
            kept.append(keep)
        hybrid = Hybrid(Table(filter), Table(wrapper), lam, rounding, pure_wrapper)
        ev = evaluate(hybrid, lambda ev, walk=sfs if adding else sbs: walk(ev, None, c))
        assert [s for move, s, _, _ in ev.steps if move != "value"] == log
        assert len(ev.rows) == sum(kept) + (not adding)


@pytest.mark.parametrize("n", [5, 45, 85, 165])
def test_halves_round_up_in_decimals(n):
    """0.7 T ends in a half here, but not in binary."""
    table = {(f,): float(f) for f in range(n)}
    ev = Evaluator(as_rule(Hybrid(Table(table), Table(table), 0.7)), np.zeros((2, n)), np.array([0, 1]))
    ev.add(())
    assert ev.n_evaluations == (7 * n + 5) // 10


def test_lambda_one_is_the_wrapper_and_lambda_zero_asks_it_once_a_step():
    X, y = load_wine(return_X_y=True)
    knn = CVAccuracy(KNeighborsClassifier(3), cv=5)
    pure = DynamicOscillatingSearch(knn, depth=4).fit(X, y)
    hybrid = DynamicOscillatingSearch(Hybrid(Bhattacharyya(), knn, 1), depth=4).fit(X, y)
    assert hybrid.trace_.equals(pure.trace_)
    assert hybrid.path_.equals(pure.path_)
    zero = DynamicOscillatingSearch(Hybrid(Bhattacharyya(), knn, 0), depth=4).fit(X, y)
    assert zero.computed_[1] == ("CVAccuracy", len(set(zero.path_["features"])))  # one a step, the start included
    calls = [
        DynamicOscillatingSearch(Hybrid(Bhattacharyya(), knn, lam), depth=1).fit(X, y).n_evaluations_
        for lam in (0, 0.5, 1)
    ]
    assert calls[0] < calls[1] < calls[2]


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_a_removal_counts_one_candidate_less(rounding):
    """Eq. 25: T = C(5, 1) - 1."""
    table = {(f,): float(f) for f in range(5)} | {s: float(sum(s)) for s in SUBSETS}
    kept = {"nearest": {0.5: 2, 0.4: 2, 0.3: 1, 1: 4}, "floor": {0.5: 2, 0.4: 1, 0.3: 1, 1: 4}}[rounding]
    for lam, n in kept.items():
        ev = Evaluator(
            as_rule(Hybrid(Table(table), Table(table), lam, rounding, False)), np.zeros((2, 5)), np.array([0, 1])
        )
        ev.remove((0, 1, 2, 3, 4))
        assert ev.n_evaluations == n


def test_ties_at_the_cut_of_a_filter_go_to_the_lower_index():
    n = 200
    filter, wrapper = Table({(f,): float(f % 2) for f in range(n)}), Table({(f,): float(f) for f in range(n)})
    ev = Evaluator(as_rule(Hybrid(filter, wrapper, 0.25)), np.zeros((2, n)), np.array([0, 1]))
    ev.add(())
    assert [s for s in ev.rows] == [(f,) for f in range(1, 100, 2)]


def test_what_rules_stand_for():
    """The voters of Section 3.2, the wrapper of Section 4, and ten folds unless a search has others."""
    knn = KNeighborsClassifier(3)
    for rule in (BestScore(knn), OrderVoting(), OrderVoting([knn], main=knn), WeightedVoting([knn]), Hybrid(knn)):
        assert {c.cv for c in rule.resolved().members()} == {10}
        assert {c.cv for c in rule.resolved(4).members()} == {4}
        assert {c.cv for c in as_rule(rule, 4).members()} == {4}
        assert {c.cv for c in as_rule(rule).members()} == {10}
    assert [c.estimator.n_neighbors for c in OrderVoting().resolved().members()] == [1, 3, 5, 7]
    assert [c.estimator.n_neighbors for c in Hybrid(knn).resolved().members()] == [3, 5]
    resolved = Hybrid(knn, OrderVoting(), 0.25, "floor", False).resolved()
    assert (resolved.lam, resolved.rounding, resolved.pure_wrapper) == (0.25, "floor", False)
    assert [type(c) for c in OrderVoting([Bhattacharyya()]).resolved().members()] == [Bhattacharyya]
    assert OrderVoting([Bhattacharyya()]).resolved().monotone
    assert not OrderVoting([Bhattacharyya(), knn]).resolved().monotone
    assert OrderVoting([knn], main=Bhattacharyya()).resolved().monotone
    assert not OrderVoting([Bhattacharyya()], main=knn).resolved().monotone
    assert BestScore(Bhattacharyya()).resolved().monotone
    assert [c.estimator for c in OrderVoting([knn, knn]).resolved().compared()] == [knn, knn]
    assert [c.estimator for c in Hybrid(Bhattacharyya(), knn).resolved().compared()] == [knn]


KNN = KNeighborsClassifier(3)


@pytest.mark.parametrize(
    ("criterion", "within"),
    [
        (OrderVoting([Hybrid(Bhattacharyya(), KNN), KNN]), "Hybrid"),
        (WeightedVoting([OrderVoting(), KNN]), "OrderVoting"),
        (OrderVoting(main=WeightedVoting()), "WeightedVoting"),
        (Hybrid(OrderVoting(), KNN), "OrderVoting"),
        (Hybrid(Hybrid(Bhattacharyya(), KNN), KNN), "Hybrid"),
    ],
)
def test_rules_of_choice_cannot_vote_or_filter(criterion, within):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(
        ValueError,
        match=f"^{within} ranks candidates by other criteria .* cannot vote or filter",
    ):
        SFS(criterion, 2, cv=3).fit(X, y)


@pytest.mark.parametrize("rule", [OrderVoting(), WeightedVoting(), Hybrid(Bhattacharyya())], ids=repr)
def test_rules_of_choice_are_not_criteria(rule):
    assert not isinstance(rule, Criterion)
    assert not hasattr(rule, "bind")


def test_the_wrapper_of_a_hybrid_may_be_a_rule():
    X, y = load_wine(return_X_y=True)
    for wrapper in (OrderVoting([KNN]), Hybrid(Mahalanobis(), KNN, 0.5)):
        found = SFS(Hybrid(Bhattacharyya(), wrapper, 0.5), 3, cv=3).fit(X, y)
        assert found.score_ == CVAccuracy(KNN, cv=3).bind(X, y).score([tuple(np.flatnonzero(found.support_))])[0]

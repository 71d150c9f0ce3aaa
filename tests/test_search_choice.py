"""Selection rules against slow reference implementations written from the equations."""

from itertools import combinations
from math import comb, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_tables import Table, flat, moves, random_table, run, seeds, selected
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import Bhattacharyya, Criterion, CVAccuracy, Mahalanobis
from fscore.search import SBS, SFFS, SFS, Hybrid, OrderVoting, WeightedVoting
from fscore.search._rules import as_rule

KNN = KNeighborsClassifier(3)
X, Y = load_wine(return_X_y=True)
D = 5
VOTINGS = pytest.mark.parametrize("voting", [OrderVoting, WeightedVoting])


@st.composite
def ensembles(draw):
    """Tables with few levels (sixteenths: exact in binary), so that ties in scores, votes and averages happen."""
    rng = np.random.default_rng(draw(seeds))
    levels = draw(st.sampled_from([2, 4, 16]))
    n = draw(st.integers(1, 4))
    return [{s: v * levels / 16 for s, v in random_table(D, rng, levels).items()} for _ in range(n)]


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


@settings(max_examples=40, deadline=None)
@given(ensembles(), st.integers(1, 2))
@pytest.mark.parametrize(("voting", "coefficient"), [(OrderVoting, slow_alpha), (WeightedVoting, slow_beta)])
def test_voting_takes_the_slow_steps(voting, coefficient, tables, c):
    slow = SlowVoting(tables, coefficient)
    slow_sffs(slow, c)
    found = SFFS(voting([Table(t) for t in tables]), group_size=c).fit(*flat(D))
    assert found.path_["features"].tolist() == slow.log
    np.testing.assert_allclose(found.trace_["value"], [slow.J(s) for s in found.trace_["features"]], rtol=1e-12)


def elected(voting, *steps):
    """Which candidate wins each step; a step is a table of scores, a row for each candidate, a column for each voter.

    Step k adds to column n + k; its candidates are the columns below n, and all others come last.
    """
    n = len(steps[0])

    def voter(v):
        def score(columns):
            inside, bases = [c for c in columns if c < n], [c for c in columns if c >= n]
            if len(columns) == 1:
                return 0.0
            column = [row[v] for row in steps[min(bases) - n if bases else 0]]
            return column[inside[0]] if len(inside) == len(bases) == 1 else min(column) - 1

        return score

    chosen = []

    def walk(evaluator):
        for k in range(len(steps)):
            subset, _ = evaluator.add((n + k,))
            chosen.append(subset[0])
        return subset

    run(voting([Table(voter(v)) for v in range(len(steps[0][0]))]), walk, n + len(steps))
    return chosen


def test_rounding_breaks_no_tie():
    """Of running averages, and of shortfalls: both lack 0.3 in all, but in floating point the first lacks more."""
    end = [[0, 0, 0], [0, 0, 0], [-9, 0, 0]]
    sixteenths = [[5, 0, 0], [4, 0, 0], [5, 0, 0]], [[0, 0, 0], [1, 0, 0], [5, 0, 0]], end
    assert elected(WeightedVoting, *(np.array(step) / 16 for step in sixteenths)) == [0, 2, 0]
    lacking = np.array([[1.0, 1.0, 0.7], [0.9, 0.8, 1.0]])
    assert (lacking.max(axis=0) - lacking).mean(axis=1)[0] > (lacking.max(axis=0) - lacking).mean(axis=1)[1]
    assert elected(WeightedVoting, lacking) == [0]
    assert elected(OrderVoting, [[1e15], [2e15]]) == [1]  # large scores do not make ranks equal
    assert elected(WeightedVoting, [[1.0], [1.0 + 1e-9]]) == [1]


@VOTINGS
def test_a_criterion_that_avoids_all_candidates_leaves_the_choice_to_the_others(voting):
    avoids = np.array([[-np.inf, 5.0], [-np.inf, 8.0], [-np.inf, 2.0]])
    some = np.array([[3.0, 5.0], [-np.inf, 8.0], [4.0, 4.0]])
    assert elected(voting, avoids, avoids) == [1, 1]
    assert elected(voting, some)[0] != 1


OVERLAPPING = [(np.arange(178), np.arange(0, 178, 2)), (np.arange(178), np.arange(1, 178, 2))]


@pytest.mark.parametrize(
    "folds",
    [(3, 3), (3, 5), (StratifiedKFold(3), StratifiedKFold(5)), (OVERLAPPING[:1], OVERLAPPING[1:])],
    ids=["same", "numbers", "splitters", "lists"],
)
def test_neighbors_vote_by_their_own_folds(folds):
    voters = [CVAccuracy(KNeighborsClassifier(k), cv=cv) for k, cv in zip((1, 3), folds, strict=True)]
    found = SFS(OrderVoting(voters), 1, fixed=[0]).fit(X[:, [0, 6]], Y)
    assert found.score_ == np.mean([voter.bind(X, Y).score([(0,)])[0] for voter in voters])
    assert found.computed_ == [("CVAccuracy", 1)] * 2


def test_neighbors_that_vote_in_one_pass_score_as_they_do_alone_and_refuse_what_they_refuse_alone():
    weights = np.random.default_rng(0).uniform(0.5, 2, 178)
    voters = [CVAccuracy(KNeighborsClassifier(k, weights="distance"), cv=3) for k in (1, 5)]
    params = {"score": {"sample_weight": weights}}
    alone = [voter.bind(X, Y, params=params).score([(0, 6), (3,)]) for voter in voters]
    together = voters[0].bind(X, Y, params=params).for_neighbors([1, 5]).score([(0, 6), (3,)])
    np.testing.assert_array_equal(together, np.transpose(alone))
    with pytest.raises(ValueError, match="X holds dates"):
        SFS(OrderVoting(voters), 2).fit((1000 * X).astype("int64").astype("M8[s]"), Y)
    wrong = CVAccuracy(KNeighborsClassifier(1, weights="distance", leaf_size=-5), cv=3)
    for ensemble in ([*voters, wrong], [wrong, *voters]):
        with pytest.raises(ValueError, match="'leaf_size' parameter"):
            SFS(OrderVoting(ensemble), 2).fit(X, Y)


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


@settings(max_examples=80, deadline=None)
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
    hybrid = Hybrid(Table(filter), Table(wrapper), lam, rounding, pure_wrapper)
    for adding in (True, False):
        subset = () if adding else tuple(range(D))
        log, kept = [], []
        while (len(subset) + c <= D) if adding else (len(subset) - c >= c):
            subset, keep = slow_hybrid_step(filter, wrapper, lam, subset, c, adding, rounding, pure_wrapper)
            log.append(subset)
            kept.append(keep)
        found = (SFS if adding else SBS)(hybrid, group_size=c).fit(*flat(D))
        assert moves(found) == log
        assert found.n_evaluations_ == sum(kept) + (not adding)


@pytest.mark.parametrize("n", [5, 45, 85, 165])
def test_halves_round_up_in_decimals(n):
    """0.7 T ends in a half here, but not in binary."""
    J = Table(sum)
    assert run(Hybrid(J, J, 0.7), lambda ev: ev.add(())[0], n).n_evaluations_ == (7 * n + 5) // 10


def test_ties_at_the_cut_of_a_filter_go_to_the_lower_index():
    """Of many candidates, which a sort that is not stable would mix."""
    found = run(Hybrid(Table(lambda s: s[0] % 2), Table(sum), 0.25), lambda ev: ev.add(())[0], 200)
    assert found.trace_["features"].tolist() == [(f,) for f in range(1, 100, 2)]


def test_what_rules_stand_for():
    """The voters of Section 3.2, the wrapper of Section 4, and ten folds unless a search has others."""
    for rule in (OrderVoting(), OrderVoting([KNN], main=KNN), WeightedVoting([KNN]), Hybrid(KNN)):
        assert {c.cv for c in as_rule(rule).all_criteria()} == {10}
        assert {c.cv for c in as_rule(rule, 4).all_criteria()} == {4}
        assert not isinstance(rule, Criterion)
        assert not hasattr(rule, "bind")
    assert [c.estimator.n_neighbors for c in as_rule(OrderVoting()).all_criteria()] == [1, 3, 5, 7]
    assert [c.estimator.n_neighbors for c in as_rule(Hybrid(KNN)).all_criteria()] == [3, 5]
    assert [c.estimator for c in as_rule(OrderVoting([KNN, KNN])).main_criteria()] == [KNN, KNN]
    assert [c.estimator for c in as_rule(Hybrid(Bhattacharyya(), KNN)).main_criteria()] == [KNN]
    for voting, monotone in (
        (OrderVoting([Bhattacharyya()]), True),
        (OrderVoting([Bhattacharyya(), KNN]), False),
        (OrderVoting([KNN], main=Bhattacharyya()), True),
        (OrderVoting([Bhattacharyya()], main=KNN), False),
    ):
        assert as_rule(voting).monotone == monotone


@pytest.mark.parametrize("wrapper", [OrderVoting([KNN]), Hybrid(Mahalanobis(), KNN, 0.5)], ids=repr)
def test_the_wrapper_of_a_hybrid_may_be_a_rule(wrapper):
    found = SFS(Hybrid(Bhattacharyya(), wrapper, 0.5), 3, cv=3).fit(X, Y)
    assert found.score_ == CVAccuracy(KNN, cv=3).bind(X, Y).score([selected(found)])[0]

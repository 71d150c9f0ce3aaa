"""The evaluator by itself: what it computes, in which batches, and what it records; and the units of a search."""

from types import SimpleNamespace

import numpy as np
import pytest

from fscore.criteria import Criterion
from fscore.criteria._base import BoundCriterion
from fscore.search import ChoiceRule
from fscore.search._columns import column_numbers, searchable_units, start_units
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._rules import Candidates, as_rule


class Sums(Criterion, BoundCriterion):
    """The sum of the columns; bound to itself, and records what was asked."""

    batch = 2

    def bind(self, X, y, *, n_jobs=None, params=None):
        self.told, self.asked = (n_jobs, params), []
        return self

    def _score(self, subsets, base, adding):
        self.asked.append((list(subsets), base, adding))
        return np.array([float(sum(s)) for s in subsets])

    def sizes(self):
        """How many subsets were asked for at once, since the last time."""
        sizes = [len(subsets) for subsets, _, _ in self.asked]
        self.asked.clear()
        return sizes


def evaluator_of(criterion, n=4, **options):
    return Evaluator(as_rule(criterion), np.zeros((2, n)), np.array([0, 1]), **options)


def test_subsets_are_computed_once_in_batches_and_in_order():
    J = Sums()
    evaluator = evaluator_of(J, 6, fixed=(5,), units=[(0,), (1, 2), (3,)])
    assert evaluator.values([(0,), (1,), (0,), (0, 1), ()]).tolist() == [5, 8, 5, 8, 5]
    assert [s for batch, _, _ in J.asked for s in batch] == [(0, 5), (1, 2, 5), (0, 1, 2, 5), (5,)]
    assert max(J.sizes()) <= 2
    assert evaluator.values([(0, 1), (0,)]).tolist() == [8, 5]
    assert evaluator.computed() == [("Sums", 4)]


def test_the_empty_set_has_the_value_minus_infinity_and_is_no_evaluation():
    evaluator = evaluator_of(Sums())
    assert evaluator.values([(1,), (), (2,)]).tolist() == [1, -np.inf, 2]
    assert evaluator.value(()) == -np.inf
    assert evaluator.n_evaluations == 2


def test_a_step_is_scored_from_its_base():
    J = Sums()
    evaluator = evaluator_of(J, fixed=(3,), units=[(0,), (1,), (2,)])
    assert evaluator.add((1,)) == ((1, 2), 6)
    assert [(base, adding) for _, base, adding in J.asked] == [((1, 3), True)] * 2
    J.asked.clear()
    assert evaluator.remove((0, 1, 2)) == ((1, 2), 6)
    assert [(base, adding) for _, base, adding in J.asked] == [((0, 1, 2, 3), False)], "(0, 1) and (1, 2) are known"


def test_batches_grow_with_the_seconds_they_take(monkeypatch):
    """A batch should take 0.2 s, and has at most eight times the subsets of the one before it."""
    clock = SimpleNamespace(now=0.0, seconds=2**-10)
    clocks = SimpleNamespace(perf_counter=lambda: clock.now, monotonic=lambda: 0.0)
    monkeypatch.setattr("fscore.search._evaluator.time", clocks)

    class Slow(Sums):
        batch = 1000

        def _score(self, subsets, base, adding):
            clock.now += clock.seconds * len(subsets)
            return super()._score(subsets, base, adding)

    J = Slow()
    evaluator = evaluator_of(J, 1000)
    evaluator.values([(0,), *((i, i + 1) for i in range(900))])
    assert J.sizes() == [1, 1, 8, 64, 204, 204, 204, 204, 11]  # single columns for themselves
    clock.seconds = 2**-4
    evaluator.values([(i, i + 2) for i in range(210)])
    assert J.sizes() == [204, 3, 3]
    clock.seconds = 1
    evaluator.values([(i, i + 3) for i in range(5)])
    assert J.sizes() == [3, 1, 1]


def test_a_step_that_shares_its_work_is_scored_in_the_largest_batches():
    def sizes(start, **options):
        J = Sums()
        vars(J).update(options)
        evaluator_of(J, 9).add(start)
        return J.sizes()

    assert sizes((0,), batch=3, shares_work=lambda n_columns: True) == [3, 3, 2]
    assert sizes((), batch=3, shares_work=lambda n_columns: True)[0] == 1  # nothing to share yet
    assert sizes((0,), batch=3)[0] == 1
    assert sizes((0,), batch=None) == [8]
    assert sizes((), batch=None) == [9]
    assert sizes((0,), batch=5, least=4)[0] == 4
    assert sizes((0,), batch=3, least=4)[0] == 3


def test_a_record_by_hand():
    """Six columns: 5 is fixed and counts for two units; the units are 0, (1, 2) and 3."""
    evaluator = evaluator_of(Sums(), 6, units=[(0,), (1, 2), (3,)], fixed=(5,), n_fixed=2)
    for table, names in (
        (evaluator.trace(), {"features": "O", "size": "i", "value": "f", "step": "i"}),
        (evaluator.path(), {"move": "O", "features": "O", "size": "i", "value": "f", "n_evaluations": "i"}),
        (evaluator.best_per_size(), {"value": "f", "support": "O"}),
    ):
        assert {name: kind.kind for name, kind in table.dtypes.items()} == names
        assert table.empty
    assert evaluator.best() is None
    assert evaluator.best(1) is None
    evaluator.values([(0,), ()])
    evaluator.remove((0, 1))
    evaluator.values([(0, 1), (0,)])
    assert evaluator.trace().to_dict("list") == {
        "features": [(0, 5), (5,), (1, 2, 5), (0, 1, 2, 5)],
        "size": [3, 2, 3, 4],
        "value": [5.0, 5.0, 8.0, 8.0],
        "step": [0, 0, 1, 2],
    }
    assert evaluator.path().to_dict("list") == {
        "move": ["value", "remove", "value"],
        "features": [(0, 5), (1, 2, 5), (0, 1, 2, 5)],
        "size": [3, 3, 4],
        "value": [5.0, 8.0, 8.0],
        "n_evaluations": [2, 3, 4],
    }
    best = evaluator.best_per_size()
    assert best.to_dict("list") == {"value": [5, 8, 8], "support": [(5,), (1, 2, 5), (0, 1, 2, 5)]}
    assert best.index.tolist() == [2, 3, 4]
    assert best.index.name == "size"
    assert [evaluator.best(size) for size in (None, 0, 1, range(2, 4), 3)] == [(1,), (), (1,), (0, 1), None]
    assert [evaluator.known_value(s) for s in ((0,), (1,))] == [5.0, 8.0]
    evaluator.forget()
    evaluator.values([(1, 2), ()])
    assert (len(evaluator.trace()), len(evaluator.path()), evaluator.n_evaluations) == (0, 0, 5)
    assert evaluator.best() == (1, 2)


def test_time_stops_a_search_that_has_scored_something(monkeypatch):
    clock = SimpleNamespace(perf_counter=lambda: 0.0, monotonic=lambda: next(now))
    now = iter([10.0, 11.0, 12.0, 12.1])
    monkeypatch.setattr("fscore.search._evaluator.time", clock)
    evaluator = evaluator_of(Sums(), max_seconds=2)
    evaluator.check_time()  # nothing scored: the clock is not asked
    evaluator.value((0,))  # asks once
    evaluator.check_time()  # two seconds have passed, not more
    with pytest.raises(SearchStopped, match=r"^seconds$"):
        evaluator.check_time()


def test_a_budget_of_evaluations_is_spent_before_it_stops():
    evaluator = evaluator_of(Sums(), max_evaluations=2)
    with pytest.raises(SearchStopped, match=r"^evaluations$"):
        evaluator.values([(0,), (0,), (), (1,), (2,), (0,)])
    assert list(evaluator.rows) == [(0,), (1,)]
    assert evaluator.values([(1,), (0,)]).tolist() == [1, 0]
    with pytest.raises(SearchStopped):
        evaluator.value((2,))
    assert evaluator.n_evaluations == 2


def test_a_stop_in_the_middle_keeps_the_batches_before_it():
    class Interrupted(Sums):
        def _score(self, subsets, base, adding):
            if (2,) in subsets:
                raise KeyboardInterrupt
            return super()._score(subsets, base, adding)

    evaluator = evaluator_of(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        evaluator.values([(0,), (1,), (2,)])
    assert (0,) in evaluator.rows


class Scored(Sums):
    """One more score, by the name given."""

    def __init__(self, name):
        self.name = name

    def further_scores(self, subsets):
        return {self.name: [len(s) for s in subsets]}


def test_further_scores_are_columns_of_the_trace():
    evaluator = evaluator_of(Scored("length"), 3, fixed=(2,), units=[(0,), (1,)])
    evaluator.values([(0,), (0, 1)])
    assert evaluator.trace()[["value", "length"]].to_numpy().tolist() == [[2, 2], [3, 3]]
    sentence = r"^scoring has the name 'value', which is a column of the trace; choose another name\.$"
    with pytest.raises(ValueError, match=sentence):
        evaluator_of(Scored("value")).trace()


def test_a_criterion_is_told_the_number_of_jobs_and_the_metadata():
    for given, want in ({}, (None, {})), ({"n_jobs": 2, "params": {"fit": {"w": 1}}}, (2, {"fit": {"w": 1}})):
        evaluator_of(J := Sums(), **given)
        assert J.told == want


def test_a_rule_of_ones_own_picks_by_its_members_and_keeps_what_it_likes():
    class Second(ChoiceRule):
        """The second best, and every other time the best."""

        def __init__(self, criterion):
            self.criterion = criterion

        def resolved(self, cv=10):
            return self

        def members(self):
            return [self.criterion]

        def choose(self, evaluator, candidates):
            evaluator.memory["n"] = evaluator.memory.get("n", 0) + 1
            assert candidates.change(0) == (0,)
            order = np.argsort(-evaluator.scores(candidates, self.criterion))
            return int(order[evaluator.memory["n"] % 2])

    evaluator = evaluator_of(Second(Sums()))
    assert evaluator.add(()) == ((2,), 2)
    assert evaluator.add((2,)) == ((2, 3), 5)
    assert list(evaluator.rows) == [(2,), (2, 3)]
    part = Candidates([(0,), (1,), (2,)], ()).at([2, 0])
    assert (part.subsets, part.base, part.adding) == ([(2,), (0,)], (), True)


# units --------------------------------------------------------------------------------------------------------------


def test_units_by_hand():
    """Columns 1 and 4 stay together and one of them is fixed; 2 and 5 stay together and one of them is excluded."""
    assert searchable_units(7, [[5, 2, 2], [4, 1]], [1], [2]) == ([(0,), (3,), (6,)], (1, 4), 1)
    assert searchable_units(4, [[3, 1]], [0, 2], []) == ([(1, 3)], (0, 2), 2)
    assert searchable_units(2, [], [1], [0]) == ([], (1,), 1)
    assert start_units([0, 1, 2, 3], [(0,), (1, 3), (4,)], [2]) == (0, 1)
    evaluator = evaluator_of(Sums(), 7, units=[(4, 1), (0,)], fixed=[6, 3])
    assert (evaluator.n, evaluator.fixed, evaluator.n_fixed) == (2, (3, 6), 2)
    assert [evaluator.columns(s) for s in ((), (0,), (0, 1))] == [(3, 6), (1, 3, 4, 6), (0, 1, 3, 4, 6)]
    assert evaluator_of(Sums(), 3, units=[(0,), (2,)]).columns((1,)) == (2,)


@pytest.mark.parametrize(
    ("columns", "want"),
    [
        ([0, -1, np.int64(2)], [0, 3, 2]),
        ([-4, 3], [0, 3]),
        ((), []),
        (["c", "a", 1], [2, 0, 1]),
        ([False, True, True, False], [1, 2]),
        (np.array([True, False, False, True]), [0, 3]),
    ],
)
def test_columns_by_number_name_or_mask(columns, want):
    assert column_numbers(columns, "fixed", 4, np.array(["a", "b", "c", "d"], dtype=object)) == want

"""Values, record and choice each work without the other two."""

import re
from pathlib import Path

import numpy as np
import pytest

import fscore.search
from fscore.criteria import Criterion
from fscore.criteria._base import BoundCriterion
from fscore.search import Hybrid, OrderVoting, SearchStopped, WeightedVoting
from fscore.search._candidates import Candidates, Valuer
from fscore.search._choice import best_value
from fscore.search._recorder import Recorded, Recorder
from fscore.search._units import SearchSpace
from fscore.search._values import BoundData, CriterionValues

MAY_IMPORT = {
    "_candidates": set(),
    "_units": set(),
    "_cache": {"_file_lock"},
    "_values": {"_candidates", "_cache"},
    "_recorder": {"_candidates"},
    "_choice": {"_candidates"},
    "_voting": {"_candidates", "_choice"},
    "_hybrid": {"_candidates", "_choice"},
}


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_no_part_imports_another(part):
    source = (Path(fscore.search.__file__).parent / f"{part}.py").read_text(encoding="utf-8")
    used = set(re.findall(r"from fscore\.search\.(_\w+) import", source))
    assert used <= MAY_IMPORT[part]


class Sums(BoundCriterion):
    """The sum of the columns; records what was asked."""

    batch = 2

    def __init__(self):
        self.asked = []

    def values(self, subsets):
        self.asked.append(list(subsets))
        return np.array([float(sum(s)) for s in subsets])


def test_values_are_computed_once_in_batches_and_in_order():
    bound = Sums()
    values = CriterionValues("sums", bound, SearchSpace(6, fixed=(5,), units=[(0,), (1, 2), (3,)]), {})
    candidates = Candidates([(0,), (1,), (0,), (0, 1), ()])
    assert np.concatenate(list(values.batches(candidates))).tolist() == [5, 8, 5, 8, 5]
    assert [s for batch in bound.asked for s in batch] == [(0, 5), (1, 2, 5), (0, 1, 2, 5), (5,)]
    assert max(map(len, bound.asked)) <= 2
    assert values.values(Candidates([(0, 1), (0,)])).tolist() == [8, 5]
    assert values.n_computed == 4


def test_the_empty_set_has_the_value_minus_infinity():
    values = CriterionValues("sums", Sums(), SearchSpace(3), {})
    assert values.values(Candidates([(1,), (), (2,)])).tolist() == [1, -np.inf, 2]
    assert values.values(Candidates([()])).tolist() == [-np.inf]


def test_a_step_is_valued_from_its_base():
    values = CriterionValues("sums", Sums(), SearchSpace(4), {})
    assert values.values(Candidates.of_step((1, 2), [(0,), (3,)], True)).tolist() == [3, 6]
    assert values.values(Candidates.of_step((1, 2, 3), [(1,), (2, 3)], False)).tolist() == [5, 1]


def test_an_undefined_value_of_a_panel_names_its_columns():
    class Panel(Sums):
        def values(self, subsets):
            return np.array([[sum(s), np.nan if s == (2,) else 0.0] for s in subsets])

    values = CriterionValues("panel", Panel(), SearchSpace(4), {})
    assert values.values(Candidates([(3,), (), (1,)])).tolist() == [[3, 0], [-np.inf, -np.inf], [1, 0]]
    with pytest.raises(ValueError, match=r"^panel is NaN for the columns \(2,\); "):
        values.values(Candidates([(0,), (2,)]))


def test_bound_data_counts_what_it_computes():
    class Summing(Criterion):
        def _bind(self, X, y, n_jobs, params):
            return Sums()

    data = BoundData(np.zeros((2, 3)), np.array([0, 1]), SearchSpace(3))
    valuer = data.values_of(Summing())
    valuer.values(Candidates([(0,), (1,), (0,)]))
    assert data.counts() == [("Summing", 2)]
    data.forget()
    valuer.values(Candidates([(0,)]))
    assert data.counts() == [("Summing", 3)]


class Table(Valuer):
    """Values from a dictionary of subsets, one batch for each."""

    def __init__(self, table):
        self.table = table

    def batches(self, candidates):
        for s in candidates.subsets:
            yield np.array([self.table[s]])


def test_a_recorder_stops_at_its_budget():
    recorder = Recorder(SearchSpace(3), max_evaluations=2)
    recorded = Recorded(Table({(0,): 1.0, (1,): 3.0, (2,): 2.0}), recorder)
    with pytest.raises(SearchStopped, match="evaluations"):
        recorded.values(Candidates([(0,), (1,), (0,), (2,)]))
    assert [s for s, _, _ in recorder.rows] == [(0,), (1,)]
    assert recorder.best() == (1,)
    assert recorded.values(Candidates([(0,), (1,)])).tolist() == [1, 3]
    assert recorder.n_evaluations == 2


def test_a_stop_in_the_middle_keeps_the_batches_before_it():
    recorder = Recorder(SearchSpace(3))
    with pytest.raises(KeyError):
        Recorded(Table({(0,): 1.0, (1,): 3.0}), recorder).values(Candidates([(0,), (1,), (2,)]))
    assert [s for s, _, _ in recorder.rows] == [(0,), (1,)]


def test_rules_choose_from_any_values():
    step = Candidates.of_step((), [(0,), (1,), (2,)], True)
    J = Table({(0,): 1.0, (1,): 3.0, (2,): 3.0})
    assert best_value(J, step) == (1, 3.0)

    class Fixed(Criterion):
        """Stands for a table."""

        def __init__(self, table=None):
            self.table = table

    def valuer(criterion):
        return Table(criterion.table)

    low, high = Fixed({(0,): 3.0, (1,): 2.0, (2,): 1.0}), Fixed(J.table)
    J_, choose = Hybrid(low, high, 0.7).resolved().begin(valuer)
    assert choose(J_, step) == (1, 3.0)
    J_, choose = Hybrid(low, high, 0).resolved().begin(valuer)
    assert choose(J_, step) == (0, 1.0)
    J_, choose = OrderVoting([low, high, high]).resolved().begin(valuer)  # average ranks 5/3, 4/3, 5/3
    assert choose(J_, step) == (1, pytest.approx((2 + 3 + 3) / 3))
    J_, choose = WeightedVoting([low, high]).resolved().begin(valuer)  # average shortfalls 1, 1/2, 1
    assert choose(J_, step) == (1, 2.5)

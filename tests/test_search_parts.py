"""Values, record and choice each work without the other two."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fscore.search
from fscore.criteria import Criterion
from fscore.criteria._base import BoundCriterion
from fscore.search import Evaluator, Hybrid, OrderVoting, SearchStopped, WeightedVoting
from fscore.search._candidates import Candidates, Valuer
from fscore.search._choice import best_value
from fscore.search._recorder import Recorded, Recorder
from fscore.search._units import SearchSpace, column_numbers, frame_or_array, searchable_units, start_units
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


def test_batches_grow_with_the_seconds_they_take(monkeypatch):
    """A batch should take 0.2 s, and has at most eight times the subsets of the one before it."""
    clock = SimpleNamespace(now=0.0, seconds=2**-10)
    monkeypatch.setattr("fscore.search._values.time", SimpleNamespace(perf_counter=lambda: clock.now))

    class Slow(Sums):
        batch = 1000

        def values(self, subsets):
            clock.now += clock.seconds * len(subsets)
            return super().values(subsets)

    values = CriterionValues("sums", Slow(), SearchSpace(1000), {})

    def batches(*subsets):
        return [len(batch) for batch in values.batches(Candidates(list(subsets)))]

    pairs = [(i, i + 1) for i in range(900)]
    assert batches((0,), *pairs) == [1, 1, 8, 64, 204, 204, 204, 204, 11]  # single columns for themselves
    clock.seconds = 2**-4
    assert batches(*((i, i + 2) for i in range(210))) == [204, 3, 3]
    clock.seconds = 1
    assert batches(*((i, i + 3) for i in range(5))) == [3, 1, 1]


def test_a_step_that_shares_its_work_is_valued_in_the_largest_batches():
    def batches(step, **options):
        bound = Sums()
        vars(bound).update(options)
        return [len(batch) for batch in CriterionValues("sums", bound, SearchSpace(9), {}).batches(step)]

    step = Candidates.of_step((0,), [(u,) for u in range(1, 9)], True)
    first = Candidates.of_step((), [(u,) for u in range(1, 9)], True)
    assert batches(step, batch=3, shares_work=lambda n_columns: True) == [3, 3, 2]
    assert batches(first, batch=3, shares_work=lambda n_columns: True)[0] == 1  # nothing to share yet
    assert batches(step, batch=3)[0] == 1
    assert batches(step, batch=None) == batches(first, batch=None) == [8]
    assert batches(step, batch=5, least=4)[0] == 4
    assert batches(step, batch=3, least=4)[0] == 3


def test_units_by_hand():
    """Columns 1 and 4 stay together and one of them is fixed; 2 and 5 stay together and one of them is excluded."""
    assert searchable_units(7, [[5, 2, 2], [4, 1]], [1], [2]) == ([(0,), (3,), (6,)], (1, 4), 1)
    assert searchable_units(4, [[3, 1]], [0, 2], []) == ([(1, 3)], (0, 2), 2)
    assert searchable_units(2, [], [1], [0]) == ([], (1,), 1)
    assert start_units([0, 1, 2, 3], [(0,), (1, 3), (4,)], [2]) == (0, 1)
    space = SearchSpace(7, [(4, 1), (0,)], [6, 3])
    assert (space.n, space.fixed, space.n_fixed) == (2, (3, 6), 2)
    assert space.columns_of((0, 1)) == (0, 1, 4)
    assert space.columns((0,)) == (1, 3, 4, 6)
    assert space.all_columns([(), (1,)]) == [(3, 6), (0, 3, 6)]
    assert space.support((1,)).dtype == bool
    assert space.support((1,)).tolist() == [True, False, False, True, False, False, True]
    assert SearchSpace(3, fixed=(1,), n_fixed=4).n_fixed == 4
    assert SearchSpace(3).all_columns([(0, 2)]) == [(0, 2)]
    assert SearchSpace(3, [(0,), (2,)]).columns_of((1,)) == (2,)


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


def test_candidates_of_a_step():
    step = Candidates.of_step((1, 3), [(0,), (2, 4)], True)
    assert (step.subsets, step.base, step.tuples) == ([(0, 1, 3), (1, 2, 3, 4)], (1, 3), [(0,), (2, 4)])
    last = step.at([1])
    assert (last.subsets, last.base, last.tuples, last.adding) == ([(1, 2, 3, 4)], (1, 3), [(2, 4)], True)
    back = Candidates.of_step((1, 3), [(3,), (1,)], False).at([1, 0])
    assert (back.subsets, back.tuples, back.adding) == ([(3,), (1,)], [(1,), (3,)], False)
    plain = Candidates([(0,), (1,)]).at([1])
    assert (plain.subsets, plain.base, plain.tuples, plain.adding) == ([(1,)], None, None, False)


def test_a_record_by_hand():
    """Six columns: 5 is fixed and counts for two units; the units are 0, (1, 2) and 3."""
    recorder = Recorder(SearchSpace(6, [(0,), (1, 2), (3,)], (5,), 2))
    assert recorder.best() is None
    assert recorder.best(1) is None
    recorder.record([(0,), ()], np.array([1.0, 0.5]))
    recorder.record_step("add", (0,), 1.0)
    recorder.record([(1,), (0,), (0, 1)], np.array([1.0, 1.0, 2.0]))
    recorder.record_step("remove", (0, 1), 2.0)
    recorder.record([(0, 2), (0, 1, 2)], np.array([2.0, 2.0]))
    assert recorder.trace().to_dict("list") == {
        "features": [(0, 5), (5,), (1, 2, 5), (0, 1, 2, 5), (0, 3, 5), (0, 1, 2, 3, 5)],
        "size": [3, 2, 3, 4, 4, 5],
        "value": [1.0, 0.5, 1.0, 2.0, 2.0, 2.0],
        "step": [0, 0, 1, 1, 2, 2],
    }
    assert recorder.course().to_dict("list") == {
        "move": ["add", "remove"],
        "features": [(0, 5), (0, 1, 2, 5)],
        "size": [3, 4],
        "value": [1.0, 2.0],
        "n_evaluations": [2, 4],
    }
    best = recorder.best_per_size()
    assert best.to_dict("list") == {"value": [0.5, 1, 2, 2], "support": [(5,), (0, 5), (0, 1, 2, 5), (0, 1, 2, 3, 5)]}
    assert best.index.tolist() == [2, 3, 4, 5]
    assert best.index.name == "size"
    assert [recorder.best(size) for size in (None, 1, 2)] == [(0, 1), (0,), (0, 1)]
    assert [recorder.known_value(s) for s in ((0,), (1,), (0, 2))] == [1.0, 1.0, 2.0]
    recorder.forget()
    recorder.record([(1, 2)], np.array([3.0]))
    recorder.record_step("value", (1, 2), 3.0)
    assert (len(recorder.trace()), len(recorder.course()), recorder.n_evaluations) == (0, 0, 7)
    assert recorder.best() == (1, 2)
    without_fixed = Recorder(SearchSpace(3))
    without_fixed.record([()], np.array([-np.inf]))
    assert without_fixed.n_evaluations == 0


def test_tables_of_nothing_have_their_types():
    recorder = Recorder(SearchSpace(3))
    kinds = {"features": "O", "size": "i", "value": "f", "step": "i", "move": "O", "n_evaluations": "i", "support": "O"}
    for table in (recorder.trace(), recorder.course(), recorder.best_per_size()):
        assert {name: kind.kind for name, kind in table.dtypes.items()} == {name: kinds[name] for name in table}


def test_time_stops_a_search_that_has_valued_something(monkeypatch):
    now = iter([10.0, 11.0, 12.0, 12.1])
    monkeypatch.setattr("fscore.search._recorder.time", SimpleNamespace(monotonic=lambda: next(now)))
    recorder = Recorder(SearchSpace(3), max_seconds=2)
    recorder.check_time()  # nothing valued: the clock is not asked
    recorder.record([(0,)], np.array([1.0]))
    recorder.check_time()
    recorder.check_time()  # two seconds have passed, not more
    with pytest.raises(SearchStopped, match=r"^seconds$"):
        recorder.check_time()


def test_values_are_given_out_before_a_budget_stops_the_search():
    recorder = Recorder(SearchSpace(3), max_evaluations=2)
    recorded = Recorded(Table({(0,): 1.0, (1,): 3.0}), recorder)
    batches = recorded.batches(Candidates([(0,), (0,), (1,), (2,), (0,)]))
    assert [next(batches).tolist() for _ in range(3)] == [[1], [1], [3]]
    with pytest.raises(SearchStopped, match=r"^evaluations$"):
        next(batches)
    with pytest.raises(SearchStopped):
        recorded.values(Candidates([(2,)]))
    assert recorder.n_evaluations == 2


class Scored(Criterion):
    """Sums, and one more score by the name given."""

    def __init__(self, name):
        self.name = name

    def _bind(self, X, y, n_jobs, params):
        bound = Sums()
        bound.further_scores = lambda subsets: {self.name: [len(s) for s in subsets]}
        return bound


def test_further_scores_are_columns_of_the_trace():
    X, y = np.zeros((2, 3)), np.array([0, 1])
    ev = Evaluator(Scored("length"), X, y, fixed=(2,), units=[(0,), (1,)])
    ev.values([(0,), (0, 1)])
    assert ev.trace()[["value", "length"]].to_numpy().tolist() == [[2, 2], [3, 3]]
    sentence = r"^scoring has the name 'value', which is a column of the trace; choose another name\.$"
    with pytest.raises(ValueError, match=sentence):
        Evaluator(Scored("value"), X, y).trace()


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


def test_an_evaluator_by_itself_remembers_values_and_shows_no_progress(capfd):
    evaluator = Evaluator(Scored("length"), np.zeros((2, 3)), np.array([0, 1]))
    assert [evaluator.value((2,)) for _ in range(2)] == [2, 2]
    assert evaluator.data.counts() == [("Scored", 1)]
    evaluator.close()
    assert capfd.readouterr().err == ""


def test_an_evaluator_without_a_trace_remembers_the_best_of_each_size_only():
    evaluator = Evaluator(Scored("length"), np.zeros((2, 3)), np.array([0, 1]), keep_trace=False)
    evaluator.values([(0,), (2,), (0, 1), (0,)])
    assert (len(evaluator.recorder.trace()), len(evaluator.recorder.course())) == (0, 0)
    assert evaluator.recorder.best_of_size == {1: ((2,), 2.0), 2: ((0, 1), 1.0)}


def test_a_criterion_is_told_the_number_of_jobs_and_the_metadata():
    told = []

    class Told(Criterion):
        def _bind(self, X, y, n_jobs, params):
            told.append((n_jobs, params))
            return Sums()

    X, y = np.zeros((2, 3)), np.array([0, 1])
    for given in {}, {"n_jobs": 2, "params": {"fit": {"weight": 1}}}:
        Evaluator(Told(), X, y, **given)
    assert told == [(None, {}), (2, {"fit": {"weight": 1}})]


def test_frames_of_pandas_and_polars_are_passed_on_as_they_are(monkeypatch):
    monkeypatch.setattr("fscore.search._units.is_polars_df", lambda X: X == "frame of polars")
    frame = pd.DataFrame({"a": [1]})
    assert frame_or_array(frame, "checked") is frame
    assert frame_or_array("frame of polars", "checked") == "frame of polars"
    assert frame_or_array([[1]], "checked") == "checked"


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

"""Units of work: seeds, cache and order; and what a source file tells Python to do and reaches."""

import json
import signal

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor

from compendium.papers import imported_names, names_reached
from compendium.units import checksum, of_version, recording, run_units, seed_for, uncached

KEYS = st.lists(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False)), max_size=4)


@given(KEYS, KEYS)
def test_seeds_depend_on_the_key_alone(one, other):
    assert seed_for(*one) == seed_for(*one)
    assert 0 <= seed_for(*one) < 2**32
    if repr(one) != repr(other):
        assert seed_for(*one) != seed_for(*other)  # 1 in 4e9 by chance


def measured(number, folder):
    """A unit that writes a file each time it runs."""
    with open(f"{folder}/ran", "a", encoding="utf-8") as stream:
        stream.write(f"{number}\n")
    if number == 13:
        raise RuntimeError("unlucky")
    return [{"number": number, "square": number**2}, {"number": number, "square": -(number**2)}]


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Numbers of the units that ran so far, in order."""
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path / "cache"))

    def read():
        file = tmp_path / "ran"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    read.folder = str(tmp_path)
    return read


def units(ran, numbers):
    return [{"number": number, "folder": ran.folder} for number in numbers]


def test_units_run_once_keep_their_order_and_run_again_in_a_new_version(ran):
    assert run_units(measured, units(ran, [3, 1]))["number"].tolist() == [3, 3, 1, 1]
    assert run_units(measured, units(ran, [1, 2, 3]))["number"].tolist() == [1, 1, 2, 2, 3, 3]
    assert ran() == [3, 1, 2]
    with uncached():
        assert run_units(measured, units(ran, [1]))["square"].tolist() == [1, -1]
    with of_version(2):
        run_units(measured, units(ran, [1]))
    run_units(measured, units(ran, [1]), version=3)
    assert ran() == [3, 1, 2, 1, 1, 1]


def test_processors_do_not_change_the_table(ran, monkeypatch):
    one = run_units(measured, units(ran, range(5)))
    monkeypatch.setenv("FSCORE_CACHE", ran.folder + "/other")
    with parallel_config(n_jobs=2):
        assert run_units(measured, units(ran, range(5))).equals(one)
    assert len(ran()) == 10


def interruptible(number):
    return [{"number": number, "ignored": signal.getsignal(signal.SIGINT) is signal.SIG_IGN}]


def test_workers_leave_ctrl_c_to_their_parent_from_the_moment_they_start(ran):
    get_reusable_executor().shutdown(kill_workers=True)  # workers of another test
    before = signal.getsignal(signal.SIGINT)
    with parallel_config(n_jobs=2):
        assert run_units(interruptible, [{"number": 1}, {"number": 2}])["ignored"].all()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_study_resumes(ran):
    with pytest.raises(RuntimeError, match="unlucky"):
        run_units(measured, units(ran, [1, 2, 13, 4]))
    done = ran()
    assert done[:3] == [1, 2, 13]
    table = run_units(measured, units(ran, [1, 2, 4]))
    assert table["number"].tolist() == [1, 1, 2, 2, 4, 4]
    assert ran().count(1) == ran().count(2) == 1


def count_rows(dataset, folder):
    with open(f"{folder}/ran", "a", encoding="utf-8") as stream:
        stream.write("1\n")
    return [{"dataset": dataset}]


def test_a_changed_file_is_measured_again(ran, tmp_path):
    file = tmp_path / "mine.csv"
    for content in ("a,y\n1,0\n", "a,y\n2,0\n", "a,y\n2,0\n"):
        file.write_text(content)
        run_units(count_rows, [{"dataset": str(file), "folder": ran.folder}])
    assert ran() == [1, 1]


def test_a_cache_that_others_can_write_is_refused(ran, tmp_path):
    run_units(measured, units(ran, [1]))
    (tmp_path / "cache").chmod(0o777)
    with pytest.raises(PermissionError, match=r"others can write to the cache .* FSCORE_CACHE"):
        run_units(measured, units(ran, [1]))


def test_units_are_recorded_also_from_the_cache(ran):
    run_units(measured, units(ran, [2]))
    with recording() as records:
        run_units(measured, units(ran, [1, 2]))
    assert ran() == [2, 1]
    assert [record["arguments"]["number"] for record in records] == [1, 2]
    assert {record["function"] for record in records} == {f"{__name__}.measured"}
    assert records[1]["checksum"] == checksum([{"number": 2, "square": 4}, {"number": 2, "square": -4}])[0]
    assert all(record["seconds"] >= 0 for record in records)


CELLS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | st.text(max_size=5)
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS | st.tuples(CELLS, CELLS), max_size=3), max_size=4)


def same(one, other):
    (value, size), (compared, _) = checksum(one), checksum(other)
    return abs(value - compared) <= 1e-9 * size


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # beside other work
@given(ROWS)
def test_rows_read_from_json_have_the_same_checksum(rows):
    assert checksum(json.loads(json.dumps(rows))) == checksum(rows)


@pytest.mark.parametrize(
    ("change", "equal"),
    [
        ({"value": 0.25 * (1 + 1e-12)}, True),
        ({"value": 0.25 * (1 + 1e-6)}, False),
        ({"value": np.float32(0.25)}, True),
        ({"value": -0.25}, False),
        ({"value": float("nan")}, False),
        ({"metric": "seconds", "value": 7.0}, False),
        ({"features": "0 2"}, False),
        ({"evaluations": 12346}, False),
        ({"seconds": 9.0}, True),
        ({"subset": (1, 3)}, False),
        ({"subset": [1, 2]}, True),
    ],
)
def test_a_checksum_changes_with_a_cell_and_with_no_duration(change, equal):
    row = {"metric": "rate", "value": 0.25, "features": "0 1", "evaluations": 12345, "seconds": 1.0, "subset": (1, 2)}
    others = [{**row, "value": value} for value in (0.5, 0.75, 1.0)]
    assert same([row, *others], [{**row, **change}, *others]) == equal


def test_a_checksum_depends_on_the_order_of_rows_and_not_on_timed_rows():
    rows = [{"metric": "rate", "value": 0.5}, {"metric": "size", "value": 2.0}, {"metric": "seconds", "value": 1.0}]
    assert not same(rows, [rows[1], rows[0], rows[2]])
    assert same(rows, [*rows[:2], {"metric": "seconds", "value": 5.0}])


def test_names_are_reached_by_way_of_the_modules_of_papers():
    assert imported_names("from .. import store\nimport os.path as p\nfrom a import b as c", "pack.inner") == {
        "pack.store",
        "os.path",
        "a.b",
    }
    reached = names_reached("somol2011.fragility")
    assert {"fscore.search.SFFS", "sklearn.neighbors.KNeighborsClassifier"} <= reached, "somol2011.protocol imports one"
    assert not {"joblib.Memory", "numpy.absent"} & reached, "compendium.units imports it"
    assert names_reached("nothing.at_all") == set()

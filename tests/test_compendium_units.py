"""Units of work: seeds, cache and order; and what a source file tells Python to do and reaches."""

import json
import signal

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor

from compendium import source_code
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


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package that replaces ours and imports in all the usual ways."""
    files = {
        "__init__.py": "",
        "left/__init__.py": '"""Re-exports."""\nfrom .inner import f\nfrom .other import h\n__all__ = ["f", "h"]',
        "left/inner.py": "def f():\n    from pack.deep import g\n    return g",
        "left/other.py": "def h(): ...",
        "deep.py": "import numpy",
        "active/__init__.py": "from pack.deep import g\n\nREGISTRY = {}",
        "active/part.py": "",
        "right/__init__.py": "",
        "right/one.py": "from ..left import f",
        "right/two.py": "import pack.deep as d",
        "right/three.py": "import pack.left",
        "right/four.py": "from pack.active.part import x",
        "alone.py": "",
    }
    for name, text in files.items():
        file = tmp_path / "pack" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(source_code, "_roots", lambda: (tmp_path,))
    forget()
    yield tmp_path / "pack"
    forget()


def forget():
    """Forget which files were read."""
    source_code.module_file.cache_clear()
    source_code.read_source.cache_clear()


def reached(*names):
    return {name.removeprefix("pack.") for name in source_code.reachable_modules([f"pack.{name}" for name in names])}


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("right.one", {"right.one", "left.inner", "deep"}),  # the module that defines a name
        ("right.two", {"right.two", "deep"}),
        ("left.f", {"left.inner", "deep"}),
        ("right.three", {"right.three", "left", "left.inner", "left.other", "deep"}),  # a package as a whole
        ("right.four", {"right.four", "active", "active.part", "deep"}),  # one that does more than re-export
        ("deep.nothing", {"deep"}),  # no module
    ],
)
def test_imports_are_followed(package, name, modules):
    assert reached(name) == modules
    assert source_code.reachable_modules(["numpy.linalg", "nothing.at.all"]) == {}


def digest_of_source(package, source):
    (package / "alone.py").write_text(source)
    forget()
    return source_code.read_source(package / "alone.py", "pack.alone").code


def test_digest_ignores_what_no_number_depends_on(package):
    def of(source):
        return digest_of_source(package, source)

    plain = of("class C:\n    size: int\n    def f(self, a, b=0):\n        return a + b\n")
    told = of(
        '"""Module."""\n\nif TYPE_CHECKING:\n    from pack.right.one import Other\n\n'
        '# Comment.\nclass C:\n    """Class."""\n\n    size: int\n\n'
        '    def f(self, a, b=(0)):\n        """Method."""\n        return (a\n + b)  # sum\n'
    )
    assert told == plain
    assert reached("alone") == {"alone"}
    changed = [
        "class C:\n    size: ClassVar[int]\n    def f(self, a, b=0):\n        return a + b\n",  # no field
        "if not TYPE_CHECKING:\n    import os\n",
        "class C:\n    size: int = parameter(1)\n    def f(self, a, b=0):\n        return a + b\n",
        "class C:\n    size: float = parameter(1)\n    def f(self, a, b=0):\n        return a + b\n",
        "class C:\n    size: int\n    def f(self, a, b=1):\n        return a + b\n",
        "class C:\n    size: int\n    def f(self, a, b=False):\n        return a + b\n",
        "class C:\n    size: int\n    def f(self, a, b=None):\n        return a + b\n",
        "class C:\n    size: int\n    def f(self, a, *, b=0):\n        return a + b\n",
        "class C:\n    size: int\n    @cache\n    def f(self, a, b=0):\n        return a + b\n",
        "class C:\n    size: int\n    def f(self, a, b=0):\n        return a - b\n",
        "class C:\n    size: int\n    def f(self, a, b=0):\n        return 'a + b'\n",
    ]
    assert len({plain, *map(of, changed)}) == 1 + len(changed)


def test_our_own_modules_can_be_read():
    reached = source_code.reachable_modules(["compendium.page", "fscore.filters.relieff"])
    assert {"compendium.verdicts", "fscore.datasets.registry", "fscore.filters.relief"} <= set(reached)
    assert "fscore.filters.mifs" not in source_code.reachable_modules(["fscore.filters.relieff"])

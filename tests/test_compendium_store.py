"""Experiments, the store of their tables, pages that show them, and the check that measures some of them again."""

import os
import re
import subprocess
import time

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from joblib import parallel_config

from compendium import store
from compendium.experiment import Experiment, ParameterError, Schema, experiment_of, parameter, parameters_cell, table
from compendium.page import Page
from compendium.papers import notebook_files
from compendium.runner.check import differing
from compendium.runner.measuring import moved, movements
from compendium.store import entries
from compendium.units import checksum, run_units, tidy
from fscore.datasets import DatasetUnavailableError, load


def cubes(dataset, number):
    """Unit of work of the toy."""
    return tidy({"dataset": dataset, "number": number}, {"cube": number**3, "seconds": time.perf_counter()})


def ladder(dataset, number):
    """Unit of work whose row holds an array."""
    return [{"dataset": dataset, "steps": np.arange(number)}]


class Toy(Experiment):
    """Squares and cubes; counts its measurements."""

    schema = Schema(squares=table("number", values="value pair"), cubes=table("dataset number metric"))
    measured = 0

    dataset: list[str] = parameter(["wine"], "data sets, or paths of CSV files", "data sets")
    n: int = parameter(5, "how many", "[2, 100]")
    share: float = parameter(0.5, "share kept", "(0, 1]")
    ks: list[int] = parameter([1, 3], "numbers of neighbors", "[1, 99]")
    target: str | None = parameter(None, "label column of a CSV file")
    scaling: str = parameter("raw", "scaling of the inputs", "{raw, minmax}")
    seed: int = parameter(0, "root of all random numbers", "[0, 9]")

    def measure(self):
        type(self).measured += 1
        values = np.arange(self.n) ** 2 / 3
        units = [{"dataset": self.dataset[0], "number": number} for number in range(self.n)]
        squares = pd.DataFrame({"number": range(self.n), "value": values, "pair": [(1, 2)] * self.n})
        return {"squares": squares, "cubes": run_units(cubes, units)}


Toy.__module__ = "hocke2014.toy"


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The toy with a store and a cache of its own."""
    monkeypatch.setattr(store, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(store, "DATA", tmp_path / "data")
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Toy, "measured", 0)
    with parallel_config(backend="sequential"):
        yield Toy


@pytest.fixture
def shown(monkeypatch):
    """HTML of everything that a page shows."""
    found = []
    monkeypatch.setattr("compendium.page.display", lambda html: found.append(html.data))
    return found


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """Only bundled data are here."""
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))


def text_of(shown):
    return " ".join(re.sub("<[^>]+>", " ", "".join(shown)).split())


# Experiments ----------------------------------------------------------------------------------------------------------


def test_an_experiment_declares_its_parameters_once():
    assert [declared.name for declared in Toy.parameters][:3] == ["dataset", "target", "n"]
    assert Toy.parameters[-1].name == "seed"
    assert "ks: list[int] = [1, 3]  # numbers of neighbors, in [1, 99]" in parameters_cell(Toy.parameters)
    assert 'scaling: str = "raw"  # scaling of the inputs, in {raw, minmax}' in parameters_cell(Toy.parameters)


def test_an_experiment_inherits_shared_parameters():
    class Longer(Toy):
        n: int = parameter(7, "how many", "[2, 100]")
        extra: bool = parameter(False, "one more")

    names = [declared.name for declared in Longer.parameters]
    assert names[:4] == ["dataset", "target", "n", "extra"]
    assert names[-1] == "seed"
    assert Longer().n == 7
    assert Toy().n == 5


def test_an_experiment_must_return_the_tables_and_columns_that_it_declares(toy, monkeypatch):
    monkeypatch.setattr(toy, "schema", Schema(**toy.schema, more=table()))
    with pytest.raises(ValueError, match="`measure` differs in more"):
        toy().run()
    monkeypatch.setattr(toy, "schema", Schema(squares=table("number"), cubes=table("dataset metric", values="*")))
    with pytest.raises(ValueError, match="the table squares and its declaration differ in the columns pair"):
        toy().run()


@pytest.mark.parametrize("name", list(notebook_files()))
def test_the_store_has_the_tables_of_every_notebook_as_they_are_declared(name):
    if name == "your_data_bench":
        pytest.skip("its tables are to be measured again")
    experiment = experiment_of(name)
    entry = entries()[name]
    assert entry.folder == store.accepted_folder(experiment)
    for table_name, declared in experiment.schema.items():
        frame = entry.tables[table_name]
        declared.check(table_name, frame)
        assert len(frame), "an empty table"
        if declared.keys and name != "your_data":
            assert not frame.astype(str).duplicated(declared.index).any(), table_name


# The store ------------------------------------------------------------------------------------------------------------


def test_tables_are_measured_once_and_kept(toy):
    first, again = toy().tables(), toy().tables()
    assert toy.measured == 1
    pd.testing.assert_frame_equal(first.squares, again.squares)
    assert again.squares["pair"][0] == (1, 2)
    toy(n=6).tables()
    assert toy.measured == 2


def test_tables_that_are_damaged_or_lack_one_that_is_declared_since_are_measured_again(toy, monkeypatch):
    file = toy().entry().folder / "cubes.csv.gz"
    whole = file.read_bytes()
    for damaged in whole[:20], whole[:-9] + bytes(9), b"", b"cubes":
        file.write_bytes(damaged)
        assert store.find(toy()) is None
        assert len(toy().tables().cubes) == 10
    monkeypatch.setattr(toy, "schema", Schema(**toy.schema, more=table("number")))
    assert store.find(toy()) is None


def accept(experiment):
    """Measure an experiment into the repository, as ``make measure`` does."""
    return store.measure(experiment, folder=store.accepted_folder(type(experiment)))


def test_a_raised_version_is_measured_again_and_its_old_tables_are_shown_until_then(toy, shown, monkeypatch):
    entry = accept(toy())
    toy(n=6).tables()
    assert store.stale(toy(), entry) == []
    monkeypatch.setattr(toy, "version", 2)
    assert store.stale(toy(), entry) == ["version"]
    Page(toy, {}).tables()
    assert "older than the code, which declares other values of version." in text_of(shown)
    assert toy.measured == 2
    toy(n=6).tables()
    assert toy.measured == 3
    assert store.stale(toy(), accept(toy())) == []


def test_tables_are_stale_if_a_parameter_differs_or_is_new(toy):
    entry = accept(toy())
    entry.about["parameters"]["n"] += 1
    assert store.stale(toy(), entry) == ["n"]
    del entry.about["parameters"]["n"]
    assert store.stale(toy(), entry) == ["n"]


def test_tables_are_stale_if_the_data_differ(toy, no_data):
    entry = accept(toy())
    assert entry.about["datasets"].keys() == {"wine"}
    entry.about["datasets"]["wine"]["sha256"] = "f" * 64
    assert store.stale(toy(), entry) == ["wine"]
    entry.about["datasets"]["sonar"] = {"source": "mirror", "sha256": "f" * 64}
    assert store.stale(toy(), entry) == ["wine"], "data that are not here can't differ"
    assert store.absent(entry) == ["sonar"]


def test_tables_of_older_parameters_are_shown_with_a_word_until_new_ones_are_measured(toy, shown):
    accept(toy(n=4))
    page = Page(toy, toy().values)
    assert len(page.tables().squares) == 4
    assert "older than the code, which declares other values of n." in text_of(shown)
    page.provenance()
    assert "n 4 5 how many" in text_of(shown), "the table of parameters is that of the tables"
    assert len(toy(n=6).tables().squares) == 6, "other parameters are measured"
    accept(toy())
    assert len(Page(toy, {}).tables().squares) == 5


def test_an_entry_says_where_its_tables_come_from(toy):
    about = toy(n=3).entry().about
    assert about["parameters"] == toy(n=3).values
    assert about["datasets"]["wine"] == {
        "source": "bundled",
        "sha256": load("wine").sha256,
        "samples": 178,
        "features": 13,
        "classes": 3,
    }
    assert about["packages"]["numpy"] == np.__version__
    assert about["version"] == 1
    assert re.fullmatch("unknown|[0-9a-f]{12}(-dirty)?", about["commit"])
    assert about["tables"]["squares"] == {"number": "int64", "value": "float64", "pair": "json"}


def test_the_commit_is_that_of_the_projects_own_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "ROOT", tmp_path / "archive")
    store.ROOT.mkdir()
    person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for folder, expected in (tmp_path, "unknown"), (store.ROOT, "[0-9a-f]{12}"):
        for command in ["init"], [*person, "commit", "--allow-empty", "-m", "x"]:
            subprocess.run(["git", *command, "-q"], cwd=folder, check=True)
        assert re.fullmatch(expected, store.commit())


def test_units_are_stored(toy):
    entry = store.read(toy(n=3).entry().folder)
    assert entry.units["arguments"].tolist() == [{"dataset": "wine", "number": n} for n in range(3)]
    value, size = checksum(cubes("wine", 2))
    assert entry.units["checksum"][2] == pytest.approx(value, abs=1e-9 * size)


def test_the_duration_counts_the_units_that_an_earlier_run_left_in_the_cache(toy, shown, monkeypatch):
    def slow(function, unit, version, data, computed=None):
        return computed or (function(**unit), 100.0)

    monkeypatch.setattr("compendium.units._timed", slow)
    assert toy(n=3).entry().about["seconds"] == 300
    assert toy(n=4).entry().about["seconds"] == 400
    Page(toy, toy(n=4).values).provenance()
    assert "the work took 7 min, added up over processes" in text_of(shown)


def test_an_interrupted_write_leaves_the_old_entry(toy, monkeypatch):
    entry = toy().entry()

    def broken(*_, **options):
        raise OSError("No space left on device")

    monkeypatch.setattr("gzip.compress", broken)
    with pytest.raises(OSError, match="No space"):
        store.write(entry.folder, entry.about, entry.tables)
    assert [folder.name for folder in entry.folder.parent.iterdir()] == [entry.folder.name]
    assert len(store.read(entry.folder).tables["squares"]) == 5


def test_runs_that_end_together_keep_one_entry_and_what_a_killed_one_left_is_removed(toy, monkeypatch):
    entry = toy().entry()
    for age in 0, 7200:
        left = entry.folder.with_name(f".{entry.folder.name}.{age}")
        left.joinpath("old").mkdir(parents=True)
        os.utime(left, (time.time() - age,) * 2)
    rename = os.rename

    def overtaken(source, target):
        rename(source, target)
        if source == entry.folder:
            monkeypatch.setattr(os, "rename", rename)
            store.write(entry.folder, {"by": "another"}, entry.tables)

    tables = entry.tables
    monkeypatch.setattr(os, "rename", overtaken)
    assert store.write(entry.folder, {"by": "this"}, tables).about["by"] == "this"
    assert store.read(entry.folder).about["by"] == "this"
    assert {path.name for path in entry.folder.parent.iterdir()} == {entry.folder.name, f".{entry.folder.name}.0"}


def test_carriage_returns_and_whole_numbers_some_of_which_are_missing_are_kept(tmp_path):
    frame = pd.DataFrame({"name": ["a\rb", "c", "d\r\ne"], "count": pd.array([1, None, 3], dtype="Int64")})
    back = stored_and_read(frame, tmp_path)
    assert back["name"].tolist() == frame["name"].tolist()
    assert back["count"].tolist() == [1, None, 3]


def stored_and_read(frame, folder):
    return store.write(folder / "x", {}, {"t": frame}).tables["t"]


def test_tables_survive_to_the_last_bit(tmp_path):
    frame = pd.DataFrame(
        {
            "count": [1, 2],
            "value": [0.1 + 0.2, np.nan],
            "far": [np.inf, -np.inf],
            "flag": [True, False],
            "name": ['a, "b"\n', "ü"],
            "empty": ["", "NA"],
            "mixed": [None, (1, (2.5, "x"))],
            "mask": ["0101", "1e5"],
        }
    )
    pd.testing.assert_frame_equal(stored_and_read(frame, tmp_path), frame, check_exact=True)
    empty = frame.drop(columns="mixed").iloc[:0]
    pd.testing.assert_frame_equal(stored_and_read(empty, tmp_path), empty)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats() | st.integers(-(2**53), 2**53)))
def test_every_float_survives(tmp_path_factory, values):
    frame = pd.DataFrame({"value": np.array(values, dtype=float), "row": range(len(values))})
    back = stored_and_read(frame, tmp_path_factory.mktemp("store"))
    np.testing.assert_array_equal(back["value"], frame["value"])


def test_equal_tables_make_equal_bytes(toy, tmp_path):
    entry = toy().entry()
    other = store.write(tmp_path / "other", entry.about, entry.tables)
    for name in entry.tables:
        file = f"{name}.csv.gz"
        assert (other.folder / file).read_bytes() == (entry.folder / file).read_bytes()


# Data -----------------------------------------------------------------------------------------------------------------


def test_a_missing_data_set_is_left_out_and_not_fetched(toy, no_data, monkeypatch):
    fetched = []
    monkeypatch.setattr("compendium.protocol.load", lambda name: fetched.append(name) or load(name))
    entry = toy(dataset=["sonar", "wine"]).entry()
    assert entry.present == ["wine"]
    assert entry.tables["cubes"]["dataset"].unique().tolist() == ["wine"]
    assert entry.about["parameters"]["dataset"] == ["sonar", "wine"], "as asked for: the next one finds it"
    assert store.find(toy(dataset=["sonar", "wine"])).folder == entry.folder
    assert "make data DATASETS=sonar" in entry.about["datasets"]["sonar"]["why"]
    assert set(fetched) == {"wine"}


def test_no_command_is_suggested_for_data_that_cannot_be_fetched(toy, no_data):
    why = store.describe(toy(dataset=["gisette", "wine"]))["gisette"]["why"]
    assert "make data" not in why
    assert "the registry holds no SHA-256 to verify it by" in why


def test_without_data_there_is_an_error_or_the_fallback(toy, no_data, monkeypatch):
    with pytest.raises(DatasetUnavailableError, match="none of the data sets of this run is available: sonar, mam"):
        toy(dataset=["sonar", "mammogram"]).tables()
    monkeypatch.setattr(toy, "fallback", "wine")
    assert toy(dataset="sonar").entry().present == ["wine"]


# Pages ----------------------------------------------------------------------------------------------------------------


def test_a_page_reads_its_parameters_checks_them_and_writes_nothing(toy, shown):
    given = {"ks": 5, "share": "1e-1", "other": 3}
    page = Page(toy, given)
    assert page.experiment.ks == [5]
    assert given == {"ks": 5, "share": "1e-1", "other": 3}
    with pytest.raises(ParameterError, match="n = 1"):
        Page(toy, {"n": 1})


def test_a_page_shows_tables_and_where_they_come_from(toy, shown):
    page = Page(toy, {"n": 7})
    tables = page.tables()
    page.show(tables.squares, "Squares")
    page.provenance()
    assert "Measured on" in text_of(shown)
    assert "n 7 5 how many" in text_of(shown)
    assert "wine 178 13 3 bundled" in text_of(shown)


def test_a_run_without_some_of_its_data_says_first_that_no_verdict_is_comparable(toy, no_data, shown):
    Page(toy, {"dataset": ["sonar", "wine"]}).tables()
    assert text_of(shown).startswith(
        "1 of 2 data sets: not comparable with the published verdict. Missing here: sonar. make data fetches"
    )
    shown.clear()
    Page(toy, {"dataset": ["iris"]}).tables()
    assert shown == []


def test_a_table_without_anything_printed_is_shown_without_its_columns(toy, shown):
    page = Page(toy, {})
    none = {"published": [None, "–"], "grade": "– not printed"}
    page.show(pd.DataFrame({"dataset": "mine", **none, "reproduced": [1.5, 2.5]}), "Table 3: rates")
    assert text_of(shown) == (
        "Table 3: rates data set measured mine 1.5 mine 2.5 "
        "Table 3: the paper prints no number for these data and parameters."
    )
    shown.clear()
    page.show(pd.DataFrame(), "Table 4")
    assert text_of(shown) == "Table 4: the paper prints no number for these data and parameters."


def test_names_of_files_are_headers_as_they_are(toy, shown, tmp_path):
    file = tmp_path / "my_file.csv"
    file.write_text("a,y\n1,0\n2,1\n")
    Page(toy, {"dataset": [str(file)]}).show(pd.DataFrame({"n_used": [1], "my_file": [2]}), "x")
    assert "n used my_file" in text_of(shown)


# What moves -----------------------------------------------------------------------------------------------------------


def test_a_measurement_says_which_numbers_move():
    old = entries()["hocke2014_illustration"].tables
    assert movements("hocke2014_illustration", old, None) == ["hocke2014_illustration: new"]
    assert movements("hocke2014_illustration", old, old) == ["hocke2014_illustration: no number moves"]
    new = {name: frame.copy() for name, frame in old.items()}
    new["radii"].loc[0, "r"] += 1
    first, *lines = movements("hocke2014_illustration", new, old)
    assert first == "hocke2014_illustration: these numbers move"
    assert re.match(r"  radii: 1 of \d+ means move, most .*, r: ", lines[0])


def test_means_are_over_repetitions_and_durations_do_not_count():
    declared = table("method metric", repetition="repeat")
    old = pd.DataFrame(
        {"method": "a", "metric": ["rate", "rate", "seconds"], "repeat": [0, 1, 0], "value": [1.0, 3.0, 9.0]}
    )
    assert moved(declared, old.assign(value=[1.0, 3.0, 5.0]), old) == ""
    assert moved(declared, old.assign(value=[3.0, 1.0, 9.0]), old) == "no mean moves, but other entries do"
    assert moved(declared, old.assign(value=[1.0, 4.0, 9.0]), old) == (
        "1 of 1 means move, most a, rate, value: 2 -> 2.5"
    )


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.0 + 1e-8, False),
        (np.nan, None, True),
        (np.nan, 1.0, False),
        ((1, 2.0), [1, 2.0], True),
        ((1, 2), (1, 3), False),
        ("0 1", "0 2", False),
        (True, False, False),
    ],
)
def test_values_are_equal_in_nine_digits(one, other, equal):
    frames = [pd.DataFrame({"x": pd.Series([value], dtype=object)}) for value in (one, other)]
    n, found = differing(*frames)
    assert n == 1
    assert (not found) == equal


def test_tables_of_other_shapes_differ():
    one = pd.DataFrame({"x": [1, 2]})
    assert differing(one, one[:1])[1] == [("table", "2 rows of x", "1 rows of x")]

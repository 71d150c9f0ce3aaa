"""Two builds of the same notebooks give the same tables; a new reference says what it moves."""

import os
import platform
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from compendium.frames import to_json
from compendium.runner import processors, reproduce
from compendium.runner.accept import movements
from compendium.runner.notebooks import RunError


def results(value, seconds):
    table = pd.DataFrame({"metric": ["rate", "seconds"], "value": [value, seconds]})
    return {"somol2011_x": {"tables": {"t": to_json(table), "u": to_json(pd.DataFrame({"a": [1, 2]}))}}}


def test_durations_do_not_count():
    one, other = (reproduce.hashes(results(0.5, seconds)) for seconds in (1.0, 2.0))
    assert one == other
    assert one["somol2011_x", "t"][0] == 1


def test_one_last_bit_counts():
    one = reproduce.hashes(results(0.5, 1.0))
    other = reproduce.hashes(results(np.nextafter(0.5, 1), 1.0))
    table = reproduce.compare_builds({"one": one, "other": other}).set_index("table")
    assert table.loc["t", "one"] != table.loc["t", "other"]
    assert table.loc["u", "one"] == table.loc["u", "other"]


def test_a_missing_table_is_named():
    table = reproduce.compare_builds({"one": reproduce.hashes(results(1, 1)), "other": {}})
    assert table["other"].tolist() == ["missing", "missing"]


@pytest.mark.parametrize("last", [0.25, 0.5])
@pytest.mark.parametrize("distributed", [True, False])
def test_all_builds_are_compared(monkeypatch, capsys, last, distributed):
    n = 3 if distributed else 2
    built = iter([results(0.5, float(number)) for number in range(1, n)] + [results(last, 9.0)])
    monkeypatch.setattr(reproduce, "find_spec", lambda name: distributed)
    monkeypatch.setattr(reproduce, "build_copy", lambda *options, folder, only: None)
    monkeypatch.setattr(reproduce, "_cluster_of_two", nullcontext)
    monkeypatch.setattr(reproduce, "copy_project", lambda folder: folder)
    monkeypatch.setattr(reproduce, "read_results", lambda folder: next(built))
    if last == 0.5:
        reproduce.reproduce()
        out = capsys.readouterr().out
        assert f"All 2 tables of {n} builds are equal" in out
        assert ("distributed is not installed" in out) != distributed
    else:
        with pytest.raises(RunError, match=f"1 of 2 tables differ between {n} builds: somol2011_x: t"):
            reproduce.reproduce()


@pytest.mark.slow
def test_a_small_page_has_the_same_tables_with_one_job_two_jobs_and_on_a_cluster(capfd):
    pytest.importorskip("distributed")
    reproduce.reproduce(["hocke2014_illustration"])
    out = capfd.readouterr().out
    assert "Units of work run on 2 workers of a Dask cluster." in out
    assert "3 builds are equal, byte for byte" in out


# Processors ----------------------------------------------------------------------------------------------------------


def built(**columns):
    return {"page": {"tables": {"t": to_json(pd.DataFrame(columns)), "u": to_json(pd.DataFrame({"n": [1, 2]}))}}}


def test_differences_between_processors_are_shares_of_the_greatest_number_in_a_column():
    one = built(rate=[0.5, -4.0, np.nan], subset=[(0, 2), (1,), None], weights=[(0.5, 1.0), (2.0,), ()], seconds=1.0)
    other = built(rate=[0.5, -4.5, np.nan], subset=[(0, 3), (1,), None], weights=[(0.5, 1.5), (2.0,), ()], seconds=2.0)
    (row,) = processors.differences(one | {"listing": {"tables": {}}}, other).to_dict("records")
    assert row == {
        "notebook": "page",
        "numbers": 10,
        "numbers that differ": 3,
        "largest difference": "3e-01",  # of 2 and 3, as a share of 3
        "other cells that differ": 0,
    }
    (row,) = processors.differences(one, one).to_dict("records")
    assert (row["numbers that differ"], row["largest difference"]) == (0, "")


@pytest.mark.parametrize(
    ("cells", "n_differ"),
    [((["a", "b"], ["a", "c"]), 1), (([(1, 2), ()], [(1,), ()]), 1), (([None, 1.5], ["x", 1.5]), 1)],
    ids=["text", "length", "missing"],
)
def test_what_is_no_number_is_equal_or_not(cells, n_differ):
    (row,) = processors.differences(*(built(cell=pd.Series(c, dtype=object)) for c in cells)).to_dict("records")
    assert (row["other cells that differ"], row["numbers that differ"]) == (n_differ, 0)


def test_tables_of_another_shape_differ_in_every_cell():
    (row,) = processors.differences(built(a=[1, 2]), built(a=[1, 2, 3])).to_dict("records")
    assert row["other cells that differ"] == 2


def test_both_builds_are_compared_and_only_a_whole_one_is_kept(monkeypatch, tmp_path, capsys):
    builds, given = iter([built(a=[1.0]), built(a=[1.5])] * 2), []
    monkeypatch.setattr(processors, "copy_project", lambda folder: folder)
    monkeypatch.setattr(processors, "build_copy", lambda folder, only, variables: given.append(variables))
    monkeypatch.setattr(processors, "read_results", lambda folder: next(builds))
    monkeypatch.setattr(processors, "MEASURED", tmp_path / "processors.csv")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    processors.compare_processors(["page"])
    assert not processors.MEASURED.exists()
    processors.compare_processors()
    assert pd.read_csv(processors.MEASURED)["numbers that differ"].tolist() == [1]
    assert "an older processor's instructions" in capsys.readouterr().out
    assert [bool(variables) for variables in given] == [False, True, False, True]
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with pytest.raises(RunError, match="x86-64 family, this machine's is arm64"):
        processors.compare_processors()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the older processor is of the x86-64 family")
def test_libraries_do_without_newer_instructions_when_told_to():
    code = """
import numpy, numba, threadpoolctl, scipy.linalg
print([pool["architecture"] for pool in threadpoolctl.threadpool_info() if pool["internal_api"] == "openblas"])
print(numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", []), numba.config.CPU_NAME)
"""
    environment = os.environ | processors.older_instructions()
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["['Nehalem', 'Nehalem']", "[] nehalem"]
    assert said.stderr == ""


# What a new reference moves ------------------------------------------------------------------------------------------


def accepted(value=0.5, seconds=1.0, answer="replicated", counted=3):
    rates = pd.DataFrame({"method": ["a", "a", "b", "b"], "metric": ["rate", "seconds"] * 2})
    rates["value"] = [value, seconds, 0.25, seconds]
    tables = {"t": to_json(rates), "u": to_json(pd.DataFrame({"set": ["iris"], "chosen": [counted]}))}
    return {"tables": tables, "verdicts": {"S1": {"answer": answer, "evidence": ""}}}


def test_a_page_without_a_reference_is_new():
    assert movements("page", accepted(), None) == ["page: new"]


@pytest.mark.parametrize("value", [0.5, 0.5 * (1 + 1e-12)])
def test_durations_and_last_bits_move_nothing(value):
    lines = movements("page", accepted(value, seconds=9.0), accepted())
    if value == 0.5:
        assert lines == ["page: no number moves"]
    else:
        assert lines == ["page: these numbers move", "  t: no mean moves, but other entries do"]


def test_numbers_that_move_are_named_with_their_table_and_amount():
    lines = movements("page", accepted(0.75, answer="partly", counted=4), accepted())
    assert lines == [
        "page: these numbers move",
        "  claim S1: replicated -> partly",
        "  t: 1 of 2 means move, most by 0.25 (a, rate: 0.5 -> 0.75)",
        "  u: no mean moves, but other entries do",
    ]


def test_new_and_missing_tables_are_named():
    older = accepted()
    older["tables"]["v"] = older["tables"].pop("u")
    assert movements("page", accepted(), older)[1:] == ["  u: new", "  v: gone"]

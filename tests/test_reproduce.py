"""Two builds of the same notebooks give the same tables; a new reference says what it moves."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from compendium.frames import to_json
from compendium.runner import reproduce
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
    monkeypatch.setattr(reproduce, "_build", lambda *options, folder, only: None)
    monkeypatch.setattr(reproduce, "_cluster_of_two", nullcontext)
    monkeypatch.setattr(reproduce, "_copy", lambda folder: folder)
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

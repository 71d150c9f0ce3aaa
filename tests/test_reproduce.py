"""Two builds of the same notebooks give the same tables."""

import numpy as np
import pandas as pd
import pytest

from compendium.frames import to_json
from compendium.runner import reproduce
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
    table = reproduce.compare_builds(one, other).set_index("table")
    assert table.loc["t", "first"] != table.loc["t", "second"]
    assert table.loc["u", "first"] == table.loc["u", "second"]


def test_a_missing_table_is_named():
    table = reproduce.compare_builds(reproduce.hashes(results(1, 1)), {})
    assert table["second"].tolist() == ["missing", "missing"]


@pytest.mark.parametrize("second", [0.25, 0.5])
def test_two_builds_are_compared(monkeypatch, capsys, second):
    built = iter([results(0.5, 1.0), results(second, 2.0)])
    monkeypatch.setattr(reproduce, "_build", lambda folder, jobs, only: None)
    monkeypatch.setattr(reproduce, "_copy", lambda folder: folder)
    monkeypatch.setattr(reproduce, "read_results", lambda folder: next(built))
    if second == 0.5:
        reproduce.reproduce()
        assert "All 2 tables are equal" in capsys.readouterr().out
    else:
        with pytest.raises(RunError, match="1 of 2 tables differ between two builds: somol2011_x: t"):
            reproduce.reproduce()

"""Replay: units of the stored tables are measured again, and code that moves numbers without a new version is found."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest

from compendium.papers import DATA
from compendium.runner import check
from compendium.runner.execution import RunError
from compendium.store import entries
from compendium.units import checksum

UNIT = {"function": f"{__name__}.ladder", "seconds": 1.0}


def ladder(dataset, number):
    """A unit of work whose row holds an array."""
    return [{"dataset": dataset, "steps": np.arange(number), "seconds": np.random.default_rng().uniform()}]


class Toy:
    """An entry of the store with units, without its tables."""

    def __init__(self, n):
        self.about, self.present = {"version": 1, "seconds": 4.0}, ["wine"]
        units = [{"dataset": "wine", "number": number} for number in range(n)]
        rows = [{**UNIT, "arguments": unit, "checksum": checksum(ladder(**unit))[0]} for unit in units]
        self.units = pd.DataFrame(rows)


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """The only entry of the store."""
    found = {"toy": Toy(6)}
    monkeypatch.setattr(check, "entries", lambda: found)
    monkeypatch.setattr(check, "commit", lambda: "0123456789ab")
    for name, file in {"CHECKED": "check.json", "RECORD": "replays.csv", "SINCE": "since.csv"}.items():
        monkeypatch.setattr(check, name, tmp_path / file)
    monkeypatch.delenv("SEED", raising=False)
    return found["toy"]


def found(budget=100, **options):
    return check.replay(budget, 1, **options)["notebooks"]["toy"]


def test_units_are_measured_again(toy, monkeypatch, capsys):
    monkeypatch.setattr(check, "tree_key", lambda: "key")
    check.check("60s", 1)
    assert "6 of 6 units were measured again, drawn at random with seed 19088743: 6 equal." in capsys.readouterr().out
    check.check("60s", 1)
    assert capsys.readouterr().out == "", "nothing has changed"
    monkeypatch.setenv("SEED", "5")
    check.check("60s", 1)
    assert "with seed 5:" in capsys.readouterr().out


def test_what_another_version_wrote_counts_as_no_check(toy, monkeypatch):
    monkeypatch.setattr(check, "tree_key", lambda: "key")
    check.check("60s", 1)
    written = json.loads(check.CHECKED.read_text())
    assert check.checked() == written
    del written["notebooks"]["toy"]["seen"]
    for content in (json.dumps(written), "{}", "[]", '{"notebooks": {"toy": 1}}', "{"):
        check.CHECKED.write_text(content)
        assert check.checked() == {}


def test_a_unit_that_differs_is_named(toy, capsys):
    toy.units.loc[3, "checksum"] += 1e-6
    toy.units.loc[0, "function"] += "_gone"
    gone, unequal = sorted(found()["differ"], key=lambda item: item["rows"])
    assert unequal["what"] == "dataset=wine, number=3"
    assert unequal["differ"][0][0] == "checksum"
    assert gone["differ"][0][0] == "AttributeError"
    assert check.replayed(check.SINCE) == {("toy", 1): dict.fromkeys([1, 2, 4, 5], "0123456789ab")}
    with pytest.raises(RunError, match=r"(?s)raise the version.*toy: dataset=wine, number=3: "):
        check.extend("60s", 1)


def test_the_seed_decides_which_units_are_drawn_and_follows_from_the_commit(toy, monkeypatch):
    drawn = set()
    for seed in range(20):
        monkeypatch.setenv("SEED", str(seed))
        check.SINCE.unlink(missing_ok=True)
        assert found(2.5)["measured"] == 2
        drawn.add(frozenset(check.replayed(check.SINCE)["toy", 1]))
    assert len(drawn) > 5
    assert check.seed_of("0123456789ab-dirty") == 19
    monkeypatch.delenv("SEED")
    assert check.seed_of("0123456789ab-dirty") == 0x01234567
    assert check.seed_of("unknown") == 0
    monkeypatch.setenv("SEED", "soon")
    with pytest.raises(RunError, match="SEED = 'soon' is not a whole number"):
        check.seed_of("unknown")


def test_units_that_were_never_replayed_come_first(toy, monkeypatch):
    for commit, n in (("a" * 12, 2), ("b" * 12, 4), ("c" * 12, 6)):
        monkeypatch.setattr(check, "commit", lambda commit=commit: commit)
        part = found(2.5, unseen_first=True)
        assert (part["measured"], part["seen"], part["cheap"]) == (2, n, 0)
    commits = pd.Series(check.replayed(check.SINCE)["toy", 1])
    assert commits.value_counts().to_dict() == {"a" * 12: 2, "b" * 12: 2, "c" * 12: 2}
    assert part["left"] == 0


def test_of_units_that_were_never_replayed_the_cheap_ones_come_first(toy):
    toy.units.loc[[1, 4], "seconds"] = 0.5
    assert found(1.2, unseen_first=True)["cheap_seen"] == 2


def test_a_replay_that_is_killed_keeps_what_it_noted(toy, monkeypatch):
    monkeypatch.setattr(check, "NOTED_EVERY", 0)
    noted, compare = [], check.compare

    def observed(item):
        noted.append(len(check.replayed(check.SINCE).get(("toy", 1), {})))
        return compare(item)

    monkeypatch.setattr(check, "compare", observed)
    found()
    assert noted == list(range(6))


def test_the_record_is_of_the_current_versions(toy):
    toy.units.loc[2, "checksum"] += 1
    found()
    check.keep()
    assert not check.SINCE.exists()
    assert check.RECORD.read_text() == "notebook,version,commit,units\ntoy,1,0123456789ab,0-1 3-5\n"
    assert sorted(check.replayed(check.RECORD)["toy", 1]) == [0, 1, 3, 4, 5]
    toy.about = {**toy.about, "version": 2}
    check.keep()
    assert check.replayed(check.RECORD) == {}
    found()
    check.forget("toy")
    assert check.replayed(check.RECORD, check.SINCE) == {}


def test_an_experiment_without_units_is_measured_as_a_whole(toy, monkeypatch):
    stored = {"t": pd.DataFrame({"x": [1.0, 2.0]})}
    toy.units, toy.tables, toy.about = toy.units[:0], stored, {**toy.about, "datasets": {}}
    monkeypatch.setattr(check, "with_data", lambda experiment, datasets: experiment)
    measured = {"t": stored["t"].copy()}
    experiment = type("Experiment", (), {"run": lambda self: measured})
    monkeypatch.setattr(check, "experiment_of", lambda name: experiment)
    part = found()
    assert (part["units"], part["measured"], part["recorded"], part["differ"]) == (1, 1, False, [])
    measured["t"].loc[1, "x"] = 3.0
    assert found()["differ"][0]["differ"] == [("t: x, row 1", "3.0", "2.0")]


def test_units_without_data_are_out_of_reach(toy, monkeypatch):
    toy.units["arguments"] = [{"dataset": "sonar", "number": 1}] * 6
    monkeypatch.setattr(check, "is_here", lambda name: name != "sonar")
    result = check.replay(100, 1)
    assert result["notebooks"]["toy"]["measured"] == 0
    assert "6 need data that are not on this machine" in check.summary(result)


def test_the_units_that_were_equal_are_counted_apart_from_one_that_differs(toy):
    toy.units.loc[2, "checksum"] += 1
    said = check.summary(check.replay(100, 1))
    assert "5 equal, 1 not. Since they were stored, 5 were measured again at least once and were equal." in said


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("10m", 600), ("2h", 7200), ("0", 0), ("all", np.inf)])
def test_budgets(text, seconds):
    assert check.budget_of(text) == seconds


def test_a_wrong_budget_is_refused():
    with pytest.raises(RunError, match="CHECK = 'soon' is not a duration; write 60s, 10m, 2h or all"):
        check.budget_of("soon")


# Changes of the code that move numbers, each without a new version of its experiment: the unit, what changes, and how.
FORGOTTEN = {
    "seeds are derived otherwise": (
        "nel1998_gamma_test",
        "nel1998.gamma_test._gamma_at",
        "nel1998.gamma_test.seed_for",
        lambda seed: lambda *key: seed(*key, "new"),
    ),
    "rows are divided otherwise": (
        "andonie2004_erlvq",
        "andonie2004.rule._step",
        "andonie2004.rule.seed_for",
        lambda seed: lambda *key: seed(*key) + 1,
    ),
    "inputs are scaled otherwise": (
        "chen2012_training",
        "chen2012.descent.descend",
        "chen2012.descent.scaled",
        lambda scaled: lambda scaling, *parts: scaled("minmax", *parts),
    ),
    "one fold fewer": (
        "somol2011_course",
        "somol2011.course._course",
        "somol2011.course.inner_folds",
        lambda folds: lambda n_splits, kind: folds(n_splits - 1, kind),
    ),
    "a result of the library is off by a millionth": (
        "hocke2014_uci",
        "hocke2014.shares._weigh",
        "hocke2014.shares.variance_shares",
        lambda shares: lambda *given: shares(*given) * (1 + 1e-6),
    ),
}


@pytest.mark.parametrize("change", FORGOTTEN)
def test_a_forgotten_version_is_found(change, monkeypatch):
    notebook, function, target, mistake = FORGOTTEN[change]
    units = entries()[notebook].units
    bundled = units["arguments"].map(lambda given: given.get("dataset", "iris") in ("iris", "wine", "wdbc"))
    unit = units[(units["function"] == function) & bundled].sort_values("seconds", kind="stable").iloc[0].to_dict()
    item = {"notebook": notebook, "version": 1, "number": 0, "unit": unit}
    assert check.compare(item)["differ"] == []
    module, _, name = target.rpartition(".")
    monkeypatch.setattr(target, mistake(getattr(importlib.import_module(module), name)))
    assert check.compare(item)["differ"][0][0] == "checksum"


def test_the_record_is_about_units_of_the_store():
    versions = {name: (entry.about["version"], max(len(entry.units), 1)) for name, entry in entries().items()}
    for (name, version), commits in check.replayed(check.RECORD).items():
        assert version == versions[name][0]
        assert set(commits) <= set(range(versions[name][1]))


def test_the_repository_stays_small():
    """Tables and checksums of units are kept, rows of units are not."""
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) < 12_000_000

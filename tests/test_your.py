"""The report as a page, and its bench: what is measured on files with known truth, and what the pages say of it."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from pages import shown

from compendium.experiment import ParameterError
from compendium.store import describe, own_folder
from fscore.report import analysis, models, rules_of_rows
from fscore.report.scores import folds
from your import data_bench, summaries
from your.data import Data
from your.data_bench import DataBench
from your.planting import TRAPS, Planted

QUICK = ("anova", "linear")


@pytest.fixture(autouse=True)
def few_trees_and_folds(request, monkeypatch):
    """They do, except where the right answer may be a model of trees; other processes would not see that."""
    monkeypatch.setattr(analysis, "_SMALL", 0)  # five outer folds
    if "answers" not in request.node.name:
        monkeypatch.setattr(analysis, "folds", lambda rows, n_splits, seed: folds(rows, min(n_splits, 3), seed))
        monkeypatch.setattr(analysis, "N_PAIRS", 4)
        monkeypatch.setitem(models.TREES, "max_iter", 8)
        monkeypatch.setitem(models.FOREST, "n_estimators", 20)
    with parallel_config(backend="sequential"):
        yield


def test_a_file_has_no_trap_or_a_few_different_ones():
    planted = [data_bench.planted_names(np.random.default_rng(k)) for k in range(200)]
    assert {len(names) for names in planted} >= {0, 2, 3}
    assert all(len(set(names)) == len(names) for names in planted)
    for names in planted:  # nothing is planted that undoes an earlier trap
        later = names[names.index("repeated rows") + 1 :] if "repeated rows" in names else []
        assert set(later) <= {"contradiction", "recoded target", "noisy target", "missing where"}
    assert {name for names in planted for name in names} == set(TRAPS)
    assert 0.15 < np.mean([names == [] for names in planted]) < 0.35


def test_outcomes_of_traps_are_found_missed_and_false_alarms(monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc")).assign(
        row=np.arange(80), outcome=["u", "v"] * 40
    )
    monkeypatch.setattr(data_bench, "plant", lambda *_, **__: Planted(table, [], {"constant": ["a"]}))
    outcomes = {(row["trap"], row["outcome"]) for row in data_bench.find_traps(0, 0)}
    assert outcomes == {("constant", "missed"), ("identifier", "false alarm")}
    monkeypatch.setattr(data_bench, "plant", lambda *_, **__: Planted(table, [], {"identifier": ["row", "other"]}))
    assert [row["outcome"] for row in data_bench.find_traps(0, 0)] == ["missed"]  # not all of its columns
    clean = table.drop(columns="row")
    monkeypatch.setattr(data_bench, "plant", lambda *_, **__: Planted(clean, []))
    assert data_bench.find_traps(3, 0) == [{"file": 3, "trap": "none", "outcome": "clean"}]


def test_a_scored_file_compares_with_its_hold_out():
    scores, *rankings = data_bench.score_file(2, (60,), QUICK, 5)  # the third file: a quantity
    assert scores["task"] == "regression"
    assert scores["samples"] == 60
    assert scores["lower"] <= scores["honest"] <= scores["upper"]
    assert scores["chosen_relevant"] <= min(scores["chosen"], scores["relevant"])
    assert {row["method"] for row in rankings} == {*QUICK, "report"}
    by_method = {row["method"]: row["value"] for row in rankings}
    assert by_method["report"] in {by_method[name] for name in QUICK}


@pytest.mark.parametrize(
    "file", ["sleep study", "taxis", "cars by make", pytest.param("exam codes", marks=pytest.mark.slow)]
)
def test_the_report_answers_what_is_written_beside_a_file(file):
    rows = data_bench.ask(file, 0)
    assert {row["question"] for row in rows} >= {"task", "traps"}
    assert all(row["right"] for row in rows), rows


def test_wrong_answers_stand_beside_their_file():
    rows = [("a", "task", True, "regression"), ("a", "traps", False, "groups: b")]
    table = pd.DataFrame([(*row, "none") for row in rows], columns=["file", "question", "right", "answer", "expected"])
    tables, _ = shown(
        "your_data_bench", "Files after the pattern of public ones", results=SimpleNamespace(patterns=table)
    )
    (table,) = tables.values()
    assert table.values.tolist() == [["a", "none", 2, 1, "traps: groups: b"]]


def test_a_large_real_set_is_scored_on_the_rows_that_were_drawn(monkeypatch):
    monkeypatch.setattr(rules_of_rows, "MOST_ROWS", 90)  # of 178
    (row,) = data_bench.report_on("wine", None, ["anova"], 0)
    assert row["samples"] == 178
    assert row["accuracy"] > 0.85  # by labels of other rows: chance, about 0.4


def bench(n=40):
    """Tables of a bench: one trap in ten is missed, intervals hold 36 of 40, "good" finds more than the report."""
    outcomes = ["missed" if k % 10 == 0 else "found" for k in range(n)]
    traps = pd.DataFrame({"file": range(n), "trap": "constant", "outcome": outcomes})
    traps.loc[n] = [0, "groups", "false alarm"]
    holdout = np.linspace(0.6, 0.9, n)
    error = np.where(np.arange(n) < n // 10, 0.2, 0.001)
    scores = pd.DataFrame({"file": range(n), "task": "classification", "honest": holdout + error, "holdout": holdout})
    scores = scores.assign(lower=scores["honest"] - 0.1, upper=scores["honest"] + 0.1)
    rankings = pd.DataFrame(
        [
            {"file": k, "task": "classification", "effect": effect, "method": method, "value": value}
            for k, effect in enumerate(["sum", "product"] * (n // 2))
            for method, value in (
                ("good", 0.9),
                ("bad", 0.1),
                ("report", 0.8 + 0.2 * (effect == "sum") + 0.01 * (-1) ** (k // 2)),  # equal values decide nothing
            )
        ]
    )
    patterns = pd.DataFrame(
        {"file": "a", "question": "traps", "right": [True] * n, "answer": "none", "expected": "none"}
    )
    return SimpleNamespace(traps=traps, scores=scores, rankings=rankings, patterns=patterns)


def test_goals_are_judged_by_hand():
    goals = summaries.goals(bench()).set_index("promise")
    assert goals.loc["planted traps found", ["measured", "met"]].tolist() == ["90.0%", "◌ can't tell"]
    assert goals.loc["files with a false alarm", ["measured", "met"]].tolist() == ["2.5%", "◌ can't tell"]
    assert goals.loc["classification: honest score minus hold-out, mean", "measured"] == "+0.021"
    assert goals.loc["classification: 90% intervals that hold the hold-out score", "met"] == "◌ can't tell"
    found = goals[goals.index.str.startswith("relevant columns")]
    assert found["measured"].tolist() == ["+0.000", "+0.100", "-0.100"]
    assert found["met"].tolist() == ["◌ can't tell", "✓ yes", "✗ no"]
    more = summaries.goals(bench(2000)).set_index("promise")["met"]
    assert more.tolist()[:2] == ["✗ no", "✓ yes"]
    assert more["classification: 90% intervals that hold the hold-out score"] == "✓ yes"
    assert all("good" in promise for promise in found.index)


def test_a_tie_with_the_ranking_that_the_report_uses_is_told_apart():
    tables = bench()
    wide = tables.rankings.pivot(index=["file", "task", "effect"], columns="method", values="value")
    wide["report"] = wide["good"]
    tables.rankings = wide.stack().rename("value").reset_index()
    found = summaries.goals(tables).set_index("promise")["measured"]
    found = found[found.index.str.contains("all files") & found.index.str.contains("good")]
    assert found.tolist() == ["+0.000", "+0.800"]
    tables.rankings = tables.rankings[tables.rankings["method"] != "bad"]  # there is no next best
    assert not summaries.goals(tables)["promise"].str.startswith("the same").any()
    assert found.index[1] == "the same, without good, which the report equals in every file: bad (all files)"


def test_traps_are_counted_by_kind():
    tables, _ = shown("your_data_bench", "Which traps are found?", results=bench())
    (counts,) = (table.set_index("trap") for table in tables.values())
    assert counts.loc["constant", ["planted", "found", "missed", "false alarm"]].tolist() == [40, 36, 4, 0]
    assert counts.loc["groups", ["planted", "false alarm"]].tolist() == [0, 1]


def test_real_sets_stand_beside_the_printed_numbers():
    row = {"dataset": "ionosphere", "features": 34, "chosen": 5, "accuracy": 0.9, "honest": 0.88, "lower": 0.8}
    row |= {"upper": 0.92, "all_columns": 0.87, "traps": "", "sentence": "Use these 5 columns: and so on"}
    real = SimpleNamespace(real=pd.DataFrame([row, row | {"dataset": "unknown"}]))
    tables, _ = shown("your_data_bench", "Real data sets, and what a paper found", results=real)
    (table,) = tables.values()
    assert table["paper chose"].tolist()[0] == 5.6  # as printed in Table 3
    assert table["paper's accuracy"].tolist()[0] == 0.871
    assert table["paper chose"].isna().tolist() == [False, True]
    assert table["advice"].tolist()[0] == "Use these 5 columns"


@pytest.fixture
def anything(tmp_path, monkeypatch):
    """A file that no other experiment reads: words, units, decimal commas, hostile names; its reports lie beside it.

    A report in the project's results would be new to the site, which the next test or build would render again.
    """
    monkeypatch.setattr("your.data.RESULTS", tmp_path / "results")
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    weight = [f"{value:.2f} kg".replace(".", ",") for value in 70 + 5 * x]
    word = rng.choice(["<script>alert(1)</script>", "b"], 60)
    table = pd.DataFrame({"<b>weight": weight, "word": word, "z": rng.normal(size=60).round(2)})
    table["y"] = np.where(x + 0.3 * rng.normal(size=60) > 0, "ill", "well")
    table.to_csv(tmp_path / "any.csv", sep=";", decimal=",", index=False)
    return tmp_path / "any.csv"


def test_any_file_becomes_tables_and_a_report(anything, tmp_path):
    describe(Data(dataset=str(anything)))  # leaves reading to the experiment
    tables = Data(dataset=str(anything), methods=["anova"], out=str(tmp_path / "out")).run()
    assert set(tables) == set(Data.schema)
    assert "<b>weight" in tables["columns"]["name"].tolist()[0]
    assert (tmp_path / "out" / "report.html").is_file()
    _, said = shown("your_data", results=SimpleNamespace(**tables))
    assert said.startswith(tables["advice"]["sentence"].iloc[0])
    assert f"lines are in {tmp_path / 'out'}. " in said
    assert "<script>" not in said
    assert tables["sizes"]["note"].str.contains("chosen").sum() == 1


def test_a_registry_set_is_kept_as_a_file_beside_its_report(tmp_path):
    tables = Data(dataset="wine", methods=["anova"], out=str(tmp_path / "out"), budget=0.001).run()
    file = tmp_path / "out" / "wine.csv"
    assert file.is_file()
    assert f"read_table('{file}')" in (tmp_path / "out" / "rebuild.py").read_text(encoding="utf-8")
    assert "read_table(&#39;wine.csv&#39;)" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert tables["advice"]["folder"].tolist() == [str(tmp_path / "out")]


@pytest.fixture
def page_of(monkeypatch, tmp_path):
    """A function that returns the sentence of a report; ``measured`` counts the reports."""
    monkeypatch.setattr("compendium.store.RESULTS", tmp_path / "results")
    measure = Data.measure

    def counted(experiment):
        run.measured += 1
        return measure(experiment)

    def run(**values):
        return Data(**values).tables().advice["sentence"].iloc[0]

    run.measured = 0
    monkeypatch.setattr(Data, "measure", counted)
    return run


def test_a_report_goes_on_after_its_time_and_is_written_again_after_its_files_were_deleted(anything, page_of, tmp_path):
    values = {"dataset": str(anything), "methods": ["anova"], "out": str(tmp_path / "out")}
    for _ in range(2):
        assert page_of(**values, budget=0.001).startswith("A first answer")
    assert page_of.measured == 2
    assert not page_of(**values, budget=600).startswith("A first answer")
    page_of(**values, budget=600)
    assert page_of.measured == 3, "a complete report is kept"
    shutil.rmtree(tmp_path / "out")
    page_of(**values, budget=600)
    assert (tmp_path / "out" / "report.html").is_file()
    page_of(**values, budget=600)
    assert page_of.measured == 4


def test_a_report_depends_on_the_content_of_the_cost_file(anything, tmp_path):
    cost = tmp_path / "cost.csv"
    cost.write_text("column,cost\nz,1\n", encoding="utf-8")
    asked = Data(dataset=str(anything), cost=str(cost))
    before = own_folder(asked)
    assert own_folder(asked) == before
    cost.write_text("column,cost\nz,2\n", encoding="utf-8")
    assert own_folder(asked) != before
    cost.unlink()
    with pytest.raises(FileNotFoundError, match=r"there is no file .*cost\.csv; give the path"):
        own_folder(asked) and asked.run()


def test_paths_are_relative_to_the_folder_of_the_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    asked = Data(cost="costs.csv", out="~/report")
    assert (asked.cost, asked.out) == (str(tmp_path / "costs.csv"), str(tmp_path / "home" / "report"))
    assert (Data().cost, Data().out) == (None, None)
    with pytest.raises(ParameterError, match=r"cost = True is invalid; it takes a string or null\."):
        Data(cost=True)


def test_the_largest_seed_can_be_used(anything, tmp_path):
    (seed,) = (declared for declared in Data.parameters if declared.name == "seed")
    most = int(seed.domain.strip("[]").split(",")[1])
    Data(dataset=str(anything), methods=["relief"], seed=most, out=str(tmp_path / "out")).run()
    for experiment in Data, DataBench:
        with pytest.raises(ParameterError, match=f"seed = {most + 1} is invalid"):
            experiment(seed=most + 1)


def test_other_settings_get_a_folder_of_their_own(anything, tmp_path):
    folders = [
        Path(Data(dataset=str(anything), methods=["anova"], seed=seed, budget=0.001).run()["advice"]["folder"].iloc[0])
        for seed in (0, 1)
    ]
    yours = tmp_path / "results" / "yours"
    assert folders == [yours / "any_report", yours / "any_report_2"]
    assert "--out any_report_2" in (folders[1] / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"target": "zz"}, r"^target='zz': the file has no such column; it has '<b>weight', 'word', 'z', 'y'\."),
        ({"cost": "absent.csv"}, r"^cost: there is no file .*absent\.csv; give the path of a CSV file\.$"),
        ({"groups": "x--target"}, r"^groups='x--target': the file has no such column"),
    ],
    ids=["target", "cost", "a name like an option"],
)
def test_errors_name_parameters_of_the_page(values, said, anything):
    with pytest.raises((ValueError, FileNotFoundError), match=said):
        Data(dataset=str(anything), **values).run()


def test_advice_in_errors_is_a_parameter_of_the_page(anything):
    table = pd.read_csv(anything, sep=";", decimal=",").assign(site="one")
    table.to_csv(anything, index=False)
    with pytest.raises(ValueError, match=r"all rows are in one group; groups=none ignores them\.$"):
        Data(dataset=str(anything), target="y", groups="site").run()

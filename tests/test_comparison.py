"""The comparison of methods: fields, protocol, contestants and their scores."""

import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import f_classif

from comparison import arena, contestant, fields, protocol
from comparison.contestant import Contestant, missing_package, module_names, scoring
from comparison.fields import Field, Truth, generated_field, observed_field
from compendium.discovered import discovered_modules
from fscore.datasets import load

MODULES = [module for module in module_names() if not missing_package(module)]
KNOWN = {"known": "n=60 d=12 relevant=4 copies=2 noise=0"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))


def entered(monkeypatch, player):
    """Let a contestant that no file defines take part."""
    monkeypatch.setattr(protocol, "contestant", {"test": player}.__getitem__)
    return partial(
        protocol.compete, "test", "", sizes=("5",), max_samples=100, n_splits=3, n_trees=5, limit=10.0, seed=0
    )


# Contestants


def test_there_are_enough_contestants_and_they_are_discovered():
    players = [contestant.contestant(module) for module in MODULES]
    assert sum(player.library == "fscore" for player in players) >= 20
    assert len({player.name for player in players}) == len(players)
    assert set(module_names()) == set(discovered_modules("comparison"))
    assert discovered_modules("compendium") == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.rpartition(".")[2])
def test_contestants_choose_what_is_asked_for(module):
    field = generated_field("n=60 d=12 relevant=4 copies=2 noise=0", 0)
    player = contestant.contestant(module)
    wanted = {} if player.own_size else {"3": 3, "5": 5}
    subsets, told = protocol.select(player, field.X, field.y, wanted, 60.0, 1)
    assert told["status"] == "done", told["reason"]
    assert set(subsets) == (set(wanted) or {"own"})
    again, _ = protocol.select(player, field.X, field.y, wanted, 60.0, 1)
    assert again == subsets, "the same seed, the same subset"


@pytest.mark.parametrize("name", ["sfs", "sffs", "sbs", "sfs_gamma", "best_individual", "branch_and_bound"])
def test_searches_find_the_feature_that_separates(name):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, 6))
    X[:, 4] += 8 * y
    subsets, _ = protocol.select(contestant.contestant(f"comparison.contestants.{name}"), X, y, {"2": 2}, 60.0, 0)
    assert 4 in subsets["2"]


def test_a_score_that_is_no_number_ranks_last_and_ties_go_to_the_first():
    player = scoring("test", "filter", "none", lambda X, y, seed: [np.nan, 1.0, 2.0, 2.0])
    subsets, _ = player.choose(np.zeros((4, 4)), np.zeros(4), [1, 3], 0)
    assert subsets[1].tolist() == [2]
    assert sorted(subsets[3].tolist()) == [1, 2, 3]


def test_an_optional_package_that_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(contestant, "find_spec", lambda name: None)
    assert contestant.missing_package("comparison.contestants.boruta") == "boruta"
    assert contestant.missing_package("comparison.contestants.fisher") == ""


# Fields


def test_probes_are_permuted_and_copies_repeat_their_source():
    X = load("wine", return_X_y=True)[0]
    probes = observed_field("wine", None, "probes", 1000, 0)
    for j in np.flatnonzero(probes.kind == "probe"):
        assert any(np.array_equal(np.sort(probes.X[:, j]), np.sort(column)) for column in X.T)
        assert probes.source[j] == j
    copies = observed_field("wine", None, "copies", 1000, 0)
    assert (copies.kind == "copy").sum() == (copies.kind == "observed").sum() == 13
    for j in np.flatnonzero(copies.kind == "copy"):
        r = np.corrcoef(copies.X[:, j], copies.X[:, copies.source[j]])[0, 1]
        assert abs(r - 1 / np.sqrt(1.09)) < 0.04
    assert sorted(copies.source[copies.kind == "copy"]) == np.flatnonzero(copies.kind == "observed").tolist()


def test_generated_fields_have_the_truth_they_state():
    field = generated_field("n=2000 d=20 relevant=4 copies=6 noise=0", 0)
    relevant = np.flatnonzero(field.kind == "relevant")
    total = field.X[:, relevant].sum(axis=1)
    assert ((total > np.median(total)) == field.y).all()
    assert set(field.source[field.kind == "copy"]) == set(relevant)
    noisy = generated_field("n=2000 d=20 relevant=4 copies=6 noise=0.2", 0)
    total = noisy.X[:, noisy.kind == "relevant"].sum(axis=1)
    assert np.mean((total > np.median(total)) != noisy.y) == 0.2
    products = generated_field("n=2000 d=10 relevant=2 copies=0 noise=0 form=products", 0)
    assert f_classif(products.X, products.y)[1].min() > 1e-4, "no feature alone tells anything"
    a, b = products.X[:, products.kind == "relevant"].T
    assert ((a * b > np.median(a * b)) == products.y).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("m=3", "sets no parameter"),
        ("n=many", "not a number"),
        ("form=cubic", "choose from"),
        ("n=5", "at least 20"),
        ("relevant=3", "even number"),
        ("d=6", "at least relevant"),
    ],
)
def test_wrong_truths_are_refused(text, said):
    with pytest.raises(ValueError, match=said):
        Truth.parse(text)


def test_large_sets_are_sampled_and_groups_kept_together():
    assert len(observed_field("digits", None, "plain", 100, 0).X) == 100
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    some = fields._sample(rng.integers(2, size=120), groups, 50, 0)
    assert len(some) == 48
    assert all(np.isin(np.flatnonzero(groups == g), some).all() for g in np.unique(groups[some]))
    y = np.repeat(np.arange(30) % 2, 4)
    field = Field("grouped", "grouped", rng.standard_normal((120, 3)), y, groups, np.full(3, "observed"), np.arange(3))
    for train, test in protocol.splits(field, 3, 0, 0):
        assert not set(groups[train]) & set(groups[test])


# Protocol: no information from the test part reaches a selection


def chosen_with_other_test_parts(compete, monkeypatch):
    """What a contestant chooses on a split, and what if the test part held other samples."""
    field = generated_field("n=60 d=40 relevant=6 copies=0 noise=0", 0)
    test = protocol.splits(field, 3, 0, 0)[0][1]
    found = []
    for replace in (False, True):
        X = field.X.copy()
        if replace:
            X[test] = 50 * field.y[test][:, None] * (np.arange(40) % 2) + np.random.default_rng(1).random((20, 40))
        other = Field(field.name, field.origin, X, field.y, None, field.kind, field.source)
        monkeypatch.setattr(protocol, "field_of", lambda unit, max_samples, seed, other=other: other)
        found.append(compete(split=0, known="")[0]["chosen"])
    return found


F_TEST = scoring("F test", "filter", "none", lambda X, y, seed: f_classif(X, y)[0])


def test_the_test_part_changes_no_selection(monkeypatch):
    first, second = chosen_with_other_test_parts(entered(monkeypatch, F_TEST), monkeypatch)
    assert first == second


def test_a_planted_leak_is_caught(monkeypatch):
    """A protocol that selects on all samples fails the test above."""
    honest = protocol.select

    def leaking(player, X, y, wanted, limit, seed):
        field = protocol.field_of({}, 0, 0)
        return honest(player, field.X, field.y, wanted, limit, seed)

    monkeypatch.setattr(protocol, "select", leaking)
    first, second = chosen_with_other_test_parts(entered(monkeypatch, F_TEST), monkeypatch)
    assert first != second


def test_on_noise_no_selection_beats_chance(monkeypatch):
    """Five of a thousand irrelevant features: chance if the selection is honest, better if it sees the test part."""
    compete = entered(monkeypatch, F_TEST)
    rng = np.random.default_rng(0)
    field = Field(
        "noise",
        "noise",
        rng.standard_normal((60, 1000)),
        np.arange(60) % 2,
        None,
        np.full(1000, "probe"),
        np.arange(1000),
    )
    monkeypatch.setattr(protocol, "field_of", lambda *unit: field)
    honest = np.mean([compete(split=split, known="")[0]["3-NN"] for split in range(6)])
    peeking = Contestant(
        "peeking", "filter", "none", lambda X, y, sizes, seed: F_TEST.choose(field.X, field.y, sizes, seed)
    )
    compete = entered(monkeypatch, peeking)
    leaked = np.mean([compete(split=split, known="")[0]["3-NN"] for split in range(6)])
    bound = 0.5 + 3 * np.sqrt(0.25 / 120)  # three standard deviations above chance for 120 predictions
    assert honest < bound < leaked


def test_training_part_is_scaled_by_itself():
    A, B = protocol.standardized(np.array([[0.0, 5.0], [2.0, 5.0]]), np.array([[3.0, 9.0]]))
    assert A.tolist() == [[-1, 0], [1, 0]]
    assert B.tolist() == [[2, 0]], "a column constant in the training part tells nothing"


def test_a_fit_that_takes_too_long_is_a_row_with_its_reason(monkeypatch):
    def slow(X, y, sizes, seed):
        start = time.process_time()
        while len(X) > 24 and time.process_time() - start < 20:
            try:
                sum(range(1000))
            except Exception:
                continue
        return {size: np.arange(size) for size in sizes}, 0

    row = entered(monkeypatch, Contestant("slow", "search", "none", slow))(split=0, limit=0.1, **KNOWN)[0]
    assert row["status"] == "time limit"
    assert "0.1 s" in row["reason"]
    assert row["chosen"] is None
    assert row["seconds"] < 10


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        (lambda X, y, sizes, seed: 1 / 0, "ZeroDivisionError"),
        (lambda X, y, sizes, seed: ({5: [0, 1]}, 0), "2 features were selected instead of 5"),
        (lambda X, y, sizes, seed: ({5: [0, 0, 1, 2, 3]}, 0), "no subset"),
        (lambda X, y, sizes, seed: ({5: [0, 1, 2, 3, 99]}, 0), "no subset"),
        (lambda X, y, sizes, seed: ({}, 0), "KeyError"),
    ],
)
def test_a_fit_that_fails_is_a_row_with_its_reason(monkeypatch, choose, said):
    row = entered(monkeypatch, Contestant("wrong", "search", "none", choose))(split=0, **KNOWN)[0]
    assert row["status"] == "failed"
    assert said in row["reason"]


def test_all_contestants_get_the_same_splits_whatever_is_planted():
    plain, probes = (observed_field("wine", None, planted, 1000, 0) for planted in ("plain", "probes"))
    for (a, b), (c, d) in zip(protocol.splits(plain, 3, 1, 0), protocol.splits(probes, 3, 1, 0), strict=True):
        assert np.array_equal(a, c)
        assert np.array_equal(b, d)


def test_sizes():
    assert protocol.sizes_of(("5", "10", "sqrt"), 100) == {"5": 5, "10": 10, "sqrt": 10}
    assert protocol.sizes_of(("5", "10", "sqrt"), 9) == {"5": 5, "sqrt": 3}
    assert protocol.sizes_of(("5", "10"), 4) == {"sqrt": 2}


def test_judging_a_separable_problem_and_no_features():
    y = np.arange(30) % 3
    X = 10.0 * y[:, None] + np.random.default_rng(0).random((30, 1))
    judged = protocol.judge(protocol.classifiers(20, 0), X[:15], y[:15], X[15:], y[15:])
    assert judged == dict.fromkeys(judged, 1.0)
    empty = protocol.judge(protocol.classifiers(20, 0), X[:15, :0], y[:15], X[15:, :0], y[15:])
    assert empty["3-NN"] == pytest.approx(1 / 3)
    assert empty["auc"] == 0.5


# Scores


def test_shares_of_known_columns():
    kind = np.array(["relevant", "relevant", "copy", "probe", "probe"])
    field = Field("f", "f", np.zeros((4, 5)), np.zeros(4), None, kind, np.array([0, 1, 0, 3, 4]))
    assert arena.known_columns([(0, 2, 3)], field) == {
        "found": 0.5,
        "probes": pytest.approx(1 / 3),
        "redundant": pytest.approx(1 / 3),
    }
    assert arena.known_columns([(2, 1)], field) == {"found": 1.0, "probes": 0.0, "redundant": 0.0}
    assert np.isnan(arena.known_columns([()], field)["probes"])


def test_equal_subsets_are_stable():
    field = Field("f", "f", np.zeros((4, 5)), np.zeros(4), None, np.full(5, "observed"), np.arange(5))
    scores = arena.scores_of([(0, 1), (0, 1), (0, 1)], field)
    assert scores["stability"] == scores["ati"] == scores["cw_rel"] == 1
    assert np.isnan(scores["found"])
    assert np.isnan(arena.scores_of([(0, 1)], field)["stability"])


def test_a_run_has_a_row_for_every_contestant_and_a_new_contestant_runs_alone(monkeypatch):
    modules = [f"comparison.contestants.{name}" for name in ("all_features", "fisher", "boruta")]
    monkeypatch.setattr(arena, "module_names", lambda: modules)
    run = arena.Arena(dataset=["wine"], planted=["plain"], n_splits=2, n_trees=3, max_samples=60, sizes=["5"])
    first = run.run()
    assert first["splits"].columns.tolist() == ["field", "split", "all features", "Fisher score"]
    assert first["splits"].shape == (4, 4)
    assert first["splits"].notna().all(axis=None)
    assert first["contestants"].set_index("contestant")["entered"].sum() == 2 + (not missing_package(modules[2]))
    modules.append("comparison.contestants.f_classif")
    computed = []
    original = protocol.judge
    monkeypatch.setattr(protocol, "judge", lambda *arguments: computed.append(1) or original(*arguments))
    second = run.run()
    assert len(computed) == 4, "only the new contestant's units: two fields, two splits"
    assert second["splits"].columns.tolist() == ["field", "split", "all features", "Fisher score", "F test"]
    assert second["splits"]["Fisher score"].equals(first["splits"]["Fisher score"])


def test_tables_average_what_the_units_measured():
    """Two splits with answers at two sizes, one split without, and a method with a size of its own."""
    rows = [
        {"field": "f", "contestant": "a", "split": k, "size": size, "status": "done", "chosen": (0,), "value": value}
        for k, size, value in [(0, "5", 0.5), (0, "10", 0.7), (1, "5", 0.6), (1, "10", 0.8)]
    ]
    rows += [{**row, "split": 2, "status": "failed", "chosen": None, "value": np.nan} for row in rows[:2]]
    rows += [{**rows[0], "contestant": "b", "size": "own", "split": k, "value": 0.9} for k in range(3)]
    rows = pd.DataFrame(rows).rename(columns={"value": "3-NN"})
    rows = rows.assign(**{"RBF-SVM": rows["3-NN"], "random forest": rows["3-NN"], "auc": rows["3-NN"]})
    splits = arena._by_split(rows)
    assert splits["a"].tolist() == pytest.approx([0.6, 0.7, np.nan], nan_ok=True)
    assert splits["b"].tolist() == [0.9] * 3
    scores = arena._scores(rows).set_index(["size", "metric"])
    assert scores.loc[("10", "auc"), "a"] == 0.75
    assert scores.loc[("5", "3-NN"), "a"] == 0.55
    assert set(scores["b"]) == {0.9}
    assert len(scores) == 8

"""The comparison of methods: fields, protocol, contestants and their scores."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import shown
from scipy import stats
from sklearn.feature_selection import f_classif
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from comparison import advice, arena, bayes, contestant, explorer, fields, orders, outcomes, protocol
from comparison.contestant import FOLDER, Contestant, contestants, scoring
from comparison.fields import Field, generated_field, observed_field
from compendium.store import entries
from fscore.datasets import load

PLAYERS = {key: player for key, (_, player) in contestants().items() if not player.missing_package()}
OTHERS = {"boruta", "knockoffs"}  # of packages that may be missing
KNOWN = {"known": "n=60 d=12 relevant=4 copies=2 noise=0"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))


def entered(monkeypatch, player):
    """Let a contestant that no file defines take part."""
    monkeypatch.setattr(protocol, "contestants", lambda: {"test": ("", player)})
    return partial(
        protocol.compete, "test", "", sizes=("5",), max_samples=100, n_splits=3, n_trees=5, limit=10.0, seed=0
    )


# Contestants


def test_there_are_enough_contestants_and_they_are_discovered():
    assert sum(player.library == "fscore" for player in PLAYERS.values()) >= 20
    files = {file.stem for file in FOLDER.glob("[a-z]*.py")}
    assert {module.rpartition(".")[2] for module, _ in contestants().values()} == files


def test_two_contestants_of_the_same_name_are_refused(monkeypatch, tmp_path):
    (tmp_path / "mine.py").touch()
    twice = {key: scoring("mine", "filter", "none", None) for key in ("first", "second")}
    monkeypatch.setattr(contestant, "FOLDER", tmp_path)
    monkeypatch.setattr(contestant, "import_module", lambda name: SimpleNamespace(CONTESTANTS=twice))
    with pytest.raises(ValueError, match="two contestants are named 'second' or 'mine'"):
        contestants.__wrapped__()


@pytest.mark.parametrize("key", sorted(PLAYERS.keys() - OTHERS))
def test_contestants_choose_what_is_asked_for(key):
    field = generated_field("n=60 d=12 relevant=4 copies=2 noise=0", 0)
    player = PLAYERS[key]
    wanted = {} if player.own_size else {"3": 3, "5": 5}
    subsets, told = protocol.select(player, field.X, field.y, wanted, 60.0, 1)
    assert told["status"] == "done", told["reason"]
    assert set(subsets) == (set(wanted) or {"own"})
    again, _ = protocol.select(player, field.X, field.y, dict([*wanted.items()][:1]), 60.0, 1)
    assert again.items() <= subsets.items(), "the same seed, the same subset"


def test_a_score_that_is_no_number_ranks_last_and_ties_go_to_the_first():
    player = scoring("test", "filter", "none", lambda X, y, seed: [np.nan, 1.0, 2.0, 2.0])
    subsets, _ = player.choose(np.zeros((4, 4)), np.zeros(4), [1, 3], 0)
    assert subsets[1].tolist() == [2]
    assert sorted(subsets[3].tolist()) == [1, 2, 3]


def test_an_optional_package_that_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(contestant, "find_spec", lambda name: None)
    table = arena._entries().set_index("contestant")
    assert table.loc["Fisher score", "entered"]
    for name, package in (("Boruta", "boruta"), ("model-X knockoffs", "hidimstat")):
        assert not table.loc[name, "entered"]
        assert table.loc[name, "reason"] == f"the package {package} is not installed"


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_contestants_of_other_packages_find_strong_features(name):
    if name not in PLAYERS:
        pytest.skip("its package is not installed")
    field = generated_field("n=300 d=20 relevant=6 copies=0 noise=0", 0)
    subsets, told = protocol.select(PLAYERS[name], field.X, field.y, {}, 60.0, 1)
    assert told["status"] == "done", told["reason"]
    assert protocol.select(PLAYERS[name], field.X, field.y, {}, 60.0, 1)[0] == subsets, "the same seed"
    chosen = field.kind[list(subsets["own"])]
    assert np.sum(chosen == "relevant") == 6
    assert np.sum(chosen == "probe") <= 3


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
    ("wrong", "said"),
    [
        ({"known": ["m=3"]}, "sets no parameter"),
        ({"known": ["n=many"]}, "not a number"),
        ({"known": ["form=cubic"]}, "choose from"),
        ({"known": ["n=5"]}, "at least 20"),
        ({"known": ["relevant=3"]}, "even number"),
        ({"known": ["d=6"]}, "at least relevant"),
        *(({"sizes": [size]}, "each is an integer from 1, or sqrt") for size in ("0", "-3", "2.5", "abc")),
    ],
)
def test_wrong_sizes_and_truths_are_refused_at_once(wrong, said):
    with pytest.raises(ValueError, match=said):
        arena.Arena(**wrong)


def test_large_sets_are_sampled_and_groups_kept_together():
    assert len(observed_field("digits", None, "plain", 100, 0).X) == 100
    assert len(observed_field("wine", None, "plain", 177, 0).X) == 177  # one row less than all, of three classes
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


def test_a_contestant_gets_the_training_part_and_classifiers_both_parts_in_its_scale(monkeypatch):
    known = "n=60 d=12 relevant=4 copies=2 noise=0.1"
    field, given = generated_field(known, 0), []

    def choose(X, y, sizes, seed):
        given.append((X, y))
        return {size: range(size) for size in sizes}, 0

    monkeypatch.setattr(protocol, "judge", lambda models, *parts: given.append(parts) or {})
    entered(monkeypatch, Contestant("first", "filter", "none", choose))(split=1, known=known)
    train, test = protocol.splits(field, 3, 0, 0)[1]
    A, B = protocol.standardized(field.X[train], field.X[test])
    selection = A, field.y[train]
    judgment = A[:, :5], field.y[train], B[:, :5], field.y[test]
    for found, wanted in zip([*given[-2], *given[-1]], [*selection, *judgment], strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_training_part_is_scaled_by_itself():
    A, B = protocol.standardized(np.array([[0.0, 5.0], [2.0, 5.0]]), np.array([[3.0, 9.0]]))
    assert A.tolist() == [[-1, 0], [1, 0]]
    assert B.tolist() == [[2, 0]], "a column constant in the training part tells nothing"


@pytest.mark.parametrize("in_thread", [False, True], ids=["main thread", "another thread"])
def test_a_fit_that_takes_too_long_is_a_row_with_its_reason(monkeypatch, in_thread):
    def slow(X, y, sizes, seed):
        start = time.process_time()
        while len(X) > 24 and time.process_time() - start < 20:
            try:
                sum(range(1000))
            except Exception:
                continue
        return {size: np.arange(size) for size in sizes}, 0

    compete = partial(entered(monkeypatch, Contestant("slow", "search", "none", slow)), split=0, limit=0.1, **KNOWN)
    if in_thread:  # as a Dask worker runs it
        with ThreadPoolExecutor(1) as pool:
            row = pool.submit(compete).result()[0]
    else:
        row = compete()[0]
    assert row["status"] == "time limit"
    assert "0.1 s" in row["reason"]
    assert row["chosen"] is None
    assert row["seconds"] < 10


def test_a_time_limit_that_was_not_reached_leaves_nothing_behind():
    with protocol.time_limit(0.05):
        pass
    start = time.process_time()
    while time.process_time() - start < 0.2:
        sum(range(1000))


def test_code_after_a_time_limit_can_be_traced():
    """An interpreter that still looks for the exception never leaves the first function that a profiler sees."""
    code = (
        "from comparison.protocol import OverTimeError, time_limit\n"
        "import sys\n"
        "for limit in (10, 0.05):\n"
        "    try:\n"
        "        with time_limit(limit):\n"
        "            while limit < 1:\n"
        "                pass\n"
        "    except OverTimeError:\n"
        "        print('interrupted')\n"
        "    sys.setprofile(lambda *event: None)\n"
        "    assert sum(map(abs, range(9))) == (lambda: 36)()\n"
        "    sys.setprofile(None)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        (lambda X, y, sizes, seed: 1 / 0, "ZeroDivisionError"),
        (lambda X, y, sizes, seed: ({5: [0, 1]}, 0), "2 features were selected instead of 5"),
        (lambda X, y, sizes, seed: ({5: [0, 0, 1, 2, 3]}, 0), "not a subset"),
        (lambda X, y, sizes, seed: ({5: [0, 1, 2, 3, 99]}, 0), "not a subset"),
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


@pytest.mark.parametrize("name", ["iris", "wdbc"])
def test_judged_areas_are_those_of_scikit_learn(name):
    field = observed_field(name, None, "plain", 150, 0)
    X, y = field.X[:, :3].round(), field.y  # rounded: scores tie
    models = protocol.classifiers(5, 0)
    judged = protocol.judge(models, X[::2], y[::2], X[1::2], y[1::2])
    areas = []
    for model in models.values():
        scores = model.decision_function(X[1::2]) if isinstance(model, SVC) else model.predict_proba(X[1::2])
        if name == "wdbc":
            areas += 2 * [roc_auc_score(y[1::2], scores if scores.ndim == 1 else scores[:, 1])]
        else:
            areas += [roc_auc_score(y[1::2] == c, scores[:, c]) for c in range(3)]
    assert judged["auc"] == pytest.approx(np.mean(areas), abs=1e-12)


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
    entered = {key: contestants()[key] for key in ("all_features", "fisher", "boruta")}
    monkeypatch.setattr(arena, "contestants", lambda: entered)
    monkeypatch.setattr(contestant, "find_spec", lambda name: None)  # as if Boruta's package were not installed
    sizes = {"n_splits": 2, "n_repeats": 1, "n_trees": 3, "max_samples": 60, "sizes": ["5"]}
    run = arena.Arena(dataset=["wine"], planted=["plain"], known=["n=200 d=50"], **sizes)
    first = run.run()
    assert first["splits"].columns.tolist() == ["field", "split", "all features", "Fisher score"]
    assert first["splits"].shape == (4, 4)
    assert first["splits"].notna().all(axis=None)
    assert first["contestants"]["entered"].tolist() == [True, True, False]
    entered["f_classif"] = contestants()["f_classif"]
    computed = []
    original = protocol.select
    monkeypatch.setattr(protocol, "select", lambda *arguments: computed.append(1) or original(*arguments))
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


def test_features_are_counted_from_one_in_the_order_of_the_file(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    kind = np.arange(40) % 2
    table = pd.DataFrame(rng.normal(size=(40, 25)), columns=[f"name_{k}" for k in range(25)])
    path = str(tmp_path / "mine.csv")
    table.assign(name_3=table["name_3"] + 9 * kind, label=kind).to_csv(path, index=False)
    entered = {key: contestants()[key] for key in ("all_features", "random_subset", "fisher", "f_classif")}
    monkeypatch.setattr(arena, "contestants", lambda: entered)
    small = {"target": "label", "planted": ["plain"], "n_splits": 2, "n_trees": 3, "sizes": ["2"]}
    small["known"] = ["n=40 d=8 relevant=2 copies=2"]
    tables = arena.Arena(dataset=[path], **small).run()
    assert len(tables["chosen"]) == 20
    assert tables["chosen"]["share"].sum() == pytest.approx(2), "of the Fisher score and the F test alone"
    assert tables["chosen"]["field"].unique().tolist() == ["mine"]
    assert tables["chosen"].loc[0, ["feature", "share"]].tolist() == [4, 1]


# Statistics


def test_cliques():
    """Three methods in a strict order on twenty blocks, and a copy of the last."""
    rng = np.random.default_rng(0)
    base = rng.random(20)
    scores = pd.DataFrame({"worst": base, "best": base + 0.3, "middle": base + 0.2, "copy": base})
    p = orders.wilcoxon_holm(scores)
    assert orders.cliques(["best", "middle", "worst", "copy"], p) == [["worst", "copy"]]
    raw = stats.wilcoxon(np.full(20, 0.1), zero_method="zsplit", method="approx").pvalue
    assert p.loc["best", "middle"] == pytest.approx(6 * raw), "the smallest of six p-values, adjusted by Holm"
    names = list("abcd")
    p = pd.DataFrame(np.ones((4, 4)), names, names)
    p.loc["a", ["c", "d"]] = p.loc[["c", "d"], "a"] = 0.01
    assert orders.cliques(names, p) == [["a", "b"], ["b", "c", "d"]], "cliques may overlap"


def test_front_and_knee():
    points = pd.DataFrame({"x": [0.0, 1.0, 0.8, 0.5], "y": [1.0, 0.0, 0.8, 0.5]}, list("abcd"))
    assert orders.front(points) == ["a", "b", "c"]
    assert orders.knee(points.loc[["a", "b", "c"]]) == "c"
    equal = pd.DataFrame({"x": [1.0, 1.0], "y": [2.0, 2.0]}, list("ab"))
    assert orders.front(equal) == ["a", "b"], "equal points don't dominate each other"


def test_bayesian_shares_have_the_expectation_of_the_dirichlet_distribution():
    d, prior, rope = np.array([0.3, -0.1, 0.02, 0.5]), 0.5, 0.05
    values, alpha = np.r_[0.0, d], np.r_[prior, np.ones(4)]
    total = alpha.sum()
    expected = np.zeros(3)
    for i in range(5):
        for j in range(5):
            weight = alpha[i] * (alpha[j] + (i == j)) / (total * (total + 1))
            mean = (values[i] + values[j]) / 2
            expected[0 if mean > rope else 2 if mean < -rope else 1] += weight
    weights = np.random.default_rng(0).dirichlet(alpha, 40000)
    assert bayes.walsh_shares(weights, values, rope).mean(axis=0) == pytest.approx(expected, abs=0.005)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8), st.floats(0, 0.2))
def test_exchanging_the_methods_exchanges_the_probabilities(differences, rope):
    better, equivalent, worse = bayes.signed_rank(differences, rope, n_samples=200)
    again = bayes.signed_rank([-d for d in differences], rope, n_samples=200)
    assert again == pytest.approx((worse, equivalent, better))


def test_wrong_arguments_of_the_bayesian_test():
    with pytest.raises(ValueError, match="at least one"):
        bayes.signed_rank([])
    with pytest.raises(ValueError, match="negative"):
        bayes.signed_rank([1.0], rope=-1)


# Advice


def situation_of(gains, quality=None, own_size=()):
    gains = pd.DataFrame(gains).assign(**{"all features": 0.0})
    return advice.Situation("test", gains, quality, frozenset(own_size))


def test_advice_that_holds_pays_and_is_worth_its_gain():
    rng = np.random.default_rng(0)
    found = advice.verdict(situation_of({"good": 0.1 + 0.01 * rng.random(12), "bad": -0.1 + 0.01 * rng.random(12)}))
    assert found["methods"] == ["good"]
    assert found["pays"]
    assert found["best"] == found["worst"] == pytest.approx(0.105, abs=0.01)


def test_the_best_of_many_methods_without_effect_is_not_advised():
    """Forty methods of pure noise: the largest mean is above zero, but the interval holds for all at once."""
    pays, naive = [], []
    for seed in range(8):
        noise = situation_of(np.random.default_rng(seed).normal(0, 0.05, (15, 40)))
        pays.append(advice.verdict(noise)["pays"])
        naive.append(noise.gains.mean().max() > 0)
    assert all(naive)
    assert np.sum(pays) <= stats.binom.ppf(0.999, 8, 0.025)


def test_a_certain_gain_is_advised_before_a_larger_one():
    rng = np.random.default_rng(0)
    gains = {"large": rng.normal(0.05, 0.2, 12), "certain": rng.normal(0.02, 0.002, 12)}
    assert np.mean(gains["large"]) > np.mean(gains["certain"])
    found = advice.verdict(situation_of(gains))
    assert found["methods"] == ["certain"]
    assert found["pays"]
    assert advice.verdict(situation_of({"large": gains["large"]}))["pays"] is False


def test_a_block_has_no_part_in_the_advice_that_it_judges():
    gains = situation_of({"a": [1.0, 0.0, 0.0, 0.0], "b": [0.0, 0.1, 0.1, 0.1]})
    assert advice.advised(gains, [0, 1, 2, 3]).index.tolist() == ["a"]
    assert advice.followed(gains).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_only_methods_of_the_needed_quality_are_eligible():
    quality = pd.DataFrame({name: [value] * 3 for name, value in zip("abcd", (1, 2, 3, 4), strict=True)})
    found = situation_of({"a": [0.5] * 3, "b": [0.4] * 3, "c": [0.3] * 3, "d": [0.1] * 3}, quality)
    assert advice.advised(found, [0, 1, 2]).index.tolist() == ["d"]


def test_methods_within_a_point_of_the_best_are_advised_together():
    gains = {"first": [0.03, -0.02, 0.02], "second": [0.02, -0.02, 0.01], "third": [0.0, -0.02, 0.0]}
    found = advice.verdict(situation_of(gains))
    assert found["methods"] == ["first", "second"]
    assert (found["best"], found["worst"]) == pytest.approx((0.01, 0.01 / 3))


def test_a_reconstruction_is_not_advised():
    assert advice.verdict(situation_of({"LMBA": [0.5, 0.6, 0.5], "other": [0.0, 0.1, 0.0]}))["methods"] == ["other"]


def test_a_user_who_sets_the_number_of_features_gets_methods_that_keep_to_it():
    found = situation_of({"free": [0.5, 0.6, 0.5], "kept": [0.0, 0.1, 0.0]}, own_size=["free", "all features"])
    assert advice.verdict(found)["methods"] == ["free"]
    assert advice.verdict(found.keeping_to_the_size())["methods"] == ["kept"]


@pytest.fixture(scope="module")
def tables():
    """Tables of a made-up comparison: "good" gains where samples are few, "slow" never answers."""
    rng = np.random.default_rng(0)
    names = ["all features", "good", "slow", "<b>odd</b>"]
    rows, splits, scores, selections = [], [], [], []
    for k in range(16):
        field, few = f"set{k}", k < 8
        size = {"samples": 50 if few else 500, "features": 40, "classes": 2, "grouped": False}
        rows.append(
            {"field": field, "dataset": field, "planted": "plain", **size, "relevant": 0, "copy": 0, "probe": 0}
        )
        for split in range(2):
            base = 0.7 + 0.01 * rng.random()
            values = [base, base + (0.1 if few else -0.05) + 0.01 * rng.random(), np.nan, base - 0.02 * rng.random()]
            splits.append({"field": field, "split": split, **dict(zip(names, values, strict=True))})
        for metric in (*protocol.CLASSIFIERS, "auc"):
            scores.append({"field": field, "size": "5", "metric": metric, **dict(zip(names, values, strict=True))})
        for metric, known in (("stability", [np.nan, 0.9, np.nan, 0.2]), ("seconds", [1e-5, 0.1, 9.0, 0.01])):
            selections.append({"field": field, "metric": metric, **dict(zip(names, known, strict=True))})
        for metric in ("chosen", "cw_rel", "ati"):
            selections.append({"field": field, "metric": metric, **dict.fromkeys(names, 1.0)})
    contestants = pd.DataFrame({"contestant": [*names, "absent"], "family": ["baseline", *["filter"] * 4]})
    contestants = contestants.assign(
        library="none", own_size=[True, *[False] * 4], entered=[*[True] * 4, False], reason=""
    )
    answers = [("slow", "time limit", "no answer", 32, tuple(f"set{k}" for k in range(16)))]
    return SimpleNamespace(
        contestants=contestants,
        fields=pd.DataFrame(rows),
        scores=pd.DataFrame(scores),
        selections=pd.DataFrame(selections),
        splits=pd.DataFrame(splits),
        chosen=pd.DataFrame({"field": ["set0"], "feature": [1], "share": [0.5]}),
        answers=pd.DataFrame(answers, columns=["contestant", "status", "reason", "units", "fields"]),
    )


def test_no_answer_counts_as_all_features(tables):
    values = outcomes.accuracy(tables)
    assert outcomes.answered(tables).mean().tolist() == [1, 1, 0, 1]
    assert values["slow"].equals(values["all features"].rename("slow"))


def test_methods_are_ranked_by_their_mean_gain(tables):
    ranks = outcomes.ranking(tables).set_index("method")
    assert ranks["rank"].to_dict() == {"good": 1, "all features": 2, "<b>odd</b>": 3}
    assert ranks["own_size"].to_dict() == {"good": False, "all features": True, "<b>odd</b>": False}
    gains = outcomes.accuracy(tables).sub(outcomes.accuracy(tables)["all features"], axis=0)
    assert ranks.loc["good", "gain"] == pytest.approx(100 * gains["good"].mean())  # each field is a block


def silenced(tables, share):
    """The tables, with a method "half" that is as good as "good" but answers this share of a field's splits."""
    half = tables.splits["good"].where(tables.splits.groupby("field").cumcount() + 1 <= 2 * share)
    half[tables.splits["field"] == "set0"] = tables.splits["good"]  # one field is always answered
    row = tables.contestants.query("contestant == 'good'").assign(contestant="half")
    selections = tables.selections.assign(half=tables.selections["good"])
    return SimpleNamespace(
        **vars(tables)
        | {
            "splits": tables.splits.assign(half=half),
            "contestants": pd.concat([tables.contestants, row]),
            "selections": selections,
            "scores": tables.scores.assign(half=tables.scores["good"]),
        }
    )


def test_silence_is_in_no_list_of_ranks(tables):
    """A method that answers half of the fits is in no rank list and is not advised."""
    half = silenced(tables, 0.5)
    assert "half" not in set(outcomes.ranking(half)["method"])
    slow = outcomes.too_slow(half).set_index("method")
    assert slow.loc["half", "answered"] == pytest.approx((1 + 15 * 0.5) / 16)
    assert slow.loc["half", ["fields", "better", "ranked"]].tolist() == [1, 0, 2]
    assert slow.loc["slow", "fields"] == 0
    assert not any("half" in advice.verdict(line)["methods"] for line in advice.situations(half))
    full = silenced(tables, 1.0)
    assert outcomes.ranking(full).query("method in ('good', 'half')")["rank"].tolist() == [1, 1]
    assert "half" in advice.verdict(advice.situations(full)[0])["methods"]


def test_the_stored_ranks_are_of_methods_that_answer():
    """Every list of ranks on the pages is this one: branch and bound and scikit-learn's selector are not in it."""
    stored = SimpleNamespace(**entries()["comparison_arena"].tables)
    ranked, slow = outcomes.ranking(stored), outcomes.too_slow(stored)
    assert outcomes.share_answered(stored)[ranked["method"]].min() >= outcomes.ANSWERED
    assert (slow["answered"] < outcomes.ANSWERED).all()
    assert len(ranked) + len(slow) == len(outcomes.methods_of(stored))
    assert ranked["rank"].is_monotonic_increasing


def test_the_answer_names_no_single_method_of_several_equal_ones(tables):
    said = " ".join(advice.answer(silenced(tables, 1.0)))
    assert "any of these: good; half" in said
    assert "16 real data sets (at most 500 rows of each)" in said


def test_what_is_said_of_some_methods(tables):
    """Of a family: the best where the user sets the size, those worse than chance, and those too slow to judge."""
    names = {"<b>odd</b>": "random subset"}
    renamed = SimpleNamespace(
        **vars(tables)
        | {name: getattr(tables, name).rename(columns=names) for name in ("splits", "scores", "selections")}
        | {"contestants": tables.contestants.replace({"contestant": names})}
    )
    said = advice.of_methods(renamed, ["filter"])
    assert said[0].startswith("Where you set the number of features, use good (rank 1 of 3, +")
    assert said[-1] == "Too slow to judge: slow (0% of the fits in time)."
    renamed.splits["good"] = renamed.splits["random subset"] - 0.1
    assert "good (-" in advice.of_methods(renamed, ["good"])[0]
    assert "did worse than a random subset (" in advice.of_methods(renamed, ["good"])[0]
    assert advice.of_methods(renamed, ["unknown"]) == []


def test_the_page_says_what_the_tables_say(tables):
    shown_tables, said = shown("comparison_arena", results=tables)
    assert "If you must select, use good" in said
    assert "keep all" in said
    links = set(re.findall(r'href="#(evidence-[^"]+)"', said))
    assert links
    assert links == set(re.findall(r'id="(evidence-[^"]+)"', said))
    assert "<b>odd" not in said.replace("= <b>odd", "")
    assert "slow" not in set(shown_tables["The front of accuracy, stability and cost"]["method"])


def test_a_run_with_too_few_data_sets_says_so(tables):
    two = {
        name: table[table["field"].isin(["set0", "set1"])] for name, table in vars(tables).items() if "field" in table
    }
    few = SimpleNamespace(**{**vars(tables), **two})
    sections = ["The answer", "What to use when", "Explore the methods", "Evidence by situation"]
    _, said = shown("comparison_arena", *sections, results=few)
    assert said.count("too few data sets") == 1
    assert "evidence-" not in said


def test_the_explorer_needs_nothing_else_and_escapes_names(tables):
    families = tables.contestants.set_index("contestant")["family"].to_dict()
    aims = pd.DataFrame({"gain": 0.0, "stability": [np.nan, 0.9, 0.2, 0.2], "seconds": 1.0}, list(families)[:4])
    page = explorer.explorer(aims, families, {"seconds"})
    assert "@" not in page
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)", page)
    assert "<b>odd" not in page
    data = json.loads(re.search(r"const data = (.*);", page)[1])
    assert [point["name"] for point in data["points"]] == ["all features", "good", "slow", "<b>odd</b>"]
    assert data["points"][0]["values"][1] is None, "unknown, not NaN, which isn't JSON"
    assert data["aims"][2] == {"label": "seconds", "log": True}
    assert "tabindex" in page
    assert "aria-live" in page

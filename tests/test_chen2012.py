"""The experiments of Chen 2012, the rules of its claims, and the comparisons with its printed tables."""

import shutil
from functools import cache

import numpy as np
import pandas as pd
import pytest
from claimed import values
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from chen2012 import claims, printed, protocol, summaries
from chen2012.ambiguity import Ambiguity
from chen2012.auc import ORIGINAL, Auc, dominance, dominance_of_means, subset_sizes
from chen2012.auc import _auc_of_gmlvq as auc_of_gmlvq
from chen2012.descent import evaluate_by_steps, valley
from chen2012.entropy import entropy_profiles
from chen2012.irrelevant_redundant import IrrelevantRedundant, at_original_size
from chen2012.ranking import Ranking, average_ranks, outline, stability
from chen2012.readings import READINGS, Readings
from chen2012.training import Training
from compendium.published import CAUSES, compare, compare_lists, printed_table, published
from compendium.statements import decide
from compendium.verdicts import claims_needing

METHODS = (*protocol.METHODS, *protocol.VARIANTS)

pytestmark = pytest.mark.usefixtures("own_cache", "read_once")


@pytest.fixture(scope="module")
def read_once():
    """Each unit of work reads its file, which would take half of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "load_set", cache(protocol.load_set))
        yield


@pytest.fixture(scope="module")
def own_file(tmp_path_factory):
    """Two classes that differ in the first feature alone."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5))
    X[:, 0] += 4 * y
    path = tmp_path_factory.mktemp("data") / "adrenal_tumour.csv"
    pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(y == 1, "ill", "well")).to_csv(path, index=False)
    return str(path)


def ranking(*dataset, **given):
    """The experiment with few splits and a short descent."""
    return Ranking(**{"dataset": list(dataset), "max_iter": 20, "n_repeats": 1, "target": "kind", **given})


# Protocol -------------------------------------------------------------------------------------------------------------


def test_parts_are_three_to_one_to_one_and_every_sample_is_tested_once():
    X = np.arange(100.0)[:, None]
    y = np.arange(100) % 2
    tested = []
    for fold in range(5):
        train, validation, test = (part for part, _ in protocol.split(X, y, "x", 0, fold, 5, 0))
        assert [len(part) for part in (train, validation, test)] == [60, 20, 20]
        assert_allclose([train.mean(), train.std()], [0, 1], atol=1e-12)
        whole = np.unique(np.concatenate([train, validation, test]).round(9))
        assert len(whole) == 100
        tested.append(np.unique(test))


@pytest.mark.filterwarnings("ignore:holes.csv. missing values")
def test_constant_features_are_removed_and_missing_values_become_means(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b,c,label\n1,5,1,x\n,5,2,y\n3,5,4,x\n")
    X, y = protocol.read(str(path))
    assert_allclose(X, [[1, 1], [2, 2], [3, 4]])
    assert list(y) == ["x", "y", "x"]


def test_a_class_too_rare_for_the_parts_is_named():
    X, y = np.random.default_rng(0).normal(size=(63, 2)), np.repeat(["often", "rare"], [60, 3])
    said = "class rare of x has 3 samples, too few for n_splits=5 parts; lower n_splits"
    with pytest.raises(ValueError, match=said):
        protocol.split(X, y, "folder/x.csv", 0, 0, 5, 0)
    for fold in range(3):
        assert all(set(b) == {"often", "rare"} for _, b in protocol.split(X, y, "x", 0, fold, 3, 0))


# Rankings -------------------------------------------------------------------------------------------------------------


@pytest.mark.data("ionosphere")
def test_outline_of_table_2():
    rows = printed_table("chen2012", 2).query("metric != 'attribute_type'")
    shown = compare(rows, outline(["wdbc", "ionosphere"]), ["dataset", "metric"]).set_index("dataset")
    assert shown.loc["wdbc", "agrees"].tolist() == [True] * 3
    assert shown.loc["ionosphere", "agrees"].tolist() == [True] * 3
    assert shown.loc["adrenal_tumour", "agrees"].isna().all()


@pytest.fixture(scope="module")
def ranks(own_file):
    return ranking(own_file).rankings()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_one_feature(ranks, method):
    ranks = ranks[ranks["method"] == method]
    assert set(ranks["dataset"]) == {"adrenal_tumour"}
    assert (ranks.groupby("fold")["rank"].apply(sorted).map(tuple) == (1, 2, 3, 4, 5)).all()
    average = average_ranks(ranks)
    first = average[average["place"] == 1].iloc[0]
    assert first["feature"] == 1
    assert first["top_share"] == 1


def test_target_is_for_the_files_among_the_sets(own_file):
    both = ranking("iris", own_file).rankings(["Fisher"])
    alone = ranking("iris", target=None).rankings(["Fisher"])
    assert list(both["dataset"].unique()) == ["iris", "adrenal_tumour"]
    assert_allclose(both["rank"][: len(alone)], alone["rank"])


def test_data_sets_with_the_same_name_are_rejected(own_file, tmp_path):
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other" / "adrenal_tumour.csv"
    shutil.copy(own_file, twin)
    with pytest.raises(ValueError, match="are both named 'adrenal_tumour'; rename one of them"):
        ranking(own_file, str(twin)).rankings(["Fisher"])


def test_stability_of_equal_and_of_disjoint_rankings():
    same = [
        {"dataset": "x", "method": "a", "repeat": r, "fold": 0, "feature": f, "rank": f}
        for r in (0, 1)
        for f in range(1, 7)
    ]
    turned = [{**row, "method": "b", "rank": row["rank"] if row["repeat"] else 7 - row["rank"]} for row in same]
    table = stability(pd.DataFrame(same + turned), sizes=(3, 4, 6, 10)).set_index(["method", "size"])["value"]
    assert set(table.index.unique("size")) == {3, 4}, "all rankings have the same six features"
    assert_allclose(table.loc["a"], 1)
    assert_allclose(table["b", 3], 0)
    assert_allclose(table["b", 4], 2 / 6)


def test_first_features_are_compared_as_sets():
    ranks = pd.DataFrame(
        [
            {"dataset": "x", "method": m, "feature": f, "mean_rank": f, "place": place}
            for m, order in (("GMLVQ", [1, 2, 3, 4]), ("IG", [2, 1, 4, 3]))
            for place, f in enumerate(order, 1)
        ]
    )
    ours = printed.first_features(ranks, tops=(3,)).set_index(["method", "metric"])["value"]
    assert ours["IG", "top3_average_ranking"] == [2, 1, 4]
    assert ours["all", "common_in_top3"] == [1, 2]
    names = pd.DataFrame({"method": ["GMLVQ", "RLVQ"], "value": ["3;1;9", "1"]})
    shown = compare_lists(names, pd.DataFrame({"method": ["GMLVQ"], "value": [[1, 2, 3]]}), ["method"])
    assert shown["shared"][0] == "2 of 3"
    assert pd.isna(shown["shared"][1])
    assert shown["published"].tolist() == ["1, 3, 9", "1"]


# AUC ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_features", "n_sizes"), [(32, 16), (33, 16), (60, 15), (30, 15), (44, 14)], ids=lambda n: str(n)
)
def test_number_of_sizes_is_that_of_the_printed_percentages(n_features, n_sizes):
    sizes = subset_sizes(n_features)
    assert len(sizes) == n_sizes
    assert max(sizes) <= n_features
    named = {32: "adrenal_tumour", 33: "ionosphere", 60: "sonar", 30: "wdbc", 44: "spectf"}[n_features]
    rows = printed_table("chen2012", 3)
    counts = rows[rows["dataset"] == named]["value"].astype(float) * n_sizes / 100
    assert_allclose(counts, counts.round(), atol=2e-3)


def test_auc_by_size(own_file):
    small = {"svm": "libsvm", "max_iter": 20, "n_repeats": 1}
    table = Auc(dataset=[own_file], target="kind", **small).auc()
    assert set(table["method"]) == {*protocol.METHODS, ORIGINAL}
    assert set(table["n_features"]) == {1, 2, 3, 4, 5}
    assert table["value"].between(0.9, 1).all()
    full = table[table["n_features"] == 5].groupby("evaluator")["value"]
    assert full.nunique()["RBFSVM"] == 1  # with all features the rankings do not matter
    named = printed.named_aucs(table).set_index("dataset")
    assert named.loc["spectf", "agrees"] is None
    fewer = Auc(dataset=[own_file], **small).auc(["IG"], ["RBFSVM"])
    chosen = table[(table["method"] == "IG") & (table["evaluator"] == "RBFSVM")]
    assert_allclose(fewer["value"], chosen["value"])
    grid = {**small, "svm": "grid", "svm_C": [1.0], "svm_gamma": [1.0]}
    assert_allclose(Auc(dataset=[own_file], **grid).auc(["IG"], ["RBFSVM"])["value"], chosen["value"])


def test_a_step_beyond_all_features_is_refused(own_file):
    with pytest.raises(ValueError, match="step=6 exceeds the number of features, 5; choose a smaller step"):
        Auc(dataset=[own_file], target="kind", step=6, max_iter=1, n_repeats=1).auc(["Fisher"], ["RBFSVM"])


@pytest.mark.parametrize("parts", ["both", "training"])
def test_evaluating_gmlvq_learns_from_the_stated_parts(parts):
    X, y = protocol.read("wdbc")
    pieces = protocol.split(X[:, :3], y, "wdbc", 0, 0, 5, 0)
    (A, a), (V, v), (T, t) = pieces
    settings = Auc(validation_loss="cost").settings | {"alpha": "none"}
    if parts == "both":
        model = protocol.gmlvq(settings).fit(np.concatenate([A, V]), np.concatenate([a, v]))
    else:
        model = protocol.gmlvq(settings, early_stopping=True).fit(A, a, X_val=V, y_val=v)
    expected = roc_auc_score(t, model.decision_function(T))
    assert auc_of_gmlvq(pieces, settings, parts) == pytest.approx(expected, abs=1e-12)


def test_evaluator_parts_reach_the_evaluating_gmlvq_alone():
    parts = {
        name: Auc(dataset=["wdbc"], evaluator_parts=name, step=30, n_repeats=1).auc(["Fisher"])
        for name in ("training", "both")
    }
    values = {name: table.groupby("evaluator")["value"].apply(list) for name, table in parts.items()}
    assert values["training"]["RBFSVM"] == values["both"]["RBFSVM"]
    assert values["training"]["GMLVQ"] != values["both"]["GMLVQ"]


def test_dominance_counts_sizes_and_shares_ties():
    rows = [
        {"dataset": "x", "evaluator": "e", "method": m, "n_features": k, "counted": k < 4, "repeat": 0, "value": v}
        for m, line in (("a", [0.9, 0.8, 0.7, 0.1]), ("b", [0.8, 0.8, 0.9, 0.9]), ("c", [0.1, 0.1, 0.1, 0.9]))
        for k, v in enumerate(line, start=1)
    ]
    table = dominance(pd.DataFrame(rows)).set_index("method")
    assert_allclose(table.loc[["a", "b", "c"], "value"], [50, 50, 0])
    assert table["repeat"].unique().tolist() == [0]
    shuffled = dominance(pd.DataFrame(rows).sample(frac=1, random_state=0)).set_index("method")
    assert_allclose(shuffled["value"].sort_index(), table["value"].sort_index())
    shown = compare(pd.DataFrame({"method": ["a"], "value": ["50.00"]}), table.reset_index(), ["method"])
    assert shown["agrees"].tolist() == [True]


def test_each_repetition_has_shares_of_its_own_and_the_means_have_others():
    """By hand: a wins every size of two repetitions by little, and none of the third, where b is far ahead."""
    lines = {"a": [[0.9, 0.9], [0.9, 0.9], [0.1, 0.1]], "b": [[0.8, 0.8], [0.8, 0.8], [0.9, 0.9]]}
    rows = [
        {"dataset": "x", "evaluator": "e", "method": m, "n_features": k, "counted": True, "repeat": r, "value": v}
        for m, repeats in lines.items()
        for r, line in enumerate(repeats)
        for k, v in enumerate(line)
    ]
    auc = pd.DataFrame(rows)
    shares = dominance(auc).pivot(index="repeat", columns="method", values="value")
    assert_allclose(shares["a"], [100, 100, 0])
    means = dominance_of_means(auc).set_index("method")
    assert_allclose(means.loc[["a", "b"], "value"], [0, 100])
    assert means.loc["a", "error"] > 20, "other repetitions could have been drawn"
    assert dominance_of_means(auc.query("repeat == 0"))["error"].isna().all()


def test_a_printed_share_counts_as_one_repetition():
    shares = pd.DataFrame({"dataset": "wdbc", "evaluator": "RBFSVM", "method": "IG", "value": [10.0, 20.0, 30.0]})
    row = printed.dominance(shares, "RBFSVM").set_index(["dataset", "method"]).loc[("wdbc", "IG")]
    assert_allclose(row["error"], 10 * np.sqrt(1 + 1 / 3))
    assert row["agrees"]  # 33.33


def test_resamples_with_equal_shares_give_no_error():
    """The standard deviation of equal floats can be 2e-15 instead of 0."""
    shares = pd.DataFrame({"dataset": "wdbc", "evaluator": "RBFSVM", "method": ["IG", "F"], "value": 10.0})
    table = printed.dominance(shares.assign(error=[2e-15, 3.0]), "RBFSVM").query("dataset == 'wdbc'")
    row = table.set_index("method").loc["IG"]
    assert np.isnan(row[["error", "errors"]].astype(float)).all()
    assert not row["agrees"]  # 33.33


# Irrelevant and redundant features ------------------------------------------------------------------------------------


def appended(kind, methods, dataset="wdbc", **given):
    return IrrelevantRedundant(**{"dataset": [dataset], "n_repeats": 1, **given}).added_features(kind, methods)


def test_appended_features_are_counted():
    table = appended("irrelevant", ["Fisher"], n_irrelevant=4)
    counts = values(table, "added")
    assert counts.size == 34
    assert counts[-1] == 4
    assert (np.diff(counts) >= 0).all()
    assert claims.chance(table)["wdbc"] == pytest.approx(4 * 30 / 34)
    (top,) = values(at_original_size(table), "added")
    assert 0 < top < claims.chance(table)["wdbc"]


def test_equal_scores_in_column_order_put_appended_features_last():
    table = appended("irrelevant", ["IG", protocol.RANDOM_ORDER])
    top = at_original_size(table).set_index("method")["value"]
    assert top["IG"] < top[protocol.RANDOM_ORDER]
    random = appended("irrelevant", ["IG"], ties="random")
    assert_allclose(at_original_size(random)["value"], top[protocol.RANDOM_ORDER])


def test_exact_copies_rank_next_to_their_originals():
    table = appended("redundant", ["Fisher"], noise_db=[200.0])
    added, extra = values(table, "added"), values(table, "extra")
    assert added.size == 33
    assert added[-1] == extra[-1] == 3
    assert (extra <= added + 3).all()
    # An exact copy has the Fisher score of its original, so the two are adjacent.
    assert_allclose(extra[extra.size - 1], 3)
    ranks = table.groupby("metric")["value"].mean()
    for feature in (5, 20, 25):
        assert abs(ranks[f"copies {feature}"] - ranks[f"original {feature}"]) <= 1  # exact copies are neighbors
    with pytest.raises(ValueError, match="copied=\\[31\\] are not features 1 to 30 of wdbc"):
        appended("redundant", ["Fisher"], copied=[31])


def test_adrenal_tumour_gets_what_the_thesis_appended(own_file):
    table = appended("irrelevant", ["Fisher"], own_file, target="kind")
    assert set(table["n_added"]) == {9}
    few = appended("redundant", ["Fisher"], own_file, target="kind")
    assert set(few["n_own"]) == {5}
    assert set(few["n_added"]) == {9}


# Training -------------------------------------------------------------------------------------------------------------


def test_entropy_sharpens_and_the_literal_weight_collapses():
    table = Training(dataset=["wdbc"], weights=[5.0], n_repeats=1).entropy()
    bits = {
        setting: values(table, "entropy", setting=setting, stopping="end")[0] for setting in table["setting"].unique()
    }
    assert bits["none"] > bits["auto"] > bits["5"] > bits["N^2/10"]
    assert values(table, "largest", setting="N^2/10", stopping="end")[0] > 0.9
    profiles = entropy_profiles(table)
    assert_allclose(profiles.groupby(["stopping", "setting"])["mean"].sum(), 1)
    assert set(profiles["setting"]) == {"none", "auto", "N^2/10"}
    alphas = table.groupby("setting")["alpha"].mean()
    assert alphas["N^2/10"] == 90
    assert alphas["auto"] == pytest.approx(341.4 / 120, abs=0.02)


def test_descents_share_their_start_and_keep_their_budget():
    table = Training(dataset=["wdbc"], factor=[1.0, 16.0], max_evaluations=40).descent()
    starts = table[table["evaluations"] == 1]
    assert len(starts) == 4
    assert starts["value"].nunique() == 1
    assert table["evaluations"].max() <= 40 + 4  # a step of waypoint averaging is not interrupted
    ends = table[table["factor"] == 16].groupby("solver")["value"].last()
    assert ends["waypoint averaging"] < ends["plain steps"]


def test_plain_steps_oscillate_and_waypoint_averaging_converges():
    paths = valley()
    plain, waypoint = (paths[paths["solver"] == solver] for solver in ("plain steps", "waypoint averaging"))
    assert plain["step"].nunique() == 1
    assert waypoint["step"].is_monotonic_decreasing
    assert waypoint["cost"].iloc[-1] < plain["cost"].iloc[-1]
    moves = np.hypot(plain["x1"].diff(), plain["x2"].diff()).dropna()
    assert_allclose(moves, 1)


# Ambiguity ------------------------------------------------------------------------------------------------------------


def few(**given):
    return Ambiguity(dataset=["wdbc"], max_iter=20, n_repeats=1, **given)


def test_projection_keeps_distances_and_narrows_relevances():
    table = few(n_samples=[12, 0], n_starts=3).ambiguity()
    assert values(table, "distance_change").max() < 1e-9
    assert values(table, "prediction_change_train").max() == 0
    assert (values(table, "unseen", n_samples=12) == 30 - 11 - 2).all()  # prototypes leave the span
    assert (values(table, "unseen", n_samples=0) == 0).all()
    assert values(table, "distance_change_printed", n_samples=12).min() > 1e-6
    assert values(table, "spread_after", n_samples=12) < values(table, "spread_before", n_samples=12)
    assert_allclose(values(table, "rank_correlation", n_samples=0), 1)


def test_ambiguous_relevances_lie_in_their_range():
    table = few().by_feature("wdbc", 12)
    assert table["feature"].tolist() == list(range(1, 31))
    assert (table["low"] <= table["relevance"] + 1e-12).all()
    assert (table["relevance"] <= table["high"] + 1e-12).all()


@pytest.mark.parametrize("n_samples", [1, 569])
def test_training_needs_every_class_and_leaves_test_samples(n_samples):
    said = f"n_samples={n_samples} leaves a class without training samples, or no samples to test; wdbc takes 2 to 568"
    with pytest.raises(ValueError, match=said):
        few(n_samples=[n_samples]).ambiguity()


def test_no_deletion_changes_nothing():
    table = few(delete_rate=[0.0, 0.9]).delete_rates()
    assert_allclose(values(table, "rank_correlation", delete_rate=0.0), 1)
    assert values(table, "rank_correlation", delete_rate=0.9)[0] < 0.95


def test_rates_that_would_delete_every_direction_are_left_out():
    table = Ambiguity(dataset=["iris"], delete_rate=[0.5, 0.9], n_repeats=1).delete_rates()
    assert table["delete_rate"].unique().tolist() == [0.5]
    with pytest.raises(ValueError, match=r"delete_rate=0\.9 keeps none of 4 directions"):
        Ambiguity(dataset=["iris"], delete_rate=[0.9], n_repeats=1).delete_rates()


# All experiments ------------------------------------------------------------------------------------------------------


def test_experiments_measure_what_they_declare(own_file, tables_of_all):
    small = {"dataset": [own_file], "target": "kind", "n_splits": 3, "n_repeats": 1, "max_iter": 10}
    training = Training(**small, weights=[1.0], factor=[1.0], max_evaluations=10).run()
    ambiguity = Ambiguity(**small, n_samples=[4], n_starts=2, delete_rate=[0.0]).run()
    for table in (tables_of_all | training | ambiguity).values():
        assert len(table)
        assert set(table.get("dataset", ["adrenal_tumour"])) == {"adrenal_tumour"}


@pytest.fixture(scope="module")
def readings(own_file):
    """Tables of two readings whose descents end after four steps."""
    small = {"dataset": [own_file], "target": "kind", "step": 4, "n_repeats": 3, "n_repeats_auc": 3}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("by_table", "error_00"):
            patch.setitem(READINGS, name, {**READINGS[name], "max_iter": 4})
        yield Readings(reading=["by_table", "error_00"], **small).run()


def test_readings_change_the_parameters_that_they_name(own_file, readings):
    changed = ["max_iter = 4", "validation_loss = error, delete_rate = 0.0, max_iter = 4"]
    assert readings["readings"]["changed"].tolist() == changed
    by = {name: part for name, part in readings["redundant_readings"].groupby("reading")}
    direct = IrrelevantRedundant(dataset=[own_file], target="kind", n_repeats=3, **READINGS["error_00"])
    expected = at_original_size(direct.added_features("redundant", protocol.METHODS))
    assert_allclose(by["error_00"]["value"], values(expected, "added"))
    assert set(readings["entropy_readings"]["setting"]) == {"none", "auto", "N^2/10"}
    with pytest.raises(ValueError, match="reading 'eror' is unknown; choose from by_table, error"):
        Readings(dataset=[own_file], target="kind", reading=["eror"]).run()


def test_every_reading_changes_declared_parameters():
    declared = {p.name for experiment in (Ranking, Auc, IrrelevantRedundant, Training) for p in experiment.parameters}
    assert set().union(*READINGS.values()) <= declared
    for changed in READINGS.values():
        for experiment in (Ranking, Auc, IrrelevantRedundant, Training):
            own = {p.name for p in experiment.parameters}
            experiment(**{name: value for name, value in changed.items() if name in own})  # all values are legal


@pytest.fixture(scope="module")
def tables_of_all(own_file):
    """Tables of all experiments that print is compared with, from one small file."""
    small = {"dataset": [own_file], "target": "kind", "n_splits": 3, "n_repeats": 3, "max_iter": 4}
    tables = {}
    for experiment in (Ranking, Auc, IrrelevantRedundant):
        tables |= experiment(**small).run()
    return tables


def test_readings_are_compared_and_judged(readings):
    agreement = summaries.agreement(readings)
    assert set(agreement["table"]) == {"Table 3", "Table 4", "Table 5", "Table 6", "AUC in prose, adrenal_tumour"}
    assert agreement.loc[agreement["chosen_on"], "table"].unique().tolist() == [
        "Table 3",
        "Table 4",
        "Table 5",
        "Table 6",
    ]
    assert (agreement["agree"] <= agreement["comparable"]).all()
    assert summaries.chosen_elsewhere(readings).empty  # with one data set there are no others to choose on
    estimates = summaries.estimates(readings)
    assert set(estimates["claim"]) == {"C1", "C2", "C3", "C4", "C5", "C7", "C8", "C9"}
    assert set(estimates["reading"]) == {"by_table", "error_00"}


def test_reading_is_chosen_on_the_other_data_sets():
    """Under "near" the shares are those printed; under "far" the printed shares of the next method."""
    sizes = {"ionosphere": 16, "wdbc": 15}
    rows = []
    for table, evaluator in ((3, "GMLVQ"), (4, "RBFSVM")):
        for dataset, n_sizes in sizes.items():
            printed_rows = printed_table("chen2012", table).query("dataset == @dataset")
            methods = list(printed_rows["method"])
            wins = np.repeat(methods, (printed_rows["value"].astype(float) * n_sizes / 100).round().astype(int))
            for reading, shift in (("near", 0), ("far", 1)):
                for size, winner in enumerate(wins):
                    best = methods[(methods.index(winner) + shift) % len(methods)]
                    what = {"reading": reading, "dataset": dataset, "evaluator": evaluator, "n_features": size}
                    rows += [{**what, "method": m, "value": float(m == best)} for m in methods]
    auc = pd.DataFrame(rows).assign(counted=True, repeat=0, metric="auc")
    found = summaries.chosen_elsewhere({"readings": pd.DataFrame({"reading": ["near", "far"]}), "auc_readings": auc})
    assert found["left_out"].tolist() == ["ionosphere", "wdbc"] * 2
    assert (found["chosen"] == "near").all()
    assert (found["distance"] < 0.01).all()
    assert (found["median"] > 1).all()
    assert (found["closer"] == 0).all()
    assert (found["of"] == 2).all()


# Claims ---------------------------------------------------------------------------------------------------------------


def curves(dataset, evaluator, spread=0.0, **lines):
    """Three repetitions of each curve: the given one, and one ``spread`` above and below."""
    return pd.DataFrame(
        [
            {"dataset": dataset, "evaluator": evaluator, "method": m, "n_features": n, "counted": True}
            | {"repeat": repeat, "value": v + spread * (repeat - 1) * (-1) ** k}
            for k, (m, line) in enumerate(lines.items())
            for n, v in line.items()
            for repeat in range(3)
        ]
    )


def test_claims_without_their_data_state_nothing():
    auc = curves("wdbc", "GMLVQ", GMLVQ={2: 1.0})
    assert claims.C1().statements(auc) == []
    assert claims.C2().statements(auc) == []
    assert claims.C3().statements(auc) == []


def test_thesis_does_not_fail_its_own_claims():
    """One repetition gives no interval, but the order of the printed totals is that of the claims."""
    tables = printed.as_measured()
    for verdict in claims_needing("chen2012", tables).values():
        assert verdict.answer == "undecided"
    totals = {kind: claims._totals(tables[kind]).iloc[0].to_dict() for kind in ("irrelevant", "redundant")}
    assert totals["irrelevant"] == pytest.approx({"IG": 2.2, "GMLVQ": 22.2, "Relieff": 24.6, "Fisher": 27.0})
    assert totals["redundant"] == pytest.approx({"IG": 28.8, "GMLVQ": 29.1, "Fisher": 34.0, "Relieff": 34.6}, abs=0.05)
    chance = claims.chance(tables["irrelevant"])
    assert_allclose(chance[["adrenal_tumour", "sonar"]], [7.0, 15.0], atol=0.05)


def test_claims_over_all_sets_are_not_judged_from_one():
    flat = {2: 0.9, 4: 0.9}
    auc = curves("wdbc", "GMLVQ", 0.001, GMLVQ=flat, GMLVQ_original_omega=flat)
    assert claims.C9().statements(auc) == []
    sets = [auc.assign(dataset=name) for name in claims.PUBLIC]
    assert decide(claims.C9().statements(pd.concat(sets)))[0].answer == "holds"
    for name, table in printed.as_measured().items():
        own = claims_needing("chen2012", {name: table[table["dataset"] == "wdbc"]})
        assert all(verdict.answer == "not tested" for verdict in own.values())


# Comparison with print ------------------------------------------------------------------------------------------------


def test_every_printed_number_has_a_row(tables_of_all):
    found = printed.comparisons(tables_of_all)
    assert {label: len(found[label]) for label in ("Table 2", "Table 3", "Table 4", "Table 5", "Table 6")} == {
        "Table 2": 15,
        "Table 3": 25,
        "Table 4": 20,
        "Table 5": 20,
        "Table 6": 20,
    }
    text = printed.in_text()
    lists = text["value"].str.split(";").map(lambda numbers: len(dict.fromkeys(numbers)))
    prose = pd.concat([part for label, part in found.items() if label.startswith("Prose")])
    assert len(prose) == lists.sum()
    assert prose["item"].is_unique
    assert prose["agrees"].notna().any()
    for part in found.values():
        measured = part["agrees"].notna()
        assert part.loc[part["reproduced"].notna(), "agrees"].notna().all()
        assert (part.loc[~measured, "reproduced"]).isna().all()
    adrenal = prose[prose["dataset"] == "adrenal_tumour"].set_index("metric")
    assert adrenal.loc["n_irrelevant_added", "agrees"]


def test_explanations_name_printed_numbers(tables_of_all):
    found = printed.comparisons(tables_of_all)
    for row in published("chen2012_explanations").itertuples():
        assert row.cause in CAUSES
        assert len(found[row.table].query(row.match))


def test_features_and_ranges_count_one_by_one(tables_of_all):
    ranks = tables_of_all["average_ranks"].assign(dataset="sonar")
    order = dict(zip("12345", [11, 12, 10, 3, 9], strict=True))
    ranks["feature"] = ranks["feature"].astype(str).map(order)
    ranks["place"] = ranks["feature"].map({f: k for k, f in enumerate(order.values(), start=1)})
    prose = printed.prose({**tables_of_all, "average_ranks": ranks})
    part = prose[prose["metric"] == "common_in_top8"].set_index("published")
    assert part["agrees"].to_dict() == {11: True, 12: True, 10: True, 9: True, 48: False}
    assert part.loc[48, "reproduced"] == 3  # ours that the printed list lacks
    assert part.loc[48, "item"] == "sonar, all, common in top8: 48"
    ends = prose[prose["metric"].str.startswith("slightly_better")]
    assert ends["published"].tolist() == [14, 24]


@pytest.mark.parametrize(
    ("ahead", "found"),
    [
        ([1, 1, 0, 1, 0], [4, 6, 10, 2, 4]),
        ([1, 1, 1, 1, 1], [10, 10, 0, 2, 10]),
        ([0, 0, 1, 1, 1], [0, 2, 4, 6, 10]),
    ],
)
def test_sizes_at_which_a_curve_is_best(ahead, found):
    sizes = np.array([2, 4, 6, 8, 10])
    best = printed._where_best(np.array([ahead, [0.5] * 5]), sizes)
    assert list(best.values())[:5] == found


def test_shares_on_a_file_of_ones_own_stand_beside_the_printed_ones():
    shares = pd.DataFrame({"dataset": "mine", "evaluator": "GMLVQ", "method": "IG", "value": [40.0, 50.0, 60.0]})
    found = printed.dominance(shares, "GMLVQ").set_index("dataset")
    assert (found.loc["mine", "reproduced"], found.loc["mine", "grade"]) == (50.0, "")
    assert found.drop("mine")["published"].notna().all()


def test_features_of_the_prose_are_named_where_the_data_name_them():
    ranks = pd.DataFrame({"dataset": "ionosphere", "method": "GMLVQ", "feature": [1, 2, 4, 3], "place": [1, 2, 3, 4]})
    ranks = pd.concat([ranks, ranks.assign(dataset="mine")])
    datasets = ["ionosphere", "adrenal_tumour", "my/mine.csv"]
    found = printed.named_features(ranks, datasets, {"ionosphere": ["first", "second", "third", "fourth"]})
    assert set(found["dataset"]) == {"ionosphere", "adrenal_tumour", "mine"}, "no others of which the thesis tells"
    found = found.set_index(["dataset", "method", "metric"])
    own = found.loc[("ionosphere", "GMLVQ", "top3_average_ranking")]
    assert own["published"] == own["reproduced"] == "first (1), second (2), fourth (4)"
    assert found.loc[("adrenal_tumour", "IG", "top3_average_ranking"), "published"] == "5, 6, 19"
    mine = found.loc[("mine", "GMLVQ", "top3_average_ranking")]
    assert mine["reproduced"] == "1, 2, 4"
    assert mine[["published", "shared"]].isna().all()


def test_one_reading_is_chosen_by_the_mean_of_relative_distances():
    names = ["error_00", "cost_05", "auc_30", "random_ties"]  # the last one keeps settings that differ between tables
    distances = {"Table 3": [2.0, 1.0, 4.0, 0.1], "Table 5": [0.2, 0.3, 0.1, 0.0], "AUC in prose, spectf": [0, 1, 0, 0]}
    agreement = pd.DataFrame(
        [
            {"reading": name, "table": table, "distance": distance}
            for table, values in distances.items()
            for name, distance in zip(names, values, strict=True)
        ]
    )
    whole = summaries.one_reading(agreement).set_index("reading")
    assert whole["score"].tolist() == pytest.approx([1, 1, 1.25])
    assert whole.index[-1] == "auc_30"
    assert whole.loc["cost_05", ["Table 3", "Table 5", "score"]].tolist() == pytest.approx([0.5, 1.5, 1.0])
    assert set(whole.columns) == {"Table 3", "Table 5", "score"}


def test_evaluators_are_trained_on_both_parts_for_some_steps_or_until_validation_stops_them():
    settings = Training().settings
    rows = evaluate_by_steps("wdbc", 0, 0, (1, 3), settings, n_splits=5, target=None, seed=0)
    found = pd.DataFrame(rows).set_index(["training", "steps"])["value"]
    assert {part for part, steps in found.index if steps == "stopped"} == {"both parts", "training part"}
    assert len(found) == 4
    (A, a), (V, v), (T, t) = protocol.split(*protocol.read("wdbc"), "wdbc", 0, 0, 5, 0)
    model = protocol.gmlvq({**settings, "max_iter": 3}, alpha=0.0).fit(np.vstack([A, V]), np.append(a, v))
    assert found["both parts", "3"] == pytest.approx(roc_auc_score(t, model.decision_function(T)))

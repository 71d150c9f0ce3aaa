"""The experiments of Chen 2012: tables hold what the claims need, and depend only on what they name."""

import shutil

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from chen2012 import printed, protocol
from chen2012.auc import ORIGINAL, Auc, dominance, subset_sizes
from chen2012.ranking import Ranking, average_ranks, outline, stability
from compendium.published import compare, compare_lists, printed_table

METHODS = (*protocol.METHODS, *protocol.VARIANTS)


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def values(table, metric, **where):
    chosen = table[table["metric"] == metric]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    return chosen["value"].to_numpy()


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
    """The experiment on few splits, with a short descent."""
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
    with pytest.raises(ValueError, match="n_splits=2 leaves no training part"):
        protocol.split(X, y, "x", 0, 0, 2, 0)


@pytest.mark.filterwarnings("ignore:holes.csv. missing values")
def test_constant_features_go_and_missing_values_become_means(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b,c,label\n1,5,1,x\n,5,2,y\n3,5,4,x\n")
    X, y = protocol.read(str(path))
    assert_allclose(X, [[1, 1], [2, 2], [3, 4]])
    assert list(y) == ["x", "y", "x"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_area_is_that_of_scikit_learn(n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=80)
    scores = rng.integers(6, size=(80, n_classes)).astype(float) + np.eye(n_classes)[y]  # with ties
    if n_classes == 2:
        assert_allclose(protocol.area(scores[:, 1], y, np.arange(2)), roc_auc_score(y, scores[:, 1]))
    else:
        each = [roc_auc_score(y == c, scores[:, c]) for c in range(3)]
        assert_allclose(protocol.area(scores, y, np.arange(3)), np.mean(each))


def test_area_knows_the_classes_of_the_classifier():
    scores, y = np.eye(3)[[0, 1, 2, 1, 2]], np.array([0, 1, 2, 1, 2])
    assert protocol.area(scores, y, np.arange(3)) == 1
    assert protocol.area(scores[1:], y[1:], np.arange(3)) == 1  # no sample of class 0


def test_a_class_too_rare_for_the_parts_is_named():
    X, y = np.random.default_rng(0).normal(size=(63, 2)), np.repeat(["often", "rare"], [60, 3])
    said = "class rare of x has 3 samples, too few for n_splits=5 parts; lower n_splits"
    with pytest.raises(ValueError, match=said):
        protocol.split(X, y, "folder/x.csv", 0, 0, 5, 0)
    for fold in range(3):
        assert all(set(b) == {"often", "rare"} for _, b in protocol.split(X, y, "x", 0, fold, 3, 0))


# Rankings -------------------------------------------------------------------------------------------------------------


def test_the_outline_of_table_2():
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


def test_sets_of_one_name_are_refused(own_file, tmp_path):
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other" / "adrenal_tumour.csv"
    shutil.copy(own_file, twin)
    with pytest.raises(ValueError, match="are both named 'adrenal_tumour'; rename one of them"):
        ranking(own_file, str(twin)).rankings(["Fisher"])


def test_unknown_methods_are_named(own_file):
    with pytest.raises(ValueError, match="Unknown method 'LDA'; choose from 'GMLVQ', 'IG'"):
        ranking(own_file).rankings(["LDA"])


def test_stability_of_equal_and_of_disjoint_rankings():
    same = [
        {"dataset": "x", "method": "a", "repeat": r, "fold": 0, "feature": f, "rank": f}
        for r in (0, 1)
        for f in range(1, 7)
    ]
    turned = [{**row, "method": "b", "rank": row["rank"] if row["repeat"] else 7 - row["rank"]} for row in same]
    table = stability(pd.DataFrame(same + turned), sizes=(3, 4)).set_index(["method", "size"])["value"]
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


def test_same_result_for_any_number_of_jobs(own_file, tmp_path, monkeypatch):
    methods = ["GMLVQ", "IG"]
    one = ranking(own_file).rankings(methods)
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))
    monkeypatch.setenv("FSCORE_JOBS", "2")
    two = ranking(own_file, n_repeats=2).rankings(methods)
    pd.testing.assert_frame_equal(one, two[two["repeat"] == 0].reset_index(drop=True))


# AUC ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_features", "n_sizes"), [(32, 16), (33, 16), (60, 15), (30, 15), (44, 14)], ids=lambda n: str(n)
)
def test_as_many_sizes_as_the_printed_percentages_tell(n_features, n_sizes):
    sizes = subset_sizes(n_features)
    assert len(sizes) == n_sizes
    assert max(sizes) <= n_features
    named = {32: "adrenal_tumour", 33: "ionosphere", 60: "sonar", 30: "wdbc", 44: "spectf"}[n_features]
    rows = printed_table("chen2012", 3)
    counts = rows[rows["dataset"] == named]["value"].astype(float) * n_sizes / 100
    assert_allclose(counts, counts.round(), atol=2e-3)


def test_auc_by_size(own_file):
    small = {"svm_C": [1.0], "svm_gamma": [1.0], "max_iter": 20, "n_repeats": 1}
    table = Auc(dataset=[own_file], target="kind", **small).auc()
    assert set(table["method"]) == {*protocol.METHODS, ORIGINAL}
    assert set(table["n_features"]) == {1, 2, 3, 4, 5}
    assert table["value"].between(0.9, 1).all()
    full = table[table["n_features"] == 5].groupby("evaluator")["value"]
    assert full.nunique()["RBFSVM"] == 1  # all rankings meet where all features are in
    named = printed.named_aucs(table)
    assert len(values(named, "AUC_eval_RBFSVM_all_features", method="all")) == 1
    fewer = Auc(dataset=[own_file], **small).auc(["IG"], ["RBFSVM"])
    chosen = table[(table["method"] == "IG") & (table["evaluator"] == "RBFSVM")]
    assert_allclose(fewer["value"], chosen["value"])


def test_dominance_counts_sizes_and_shares_ties():
    rows = [
        {"dataset": "x", "evaluator": "e", "method": m, "n_features": k, "counted": k < 4, "repeat": 0, "value": v}
        for m, line in (("a", [0.9, 0.8, 0.7, 0.1]), ("b", [0.8, 0.8, 0.9, 0.9]), ("c", [0.1, 0.1, 0.1, 0.9]))
        for k, v in enumerate(line, start=1)
    ]
    table = dominance(pd.DataFrame(rows)).set_index("method")
    assert_allclose(table.loc[["a", "b", "c"], "value"], [50, 50, 0])
    assert table["sd"].isna().all()
    shuffled = dominance(pd.DataFrame(rows).sample(frac=1, random_state=0)).set_index("method")
    assert_allclose(shuffled["value"].sort_index(), table["value"].sort_index())
    shown = compare(pd.DataFrame({"method": ["a"], "value": ["50.00"]}), table.reset_index(), ["method"])
    assert shown["agrees"].tolist() == [True]

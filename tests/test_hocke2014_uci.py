"""Claim M6: the comparison with competitors on the UCI sets."""

import pytest
from numpy.testing import assert_allclose

from compendium.features import feature_names
from compendium.statistics import corrected_resampled_t
from fscore.datasets import load
from hocke2014 import summaries
from hocke2014.methods import PROJECTIONS, WEIGHTINGS
from hocke2014.uci import Competitors, mean_ranks, paired_tests, summary


@pytest.fixture(scope="module")
def uci(own_cache):
    experiment = Competitors(dataset=["iris", "wine"], n_splits=3, n_repeats=1, nu=[0.5, 0.1], n_inner_splits=2)
    return experiment.compare((*WEIGHTINGS, *PROJECTIONS))


def test_uci_measures_every_method_on_the_same_folds(uci):
    errors = uci[uci["metric"] == "error"]
    assert errors.groupby(["dataset", "inputs", "method", "k"]).size().eq(3).all()
    assert errors["method"].nunique() == 14
    by = ["dataset", "k", "fold", "inputs"]
    wide = errors.set_index([*by, "method"])["value"].unstack("method")
    assert_allclose(*wide[["PCA", "none"]].to_numpy().T)  # a rotation
    for method in "Relief", "ReliefF", "hard MDM", "soft MDM", "LDA":
        same = wide[method].unstack("inputs")
        assert_allclose(same["raw"], same["minmax"])
        assert_allclose(same["raw"], same["zscore"])
    assert (wide["none"].unstack("inputs")["raw"] != wide["none"].unstack("inputs")["zscore"]).any()


def test_uci_chooses_parameters_of_methods_that_have_one(uci):
    chosen = uci[uci["metric"] == "parameter"]
    assert set(chosen["method"]) == {"soft MDM", "I-Relief", "LMBA (reconstructed)"}
    assert set(chosen.loc[chosen["method"] == "soft MDM", "value"]) <= {0.5, 0.1, 1 / 100, 1 / 118, 1 / 119}  # 1/N, too
    assert uci.loc[uci["metric"] == "duality_gap", "value"].max() < 1e-9
    searched = uci[uci["metric"] == "search_seconds"].groupby("method")["value"].max()
    assert set(searched.index[searched > 1e-3]) >= {"soft MDM", "I-Relief", "LMBA (reconstructed)"}
    mixing = {"LMNN", "LDA", "PCA", "ICA", "NCA"}
    assert not mixing & set(uci.loc[uci["metric"] == "n_nonzero", "method"])


def test_uci_tables_follow_from_the_folds(uci):
    errors = uci[(uci["metric"] == "error") & (uci["inputs"] == "raw") & (uci["dataset"] == "wine")]
    folds = errors.groupby(["fold", "method"])["value"].mean().unstack()
    by_method = summary(uci).set_index(["dataset", "inputs", "method", "k", "metric"])
    by_k = errors[(errors["method"] == "none") & (errors["k"] == 3)]["value"]
    assert by_method.loc[("wine", "raw", "none", 3, "error"), "mean"] == pytest.approx(by_k.mean())
    assert by_method.loc[("wine", "raw", "none", 3, "error"), "std"] == pytest.approx(by_k.std())
    tests = paired_tests(uci).set_index(["dataset", "inputs", "method"])
    assert "soft MDM" not in tests.index.get_level_values("method")
    difference = folds["none"] - folds["soft MDM"]
    assert tests.loc[("wine", "raw", "none"), "difference"] == pytest.approx(difference.mean())
    expected = corrected_resampled_t(difference.round(12), 1 / 2)
    assert tests.loc[("wine", "raw", "none"), "p"] == pytest.approx(expected)
    assert (tests["p_holm"] >= tests["p"]).all()


def test_uci_ranks_are_means_over_sets(uci):
    ranks = mean_ranks(uci)
    for (among, _, _), part in ranks.groupby(["among", "inputs", "k"]):
        m = 9 if among == "weightings" else 14
        assert len(part) == m
        assert part["mean_rank"].sum() == pytest.approx(m * (m + 1) / 2)
    assert set(ranks["k"]) == {"mean", "1", "3", "5"}


def test_shares_of_every_weighting_are_named_by_the_headers_of_a_file(tmp_path):
    frame = load("iris", as_frame=True).frame.set_axis(["one", "two", "three", "wide_leaf", "kind"], axis=1)
    path = str(tmp_path / "mine.csv")
    frame.to_csv(path, index=False)
    experiment = Competitors(dataset=[path], target="kind", nu=[0.5], n_inner_splits=2)
    table = experiment.shares(WEIGHTINGS[1:])
    assert table.groupby("method", sort=False)["share"].sum().to_dict() == pytest.approx(
        dict.fromkeys(WEIGHTINGS[1:], 1)
    )
    assert table.groupby("method")["share"].apply(lambda share: share.is_monotonic_decreasing).all()
    shown = summaries.largest_shares(table, feature_names([path], "kind")).set_index("method")["features"]
    assert shown["Relief"].startswith("wide_leaf (4): ")
    assert set(table.loc[table["share"] > 0.3, "feature"]) <= {3, 4}

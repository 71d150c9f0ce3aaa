"""Claim M6: the comparison with competitors on the UCI sets."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from compendium.features import feature_names
from compendium.statistics import corrected_resampled_t
from fscore.datasets import load
from hocke2014 import claims, figures, summaries
from hocke2014.methods import PROJECTIONS, WEIGHTINGS
from hocke2014.uci import Competitors, mean_ranks, paired_tests, summary


@pytest.fixture(scope="module")
def uci(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
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


def ranks_table(ranks, reach):
    return pd.DataFrame(
        [
            {
                "among": "weightings",
                "inputs": inputs,
                "k": "mean",
                "method": method,
                "mean_rank": rank,
                "critical_difference": reach,
                "n_datasets": 9,
            }
            for inputs, by_method in ranks.items()
            for method, rank in by_method.items()
        ]
    )


@pytest.mark.parametrize(
    ("raw", "zscore", "answer"),
    [(1.0, 1.1, "replicated"), (1.0, 2.0, "partly"), (2.0, 2.1, "inconclusive"), (3.0, 2.0, "not replicated")],
)
def test_claim_m6_answers(raw, zscore, answer):
    """Among three methods on nine sets, the mean rank of one without merit is 2 with an error of 1.96 x 0.272."""
    ranks = ranks_table(
        {name: {"none": 2.5, "Relief": 1.5, "soft MDM": rank} for name, rank in (("raw", raw), ("zscore", zscore))}, 1.0
    )
    tests = pd.DataFrame({"inputs": ["raw"], "method": ["none"], "difference": [0.1], "p_holm": [0.01]})
    verdict = claims.soft_version_is_competitive(ranks, tests)
    assert verdict.answer == answer
    assert f"{raw:.1f} ± 0.5 with raw inputs" in verdict.evidence
    assert "significantly better in 1, 0 and worse in 0, 0 of 0 paired tests each" in verdict.evidence


def test_figures_draw_every_method(uci):
    ranks = mean_ranks(uci)
    for among, n_methods in ("weightings", 9), ("all", 14):
        figure = figures.mean_ranks(ranks, among)
        assert len(figure.axes) == 3
        names = [text.get_text().split("  ")[0] for text in figure.axes[0].texts]
        assert len(set(names) & set(ranks["method"])) == n_methods
        bold = [text.get_text().split("  ")[0] for text in figure.axes[0].texts if text.get_fontweight() == "bold"]
        assert set(bold) == {"hard MDM", "soft MDM"}
    plt.close("all")


def test_the_page_shows_errors_tests_and_the_certificate(uci):
    table, tests = summary(uci), paired_tests(uci)
    values = table.set_index(["dataset", "inputs", "method", "k", "metric"])
    shown = summaries.error_table(table, "raw", 3).set_index("method")
    assert shown.columns.tolist() == ["iris", "wine"]
    mean, std = 100 * values.loc[("wine", "raw", "PCA", 3, "error"), ["mean", "std"]]
    assert shown.loc["PCA", "wine"] == f"{mean:.1f} ± {std:.1f}"

    tests.loc[0, "p_holm"] = 0.01
    shown = summaries.test_table(tests, tests["inputs"][0]).set_index("method")
    assert shown.loc[tests["method"][0], tests["dataset"][0]] == f"{100 * tests['difference'][0]:+.1f}*"
    assert "soft MDM" not in shown.index

    largest = uci.loc[uci["metric"] == "duality_gap", "value"].max()
    assert f"{largest:.0e}" in summaries.certificate(table)
    assert len(summaries.cost(table).columns) == 1 + 2 * 2
    assert set(summaries.features_kept(table, 3)["method"]) == set(WEIGHTINGS)
    assert summaries.rank_table(mean_ranks(uci), "all").shape == (14, 1 + 3 * 4)


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
    assert shown["Relief"].startswith("wide leaf (4): ")
    assert set(table.loc[table["share"] > 0.3, "feature"]) <= {3, 4}

"""The UCI comparison and gene expression: tests across folds and sets, tables, claims, figures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from fscore.datasets import load
from fscore.filters import fisher_score
from fscore.report.claims import hocke2014 as claims
from fscore.report.figures import _ranks
from hocke2014 import figures
from fscore.studies import _comparison as comparison
from fscore.studies import _hocke2014_gene_expression as genes
import hocke2014 as study


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))


# --- tests across folds and sets ---


def test_without_common_samples_the_corrected_t_is_the_paired_one():
    d = np.random.default_rng(0).normal(0.3, 1, 20)
    assert comparison.corrected_resampled_t(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    assert comparison.corrected_resampled_t(d, 0.25) > comparison.corrected_resampled_t(d, 0.0)
    # by hand: mean 2, variance 1, t = 2 / sqrt(1/3 + 1/2) on two degrees of freedom
    assert comparison.corrected_resampled_t([1, 2, 3], 0.5) == pytest.approx(2 * stats.t.sf(2 / np.sqrt(5 / 6), 2))


def test_constant_differences_are_certain():
    assert comparison.corrected_resampled_t([0.0, 0.0, 0.0], 0.25) == 1
    assert comparison.corrected_resampled_t([0.5, 0.5, 0.5], 0.25) == 0
    assert comparison.corrected_resampled_t([0.5], 0.25) == 1  # one fold says nothing


def test_the_corrected_t_holds_its_level_where_the_plain_one_does_not():
    """Differences with the correlation that the correction assumes, n_test / (n_test + n_train), and mean zero."""
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 10))
    d = np.sqrt(0.2) * common + np.sqrt(0.8) * own
    ours = np.mean([comparison.corrected_resampled_t(row, 0.25) < 0.05 for row in d])
    plain = np.mean(stats.ttest_1samp(d, 0, axis=1).pvalue < 0.05)
    assert abs(ours - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert plain > 0.15


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_the_steps_reject(p):
    adjusted = comparison.holm(p)
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    order = np.argsort(p, kind="stable")
    for level in 0.01, 0.05, 0.3:
        steps = np.array(p)[order] * np.arange(len(p), 0, -1) <= level
        rejected = len(p) if steps.all() else int(np.argmin(steps))
        assert set(order[:rejected]) == set(np.flatnonzero(adjusted <= level))


def test_friedman_from_the_mean_ranks():
    errors = np.random.default_rng(0).uniform(size=(14, 4)) + np.linspace(0, 0.3, 4)  # no ties
    ranks, p = comparison.friedman(errors)
    assert_allclose(ranks, [(errors <= errors[:, [m]]).sum(axis=1).mean() for m in range(4)])
    chi2 = 12 * 14 / (4 * 5) * (np.sum(ranks**2) - 4 * 5**2 / 4)
    assert p == pytest.approx(stats.chi2.sf(chi2, 3))
    assert comparison.friedman([[1, 1, 2], [1, 2, 2]])[0].tolist() == [1.25, 2.0, 2.75]


@pytest.mark.parametrize(("n_methods", "level", "q"), [(2, 0.05, 1.960), (4, 0.10, 2.291), (10, 0.05, 3.164)])
def test_critical_difference_by_the_printed_quantiles(n_methods, level, q):
    """q as in Demsar 2006, Table 5 (a)."""
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 9))
    assert comparison.critical_difference(n_methods, 9, level) == pytest.approx(expected, rel=5e-4)


def test_too_little_for_friedman():
    assert np.isnan(comparison.friedman([[0.1, 0.2, 0.3]])[1])
    ranks, p = comparison.friedman([[0.1, 0.1, 0.1]] * 3)
    assert ranks.tolist() == [2, 2, 2]
    assert np.isnan(p)


# --- UCI ---


@pytest.fixture(scope="module")
def uci(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return study.uci(["iris", "wine"], n_splits=3, n_repeats=1, nus=(0.5, 0.1), n_inner_splits=2)


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


def test_uci_chooses_parameters_of_those_that_have_one(uci):
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
    summary = study.uci_summary(uci).set_index(["dataset", "inputs", "method", "k", "metric"])
    by_k = errors[(errors["method"] == "none") & (errors["k"] == 3)]["value"]
    assert summary.loc[("wine", "raw", "none", 3, "error"), "mean"] == pytest.approx(by_k.mean())
    assert summary.loc[("wine", "raw", "none", 3, "error"), "std"] == pytest.approx(by_k.std())
    tests = study.uci_tests(uci).set_index(["dataset", "inputs", "method"])
    assert "soft MDM" not in tests.index.get_level_values("method")
    difference = folds["none"] - folds["soft MDM"]
    assert tests.loc[("wine", "raw", "none"), "difference"] == pytest.approx(difference.mean())
    expected = comparison.corrected_resampled_t(difference.round(12), 1 / 2)
    assert tests.loc[("wine", "raw", "none"), "p"] == pytest.approx(expected)
    assert (tests["p_holm"] >= tests["p"]).all()


def test_uci_ranks_are_means_over_sets(uci):
    ranks = study.uci_ranks(uci)
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
    ("zscore", "reach", "answer"),
    [
        ({"none": 3.0, "Relief": 1.2, "soft MDM": 1.8}, 1.0, "replicated"),
        ({"none": 3.0, "Relief": 1.2, "soft MDM": 1.8}, 0.5, "partly"),  # behind the best by more than noise
        ({"none": 1.8, "Relief": 1.2, "soft MDM": 3.0}, 9.0, "partly"),  # within noise, but behind the middle
    ],
)
def test_claim_m6_answers(zscore, reach, answer):
    ranks = ranks_table({"raw": {"none": 3.0, "Relief": 2.0, "soft MDM": 1.0}, "zscore": zscore}, reach)
    tests = pd.DataFrame({"inputs": ["raw"], "method": ["none"], "difference": [0.1], "p_holm": [0.01]})
    verdict = claims.soft_version_is_competitive(ranks, tests)
    assert verdict.answer == answer
    assert "significantly better in 1 and worse in 0" in verdict.evidence
    worst = ranks_table({"raw": {"none": 1.0, "Relief": 2.0, "soft MDM": 3.0}}, 1.0)
    assert claims.soft_version_is_competitive(worst, tests).answer == "not replicated"


@given(st.lists(st.floats(1, 14), min_size=2, max_size=14), st.floats(0.01, 5))
def test_bars_join_exactly_the_pairs_within_reach(ranks, reach):
    ranks = np.sort(ranks)
    bars = _ranks.joined(ranks, reach)
    for i, low in enumerate(ranks):
        for high in ranks[i + 1 :]:
            together = any(start <= low and high <= end for start, end in bars)
            assert together == (high < low + reach)


# --- gene expression ---


@pytest.fixture(scope="module")
def expression(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return study.gene_expression([study.GENERATED], max_genes=200, n_splits=3, n_top=10)


def mean_of(table, metric):
    return table[table["metric"] == metric].groupby("method")["value"].mean()


def test_genes_are_chosen_in_the_training_part():
    X, y = load("wide_gaussian", return_X_y=True)
    chosen = genes._best_genes(X[:50], y[:50], 30)
    score = fisher_score(X[:50], y[:50])
    assert len(chosen) == 30
    assert score[chosen].min() > np.delete(score, chosen).max()
    X = np.hstack([X[:, :5], np.ones((len(X), 2))])
    assert genes._best_genes(X, y, 30).tolist() == [0, 1, 2, 3, 4]
    assert genes._best_genes(X, y, None).tolist() == [0, 1, 2, 3, 4]


def test_mdm_finds_the_relevant_features_and_drops_others(expression):
    kept, given_ = mean_of(expression.measured, "n_kept"), mean_of(expression.measured, "n_given")
    assert given_["none, all genes"] == 7129
    assert given_["none"] == kept["none"] == 200
    assert kept["hard MDM"] < 150
    relevant = mean_of(expression.measured, "kept_relevant")
    assert relevant["hard MDM"] > 1.2 * relevant["none"] > relevant["none, all genes"]
    errors = mean_of(expression.measured, "error")
    assert errors["soft MDM"] < errors["none"] < errors["none, all genes"]


def test_overlap_and_top_genes(expression):
    ati = mean_of(expression.overlap, "ati_kept")
    assert ati["none, all genes"] == 1
    assert set(mean_of(expression.overlap, "ati_top").index) == set(expression.measured["method"]) - {
        "none",
        "none, all genes",
    }
    assert (expression.overlap.query("metric == 'ati_kept'")["value"].between(0, 1)).all()
    top = expression.genes[expression.genes["method"] == "soft MDM"]
    importance = top[top["metric"] == "importance"]["value"].to_numpy()
    assert len(importance) == 10
    assert np.all(np.diff(importance) <= 0)
    assert (top[top["metric"] == "kept_in"]["value"] <= 1).all()
    relevant = {f"f{index + 1}" for index in load("wide_gaussian").relevant}
    assert len(relevant & set(top["gene"])) >= 8


def test_leaving_one_out_and_all_genes():
    result = study.gene_expression(["iris"], methods=("none, all genes", "none"), n_splits=0, inputs="raw")
    errors = result.measured[result.measured["metric"] == "error"]
    assert set(errors["method"]) == {"none"}  # with all genes given, one row says it
    assert len(errors) == 150
    assert errors["value"].sum() == pytest.approx(6)  # 3-NN on raw iris


def gene_table(kept, error, error_kept, equal, dataset="a"):
    rows = []
    for method, n_kept, wrong in (("none", 1000, equal), ("hard MDM", kept, error), ("soft MDM", kept, error)):
        measured = {"n_given": 1000, "n_kept": n_kept, "error": wrong, "error_kept": error_kept}
        rows += [{"dataset": dataset, "method": method, "metric": m, "value": v} for m, v in measured.items()]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("kept", "error", "error_kept", "answer"),
    [
        (50, 0.1, 0.2, "replicated"),
        (50, 0.2, 0.1, "replicated"),
        (50, 0.3, 0.1, "partly"),
        (50, 0.1, 0.3, "partly"),  # the weights, not the genes, did it
        (500, 0.1, 0.1, "not replicated"),
    ],
)
def test_claim_m7_answers(kept, error, error_kept, answer):
    verdict = claims.few_genes_keep_their_weight(gene_table(kept, error, error_kept, 0.2))
    assert verdict.answer == answer
    assert f"on 1 sets MDM kept {kept} to {kept} genes" in verdict.evidence


def test_claim_m7_is_about_gene_expression_data():
    generated = gene_table(50, 0.1, 0.1, 0.2, study.GENERATED)
    assert claims.few_genes_keep_their_weight(generated).answer == "not testable here"
    both = pd.concat([generated, gene_table(50, 0.3, 0.1, 0.2)])
    assert claims.few_genes_keep_their_weight(both).answer == "partly"


def test_figures_draw_every_method(uci, expression):
    import matplotlib.pyplot as plt

    ranks = study.uci_ranks(uci)
    for among, n_methods in ("weightings", 9), ("all", 14):
        figure = figures.mean_ranks(ranks, among)
        assert len(figure.axes) == 3
        names = [text.get_text().split("  ")[0] for text in figure.axes[0].texts]
        assert len(set(names) & set(ranks["method"])) == n_methods
    for figure in figures.genes_kept(expression.measured), figures.overlap(expression.overlap):
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(
            expression.measured["method"].unique()
        )
    plt.close("all")

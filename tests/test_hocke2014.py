"""The experiments of Hocke and Martinetz 2014, the rules of its claims, and what its pages show."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from claimed import sides, values
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from compendium.experiment import ParameterError
from compendium.inference import corrected_resampled_t
from compendium.protocol import feature_names
from compendium.tables import means
from compendium.verdicts import claims_needing
from fscore.datasets import load
from fscore.filters import fisher_score
from fscore.weighting import MDM
from hocke2014 import claims, mdm, summaries
from hocke2014.gain import knn_gain
from hocke2014.gene_expression import GeneExpression, _best_genes
from hocke2014.illustration import Illustration
from hocke2014.methods import PROJECTIONS, WEIGHTINGS, learn
from hocke2014.noise import noise_columns
from hocke2014.outliers import outlier_tests, outliers
from hocke2014.program import _full_program, equivalence, feasibility, program_size
from hocke2014.protocol import GENERATED, knn_predictions, tuned, varying_scaled
from hocke2014.scaling import RESCALED, _relief_without_ranges, scaling_invariance
from hocke2014.shares import feature_shares
from hocke2014.uci import Competitors, mean_ranks, paired_tests, summary

pytestmark = pytest.mark.usefixtures("own_cache")


# Shared by the experiments on Hocke and Martinetz 2014: methods, scaling, folds, k-NN ---------------------------------


def test_nu_is_chosen_on_the_training_part():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    folds, nus, ks = StratifiedKFold(3, shuffle=True, random_state=1), (0.8, 0.2, 1 / 60), (1, 3)
    wrong = np.zeros((3, 2))
    for n, nu in enumerate(nus):
        for train, test in folds.split(X, y):
            root = np.sqrt(MDM(nu=nu).fit(X[train], y[train]).weights_)
            for m, k in enumerate(ks):
                knn = KNeighborsClassifier(k, algorithm="brute").fit(X[train] * root, y[train])
                wrong[n, m] += np.sum(knn.predict(X[test] * root) != y[test])
    assert tuned("soft MDM", X, y, nus[:2], 3, ks, seed=1) == [nus[n] for n in wrong.argmin(axis=0)]


@pytest.mark.parametrize("dataset", ["iris", "digits"])
def test_neighbors_vote_as_in_sklearn(dataset):
    X, y = load(dataset, return_X_y=True)
    X = X[:300] + np.random.default_rng(0).normal(scale=1e-6, size=X[:300].shape)  # no equal distances
    ours = knn_predictions(X[::2], y[:300:2], X[1::2], [1, 4, 5])
    for k, labels in zip([1, 4, 5], ours, strict=True):
        peer = KNeighborsClassifier(k, algorithm="brute").fit(X[::2], y[:300:2])
        assert np.array_equal(labels, peer.predict(X[1::2]))


def test_neighbors_do_not_depend_on_last_digits():
    X, y = load("iris", return_X_y=True)  # many equal distances
    A, a, B = X[::2], y[::2], X[1::2]
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
    expected = knn_predictions(A, a, B, [1, 3, 5])
    for Z in (A @ turn, B @ turn), (A - 5.1, B - 5.1), (A * 2.54, B * 2.54):
        assert np.array_equal(knn_predictions(Z[0], a, Z[1], [1, 3, 5]), expected)
    assert knn_predictions(np.zeros((3, 2)), np.array([1, 0, 0]), np.zeros((1, 2)), [1]) == 1  # the first counts
    with pytest.raises(ValueError, match="n_neighbors=76 is more than the 75 samples"):
        knn_predictions(A, a, B, [1, 76])


@pytest.mark.parametrize("method", [*WEIGHTINGS, *PROJECTIONS])
def test_every_method_learns_a_linear_transformation(method):
    X, y = load("wine", return_X_y=True)
    (transform,) = learn(method, X, y)
    assert np.isfinite(transform(X)).all()
    if method in WEIGHTINGS:
        d, w = pdist(transform(X), "sqeuclidean"), pdist(X * np.sqrt(transform.weights), "sqeuclidean")
        assert_allclose(d * w.max(), w * d.max(), rtol=1e-9)
    else:
        assert transform.weights is None


def test_inputs_are_scaled_by_the_training_part():
    A, B = np.array([[0.0, 1, 7], [4, 3, 7]]), np.array([[8.0, 5, 9]])
    assert [Z.tolist() for Z in varying_scaled("raw", A, B)] == [[[0, 1], [4, 3]], [[8, 5]]]
    assert [Z.tolist() for Z in varying_scaled("minmax", A, B)] == [[[0, 0], [1, 1]], [[2, 2]]]
    assert [Z.tolist() for Z in varying_scaled("zscore", A, B)] == [[[-1, -1], [1, 1]], [[3, 3]]]


# Figures 1 and 2 of Hocke and Martinetz 2014 --------------------------------------------------------------------------


def test_figures_agree_with_the_program():
    drawn = Illustration().run()
    pairs = drawn["pairs"].set_index(["figure", "setting", "name"])["squared_distance"].unstack("name")
    radii = drawn["radii"].set_index(["figure", "setting"])
    assert_allclose(pairs["d1"], 1)
    assert_allclose(radii.loc[(1, "hard MDM"), "r"], pairs.loc[(1, "hard MDM"), ["d2", "d3"]].max())
    assert radii.loc[(1, "hard MDM"), "r"] < radii.loc[(1, "equal weights"), "r"]
    assert radii.loc[(2, "soft MDM"), "r"] < pairs.loc[(2, "soft MDM"), ["d2", "d3"]].max()
    for (figure, setting), points in drawn["points"].groupby(["figure", "setting"]):
        d = squareform(pdist(points[["x1", "x2"]], "sqeuclidean"))
        same_class = points["label"].to_numpy()[:, None] == points["label"].to_numpy()
        allowed = radii.loc[(figure, setting), "r"] + points["slack"].to_numpy()[:, None]
        assert np.all((d <= allowed + 1e-9) | ~same_class)
        assert d[~same_class].min() == pytest.approx(1)


# Claims M1 to M5 and M8 to M10: claims of Hocke and Martinetz 2014 about the method itself ----------------------------


GIVEN = {"n_neighbors": 3, "seed": 0}
SPOILT = {**GIVEN, "n_outliers": 3, "n_splits": 3, "n_repeats": 1}
GAIN = {**GIVEN, "n_splits": 3, "n_repeats": 1, "n_inner_splits": 3, "nu": (0.5, 0.1)}


def test_only_unscaled_methods_depend_on_the_scale():
    table = scaling_invariance(["wine"], **GIVEN, decades=3.0, n_repeats=2)
    worst = table[table["metric"] == "distance_change"].groupby("method")["value"].max()
    steady = {"hard MDM", "soft MDM", "minmax", "zscore", "Relief"}
    assert (worst[list(steady)] < 1e-6).all()
    assert (worst[list(set(RESCALED) - steady)] > 0.1).all()
    assert values(table, "prediction_change", method="hard MDM").max() == 0
    assert values(table, "objective_change", method="soft MDM").max() < 1e-7
    assert values(table, "prediction_change", method="none").min() > 0
    assert set(table["method"]) == set(RESCALED)


def test_feasible_except_for_identical_samples_of_two_classes():
    table = feasibility(["iris"], seed=0, n_random=4, max_samples=30)
    optimal = table[table["metric"].isin(["optimal_full", "optimal_mdm"])]
    twins = optimal["case"] == "one label flipped twin"
    assert (optimal.loc[~twins, "value"] == 1).all()
    assert (optimal.loc[twins, "value"] == 0).all()
    assert values(table, "identical_pairs", case="one label flipped twin").min() >= 1
    assert values(table, "n_samples", dataset="iris", case="distinct")[0] == 148  # rows 101 and 142 are the same


def test_distinct_samples_are_left_out_where_they_have_no_two_classes(tmp_path):
    file = tmp_path / "discrete.csv"
    file.write_text("u,v,label\n" + "".join(f"{n % 2},{n // 2 % 2},{'ab'[n % 2]}\n" for n in range(12)))
    table = feasibility([str(file)], seed=0, n_random=1, max_samples=10)
    assert list(table.loc[table["dataset"] == "discrete", "case"].unique()) == ["as is", "one label flipped twin"]
    assert "distinct" not in means(table, ["dataset", "case"])["case"].to_list()
    assert sides(claims.M2().statements(table)) == ["holds", "fails"]


def test_noise_columns_are_counted_by_kind():
    table = noise_columns(["wine"], seed=0, n_noise=3, shapes=((12, 100),), settings=(None, 0.3), n_repeats=2)
    assert set(table["column_kind"]) == {"own", "noise"}
    assert table.groupby("dataset")["wide"].unique().map(list).to_dict() == {
        "wine": [False],
        "wide_gaussian, 12 x 100": [True],
    }
    shares = table[table["metric"] == "importance"].pivot_table(
        index=["method", "repeat"], columns="column_kind", values="value"
    )
    assert_allclose(shares.sum(axis=1), 1)
    assert table.query("metric == 'zero_share'")["value"].between(0, 1).all()


def test_outliers_change_the_weights():
    table = outliers(["iris"], kinds=("moved",), settings=(None, 0.3), **SPOILT)
    assert len(table) == 2 * 3 * 3
    assert values(table, "weight_change").min() > 0
    none = outliers(["iris"], kinds=("moved",), settings=(None,), distance=0.0, **SPOILT)
    assert_allclose(values(none, "weight_change"), 0, atol=1e-9)
    assert_allclose(values(none, "error_clean"), values(none, "error_spoilt"))


def test_more_outliers_than_samples_are_rejected():
    with pytest.raises(ValueError, match="n_outliers=101 is more than the 100 samples of a training part of iris"):
        outliers(["iris"], **{**SPOILT, "n_outliers": 101})


def test_outlier_tests_compare_the_rise_of_the_error():
    rng = np.random.default_rng(0)
    nus = None, 0.3, 0.4
    what = [{"dataset": "a", "kind": "moved", "nu": nu, "repeat": r} for nu in nus for r in range(4)]
    spoilt = [
        {**row, "fold": fold, "metric": "error_spoilt", "value": rng.normal()} for row in what for fold in range(5)
    ]
    clean = [{**row, "metric": "error_clean", "value": 1.0} for row in spoilt]
    tests = outlier_tests(pd.DataFrame(spoilt + clean))
    rise = np.array([row["value"] for row in spoilt])
    assert tests["difference"].tolist() == pytest.approx([rise[20:40].mean(), rise[40:].mean()] - rise[:20].mean())
    assert tests["p_holm"].min() == pytest.approx(2 * tests["p"].min()), tests


def test_knn_shares_folds_and_mdm_does_not_depend_on_the_scaling():
    table = knn_gain(["iris", "wine"], **GAIN)
    errors = (
        table[table["metric"] == "error"].set_index(["dataset", "inputs", "method", "fold"])["value"].unstack("inputs")
    )
    for method in "hard MDM", "soft MDM", "minmax", "zscore":
        same = errors.xs(method, level="method")
        assert_allclose(same["raw"], same["zscore"])
    wine = errors.xs("wine").groupby("method")["raw"].mean()
    assert wine["hard MDM"] < wine["none"]
    assert values(table, "nu", method="soft MDM").size == 2 * 2 * 3
    fewer = knn_gain(["wine"], methods=("none",), inputs=("raw",), **GAIN)
    assert_allclose(values(fewer, "error"), values(table, "error", dataset="wine", inputs="raw", method="none"))


def test_files_and_registered_sets_in_one_run(tmp_path):
    frame = load("iris", as_frame=True).frame.rename(columns={"target": "kind"})
    paths = [tmp_path / folder / "mine.csv" for folder in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
        frame.to_csv(path, index=False)
    options = {**GAIN, "methods": ("none",), "inputs": ("raw",), "target": "kind"}
    tables = [knn_gain(["wine", str(path)], **options).query("metric != 'seconds'") for path in paths]
    assert tables[0]["dataset"].unique().tolist() == ["wine", "mine"]
    pd.testing.assert_frame_equal(*tables)
    with pytest.raises(ValueError, match="are both named 'mine'; rename one of them"):
        knn_gain(list(map(str, paths)), **options)


def test_both_programs_agree(tmp_path):
    frame = load("iris", as_frame=True).frame
    twin = frame.iloc[[0]].assign(**{frame.columns[-1]: frame.iloc[-1, -1]})  # no weights separate it from its twin
    path = tmp_path / "twins.csv"
    pd.concat([frame[::3], twin]).to_csv(path, index=False)
    table = equivalence(["iris", "wine", str(path)], seed=0, max_samples=51)
    assert values(table, "ratio_difference").max() < 1e-6
    assert values(table, "weight_difference").max() < 1e-5
    assert values(table, "ratio_minmax").min() > 1


def test_growth_of_the_program():
    table = program_size(sizes=(20, 40), n_features=(3, 6), base=(30, 4), n_repeats=1, seed=0)
    assert_allclose(values(table, "rows", varied="N", solver="full"), [190, 780])
    assert_allclose(values(table, "rows_printed", varied="N", solver="full"), [400, 1600])
    assert_allclose(values(table, "constraints", varied="N"), [190, 780])
    assert_allclose(values(table, "unknowns", varied="D"), [4, 7])
    assert_allclose(values(table, "rows_used", solver="full"), values(table, "rows", solver="full"))
    assert np.all(values(table, "rows_used", solver="constraints") < values(table, "rows", solver="constraints"))
    soft = program_size(sizes=(20,), n_features=(), base=(30, 4), n_repeats=1, nu=0.2, seed=0)
    assert values(soft, "unknowns").tolist() == [25]
    assert values(soft, "constraints", solver="full") == values(soft, "rows", solver="full")


def test_the_full_program_has_the_optimum_of_mdm():
    X, y = load("iris", return_X_y=True)
    X, y = X[::5] / X.max(axis=0), y[::5]
    for nu in None, 0.3:
        fitted = MDM(nu=nu).fit(X, y)
        program = _full_program(X, y, fitted.C_)
        program.solve(solver="CLARABEL")
        assert program.value == pytest.approx(fitted.objective_, rel=1e-6)


def test_the_experiment_tests_every_claim(monkeypatch):
    monkeypatch.setattr(mdm, "noise_columns", partial(noise_columns, shapes=((12, 100),)))
    monkeypatch.setattr(mdm, "program_size", partial(program_size, n_features=(5, 10), n_repeats=1))
    experiment = mdm.MethodClaims(dataset=["iris"], n_splits=2, n_repeats=1, nu=[0.5], sizes=[20, 40])
    assert set(claims_needing("hocke2014", experiment.run())) == {"M1", "M2", "M3", "M4", "M5", "M8", "M9", "M10"}


def test_means_keep_the_row_of_hard_mdm():
    rows = [("a", nu, metric, value) for nu in (np.nan, 0.1) for metric, value in (("z", 1.0), ("b", 2.0), ("z", 3.0))]
    table = pd.DataFrame(rows, columns=["dataset", "nu", "metric", "value"])
    shown = means(table, ["dataset", "nu"])
    assert shown.columns.tolist() == ["dataset", "nu", "z", "b"]
    assert_allclose(shown[["nu", "z", "b"]], [[np.nan, 2, 2], [0.1, 2, 2]])


def test_relief_without_ranges_by_hand():
    X, y = np.array([[0.0, 0], [1, 5], [4, 0], [5, 5]]), np.array([0, 0, 1, 1])
    # nearest hits and misses: 0 -> 1, 2; 1 -> 0, 3; 2 -> 3, 0; 3 -> 2, 1
    assert_allclose(_relief_without_ranges(X, y), [16 - 1, 0 - 25])


def test_shares_are_those_of_the_weighted_variance_and_named_by_the_headers_of_a_file(tmp_path):
    """Reference: ``MDM.feature_importances_``, which depend on no scaling; a constant column has none."""
    rng = np.random.default_rng(0)
    kind = np.arange(30) % 2
    frame = pd.DataFrame(rng.normal(size=(30, 12)), columns=[f"name_{letter}" for letter in "abcdefghijkl"])
    frame = frame.assign(name_a=1.0, name_c=frame["name_c"] + 9 * kind, kind=kind)
    path = str(tmp_path / "mine.csv")
    frame.to_csv(path, index=False)
    tuned = {"n_neighbors": 3, "nu": (0.5,), "n_inner_splits": 2, "seed": 0}
    table = feature_shares([path], ["hard MDM", "soft MDM", "Relief"], target="kind", **tuned)
    assert table.groupby("method").size().eq(10).all()
    X = frame.drop(columns="kind").to_numpy()
    expected = np.r_[0, MDM().fit(X[:, 1:], kind).feature_importances_]
    hard = table[table["method"] == "hard MDM"]
    assert_allclose(hard["share"], -np.sort(-expected)[:10], atol=1e-6)
    assert_allclose(hard["share"], expected[hard["feature"] - 1], atol=1e-6)

    shown = summaries.largest_shares(table, feature_names([path], "kind")).set_index("method")["features"]
    assert shown.str.startswith("name_c (3): ").all()
    assert f"name_c (3): {expected[2]:.1%}" in shown["hard MDM"]
    assert "name_a" not in " ".join(shown)
    assert summaries.largest_shares(hard.assign(share=0.0), {})["features"].tolist() == ["none"]


# Claim M6: the comparison with competitors on the UCI sets ------------------------------------------------------------


@pytest.fixture(scope="module")
def uci(own_cache):
    experiment = Competitors(dataset=["iris", "wine"], n_splits=2, n_repeats=1, nu=[0.5, 0.1], n_inner_splits=2)
    return experiment.compare((*WEIGHTINGS, *PROJECTIONS))


def test_uci_measures_every_method_on_the_same_folds(uci):
    errors = uci[uci["metric"] == "error"]
    assert errors.groupby(["dataset", "inputs", "method", "k"]).size().eq(2).all()
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
    assert set(chosen.loc[chosen["method"] == "soft MDM", "value"]) <= {0.5, 0.1, 1 / 75, 1 / 89}  # 1/N, too
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
    expected = corrected_resampled_t(difference.round(12), 1)
    assert tests.loc[("wine", "raw", "none"), "p"] == pytest.approx(expected)
    for _, family in tests.groupby(["dataset", "inputs"]):
        least = family.loc[family["p"].idxmin()]
        assert least["p_holm"] == pytest.approx(min(1, len(family) * least["p"]))
        assert (family["p_holm"] >= family["p"]).all()


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


# Claim M7: gene expression --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expression(own_cache):
    return GeneExpression(dataset=[GENERATED], max_genes=200, n_splits=3, n_top=10).run()


def mean_of(table, metric):
    return table[table["metric"] == metric].groupby("method")["value"].mean()


def test_genes_are_chosen_in_the_training_part():
    X, y = load("wide_gaussian", return_X_y=True)
    chosen = _best_genes(X[:50], y[:50], 30)
    score = fisher_score(X[:50], y[:50])
    assert len(chosen) == 30
    assert score[chosen].min() > np.delete(score, chosen).max()
    X = np.hstack([X[:, :5], np.ones((len(X), 2))])
    assert _best_genes(X, y, 30).tolist() == [0, 1, 2, 3, 4]
    assert _best_genes(X, y, None).tolist() == [0, 1, 2, 3, 4]


def test_mdm_finds_the_relevant_features_and_drops_others(expression):
    kept, given_ = mean_of(expression["gene_expression"], "n_kept"), mean_of(expression["gene_expression"], "n_given")
    assert given_["none, all genes"] == 7129
    assert given_["none"] == kept["none"] == 200
    assert kept["hard MDM"] < 150
    relevant = mean_of(expression["gene_expression"], "kept_relevant")
    assert relevant["hard MDM"] > 1.2 * relevant["none"] > relevant["none, all genes"]
    errors = mean_of(expression["gene_expression"], "error")
    assert errors["soft MDM"] < errors["none"] < errors["none, all genes"]


def test_overlap_and_top_genes(expression):
    ati = mean_of(expression["gene_overlap"], "ati_kept")
    assert ati["none, all genes"] == 1
    assert set(mean_of(expression["gene_overlap"], "ati_top").index) == set(expression["gene_expression"]["method"]) - {
        "none",
        "none, all genes",
    }
    assert (expression["gene_overlap"].query("metric == 'ati_kept'")["value"].between(0, 1)).all()
    top = expression["top_genes"][expression["top_genes"]["method"] == "soft MDM"]
    importance = top[top["metric"] == "importance"]["value"].to_numpy()
    assert len(importance) == 10
    assert np.all(np.diff(importance) <= 0)
    assert (top[top["metric"] == "kept_in"]["value"] <= 1).all()
    relevant = {f"f{index + 1}" for index in load("wide_gaussian").relevant}
    assert len(relevant & set(top["gene"])) >= 8


def test_leaving_one_out_and_all_genes():
    experiment = GeneExpression(dataset=["iris"], n_splits=0, scaling="raw", max_genes=None)
    measured = experiment.compare(["none, all genes", "none"])["gene_expression"]
    errors = measured[measured["metric"] == "error"]
    assert set(errors["method"]) == {"none"}  # with all genes given, there is only one row
    assert len(errors) == 150
    assert errors["value"].sum() == pytest.approx(6)  # 3-NN on raw iris


def test_a_single_fold_is_refused():
    with pytest.raises(ParameterError, match=r"n_splits = 1 is invalid; it takes 0 or an integer in \[2, 50\]"):
        GeneExpression(n_splits=1)


def test_claim_m7_is_about_gene_expression_data(expression):
    assert claims.M7().statements(expression["gene_expression"]) == []


@pytest.mark.parametrize(
    ("extra", "rows", "answer"),
    [(1, 0.5, ["holds", "holds"]), (2, 0.5, ["fails", "holds"]), (1, 1, ["holds", "fails"])],
)
def test_m9_counts_exactly(extra, rows, answer):
    size = [
        {"n_samples": n, "n_features": 10, "solver": "full", "metric": metric, "value": value}
        for n in (20, 40)
        for metric, value in (("unknowns", 10 + extra), ("constraints", rows * n * (n - 1)))
    ]
    assert sides(claims.M9().statements(pd.DataFrame(size))) == answer

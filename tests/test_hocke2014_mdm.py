"""Claims M1 to M5 and M8 to M10: claims of Hocke and Martinetz 2014 about the method itself."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from claimed import sides, values
from numpy.testing import assert_allclose

from compendium.features import feature_names
from compendium.tables import means
from compendium.verdicts import claims_needing
from fscore.datasets import load
from fscore.weighting import MDM
from hocke2014 import claims, mdm, summaries
from hocke2014.gain import knn_gain
from hocke2014.noise import noise_columns
from hocke2014.outliers import outlier_tests, outliers
from hocke2014.program import _full_program, equivalence, feasibility, program_size
from hocke2014.scaling import RESCALED, _relief_without_ranges, scaling_invariance
from hocke2014.shares import feature_shares

GIVEN = {"n_neighbors": 3, "seed": 0}
SPOILT = {**GIVEN, "n_outliers": 3, "n_splits": 3, "n_repeats": 1}
GAIN = {**GIVEN, "n_splits": 3, "n_repeats": 1, "n_inner_splits": 3, "nu": (0.5, 0.1)}


pytestmark = pytest.mark.usefixtures("own_cache")


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
    assert sides(claims.hard_program_is_feasible(table)) == ["holds", "fails"]


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
    what = [{"dataset": "a", "kind": "moved", "nu": nu, "repeat": r} for nu in (None, 0.3) for r in range(4)]
    spoilt = [
        {**row, "fold": fold, "metric": "error_spoilt", "value": rng.normal()} for row in what for fold in range(5)
    ]
    clean = [{**row, "metric": "error_clean", "value": 1.0} for row in spoilt]
    tests = outlier_tests(pd.DataFrame(spoilt + clean))
    rise = np.array([row["value"] for row in spoilt])
    assert tests["difference"].item() == pytest.approx(rise[20:].mean() - rise[:20].mean())


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


def test_a_file_of_ones_own(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame["a"] > 0, "high", "low")
    path = tmp_path / "mine.csv"
    frame.to_csv(path, index=False)
    options = {**GAIN, "methods": ("none", "hard MDM"), "inputs": ("raw",), "n_splits": 2, "target": "kind"}
    assert len(knn_gain([str(path)], **options)) == 2 * (3 + 4)  # MDM also has a duality gap


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


def test_the_page_on_mdm_shows_shares_of_hard_and_soft_weights(monkeypatch):
    others = "scaling_invariance feasibility noise_columns outliers outlier_tests knn_gain equivalence program_size"
    for name in others.split():
        monkeypatch.setattr(mdm, name, lambda *arguments, **values: None)
    shares = mdm.MethodClaims(dataset=["iris"]).measure()["shares"]
    assert shares.groupby("method")["share"].sum().to_dict() == pytest.approx({"hard MDM": 1, "soft MDM": 1})

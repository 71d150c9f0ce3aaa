"""The MDM study: its tables hold what the claims need, and move only with what they depend on."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fscore.datasets import load
from fscore.report.claims import hocke2014 as claims
import hocke2014 as study
from hocke2014.methods import PROJECTIONS, WEIGHTINGS, chosen, knn_predictions, learn, rescaled
from hocke2014.scaling import _relief_without_ranges
from fscore.weighting import MDM


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))


def values(table, metric, **where):
    chosen = table[table["metric"] == metric]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    return chosen["value"].to_numpy()


def test_only_unscaled_methods_move_with_the_scale():
    table = study.scaling_invariance(["wine"], n_repeats=2)
    worst = table[table["metric"] == "distance_change"].groupby("method")["value"].max()
    steady = {"hard MDM", "soft MDM", "minmax", "zscore", "Relief"}
    assert (worst[list(steady)] < 1e-6).all()
    assert (worst[list(set(study.RESCALED) - steady)] > 0.1).all()
    assert values(table, "prediction_change", method="hard MDM").max() == 0
    assert values(table, "objective_change", method="soft MDM").max() < 1e-7
    assert values(table, "prediction_change", method="none").min() > 0
    assert set(table["method"]) == set(study.RESCALED)


def test_unknown_methods_are_named():
    with pytest.raises(ValueError, match="Unknown method 'Sombra'; choose from 'none', 'minmax'"):
        study.scaling_invariance(["iris"], methods=["Sombra"], n_repeats=1)


def test_feasible_but_for_identical_samples_of_two_classes():
    table = study.feasibility(["iris"], n_random=4, max_samples=30)
    optimal = table[table["metric"].isin(["optimal_full", "optimal_mdm"])]
    twins = optimal["case"] == "one label flipped twin"
    assert (optimal.loc[~twins, "value"] == 1).all()
    assert (optimal.loc[twins, "value"] == 0).all()
    assert values(table, "identical_pairs", case="one label flipped twin").min() >= 1
    assert values(table, "n_samples", dataset="iris", case="distinct")[0] == 148  # rows 101 and 142 are the same


def test_noise_columns_are_counted_by_kind():
    table = study.noise_columns(["wine"], n_noise=3, wide=((12, 100),), nus=(None, 0.3), n_repeats=2)
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


def test_outliers_reach_the_weights():
    table = study.outliers(["iris"], kinds=("moved",), nus=(None, 0.3), n_splits=3, n_repeats=1)
    assert len(table) == 2 * 3 * 3
    assert values(table, "weight_change").min() > 0
    none = study.outliers(["iris"], kinds=("moved",), nus=(None,), n_splits=3, n_repeats=1, distance=0.0)
    assert_allclose(values(none, "weight_change"), 0, atol=1e-9)
    assert_allclose(values(none, "error_clean"), values(none, "error_spoilt"))


def test_more_outliers_than_samples():
    with pytest.raises(ValueError, match="n_outliers=101 is more than the 100 samples of a training part of iris"):
        study.outliers(["iris"], n_outliers=101, n_splits=3, n_repeats=1)


@pytest.mark.parametrize(("shift", "answer"), [(-1.0, "replicated"), (0.0, "partly"), (1.0, "partly")])
def test_claim_m4_asks_whether_the_errors_differ_beyond_chance(shift, answer):
    rng = np.random.default_rng(0)
    rows = []
    for nu in (None, 0.3):
        for repeat in range(4):
            for fold in range(5):
                spoilt = 2 + rng.normal(scale=0.1) + (shift if nu else 0)
                measured = {"weight_change": 0.1 if nu else 0.2, "error_clean": 1.0, "error_spoilt": spoilt}
                what = {"dataset": "a", "kind": "moved", "nu": nu, "repeat": repeat, "fold": fold}
                rows += [{**what, "metric": metric, "value": value} for metric, value in measured.items()]
    table = pd.DataFrame(rows)
    tests = study.outlier_tests(table)
    assert tests["difference"].tolist() == pytest.approx([shift], abs=0.1)
    rise = table[table["metric"] == "error_spoilt"].set_index(["nu", "repeat", "fold"])["value"].to_numpy()
    assert tests["difference"][0] == pytest.approx(rise[20:].mean() - rise[:20].mean())
    assert claims.slack_lowers_the_influence_of_outliers(table, tests).answer == answer


def test_claim_m3_hears_both_shapes():
    rows = [
        {
            "wide": wide,
            "dataset": "a",
            "method": "hard MDM",
            "column_kind": kind,
            "metric": "zero_share",
            "value": value,
        }
        for wide, noise in ((False, 0.1), (True, 0.9))
        for kind, value in (("own", 0.2), ("noise", noise))
    ]
    verdict = claims.noise_gets_weight_zero(pd.DataFrame(rows))
    assert verdict.answer == "partly"
    assert "more features than samples: 90% of the noise columns" in verdict.evidence
    assert claims.noise_gets_weight_zero(pd.DataFrame(rows[2:])).answer == "replicated"
    assert claims.noise_gets_weight_zero(pd.DataFrame(rows[:2])).answer == "not replicated"


def test_knn_shares_folds_and_mdm_does_not_care_for_inputs():
    table = study.knn_gain(["iris", "wine"], n_splits=3, n_repeats=1, nus=(0.5, 0.1))
    errors = (
        table[table["metric"] == "error"].set_index(["dataset", "inputs", "method", "fold"])["value"].unstack("inputs")
    )
    for method in "hard MDM", "soft MDM", "minmax", "zscore":
        same = errors.xs(method, level="method")
        assert_allclose(same["raw"], same["zscore"])
    wine = errors.xs("wine").groupby("method")["raw"].mean()
    assert wine["hard MDM"] < wine["none"]
    assert values(table, "nu", method="soft MDM").size == 2 * 2 * 3
    fewer = study.knn_gain(["wine"], methods=("none",), inputs=("raw",), n_splits=3, n_repeats=1)
    assert_allclose(values(fewer, "error"), values(table, "error", dataset="wine", inputs="raw", method="none"))


def test_own_file_and_any_n_jobs(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame["a"] > 0, "high", "low")
    path = tmp_path / "mine.csv"
    frame.to_csv(path, index=False)
    options = {"methods": ("none", "hard MDM"), "inputs": ("raw",), "n_splits": 2, "n_repeats": 1, "target": "kind"}
    one = study.knn_gain([str(path)], **options)
    assert len(one) == 2 * (3 + 4)  # MDM has a duality gap, too
    two = study.knn_gain([str(path)], **options, n_jobs=2, seed=0)
    pd.testing.assert_frame_equal(one.query("metric != 'seconds'"), two.query("metric != 'seconds'"))


def test_both_programs_agree(tmp_path):
    frame = load("iris", as_frame=True).frame
    twin = frame.iloc[[0]].assign(**{frame.columns[-1]: frame.iloc[-1, -1]})  # no weights tell it from its sister
    path = tmp_path / "twins.csv"
    pd.concat([frame[::3], twin]).to_csv(path, index=False)
    table = study.equivalence(["iris", "wine", str(path)], max_samples=51)
    assert values(table, "ratio_difference").max() < 1e-6
    assert values(table, "weight_difference").max() < 1e-5
    assert values(table, "ratio_minmax").min() > 1


def test_program_grows_as_counted():
    table = study.program_size(n_samples=(20, 40), n_features=(3, 6), base=(30, 4), n_repeats=1)
    assert_allclose(values(table, "rows", varied="N", solver="full"), [190, 780])
    assert_allclose(values(table, "rows_printed", varied="N", solver="full"), [400, 1600])
    assert_allclose(values(table, "constraints", varied="N"), [190, 780])
    assert_allclose(values(table, "unknowns", varied="D"), [4, 7])
    assert_allclose(values(table, "rows_used", solver="full"), values(table, "rows", solver="full"))
    assert np.all(values(table, "rows_used", solver="constraints") < values(table, "rows", solver="constraints"))
    soft = study.program_size(n_samples=(20,), n_features=(), base=(30, 4), n_repeats=1, nu=0.2)
    assert values(soft, "unknowns").tolist() == [25]


def test_figures_show_what_the_program_says():
    drawn = study.illustration()
    pairs = drawn.pairs.set_index(["figure", "setting", "name"])["squared_distance"].unstack("name")
    radii = drawn.radii.set_index(["figure", "setting"])
    assert_allclose(pairs["d1"], 1)
    assert_allclose(radii.loc[(1, "hard MDM"), "r"], pairs.loc[(1, "hard MDM"), ["d2", "d3"]].max())
    assert radii.loc[(1, "hard MDM"), "r"] < radii.loc[(1, "equal weights"), "r"]
    assert radii.loc[(2, "soft MDM"), "r"] < pairs.loc[(2, "soft MDM"), ["d2", "d3"]].max()
    for (figure, setting), points in drawn.points.groupby(["figure", "setting"]):
        d = squareform(pdist(points[["x1", "x2"]], "sqeuclidean"))
        friends = points["label"].to_numpy()[:, None] == points["label"].to_numpy()
        allowed = radii.loc[(figure, setting), "r"] + points["slack"].to_numpy()[:, None]
        assert np.all((d <= allowed + 1e-9) | ~friends)
        assert d[~friends].min() == pytest.approx(1)


def test_relief_without_ranges_by_hand():
    X, y = np.array([[0.0, 0], [1, 5], [4, 0], [5, 5]]), np.array([0, 0, 1, 1])
    # nearest hits and misses: 0 -> 1, 2; 1 -> 0, 3; 2 -> 3, 0; 3 -> 2, 1
    assert_allclose(_relief_without_ranges(X, y), [16 - 1, 0 - 25])


def test_nu_is_chosen_on_the_training_part():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    folds, nus, ks = StratifiedKFold(3), (0.8, 0.2), (1, 3)
    wrong = np.zeros((2, 2))
    for n, nu in enumerate(nus):
        for train, test in folds.split(X, y):
            root = np.sqrt(MDM(nu=nu).fit(X[train], y[train]).weights_)
            for m, k in enumerate(ks):
                knn = KNeighborsClassifier(k, algorithm="brute").fit(X[train] * root, y[train])
                wrong[n, m] += np.sum(knn.predict(X[test] * root) != y[test])
    assert chosen("soft MDM", X, y, folds, nus, ks) == [nus[n] for n in wrong.argmin(axis=0)]


@pytest.mark.parametrize("dataset", ["iris", "digits"])
def test_neighbours_vote_as_in_sklearn(dataset):
    X, y = load(dataset, return_X_y=True)
    X = X[:300] + np.random.default_rng(0).normal(scale=1e-6, size=X[:300].shape)  # no equal distances
    ours = knn_predictions(X[::2], y[:300:2], X[1::2], [1, 4, 5])
    for k, labels in zip([1, 4, 5], ours, strict=True):
        peer = KNeighborsClassifier(k, algorithm="brute").fit(X[::2], y[:300:2])
        assert np.array_equal(labels, peer.predict(X[1::2]))


def test_neighbours_do_not_depend_on_last_digits():
    X, y = load("iris", return_X_y=True)  # many equal distances
    A, a, B = X[::2], y[::2], X[1::2]
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
    expected = knn_predictions(A, a, B, [1, 3, 5])
    for Z in (A @ turn, B @ turn), (A - 5.1, B - 5.1), (A * 2.54, B * 2.54):
        assert np.array_equal(knn_predictions(Z[0], a, Z[1], [1, 3, 5]), expected)
    assert knn_predictions(np.zeros((3, 2)), np.array([1, 0, 0]), np.zeros((1, 2)), [1]) == 1  # the first counts
    with pytest.raises(ValueError, match="k=76 neighbours are more than the 75 samples"):
        knn_predictions(A, a, B, [1, 76])


@pytest.mark.parametrize("method", [*WEIGHTINGS, *PROJECTIONS])
def test_every_method_learns_a_map(method):
    X, y = load("wine", return_X_y=True)
    (into,) = learn(method, X, y)
    assert np.isfinite(into(X)).all()
    if method in WEIGHTINGS:
        d, w = pdist(into(X), "sqeuclidean"), pdist(X * np.sqrt(into.weights), "sqeuclidean")
        assert_allclose(d * w.max(), w * d.max(), rtol=1e-9)
    else:
        assert into.weights is None


def test_inputs_are_rescaled_by_the_training_part():
    A, B = np.array([[0.0, 1, 7], [4, 3, 7]]), np.array([[8.0, 5, 9]])
    assert [Z.tolist() for Z in rescaled("raw", A, B)] == [[[0, 1], [4, 3]], [[8, 5]]]
    assert [Z.tolist() for Z in rescaled("minmax", A, B)] == [[[0, 0], [1, 1]], [[2, 2]]]
    assert [Z.tolist() for Z in rescaled("zscore", A, B)] == [[[-1, -1], [1, 1]], [[3, 3]]]
    with pytest.raises(ValueError, match="Unknown inputs 'log'; choose from 'raw'"):
        rescaled("log", A)

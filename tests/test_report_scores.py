"""Folds, scores with intervals, rankings and the choice of a size, on cases with known answers."""

import re
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as t_distribution
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score, r2_score

from fscore.report import build_problem
from fscore.report.analysis import Analysis, Settings, sizes_up_to
from fscore.report.findings import Findings, _columns_of_split, _question, _verdict, read_findings
from fscore.report.models import FOREST, MODELS, TREES, encode, fit_predict, make_estimator
from fscore.report.outputs import render
from fscore.report.rankings import METHODS, _growth_of_error, rank, screen
from fscore.report.scores import Rows, Score, difference, draw, folds, losses, score, values, wilson


@pytest.fixture(scope="module", autouse=True)
def few_trees():
    """They do for what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TREES, "max_iter", 30)
        patch.setitem(FOREST, "n_estimators", 20)
        yield


@given(st.integers(0, 2**31), st.integers(2, 4))
@settings(max_examples=10, deadline=None)
def test_scores_are_those_of_scikit_learn(seed, n_classes):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    predicted = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    loss = losses(y, predicted, "classification")
    assert values(y, loss, "classification") == pytest.approx(balanced_accuracy_score(y, predicted))
    y, predicted = rng.normal(size=(2, 40))
    corrected = 1 - (1 - r2_score(y, predicted)) * 39 / 41
    assert values(y, losses(y, predicted, "regression"), "regression") == pytest.approx(corrected)


def test_r2_is_zero_for_the_mean_of_the_training_rows():
    y = np.random.default_rng(0).normal(size=30)
    of_others = (y.sum() - y) / 29
    assert values(y, losses(y, of_others, "regression"), "regression") == pytest.approx(0, abs=2 / 30**2)


@pytest.mark.parametrize("explained", [0.2, 0.5, 0.8])
def test_r2_is_right_on_average_in_small_tables(explained):
    """Of a fixed rule in 40 rows, up to terms of second order; without the correction it is 0.01 to 0.03 too low."""
    rng = np.random.default_rng(0)
    signal = np.sqrt(explained) * rng.normal(size=(5000, 40))
    y = signal + np.sqrt(1 - explained) * rng.normal(size=signal.shape)
    scores = [values(*row, "regression") for row in zip(y, losses(y, signal, "regression"), strict=True)]
    expected = explained + (1 - explained) * (1 - 2 * explained) / 40
    assert np.mean(scores) == pytest.approx(expected, abs=0.006)  # three standard errors


@pytest.mark.parametrize("unit", [1e-100, 1e-40, 1.6e-19, 1e-10, 1e40])
def test_r2_does_not_depend_on_the_unit(unit):
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=(2, 200))
    fold = np.repeat(np.arange(5), 40)
    plain = score(y, losses(y, predicted, "regression"), "regression", fold)
    scaled = score(unit * y, losses(unit * y, unit * predicted, "regression"), "regression", fold)
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)
    assert values(np.full(4, unit), losses(np.full(4, unit), np.zeros(4), "regression"), "regression") < -1e10


def test_the_error_of_few_different_folds_is_corrected():
    y, fold = np.tile([0, 1], 50), np.repeat(np.arange(5), 20)
    loss = (fold < 2).astype(float)  # folds of 0 and of 1
    scores = np.array([0, 0, 1, 1, 1])
    corrected = scores.std(ddof=1) * np.sqrt(1 / 5 + 0.2 / 0.8)  # Nadeau and Bengio
    assert score(y, loss, "classification", fold).error == pytest.approx(corrected)


def test_an_extreme_value_widens_neither_fold_nor_interval_of_r2():
    """It adds to the squared errors and to the variance of y alike; only their ratio matters."""
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=(2, 200))
    y[0] = 40
    loss = 0.5 * (y - y.mean()) ** 2  # every row has the same share of its spread
    estimate = score(y, loss, "regression", np.repeat(np.arange(5), 40))
    assert estimate.value == pytest.approx(1 - 0.5 * 199 / 201)
    assert estimate.error == pytest.approx(0, abs=1e-12)
    assert score(y, noise**2, "regression", np.repeat(np.arange(5), 40)).error > 0.001


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_error_of_rows_is_that_of_the_jackknife(task):
    rng = np.random.default_rng(1)
    n = 400
    y = rng.integers(0, 3, n) if task == "classification" else rng.normal(size=n)
    loss = (rng.uniform(size=n) < 0.3).astype(float) if task == "classification" else rng.normal(size=n) ** 2
    without = [values(np.delete(y, k), np.delete(loss, k), task) for k in range(n)]
    jackknife = np.sqrt((n - 1) * np.var(without))
    estimate = score(y, loss, task)
    assert estimate.error == pytest.approx(jackknife, rel=0.03)
    if task == "regression":
        half = t_distribution.ppf(0.95, n - 2) * estimate.error
        assert estimate[1:3] == pytest.approx((estimate.value - half, estimate.value + half))


def test_intervals_are_wilsons_for_an_effective_number_of_rows():
    z = NormalDist().inv_cdf(0.95)
    lower, upper = wilson(0.3, 1e6)
    assert lower == pytest.approx(0.3 - z * np.sqrt(0.21 / 1e6), abs=1e-6)
    assert upper > 0.3
    t90 = t_distribution.ppf(0.95, 19)
    middle, half = (0.3 + t90**2 / 40) / (1 + t90**2 / 20), np.sqrt(0.21 / 20 + t90**2 / 1600) * t90 / (1 + t90**2 / 20)
    assert wilson(0.3, 20) == pytest.approx((middle - half, middle + half))
    assert wilson(0.0, 20)[0] == 0
    assert wilson(1.0, 20)[1] == 1
    perfect = score(np.repeat([0, 1], [40, 10]), np.zeros(50), "classification")
    assert perfect.value == perfect.upper == 1
    assert 0.8 < perfect.lower < 1


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_copies_in_one_group_are_no_evidence(task):
    """The error of groups of equal rows is that of one of each, with the variance of a sample."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60) if task == "classification" else rng.normal(size=60)
    loss, other = (rng.uniform(size=(2, 60)) < 0.4).astype(float)
    groups = np.repeat(np.arange(60) + 7, 30)
    copied = [np.repeat(values, 30) for values in (y, loss, other)]
    of_sample, tolerance = np.sqrt(60 / 59), 0.04 if task == "regression" else 1e-9  # (n - 1) / (n + 1) of R2
    grouped = score(*copied[:2], task, groups=groups)
    assert grouped.error == pytest.approx(of_sample * score(y, loss, task).error, rel=tolerance)
    assert score(*copied[:2], task).error < 0.25 * grouped.error
    assert grouped.upper - grouped.lower == pytest.approx(
        np.ptp(score(y, loss, task)[1:3]), rel=0.05 if task == "regression" else 0.15
    )
    gain = difference(*copied, task, groups)
    assert gain.error == pytest.approx(of_sample * difference(y, loss, other, task).error, rel=tolerance)


def test_a_difference_is_taken_row_by_row():
    y = np.tile([0, 1], 30)
    loss, other = np.zeros(60), np.zeros(60)
    other[:6] = 1
    gain = difference(y, loss, other, "classification")
    assert gain.value == pytest.approx(0.1)
    assert gain.error == pytest.approx(np.sqrt(2 * 0.25 * (0.1 * 0.9) / 30))
    assert difference(y, other, other, "classification").error == 0


def rows(seed=0, n=90, groups=False, time=False, task="classification"):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n) if task == "classification" else rng.normal(size=n)
    return Rows(y, task, rng.integers(0, 15, n) if groups else None, rng.permutation(n).astype(float) if time else None)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("groups", [False, True])
def test_every_row_is_tested_once_and_groups_stay_together(task, groups):
    data = rows(groups=groups, task=task)
    tested = np.concatenate([test for _, test in folds(data, 5, 0)])
    assert sorted(tested) == list(range(90))
    for train, test in folds(data, 5, 0):
        assert not set(train) & set(test)
        if groups:
            assert not set(data.groups[train]) & set(data.groups[test])


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_category_of_many_values_without_effect_comes_last(task):
    rng = np.random.default_rng(3)
    n = 400
    X = pd.DataFrame({"doctor": rng.integers(0, 25, n), "ward": rng.integers(0, 5, n), "age": rng.normal(size=n)})
    kinds = {"doctor": "category", "ward": "category", "age": "number"}
    of_doctor = rng.normal(size=25)[X["doctor"]]
    y = 0.5 * X["age"] + np.array([0.9, 0.6, -0.5, -0.1, 0.8])[X["ward"]] + rng.normal(size=n)
    for effect, place in (0, 2), (2, 0):
        target = (y + effect * of_doctor).to_numpy()
        target = (target > 0).astype(int) if task == "classification" else target
        encoded = encode(X.astype({"doctor": str, "ward": str}), kinds, Rows(target, task), np.arange(n))
        assert rank("backward", encoded, target, 3, task)[place] == 0


def test_a_class_of_one_row_is_divided_without_a_warning(recwarn):
    assert len(folds(Rows(np.array([0] * 9 + [1] * 9 + [2]), "classification"), 5, 0)) == 2
    assert len(recwarn) == 0


def test_folds_forwards_in_time_train_on_the_past():
    data = rows(time=True, groups=True)
    parts = folds(data, 5, 0)
    assert len(parts) >= 4
    for train, test in parts:
        assert data.time[train].max() < data.time[test].min()
        assert not set(data.groups[train]) & set(data.groups[test])


def test_rows_of_one_time_are_tested_together():
    year = np.random.default_rng(0).permutation(np.repeat([2015, 2016, 2017, 2018, 2019, 2020, 2021], 30))
    parts = folds(Rows(np.arange(210.0), "regression", None, year), 5, 0)
    tested = [set(year[test]) for _, test in parts]
    assert len(tested) == 5
    assert sum(map(len, tested)) == 6
    assert all(
        set(year[train]) == {y for y in range(2015, min(years))}
        for (train, _), years in zip(parts, tested, strict=True)
    )
    assert [(len(train), len(test)) for train, test in folds(Rows(year * 1.0, "regression", None, year), 20, 0)] == [
        (30 * n, 30) for n in range(1, 7)
    ]


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            Rows(np.arange(40.0), "regression", time=np.zeros(40)),
            "no point in time has five rows before it and rows after it; --time none scores by folds drawn at random.",
        ),
        (
            Rows(np.repeat([0, 1], [36, 4]), "classification", time=np.arange(40.0)),
            "no point in time has all classes before it and rows after it; --time none scores by folds",
        ),
        (
            Rows(np.tile([0, 1], 20), "classification", groups=np.arange(40) % 4, time=np.arange(40.0)),
            "groups go on over time, and without them too few rows lie before any point in it; --time none scores by "
            "folds drawn at random, --groups none ignores the groups.",
        ),
        (
            Rows(np.arange(40.0), "regression", groups=np.zeros(40, dtype=int)),
            "the groups don't allow two folds, since all rows are in one group; --groups none ignores them.",
        ),
        (Rows(np.repeat([0, 1], 20), "classification", np.repeat([0, 1], 20)), "--groups none"),
        (Rows(np.repeat([0, 1], [50, 10]), "classification", np.repeat([0, 1, 2], [30, 20, 10])), "--groups none"),
    ],
    ids=["a quantity in time", "classes in time", "groups that go on", "one group", "class a group", "a class in one"],
)
def test_rows_without_folds_are_told_why(sample, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        folds(sample, 5, 0)


def test_parts_of_time_without_rows_or_classes_are_passed_over():
    few = Rows(np.arange(8.0), "regression", None, np.arange(8.0))  # eight rows in eleven parts
    assert [(len(train), test.tolist()) for train, test in folds(few, 10, 0)] == [(5, [5]), (6, [6]), (7, [7])]
    y = np.tile([0, 0, 0, 1], 10)
    y[:18] = 0
    y[3] = 1  # a single row of its class comes before the second part
    late = Rows(y, "classification", None, np.arange(40.0))
    assert all(np.bincount(y[train]).min() >= 2 for train, _ in folds(late, 7, 0))


@pytest.mark.parametrize(("task", "groups"), [("regression", False), ("regression", True), ("classification", False)])
def test_rows_are_drawn_with_their_groups_and_classes(task, groups):
    y = np.arange(100.0) if task == "regression" else np.repeat([0, 1], [90, 10])
    group = np.arange(100) // 8 if groups else None
    drawn = draw(Rows(y, task, group), 40)
    assert len(np.unique(drawn)) == len(drawn) == (40 if task == "regression" else 46)
    if groups:  # none is cut
        assert set(np.bincount(group[drawn])) <= {0, 8}
    if task == "classification":
        assert np.bincount(y[drawn]).tolist() == [36, 10]


def test_rows_of_all_groups_are_drawn_where_these_are_large():
    group = np.repeat([0, 1, 2, 3], 100)
    assert (np.bincount(group[draw(Rows(np.arange(400.0), "regression", group), 80)]) > 10).all()


# Models and rankings -------------------------------------------------------------------------------------------------


def table(n=200, seed=0):
    """Two relevant numbers, a relevant category and noise; y depends on their sum."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    X["kind"] = rng.choice(["u", "v", "w"], n).astype(object)
    effect = 2 * X["a"] - 2 * X["d"] + 2.5 * (X["kind"] == "v")
    y = effect.to_numpy() + rng.normal(size=n)
    return X, y, dict.fromkeys("abcdef", "number") | {"kind": "category"}


def of_numbers(A, n_test=0):
    """Encoded rows of a table of numbers."""
    X = pd.DataFrame(A, columns=[f"c{k}" for k in range(A.shape[1])])
    rows = np.arange(len(A))
    return encode(
        X, dict.fromkeys(X, "number"), Rows(rows, "regression"), rows[: len(A) - n_test], rows[len(A) - n_test :]
    )


def test_encoding_learns_from_training_rows_and_keeps_track_of_columns():
    X, y, kinds = table()
    X.loc[0, ["a", "kind"]] = np.nan
    encoded = encode(X, kinds, Rows(y, "regression"), np.arange(100, 200), np.arange(100))
    A, B, owner, categorical = encoded["linear"]
    assert owner.tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 6]
    assert not categorical.any()
    np.testing.assert_allclose(A[:, :6].mean(axis=0), 0, atol=1e-12)
    assert B[0, 0] == pytest.approx((X["a"][100:200].median() - X["a"][100:200].mean()) / X["a"][100:200].std(ddof=0))
    assert B[0, 6:].tolist() == [0, 0, 0]  # a value that the training rows lack
    A, B, owner, categorical = encoded["trees"]
    assert owner.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert categorical.tolist() == [False] * 6 + [True]
    assert np.isnan(B[0, [0, 6]]).all()
    np.testing.assert_array_equal(B[1:, 0], X["a"][1:100])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_models_learn_from_numbers_and_categories(model, task):
    X, y, kinds = table(400)
    y = (y > np.median(y)).astype(int) if task == "classification" else y
    encoded = encode(X, kinds, Rows(y, task), np.arange(300), np.arange(300, 400))
    predicted = fit_predict(model, task, encoded, [0, 3, 6], y[:300])
    assert values(y[300:], losses(y[300:], predicted, task), task) > 0.7
    noise = fit_predict(model, task, encoded, [1, 2], y[:300])
    assert values(y[300:], losses(y[300:], noise, task), task) < 0.65


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_of_many_categories_the_mean_target_counts_unless_each_is_a_new_group(task):
    rng = np.random.default_rng(0)
    unit = rng.integers(0, 40, 400)
    y = rng.normal(size=40)[unit] + 0.5 * rng.normal(size=400)
    y = (y > 0).astype(int) if task == "classification" else y
    X = pd.DataFrame({"who": [f"P{k}" for k in unit], "noise": rng.normal(size=400)})
    kinds, train, test = {"who": "category", "noise": "number"}, np.arange(300), np.arange(300, 400)
    encoded = encode(X, kinds, Rows(y, task), train, test)
    predicted = fit_predict("linear", task, encoded, [0, 1], y[train])
    assert values(y[test], losses(y[test], predicted, task), task) > 0.7
    by_unit = encode(X, kinds, Rows(y, task, unit), train, test)["linear"]
    assert by_unit.A.shape[1] == encoded["linear"].A.shape[1] - 1
    assert encode(X, kinds, Rows(y, task, unit % 7), train)["linear"].A.shape == by_unit.A.shape, "nested in groups"


@pytest.mark.parametrize("model", ["trees", "forest"])
def test_trees_count_the_classes_alike(model):
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=1000) < 0.1).astype(int)
    A = rng.normal(size=(1000, 1)) + y[:, None]
    predicted = fit_predict(model, "classification", of_numbers(A, 500), [0], y[:500])
    assert balanced_accuracy_score(y[500:], predicted) > 0.6  # always the frequent class has 0.5
    assert predicted.mean() > 0.15


def ranked(A, y, task, methods):
    encoded = of_numbers(np.asarray(A, dtype=float))
    return {name: rank(name, encoded, y, A.shape[1], task).tolist() for name in methods}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_method_finds_what_is_relevant(task):
    X, y, kinds = table()
    y = (y > np.median(y)).astype(int) if task == "classification" else y
    encoded = encode(X, kinds, Rows(y, task), np.arange(len(y)))
    for name in METHODS:
        order = rank(name, encoded, y, 7, task)
        assert sorted(order) == list(range(7)), name
        assert {0, 3} <= set(order[:3].tolist()), name


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_growth_of_the_error_is_the_permutation_importance_of_scikit_learn(task):
    rng = np.random.default_rng(0)
    A = np.column_stack([rng.normal(size=(300, 3)), rng.integers(0, 4, (300, 2)), rng.normal(size=(300, 9))])
    A[rng.uniform(size=A.shape) < 0.05] = np.nan
    y = np.nan_to_num(A[:, 1]) + (A[:, 4] == 2) + 0.3 * rng.normal(size=300)
    y = y if task == "regression" else np.digitize(y, [0, 1])
    categorical = np.isin(np.arange(14), [3, 4])
    model = make_estimator("trees", task, categorical).set_params(max_iter=1).fit(A[:200], y[:200])
    scoring = "neg_mean_squared_error" if task == "regression" else "neg_log_loss"
    shuffled = permutation_importance(model, A[200:], y[200:], scoring=scoring, n_repeats=2, random_state=3)
    growth = _growth_of_error(model, A[200:], y[200:], 3)
    assert growth == pytest.approx(shuffled.importances_mean, rel=1e-9, abs=1e-12)
    assert set(growth.argsort()[-2:]) == {1, 4}
    assert (growth == 0).any()


def test_redundancy_delays_copies_in_mrmr():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    A = np.column_stack([a, a + 0.1 * rng.normal(size=300), b, rng.normal(size=300)])
    ranks = ranked(A, (a + 0.7 * b > 0).astype(int), "classification", ["anova", "mrmr"])
    assert set(ranks["anova"][:2]) == {0, 1}
    assert set(ranks["mrmr"][:2]) in ({0, 2}, {1, 2})


def test_thousands_of_columns_are_screened():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 2000))
    y = (A[:, 1234] > 0).astype(int)
    alive = screen(of_numbers(A), y, 2000, "classification")
    assert len(alive) <= 200
    assert 1234 in alive
    order = ranked(A, y, "classification", ["anova"])["anova"]
    assert order[0] == 1234
    assert sorted(order) == list(range(2000))


def test_constant_columns_and_rare_classes():
    A = np.column_stack([np.zeros(40), np.tile([0.0, 1.0], 20)])
    assert ranked(A, np.tile([0, 1], 20), "classification", ["anova", "backward"]) == {
        "anova": [1, 0],
        "backward": [1, 0],
    }
    constant = ranked(np.ones((40, 3)), np.tile([0, 1], 20), "classification", ["anova", "trees"])
    assert all(order == [0, 1, 2] for order in constant.values())
    rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], [30, 30, 1])  # a class too rare for neighbors
    A = rng.normal(size=(61, 3))
    A[:, 1] += 5 * y
    assert all(order[0] == 1 for order in ranked(A, y, "classification", ["relief", "trees"]).values())


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_relief_and_trees_find_what_only_pairs_tell(task):
    A = np.random.default_rng(0).normal(size=(300, 6))
    y = A[:, 2] * A[:, 5]
    ranks = ranked(A, (y > 0).astype(int) if task == "classification" else y, task, ["relief", "trees"])
    assert all(set(order[:2]) == {2, 5} for order in ranks.values())


# Selection -----------------------------------------------------------------------------------------------------------


def work_on(X, y, task, groups=None, **settings):
    """Analysis on a table of numbers, without a file."""
    X = pd.DataFrame(X).rename(columns=lambda k: f"c{k}")
    problem = SimpleNamespace(
        X=X, y=y, drawn=np.arange(len(y)), kinds=dict.fromkeys(X, "number"), groups=groups, time=None
    )
    problem.group_name, problem.time_name = None if groups is None else "who", None
    problem.looks_for_groups = problem.looks_for_time = True
    return Analysis(problem, Settings(task, **settings))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_selection_has_the_relevant_columns_and_is_small(task):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200, 7))
    y = 2 * A[:, 1] - 2 * A[:, 4] + A[:, 6] + rng.normal(size=200)
    y = (y > 0).astype(int) if task == "classification" else y
    selected = work_on(A, y, task).run("select")
    assert (selected["model"], selected["method"]) == ("linear", "backward")
    assert set(selected["order"][:3]) == {1, 4, 6}
    assert 2 <= selected["size"] <= 4
    assert selected["small"] <= selected["size"]
    assert [row[0] for row in selected["sizes"]] == [1, 2, 3, 4, 6, 7]
    limited = work_on(A, y, task, max_features=2, methods=("anova",)).run("select")
    assert limited["method"] == "anova"
    assert [row[0] for row in limited["sizes"]] == [1, 2]


def test_a_fold_does_not_see_the_targets_of_its_test_rows(monkeypatch):
    monkeypatch.setitem(TREES, "max_iter", 5)
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(60, 20)), rng.permutation(np.arange(60) % 2)
    work = work_on(A, y, "classification", methods=("anova",), max_features=1)
    before, (_, test) = work.run("fold 0"), work.outer[0]
    work.y[test] = 1 - work.y[test]
    assert work.run("fold 0") == before


def test_columns_are_ranked_without_the_rows_that_score_their_number(monkeypatch):
    """The best of many columns of noise predicts the rows by which it was chosen."""
    monkeypatch.setitem(TREES, "max_iter", 2)
    A, y = np.random.default_rng(0).normal(size=(60, 150)), np.arange(60) % 2
    _, _, lower, _ = work_on(A, y, "classification", methods=("anova",), max_features=1).run("select")["sizes"][0]
    assert lower < 0.5


@pytest.mark.parametrize(("cost", "size"), [(None, 1), ((1.0, 0.0), 2)])
def test_the_cheapest_set_within_one_standard_error_is_selected(cost, size):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 2))
    y = 2 * A[:, 0] + 0.5 * A[:, 1] + rng.normal(size=60)
    assert work_on(A, y, "regression", methods=("anova",), cost=cost).run("select")["size"] == size


def test_halves_share_no_group_and_follow_the_seed(monkeypatch):
    def halves(seed):
        drawn = []
        rank_half = "fscore.report.analysis.rank"
        monkeypatch.setattr(rank_half, lambda method, encoded, y, *_: drawn.append(set(y)) or np.arange(2))
        y = np.repeat(np.arange(12.0), 5)  # the number of the group
        work = work_on(np.random.default_rng(0).normal(size=(60, 2)), y, "regression", y.astype(int), seed=seed)
        work.run("resamples 0", {"method": "anova", "size": 1})
        return drawn

    drawn = halves(0)
    assert all(
        len(one) == len(other) == 6 and not one & other for one, other in zip(drawn[::2], drawn[1::2], strict=True)
    )
    assert halves(1) != drawn == halves(0)


def test_up_to_600_rows_are_scored_in_ten_folds_and_more_in_five():
    parts = [work_on(np.zeros((n, 1)), np.arange(n) % 2, "classification").outer for n in (600, 601)]
    assert [len(part) for part in parts] == [10, 5]


def test_trees_are_used_where_they_are_better():
    rng = np.random.default_rng(0)
    A = rng.uniform(-1, 1, (240, 4))
    y = np.abs(A[:, 0]) + np.sign(np.sin(6 * A[:, 3])) + 0.1 * rng.normal(size=240)
    selected = work_on(A, y, "regression").run("select")
    assert (selected["model"], selected["method"]) == ("trees", "trees")
    assert set(selected["order"][: selected["size"]]) == {0, 3}
    assert selected["models"]["trees"] > selected["models"]["linear"] + 0.3


@pytest.mark.parametrize(
    ("trees", "forest", "model"),
    [(0.9, 1.9, "linear"), (1.1, 3.8, "trees"), (0.9, 2.1, "forest"), (1.1, 4.0, "forest"), (-1.1, 9.0, "linear")],
)
def test_another_model_must_be_better_by_one_standard_error_and_a_forest_by_two(monkeypatch, trees, forest, model):
    """Numbers of standard errors by which a model is better than the linear one; of two models, they add in squares."""
    y, sign = np.arange(64.0), np.tile([1, 1, -1, -1], 16)
    gain = {"linear": 0, "trees": trees / 8 + sign, "forest": forest / 8 + np.roll(sign, 1)}

    def predict(model, task, encoded, chosen, _):
        row = encoded["trees"].B[:, 0].astype(int)
        return (y + np.sqrt(9 - gain[model] * np.ones(64)))[row]

    monkeypatch.setattr("fscore.report.analysis.fit_predict", predict)
    selected = work_on(np.column_stack([y, sign]), y, "regression", methods=("anova",)).run("select")
    assert selected["model"] == model
    assert ("forest" in selected["models"]) == (trees > -1)  # of no use where trees are worse


def test_a_first_answer_stands_until_more_rows_are_tested():
    X, y, _ = table(60)
    problem = build_problem(X[["a", "d"]].assign(y=y), "y")
    work = Analysis(problem, Settings("regression", methods=("anova",), max_features=1))
    results = {name: work.run(name) for name in ("quick", "select", "fold 0")}
    assert read_findings(problem, work, results, "budget").verdict == "quick"
    for fold in results["quick"]["folds"]:
        fold["test"] = fold["test"][:1]
    assert read_findings(problem, work, results, "budget").verdict == "unfinished"
    work.outer = work.outer[:1]
    assert read_findings(problem, work, results).verdict not in ("quick", "unfinished")


def told_in(table, target, time=None):
    """The class that the report tells from the others, and its score; or None."""
    problem = build_problem(table, target, time=time)
    work = Analysis(problem, Settings("classification", ("anova",), 1))
    results = {name: work.run(name) for name in work.plan() if name == "select" or name.startswith("fold")}
    return read_findings(problem, work, results).told


@pytest.mark.parametrize("which", ["outcome", "noise"])
def test_one_of_several_classes_that_is_told_from_the_others_is_named(which):
    rng = np.random.default_rng(3)
    stage = np.where(rng.uniform(size=200) < 0.5, 0, rng.integers(1, 6, 200))
    seen = (stage == 0) + 0.6 * rng.normal(size=200) if which == "outcome" else rng.normal(size=200)
    told = told_in(pd.DataFrame({"x": seen.round(2), "z": rng.normal(size=200).round(2), "stage": stage}), "stage")
    assert (told and str(told[0])) == ("0" if which == "outcome" else None)
    if told:
        assert told[1].value == pytest.approx(0.8, abs=0.1)


def test_no_class_is_told_from_others_where_one_alone_is_tested():
    """As where, forwards in time, the others come early only."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=120).round(2), "day": pd.date_range("2024-01-01", periods=120)})
    table["kind"] = np.where(np.arange(120) < 20, rng.choice(["a", "b", "c"], 120), "a")
    assert told_in(table.astype({"day": str}), "kind", time="day") is None


def test_the_model_has_the_columns_that_the_sentence_names():
    """Where the smallest good set replaces the selection, too."""
    X, y, _ = table(60)
    problem = build_problem(X[["a", "d", "e"]].assign(y=y), "y")
    work = Analysis(problem, Settings("regression", methods=("anova",)))
    folds_of = [name for name in work.plan() if name.startswith("fold")]
    results = {name: work.run(name) for name in ["select", *folds_of]}
    results["select"] |= {"order": [1, 0, 2], "size": 2, "small": 1}
    results["resamples 0"] = {"columns": [[1, 0], [0, 2], [1, 2], [1, 0]]}
    for name in folds_of:
        results[name] |= {"small": results[name]["all"], "chosen": [float(y.mean())] * len(results[name]["test"])}
    findings = read_findings(problem, work, results)
    assert (findings.verdict, findings.columns, findings.recommended) == ("select", [1], [1])
    assert findings.again == 0.75


def test_the_name_of_a_group_is_the_last_column_for_new_groups(monkeypatch):
    monkeypatch.setitem(TREES, "max_iter", 5)
    rng, who = np.random.default_rng(0), np.repeat(np.arange(20.0), 6)
    age = rng.normal(size=120)
    work = work_on(np.column_stack([who, age]), who + 0.1 * age, "regression", groups=who.astype(int))
    work.problem.group_name = "c0"
    assert set(map(tuple, work.run("agreement").values())) == {(1, 0)}
    work.rows.groups = None  # for known ones
    assert (0, 1) in set(map(tuple, work.run("agreement").values()))


def test_the_score_for_known_groups_says_which_columns_it_chose(monkeypatch):
    """Those of the groups tell known ones apart, and new ones not."""
    monkeypatch.setitem(TREES, "max_iter", 5)
    rng, who = np.random.default_rng(0), np.repeat(np.arange(12), 6)
    dose = rng.normal(size=72).round(2)
    table = pd.DataFrame({"Subject": who + 300, "dose": dose, "y": (9 * rng.normal(size=12)[who] + dose).round(2)})
    problem = build_problem(table, "y")
    work = Analysis(problem, Settings("regression", ("anova",), 1))
    results = {name: work.run(name) for name in work.plan() if name == "select" or "fold" in name}
    findings = read_findings(problem, work, results)
    assert [problem.columns[column] for column in findings.columns] == ["dose"]
    assert findings.other_columns == {"for a known “Subject”": " with columns chosen for that, “Subject” among them"}
    for name in results:
        if name.startswith("split"):
            results[name]["columns"] = findings.columns
    known = {"for a known “Subject”": " with columns chosen for that"}
    assert read_findings(problem, work, results).other_columns == known
    only = SimpleNamespace(columns=["dose"], group_name="Subject", time_columns=())
    assert _columns_of_split(only, [{"columns": [0]}]) == ""


def test_halves_with_one_row_of_each_class_are_not_ranked():
    rng = np.random.default_rng(0)
    A, groups = rng.normal(size=(62, 2)), np.repeat([0, 1, 2], [30, 30, 2])
    y = np.append(A[:60, 0] > 0, [False, True]).astype(int)
    work = work_on(A, y, "classification", groups=groups)
    halves = [work.run(f"resamples {k}", {"method": "trees", "size": 1})["columns"] for k in range(4)]
    assert 0 < sum(map(len, halves)) < 40


@pytest.mark.parametrize("power", [-200, 150])
def test_models_of_a_quantity_predict_it_in_any_unit(power):
    X, y, kinds = table(60)
    encoded = encode(X, kinds, Rows(y, "regression"), np.arange(40), np.arange(40, 60))
    for model in MODELS:
        one, other = (fit_predict(model, "regression", encoded, [0, 1, 2], y[:40] * unit) for unit in (1, 2.0**power))
        assert other / 2.0**power == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize(("option", "why"), [("groups", "all rows are in one group"), ("time", "no point in time")])
def test_a_part_that_cannot_be_divided_again_is_said_to_be_one(option, why):
    X, y, _ = table(40)
    problem = build_problem(X[["a", "d"]].assign(half=np.arange(40) // 20, y=y), "y", **{option: "half"})
    with pytest.raises(ValueError, match=f"^when one part is set aside for testing, .*{why}"):
        Analysis(problem, Settings("regression"))


# Words ---------------------------------------------------------------------------------------------------------------


def s(value, half=0.03):
    return Score(value, value - half, value + half, half / 1.65)


def findings_with(verdict="all", k=2, p=3, n_table=40, leaks=(), **parts):
    """Findings as far as the sentence needs them."""
    values = {"chosen": s(0.8), "everything": s(0.9), "gain": s(-0.1), "smallest": s(0.8), "loss": s(-0.1)} | parts
    columns = list(range(k))
    recommended = list(range(p)) if verdict == "all" else columns
    counts = {"n_rows": 40, "n_outer": 5, "n_folds": 5}
    choice = {"columns": columns, "small": columns, "recommended": recommended, "models": {}}
    choice["sizes"] = [(size, 0.9, 0.8, 1.0) for size in sizes_up_to(p)]
    findings = Findings(verdict, "linear", "backward", **choice, reported=0.9, chance=0.5, **counts, **values)
    problem = SimpleNamespace(
        task="classification",
        columns=[f"c{k}" for k in range(p)],
        issues=[],
        left_out=dict.fromkeys(leaks, "target leak") | {"row": "identifier"},
        target=SimpleNamespace(name="y", classes=["none", "mild", "severe"]),
        y=range(n_table),
        group_name="country",
    )
    return findings, problem


def answer(findings, problem):
    return render("answer.txt", findings=findings, problem=problem, unsure=0.1).strip()


@pytest.mark.parametrize(
    ("chosen", "everything", "gain", "sizes", "verdict"),
    [
        (s(0.9), s(0.89), s(0.01), (4, 9), "select"),
        (s(0.9), s(0.9), s(0.0), (9, 9), "all"),
        (s(0.8), s(0.9), s(-0.1), (4, 9), "all"),
        (s(0.87), s(0.9), s(-0.03, 0.05), (4, 9), "select"),  # worse, but it may be by chance
        (s(0.58, 0.1), s(0.62), s(-0.04, 0.1), (1, 31), "all"),  # the selection may be a guess
        (s(0.5), s(0.51), s(-0.01), (4, 9), "nothing"),
        (s(0.55, 0.1), s(0.52, 0.1), s(0.03, 0.1), (4, 9), "unclear"),
        (s(0.8, 0.1), s(0.8, 0.1), s(0.0, 0.15), (4, 9), "unclear"),
    ],
)
def test_verdicts(chosen, everything, gain, sizes, verdict):
    k, p = sizes
    findings, _ = findings_with(k=k, p=p, chosen=chosen, everything=everything, gain=gain)
    assert _verdict(findings, p) == verdict


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (
            {"verdict": "select", "gain": s(-0.006, 0.008)},
            "Use these 2 columns: balanced accuracy 0.80 (0.77 to 0.83). That is 0.006 below all 3 columns (-0.002 to "
            "0.014).",
        ),
        (
            {
                "verdict": "select",
                "gain": s(0.01, 0.02),
                "split": "for a new “who”",
                "other_splits": {"for a known “who”": s(0.95)},
                "other_columns": {"for a known “who”": " with columns chosen for that, “who” among them"},
            },
            "Use these 2 columns: balanced accuracy 0.80 (0.77 to 0.83) for a new “who”; 0.95 for a known “who” with "
            "columns chosen for that, “who” among them. That is 0.010 above all 3 columns (-0.010 to 0.030).",
        ),
        (
            {"smallest": s(0.894), "loss": s(-0.006, 0.008)},
            "Use all 3 columns: balanced accuracy 0.90 (0.87 to 0.93). These 2 columns score 0.006 less (-0.002 to "
            "0.014).",
        ),
        ({"k": 3}, "Use all 3 columns: balanced accuracy 0.90 (0.87 to 0.93). No smaller set comes close."),
        (
            {"k": 6, "p": 6},
            "Use all 6 columns: balanced accuracy 0.90 (0.87 to 0.93). No smaller set that was tried comes close.",
        ),
        ({"k": 2, "p": 2}, "Use both columns: balanced accuracy 0.90 (0.87 to 0.93). No smaller set comes close."),
        ({"k": 1, "p": 1}, "Use the only column: balanced accuracy 0.90 (0.87 to 0.93)."),
        (
            {"verdict": "nothing", "chosen": s(0.5), "everything": s(0.51)},
            "No column is predictive: balanced accuracy is 0.50 (0.47 to 0.53), and 0.50 without any column.",
        ),
        (
            {"verdict": "nothing", "chosen": s(0.5), "everything": s(0.51), "told": ("mild", s(0.7))},
            "The 3 classes can't be told apart as a whole (balanced accuracy 0.50 (0.47 to 0.53), and 0.50 without any "
            "column), but “mild” can from the others: 0.70 (0.67 to 0.73) for two classes. Combine the others into one "
            "class to choose columns for that.",
        ),
        (
            {"verdict": "nothing", "chosen": s(0.5), "everything": s(0.51), "leaks": ["l"]},
            "No column is predictive besides 1 possible leak (left out): balanced accuracy is 0.50 (0.47 to 0.53), and "
            "0.50 without any column.",
        ),
        (
            {"verdict": "unfinished", "chosen": s(0.48), "everything": s(0.51), "leaks": ["l", "m"], "k": 1},
            "Not finished: no column besides 2 possible leaks (left out) is clearly better than a guess; this column "
            "leads so far, with balanced accuracy 0.48 (0.45 to 0.51) in 5 of 5 folds. The same command goes on.",
        ),
        (
            {"verdict": "unfinished", "k": 1},
            "Not finished: this column leads so far, with balanced accuracy 0.80 (0.77 to 0.83) in 5 of 5 folds. The "
            "same command goes on.",
        ),
        (
            {"verdict": "quick", "chosen": s(0.48), "everything": s(0.51)},
            "A first answer from 40 rows, by a linear model: no column is clearly better than a guess; these 2 columns "
            "have balanced accuracy 0.48 (0.45 to 0.51), all 3 have 0.51. Other models may do better. The same command "
            "with more time goes on.",
        ),
        (
            {"verdict": "unclear", "chosen": s(0.55, 0.1), "everything": s(0.52, 0.1)},
            "Too few rows to tell: from 40 rows, balanced accuracy is 0.55 (0.45 to 0.65). A guess, at 0.50, may be as "
            "good.",
        ),
        (
            {"verdict": "unclear", "gain": s(0.0, 0.15)},
            "Too few rows to tell whether 2 columns are as good as all 3: balanced accuracy 0.80 (0.77 to 0.83) "
            "against 0.90 (0.87 to 0.93); the difference lies between -0.15 and +0.15.",
        ),
        (
            {"verdict": "quick"},
            "A first answer from 40 rows, by a linear model: these 2 columns have balanced accuracy 0.80 (0.77 to "
            "0.83), all 3 have 0.90. Other models may do better. The same command with more time goes on.",
        ),
        (
            {"verdict": "quick", "k": 3},
            "A first answer from 40 rows, by a linear model: all 3 columns have balanced accuracy 0.80 (0.77 to 0.83). "
            "Other models may do better. The same command with more time goes on.",
        ),
        (
            {"verdict": "quick", "outlook": (0.04, 0.95), "n_table": 400},
            "A first answer from 40 of 400 rows, by a linear model: these 2 columns have balanced accuracy 0.80 (0.77 "
            "to 0.83), all 3 have 0.90. It may end between 0.77 and 0.95: twice the rows added 0.040, and other models "
            "may add more. The same command with more time goes on.",
        ),
        (
            {"verdict": "quick", "chosen": s(0.7, 0.3), "outlook": (14.274, 1.0), "n_table": 400},
            "A first answer from 40 of 400 rows, by a linear model: these 2 columns have balanced accuracy 0.70 (0.40 "
            "to 1.00), all 3 have 0.90. So few rows can't tell yet how it will end. The same command with more time "
            "goes on.",
        ),
        (
            {"verdict": "select", "gain": s(-0.0001, 0.0002)},
            "Use these 2 columns: balanced accuracy 0.80 (0.77 to 0.83). That is as good as all 3 columns.",
        ),
        (
            {"verdict": "select", "gain": s(-0.0001, 0.01), "frequency": {0: (0.5, 0, 1), 1: (0.74, 0, 1)}},
            "Use these 2 columns: balanced accuracy 0.80 (0.77 to 0.83). That is as good as all 3 columns (-0.010 to "
            "0.010). On random halves of the rows, a chosen column is chosen again 62% of the time.",
        ),
        (
            {"verdict": "unclear", "chosen": s(0.55, 0.1), "everything": s(0.52, 0.1), "n_groups": 24},
            "Too few values of “country” to tell: from 24 of them (40 rows), balanced accuracy is 0.55 (0.45 to 0.65). "
            "A guess, at 0.50, may be as good.",
        ),
        (
            {"verdict": "unclear", "chosen": s(0.55, 0.1), "everything": s(0.52, 0.1), "n_groups": 1041},
            "Too few values of “country” to tell: from 1,041 of them (40 rows), balanced accuracy is 0.55 (0.45 to "
            "0.65). A guess, at 0.50, may be as good.",
        ),
    ],
)
def test_the_sentence(parts, sentence):
    assert answer(*findings_with(**parts)) == sentence


def test_control_characters_of_names_are_not_in_the_answer():
    findings, problem = findings_with(chosen=s(0.999, 0), split="for a new “\x1b[2Jwho”")
    assert "“[2Jwho”" in answer(findings, problem)
    problem.columns = ["\u202ea", "b", "c"]
    assert "“a”" in _question(findings, problem)


def test_a_single_column_that_is_nearly_enough_is_asked_about():
    findings, problem = findings_with(chosen=s(0.96, 0))
    findings.columns = [0]
    assert "“c0”" in _question(findings, problem)
    findings.columns = [0, 1]
    assert _question(findings, problem) == ""
    findings.columns, findings.chosen, findings.everything = [0], s(0.3), s(0.995, 0)
    assert "“c0”, “c1”, “c2”" in _question(findings, problem)

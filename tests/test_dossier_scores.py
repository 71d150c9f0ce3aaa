"""Folds, scores with intervals, rankings and the choice of a size, on cases with known answers."""

from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, r2_score

from fscore.dossier.findings import _knee, _sentence, _verdict
from fscore.dossier.folds import Rows, folds, half_samples
from fscore.dossier.models import encode
from fscore.dossier.problem import Unit, _draw
from fscore.dossier.rankings import METHODS, methods_for, rank_units, screen
from fscore.dossier.scores import Score, difference, losses, score, values, wilson
from fscore.dossier.selecting import ALL, Candidate, Curve, Settings, choose, curve, preferred, sizes_up_to
from fscore.dossier.work import noise_share


@given(st.integers(0, 2**31), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_scores_are_those_of_scikit_learn(seed, n_classes):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    predicted = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    loss = losses(y, predicted, "classification")
    assert values(y, loss, "classification") == pytest.approx(balanced_accuracy_score(y, predicted))
    y, predicted = rng.normal(size=(2, 40))
    assert values(y, losses(y, predicted, "regression"), "regression") == pytest.approx(r2_score(y, predicted))


@pytest.mark.parametrize("unit", [1e-100, 1e-40, 1.6e-19, 1e-10, 1e40])
def test_r2_does_not_depend_on_the_unit(unit):
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=(2, 200))
    fold = np.repeat(np.arange(5), 40)
    plain = score(y, losses(y, predicted, "regression"), "regression", fold)
    scaled = score(unit * y, losses(unit * y, unit * predicted, "regression"), "regression", fold)
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)
    assert values(np.full(4, unit), losses(np.full(4, unit), np.zeros(4), "regression"), "regression") < -1e10


def test_standard_errors_by_hand():
    y = np.repeat([0, 1], [40, 10])
    loss = np.zeros(50)
    loss[:10] = loss[40:45] = 1  # recalls 0.75 and 0.5
    estimate = score(y, loss, "classification")
    assert estimate.value == pytest.approx(0.625)
    assert estimate.error == pytest.approx(np.sqrt((0.75 * 0.25 / 40 + 0.5 * 0.5 / 10) / 4))
    assert estimate.lower < 0.625 < estimate.upper
    perfect = score(y, np.zeros(50), "classification")
    assert perfect.value == perfect.upper == 1
    assert 0.8 < perfect.lower < 1


def test_the_error_of_few_different_folds_is_corrected():
    y, fold = np.tile([0, 1], 50), np.repeat(np.arange(5), 20)
    loss = (fold < 2).astype(float)  # folds of 0 and of 1
    scores = np.array([0, 0, 1, 1, 1])
    corrected = scores.std(ddof=1) * np.sqrt(1 / 5 + 0.2 / 0.8)  # Nadeau and Bengio
    assert score(y, loss, "classification", fold).error == pytest.approx(corrected)


def test_intervals_of_r2_cover():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(300):
        y, noise = rng.normal(size=(2, 120))
        estimate = score(2 * y + noise, noise**2, "regression")
        inside += estimate.lower <= 0.8 <= estimate.upper
    assert 0.85 <= inside / 300 <= 0.95


def test_an_extreme_value_widens_neither_fold_nor_interval_of_r2():
    """It adds to the squared errors and to the variance of y alike; only their ratio matters."""
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=(2, 200))
    y[0] = 40
    loss = 0.5 * (y - y.mean()) ** 2  # every row has the same share of its spread
    estimate = score(y, loss, "regression", np.repeat(np.arange(5), 40))
    assert estimate.value == pytest.approx(0.5)
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
    assert score(y, loss, task).error == pytest.approx(jackknife, rel=0.03)


def test_the_size_is_chosen_in_one_ranking():
    y = np.tile([0, 1], 50)
    wrong = [20, 21, 22, 10]  # errors of each candidate; the last is the best
    loss = np.array([[1.0] * k + [0.0] * (100 - k) for k in wrong])
    loss[0, :8] = 0  # 12 errors: within one standard error of the best, but of another ranking
    candidates = [Candidate("a", 1, "linear"), Candidate("vote", 1, "linear"), Candidate("vote", 2, "linear")]
    candidates.append(Candidate("vote", 5, "linear"))
    found = Curve(candidates, loss, y, np.zeros(100), np.array([1.0, 1.0, 2.0, 5.0]))
    assert choose(found, "classification").ranking == "vote"


def test_another_ranking_must_be_better_beyond_chance():
    y = np.tile([0, 1], 100)
    wrong = {"backward": (0, 40), "linear": (160, 184), "vote": (0, 60), "anova": (160, 170), "relief": (0, 50)}
    loss = {name: np.zeros(200) for name in wrong}
    for name, (first, last) in wrong.items():
        loss[name][first:last] = 1

    def chosen(*names):
        candidates = [Candidate(name, 1, "linear") for name in names]
        found = Curve(candidates, np.array([loss[name] for name in names]), y, np.zeros(200), np.ones(len(names)))
        return choose(found, "classification").ranking

    assert chosen("backward", "linear") == "linear"  # 16 errors fewer, 2.0 standard errors: p = 0.04
    assert chosen("backward", "linear", "vote", "relief") == "backward"  # one of three others: 3 p > 0.1
    assert chosen("backward", "anova", "vote", "relief") == "anova"  # 30 fewer, 4.6 standard errors
    assert chosen("vote", "relief") == "relief"  # the vote is preferred, but worse in the same rows
    assert chosen("backward", "vote") == "backward"
    assert chosen("linear") == "linear"
    assert preferred(["anova", "linear", "vote"]) == "vote"
    assert preferred(["anova", "backward", "vote"]) == "backward"
    assert preferred(["anova"]) == "anova"


def test_wilson_is_the_textbooks():
    z = NormalDist().inv_cdf(0.95)
    lower, upper = wilson(0.3, 1e6)
    assert lower == pytest.approx(0.3 - z * np.sqrt(0.21 / 1e6), abs=1e-6)
    assert wilson(0.0, 20)[0] == 0
    assert wilson(1.0, 20)[1] == 1
    assert upper > 0.3


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


def test_folds_forwards_in_time_train_on_the_past():
    data = rows(time=True, groups=True)
    parts = folds(data, 5, 0)
    assert len(parts) >= 4
    for train, test in parts:
        assert data.time[train].max() < data.time[test].min()
        assert not set(data.groups[train]) & set(data.groups[test])
    late = Rows(np.repeat([0, 1], 45), "classification", None, np.arange(90.0))
    with pytest.raises(ValueError, match="--time none"):
        folds(Rows(late.y[:46], "classification", None, late.time[:46]), 1, 0)


def test_groups_that_hold_one_class_are_refused():
    y = np.repeat([0, 1], [50, 10])
    with pytest.raises(ValueError, match="--groups none"):
        folds(Rows(y, "classification", np.repeat([0, 1, 2], [30, 20, 10])), 5, 0)


def test_one_group_is_not_divided():
    one_class_per_group = Rows(np.repeat([0, 1], 20), "classification", np.repeat([0, 1], 20))
    for data in (one_class_per_group, Rows(np.arange(20.0), "regression", np.zeros(20, int))):
        with pytest.raises(ValueError, match="--groups none"):
            folds(data, 5, 0)


def test_parts_of_time_without_rows_or_classes_are_passed_over():
    few = Rows(np.arange(8.0), "regression", None, np.arange(8.0))  # eight rows in eleven parts
    assert [(len(train), test.tolist()) for train, test in folds(few, 10, 0)] == [(5, [5]), (6, [6]), (7, [7])]
    y = np.tile([0, 0, 0, 1], 10)
    y[:18] = 0
    y[3] = 1  # a single row of its class comes before the second part
    late = Rows(y, "classification", None, np.arange(40.0))
    assert all(np.bincount(y[train]).min() >= 2 for train, _ in folds(late, 7, 0))


def test_halves_are_complementary():
    for groups in (False, True):
        data = rows(groups=groups)
        halves = half_samples(data, 3, 0)
        assert len(halves) == 6
        for first, second in zip(halves[::2], halves[1::2], strict=True):
            assert sorted([*first, *second]) == list(range(90))
            if groups:
                assert not set(data.groups[first]) & set(data.groups[second])


def table(n=240, seed=0):
    """Two relevant numbers, a relevant category and noise; y depends on their sum."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    X["kind"] = rng.choice(["u", "v", "w"], n).astype(object)
    effect = 2 * X["a"] - 2 * X["d"] + 2.5 * (X["kind"] == "v")
    y = effect.to_numpy() + rng.normal(size=n)
    kinds = dict.fromkeys("abcdef", "number") | {"kind": "category"}
    return X, y, kinds, [Unit(name, (name,)) for name in X]


def test_encoding_learns_from_training_rows_and_keeps_track_of_units():
    X, _, kinds, units = table()
    X.loc[0, "a"] = np.nan
    X.loc[0, "kind"] = np.nan
    A, B, owner = encode(X, kinds, units, np.arange(100, 200), np.arange(100))
    assert owner.tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 6]
    np.testing.assert_allclose(A[:, :6].mean(axis=0), 0, atol=1e-12)
    assert B[0, 0] == pytest.approx((X["a"][100:200].median() - X["a"][100:200].mean()) / X["a"][100:200].std(ddof=0))
    assert B[0, 6:].tolist() == [0, 0, 0]  # a value that the training rows lack


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_method_finds_what_is_relevant(task):
    X, y, kinds, units = table()
    if task == "classification":
        y = (y > np.median(y)).astype(int)
    A, _, owner = encode(X, kinds, units, np.arange(len(y)))
    for name, order in rank_units(A, y, owner, len(units), task, methods_for(task)).items():
        assert sorted(order) == list(range(7)), name
        assert {0, 3} <= set(order[:3].tolist()), name
    assert set(methods_for("classification")) == set(METHODS)


def test_relief_and_search_find_what_only_pairs_tell():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 8))
    y = (A[:, 2] * A[:, 5] > 0).astype(int)
    ranks = rank_units(A, y, np.arange(8), 8, "classification", ["relief", "knn-search"])
    assert set(ranks["relief"][:2]) == {2, 5}
    ranks = rank_units(A, A[:, 2] * A[:, 5], np.arange(8), 8, "regression", ["relief"])
    assert set(ranks["relief"][:2]) == {2, 5}


def test_redundancy_delays_copies_in_mrmr():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    A = np.column_stack([a, a + 0.1 * rng.normal(size=300), b, rng.normal(size=300)])
    y = (a + 0.7 * b > 0).astype(int)
    ranks = rank_units(A, y, np.arange(4), 4, "classification", ["anova", "mrmr"])
    assert set(ranks["anova"][:2]) == {0, 1}
    assert set(ranks["mrmr"][:2]) in ({0, 2}, {1, 2})


def test_thousands_of_columns_are_screened():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 2000))
    y = (A[:, 1234] > 0).astype(int)
    alive = screen(A, y, np.arange(2000), 2000, "classification")
    assert len(alive) <= 200
    assert 1234 in alive
    ranked = rank_units(A, y, np.arange(2000), 2000, "classification", ["anova", "linear"])
    assert ranked["vote"][0] == 1234
    assert len(np.unique(ranked["vote"])) == 2000


def test_constant_units_come_last():
    A = np.column_stack([np.zeros(40), np.tile([0.0, 1.0], 20)])
    ranks = rank_units(A, np.tile([0, 1], 20), np.arange(2), 2, "classification", ["anova"])
    assert ranks["anova"].tolist() == [1, 0]


def test_without_a_varying_unit_the_order_is_that_of_the_columns():
    constant = np.ones((40, 3)), np.tile([0, 1], 20), np.arange(3), 3, "classification"
    assert {name: r.tolist() for name, r in rank_units(*constant, ["anova"]).items()} == {"anova": [0, 1, 2]}
    several = rank_units(*constant, ["anova", "linear"])
    assert list(several) == ["anova", "linear", "vote"]
    assert all(order.tolist() == [0, 1, 2] for order in several.values())


@pytest.mark.parametrize("n", [5, 10, 20])
def test_in_few_rows_numbers_are_not_counted_as_categories(n):
    """Each value stands in one row, so that any target would seem to be determined."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=n)
    A = np.column_stack([rng.normal(size=(n, 2)), y + 0.1 * rng.normal(size=n)])
    assert rank_units(A, y, np.arange(3), 3, "regression", ["mutual-information"])["mutual-information"][0] == 2


def test_a_category_that_determines_the_target_has_finite_information():
    y = 1e20 * np.tile([1.0, 2.0, 3.0], 10)
    A = np.column_stack([np.tile([1.0, 1.0, 2.0], 10), np.tile([0.0, 1.0, 2.0], 10)])
    with np.errstate(all="raise"):
        ranks = rank_units(A, y, np.arange(2), 2, "regression", ["mutual-information"])
    assert ranks["mutual-information"].tolist() == [1, 0]


def test_information_of_columns_with_few_values_is_counted():
    """The target is the second column; the first agrees with it in three of four rows."""
    y = np.tile([0, 1], 40)
    A = np.column_stack([np.where(np.arange(80) % 4 == 3, 0, y), y, np.arange(80) // 2 % 2]).astype(float)
    ranks = rank_units(A, y, np.arange(3), 3, "classification", ["mutual-information"])
    assert ranks["mutual-information"].tolist() == [1, 0, 2]


@pytest.mark.parametrize(("method", "n_rare"), [("relief", 1), ("knn-search", 2)])
def test_a_class_too_rare_for_neighbours_is_ranked_all_the_same(method, n_rare):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 30, n_rare])
    A = rng.normal(size=(len(y), 3))
    A[:, 1] += 5 * y
    assert rank_units(A, y, np.arange(3), 3, "classification", [method])[method][0] == 1


def test_the_search_ranks_by_a_part_of_many_rows(monkeypatch):
    monkeypatch.setattr("fscore.dossier.rankings._SEARCH_ROWS", 60)
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    A = rng.normal(size=(200, 3))
    A[:, 2] += 4 * y
    assert rank_units(A, y, np.arange(3), 3, "classification", ["knn-search"])["knn-search"][0] == 2


def test_the_curve_prefers_the_relevant_columns_and_the_choice_is_small():
    X, y, kinds, units = table(400)
    found = curve(X, kinds, units, Rows(y, "regression"), Settings("regression", ("anova", "linear"), None, 0))
    chosen = choose(found, "regression")
    assert chosen.size == 3
    assert chosen.model == "linear"
    assert choose(found, "regression", selecting=False) == Candidate(ALL, 7, "linear")
    limited = curve(X, kinds, units, Rows(y, "regression"), Settings("regression", ("anova",), 2, 0))
    assert {c.size for c in limited.candidates if c.ranking != ALL} == {1, 2}


def test_the_cheapest_within_one_standard_error_is_chosen():
    y = np.tile([0, 1], 50)
    loss = np.zeros((4, 100))
    loss[0, 50] = 1
    loss[1, 60:62] = 1
    loss[2, :30] = 1
    candidates = [Candidate("vote", 5, "linear"), Candidate("vote", 2, "linear"), Candidate("vote", 1, "linear")]
    candidates.append(Candidate(ALL, 9, "linear"))
    found = Curve(candidates, loss, y, np.arange(100) % 5, np.array([5.0, 2, 1, 9]))
    assert choose(found, "classification").size == 2
    assert choose(found._replace(cost=np.array([1.0, 9, 1, 9])), "classification").size == 5


def test_sizes():
    assert sizes_up_to(1) == [1]
    assert sizes_up_to(4) == [1, 2, 3, 4]
    assert sizes_up_to(200)[-1] == 200


def test_the_knee_is_where_the_gain_ends():
    sizes = [(1, 0.6, 0.01), (2, 0.8, 0.01), (3, 0.9, 0.01), (6, 0.91, 0.01), (12, 0.915, 0.01)]
    assert _knee(sizes) == 3
    assert _knee(sizes[:2]) is None


def s(value, half=0.03):
    return Score(value, value - half, value + half, half / 1.65)


@pytest.mark.parametrize(
    ("chosen", "everything", "gain", "sizes", "verdict"),
    [
        (s(0.9), s(0.89), s(0.01), (4, 9), "select"),
        (s(0.9), s(0.9), s(0.0), (9, 9), "all"),
        (s(0.8), s(0.9), s(-0.1), (4, 9), "all"),
        (s(0.58, 0.1), s(0.62), s(-0.04, 0.1), (1, 31), "all"),  # the selection may be a guess
        (s(0.5), s(0.51), s(-0.01), (4, 9), "nothing"),
        (s(0.55, 0.1), s(0.52, 0.1), s(0.03, 0.1), (4, 9), "unclear"),
        (s(0.8, 0.1), s(0.8, 0.1), s(0.0, 0.15), (4, 9), "unclear"),
    ],
)
def test_verdicts(chosen, everything, gain, sizes, verdict):
    assert _verdict(chosen, everything, gain, 0.5, *sizes) == verdict


SENTENCES = {
    "kept all": ((3, 3), "Don't select: the search kept all 3 columns, with balanced accuracy 0.90 (0.87 to 0.93)."),
    "no smaller": (
        (2, 3),
        "Don't select: no smaller set comes up to all 3 columns, with balanced accuracy 0.90 (0.87 to 0.93) against "
        "0.80 with the best 2.",
    ),
}


@pytest.mark.parametrize(("sizes", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_the_sentence_says_why_all_columns_are_kept(sizes, sentence):
    k, p = sizes
    found = SimpleNamespace(
        units=range(k), recommended=range(p), verdict="all", chosen=s(0.8), everything=s(0.9), chance=0.5
    )
    problem = SimpleNamespace(units=range(p), target=SimpleNamespace(task="classification"))
    assert _sentence(found, problem, 100) == sentence


@pytest.mark.parametrize(
    ("chosen", "limited", "sentence"),
    [
        (
            s(0.55, 0.1),
            False,
            "Don't select: all 3 columns have balanced accuracy 0.90 (0.87 to 0.93); that of the best 1, 0.55 (0.45 to "
            "0.65), can't be told from 0.50, that of a guess.",
        ),
        (
            s(0.8),
            True,
            "Allow more columns: all 3 have balanced accuracy 0.90 (0.87 to 0.93), the best 1 that were allowed 0.80 "
            "(0.77 to 0.83). The model has this 1 column, as asked.",
        ),
    ],
    ids=["the selection may be a guess", "a limit was set"],
)
def test_the_sentence_does_not_speak_of_sizes_that_were_not_tried(chosen, limited, sentence):
    found = SimpleNamespace(
        units=range(1),
        recommended=range(1 if limited else 3),
        verdict="all",
        chosen=chosen,
        everything=s(0.9),
        chance=0.5,
    )
    problem = SimpleNamespace(units=range(3), target=SimpleNamespace(task="classification"))
    assert _sentence(found, problem, 100) == sentence


@pytest.mark.parametrize(
    ("chosen", "everything", "said"),
    [
        (
            s(0.55, 0.1),
            s(0.52, 0.1),
            "Too few samples to tell: with 40 rows, balanced accuracy 0.55 (0.45 to 0.65) can't",
        ),
        (
            s(0.8, 0.1),
            s(0.8, 0.1),
            "Too few samples to tell whether 2 columns are as good as all 3: balanced accuracy 0.8",
        ),
    ],
    ids=["guess", "difference"],
)
def test_the_sentence_says_what_cannot_be_told(chosen, everything, said):
    found = SimpleNamespace(
        units=range(2), verdict="unclear", chosen=chosen, everything=everything, gain=s(0.0, 0.15), chance=0.5
    )
    problem = SimpleNamespace(units=range(3), target=SimpleNamespace(task="classification"))
    assert _sentence(found, problem, 40).startswith(said)


def test_the_sentence_says_that_no_column_tells_anything():
    found = SimpleNamespace(units=range(1), verdict="nothing", chosen=s(0.5), everything=s(0.51), chance=0.5)
    problem = SimpleNamespace(units=range(3), target=SimpleNamespace(task="classification"))
    assert _sentence(found, problem, 40) == (
        "Don't select: no column tells anything about the target; balanced accuracy is 0.50 (0.47 to 0.53), and 0.50 "
        "without any column."
    )


@pytest.mark.parametrize(("task", "groups"), [("regression", None), ("regression", True), ("classification", None)])
def test_rows_are_drawn_with_their_groups_and_classes(task, groups, monkeypatch):
    monkeypatch.setattr("fscore.dossier.problem.MOST_ROWS", 40)
    y = np.arange(100.0) if task == "regression" else np.repeat([0, 1], [90, 10])
    problem = SimpleNamespace(y=y, groups=np.arange(100) // 8 if groups else None, traps=[])
    problem.target = SimpleNamespace(task=task)
    _draw(problem, 0)
    assert len(np.unique(problem.drawn)) == len(problem.drawn) == (40 if task == "regression" else 46)
    assert problem.traps[0].kind == "many rows"
    if groups:  # at most one group is cut
        sizes = np.bincount(problem.groups[problem.drawn])
        assert np.isin(sizes, (0, 4, 8)).sum() >= len(sizes) - 1
    if task == "classification":
        assert np.bincount(y[problem.drawn]).tolist() == [36, 10]


def test_the_gamma_test_of_a_quantity_finds_its_noise():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * rng.normal(size=2000)
    assert noise_share(X, y) == pytest.approx(0.25 / y.var(), abs=0.05)

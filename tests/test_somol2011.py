"""Experiments of Somol et al. 2011: tables agree with the searches, rules and pages with the tables."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import sem, t
from simulations import draw_of
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from compendium.comparison import as_a_whole, side_by_side
from compendium.page import Page
from compendium.protocol import scaled
from compendium.published import claims_of
from compendium.readings import beside_default, by_claim
from compendium.units import tidy
from compendium.verdicts import claims_needing, rules_of
from fscore.criteria import BlockFolds, CVAccuracy
from fscore.datasets import load
from fscore.stability import average_tanimoto_index
from somol2011 import printed, protocol, summaries
from somol2011.claims import gains
from somol2011.course import Course
from somol2011.ensembles import Ensembles
from somol2011.fragility import Fragility, near_maximum
from somol2011.hybrid import FilterWrapper
from somol2011.readings import Readings

pytestmark = pytest.mark.usefixtures("own_cache")


def wide(table, by):
    return table.pivot_table(index=by, columns="metric", values="value", sort=False)


def fragility(**values):
    return Fragility(dataset=["wine"], n_repeats=1, **values)


def selections(experiment):
    how = experiment.dataset, experiment.search, experiment.criterion, [experiment.scaling]
    return experiment.selections(product(*how))


def test_halves_are_the_two_halves_of_each_class_in_file_order():
    X, y = load("wine", return_X_y=True)
    first, second = protocol.halves(X, y, "blocks", "wine", 0, 0)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        assert rows[np.isin(rows, first)].max() < rows[np.isin(rows, second)].min()
        assert abs(np.isin(rows, first).sum() - np.isin(rows, second).sum()) <= 1
    exchanged = protocol.halves(X, y, "blocks", "wine", 1, 0)
    np.testing.assert_array_equal(exchanged[0], second)
    shuffled = [protocol.halves(X, y, "shuffled", "wine", repeat, 0)[0] for repeat in (0, 2)]
    assert set(shuffled[0]) != set(shuffled[1])


def test_halves_and_folds_of_further_divisions_start_at_later_samples():
    """Halves: a quarter of each class later, then an eighth; folds: half a fold later, and around the end."""
    X, y = np.zeros((24, 1)), np.repeat([0, 1], [16, 8])
    for repeat, first in (2, [*range(4, 12), *range(18, 22)]), (4, [*range(2, 10), *range(17, 21)]):
        selects, tests = protocol.halves(X, y, "blocks", "mine", repeat, 0)
        assert selects.tolist() == first
        assert sorted([*selects, *tests]) == list(range(24))
        exchanged = protocol.halves(X, y, "blocks", "mine", repeat + 1, 0)
        assert [part.tolist() for part in exchanged] == [tests.tolist(), selects.tolist()]
    tested = [test.tolist() for _, test in protocol.divided(X, y, 4, "blocks", 1)]
    assert tested == [[2, 3, 4, 5, 17, 18], [6, 7, 8, 9, 19, 20], [10, 11, 12, 13, 21, 22], [0, 1, 14, 15, 16, 23]]


def test_a_label_column_is_that_of_files(tmp_path):
    X, y = load("wine", return_X_y=True)
    table = pd.DataFrame(X).add_prefix("c")
    table.insert(0, "first", y)
    table.to_csv(tmp_path / "mine.csv", index=False)
    for dataset in ("wine", str(tmp_path / "mine.csv")):
        np.testing.assert_array_equal(protocol.sample(dataset, "first")[0], X)


def test_subsample_keeps_order_and_classes():
    X, y = protocol.sample("wdbc", max_samples=100, order="file")
    full, _ = load("wdbc", return_X_y=True)
    rows = [int(np.flatnonzero((full == row).all(axis=1))[0]) for row in X]
    assert rows == sorted(rows)
    assert abs(y.mean() - 357 / 569) < 0.01
    assert len(protocol.sample("wine", max_samples=177)[1]) == 177  # one row less than all, of three classes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: protocol.classifier("4NN"), "'4NN' is unknown"),
        (lambda: scaled("log", np.eye(2)), "'log' is unknown"),
        (lambda: protocol.divided(None, None, 3, "random", 0), "'random' is unknown"),
        (lambda: protocol.sample("wine", order="random"), "'random' is unknown"),
        (lambda: Fragility(search=["OS"]), "OS"),
    ],
)
def test_errors_name_unknown_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_courses_have_the_sizes_that_define_the_methods():
    tables = Course(dataset=["wine"], n_features_to_select=5, delta=2, depth=2).run()
    course = tables["course"]
    sizes = {method: part["size"].tolist() for method, part in course.groupby("method")}
    assert sizes["SFS"] == [1, 2, 3, 4, 5]
    assert max(sizes["SFFS"]) == 7
    assert sizes["OS"][0] == 5
    assert (min(sizes["OS"]), max(sizes["OS"])) == (3, 7)
    assert sizes["DOS"][:3] == [1, 2, 3]
    steps = {method: np.abs(np.diff(path)).max() for method, path in sizes.items()}
    assert steps == {"SFS": 1, "SFFS": 2, "OS": 1, "DOS": 1}  # 2: an addition after a rejected removal
    best = tables["best"].set_index("method")
    assert_allclose(best["value"], course.groupby("method")["value"].max()[best.index])
    assert best["evaluations"].to_dict() == course.groupby("method")["n_evaluations"].last().to_dict()
    sfs = course[course["method"] == "SFS"]
    assert best["size"]["SFS"] == sfs["size"].iloc[sfs["value"].argmax()]
    # the subsets, evaluated by scikit-learn on all samples
    X, y = load("wine", return_X_y=True)
    X = MinMaxScaler().fit_transform(X)
    for method, features in best["features"].items():
        columns = [int(f) for f in features.split()]
        assert len(columns) == best["size"][method]
        scores = cross_val_score(KNeighborsClassifier(3), X[:, columns], y, cv=BlockFolds(10))
        assert_allclose(scores.mean(), best["value"][method], atol=1e-9)


def test_course_in_groups_takes_a_size_that_groups_reach():
    course = Course(dataset=["wine"], group_size=3, delta=3, depth=3, n_splits=3).courses(["SFS", "OS"])
    assert course.query("method == 'SFS'")["size"].tolist() == [3, 6]
    assert course.query("method == 'OS'")["size"].iloc[0] == 6


def test_selected_subsets_are_evaluated_and_tested_as_stated():
    tables = selections(fragility(search=["SFFS"], criterion=["3-NN"], tau=[0.0, 0.05]))
    cases = wide(tables["selected"], ["tau"])
    assert cases["size"].is_monotonic_decreasing
    assert cases["train"][0.05] >= 0.95 * cases["train"][0.0]
    assert cases["p_value"][0.0] == 1
    smaller = cases["size"][0.05] < cases["size"][0.0]
    assert cases["improved"][0.05] == (smaller and cases["test"][0.05] >= cases["test"][0.0])
    # the best step of the course, evaluated by scikit-learn on the first half
    X, y = load("wine", return_X_y=True)
    first, _ = protocol.halves(X, y, "blocks", "wine", 0, 0)
    best = tables["course"].loc[tables["course"]["value"].idxmax()]
    columns = [int(f) for f in best["features"].split()]
    scores = cross_val_score(KNeighborsClassifier(3), X[first][:, columns], y[first], cv=BlockFolds(3))
    assert_allclose(scores.mean(), best["value"], atol=1e-9)
    assert_allclose(best["value"], cases["train"][0.0])


def test_near_maximum_by_hand():
    subsets = pd.DataFrame(
        {"features": [(0,), (0, 1), (1, 2), (0, 1, 2)], "size": [1, 2, 2, 3], "value": [0.5, 1.0, 0.995, 0.99]}
    )
    near = near_maximum(subsets, 0.01, 3)
    masks = [[1, 1, 0], [0, 1, 1], [1, 1, 1]]
    assert near == {"n_near": 3, "smallest": 2, "largest": 3, "ati": average_tanimoto_index(masks)}
    assert near_maximum(subsets, 0.01, 3, maximum=2.0)["n_near"] == 0


def test_budget_of_the_svm_is_kept_and_reported():
    near = selections(fragility(criterion=["SVM"], svm_evaluations=20, depth=2, max_size=5))["near"]
    cost = wide(near, ["search"])
    assert (cost["evaluations"] == 20).all()
    assert (cost["stopped"] == 1).all()


@pytest.fixture(scope="module")
def one_run():
    return fragility(depth=4).one_run_for_all_tau(["wine"])


def test_one_run_answers_all_tau(one_run):
    cases = wide(one_run, ["search", "tau"])
    assert (cases[["same_order", "same_subset"]] == 1).all(axis=None)
    assert (cases["evaluations"].groupby("search").nunique() == 1).all()


@pytest.mark.parametrize(
    ("experiment", "values", "measure"),
    [
        (Course, {}, lambda e: e.courses(["SFS"])),
        (Fragility, {"folds": "shuffled"}, lambda e: e.selections([(*e.dataset, "SFFS", "3-NN", "raw")])["course"]),
        (Ensembles, {"n_splits": 2}, lambda e: e.votes([(*e.dataset, "single", "raw", "shuffled")])[1]),
        (FilterWrapper, {"folds": "shuffled", "lam": [1.0]}, lambda e: e.selections(e.dataset, ["DOS"], ["raw"])[0]),
    ],
)
def test_the_folder_of_a_file_changes_nothing(experiment, values, measure, tmp_path):
    X, y = load("wine", return_X_y=True)
    tables = []
    for folder in "here", "there":
        file = tmp_path / folder / "mine.csv"
        file.parent.mkdir()
        pd.DataFrame(X[:, :4]).assign(kind=y).to_csv(file, index=False)
        table = measure(experiment(dataset=[str(file)], target="kind", max_samples=90, **values))
        tables.append(table[table["metric"] != "seconds"] if "metric" in table else table)
    assert set(tables[0]["dataset"]) == {"mine"}
    pd.testing.assert_frame_equal(*tables)


def test_printed_tables_are_complete():
    tables = printed.fragility(), printed.ensembles(), printed.hybrid()
    assert [len(table) for table in tables] == [96 * 4, 14 * 3 * 4, 66 * 3]
    assert set(printed.fragility()["confidence"]) == {"certain", "inferred"}
    assert [printed.seconds(text) for text in ("3m", "08h", "80s")] == [180, 28800, 80]


def test_rules_applied_to_the_printed_tables():
    """By hand from the printed tables: over the 14 data sets the gain in accuracy is no more than chance."""
    verdicts = claims_needing("somol2011", printed.as_measured())
    rate, stable = verdicts["S5"].primary
    gained = gains(printed.as_measured()["ensembles"], "order")
    assert (gained > 0).sum().tolist() == [9, 13, 11], "data sets that gain, counted by hand"
    assert (rate.n, rate.estimate) == (14, pytest.approx(100 * gained["rate"].mean()))
    assert (rate.answer, stable.answer) == ("undecided", "holds")
    assert verdicts["S3"].rows[0].estimate == 5  # of 12 searches
    assert verdicts["S1"].marks == "●"  # one search, on spambase
    assert not {"fails", "failed"} & {verdict.answer for verdict in verdicts.values()}
    opposite = {"ensembles": printed.as_measured()["ensembles"]}
    opposite["ensembles"]["method"] = opposite["ensembles"]["method"].replace({"single": "order", "order": "single"})
    assert claims_needing("somol2011", opposite)["S5"].answer == "fails"
    assert_allclose(gains(opposite["ensembles"], "single", "order")["rate"].max(), 0.061)


def test_the_unit_of_a_claim_on_searches_is_the_data_set():
    """Eleven values of lambda on one data set tell nothing about others."""
    rows = [
        {"dataset": "wine", "search": search, "lambda": lam, "metric": metric, "value": value}
        for search, power in (("DOS", 1), ("OS", 2))
        for lam in (0.0, 0.3, 0.5, 1.0)
        for metric, value in {"train": lam, "test": -(lam**power)}.items()
    ]
    for row in rules_of("somol2011")["S10"].verdict({"hybrid": pd.DataFrame(rows)}).rows:
        assert (row.estimate, row.n, row.answer) == (1.0, 1, "undecided")


def test_a_single_subset_near_the_maximum_tells_nothing_about_differences():
    near = draw_of("somol2011", "S1")(np.random.default_rng(0), 1)["near"]
    alone = {"smallest": 5, "largest": 5, "ati": 1.0}
    what = {"dataset": "wine", "search": "SFFS", "criterion": "SVM", "scaling": "raw", "repeat": 0}
    more = pd.concat([near, pd.DataFrame(tidy(what, alone))])
    assert claims_needing("somol2011", {"near": more})["S1"] == claims_needing("somol2011", {"near": near})["S1"]


def test_interval_of_a_mean_by_hand():
    """S3: the change of the halved subsets is 0, 1 and 2 points: 1 +- 4.30 * 1 / sqrt(3) points contains -1."""
    rows, searches = [], ("SFFS", "DOS")
    for (name, change), search in product((("a", 0.0), ("b", 0.01), ("c", 0.02)), searches):
        for tau, size, test in (0.0, 10, 0.8), (0.01, 4, 0.8 + change), (0.05, 1, 0.1):
            place = {"dataset": name, "search": search, "criterion": "3-NN", "scaling": "raw", "repeat": 0, "tau": tau}
            rows += [{**place, "metric": m, "value": v} for m, v in {"size": size, "test": test, "improved": 0}.items()]
    verdict = claims_needing("somol2011", {"selected": pd.DataFrame(rows)})["S3"]
    half = 4.302653 / np.sqrt(3)
    assert (verdict.rows[1].low, verdict.rows[1].high) == pytest.approx((1 - half, 1 + half), rel=1e-5)
    assert [row.answer for row in verdict.rows] == ["holds", "undecided"]


@pytest.mark.parametrize(
    ("claims", "name", "condition"),
    [
        (["S1"], "near", "search == 'DOS'"),
        (["S2", "S3"], "selected", "tau == 0"),
        (["S2", "S3"], "selected", "tau > 0"),
        (["S8"], "hybrid", "`lambda` == 1"),
        (["S8"], "hybrid", "`lambda` == 0"),
        (["S3"], "selected", "dataset == 'spectf'"),  # "more than two" needs more searches
        (["S10"], "hybrid", "`lambda` < 0.2"),  # two values of lambda always correlate perfectly
    ],
)
def test_claims_beyond_the_parameters_of_a_run_are_not_tested(claims, name, condition):
    verdicts = claims_needing("somol2011", {name: printed.as_measured()[name].query(condition)})
    assert {verdicts[claim].answer for claim in claims} == {"not tested"}


def test_comparisons_have_a_row_for_each_printed_number():
    empty = {name: part.assign(cut=False, fold="0").iloc[:0] for name, part in printed.as_measured().items()}
    compared = printed.comparisons(empty)
    counts = {table: len(rows) for table, rows in compared.items()}
    assert counts == {
        **{"Section 2.1, Fig. 3": 5, "Section 4.1": 4, "Table 1": 3 * 48, "Table 2": 3 * 48},
        **{"Table 3": 14 * 2 * 6, "Table 4": 14 * 6, "Table 5": 66, "Table 6": 66, "Table 7": 66},
    }
    for rows in compared.values():
        assert rows["agrees"].isna().all()
        assert rows["item"].is_unique


def test_comparison_says_what_agrees():
    table = printed.hybrid().query("table == '7' and search == 'OS'")
    ours = table.assign(value=table["value"].astype(float)).query("`lambda` < 0.15")
    ours.loc[ours["metric"] == "test", "value"] -= 0.1
    compared = printed.comparisons({"hybrid": ours})["Table 7"]
    side = side_by_side(compared, ["dataset", "search", "lambda"], keep=["confidence"])
    assert side["lambda"].tolist() == [0.0, 0.1]
    assert side["train, grade"].tolist() == ["✓ identical"] * 2
    assert side["test, grade"].tolist() == ["✗ differs, unexplained"] * 2
    assert set(compared.loc[(compared["metric"] == "size") & compared["reproduced"].notna(), "grade"]) == {"input"}
    for column in "train, published", "train, reproduced":  # so that the decimal points are aligned
        assert len({len(text.partition(".")[2]) for text in side[column]}) == 1
    assert side["size, reproduced"].tolist() == ["8", "8"]


def test_means_over_folds_and_stability_are_compared_with_the_spread_between_divisions():
    """Two folds, three divisions: rates 0.95, 0.97 and 0.99 have a standard deviation of 0.02."""
    place, rows = {"dataset": "wine", "method": "order"}, []
    for start, (rate, ati) in enumerate([(0.95, 0.7), (0.97, 0.7), (0.99, 0.7)]):
        for fold, shift in enumerate([-0.037, 0.037]):
            rows.append({**place, "fold": str(2 * start + fold), "metric": "rate", "value": rate + shift})
        rows.append({**place, "fold": f"all {start}" if start else "all", "metric": "ati", "value": ati})
    table = pd.DataFrame(rows)
    ours = {"ensembles": table[table["fold"].isin(["0", "1", "all"])], "starts_of_ensembles": table}
    found = printed.comparisons(ours)["Table 3"].query("dataset == 'wine' and method == 'order'").set_index("metric")
    assert_allclose(found.loc["rate", ["reproduced", "theirs"]].tolist(), [0.97, 0.02])
    assert_allclose(found.loc["rate", "error"], 0.02 * np.sqrt(1 + 1 / 3))
    assert found.loc["rate", "grade"] == "compatible", "4.6 points are more than the errors of 96% correct"
    assert not found.loc["ati", "agrees"], "no spread: only rounding is allowed"
    assert_allclose(found.loc["standard deviation of rate", "reproduced"], np.sqrt(0.037**2 + 0.04**2 / 6))
    assert found["agrees"].isna().sum() == 3  # the size, its spread and the consistency
    side = side_by_side(found.reset_index(), ["dataset", "method"]).iloc[0]
    assert side["rate, published"] == "0.960 ± 0.037"


def of_spectf(values):
    """Sizes of one case of Table 1 by the start of the halves; 11 is printed."""
    place = {"dataset": "spectf", "search": "SFFS", "criterion": "3-NN", "tau": 0.0, "metric": "size", "cut": False}
    rows = [{**place, "repeat": start, "value": value} for start, value in enumerate(values)]
    return pd.DataFrame(rows), pd.DataFrame(rows[:1])


def test_a_number_is_identical_if_our_first_half_has_the_printed_digits():
    """Otherwise the mean over the starts is compared: sizes 13, 9, 11 and 15 have a variance of 20/3."""
    sd = np.sqrt(20 / 3)
    for values, grade, shown in ([13, 9, 11, 15], "compatible", 12), ([11, 9, 13, 15], "identical", 11):
        starts, ours = of_spectf(values)
        compared = printed.comparisons({"selected": ours, "starts_of_fragility": starts})["Table 1"]
        found = compared[compared["reproduced"].notna()].iloc[0]
        assert (found["grade"], found["reproduced"], found["difference"]) == (grade, shown, shown - 11)
        assert_allclose([found["theirs"], found["error"]], [sd, sd * np.sqrt(1.25)])
        assert_allclose(found["errors"], (shown - 11) / found["error"])
        assert not found["cut"]


def test_a_whole_table_compares_the_mean_over_the_starts_also_of_numbers_that_are_identical():
    """The mean of a single number has its error, with the degrees of freedom of four starts."""
    starts, ours = of_spectf([11, 13, 12, 14])
    compared = printed.comparisons({"selected": ours, "starts_of_fragility": starts})["Table 1"]
    table = compared.assign(paper="p", table="Table 1").query("reproduced.notna()")
    assert table["grade"].tolist() == ["identical"]
    whole, error = as_a_whole(table).iloc[0], np.sqrt(1.25 * starts["value"].var())
    assert_allclose(whole["mean"], (12.5 - 11) / error)
    assert_allclose(whole["high"] - whole["mean"], t.ppf(0.975, 3))


def test_without_other_starts_only_identical_numbers_are_judged():
    for value, agrees in (11, True), (12, None):
        _, ours = of_spectf([value])
        found = printed.comparisons({"selected": ours})["Table 1"].query("reproduced.notna()")
        assert found["agrees"].tolist() == [agrees]


def test_thresholds_and_shares_pool_their_spread():
    """Sizes 9, 6 and 9, and 27, 26 and 28, have variances of 3/8 and 1/27 of their means."""
    place = {"dataset": "madelon", "search": "DOS", "metric": "size"}
    sizes = {0.0: [9, 6, 9], 0.1: [27, 26, 28]}
    rows = [(lam, start, size) for lam, found in sizes.items() for start, size in enumerate(found)]
    starts = pd.DataFrame(rows, columns=["lambda", "repeat", "value"]).assign(**place)
    tables = {"hybrid": starts.query("repeat == 0"), "starts_of_hybrid": starts}
    found = printed.comparisons(tables)["Table 5"].query("reproduced.notna()")
    sd = np.sqrt((3 / 8 + 1 / 27) / 2 * np.array([8, 27]))
    assert_allclose(found["theirs"], sd)
    assert_allclose(found["error"], sd * np.sqrt(1 + 1 / 3))
    other = {name: part.assign(dataset="wdbc") for name, part in tables.items()}
    table_7 = printed.comparisons(other)["Table 7"]
    assert table_7["error"].isna().all(), "comes back with our half"
    assert table_7["reproduced"].notna().any()


def test_table_7_comes_out_to_the_last_digit():
    """Both searches, at the lambda where floor and nearest differ, and where eq. 25 leaves one candidate out."""
    experiment = FilterWrapper(dataset=["wdbc"], lam=[0.3, 1.0], max_samples=None)
    tables = {"hybrid": experiment.selections(["wdbc"], ["DOS", "OS"], ["raw"])[0]}
    found = printed.comparisons(tables)["Table 7"].query("reproduced.notna() and metric != 'size'")
    assert len(found) == 8
    assert found["agrees"].all()


def test_k_nn_ranks_equal_distances_on_the_test_half_as_the_search_does():
    for dataset, order in ("digits", "appearance"), ("wine", "file"):
        X, y = protocol.sample(dataset, max_samples=150, order=order)
        first, second = protocol.halves(X, y, "blocks", dataset, 0, 0)
        for scaling in protocol.SCALINGS:
            A, B = protocol.prepared(scaling, X, first, second)
            split = np.arange(len(A)), np.arange(len(A), len(X))
            J = CVAccuracy(KNeighborsClassifier(3), cv=[split]).bind(np.r_[A, B], np.r_[y[first], y[second]])
            for columns in (0,), (2, 3), (1, 4, 9):
                right = protocol.hits(KNeighborsClassifier(3), A, y[first], B, y[second], columns)
                assert_allclose(right.mean(), J.score([columns])[0])


@pytest.mark.parametrize(
    ("order", "rows", "classes"),
    [
        ("appearance", [0, 2, 5, 1, 4, 3], [0, 0, 0, 1, 1, 2]),
        ("ascending", [3, 0, 2, 5, 1, 4], [0, 1, 1, 1, 2, 2]),
        ("descending", [1, 4, 0, 2, 5, 3], [0, 0, 1, 1, 1, 2]),
        ("file", [0, 1, 2, 3, 4, 5], ["good", "ill", "good", "bad", "ill", "good"]),
    ],
)
def test_samples_come_class_by_class_in_the_order_of_the_file(order, rows, classes, monkeypatch):
    """Classes are numbered in that order, so that the first wins among equal votes."""
    y = np.array(["good", "ill", "good", "bad", "ill", "good"])
    molecules = np.array(list("aabbcc"))
    loaded = SimpleNamespace(data=np.arange(6.0)[:, None], target=y, groups=molecules)
    monkeypatch.setattr(protocol, "load_set", lambda *args, **options: loaded)
    X, found, groups = protocol.grouped_sample("mine", order=order)
    assert X.ravel().tolist() == rows
    assert found.tolist() == classes
    assert groups.tolist() == molecules[rows].tolist()
    np.testing.assert_array_equal(protocol.sample("mine", order=order)[0], X)


def test_inner_folds_take_the_samples_of_a_class_in_turn():
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    found = [test.tolist() for _, test in protocol.inner_folds(3, "interleaved").split(y[:, None], y)]
    assert found == [[0, 3, 5], [1, 4, 6], [2, 7]]
    whole = [test.tolist() for _, test in protocol.divided(y[:, None], y, 2, "interleaved", 0)]
    assert whole == [[0, 1, 5], [2, 3, 4, 6, 7]]


def test_class_order_decides_between_equal_votes_of_k_nn():
    """Three neighbors at the same distance, one of each class."""
    train, y = np.array([[0.0], [2.0], [2.0]]), np.array([0, 1, 2])
    assert protocol.hits(KNeighborsClassifier(3), train, y, np.array([[1.0]]), np.array([0]), (0,)).all()
    assert CVAccuracy(KNeighborsClassifier(3), cv=[([0, 1, 2], [3])]).bind(np.r_[train, [[1.0]]], np.r_[y, 0]).score(
        [(0,)]
    ) == [1.0]


def test_scaling_over_all_rows_and_over_the_training_part():
    X = np.array([[0.0], [2.0], [4.0]])
    for scaling, want in ("raw", [4.0]), ("minmax", [2.0]), ("minmax_all", [1.0]):
        assert protocol.prepared(scaling, X, [0, 1], [2])[1].ravel().tolist() == want


@pytest.fixture(scope="module")
def readings():
    return Readings(dataset=["wine"], depth=[1], lam=[0.3, 1.0], n_splits=2, n_draws=2, max_samples=40).run()


@pytest.mark.slow
def test_readings_name_what_differs_from_the_defaults(readings):
    of_hybrid = set(readings["readings_of_hybrid"]["reading"])
    assert {
        "default",
        "rounding=nearest",
        "pure_wrapper=True, scaling=minmax_all",
        "ddof=0",
        "n_repeats=2",
    } <= of_hybrid
    assert len(of_hybrid) == 16 + 5
    for name, columns in {"readings_of_fragility": "tau", "readings_of_hybrid": "lambda"}.items():
        keys = ["reading", "dataset", "search", "scaling", "repeat", columns, "metric"]
        table = readings[name]
        keys += ["criterion"] if "criterion" in table else []
        assert not table.duplicated(keys).any()
    assert readings["starts_of_fragility"]["repeat"].nunique() == readings["starts_of_hybrid"]["repeat"].nunique() == 4
    assert set(readings["starts_of_ensembles"]["fold"]) >= {"0", "15", "all", "all 7"}
    draws = readings["column_orders"].query("criterion == '3-NN' and metric == 'train' and tau == 0")
    assert draws["value"].between(0.5, 1).all()


@pytest.mark.slow
def test_every_claim_has_an_estimate_under_each_reading(readings):
    estimates = summaries.estimates(readings)
    assert {"S2", "S3", "S5", "S6", "S8", "S9"} <= set(estimates["claim"])
    table = by_claim(beside_default(estimates, summaries.DEFAULT_READING))
    assert table["claim"].is_unique


@pytest.mark.slow
def test_agreement_counts_rows_that_the_choice_was_made_on_apart(readings):
    tables = {**readings, "readings_of_hybrid": readings["readings_of_hybrid"].assign(dataset="wdbc")}
    agreement = summaries.agreement(tables)
    of_7 = agreement.query("table == 'Table 7' and reading == 'default'").set_index("chosen_on")["comparable"]
    assert of_7.to_dict() == {False: 4, True: 8}
    assert agreement.query("table == 'Table 7'")["reading"].nunique() == 21
    assert "Section 4.1" not in set(agreement["table"])


@pytest.fixture(scope="module")
def ensembles():
    return Ensembles(dataset=["wine"], depth=3, n_splits=4).run()


@pytest.fixture(scope="module")
def hybrids():
    sizes = {"lam": [0.0, 0.5, 1.0], "depth_dos": 3, "depth_os": 3, "n_features_to_select": 4}
    experiment = FilterWrapper(dataset=["wine"], pure_wrapper=True, **sizes)
    return experiment.selections(["wine"], ["DOS", "OS"], ["minmax"])


@pytest.fixture(scope="module")
def hybrid(hybrids):
    return hybrids[0]


def test_rates_and_stability_of_ensembles_follow_from_the_subsets(ensembles):
    X, y = load("wine", return_X_y=True)
    rate = wide(ensembles["ensembles"], ["method", "fold"])["rate"]
    masks = {method: np.zeros((4, 13), bool) for method in ("single", "order", "weighted")}
    for row in ensembles["subsets"].itertuples():
        columns = [int(f) for f in row.features.split()]
        masks[row.method][row.fold, columns] = True
        train, test = list(BlockFolds(4).split(X, y))[row.fold]
        scaler = MinMaxScaler().fit(X)
        A, B = scaler.transform(X[train])[:, columns], scaler.transform(X[test])[:, columns]
        assert_allclose(rate[row.method, str(row.fold)], KNeighborsClassifier(3).fit(A, y[train]).score(B, y[test]))
    ati = ensembles["ensembles"].query("metric == 'ati'").set_index("method")["value"]
    for method, Z in masks.items():
        assert_allclose(ati[method], average_tanimoto_index(Z))


def test_fold_tests_compare_with_the_single_criterion(ensembles):
    tests = ensembles["fold_tests"].set_index("method")
    means = wide(ensembles["ensembles"], ["method"])["rate"]
    assert set(tests.index) == {"order", "weighted"}
    assert_allclose(tests["gain"], (means - means["single"])[tests.index], atol=1e-12)
    assert tests["p_value"].between(0, 1).all()


def test_scaling_and_folds_are_varied_for_the_single_criterion(ensembles):
    varied = wide(ensembles["scalings_and_folds"], ["method", "scaling", "folds", "fold"])["rate"]
    assert set(varied.index.droplevel("fold")) == {
        ("single", scaling, folds)
        for scaling, folds in (
            *(("raw", "blocks"), ("minmax", "blocks"), ("minmax_all", "blocks")),
            *(("minmax_all", "stratified"), ("minmax_all", "shuffled"), ("minmax_all", "interleaved")),
        )
    }
    standard = wide(ensembles["ensembles"], ["method", "scaling", "folds", "fold"])["rate"]["single"]
    assert_allclose(varied["single"]["minmax_all", "blocks"], standard["minmax_all", "blocks"])


def test_the_filter_saves_wrapper_evaluations(hybrid):
    cases = wide(hybrid, ["search", "lambda"])
    assert (cases.xs(1.0, level="lambda")["filter_evaluations"] == 0).all()
    assert (cases.xs(1.0, level="lambda")["p_value"] == 1).all()
    few, all_of_them = (cases.xs(lam, level="lambda")["wrapper_evaluations"] for lam in (0.0, 1.0))
    assert (few < all_of_them).all()
    assert (cases.xs("OS", level="search")["size"] == 4).all()


def test_hybrids_report_the_subsets_that_they_tested(hybrids):
    hybrid, subsets = hybrids
    X, y = load("wine", return_X_y=True)
    first, second = protocol.halves(X, y, "blocks", "wine", 0, 0)
    scaler = MinMaxScaler().fit(X[first])
    A, B = scaler.transform(X[first]), scaler.transform(X[second])
    cases = wide(hybrid, ["search", "lambda"])
    assert len(subsets) == len(cases) == 6
    for row in subsets.rename(columns={"lambda": "lam"}).itertuples():
        columns = [int(f) for f in row.features.split()]
        case = cases.loc[(row.search, row.lam)]
        assert len(columns) == case["size"]
        model = KNeighborsClassifier(5).fit(A[:, columns], y[first])
        assert_allclose(model.score(B[:, columns], y[second]), case["test"])
        scores = cross_val_score(KNeighborsClassifier(5), A[:, columns], y[first], cv=BlockFolds(10))
        assert_allclose(scores.mean(), case["train"], atol=1e-9)
        assert_allclose(case["test_error"], sem(model.predict(B[:, columns]) == y[second]))


@pytest.mark.data("musk2")
def test_errors_of_musk_are_over_molecules():
    """The rows of a molecule follow each other, and most of a half are rows of a few."""
    X, _, groups = protocol.grouped_sample("musk2")
    full = load("musk2")
    molecule = {tuple(row): name for row, name in zip(full.data, full.groups, strict=True)}
    assert [molecule[tuple(row)] for row in X] == groups.tolist()
    experiment = FilterWrapper(dataset=["musk2"], lam=[0.0], depth_os=1)
    case = wide(experiment.selections(["musk2"], ["OS"], ["raw"])[0], ["search"]).loc["OS"]
    assert case["test_error"] > 2 * np.sqrt(case["test"] * (1 - case["test"]) / case["n_test"])
    assert set(protocol.grouped_sample("wine")[2]) == set(range(178)), "each row by itself"


def test_every_claim_has_a_rule(ensembles, hybrid, one_run):
    tables = {
        **selections(fragility(criterion=["3-NN"], depth=3)),
        "one_run": one_run,
        "ensembles": ensembles["ensembles"],
        "hybrid": hybrid,
    }
    verdicts = claims_needing("somol2011", tables)
    assert list(verdicts) == claims_of("somol2011")["claim_id"].tolist()
    assert verdicts["S4"].answer == "passed"


def test_selected_features_are_named_and_numbered_from_one():
    """Tables hold columns from 0."""
    table = pd.DataFrame({"features": ["0 2", "1"], "dataset": "mine"})
    shown = summaries.named_subsets(table, {"mine": ["age", "mass", "heart_rate"]})
    assert shown["features"].tolist() == ["age (1), heart_rate (3)", "mass (2)"]
    assert summaries.named_subsets(table, {})["features"].tolist() == ["1, 3", "2"]


def test_hybrids_are_shown_at_the_ends_and_where_the_criterion_is_best():
    """Of two lambda with the best value, the smaller; the order of the rows doesn't matter, nor do other repeats."""
    values = {1.0: 0.8, 0.0: 0.7, 0.6: 0.9, 0.5: 0.9}
    subsets = {1.0: "0", 0.0: "1", 0.6: "1 2", 0.5: "0 2"}
    what = [{"dataset": "mine", "search": s, "repeat": r, "lambda": k} for s in "ab" for r in (0, 1) for k in values]
    hybrid = pd.DataFrame([{**case, "metric": "train", "value": values[case["lambda"]]} for case in what])
    chosen = pd.DataFrame([{**case, "features": "" if case["repeat"] else subsets[case["lambda"]]} for case in what])
    shown = summaries.chosen_by_lambda(hybrid, chosen, {"mine": ["age", "mass", "heart_rate"]})
    assert shown["lambda"].tolist() == [0.0, 0.5, 1.0] * 2
    assert shown["train"].tolist() == [0.7, 0.9, 0.8] * 2
    assert shown["features"].tolist() == ["mass (2)", "age (1), heart_rate (3)", "age (1)"] * 2


def test_subsets_that_do_not_shrink_contradict_s2_and_s3():
    table = draw_of("somol2011", "S2")(np.random.default_rng(0), 1)["selected"]
    table.loc[table["metric"] == "size", "value"] = 16
    verdict = claims_needing("somol2011", {"selected": table})
    assert [row.answer for row in verdict["S2"].rows] == ["undecided", "undecided"], "no case has a change"
    assert [row.answer for row in verdict["S3"].rows] == ["fails", "undecided"]


@pytest.fixture
def other_run():
    """A page whose tables are taken to be measured with other parameters than the declared ones."""
    page = Page(FilterWrapper, {})
    page.tables()
    page.experiment = FilterWrapper(seed=1)
    return page


def test_a_page_compares_its_declared_run_with_the_starts_of_the_readings(other_run):
    declared = Page(FilterWrapper, {}).compared()["Table 5"]
    assert declared["error"].notna().all()
    assert other_run.compared()["Table 5"]["error"].isna().all()
    assert other_run.stored("readings") == {}


def test_a_page_tells_the_power_of_its_declared_run_alone(other_run, monkeypatch):
    shown = []
    monkeypatch.setattr("compendium.page.display", lambda part: shown.append(part.data))
    for page in Page(FilterWrapper, {}), other_run:
        page.verdicts()
        page.evidence()
    assert ["Power: " in text for text in shown[1::2]] == [True, False]

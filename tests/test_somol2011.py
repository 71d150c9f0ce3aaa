"""Experiments of Somol et al. 2011: tables agree with the searches, rules and pages with the tables."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from compendium.protocol import scaled
from compendium.published import claims_of
from compendium.verdicts import claims_needing
from fscore.datasets import load
from fscore.stability import average_tanimoto_index
from somol2011 import printed, protocol, summaries
from somol2011.claims import gains
from somol2011.course import Course
from somol2011.ensembles import Ensembles
from somol2011.fragility import Fragility, near_maximum
from somol2011.hybrid import FilterWrapper

pytestmark = pytest.mark.usefixtures("own_cache")


def wide(table, by):
    return table.pivot_table(index=by, columns="metric", values="value", sort=False)


def fragility(**values):
    return Fragility(dataset=["wine"], n_repeats=1, **values)


def selections(experiment):
    return experiment.selections(experiment.dataset, experiment.search, experiment.criterion, [experiment.scaling])


def test_halves_are_the_two_halves_of_each_class_in_file_order():
    X, y = load("wine", return_X_y=True)
    first, second = protocol.halves(X, y, "contiguous", "wine", 0, 0)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        assert rows[np.isin(rows, first)].max() < rows[np.isin(rows, second)].min()
        assert abs(np.isin(rows, first).sum() - np.isin(rows, second).sum()) <= 1
    exchanged = protocol.halves(X, y, "contiguous", "wine", 1, 0)
    np.testing.assert_array_equal(exchanged[0], second)
    with pytest.raises(ValueError, match="repeat=2 is impossible with folds='contiguous'"):
        protocol.halves(X, y, "contiguous", "wine", 2, 0)
    shuffled = [protocol.halves(X, y, "shuffled", "wine", repeat, 0)[0] for repeat in (0, 2)]
    assert set(shuffled[0]) != set(shuffled[1])


def test_subsample_keeps_order_and_classes():
    X, y = protocol.sample("wdbc", max_samples=100)
    full, _ = load("wdbc", return_X_y=True)
    rows = [int(np.flatnonzero((full == row).all(axis=1))[0]) for row in X]
    assert rows == sorted(rows)
    assert abs(y.mean() - 357 / 569) < 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: protocol.classifier("4NN"), "'4NN' is unknown"),
        (lambda: scaled("log", np.eye(2)), "'log' is unknown"),
        (lambda: protocol.stratified_folds(3, "random"), "'random' is unknown"),
        (lambda: FilterWrapper(dataset=["wine"]).selections(["wine"], ["SFS"], ["minmax"]), "'SFS' is unknown"),
        (
            lambda: Ensembles(n_splits=2).votes(["wine"], ["majority"], ["minmax"], ["contiguous"]),
            "'majority' is unknown",
        ),
        (lambda: fragility().selections(["wine"], ["OS"], ["3-NN"], ["minmax"]), "'OS' is unknown"),
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
    first, _ = protocol.halves(X, y, "contiguous", "wine", 0, 0)
    best = tables["course"].loc[tables["course"]["value"].idxmax()]
    columns = [int(f) for f in best["features"].split()]
    A = MinMaxScaler().fit_transform(X[first])[:, columns]
    scores = cross_val_score(KNeighborsClassifier(3), A, y[first], cv=StratifiedKFold(3))
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
        (Fragility, {"folds": "shuffled"}, lambda e: e.selections(e.dataset, ["SFFS"], ["3-NN"], ["raw"])["course"]),
        (Ensembles, {"n_splits": 2}, lambda e: e.votes(e.dataset, ["single"], ["raw"], ["shuffled"])[1]),
        (FilterWrapper, {"folds": "shuffled", "lam": [1.0]}, lambda e: e.selections(e.dataset, ["DOS"], ["raw"])),
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
    verdicts = claims_needing("somol2011", printed.as_measured())
    assert "rate 9 better, 3 worse, CW_rel 13 better, 1 worse, ATI 11 better, 2 worse" in verdicts["S5"].evidence
    assert "rate 8 better, 4 worse, CW_rel 11 better, 3 worse, ATI 11 better, 3 worse" in verdicts["S6"].evidence
    assert verdicts["S3"].evidence.startswith("in 4 of 12 searches")
    assert verdicts["S2"].answer == verdicts["S3"].answer == verdicts["S5"].answer == "replicated"
    opposite = {"ensembles": printed.as_measured()["ensembles"]}
    opposite["ensembles"]["method"] = opposite["ensembles"]["method"].replace({"single": "order", "order": "single"})
    assert claims_needing("somol2011", opposite)["S5"].answer == "not replicated"
    assert_allclose(gains(opposite["ensembles"], "single", "order")["rate"].max(), 0.061)


@pytest.mark.parametrize(
    ("claims", "name", "condition"),
    [
        (["S2", "S3"], "selected", "tau == 0"),
        (["S2", "S3"], "selected", "tau > 0"),
        (["S8"], "hybrid", "`lambda` == 1"),
        (["S8"], "hybrid", "`lambda` == 0"),
    ],
)
def test_claims_beyond_the_parameters_of_a_run_are_not_tested(claims, name, condition):
    verdicts = claims_needing("somol2011", {name: printed.as_measured()[name].query(condition)})
    assert {verdicts[claim].answer for claim in claims} == {"not tested yet"}


def test_near_ties_of_floating_search_need_floating_search():
    near = selections(fragility(search=["DOS"], criterion=["3-NN"], depth=2))["near"]
    assert claims_needing("somol2011", {"near": near})["S1"].answer == "not tested yet"


def test_order_of_lambda_changes_no_sentence(hybrid):
    assert summaries.hybrid(hybrid) == summaries.hybrid(hybrid.iloc[::-1])


def test_comparison_says_what_agrees():
    table = printed.hybrid().query("table == '7' and search == 'OS'")
    ours = table.assign(value=table["value"].astype(float)).query("`lambda` < 0.15")
    ours.loc[ours["metric"] == "test", "value"] += 0.1
    side = printed.comparison_table(table, ours, ["dataset", "search", "lambda"], keep=["confidence"])
    assert side["lambda"].tolist() == [0.0, 0.1]
    assert side["train, difference"].tolist() == ["+0 agrees"] * 2
    assert side["test, difference"].tolist() == ["+0.1 differs"] * 2
    voting = printed.ensembles().query("dataset == 'wine' and method == 'order'")
    ours = voting.assign(value=voting["value"].astype(float))
    side = printed.comparison_table(voting, ours, ["dataset", "method"]).iloc[0]
    assert (side["rate, published"], side["size, published"], side["ati, published"]) == (
        "0.960 ± 0.037",
        "6 ± 1.000",
        "0.606",
    )
    assert printed.absent(table, ["wdbc"]).empty
    assert printed.absent(printed.ensembles(), []).set_index("data set").loc["mammogram", "why"] == "not public"


@pytest.fixture(scope="module")
def ensembles():
    return Ensembles(dataset=["wine"], depth=3, n_splits=4).run()


@pytest.fixture(scope="module")
def hybrid():
    experiment = FilterWrapper(dataset=["wine"], lam=[0.0, 0.5, 1.0], depth_dos=3, depth_os=3, n_features_to_select=4)
    return experiment.selections(["wine"], ["DOS", "OS"], ["minmax"])


def test_rates_and_stability_of_ensembles_follow_from_the_subsets(ensembles):
    X, y = load("wine", return_X_y=True)
    rate = wide(ensembles["ensembles"], ["method", "fold"])["rate"]
    masks = {method: np.zeros((4, 13), bool) for method in ("single", "order", "weighted")}
    for row in ensembles["subsets"].itertuples():
        columns = [int(f) for f in row.features.split()]
        masks[row.method][row.fold, columns] = True
        train, test = list(StratifiedKFold(4).split(X, y))[row.fold]
        scaler = MinMaxScaler().fit(X[train])
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
        ("single", scaling, folds) for scaling in ("minmax", "raw") for folds in ("contiguous", "shuffled")
    }
    standard = wide(ensembles["ensembles"], ["method", "scaling", "folds", "fold"])["rate"]["single"]
    assert_allclose(varied["single"]["minmax", "contiguous"], standard["minmax", "contiguous"])


def test_the_filter_saves_wrapper_evaluations(hybrid):
    cases = wide(hybrid, ["search", "lambda"])
    assert (cases.xs(1.0, level="lambda")["filter_evaluations"] == 0).all()
    assert (cases.xs(1.0, level="lambda")["p_value"] == 1).all()
    few, all_of_them = (cases.xs(lam, level="lambda")["wrapper_evaluations"] for lam in (0.0, 1.0))
    assert (few < all_of_them).all()
    assert (cases.xs("OS", level="search")["size"] == 4).all()


def test_numbers_do_not_depend_on_n_jobs(tmp_path, monkeypatch):
    experiment = FilterWrapper(dataset=["wine"], lam=[0.0, 1.0], depth_dos=2)
    tables = []
    for n_jobs in ("1", "2"):
        monkeypatch.setenv("FSCORE_JOBS", n_jobs)
        monkeypatch.setenv("FSCORE_CACHE", str(tmp_path / n_jobs))  # otherwise the second run would use the cache
        tables.append(experiment.selections(["wine"], ["DOS"], ["minmax"]).query("metric != 'seconds'"))
    pd.testing.assert_frame_equal(*tables)


def test_every_claim_has_a_rule_and_every_page_its_sentences(ensembles, hybrid, one_run):
    tables = {
        **selections(fragility(criterion=["3-NN"], depth=3)),
        "one_run": one_run,
        "ensembles": ensembles["ensembles"],
        "hybrid": hybrid,
    }
    verdicts = claims_needing("somol2011", tables)
    assert list(verdicts) == claims_of("somol2011")["claim_id"].tolist()
    assert verdicts["S4"].answer == "replicated"
    sentences = [
        *summaries.fragility(tables["selected"], tables["near"]),
        *summaries.ensembles(ensembles["ensembles"]),
        *summaries.hybrid(hybrid),
    ]
    assert all("nan" not in sentence for sentence in sentences)

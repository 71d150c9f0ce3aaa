"""Nel's thesis: masks, partitions, candidates, correlations, and the tables of the pages."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import f as f_distribution
from scipy.stats import norm, pearsonr
from sklearn.neighbors import KNeighborsClassifier

from compendium.published import compare, explained, published
from compendium.statements import POINT, decide
from compendium.units import seed_for
from compendium.verdicts import rules_of
from fscore.criteria import RANNAccuracy, gamma_test
from fscore.datasets import DatasetUnavailableError
from fscore.filters import MIFS
from nel1998 import printed, summaries
from nel1998.accuracy import accuracies, by_neighbors, by_neighbors_on, selection_bias, subsets_to_measure, summary
from nel1998.all_subsets import gamma_rank_scores, gamma_ranking, gamma_terms, rann_ranking
from nel1998.candidates import information_prefixes, prefixes
from nel1998.claims import N6
from nel1998.correlation import Correlation, correlations, outline, subsets_of
from nel1998.full_search import FullSearch, overlaps
from nel1998.gamma_test import GammaAgainstTheory, gamma_theory
from nel1998.joint import joint_tests
from nel1998.masks import bits, columns_of, mask_of
from nel1998.pbil import LargeSamples, best_runs
from nel1998.protocol import WDBC1, WDBC2, partition, samples_of, scaled_sample
from nel1998.published_settings import FULL_SEARCH_TABLES, PBIL_TABLES, rows_of, subsets_of_table_b_1, usable
from nel1998.readings import READINGS, SETTINGS, Readings
from nel1998.searches import Searches, outcomes, shares
from nel1998.three_features import ThreeFeatures, linear_projections

IRIS = {"iris": "iris"}
QUICK = {"n_splits": 2, "seed": 3}
GAMMA = {"p_max": (5, 10), "n_best": 3, "floor": 0.01, **QUICK}
CLASSIFICATION = {"n_inner_splits": 2, "max_hidden": 8, "n_networks": 2, "network": (("scale", 0.5),)}
SMALL = {"dataset": ["iris"], "n_inner_splits": 2, "max_hidden": 8, "times": 2, **QUICK}


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def three_features():
    return ThreeFeatures(n_repeats=2).run()


@pytest.fixture(scope="module")
def against_theory():
    return GammaAgainstTheory(dataset="iris", n_repeats=10, seed=1).run()


@pytest.fixture(scope="module")
def correlation():
    return Correlation(**SMALL).run()


@pytest.fixture(scope="module")
def full_search():
    return FullSearch(p_max=[5, 10], n_hidden=5, **SMALL).run()


@pytest.fixture(scope="module")
def large():
    return LargeSamples(n_runs=2, population=6, max_generations=2, n_hidden=5, **SMALL).run()


def training_parts(sample="iris", dataset="iris", n_splits=2, seed=3):
    X, y = scaled_sample(sample, dataset)
    for split in range(n_splits):
        train, test = partition(sample, y, split, seed)
        yield X[train], y[train], X[test], y[test]


def test_halves_of_wdbc_are_complements_in_ascending_order():
    X, y = scaled_sample("WDBC", "wdbc")
    first, second = (scaled_sample(name, "wdbc")[0] for name in ("WDBC1", "WDBC2"))
    assert first.shape[1] == second.shape[1] == 15
    assert_allclose(first, X[:, np.array(WDBC1) - 1])
    assert_allclose(first[:, 0], X[:, 3])  # feature 4
    assert WDBC2 == (1, 2, 3, 6, 12, 13, 16, 17, 18, 19, 20, 23, 24, 26, 30)
    assert_allclose(second, X[:, np.array(WDBC2) - 1])
    assert X.min() == pytest.approx(-1)
    assert X.max() == pytest.approx(1)
    # According to the thesis, its mask {2, 23, 30} is good on the second half for all splits.
    chosen = second[:, columns_of("010000000001001")]
    assert KNeighborsClassifier(7).fit(chosen[::2], y[::2]).score(chosen[1::2], y[1::2]) > 0.92


def test_samples_have_the_thesis_names():
    assert samples_of(["bupa", "wdbc", "a/b.csv"]) == {
        "LIVER": "bupa",
        "WDBC1": "wdbc",
        "WDBC2": "wdbc",
        "b": "a/b.csv",
    }
    assert samples_of(["ionosphere", "wdbc"], ["WDBC"]) == {"ION": "ionosphere", "WDBC": "wdbc"}


@pytest.mark.parametrize(
    ("datasets", "name"),
    [
        (["a/data.csv", "b/data.csv"], "data"),
        (["bupa", "LIVER.csv"], "LIVER"),
        (["wdbc", "WDBC2.csv"], "WDBC2"),
        (["WDBC.csv", "wdbc"], "WDBC"),
    ],
)
def test_samples_with_the_same_name_are_rejected(datasets, name):
    with pytest.raises(ValueError, match=f"are both named '{name}'; rename one of them"):
        samples_of(datasets, ["WDBC1"])


def test_a_file_with_the_name_of_a_half_is_taken_as_it_is(tmp_path):
    file = tmp_path / "WDBC1.csv"
    file.write_text("a,b,label\n" + "".join(f"{n},{n * n % 7},{n % 2}\n" for n in range(12)))
    ((sample, dataset),) = samples_of([str(file)]).items()
    assert (sample, scaled_sample(sample, dataset)[0].shape) == ("WDBC1", (12, 2))
    assert printed.names_by_sample({"WDBC1": ["a", "b"]}) == {"WDBC1": ["a", "b"]}


def test_an_empty_run_is_refused_with_the_remedy():
    with pytest.raises(DatasetUnavailableError, match=r"none of the data sets is available.*`make data`"):
        samples_of([])


def test_target_is_for_the_csv_files_of_a_mixed_list(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("label,a,b\n" + "".join(f"{n % 2},{n},{n * n % 7}\n" for n in range(12)))
    sizes = outline(samples_of(["iris", str(file)]), target="label").set_index(["dataset", "metric"])
    assert sizes["value"].unstack()["n_features"].to_dict() == {"iris": 4, "own": 2}


def test_masks_round_trip():
    assert columns_of("0110") == [1, 2]
    assert mask_of([2, 1], 4) == "0110"
    assert bits([1, 6, 8], 4) == ["1000", "0110", "0001"]


def test_partitions_are_two_to_one_and_keep_the_classes():
    y = scaled_sample("iris", "iris")[1]
    train, test = partition("iris", y, 0, seed=0)
    assert len(train) == 2 * len(test) == 100
    assert set(train) | set(test) == set(range(150))
    assert np.ptp(np.bincount(y[test])) <= 1
    other = partition("iris", y, 1, seed=0)[1]
    assert set(test) != set(other)


def test_theory_is_the_integral_and_falls_to_zero():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200_000) + 2 * rng.integers(0, 2, 200_000)
    eta = norm.pdf(x, 2) / (norm.pdf(x) + norm.pdf(x, 2))
    assert gamma_theory(2) == pytest.approx(np.mean(eta * (1 - eta)), abs=1e-3)
    assert gamma_theory(0) == pytest.approx(0.25)
    assert gamma_theory(7) < 1e-3


def test_gamma_of_random_draws_follows_theory(against_theory):
    mean = against_theory["distances"].groupby("distance")["value"].mean()
    theory = against_theory["theory"].set_index("distance")["value"]
    for distance in 1.41, 4.24:
        assert theory[distance] == 1000 * gamma_theory(distance)
        assert mean[distance] == pytest.approx(theory[distance], rel=0.1)


def test_first_distance_of_table_5_1_is_corrected(against_theory):
    as_printed = printed.table_5_1(against_theory["distances"])
    corrected = printed.table_5_1(against_theory["distances"], halved=True)
    assert as_printed["distance"].tolist()[1:] == corrected["distance"].tolist()[1:]
    assert as_printed["distance"][0] == pytest.approx(2 * corrected["distance"][0])
    assert corrected["difference"].abs()[0] < 10 < as_printed["difference"].abs()[0]


def test_points_and_lines_are_those_of_the_gamma_test(against_theory, three_features):
    X, y = scaled_sample("iris", "iris")
    found = gamma_test(X, y, 20)
    points, lines = (against_theory[name].query("figure == '5.1'") for name in ("points", "lines"))
    assert_allclose(points[["delta", "gamma"]], found.points)
    assert lines[["name", "gamma", "slope"]].to_numpy().tolist() == [["iris", found.gamma, found.slope]]
    assert against_theory["lines"]["name"].tolist() == ["iris", "20 neighbors", "250 neighbors", "499 neighbors"]
    example = three_features["example"]
    found = gamma_test(example[["feature_1", "feature_3"]].to_numpy(), example["label"].to_numpy(), 20)
    assert three_features["lines"].set_index("name").loc["101", "gamma"] == found.gamma


def test_three_features_are_ranked_as_in_the_thesis(three_features):
    table = three_features["criteria"]
    ranks = table[table["metric"] == "rank"].groupby("subset")["value"].mean()
    assert ranks.to_dict() == {"100": 1, "010": 2, "001": 3}
    train = table[table["metric"] == "train_acc_pct"].groupby("subset")["value"].mean()
    assert train["110"] > train["100"] > train["001"]


def test_linear_discriminant_separates_what_the_component_mixes():
    classes, directions = linear_projections(seed=0)
    X, y = classes[["feature_1", "feature_2"]].to_numpy(), classes["label"].to_numpy()
    vectors = directions.set_index("method")[["feature_1", "feature_2"]]
    assert_allclose(np.linalg.norm(vectors, axis=1), 1)

    def separation(v):
        low, high = (X[y == label] @ v for label in (0, 1))
        return abs(low.mean() - high.mean()) / (low.std() + high.std())

    assert separation(vectors.loc["linear discriminant"]) > 2
    assert separation(vectors.loc["principal component"]) < 0.5


def test_rows_of_independent_partitions_are_drawn_one_by_one():
    y = np.arange(3000) % 2
    train, test = partition("S", y, 0, 0, "independent")
    assert sorted([*train, *test]) == list(range(3000))
    assert abs(len(train) - 2000) < 5 * np.sqrt(3000 * 2 / 9)
    sizes = {len(partition("S", y, split, 0, "independent")[0]) for split in range(5)}
    assert len(sizes) > 1
    assert {len(partition("S", y, split, 0, "fixed")[0]) for split in range(5)} == {2000}


@pytest.mark.parametrize("max_neighbors", [1, 11, 31, 999])
def test_neighbors_ranked_once_vote_as_those_of_each_partition(max_neighbors):
    X, y = np.random.default_rng(1).normal(size=(90, 3)), np.arange(90) % 3
    X[:, 0] += y
    parts = [
        partition("S", y, split, 0, splitting) for split in range(4) for splitting in ("stratified", "independent")
    ]
    for (train, test), measured in zip(parts, by_neighbors_on(parts, X, y, max_neighbors), strict=True):
        assert measured == by_neighbors(X[train], y[train], X[test], y[test], max_neighbors)


def test_equal_candidates_are_favored_as_order_statistics_of_normal_values():
    rng = np.random.default_rng(0)
    subsets, splits = [f"{number:06b}" for number in range(1, 6)], 400
    rows = [
        {"sample": "S", "subset": subset, "classifier": classifier, "metric": "test_acc_pct", "split": split}
        | {"value": value, "networks": 5, "network_sd": 0.0}
        for classifier, scale in (("RANN", 3.0), ("kNN", 3.0))
        for subset in subsets
        for split, value in enumerate(70 + scale * rng.standard_normal(splits))
    ]
    judged = pd.DataFrame({"sample": "S", "method": "m", "subset": subsets, "classifier": "RANN"})
    bias = selection_bias(judged, pd.DataFrame(rows)).set_index(["classifier", "place"])["bias"]
    expected = np.array([1.16296, 0.49502, 0, -0.49502, -1.16296]) * 3 / np.sqrt(10)  # of five normal values
    assert_allclose(bias["RANN"], expected, atol=0.2)
    assert bias["RANN"].is_monotonic_decreasing
    assert_allclose(bias["kNN"], 0, atol=0.2)  # independent of what ranks the subsets


def test_the_noise_of_one_network_favors_the_first_of_several():
    subsets = ["01", "10"]
    rows = pd.DataFrame(
        [
            {"sample": "S", "subset": subset, "classifier": "RANN", "metric": "test_acc_pct", "split": split}
            | {"value": 70.0, "networks": 5, "network_sd": sd}
            for subset in subsets
            for split in range(20)
            for sd in [2.0]
        ]
    )
    judged = pd.DataFrame({"sample": "S", "method": "m", "subset": subsets, "classifier": "RANN"})
    bias = selection_bias(judged, rows, n_draws=20000)["bias"]
    sd = np.sqrt(4 * (1 - 1 / 5) / 10)  # of the mean over ten splits of one network about that of five
    assert_allclose(bias, np.array([1, -1]) * sd / np.sqrt(np.pi), rtol=0.03)  # the larger of two normal values


def test_joint_test_is_hotellings_and_forgives_splits_that_are_lucky_for_all():
    rng = np.random.default_rng(0)
    names, n = ["001", "010", "100"], 60
    common, own = 3 * rng.standard_normal((n, 1)), rng.standard_normal((n, 3))
    values = pd.DataFrame(70 + common + own, columns=names).rename_axis(index="split", columns="subset")
    table = values.stack().rename("value").reset_index()
    table = table.assign(sample="S", classifier="kNN", metric="test_acc_pct", networks=1, network_sd=np.nan)
    printed_means = {"lucky": values.mean() + 2, "apart": values.mean() + np.array([1.5, -1.5, 0])}
    p = {}
    for name, means in printed_means.items():
        rows = pd.DataFrame({"subset": names, "value": [f"{value:.4f}" for value in means], "bias": 0.0})
        found = joint_tests(rows.assign(dataset="S", classifier="kNN", metric="test_acc_pct"), table).iloc[0]
        d = rows["value"].astype(float).to_numpy() - values.mean().to_numpy()
        covariance = np.cov(values.T) + np.eye(3) * 10 * 0.00005**2 / 3
        statistic = d @ np.linalg.inv(covariance) @ d / (1 / 10 + 1 / n)
        assert found["statistic"] == pytest.approx(statistic, rel=1e-6)
        assert found["p"] == pytest.approx(f_distribution.sf((n - 3) / (3 * (n - 1)) * statistic, 3, n - 3))
        p[name] = found["p"]
    assert p["lucky"] > 0.05 > p["apart"]
    few = joint_tests(rows.assign(dataset="S", classifier="kNN", metric="test_acc_pct"), table[table["split"] < 8])
    assert np.isnan(few["p"]).all()  # too few splits for a covariance


def test_accuracies_share_partitions_and_report_sizes():
    options = {**CLASSIFICATION, "n_inner_splits": 3, "max_neighbors": 11, **QUICK}
    table = accuracies(IRIS, {"iris": ["0011", "1111", "0011"]}, **options)
    assert len(table) == 2 * 2 * 2 * 2
    knn, k = table.query("classifier == 'kNN' and metric == 'test_acc_pct' and subset == '0011'")[
        ["value", "size"]
    ].T.to_numpy()
    for split, (A, b, A_test, b_test) in enumerate(training_parts()):
        plain = KNeighborsClassifier(int(k[split])).fit(A[:, 2:], b)
        assert knn[split] == pytest.approx(100 * plain.score(A_test[:, 2:], b_test))
    with pytest.raises(ValueError, match="mask '011' has 3 bits"):
        accuracies(IRIS, {"iris": ["011"]}, **options)


def all_masks(n):
    return [f"{m:0{n}b}" for m in range(1, 2**n)]


def test_gamma_ranking_is_equation_7_1():
    table = gamma_ranking(gamma_terms(IRIS, **GAMMA), n_best=3)
    score = {}
    for X, y, _, _ in training_parts():
        for p in (5, 10):
            gamma = {mask: gamma_test(X[:, columns_of(mask)], y, p).gamma for mask in all_masks(4)}
            for mask in sorted(gamma, key=gamma.get)[:3]:
                score[mask] = score.get(mask, 0) + 1 / (0.1 + gamma[mask])
    assert dict(zip(table["subset"], table["score"], strict=True)) == pytest.approx(
        dict(sorted(score.items(), key=lambda item: -item[1])[:3])
    )
    assert table["order"].tolist() == [1, 2, 3]


def test_rank_scores_of_given_subsets_are_those_of_the_ranking():
    table = gamma_ranking(gamma_terms(IRIS, **GAMMA), n_best=3)
    scores = gamma_rank_scores(gamma_terms(IRIS, **GAMMA), {"iris": [*table["subset"], "1000"]})
    assert len(scores) == 4 * 2
    mean = scores.groupby("subset")["value"].mean()
    assert mean["1000"] == 0  # never among the best
    assert_allclose(mean[table["subset"]], table["score"] * 70 / (2 * 2))


def test_rann_ranking_is_the_mean_training_accuracy():
    table = rann_ranking(IRIS, n_hidden=5, network=(("scale", 0.5), ("output_bias", True)), n_best=15, **QUICK)
    subsets = [tuple(columns_of(mask)) for mask in table["subset"]]
    values = []
    for split, (X, y, _, _) in enumerate(training_parts()):
        seed = seed_for(3, "wrapper", "iris", split)
        values.append(RANNAccuracy(5, scale=0.5, output_bias=True, random_state=seed).bind(X, y).score(subsets))
    assert_allclose(table["score"], 100 * np.mean(values, axis=0))
    assert table["score"].is_monotonic_decreasing


def test_information_prefixes_are_those_of_mifs():
    density = {"alpha": 0.5, "mode": "joint2d", "bandwidth": "adaptive"}
    found = prefixes(IRIS, **density, **QUICK)
    table = information_prefixes(found)
    expected = set()
    for X, y, _, _ in training_parts():
        order = MIFS(4, density="values", **density).fit(X, y).order_
        expected |= {mask_of(order[:size], 4) for size in (2, 3)}
    assert set(table["subset"]) == expected
    assert table["score"].sum() == len(found) / 2  # shares of two splits


def test_pbil_proposes_the_best_run_of_each_split(large):
    runs, candidates = large["runs"], best_runs(large["runs"])
    assert set(candidates["method"]) <= set(large["large"]["method"])
    values = runs[runs["metric"] == "value"]
    for method, part in candidates.groupby("method"):
        ours = values[values["method"] == method.removeprefix("PBIL+")]
        best = ours.loc[ours.groupby("split")["value"].idxmax()]
        assert set(part["subset"]) <= set(ours["subset"])
        assert part["score"].max() == pytest.approx(best["value"].max())
        assert len(part) <= 2


def tiny_summary():
    candidates = pd.DataFrame(
        {
            "sample": "S",
            "method": ["a", "a", "b"],
            "order": [1, 2, 1],
            "subset": ["110", "011", "110"],
            "score": [3.0, 2, 1],
        }
    )
    rows = [
        {"sample": "S", "subset": s, "classifier": c, "metric": m, "split": k, "value": base + k}
        for s, base in (("110", 70), ("011", 80), ("111", 75))
        for c in ("RANN", "kNN")
        for m in ("train_acc_pct", "test_acc_pct")
        for k in (0, 2)
    ]
    return candidates, summary(candidates, pd.DataFrame(rows))


def test_summary_ranks_by_test_accuracy_and_includes_the_full_set():
    candidates, table = tiny_summary()
    network = table[table["classifier"] == "RANN"].set_index(["method", "subset"])
    assert network.loc[("a", "011"), ["place", "order", "n_features"]].tolist() == [1, 2, 2]
    assert network.loc[("a", "110"), "place"] == 2
    assert network.loc[("full", "111"), ["test", "test_sd"]].tolist() == pytest.approx([76, np.sqrt(2)])
    assert subsets_to_measure(candidates, pd.DataFrame({"dataset": ["S", "T"], "subset": ["100", "1"]})) == {
        "S": ["011", "100", "110", "111"]
    }
    overlap = overlaps(table).set_index("metric")["value"]
    assert overlap["jaccard"] == pytest.approx((1 + 1 / 3) / 2)
    assert overlap["identical"] == 0.5
    assert overlap["difference"] == pytest.approx(5)
    first = overlaps(table, n_top=1).set_index("metric")["value"]  # by order, not by place
    assert first["identical"] == 1
    assert first["difference"] == 0


def of_subsets(metric, values, network=0):
    """Rows of the table ``values`` from an array of splits and subsets."""
    what = {"sample": "S", "kind": "subset", "network": network, "metric": metric}
    return [{**what, "split": s, "number": n, "value": value} for (s, n), value in np.ndenumerate(values)]


def test_correlations_are_pearsons():
    rng = np.random.default_rng(0)
    x, a, b = (rng.normal(size=(6, 6)) for _ in "xab")
    rows = [*of_subsets("gamma_test", x), *of_subsets("RANN", a), *of_subsets("kNN", b)]
    table = correlations(pd.DataFrame(rows), n_splits=3)
    ours = table.query("classifier == 'RANN' and metric == 'mean_of_per_split_correlation'")["value"]
    assert_allclose(ours, [pearsonr(x[s], a[s])[0] for s in range(6)])
    means = table.query("classifier == 'kNN' and metric == 'correlation_of_means'").set_index("split")["value"]
    expected = {-1: pearsonr(x[:3].mean(axis=0), b[:3].mean(axis=0))[0]}
    expected[-2] = pearsonr(x[3:].mean(axis=0), b[3:].mean(axis=0))[0]
    assert means.to_dict() == pytest.approx(expected)


def test_correlations_are_those_of_single_networks():
    rng = np.random.default_rng(1)
    x, first, second = rng.normal(size=(3, 1, 8))
    frames = [("gamma_test", x, 0), ("RANN", first, 0), ("RANN", second, 1), ("kNN", first, 0)]
    rows = [row for metric, values, network in frames for row in of_subsets(metric, values.repeat(2, axis=0), network)]
    table = correlations(pd.DataFrame(rows), 2).query("classifier == 'RANN' and metric == 'correlation_of_means'")
    single = [pearsonr(x[0], y[0])[0] for y in (first, second)]
    assert table["value"].item() == pytest.approx(np.mean(single))
    assert table["network_sd"].item() == pytest.approx(np.std(single, ddof=1))


def test_criteria_and_accuracy_measure_features_and_subsets():
    subsets = pd.DataFrame({"sample": "iris", "number": [1, 2], "mask": ["0011", "1000"]})
    table = Correlation(**SMALL).criteria_and_accuracy(IRIS, subsets)
    assert table.groupby("kind")["number"].max().to_dict() == {"feature": 4, "subset": 2}
    X, y, _, _ = next(training_parts())
    gamma = table.query("kind == 'subset' and number == 1 and split == 0 and metric == 'gamma_test'")["value"].iloc[0]
    assert gamma == pytest.approx(gamma_test(X[:, 2:], y, 30).gamma)


def test_other_numbers_of_neighbors_change_gamma_alone(correlation):
    of_subsets = correlation["values"].query("kind == 'subset'")
    X, y, _, _ = next(training_parts())
    masks = of_subsets.drop_duplicates("number").set_index("number")["mask"]
    first = of_subsets.query("split == 0 and metric == 'kNN'").set_index("number")["value"]
    found = correlation["neighbors"].query("split == 0 and classifier == 'kNN'").set_index("p_max")["value"]
    for p_max in (20, 50):
        gamma = [gamma_test(X[:, columns_of(masks[number])], y, p_max).gamma for number in first.index]
        assert found[p_max] == pytest.approx(pearsonr(gamma, first)[0])


def test_damaged_masks_are_replaced_and_never_used():
    in_print = subsets_of_table_b_1("WDBC2")
    assert in_print == list(published("nel1998").query("table == 'B.1' and dataset == 'WDBC'")["value"])
    masks = subsets_of("WDBC2", 15, seed=0)
    assert masks.loc[~masks["printed"], "number"].tolist() == [9, 11]
    assert all(len(mask) == 15 and "1" in mask for mask in masks["mask"])
    assert masks.loc[masks["printed"], "mask"].tolist() == [mask for mask in in_print if len(mask) == 15]
    assert subsets_of_table_b_1("WDBC") == []
    others = subsets_of("iris", 4, seed=0)
    assert len(others) == 20
    assert not others["printed"].any()


def test_usable_masks_have_the_right_length():
    tables = [*FULL_SEARCH_TABLES, *PBIL_TABLES]
    rows = rows_of(tables)
    kept = usable(rows)
    length = {"LIVER": 6, "PIMA": 8, "WDBC1": 15, "WDBC2": 15, "WDBC": 30, "ION": 34}
    assert (kept["subset"].str.len() == kept["dataset"].map(length)).all()
    assert kept["subset"].str.fullmatch("[01]+").all()
    assert 0 < len(kept) < len(rows)


def test_layout_puts_mean_and_spread_in_one_column():
    print_ = pd.DataFrame({"dataset": ["S", "T"], "metric": "test_acc_pct", "value": ["70.0", "50.0"]})
    measured = pd.DataFrame({"dataset": "S", "metric": "test_acc_pct", "value": [70.0, 71.0, 72.0]})
    shown = printed.compact_table(printed.PUBLISHED.graded("Table 0", compare(print_, measured, ["dataset", "metric"])))
    assert shown["reproduced"].tolist() == ["71.0 ± 1.0"]  # without T, which is not in the run
    assert shown["grade"].tolist() == ["✓ close, +0.9 se"]
    _, table = tiny_summary()
    top = printed.top_five(table, "a", {})
    assert "names" not in top
    assert top["rank"].tolist() == ["2", "1", "full set"]
    assert top["RANN test"].iloc[0] == "81.00 ± 1.41"


def test_searches_are_compared_with_the_optimum():
    experiment = Searches(dataset=["iris"], n_splits=1, n_runs=2, max_evaluations=10, n_hidden=5, seed=1)
    tables = experiment.run()
    found = tables["searches"].set_index(["criterion", "search"])
    assert (found.xs("exhaustive", level="search")["optimal"] == 1).all()
    assert (found.xs("exhaustive", level="search")["n_evaluations"] == 15).all()
    assert (found["gap"] >= 0).all()
    assert (found.xs("random", level="search")["n_evaluations"] <= 10).all()
    sums = tables["selected"].groupby(["criterion", "search"])["share"].sum()
    sizes = pd.concat([tables["searches"], tables["sized_searches"]]).set_index(["criterion", "search"])["n_features"]
    assert_allclose(sums[sizes.index], sizes)


def test_shares_of_features_are_counted_over_splits_and_runs():
    """Of four subsets of three features, the first feature is in all and the last in one."""
    found = pd.DataFrame({"subset": ["110", "110", "100", "101"], "split": [0, 0, 1, 1], "run": [0, 1, 0, 1]})
    found = found.assign(sample="S", criterion="gamma_test", search="GA")
    found = pd.concat([found.assign(metric=metric, value=0.0) for metric in ("value", "seconds")])
    counted = shares(found)
    assert dict(zip(counted["feature"], counted["share"], strict=True)) == {1: 1.0, 2: 0.5, 3: 0.25}


def test_branch_and_bound_is_exact():
    experiment = Searches(n_features_to_select=[2, 9], n_splits=1, max_features=6)
    found = outcomes(experiment.given_size({"WDBC2": "wdbc"})).set_index("search")
    assert found.loc["branch and bound", "optimal"] == 1
    assert set(found["criterion"]) == {"Bhattacharyya, 2 features"}  # nine of six are left out
    with pytest.raises(ValueError, match=r"n_features_to_select=\[6\] has no size below .* of WDBC2; add a smaller"):
        Searches(n_features_to_select=[6], n_splits=1, max_features=6).given_size({"WDBC2": "wdbc"})


@pytest.mark.parametrize("claim", ["N1", "N4", "N5", "N8", "N9"])
def test_claims_on_missing_samples_are_not_tested(claim):
    _, judged = tiny_summary()
    found = pd.DataFrame({"dataset": ["S"], "classifier": "RANN", "method": "mutual_information"})
    found = found.assign(metric="mean_of_per_split_correlation", value=0.9)
    rule = rules_of("nel1998")[claim]
    tables = {"summary": judged, "large": judged, "correlations": found}
    assert rule.verdict({name: tables.get(name) for name in rule.needs}).answer == "not tested"


def test_no_printed_number_contradicts_its_own_claim():
    tables = printed.as_measured()
    answers = {claim: rule.verdict(tables).answer for claim, rule in rules_of("nel1998").items()}
    assert "fails" not in answers.values()
    assert {claim for claim, answer in answers.items() if answer == "holds"} >= {"N2", "N6", "N8"}


def test_printed_spread_is_that_of_the_numbers_as_measured():
    accuracies = printed.as_measured()["accuracies"]
    own = accuracies.query("sample == 'LIVER' and classifier == 'kNN' and subset == '111111'")["value"]
    assert own.mean() == pytest.approx(62.97)
    assert own.std() == pytest.approx(3.44)


def test_experiments_measure_what_the_pages_show(correlation, full_search, large):
    assert set(correlation["subsets"]["mask"]) == set(correlation["values"].query("kind == 'subset'")["mask"])
    ours = correlation["correlations"].query("metric == 'mean_of_per_split_correlation' and classifier == 'kNN'")
    assert sorted(ours["split"].unique()) == [0, 1, 2, 3]
    for tables, name, judged in ((full_search, "accuracies", "summary"), (large, "large_accuracies", "large")):
        test = tables[name].query("metric == 'test_acc_pct'")
        means = test.groupby(["subset", "classifier"])["value"].mean()
        kept = tables[judged].set_index(["subset", "classifier"])["test"]
        assert_allclose(kept, means[kept.index])
        assert "full" in set(tables[judged]["method"])
    assert set(full_search["summary"]["method"]) == {"gamma_test", "mutual_information", "RANN_wrapper", "full"}
    assert full_search["rank_scores"].empty  # iris is not in Table 7.5
    assert "1111" in set(full_search["gamma"]["subset"])


def test_printed_tables_are_compared_with_our_values():
    rows = usable(published("nel1998").query("table == '7.5' and dataset == 'PIMA'"))
    ours = rows[rows["classifier"] != "none"].assign(
        sample="PIMA", split=0, value=lambda table: table["value"].astype(float) + 1, networks=1, network_sd=np.nan
    )
    gamma = rows[rows["metric"] == "avg_gamma_e-3"].assign(value=lambda table: table["value"].astype(float))
    measured = ours[["sample", "subset", "classifier", "metric", "split", "value", "networks", "network_sd"]]
    chosen = pd.DataFrame(
        columns=["sample", "method", "subset", "classifier"]
    )  # nothing was chosen, nothing is favored
    comparisons = printed.proposals(["7.5", "7.6"], chosen, measured, gamma[["dataset", "subset", "metric", "value"]])
    table = comparisons["Table 7.5"]
    assert set(table.loc[table["reproduced"].notna(), "dataset"]) == {"PIMA"}
    assert len(table) == 2 * 48 + 45  # every printed mean and standard deviation, and Gamma and rank scores
    difference = table.groupby("metric")["difference"].agg(["min", "max"])
    assert_allclose(difference.loc[["train_acc_pct", "test_acc_pct"]], 1)
    assert_allclose(difference.loc["avg_gamma_e-3"], 0)
    assert set(printed.compact_table(table)["sample"]) == {"PIMA"}
    assert (table["metric"].eq("avg_gamma_e-3") & table["grade"].eq("identical")).sum() == len(gamma)
    assert table.loc[table["metric"] == "gamma_rank_score", "reproduced"].isna().any()


def test_spread_of_one_network_is_found_from_means_over_several():
    rng = np.random.default_rng(0)
    single = 2 * rng.normal(size=(4000, 1)) + 3 * rng.normal(size=(4000, 5))  # splits, networks
    rows = pd.DataFrame({"value": single.mean(axis=1), "network_sd": single.std(axis=1, ddof=1), "networks": 5})
    rows = rows.assign(dataset="S", subset="11", classifier="RANN", metric="test_acc_pct")
    assert printed.single_network_spreads(rows)["sd"].item() == pytest.approx(np.sqrt(13), rel=0.03)


def test_every_printed_number_has_a_row(against_theory, correlation, full_search, large):
    found = printed.comparisons({**against_theory, **correlation, **full_search, **large})
    unprinted = {name: table["published"].isna() & table["reproduced"].notna() for name, table in found.items()}
    assert {name for name, own in unprinted.items() if own.any()} == {"Section 7.1", *(f"Table 7.{k}" for k in "1234")}
    found = {name: table[~unprinted[name]] for name, table in found.items()}
    rows = published("nel1998").query("table != 'B.1'")
    once = rows.drop(rows.index[(rows["metric"] == "feature_of_WDBC") & (rows["number"] != "1")])
    assert sum(map(len, found.values())) == len(once) + (once["spread"] != "").sum()
    assert all(table["item"].str.len().gt(0).all() for table in found.values())
    # of iris nothing is printed, so only the two normal classes are measured
    assert {name for name, table in found.items() if table["reproduced"].notna().any()} == {"Table 5.1"}


def test_explanations_are_queries_on_the_comparisons(against_theory, correlation, full_search, large):
    found = printed.comparisons({**against_theory, **correlation, **full_search, **large})
    explanations = published("nel1998_explanations")
    for row in explanations.itertuples():
        matched = found[row.table].query(row.match)
        assert len(matched) or any(name in row.match for name in ("difference", "reproduced", "together"))
        explained(found[row.table], "nel1998", row.table)
    table = found["Table 5.1"]
    judged = explained(table, "nel1998", "Table 5.1").set_index("distance")["cause"]
    assert judged[2.82] == "misprint"
    assert set(judged.drop(2.82)) <= {"", "unexplained"}


@pytest.mark.parametrize("n_splits", [2, 10, 25])
def test_numbers_in_prose_are_means_over_every_ten_splits(n_splits):
    splits = range(n_splits)
    # the first ten splits propose three subsets, and each later one a subset of its own
    new = ["01", "11", *["01"] * 8, *(f"{split:b}" for split in range(16, 31))]
    ranked = pd.DataFrame(
        [{"sample": "ION", "split": split, "subset": subset} for split in splits for subset in ("10", new[split])]
    )
    found = {"100": lambda split: 92.0 if split < 10 else 88.0, "010": lambda split: 91.0, "111": lambda split: 90.0}
    accuracies = pd.DataFrame(
        [
            {"sample": "ION", "subset": subset, "classifier": "RANN", "split": split, "value": value(split)}
            for subset, value in found.items()
            for split in splits
        ]
    ).assign(metric="test_acc_pct")
    large = pd.DataFrame({"sample": "ION", "method": ["PBIL+gamma_test", "PBIL+gamma_test", "full"]})
    large = large.assign(subset=list(found), classifier="RANN")
    tables = {"rankings": ranked, "large": large, "large_accuracies": accuracies}
    table = printed.prose(tables).set_index(["dataset", "metric"])
    counts, saved = (table.loc["ION", metric] for metric in ("n_subsets_evaluated", "stated_error_reduction_pct"))
    several = n_splits == 25  # two tens; the last five splits are no experiment like that of the thesis
    assert counts["n"] == saved["n"] == (2 if several else 1)
    assert counts["reproduced"] == ((3 + 11) / 2 if several else 3)
    assert saved["reproduced"] == pytest.approx((20 + 10) / 2 if several else 20)
    assert np.isnan(table.loc[("WDBC", "n_subsets_evaluated"), "reproduced"])


@pytest.fixture(scope="module")
def readings():
    return Readings(dataset=["bupa"], n_splits=3, n_inner_splits=1, n_expected=3, seed=1).run()


@pytest.mark.slow
@pytest.mark.data("bupa")
def test_readings_are_compared_with_print(readings):
    agreement = summaries.agreement(readings)
    assert set(agreement["reading"]) == set(READINGS)
    assert (agreement["agree"] <= agreement["comparable"]).all()
    assert set(agreement.loc[agreement["chosen_on"], "table"]) == {"Table 7.1", "Table 7.3", "Table 7.5"}
    estimates = summaries.estimates(readings)
    assert set(estimates["claim"]) == {"N1", "N2", "N4", "N5", "N6", "N7", "N10"}
    assert set(estimates["reading"]) == set(READINGS)


@pytest.mark.slow
@pytest.mark.data("bupa")
def test_settings_of_the_network_are_compared_with_print(readings):
    settings = summaries.settings(readings)
    assert set(settings["setting"]) == set(SETTINGS)
    # k-NN doesn't depend on the network, only on the splits
    knn = settings.query("classifier == 'kNN' and not setting.str.startswith('splits')")
    assert (knn.groupby(["table", "dataset", "subset", "metric"])["difference"].nunique() == 1).all()


def test_readings_need_a_printed_data_set():
    with pytest.raises(DatasetUnavailableError, match="dataset=wdbc"):
        Readings(dataset=["iris"]).run()


@pytest.mark.slow
@pytest.mark.data("bupa")
def test_support_is_the_share_of_splits_that_propose_a_printed_subset(readings):
    support = readings["support"].query("reading == 'as on the pages' and sample == 'LIVER'")
    page = FullSearch(dataset=["bupa"])
    found = prefixes({"LIVER": "bupa"}, **page.pick("alpha", "mode", "bandwidth"), n_splits=3, seed=1)
    share = found.groupby("subset")["split"].nunique() / 3
    own = support[support["subset"] != ""].set_index("subset")["share"]
    assert_allclose(own, share.reindex(own.index, fill_value=0))
    assert support["count"].max() == found["subset"].nunique()


def test_subsets_are_named_by_the_columns_of_their_sample():
    """WDBC1 begins with features 4 and 5 of the file."""
    row = {"sample": "WDBC1", "method": "a", "order": 1, "subset": "11" + 13 * "0", "place": 1, "n_features": 2}
    rates = {"test": 90.0, "train": 91.0, "test_sd": 1.0, "train_sd": 1.0}
    table = pd.DataFrame([{**row, **rates, "classifier": name} for name in ("RANN", "kNN")])
    names = {"wdbc": [f"column_{number}" for number in range(1, 31)]}
    assert printed.top_five(table, "a", names)["names"].tolist() == ["column_4, column_5"]


def ranked(**accuracy):
    """Tables of LIVER with one subset of each method, and the full set at 70, over ten splits with a little noise."""
    rng = np.random.default_rng(0)
    masks = dict(zip(accuracy, ("110111", "101111", "011111"), strict=False)) | {"full": "111111"}
    accuracy = {**accuracy, "full": 70.0}
    rows = [
        {"sample": "LIVER", "subset": mask, "classifier": c, "metric": "test_acc_pct", "split": k}
        | {"value": accuracy[method] + value, **printed.ONE_NETWORK}
        for method, mask in masks.items()
        for c in ("RANN", "kNN")
        for k, value in enumerate(rng.normal(0, 1, 10))
    ]
    accuracies = pd.DataFrame(rows)
    listed = pd.DataFrame({"sample": "LIVER", "method": list(masks), "order": 1, "subset": list(masks.values())})
    return listed.merge(accuracies.drop(columns=["sample", "metric"]), on="subset"), accuracies


@pytest.mark.parametrize(("wrapper", "answer"), [(69, "holds"), (71, "undecided"), (79, "fails")])
def test_the_wrapper_may_lead_by_less_than_a_point(wrapper, answer):
    summary, accuracies = ranked(RANN_wrapper=wrapper, gamma_test=70, mutual_information=0)  # which isn't judged
    row, *_ = decide(N6().statements(summary, accuracies))
    assert row.answer == answer
    assert row.below == POINT


def test_methods_are_judged_on_the_order_of_their_criteria():
    summary, accuracies = ranked(RANN_wrapper=90, gamma_test=70)
    late = summary.assign(order=summary["order"].where(summary["method"] != "RANN_wrapper", 6))
    first = late[late["method"] == "gamma_test"].assign(method="RANN_wrapper", order=1)
    both = pd.concat([late, first])
    row, *_ = decide(N6().statements(both, accuracies))
    assert row.estimate == 0, "the wrapper's first subset is the filter's; its late one is not judged"

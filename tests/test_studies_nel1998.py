"""The studies of Nel's thesis: masks, partitions, candidates, correlations, and what the pages make of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, pearsonr
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import RANNAccuracy, gamma_test
from fscore.datasets import DatasetUnavailableError
from fscore.filters import MIFS
from nel1998 import printed as layout
from nel1998.claims import information_fails_on_liver, the_wrapper_hardly_beats_the_filters
from compendium.published import compare, published, with_verdicts
from compendium.verdicts import claims_needing
from fscore.studies import _nel1998_samples as samples_module
import nel1998 as study

IRIS = {"iris": "iris"}
QUICK = {"n_splits": 2, "seed": 3}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path))


def training_parts(sample="iris", dataset="iris", n_splits=2, seed=3):
    X, y = samples_module.scaled(sample, dataset)
    for split in range(n_splits):
        train, test = samples_module.partition(sample, y, split, seed)
        yield X[train], y[train], X[test], y[test]


def test_halves_of_wdbc_are_complements_in_ascending_order():
    X, _ = samples_module.scaled("WDBC", "wdbc")
    first, second = (samples_module.scaled(name, "wdbc")[0] for name in ("WDBC1", "WDBC2"))
    assert first.shape[1] == second.shape[1] == 15
    assert_allclose(first[:, 0], X[:, 3])  # feature 4
    assert samples_module.WDBC2 == (1, 2, 3, 6, 12, 13, 16, 17, 18, 19, 20, 23, 24, 26, 30)
    assert_allclose(second, X[:, np.array(samples_module.WDBC2) - 1])
    assert X.min() == pytest.approx(-1)
    assert X.max() == pytest.approx(1)
    # NOTES of the thesis' own figures: its mask {2, 23, 30} is good on the second half, whatever the splits
    chosen = second[:, study.columns_of("010000000001001")]
    y = samples_module.scaled("WDBC", "wdbc")[1]
    assert KNeighborsClassifier(7).fit(chosen[::2], y[::2]).score(chosen[1::2], y[1::2]) > 0.92


def test_samples_have_the_thesis_names():
    assert study.samples_of(["bupa", "wdbc", "a/b.csv"]) == {
        "LIVER": "bupa",
        "WDBC1": "wdbc",
        "WDBC2": "wdbc",
        "b": "a/b.csv",
    }
    assert study.samples_of(["ionosphere", "wdbc"], ["WDBC"]) == {"ION": "ionosphere", "WDBC": "wdbc"}


def test_no_sample_at_hand_is_said_with_the_remedy():
    for empty in (lambda: study.samples_of([]), lambda: study.gamma_ranking({}), lambda: study.rann_ranking({})):
        with pytest.raises(DatasetUnavailableError, match=r"none of the data sets is at hand.*`make data`"):
            empty()


def test_target_is_for_the_csv_files_of_a_mixed_list(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("label,a,b\n" + "".join(f"{n % 2},{n},{n * n % 7}\n" for n in range(12)))
    outline = study.outline(study.samples_of(["iris", str(file)]), target="label").set_index(["dataset", "metric"])
    assert outline["value"].unstack()["n_features"].to_dict() == {"iris": 4, "own": 2}


def test_masks_there_and_back():
    assert study.columns_of("0110") == [1, 2]
    assert study.mask_of([2, 1], 4) == "0110"
    assert samples_module.bits([1, 6, 8], 4) == ["1000", "0110", "0001"]


def test_partitions_are_two_to_one_and_keep_the_classes():
    y = samples_module.scaled("iris", "iris")[1]
    train, test = samples_module.partition("iris", y, 0, seed=0)
    assert len(train) == 2 * len(test) == 100
    assert set(train) | set(test) == set(range(150))
    assert np.ptp(np.bincount(y[test])) <= 1
    other = samples_module.partition("iris", y, 1, seed=0)[1]
    assert set(test) != set(other)


def test_theory_is_the_integral_and_falls_to_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200_000) + 2 * rng.integers(0, 2, 200_000)
    eta = norm.pdf(x, 2) / (norm.pdf(x) + norm.pdf(x, 2))
    assert study.gamma_theory(2) == pytest.approx(np.mean(eta * (1 - eta)), abs=1e-3)
    assert study.gamma_theory(0) == pytest.approx(0.25)
    assert study.gamma_theory(7) < 1e-3


def test_gamma_of_drawings_follows_theory():
    table = study.gamma_against_distance([1.41, 4.24], n_repeats=10, seed=1)
    mean = table.groupby("distance")["value"].mean()
    for distance, value in mean.items():
        assert value == pytest.approx(1000 * study.gamma_theory(distance), rel=0.1)


def test_three_features_are_ranked_as_in_the_thesis():
    table = study.three_features(n_repeats=2)
    ranks = table[table["metric"] == "rank"].groupby("subset")["value"].mean()
    assert ranks.to_dict() == {"100": 1, "010": 2, "001": 3}
    train = table[table["metric"] == "train_acc_pct"].groupby("subset")["value"].mean()
    assert train["110"] > train["100"] > train["001"]


def test_linear_discriminant_separates_what_the_component_mixes():
    X, y, directions = study.linear_projections()

    def overlap(v):
        low, high = (X[y == label] @ v for label in (0, 1))
        return abs(low.mean() - high.mean()) / (low.std() + high.std())

    assert overlap(directions["linear discriminant"]) > 2
    assert overlap(directions["principal component"]) < 0.5


def test_accuracies_share_partitions_and_know_the_sizes():
    table = study.accuracies(IRIS, {"iris": ["0011", "1111", "0011"]}, n_inner_splits=3, max_hidden=10, **QUICK)
    assert len(table) == 2 * 2 * 2 * 3
    knn = table.query("classifier == 'kNN' and metric == 'test_acc_pct' and subset == '0011'")["value"].to_numpy()
    k = table.query("classifier == 'kNN' and metric == 'size' and subset == '0011'")["value"].to_numpy()
    for split, (A, b, A_test, b_test) in enumerate(training_parts()):
        plain = KNeighborsClassifier(int(k[split])).fit(A[:, 2:], b)
        assert knn[split] == pytest.approx(100 * plain.score(A_test[:, 2:], b_test))
    with pytest.raises(ValueError, match="mask '011' has 3 bits"):
        study.accuracies(IRIS, {"iris": ["011"]}, **QUICK)


def all_masks(n):
    return [f"{m:0{n}b}" for m in range(1, 2**n)]


def test_gamma_ranking_is_equation_7_1():
    table = study.gamma_ranking(IRIS, p_max=(5, 10), n_best=3, **QUICK)
    score = {}
    for X, y, _, _ in training_parts():
        for p in (5, 10):
            gamma = {mask: gamma_test(X[:, study.columns_of(mask)], y, p).gamma for mask in all_masks(4)}
            for mask in sorted(gamma, key=gamma.get)[:3]:
                score[mask] = score.get(mask, 0) + 1 / (0.1 + gamma[mask])
    assert dict(zip(table["subset"], table["score"], strict=True)) == pytest.approx(
        dict(sorted(score.items(), key=lambda item: -item[1])[:3])
    )
    assert table["order"].tolist() == [1, 2, 3]


def test_rank_scores_of_given_subsets_are_those_of_the_ranking():
    options = {"p_max": (5, 10), "n_best": 3, **QUICK}
    table = study.gamma_ranking(IRIS, **options)
    scores = study.gamma_rank_scores(IRIS, {"iris": [*table["subset"], "1000"]}, **options)
    assert len(scores) == 4 * 2
    mean = scores.groupby("subset")["value"].mean()
    assert mean["1000"] == 0  # never among the best
    assert_allclose(mean[table["subset"]], table["score"] * 70 / (2 * 2))


def test_rann_ranking_is_the_mean_training_accuracy():
    table = study.rann_ranking(IRIS, n_hidden=5, n_best=15, **QUICK)
    subsets = [tuple(study.columns_of(mask)) for mask in table["subset"]]
    values = []
    for split, (X, y, _, _) in enumerate(training_parts()):
        seed = samples_module.seed_for(3, "wrapper", "iris", split)
        values.append(RANNAccuracy(5, random_state=seed).bind(X, y).values(subsets))
    assert_allclose(table["score"], 100 * np.mean(values, axis=0))
    assert table["score"].is_monotonic_decreasing


def test_information_prefixes_are_those_of_mifs():
    table = study.information_prefixes(IRIS, **QUICK)
    expected = set()
    for X, y, _, _ in training_parts():
        order = MIFS(4).fit(X, y).order_
        expected |= {study.mask_of(order[:size], 4) for size in (2, 3)}
    assert set(table["subset"]) == expected


def test_pbil_proposes_the_best_run_of_each_split():
    candidates, runs = study.pbil_subsets(IRIS, n_runs=2, population=6, max_generations=2, n_hidden=5, **QUICK)
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
        for m in ("train_acc_pct", "test_acc_pct", "size")
        for k in (0, 2)
    ]
    return candidates, study.summary(candidates, pd.DataFrame(rows))


def test_summary_places_by_test_accuracy_and_knows_the_full_set():
    candidates, table = tiny_summary()
    network = table[table["classifier"] == "RANN"].set_index(["method", "subset"])
    assert network.loc[("a", "011"), ["place", "order", "n_features"]].tolist() == [1, 2, 2]
    assert network.loc[("a", "110"), "place"] == 2
    assert network.loc[("full", "111"), ["test", "test_sd"]].tolist() == pytest.approx([76, np.sqrt(2)])
    assert study.to_measure(candidates, pd.DataFrame({"dataset": ["S", "T"], "subset": ["100", "1"]})) == {
        "S": ["011", "100", "110", "111"]
    }
    overlap = study.overlaps(table).set_index("metric")["value"]
    assert overlap["jaccard"] == pytest.approx((1 + 1 / 3) / 2)
    assert overlap["identical"] == 0.5
    assert overlap["difference"] == pytest.approx(5)
    first = study.overlaps(table, n_top=1).set_index("metric")["value"]  # by order, not by place
    assert first["identical"] == 1
    assert first["difference"] == 0


def test_correlations_are_pearsons():
    rng = np.random.default_rng(0)
    x, a, b = (rng.normal(size=(3, 6)) for _ in "xab")
    rows = [
        {"sample": "S", "kind": "subset", "number": n, "split": s, "metric": metric, "value": values[s, n]}
        for metric, values in (("gamma_test", x), ("RANN", a), ("kNN", b))
        for s in range(3)
        for n in range(6)
    ]
    table = study.correlations(pd.DataFrame(rows))
    ours = table.query("classifier == 'RANN' and metric == 'mean_of_per_split_correlation'")["value"]
    assert_allclose(ours, [pearsonr(x[s], a[s])[0] for s in range(3)])
    means = table.query("classifier == 'kNN' and metric == 'correlation_of_means'").iloc[0]
    assert means["value"] == pytest.approx(pearsonr(x.mean(axis=0), b.mean(axis=0))[0])
    left = [pearsonr(np.delete(x, s, 0).mean(axis=0), np.delete(b, s, 0).mean(axis=0))[0] for s in range(3)]
    assert means["sd"] == pytest.approx(np.sqrt(2 / 3 * np.sum((left - np.mean(left)) ** 2)))


def test_criteria_and_accuracy_measure_features_and_subsets():
    table = study.criteria_and_accuracy(IRIS, {"iris": ["0011", "1000"]}, n_inner_splits=2, max_hidden=8, **QUICK)
    assert table.groupby("kind")["number"].max().to_dict() == {"feature": 4, "subset": 2}
    X, y, _, _ = next(training_parts())
    gamma = table.query("kind == 'subset' and number == 1 and split == 0 and metric == 'gamma_test'")["value"].iloc[0]
    assert gamma == pytest.approx(gamma_test(X[:, 2:], y, 20).gamma)


def test_damaged_masks_are_drawn_anew_and_never_used():
    printed = list(published("nel1998_subsets")["WDBC"])
    masks, fresh = study.drawn_masks(printed, 15)
    assert fresh == [9, 11]
    assert all(len(mask) == 15 and "1" in mask for mask in masks)
    assert [m for n, m in enumerate(masks, 1) if n not in fresh] == [p for p in printed if len(p) == 15]
    assert study.drawn_masks([], 5, n_subsets=4)[1] == [1, 2, 3, 4]


def test_usable_masks_have_the_right_length():
    rows = published("nel1998").query("metric in ['train_acc_pct', 'test_acc_pct']")
    kept = layout.usable(rows)
    length = {"LIVER": 6, "PIMA": 8, "WDBC1": 15, "WDBC2": 15, "WDBC": 30, "ION": 34}
    assert (kept["subset"].str.len() == kept["dataset"].map(length)).all()
    assert kept["subset"].str.fullmatch("[01]+").all()
    out = layout.left_out(rows, ["LIVER"]).set_index("table")
    assert out["with a damaged mask"].sum() == len(rows) - len(kept)
    assert "PIMA" in out.loc["7.5", "samples not in this run"]


def test_layout_puts_mean_and_spread_in_one_column():
    printed = pd.DataFrame({"dataset": ["S", "T"], "metric": "test_acc_pct", "value": ["70.0", "50.0"]})
    measured = pd.DataFrame({"dataset": "S", "metric": "test_acc_pct", "value": [70.0, 72.0]})
    shown = layout.laid_out(with_verdicts(compare(printed, measured, ["dataset", "metric"])))
    assert shown["reproduced"].tolist() == ["71.00 ± 1.41", "–"]
    assert shown["verdict"].tolist() == ["● agrees", "– not measured"]
    _, table = tiny_summary()
    top = layout.top_five(table, "a")
    assert top["rank"].tolist() == ["2", "1", "full set"]
    assert top["RANN test"].iloc[0] == "81.00 ± 1.41"


def test_compare_takes_a_given_sd():
    printed = pd.DataFrame({"dataset": ["S"], "value": ["0.50"]})
    measured = pd.DataFrame({"dataset": ["S"], "value": [0.6], "sd": [0.2]})
    assert compare(printed, measured, ["dataset"])["agrees"].tolist() == [True]


def test_searches_are_held_against_the_optimum():
    table = study.compare_searches(IRIS, n_splits=1, n_runs=2, n_evaluations=10, n_hidden=5, seed=1)
    found = layout.outcomes(table).set_index(["criterion", "search"])
    assert (found.xs("exhaustive", level="search")["optimal"] == 1).all()
    assert (found.xs("exhaustive", level="search")["n_evaluations"] == 15).all()
    assert (found["gap"] >= 0).all()
    assert (found.xs("random", level="search")["n_evaluations"] <= 10).all()
    with pytest.raises(ValueError, match="Unknown search 'magic'"):
        study.compare_searches(IRIS, searches=["magic"], n_splits=1)


def test_advice_is_computed_from_the_runs():
    shares = {"exhaustive": 1.0, "SFS": 0.2, "SBS": 1.0, "SFFS": 0.75, "PBIL": 0.5}
    found = pd.DataFrame(
        {"search": list(shares), "optimal": list(shares.values()), "n_evaluations": [64, 21, 22, 30, 50]}
    )
    said = layout.advice(pd.concat([found, found.assign(n_evaluations=2 * found["n_evaluations"])]))
    assert said.startswith("Exhaustive search values 96 subsets")
    assert "SFS found the optimum in 20% of its runs, valuing 32" in said
    assert "2 of 3 greedy searches missed it" in said


def test_branch_and_bound_is_exact():
    table = study.compare_sized_searches({"WDBC2": "wdbc"}, [2, 9], n_splits=1, max_features=6)
    found = layout.outcomes(table).set_index("search")
    assert found.loc["branch and bound", "optimal"] == 1
    assert set(table["criterion"]) == {"Bhattacharyya, 2 features"}  # nine of six is passed over


@pytest.mark.parametrize("claim", ["N1", "N5", "N8", "N9"])
def test_claims_on_missing_samples_are_not_testable(claim):
    _, summary = tiny_summary()
    correlations = pd.DataFrame({"dataset": ["S"], "classifier": "RANN", "method": "gamma_test"})
    correlations = correlations.assign(metric="correlation_of_means", value=-1.0)
    tables = {"summary": summary, "large": summary, "correlations": correlations}
    needed = {"N1": ["correlations"], "N5": ["summary"], "N8": ["large"], "N9": ["large"]}[claim]
    import importlib

    from compendium import verdicts

    importlib.import_module("nel1998.claims")
    _, function = verdicts._REGISTRY["nel1998", claim]
    assert function(*(tables[name] for name in needed)).answer == "not testable here"


def liver(mi, full=70.0):
    rows = [
        {
            "sample": "LIVER",
            "method": m,
            "order": 1,
            "subset": s,
            "classifier": c,
            "test": t,
            "n_features": 5,
            "place": 1,
        }
        for m, s, t in (("mutual_information", "110111", mi), ("full", "111111", full))
        for c in ("RANN", "kNN")
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("mi", "answer"), [(65.0, "replicated"), (71.0, "not replicated")])
def test_information_on_liver_is_judged_against_the_full_set(mi, answer):
    assert information_fails_on_liver(liver(mi)).answer == answer


def test_gamma_against_distance_claim_needs_a_fall():
    down = pd.DataFrame({"distance": [1.0, 2, 3], "value": [100.0, 10, -0.1]})
    assert claims_needing("nel1998", {"distances": down})["N3"].answer == "replicated"
    up = down.assign(value=[1.0, 2, 3])
    assert claims_needing("nel1998", {"distances": up})["N3"].answer == "not replicated"


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize(("last", "answer"), [([-0.1, -0.1, 0.3], "replicated"), ([-0.1, 0.2, 0.3], "partly")])
def test_gamma_against_distance_is_judged_by_the_typical_drawing(times, last, answer):
    far = pd.DataFrame({"distance": 2.0, "value": last * times})
    verdict = claims_needing(
        "nel1998", {"distances": pd.concat([pd.DataFrame({"distance": [1.0], "value": 100.0}), far])}
    )
    assert verdict["N3"].answer == answer


def test_wrapper_is_judged_on_the_order_of_the_criteria():
    rows = [
        {"sample": "S", "method": method, "order": order, "place": 11 - order, "classifier": "RANN", "test": test}
        for method, worth in (
            ("RANN_wrapper", (70.0, 90.0)),
            ("gamma_test", (71.0, 71.0)),
            ("mutual_information", (70, 70)),
        )
        for order in range(1, 11)
        for test in (worth[order > 5],)
    ]
    summary = pd.DataFrame(rows).assign(test_sd=2.0)
    assert the_wrapper_hardly_beats_the_filters(summary).answer == "replicated"  # its best five lead by 19 points
    summary.loc[summary["method"] == "RANN_wrapper", "test"] += 4
    assert the_wrapper_hardly_beats_the_filters(summary).answer == "not replicated"

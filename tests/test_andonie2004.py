"""The experiment of Andonie and Cataron 2004: protocols, the parts of the learning rule, and verdicts."""

import numpy as np
import pandas as pd
import pytest
from claimed import sides, values
from numpy.testing import assert_allclose
from scipy.optimize import check_grad

from andonie2004 import claims, printed, protocol, rule, summaries
from andonie2004.borders import borders
from andonie2004.cost import Counted, learn, operations
from andonie2004.erlvq import EnergyRelevance
from andonie2004.readings import Readings
from andonie2004.recognition import recognition, relevances
from compendium.published import explained
from compendium.readings import beside_default
from compendium.store import find
from compendium.verdicts import claims_needing
from fscore.datasets import load
from fscore.lvq import ERLVQ, RLVQ

SHORT = EnergyRelevance(n_epochs=3, n_prototypes=3, learning_rate=0.05, scaling="raw").settings
ORIGIN = {"target": None, "seed": 0}


pytestmark = pytest.mark.usefixtures("own_cache")


def test_codebooks_are_shared_and_belong_to_their_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    starts = [
        protocol.build(m, SHORT, X, y, 7).get_params()["prototypes_init"]
        for m in (*protocol.METHODS, *protocol.ablations(SHORT))
    ]
    for start in starts:
        assert_allclose(start, starts[0])
    labels = [y[np.argmin(np.square(X - w).sum(axis=1))] for w in starts[0]]
    assert labels == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_recognition_of_iris_by_both_protocols():
    table = recognition(["iris"], SHORT, n_repeats=2, n_splits=3, **ORIGIN)
    assert set(table["protocol"]) == {"resubstitution", "cross-validation"}
    assert (values(table, "n_tested") == 150).all()
    assert_allclose(values(table, "rate"), 100 * values(table, "correct") / 150)
    assert values(table, "rate").min() > 80
    shares = relevances(table)
    assert_allclose(shares.groupby("method")["mean"].sum(), 1)
    other = protocol.ERLVQ_RATES[{"equal": "compensated", "compensated": "equal"}[SHORT.erlvq_rate]]
    assert set(shares["method"]) == {"RLVQ", "OWA-RLVQ", "ERLVQ", other, "ERLVQ, all pairs", "ERLVQ, l1"}
    assert_allclose(shares.groupby("method")["first"].sum(), shares["n"].iloc[0])
    fewer = recognition(["iris"], SHORT, methods=["ERLVQ"], n_repeats=1, n_splits=3, **ORIGIN)
    same = table[(table["method"] == "ERLVQ") & (table["repeat"] == 0)]
    assert_allclose(fewer["value"], same["value"])


@pytest.mark.parametrize("rate", protocol.ERLVQ_RATES)
def test_erlvq_has_the_rate_of_its_reading(rate):
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    settings = SHORT._replace(erlvq_rate=rate, learning_rate=0.02)
    expected = {"equal": 0.02, "compensated": 3 * 0.02}[rate]
    for method in ("ERLVQ", protocol.ERLVQ_RATES[rate], "ERLVQ, all pairs", "ERLVQ, l1"):
        assert protocol.build(method, settings, X, y, 0).learning_rate == pytest.approx(expected)
    (other,) = set(protocol.ERLVQ_RATES.values()) & set(protocol.ablations(settings))
    assert other != protocol.ERLVQ_RATES[rate]
    assert protocol.build("LVQ", settings, X, y, 0).learning_rate == 0.02
    assert protocol.build("LVQ, rate/n", settings, X, y, 0).learning_rate == pytest.approx(0.02 / 3)


@pytest.mark.data("vowel")
def test_diverged_training_has_no_rate():
    wild = SHORT._replace(learning_rate=0.5, n_prototypes=1, scaling="raw", n_epochs=200)
    table = recognition(["vowel"], wild, methods=["LVQ"], n_repeats=1, n_splits=2, **ORIGIN)
    assert np.isnan(values(table, "rate")).all()
    assert np.isnan(values(table, "relevance 1")).all()
    assert values(table, "n_tested") == [462]


def test_readings_are_the_recognition_rates_of_each_setting():
    few = {"n_repeats": 2, "n_splits": 3}
    tables = Readings(dataset=["iris"], scaling=["minmax"], n_prototypes=[2], learning_rate=[0.1, 0.5], **few).run()
    rates = tables["rates_by_setting"]
    assert len(rates) == 2 * 2 * 2
    settings = EnergyRelevance().settings._replace(scaling="minmax", n_prototypes=2, learning_rate=0.5)
    for erlvq_rate, column in protocol.ERLVQ_RATES.items():
        measured = recognition(["iris"], settings._replace(erlvq_rate=erlvq_rate), **few, **ORIGIN)
        ours = rates[(rates["learning_rate"] == 0.5) & (rates["protocol"] == "cross-validation")]
        for name, method in ((column, "ERLVQ"), ("LVQ, rate/n", "LVQ, rate/n"), ("RLVQ", "RLVQ")):
            same = values(measured, "rate", protocol="cross-validation", method=method)
            assert_allclose(ours[name], same)
    ranks = tables["relevances_by_setting"]
    assert_allclose(ranks.groupby(["learning_rate", "method"])["mean"].sum(), 1)
    assert set(ranks["method"]) == {"RLVQ", "OWA-RLVQ", *protocol.ERLVQ_RATES.values()}


def test_rates_with_fewer_codebook_vectors_are_those_of_readings_with_the_other_settings_of_the_main_page():
    rates = find(Readings()).tables["rates_by_setting"]
    table = summaries.by_number_of_prototypes(rates).set_index(["dataset", "protocol", "prototypes"])
    assert set(table.index.unique("prototypes")) == {1, 2, 3}
    assert table.columns.tolist() == list(protocol.METHODS)
    own = rates.query("scaling == 'minmax' and learning_rate == 0.3 and n_prototypes == 2 and dataset == 'iris'")
    own = own[own["protocol"] == "resubstitution"]
    for method in protocol.METHODS:
        mean = own["ERLVQ, equal rate" if method == "ERLVQ" else method].mean()
        assert table.loc[("iris", "resubstitution", 2), method] == pytest.approx(mean)


def test_printed_percentages_are_counts():
    table = printed.counts()
    assert table["exact"].all()
    assert table["correct"].tolist() == [137, 143, 145, 146, 207, 214, 216, 218, 136, 140, 141, 142]
    assert table[table["method"] == "ERLVQ"]["gain"].tolist() == [1, 2, 1]
    wrong = printed.counts({"vowel": 528})
    assert not wrong["exact"].all()


def test_dependence_bounds_hold():
    table = rule.dependence_bounds(seed=0, n_tables=50)
    assert values(table, "o").min() > -1e-12
    assert np.abs(values(table, "o", kind="independent")).max() < 1e-12
    assert np.abs(values(table, "slack", kind="determined")).max() < 1e-12
    assert values(table, "slack", kind="random").min() > 0.1
    assert set(sides(claims.A5().statements(table))) == {"holds"}


def test_dependence_is_the_double_sum_and_its_gradient():
    rng = np.random.default_rng(1)
    R, y, lam, sigma = rng.normal(size=(12, 3)), np.arange(12) % 3, rng.dirichlet(np.ones(3)), 0.7
    kernel = lambda i, j: np.exp(-np.sum((lam * (R[i] - R[j])) ** 2) / (4 * sigma**2))  # noqa: E731
    pairs = [(i, j) for i in range(12) for j in range(12)]
    within = sum(kernel(i, j) / 4 for i, j in pairs if y[i] == y[j]) / 12
    value, _ = rule.dependence(R, y, lam, sigma)
    assert value == pytest.approx(within - sum(kernel(i, j) for i, j in pairs) / 144)
    error = check_grad(
        lambda lam: rule.dependence(R, y, lam, sigma)[0], lambda lam: rule.dependence(R, y, lam, sigma)[1], lam
    )
    assert error < 1e-7


def test_two_samples_of_one_class_have_zero_dependence():
    R, lam = np.random.default_rng(2).normal(size=(2, 4)), np.full(4, 0.25)
    value, gradient = rule.dependence(R, np.array([0, 0]), lam, 1.0)
    assert value == pytest.approx(0, abs=1e-15)
    assert_allclose(gradient, 0, atol=1e-15)
    value, gradient = rule.dependence(R, np.array([0, 1]), lam, 1.0)
    kernel = np.exp(-np.sum((lam * (R[0] - R[1])) ** 2) / 4)
    assert value == pytest.approx(0.5 - 0.5 * kernel)  # equation 4, up to a constant
    assert_allclose(gradient, kernel * lam * (R[0] - R[1]) ** 2 / 4)  # equation 5: never negative


def test_the_measured_step_is_that_of_the_estimator():
    table = rule.step(["iris"], SHORT, n_repeats=2, **ORIGIN)
    assert values(table, "least").min() >= 0
    X, y = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0, 1])
    W = np.array([[0.5, 0.5], [1.0, 1.0]])
    model = ERLVQ(prototypes_init=W, norm="l1", relevance_rate=0.3, learning_rate=1e-9).partial_fit(X, y)
    winner = np.argmin(np.square(X[:, None] - W).sum(axis=2), axis=1)
    D = (X[0] - W[winner[0]]) - (X[1] - W[winner[1]])
    lam = np.full(2, 0.5)
    lam = lam + 0.3 / 4 * np.exp(-np.sum((lam * D) ** 2) / 4) * lam * D**2
    assert_allclose(model.relevances_, lam / lam.sum(), atol=1e-8)


def test_softmax_shrinks_deviations_to_one_nth():
    table = rule.softmax_flattening(seed=0, sizes=(4, 34), n_steps=4)
    for n, part in table.groupby("n_features"):
        ratio = part["value"].to_numpy()
        assert ratio[4] / ratio[3] == pytest.approx(1 / n, rel=0.05)


def test_normalization_bounds():
    table = rule.normalization(["iris"], SHORT, n_repeats=2, **ORIGIN)
    assert set(sides(claims.A7().statements(table))) == {"holds"}
    assert values(table, "sum_error").max() < 1e-12
    assert values(table, "ratio", norm="l1").min() > values(table, "ratio", norm="softmax").max()
    assert values(table, "negative", norm="softmax").min() > 0


def test_the_relevance_of_a_single_feature_is_not_judged(tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("a,label\n" + "".join(f"{n % 5 + 3 * (n % 2)},{n % 2}\n" for n in range(40)))
    alone, both = (
        claims.A7().statements(rule.normalization(sets, SHORT, n_repeats=2, **ORIGIN))
        for sets in ([str(file)], [str(file), "iris"])
    )
    assert alone == []
    assert set(sides(both)) == {"holds"}


def test_dependence_before_and_after():
    table = rule.parzen_dependence(["iris"], SHORT, n_repeats=2, **ORIGIN)
    assert values(table, "before").min() > 0
    assert np.abs(values(table, "cosine")).max() <= 1
    assert_allclose(values(table, "gain"), values(table, "after") / values(table, "before") - 1)


def test_borders_of_iris():
    table = borders(seed=0, n_repeats=5)
    centres = {pair: values(table, "centres", classes="1 and 2", features=pair) for pair in ("1 and 2", "3 and 4")}
    assert (centres["3 and 4"] > centres["1 and 2"]).all()
    assert values(table, "accuracy", classes="2 and 3", features="3 and 4").min() > 0.8
    X, y = load("iris", return_X_y=True)
    Z = X[y < 2][:, :2] / X[y < 2][:, :2].std(axis=0)
    smallest = np.linalg.norm(Z[:50, None] - Z[50:], axis=2).min()
    gaps = values(table, "gap", classes="1 and 2", features="1 and 2")
    assert (gaps >= smallest - 1e-12).all()  # a half has no closer pair than the whole
    assert len(set(gaps)) > 1


def test_the_folder_of_a_file_changes_nothing(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc")).assign(kind=np.arange(40) % 2)
    files = [tmp_path / folder / "mine.csv" for folder in ("here", "there")]
    for file in files:
        file.parent.mkdir()
        frame.to_csv(file, index=False)
    given = {"n_repeats": 1, "target": "kind", "seed": 0}
    for measure in (
        lambda names: recognition(names, SHORT, n_splits=3, **given),
        lambda names: rule.step(names, SHORT, **given),
        lambda names: rule.normalization(names, SHORT, **given),
        lambda names: rule.parzen_dependence(names, SHORT, **given),
    ):
        here, there = (measure(["iris", str(file)]) for file in files)
        pd.testing.assert_frame_equal(here, there)
        assert set(here["dataset"]) == {"iris", "mine"}
        assert (values(here, "n_tested", dataset="mine") == 40).all(), "a file has no fixed split"


@pytest.mark.parametrize(("method", "estimator"), [("RLVQ", RLVQ), ("ERLVQ", ERLVQ)])
def test_the_counted_steps_are_those_of_the_estimators(method, estimator):
    rng = np.random.default_rng(3)
    X, y, W = rng.normal(size=(12, 3)), np.arange(12) % 2, rng.normal(size=(4, 3))
    given = {"learning_rate": 0.3, "relevance_rate": 0.2, "n_prototypes": [2, 2], "prototypes_init": W}
    model = estimator(**given).partial_fit(X, y)
    samples = [(list(map(Counted, x)), label) for x, label in zip(X, y, strict=True)]
    codebook = [(list(map(Counted, w)), number // 2) for number, w in enumerate(W)]
    relevances, overall, _ = learn(samples, codebook, method, rate=0.3, relevance_rate=0.2, sigma=1.0)
    assert_allclose(relevances, model.relevances_)
    assert_allclose(overall, model.feature_importances_)
    assert_allclose([w for w, _ in codebook], model.prototypes_)


def test_operations_are_counted_exactly():
    before = Counted.operations
    assert (Counted(2) + 3) * Counted(4) - 1 == 19
    assert Counted.operations - before == 3
    table = operations(seed=0, n_features=(1, 2), n_codebooks=(1, 2), base=(1, 1))
    # RLVQ, one feature, one codebook vector. Distance 3 and a sum from zero; residual, step, move 3; relevance: size,
    # rate, difference, maximum (of a correct winner), sum and quotient 6; mean over the steps 3.
    first = table.query("varied == 'features' and n_features == 1 and method == 'RLVQ'")["value"].item()
    assert first == 4 + 3 + 6 + 3


def varied(table):
    """Ten repetitions of a table, whose values differ by about a hundredth: equal ones say nothing about chance."""
    rng = np.random.default_rng(0)
    parts = [table.assign(repeat=k, value=table["value"] + rng.normal(0, 0.01, len(table))) for k in range(10)]
    return pd.concat(parts)


def test_one_printed_run_cannot_tell():
    """The printed numbers fail no claim, but a single run has no spread."""
    tables = printed.as_measured()
    judged = {claim: verdict.answer for claim, verdict in claims_needing("andonie2004", tables).items()}
    assert judged == dict.fromkeys(("A1", "A2", "A3"), "undecided")
    ten = {
        "recognition": varied(tables["recognition"]),
        "relevances": tables["relevances"].assign(n=10, first=10 * tables["relevances"]["first"]),
    }
    judged = {claim: verdict.answer for claim, verdict in claims_needing("andonie2004", ten).items()}
    assert judged == dict.fromkeys(("A1", "A2", "A3"), "holds")


def test_printed_numbers_agree_when_compared_with_themselves():
    tables = printed.as_measured()
    compared = printed.comparisons(tables)
    assert {label: len(table) for label, table in compared.items()} == {"Table 1": 12, "Table 2": 12}
    for table in compared.values():
        assert table["agrees"].all()
        assert table["item"].is_unique
    other = tables["recognition"].copy()
    other.loc[other["method"] == "RLVQ", "value"] += 1
    agrees = printed.comparisons({**tables, "recognition": other})["Table 1"].set_index("method")["agrees"]
    assert agrees.groupby("method").sum().to_dict() == {"ERLVQ": 3, "LVQ": 3, "OWA-RLVQ": 3, "RLVQ": 0}
    iris = tables["recognition"][tables["recognition"]["dataset"] == "iris"]
    assert printed.comparisons({**tables, "recognition": iris})["Table 1"]["agrees"].notna().sum() == 4
    assert printed.rates(tables["recognition"], "cross-validation").empty
    swapped = tables["relevances"].assign(place=5 - tables["relevances"]["place"])
    assert not printed.comparisons({**tables, "relevances": swapped})["Table 2"]["agrees"].any()


def test_a_file_of_ones_own_is_shown_without_print():
    tables = {name: table.query("dataset == 'iris'") for name, table in printed.as_measured().items()}
    own = {name: table.assign(dataset="mine") for name, table in tables.items()}
    rates = printed.rates(own["recognition"].assign(protocol="own split"), "own split")
    assert rates.set_index("method")["reproduced"].to_dict() == {
        "LVQ": 91.33,
        "RLVQ": 95.33,
        "OWA-RLVQ": 96.66,
        "ERLVQ": 97.33,
    }
    shown = printed.ranks(own, {"mine": ["sepal_length", "b", "c", "d"]})
    assert set(shown["dataset"]) == {"mine"}
    assert shown.query("rank == 1")["reproduced"].tolist() == ["sepal_length (1)", "d (4)", "d (4)"]
    assert set(shown["grade"]) == {"– not printed"}
    vowel = own["relevances"].assign(dataset="vowel")
    both = printed.ranks({"relevances": pd.concat([tables["relevances"], vowel])}, {})
    assert set(both["dataset"]) == {"iris"}


def test_explanations_name_numbers_that_exist():
    tables = printed.as_measured()
    runs = [tables["recognition"].assign(value=tables["recognition"]["value"] + 20, repeat=k) for k in range(3)]
    wrong = {
        "recognition": pd.concat(runs),
        "relevances": tables["relevances"].assign(place=5 - tables["relevances"]["place"]),
    }
    compared = {label: explained(table, "andonie2004", label) for label, table in printed.comparisons(wrong).items()}
    assert compared["Table 1"].set_index("item")["cause"].eq("unexplained").sum() == 10
    assert compared["Table 2"]["cause"].eq("unstated setting").all()


def by_setting():
    """Rates and relevances of two settings: at step 0.1 as printed, at step 0.5 ten points less and in reverse."""
    settings = {"scaling": "minmax", "n_prototypes": 3}
    tables = printed.as_measured()
    wide = tables["recognition"].query("metric == 'rate'").pivot(index="dataset", columns="method", values="value")
    wide = wide.rename(columns={"ERLVQ": "ERLVQ, equal rate"}).assign(**{"ERLVQ, compensated rate": wide["LVQ"]})
    wide = wide.assign(**{"LVQ, rate/n": wide["ERLVQ, equal rate"], "n_tested": 150}).reset_index()
    # Repetitions differ, without a change of the mean: equal ones say nothing about chance.
    runs = [wide.assign(repeat=repeat, protocol="own split", **settings) for repeat in range(10)]
    for repeat, run in enumerate(runs):
        run[["LVQ", "ERLVQ, compensated rate"]] += 0.01 * (repeat % 2 - 0.5)
    runs = pd.concat(runs)
    low = runs.assign(learning_rate=0.5)
    low[["LVQ", "RLVQ", "OWA-RLVQ", *protocol.ERLVQ_RATES.values(), "LVQ, rate/n"]] -= 10
    ranks = tables["relevances"].assign(n=10, first=10 * tables["relevances"]["first"], mean=0.25, **settings)
    named = [ranks.assign(method=ranks["method"].replace("ERLVQ", name)) for name in protocol.ERLVQ_RATES.values()]
    ranks = pd.concat(named).drop_duplicates()
    reverse = ranks.assign(learning_rate=0.5, place=5 - ranks["place"], first=10 * (ranks["place"] == 4))
    return (
        pd.concat([runs.assign(learning_rate=0.1), low], ignore_index=True),
        pd.concat([ranks.assign(learning_rate=0.1), reverse], ignore_index=True),
    )


def test_readings_are_judged_like_the_main_page():
    tables = dict(zip(("rates_by_setting", "relevances_by_setting"), by_setting(), strict=True))
    agreement = summaries.agreement(tables)
    assert agreement["reading"].nunique() == 4
    counts = agreement.pivot(index="reading", columns="table", values="agree")
    as_printed = "equal rate, minmax, 3 per class, step 0.1"
    assert counts.loc[as_printed].tolist() == [4, 4, 4, 12]
    assert counts.loc["compensated rate, minmax, 3 per class, step 0.1"].tolist() == [3, 3, 3, 12]
    assert counts.loc["equal rate, minmax, 3 per class, step 0.5"].tolist() == [0, 0, 0, 0]
    assert set(agreement.loc[agreement["chosen_on"], "table"]) == {"Table 1, vowel (own split)"}
    assert agreement.loc[agreement["distance"] < 1e-6, "reading"].unique().tolist() == [as_printed]
    beside = beside_default(summaries.estimates(tables), as_printed)
    beyond = beside.pivot(index="reading", columns="claim", values="beyond")
    assert (beyond.loc[as_printed] > 0).all()
    assert beyond.loc["compensated rate, minmax, 3 per class, step 0.1", "A1"] < 0
    assert beyond.loc["equal rate, minmax, 3 per class, step 0.5", "A3"] < 0
    counted = summaries.by_choice(beside).set_index(["choice", "option"])["A3, claimed side (%)"]
    assert counted["all", ""] == 50
    assert counted["learning rate", "0.1"] == 100


def test_sentences_about_readings():
    rates, _ = by_setting()
    equal, compensated, *rest = summaries.same_as_lvq(rates)
    assert "rate of LVQ with rate/n in 100% of 60 runs" in equal
    assert "rate of LVQ in 100% of 60 runs" in compensated
    assert not rest
    rates.loc[:2, "LVQ"] = np.nan
    assert "in this many of 60 runs: LVQ 3, RLVQ 0" in summaries.same_as_lvq(rates)[2]


def test_the_default_is_the_reading_nearest_on_vowel_when_that_is_measured():
    """The accepted study of readings chooses what the main page uses."""
    agreement = summaries.agreement(find(Readings()).tables)
    vowel = agreement[agreement["chosen_on"]].set_index("reading")["distance"]
    assert vowel.idxmin() == summaries.default_reading()


@pytest.mark.parametrize(("gain", "answer"), [(1.0, "holds"), (0.0, "undecided"), (-1.0, "fails")])
def test_a6_allows_for_overlapping_halves(gain, answer):
    values = np.linspace(-0.1, 0.1, 20) + gain
    rows = [
        {"dataset": "iris", "norm": "softmax", "repeat": r, "metric": "gain", "value": v} for r, v in enumerate(values)
    ]
    rows += [{**row, "metric": "cosine", "value": 0.5} for row in rows]
    table = pd.concat([pd.DataFrame(rows), pd.DataFrame(rows).assign(norm="l1")])
    mean, _, iris = sides(claims.A6().statements(table))
    assert mean == iris == answer
    # Between halves that overlap, the mean is as uncertain as a single gain: sd 0.062, t 2.09, times sqrt(1 + 1/20).
    shifted = table.assign(value=table["value"] - gain + 0.1)
    assert set(sides(claims.A6().statements(shifted))) == {"undecided"}


@pytest.mark.parametrize(
    ("operations", "answer"),
    [
        (lambda n: 30 * n + 7, "holds"),
        (lambda n: 1.0 + 0 * n, "fails"),
        (lambda n: n**0.5, "fails"),
        (lambda n: n**1.1, "fails"),
    ],
)
def test_a8_wants_a_straight_line(operations, answer):
    sizes = [("features", n, 4, n) for n in (10, 40, 160, 640)] + [("codebooks", 20, n, n) for n in (4, 16, 64, 256)]
    rows = [
        {"varied": varied, "n_features": d, "n_codebooks": m, "method": method, "value": operations(n)}
        for varied, d, m, n in sizes
        for method in ("RLVQ", "ERLVQ")
    ]
    table = pd.DataFrame(rows)
    assert sides(claims.A8().statements(table)) == [answer, answer, "holds"]
    slower = table.assign(value=table["value"].where(table["method"] == "RLVQ", 3 * table["value"]))
    assert sides(claims.A8().statements(slower)) == [answer, answer, "fails"]

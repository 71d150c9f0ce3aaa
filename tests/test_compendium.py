"""Code shared by the papers: parameters and experiments, comparison with printed numbers, verdicts, pages."""

import html
import re
from functools import partial
from types import SimpleNamespace

import hypothesis.strategies as st
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from jinja2 import UndefinedError
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.model_selection import StratifiedShuffleSplit

from compendium import comparison, markup, published, style, verdicts
from compendium.claim_records import claim_records, readings_in_brief
from compendium.comparison import PublishedNumbers, side_by_side
from compendium.experiment import Experiment, ParameterError, check, coerce, parameter
from compendium.markup import sentences
from compendium.papers import papers, part_of, printed_files
from compendium.protocol import check_name, feature_names, named, named_list, stratified_rows
from compendium.readings import beside_default, by_claim, by_reading, same_side_in_words, sweep
from compendium.statements import decide, mean_of
from compendium.style import COLOURS, series_styles
from compendium.tables import anchors, html_table, in_words, printed_anchors
from compendium.verdicts import rules_of


class Declaring(Experiment):
    """Parameters of every kind."""

    dataset: str = parameter("wine", "data set, or the path of a CSV file", "data sets")
    n_splits: int = parameter(5, "outer folds", "[2, 100]")
    share: float = parameter(0.5, "share kept", "(0, 1]")
    scaling: str = parameter("raw", "scaling of the inputs", "{raw, minmax}")
    ks: list[int] = parameter([1, 3], "numbers of neighbors", "[1, 99]")
    copied: list[int] | None = parameter(None, "features", "[1, 99]")
    several: list[str] = parameter(["iris"], "data sets", "data sets")
    target: str | None = parameter(None, "label column of a CSV file")
    exact: bool = parameter(False, "solve to the end")


@pytest.fixture
def parameters():
    return Declaring.parameters


@pytest.mark.parametrize(
    ("values", "coerced"),
    [
        ({"n_splits": 2}, {}),
        ({"n_splits": "010"}, {"n_splits": 10}),
        ({"share": 1}, {}),
        ({"share": "1e-3"}, {"share": 0.001}),
        ({"scaling": "minmax"}, {}),
        ({"ks": [5]}, {}),
        ({"ks": 7}, {"ks": [7]}),
        ({"target": None}, {}),
        ({"target": 3}, {"target": "3"}),
        ({"exact": True}, {}),
        ({"exact": "false"}, {"exact": False}),
        ({"dataset": "wdbc"}, {}),
        ({"several": ["wine", "wine"]}, {}),  # a data set may be named twice
        ({"copied": None}, {}),
        ({"copied": 3}, {"copied": [3]}),
    ],
)
def test_legal_values_pass(parameters, values, coerced):
    found = coerce(parameters, {**values, "other": "x"})
    assert found == {**values, **coerced, "other": "x"}
    check(parameters, {name: found[name] for name in values})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n_split": 3}, "Did you mean 'n_splits'"),
        ({"n_splits": 1}, "in [2, 100]"),
        ({"n_splits": True}, "an integer"),
        ({"n_splits": 2.5}, "an integer"),
        ({"share": 0.0}, "in (0, 1]"),
        ({"share": float("nan")}, "number"),
        ({"scaling": "zscore"}, "{raw, minmax}"),
        ({"ks": []}, "list"),
        ({"ks": [0]}, "[1, 99]"),
        ({"ks": [3, 5, 3]}, "it has 3 more than once; name each value once"),
        ({"exact": 1}, "true or false"),
        ({"dataset": "wines"}, "wine"),
        ({"dataset": "nowhere/file.csv"}, "no such CSV file exists"),
    ],
)
def test_illegal_values_say_what_is_legal(parameters, values, said):
    with pytest.raises(ParameterError, match=r"invalid|unknown|no such") as error:
        check(parameters, values)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_path_of_a_file_is_the_same_in_every_folder(parameters, tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("a,b\n1,x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("mine.csv", "./mine.csv", "~/mine.csv"):
        values = coerce(parameters, {"dataset": path, "target": "~/b"})
        assert values == {"dataset": str(tmp_path / "mine.csv"), "target": "~/b"}
        check(parameters, values)
    assert coerce(parameters, {"dataset": "wine"}) == {"dataset": "wine"}
    assert coerce(parameters, {"several": ["wine", "mine.csv"]})["several"] == ["wine", str(tmp_path / "mine.csv")]
    for path in ("~\0/mine.csv", "~\ud800/mine.csv"):
        with pytest.raises(ParameterError, match="no such CSV file exists"):
            check(parameters, coerce(parameters, {"dataset": path}))


@given(st.integers(-1000, 1000), st.integers(0, 4))
def test_printed_tolerance_is_half_the_last_digit(mantissa, decimals):
    text = f"{mantissa / 10**decimals:.{decimals}f}"
    assert published.printed_tolerance(text) == pytest.approx(0.5 * 10.0**-decimals)


@pytest.mark.parametrize(
    ("value", "text"),
    [(np.inf, "inf"), (-np.inf, "-inf"), (np.nan, "nan"), (-0.001, "0.00"), (1e30, f"1{'0' * 30}.00")],
)
def test_any_number_can_be_rounded(value, text):
    assert published.rounded_to(value, 2) == text


def test_compare_puts_published_and_reproduced_side_by_side():
    printed = pd.DataFrame({"method": ["a", "b", "c"], "value": ["0.90", "0.5", "1"], "runs": 3})
    measured = pd.DataFrame({"method": ["a"] * 3 + ["b"] * 3, "value": [0.88, 0.90, 0.89, 0.7, 0.7, 0.7]})
    table = published.compare(printed, measured, on=["method"]).set_index("method")
    # a: mean .89, sd .01, error sqrt(2 * .01^2 / 3): agrees. b: off by .2 with no spread. c: not measured.
    assert table.loc["a", "reproduced"] == pytest.approx(0.89)
    assert table.loc["a", "error"] == pytest.approx(0.01 * np.sqrt(2 / 3))
    assert table.loc["a", "errors"] == pytest.approx(-np.sqrt(3 / 2))
    assert table["agrees"].tolist() == [True, False, None]
    beyond_rounding = (0.01 - 0.005) / (0.01 * np.sqrt(2 / 3))
    assert_allclose(table["p"], [2 * stats.t.sf(beyond_rounding, 2), 0.0, np.nan], rtol=1e-6)
    assert table.loc["b", "difference"] == pytest.approx(0.2)
    assert np.isnan(table.loc["c", "reproduced"])


def test_compare_rejects_the_truth_in_one_of_twenty_cases():
    rng = np.random.default_rng(1)
    cases = range(2000)
    measured = pd.DataFrame({"case": np.repeat(cases, 10), "value": rng.normal(50, 3, 20000)})
    theirs = rng.normal(50, 3, (2000, 5))
    printed = pd.DataFrame({"case": cases, "value": [f"{mean:.4f}" for mean in theirs.mean(axis=1)], "runs": 5})
    printed["spread"] = [f"{sd:.4f}" for sd in theirs.std(axis=1, ddof=1)]
    share = published.compare(printed, measured, ["case"])["agrees"].mean()
    spreads = published.compare_spreads(printed, measured, ["case"])["agrees"].mean()
    assert 0.935 < share < 0.965  # 95% within three standard errors of 2,000 cases
    assert 0.935 < spreads < 0.965


def test_a_spread_for_both_sides_rejects_the_truth_in_one_of_twenty_cases():
    """Four repetitions against one printed run without a spread: each number by its own, or five by one."""
    rng = np.random.default_rng(2)
    values = rng.normal(50, 3, (5000, 4))
    pooled = np.sqrt(values.var(axis=1, ddof=1).reshape(-1, 5).mean(axis=1)).repeat(5)
    alone = pd.DataFrame(
        {"case": np.arange(5000).repeat(4), "repeat": np.tile(range(4), 5000), "value": values.ravel()}
    )
    printed = pd.DataFrame({"case": range(5000), "value": [f"{value:.4f}" for value in rng.normal(50, 3, 5000)]})
    found = published.compare(printed, alone.assign(sd=pooled.repeat(4), freedom=15.0), ["case"])
    assert_allclose(found["theirs"], pooled)
    assert_allclose(found["error"], pooled * np.sqrt(1.25))
    for judged in found, published.compare(printed, alone, ["case"]):
        assert 0.94 < judged["agrees"].mean() < 0.96  # three standard errors of 5,000 cases


@pytest.mark.parametrize(
    ("text", "measured", "error", "agrees"),
    [
        ("10", {"value": 13.0, "error": 0.3, "theirs": 0.4}, 0.5, False),
        ("10", {"value": 13.0, "error": 0.0, "theirs": 0.0}, np.nan, False),
        ("0.500", {"value": 0.6, "error": 0.05}, 0.05 * np.sqrt(2), True),  # print has as large an error as ours
        ("0.500", {"value": 0.7, "error": 0.05}, 0.05 * np.sqrt(2), False),
        ("0.50", {"value": 0.6}, np.nan, False),  # a single value is exact,
        ("0.60", {"value": 0.6}, np.nan, True),
        ("0.50", {"value": 0.6, "repeat": 0}, np.nan, None),  # unless it is one of several repetitions
        ("0.60", {"value": 0.6, "repeat": 0}, np.nan, True),
    ],
)
def test_one_value_is_compared_within_its_error_or_to_the_printed_digit(text, measured, error, agrees):
    printed = pd.DataFrame({"case": [0], "value": [text]})
    found = published.compare(printed, pd.DataFrame([{"case": 0, **measured}]), ["case"])
    assert found["error"].tolist() == pytest.approx([error], nan_ok=True)
    assert found["agrees"].tolist() == [agrees]


def test_two_repetitions_tell_nothing_about_the_spread():
    printed = pd.DataFrame({"case": [0, 1, 2], "value": ["0.50", "0.60", "0.50"], "spread": ["", "", "0.30"]})
    measured = pd.DataFrame({"case": [0, 0, 1, 1, 2, 2], "value": [0.3, 0.9] * 3})
    table = published.compare(printed, measured, ["case"])
    assert table["agrees"].tolist() == [None, True, True], (
        "no error to judge by; half a digit; within the printed spread"
    )
    assert table["error"].tolist() == pytest.approx([np.nan, np.nan, np.hypot(0.3, 0.3 / np.sqrt(2))], nan_ok=True)
    shown = side_by_side(PublishedNumbers("p").graded("Table 1", table))
    assert shown["grade"].tolist() == ["– error unknown", "◐ compatible", "◐ compatible, +0.3 se"]


def test_an_exact_value_is_compared_with_a_printed_mean_by_students_t():
    printed = pd.DataFrame({"case": [0], "value": ["90.0"], "spread": ["2.0"], "runs": ["5"]})
    found = published.compare(printed, pd.DataFrame({"case": [0], "value": [92.0]}), ["case"]).iloc[0]
    assert found["p"] == pytest.approx(2 * stats.t.sf((2 - 0.05) / (2 / np.sqrt(5)), 4))
    assert found["agrees"]


def test_data_sets_of_which_nothing_is_printed_are_added_where_asked_for():
    printed = pd.DataFrame({"dataset": ["iris"], "method": ["a"], "value": ["0.50"]})
    measured = pd.DataFrame({"dataset": ["iris", "mine", "mine"], "method": ["b", "a", "a"], "value": [1.0, 2.0, 4.0]})
    assert len(published.compare(printed, measured, ["dataset", "method"])) == 1
    table = PublishedNumbers("p").graded(
        "T", published.compare(printed, measured, ["dataset", "method"], unprinted=True)
    )
    assert table["grade"].tolist() == ["", ""]
    (row,) = side_by_side(table).to_dict("records")
    assert (row["dataset"], row["published"], row["grade"]) == ("mine", "–", "– not printed")
    assert row["reproduced"] == "3.0 ± 1.4"
    (row,) = side_by_side(table[1:].assign(reproduced=0.3)).to_dict("records")
    assert row["reproduced"] == "0.300 ± 1.414", "a number below ten has more decimals"


def test_spreads_that_differ_twice_differ():
    printed = pd.DataFrame({"case": [0, 1, 2], "spread": ["1.0", "4.0", ""]})
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 10)
    values /= values.std(ddof=1)
    measured = pd.DataFrame({"case": np.repeat([0, 1, 2], 10), "value": np.tile(values, 3)})
    table = published.compare_spreads(printed, measured, ["case"])
    assert table["agrees"].tolist() == [True, False]  # F(9, 9) = 16; the third is not printed
    assert table["published"].tolist() == [1.0, 4.0]
    ours = np.sqrt(table["error"] ** 2 - table["theirs"] ** 2)
    assert_allclose(ours / table["theirs"], 1, err_msg="as many repetitions on both sides, whatever is printed")


def test_an_explanation_is_found_by_its_query(tmp_path, monkeypatch):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "p_explanations.csv").write_text(
        "table,match,cause,explanation\n"
        "Table 1,method == 'a',misprint,the digits are exchanged\n"
        "Table 2,,budget,all of it was cut\n"
    )
    monkeypatch.setattr(published, "DATA", tmp_path)
    comparison = pd.DataFrame({"method": ["a", "b", "c", "d"], "agrees": [False, False, True, None]})
    found = published.explained(comparison, "p", "Table 1")
    assert found["cause"].tolist() == ["misprint", "unexplained", "", ""]
    assert published.explained(comparison, "p", "Table 2")["cause"].tolist() == ["budget", "budget", "", ""]
    (tmp_path / "published" / "p_explanations.csv").write_text("table,match,cause,explanation\nTable 1,,chance,x\n")
    with pytest.raises(ValueError, match="unknown cause 'chance'"):
        published.explained(comparison, "p", "Table 1")


def graded_numbers():
    """One number of each grade, one input, one that isn't compared."""
    numbers = pd.DataFrame(
        [
            # published, error, p, agrees, cause, point, the paper's part of the error, whether the digits are the same
            (1.0, 0.5, 1.0, True, "", np.nan, 0.4, True),  # identical, however wide the error
            (1.0, 0.02, 0.5, True, "", np.nan, 0.01, False),  # two errors are 4% of the number
            (1.0, 0.03, 0.5, True, "", np.nan, 0.02, False),  # ... 6%
            (0.1, 0.009, 0.5, True, "", 0.01, 0.004, False),  # ... 1.8 points of a rate
            (0.1, 0.012, 0.5, True, "", 0.01, 0.011, False),
            (1.0, 0.02, 0.0, False, "misprint", np.nan, 0.01, False),
            (1.0, 0.02, 0.0, False, "unexplained", np.nan, np.nan, False),
            (1.0, np.nan, np.nan, None, "", np.nan, np.nan, False),
        ],
        columns=["published", "error", "p", "agrees", "cause", "point", "theirs", "same"],
    )
    return published.graded(numbers.assign(reproduced=1.0, n=1.0))


def test_a_mean_is_never_identical_and_one_value_rounds_to_one_number_only():
    """5.5 is half a digit from both 5 and 6, but it rounds to 6; a mean of 6 agrees with 6."""
    printed = pd.DataFrame({"case": [0, 1, 2, 3], "value": ["5", "6", "6.0", "6.0"]})
    measured = pd.DataFrame({"case": [0, 1, 2], "value": [5.5, 5.5, 5.58]})
    means = pd.DataFrame({"case": 3, "value": [5.9, 6.1, 6.0], "repeat": range(3)})
    table = pd.concat(
        [published.compare(printed[:3], measured, ["case"]), published.compare(printed[3:], means, ["case"])]
    )
    graded = PublishedNumbers("p").graded("T", table)
    assert graded["grade"].tolist() == ["close", "identical", "differs, unexplained", "close"]


def test_ours_is_shown_with_the_digits_of_print_and_a_whole_number_among_decimals_has_lost_its_zero():
    printed = pd.DataFrame({"case": range(5), "value": ["5.9", "6", "7", "-0.1", "6.1"]})
    measured = pd.DataFrame({"case": range(5), "value": [5.85, 6.2, 7.04, 0.04, 6.1049]})
    shown = side_by_side(PublishedNumbers("p").graded("T", published.compare(printed, measured, ["case"])))
    assert shown["published"].tolist() == ["5.9", "6.0", "7.0", "-0.1", "6.1"]
    assert shown["reproduced"].tolist() == ["5.9", "6.2", "7.0", "0.0", "6.1"]
    same, differs = "✓ identical", "✗ differs, unexplained"
    assert shown["grade"].tolist() == [same, differs, same, differs, same]


@pytest.mark.parametrize(("rate", "grade"), [(89.0, "close"), (97.0, "compatible")])
def test_high_rates_are_judged_by_their_errors(rate, grade):
    """Two standard errors are 1.5 points: little of 11% errors, half of 3%."""
    numbers = pd.DataFrame({"published": [rate], "reproduced": rate + 0.1, "error": 0.75, "theirs": 0.1, "p": 0.9})
    numbers = numbers.assign(agrees=True, cause="", point=1.0, n=10.0, same=False)
    assert published.graded(numbers)["grade"].tolist() == [grade]


def test_agreement_is_graded_by_the_width_of_the_error():
    close, wide, ex, un = published.GRADES[1:]
    numbers = graded_numbers()
    assert numbers["grade"].tolist() == ["identical", close, wide, close, wide, ex, un, ""]
    assert numbers["attainable"].tolist() == [True, True, True, True, False, True, True, False]


def test_scoreboard_counts_each_printed_number_once():
    numbers = graded_numbers().assign(paper="p", table="Table 1")
    numbers.loc[1, "grade"] = "input"
    counts = comparison.scoreboard(numbers).iloc[0]
    assert counts[comparison.COUNTS].tolist() == [8, 1, 6, 1, 1, 2, 1, 1, 4, 1, 1]
    assert counts["comparable"] == counts[list(published.GRADES)].sum()
    assert counts["by_chance"] == pytest.approx(0.05 * 6), "neither the input nor the one without a value"
    assert counts["beyond_chance"] == 1
    assert counts["attainable"] == 5
    ours = np.sqrt(np.array([0.5, 0.03, 0.009, 0.012, 0.02]) ** 2 - np.array([0.4, 0.02, 0.004, 0.011, 0.01]) ** 2)
    ratios = ours / np.array([0.4, 0.02, 0.004, 0.011, 0.01])
    assert (counts["noisy"], counts["narrow"]) == (5, (ratios <= 0.5).sum())
    assert counts["ratio"] == pytest.approx(np.median(ratios))


@pytest.mark.parametrize(
    ("paper", "number", "point", "given"),
    [
        ("somol2011", "Table 5: madelon, OS, 0.5, size", None, True),
        ("somol2011", "Table 5: madelon, DOS, 0.5, size", None, False),
        ("somol2011", "Table 5: madelon, OS, 0.5, test", 0.01, False),
        ("somol2011", "Section 4.1: madelon, OS, test", None, False),  # the best lambda
        ("nel1998", "Table 7.5: LIVER, 101111, RANN, test", 1.0, False),
        ("nel1998", "Table 7.5: LIVER, 101111, RANN, sd, test", None, False),
        ("andonie2004", "Table 1: iris, LVQ", 1.0, False),
        ("andonie2004", "Table 2: iris, LVQ, rank 1", None, False),
        ("chen2012", "Prose, Section 5.3.3: sonar, GMLVQ, AUC by RBFSVM 2 features", 0.01, False),
        ("chen2012", "Prose, Section 5.3.3: sonar, n irrelevant added", None, True),
        ("chen2012", "Table 5: sonar, GMLVQ", None, False),
    ],
)
def test_rates_and_inputs_are_told_from_other_numbers(paper, number, point, given):
    declared = part_of(paper, "printed").PUBLISHED
    assert declared.point(number) == pytest.approx(np.nan if point is None else point, nan_ok=True)
    assert bool(re.search(declared.inputs, number)) == given


def whole_table(errors, datasets):
    """A table with the given differences in standard errors."""
    items = [f"{dataset}, {k}" for k, dataset in enumerate(datasets)]
    table = pd.DataFrame(
        {"errors": errors, "item": items, "error": 1.0, "agrees": True, "grade": "close", "theirs": 0.8}
    )
    table = table.assign(shared=np.nan, repetitions=10, errors_of_mean=np.nan, n=10, cause="")
    return table.assign(paper="p", table="Table 1")


def test_the_data_set_that_carries_a_difference_is_named():
    groups, noise = np.repeat(list("abcdef"), 10), np.random.default_rng(0).normal(0, 0.1, 60)
    repeated = {"theirs": 0.8, "shared": 0.01}  # our repetitions say how little of their error the numbers share
    alone = comparison.as_a_whole(whole_table(noise - 3.0 * (groups == "c"), groups).assign(**repeated)).iloc[0]
    assert (alone["off"], alone["carried_by"]) == ("below", "c")
    together = comparison.as_a_whole(whole_table(noise - 1.0 - 2.0 * (groups == "c"), groups).assign(**repeated)).iloc[
        0
    ]
    assert (together["off"], together["carried_by"]) == ("below", "")


@pytest.mark.parametrize(
    ("cause", "explained"), [("unstated setting", True), ("misprint", False), ("unexplained", False)]
)
def test_a_cause_of_some_numbers_explains_their_quantity_and_a_misprint_only_itself(cause, explained):
    """On one data set all tests are below print, and one of them differs for a recorded cause."""
    groups = np.repeat(list("abcdef"), 10)
    table = whole_table(np.random.default_rng(0).normal(0, 0.1, 60) - 3.0 * (groups == "c"), groups)
    table = table.assign(item=[f"{group}, {k}, test" for k, group in enumerate(groups)], theirs=0.8, shared=0.01)
    table.loc[25, "cause"] = cause
    row = comparison.as_a_whole(table).iloc[0]
    assert (row["off"], row["explained"]) == ("below", explained)
    assert comparison.mean_in_words(row).endswith("explained below" if explained else "unexplained")
    table.loc[groups == "c", "cause"] = "misprint"
    assert comparison.as_a_whole(table).iloc[0]["explained"]


def test_a_table_off_as_a_whole_is_found_although_each_number_agrees():
    rng = np.random.default_rng(0)
    found = comparison.as_a_whole(whole_table(rng.normal(-1.0, 1, 60), np.repeat(list("abcdef"), 10)))
    assert found["off"].tolist() == ["below"]
    higher = whole_table(rng.normal(1.0, 1, 60), np.repeat(list("abcdef"), 10))
    both = comparison.as_a_whole(pd.concat([higher, higher.assign(table="Table 9")]))
    assert both["off"].tolist() == ["above"] * 3, "the tables, and all tables of the paper"
    assert comparison.as_a_whole(higher.assign(grade="input")).empty
    one = comparison.as_a_whole(whole_table(rng.normal(-1.0, 1, 60), ["a"] * 60)).iloc[0]
    assert one["off"] == "", "numbers of a single data set may share all of their error"
    assert one["high"] - one["low"] == pytest.approx(2 * 1.959964)
    spreads = whole_table([3.0] * 4, ["a", "b", "c", "d"]).assign(item="a, sd, test")
    assert comparison.as_a_whole(spreads).empty


def test_repetitions_say_how_much_of_their_error_numbers_share():
    """Forty numbers, half of whose variance is that of the split; the paper has ten splits of its own, too.

    The splits that all numbers have say how much they share, as if no number had more.
    """
    rng = np.random.default_rng(0)
    off, variances = 0, []
    for _ in range(100):
        ours, theirs = (rng.normal(size=(1, 10)) + rng.normal(size=(40, 10)) for _ in range(2))
        printed = pd.DataFrame({"case": range(40), "value": [f"{v:.6f}" for v in theirs.mean(axis=1)], "runs": "10"})
        printed["spread"] = [f"{v:.6f}" for v in theirs.std(axis=1, ddof=1)]
        rows = [(case, split, ours[case, split]) for case in range(40) for split in range(10 if case < 20 else 6)]
        table = published.compare(printed, pd.DataFrame(rows, columns=["case", "split", "value"]), ["case"])
        table = table.assign(paper="p", table="Table 1", grade="close", cause="", errors_of_mean=np.nan)
        table["item"] = [f"a, {case}" for case in range(40)]
        off += comparison.as_a_whole(table)["off"].iloc[0] != ""
        variances.append(table["shared"].mean())
    assert np.mean(variances) == pytest.approx(0.61, rel=0.15)
    assert set(table["repetitions"]) == {6}
    assert off / 100 < 0.1
    twice = pd.concat([printed, printed.head(3)])
    again = published.compare(twice, pd.DataFrame(rows, columns=["case", "split", "value"]), ["case"])
    assert again["shared"].iloc[-3:].tolist() == again["shared"].iloc[:3].tolist(), "numbers that are printed twice"
    without = published.compare(printed, pd.DataFrame(rows, columns=["case", "number", "value"]), ["case"])
    assert without["shared"].isna().all(), "nothing says which values belong to one split"


def test_the_test_of_a_whole_table_keeps_its_level_if_numbers_share_their_error():
    """Ten numbers on each of eight data sets, nine tenths of whose variance they share."""
    rng = np.random.default_rng(0)
    sets = np.repeat(list("abcdefgh"), 10)
    off = 0
    for _ in range(100):
        errors = np.sqrt(0.9) * np.repeat(rng.normal(size=8), 10) + np.sqrt(0.1) * rng.normal(size=80)
        off += comparison.as_a_whole(whole_table(errors, sets))["off"].iloc[0] != ""
    assert off / 100 < 0.1


def test_beyond_chance_are_few_of_many_equal_numbers_but_all_that_truly_differ():
    rng = np.random.default_rng(2)
    p = np.concatenate([rng.uniform(size=1000), np.full(20, 1e-6)])
    comparisons = pd.DataFrame({"p": p, "agrees": p >= 0.05, "error": 1.0})
    found = comparison.beyond_chance(comparisons)
    assert (~comparisons["agrees"])[:1000].sum() > 30
    assert found[1000:].all()
    assert found[:1000].sum() <= 3
    alone = pd.DataFrame({"p": [0.0, 1.0, np.nan], "agrees": [False, True, None], "error": [np.nan, 0.0, np.nan]})
    assert comparison.beyond_chance(alone).tolist() == [True, False, False], "no chance is known"


def test_claims_of_a_paper_keep_their_order():
    claims = published.claims_of("hocke2014")
    assert claims["claim_id"].tolist() == [f"M{i}" for i in range(1, 11)]


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Table 3: percentage", ["table-3"]),
        ("Tables 3 and 4, published and reproduced", ["table-3", "table-4"]),
        ("Tables 5, 6 and 7", ["table-5", "table-6", "table-7"]),
        ("Table 7.10: the printed subsets", ["table-7-10"]),
        ("Table C.1: forty subsets", ["table-C-1"]),
        ("Tables 5-7", ["table-5", "table-6", "table-7"]),
        ("Tables 7.11 to 7.13, C.1", ["table-7-11", "table-7-12", "table-7-13", "table-C-1"]),
        ("The counts behind Table 1", ["table-the-counts-behind-table-1"]),
        ("Tablets 3 & more", ["table-tablets-3-more"]),
    ],
)
def test_a_table_is_found_at_the_papers_numbers_or_its_first_words_unless_an_earlier_one_is(caption, expected):
    assert anchors(caption) == expected
    assert printed_anchors(caption) == [name for name in expected if re.fullmatch(r"table-[C\d-]+", name)]
    html_of = partial(html_table, pd.DataFrame({"a": [1]}), caption)
    assert sorted(re.findall(r'id="(table-[^"]*)"', html_of())) == sorted(expected)
    assert sorted(re.findall(r'id="(table-[^"]*)"', html_of(taken=expected[:1]))) == sorted(expected[1:])


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("4.2, Fig 10", "Section 4.2, Fig 10"),
        ("5.3.1, 5.3.5, Figs 14, 15", "Sections 5.3.1, 5.3.5, Figs 14, 15"),
        ("5.2-5.3, 6, Table 3", "Sections 5.2-5.3, 6, Table 3"),
        ("abstract, 1", "abstract, Section 1"),
        ("3, eq 4-5", "Section 3, eq 4-5"),
        ("Table 3", "Table 3"),
    ],
)
def test_the_place_of_a_claim_names_its_section(where, expected):
    assert markup.place(where) == expected


def test_claims_have_different_anchors(monkeypatch):
    claims = published.all_claims()
    found = [markup.anchor_of(line.paper, line.claim_id) for line in claims.itertuples()]
    assert len(set(found)) == len(claims)
    assert "S5" in found
    monkeypatch.setattr(markup, "uses_of_ids", lambda: {"P1": 2, "P2": 1})
    assert [markup.anchor_of("peng2005", name) for name in ("P1", "P2")] == ["peng2005-P1", "P2"]


def test_a_badge_shows_mark_and_word_and_escapes_the_claim(monkeypatch):
    claims = pd.DataFrame({"claim_id": ["P1"], "claim": ['<b> & "x"']})
    monkeypatch.setattr(markup, "claims_of", lambda paper: claims)
    judged = {"P1": SimpleNamespace(group="can't tell")}
    text = markup.filled("verdicts.html", paper="peng2005", verdicts=judged, findings=[("P1", "1 < 2")])
    assert "△</span> P1 can't tell</a>" in html.unescape(text)
    assert '<div class="answer"><p>1 &lt; 2</p>' in text
    assert 'href="../claims/P1.html"' in text
    assert '<b> & "x"' in html.unescape(text)
    assert "<b>" not in text


def test_the_sentence_on_a_chosen_claim_opens_the_others():
    judged = {claim: one_statement(7) for claim in ("M1", "M2", "M3")}
    text = sentences("hocke2014", judged, first="M2")
    first, others = text.partition("</summary>")[::2]
    assert [re.findall("<strong>(M.)</strong>", part) for part in (first, others)] == [["M2"], ["M1", "M3"]]
    assert "<em>2 more claims</em>" in first
    assert re.findall("> (M.) ", first) == ["M1", "M2", "M3"]  # badges


def one_statement(value, rule=None):
    """A verdict on one statement: that a mean of about ``value`` is above zero."""
    rows = decide([mean_of("gain", np.array([value - 1, value, value + 1]), "data sets", above=0, unit="points")])
    return verdicts.Verdict(tuple(rows), rule)


def test_groups_are_counted_in_words():
    groups = ["fails", "holds", "holds where we could tell", "holds", "holds where we could tell", "passed"]
    assert markup.tally(groups) == "2 hold, 2 hold where we could tell, 1 fails, 1 passed"
    assert markup.tally([]) == ""


def test_a_page_links_to_its_paper_and_notebook_and_a_users_run_to_the_published_page():
    text = markup.source_line("hocke2014", "hocke2014_mdm")
    assert 'href="https://doi.org/10.1016/j.patrec.2014.10.003"' in text
    assert 'href="../_sources/executed/hocke2014_mdm.ipynb" download' in text
    assert 'href="../executed/hocke2014_mdm.html"' in markup.source_line("hocke2014", "hocke2014_mdm", own=True)


def test_a_sweep_measures_every_combination_of_settings():
    def measure(a=0, b=0):
        return {"sums": pd.DataFrame({"value": [a + b]})}

    swept = sweep(measure, {"reading": {"default": {}, "a": {"a": 1}}, "b": {0: {}, 10: {"b": 10}}})["sums"]
    assert swept.to_dict("list") == {"value": [0, 10, 1, 11], "reading": ["default"] * 2 + ["a"] * 2, "b": [0, 10] * 2}
    again = dict(by_reading({"sums": swept}))
    assert list(again) == ["default", "a"]
    assert again["a"]["sums"]["value"].tolist() == [1, 11]


def estimates_of_readings():
    """Of M2: the default on the claimed side, a with it, b on the other side, and c there with fewer units."""
    rows = [
        ("default", "M2", 1.0, 3),
        ("a", "M2", 2.0, 4),
        ("b", "M2", -1.0, 3),
        ("c", "M2", -2.0, 2),
        ("a", "M3", 3.0, 3),
    ]
    table = pd.DataFrame(rows, columns=["reading", "claim", "estimate", "n"])
    return table.assign(what="gain", above=0.0, below=np.inf)


def test_readings_are_compared_where_they_have_as_many_units():
    beside = beside_default(estimates_of_readings(), "default")
    assert beside["beyond"].tolist() == [1, 2, -1, -2, 3]
    assert beside["alike"].tolist()[:3] == [True, True, False]
    assert beside["alike"].isna().tolist()[3:] == [True, True], "fewer units, and no default to compare with"
    table = by_claim(beside).set_index("claim")
    assert table.loc["M2", ["default", "least", "most", "readings", "alike", "fewer units"]].tolist() == [
        1,
        -1,
        2,
        2,
        50,
        1,
    ]
    assert table.loc["M3", "readings"] == 0
    said = same_side_in_words(by_claim(beside))
    assert said.startswith("Of 1 claims, 0 lie on the same side of their threshold in all readings; ")
    assert said.endswith("the others in this share of the readings: M2 (50%).")
    assert same_side_in_words(by_claim(beside[beside["reading"] != "b"])).endswith("all readings.")


def test_every_claim_has_a_record(monkeypatch):
    verdict = one_statement(9, rules_of("hocke2014")["M2"])
    summaries = SimpleNamespace(estimates=lambda tables: tables["found"], DEFAULT_READING="default")
    monkeypatch.setattr("compendium.claim_records.part_of", lambda paper, name: summaries)
    tables = {"hocke2014_readings": {"found": estimates_of_readings()}}
    found = {("hocke2014", "M2"): (verdict, "hocke2014_mdm")}
    records = {(record.paper, record.claim_id): record for record in claim_records(found, tables)}
    assert len(records) == len(published.all_claims())
    record = records["hocke2014", "M2"]
    assert (record.verdict, record.notebook) == (verdict, "hocke2014_mdm")
    assert record.readings["reading"].tolist() == ["default", "a", "b", "c"]
    assert record.readings["default"].tolist() == [True, False, False, False]
    assert readings_in_brief(record) == "1 of 2 agree", "a is on the same side as the default, b is not"
    assert record.title == "M2 The hard program is always solvable: holds"
    assert records["somol2011", "S5"].verdict.answer == "not tested"
    assert records["somol2011", "S5"].verdict.rule.needs


def test_a_rule_is_applied_to_the_papers_own_numbers(monkeypatch):
    found = {record.claim_id: record.on_print for record in claim_records({}, {}) if record.paper == "somol2011"}
    assert found["S5"].answer in verdicts.CLAIMS
    assert found["S4"] is None, "the paper prints no table of the evaluations"
    monkeypatch.setattr(part_of("somol2011", "printed"), "as_measured", lambda: {"ensembles": pd.DataFrame()})
    with pytest.raises(KeyError):  # an error in a rule is not taken for missing print
        claim_records({}, {})


def test_a_sentence_that_does_not_fit_is_replaced_by_the_evidence_and_an_error_in_one_is_raised():
    rule = SimpleNamespace(sentence=lambda only: f"what was found is {only.what}")
    one = one_statement(9, rule)
    assert one.sentence == f"Holds: what was found is {one.rows[0].what}."
    two = verdicts.Verdict(one.rows * 2, rule)
    assert two.sentence == f"Holds: {two.evidence}."
    rule.sentence = lambda only: min([only.estimate][1:])
    assert one.sentence == f"Holds: {one.evidence}."
    rule.sentence = lambda only: only.what + 1
    with pytest.raises(TypeError):
        _ = one.sentence


def test_power_is_the_share_of_draws_with_the_effect_in_which_a_claim_holds_or_a_check_passes(monkeypatch):
    rows = [("holds", 1, 150), ("mixed", 1, 50), ("holds", 0, 8), ("fails", 0, 192), ("fails", -1, 200)]
    table = pd.DataFrame(rows, columns=["answer", "effect", "draws"]).assign(claim="S1")
    passed = table.replace({"holds": "passed", "mixed": "failed"}).assign(claim="S2")
    record = pd.concat([table, passed]).assign(paper="somol2011", statement="", n=10, n_wanted=20)
    monkeypatch.setattr(verdicts, "recorded", lambda: record)
    rules = rules_of("somol2011")
    chances = {claim: verdicts.Verdict((), rules[claim], rules[claim].power).chance for claim in ("S1", "S2", "S3")}
    assert chances == {"S1": 0.75, "S2": 0.75, "S3": None}


def test_a_template_must_have_all_its_values():
    with pytest.raises(UndefinedError):
        markup.filled("missing_data.html", missing=["wine"])


class TestHtmlTable:
    def shown(self, **columns):
        return html_table(pd.DataFrame(columns), "Table 7.9: x")

    def test_every_part_is_escaped(self):
        text = html_table(pd.DataFrame({"<i>, a": ["<b>"], "<i>, b": [("<u>", 1)]}), '"<s>"')
        assert not re.search(r"<[ibusp]>", text)
        assert 'aria-label="&#34;&lt;s&gt;&#34;"' in text

    @pytest.mark.parametrize(
        ("values", "texts"),
        [
            ([1.5, 22.25, None], ["1.50", "22.25", "–"]),
            ([0.97, 1e-7, 0.0], ["0.97\u2007\u2007\u2007\u2007\u2007", "1.0 × 10⁻⁷", "0"]),
            ([True, False, pd.NA], ["yes", "no", "–"]),
            ([1234567, -3, 0], ["1\u202f234\u202f567", "−3", "0"]),
            ([[1, 2], [], ["a"]], ["1, 2", "none", "a"]),
            ([np.inf, -np.inf, np.nan], ["∞", "−∞", "–"]),
            (["-1.5", "+22", None], ["−1.5", "+22", "–"]),
            (["-0.4", "+3.6*", "0.1"], ["−0.4", "+3.6*", "0.1"]),
            (
                ["p = 2.5e-05, 2e-01, 1e+00", "N^2/10, -0.0", "a-1, -2 to -inf"],
                ["p = 2.5 × 10⁻⁵, 0.2, 1", "N^2/10, 0.0", "a-1, −2 to −∞"],
            ),
        ],
    )
    def test_cells_are_words_and_aligned_numbers(self, values, texts):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", self.shown(name=list("abc"), value=pd.Series(values, dtype=object)))
        assert [cell.rstrip("\u2007\u2008") for cell in cells] == [text.rstrip("\u2007") for text in texts]

    def test_names_from_the_data_are_not_typeset(self):
        text = self.shown(dataset=["-3 to inf"], features=["1e5 (1), -3 dB (2)"], note=["-3 to inf"])
        assert re.findall(r">([^<>]+)</t[dh]>", text)[-3:] == ["-3 to inf", "1e5 (1), -3 dB (2)", "−3 to ∞"]

    def test_the_full_value_is_kept_for_download(self):
        assert 'data-value="0.123456789"' in self.shown(name=["a"], value=[0.123456789])
        assert 'data-value="4e-14"' in self.shown(name=["a"], value=["4e-14"])

    def test_abbreviations_are_written_out(self):
        text = html_table(pd.DataFrame({"method": ["IG", "MIG"], "IG": [1, 2]}), "x", names={"IG": "information gain"})
        assert re.findall(r">([^<>]+)</th>", text) == ["method", "information gain", "information gain", "MIG"]

    def test_a_comparison_says_its_grades_and_the_difference_in_standard_errors(self):
        rows = pd.DataFrame({"dataset": list("abcd"), "value": ["90.0", "91.5", "92.0", "1"]})
        values = {"a": [89.4, 90.2, 91.0], "b": [96.0, 95.6, 96.4], "c": [70.0, 110.0, 150.0]}
        measured = pd.DataFrame([(name, value) for name, own in values.items() for value in own])
        measured.columns = ["dataset", "value"]
        text = html_table(
            side_by_side(PublishedNumbers("p").graded("Table 1", published.compare(rows, measured, ["dataset"]))), "x"
        )
        assert '<td class="good">✓ close, +0.2 se</td>' in text
        assert '<td class="bad">✗ differs, unexplained, +9.7 se</td>' in text
        assert '<td class="partly">◐ compatible, +0.4 se</td>' in text
        assert ">90.2 ± 0.8<" in text
        assert ">d<" not in text, "not measured"

    def test_metrics_that_identify_no_case_have_columns_of_their_own(self):
        rows = pd.DataFrame({"dataset": "a", "metric": ["rate", "size"], "value": ["0.90", "7"]})
        rows["spread"] = ["0.02", ""]
        measured = rows.assign(value=[0.95, 7.0])[["dataset", "metric", "value"]]
        found = published.compare(rows, measured, ["dataset", "metric"]).assign(spread=rows["spread"])
        (row,) = side_by_side(PublishedNumbers("p", inputs="size$").graded("Table 1", found), ["dataset"]).to_dict(
            "records"
        )
        assert row["rate, grade"] == "✗ differs, unexplained, +2.5 se"
        assert row["rate, published"] == "0.90 ± 0.02"
        assert (row["rate, reproduced"], row["size, published"], row["size, reproduced"]) == ("0.95", "7", "7")
        assert row["size, grade"] == "= input"

    def test_columns_with_a_common_prefix_share_a_header(self):
        text = html_table(pd.DataFrame({"search": ["SFS"], "test, published": [1], "test, reproduced": [2]}), "x")
        assert '<th scope="col" rowspan="2">search</th><th scope="colgroup" colspan="2">test</th>' in text

    @pytest.mark.parametrize(
        ("value", "text"),
        [(None, "none"), ([], "none"), (["wine", "iris"], "wine, iris"), (True, "yes"), (1e-4, "0.0001"), (600, "600")],
    )
    def test_a_parameter_is_shown_in_words(self, value, text):
        assert in_words(value) == text

    def test_an_empty_table_is_shown(self):
        assert "<tbody>" in html_table(pd.DataFrame(columns=["a", "b"]), "x")
        linked = re.sub(">a<", "><b>a</b><", html_table(pd.DataFrame({"a": [1]}), "x"))
        assert "<b>a</b>" in linked  # by a notebook, for instance to make a cell a link


def test_each_paper_says_where_to_read_it():
    for paper in filter(lambda paper: printed_files(paper.key), papers().values()):
        page = (paper.folder / "page.md").read_text(encoding="utf-8")
        assert paper.link or "## Where to read it" in page


@pytest.mark.parametrize("n_samples", [201, 202, 203, 230])
def test_a_stratified_sample_may_leave_few_rows_or_many(n_samples):
    y = np.arange(n_samples) % 10 % 3
    rows = stratified_rows(y, 200, 7)
    assert len(set(rows)) == 200
    assert np.bincount(y[rows]) == pytest.approx(200 * np.bincount(y) / n_samples, abs=1)
    assert_array_equal(rows, stratified_rows(y, 200, 7))
    if n_samples - 200 >= 3:
        (drawn, _), *_ = StratifiedShuffleSplit(1, train_size=200, random_state=7).split(y, y)
        assert_array_equal(rows, np.sort(drawn))


class TestFeatureNames:
    def test_columns_of_a_file_are_named_by_its_header_and_numbered_from_one(self, tmp_path):
        rows = [f"{k},7,{k * k},{'ab'[k % 2]}" for k in range(8)]
        (tmp_path / "mine.csv").write_text("\n".join(["height,always_7,area,class", *rows]))
        file = str(tmp_path / "mine.csv")
        assert feature_names([file]) == {"mine": ["height", "always_7", "area"]}
        names = feature_names([file], constant=False)["mine"]
        assert named_list([2, 1], names) == "height (1), area (2)"

    def test_names_of_a_file_keep_their_underscores(self):
        assert named(1, ["mean_area"]) == "mean_area (1)"
        assert feature_names(["wine"])["wine"][1] == "malic acid"

    def test_public_data_are_named_without_their_files_unless_their_columns_are_only_numbered(self, monkeypatch):
        monkeypatch.setenv("FSCORE_DATA_MIRROR", "")
        names = feature_names(["wdbc", "pima", "sonar", "ionosphere"])
        assert set(names) == {"wdbc", "pima"}
        assert named(2, names["pima"]) == "glucose (2)"
        assert named(3) == "3"


class TestPhone:
    """The second drawing of a figure, for phones."""

    def drawn(self):
        figure = Figure(figsize=(8.4, 3.0), layout="constrained")
        for ax, label in zip(figure.subplots(1, 2, sharey=True), "ab", strict=True):
            ax.plot([0, 1], [2, 3], label="a method")
            ax.set_xlabel(label)
        figure.axes[0].set_ylabel("error")
        figure.axes[1].legend()
        return figure

    def test_panels_are_in_one_column_with_their_labels_and_the_legend_below(self):
        figure = self.drawn()
        figure.draw_without_rendering()
        style.stack(figure)
        figure.draw_without_rendering()
        first, second = (ax.get_position() for ax in figure.axes)
        assert first.y0 > second.y1
        assert first.x0 == pytest.approx(second.x0)
        assert [ax.get_ylabel() for ax in figure.axes] == ["error", "error"]
        assert all(label.get_visible() for ax in figure.axes for label in ax.get_yticklabels())
        assert figure.get_figwidth() < 5
        (legend,) = figure.legends
        assert legend.get_window_extent().y1 < figure.axes[1].get_window_extent().y0
        assert [text.get_text() for text in legend.get_texts()] == ["a method"]

    def test_labels_that_would_overlap_are_turned(self):
        figure = self.drawn()
        crowded, free = figure.axes
        crowded.set_xticks(range(30), ["feature"] * 30)
        style.turn_crowded_labels(figure)
        assert {label.get_rotation() for label in crowded.get_xticklabels()} == {90}
        assert {label.get_rotation() for label in free.get_xticklabels()} == {0}

    def test_a_notebook_stores_both_drawings_the_same_every_time(self):
        with mpl.rc_context({"svg.hashsalt": "fscore"}):
            bundle, _ = style.both_widths(self.drawn())
            assert set(bundle) == {"image/svg+xml", style.NARROW}
            assert style.both_widths(self.drawn())[0] == bundle


def test_series_of_a_figure_look_different():
    styles = [tuple(style.values()) for style in series_styles(20)]
    assert len(set(styles)) == 20
    first = list(zip(*styles[: len(COLOURS)], strict=True))
    assert [len(set(values)) for values in first] == [len(COLOURS)] * 3


def test_a_file_that_is_named_like_a_data_set_must_be_a_copy_of_it():
    """Tables and printed numbers are matched by the name."""
    check_name("folder/iris.csv", (150, 4))
    check_name("folder/mine.csv", (90, 4))
    with pytest.raises(
        ValueError, match=r"^folder/iris.csv has 90 samples of 4 features, .* 150 of 4; rename the file"
    ):
        check_name("folder/iris.csv", (90, 4))

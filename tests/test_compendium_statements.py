"""Statements and verdicts: one function decides, a claim hangs on its primary statements, words and drawing agree."""

import html
import math
import re
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from claimed import with_power
from hypothesis import given
from scipy import stats
from simulations import draw_of, n_wanted

from compendium.markup import TONES, evidence, forest, power_in_words, printed_in_words, scope_in_words
from compendium.statements import (
    POINT,
    Decided,
    Statement,
    decide,
    fact,
    least_of,
    mean_of,
    means_of,
    over_sets,
    primary,
    secondary,
    share_of,
    side,
    statistic_of,
)
from compendium.verdicts import ANSWERS, CHECKS, CLAIMS, GROUPS, MARKS, NOT_TESTED, Check, Verdict, rules_of


def test_a_statement_needs_a_threshold():
    with pytest.raises(ValueError, match=r"^the statement 'gain' has no threshold; give above, below or both\.$"):
        mean_of("gain", [1.0, 2.0], "data sets", unit="points")


@pytest.mark.parametrize(
    ("low", "high", "claimed", "answer"),
    [
        (0.6, 0.9, {"above": 0.5}, "holds"),
        (0.1, 0.4, {"above": 0.5}, "fails"),
        (0.4, 0.9, {"above": 0.5}, "undecided"),
        (0.5, 0.9, {"above": 0.5}, "undecided"),
        (-math.inf, 0.4, {"below": 0.5}, "holds"),
        (-math.inf, math.inf, {"below": 0.5}, "undecided"),
        (math.nan, math.nan, {"below": 0.5}, "undecided"),
        (-0.1, 0.1, {"above": -1, "below": 1}, "holds"),
        (-0.1, 1.1, {"above": -1, "below": 1}, "undecided"),
        (1.1, 1.2, {"above": -1, "below": 1}, "fails"),
        (-1.2, -1.1, {"above": -1, "below": 1}, "fails"),
        (0.1, 0.4, {"above": 0, "margin": 1}, "holds"),
        (-0.4, 0.4, {"above": 0, "margin": 1}, "no effect"),
        (-0.4, -0.1, {"above": 0, "margin": 1}, "no effect"),
        (-1.4, -0.1, {"above": 0, "margin": 1}, "fails"),
        (-0.4, 1.4, {"above": 0, "margin": 1}, "undecided"),
        (0.1, 0.4, {"below": 0, "margin": 1}, "no effect"),
        (0.1, 1.4, {"below": 0, "margin": 1}, "fails"),
    ],
)
def test_an_interval_decides_unless_it_contains_the_threshold(low, high, claimed, answer):
    assert side(low, high, **claimed) == answer


def z_statement(z):
    """A statement about a mean with known error 1, whose two-sided p-value is that of ``z``."""

    def interval(level):
        half = stats.norm.ppf((1 + level) / 2)
        return z - half, z + half

    return Statement(f"z = {z}", z, interval, 10, "units", above=0)


@given(st.floats(-3, 3), st.floats(0, 3), st.floats(0.01, 2))
def test_answers_of_opposite_claims_are_opposite(middle, half, margin):
    low, high = middle - half, middle + half
    claimed, opposite = side(low, high, above=0, margin=margin), side(-high, -low, below=0, margin=margin)
    assert claimed == opposite
    if claimed == "holds":
        assert side(low, high, below=0) == "fails"


def test_an_intersection_holds_at_the_level_of_each_and_fails_at_that_of_all():
    rng = np.random.default_rng(0)
    held = failed = 0
    for _ in range(400):
        samples = [rng.normal(0, 1, 30), rng.normal(3, 1, 30), rng.normal(3, 1, 30)]  # one lies on the threshold
        held += decide([least_of("least", samples, "units", above=0)])[0].answer == "holds"
        failed += decide([least_of("least", rng.normal(0, 1, (5, 30)), "units", above=0)])[0].answer == "fails"
    assert 0.005 < held / 400 < 0.05, "2.5%, as of one statement"
    assert failed / 400 < 0.05, "although the least of five was chosen"


def test_data_sets_in_general_and_these_are_two_statements():
    index = pd.MultiIndex.from_product([["a", "b", "c"], range(4)], names=["dataset", "repeat"])
    values = pd.Series([1, 1.1, 0.9, 1, 2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3], index)
    general, these = decide(over_sets("gain", values, above=0, unit="points"))
    assert (general.about, these.about) == ("in general", "on these data sets")
    assert general.estimate == pytest.approx(these.estimate) == pytest.approx(2)
    assert general.tau == pytest.approx(1, abs=0.01)
    assert general.high - general.low > 10 * (these.high - these.low)
    assert general.prediction[0] < general.low < general.high < general.prediction[1]
    assert scope_in_words(these) == "these data sets: 12 measurements"
    assert scope_in_words(general).startswith("data sets in general, from 3 that vary by 1.0; on another: ")
    (once,) = decide(over_sets("gain", values.xs(0, level="repeat"), above=0))
    low, high = once.low, once.high
    assert once.prediction == pytest.approx((2 - (high - low), 2 + (high - low))), "of one more: the root of n + 1 = 2"


def test_the_paper_s_own_estimate_stands_beside_ours():
    gains = mean_of("gain", [1.0, 2.0, 3.0], "data sets", above=0, unit="points")
    (ours,), (printed,) = (
        decide([gains]),
        decide([mean_of("gain", [3.0, 4.0, 5.0], "data sets", above=0, unit="points")]),
    )
    half = np.hypot(2.484, 2.484)
    assert (
        printed_in_words(ours, printed) == f"4.0 points; ours is 50% of it; expected {4 - half:.1f} to {4 + half:.1f}"
    )
    assert printed_in_words(ours, None) == "–"


def test_facts_have_no_part_in_chance():
    assert decide([fact("count", 3, above=2)])[0].answer == "holds"
    assert decide([fact("count", 2, above=2)])[0].answer == "fails"


def test_missing_values_are_left_out_of_a_mean():
    (row,) = decide([mean_of("gain", [1.0, np.nan, 2.0, 3.0], "units", above=0)])
    assert (row.estimate, row.n) == (2.0, 3)
    assert decide([mean_of("gain", [], "units", above=0)])[0].answer == "undecided"


def test_an_interval_without_an_end_is_not_written():
    half_open = mean_of("gain", [1.0, 2.0], "sets", interval=lambda values, level: (0.5, math.inf), above=0)
    assert decide([half_open])[0].measured == "1.5 (too few sets for an interval)"


@pytest.mark.parametrize(
    ("estimate", "reach", "said"),
    [(0.9546, 0.003, "0.95"), (8.97, 0.04, "9.0"), (14.21, 1, "14"), (107.0, 0.1, "107"), (-0.604, 0.04, "-0.60")],
)
def test_a_sentence_has_two_digits_of_a_number_and_a_table_those_of_its_interval(estimate, reach, said):
    (row,) = decide([Statement("x", estimate, lambda level: (estimate - reach, estimate + reach), 9, "sets", above=0)])
    assert row.number == said
    assert row.measured.startswith(row.digits(estimate))
    assert row.difference("more", "less") == f"{said.removeprefix('-')} {'less' if estimate < 0 else 'more'}"


def test_a_hundred_without_an_interval_is_written_out():
    (row,) = decide([Statement("x", 100.0, lambda level: (100.0, 100.0), 9, "sets", above=50, unit="%")])
    assert row.measured == "100% (100 to 100)"


def test_what_is_expected_ends_at_what_is_possible():
    ours, printed = (decide([share_of("won", n, 10, "data sets", above=50)])[0] for n in (9, 10))
    assert printed_in_words(ours, printed).endswith(" to 100")


def test_shares_are_in_percent():
    (row,) = decide([share_of("won", 9, 10, "data sets", above=50)])
    assert (row.estimate, row.unit, row.answer) == (90.0, "%", "holds")
    assert row.needed == "above 50%"
    exact = stats.binomtest(9, 10).proportion_ci(1 - 0.05, method="exact")
    assert (row.low, row.high) == pytest.approx((100 * exact.low, 100 * exact.high))
    (loss,) = decide([mean_of("loss", [1.0, 2.0], "sets", above=-1, unit="points")])
    assert loss.needed == "above -1 point"


class Theorem(Check):
    """A check."""

    def statements(self):
        """None of its own."""
        return []

    def sentence(self):
        """None of its own."""


def verdict(*z, facts=(), more=(), rule=None):
    facts = [fact(f"fact {k}", v, above=0) for k, v in enumerate(facts)]
    return Verdict(tuple(decide([*map(z_statement, z), *facts, *secondary(map(z_statement, more))])), rule)


@pytest.mark.parametrize(
    ("z", "answer", "words", "marks"),
    [
        ((5, 6), "holds", "all 2 statements hold", "●●"),
        ((5,), "holds", "holds", "●"),
        ((5, -5), "mixed", "1 holds, 1 fails", "●■"),
        ((5, 6, 0), "mixed", "2 hold, 1 undecided", "●●◇"),
        ((-5, -6), "fails", "all 2 statements fail", "■■"),
        ((-5, 0, 0), "fails", "1 fails, 2 undecided", "■◇◇"),
        ((0, 0), "undecided", "undecided", "◇◇"),
        ((), NOT_TESTED, NOT_TESTED, ""),
    ],
)
def test_a_verdict_follows_from_its_statements(z, answer, words, marks):
    found = verdict(*z)
    assert (found.answer, found.words, found.marks) == (answer, words, marks)


def row(answer, what="gain"):
    return Decided(what, 1.0, None, 5, "units", above=0, unit="points", low=0.5, high=1.5, answer=answer)


@pytest.mark.parametrize(
    ("answers", "power", "group"),
    [
        (["holds", "holds"], 0.9, "holds"),
        (["holds", "undecided"], 0.9, "holds where we could tell"),
        (["holds", "fails"], 0.9, "contradicted in part"),
        (["holds", "no effect", "undecided"], 0.9, "contradicted in part"),
        (["fails", "undecided"], 0.1, "fails"),
        (["no effect", "undecided"], 0.1, "no effect found"),
        (["undecided"], 0.49, "too small to tell"),
        (["undecided"], 0.5, "can't tell"),
        (["undecided"], None, "can't tell"),
        ([], 0.9, NOT_TESTED),
    ],
)
def test_a_reader_is_told_the_group(answers, power, group):
    found = Verdict(tuple(row(answer, str(k)) for k, answer in enumerate(answers)))
    assert with_power(found, power).group == group
    assert group in GROUPS


def test_secondary_statements_decide_nothing():
    assert verdict(5, more=[-5, 0]).answer == "holds"
    assert verdict(5, more=[-5, 0]).marks == "●"
    assert with_power(verdict(-5, more=[5]), 0.9).group == "fails"


def test_a_check_passes_or_fails_and_every_answer_has_its_own_mark():
    assert verdict(facts=[1, 2], rule=Theorem()).answer == "passed"
    assert verdict(facts=[1, 0], rule=Theorem()).answer == "failed"
    assert Verdict((), Theorem()).answer == NOT_TESTED
    assert len({MARKS[group] for group in GROUPS}) == len(GROUPS)
    assert {*CLAIMS, *CHECKS, NOT_TESTED} == set(ANSWERS)
    assert {*GROUPS, *ANSWERS} == set(MARKS) == set(TONES)


def test_the_evidence_names_the_weakest_statement():
    assert verdict(5, -5).evidence == "1 holds, 1 fails; weakest: z = -5: -5.0 (-7.0 to -3.0), needed above 0"
    assert verdict(5).evidence == "z = 5: 5.0 (3.0 to 7.0), needed above 0"
    assert Verdict().evidence == "none of its data was measured"


def test_a_picture_says_the_same_in_words():
    found = verdict(5, -5, 0, facts=[3])
    drawn = forest(found)
    assert drawn.count("<svg") == 3, "a fact has no interval"
    assert drawn.count("stroke-dasharray") == 3, "thresholds"
    for shape in ("<circle", "<rect", "<path"):
        assert drawn.count(shape) == 1, "a marker for each side"
    text = re.sub("<[^>]+>", " ", re.sub("(?s)<svg.*?</svg>", "", drawn))
    for row in found.rows:
        assert row.answer in text
    assert "−5.0 (−7.0 to −3.0)" in text
    assert 'aria-hidden="true"><svg' in drawn
    assert forest(Verdict()) == ""
    places = re.findall(r'<line x1="([\d.]+)" x2="[\d.]+" y1="0"', forest(verdict(5, -5, 0)))
    assert len(set(places)) == 1, "intervals of one unit share their axis, so that the same threshold is one line"


def test_power_below_a_half_says_so_of_what_is_undecided_and_names_what_would_do():
    found = verdict(0.5)
    what = found.rows[0].what
    power = pd.DataFrame({"power": [0.2, 0.2], "n": [pd.NA, 10], "n_wanted": [pd.NA, 64]}, index=["", what])
    for wanted, said in ((64, "n ≈ 64"), (3309, "n ≈ 3,300"), (892268563, "n > 10,000")):
        larger = replace(found, power=power.assign(n_wanted=[pd.NA, wanted]))
        assert f"20%, {said}<" in html.unescape(forest(larger))
    found = replace(found, power=power)
    assert "the experiment was too small" in forest(found)
    assert "too small" not in forest(replace(found, power=power.assign(power=0.9)))
    assert "too small" not in forest(replace(found, rows=verdict(5).rows, power=power.set_axis(["", "z = 5"])))


def test_power_in_words_says_what_is_simulated():
    rule = rules_of("somol2011")["S1"]
    said = power_in_words(with_power(verdict(0.5, rule=rule), 0.2))
    assert said.startswith("Power: if the paper is right, an experiment of this size confirms it 20% of the time")
    assert said.endswith(f"(simulated: {rule.effect}).")
    assert power_in_words(verdict(0.5, rule=rule)) == ""
    assert power_in_words(with_power(verdict(facts=[1], rule=Theorem()), 1.0)) == ""


def test_a_small_but_certain_gain_holds_and_is_called_less_than_the_margin():
    (small,) = decide([mean_of("gain", [0.2, 0.3, 0.25, 0.3], "units", above=0, margin=POINT, unit="points")])
    (large,) = decide([mean_of("gain", [2.2, 2.3, 2.25, 2.3], "units", above=0, margin=POINT, unit="points")])
    assert (small.answer, small.negligible, large.negligible) == ("holds", True, False)
    assert "less than the margin" in forest(Verdict((small,)))
    assert "less than the margin" not in forest(Verdict((large,)))


def test_what_was_not_measured_is_said_in_words():
    values = {"none": [], "one": [1.0]}
    found = Verdict(tuple(decide([mean_of(what, x, "data sets", above=0) for what, x in values.items()])))
    assert [row.measured for row in found.rows] == ["not measured", "1 (too few data sets for an interval)"]
    drawn = forest(found)
    assert "nan" not in drawn
    assert "data sets in general, from 1<" in drawn


def test_a_statement_whose_threshold_is_not_printed_is_left_out():
    known = mean_of("known", [1.0, 2.0, 3.0], "data sets", above=0)
    unknown = mean_of("unknown", [1.0, 2.0, 3.0], "data sets", below=np.nan)
    assert decide([unknown, known]) == decide([known])


def test_power_is_that_of_experiments_of_the_published_size():
    rule = rules_of("somol2011")["S1"]
    rows = tuple(decide([mean_of("largest size divided by the smallest", [3.0], "sets", above=2)]))
    assert "Power" in evidence("somol2011", {"S1": Verdict(rows, rule, rule.power)})
    assert not re.search("[Pp]ower", evidence("somol2011", {"S1": Verdict(rows, rule)}))
    tables = draw_of("somol2011", "S1")(np.random.default_rng(0), 1)
    assert rule.verdict(tables).power is None
    assert rule.verdict(tables, with_power=True).chance == rule.power.loc["", "power"]


def test_the_wanted_number_has_the_power_that_it_is_said_to_have():
    rng = np.random.default_rng(0)

    def experiments(n):
        return [decide([mean_of("gain", rng.normal(0.3, 1, n), "units", above=0)])[0] for _ in range(400)]

    wanted = n_wanted(experiments(20))
    assert 0.72 < np.mean([row.answer == "holds" for row in experiments(wanted)]) < 0.9


def test_a_statistic_of_a_sample_has_a_bootstrap_interval():
    sample = np.random.default_rng(0).normal(1, 1, (200, 2))
    (row,) = decide([statistic_of("mean", sample, np.mean, "rows", above=0)])
    half = 1.96 * sample.mean(axis=1).std(ddof=1) / np.sqrt(200)
    assert (row.estimate, row.n, row.answer) == (sample.mean(), 200, "holds")
    assert [row.low, row.high] == pytest.approx([row.estimate - half, row.estimate + half], abs=0.2 * half)


def test_several_means_are_secondary_and_named():
    first, second = means_of("gain on {}", {"Iris": [1.0, 3.0], "Wine": [2.0, np.nan, 2.0]}, "splits", above=0)
    assert (first.what, first.estimate, second.what, second.n) == ("gain on Iris", 2, "gain on Wine", 2)
    assert first.secondary
    assert primary([first, second]) == []

"""Statements and verdicts: one function decides, Holm's procedure keeps the level, words and drawing say the same."""

import html
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from compendium.forest import evidence, forest, power_in_words
from compendium.simulations import _wanted
from compendium.statements import Statement, decide, fact, mean_of, share_of, side
from compendium.statistics import holm
from compendium.verdicts import ANSWERS, CHECKS, CLAIMS, MARKS, NOT_TESTED, Verdict


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


@pytest.mark.parametrize("k", range(1, 9))
def test_statements_are_decided_as_by_holms_p_values(k):
    for z in np.random.default_rng(k).uniform(-5, 5, (40, k)).round(1):
        adjusted = holm(2 * stats.norm.sf(np.abs(z)))
        expected = np.where(adjusted >= 0.05, "undecided", np.where(z > 0, "holds", "fails"))
        assert [row.answer for row in decide([z_statement(value) for value in z])] == expected.tolist()


def test_an_answer_can_be_read_from_its_interval():
    for row in decide([z_statement(z) for z in (2.0, 2.3, 3.0, -5.0, 0.1)]):
        assert row.answer == side(row.low, row.high, row.above, row.below)


def test_facts_have_no_part_in_chance():
    alone, beside = decide([z_statement(2.0)]), decide([z_statement(2.0), fact("count", 3, above=2)])
    assert beside[0] == alone[0]
    assert beside[1].answer == "holds"
    assert decide([fact("count", 2, above=2)])[0].answer == "fails"


def test_missing_values_are_left_out_of_a_mean():
    (row,) = decide([mean_of("gain", [1.0, np.nan, 2.0, 3.0], "units", above=0)])
    assert (row.estimate, row.n) == (2.0, 3)
    assert decide([mean_of("gain", [], "units", above=0)])[0].answer == "undecided"


def test_an_interval_without_an_end_is_not_written():
    half_open = mean_of("gain", [1.0, 2.0], "sets", interval=lambda values, level: (0.5, math.inf), above=0)
    assert decide([half_open])[0].measured == "1.5 (too few sets for an interval)"


def test_shares_are_in_percent():
    (row,) = decide([share_of("won", 9, 10, "data sets", above=50)])
    assert (row.estimate, row.unit, row.answer) == (90.0, "%", "holds")
    assert row.claimed == "above 50 %"
    exact = stats.binomtest(9, 10).proportion_ci(1 - 0.05, method="exact")
    assert (row.low, row.high) == pytest.approx((100 * exact.low, 100 * exact.high))
    (loss,) = decide([mean_of("loss", [1.0, 2.0], "sets", above=-1, unit="points")])
    assert loss.claimed == "above -1 point"


def verdict(*z, facts=(), check=False):
    return Verdict(
        tuple(decide([*map(z_statement, z), *(fact(f"fact {k}", v, above=0) for k, v in enumerate(facts))])), check
    )


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


def test_a_check_passes_or_fails_and_every_answer_has_its_own_mark():
    assert verdict(facts=[1, 2], check=True).answer == "passed"
    assert verdict(facts=[1, 0], check=True).answer == "failed"
    assert Verdict((), check=True).answer == NOT_TESTED
    assert len(set(MARKS.values())) == len(ANSWERS)
    assert {*CLAIMS, *CHECKS, NOT_TESTED} == set(ANSWERS)


def test_the_evidence_names_the_weakest_statement():
    assert verdict(5, -5).evidence == "1 holds, 1 fails; weakest: z = -5: -5.0 (-7.2 to -2.8), claimed above 0"
    assert verdict(5).evidence == "z = 5: 5.0 (3.0 to 7.0), claimed above 0"
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
    assert "−5.0 (−7.4 to −2.6)" in text
    assert 'aria-hidden="true"><svg' in drawn
    assert forest(Verdict()) == ""
    places = re.findall(r'<line x1="([\d.]+)" x2="[\d.]+" y1="0"', forest(verdict(5, -5, 0)))
    assert len(set(places)) == 1, "intervals of one unit share their axis, so that the same threshold is one line"


def test_power_below_a_half_says_so_and_names_what_would_do():
    found = verdict(0.5)
    what = found.rows[0].what
    power = pd.DataFrame({"power": [0.2, 0.2], "n": [pd.NA, 10], "n_wanted": [pd.NA, 64]}, index=["", what])
    for wanted, said in ((64, "n ≈ 64"), (3309, "n ≈ 3,300"), (892268563, "n > 10,000")):
        assert f"20 %, {said}<" in html.unescape(forest(found, power.assign(n_wanted=[pd.NA, wanted])))
    assert "this experiment could not have decided" in forest(found, power)
    said = power_in_words(found, power, "gains as printed")
    assert said == "Power: in simulated experiments of this size (gains as printed) it holds in 20 % of the draws."
    assert "could" not in forest(found, power.assign(power=0.9))


def test_what_was_not_measured_is_said_in_words():
    values = {"none": [], "one": [1.0]}
    found = Verdict(tuple(decide([mean_of(what, x, "data sets", above=0) for what, x in values.items()])))
    assert [row.measured for row in found.rows] == ["not measured", "1 (too few data sets for an interval)"]
    drawn = forest(found)
    assert "nan" not in drawn
    assert "Intervals over" not in drawn
    assert "<td>data sets: 1</td>" in drawn


def test_a_statement_whose_threshold_is_not_printed_is_left_out():
    known = mean_of("known", [1.0, 2.0, 3.0], "data sets", above=0)
    unknown = mean_of("unknown", [1.0, 2.0, 3.0], "data sets", below=np.nan)
    assert decide([unknown, known]) == decide([known])


def test_power_is_that_of_experiments_of_the_published_size():
    found = {"S1": Verdict(tuple(decide([mean_of("largest size divided by the smallest", [3.0], "sets", above=2)])))}
    assert "Power" in evidence("somol2011", found)
    assert not re.search("[Pp]ower", evidence("somol2011", found, simulated=False))


def test_an_experiment_that_decided_could_have_decided():
    found = verdict(5)  # holds
    power = pd.DataFrame(
        {"power": [0.2, 0.2], "n": [pd.NA, 10], "n_wanted": [pd.NA, 64]}, index=["", found.rows[0].what]
    )
    assert "could" not in forest(found, power)


def test_the_wanted_number_has_the_power_that_it_is_said_to_have():
    rng = np.random.default_rng(0)

    def experiments(n):
        return [decide([mean_of("gain", rng.normal(0.3, 1, n), "units", above=0)])[0] for _ in range(400)]

    wanted = _wanted(experiments(20))
    assert 0.72 < np.mean([row.answer == "holds" for row in experiments(wanted)]) < 0.9

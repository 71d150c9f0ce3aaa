"""Every claim's rule on data with a known answer: the effect as printed, no effect, the effect reversed."""

import pytest

from compendium import simulations
from compendium.papers import papers
from compendium.simulations import EFFECTS, answers, recorded, simulations_of
from compendium.verdicts import rules_of

FEW = 3  # draws here, of the 200 in the record
CASES = [(paper, claim) for paper in papers() for claim in rules_of(paper)]


def share(counts, answer):
    return counts.get(answer, 0) / counts.sum()


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_every_rule_says_what_it_tests_and_why(paper, claim):
    rule = rules_of(paper)[claim]
    assert rule.statement.endswith(".")
    assert rule.reasons


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_every_rule_is_simulated(paper, claim):
    assert claim in simulations_of(paper)


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_recorded_answers_are_right(paper, claim):
    record = recorded().query("paper == @paper and claim == @claim")
    assert set(record["digest"]) == {simulations.digest(paper)}, "run: python notebooks/run.py simulate"
    counts = {effect: part.set_index("answer")["draws"] for effect, part in record.groupby("effect")}
    if not rules_of(paper)[claim].check:
        assert share(counts[0], "replicated") <= 0.05
    assert share(counts[-1], "replicated") == 0
    assert share(counts[-1], "not replicated") > 0.5


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_the_record_is_what_the_rules_answer(paper, claim):
    """The first draws again: none gives an answer that the record of all draws doesn't have."""
    record = recorded().query("paper == @paper and claim == @claim").set_index(["effect", "answer"])["draws"]
    for effect in EFFECTS:
        if effect == 0 and rules_of(paper)[claim].check:
            continue
        for answer, count in answers(paper, claim, effect, FEW).items():
            assert count <= record.get((effect, answer), 0)

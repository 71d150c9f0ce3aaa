"""Every claim's rule on data with a known answer: the effect as printed, no effect, the effect reversed."""

import inspect
import re

import pytest

from compendium import simulations
from compendium.papers import papers
from compendium.results import verdicts_of
from compendium.simulations import EFFECTS, recorded, simulate, simulations_of
from compendium.verdicts import rules_of

FEW = 3  # draws here, of the 200 in the record
CASES = [(paper, claim) for paper in papers() for claim in rules_of(paper)]
# Without an effect a statement may hold in 5 % of all draws; of 200, so many with a probability of 99.9 %.
MOST = 0.105


@pytest.fixture(scope="module")
def verdicts():
    return {key: verdict for key, (verdict, _) in verdicts_of().items()}


def share(record, answer):
    return record.loc[record["answer"] == answer, "draws"].sum() / record["draws"].sum()


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_every_claim_has_a_reasoned_rule_a_short_answer_and_a_simulation(paper, claim, verdicts):
    rule, verdict = rules_of(paper)[claim], verdicts[paper, claim]
    statement, _, reasons = inspect.getdoc(rule.function).partition("\n")
    assert statement.endswith(".")
    assert reasons
    assert verdict.rows
    assert len({row.what for row in verdict.rows}) == len(verdict.rows)
    assert max(len(row.what.split()) for row in verdict.rows) <= 10
    assert len(verdict.evidence.split()) <= 25
    assert re.search(r"\d", verdict.evidence), "evidence contains numbers"
    assert all(row.n > 1 or row.exact for row in verdict.rows)
    assert claim in simulations_of(paper)


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_recorded_answers_are_right(paper, claim):
    record = recorded().query("paper == @paper and claim == @claim")
    assert set(record["digest"]) == {simulations.digest(paper)}, "run: python notebooks/run.py simulate"
    if not rules_of(paper)[claim].check:
        for statement, drawn in record[record["effect"] == 0].groupby("statement"):
            held = share(drawn, "holds") + (share(drawn, "mixed") if statement == "" else 0)
            assert held <= MOST, statement or "any of them"
    for _, drawn in record[record["effect"] == -1].groupby("statement"):
        if set(record["statement"]) != {""} and drawn["n"].notna().all():
            assert share(drawn, "holds") <= 0.01
    reversed_ = record[(record["effect"] == -1) & (record["statement"] == "")]
    assert share(reversed_, "fails") + share(reversed_, "failed") > 0.5


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_the_record_is_what_the_rules_answer(paper, claim):
    """The first draws again: none gives an answer that the record of all draws doesn't have."""
    record = recorded().query("paper == @paper and claim == @claim")
    record = record.set_index(["effect", "statement", "answer"])["draws"]
    for effect in EFFECTS:
        if effect == 0 and rules_of(paper)[claim].check:
            continue
        for row in simulate(paper, claim, effect, FEW).itertuples():
            assert row.draws <= record.get((effect, row.statement, row.answer), 0)


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_simulated_experiments_are_as_large_as_ours(paper, claim, verdicts):
    """Up to units without a result: correlations that are undefined, data sets that are not here."""
    simulated = recorded().query("paper == @paper and claim == @claim and effect == 1")
    simulated = simulated.dropna(subset="n").groupby("statement")["n"].first()
    for row in verdicts[paper, claim].rows:
        assert row.exact or 0.75 * simulated[row.what] <= row.n <= simulated[row.what], row.what


def test_errors_of_all_statements_together_are_those_of_the_level():
    """Over all claims on simulated data without an effect: in at most 5 % any statement holds."""
    record = recorded().query("effect == 0 and statement == ''")
    assert share(record, "holds") + share(record, "mixed") <= 0.05

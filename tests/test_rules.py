"""Every claim's rule on data with a known answer: the effect as printed, no effect, the effect reversed."""

import inspect
import re
from functools import cache

import pytest
from claimed import with_power
from simulations import counted, drawn_effect, drawn_verdicts, effects_of, main

from compendium.markup import typeset
from compendium.papers import papers
from compendium.runner.measuring import with_verdicts
from compendium.verdicts import GROUPS, Check, recorded, rules_of, verdicts_of

FEW = 1  # draws here, of the 200 in the record
MOST_WORDS = 25
CASES = [(paper, claim) for paper in papers() for claim in rules_of(paper)]
# Without an effect a statement may hold in 5% of all draws; of 200, so many with a probability of 99.9%.
MOST = 0.105


@pytest.fixture(scope="module")
def verdicts():
    return {key: verdict for key, (verdict, _) in verdicts_of().items()}


@cache
def first_drawn(paper, claim, effect):
    """The verdicts on the first simulated tables."""
    return drawn_verdicts(paper, claim, effect, FEW)


def share(record, answer):
    return record.loc[record["answer"] == answer, "draws"].sum() / record["draws"].sum()


def test_a_claim_that_nothing_is_drawn_for_is_named(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["simulations.py", "nel1998"])
    monkeypatch.delattr("simulated.nel1998.N1")
    with pytest.raises(SystemExit):
        main()
    assert "tests/simulated/nel1998.py has no function N1; write one that draws its tables." in capsys.readouterr().err


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_every_claim_has_a_reasoned_rule_and_a_short_answer(paper, claim, verdicts):
    rule, verdict = rules_of(paper)[claim], verdicts[paper, claim]
    statement, _, reasons = inspect.getdoc(rule).partition("\n")
    assert statement.endswith(".")
    assert reasons
    assert verdict.rows
    assert len({row.what for row in verdict.rows}) == len(verdict.rows)
    assert max(len(row.what.split()) for row in verdict.rows) <= 10
    assert len(verdict.evidence.split()) <= MOST_WORDS
    assert verdict.primary
    assert re.search(r"\d", verdict.evidence), "evidence contains numbers"
    assert all(row.n > 1 or row.exact for row in verdict.rows)


def words_of(group):
    return f"{group[:1].upper()}{group[1:]}: "


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_what_was_found_is_a_sentence_that_agrees_with_the_verdict(paper, claim, verdicts):
    """On our tables and on simulated ones of every kind: its first words are the group, and it names no other."""
    drawn = [first_drawn(paper, claim, effect)[0] for effect in effects_of(rules_of(paper)[claim])]
    for verdict in [verdicts[paper, claim], *drawn]:
        for power in verdicts[paper, claim].chance, 0.0, 1.0:
            found = with_power(verdict, power)
            said, group = found.sentence, found.group
            first, rest = words_of(group), said.removeprefix(words_of(group))
            assert said.startswith(first)
            assert len(said.split()) <= MOST_WORDS, said
            assert re.search(r"\d", rest), said
            assert "nan" not in said
            assert not any(re.search(rf"\b{other}\b", rest) for other in GROUPS), said
            assert typeset(said).endswith(".")
    assert not verdicts[paper, claim].sentence.endswith(f"{verdicts[paper, claim].evidence}."), "by hand"


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_recorded_answers_are_right(paper, claim):
    record = recorded().query("paper == @paper and claim == @claim")
    if not isinstance(rules_of(paper)[claim], Check):
        for statement, drawn in record[record["effect"] == 0].groupby("statement"):
            held = share(drawn, "holds")
            assert held <= MOST, statement or "any of them"
    for _, drawn in record[record["effect"] == -1].groupby("statement"):
        if set(record["statement"]) != {""} and drawn["n"].notna().all():
            assert share(drawn, "holds") <= 0.01
    reversed_ = record[(record["effect"] == -1) & (record["statement"] == "")]
    assert share(reversed_, "holds") + share(reversed_, "passed") == 0
    assert share(reversed_, "fails") + share(reversed_, "failed") > 0.5


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_the_record_is_what_the_rules_answer(paper, claim):
    """The first draws again: none gives an answer that the record doesn't have (`python tests/simulations.py`)."""
    record = recorded().query("paper == @paper and claim == @claim")
    record = record.set_index(["effect", "statement", "answer"])["draws"]
    for effect in effects_of(rules_of(paper)[claim]):
        for row in counted(first_drawn(paper, claim, effect)).itertuples():
            assert row.draws <= record.get((effect, row.statement, row.answer), 0)
    assert rules_of(paper)[claim].effect == drawn_effect(paper, claim)


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_simulated_experiments_are_as_large_as_ours(paper, claim, verdicts):
    """Up to units without a result: correlations that are undefined, data sets that are not here."""
    simulated = recorded().query("paper == @paper and claim == @claim and effect == 1")
    simulated = simulated.dropna(subset="n").groupby("statement")["n"].first()
    for row in verdicts[paper, claim].rows:
        assert row.exact or 0.75 * simulated[row.what] <= row.n <= simulated[row.what], row.what


def test_errors_of_all_statements_together_are_those_of_the_level():
    """Over all claims on simulated data without an effect: in at most 5% a claim holds."""
    record = recorded().query("effect == 0 and statement == ''")
    assert share(record, "holds") <= 0.05


def test_readme_counts_the_stored_verdicts(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    assert with_verdicts(text) == text, "make measure writes this table"

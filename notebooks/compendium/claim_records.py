"""Everything that the project knows about each claim: rule, verdict, verdicts under other readings, power, command."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pandas as pd

from compendium.comparison import print_of
from compendium.markup import counted
from compendium.papers import papers
from compendium.parts import part_of
from compendium.published import claims_of
from compendium.readings import COLUMNS
from compendium.results import stored_tables, verdicts_of
from compendium.simulations import power_of, recorded
from compendium.verdicts import Rule, Verdict, claims_needing, rules_of


@dataclass(frozen=True)
class ClaimRecord:
    """One claim.

    Attributes
    ----------
    paper, claim_id, where, claim : str
        Key of the paper, id, place in the paper, and what the paper says.
    quotation : str
        The paper's own words; empty if not recorded.
    rule : Rule or None
    verdict : Verdict
        On the tables that the pages show.
    notebook : str or None
        The page that shows the tables.
    readings : DataFrame
        Verdicts under other readings of the paper: reading, answer, words, marks, evidence.
    on_print : Verdict or None
        The verdict of the same rule on the paper's own numbers; None if they don't suffice.
    simulated : dict of int to Series
        Answers to simulated data by effect (1: as printed or assumed, 0: none, -1: reversed), as shares.
    power : DataFrame
        As from `compendium.simulations.power_of`.
    """

    paper: str
    claim_id: str
    where: str
    claim: str
    rule: Rule | None
    verdict: Verdict
    notebook: str | None
    readings: pd.DataFrame
    on_print: Verdict | None
    simulated: dict
    power: pd.DataFrame
    quotation: str = ""

    @property
    def answer(self):
        """The verdict in one word."""
        return self.verdict.answer


@cache
def stored_records():
    """Every claim, with the verdicts by the store's tables."""
    return claim_records(verdicts_of(), stored_tables())


def claim_records(verdicts, tables):
    """One record for each claim of each paper, in the order of the papers and their claims.

    Parameters
    ----------
    verdicts : dict
        As from `compendium.results.verdicts_of`.
    tables : dict of str to (dict of str to DataFrame)
        As from `compendium.results.stored_tables`.

    Returns
    -------
    list of ClaimRecord
    """
    simulated, records = recorded(), []
    for paper in papers():
        on_print, readings = _on_print(paper), _readings(paper, tables.get(f"{paper}_readings"))
        for line in claims_of(paper).to_dict("records"):
            claim_id = line["claim_id"]
            verdict, notebook = verdicts.get((paper, claim_id), (Verdict(), None))
            record = ClaimRecord(
                **line,
                rule=rules_of(paper).get(claim_id),
                verdict=verdict,
                notebook=notebook,
                readings=readings[readings["claim"] == claim_id].drop(columns="claim").reset_index(drop=True),
                on_print=on_print.get(claim_id),
                simulated=_shares(simulated, paper, claim_id),
                power=power_of(paper, claim_id),
            )
            records.append(record)
    return records


def power_in_brief(record):
    """How often all statements hold if the effect is as printed or assumed; a dash for a check."""
    if record.verdict.check or "" not in record.power.index:
        return "–"
    return f"{record.power.loc['', 'power']:.0%}"


def readings_in_brief(record):
    """Counts of the answers under the readings: "2 hold, 7 mixed"."""
    return counted(Counter(record.readings["answer"])) or "–"


def _on_print(paper):
    """Verdicts of the same rules on the paper's own numbers, as far as it prints what they need."""
    declared = print_of(paper)
    return claims_needing(paper, declared.measured()) if declared else {}


def _readings(paper, tables):
    """Verdicts on all claims under each other reading of a paper; none if it has no experiment on readings.

    The default reading is left out: that experiment measures it with fewer data than the pages
    whose verdict counts.
    """
    summaries, columns = part_of(paper, "summaries"), ["reading", "claim", *COLUMNS]
    if not tables:
        return pd.DataFrame(columns=columns)
    verdicts = summaries.verdicts(tables)[columns]
    return verdicts[verdicts["reading"] != summaries.DEFAULT_READING]


def _shares(simulated, paper, claim_id):
    """Share of each verdict on simulated data by effect."""
    rows = simulated.query("paper == @paper and claim == @claim_id and statement == ''")
    draws = {effect: part.set_index("answer")["draws"] for effect, part in rows.groupby("effect")}
    return {effect: counts / counts.sum() for effect, counts in draws.items()}

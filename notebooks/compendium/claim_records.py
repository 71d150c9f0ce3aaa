"""Everything that the project knows about each claim: verdict, estimates under other readings, simulations, page."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from compendium.papers import papers, part_of
from compendium.published import claims_of
from compendium.readings import COLUMNS, beside_default, estimates_under
from compendium.statements import LEVEL
from compendium.store import stored_tables
from compendium.verdicts import Verdict, claims_needing, recorded, rules_of, verdicts_of


@dataclass(frozen=True)
class ClaimRecord:
    """One claim.

    Attributes
    ----------
    paper, claim_id, where, short, claim : str
        Key of the paper, id, place in the paper, and what the paper says: in a few words, and in a sentence.
    quotation : str
        The paper's own words; empty if not recorded.
    verdict : Verdict
        On the tables that the pages show.
    notebook : str or None
        The page that shows the tables.
    readings_of_paper : callable
        Returns the estimates on all claims of the paper under its readings, as from
        `compendium.readings.beside_default`.
    on_print : Verdict or None
        The verdict of the same rule on the paper's own numbers; None if they don't suffice.
    simulated : dict of int to Series
        Answers to simulated data by effect (1: as printed or assumed, 0: none, -1: reversed), as shares.
    """

    paper: str
    claim_id: str
    where: str
    short: str
    claim: str
    verdict: Verdict
    notebook: str | None
    readings_of_paper: Callable
    on_print: Verdict | None
    simulated: dict
    quotation: str = ""

    @property
    def readings(self):
        """Estimates under the readings, as from `compendium.readings.beside_default`, without the claim."""
        estimates = self.readings_of_paper()
        return estimates[estimates["claim"] == self.claim_id].drop(columns="claim").reset_index(drop=True)

    @property
    def title(self):
        """The page's title: "S5 Voting raises accuracy and stability: too small to tell"."""
        return f"{self.claim_id} {self.short}: {self.verdict.group}"


@cache
def stored_records():
    """Every claim, with the verdicts by the store's tables."""
    return claim_records(verdicts_of(), stored_tables())


def claim_records(verdicts, tables):
    """One record for each claim of each paper, in the order of the papers and their claims.

    Parameters
    ----------
    verdicts : dict
        As from `compendium.verdicts.verdicts_of`.
    tables : dict of str to (dict of str to DataFrame)
        As from `compendium.store.stored_tables`.

    Returns
    -------
    list of ClaimRecord
    """
    simulated, records = recorded(), []
    for paper in papers():
        on_print = _on_print(paper)
        readings = cache(partial(_readings, paper, tables.get(f"{paper}_readings")))  # takes most of the time
        for line in claims_of(paper).to_dict("records"):
            claim_id = line["claim_id"]
            not_measured = Verdict(rule=rules_of(paper).get(claim_id)), None
            verdict, notebook = verdicts.get((paper, claim_id), not_measured)
            record = ClaimRecord(
                **line,
                verdict=verdict,
                notebook=notebook,
                readings_of_paper=readings,
                on_print=on_print.get(claim_id),
                simulated=_shares(simulated, paper, claim_id),
            )
            records.append(record)
    return records


def statements_in_words(verdicts):
    """How many statements there are, and how many of them have which answer, in a sentence; checks are left out."""
    claims = [verdict for verdict in verdicts if not verdict.check]
    rows = [row for verdict in claims for row in verdict.rows]
    n = Counter(row.answer for row in rows)
    towards = sum(row.answer == "undecided" and row.on_claimed_side for row in rows)
    return (
        f"We broke {len(claims)} claims into {len(rows)} statements: {n['holds']} hold, {n['fails']} fail, "
        f"{n['no effect']} show no effect, and for {n['undecided']} our experiments can't tell ({towards} of these "
        "point the claimed way)."
    )


def expectation_in_words(records):
    """What the counts of claims would be if all papers were right, and how many verdicts chance alone turns."""
    claims = [record.verdict for record in records if not record.verdict.check]
    hold = sum(claim.chance or 0.0 for claim in claims)  # the sum of the powers
    wrong = (1 - LEVEL) * sum(not all(row.exact for row in claim.primary) for claim in claims)
    return (
        f"Experiments of our size miss some true claims: if all papers were exactly right, about {hold:.0f} of the "
        f"{len(claims)} claims would hold here. By chance, at most about {wrong:.0f} verdicts are wrong."
    )


def turning(records, share=0.1):
    """Claims whose group changes if thresholds and margins of our own move.

    Parameters
    ----------
    records : list of ClaimRecord
    share : float, default=0.1
        By which all thresholds move, down or up; zero, as in "better", stays zero.

    Returns
    -------
    list of (ClaimRecord, str, str)
        The record, and its group with smaller and with larger thresholds.
    """
    found = []
    for record in records:
        groups = [record.verdict.moved(factor).group for factor in (1 - share, 1 + share)]
        if not record.verdict.check and set(groups) != {record.verdict.group}:
            found.append((record, *groups))
    return found


def power_in_brief(record):
    """How often all statements hold if the effect is as printed or assumed; a dash for a check."""
    chance = record.verdict.chance
    return "–" if chance is None or record.verdict.check else f"{chance:.0%}"


def readings_in_brief(record):
    """In how many of the other readings with as many units the estimate lies on the same side: "31 of 40 agree"."""
    others = record.readings[~record.readings["default"]]
    alike = others["alike"].dropna()
    return f"{int(alike.sum())} of {len(alike)} agree" if len(alike) else "–"


def _on_print(paper):
    """Verdicts of the same rules on the paper's own numbers, as far as it prints what they need."""
    return claims_needing(paper, getattr(part_of(paper, "printed"), "as_measured", dict)())


def _readings(paper, tables):
    """Estimates on all claims under each reading of a paper; none if it has no experiment on readings."""
    summaries = part_of(paper, "summaries")
    found = summaries.estimates(tables)[["reading", "claim", *COLUMNS]] if tables else estimates_under(paper, ())
    return beside_default(found, summaries.DEFAULT_READING if tables else "")


def _shares(simulated, paper, claim_id):
    """Share of each verdict on simulated data by effect."""
    rows = simulated.query("paper == @paper and claim == @claim_id and statement == ''")
    draws = {effect: part.set_index("answer")["draws"] for effect, part in rows.groupby("effect")}
    return {effect: counts / counts.sum() for effect, counts in draws.items()}

"""Everything that the project knows about each claim: rule, verdict, verdicts under other readings, power, command."""

import re
from dataclasses import dataclass, field

import pandas as pd

from compendium.digest import code_digest
from compendium.kept import hash_of, kept
from compendium.papers import REFERENCE, papers, printed_files
from compendium.parts import part_of
from compendium.published import claims_of
from compendium.results import verdicts_of
from compendium.simulations import recorded
from compendium.verdicts import ANSWERS, Rule, rules_of

__all__ = ["ClaimRecord", "claim_records", "command_of", "printed_as_measured", "verdict_on_print"]


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
    answer, evidence : str
        The verdict on the tables that the pages show.
    notebook : str or None
        The page that shows the tables.
    readings : DataFrame
        Verdicts under other readings of the paper: reading, answer, evidence.
    on_print : Verdict or None
        The verdict of the same rule on the paper's own numbers; None if they don't suffice.
    simulated : dict of int to Series
        Answers to simulated data by effect (1: as printed, 0: none, -1: reversed), as shares.
    """

    paper: str
    claim_id: str
    where: str
    claim: str
    quotation: str
    rule: Rule | None
    answer: str
    evidence: str
    notebook: str | None
    readings: pd.DataFrame
    on_print: object = None
    simulated: dict = field(default_factory=dict)


def claim_records(results, tables):
    """One record for each claim of each paper, in the order of the papers and their claims.

    Parameters
    ----------
    results : dict of str to dict
        As from `compendium.results.read_results`.
    tables : dict of str to (dict of str to DataFrame)
        The tables that the pages show, as from `compendium.results.shown_tables`.

    Returns
    -------
    list of ClaimRecord
    """
    verdicts, simulated = verdicts_of(results), recorded()
    untested = ({"answer": ANSWERS[-1], "evidence": ""}, None)
    records = []
    for paper in papers():
        as_printed, readings = printed_as_measured(paper), _readings(paper, tables.get(f"{paper}_readings"))
        for line in claims_of(paper).fillna("").to_dict("records"):
            claim_id = line["claim_id"]
            rule = rules_of(paper).get(claim_id)
            verdict, notebook = verdicts.get((paper, claim_id), untested)
            own = readings["claim"] == claim_id
            records.append(
                ClaimRecord(
                    paper,
                    claim_id,
                    line["where"],
                    line["claim"],
                    line.get("quotation", ""),
                    rule,
                    verdict["answer"],
                    verdict["evidence"],
                    notebook,
                    readings.loc[own, ["reading", "answer", "evidence"]].reset_index(drop=True),
                    rule and verdict_on_print(rule, as_printed),
                    _shares(simulated[(simulated["paper"] == paper) & (simulated["claim"] == claim_id)]),
                )
            )
    return records


def _readings(paper, tables):
    """Verdicts on all claims under each reading of a paper; none if it has no experiment on readings.

    The paper's ``summaries.verdicts`` judges the tables of that experiment; its verdicts are kept.
    """
    judge = getattr(part_of(paper, "summaries"), "verdicts", None)
    columns = ["reading", "claim", "answer", "evidence"]
    if not tables or judge is None:
        return pd.DataFrame(columns=columns)
    code = code_digest([f"{paper}.summaries", f"{paper}.claims"])
    printed = [file.read_bytes() for file in printed_files(paper)]
    measured = [part for name, table in sorted(tables.items()) for part in (name, table.to_csv())]
    rows = kept("verdicts", hash_of(code, *printed, *measured), lambda: judge(tables)[columns].to_dict("records"))
    return pd.DataFrame(rows, columns=columns)


def printed_as_measured(paper):
    """The paper's own numbers in the form of its experiments' tables, as far as it prints them."""
    return getattr(part_of(paper, "printed"), "as_measured", dict)()


def verdict_on_print(rule, tables):
    """Apply a rule to the paper's own numbers.

    Parameters
    ----------
    rule : Rule
    tables : dict of str to DataFrame
        As from `printed_as_measured`.

    Returns
    -------
    Verdict or None
        None if the paper doesn't print all tables, or not all columns and rows, that the rule needs.
    """
    if not set(rule.needs) <= set(tables):
        return None
    try:
        return rule(tables)
    except (LookupError, NameError, ValueError):  # a column or a row that isn't printed
        return None


def _shares(simulated):
    """Share of each answer by effect."""
    shares = {}
    for effect, part in simulated.groupby("effect"):
        draws = part.set_index("answer")["draws"]
        shares[effect] = draws / draws.sum()
    return shares


def command_of(notebook):
    """The shell command that recomputes a page at the size of the reference.

    Parameters
    ----------
    notebook : str

    Returns
    -------
    str
    """
    paper = next(paper for paper in papers().values() if notebook in paper.pages)
    settings = paper.settings(REFERENCE).get(notebook) or {}
    words = " ".join(_word(f"{name}={_yaml(value)}") for name, value in settings.items())
    return f"make run NOTEBOOK={notebook}" + (f' PARAMS="{words}"' if words else "")


def _word(text):
    """One word of a quoted shell string."""
    return f'\\"{text}\\"' if set(text) & set(" '") else text


def _yaml(value):
    """A value in YAML, without spaces and quotation marks if possible."""
    if isinstance(value, list):
        return f"[{','.join(map(_yaml, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    plain = not isinstance(value, str) or re.fullmatch(r"[A-Za-z_][\w.]*", text)
    return text if plain else f"'{text}'"

"""Computed verdicts: each claim of a paper is a list of statements about the tables of a run, and its verdict follows.

The module ``claims`` of each paper declares each claim as a class: what is stated, and the sentence of what was found.
The docstring is published with the verdict: the first line says what is stated, the others give the reason for each
threshold::

    class M3(Claim):
        '''Noise columns get weight zero more often than the other columns.

        The threshold is zero, because the paper names no size.
        '''

        def statements(self, noise):
            return [mean_of("noise columns less other columns", differences(noise), "draws", above=0, unit="points")]

        def sentence(self, lead):
            return f"noise columns get weight zero more often by {lead.number}"

Statements have no branches and no prose; without the data that the claim is about there are none.
"""

import inspect
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

import pandas as pd

from compendium.papers import DATA, paper_of, part_of
from compendium.published import claims_of
from compendium.statements import SIDES, decide, side
from compendium.store import stored_tables

NOT_TESTED = "not tested"
CLAIMS = ("holds", "mixed", "fails", "undecided", "no effect")  # answers to claims
CHECKS = ("passed", "failed")  # answers to checks: theorems, and what is true by construction
ANSWERS = (*CLAIMS, *CHECKS, NOT_TESTED)
# What a reader is told of a claim: its group.
GROUPS = (
    "holds",
    "holds where we could tell",
    "contradicted in part",
    "fails",
    "no effect found",
    "too small to tell",
    "can't tell",
    *CHECKS,
    NOT_TESTED,
)
# Each answer and each group has its own word and marker, so that no reader depends on color.
MARKS = dict(zip(GROUPS, "●◐◑■○◇△✓✗–", strict=True)) | {"mixed": "◐", "undecided": "◇", "no effect": "○"}
ENOUGH = 0.5  # power below which an experiment is too small to tell
NO_DATA = "none of its data was measured"


@dataclass(frozen=True)
class Verdict:
    """What the statements of a claim say together. Verdicts with equal statements are equal.

    Attributes
    ----------
    rows : tuple of `compendium.statements.Decided`
        None if the run lacks the data that the claim is about.
    rule : Claim or None
        None if the claim has no rule yet.
    power : DataFrame or None
        `Claim.power`, if the experiment is as large as the simulated ones.
    """

    rows: tuple = ()
    rule: "Claim | None" = field(default=None, compare=False)
    power: pd.DataFrame | None = field(default=None, compare=False)

    @property
    def check(self):
        """Whether the claim is a check."""
        return isinstance(self.rule, Check)

    @property
    def chance(self):
        """How often the claim would hold in experiments like this one if it is right; None if that is unknown."""
        return None if self.power is None or "" not in self.power.index else float(self.power.loc["", "power"])

    @property
    def primary(self):
        """The statements on which the claim hangs."""
        return tuple(row for row in self.rows if not row.secondary)

    @property
    def answer(self):
        """The verdict in one word, one of `ANSWERS`, by the primary statements.

        "holds" if every one does; "mixed" if some do; if none does, "fails" if one fails, else "no effect" if one has
        none, else "undecided". A check has passed if every statement holds.
        """
        answers = {row.answer for row in self.primary}
        if not answers:
            return NOT_TESTED
        if self.check:
            return "passed" if answers == {"holds"} else "failed"
        if "holds" in answers:
            return "holds" if len(answers) == 1 else "mixed"
        return next(answer for answer in ("fails", "no effect", "undecided") if answer in answers)

    @property
    def group(self):
        """What a reader is told, one of `GROUPS`."""
        if self.answer == "mixed":
            contradicted = {"fails", "no effect"} & {row.answer for row in self.primary}
            return "contradicted in part" if contradicted else "holds where we could tell"
        if self.answer == "undecided":
            return "too small to tell" if self.chance is not None and self.chance < ENOUGH else "can't tell"
        return {"no effect": "no effect found"}.get(self.answer, self.answer)

    def moved(self, factor):
        """The verdict if all thresholds and margins of our own were ``factor`` times as large; zero stays zero."""

        def decided(row):
            ends = {"above": row.above * factor, "below": row.below * factor, "margin": row.margin * factor}
            answer = side(row.low, row.high, **ends)
            return replace(row, **ends, answer="fails" if row.exact and answer == "undecided" else answer)

        return replace(self, rows=tuple(map(decided, self.rows)))

    @property
    def words(self):
        """The verdict in words: "all 3 statements hold", "2 hold, 1 fails", "undecided"."""
        counts = {side: sum(row.answer == side for row in self.primary) for side in SIDES}
        n = len(self.primary)
        if self.check or n < 2 or n in (counts["undecided"], counts["no effect"]):
            return self.answer
        if counts["holds"] == n or counts["fails"] == n:
            return f"all {n} statements {'hold' if counts['holds'] else 'fail'}"
        verbs = {"holds": ("holds", "hold"), "fails": ("fails", "fail")}
        parts = [(count, verbs.get(side, (side, side))[count > 1]) for side, count in counts.items() if count]
        return ", ".join(f"{count} {verb}" for count, verb in parts)

    @property
    def marks(self):
        """The primary statements as a row of marks."""
        return "".join(MARKS[row.answer] for row in self.primary)

    @property
    def evidence(self):
        """One sentence without its full stop: the verdict in words, and the statement that is farthest from holding."""
        if not self.rows:
            return NO_DATA
        row = min(self.primary, key=_margin)
        weakest = f"{row.what}: {row.measured}, needed {row.needed}"
        return weakest if len(self.primary) == 1 else f"{self.words}; weakest: {weakest}"

    @property
    def sentence(self):
        """What was found, in one sentence of at most 25 words that begins with the group.

        "Too small to tell: voting was more accurate on 3 of 10 data sets." If the run lacks data that the rule's
        sentence names, the evidence stands in.
        """
        words = self.evidence
        if self.rows and self.rule and _takes(self.rule.sentence, self.rows):
            with suppress(ValueError):  # a run on other data may have no estimate to tell
                words = self.rule.sentence(*self.rows)
        return f"{self.group[:1].upper()}{self.group[1:]}: {words}."


def _margin(row):
    """How far a statement is from its nearest threshold, in half-widths of its interval; negative on the wrong side."""
    distance = min(row.estimate - row.above, row.below - row.estimate)
    half = (row.high - row.low) / 2
    return distance / half if half > 0 else distance


def _takes(function, arguments):
    """Whether a function can be called with these arguments."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    return True


class Claim(ABC):
    """A claim of a paper: what it states of tables, and what was found in a sentence.

    A subclass in the module ``claims`` of the paper has the claim's id as its name. The first line of its docstring
    says what is stated, the rest gives the reason for each threshold.
    """

    @abstractmethod
    def statements(self, **tables):
        """List of `compendium.statements.Statement`; empty without the data that the claim is about.

        The arguments name the tables. One with the default None is of the paper's readings, and may be missing.
        """

    @abstractmethod
    def sentence(self, *statements):
        """What was found, from the decided statements in their order: at most 20 words, true for any numbers."""

    @property
    def needs(self):
        """Names of the tables without which nothing can be stated."""
        return [argument.name for argument in self._arguments if argument.default is argument.empty]

    @property
    def _arguments(self):
        return inspect.signature(self.statements).parameters.values()

    def statements_on(self, tables):
        """What is stated about the tables, undecided: estimates come without their intervals, which take longer."""
        return self.statements(*(tables.get(argument.name) for argument in self._arguments))

    def verdict(self, tables, *, with_power=False):
        """The verdict on the tables.

        Parameters
        ----------
        tables : dict of str to DataFrame
        with_power : bool, default=False
            Whether the tables are of an experiment as large as the simulated ones, whose power it then has.

        Returns
        -------
        Verdict
        """
        return Verdict(tuple(decide(self.statements_on(tables))), self, self.power if with_power else None)

    @property
    def power(self):
        """How often the claim and its statements held in the record if the effect is as printed or assumed.

        Returns
        -------
        DataFrame
            power (a share of the draws), n and n_wanted, indexed by the statement; the verdict is the empty one. Empty
            if the claim is not in the record.
        """
        answers = self._answers_to_its_effect
        answers = answers.assign(held=answers["draws"].where(answers["answer"].isin(["holds", "passed"]), 0))
        grouped = answers.groupby("statement", sort=False)
        held = grouped["held"].sum() / grouped["draws"].sum()
        return pd.DataFrame({"power": held, "n": grouped["n"].first(), "n_wanted": grouped["n_wanted"].first()})

    @property
    def effect(self):
        """What simulations draw for the claim's effect, in words: "gains as printed"; empty if there are none."""
        return next(iter(self._answers_to_its_effect["drawn"]), "")

    @property
    def _answers_to_its_effect(self):
        """The rows of the record in which the effect is as printed or assumed."""
        record, paper = recorded(), type(self).__module__.partition(".")[0]
        return record[record["paper"].eq(paper) & record["claim"].eq(type(self).__name__) & record["effect"].eq(1)]

    @property
    def words(self):
        """The docstring on one line: what is stated, and the reason for each threshold."""
        return " ".join((inspect.getdoc(self) or "").split())


class Check(Claim):
    """A claim that is a theorem or true by construction: it checks our code, not the world."""


def claims_needing(paper, tables, readings=None, *, with_power=False):
    """Judge every claim of ``paper`` whose tables are all given.

    Parameters
    ----------
    paper : str
        Key of the paper.
    tables : dict of str to DataFrame
    readings : dict of str to DataFrame, optional
        Tables of the paper's readings, which some rules take as well.
    with_power : bool, default=False
        As in `Claim.verdict`.

    Returns
    -------
    dict of str to Verdict
        In the order of the paper's claims file.
    """
    tables = {**(readings or {}), **tables}
    rules = rules_needing(paper, tables)
    return {claim_id: rule.verdict(tables, with_power=with_power) for claim_id, rule in rules.items()}


def rules_needing(paper, tables):
    """The rules of `rules_of` whose tables are all given."""
    return {claim_id: rule for claim_id, rule in rules_of(paper).items() if set(rule.needs) <= set(tables)}


def rules_of(paper):
    """The rules that judge a paper's claims.

    Parameters
    ----------
    paper : str

    Returns
    -------
    dict of str to Claim
        In the order of the paper's claims file. Claims without a rule are omitted.
    """
    module = part_of(paper, "claims")
    return {
        claim_id: getattr(module, claim_id)() for claim_id in claims_of(paper)["claim_id"] if hasattr(module, claim_id)
    }


def unlisted_rules(paper):
    """Names of the classes of a paper's claims that its claims file does not list; nobody would decide them."""
    classes = inspect.getmembers(part_of(paper, "claims"), inspect.isclass)
    own = {name for name, kind in classes if issubclass(kind, Claim) and kind.__module__ == f"{paper}.claims"}
    return sorted(own.difference(claims_of(paper)["claim_id"]))


@cache
def verdicts_of():
    """The verdicts by the store's tables, each with its notebook.

    Returns
    -------
    dict of (str, str) to (Verdict, str)
        Maps (paper, claim) to (verdict, notebook).
    """
    tables, found = stored_tables(), {}
    for notebook, own in tables.items():
        paper = paper_of(notebook)
        verdicts = claims_needing(paper, own, tables.get(f"{paper}_readings"), with_power=True)
        found |= {(paper, claim): (verdict, notebook) for claim, verdict in verdicts.items()}
    return found


# Known truth ----------------------------------------------------------------------------------------------------------

RECORD = DATA / "simulations.csv"  # written by tests/simulations.py
COLUMNS = ["paper", "claim", "statement", "effect", "drawn", "answer", "draws", "n", "n_wanted", "version"]


@cache
def recorded():
    """The answers of the claims' rules to simulated data; empty if none are recorded. `COLUMNS` has the columns."""
    if not RECORD.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(RECORD, dtype={"n": "Int64", "n_wanted": "Int64"}).fillna({"statement": "", "drawn": ""})

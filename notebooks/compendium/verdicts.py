"""Computed verdicts: each claim of a paper is a list of statements about the tables of a run, and its verdict follows.

The module ``claims`` of each paper declares each claim as a class: what is stated, the sentence of what was found, and
data with a known answer to test both on. The docstring is published with the verdict: the first line says what is
stated, the others give the reason for each threshold::

    class M3(Claim):
        '''Noise columns get weight zero more often than the other columns.

        The threshold is zero, because the paper names no size.
        '''

        def statements(self, noise):
            return [mean_of("noise columns less other columns", differences(noise), "draws", above=0, unit="points")]

        def sentence(self, lead):
            return f"noise columns get weight zero more often by {lead.number}"

        def draw(self, rng, effect):
            '''An assumed lead by ten points; none; a lag of its size.'''
            return {"noise": noise_table(rng.normal(10 * effect, 5, 20))}

Statements have no branches and no prose; without the data that the claim is about there are none.
"""

import inspect
import math
import re
import zlib
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pandas as pd
from joblib import Parallel, cpu_count, delayed
from scipy import stats

import fscore
from compendium.papers import DATA, paper_of, papers, part_of
from compendium.published import claims_of
from compendium.statements import SIDES, decide, side
from compendium.store import entries, readings_of
from fscore._files import write_atomically

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
    """A claim of a paper: what it states of tables, what was found in a sentence, and tables with a known answer.

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

    @abstractmethod
    def draw(self, rng, effect):
        """Tables as large as those that we measure, with the effect (1), without it (0), or with it reversed (-1).

        The effect has the printed size, or an assumed one where the paper prints none; reversed, the same or a larger
        one. Without it every statement lies on its threshold or on the wrong side of it. The first clause of the
        docstring says what is drawn for 1, and pages repeat it.
        """

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
        record, paper = recorded(), type(self).__module__.partition(".")[0]
        own = record["paper"].eq(paper) & record["claim"].eq(type(self).__name__) & record["effect"].eq(1)
        answers = record[own]
        answers = answers.assign(held=answers["draws"].where(answers["answer"].isin(["holds", "passed"]), 0))
        grouped = answers.groupby("statement", sort=False)
        held = grouped["held"].sum() / grouped["draws"].sum()
        return pd.DataFrame({"power": held, "n": grouped["n"].first(), "n_wanted": grouped["n_wanted"].first()})

    @property
    def effect(self):
        """What the simulation draws for the claim's effect, in words: "gains as printed"."""
        clause = re.split(r"[;.](?:\s|$)", " ".join(inspect.getdoc(self.draw).split()))[0]
        return clause[:1].lower() + clause[1:]

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


@cache
def verdicts_of():
    """The verdicts by the store's tables, each with its notebook.

    Returns
    -------
    dict of (str, str) to (Verdict, str)
        Maps (paper, claim) to (verdict, notebook).
    """
    readings = {paper: entry.tables for paper in papers() if (entry := readings_of(paper)) is not None}
    return {
        (paper, claim): (verdict, notebook)
        for notebook, entry in entries().items()
        for paper in (paper_of(notebook),)
        for claim, verdict in claims_needing(paper, entry.tables, readings.get(paper), with_power=True).items()
    }


# Known truth ----------------------------------------------------------------------------------------------------------

EFFECTS = (1, 0, -1)
DRAWS = 200
WANTED = 0.8  # power of the number of units that could
RECORD = DATA / "simulations.csv"
COLUMNS = ["paper", "claim", "statement", "effect", "answer", "draws", "n", "n_wanted", "version"]


def simulate(paper, claim_id, effect, draws=DRAWS):
    """Answers of a claim's rule to simulated data.

    Parameters
    ----------
    paper, claim_id : str
    effect : {1, 0, -1}
    draws : int, default=200
        The first draws are the same for any number of them.

    Returns
    -------
    DataFrame
        statement (empty for the verdict on all of them), answer, draws (how many gave it), n (independent units), and
        n_wanted: about how many would give a power of 80%; missing for facts, verdicts, and where the mean estimate
        does not lie on the claimed side.
    """
    rule = rules_of(paper)[claim_id]
    key = zlib.crc32(f"{paper} {claim_id}".encode())
    generators = [np.random.default_rng([key, effect + 1, number]) for number in range(draws)]
    verdicts = [rule.verdict(rule.draw(rng, effect)) for rng in generators]
    counts = pd.Series([verdict.answer for verdict in verdicts]).value_counts()
    rows = [{"statement": "", "answer": answer, "draws": count} for answer, count in counts.items()]
    for number, first in enumerate(verdicts[0].rows):
        drawn = [verdict.rows[number] for verdict in verdicts]
        counts = pd.Series([row.answer for row in drawn]).value_counts()
        size = {"n": first.n, "n_wanted": _wanted(drawn)} if not first.exact else {}
        rows += [{"statement": first.what, "answer": a, "draws": count, **size} for a, count in counts.items()]
    return pd.DataFrame(rows, columns=COLUMNS[2:3] + COLUMNS[4:8])


def _wanted(drawn):
    """Number of independent units with which a statement would hold in 80% of the experiments.

    Errors and intervals shrink with the root of the number of units.
    """
    lead = np.array([min(row.estimate - row.above, row.below - row.estimate) for row in drawn])
    half = np.array([(row.high - row.low) / 2 for row in drawn])
    known = np.isfinite(half)
    if not known.any() or lead.mean() <= 0:
        return None
    reach = half[known].mean() + stats.norm.ppf(WANTED) * lead.std()
    return math.ceil(drawn[0].n * (reach / lead.mean()) ** 2)


def write_record(only=()):
    """Record the answers to simulated data in ``data/simulations.csv``, with the project's version.

    Parameters
    ----------
    only : sequence of str
        Keys of papers; those of the others stay as they are. By default all are simulated.
    """
    record = dict(tuple(recorded().groupby("paper"))) if only else {}
    for paper in papers():
        if rules_of(paper) and (not only or paper in only):
            record[paper] = _simulated(paper).assign(version=fscore.__version__)
    tables = [record[paper][COLUMNS] for paper in papers() if paper in record]
    write_atomically(RECORD, pd.concat(tables).to_csv(index=False))
    recorded.cache_clear()
    verdicts_of.cache_clear()


def _simulated(paper):
    """The rows of a paper in the record."""
    cases = [
        (claim_id, effect)
        for claim_id, rule in rules_of(paper).items()
        for effect in EFFECTS
        if not (effect == 0 and isinstance(rule, Check))
    ]
    answers = Parallel(cpu_count())(delayed(simulate)(paper, *case) for case in cases)
    parts = [part.assign(claim=case[0], effect=case[1]) for part, case in zip(answers, cases, strict=True)]
    return pd.concat(parts).assign(paper=paper).astype({"n": "Int64", "n_wanted": "Int64"})


@cache
def recorded():
    """The recorded answers; empty if there are none. Columns of `simulate`, with paper, claim, effect and version."""
    if not RECORD.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(RECORD, dtype={"n": "Int64", "n_wanted": "Int64"}).fillna({"statement": ""})

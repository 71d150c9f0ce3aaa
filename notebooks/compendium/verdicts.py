"""Computed verdicts: each claim of a paper is a list of statements about the tables of a run, and its verdict follows.

The module ``claims`` of each paper registers one rule for each claim, which returns its statements. The docstring is
published with the verdict: the first line says what is stated, the others give the reason for each threshold::

    @claim("hocke2014", "M3", needs=["noise"])
    def noise_gets_weight_zero(noise):
        '''Noise columns get weight zero more often than the other columns.

        The threshold is zero, because the paper names no size.
        '''
        return [mean_of("noise columns less other columns", differences(noise), "draws", above=0, unit="points")]

A rule has no branches and no prose; without the data that the claim is about it returns no statements.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from compendium.parts import part_of
from compendium.published import claims_of
from compendium.statements import SIDES, decide

NOT_TESTED = "not tested"
CLAIMS = ("holds", "mixed", "fails", "undecided")  # answers to claims
CHECKS = ("passed", "failed")  # answers to checks: theorems, and what is true by construction
ANSWERS = (*CLAIMS, *CHECKS, NOT_TESTED)
# Each answer has its own word and marker, so that no reader depends on colour.
MARKS = dict(zip(ANSWERS, "●◐■◇✓✗–", strict=True))
NO_DATA = "none of its data was measured"

_REGISTRY = {}


@dataclass(frozen=True)
class Verdict:
    """What the statements of a claim say together.

    Attributes
    ----------
    rows : tuple of `compendium.statements.Decided`
        None if the run lacks the data that the claim is about.
    check : bool
        Whether the claim is a check.
    """

    rows: tuple = ()
    check: bool = False

    @property
    def answer(self):
        """The verdict in one word, one of `ANSWERS`.

        "holds" if every statement does; "mixed" if some do; "fails" if none does and one fails; "undecided" if all are.
        A check has passed if every statement holds.
        """
        found = {row.answer for row in self.rows}
        if not found:
            return NOT_TESTED
        if self.check:
            return "passed" if found == {"holds"} else "failed"
        if "holds" in found:
            return "holds" if len(found) == 1 else "mixed"
        return "fails" if "fails" in found else "undecided"

    @property
    def words(self):
        """The verdict in words: "all 3 statements hold", "2 hold, 1 fails", "undecided"."""
        counts = {side: sum(row.answer == side for row in self.rows) for side in SIDES}
        n = len(self.rows)
        if self.check or n < 2 or counts["undecided"] == n:
            return self.answer
        if counts["holds"] == n or counts["fails"] == n:
            return f"all {n} statements {'hold' if counts['holds'] else 'fail'}"
        verbs = {"holds": ("holds", "hold"), "fails": ("fails", "fail"), "undecided": ("undecided",) * 2}
        return ", ".join(f"{count} {verbs[side][count > 1]}" for side, count in counts.items() if count)

    @property
    def marks(self):
        """The statements as a row of marks."""
        return "".join(MARKS[row.answer] for row in self.rows)

    @property
    def evidence(self):
        """One sentence without its full stop: the verdict in words, and the statement that is farthest from holding."""
        if not self.rows:
            return NO_DATA
        row = min(self.rows, key=_margin)
        said = f"{row.what}: {row.measured}, claimed {row.claimed}"
        return said if len(self.rows) == 1 else f"{self.words}; weakest: {said}"


def _margin(row):
    """How far a statement is from its nearest threshold, in half-widths of its interval; negative on the wrong side."""
    distance = min(row.estimate - row.above, row.below - row.estimate)
    half = (row.high - row.low) / 2
    return distance / half if half > 0 else distance


@dataclass(frozen=True)
class Rule:
    """The rule that judges a claim.

    Attributes
    ----------
    needs : tuple of str
        Tables that the rule takes, in the order of its arguments.
    function : callable
        Maps the tables to a list of `compendium.statements.Statement`, empty without the data that the claim is about.
    check : bool
        Whether the claim is a theorem or true by construction: then it checks our code, not the world.
    """

    needs: tuple
    function: Callable
    check: bool = False

    def __call__(self, tables):
        return Verdict(tuple(decide(self.function(*(tables[name] for name in self.needs)))), self.check)

    @property
    def words(self):
        """The function's docstring on one line: what is stated, and the reason for each threshold."""
        return " ".join((inspect.getdoc(self.function) or "").split())


def claim(paper, claim_id, *, needs, check=False):
    """Register a function of the tables named in ``needs`` as the rule that judges a claim; see `Rule`."""

    def register(function):
        _REGISTRY[paper, claim_id] = Rule(tuple(needs), function, check)
        return function

    return register


def claims_needing(paper, tables):
    """Judge every claim of ``paper`` whose tables are all given.

    Parameters
    ----------
    paper : str
        Key of the paper.
    tables : dict of str to DataFrame

    Returns
    -------
    dict of str to Verdict
        In the order of the paper's claims file.
    """
    return {claim_id: rule(tables) for claim_id, rule in rules_of(paper).items() if set(rule.needs) <= set(tables)}


def rules_of(paper):
    """The rules that judge a paper's claims.

    Parameters
    ----------
    paper : str

    Returns
    -------
    dict of str to Rule
        In the order of the paper's claims file. Claims without a rule are omitted.
    """
    part_of(paper, "claims")  # registers them
    ids = claims_of(paper)["claim_id"]
    return {claim_id: _REGISTRY[paper, claim_id] for claim_id in ids if (paper, claim_id) in _REGISTRY}

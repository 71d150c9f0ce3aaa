"""Computed verdicts: each claim of a paper is judged by a function of the tables of a run.

The module ``claims`` of each paper registers them. The docstring of a rule is published with its verdict: the first
line states the rule, the others its thresholds and the reason for each::

    @claim("hocke2014", "M1", needs=["scaling"], check=True)
    def scaling_does_not_matter(scaling):
        '''MDM's weights, in units of the rescaled features, are those of the unscaled ones.

        The largest relative change is below 1e-6, the accuracy of the solver.
        '''
        worst = scaling.query("method == 'MDM'")["value"].max()
        return judge(worst < 1e-6, f"the largest relative change was {worst:.1e}")
"""

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass

import pandas as pd

from compendium.parts import part_of
from compendium.published import claims_of

__all__ = [
    "ANSWERS",
    "MARKS",
    "Rule",
    "Verdict",
    "by_interval",
    "claim",
    "claims_needing",
    "combine",
    "judge",
    "rules_of",
    "tally",
]

ANSWERS = ("replicated", "partly", "not replicated", "inconclusive", "not testable here", "not tested yet")
# Each answer has its own word and marker, so that no reader depends on colour.
MARKS = dict(zip(ANSWERS, "●◐○◌–…", strict=True))

_REGISTRY = {}


@dataclass(frozen=True)
class Verdict:
    """The answer to a claim, and a sentence with the numbers that support it."""

    answer: str
    evidence: str

    def __post_init__(self):
        if self.answer not in ANSWERS:
            raise ValueError(f"{self.answer!r} is not a valid answer; the answers are {', '.join(ANSWERS)}.")

    def as_dict(self):
        return asdict(self)


def judge(holds, evidence, *, partly=False):
    """Verdict from a condition; ``partly`` applies if ``holds`` is false."""
    return Verdict("replicated" if holds else "partly" if partly else "not replicated", evidence)


def by_interval(low, high, threshold):
    """Answer to "is it above the threshold?" from an interval: inconclusive if the interval contains the threshold.

    For "is it below?", change the sign of all three and the order of the bounds.
    """
    return "replicated" if low > threshold else "not replicated" if high < threshold else "inconclusive"


def combine(answers):
    """Answer to a claim that asserts several things at once, from the answer to each.

    Parameters
    ----------
    answers : iterable of str

    Returns
    -------
    str
        "replicated" if all are, "partly" if some are; otherwise "not replicated" if any is not, else "inconclusive".
    """
    answers = set(answers)
    if answers == {"replicated"}:
        return "replicated"
    if answers & {"replicated", "partly"}:
        return "partly"
    return "not replicated" if "not replicated" in answers else "inconclusive"


@dataclass(frozen=True)
class Rule:
    """The rule that judges a claim.

    Attributes
    ----------
    needs : tuple of str
        Tables that the rule takes, in the order of its arguments.
    function : callable
        Maps the tables to a `Verdict`.
    check : bool
        Whether the claim is a theorem, an identity or true by construction: then its verdict checks our code, not the
        world.
    """

    needs: tuple
    function: Callable
    check: bool = False

    def __call__(self, tables):
        return self.function(*(tables[name] for name in self.needs))

    @property
    def statement(self):
        """The rule in one sentence: the first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def reasons(self):
        """Its thresholds and the reason for each: the rest of the docstring."""
        return " ".join((inspect.getdoc(self.function) or "").partition("\n")[2].split())


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


def tally(answers):
    """Count the answers.

    Parameters
    ----------
    answers : iterable of str

    Returns
    -------
    Series
        Counts indexed by the answers, in their fixed order.
    """
    return pd.Series(list(answers), dtype=object).value_counts().reindex(ANSWERS, fill_value=0)

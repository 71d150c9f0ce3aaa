"""Computed verdicts: each claim of a paper is judged by a function of the tables of a run.

The module ``claims`` of each paper registers them::

    @claim("hocke2014", "M1", needs=["scaling"])
    def scaling_does_not_matter(scaling):
        worst = scaling.query("method == 'MDM'")["value"].max()
        return judge(worst < 1e-6, f"the largest relative change was {worst:.1e}")
"""

import importlib
import importlib.util
from dataclasses import asdict, dataclass

import pandas as pd

from compendium.published import claims_of

__all__ = ["ANSWERS", "MARKS", "Verdict", "claim", "claims_needing", "judge", "rules_of", "tally"]

ANSWERS = ("replicated", "partly", "not replicated", "not testable here", "not tested yet")
# Each answer has its own word and marker, so that no reader depends on colour.
MARKS = dict(zip(ANSWERS, "●◐○–…", strict=True))

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


def claim(paper, claim_id, *, needs):
    """Register a function of the tables named in ``needs`` as the rule that judges a claim."""

    def register(function):
        _REGISTRY[paper, claim_id] = (tuple(needs), function)
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
    verdicts = {}
    for claim_id, (needs, function) in rules_of(paper).items():
        if set(needs) <= set(tables):
            verdicts[claim_id] = function(*(tables[name] for name in needs))
    return verdicts


def rules_of(paper):
    """The rules that judge a paper's claims.

    Parameters
    ----------
    paper : str

    Returns
    -------
    dict of str to (tuple of str, callable)
        The tables that each rule needs and the rule, by claim, in the order of the paper's claims file. Claims
        without a rule are omitted.
    """
    if importlib.util.find_spec(f"{paper}.claims") is not None:
        importlib.import_module(f"{paper}.claims")
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

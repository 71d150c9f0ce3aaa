"""Rules tested on known truth: what does a rule answer if the claim's effect is there, absent, or reversed?

The module ``simulations`` of each paper registers one function per claim, which draws the tables that its rule needs,
of the size that the paper profile has::

    @simulation("somol2011", "S5")
    def voting(rng, effect):
        ...
        return {"ensembles": frame}

``effect`` is 1 for the printed size of the effect, 0 for none, -1 for the same size in the other direction.
"""

import inspect
import zlib
from hashlib import sha256

import numpy as np
import pandas as pd

from compendium import inference, verdicts
from compendium.papers import DATA, papers
from compendium.parts import part_of
from compendium.verdicts import rules_of
from fscore._files import write_atomically

__all__ = ["DRAWS", "EFFECTS", "RECORD", "answers", "recorded", "simulation", "simulations_of", "write_record"]

EFFECTS = (1, 0, -1)
DRAWS = 200
RECORD = DATA / "simulations.csv"

_REGISTRY = {}


def simulation(paper, claim_id):
    """Register a function ``(rng, effect) -> tables`` that simulates the data of a claim."""

    def register(function):
        _REGISTRY[paper, claim_id] = function
        return function

    return register


def simulations_of(paper):
    """The simulations of one paper by claim; none if it has no module ``simulations``."""
    part_of(paper, "simulations")  # registers them
    return {claim_id: function for (key, claim_id), function in _REGISTRY.items() if key == paper}


def answers(paper, claim_id, effect, draws=DRAWS):
    """Answers of a claim's rule to simulated data.

    Parameters
    ----------
    paper, claim_id : str
    effect : {1, 0, -1}
    draws : int, default=200
        The first draws are the same for any number of them.

    Returns
    -------
    Series
        How many draws gave each answer.
    """
    rule, draw = rules_of(paper)[claim_id], simulations_of(paper)[claim_id]
    key = zlib.crc32(f"{paper} {claim_id}".encode())
    generators = [np.random.default_rng([key, effect + 1, number]) for number in range(draws)]
    return pd.Series([rule(draw(rng, effect)).answer for rng in generators]).value_counts()


def digest(paper):
    """Hash of the source of a paper's rules and simulations."""
    modules = [part_of(paper, "claims"), part_of(paper, "simulations"), verdicts, inference]
    sources = [inspect.getsource(module) for module in modules]
    return sha256("\0".join(sources).encode()).hexdigest()[:16]


def write_record():
    """Record the answers to simulated data in ``data/simulations.csv``; papers with unchanged rules keep theirs."""
    kept = dict(tuple(recorded().groupby("paper")))
    parts = []
    for paper in papers():
        if simulations_of(paper):
            current = paper in kept and set(kept[paper]["digest"]) == {digest(paper)}
            parts.append(kept[paper] if current else _simulated(paper))
    write_atomically(RECORD, pd.concat(parts).to_csv(index=False))


def _simulated(paper):
    """The rows of a paper in the record."""
    rows = [
        {"paper": paper, "claim": claim_id, "effect": effect, "answer": answer, "draws": count, "digest": digest(paper)}
        for claim_id in simulations_of(paper)
        for effect in EFFECTS
        if not (effect == 0 and rules_of(paper)[claim_id].check)
        for answer, count in answers(paper, claim_id, effect).items()
    ]
    return pd.DataFrame(rows)


def recorded():
    """The recorded answers: paper, claim, effect, answer, draws, digest; empty if there are none."""
    columns = ["paper", "claim", "effect", "answer", "draws", "digest"]
    return pd.read_csv(RECORD) if RECORD.is_file() else pd.DataFrame(columns=columns)

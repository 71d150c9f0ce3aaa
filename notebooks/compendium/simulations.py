"""Claims tested on known truth: what do their rules answer if the effect is there, absent, or reversed?

`compendium.verdicts.Claim.draw` gives the tables. The record has the answers to 200 draws of each.
"""

import inspect
import math
import re
import zlib

import numpy as np
import pandas as pd
from joblib import Parallel, cpu_count, delayed
from scipy import stats

import fscore
from compendium.papers import DATA, papers
from compendium.verdicts import Check, rules_of
from fscore._files import write_atomically

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


def recorded():
    """The recorded answers; empty if there are none. Columns of `simulate`, with paper, claim, effect and version."""
    if not RECORD.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(RECORD, dtype={"n": "Int64", "n_wanted": "Int64"}).fillna({"statement": ""})


def effect_of(paper, claim_id):
    """What the simulation of a claim draws for its effect, in words: "gains as printed"; empty if there is none."""
    rule = rules_of(paper).get(claim_id)
    clause = re.split(r"[;.](?:\s|$)", " ".join(inspect.getdoc(rule.draw).split()))[0] if rule else ""
    return clause[:1].lower() + clause[1:]


def chance_of(paper, claim_id):
    """How often a claim would hold in experiments like ours if it is right, by simulation; None if that is unknown."""
    power = power_of(paper, claim_id)["power"]
    return float(power[""]) if "" in power.index else None


def power_of(paper, claim_id):
    """How often a claim and its statements hold if the effect is as printed or assumed.

    Parameters
    ----------
    paper, claim_id : str

    Returns
    -------
    DataFrame
        power (a share of the draws), n and n_wanted, indexed by the statement; the verdict is the empty one. Empty if
        the claim is not in the record.
    """
    record = recorded()
    own = record[(record["paper"] == paper) & (record["claim"] == claim_id) & (record["effect"] == 1)]
    own = own.assign(held=own["draws"].where(own["answer"].isin(["holds", "passed"]), 0))
    grouped = own.groupby("statement", sort=False)
    held = grouped["held"].sum() / grouped["draws"].sum()
    return pd.DataFrame({"power": held, "n": grouped["n"].first(), "n_wanted": grouped["n_wanted"].first()})

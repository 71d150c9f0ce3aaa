"""Claims decided on tables with a known answer: with the effect as printed, without it, and with the effect reversed.

``simulated/<paper>.py`` has a function for each claim, named as the claim's id. It takes a random generator and the
effect, and returns tables as large as those that we measure: with the effect (1), without it (0), or with it reversed
(-1). The effect has the printed size, or an assumed one where the paper prints none; reversed, the same or a larger
one. Without it every statement lies on its threshold or on the wrong side of it. The first clause of the docstring says
what is drawn for 1, and pages repeat it.

`python tests/simulations.py` decides every claim on 200 draws of each kind, and writes ``data/simulations.csv`` anew;
with keys of papers, only the rows of these papers.
"""

import argparse
import inspect
import math
import re
import zlib
from importlib import import_module

import numpy as np
import pandas as pd
from joblib import Parallel, cpu_count, delayed
from scipy import stats

import fscore
from compendium.papers import papers
from compendium.verdicts import COLUMNS, RECORD, Check, recorded, rules_of
from fscore._files import write_atomically

DRAWS = 200
WANTED = 0.8  # power of the number of units that could


def draw_of(paper, claim_id):
    """The function that draws tables for a claim."""
    return getattr(import_module(f"simulated.{paper}"), claim_id)


def drawn_effect(paper, claim_id):
    """What is drawn for the effect of a claim, in words: "gains as printed"."""
    clause = re.split(r"[;.](?:\s|$)", " ".join(inspect.getdoc(draw_of(paper, claim_id)).split()))[0]
    return clause[:1].lower() + clause[1:]


def effects_of(rule):
    """The effects that are drawn for a claim: a check, which is true by construction, is never without its effect."""
    return (1, -1) if isinstance(rule, Check) else (1, 0, -1)


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
    return counted(drawn_verdicts(paper, claim_id, effect, draws))


def drawn_verdicts(paper, claim_id, effect, draws):
    """The verdicts on the tables that are drawn."""
    rule, draw = rules_of(paper)[claim_id], draw_of(paper, claim_id)
    key = zlib.crc32(f"{paper} {claim_id}".encode())
    generators = [np.random.default_rng([key, effect + 1, number]) for number in range(draws)]
    return [rule.verdict(draw(rng, effect)) for rng in generators]


def counted(verdicts):
    """How often each answer was given, as `simulate` returns it."""
    counts = pd.Series([verdict.answer for verdict in verdicts]).value_counts()
    rows = [{"statement": "", "answer": answer, "draws": count} for answer, count in counts.items()]
    for number, first in enumerate(verdicts[0].rows):
        drawn = [verdict.rows[number] for verdict in verdicts]
        counts = pd.Series([row.answer for row in drawn]).value_counts()
        size = {"n": first.n, "n_wanted": n_wanted(drawn)} if not first.exact else {}
        rows += [{"statement": first.what, "answer": a, "draws": count, **size} for a, count in counts.items()]
    return pd.DataFrame(rows, columns=["statement", "answer", "draws", "n", "n_wanted"])


def n_wanted(drawn):
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


def answers_of(paper):
    """The rows of a paper in the record."""
    cases = [(claim_id, effect) for claim_id, rule in rules_of(paper).items() for effect in effects_of(rule)]
    answers = Parallel(cpu_count())(delayed(simulate)(paper, *case) for case in cases)
    parts = [
        part.assign(claim=claim_id, effect=effect, drawn=drawn_effect(paper, claim_id) if effect == 1 else "")
        for part, (claim_id, effect) in zip(answers, cases, strict=True)
    ]
    return pd.concat(parts).assign(paper=paper).astype({"n": "Int64", "n_wanted": "Int64"})


def write(keys):
    """Record the answers to simulated data in ``data/simulations.csv``, with the project's version.

    Parameters
    ----------
    keys : sequence of str
        Papers whose claims are decided; the rows of the others stay as they are.
    """
    record = dict(tuple(recorded().groupby("paper")))
    record |= {paper: answers_of(paper).assign(version=fscore.__version__) for paper in keys}
    tables = [record[paper][COLUMNS] for paper in papers() if paper in record]
    write_atomically(RECORD, pd.concat(tables).to_csv(index=False))


def main():
    known = [paper for paper in papers() if rules_of(paper)]
    parser = argparse.ArgumentParser(description="Write data/simulations.csv anew.")
    parser.add_argument("papers", nargs="*", help="only the rows of these papers")
    keys = parser.parse_args().papers
    if unknown := sorted({*keys}.difference(known)):
        parser.error(f"{', '.join(unknown)} has no claims to decide; the papers are {', '.join(known)}.")
    for paper in keys or known:
        if absent := rules_of(paper).keys() - vars(import_module(f"simulated.{paper}")):
            named = ", ".join(sorted(absent))
            parser.error(f"tests/simulated/{paper}.py has no function {named}; write one that draws its tables.")
    write(keys or known)


if __name__ == "__main__":
    main()

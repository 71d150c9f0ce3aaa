"""Exhaustive search over a tree of subsets in which features are only ever added."""

from itertools import combinations, islice
from math import comb

from fscore.criteria._prefixes import lexicographic
from fscore.search._selector import SizedSearch, selector

__all__ = ["ExhaustiveSearch", "exhaustive_search"]

MAX_UNITS = 25
BATCH = 1024  # subsets in one question


def exhaustive_search(evaluator, size=None):
    """Value every subset (of one size); the best, then the smallest, then the first in lexicographic order.

    The subsets are asked for in lexicographic order, which is the order of a walk on the subset tree: a criterion
    finds there that each has all but its last feature in common with one that came shortly before.
    """
    n = evaluator.n
    subsets = lexicographic(n) if size is None else combinations(range(n), size)
    while batch := list(islice(subsets, BATCH)):
        evaluator.values(batch)
    return evaluator.best(size)


@selector
class ExhaustiveSearch(SizedSearch):
    """Value every subset, of all sizes or of one: the answer itself, for up to 25 features.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    Beyond a million subsets only the best of each size is kept: ``trace_`` is empty then.
    """

    _starts = False

    def _search(self, evaluator, start, size, rng):
        n = evaluator.n
        if n > MAX_UNITS:
            raise ValueError(
                f"{n} features make {2.0**n:.1e} subsets; exhaustive search takes up to {MAX_UNITS}. "
                "Exclude some, or take BranchAndBound (monotone criteria) or DynamicOscillatingSearch."
            )
        evaluator.keep_trace = (2**n if size is None else comb(n, size)) <= 2**20
        return exhaustive_search(evaluator, size)

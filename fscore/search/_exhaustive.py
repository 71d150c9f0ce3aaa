"""Exhaustive search over a tree of subsets in which features are only ever added."""

from itertools import combinations
from math import comb

from fscore.search._selector import SizedSearch, selector

__all__ = ["ExhaustiveSearch", "exhaustive_search"]

MAX_UNITS = 25
TAIL = 6  # subsets of the last units are valued together, from one base


def exhaustive_search(evaluator, size=None):
    """Value every subset (of one size); the best, then the smallest, then the first in lexicographic order.

    The subsets of all but the last `TAIL` units are bases; every base is extended by each subset of the tail in one
    question, so that a criterion computes what the base needs once and only adds to it.
    """
    head = tuple(range(max(0, evaluator.n - TAIL)))
    tail = tuple(range(len(head), evaluator.n))
    for d in range(len(head) + 1):
        lengths = range(len(tail) + 1) if size is None else [size - d] if 0 <= size - d <= len(tail) else []
        extensions = [t for length in lengths if length for t in combinations(tail, length)]
        for base in combinations(head, d):
            if base and 0 in lengths:
                evaluator.value(base)
            if extensions:
                evaluator.successor_values(base, extensions, True)
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

    def _search(self, evaluator, start, size, rng):
        n = evaluator.n
        if n > MAX_UNITS:
            raise ValueError(
                f"{n} features make {2.0**n:.1e} subsets; exhaustive search takes up to {MAX_UNITS}. "
                "Exclude some, or take BranchAndBound (monotone criteria) or DynamicOscillatingSearch."
            )
        evaluator.keep_trace = (2**n if size is None else comb(n, size)) <= 2**20
        return exhaustive_search(evaluator, size)

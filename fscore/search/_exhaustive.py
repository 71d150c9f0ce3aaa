"""Exhaustive search over a tree of subsets in which features are only ever added."""

from itertools import chain, combinations, islice
from math import comb

from fscore.criteria._prefixes import MOST_ENUMERATED, lexicographic
from fscore.search._cache import SubsetCache
from fscore.search._selector import SizedSearch, selector

__all__ = ["ExhaustiveSearch", "exhaustive_search"]

MOST_KEPT = 2**20  # subsets whose values are remembered one by one
BATCH = 1024  # subsets in one question


def exhaustive_search(evaluator, size=None):
    """Value every subset (of one size); the best, then the smallest, then the first in lexicographic order.

    The subsets are asked for in lexicographic order, which is the order of a walk on the subset tree: a criterion
    finds there that each has all but its last feature in common with one that came shortly before.
    """
    n = evaluator.n
    # the empty set is one only with fixed columns
    subsets = chain([()], lexicographic(n)) if size is None else combinations(range(n), size)
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
    Beyond 2^20 subsets only the best of each size is kept: ``trace_`` is empty then, `tau` chooses among the best of
    each size (which is the same choice, as long as the secondary criterion is the size), and a `SubsetCache` or a
    checkpoint, which would be read back into memory, is refused.
    """

    _starts = False

    def _search(self, evaluator, start, size, rng):
        n = evaluator.n
        if n > MOST_ENUMERATED:
            raise ValueError(
                f"{n} features make {2.0**n:.1e} subsets; exhaustive search takes up to {MOST_ENUMERATED}. "
                "Exclude some, or take BranchAndBound (monotone criteria) or DynamicOscillatingSearch."
            )
        n_subsets = 2**n - (not evaluator.fixed) if size is None else comb(n, size)
        evaluator.keep_trace = n_subsets <= MOST_KEPT
        if not evaluator.keep_trace:
            if isinstance(evaluator.cache, SubsetCache):
                raise ValueError(
                    f"{n_subsets} subsets are too many to be remembered; do without cache and checkpoint, or exclude "
                    "some features."
                )
            if self.tau and not isinstance(self.secondary, str):
                raise ValueError(
                    f'{n_subsets} subsets are too many to be kept for their costs; take secondary="size", or exclude '
                    "some features."
                )
            evaluator.rows.clear()  # the fixed columns alone came before
            evaluator.path.clear()
        return exhaustive_search(evaluator, size)

"""Exhaustive search over a tree of subsets in which features are only ever added."""

from itertools import chain, combinations, islice
from math import comb

from fscore._typing import Subset
from fscore.criteria._subsets import MOST_ENUMERATED, lexicographic
from fscore.search._evaluator import Evaluator
from fscore.search._parameters import selector
from fscore.search._sized import SizedSearch

__all__ = ["ExhaustiveSearch", "exhaustive_search"]

MAX_KEPT = 2**20  # subsets whose values are remembered one by one
BATCH = 1024  # subsets asked for at a time


def exhaustive_search(evaluator: Evaluator, size: int | None = None) -> Subset:
    """Value every subset (of one size); the best, then the smallest, then the first in lexicographic order.

    The subsets come in lexicographic order, which is the order of a walk on the subset tree: each has all but its
    last feature in common with one shortly before, and a criterion can use that.
    """
    n = evaluator.n
    # the empty set counts only with fixed columns
    subsets = chain([()], lexicographic(n)) if size is None else combinations(range(n), size)
    while batch := list(islice(subsets, BATCH)):
        evaluator.values(batch)
    return evaluator.best(size)


@selector
class ExhaustiveSearch(SizedSearch):
    """Value every subset, of all sizes (for up to 25 features) or of one size; the result is the optimum.

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
    Of one size, up to 2^25 subsets are valued, however many features there are.

    Beyond 2^20 subsets only the best of each size is kept: ``trace_`` is empty, `tau` chooses among the best of each
    size (the same choice, if the secondary criterion is the size), and a `SubsetCache` or a checkpoint, which would be
    read back into memory, is refused.
    """

    _starts = False

    def _search(self, evaluator, start, size, rng):
        n = evaluator.n
        n_subsets = 2**n - (not evaluator.space.fixed) if size is None else comb(n, size)
        if n_subsets > 2**MOST_ENUMERATED:
            number = f"{n_subsets:.1e}" if n_subsets < 10**300 else "more than 1e+300"
            kind, most = (
                ("", MOST_ENUMERATED) if size is None else (f" of size {size}", f"{2**MOST_ENUMERATED:.1e} subsets")
            )
            raise ValueError(
                f"{n} features make {number} subsets{kind}; exhaustive search takes up to {most}. Exclude some, or use "
                "BranchAndBound (monotone criteria) or DynamicOscillatingSearch."
            )
        if n_subsets > MAX_KEPT:
            if evaluator.data.is_shared:
                raise ValueError(
                    f"{n_subsets} subsets are too many to be remembered; leave out cache and checkpoint, or exclude "
                    "some features."
                )
            if self.tau and not isinstance(self.secondary, str):
                raise ValueError(
                    f'{n_subsets} subsets are too many to be kept for their costs; use secondary="size", or exclude '
                    "some features."
                )
            evaluator.forget()
        return exhaustive_search(evaluator, size)

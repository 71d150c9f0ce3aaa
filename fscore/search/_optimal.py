"""Searches that find the optimum: exhaustive search, and branch and bound under a monotone criterion."""

from dataclasses import KW_ONLY
from itertools import chain, combinations, islice
from math import comb
from typing import ClassVar, Literal

import numpy as np

from fscore._sklearn import StrOptions
from fscore.criteria._subsets import MOST_ENUMERATED, lexicographic, without
from fscore.search._evaluator import SearchStopped
from fscore.search._rules import Candidates
from fscore.search._selector import SizedSearch, fill_common_docs

MAX_KEPT = 2**20  # most subsets whose scores are remembered one by one
BATCH = 1024  # subsets scored at a time


@fill_common_docs
class ExhaustiveSearch(SizedSearch):
    """Score every subset, of all sizes (for up to 25 features) or of one size; the result is the optimum.

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
    Of one size, up to 2^25 subsets are scored, however many features there are.

    Beyond 2^20 subsets only the best of each size is kept. Then ``trace_`` is empty, `tau` chooses among the best of
    each size (the same choice, if the secondary criterion is the size), and a checkpoint, which would be read back
    into memory, is refused.
    """

    _takes_warm_start = False

    def _search(self, evaluator, start, size):
        n = evaluator.n_units
        n_subsets = 2**n - (not evaluator.space.fixed_units) if size is None else comb(n, size)
        if n_subsets > 2**MOST_ENUMERATED:
            raise ValueError(
                f"the {n} features have more than 2^{MOST_ENUMERATED} subsets; exclude some, or use BranchAndBound "
                "(monotone criteria) or DynamicOscillatingSearch."
            )
        if n_subsets > MAX_KEPT:
            if evaluator.checkpoint is not None:
                raise ValueError(
                    f"{n_subsets} subsets are too many to be remembered; leave out the checkpoint, or exclude "
                    "some features."
                )
            if self.tau and not isinstance(self.secondary, str):
                raise ValueError(
                    f'{n_subsets} subsets are too many to be kept for their costs; use secondary="size", or exclude '
                    "some features."
                )
            evaluator.drop_trace()
        # Lexicographic order is that of a walk on the subset tree: each subset has all but its last feature in common
        # with one shortly before, which a criterion can use. The empty set counts only with fixed columns.
        subsets = chain([()], lexicographic(n)) if size is None else combinations(range(n), size)
        while batch := list(islice(subsets, BATCH)):
            evaluator.values(batch)
        return evaluator.best(size)  # then the smallest, then the first


def _branch_and_bound(evaluator, size, variant, compiled):  # noqa: C901 - its two functions share its state
    """Remove features until ``size`` are left; prune every node whose value does not exceed the best one known.

    A node is (what is kept so far, which of it may still be removed, how many must be). Child m removes the m-th of
    these and may remove further only those after it, so no subset is met twice. Removable features are ordered by the
    value that their removal leaves, ascending: the child with the lowest value has the largest subtree and comes
    last, when the bound is tightest.

    "improved" scores the removal of all candidates at every node (Narendra & Fukunaga's ordering at every level).
    "fast" predicts these values from the average loss that each feature's removal has caused so far, and scores only
    the nodes that are predicted to be pruned; it never prunes on a prediction, so both find the optimum.

    A criterion with a compiled search of this tree uses it under "improved", unless `compiled` is false: the same
    search, hundreds of times as fast, but its subsets do not enter the trace.
    """
    best, bound = _greedy(evaluator, size)
    if compiled and variant == "improved":
        compiled_search = evaluator.branch_and_bound(size, bound)
        if compiled_search is not None:
            return _follow(evaluator, compiled_search, best)
    n = evaluator.n_units
    losses, counts = np.zeros(n), np.zeros(n)

    def node(subset, value, removable, remaining):
        """Score a node, and yield its children."""
        nonlocal best, bound
        if remaining == 0:
            if value is None:
                value = evaluator.value(subset)
            if value > bound:
                best, bound = subset, value
            return
        if len(removable) == remaining:  # a single leaf is left
            yield without(subset, removable), None, (), 0
            return
        values = children(subset, value, removable, remaining)
        order = sorted(range(len(removable)), key=lambda m: (values[m][0], -removable[m]))
        ordered = [removable[m] for m in order]
        for m in range(len(ordered) - remaining, -1, -1):
            score, is_scored = values[order[m]]
            if is_scored and score <= bound:
                return  # the remaining children have even lower values
            child = without(subset, (ordered[m],))
            if not is_scored:
                score = evaluator.value(child)
                if score <= bound:
                    continue
            yield child, score, tuple(ordered[m + 1 :]), remaining - 1

    def children(subset, value, removable, remaining):
        """(value without u, whether it was scored or predicted) for each removable u."""
        if variant == "fast" and remaining > 1 and value is not None and (counts[list(removable)] > 0).all():
            mean = losses[list(removable)] / counts[list(removable)]
            return [(value - loss, False) for loss in mean]
        values = evaluator.scores(Candidates([without(subset, (u,)) for u in removable], subset))
        if value is not None:
            for u, v in zip(removable, values, strict=True):
                losses[u] += value - v
                counts[u] += 1
        return [(v, True) for v in values.tolist()]

    full = tuple(range(n))
    path = [node(full, evaluator.value(full), full, n - size)]
    while path:  # an explicit stack: the tree may be deeper than Python's recursion limit
        child = next(path[-1], None)
        if child is None:
            path.pop()
        else:
            path.append(node(*child))
    return best


def _follow(evaluator, compiled_search, best):
    """Run a compiled branch and bound in pieces, and score each improvement that it finds."""
    bound, going = compiled_search.bound, True
    while going and not compiled_search.done:
        going = evaluator.run(compiled_search, compiled_search.max_batch) > 0
        if compiled_search.bound > bound:
            bound = compiled_search.bound
            removed = set(compiled_search.removed)
            best = tuple(u for u in range(evaluator.n_units) if evaluator.space.units[u][0] not in removed)
            evaluator.value(best)
        evaluator.check_time()
    if not compiled_search.done:
        raise SearchStopped("evaluations")
    return best


def _greedy(evaluator, size):
    """A first bound: the better of forward and backward selection."""
    results = []
    for subset, move in ((), evaluator.add), (tuple(range(evaluator.n_units)), evaluator.remove):
        value = None
        while len(subset) != size:
            subset, value = move(subset)
        results.append((evaluator.value(subset) if value is None else value, subset))
    value, subset = max(results, key=lambda result: result[0])
    return subset, value


@fill_common_docs
class BranchAndBound(SizedSearch):
    """The optimal subset of a given size under a monotone criterion.

    Parameters
    ----------
    criterion : Criterion
        Must be monotone: adding a feature never lowers it, as `LinearFit`, `Bhattacharyya` and `Mahalanobis`.
    %(size)s
        Required: under a monotone criterion the best size is all.
    variant : {"improved", "fast"}, default="improved"
        "improved" scores all removals at every node. "fast" predicts inner nodes from average losses; it scores
        fewer subsets, but one at a time.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    `Bhattacharyya` and `Mahalanobis` use a compiled search under "improved", without groups of columns and with
    ``tau=0``. ``n_evaluations_`` counts the subsets it scores; ``trace_`` holds the searches for the first bound and
    the improvements on it. It scores the children of a node together, and stops below ``max_evaluations`` where less is
    left than they need and one for the result.

    References
    ----------
    Narendra, Fukunaga (1977), IEEE Transactions on Computers 26. Somol, Pudil, Kittler (2004), IEEE TPAMI 26: fast
    branch and bound.
    """

    _: KW_ONLY
    variant: Literal["improved", "fast"] = "improved"

    _parameter_constraints: ClassVar[dict] = {"variant": [StrOptions({"improved", "fast"})]}

    _takes_warm_start = False

    def _search(self, evaluator, start, size):
        if not evaluator.rule.monotone:
            raise ValueError(
                f"{type(self.criterion).__name__} is not monotone, so its bounds are invalid; use LinearFit() for the "
                "best linear regression, Bhattacharyya or Mahalanobis for classes, or another search."
            )
        if size is None:
            raise ValueError("BranchAndBound needs n_features_to_select: a monotone criterion is best on all features.")
        # regularization needs every subset that was scored
        return _branch_and_bound(evaluator, size, self.variant, compiled=self.tau == 0)

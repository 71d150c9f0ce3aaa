"""Floating search (Pudil, Novovicova, Kittler 1994), in the generalized form of Somol et al. (2011), Section 1.2.2."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import ClassVar

from fscore._parameters import Interval
from fscore._typing import Subset
from fscore.search._evaluator import Evaluator
from fscore.search._parameters import selector
from fscore.search._sequential import SBS, SFS
from fscore.search._sized import SizedSearch

__all__ = ["SBFS", "SFFS", "sbfs", "sffs"]


def sffs(
    evaluator: Evaluator, size: int | None = None, c: int = 1, delta: int | None = 0, start: Subset | None = None
) -> Subset:
    """Sequential forward floating search.

    A removal is kept if it beats the best subset *of that size* known so far. (Requiring it to beat the larger current
    subset as well, as a popular implementation does, rules out every removal under a monotone criterion.)
    """
    limit = evaluator.n if size is None or delta is None else min(evaluator.n, size + delta)
    subset, value = evaluator.add((), c) if start is None else (start, evaluator.value(start))  # step 1
    best = {len(subset): (value, subset)}
    while len(subset) + c <= limit:
        subset, value = evaluator.add(subset, c)  # step 2
        d = len(subset)
        if d not in best or value > best[d][0]:
            best[d] = value, subset
        while d > c:  # step 3
            smaller, value = evaluator.remove(subset, c)
            d -= c
            if d in best and not value > best[d][0]:
                break
            subset = smaller
            best[d] = value, subset
    return evaluator.best() if size is None else _of_size(size, best)


def sbfs(
    evaluator: Evaluator, size: int | None = None, c: int = 1, delta: int | None = 0, start: Subset | None = None
) -> Subset:
    """Sequential backward floating search: `sffs` with additions and removals exchanged, from `start` or all."""
    least = c if size is None else min(c, size)
    limit = least if size is None or delta is None else max(least, size - delta)
    subset = tuple(range(evaluator.n)) if start is None else start
    best = {len(subset): (evaluator.value(subset), subset)}
    while len(subset) - c >= limit:
        subset, value = evaluator.remove(subset, c)
        d = len(subset)
        if d not in best or value > best[d][0]:
            best[d] = value, subset
        while d + c <= evaluator.n:
            larger, value = evaluator.add(subset, c)
            d += c
            if d in best and not value > best[d][0]:
                break
            subset = larger
            best[d] = value, subset
    return evaluator.best() if size is None else _of_size(size, best)


def _of_size(size, best):
    """The best subset of a size; a ValueError if the search met none."""
    if size not in best:
        met = ", ".join(map(str, sorted(best)))
        raise ValueError(f"size={size} is out of reach: the search met subsets of {met} units; choose one of those.")
    return best[size][1]


@selector
class SFFS(SizedSearch):
    """(Generalized) sequential forward floating search.

    After each addition, features are removed while the smaller subset beats the best one known of its size.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(group_size)s
    delta : int or None, default=0
        The search continues to ``n_features_to_select + delta`` features, because backtracking may still improve the
        smaller subsets (the paper's search-restricting parameter); None continues to all features. Steps have
        `group_size` features, so delta is rounded down to a multiple of it.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    Of candidates with equal values, the first in the order of the columns is chosen, in this as in all searches.
    Cross-validated accuracies take few values, so ties are common, and the result may depend on the order of the
    columns; put preferred columns first. Distances such as `Bhattacharyya` tie only if columns are redundant; rounding
    then decides.

    References
    ----------
    Pudil, Novovicova, Kittler (1994), Pattern Recognition Letters 15. Somol, Grim, Novovicova, Pudil (2011),
    Section 1.2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fscore.search import SFFS
    >>> X, y = load_wine(return_X_y=True)
    >>> search = SFFS(KNeighborsClassifier(3), n_features_to_select=3).fit(X, y)
    >>> search.transform(X).shape
    (178, 3)
    """

    group_size: int = 1
    _: KW_ONLY
    delta: int | None = 0

    _parameter_constraints: ClassVar[dict] = {"delta": [None, Interval(Integral, 0, None, closed="left")]}

    _size_step = SFS._size_step

    def _search(self, evaluator, start, size, rng):
        return sffs(evaluator, size, self.group_size, self.delta, start)


@selector
class SBFS(SizedSearch):
    """(Generalized) sequential backward floating search, the mirror image of `SFFS`.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(group_size)s
    delta : int or None, default=0
        The search continues down to ``n_features_to_select - delta`` features, in steps of `group_size` as in `SFFS`;
        None continues to the smallest.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    References
    ----------
    Pudil, Novovicova, Kittler (1994), Pattern Recognition Letters 15.
    """

    group_size: int = 1
    _: KW_ONLY
    delta: int | None = 0

    _parameter_constraints: ClassVar[dict] = {"delta": [None, Interval(Integral, 0, None, closed="left")]}

    _size_step = SBS._size_step

    def _search(self, evaluator, start, size, rng):
        return sbfs(evaluator, size, self.group_size, self.delta, start)

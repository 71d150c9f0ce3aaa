"""Best individual features, sequential forward and backward selection, plus-l-minus-r."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import ClassVar

from fscore._parameters import Interval
from fscore._typing import Subset
from fscore.search._evaluator import Evaluator
from fscore.search._parameters import selector
from fscore.search._sized import SizedSearch

__all__ = ["SBS", "SFS", "BestIndividual", "PlusLMinusR", "best_individual", "plus_l_minus_r", "sbs", "sfs"]


def best_individual(evaluator: Evaluator, size: int | None = None) -> Subset:
    """The ``size`` units with the best individual values; without a size, the best of these nested sets."""
    values = evaluator.values([(u,) for u in range(evaluator.n)])
    ranking = sorted(range(evaluator.n), key=lambda u: (-values[u], u))
    if size is not None:
        best = tuple(sorted(ranking[:size]))
        evaluator.value(best)
        return best
    for d in range(2, evaluator.n + 1):
        evaluator.value(tuple(sorted(ranking[:d])))
    return evaluator.best()


def sfs(evaluator: Evaluator, size: int | None = None, c: int = 1, start: Subset | None = None) -> Subset:
    """Sequential forward selection: ``X_t = ADD_c^delta(start)``; without a size, the best subset up to all units."""
    subset = _origin(evaluator, start, ())
    for _ in range(((evaluator.n if size is None else size) - len(subset)) // c):
        subset, _ = evaluator.add(subset, c)
    return subset if size is not None else evaluator.best()


def sbs(evaluator: Evaluator, size: int | None = None, c: int = 1, start: Subset | None = None) -> Subset:
    """Sequential backward selection: ``X_t = RMV_c^delta(start)``; without a size, the best subset down to c."""
    subset = _origin(evaluator, start, tuple(range(evaluator.n)))
    while len(subset) - c >= (c if size is None else size):
        subset, _ = evaluator.remove(subset, c)
    return subset if size is not None else evaluator.best()


def plus_l_minus_r(
    evaluator: Evaluator, size: int | None = None, l: int = 2, r: int = 1, c: int = 1, start: Subset | None = None
) -> Subset:
    """Repeatedly add l tuples and remove r; if l < r, downwards, by default from the full set.

    The last round is shortened so that it ends at the size asked for.
    """
    if l == r:
        raise ValueError(f"l={l} and r={r} are equal, so the size never changes; make them differ.")
    forward = l > r
    subset = _origin(evaluator, start, () if forward else tuple(range(evaluator.n)))
    if size is not None:
        goal = size
    elif forward:  # the last size that steps of c reach
        goal = evaluator.n - (evaluator.n - len(subset)) % c
    else:
        goal = min(len(subset), c + len(subset) % c)
    while len(subset) != goal:
        left = abs(goal - len(subset)) // c
        go, back = (l, r) if forward else (r, l)
        room = (evaluator.n - len(subset) if forward else len(subset) - c) // c
        if left < go - back or room < go:
            go, back = left, 0
        for _ in range(go):
            subset, _ = evaluator.add(subset, c) if forward else evaluator.remove(subset, c)
        for _ in range(back):
            subset, _ = evaluator.remove(subset, c) if forward else evaluator.add(subset, c)
    return subset if size is not None else evaluator.best()


def _origin(evaluator, start, default):
    """The subset that a search starts from, valued unless it is empty."""
    subset = default if start is None else start
    if subset:
        evaluator.value(subset)
    return subset


@selector
class BestIndividual(SizedSearch):
    """The features with the best individual values (BIF), the simplest of all searches.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(common)s

    Attributes
    ----------
    %(attributes)s

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 1.2.
    """

    _starts = False

    def _search(self, evaluator, start, size, rng):
        return best_individual(evaluator, size)


@selector
class SFS(SizedSearch):
    """(Generalized) sequential forward selection.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(group_size)s
    %(common)s

    Attributes
    ----------
    %(attributes)s

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 1.2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fscore.search import SFS
    >>> X, y = load_iris(return_X_y=True)
    >>> SFS(KNeighborsClassifier(3), n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    group_size: int = 1

    def _size_step(self, n, size, start):
        return size - len(start or ())

    def _search(self, evaluator, start, size, rng):
        return sfs(evaluator, size, self.group_size, start)


@selector
class SBS(SizedSearch):
    """(Generalized) sequential backward selection.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(group_size)s
    %(common)s

    Attributes
    ----------
    %(attributes)s
    """

    group_size: int = 1

    def _size_step(self, n, size, start):
        return (n if start is None else len(start)) - size

    def _search(self, evaluator, start, size, rng):
        return sbs(evaluator, size, self.group_size, start)


@selector
class PlusLMinusR(SizedSearch):
    """Plus-l-minus-r: add l feature tuples, remove r, until the size is reached.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    %(group_size)s
    l : int, default=2
        Tuples added per round.
    r : int, default=1
        Tuples removed per round. With l < r the search starts from the full set.
    %(common)s

    Attributes
    ----------
    %(attributes)s
    """

    group_size: int = 1
    _: KW_ONLY
    l: int = 2
    r: int = 1

    _parameter_constraints: ClassVar[dict] = {
        "l": [Interval(Integral, 0, None, closed="left")],
        "r": [Interval(Integral, 0, None, closed="left")],
    }

    def _size_step(self, n, size, start):
        return (SFS if self.l > self.r else SBS)._size_step(self, n, size, start)

    def _search(self, evaluator, start, size, rng):
        return plus_l_minus_r(evaluator, size, self.l, self.r, self.group_size, start)

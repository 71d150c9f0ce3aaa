"""Sequential searches: best individual features, forward, backward, plus-l-minus-r and floating selection.

The generalized forms add or remove c units at once (Somol et al. 2011, Section 1.2.2).
"""

import math
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar

from fscore._sklearn import Interval
from fscore._typing import Subset
from fscore.search._evaluator import Evaluator
from fscore.search._selector import SizedSearch, fill_common_docs


def best_individual(evaluator: Evaluator, size: int | None) -> Subset:
    """The ``size`` units with the best individual values; without a size, the best of these nested sets."""
    values = evaluator.values([(u,) for u in range(evaluator.n_units)])
    ranking = sorted(range(evaluator.n_units), key=lambda u: (-values[u], u))
    if size is not None:
        best = tuple(sorted(ranking[:size]))
        evaluator.value(best)
        return best
    for d in range(2, evaluator.n_units + 1):
        evaluator.value(tuple(sorted(ranking[:d])))
    return evaluator.best()


def _origin(evaluator, start, forward):
    """The subset that a search starts from, and its value; -inf if no column is in it."""
    subset = start
    if start is None:
        subset = () if forward else tuple(range(evaluator.n_units))
    if subset:
        return subset, evaluator.value(subset)
    if evaluator.space.fixed_units and evaluator.n_evaluations:
        return subset, evaluator.known_value(subset)
    return subset, -math.inf


@fill_common_docs
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

    _takes_warm_start = False

    def _search(self, evaluator, start, size):
        return best_individual(evaluator, size)


@fill_common_docs
class _SequentialSearch(SizedSearch):
    """What forward and backward selection share."""

    group_size: int = 1
    _: KW_ONLY
    tol: float | None = None

    _parameter_constraints: ClassVar[dict] = {"tol": [None, Interval(Real, None, None, closed="neither")]}

    def _search(self, evaluator, start, size):
        """``X_t = ADD_c^delta(start)``, or RMV_c^delta(start) backward.

        Without a size, the best subset on the way; with a tolerance, the one before the first step that raises the
        value by less.
        """
        if self.tol is not None and self.n_features_to_select is not None:
            raise ValueError(
                f"tol={self.tol} decides the size, and so does n_features_to_select={self.n_features_to_select!r}; "
                "leave out one of them."
            )
        forward, c = self._direction > 0, self.group_size
        sign, move = (1, evaluator.add) if forward else (-1, evaluator.remove)
        end = evaluator.n_units if forward else c
        stop_size = end if size is None else size
        subset, value = _origin(evaluator, start, forward)
        while sign * (stop_size - len(subset)) >= c:
            changed, score = move(subset, c)
            if self.tol is not None and score - value < self.tol:
                return subset
            subset, value = changed, score
        return evaluator.best() if size is None and self.tol is None else subset


@fill_common_docs
class _FloatingSearch(SizedSearch):
    """What the floating searches share."""

    group_size: int = 1
    _: KW_ONLY
    delta: int | None = 0

    _parameter_constraints: ClassVar[dict] = {"delta": [None, Interval(Integral, 0, None, closed="left")]}

    def _search(self, evaluator, start, size):
        """Sequential floating search (Pudil, Novovicova, Kittler 1994); backward, additions and removals change places.

        A step back is kept if it beats the best subset *of that size* known so far. (Requiring it to beat the current
        subset as well, as a popular implementation does, rules out every removal under a monotone criterion.)
        """
        forward, c = self._direction > 0, self.group_size
        sign, go, back = (1, evaluator.add, evaluator.remove) if forward else (-1, evaluator.remove, evaluator.add)
        min_size = c if size is None else min(c, size)
        if size is None or self.delta is None:
            limit = evaluator.n_units if forward else min_size
        else:
            limit = min(max(size + sign * self.delta, min_size), evaluator.n_units)
        if start is None and forward:
            subset, value = evaluator.add((), c)  # step 1
        else:
            subset = tuple(range(evaluator.n_units)) if start is None else start
            value = evaluator.value(subset)
        best = {len(subset): (value, subset)}
        while sign * (limit - len(subset)) >= c:
            subset, value = go(subset, c)  # step 2
            d = len(subset)
            if d not in best or value > best[d][0]:
                best[d] = value, subset
            while 0 < d - sign * c <= evaluator.n_units:  # step 3
                candidate, value = back(subset, c)
                d -= sign * c
                if d in best and not value > best[d][0]:
                    break
                subset = candidate
                best[d] = value, subset
        return evaluator.best() if size is None else best[size][1]


@fill_common_docs
class SFS(_SequentialSearch):
    """(Generalized) sequential forward selection.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
    tol : float or None, default=None
        Without a size: stop before the first step that raises the value by less.
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

    _direction = 1


@fill_common_docs
class SBS(_SequentialSearch):
    """(Generalized) sequential backward selection.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
    tol : float or None, default=None
        Without a size: stop before the first step that raises the value by less; with a negative one it may fall by as
        much.
    %(common)s

    Attributes
    ----------
    %(attributes)s
    """

    _direction = -1


@fill_common_docs
class PlusLMinusR(SizedSearch):
    """Plus-l-minus-r: add l feature tuples, remove r, until the size is reached.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
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

    @property
    def _direction(self):  # type: ignore[override]
        return 1 if self.l > self.r else -1

    def _search(self, evaluator, start, size):
        """Repeatedly add l tuples and remove r; if l < r, downwards, by default from the full set."""
        l, r, c, forward = self.l, self.r, self.group_size, self.l > self.r
        if l == r:
            raise ValueError(f"l={l} and r={r} are equal, so the size never changes; make them differ.")
        subset, _ = _origin(evaluator, start, forward)
        if size is not None:
            stop_size = size
        elif forward:  # the last size that steps of c reach
            stop_size = evaluator.n_units - (evaluator.n_units - len(subset)) % c
        else:
            stop_size = min(len(subset), c + len(subset) % c)
        go, back = (evaluator.add, evaluator.remove) if forward else (evaluator.remove, evaluator.add)
        n_go, n_back = (l, r) if forward else (r, l)
        while len(subset) != stop_size:
            n_steps_left = abs(stop_size - len(subset)) // c
            room = (evaluator.n_units - len(subset) if forward else len(subset) - c) // c
            if n_steps_left < n_go - n_back or room < n_go:  # a last round that ends at the size
                n_go, n_back = n_steps_left, 0
            for move in [go] * n_go + [back] * n_back:
                subset, _ = move(subset, c)
        return subset if size is not None else evaluator.best()


@fill_common_docs
class SFFS(_FloatingSearch):
    """(Generalized) sequential forward floating search.

    After each addition, features are removed while the smaller subset beats the best one known of its size.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
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
    Ties go to the first candidate in the order of the columns, in this as in all searches. Cross-validated accuracies
    take few values, so ties are common, and the result may depend on the order of the columns. A forward step adds the
    first of several equal columns, so put preferred columns first. A backward step removes the first of them: of six
    equal columns `SBS` keeps the last, so put preferred columns last. Distances such as `Bhattacharyya` tie only if
    columns are redundant; rounding then decides.

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

    _direction = 1


@fill_common_docs
class SBFS(_FloatingSearch):
    """(Generalized) sequential backward floating search, the mirror image of `SFFS`.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
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

    _direction = -1

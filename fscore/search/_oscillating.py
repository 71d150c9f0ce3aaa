"""Oscillating and dynamic oscillating search (Somol et al. 2011, Section 1.2.2).

The two differ in one line: OS compares the subset at the end of a swing, DOS every subset on the way.
"""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import ClassVar, Literal

from sklearn.utils import check_random_state

from fscore._sklearn import Interval, StrOptions
from fscore._typing import Seed
from fscore.search._selector import SizedSearch, SubsetSearch, fill_common_docs
from fscore.search._sequential import best_individual


def _swings(evaluator, subset, delta, c):
    """The down-swing ADD^delta(RMV^delta(subset)) and the up-swing, each as the subsets on its way.

    A generator: a step is evaluated only when the caller asks for it. A down-swing keeps at least c features; a swing
    that does not fit is left out.
    """
    if len(subset) - delta * c >= c:
        yield _apply(subset, [evaluator.remove] * delta + [evaluator.add] * delta, c)
    if len(subset) + delta * c <= evaluator.n_units:
        yield _apply(subset, [evaluator.add] * delta + [evaluator.remove] * delta, c)


def _apply(subset, moves, c):
    for move in moves:
        subset, value = move(subset, c)
        yield subset, value


def _oscillate(evaluator, start, c, depth, dynamic):
    """Swing around a pivot, at depth 1 again after each improvement; return the last pivot.

    A subset becomes the new pivot if its value is higher, or equal at a smaller size. OS looks at the end of a swing,
    and so keeps the size; DOS (`dynamic`) looks at every subset on the way.
    """
    best, best_value = start, evaluator.value(start)
    delta = 1
    while True:
        for swing in _swings(evaluator, best, delta, c):
            compared = swing if dynamic else list(swing)[-1:]
            better = next(
                ((s, v) for s, v in compared if v > best_value or (v == best_value and len(s) < len(best))), None
            )
            if better is not None:
                best, best_value = better
                delta = 0  # steps 3 and 5: start again at depth 1 with the down-swing
                break
        if delta * c >= depth:
            return best
        delta += 1


@fill_common_docs
class OscillatingSearch(SizedSearch):
    """(Generalized) oscillating search: improve a subset of given size by increasingly deep swings down and up.

    Parameters
    ----------
    %(criterion)s
    %(size)s
        The search keeps the size; None takes that of `warm_start_from`, or half the features.
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
    depth : int, default=10
        The paper's Delta: the deepest swing, in features.
    initial : {"best_individual", "random"}, default="best_individual"
        Where to start without `warm_start_from`.
    random_state : int, RandomState instance or None, default=None
        Draws the random start.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 1.2.2, steps 1-6.
    """

    group_size: int = 1
    _: KW_ONLY
    depth: int = 10
    initial: Literal["best_individual", "random"] = "best_individual"
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "depth": [Interval(Integral, 1, None, closed="left")],
        "initial": [StrOptions({"best_individual", "random"})],
        "random_state": ["random_state"],
    }

    def _default_size(self, n_units, start):
        return len(start) if start is not None else max(1, n_units // 2)

    def _search(self, evaluator, start, size):
        if start is None and self.initial == "random":
            rng = check_random_state(self.random_state)
            start = tuple(sorted(rng.choice(evaluator.n_units, size, replace=False).tolist()))
        elif start is None:
            start = best_individual(evaluator, size)
        elif len(start) != size:
            raise ValueError(
                f"warm_start_from has {len(start)} units to search over, n_features_to_select asks for {size}; "
                "oscillating search keeps the size, so make them agree."
            )
        return _oscillate(evaluator, start, self.group_size, self.depth, dynamic=False)


@fill_common_docs
class DynamicOscillatingSearch(SubsetSearch):
    """(Generalized) dynamic oscillating search: the size is optimized, too.

    Parameters
    ----------
    %(criterion)s
    group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).
    depth : int, default=15
        The paper's Delta: the deepest swing, in features.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    Starts from ``ADD_c^3(empty)`` unless `warm_start_from` is given. Down-swings keep at least c features.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 1.2.2, steps 1-4.
    """

    _: KW_ONLY
    group_size: int = 1
    depth: int = 15

    _parameter_constraints: ClassVar[dict] = {"depth": [Interval(Integral, 1, None, closed="left")]}

    def _search(self, evaluator, start, size):
        c = self.group_size
        if start is None:
            start = ()
            for _ in range(max(1, min(3, evaluator.n_units // c))):
                start, _ = evaluator.add(start, c)
        _oscillate(evaluator, start, c, self.depth, dynamic=True)
        return evaluator.best()

"""Random search."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import ClassVar

import numpy as np

from fscore._parameters import Interval
from fscore._typing import Seed, Subset
from fscore.search._evaluator import Evaluator
from fscore.search._exhaustive import BATCH
from fscore.search._masks import generator, repair, subset_of
from fscore.search._parameters import selector
from fscore.search._sized import SizedSearch

__all__ = ["RandomSearch", "random_search"]


def random_search(evaluator: Evaluator, size: int | None, n_iter: int, rng: np.random.Generator) -> Subset:
    """Value ``n_iter`` random subsets; without a size, each unit is included with probability one half."""
    for drawn in range(0, n_iter, BATCH):  # time is checked after each batch, and drawing takes time, too
        masks = [repair(rng.random(evaluator.n) < 0.5, size, rng) for _ in range(min(BATCH, n_iter - drawn))]
        evaluator.values([subset_of(m) for m in masks])
    return evaluator.best(size)


@selector
class RandomSearch(SizedSearch):
    """Random subsets: a baseline for every other search.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    n_iter : int, default=100
        Subsets to draw.
    random_state : int, RandomState instance or None, default=None
    %(common)s

    Attributes
    ----------
    %(attributes)s
    """

    _: KW_ONLY
    n_iter: int = 100
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _starts = False

    def _search(self, evaluator, start, size, rng):
        return random_search(evaluator, size, self.n_iter, generator(rng))

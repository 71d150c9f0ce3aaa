"""Population-based incremental learning (Baluja 1994)."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from fscore._parameters import Interval
from fscore._typing import Floats, Seed, Subset
from fscore.search._evaluator import Evaluator
from fscore.search._masks import generator, mask_of, repair, subset_of
from fscore.search._parameters import selector
from fscore.search._sized import SizedSearch

__all__ = ["PBIL", "pbil"]


def pbil(
    evaluator: Evaluator,
    size: int | None,
    rng: np.random.Generator,
    *,
    population: int = 100,
    learning_rate: float = 0.1,
    negative_learning_rate: float = 0.075,
    mutation_probability: float = 0.02,
    mutation_shift: float = 0.05,
    max_generations: int = 200,
    converged: float = 0.05,
    start: Subset | None = None,
    p: Floats | None = None,
) -> tuple[Subset, Floats]:
    """Population-based incremental learning. Returns the best subset and the final probabilities.

    An array ``p`` is updated in place, so that it holds the probabilities even if the search is stopped.

    1. p = 1/2 for every unit.
    2. Draw a population from p and value it.
    3. Move p towards the best: ``p <- (1 - a) p + a best``.
    4. Where best and worst differ, move further towards the best by the negative rate.
    5. Mutate: with small probability move an entry of p towards 0 or 1.
    6. Repeat from 2 until every entry is nearly 0 or 1.
    """
    n = evaluator.n
    p = np.empty(n) if p is None else p
    p[:] = 0.5
    if start is not None:
        evaluator.value(start)
        p[:] = np.where(mask_of(start, n), 0.75, 0.25)
    for _ in range(max_generations):
        masks = [repair(rng.random(n) < p, size, rng, p) for _ in range(population)]
        values = evaluator.values([subset_of(m) for m in masks])
        best, worst = masks[int(np.argmax(values))], masks[int(np.argmin(values))]
        p[:] = (1 - learning_rate) * p + learning_rate * best
        differ = best != worst
        p[differ] = (1 - negative_learning_rate) * p[differ] + negative_learning_rate * best[differ]
        mutate = rng.random(n) < mutation_probability
        towards = rng.integers(0, 2, n)
        p[mutate] = (1 - mutation_shift) * p[mutate] + mutation_shift * towards[mutate]
        if ((p < converged) | (p > 1 - converged)).all():
            break
    return evaluator.best(size), p


@selector
class PBIL(SizedSearch):
    """Population-based incremental learning (Baluja), the stochastic search of Nel's thesis.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    population : int, default=100
    learning_rate : float, default=0.1
    negative_learning_rate : float, default=0.075
        Further step towards the best where best and worst of a generation differ.
    mutation_probability : float, default=0.02
    mutation_shift : float, default=0.05
    max_generations : int, default=200
    converged : float, default=0.05
        Stop when all probabilities are below this or above one minus this.
    random_state : int, RandomState instance or None, default=None
    %(common)s

    Attributes
    ----------
    %(attributes)s
    probabilities_ : ndarray of shape (n_units,)
        The probability vector at the end, or when the search was stopped.

    Notes
    -----
    The thesis prints the update as ``P + (1 - a) + best a``; its own example (0.55 and 0.45 after the first step with
    a = 0.1) shows that ``P (1 - a) + best a`` is meant. Population, negative rate, mutation and stopping are not
    stated in the thesis; the defaults are Baluja's, and 200 generations are ours. An empty mask gets its most probable
    feature.

    References
    ----------
    Nel (1998), Section 2.4. Baluja (1994), CMU-CS-94-163.
    """

    _: KW_ONLY
    population: int = 100
    learning_rate: float = 0.1
    negative_learning_rate: float = 0.075
    mutation_probability: float = 0.02
    mutation_shift: float = 0.05
    max_generations: int = 200
    converged: float = 0.05
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "population": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="both")],
        "negative_learning_rate": [Interval(Real, 0, 1, closed="both")],
        "mutation_probability": [Interval(Real, 0, 1, closed="both")],
        "mutation_shift": [Interval(Real, 0, 1, closed="both")],
        "max_generations": [Interval(Integral, 1, None, closed="left")],
        "converged": [Interval(Real, 0, 0.5, closed="left")],
        "random_state": ["random_state"],
    }

    def _search(self, evaluator, start, size, rng):
        options = ["population", "learning_rate", "negative_learning_rate", "mutation_probability", "mutation_shift"]
        options += ["max_generations", "converged"]
        subset, _ = pbil(
            evaluator,
            size,
            generator(rng),
            start=start,
            p=self.probabilities_,
            **{name: getattr(self, name) for name in options},
        )
        return subset

    def _walk(self, evaluator, start, size):
        self.probabilities_ = np.full(evaluator.n, 0.5)  # a stop may come before the first step
        super()._walk(evaluator, start, size)

"""A genetic algorithm."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from fscore._parameters import Interval
from fscore._typing import Seed, Subset
from fscore.search._evaluator import Evaluator
from fscore.search._masks import generator, mask_of, repair, subset_of
from fscore.search._parameters import selector
from fscore.search._sized import SizedSearch

__all__ = ["GeneticSearch", "genetic_search"]


def genetic_search(
    evaluator: Evaluator,
    size: int | None,
    rng: np.random.Generator,
    *,
    population: int = 50,
    generations: int = 50,
    crossover: Literal["uniform", "single_point"] = "uniform",
    crossover_probability: float = 0.8,
    mutation_probability: float | None = None,
    tournament: int = 3,
    elite: int = 2,
    start: Subset | None = None,
) -> Subset:
    """A plain genetic algorithm over masks: tournament selection, crossover, bit-flip mutation, elitism."""
    n = evaluator.n
    flip = 1 / n if mutation_probability is None else mutation_probability
    masks = [repair(rng.random(n) < 0.5, size, rng) for _ in range(population)]
    if start is not None:
        masks[0] = repair(mask_of(start, n), size, rng)
    for generation in range(generations + 1):
        values = evaluator.values([subset_of(m) for m in masks])
        if generation == generations:
            break
        # highest value first, then the smaller subset, then the earlier
        ranking = sorted(range(population), key=lambda q: (-values[q], masks[q].sum(), q))
        place = np.argsort(ranking)
        children = [masks[q] for q in ranking[:elite]]
        while len(children) < population:
            mother, father = (masks[min(rng.integers(0, population, tournament), key=place.__getitem__)] for _ in "mf")
            child = mother.copy()
            if rng.random() < crossover_probability:
                if crossover == "uniform":
                    swap = rng.random(n) < 0.5
                else:
                    swap = np.arange(n) >= rng.integers(1, max(2, n))
                child[swap] = father[swap]
            child ^= rng.random(n) < flip
            children.append(repair(child, size, rng))
        masks = children
    return evaluator.best(size)


@selector
class GeneticSearch(SizedSearch):
    """Genetic algorithm over feature masks.

    Parameters
    ----------
    %(criterion)s
    %(size)s
    population : int, default=50
    generations : int, default=50
    crossover : {"uniform", "single_point"}, default="uniform"
    crossover_probability : float, default=0.8
    mutation_probability : float or None, default=None
        Probability that each bit flips; None flips one bit on average.
    tournament : int, default=3
        Number of candidates of which the best becomes a parent.
    elite : int, default=2
        Number of best masks that are kept unchanged.
    random_state : int, RandomState instance or None, default=None
    %(common)s

    Attributes
    ----------
    %(attributes)s

    References
    ----------
    Nel (1998), Section 2.4.
    """

    _: KW_ONLY
    population: int = 50
    generations: int = 50
    crossover: Literal["uniform", "single_point"] = "uniform"
    crossover_probability: float = 0.8
    mutation_probability: float | None = None
    tournament: int = 3
    elite: int = 2
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "population": [Interval(Integral, 2, None, closed="left")],
        "generations": [Interval(Integral, 0, None, closed="left")],
        "crossover": [StrOptions({"uniform", "single_point"})],
        "crossover_probability": [Interval(Real, 0, 1, closed="both")],
        "mutation_probability": [None, Interval(Real, 0, 1, closed="both")],
        "tournament": [Interval(Integral, 1, None, closed="left")],
        "elite": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _search(self, evaluator, start, size, rng):
        if self.elite > self.population:
            raise ValueError(f"elite={self.elite} exceeds population={self.population}; keep fewer.")
        options = ["population", "generations", "crossover", "crossover_probability", "mutation_probability"]
        options += ["tournament", "elite"]
        return genetic_search(
            evaluator, size, generator(rng), start=start, **{name: getattr(self, name) for name in options}
        )

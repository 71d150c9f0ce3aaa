"""Searches that draw subsets: random search, a genetic algorithm, population-based incremental learning."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state

from fscore._sklearn import Interval, StrOptions
from fscore._typing import Seed
from fscore.search._optimal import BATCH
from fscore.search._selector import SizedSearch, fill_common_docs


def subset_of(mask):
    return tuple(np.flatnonzero(mask).tolist())


def mask_of(subset, n):
    mask = np.zeros(n, dtype=bool)
    mask[list(subset)] = True
    return mask


def repair(mask, size, rng, p=None):
    """Give a mask the given size, or at least one unit.

    Units are removed or added at random; with probabilities ``p``, the least probable are removed and the most probable
    added.
    """
    mask = mask.copy()
    goal = size if size is not None else max(1, int(mask.sum()))
    excess = int(mask.sum()) - goal
    if excess == 0:
        return mask
    pool = np.flatnonzero(mask if excess > 0 else ~mask)
    # random keys break the ties of p
    keys = rng.random(len(pool)) if p is None else p[pool] + 1e-9 * rng.random(len(pool))
    pool = pool[np.argsort(keys)]
    if excess > 0:
        mask[pool[:excess]] = False
    else:
        mask[pool[excess:]] = True
    return mask


def generator(random_state):
    """A numpy Generator from a parameter ``random_state`` of scikit-learn."""
    return np.random.default_rng(check_random_state(random_state).randint(0, 2**31 - 1, size=4))


@fill_common_docs
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

    _takes_warm_start = False

    def _search(self, evaluator, start, size):
        """Without a size, each unit is included with probability one half."""
        rng = generator(self.random_state)
        for drawn in range(0, self.n_iter, BATCH):  # time is checked after each batch, and drawing takes time, too
            masks = [
                repair(rng.random(evaluator.n_units) < 0.5, size, rng) for _ in range(min(BATCH, self.n_iter - drawn))
            ]
            evaluator.values([subset_of(m) for m in masks])
        return evaluator.best(size)


@fill_common_docs
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

    def _search(self, evaluator, start, size):
        if self.elite > self.population:
            raise ValueError(f"elite={self.elite} exceeds population={self.population}; keep fewer.")
        rng, n = generator(self.random_state), evaluator.n_units
        flip = 1 / n if self.mutation_probability is None else self.mutation_probability
        masks = [repair(rng.random(n) < 0.5, size, rng) for _ in range(self.population)]
        if start is not None:
            masks[0] = repair(mask_of(start, n), size, rng)
        for generation in range(self.generations + 1):
            values = evaluator.values([subset_of(m) for m in masks])
            if generation == self.generations:
                break
            # highest value first, then the smaller subset, then the earlier
            ranking = sorted(range(self.population), key=lambda q: (-values[q], masks[q].sum(), q))
            rank = np.argsort(ranking)
            children = [masks[q] for q in ranking[: self.elite]]
            while len(children) < self.population:
                mother, father = self._parent(masks, rank, rng), self._parent(masks, rank, rng)
                child = self._crossed(mother, father, rng)
                child ^= rng.random(n) < flip
                children.append(repair(child, size, rng))
            masks = children
        return evaluator.best(size)

    def _parent(self, masks, rank, rng):
        """The best of some masks drawn at random."""
        return masks[min(rng.integers(0, self.population, self.tournament), key=rank.__getitem__)]

    def _crossed(self, mother, father, rng):
        """A child of two masks."""
        child, n = mother.copy(), len(mother)
        if rng.random() < self.crossover_probability:
            uniform = self.crossover == "uniform"
            swap = rng.random(n) < 0.5 if uniform else np.arange(n) >= rng.integers(1, max(2, n))
            child[swap] = father[swap]
        return child


@fill_common_docs
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

    def _search(self, evaluator, start, size):
        """The steps of the algorithm.

        1. p = 1/2 for every unit.
        2. Draw a population from p and score it.
        3. Move p towards the best: ``p <- (1 - a) p + a best``.
        4. Where best and worst differ, move further towards the best by the negative rate.
        5. Mutate: with small probability move an entry of p towards 0 or 1.
        6. Repeat from 2 until every entry is nearly 0 or 1.
        """
        rng, n = generator(self.random_state), evaluator.n_units
        p = self.probabilities_  # changed in place: a search that is stopped has them, too
        if start is not None:
            evaluator.value(start)
            p[:] = np.where(mask_of(start, n), 0.75, 0.25)
        for _ in range(self.max_generations):
            masks = [repair(rng.random(n) < p, size, rng, p) for _ in range(self.population)]
            values = evaluator.values([subset_of(m) for m in masks])
            best, worst = masks[int(np.argmax(values))], masks[int(np.argmin(values))]
            p[:] = (1 - self.learning_rate) * p + self.learning_rate * best
            differ = best != worst
            p[differ] = (1 - self.negative_learning_rate) * p[differ] + self.negative_learning_rate * best[differ]
            mutate = rng.random(n) < self.mutation_probability
            towards = rng.integers(0, 2, n)
            p[mutate] = (1 - self.mutation_shift) * p[mutate] + self.mutation_shift * towards[mutate]
            if ((p < self.converged) | (p > 1 - self.converged)).all():
                break
        return evaluator.best(size)

    def _run(self, evaluator, *args):
        self.probabilities_ = np.full(evaluator.n_units, 0.5)  # a stop may come before the first step
        super()._run(evaluator, *args)

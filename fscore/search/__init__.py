"""Walks over subsets: a search asks, an evaluator answers and remembers."""

from fscore.search._branch_and_bound import BranchAndBound, branch_and_bound
from fscore.search._cache import SubsetCache
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._exhaustive import ExhaustiveSearch, exhaustive_search
from fscore.search._floating import SBFS, SFFS, sbfs, sffs
from fscore.search._oscillating import (
    DynamicOscillatingSearch,
    OscillatingSearch,
    dynamic_oscillating_search,
    oscillating_search,
)
from fscore.search._plots import plot_size_curve, plot_trace
from fscore.search._regularize import regularize
from fscore.search._sequential import SBS, SFS, BestIndividual, PlusLMinusR, best_individual, plus_l_minus_r, sbs, sfs
from fscore.search._stochastic import PBIL, GeneticSearch, RandomSearch, genetic_search, pbil, random_search

__all__ = [
    "PBIL",
    "SBFS",
    "SBS",
    "SFFS",
    "SFS",
    "BestIndividual",
    "BranchAndBound",
    "DynamicOscillatingSearch",
    "Evaluator",
    "ExhaustiveSearch",
    "GeneticSearch",
    "OscillatingSearch",
    "PlusLMinusR",
    "RandomSearch",
    "SearchStopped",
    "SubsetCache",
    "best_individual",
    "branch_and_bound",
    "dynamic_oscillating_search",
    "exhaustive_search",
    "genetic_search",
    "oscillating_search",
    "pbil",
    "plot_size_curve",
    "plot_trace",
    "plus_l_minus_r",
    "random_search",
    "regularize",
    "sbfs",
    "sbs",
    "sffs",
    "sfs",
]

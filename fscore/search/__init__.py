"""Searches for feature subsets, the evaluator they ask, and rules of choice."""

from fscore.search._branch_and_bound import BranchAndBound, branch_and_bound
from fscore.search._cache import SubsetCache
from fscore.search._choice import ChoiceRule
from fscore.search._evaluator import Evaluator
from fscore.search._exhaustive import ExhaustiveSearch, exhaustive_search
from fscore.search._floating import SBFS, SFFS, sbfs, sffs
from fscore.search._genetic import GeneticSearch, genetic_search
from fscore.search._hybrid import Hybrid
from fscore.search._nested import NestedScore, nested_score
from fscore.search._oscillating import (
    DynamicOscillatingSearch,
    OscillatingSearch,
    dynamic_oscillating_search,
    oscillating_search,
)
from fscore.search._pbil import PBIL, pbil
from fscore.search._plots import plot_size_curve, plot_trace
from fscore.search._random import RandomSearch, random_search
from fscore.search._recorder import SearchStopped
from fscore.search._redundancy import redundancy_groups
from fscore.search._regularize import regularize
from fscore.search._sequential import SBS, SFS, BestIndividual, PlusLMinusR, best_individual, plus_l_minus_r, sbs, sfs
from fscore.search._stability_selection import StabilitySelection
from fscore.search._transformed import columns_of
from fscore.search._voting import OrderVoting, WeightedVoting

__all__ = [
    "PBIL",
    "SBFS",
    "SBS",
    "SFFS",
    "SFS",
    "BestIndividual",
    "BranchAndBound",
    "ChoiceRule",
    "DynamicOscillatingSearch",
    "Evaluator",
    "ExhaustiveSearch",
    "GeneticSearch",
    "Hybrid",
    "NestedScore",
    "OrderVoting",
    "OscillatingSearch",
    "PlusLMinusR",
    "RandomSearch",
    "SearchStopped",
    "StabilitySelection",
    "SubsetCache",
    "WeightedVoting",
    "best_individual",
    "branch_and_bound",
    "columns_of",
    "dynamic_oscillating_search",
    "exhaustive_search",
    "genetic_search",
    "nested_score",
    "oscillating_search",
    "pbil",
    "plot_size_curve",
    "plot_trace",
    "plus_l_minus_r",
    "random_search",
    "redundancy_groups",
    "regularize",
    "sbfs",
    "sbs",
    "sffs",
    "sfs",
]

"""Searches for feature subsets, the rules by which they select, and how far their results can be trusted."""

from fscore.search._best_subsets import best_subsets
from fscore.search._columns import columns_of, redundancy_groups
from fscore.search._nested import NestedScore, nested_score, resampled_error
from fscore.search._optimal import BranchAndBound, ExhaustiveSearch
from fscore.search._oscillating import DynamicOscillatingSearch, OscillatingSearch
from fscore.search._race import Race
from fscore.search._results import plot_size_curve, plot_trace, regularize
from fscore.search._rules import ChoiceRule, Hybrid, OrderVoting, WeightedVoting
from fscore.search._selector import SubsetSearch
from fscore.search._sequential import SBFS, SBS, SFFS, SFS, BestIndividual, PlusLMinusR
from fscore.search._stability_selection import StabilitySelection
from fscore.search._stochastic import PBIL, GeneticSearch, RandomSearch

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
    "ExhaustiveSearch",
    "GeneticSearch",
    "Hybrid",
    "NestedScore",
    "OrderVoting",
    "OscillatingSearch",
    "PlusLMinusR",
    "Race",
    "RandomSearch",
    "StabilitySelection",
    "SubsetSearch",
    "WeightedVoting",
    "best_subsets",
    "columns_of",
    "nested_score",
    "plot_size_curve",
    "plot_trace",
    "redundancy_groups",
    "regularize",
    "resampled_error",
]

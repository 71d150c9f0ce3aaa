"""Walks over subsets: a search asks, an evaluator answers and remembers."""

from fscore.search._evaluator import Evaluator, SearchStopped, SubsetCache
from fscore.search._floating import SBFS, SFFS, sbfs, sffs
from fscore.search._oscillating import (
    DynamicOscillatingSearch,
    OscillatingSearch,
    dynamic_oscillating_search,
    oscillating_search,
)
from fscore.search._regularize import regularize
from fscore.search._sequential import SBS, SFS, BestIndividual, PlusLMinusR, best_individual, plus_l_minus_r, sbs, sfs

"""Feature selection for pattern recognition: the experiments of Nel's thesis of 1998.

Samples go by the thesis' names: LIVER (bupa), PIMA, ION (ionosphere), WDBC and its halves WDBC1 and WDBC2. Subsets are
written as there, a text of zeros and ones with the first feature leftmost. Accuracies are in percent.

Every function returns tidy tables, one measured value per row: the columns that say what was measured, then ``metric``
and ``value``. The chapters' experiments are in the modules imported here.
"""

from nel1998.correlation import correlations, criteria_and_accuracy, drawn_masks
from nel1998.examples import (
    example_data,
    gamma_against_distance,
    gamma_at_degrees,
    gamma_of_data,
    gamma_of_subsets,
    gamma_theory,
    linear_projections,
    three_features,
)
from nel1998.samples import accuracies, columns_of, mask_of, outline, samples_of
from nel1998.searches import compare_searches, compare_sized_searches
from nel1998.selection import (
    gamma_estimates,
    gamma_rank_scores,
    gamma_ranking,
    information_prefixes,
    pbil_subsets,
    rann_ranking,
)
from nel1998.summary import overlaps, summary, to_measure

__all__ = [
    "accuracies",
    "columns_of",
    "compare_searches",
    "compare_sized_searches",
    "correlations",
    "criteria_and_accuracy",
    "drawn_masks",
    "example_data",
    "gamma_against_distance",
    "gamma_at_degrees",
    "gamma_estimates",
    "gamma_of_data",
    "gamma_of_subsets",
    "gamma_rank_scores",
    "gamma_ranking",
    "gamma_theory",
    "information_prefixes",
    "linear_projections",
    "mask_of",
    "outline",
    "overlaps",
    "pbil_subsets",
    "rann_ranking",
    "samples_of",
    "summary",
    "three_features",
    "to_measure",
]

"""GMLVQ and its rankings against information gain, Fisher and ReliefF: chapters 4 and 5 of Chen 2012, measured.

Every repetition cuts the data in five stratified parts: one to test, one to validate, three to train. GMLVQ learns on
the training part and keeps the step that is best on the validation part; the filters see both. Features are z-scored
with the means of the training part. Constant features are removed first and *not counted*: feature 2 of Ionosphere is
the third column of the file. Missing values become the feature's mean.

Every function returns a tidy table, one measured value per row. ``dataset`` is a name for :func:`fscore.datasets.load`
or a CSV file; ``target`` is the label column of the files.
"""

from chen2012.added import (
    added_at_original_size,
    added_features,
    chance,
    mean_curves,
    places_of_copies,
)
from chen2012.ambiguity import ambiguity, ambiguity_by_feature, delete_rates
from chen2012.auc import EVALUATORS, ORIGINAL, auc, dominance, named_aucs, subset_sizes
from chen2012.protocol import COLUMN_ORDER, DEFAULTS, METHODS, VARIANTS, Settings, outline
from chen2012.ranking import average_ranks, first_features, rankings, stability
from chen2012.training import descent, entropy, entropy_profiles, valley

__all__ = [
    "COLUMN_ORDER",
    "DEFAULTS",
    "EVALUATORS",
    "METHODS",
    "ORIGINAL",
    "VARIANTS",
    "Settings",
    "added_at_original_size",
    "added_features",
    "ambiguity",
    "ambiguity_by_feature",
    "auc",
    "average_ranks",
    "chance",
    "delete_rates",
    "descent",
    "dominance",
    "entropy",
    "entropy_profiles",
    "first_features",
    "mean_curves",
    "named_aucs",
    "outline",
    "places_of_copies",
    "rankings",
    "stability",
    "subset_sizes",
    "valley",
]

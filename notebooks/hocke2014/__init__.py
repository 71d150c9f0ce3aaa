"""Maximum distance minimization: what Hocke and Martinetz 2014 claim of it, measured.

The end of the paper with its data sets, protocol and tables is not at hand: the protocol is ours. k = 3 neighbours, 10
x stratified 5-fold cross-validation, soft MDM's nu by inner 3-fold cross-validation of the training part, the same
folds for all methods, inputs raw and standardized.

Every function returns a tidy table, one measured value per row: the columns that say what was measured, then ``metric``
and ``value``. ``dataset`` is a name for :func:`fscore.datasets.load` or a CSV file, whose label is in ``target``.
"""

from hocke2014.disturbed import noise_columns, outlier_tests, outliers
from hocke2014.gain import METHODS, knn_gain
from hocke2014.gene_expression import GENERATED, GeneExpression, gene_expression
from hocke2014.methods import NUS
from hocke2014.program import (
    Illustration,
    equivalence,
    feasibility,
    illustration,
    program_size,
)
from hocke2014.scaling import RESCALED, scaling_invariance
from hocke2014.uci import uci, uci_ranks, uci_summary, uci_tests

__all__ = [
    "GENERATED",
    "METHODS",
    "NUS",
    "RESCALED",
    "GeneExpression",
    "Illustration",
    "equivalence",
    "feasibility",
    "gene_expression",
    "illustration",
    "knn_gain",
    "noise_columns",
    "outlier_tests",
    "outliers",
    "program_size",
    "scaling_invariance",
    "uci",
    "uci_ranks",
    "uci_summary",
    "uci_tests",
]

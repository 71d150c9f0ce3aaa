"""Energy relevance LVQ against LVQ, RLVQ and OWA-RLVQ: Andonie and Cataron 2004, measured.

The paper gives no rate, width, number of codebooks or of passes, scaling, or split; all are parameters here. Its
percentages are counts of 150, 462 and 151 samples: all of Iris (so it tests on what it learned, or cross-validates),
and the test parts that Vowel and Ionosphere come with.

Every function returns a tidy table, one measured value per row. ``dataset`` is a name for :func:`fscore.datasets.load`
or a CSV file; ``target`` is the label column of the files.
"""

from andonie2004.recognition import (
    ABLATIONS,
    DEFAULTS,
    METHODS,
    Settings,
    borders,
    codebooks,
    counts,
    recognition,
    relevances,
)
from andonie2004.rule import (
    cost_per_sample,
    dependence_bounds,
    normalization,
    parzen_dependence,
    softmax_flattening,
    step,
)

__all__ = [
    "ABLATIONS",
    "DEFAULTS",
    "METHODS",
    "Settings",
    "borders",
    "codebooks",
    "cost_per_sample",
    "counts",
    "dependence_bounds",
    "normalization",
    "parzen_dependence",
    "recognition",
    "relevances",
    "softmax_flattening",
    "step",
]

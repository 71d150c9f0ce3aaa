"""Prototype classifiers that learn relevances."""

from fscore.lvq._solvers import LBFGS, NormalizedGradient, WaypointAveraging
from fscore.lvq.generalized import GLVQ, GMLVQ, GRLVQ
from fscore.lvq.incremental import ERLVQ, LVQ1, OWARLVQ, RLVQ

__all__ = [
    "ERLVQ",
    "GLVQ",
    "GMLVQ",
    "GRLVQ",
    "LBFGS",
    "LVQ1",
    "OWARLVQ",
    "RLVQ",
    "NormalizedGradient",
    "WaypointAveraging",
]

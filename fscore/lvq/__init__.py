"""Prototype classifiers that learn relevances."""

from fscore.lvq._solvers import LBFGS, NormalizedGradient, WaypointAveraging
from fscore.lvq.generalized import GLVQ, GMLVQ, GRLVQ

__all__ = ["GLVQ", "GMLVQ", "GRLVQ", "LBFGS", "NormalizedGradient", "WaypointAveraging"]

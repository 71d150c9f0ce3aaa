"""Prototype classifiers, most of which learn relevances.

Batch descent on one cost: GLVQ, GRLVQ, GMLVQ. One sample, one step: LVQ1, RLVQ, OWARLVQ, ERLVQ. All have
``prototypes_``, ``feature_importances_``, ``Lambda_`` and ``Omega_``, ``history_``, ``decision_function``,
``transform`` into the learned space, and ``restrict(features)``. Scale the features first.

GLVQ and LVQ1 learn no relevances: they are what the others are compared with, and their ``feature_importances_`` are
all equal, so that nothing can be selected by them. Nor is ERLVQ fit for ``SelectFromModel``, see there.
"""

from fscore.lvq._solvers import LBFGS, NormalizedGradient, WaypointAveraging
from fscore.lvq.generalized import GLVQ, GRLVQ
from fscore.lvq.incremental import ERLVQ, LVQ1, OWARLVQ, RLVQ
from fscore.lvq.matrix import GMLVQ

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

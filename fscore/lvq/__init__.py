"""Prototype classifiers, most of which learn feature relevances.

GLVQ, GRLVQ and GMLVQ minimize one cost by batch gradient descent. LVQ1, RLVQ, OWARLVQ and ERLVQ update after each
sample. All have ``prototypes_``, ``feature_importances_``, ``Lambda_`` and ``Omega_``, ``history_``,
``decision_function``, ``transform`` to the learned space, and ``restrict(features)``. Scale the features first.

GLVQ and LVQ1 are baselines that learn no relevances: their ``feature_importances_`` are all equal, so they cannot
select features. ERLVQ is not suitable for ``SelectFromModel`` either, see there.
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

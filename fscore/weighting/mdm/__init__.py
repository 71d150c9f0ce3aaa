"""Maximum distance minimization (MDM), Hocke and Martinetz 2014: a linear program, solved by constraint generation.

``_sample`` scales and sorts the data. ``_program`` states the linear program, what a solver offers, and the bound on
the error. ``_generation`` alternates between solving and adding violated constraints, by ``_simplex`` or ``_interior``.
"""

from fscore.weighting.mdm._estimator import MDM, mdm_path

__all__ = ["MDM", "mdm_path"]

"""Maximum distance minimization (MDM), Hocke and Martinetz 2014: a linear program, solved by constraint generation.

``_preprocessing`` scales the data. ``_generation`` alternates between solving and adding violated constraints; what it
requires of a solver is stated in ``_program``, and the solvers are ``_simplex``, ``_interior`` and ``_pricing``.
``_certificate`` bounds the error. ``_full`` writes out the whole program, for comparison.
"""

from fscore.weighting.mdm._estimator import MDM, mdm_path

__all__ = ["MDM", "mdm_path"]

"""Maximum distance minimization (MDM), Hocke and Martinetz 2014: a linear program, solved by constraint generation.

``_sample`` scales and sorts the data. ``_program`` solves the linear program of some constraints, ``_generation``
alternates between solving and adding violated ones, and ``_certificate`` bounds the error of the weights.
"""

from fscore.weighting.mdm._estimator import MDM, mdm_path

__all__ = ["MDM", "mdm_path"]

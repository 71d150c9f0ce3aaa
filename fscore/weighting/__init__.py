"""Feature weights for k-nearest-neighbour classification."""

from fscore.weighting.mdm import MDM, mdm_path

__all__ = ["MDM", "mdm_path"]

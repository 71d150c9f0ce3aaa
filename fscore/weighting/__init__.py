"""Feature weights for k-nearest-neighbor classification."""

from fscore.weighting.irelief import IRelief
from fscore.weighting.lmba import LMBA
from fscore.weighting.lmnn import LMNN, DiagonalLMNN
from fscore.weighting.mdm import MDM, mdm_path
from fscore.weighting.relief import Relief, ReliefF
from fscore.weighting.simba import Simba

__all__ = [
    "LMBA",
    "LMNN",
    "MDM",
    "DiagonalLMNN",
    "IRelief",
    "Relief",
    "ReliefF",
    "Simba",
    "mdm_path",
]

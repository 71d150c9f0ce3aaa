"""RANN, the network with random first-layer weights."""

from fscore.neural._layers import (
    hidden_outputs,
    hidden_weights,
    output_weights,
    outputs_of_truncations,
    signed_targets,
    winners,
)
from fscore.neural.rann import RANNClassifier, RANNClassifierCV

__all__ = [
    "RANNClassifier",
    "RANNClassifierCV",
    "hidden_outputs",
    "hidden_weights",
    "output_weights",
    "outputs_of_truncations",
    "signed_targets",
    "winners",
]

"""RANN, a neural network with random first-layer weights."""

from fscore.neural.rann import RANNClassifier, RANNClassifierCV

__all__ = ["RANNClassifier", "RANNClassifierCV"]

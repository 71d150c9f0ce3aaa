"""Oscillating search to depth two by the accuracy of 3-NN."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import OscillatingSearch

CONTESTANT = searching(
    "oscillating search, 3-NN",
    lambda size, seed: OscillatingSearch(CVAccuracy(KNeighborsClassifier(3), cv=3), size, depth=2, random_state=seed),
    way="each",
)

"""Dynamic oscillating search to depth two by the accuracy of 3-NN; it chooses the size."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import DynamicOscillatingSearch

CONTESTANT = searching(
    "dynamic oscillating search, 3-NN",
    lambda size, seed: DynamicOscillatingSearch(CVAccuracy(KNeighborsClassifier(3), cv=3), depth=2),
    way="own",
)

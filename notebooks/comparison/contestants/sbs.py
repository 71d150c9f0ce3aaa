"""Sequential backward selection by the accuracy of 3-NN."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import SBS

CONTESTANT = searching(
    "SBS, 3-NN",
    lambda size, seed: SBS(CVAccuracy(KNeighborsClassifier(3), cv=3), size),
    way="down",
)

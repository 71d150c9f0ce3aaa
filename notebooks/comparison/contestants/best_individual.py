"""Features by the accuracy of 3-NN with each alone."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import BestIndividual

CONTESTANT = searching(
    "best individual, 3-NN",
    lambda size, seed: BestIndividual(CVAccuracy(KNeighborsClassifier(3), cv=3), size),
    way="each",
)

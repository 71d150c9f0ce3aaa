"""Genetic search by the accuracy of 3-NN, forty generations of fifty; it chooses the size."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import GeneticSearch

CONTESTANT = searching(
    "genetic search, 3-NN",
    lambda size, seed: GeneticSearch(CVAccuracy(KNeighborsClassifier(3), cv=3), generations=40, random_state=seed),
    way="own",
)

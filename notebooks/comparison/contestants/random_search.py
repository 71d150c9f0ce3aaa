"""The best of five hundred random subsets by the accuracy of 3-NN; it chooses the size."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import RandomSearch

CONTESTANT = searching(
    "random search, 3-NN",
    lambda size, seed: RandomSearch(CVAccuracy(KNeighborsClassifier(3), cv=3), n_iter=500, random_state=seed),
    way="own",
)

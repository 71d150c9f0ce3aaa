"""Sequential forward selection by the accuracy of 3-NN."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import SFS

CONTESTANT = searching(
    "SFS, 3-NN",
    lambda size, seed: SFS(CVAccuracy(KNeighborsClassifier(3), cv=3), size),
    way="up",
)

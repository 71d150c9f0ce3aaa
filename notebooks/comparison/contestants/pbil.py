"""Population-based incremental learning by the accuracy of 3-NN, fifty generations of forty; it chooses the size."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import PBIL

CONTESTANT = searching(
    "PBIL, 3-NN",
    lambda size, seed: PBIL(
        CVAccuracy(KNeighborsClassifier(3), cv=3), population=40, max_generations=50, random_state=seed
    ),
    way="own",
)

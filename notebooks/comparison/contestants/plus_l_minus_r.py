"""Plus two, minus one feature in turn, by the accuracy of 3-NN."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import CVAccuracy
from fscore.search import PlusLMinusR

CONTESTANT = searching(
    "plus 2 minus 1, 3-NN",
    lambda size, seed: PlusLMinusR(CVAccuracy(KNeighborsClassifier(3), cv=3), size),
    way="each",
)

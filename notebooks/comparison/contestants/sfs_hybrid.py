"""Sequential forward selection by 3-NN among the fourth of the candidates that the Bhattacharyya distance prefers."""

from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import searching
from fscore.criteria import Bhattacharyya
from fscore.search import SFS, Hybrid

CONTESTANT = searching(
    "SFS, hybrid",
    lambda size, seed: SFS(Hybrid(Bhattacharyya(ridge=1e-3), KNeighborsClassifier(3), 0.25), size, cv=3),
    way="up",
)

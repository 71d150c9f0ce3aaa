"""Table 1: accuracy of k-NN on the best features by Fisher's score."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from compendium.experiment import DataExperiment, Schema, parameter, table
from compendium.protocol import load_set, scaled, shuffled_folds
from compendium.units import crossed, name_of, run_units, tidy
from fscore.filters import fisher_score


class Accuracy(DataExperiment):
    """Accuracy by the number of features, which are selected on the training folds.

    Tables
    ------
    accuracy
        dataset, n_features, repeat, metric ("accuracy", the mean over folds), value.
    """

    schema = Schema(accuracy=table("dataset n_features metric", repetition="repeat"))

    dataset: list[str] = parameter(["iris"], "data sets, or paths of CSV files", "data sets")
    n_neighbors: int = parameter(3, "k of the classifier", "[1, 99]")
    scaling: str = parameter("zscore", "scaling of the inputs", "{raw, minmax, zscore}")
    n_splits: int = parameter(5, "folds", "[2, 50]")
    n_repeats: int = parameter(10, "repetitions, each with different folds", "[1, 1000]")

    def measure(self):
        """See the class."""
        shared = self.pick("target", "n_neighbors", "scaling", "n_splits", "seed")
        units = crossed(shared, dataset=self.dataset, repeat=range(self.n_repeats))
        return {"accuracy": run_units(_classify, units, label="accuracy")}


def _classify(dataset, repeat, target, n_neighbors, scaling, n_splits, seed):
    X, y = load_set(dataset, target, return_X_y=True)
    sizes = range(1, X.shape[1] + 1)
    hits = np.zeros(len(sizes))
    for train, test in shuffled_folds(n_splits, seed, "split", name_of(dataset), repeat).split(X, y):
        A, B = scaled(scaling, X[train], X[test])
        best = np.argsort(-fisher_score(A, y[train]), kind="stable")
        for place, size in enumerate(sizes):
            model = KNeighborsClassifier(n_neighbors).fit(A[:, best[:size]], y[train])
            hits[place] += (model.predict(B[:, best[:size]]) == y[test]).sum()
    rows = []
    for size, share in zip(sizes, hits / len(y), strict=True):
        rows += tidy({"dataset": dataset, "n_features": size, "repeat": repeat}, {"accuracy": share})
    return rows

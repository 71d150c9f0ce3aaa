"""Figures."""

import matplotlib.pyplot as plt

from compendium.style import plain


def accuracy_by_size(accuracy):
    """Mean accuracy against the number of features, one line per data set."""
    figure, axis = plt.subplots()
    for (dataset, part), marker in zip(accuracy.groupby("dataset", sort=False), "osD^v<>", strict=False):
        means = part.groupby("n_features")["value"].mean()
        axis.plot(means.index, means.to_numpy(), marker=marker, label=plain(dataset))
    axis.set(xlabel="number of features", ylabel="accuracy")
    axis.legend()
    return figure

"""The accuracy of subsets on the test parts, by RANN and k-NN with sizes chosen on the training parts."""

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from compendium.units import run_units, seed_for
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier, RANNClassifierCV
from nel1998.masks import columns_of
from nel1998.protocol import partition, scaled_sample


def by_network(X, y, X_test, y_test, *, n_inner_splits, max_hidden, n_networks, network, seed):
    """Accuracy of RANN, with 5 to ``max_hidden`` hidden neurons as random partitions of the training part choose.

    Parameters
    ----------
    X, y, X_test, y_test : ndarray
        Training and test part.
    n_inner_splits, max_hidden : int
    n_networks : int
        Networks of the chosen size, which differ in their random weights.
    network : sequence of (str, object)
        Further arguments of `fscore.neural.RANNClassifier` and their values.
    seed : int

    Returns
    -------
    dict
        ``train_acc_pct`` and ``test_acc_pct``, in percent, one value per network, and ``size``, the number of hidden
        neurons.
    """
    inner = StratifiedShuffleSplit(n_inner_splits, test_size=1 / 3, random_state=seed)
    settings = dict(network)
    first = RANNClassifierCV(min(5, max_hidden), max_hidden, cv=inner, random_state=seed, **settings).fit(X, y)
    networks = [first] + [
        RANNClassifier(first.n_hidden_, random_state=seed_for(seed, "network", number), **settings).fit(X, y)
        for number in range(1, n_networks)
    ]
    return {
        "train_acc_pct": [_percent_correct(model, X, y) for model in networks],
        "test_acc_pct": [_percent_correct(model, X_test, y_test) for model in networks],
        "size": float(first.n_hidden_),
    }


def by_neighbors(X, y, X_test, y_test):
    """Accuracy of k-NN, as `by_network`; leaving one training sample out at a time chooses 1, 3, ... or 11 neighbors.

    A training sample is its own nearest neighbor, so the thesis evaluates k-NN by leave-one-out.
    """
    knn = KNeighborsClassifierCV().fit(X, y)
    return {
        "train_acc_pct": [100 * knn.scores_.max()],
        "test_acc_pct": [_percent_correct(knn, X_test, y_test)],
        "size": float(knn.n_neighbors_),
    }


def _percent_correct(model, X, y):
    """As ``model.score``, without checks of classes that are known, which take as long as small networks."""
    return 100 * float(np.mean(model.predict(X) == y))


def accuracies(samples, subsets, *, stratified=True, **shared):
    """Accuracy of both classifiers on given subsets, see `by_network` and `by_neighbors`.

    Parameters
    ----------
    samples : dict of str to str
        As from `samples_of`.
    subsets : dict of str to iterable of str
        Masks for each sample; repeated ones are measured once.
    stratified : bool, default=True
        As in `partition`.
    **shared
        ``n_splits``, partitions of the sample into two thirds to train and one third to test, and ``n_splits_knn``,
        those for k-NN if it has more; n_inner_splits, max_hidden, n_networks, network and seed, as in `by_network`;
        ``target``, label column of the CSV files.

    Returns
    -------
    DataFrame
        sample, subset, classifier, split, size, metric ("train_acc_pct", "test_acc_pct"), value (mean over the
        networks of the split), networks (their number, 1 for k-NN), network_sd (their standard deviation, NaN for one).
    """
    units = [
        {"sample": sample, "dataset": dataset, "subset": subset, "stratified": stratified, **shared}
        for sample, dataset in samples.items()
        for subset in sorted(set(subsets.get(sample, ())))
    ]
    return run_units(_classify_subset, units, label="classification")


def _classify_subset(
    sample, dataset, subset, n_splits, stratified, seed, target=None, n_splits_knn=0, **classification
):
    X, y = scaled_sample(sample, dataset, target)
    columns = columns_of(subset)
    if len(subset) != X.shape[1] or not columns:
        raise ValueError(
            f"mask {subset!r} has {len(subset)} bits, {len(columns)} of them set; {sample} has {X.shape[1]} features, "
            "and a mask needs one bit for each and at least one bit set."
        )
    rows = []
    for split in range(max(n_splits, n_splits_knn)):
        train, test = partition(sample, y, split, seed, stratified=stratified)
        parts = X[np.ix_(train, columns)], y[train], X[np.ix_(test, columns)], y[test]
        found = {}
        if split < n_splits:
            drawn = seed_for(seed, "network", sample, subset, split)
            found["RANN"] = by_network(*parts, **classification, seed=drawn)
        found["kNN"] = by_neighbors(*parts)
        for classifier, measured in found.items():
            what = {"sample": sample, "subset": subset, "classifier": classifier, "split": split}
            what["size"] = measured["size"]
            for metric in "train_acc_pct", "test_acc_pct":
                values = pd.Series(measured[metric])
                spread = {"networks": len(values), "network_sd": values.std()}
                rows.append({**what, "metric": metric, "value": values.mean(), **spread})
    return rows


def subsets_to_measure(candidates, *more):
    """The subsets whose accuracy is needed: the candidates, the full set of each sample, and others.

    Parameters
    ----------
    candidates : DataFrame
    *more : DataFrame
        With columns dataset (the sample) and subset; samples without candidates are left out.

    Returns
    -------
    dict of str to list of str
    """
    subsets = {}
    for sample, part in candidates.groupby("sample", sort=False):
        others = [mask for table in more for mask in table.loc[table["dataset"] == sample, "subset"]]
        subsets[sample] = sorted({*part["subset"], *others, "1" * len(part["subset"].iloc[0])})
    return subsets


def summary(candidates, accuracies):
    """Candidates with their accuracy on the test parts, and the full set of each sample.

    Parameters
    ----------
    candidates : DataFrame
    accuracies : DataFrame
        As from `accuracies`; holds every candidate and the full sets.

    Returns
    -------
    DataFrame
        sample, method ("full" for the full set), order, subset, score, n_features, classifier, and mean and standard
        deviation over splits: train, train_sd, test, test_sd, in percent. ``place`` numbers the subsets of a sample and
        method by the test accuracy of RANN: the thesis' "top five" have places 1 to 5.
    """
    by = ["sample", "subset", "classifier"]
    wide = accuracies.pivot_table(index=by, columns="metric", values="value", aggfunc=["mean", "std"]).reset_index()
    names = {("mean", "train_acc_pct"): "train", ("std", "train_acc_pct"): "train_sd"}
    names |= {("mean", "test_acc_pct"): "test", ("std", "test_acc_pct"): "test_sd"}
    wide.columns = [names.get(column, column[0]) for column in wide.columns]
    full = wide[~wide["subset"].str.contains("0")][["sample", "subset"]].drop_duplicates()
    table = pd.concat([candidates, full.assign(method="full", order=0, score=np.nan)], ignore_index=True)
    table = table.merge(wide, on=["sample", "subset"])
    table["n_features"] = table["subset"].str.count("1")
    network = table[table["classifier"] == "RANN"]
    place = network.groupby(["sample", "method"])["test"].rank(ascending=False, method="first").astype(int)
    return table.merge(network[["sample", "method", "subset"]].assign(place=place), on=["sample", "method", "subset"])

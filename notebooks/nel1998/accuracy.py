"""The accuracy of subsets on the test parts, by RANN and k-NN with sizes chosen on the training parts."""

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
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


def by_neighbors(X, y, X_test, y_test, max_neighbors=11):
    """Accuracy of k-NN, as `by_network`; leaving one training sample out at a time chooses 1, 3, ... neighbors.

    A training sample is its own nearest neighbor, so the thesis evaluates k-NN by leave-one-out. Its footnotes say that
    11 is the largest number of neighbors.
    """
    knn = KNeighborsClassifierCV(range(1, min(max_neighbors, len(X) - 1) + 1, 2)).fit(X, y)
    return {
        "train_acc_pct": [100 * knn.scores_.max()],
        "test_acc_pct": [_percent_correct(knn, X_test, y_test)],
        "size": float(knn.n_neighbors_),
    }


def by_neighbors_on(partitions, X, y, max_neighbors):
    """As `by_neighbors` on every partition of a sample, whose neighbors are ranked once, equal ones as in the file.

    Parameters
    ----------
    partitions : iterable of (ndarray, ndarray)
        Training and test rows.
    X, y : ndarray
        The sample.
    max_neighbors : int

    Yields
    ------
    dict
    """
    labels, codes = np.unique(y, return_inverse=True)
    distances = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(distances, np.inf)
    ranking = np.argsort(distances, axis=1, kind="stable")[:, :-1]
    for train, test in partitions:
        sizes = np.arange(1, min(max_neighbors, len(train) - 1) + 1, 2)
        neighbors = _first_members(ranking, train, sizes[-1])
        votes = (codes[neighbors][:, :, None] == np.arange(len(labels))).cumsum(axis=1)[:, sizes - 1]
        hits = votes.argmax(axis=2) == codes[:, None]
        left_out = 100 * hits[train].mean(axis=0)
        best = left_out.argmax()
        yield {
            "train_acc_pct": [float(left_out[best])],
            "test_acc_pct": [float(100 * hits[test, best].mean())],
            "size": float(sizes[best]),
        }


def _first_members(ranking, members, count):
    """The first ``count`` entries of each row of a ranking that are in ``members``."""
    is_member = np.zeros(len(ranking), dtype=bool)
    is_member[members] = True
    width = 4 * count
    while True:
        first = ranking[:, :width]
        is_first = is_member[first]
        is_first &= is_first.cumsum(axis=1) <= count
        if is_first.sum() == count * len(ranking):
            return first[is_first].reshape(len(ranking), count)
        width *= 2


def _percent_correct(model, X, y):
    """As ``model.score``, without checks of classes that are known, which take as long as small networks."""
    return 100 * float(np.mean(model.predict(X) == y))


def variance_of_network(accuracies):
    """Variance of one network about our mean of several, which the thesis' numbers have in addition to ours."""
    return accuracies["network_sd"].fillna(0.0) ** 2 * (1 - 1 / accuracies["networks"])


def accuracies(
    samples,
    subsets,
    *,
    max_neighbors,
    n_splits,
    seed,
    target=None,
    splitting="stratified",
    classifiers=("RANN", "kNN"),
    **network,
):
    """Accuracy of the classifiers on given subsets, see `by_network` and `by_neighbors`.

    Parameters
    ----------
    samples : dict of str to str
        As from `samples_of`.
    subsets : dict of str to iterable of str
        Masks for each sample; repeated ones are measured once.
    max_neighbors : int
        As in `by_neighbors`.
    n_splits : int
        Partitions of the sample into two thirds to train and one third to test.
    seed : int
    target : str, optional
        Label column of the CSV files.
    splitting : str, default="stratified"
        As in `partition`.
    classifiers : sequence of {"RANN", "kNN"}
    **network
        n_inner_splits, max_hidden, n_networks and network, as in `by_network`.

    Returns
    -------
    DataFrame
        sample, subset, classifier, split, size, metric ("train_acc_pct", "test_acc_pct"), value (mean over the
        networks of the split), networks (their number, 1 for k-NN), network_sd (their standard deviation, NaN for one).
    """
    shared = {"n_splits": n_splits, "splitting": splitting, "target": target, "seed": seed}
    settings = {"RANN": network, "kNN": {"max_neighbors": max_neighbors}}
    units = [
        {"sample": sample, "dataset": dataset, "subset": subset, "classifier": name, **shared, **settings[name]}
        for sample, dataset in samples.items()
        for subset in sorted(set(subsets.get(sample, ())))
        for name in classifiers
    ]
    return run_units(_classify_subset, units, label="classification")


def _classify_subset(sample, dataset, subset, classifier, n_splits, splitting, target, seed, **settings):
    X, y = scaled_sample(sample, dataset, target)
    columns = columns_of(subset)
    if len(subset) != X.shape[1] or not columns:
        raise ValueError(
            f"mask {subset!r} has {len(subset)} bits, {len(columns)} of them set; {sample} has {X.shape[1]} features, "
            "and a mask needs one bit for each and at least one bit set."
        )
    X, rows = X[:, columns], []
    partitions = [partition(sample, y, split, seed, splitting) for split in range(n_splits)]
    if classifier == "kNN":
        by_split = by_neighbors_on(partitions, X, y, **settings)
    else:
        seeds = [seed_for(seed, "network", sample, subset, split) for split in range(n_splits)]
        by_split = (
            by_network(X[train], y[train], X[test], y[test], **settings, seed=drawn)
            for (train, test), drawn in zip(partitions, seeds, strict=True)
        )
    for split, measured in enumerate(by_split):
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
    for sample, of_sample in candidates.groupby("sample", sort=False):
        others = [mask for table in more for mask in table.loc[table["dataset"] == sample, "subset"]]
        subsets[sample] = sorted({*of_sample["subset"], *others, "1" * len(of_sample["subset"].iloc[0])})
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
    rank = network.groupby(["sample", "method"])["test"].rank(ascending=False, method="first").astype(int)
    return table.merge(network[["sample", "method", "subset"]].assign(place=rank), on=["sample", "method", "subset"])


JUDGED_ON = 10  # splits, on which the thesis ranks the candidates


def selection_bias(summarized, accuracies, *, n_draws=2000):
    """How much better the subset at a place does on the splits that put it there than on all splits.

    The thesis judges the candidates of a method on ten splits, ranks them by the test accuracy of one network on these
    splits, and prints the first ones. The best of several means is favored by chance: this is by how much. Ten of our
    splits are drawn again and again (with replacement), and the candidates ranked on them.

    Parameters
    ----------
    summarized : DataFrame
        As from `summary`.
    accuracies : DataFrame
        As from `accuracies`, of the same subsets.
    n_draws : int, default=2000

    Returns
    -------
    DataFrame
        sample, method, place (from 1), classifier, metric, bias (in points).
    """
    candidates = summarized[(summarized["classifier"] == "RANN") & (summarized["method"] != "full")]
    tables = []
    for sample, of_sample in candidates.groupby("sample", sort=False):
        measured = accuracies[accuracies["sample"] == sample]
        cases = measured.groupby(["classifier", "metric"], sort=False)
        wide = {case: rows.pivot(index="subset", columns="split", values="value") for case, rows in cases}
        judged = measured[(measured["classifier"] == "RANN") & (measured["metric"] == "test_acc_pct")]
        one = judged.assign(variance=variance_of_network(judged))
        one = one.pivot(index="subset", columns="split", values="variance")
        for method, of_method in of_sample.groupby("method", sort=False):
            rng = np.random.default_rng(0)
            subsets, splits = list(of_method["subset"]), one.shape[1]
            counts = rng.multinomial(JUDGED_ON, np.full(splits, 1 / splits), size=n_draws) / JUDGED_ON
            noise = rng.standard_normal((len(subsets), n_draws)) * np.sqrt(one.loc[subsets] @ (counts / JUDGED_ON).T)
            drawn = {case: values.loc[subsets].to_numpy() @ counts.T for case, values in wide.items()}
            drawn["RANN", "test_acc_pct"] = drawn["RANN", "test_acc_pct"] + noise.to_numpy()
            ranking = np.argsort(-drawn["RANN", "test_acc_pct"], axis=0, kind="stable")
            for (classifier, metric), values in drawn.items():
                expected = wide[classifier, metric].loc[subsets].mean(axis=1).to_numpy()
                bias = np.take_along_axis(values - expected[:, None], ranking, axis=0).mean(axis=1)
                what = {"sample": sample, "method": method, "classifier": classifier, "metric": metric}
                tables.append(pd.DataFrame({**what, "place": np.arange(len(bias)) + 1, "bias": bias}))
    columns = ["sample", "method", "place", "classifier", "metric", "bias"]
    none = pd.DataFrame(columns=columns).astype({"place": int, "bias": float})
    return pd.concat(tables, ignore_index=True)[columns] if tables else none

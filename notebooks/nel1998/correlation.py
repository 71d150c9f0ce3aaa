"""Section 7.2 of Nel's thesis: do mutual information and Gamma follow the accuracy of features and subsets?"""

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.units import run_units, seed_for, tidy
from fscore.criteria import gamma_test
from fscore.filters import mutual_information
from nel1998.accuracy import by_neighbors, by_network
from nel1998.masks import columns_of, mask_of
from nel1998.protocol import ClassificationExperiment, partition, samples_of, scaled_sample, training_part
from nel1998.published_settings import subsets_of_table_b_1

N_SUBSETS = 20  # number of subsets for samples not in Table B.1
CRITERION_OF = {"feature": "mutual_information", "subset": "gamma_test"}


class Correlation(ClassificationExperiment):
    """Tables 7.1 to 7.4: mutual information of features and Gamma of random subsets against the accuracy on them.

    Tables
    ------
    outline
        Section 7.1, see `outline`.
    subsets
        sample, number (from 1), mask, printed (False if drawn here), see `subsets_of`.
    values
        sample, kind ("feature", "subset"), number, mask, split, metric, network, value. Metrics: the criterion on the
        training part ("mutual_information" or "gamma_test"), and "RANN" and "kNN", correct on the test part in percent,
        RANN once for each network.
    correlations
        See `correlations`.
    neighbors
        Those of the Gamma Test with each number of neighbors, ``p_max``.
    """

    schema = Schema(
        outline=table("dataset metric"),
        subsets=table("sample number", values="mask printed"),
        values=table("sample kind number mask metric network", repetition="split"),
        correlations=table("dataset method classifier metric", repetition="split", values="value network_sd"),
        neighbors=table("dataset method classifier metric p_max", repetition="split", values="value network_sd"),
    )

    dataset: list[str] = parameter(["wdbc", "bupa", "pima"], "data sets, or paths of CSV files", "data sets")
    wdbc: list[str] = parameter(
        ["WDBC1", "WDBC2"], "columns of wdbc: the halves in the thesis, or all", "{WDBC1, WDBC2, WDBC}"
    )
    n_splits: int = parameter(20, "partitions into two thirds to train and one third to test", "[2, 1000]")
    times: int = parameter(8, "repetitions of the experiment with as many other partitions", "[1, 100]")
    p_max: list[int] = parameter([30, 20, 40, 50], "neighbors of the Gamma Test; the tables have the first", "[2, 200]")

    def measure(self):
        """See the class."""
        sizes = outline(self.samples | samples_of(self.dataset, ["WDBC"]), self.target)
        n_features = sizes[sizes["metric"] == "n_features"].set_index("dataset")["value"].astype(int)
        subsets = pd.concat(
            [subsets_of(sample, n_features[sample], self.seed) for sample in self.samples], ignore_index=True
        )
        measured = self.criteria_and_accuracy(self.samples, subsets)
        values = {p: measured[measured["p_max"].isin([0, p])].drop(columns="p_max") for p in self.p_max}
        first = values[self.p_max[0]].reset_index(drop=True)
        neighbors = [
            correlations(table[table["kind"] == "subset"], self.n_splits).assign(p_max=p) for p, table in values.items()
        ]
        return {
            "outline": sizes,
            "subsets": subsets,
            "values": first,
            "correlations": correlations(first, self.n_splits),
            "neighbors": pd.concat(neighbors, ignore_index=True),
        }

    def criteria_and_accuracy(self, samples, subsets):
        """Criteria and classifiers, fitted on the training part only.

        Parameters
        ----------
        samples : dict of str to str
        subsets : DataFrame
            sample, number, mask.

        Returns
        -------
        DataFrame
            Table ``values`` for each number of neighbors, with the column ``p_max``: 0 where they have no part.
        """
        shared = self.pick("target", "seed")
        criteria = {"p_max": tuple(self.p_max), **self.pick("mode", "bandwidth")}
        units = [
            {"sample": sample, "dataset": dataset, "masks": masks, "split": split, **shared}
            for sample, dataset in samples.items()
            for masks in [tuple(subsets.loc[subsets["sample"] == sample, "mask"])]
            for split in range(self.times * self.n_splits)
        ]
        criterion_values = run_units(_criteria, [{**unit, **criteria} for unit in units], label="criteria")
        accuracy = run_units(_accuracy, [{**unit, **self.classification} for unit in units], label="classification")
        return pd.concat([criterion_values, accuracy.assign(p_max=0)], ignore_index=True)


def outline(samples, target=None):
    """Section 7.1: the size of each sample and the share of its largest class.

    Returns
    -------
    DataFrame
        dataset (the sample), metric ("n_samples", "n_features", "majority_class_pct"), value.
    """
    rows = []
    for sample, dataset in samples.items():
        X, y = scaled_sample(sample, dataset, target)
        majority = 100 * np.unique(y, return_counts=True)[1].max() / len(y)
        sizes = {"n_samples": len(X), "n_features": X.shape[1], "majority_class_pct": majority}
        rows += tidy({"dataset": sample}, sizes)
    return pd.DataFrame(rows)


def subsets_of(sample, n_features, seed):
    """The subsets of Table B.1, with a random one for each mask that is not printed in the right length.

    Returns
    -------
    DataFrame
        sample, number, mask, printed.
    """
    rows = []
    for number, mask in enumerate(subsets_of_table_b_1(sample) or [""] * N_SUBSETS, start=1):
        printed = len(mask) == n_features
        if not printed:
            rng = np.random.default_rng(seed_for(seed, "B.1", n_features, number))
            chosen = rng.random(n_features) < 0.5
            chosen[rng.integers(n_features)] = True  # never empty
            mask = mask_of(np.flatnonzero(chosen), n_features)
        rows.append({"sample": sample, "number": number, "mask": mask, "printed": printed})
    return pd.DataFrame(rows)


def _criteria(sample, dataset, masks, split, p_max, mode, bandwidth, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    information = mutual_information(X, y, mode=mode, density="values", bandwidth=bandwidth)
    rows = []
    for kind, number, mask in _masks(masks, X.shape[1]):
        if kind == "feature":
            scores = {0: information[number - 1]}
        else:
            scores = {p: gamma_test(X[:, columns_of(mask)], y, p).gamma for p in p_max}
        what = {"sample": sample, "kind": kind, "number": number, "mask": mask, "split": split}
        what |= {"metric": CRITERION_OF[kind], "network": 0}
        rows += [{**what, "value": float(value), "p_max": p} for p, value in scores.items()]
    return rows


def _accuracy(sample, dataset, masks, split, target, seed, **classification):
    X, y = scaled_sample(sample, dataset, target)
    train, test = partition(sample, y, split, seed)
    rows = []
    for kind, number, mask in _masks(masks, X.shape[1]):
        columns = columns_of(mask)
        parts = X[np.ix_(train, columns)], y[train], X[np.ix_(test, columns)], y[test]
        drawn = seed_for(seed, "network", sample, mask, split)
        measured = {"RANN": by_network(*parts, **classification, seed=drawn), "kNN": by_neighbors(*parts)}
        what = {"sample": sample, "kind": kind, "number": number, "mask": mask, "split": split}
        rows += [
            {**what, "metric": classifier, "network": drawn, "value": float(value)}
            for classifier, percent in measured.items()
            for drawn, value in enumerate(percent["test_acc_pct"])
        ]
    return rows


def _masks(masks, n_features):
    """Single features, then the given subsets: kind, number from 1, and mask of each."""
    singles = [mask_of([f], n_features) for f in range(n_features)]
    for kind, subsets in ("feature", singles), ("subset", masks):
        for number, mask in enumerate(subsets, start=1):
            yield kind, number, mask


def correlations(values, n_splits):
    """Tables 7.1 to 7.4: correlation of the criterion with the accuracy, split by split and of the means over splits.

    Each correlation is that of one network per feature or subset, as in the thesis, averaged over our networks: the
    mean accuracy of several networks would correlate better.

    Parameters
    ----------
    values : DataFrame
        Table of `Correlation`.
    n_splits : int
        Number of splits whose means are correlated: the more there are, the less noise lowers the correlation.

    Returns
    -------
    DataFrame
        dataset (the sample), method (the criterion), classifier, metric, split, value, network_sd. Metrics:
        ``mean_of_per_split_correlation``, one row per split; and ``correlation_of_means``, one row per ``n_splits``
        splits, with ``split`` -1, -2, ... ``network_sd`` is the standard deviation over networks, NaN for one network.
    """
    rows = []
    for (sample, kind), group in values.groupby(["sample", "kind"], sort=False):
        criterion = CRITERION_OF[kind]
        index = {"index": "split", "columns": "number", "values": "value"}
        x = group[group["metric"] == criterion].pivot_table(**index).to_numpy()
        for classifier in "RANN", "kNN":
            networks = group[group["metric"] == classifier].groupby("network")
            y = np.stack([drawn.pivot_table(**index).to_numpy() for _, drawn in networks])  # network, split, number
            what = {"dataset": sample, "method": criterion, "classifier": classifier}
            single = np.array([[_correlation(a, b) for a, b in zip(x, drawn, strict=True)] for drawn in y])
            rows += [
                {**what, "metric": "mean_of_per_split_correlation", "split": split}
                | {"value": of_split.mean(), "network_sd": _sd(of_split)}
                for split, of_split in enumerate(single.T)
            ]
            for number, first in enumerate(range(0, len(x), n_splits), start=1):
                splits = slice(first, first + n_splits)
                means = np.array([_correlation(x[splits].mean(axis=0), drawn[splits].mean(axis=0)) for drawn in y])
                rows.append(
                    {**what, "metric": "correlation_of_means", "split": -number}
                    | {"value": means.mean(), "network_sd": _sd(means)}
                )
    return pd.DataFrame(rows)


def _sd(values):
    return values.std(ddof=1) if len(values) > 1 else np.nan


def _correlation(a, b):
    """Pearson's correlation; NaN if one of the two is constant."""
    if any(np.ptp(v) <= 1e-12 * np.abs(v).max() for v in (a, b)):
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])

"""Section 7.2 of Nel's thesis: do mutual information and Gamma follow the accuracy of features and subsets?"""

import numpy as np
import pandas as pd

from compendium.experiment import parameter
from compendium.units import run_units, seed_for
from fscore.criteria import gamma_test
from fscore.filters import mutual_information
from nel1998.accuracy import classify
from nel1998.masks import columns_of, mask_of
from nel1998.protocol import ClassificationExperiment, partition, samples_of, scaled_sample
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
        sample, kind ("feature", "subset"), number, mask, split, metric, value. Metrics: the criterion on the training
        part ("mutual_information" or "gamma_test"), and "RANN" and "kNN", correct on the test part in percent.
    correlations
        See `correlations`.
    """

    tables = ("outline", "subsets", "values", "correlations")

    dataset: list[str] = parameter(["wdbc", "bupa", "pima"], "data sets, or paths of CSV files", "data sets")
    wdbc: list[str] = parameter(
        ["WDBC1", "WDBC2"], "columns of wdbc: the halves in the thesis, or all", "{WDBC1, WDBC2, WDBC}"
    )
    n_splits: int = parameter(20, "partitions into two thirds to train and one third to test", "[2, 1000]")
    p_max: int = parameter(20, "neighbours of the Gamma Test", "[2, 200]")

    def measure(self):
        """See the class."""
        sizes = outline(self.samples | samples_of(self.dataset, ["WDBC"]), self.target)
        n_features = sizes[sizes["metric"] == "n_features"].set_index("dataset")["value"].astype(int)
        subsets = pd.concat(
            [subsets_of(sample, n_features[sample], self.seed) for sample in self.samples], ignore_index=True
        )
        values = self.criteria_and_accuracy(self.samples, subsets)
        return {"outline": sizes, "subsets": subsets, "values": values, "correlations": correlations(values)}

    def criteria_and_accuracy(self, samples, subsets):
        """Table ``values``. Criteria and classifiers are fitted on the training part only.

        Parameters
        ----------
        samples : dict of str to str
        subsets : DataFrame
            sample, number, mask.

        Returns
        -------
        DataFrame
        """
        shared = self.pick("n_inner_splits", "max_hidden", "p_max", "mode", "bandwidth", "target", "seed")
        units = [
            {"sample": sample, "dataset": dataset, "masks": masks, "split": split, **shared}
            for sample, dataset in samples.items()
            for masks in [tuple(subsets.loc[subsets["sample"] == sample, "mask"])]
            for split in range(self.n_splits)
        ]
        return run_units(_measure_split, units, label="correlation")


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
        rows += [{"dataset": sample, "metric": metric, "value": float(value)} for metric, value in sizes.items()]
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


def _measure_split(sample, dataset, masks, split, n_inner_splits, max_hidden, p_max, mode, bandwidth, target, seed):
    X, y = scaled_sample(sample, dataset, target)
    train, test = partition(sample, y, split, seed)
    information = mutual_information(X[train], y[train], mode=mode, bandwidth=bandwidth)
    n_features = X.shape[1]
    singles = [mask_of([f], n_features) for f in range(n_features)]
    rows = []
    for kind, subsets in ("feature", singles), ("subset", masks):
        for number, mask in enumerate(subsets, start=1):
            columns = columns_of(mask)
            A, B = X[np.ix_(train, columns)], X[np.ix_(test, columns)]
            if kind == "feature":
                value = information[number - 1]
            else:
                value = gamma_test(A, y[train], p_max).gamma
            network = seed_for(seed, "network", sample, mask, split)
            measured = classify(
                *(A, y[train], B, y[test]), n_inner_splits=n_inner_splits, max_hidden=max_hidden, seed=network
            )
            values = {CRITERION_OF[kind]: value, **{name: found["test_acc_pct"] for name, found in measured.items()}}
            what = {"sample": sample, "kind": kind, "number": number, "mask": mask, "split": split}
            rows += [{**what, "metric": metric, "value": float(v)} for metric, v in values.items()]
    return rows


def correlations(values):
    """Tables 7.1 to 7.4: correlation of the criterion with the accuracy, split by split and of the means over splits.

    Parameters
    ----------
    values : DataFrame
        Table of `Correlation`.

    Returns
    -------
    DataFrame
        dataset (the sample), method (the criterion), classifier, metric, split, value, sd. Metrics:
        ``mean_of_per_split_correlation``, one row per split (their standard deviation in ``sd``); and
        ``correlation_of_means`` with its delete-one jackknife standard error over splits in ``sd``.
    """
    rows = []
    for (sample, kind), part in values.groupby(["sample", "kind"], sort=False):
        wide = part.pivot_table(index=["split", "number"], columns="metric", values="value")
        criterion = CRITERION_OF[kind]
        for classifier in "RANN", "kNN":
            what = {"dataset": sample, "method": criterion, "classifier": classifier}
            splits = [pair[[criterion, classifier]].to_numpy() for _, pair in wide.groupby("split")]
            single = [_correlation(pair) for pair in splits]
            rows += [
                {**what, "metric": "mean_of_per_split_correlation", "split": split, "value": r, "sd": np.nanstd(single)}
                for split, r in enumerate(single)
            ]
            total = np.sum(splits, axis=0)
            omitted = [_correlation(total - pair) for pair in splits] if len(splits) > 1 else [np.nan]
            error = np.sqrt((len(splits) - 1) * np.var(omitted))
            value = _correlation(total)
            rows.append({**what, "metric": "correlation_of_means", "split": -1, "value": value, "sd": error})
    return pd.DataFrame(rows)


def _correlation(pairs):
    """Pearson's correlation; NaN if one of the two is constant."""
    spread = pairs.std(axis=0)
    if spread.min() <= 1e-12 * np.abs(pairs).max():
        return np.nan
    return float(np.mean((pairs - pairs.mean(axis=0)).prod(axis=1)) / spread.prod())

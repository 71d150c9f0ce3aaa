"""Section 7.2 of Nel's thesis: do mutual information and Gamma follow the accuracy that features and subsets reach?"""

import numpy as np
import pandas as pd

from compendium.units import run_units, seed_for
from fscore.criteria import gamma_test
from fscore.filters import mutual_information
from nel1998.samples import classify, columns_of, mask_of, partition, scaled

__all__ = ["correlations", "criteria_and_accuracy", "drawn_masks"]

CRITERION_OF = {"feature": "mutual_information", "subset": "gamma_test"}


def criteria_and_accuracy(
    samples,
    masks,
    *,
    n_splits=20,
    n_inner_splits=30,
    max_hidden=50,
    p_max=20,
    mode="class_conditional",
    bandwidth="normal_reference",
    target=None,
    seed=0,
    n_jobs=None,
):
    """Mutual information of single features, Gamma of subsets, and the test accuracy of both classifiers on them.

    Criteria and networks see the training part only.

    Parameters
    ----------
    samples : dict of str to str
    masks : dict of str to list of str
        The subsets of each sample, in the order of their numbers.
    n_splits : int
    p_max : int
        Neighbours of the Gamma Test, which this section of the thesis doesn't state.
    mode, bandwidth
        As in :func:`fscore.filters.mutual_information`.

    Returns
    -------
    DataFrame
        sample, kind ("feature", "subset"), number (from 1), mask, split, metric, value. Metrics: the criterion
        ("mutual_information" or "gamma_test"), and "RANN" and "kNN", correct on the test part in percent.
    """
    shared = {"n_inner_splits": n_inner_splits, "max_hidden": max_hidden, "p_max": p_max, "mode": mode}
    shared |= {"bandwidth": bandwidth, "target": target, "seed": seed}
    units = [
        {"sample": sample, "dataset": dataset, "masks": tuple(masks[sample]), "split": split, **shared}
        for sample, dataset in samples.items()
        for split in range(n_splits)
    ]
    return run_units(_measure_split, units, n_jobs=n_jobs, label="correlation")


def _measure_split(sample, dataset, masks, split, n_inner_splits, max_hidden, p_max, mode, bandwidth, target, seed):
    X, y = scaled(sample, dataset, target)
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


def drawn_masks(printed, n_features, *, n_subsets=20, seed=0):
    """The subsets of Table B.1, and fresh ones where no mask of the right length is printed.

    Parameters
    ----------
    printed : list of str
        Masks in the order of their numbers; empty for a sample that the thesis doesn't have.
    n_features : int

    Returns
    -------
    masks : list of str
    fresh : list of int
        The numbers, from 1, of those drawn here.
    """
    masks, fresh = [], []
    for number, mask in enumerate(printed or [""] * n_subsets, start=1):
        if len(mask) != n_features:
            rng = np.random.default_rng(seed_for(seed, "B.1", n_features, number))
            chosen = rng.random(n_features) < 0.5
            chosen[rng.integers(n_features)] = True  # never empty
            mask = mask_of(np.flatnonzero(chosen), n_features)
            fresh.append(number)
        masks.append(mask)
    return masks, fresh


def correlations(table):
    """Tables 7.1 to 7.4: correlation of the criterion with the accuracy, split by split and of the means over splits.

    Parameters
    ----------
    table : DataFrame
        As from `criteria_and_accuracy`.

    Returns
    -------
    DataFrame
        dataset (the sample), method (the criterion), classifier, metric, split, value, sd. Metrics:
        ``mean_of_per_split_correlation``, a row for each split (their standard deviation in ``sd``); and
        ``correlation_of_means`` with its delete-one jackknife standard error over splits in ``sd``.
    """
    rows = []
    for (sample, kind), part in table.groupby(["sample", "kind"], sort=False):
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
            left_out = [_correlation(total - pair) for pair in splits] if len(splits) > 1 else [np.nan]
            error = np.sqrt((len(splits) - 1) * np.var(left_out))
            value = _correlation(total)
            rows.append({**what, "metric": "correlation_of_means", "split": -1, "value": value, "sd": error})
    return pd.DataFrame(rows)


def _correlation(pairs):
    """Pearson's; of constant values there is none."""
    spread = pairs.std(axis=0)
    if spread.min() <= 1e-12 * np.abs(pairs).max():
        return np.nan
    return float(np.mean((pairs - pairs.mean(axis=0)).prod(axis=1)) / spread.prod())

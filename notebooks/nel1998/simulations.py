"""Data with a known answer, for testing the rules: tables of the paper profile's size.

Printed effects are read from ``data/published``; the spread between splits is that of the printed standard deviations,
half of its variance common to all subsets.
"""

from functools import cache

import numpy as np
import pandas as pd

from compendium.simulations import simulation
from nel1998.claims import CLASSIFIERS
from nel1998.gamma_test import gamma_theory
from nel1998.masks import bits
from nel1998.printed import ONE_NETWORK
from nel1998.published_settings import rows_of, table_5_1, usable

SIZES = {"LIVER": 6, "PIMA": 8, "WDBC1": 15, "WDBC2": 15}  # features
N_SPLITS = 10
# The printed tables of each method: RANN, k-NN.
TABLES = {
    "gamma_test": ("7.5", "7.6"),
    "mutual_information": ("7.7", "7.8"),
    "RANN_wrapper": ("7.9", "7.10"),
    "large": ("7.13", "7.14"),
}
N_CANDIDATES = {"gamma_test": 10, "RANN_wrapper": 10, "mutual_information": 40}
N_RANKED = {"LIVER": 11, "PIMA": 25}  # subsets of the rankings by mutual information where they are fewer


@cache
def _printed():
    rows = usable(rows_of([table for pair in TABLES.values() for table in pair]))
    rows = rows[rows["metric"] == "test_acc_pct"]
    return rows.assign(value=rows["value"].astype(float), std=rows["std"].astype(float))


@cache
def _gains(method, sample, classifier):
    """Printed test accuracies of a method's subsets minus that of all features in the same table."""
    rows = _printed().query("dataset == @sample and classifier == @classifier")
    rows = rows[rows["table"].isin(TABLES[method])]
    full = ~rows["subset"].str.contains("0")
    return (rows.loc[~full, "value"] - rows.loc[full, "value"].iloc[0]).to_numpy()


@cache
def _spread(sample, classifier):
    """Printed standard deviation of all features over splits, averaged over tables."""
    rows = _printed().query("dataset == @sample and classifier == @classifier")
    return rows.loc[~rows["subset"].str.contains("0"), "std"].mean()


@cache
def _subsets(n_features, n_subsets):
    """Different masks, neither empty nor full."""
    numbers = np.random.default_rng(n_features).permutation(np.arange(1, min(2**n_features - 1, 10_000)))
    return bits(numbers[:n_subsets].tolist(), n_features)


def _accuracies(rng, gain, sizes, candidates):
    """Tables ``summary`` and ``accuracies``.

    Parameters
    ----------
    rng : Generator
    gain : callable
        Maps method, sample, classifier and number of subsets to the true gains over all features, in points.
    sizes : dict of str to int
        Features by sample.
    candidates : dict of str to int
        Number of subsets by method.
    """
    summary, accuracies = [], []
    for sample, n_features in sizes.items():
        numbers = {
            m: min(n, N_RANKED.get(sample, n)) if m == "mutual_information" else n for m, n in candidates.items()
        }
        masks = [*_subsets(n_features, sum(numbers.values())), "1" * n_features]
        methods = [name for name, n in numbers.items() for _ in range(n)] + ["full"]
        order = [k + 1 for n in numbers.values() for k in range(n)] + [0]
        methods, order = methods[-len(masks) :], order[-len(masks) :]
        for classifier in CLASSIFIERS:
            sd = _spread(sample, classifier) / np.sqrt(2)
            true = np.zeros(len(masks))
            for method in numbers:
                chosen = [k for k, name in enumerate(methods) if name == method]
                true[chosen] = gain(method, sample, classifier, len(chosen))
            value = 80 + true[:, None] + rng.normal(0, sd, N_SPLITS) + rng.normal(0, sd, (len(masks), N_SPLITS))
            accuracies.append(
                pd.DataFrame(
                    {
                        "sample": sample,
                        "subset": np.repeat(masks, N_SPLITS),
                        "classifier": classifier,
                        "split": np.tile(np.arange(N_SPLITS), len(masks)),
                        "metric": "test_acc_pct",
                        "value": value.ravel(),
                        **ONE_NETWORK,
                    }
                )
            )
            what = {"sample": sample, "method": methods, "order": order, "subset": masks, "classifier": classifier}
            sizes_of = [mask.count("1") for mask in masks]
            summary.append(pd.DataFrame({**what, "test": value.mean(axis=1), "n_features": sizes_of}))
    return {
        "summary": pd.concat(summary, ignore_index=True),
        "accuracies": pd.concat(accuracies, ignore_index=True),
    }


def _correlations(rows):
    return pd.DataFrame(rows, columns=["dataset", "method", "classifier", "metric", "split", "value"])


@simulation("nel1998", "N1")
def information(rng, effect):
    """Correlations per split as printed; the same on all samples; those of WDBC and LIVER exchanged."""
    printed = rows_of(["7.1", "7.2"]).query("metric == 'mean_of_per_split_correlation'")
    exchanged = {"LIVER": "WDBC1", "WDBC1": "LIVER", "WDBC2": "LIVER", "PIMA": "PIMA"}
    rows = []
    for classifier, part in printed.groupby("classifier"):
        level = part.set_index("dataset")["value"].astype(float)
        for sample in level.index:
            r = {1: level[sample], 0: level.mean(), -1: level[exchanged[sample]]}[effect]
            n_features = SIZES[sample]
            z = np.arctanh(r) + rng.normal(0, 1 / np.sqrt(n_features - 3), 20)
            what = (sample, "mutual_information", classifier, "mean_of_per_split_correlation")
            # Splits share most samples, so they vary less than independent samples would.
            rows += [(*what, split, r + 0.5 * (np.tanh(value) - r)) for split, value in enumerate(z)]
    return {"correlations": _correlations(rows)}


@simulation("nel1998", "N2")
def gamma(rng, effect):
    """Correlations over twenty subsets whose true value is the printed one, zero, or the printed one reversed."""
    rows, subsets = [], []
    for row in rows_of(["7.3", "7.4"]).query("metric == 'correlation_of_means'").itertuples():
        r = effect * float(row.value)
        x, noise = rng.normal(size=(2, 20))
        value = np.corrcoef(x, r * x + np.sqrt(1 - r**2) * noise)[0, 1]
        rows.append((row.dataset, "gamma_test", row.classifier, "correlation_of_means", -1, value))
        subsets += [{"sample": row.dataset, "mask": str(number)} for number in range(20)]
    return {"correlations": _correlations(rows), "subsets": pd.DataFrame(subsets)}


@cache
def _theory():
    """The distances of Table 5.1, with and without the correction of the first, and Gamma there in thousandths."""
    printed = table_5_1()
    grid = sorted({printed["corrected"].iloc[0], *printed["distance"]})
    return grid, np.array([1000 * gamma_theory(distance) for distance in grid])


@simulation("nel1998", "N3")
def distances(rng, effect):
    """Gamma by theory with the spread of our draws; the same at all distances; growing with the distance."""
    grid, theory = _theory()
    mean = {1: theory, 0: np.full(len(grid), theory.mean()), -1: theory[::-1]}[effect]
    value = mean + 0.8 * np.sqrt(mean) * rng.normal(size=(100, len(grid)))
    repeats = np.repeat(np.arange(100), len(grid))
    return {"distances": pd.DataFrame({"distance": np.tile(grid, 100), "repeat": repeats, "value": value.ravel()})}


@simulation("nel1998", "N4")
def gamma_subsets(rng, effect):
    """Gains as printed; losses of one standard deviation, the margin; losses of three."""

    def gain(method, sample, classifier, n):
        if effect == 1:
            return rng.choice(_gains(method, sample, classifier), n)
        return (-1 if effect == 0 else -3) * _spread(sample, classifier)

    return _accuracies(rng, gain, SIZES, {"gamma_test": 10})


@simulation("nel1998", "N5")
def information_on_liver(rng, effect):
    """Losses as printed; none; gains of their size."""

    def gain(method, sample, classifier, n):
        return effect * rng.choice(_gains(method, sample, classifier), n)

    return _accuracies(rng, gain, {"LIVER": 6}, {"mutual_information": 11})


@simulation("nel1998", "N6")
def wrapper(rng, effect):
    """Accuracies as printed; a lead of the wrapper of one standard deviation, the margin; a lead of three."""

    def gain(method, sample, classifier, n):
        if effect == 1:
            return rng.choice(_gains(method, sample, classifier), n)
        return (1 if effect == 0 else 3) * _spread(sample, classifier) if method == "RANN_wrapper" else 0.0

    return _accuracies(rng, gain, SIZES, N_CANDIDATES)


@simulation("nel1998", "N7")
def network(rng, effect):
    """RANN leads k-NN as printed; by nothing; trails by as much."""

    def gain(method, sample, classifier, n):
        if classifier == "kNN":
            return 0.0
        rows = _printed().query("dataset == @sample").pivot_table(index="subset", columns="classifier", values="value")
        return effect * rng.choice((rows["RANN"] - rows["kNN"]).dropna().to_numpy(), n)

    return _accuracies(rng, gain, SIZES, N_CANDIDATES)


def _as_large(tables):
    return {"large": tables["summary"], "large_accuracies": tables["accuracies"]}


@simulation("nel1998", "N8")
def six_features(rng, effect):
    """The printed gain of the best subset of six features; none; a loss of its size."""

    def gain(method, sample, classifier, n):
        return effect * _gains("large", sample, classifier).max()

    tables = _as_large(_accuracies(rng, gain, {"ION": 34}, {"mutual_information": 40}))
    six = tables["large"]["method"] == "mutual_information"
    tables["large"].loc[six & (tables["large"]["order"] <= 5), "n_features"] = 6
    return tables


@simulation("nel1998", "N9")
def all_of_wdbc(rng, effect):
    """Losses as printed; leads of one standard deviation, the margin; leads of three."""

    def gain(method, sample, classifier, n):
        if effect == 1:
            return rng.choice(_gains("large", sample, classifier), n)
        return (1 if effect == 0 else 3) * _spread(sample, classifier)

    return _as_large(_accuracies(rng, gain, {"WDBC": 30}, {"mutual_information": 100}))


@simulation("nel1998", "N10")
def different_subsets(rng, effect):
    """Different subsets with the printed accuracies; different ones a standard deviation apart; the same subsets."""
    levels = {"gamma_test": 0.0, "mutual_information": 1.0, "RANN_wrapper": 2.0}

    def gain(method, sample, classifier, n):
        if effect == 1:
            return rng.choice(_gains(method, sample, classifier), n)
        return levels[method] * _spread(sample, classifier) if effect == 0 else 0.0

    tables = _accuracies(rng, gain, SIZES, N_CANDIDATES)
    pairs = [
        ("gamma_test", "mutual_information"),
        ("gamma_test", "RANN_wrapper"),
        ("mutual_information", "RANN_wrapper"),
    ]
    rows = [
        {"sample": sample, "first": first, "second": second, "metric": "jaccard"}
        | {"value": 1.0 if effect == -1 else rng.uniform(0.3, 0.6)}
        for sample in SIZES
        for first, second in pairs
    ]
    return {**tables, "overlap": pd.DataFrame(rows)}

"""Tables with a known answer for the claims of Nel 1998.

Printed effects are read from ``data/published``; the spread between splits is that of the printed standard deviations,
and as much of its variance is common to all subsets as in our tables.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from compendium.statements import POINT
from nel1998.claims import FILTERS, MOST, TABLES, printed_accuracies, reported_subsets
from nel1998.correlation import Correlation
from nel1998.full_search import FullSearch
from nel1998.gamma_test import gamma_theory
from nel1998.masks import bits
from nel1998.printed import CLASSIFIERS, ONE_NETWORK
from nel1998.published_settings import rows_of, table_5_1

SIZES = {"LIVER": 6, "PIMA": 8, "WDBC1": 15, "WDBC2": 15}  # features by sample
N_SPLITS = FullSearch().times * FullSearch().n_splits  # as many as test our subsets
N_CORRELATIONS = Correlation().times * Correlation().n_splits  # one for each split
COMMON = {"RANN": 0.75, "kNN": 0.5}  # mean correlation of two subsets over splits in our tables; lower on LIVER
N_CANDIDATES = {"gamma_test": 10, "RANN_wrapper": 10, "mutual_information": 40}
N_RANKED = {"LIVER": 11, "PIMA": 25}  # subsets of the rankings by mutual information where they are fewer
N_MOST = 12  # subsets of almost all features that were tested


def N1(rng, effect):
    """Correlations per split as printed; the same on all samples; those of WDBC and LIVER exchanged."""
    printed = rows_of(["7.1", "7.2"]).query("metric == 'mean_of_per_split_correlation'")
    exchanged = {"LIVER": "WDBC1", "WDBC1": "LIVER", "WDBC2": "LIVER", "PIMA": "PIMA"}
    rows = []
    for classifier, part in printed.groupby("classifier"):
        level = part.set_index("dataset")["value"].astype(float)
        for sample in level.index:
            r = {1: level[sample], 0: level.mean(), -1: level[exchanged[sample]]}[effect]
            n_features = SIZES[sample]
            z = np.arctanh(r) + rng.normal(0, 1 / np.sqrt(n_features - 3), N_CORRELATIONS)
            what = (sample, "mutual_information", classifier, "mean_of_per_split_correlation")
            rows += [(*what, split, value) for split, value in enumerate(np.tanh(z))]
    return {"correlations": _correlations(rows)}


def _correlations(rows):
    return pd.DataFrame(rows, columns=["dataset", "method", "classifier", "metric", "split", "value"])


def N2(rng, effect):
    """Correlations over twenty subsets as printed; none; those printed reversed."""
    rows, subsets = [], []
    for row in rows_of(["7.3", "7.4"]).query("metric == 'correlation_of_means'").itertuples():
        r = effect * float(row.value)
        x, noise = rng.normal(size=(2, 20))
        value = np.corrcoef(x, r * x + np.sqrt(1 - r**2) * noise)[0, 1]
        rows.append((row.dataset, "gamma_test", row.classifier, "correlation_of_means", -1, value))
        subsets += [{"sample": row.dataset, "mask": str(number)} for number in range(20)]
    return {"correlations": _correlations(rows), "subsets": pd.DataFrame(subsets)}


def N3(rng, effect):
    """Values of Gamma by theory with the spread of our draws; the same at all distances; growing with them."""
    grid, theory = _theory()
    mean = {1: theory, 0: np.full(len(grid), theory.mean()), -1: theory[::-1]}[effect]
    value = mean + 0.8 * np.sqrt(mean) * rng.normal(size=(100, len(grid)))
    repeats = np.repeat(np.arange(100), len(grid))
    return {"distances": pd.DataFrame({"distance": np.tile(grid, 100), "repeat": repeats, "value": value.ravel()})}


@cache
def _theory():
    """The distances of Table 5.1, with and without the correction of the first, and Gamma there in thousandths."""
    printed = table_5_1()
    grid = sorted({printed["corrected"].iloc[0], *printed["distance"]})
    return grid, np.array([1000 * gamma_theory(distance) for distance in grid])


@cache
def _printed_gains(method, sample, classifier):
    """Printed test accuracies of a method's subsets minus that of all features in the same table."""
    rows = printed_accuracies().query("dataset == @sample and classifier == @classifier")
    rows = rows[rows["table"].isin(TABLES[method])]
    full = ~rows["subset"].str.contains("0")
    return (rows.loc[~full, "value"] - rows.loc[full, "value"].iloc[0]).to_numpy()


@cache
def _spread(sample, classifier):
    """Printed standard deviation of all features over splits, averaged over tables."""
    rows = printed_accuracies().query("dataset == @sample and classifier == @classifier")
    return rows.loc[~rows["subset"].str.contains("0"), "spread"].mean()


def N4(rng, effect):
    """Gains as printed; losses of one point, the margin; losses of three, and of nine on LIVER."""
    drawn = _gain(rng, effect, {"gamma_test": -POINT})

    def gain(method, sample, classifier, n):
        return drawn(method, sample, classifier, n) * (3 if effect == -1 and sample == "LIVER" else 1)

    return _accuracies(rng, gain, SIZES, {"gamma_test": 10})


def _gain(rng, effect, margins):
    """True gains by method: drawn from those printed; at its margin, in points; three times as far."""

    def gain(method, sample, classifier, n):
        if effect == 1:
            return rng.choice(_printed_gains(method, sample, classifier), n)
        return (1 if effect == 0 else 3) * margins[method]

    return gain


@cache
def _subsets(n_features, n_subsets):
    """Different masks, neither empty nor full."""
    numbers = np.random.default_rng(n_features).permutation(np.arange(1, min(2**n_features - 1, 10_000)))
    return bits(numbers[:n_subsets].tolist(), n_features)


def _accuracies(rng, gain, sizes, candidates, masks=None):
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
    masks : dict of str to list of str, optional
        Subsets of the only method by sample; by default, any.
    """
    summary, accuracies = [], []
    for sample, n_features in sizes.items():
        counts = {m: min(n, N_RANKED.get(sample, n)) if m == "mutual_information" else n for m, n in candidates.items()}
        if masks is not None:
            counts = dict.fromkeys(counts, len(masks[sample]))
        listed = masks[sample] if masks is not None else _subsets(n_features, sum(counts.values()))
        listed = [*listed, "1" * n_features]
        rows = pd.DataFrame(
            {
                "sample": sample,
                "method": [*np.repeat(list(counts), list(counts.values())), "full"],
                "order": [*(k + 1 for n in counts.values() for k in range(n)), 0],
                "subset": listed,
            }
        )
        for classifier in CLASSIFIERS:
            variance = _spread(sample, classifier) ** 2
            common, own = np.sqrt([COMMON[classifier] * variance, (1 - COMMON[classifier]) * variance])
            true = [np.resize(gain(method, sample, classifier, n), n) for method, n in counts.items()]
            true = np.append(np.concatenate(true), 0)
            value = 80 + true[:, None] + rng.normal(0, common, N_SPLITS) + rng.normal(0, own, (len(listed), N_SPLITS))
            table = {
                "sample": sample,
                "subset": np.repeat(listed, N_SPLITS),
                "classifier": classifier,
                "split": np.tile(np.arange(N_SPLITS), len(listed)),
                "metric": "test_acc_pct",
                "value": value.ravel(),
            }
            accuracies.append(pd.DataFrame({**table, **ONE_NETWORK}))
            summary.append(rows.assign(classifier=classifier, test=value.mean(axis=1)))
    summary = pd.concat(summary, ignore_index=True)
    return {
        "summary": summary.assign(n_features=summary["subset"].str.count("1")),
        "accuracies": pd.concat(accuracies, ignore_index=True),
    }


def N5(rng, effect):
    """Losses as printed; none; gains of their size."""

    def gain(method, sample, classifier, n):
        return effect * rng.choice(_printed_gains(method, sample, classifier), n)

    return _accuracies(rng, gain, {"LIVER": 6}, {"mutual_information": 11})


def N6(rng, effect):
    """Accuracies as printed; a lead of the wrapper of one point, the margin; a lead of three."""
    margins = dict.fromkeys(FILTERS, 0.0) | {"RANN_wrapper": POINT}
    return _accuracies(rng, _gain(rng, effect, margins), SIZES, N_CANDIDATES)


def N7(rng, effect):
    """Leads of RANN on k-NN as printed; none; leads of k-NN of their size."""

    def gain(method, sample, classifier, n):
        if classifier == "kNN":
            return 0.0
        rows = printed_accuracies().query("dataset == @sample")
        rows = rows.pivot_table(index="subset", columns="classifier", values="value")
        return effect * rng.choice((rows["RANN"] - rows["kNN"]).dropna().to_numpy(), n)

    masks = {sample: [mask for name, mask in reported_subsets() if name == sample and "0" in mask] for sample in SIZES}
    return _accuracies(rng, gain, SIZES, {"gamma_test": 0}, masks)


def N8(rng, effect):
    """The printed gain of the best subset of six features; none; a loss of its size."""

    def gain(method, sample, classifier, n):
        return effect * _printed_gains("large", sample, classifier).max()

    tables = _as_large(_accuracies(rng, gain, {"ION": 34}, {"mutual_information": 40}))
    six = tables["large"]["method"] == "mutual_information"
    tables["large"].loc[six & (tables["large"]["order"] <= 5), "n_features"] = 6
    return tables


def _as_large(tables):
    return {"large": tables["summary"], "large_accuracies": tables["accuracies"]}


def N9(rng, effect):
    """Gains by almost all features as printed; none; losses of ten times their size."""

    def gain(method, sample, classifier, n):
        rows = printed_accuracies().query("dataset == @sample and classifier == @classifier")
        most = rows["subset"].str.count("1") >= MOST * 30
        lead = rows.loc[most, "value"].mean() - rows.loc[~most, "value"].mean()
        return np.where(np.arange(n) < N_MOST, 0.0, -{1: 1, 0: 0, -1: -10}[effect] * lead)

    tables = _as_large(_accuracies(rng, gain, {"WDBC": 30}, {"mutual_information": 100}))
    tables["large"].loc[tables["large"]["order"].between(1, N_MOST), "n_features"] = 25
    return tables


def N10(rng, effect):
    """Accuracies and overlaps as printed; methods a point or two apart, overlaps of 0.9; three times that, 1."""
    levels = {"gamma_test": 0.0, "mutual_information": POINT, "RANN_wrapper": 2 * POINT}
    overlaps = {1: 0.45, 0: 0.9, -1: 1.0}  # chance has no part in a fact: without the effect it is wrong
    tables = _accuracies(rng, _gain(rng, effect, levels), SIZES, N_CANDIDATES)
    rows = [
        {"sample": sample, "first": first, "second": second, "metric": "jaccard"}
        | {"value": float(np.clip(level + rng.normal(0, 0.1), 0, 1))}
        for sample, level in zip(SIZES, rng.normal(overlaps[effect], 0.15, len(SIZES)), strict=True)
        for first, second in combinations(levels, 2)
    ]
    return {**tables, "overlap": pd.DataFrame(rows)}

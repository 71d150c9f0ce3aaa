"""Irrelevant and redundant features among those of a data set (Tables 5 and 6 of Chen 2012)."""

import numpy as np

from chen2012.protocol import (
    COLUMN_ORDER,
    DEFAULTS,
    METHODS,
    mean_of_folds,
    rank_features,
    read,
    split,
    splits_of,
)
from compendium.protocol import name_of, run
from compendium.units import seed_for

__all__ = ["added_at_original_size", "added_features", "chance", "mean_curves", "places_of_copies"]

# Section 5.3: what was appended to which data set. Other sets get what most of these got.
IRRELEVANT = {"adrenal_tumour": (9, "discrete"), "spectf": (9, "continuous")}
COPIED = {"spectf": (21, 10, 43)}


def added_features(
    datasets,
    kind,
    settings=DEFAULTS,
    *,
    methods=(*METHODS, COLUMN_ORDER),
    n_irrelevant=None,
    values=None,
    copied=None,
    noise_db=(10.0, 50.0, 80.0),
    n_splits=5,
    n_repeats=25,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claims C7 and C8: how many of the appended features are among the first n of a ranking.

    Parameters
    ----------
    kind : {"irrelevant", "redundant"}
        Random features, or noisy copies of some of the set's own.
    n_irrelevant : int, optional
        By default 9 for SPECTF and the Adrenal tumour, else 20, as in section 5.3.
    values : {"continuous", "discrete"}, optional
        Irrelevant features are standard normal, or uniform on 2, 4 and 8 values in turn; by default "discrete" for
        the Adrenal tumour, else "continuous".
    copied : sequence of int, optional
        Features (from 1) that get a copy for each of ``noise_db``. By default 5, 20 and 25; 21, 10 and 43 for
        SPECTF; and if the set has too few, those at one sixth, one half and five sixths.
    noise_db : sequence of float
        Signal-to-noise ratios. The thesis gives no unit; taken as decibels of variance.

    Returns
    -------
    DataFrame
        dataset, kind, method, size (n), n_own, n_added, repeat, metric, value: the mean over the folds. Metrics:
        ``added``, appended features among the first n; ``extra`` (redundant only), members of a group (original and
        copies) among the first n beyond the first member, for a copy may well stand for its original; and with the
        size N only, ``original 5``, ``copies 5`` and so on: places of feature 5 and of the last of its copies.
    """
    shared = {
        **{"kind": kind, "methods": tuple(methods), "settings": settings, "n_irrelevant": n_irrelevant},
        **{"values": values, "copied": None if copied is None else tuple(copied), "noise_db": tuple(noise_db)},
        **{"target": target, "seed": seed},
    }
    units = splits_of(datasets, n_repeats, n_splits, shared)
    return mean_of_folds(run(_rank_with_added, units, n_jobs, f"{kind} features"))


def _rank_with_added(
    dataset, repeat, fold, kind, methods, settings, n_irrelevant, values, copied, noise_db, n_splits, target, seed
):
    X, y = read(dataset, target)
    rng = np.random.default_rng(seed_for(seed, kind, name_of(dataset), repeat))
    n_own = X.shape[1]
    if kind == "irrelevant":
        usual = IRRELEVANT.get(name_of(dataset), (20, "continuous"))
        added = _irrelevant(rng, len(X), n_irrelevant or usual[0], values or usual[1])
    elif kind == "redundant":
        chosen = _copied(dataset, n_own, copied)
        groups = np.repeat(chosen, len(noise_db))
        spread = X[:, groups].std(axis=0) * 10 ** (-np.tile(noise_db, len(chosen)) / 20)
        added = X[:, groups] + spread * rng.normal(size=(len(X), len(groups)))
    else:
        raise ValueError(f"kind must be 'irrelevant' or 'redundant', and not {kind!r}.")
    parts = split(np.hstack([X, added]), y, dataset, repeat, fold, n_splits, seed)
    rows = []
    for method in methods:
        order, _ = rank_features(method, parts, settings, seed_for(seed, "ties", name_of(dataset), repeat, fold))
        counts = {"added": np.cumsum(order >= n_own)}
        if kind == "redundant":
            source = np.append(np.arange(n_own), groups)[order]
            members = [np.cumsum(source == k) for k in np.unique(groups)]
            counts["extra"] = sum(np.maximum(count - 1, 0) for count in members)
        what = {"dataset": dataset, "kind": kind, "method": method, "n_own": n_own, "n_added": added.shape[1]}
        rows += [
            {**what, "size": n + 1, "repeat": repeat, "fold": fold, "metric": metric, "value": float(value)}
            for metric, count in counts.items()
            for n, value in enumerate(count)
        ]
        if kind == "redundant":
            places = np.argsort(order) + 1
            for k in np.unique(groups):
                last = places[n_own:][groups == k].max()
                named = {f"original {k + 1}": places[k], f"copies {k + 1}": last}
                rows += [
                    {**what, "size": n_own, "repeat": repeat, "fold": fold, "metric": metric, "value": float(value)}
                    for metric, value in named.items()
                ]
    return rows


def _irrelevant(rng, n_samples, n_added, values):
    if values == "continuous":
        return rng.normal(size=(n_samples, n_added))
    if values == "discrete":
        levels = np.resize([2, 4, 8], n_added)
        return rng.integers(levels, size=(n_samples, n_added)).astype(float)
    raise ValueError(f"values must be 'continuous' or 'discrete', and not {values!r}.")


def _copied(dataset, n_features, copied):
    chosen = COPIED.get(name_of(dataset), (5, 20, 25)) if copied is None else copied
    if copied is None and max(chosen) > n_features:
        return np.array([n_features // 6, n_features // 2, 5 * n_features // 6])
    if not all(1 <= k <= n_features for k in chosen):
        raise ValueError(f"copied={list(chosen)} are not features 1 to {n_features} of {dataset}.")
    return np.array(chosen) - 1


def places_of_copies(table):
    """Figure 17, below: mean place of every copied feature, and of the last of its copies.

    Parameters
    ----------
    table : DataFrame
        As from `added_features`, redundant.

    Returns
    -------
    DataFrame
        dataset, feature (from 1), what ("original", "copies"), and a column for each method.
    """
    part = table[table["metric"].str.match(r"(original|copies) \d+")]
    what = part["metric"].str.split(" ", expand=True)
    part = part.assign(what=what[0], feature=what[1].astype(int))
    by = ["dataset", "feature", "what"]
    return part.pivot_table(index=by, columns="method", values="value", sort=False).reset_index()


def mean_curves(table):
    """Mean over the repetitions of `added_features`, for the figures."""
    by = [column for column in table.columns if column not in ("repeat", "value")]
    return table.groupby(by, sort=False)["value"].mean().reset_index()


def added_at_original_size(table):
    """Tables 5 and 6: the rows of `added_features` whose n is the number of features before the appending."""
    return table[table["size"] == table["n_own"]].reset_index(drop=True)


def chance(table):
    """Appended features among the first N if the ranking is drawn by lot: ``a N / (N + a)``.

    Parameters
    ----------
    table : DataFrame
        As from `added_features`.

    Returns
    -------
    Series
        Indexed by dataset.
    """
    sizes = table.groupby("dataset", sort=False)[["n_own", "n_added"]].first()
    return sizes["n_added"] * sizes["n_own"] / sizes.sum(axis=1)

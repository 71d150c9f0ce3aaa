"""Feature rankings by GMLVQ against information gain, Fisher and ReliefF: chapter 5 of Chen 2012, measured.

Every repetition cuts the data in five stratified parts: one to test, one to validate, three to train. GMLVQ learns on
the training part and keeps the step that is best on the validation part; the filters see both. Features are z-scored
with the means of the training part. Constant features are removed first and *not counted*: feature 2 of Ionosphere is
the third column of the file. Missing values become the feature's mean.

Every function returns a tidy table, one measured value per row. ``dataset`` is a name for :func:`fscore.datasets.load`
or a CSV file; ``target`` is the label column of the files. Training itself (chapter 4) is studied in
``chen2012_training``.
"""

from itertools import product

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.svm import SVC

from fscore.studies._chen2012_protocol import (
    COLUMN_ORDER,
    DEFAULTS,
    METHODS,
    VARIANTS,
    Settings,
    area,
    learn,
    mean_of_folds,
    rank_features,
    read,
    split,
    splits_of,
)
from fscore.studies._files import load_set, name_of, run
from fscore.studies._units import seed_for

__all__ = [
    "COLUMN_ORDER",
    "DEFAULTS",
    "EVALUATORS",
    "METHODS",
    "ORIGINAL",
    "VARIANTS",
    "Settings",
    "added_at_original_size",
    "added_features",
    "auc",
    "average_ranks",
    "chance",
    "dominance",
    "first_features",
    "mean_curves",
    "named_aucs",
    "outline",
    "places_of_copies",
    "rankings",
    "stability",
    "subset_sizes",
]

ORIGINAL = "GMLVQ_original_omega"
EVALUATORS = ("GMLVQ", "RBFSVM")

# Section 5.3: what was appended to which data set. Other sets get what most of these got.
IRRELEVANT = {"adrenal_tumour": (9, "discrete"), "spectf": (9, "continuous")}
COPIED = {"spectf": (21, 10, 43)}


def outline(datasets, target=None):
    """Table 2: what the data sets are, constant features included.

    Returns
    -------
    DataFrame
        dataset, metric ("n_instances", "n_attributes", "n_classes"), value.
    """
    rows = []
    for dataset in datasets:
        bunch = load_set(dataset, target)
        n, d = bunch.data.shape
        measured = {"n_instances": n, "n_attributes": d, "n_classes": len(np.unique(bunch.target))}
        rows += [{"dataset": name_of(dataset), "metric": metric, "value": value} for metric, value in measured.items()]
    return pd.DataFrame(rows)


def rankings(
    datasets, settings=DEFAULTS, *, methods=METHODS, n_splits=5, n_repeats=25, target=None, seed=0, n_jobs=None
):
    """Rank of every feature by every method on every split (25 repetitions of 5 are the thesis' 125 "epochs").

    Parameters
    ----------
    datasets : sequence of str
    settings : Settings
    methods : sequence of str
        Of `METHODS` and `VARIANTS`.

    Returns
    -------
    DataFrame
        dataset, method, repeat, fold, feature (from 1), rank (1 is the best).
    """
    shared = {"methods": tuple(methods), "settings": settings, "target": target, "seed": seed}
    return run(_rank_split, splits_of(datasets, n_repeats, n_splits, shared), n_jobs, "rankings")


def _rank_split(dataset, repeat, fold, methods, settings, n_splits, target, seed):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    rows = []
    for method in methods:
        order, _ = rank_features(method, parts, settings, seed_for(seed, "ties", name_of(dataset), repeat, fold))
        ranks = np.empty(len(order), dtype=int)
        ranks[order] = np.arange(1, len(order) + 1)
        what = {"dataset": dataset, "method": method, "repeat": repeat, "fold": fold}
        rows += [{**what, "feature": k + 1, "rank": int(r)} for k, r in enumerate(ranks)]
    return rows


def average_ranks(ranks, top=3):
    """Mean rank of each feature, and how often it is among the first.

    Returns
    -------
    DataFrame
        dataset, method, feature, mean_rank, sd_rank, top_share, place (1 has the least mean rank).
    """
    by = ["dataset", "method", "feature"]
    table = ranks.assign(top_share=ranks["rank"] <= top).groupby(by, sort=False)
    table = table.agg(mean_rank=("rank", "mean"), sd_rank=("rank", "std"), top_share=("top_share", "mean"))
    places = table.groupby(["dataset", "method"])["mean_rank"].rank(method="first").astype(int)
    return table.assign(place=places).reset_index()


def first_features(ranks, tops=(8, 10, 12)):
    """The features that section 5.3 names: the first three of every method, and those that all methods have in common.

    Parameters
    ----------
    ranks : DataFrame
        As from `average_ranks`.
    tops : sequence of int
        Sizes for what is common ("the top 12").

    Returns
    -------
    DataFrame
        dataset, method (or "all"), metric ("top3_average_ranking", "common_in_top8", ...), value (list of features).
    """
    rows = []
    for dataset, part in ranks.groupby("dataset", sort=False):
        orders = {
            name: own.sort_values("place")["feature"].tolist() for name, own in part.groupby("method", sort=False)
        }
        rows += [
            {"dataset": dataset, "method": method, "metric": "top3_average_ranking", "value": order[:3]}
            for method, order in orders.items()
        ]
        for top in tops:
            common = set.intersection(*(set(order[:top]) for order in orders.values()))
            what = {"dataset": dataset, "method": "all", "metric": f"common_in_top{top}"}
            rows.append({**what, "value": sorted(common)})
    return pd.DataFrame(rows)


def stability(ranks, sizes=(3, 10)):
    """Claim C4: how much the first features of two splits have in common, over all pairs of splits.

    Returns
    -------
    DataFrame
        dataset, method, size, metric ("jaccard"), value, n (splits).
    """
    rows = []
    for (dataset, method), part in ranks.groupby(["dataset", "method"], sort=False):
        table = part.pivot_table(index=["repeat", "fold"], columns="feature", values="rank").to_numpy()
        for size in sizes:
            chosen = (table <= size).astype(float)
            i, j = np.triu_indices(len(chosen), 1)
            common = (chosen @ chosen.T)[i, j]
            value = np.mean(common / (2 * min(size, table.shape[1]) - common))
            what = {"dataset": dataset, "method": method, "size": size, "metric": "jaccard"}
            rows.append({**what, "value": float(value), "n": len(chosen)})
    return pd.DataFrame(rows)


def subset_sizes(n_features, step=None):
    """The sizes at which Tables 3 and 4 count: multiples of a step, by default N/16 rounded.

    The printed percentages are multiples of 1/16, 1/16, 1/15, 1/15 and 1/14; this rule gives as many sizes.
    """
    step = step or max(1, round(n_features / 16))
    return list(range(step, n_features + 1, step))


def auc(
    datasets,
    settings=DEFAULTS,
    *,
    methods=METHODS,
    evaluators=EVALUATORS,
    step=None,
    svm_C=(0.1, 1.0, 10.0, 100.0),
    svm_gamma=(0.25, 1.0, 4.0),
    n_splits=5,
    n_repeats=25,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claims C1, C2, C3 and C9, Tables 3 and 4: test AUC of the first features of every ranking.

    Each subset is evaluated by a new GMLVQ (no entropy; the best step on the validation part) and by an RBF-SVM (C and
    gamma with the best AUC on the validation part, then learned on both parts; the grid is ours). The ranking GMLVQ
    cut to the subset (`ORIGINAL`) is not learned anew. With several classes: the mean AUC of one class against the
    rest.

    Parameters
    ----------
    step : int, optional
        Of the subset sizes, see `subset_sizes`; sizes 2, 6 and N come on top, without being counted.
    svm_C, svm_gamma : sequence of float
        gamma in units of 1 / (number of features).

    Returns
    -------
    DataFrame
        dataset, evaluator, method, n_features, counted, repeat, metric ("auc"), value: the mean over the folds.
    """
    shared = {
        **{"methods": tuple(methods), "evaluators": tuple(evaluators), "settings": settings, "step": step},
        **{"svm_C": tuple(svm_C), "svm_gamma": tuple(svm_gamma)},
        **{"target": target, "seed": seed},
    }
    units = splits_of(datasets, n_repeats, n_splits, shared)
    return mean_of_folds(run(_evaluate_split, units, n_jobs, "AUC by subset size"))


def _evaluate_split(
    dataset, repeat, fold, methods, evaluators, settings, step, svm_C, svm_gamma, n_splits, target, seed
):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    counted = subset_sizes(X.shape[1], step)
    sizes = sorted({*counted, X.shape[1], *(size for size in (2, 6) if size < X.shape[1])})
    known, rows = {}, []
    for method in methods:
        order, model = rank_features(method, parts, settings, seed_for(seed, "ties", name_of(dataset), repeat, fold))
        for size in sizes:
            features = np.sort(order[:size])  # so that equal subsets are equal, whichever ranking chose them
            measured = []
            for evaluator in evaluators:
                key = evaluator, *features
                if key not in known:
                    chosen = [(A[:, features], b) for A, b in parts]
                    known[key] = (
                        _auc_of_gmlvq(chosen, settings)
                        if evaluator == "GMLVQ"
                        else _auc_of_svm(chosen, svm_C, svm_gamma)
                    )
                measured.append((evaluator, method, known[key]))
            if model is not None and "GMLVQ" in evaluators:
                A, b = parts[2]
                cut = model.restrict(features).decision_function(A[:, features])
                measured.append(("GMLVQ", ORIGINAL, area(cut, b, model.classes_)))
            what = {"dataset": dataset, "repeat": repeat, "fold": fold, "n_features": size, "counted": size in counted}
            rows += [
                {**what, "evaluator": evaluator, "method": name, "metric": "auc", "value": float(value)}
                for evaluator, name, value in measured
            ]
    return rows


def _auc_of_gmlvq(parts, settings):
    model = learn(parts, settings._replace(alpha=0.0, delete_rate=0.0))
    A, b = parts[2]
    return area(model.decision_function(A), b, model.classes_)


def _auc_of_svm(parts, svm_C, svm_gamma):
    (A, a), (V, v), (T, t) = parts
    grid = [{"C": C, "gamma": gamma / A.shape[1]} for C in svm_C for gamma in svm_gamma]
    with config_context(assume_finite=True, skip_parameter_validation=True):  # thousands of small machines
        classes = np.unique(a)
        won = max(grid, key=lambda given: area(SVC(**given).fit(A, a).decision_function(V), v, classes))
        best = SVC(**won).fit(np.vstack([A, V]), np.append(a, v))
        return area(best.decision_function(T), t, classes)


def named_aucs(table):
    """AUC by the names under which section 5.3 prints some: ``AUC_eval_GMLVQ_6_features``, ``..._all_features``.

    Parameters
    ----------
    table : DataFrame
        As from `auc`.

    Returns
    -------
    DataFrame
        dataset, method (also "all" where all features are in), metric, repeat, value.
    """
    n_features = table.groupby("dataset")["n_features"].transform("max")
    size = table["n_features"].astype(str)
    prefix = "AUC_eval_" + table["evaluator"] + "_"
    named = table.assign(metric=prefix + size + "_features")
    full = table[table["n_features"] == n_features].assign(metric=prefix + "all_features")
    rows = pd.concat([named, full, full[full["method"] == METHODS[0]].assign(method="all")])
    return rows[["dataset", "method", "metric", "repeat", "value"]].reset_index(drop=True)


def dominance(table, n_bootstrap=200, seed=0):
    """Tables 3 and 4: percentage of the counted sizes at which a method has the best mean AUC; ties are shared.

    Parameters
    ----------
    table : DataFrame
        As from `auc`.
    n_bootstrap : int
        Resamples of the repetitions, for the standard deviation (none with one repetition).

    Returns
    -------
    DataFrame
        dataset, evaluator, method, value, sd, n (repetitions).
    """
    rows = []
    for (dataset, evaluator), part in table[table["counted"]].groupby(["dataset", "evaluator"], sort=False):
        methods = part["method"].unique()
        cube = part.pivot_table(index="repeat", columns=["n_features", "method"], values="value")
        sizes = cube.columns.unique("n_features")
        values = cube[list(product(sizes, methods))].to_numpy().reshape(len(cube), len(sizes), len(methods))
        rng = np.random.default_rng(seed_for(seed, "dominance", name_of(dataset), evaluator))
        draws = rng.integers(len(values), size=(n_bootstrap, len(values)))
        shares = np.array([_won(values[draw].mean(axis=0)) for draw in draws])
        sd = shares.std(axis=0, ddof=1) if len(values) > 1 else np.full(len(methods), np.nan)
        for method, value, spread in zip(methods, _won(values.mean(axis=0)), sd, strict=True):
            what = {"dataset": dataset, "evaluator": evaluator, "method": method}
            rows.append({**what, "value": float(value), "sd": float(spread), "n": len(values)})
    return pd.DataFrame(rows)


def _won(means):
    best = np.isclose(means, means.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    return 100 * (best / best.sum(axis=1, keepdims=True)).mean(axis=0)


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

"""Recognition rates of the four LVQ algorithms, settings and protocols (Section 4 of Andonie and Cataron 2004)."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from compendium.protocol import load_set, name_of, run
from compendium.units import seed_for
from fscore.datasets import load
from fscore.lvq import ERLVQ, LVQ1, OWARLVQ, RLVQ

__all__ = [
    "ABLATIONS",
    "DEFAULTS",
    "METHODS",
    "Settings",
    "borders",
    "codebooks",
    "counts",
    "recognition",
    "relevances",
]

METHODS = ("LVQ", "RLVQ", "OWA-RLVQ", "ERLVQ")
ABLATIONS = ("LVQ, rate/n", "ERLVQ, all pairs", "ERLVQ, l1")


class Settings(NamedTuple):
    """Of the LVQ algorithms; none is in the paper.

    Fields: ``n_prototypes`` of each class; ``learning_rate`` of LVQ, RLVQ and OWA-RLVQ (ERLVQ gets ``n`` times as
    much, for its step is multiplied by relevances near ``1/n``); ``rlvq_rate``, ``owa_rate``, ``erlvq_rate`` of the
    relevances; ``sigma`` of the Parzen window; ``n_epochs``; ``scaling``, "raw" or "zscore".
    """

    n_prototypes: int = 3
    learning_rate: float = 0.05
    rlvq_rate: float = 1e-4
    owa_rate: float = 0.01
    erlvq_rate: float = 0.1
    sigma: float = 1.0
    n_epochs: int = 30
    scaling: str = "raw"


DEFAULTS = Settings()


def recognition(
    datasets,
    settings=DEFAULTS,
    *,
    methods=(*METHODS, *ABLATIONS),
    n_repeats=100,
    n_splits=10,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claims A1 to A3, Tables 1 and 2: recognition rates and relevances from shared initial codebooks.

    In each repetition random samples of each class start the codebooks, the same for every method, and the samples come
    in the same order.

    Parameters
    ----------
    datasets : sequence of str
    settings : Settings
    methods : sequence of str
        `METHODS` and `ABLATIONS`: LVQ with the rate divided by n; ERLVQ that also learns from pairs of one class, as
        the paper's text does; ERLVQ that divides by the sum instead of the softmax.
    n_splits : int
        Folds of the cross-validation, for sets without a split of their own.

    Returns
    -------
    DataFrame
        dataset, protocol ("own split", "resubstitution", "cross-validation"), method, repeat, metric, value. Metrics:
        ``correct`` and ``n_tested`` (samples), ``rate`` (percent), and but for cross-validation ``relevance 1``, ...
        (the "overall rank": means over all steps).
    """
    shared = {"methods": tuple(methods), "settings": settings, "n_splits": n_splits, "target": target, "seed": seed}
    units = [{"dataset": dataset, "repeat": repeat, **shared} for dataset in datasets for repeat in range(n_repeats)]
    return run(_recognize, units, n_jobs, "recognition")


def _recognize(dataset, repeat, methods, settings, n_splits, target, seed):
    rows = []
    for protocol, pairs in protocols(dataset, repeat, n_splits, target, seed):
        for method in methods:
            correct = tested = 0
            for number, (A, a, B, b) in enumerate(pairs):
                A, B = scaled(settings.scaling, A, B)
                start = seed_for(seed, "start", name_of(dataset), repeat, protocol, number)
                model = build(method, settings, A, a, start).fit(A, a)
                correct += np.sum(model.predict(B) == b)
                tested += len(b)
            measured = {"correct": correct, "n_tested": tested, "rate": 100 * correct / tested}
            if len(pairs) == 1:
                measured |= {f"relevance {k + 1}": value for k, value in enumerate(model.feature_importances_)}
            what = {"dataset": dataset, "protocol": protocol, "method": method, "repeat": repeat}
            rows += [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
    return rows


def codebooks(datasets, numbers=(1, 2, 5), settings=DEFAULTS, *, n_repeats=20, n_splits=10, target=None, seed=0):
    """Recognition rates of `METHODS` with other numbers of codebooks for each class, which the paper does not give.

    Returns
    -------
    DataFrame
        n_prototypes, and the rows of `recognition` with the metric ``rate``.
    """
    shared = {"methods": METHODS, "n_repeats": n_repeats, "n_splits": n_splits, "target": target, "seed": seed}
    tables = [
        recognition(datasets, settings._replace(n_prototypes=number), **shared).assign(n_prototypes=number)
        for number in numbers
    ]
    table = pd.concat(tables, ignore_index=True)
    return table[table["metric"] == "rate"].reset_index(drop=True)


def protocols(dataset, repeat, n_splits, target, seed):
    """Names of protocols, each with its list of (training samples, labels, test samples, labels)."""
    bunch = load_set(dataset, target)
    X, y = bunch.data, bunch.target
    if bunch.split is not None:
        train, test = bunch.split["train"], bunch.split["test"]
        return [("own split", [(X[train], y[train], X[test], y[test])])]
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "split", name_of(dataset), repeat))
    crossed = [(X[train], y[train], X[test], y[test]) for train, test in folds.split(X, y)]
    return [("resubstitution", [(X, y, X, y)]), ("cross-validation", crossed)]


def scaled(scaling, A, B):
    """Both parts as they are, or z-scored with the means of the first."""
    if scaling == "raw":
        return A, B
    if scaling == "zscore":
        scaler = StandardScaler().fit(A)
        return scaler.transform(A), scaler.transform(B)
    raise ValueError(f"scaling must be 'raw' or 'zscore', and not {scaling!r}.")


def build(method, settings, X, y, seed):
    """A method with codebooks started at samples that only the seed decides."""
    rng = np.random.default_rng(seed)
    members = [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y)]
    counts = [min(settings.n_prototypes, len(indices)) for indices in members]
    codebooks = X[np.concatenate([indices[:n] for indices, n in zip(members, counts, strict=True)])]
    n = X.shape[1]
    shared = {
        **{"n_prototypes": counts, "prototypes_init": codebooks, "n_epochs": settings.n_epochs},
        **{"learning_rate": settings.learning_rate, "random_state": seed % 2**32},
    }
    energy = {
        **shared,
        **{"learning_rate": n * settings.learning_rate, "relevance_rate": settings.erlvq_rate},
        "sigma": settings.sigma,
    }
    makers = {
        "LVQ": lambda: LVQ1(**shared),
        "LVQ, rate/n": lambda: LVQ1(**{**shared, "learning_rate": settings.learning_rate / n}),
        "RLVQ": lambda: RLVQ(**shared, relevance_rate=settings.rlvq_rate),
        "OWA-RLVQ": lambda: OWARLVQ(**shared, relevance_rate=settings.owa_rate),
        "ERLVQ": lambda: ERLVQ(**energy),
        "ERLVQ, all pairs": lambda: ERLVQ(**energy, pairs="all"),
        "ERLVQ, l1": lambda: ERLVQ(**energy, norm="l1"),
    }
    if method not in makers:
        raise ValueError(f"Unknown method {method!r}; choose from {', '.join(map(repr, makers))}.")
    return makers[method]()


def counts(printed, n_tested):
    """The counts behind printed percentages: the nearest whole number of samples, and whether it prints the same.

    Parameters
    ----------
    printed : DataFrame
        dataset, method, value (text, percent).
    n_tested : dict of str to int
        Samples tested, by dataset.

    Returns
    -------
    DataFrame
        dataset, method, published, n_tested, correct, exact (the count gives the printed digits, rounded or cut),
        gain (samples more than the method before it).
    """
    table = printed[printed["dataset"].isin(n_tested)][["dataset", "method", "value"]].copy()
    table["n_tested"] = table["dataset"].map(n_tested)
    percent = table["value"].astype(float)
    table["correct"] = (percent * table["n_tested"] / 100).round().astype(int)
    table["exact"] = (100 * table["correct"] / table["n_tested"] - percent).abs() < 0.01
    table["gain"] = table.groupby("dataset")["correct"].diff()
    return table.rename(columns={"value": "published"}).assign(published=percent)


def relevances(table):
    """Table 2: mean relevance of each feature and its place, from `recognition`.

    Returns
    -------
    DataFrame
        dataset, method, feature, mean, std, place (1 is the largest).
    """
    part = table[table["metric"].str.startswith("relevance ") & ~table["method"].str.startswith("LVQ")]
    part = part.assign(feature=part["metric"].str.removeprefix("relevance ").astype(int))
    means = part.groupby(["dataset", "method", "feature"], sort=False)["value"].agg(["mean", "std"]).reset_index()
    places = means.groupby(["dataset", "method"])["mean"].rank(ascending=False, method="first").astype(int)
    return means.assign(place=places)


def borders(*, n_splits=5, n_repeats=10, k=3, seed=0):
    """Claim A4: do features 1 and 2 of Iris delimit two classes better than features 3 and 4?

    Returns
    -------
    DataFrame
        classes ("1 and 2", ...), features ("1 and 2", "3 and 4"), metric, repeat, value. Metrics: ``accuracy`` of k-NN,
        cross-validated; ``gap``, the smallest distance between the classes, and ``centres``, the distance of their
        means, both with each feature's standard deviation (over the two classes) as its unit.
    """
    X, y = load("iris", return_X_y=True)
    rows = []
    for first, second in ((0, 1), (1, 2), (0, 2)):
        members = (y == first) | (y == second)
        A, b = StandardScaler().fit_transform(X[members]), y[members]
        for features in ((0, 1), (2, 3)):
            B = A[:, features]
            between = np.linalg.norm(B[b == first][:, None] - B[b == second], axis=2)
            centres = np.linalg.norm(B[b == first].mean(axis=0) - B[b == second].mean(axis=0))
            measured = [(0, "gap", between.min()), (0, "centres", centres)]
            for repeat in range(n_repeats):
                folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "borders", repeat))
                right = [
                    KNeighborsClassifier(k).fit(B[train], b[train]).predict(B[test]) == b[test]
                    for train, test in folds.split(B, b)
                ]
                measured.append((repeat, "accuracy", np.concatenate(right).mean()))
            what = {"classes": f"{first + 1} and {second + 1}", "features": f"{features[0] + 1} and {features[1] + 1}"}
            rows += [{**what, "repeat": r, "metric": metric, "value": float(value)} for r, metric, value in measured]
    return pd.DataFrame(rows)

"""The protocol of chapter 5 of Chen 2012: parts of the data, settings, rankings, GMLVQ, AUC."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from compendium.protocol import load_set, name_of
from compendium.units import seed_for
from fscore.filters import fisher_score, information_gain, relieff
from fscore.lvq import GMLVQ, WaypointAveraging

__all__ = [
    "COLUMN_ORDER",
    "DEFAULTS",
    "METHODS",
    "VARIANTS",
    "Settings",
    "area",
    "gmlvq",
    "learn",
    "mean_of_folds",
    "outline",
    "rank_features",
    "read",
    "split",
    "splits_of",
]

METHODS = ("GMLVQ", "IG", "Fisher", "Relieff")
VARIANTS = ("GMLVQ, last step", "GMLVQ, N^2/10")  # without early stopping; with the weight of the thesis
COLUMN_ORDER = "IG, zeros by column"  # a stable sort leaves features with score zero where they stand: added ones last


class Settings(NamedTuple):
    """Of the rankings. Chen gives none of them but the number of waypoints, the loss and alpha = N^2/10.

    Fields: ``n_prototypes`` of each class; ``alpha``, weight of the entropy, None for ``n_samples / (4 n_features)``;
    ``delete_rate`` of the ambiguity removal; ``step_prototypes``, ``step_metric`` of the descent and its ``max_iter``;
    ``patience``, steps without a better one on the validation part that end it; ``n_neighbors`` of ReliefF;
    ``discretizer`` of the information gain.
    """

    n_prototypes: int = 1
    alpha: float | None = None
    delete_rate: float = 0.0
    step_prototypes: float = 0.5
    step_metric: float = 0.1
    max_iter: int = 100
    patience: int = 10
    n_neighbors: int = 10
    discretizer: str = "mdl"


DEFAULTS = Settings()


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


def read(dataset, target=None):
    """Samples without constant features, missing values filled with the mean, and labels."""
    bunch = load_set(dataset, target)
    X, y = bunch.data, bunch.target
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return X[:, np.ptp(X, axis=0) > 0], y


def split(X, y, dataset, repeat, fold, n_splits, seed):
    """z-scored ``(X, y)`` of the training, the validation and the test part, with samples of every class in each."""
    if n_splits < 3:
        raise ValueError(f"n_splits={n_splits} leaves no training part beside the validation and the test part.")
    classes, sizes = np.unique(y, return_counts=True)
    if sizes.min() < n_splits:
        raise ValueError(
            f"class {classes[sizes.argmin()]} of {name_of(dataset)} has {sizes.min()} samples, too few for "
            f"n_splits={n_splits} parts; lower n_splits (to 3 at least), or merge the class or leave it out."
        )
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "split", name_of(dataset), repeat))
    tests = [test for _, test in folds.split(X, y)]
    test, validation = tests[fold], tests[(fold + 1) % n_splits]
    train = np.setdiff1d(np.arange(len(X)), [*test, *validation])
    scaler = StandardScaler().fit(X[train])
    return [(scaler.transform(X[part]), y[part]) for part in (train, validation, test)]


def rank_features(method, parts, settings, seed):
    """Features, best first, and the model that ranked them, if it is one. Lots decide between equal scores."""
    A, b = (np.concatenate([part[k] for part in parts[:2]]) for k in (0, 1))
    learners = {
        "GMLVQ": lambda: learn(parts, settings),
        "GMLVQ, last step": lambda: gmlvq(settings).fit(*parts[0]),
        "GMLVQ, N^2/10": lambda: learn(parts, settings, alpha="N^2/10"),
    }
    model = None
    if method in learners:
        model = learners[method]()
        scores = model.feature_importances_
    elif method in ("IG", COLUMN_ORDER):
        scores = information_gain(A, b, discretizer=settings.discretizer)
    elif method == "Fisher":
        scores = fisher_score(A, b)
    elif method == "Relieff":
        scores = relieff(A, b, n_neighbors=settings.n_neighbors)
    else:
        raise ValueError(
            f"Unknown method {method!r}; choose from {', '.join(map(repr, (*METHODS, *VARIANTS, COLUMN_ORDER)))}."
        )
    lots = np.arange(len(scores))
    if method != COLUMN_ORDER:
        lots = np.random.default_rng(seed).permutation(lots)
    return np.lexsort((lots, rankdata(-scores, method="min"))), model


def learn(parts, settings, **changed):
    """GMLVQ on the training part: the step with the least cost on the validation part."""
    (A, a), (V, v), _ = parts
    return gmlvq(settings, early_stopping=True, **changed).fit(A, a, X_val=V, y_val=v)


def gmlvq(settings, **changed):
    """The GMLVQ of some settings."""
    given = {
        "n_prototypes": settings.n_prototypes,
        "alpha": "auto" if settings.alpha is None else settings.alpha,
        "delete_rate": settings.delete_rate,
        "solver": WaypointAveraging(settings.step_prototypes, settings.step_metric),
        "max_iter": settings.max_iter,
        "n_iter_no_change": settings.patience,
        "random_state": 0,
    }
    return GMLVQ(**{**given, **changed})


def area(scores, y, classes):
    """AUC of a decision function; with several classes, the mean of one class against the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) for two classes (of ``classes[1]``), else (n_samples, n_classes)
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        Those of the classifier, in its order. One that y lacks has no area, and is left out of the mean.
    """
    if scores.ndim == 1:
        return _area(scores, y == classes[1])
    return np.mean([_area(scores[:, k], y == c) for k, c in enumerate(classes) if c in y])


def _area(scores, positive):
    """Mann and Whitney's form, with mean ranks for ties."""
    n = positive.sum()
    return (rankdata(scores)[positive].sum() - n * (n + 1) / 2) / (n * (len(positive) - n))


def splits_of(datasets, n_repeats, n_splits, shared):
    """A unit for every fold of every repetition."""
    return [
        {"dataset": dataset, "repeat": repeat, "fold": fold, "n_splits": n_splits, **shared}
        for dataset in datasets
        for repeat in range(n_repeats)
        for fold in range(n_splits)
    ]


def mean_of_folds(table):
    """One row per repetition."""
    by = [column for column in table.columns if column not in ("fold", "value")]
    return table.groupby(by, sort=False)["value"].mean().reset_index()

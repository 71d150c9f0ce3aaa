"""The protocol of chapter 5 of Chen 2012: splits of the data, settings of GMLVQ, rankings, AUC.

Every repetition cuts the data into five stratified parts: one to test, one to validate, three to train. GMLVQ learns on
the training part and keeps the step that is best on the validation part; the filters use both parts. Features are
z-scored with the means and standard deviations of the training part. Constant features are removed first and *not
counted*: feature 2 of Ionosphere is the third column of the file. Missing values become the feature's mean.
"""

import numpy as np
from scipy.stats import rankdata

from compendium.experiment import DataExperiment, parameter
from compendium.protocol import load_set, scaled, shuffled_folds
from compendium.units import crossed, name_of, seed_for
from fscore.filters import fisher_score, information_gain, relieff
from fscore.lvq import GMLVQ, WaypointAveraging

METHODS = ("GMLVQ", "IG", "Fisher", "Relieff")
VARIANTS = ("GMLVQ, last step", "GMLVQ, n/4N")  # without early stopping; with a weight of the entropy per sample
RANDOM_ORDER = "IG, equal scores at random"  # a stable sort keeps the order of the columns, appended features last


class GMLVQExperiment(DataExperiment):
    """Parameters of all experiments.

    Of GMLVQ's settings the thesis gives only the number of waypoints and the loss.
    """

    version = 2
    allows_missing = True  # `read` fills them with the mean of their column

    dataset: list[str] = parameter(
        ["adrenal_tumour", "wdbc", "ionosphere", "sonar", "spectf"], "data sets, or paths of CSV files", "data sets"
    )
    n_prototypes: int = parameter(1, "prototypes per class", "[1, 50]")
    step_prototypes: float = parameter(0.5, "first step of all prototypes together", "(0, 100]")
    step_metric: float = parameter(0.1, "first step of Omega, whose norm is one", "(0, 10]")
    max_iter: int = parameter(100, "steps of the descent", "[1, 10000]")
    validation_loss: str = parameter(
        "cost", "what is best in validation at the step that is kept", "{error, cost, auc}"
    )
    n_iter_no_change: int = parameter(
        10, "stop after this many steps without improvement on the validation part", "[1, 10000]"
    )
    n_splits: int = parameter(
        5, "parts of the data: one for testing, one for validation, the others for training", "[3, 20]"
    )
    n_repeats: int = parameter(25, "repetitions, each with a different division of the data", "[1, 200]")

    @property
    def settings(self):
        """The settings that `gmlvq` takes.

        Returns
        -------
        dict
        """
        descent = ("step_prototypes", "step_metric", "max_iter", "validation_loss", "n_iter_no_change")
        return self.pick("n_prototypes", *descent)

    def splits(self, **shared):
        """A unit of work for every fold of every repetition of every data set.

        Parameters
        ----------
        **shared
            Arguments that all units get, besides ``settings``, ``n_splits``, ``target`` and ``seed``.

        Returns
        -------
        list of dict
        """
        shared |= {"settings": self.settings, **self.pick("n_splits", "target", "seed")}
        return crossed(shared, dataset=self.dataset, repeat=range(self.n_repeats), fold=range(self.n_splits))


class RankingExperiment(GMLVQExperiment):
    """Parameters of the experiments that compare rankings."""

    alpha: str = parameter(
        "N^2/10", "weight of the entropy: as printed, n / 4N (auto), or none", "{N^2/10, auto, none}"
    )
    delete_rate: float = parameter(
        0.05, "share of directions that the ambiguity removal deletes besides unseen ones", "[0, 0.99]"
    )
    ties: str = parameter("columns", "order of features with equal scores", "{columns, random}")
    n_neighbors: int = parameter(10, "neighbors of ReliefF", "[1, 100]")
    discretizer: str = parameter("mdl", "bins of the information gain", "{mdl, width, frequency}")

    @property
    def settings(self):
        """As of `GMLVQExperiment`, with ``alpha`` and ``delete_rate``."""
        return {**super().settings, **self.pick("alpha", "delete_rate")}


def read(dataset, target=None):
    """Samples without constant features, missing values filled with the mean, and labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    X, y = load_set(dataset, target, return_X_y=True)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return X[:, np.ptp(X, axis=0) > 0], y


def split(X, y, dataset, repeat, fold, n_splits, seed):
    """Divide the samples into a training, a validation and a test part, with samples of every class in each.

    Returns
    -------
    list of tuple (X, y)
        The three parts, z-scored with the training part.

    Raises
    ------
    ValueError
        If a class has fewer samples than there are parts.
    """
    classes, sizes = np.unique(y, return_counts=True)
    if sizes.min() < n_splits:
        raise ValueError(
            f"class {classes[sizes.argmin()]} of {name_of(dataset)} has {sizes.min()} samples, too few for "
            f"n_splits={n_splits} parts; lower n_splits (to at least 3), merge the class or leave it out."
        )
    tests = [test for _, test in shuffled_folds(n_splits, seed, "split", name_of(dataset), repeat).split(X, y)]
    test, validation = tests[fold], tests[(fold + 1) % n_splits]
    train = np.setdiff1d(np.arange(len(X)), [*test, *validation])
    rows = train, validation, test
    return list(zip(scaled("zscore", *(X[indices] for indices in rows)), (y[indices] for indices in rows), strict=True))


def tie_seed(seed, dataset, repeat, fold):
    """Seed of the random order of equal scores: the same for all methods on a split."""
    return seed_for(seed, "ties", name_of(dataset), repeat, fold)


def rank_features(method, parts, seed, *, settings, n_neighbors, discretizer, ties):
    """Rank the features by one method.

    Parameters
    ----------
    method : str
        Of `METHODS` and `VARIANTS`, or `RANDOM_ORDER`.
    parts : list of tuple (X, y)
        As from `split`.
    seed : int
        Of the random order.
    settings : dict
        As for `gmlvq`.
    n_neighbors : int
        Neighbors of ReliefF.
    discretizer : {"mdl", "width", "frequency"}
        Bins of the information gain.
    ties : {"columns", "random"}
        Order of features with equal scores; `RANDOM_ORDER` is always random.

    Returns
    -------
    order : ndarray of shape (n_features,)
        Columns, best first.
    model : GMLVQ or None
        The model that ranked them, if the method is a variant of GMLVQ.
    """
    A, b = (np.concatenate([data[k] for data in parts[:2]]) for k in (0, 1))
    learners = {
        "GMLVQ": lambda: learn(parts, settings),
        "GMLVQ, last step": lambda: gmlvq(settings).fit(*parts[0]),
        "GMLVQ, n/4N": lambda: learn(parts, settings, alpha="auto"),
    }
    filters = {
        "Fisher": lambda: fisher_score(A, b),
        "Relieff": lambda: relieff(A, b, n_neighbors=n_neighbors),
        **dict.fromkeys(("IG", RANDOM_ORDER), lambda: information_gain(A, b, discretizer=discretizer)),
    }
    model = learners[method]() if method in learners else None
    scores = filters[method]() if model is None else model.feature_importances_
    second = np.arange(len(scores))
    if ties == "random" or method == RANDOM_ORDER:
        second = np.random.default_rng(seed).permutation(second)
    return np.lexsort((second, rankdata(-scores, method="min"))), model


def learn(parts, settings, **changed):
    """Fit GMLVQ to the training part and keep the first step with the least loss on the validation part."""
    (A, a), (V, v), _ = parts
    return gmlvq(settings, early_stopping=True, **changed).fit(A, a, X_val=V, y_val=v)


def gmlvq(settings, **changed):
    """An unfitted GMLVQ with waypoint averaging.

    Parameters
    ----------
    settings : dict
        Parameters of `fscore.lvq.GMLVQ`, and ``step_prototypes`` and ``step_metric`` of its solver. Left out, ``alpha``
        is "N^2/10" and ``delete_rate`` is 0; ``alpha`` may be "none".
    **changed
        Parameters of GMLVQ that take the place of those in ``settings``.
    """
    settings = dict(settings)
    solver = WaypointAveraging(settings.pop("step_prototypes"), settings.pop("step_metric"))
    parameters = {"alpha": "N^2/10", "delete_rate": 0.0, "solver": solver, "random_state": 0, **settings, **changed}
    return GMLVQ(**{**parameters, "alpha": 0.0 if parameters["alpha"] == "none" else parameters["alpha"]})


def mean_over(column, table):
    """The means of ``value`` over the folds (column "fold") or the repetitions ("repeat")."""
    by = [name for name in table.columns if name not in (column, "value")]
    return table.groupby(by, sort=False)["value"].mean().reset_index()

"""Shared by the measurements of Andonie and Cataron 2004: methods with their settings, training and test parts."""

from functools import partial
from typing import NamedTuple

import numpy as np

from compendium.protocol import load_set, scaled, shuffled_folds
from compendium.units import name_of
from fscore.lvq import ERLVQ, LVQ1, OWARLVQ, RLVQ

METHODS = ("LVQ", "RLVQ", "OWA-RLVQ", "ERLVQ")
# The two readings of ERLVQ's learning rate: that of the other methods, or n times it.
ERLVQ_RATES = {"equal": "ERLVQ, equal rate", "compensated": "ERLVQ, compensated rate"}


class Settings(NamedTuple):
    """Parameters of the LVQ algorithms; `andonie2004.erlvq.EnergyRelevance` declares them."""

    n_prototypes: int
    learning_rate: float
    erlvq_rate: str
    relevance_rate_rlvq: float
    relevance_rate_owa: float
    relevance_rate_erlvq: float
    sigma: float
    n_epochs: int
    scaling: str


def ablations(settings):
    """Names of the variants that are compared with `METHODS`.

    LVQ with the rate divided by n, as ERLVQ's steps are at the equal rate; ERLVQ at the rate that ``settings`` does not
    give it; ERLVQ that also learns from pairs of one class, as in the paper's text; ERLVQ that divides by the sum
    instead of using the softmax.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    tuple of str
    """
    other = (name for rate, name in ERLVQ_RATES.items() if rate != settings.erlvq_rate)
    return ("LVQ, rate/n", *other, "ERLVQ, all pairs", "ERLVQ, l1")


def protocols(dataset, repeat, n_splits, target, seed):
    """Divide a data set into training and test samples by every applicable protocol.

    Parameters
    ----------
    dataset : str
    repeat : int
        Each repetition shuffles the folds again.
    n_splits : int
        Folds of the cross-validation.
    target : str or None
        Label column of a CSV file.
    seed : int

    Returns
    -------
    list of (str, list of tuple)
        Name of the protocol ("own split" for data sets with a fixed split, else "resubstitution" and
        "cross-validation") and its pairs of parts, each (training samples, labels, test samples, labels).
    """
    bunch = load_set(dataset, target)
    X, y = bunch.data, bunch.target
    if bunch.split is not None:
        train, test = bunch.split["train"], bunch.split["test"]
        return [("own split", [(X[train], y[train], X[test], y[test])])]
    folds = shuffled_folds(n_splits, seed, "split", name_of(dataset), repeat)
    crossed = [(X[train], y[train], X[test], y[test]) for train, test in folds.split(X, y)]
    return [("resubstitution", [(X, y, X, y)]), ("cross-validation", crossed)]


def training_part(dataset, target, scaling="raw"):
    """Samples and labels of the training part of a data set with a fixed split, else all samples; scaled."""
    bunch = load_set(dataset, target)
    rows = slice(None) if bunch.split is None else bunch.split["train"]
    return *scaled(scaling, bunch.data[rows]), bunch.target[rows]


def build(method, settings, X, y, seed):
    """An unfitted classifier whose codebook vectors start at randomly drawn samples of each class.

    The draw depends only on ``seed``, so all methods have the same start. ERLVQ multiplies its steps by relevances near
    1/n (n features). At the equal rate, the literal text, its steps are n times shorter than those of the other
    methods; the compensated rate is n times larger and makes them about as long.

    Parameters
    ----------
    method : str
        Of `METHODS`, `ERLVQ_RATES` or `ablations`.
    settings : Settings
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    seed : int

    Returns
    -------
    classifier
    """
    rng = np.random.default_rng(seed)
    members = [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y)]
    counts = [min(settings.n_prototypes, len(indices)) for indices in members]
    codebook = X[np.concatenate([indices[:n] for indices, n in zip(members, counts, strict=True)])]
    n = X.shape[1]
    shared = {
        **{"n_prototypes": counts, "prototypes_init": codebook, "n_epochs": settings.n_epochs},
        **{"learning_rate": settings.learning_rate, "random_state": seed % 2**32},
    }

    def erlvq(rate=settings.erlvq_rate, **variant):
        faster = {"learning_rate": settings.learning_rate * (n if rate == "compensated" else 1)}
        measure = {"relevance_rate": settings.relevance_rate_erlvq, "sigma": settings.sigma}
        return ERLVQ(**{**shared, **faster, **measure, **variant})

    return {
        "LVQ": lambda: LVQ1(**shared),
        "LVQ, rate/n": lambda: LVQ1(**{**shared, "learning_rate": settings.learning_rate / n}),
        "RLVQ": lambda: RLVQ(**shared, relevance_rate=settings.relevance_rate_rlvq),
        "OWA-RLVQ": lambda: OWARLVQ(**shared, relevance_rate=settings.relevance_rate_owa),
        "ERLVQ": erlvq,
        **{name: partial(erlvq, rate) for rate, name in ERLVQ_RATES.items()},
        "ERLVQ, all pairs": lambda: erlvq(pairs="all"),
        "ERLVQ, l1": lambda: erlvq(norm="l1"),
    }[method]()

"""Fields of the comparison: data sets as they are, with planted columns, or generated with a known truth.

A field is described by its data set and what is planted, or by the text of `Truth`. Its samples depend on this
description and the seed alone.
"""

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from compendium.protocol import load_set, stratified_rows
from compendium.units import name_of, seed_for

PLANTED = ("plain", "probes", "copies")
FORMS = ("linear", "products")
NOISE_OF_COPIES = 0.3  # standard deviation of a copy's noise, in those of its original


@dataclass(frozen=True, eq=False)
class Field:
    """Samples, and what is known about their columns.

    Attributes
    ----------
    name : str
    origin : str
        The data set, whatever is planted, or the name of a generated field.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    groups : ndarray of shape (n_samples,) or None
        Samples of one group are never divided between training and test part.
    kind : ndarray of str, shape (n_features,)
        "observed" (a column of a data set, whose relevance is unknown), "relevant", "copy" or "probe".
    source : ndarray of int, shape (n_features,)
        The column that a copy was made from; every other column is its own source.
    """

    name: str
    origin: str
    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None
    kind: np.ndarray
    source: np.ndarray


@dataclass(frozen=True)
class Truth:
    """Parameters of a generated field; `parse` reads them from a text such as ``"n=200 d=50 noise=0.2"``.

    Attributes
    ----------
    n, d : int
        Samples and features.
    relevant : int
        Features that determine the class.
    copies : int
        Noisy copies of relevant features, in turn.
    noise : float in [0, 0.5]
        Share of the labels that are exchanged.
    form : {"linear", "products"}
        The class is the sign of the sum of the relevant features, or of the sum of the products of pairs of them: then
        no feature alone tells anything.
    """

    n: int = 200
    d: int = 50
    relevant: int = 6
    copies: int = 6
    noise: float = 0.1
    form: str = "linear"

    @classmethod
    def parse(cls, text):
        """Read the parameters that a text sets; the others keep their defaults.

        Raises
        ------
        ValueError
            One sentence with the offending word.
        """
        types = {field.name: field.type for field in fields(cls)}
        values = {}
        for word in text.split():
            name, _, value = word.partition("=")
            if name not in types:
                raise ValueError(
                    f"{word!r} in {text!r} sets no parameter of a generated field; set {', '.join(types)}."
                )
            try:
                values[name] = types[name](value)
            except ValueError:
                raise ValueError(f"{word!r} in {text!r} is not a number; write, for instance, n=200.") from None
        truth = cls(**values)
        if truth.form not in FORMS:
            raise ValueError(f"form={truth.form!r} is unknown; choose from {', '.join(FORMS)}.")
        if truth.n < 20 or not 0 <= truth.noise <= 0.5:
            raise ValueError(f"{text!r} needs n of at least 20 and a noise from 0 to 0.5.")
        if truth.relevant < 2 or truth.relevant % 2 or truth.copies < 0 or truth.relevant + truth.copies > truth.d:
            raise ValueError(
                f"{text!r} needs an even number of relevant features, and d of at least relevant + copies."
            )
        return truth

    def __str__(self):
        return f"{self.form} n={self.n} d={self.d} relevant={self.relevant} copies={self.copies} noise={self.noise:g}"


@lru_cache(maxsize=4)
def generated_field(text, seed):
    """A generated field.

    Parameters
    ----------
    text : str
        As `Truth.parse` reads it.
    seed : int

    Returns
    -------
    Field
    """
    truth = Truth.parse(text)
    rng = np.random.default_rng(seed_for(seed, "generated", str(truth)))
    R, C = truth.relevant, truth.copies
    X = rng.standard_normal((truth.n, truth.d))
    strength = X[:, :R].sum(axis=1) if truth.form == "linear" else (X[:, 0:R:2] * X[:, 1:R:2]).sum(axis=1)
    y = (strength > np.median(strength)).astype(int)
    exchanged = rng.choice(truth.n, round(truth.noise * truth.n), replace=False)
    y[exchanged] = 1 - y[exchanged]
    source = np.arange(truth.d)
    source[R : R + C] = np.arange(C) % R
    X[:, R : R + C] = X[:, source[R : R + C]] + NOISE_OF_COPIES * X[:, R : R + C]
    kind = np.repeat(["relevant", "copy", "probe"], [R, C, truth.d - R - C])
    return _shuffled(str(truth), str(truth), X, y, None, kind, source, rng)


@lru_cache(maxsize=4)
def observed_field(dataset, target, planted, max_samples, seed):
    """A data set, if wanted with planted columns.

    Parameters
    ----------
    dataset : str
        A name of the registry, or the path of a CSV file.
    target : str or None
        Label column of a CSV file.
    planted : {"plain", "probes", "copies"}
        Nothing, a permuted copy of every column, or a noisy one.
    max_samples : int
        A larger data set is reduced to a stratified sample of this size; one with groups to the first groups of a
        random order.
    seed : int

    Returns
    -------
    Field
    """
    bunch = load_set(dataset, target)
    X, y, groups = bunch.data, np.unique(bunch.target, return_inverse=True)[1], bunch.groups
    name = name_of(dataset)
    rng = np.random.default_rng(seed_for(seed, "planted", name, planted))
    drawn = _sample(y, groups, max_samples, seed_for(seed, "sample", name))
    X, y, groups = X[drawn], y[drawn], None if groups is None else groups[drawn]
    D = X.shape[1]
    kind, source = np.full(D, "observed"), np.arange(D)
    if planted != "plain":
        probes = planted == "probes"
        columns = (
            rng.permuted(X, axis=0) if probes else X + NOISE_OF_COPIES * X.std(axis=0) * rng.standard_normal(X.shape)
        )
        X = np.hstack([X, columns])
        kind = np.r_[kind, np.full(D, "probe" if probes else "copy")]
        source = np.r_[source, D + source if probes else source]
    return _shuffled(name if planted == "plain" else f"{name} + {planted}", name, X, y, groups, kind, source, rng)


def _sample(y, groups, size, seed):
    """Indices of a sample of at most ``size``, in ascending order."""
    if len(y) <= size:
        return np.arange(len(y))
    if groups is None:
        return stratified_rows(y, size, seed)
    names = np.random.default_rng(seed).permutation(np.unique(groups))
    counts = np.array([np.sum(groups == name) for name in names])
    return np.flatnonzero(np.isin(groups, names[counts.cumsum() <= size]))


def _shuffled(name, origin, X, y, groups, kind, source, rng):
    """The field with its columns in random order, so that no method profits from theirs."""
    order = rng.permutation(X.shape[1])
    position = np.argsort(order)
    return Field(name, origin, np.ascontiguousarray(X[:, order]), y, groups, kind[order], position[source[order]])

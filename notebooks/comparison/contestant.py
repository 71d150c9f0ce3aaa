"""A contestant: how a method selects features from training data.

Every module in ``contestants/`` has a dict ``CONTESTANTS`` by key; nothing lists them. A new entry takes part at
the next measurement, which measures it alone. Scores and rankings give one nested subset for each size that is asked
for; searches look for each size, or choose the size themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).with_name("contestants")
OWN = "own"  # the size that a method chooses itself
FAMILIES = ("baseline", "filter", "weighting", "prototypes", "search", "embedded")


@dataclass(frozen=True)
class Contestant:
    """A method that selects features.

    Attributes
    ----------
    name : str
        For tables.
    family : str
        One of `FAMILIES`.
    library : str
        The package that implements it.
    choose : callable
        ``choose(X, y, sizes, seed)`` returns a dict that maps every size in ``sizes`` (or `OWN`, if ``sizes`` is empty)
        to the indices of the chosen columns, and the number of criterion evaluations (NaN if there is no criterion).
        X is scaled to mean 0 and variance 1; its constant columns are zero.
    own_size : bool
        Whether the method chooses the size itself: it is then called with empty ``sizes``.
    requires : str
        An optional package that it needs, or "".
    version : int
        Raised by a change that moves its numbers: then its units alone are measured again.
    """

    name: str
    family: str
    library: str
    choose: Callable
    own_size: bool = False
    requires: str = ""
    version: int = 1

    def missing_package(self):
        """The optional package that it needs and that is not installed, or ""."""
        return self.requires if self.requires and find_spec(self.requires) is None else ""


def scoring(name, family, library, score):
    """A contestant that takes the features with the highest scores; of equal scores, the first.

    Parameters
    ----------
    name, family, library : str
    score : callable
        ``score(X, y, seed)`` returns an array of shape (n_features,). A score that is not a number ranks last.
    """

    def order(X, y, n_features, seed):
        scores = np.nan_to_num(np.asarray(score(X, y, seed), dtype=float), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        return np.argsort(-scores, kind="stable")

    return ranking(name, family, library, order)


def ranking(name, family, library, order):
    """A contestant that takes the first features of an order.

    Parameters
    ----------
    name, family, library : str
    order : callable
        ``order(X, y, n_features, seed)`` returns the indices of at least ``n_features`` columns, best first.
    """

    def choose(X, y, sizes, seed):
        first = np.asarray(order(X, y, max(sizes), seed))
        return {size: first[:size] for size in sizes}, np.nan

    return Contestant(name, family, library, choose)


def searching(name, make, *, way="each"):
    """A contestant that is a search of fscore.

    Parameters
    ----------
    name : str
    make : callable
        ``make(size, seed)`` returns the unfitted search; ``size`` is None if the search chooses it.
    way : {"up", "down", "each", "own"}
        Whether one search to the largest size (up) or to the smallest size (down) passes all others, whether it must
        be repeated for each size, or whether the search chooses the size.
    """

    def choose(X, y, sizes, seed):
        if way == "own":
            search = make(None, seed).fit(X, y)
            return {OWN: np.flatnonzero(search.support_)}, search.n_evaluations_
        if way == "each":
            searches = {size: make(size, seed).fit(X, y) for size in sizes}
            evaluations = sum(search.n_evaluations_ for search in searches.values())
            return {size: np.flatnonzero(search.support_) for size, search in searches.items()}, evaluations
        search = make(max(sizes) if way == "up" else min(sizes), seed).fit(X, y)
        best = search.best_per_size_["support"]
        return {size: np.asarray(best.loc[size]) for size in sizes}, search.n_evaluations_

    return Contestant(name, "search", "fscore", choose, own_size=way == "own")


def selecting(name, family, library, support, requires=""):
    """A contestant that chooses the size itself.

    Parameters
    ----------
    name, family, library : str
    support : callable
        ``support(X, y, seed)`` returns a mask of shape (n_features,).
    requires : str, default=""
        An optional package that it needs.
    """

    def choose(X, y, sizes, seed):
        return {OWN: np.flatnonzero(support(X, y, seed))}, np.nan

    return Contestant(name, family, library, choose, own_size=True, requires=requires)


@cache
def contestants():
    """All contestants.

    Returns
    -------
    dict of str to (str, Contestant)
        The dotted name of the module that defines it, and the contestant; sorted by key.
    """
    by_key = {}
    for file in sorted(FOLDER.glob("[a-z]*.py")):
        module = f"{__package__}.{FOLDER.name}.{file.stem}"
        for key, player in import_module(module).CONTESTANTS.items():
            if player.family not in FAMILIES:
                raise ValueError(f"{key} has the family {player.family!r}; choose from {', '.join(FAMILIES)}.")
            if key in by_key or player.name in [other.name for _, other in by_key.values()]:
                raise ValueError(f"two contestants are named {key!r} or {player.name!r}; rename one of them.")
            by_key[key] = (module, player)
    return dict(sorted(by_key.items()))

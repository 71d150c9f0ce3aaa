"""Folds: stratified, with groups kept together, or forwards in time."""

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

__all__ = ["Rows", "draw", "folds"]


_NO_FOLDS = "the groups don't allow two folds with every class in training; --groups none ignores them."
_ONE_GROUP = "the groups don't allow two folds, since all rows are in one group; --groups none ignores them."


class Rows:
    """What decides how rows may be divided: target, groups and time of a set of rows.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    groups : ndarray of shape (n_samples,) or None
    time : ndarray of shape (n_samples,) or None
    """

    def __init__(self, y, task, groups=None, time=None):
        self.y, self.task, self.groups, self.time = y, task, groups, time

    def __getitem__(self, rows):
        groups = None if self.groups is None else self.groups[rows]
        return Rows(self.y[rows], self.task, groups, None if self.time is None else self.time[rows])


def folds(rows, n_splits, seed):
    """Divide rows into training and test parts.

    Parameters
    ----------
    rows : Rows
    n_splits : int
        At most; fewer where a class or the number of groups doesn't allow as many.
    seed : int

    Returns
    -------
    list of (ndarray, ndarray)
        Training and test rows. Without time, every row is tested once; forwards in time, those of the first part never
        are, and training rows come before test rows.

    Raises
    ------
    ValueError
        If not even two folds are possible.
    """
    classification = rows.task == "classification"
    n = len(rows.y)
    if rows.time is not None:
        return _forwards(rows, n_splits)
    if rows.groups is not None:
        n_splits = min(n_splits, len(np.unique(rows.groups)))
        if n_splits < 2:
            raise ValueError(_ONE_GROUP)
        if classification:
            n_splits = min(n_splits, _fewest_groups(rows))
            if n_splits < 2:
                raise ValueError(_NO_FOLDS)
        kind = StratifiedGroupKFold if classification else GroupKFold
        found = kind(n_splits, shuffle=True, random_state=seed).split(np.zeros(n), rows.y, rows.groups)
        if classification:
            n_classes = len(np.unique(rows.y))
            found = [(train, test) for train, test in found if len(np.unique(rows.y[train])) == n_classes]
        found = list(found)
        if not found:
            raise ValueError(_NO_FOLDS)
        return found
    if classification:
        counts = np.bincount(rows.y)
        n_splits = max(2, min(n_splits, int(counts[counts > 0].min())))
        return list(StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(np.zeros(n), rows.y))
    return list(KFold(min(n_splits, n), shuffle=True, random_state=seed).split(np.zeros(n)))


def _fewest_groups(rows):
    """Number of groups that hold the class found in the fewest."""
    return min(len(np.unique(rows.groups[rows.y == c])) for c in np.unique(rows.y))


def _forwards(rows, n_splits):
    """Each part in time is tested by what comes before; a group that continues into it is left out of training."""
    if found := _parts_in_time(rows, n_splits):
        return found
    if rows.groups is not None and _parts_in_time(Rows(rows.y, rows.task, time=rows.time), n_splits):
        raise ValueError(
            "groups go on over time, and without them too few rows lie before any point in it; --time none scores by "
            "folds drawn at random, --groups none ignores the groups."
        )
    before = "all classes" if rows.task == "classification" else "five rows"
    raise ValueError(
        f"no point in time has {before} before it and rows after it; --time none scores by folds drawn at random."
    )


def _parts_in_time(rows, n_splits):
    """Training and test rows; an empty list if no part has enough rows before it."""
    order = np.argsort(rows.time, kind="stable")
    parts = np.array_split(order, n_splits + 1)
    found, seen = [], len(np.unique(rows.y)) if rows.task == "classification" else 0
    for k in range(1, len(parts)):
        train, test = np.concatenate(parts[:k]), parts[k]
        if len(test) == 0:
            continue
        train = train[rows.time[train] < rows.time[test].min()]
        if rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        if len(train) < 5 or (seen and len(np.unique(rows.y[train])) < seen):
            continue
        if seen and np.bincount(rows.y[train]).min() < 2:
            continue
        found.append((np.sort(train), np.sort(test)))
    return found


def draw(rows, n, seed=0):
    """Draw about n rows at random: whole groups, or of each class its share and at least 20.

    Parameters
    ----------
    rows : Rows
    n : int
    seed : int

    Returns
    -------
    ndarray of int
    """
    rng = np.random.default_rng(seed)
    if rows.groups is not None:
        place = rng.permutation(rows.groups.max() + 1)[rows.groups]
        return np.sort(np.argsort(place, kind="stable")[:n])
    if rows.task == "regression":
        return np.sort(rng.permutation(len(rows.y))[:n])
    parts = [rng.permutation(np.flatnonzero(rows.y == c)) for c in np.unique(rows.y)]
    return np.sort(np.concatenate([part[: max(20, round(n * len(part) / len(rows.y)))] for part in parts]))

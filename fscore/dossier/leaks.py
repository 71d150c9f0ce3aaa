"""Columns that know the answer, and columns that repeat each other."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.dossier.traps import Trap, listed

__all__ = ["duplicate_columns", "target_leaks"]

_ALONE = 0.99  # balanced accuracy or R2 of one column by itself that is too good
_PROMISING = 0.9  # share of rows whose class is the most frequent one of their bin: only then is a tree fitted
_N_BINS = 24
_FEW = 30


def duplicate_columns(X):
    """Columns that equal an earlier one, up to unit, offset, sign and names of categories.

    Parameters
    ----------
    X : DataFrame
        Typed.

    Returns
    -------
    dict of str to str
        The earlier column, by the name of the later.
    """
    codes = X.apply(lambda column: column if column.dtype == np.float64 else pd.factorize(column)[0].astype(float))
    values = codes.to_numpy(dtype=np.float64)
    missing = np.isnan(values)
    values = np.where(missing, np.nanmean(np.where(missing, np.nan, values), axis=0), values)
    values -= values.mean(axis=0)
    norm = np.sqrt((values**2).sum(axis=0))
    values /= np.where(norm > 0, norm, 1)
    probe = np.abs(np.random.default_rng(0).normal(size=len(values)) @ values)
    order = np.argsort(probe)
    copies, names = {}, list(X)
    for place, j in enumerate(order):
        for i in order[place + 1 :]:
            if probe[i] - probe[j] > 1e-6:
                break
            same = abs(values[:, i] @ values[:, j]) > 1 - 1e-9 and np.array_equal(missing[:, i], missing[:, j])
            if same and X.dtypes.iloc[i] == X.dtypes.iloc[j] and _same_order(codes.iloc[:, i], codes.iloc[:, j]):
                first, later = sorted((i, j))
                copies[names[later]] = copies.get(names[first], names[first])
    return copies


def _same_order(a, b):
    """Whether two columns rank the rows alike, or the other way round: a few huge values alone correlate any two."""
    a, b = (column.rank(na_option="top").to_numpy() for column in (a, b))
    a, b = a - a.mean(), b - b.mean()
    return abs(a @ b) >= 0.999 * np.sqrt((a @ a) * (b @ b))


def target_leaks(X, y, task, keep=()):
    """Columns that are the target in other words, or predict it alone.

    Parameters
    ----------
    X : DataFrame
        Typed.
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    task : {"classification", "regression"}
    keep : sequence of str
        Columns that the user vouches for.

    Returns
    -------
    list of Trap
    """
    recoded, alone = [], {}
    for name in X:
        if name in keep or len(y) < _FEW:
            continue
        column = X[name]
        codes = column.to_numpy() if column.dtype == np.float64 else pd.factorize(column)[0].astype(float)
        if task == "classification":
            if _recodes(codes, y):
                recoded.append(name)
            elif (score := _missing_score(codes, y)) >= _ALONE or (
                _purity(codes, y) >= _PROMISING and (score := _tree_score(codes, y, task)) >= _ALONE
            ):
                alone[name] = score
        elif column.dtype == np.float64:
            if _monotone(codes, y) > 1 - 1e-6:
                recoded.append(name)
            elif _monotone(codes, y) > 0.97 and (score := _tree_score(codes, y, task)) >= _ALONE:
                alone[name] = score
    traps = []
    if recoded:
        traps.append(
            Trap(
                "target leak",
                tuple(recoded),
                f"{listed(recoded)}: every value belongs to one value of the target, as in a copy or a recoding of it.",
                "Left out.",
            )
        )
    if alone:
        said = "; ".join(f"“{name}” ({score:.3f})" for name, score in alone.items())
        measure = "balanced accuracy" if task == "classification" else "R²"
        traps.append(
            Trap(
                "target leak",
                tuple(alone),
                f"One column predicts the target alone, which real measurements hardly ever do ({measure}): {said}.",
                "Left out. If it is known before the outcome, run again with --keep and its name.",
            )
        )
    return traps


def _recodes(codes, y):
    """Whether each of few values, all of them frequent, belongs to one class."""
    values, inverse = np.unique(codes, return_inverse=True)
    if len(values) > max(10, 3 * (y.max() + 1)) or len(values) > len(y) / 5:
        return False
    table = np.zeros((len(values), y.max() + 1))
    np.add.at(table, (inverse, y), 1)
    return bool((table.max(axis=1) == table.sum(axis=1)).all())


def _missing_score(codes, y):
    """Balanced accuracy of "the value is missing" for the class that it tells best from the others."""
    missing = np.isnan(codes)
    if missing.sum() < 5 or (~missing).sum() < 5:
        return 0.0
    share = np.array([missing[y == c].mean() for c in range(y.max() + 1)])
    rest = np.array([missing[y != c].mean() for c in range(y.max() + 1)])
    return float(((1 + np.abs(share - rest)) / 2).max())


def _purity(codes, y):
    """Mean over classes of the share of rows whose class leads in their bin: quick, and no less than a tree finds."""
    ranks = rankdata(np.where(np.isnan(codes), -np.inf, codes), method="dense")
    if ranks.max() > _N_BINS:
        ranks = np.searchsorted(np.quantile(ranks, np.linspace(0, 1, _N_BINS)[1:-1]), ranks)
    table = np.zeros((int(ranks.max()) + 1, y.max() + 1))
    np.add.at(table, (ranks.astype(int), y), 1)
    share = table / table.sum(axis=0)
    leading = share.argmax(axis=1)
    return float(share[np.arange(len(share)), leading].sum() / share.shape[1])


def _tree_score(codes, y, task):
    x = codes[:, None]
    if task == "classification":
        n_splits = int(min(5, np.bincount(y).min()))
        if n_splits < 2:
            return 0.0
        tree = DecisionTreeClassifier(max_leaf_nodes=4 * (y.max() + 1), min_samples_leaf=2, class_weight="balanced")
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=0)
        return balanced_accuracy_score(y, cross_val_predict(tree, x, y, cv=folds))
    tree = DecisionTreeRegressor(min_samples_leaf=2)
    return r2_score(y, cross_val_predict(tree, x, y, cv=KFold(5, shuffle=True, random_state=0)))


def _monotone(codes, y):
    """Absolute rank correlation of the rows that have a value."""
    present = ~np.isnan(codes)
    if present.sum() < max(_FEW, 0.5 * len(y)) or np.ptp(codes[present]) == 0:
        return 0.0
    return abs(np.corrcoef(rankdata(codes[present]), rankdata(y[present]))[0, 1])

"""Rules for columns that know the answer, and for columns that repeat each other."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.report.scores import measure_of
from fscore.report.traps import rule

__all__ = []

_ALONE = 0.99  # balanced accuracy or R2 of one column by itself that is too good
_EXACT = 1 - 1e-5  # R2 of a calculation from other columns; the rest is rounding
_PROMISING = 0.9  # share of rows whose class is the most frequent one of their bin: only then is a tree fitted
_N_BINS = 24
_FEW = 30
_MOST_COMBINED = 60  # columns, those most correlated with the target
_STATUS = r"status|event|death|dead|died|deceased|mortality|alive|survived|censor\w*|relapse|recurrence|fustat|churn\w*"
_DURATION = r"time|futime|follow\w*|fu|surv\w*|os|pfs|duration|stop|months?|days?|years?|tenure"


@rule(
    "duplicate columns",
    "Columns that repeat another one, up to unit or names of categories: {pairs}.",
    "The later one is left out.",
    leaves_out=True,
)
def duplicate_columns(problem):
    """Columns that repeat another one in another unit, order or spelling, also as numbers for its words."""
    first, copies = {}, {}
    for name, column in problem.X.items():
        keys = _contents(column)
        earlier = [first[key] for key in keys if key in first]
        if earlier:
            copies[name] = earlier[0]
        else:
            first |= dict.fromkeys(keys, name)
    pairs = "; ".join(f"“{later}” = “{earlier}”" for later, earlier in list(copies.items())[:6])
    pairs += f" and {len(copies) - 6} more" if len(copies) > 6 else ""
    return copies and {"columns": copies, "pairs": pairs}


def _contents(column):
    """What copies of a column share: the pattern of its values if they repeat, else its ranks in either direction."""
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    if len(distinct) <= len(column) / 2 and column.dtype != np.float64:
        return [("pattern", hash(codes.tobytes()))]
    if column.dtype != np.float64:
        return []
    values = column.to_numpy()
    z = (values - np.nanmean(values)) / max(np.nanstd(values), np.finfo(float).tiny)
    shape = np.round(np.abs([np.nanmean(z**3), np.nanmean(z**4)]), 6)  # of linear copies only
    ranks = [hash(rankdata(np.where(np.isnan(values), np.inf, sign * values)).tobytes()) for sign in (1, -1)]
    numbers = [("ranks", *shape, both) for both in ranks]
    return numbers + ([("pattern", hash(codes.tobytes()))] if len(distinct) <= min(len(column) / 2, 50) else [])


@rule(
    "target leak",
    "One column predicts the target alone, which real measurements hardly ever do ({measure}): {scores}.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def target_leak(problem):
    """A column that predicts the target alone."""
    scores = {}
    measured = problem.X.drop(columns=[*problem.keep, problem.group_name], errors="ignore")
    for name, column in measured.items() if len(problem.y) >= _FEW else ():
        codes = column.to_numpy() if column.dtype == np.float64 else pd.factorize(column)[0].astype(float)
        if problem.task == "classification":
            score = _missing_score(codes, problem.y)
            if score < _ALONE and _purity(codes, problem.y) >= _PROMISING:
                score = _tree_score(codes, problem.y, problem.task)
        else:
            monotone = _monotone(codes, problem.y) if column.dtype == np.float64 else 0.0
            score = 1.0 if monotone > _EXACT else 0.0
            if 0.97 < monotone <= _EXACT:
                score = _tree_score(codes, problem.y, problem.task)
        if score >= _ALONE:
            scores[name] = score
    said = "; ".join(f"“{name}” ({score:.3f})" for name, score in scores.items())
    return scores and {"columns": scores, "measure": measure_of(problem.task), "scores": said}


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
    """Cross-validated score of a small tree on one column."""
    x = codes[:, None]
    if task == "regression":
        folds = KFold(5, shuffle=True, random_state=0)
        return r2_score(y, cross_val_predict(DecisionTreeRegressor(min_samples_leaf=2), x, y, cv=folds))
    n_splits = int(min(5, np.bincount(y).min()))
    if n_splits < 2:
        return 0.0
    tree = DecisionTreeClassifier(max_leaf_nodes=4 * (y.max() + 1), min_samples_leaf=2, class_weight="balanced")
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=0)
    return balanced_accuracy_score(y, cross_val_predict(tree, x, y, cv=folds))


def _monotone(codes, y):
    """Absolute rank correlation of the rows that have a value."""
    present = ~np.isnan(codes)
    if present.sum() < max(_FEW, 0.5 * len(y)) or np.ptp(codes[present]) == 0:
        return 0.0
    return abs(np.corrcoef(rankdata(codes[present]), rankdata(y[present]))[0, 1])


@rule(
    "joint leak",
    "The target is calculated from {columns}: it is {how} of them.",
    "Kept. Are these known before the target? If not, leave them out by --drop.",
)
def joint_leak(problem):
    """Two or three columns from which the target is calculated: as a weighted sum, or as a product or ratio."""
    numbers = problem.X.select_dtypes(np.float64).drop(columns=list(problem.keep), errors="ignore")
    numbers = numbers.loc[:, numbers.notna().mean() > 0.9]
    rows = numbers.notna().all(axis=1).to_numpy()
    if problem.task != "regression" or rows.sum() < _FEW or numbers.shape[1] < 2:
        return None
    A, y = numbers[rows].to_numpy(), problem.y[rows].astype(float)
    varies = A.std(axis=0) > 0
    A, names = A[:, varies], numbers.columns[varies]
    positive = (A > 0).all(axis=0)
    found, how = _exact_set(A, y), "a sum or difference (with weights)"
    if found is None and (y > 0).all() and positive.sum() > 1:
        found, how = _exact_set(np.log(A[:, positive]), np.log(y)), "a product or ratio"
        names = names[positive]
    return None if found is None else {"columns": names[list(found)], "how": how}


def _exact_set(A, y):
    """The first two or three columns whose linear function is y but for rounding; None if there are none."""
    y = (y - y.mean()) / max(y.std(), np.finfo(float).tiny)
    Z = (A - A.mean(axis=0)) / np.maximum(A.std(axis=0), np.finfo(float).tiny)
    alone = np.abs(Z.T @ y) / len(y)
    places = np.sort(np.argsort(-alone, kind="stable")[:_MOST_COMBINED])
    G, r = Z[:, places].T @ Z[:, places] / len(y), Z[:, places].T @ y / len(y)
    for size in (2, 3):
        sets = np.array(list(combinations(range(len(places)), size)), dtype=int).reshape(-1, size)
        inner = G[sets[:, :, None], sets[:, None, :]] + 1e-10 * np.eye(size)
        explained = (r[sets] * np.linalg.solve(inner, r[sets][..., None])[..., 0]).sum(axis=1)
        if len(sets) and explained.max() > _EXACT:
            return places[sets[explained.argmax()]]
    return None


@rule(
    "follow-up time",
    "{columns}: by the name, the time until “{target}” was recorded, which is known only afterwards.",
    "Kept. Leave it out by --drop, or use a survival model; --keep ends this warning.",
)
def follow_up_time(problem):
    """Time until an event as a feature for the event: it is known only afterwards."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", problem.target.name).lower()
    if problem.task == "regression" or not re.search(rf"(^|[^a-z])({_STATUS})($|[^a-z])", words):
        return None
    pattern = re.compile(rf"(^|.*[^a-z])({_DURATION})($|[^a-z].*)")
    numbers = [name for name in problem.X if problem.kinds[name] == "number" and name not in problem.keep]
    names = [name for name in numbers if pattern.fullmatch(name.lower()) and "age" not in name.lower()]
    return names and {"columns": names, "target": problem.target.name}

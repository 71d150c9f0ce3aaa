"""Rules for columns that reveal the target, and for columns that repeat each other."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.report.rules_of_columns import has_word
from fscore.report.scores import Rows, folds, measure_of
from fscore.report.traps import rule

__all__ = []

_ALONE = 0.99  # balanced accuracy or R2 of one column by itself that is too good
_EXACT = 1 - 1e-5  # R2 of a calculation from other columns; the rest is rounding
_MONOTONE = 0.97  # rank correlation with a quantity: only then is a tree fitted
_PROMISING = 0.9  # share of rows whose class is the most frequent one of their bin: only then is a tree fitted
_N_BINS = 24
_FEW = 30
_FEWEST_FILLED = 20
_SURE = 1e-4  # probability that a pattern arises by chance
_MOST_DIGITS = 9  # of a target, after the point
_MARGIN = 1.5  # by which the variance of its rounding may be exceeded
_MOST_COMBINED = 60  # columns, those most correlated with the target
_EVENT = (
    "fustat|vital|event|dead|death|deceased|died|mortality|alive|surviv.*|cens(or.*)?|relapse|recur.*|churn.*|fail.*|"
    "verstorben|gestorben|décès|muerte"
)
_DURATION = (
    r"^((fu|s|d\W)?time|fu|os|pfs|duration|stop|(month|day|year)s?|tenure)\W*$|follow.*up|surv(iv.*)?|überleben.*|"
    f"to.({_EVENT})"
)


@rule(
    "duplicate columns",
    "Columns that repeat another one, up to unit or names of categories: {columns}.",
    "Left out.",
    leaves_out=True,
)
def duplicate_columns(problem):
    """Columns that repeat a fuller one in another unit, order or spelling, also as numbers for its words."""
    X = problem.X.fillna(dict.fromkeys(problem.X.columns[problem.X.nunique() == 1], "no"))  # a flag is set or not
    complete = X.dropna() if X.notna().all(axis=1).mean() >= 0.5 else X
    first, copies = {}, {}
    for name in X.isna().sum().sort_values(kind="stable").index:
        keys = _contents(complete[name])
        for earlier in [first[key] for key in keys if key in first]:
            both = X[[earlier, name]].dropna()
            if not set(_contents(both[earlier])).isdisjoint(_contents(both[name])):
                copies[name] = f"= “{earlier}”"
        if name not in copies:
            first |= dict.fromkeys(keys, name)
    return copies and {"columns": copies}


def _contents(column):
    """What copies of a column share: the pattern of its values if they repeat, else its ranks in either direction."""
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    if len(distinct) <= len(column) / 2 and column.dtype != np.float64:
        return [("pattern", hash(codes.tobytes()))]
    if column.dtype != np.float64:
        return []
    z = (column - column.mean()) / max(column.std(), np.finfo(float).tiny)
    shape = np.round(np.abs([(z**3).mean(), (z**4).mean()]), 3)  # of linear copies only, which may be rounded
    ranks = [hash((sign * column).rank(na_option="bottom").to_numpy().tobytes()) for sign in (1, -1)]
    numbers = [("ranks", *shape, both) for both in ranks]
    return numbers + ([("pattern", hash(codes.tobytes()))] if len(distinct) <= min(len(column) / 2, 50) else [])


@rule(
    "target leak",
    "One column predicts the target alone, which real measurements hardly ever do ({measure}): {columns}.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def target_leak(problem):
    """A column that predicts the target alone."""
    measured = problem.X.drop(columns=[*problem.keep, problem.group_name, *problem.time_columns], errors="ignore")
    scores = {}
    for name, column in measured.items() if len(problem.y) >= _FEW else ():
        score = (_of_a_class if problem.task == "classification" else _of_a_quantity)(column, problem.y)
        if score >= _ALONE:
            scores[name] = f"{score:.3f}"
    return scores and {"columns": scores, "measure": measure_of(problem.task)}


def _of_a_class(column, y):
    """Balanced accuracy of a column by itself, at least roughly."""
    of_numbers = column.dtype == np.float64
    codes = column.to_numpy() if of_numbers else pd.factorize(column)[0].astype(float)
    missing = np.isnan(codes)
    if min(missing.sum(), (~missing).sum()) >= 5:
        gaps = [missing[y == c].mean() - missing[y != c].mean() for c in range(y.max() + 1)]
        if (alone := (1 + np.abs(gaps).max()) / 2) >= _ALONE:  # that a value is missing tells the class
            return alone
    if _purity(codes, y, of_numbers) < _PROMISING:
        return 0.0
    limits = {"max_leaf_nodes": 4 * (y.max() + 1), "min_samples_leaf": 2} if of_numbers else {}
    tree = DecisionTreeClassifier(**limits, class_weight="balanced")
    parts = folds(Rows(y, "classification"), 5, 0)
    return balanced_accuracy_score(y, cross_val_predict(tree, codes[:, None], y, cv=parts))


def _purity(codes, y, in_bins):
    """Mean over classes of the share of rows whose class leads in their bin: quick, and no less than a tree finds."""
    ranks = rankdata(np.where(np.isnan(codes), -np.inf, codes), method="dense")
    if in_bins and ranks.max() > _N_BINS:
        ranks = np.searchsorted(np.quantile(ranks, np.linspace(0, 1, _N_BINS)[1:-1]), ranks)
    table = np.zeros((int(ranks.max()) + 1, y.max() + 1))
    np.add.at(table, (ranks.astype(int), y), 1)
    return (table / table.sum(axis=0)).max(axis=1).sum() / table.shape[1]


def _of_a_quantity(column, y):
    """R2 of a column of numbers by itself if that may be near 1: its ranks are those of the target."""
    present = column.notna().to_numpy()
    if column.dtype != np.float64 or present.sum() < max(_FEW, 0.5 * len(y)) or np.ptp(column[present]) == 0:
        return 0.0
    monotone = abs(np.corrcoef(rankdata(column[present]), rankdata(y[present]))[0, 1])
    if monotone > _EXACT or monotone <= _MONOTONE:
        return float(monotone > _EXACT)
    tree, parts = DecisionTreeRegressor(min_samples_leaf=2), folds(Rows(y, "regression"), 5, 0)
    return r2_score(y, cross_val_predict(tree, column.to_numpy()[:, None], y, cv=parts))


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
    if problem.task != "regression" or rows.sum() < _FEW:
        return None
    numbers, y = numbers[rows], problem.y[rows].astype(float)
    units = (10.0**-digits for digits in range(_MOST_DIGITS) if np.allclose(y, y.round(digits), rtol=1e-12, atol=0))
    error = next(units, 0.0) / 12**0.5  # of a value that was rounded to the unit of its last digit
    if names := _exact_set(numbers, y, error):
        return {"columns": names, "how": "a sum or difference (with weights)"}
    logs = np.log(numbers.loc[:, (numbers > 0).all()])
    for factor in (y, 1 + y, 1 - y, 100 + y, 100 - y):  # or y is a change, or a share that is lost, also in percent
        if (factor > 0).all() and (names := _exact_set(logs, np.log(factor), error / factor)):
            return {"columns": names, "how": "a product or ratio"}
    return None


def _exact_set(A, y, error):
    """The first two or three columns of which y is a linear function up to errors of this size; or None."""
    exact = min(_EXACT, max(_ALONE, 1 - _MARGIN * np.mean(error**2) / max(y.var(), np.finfo(float).tiny)))
    y = (y - y.mean()) / max(y.std(), np.finfo(float).tiny)
    Z = ((A - A.mean()) / np.maximum(A.std(ddof=0), np.finfo(float).tiny)).to_numpy()
    alone = np.abs(Z.T @ y)
    places = np.sort(np.argsort(-alone, kind="stable")[:_MOST_COMBINED])
    G, r = Z[:, places].T @ Z[:, places] / len(y), Z[:, places].T @ y / len(y)
    for size in range(2, min(3, len(places)) + 1):
        sets = np.array(list(combinations(range(len(places)), size)))
        inner = G[sets[:, :, None], sets[:, None, :]] + 1e-10 * np.eye(size)
        explained = (r[sets] * np.linalg.solve(inner, r[sets][..., None])[..., 0]).sum(axis=1)
        if explained.max() > exact:
            return list(A.columns[places[sets[explained.argmax()]]])
    return None


@rule(
    "follow-up time",
    "{columns}: by the name, the time until “{target}” was recorded, which is known only afterwards.",
    "Kept. Leave it out by --drop, or use a survival model; --keep ends this warning.",
)
def follow_up_time(problem):
    """Time until an event as a feature for the event: it is known only afterwards."""
    if problem.task == "regression" or not has_word(problem.target.name, f"^status$|{_EVENT}"):
        return None
    numbers = [name for name in problem.X if problem.kinds[name] == "number" and name not in problem.keep]
    names = [name for name in numbers if has_word(name, _DURATION) and "age" not in name.lower()]
    return names and {"columns": names, "target": problem.target.name}


@rule("filled in for one class", "{columns}: filled in for one class only.", "Kept. Is that known before the target?")
def filled_in_for_one_class(problem):
    """A column that half of the rows of one class have a value in, and no other row: perhaps it is filled in later."""
    sizes, found = np.bincount(problem.y) if problem.task == "classification" else [], {}
    for name, column in problem.X.drop(columns=list(problem.keep), errors="ignore").items() if len(sizes) else ():
        filled = np.bincount(problem.y[column.notna()], minlength=len(sizes))
        k = filled.argmax()
        by_chance = column.isna().mean() ** (len(column) - sizes[k])  # that no other row has a value
        if filled.sum() == filled[k] >= max(_FEWEST_FILLED, sizes[k] / 2) and by_chance < _SURE:
            found[name] = f"{filled[k]} of {sizes[k]} rows of “{problem.target.classes[k]}”"
    return found and {"columns": found}

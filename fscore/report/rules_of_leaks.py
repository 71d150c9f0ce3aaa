"""Rules for columns that reveal the target, and for columns that repeat each other."""

from itertools import chain
from math import comb

import numpy as np
import pandas as pd
from scipy.stats import binom, rankdata
from sklearn.linear_model import LinearRegression
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.criteria import LinearFit
from fscore.report.derived import PLACES
from fscore.report.issues import counted, rule
from fscore.report.names import has_word, is_identifier_name, is_unit_number
from fscore.report.rules_of_offers import is_linear_copy, is_one_time, unit_of
from fscore.report.scores import Rows, folds, measure_of
from fscore.search import SBS

__all__ = []

_MOST_GAPS = 2  # times as many codes as there are, at most, from the first to the last
_MOST_TRIED = 200  # rows, and columns, that are compared in pairs
_ALONE = 0.99  # balanced accuracy or R2 of one column by itself that is too good
_EXACT = 1 - 1e-5  # R2 of a calculation from other columns; the rest is rounding
_MONOTONE = 0.97  # rank correlation with a quantity: only then is a tree fitted
_PROMISING = 0.9  # share of rows whose class is the most frequent one of their bin: only then is a tree fitted
_N_BINS = 24
_FEW = 30
_FEWEST_FILLED = 20
_MOST_STEPS = 1000  # rows, before all are compared
_FINE = 5  # times the rounding of such a sum that the target must vary by
_FLOAT_ERROR = 1e-9  # of a difference, in parts of the numbers
_NEARLY_ALL = 0.9  # of the steps from row to row; others are gaps
_FEWEST_BANDS = 3  # limit and order of fewer may agree by chance
_SMALLEST_BAND = 5  # rows
_WAYS = 1e5  # to choose the rows of the smallest band, from which two are enough
_SURE = 1e-4  # probability that a pattern arises by chance
_MARGIN = 1.5  # by which the variance of its rounding may be exceeded
_BEST_FITTED = 0.8  # share of the rows that a sum with exceptions fits
_N_STEPS = 10
_MOST_CODES = 10  # different numbers of units that may be codes of the target; more are units
_SHORTEST_LABEL = 3  # letters of a class from which its occurrence in another text is not a coincidence
_MOSTLY = 0.5  # of the rows in which a column is the target, or in proportion to it
_OFTEN = 0.2  # share of the rows with a value, from which a column may tell the class in these
_FEWEST_VALUES = 20
_FINEST = 5e-6  # relative rounding of a ratio
_PEAK = 0.8  # of the ratios near the most frequent one that are equal to it; of measurements that are alike, a third
_NEARLY_ONLY = 0.95  # of the rows with a value are of one class
_MOST_LEVELS = 10
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
    "target leak",
    "{columns}: the values contain the class that is to be predicted.",
    "Left out; derive a column without the class to use the rest of it.",
    leaves_out=True,
)
def contains_the_target(problem):
    """A text that has the class of its row in it: "2013FAIL" where the class is "FAIL"."""
    labels = pd.Series(problem.labels()).astype(str).str.casefold()
    words = labels[labels.str.count(r"[^\W\d_]") >= _SHORTEST_LABEL]
    of_words = [name for name in problem.X if problem.kinds[name] in ("category", "text") and not problem.is_kept(name)]

    def holds(name):
        texts = problem.X[name][words.index].fillna("").str.casefold()
        return np.mean([word in text and word != text for word, text in zip(words, texts, strict=True)]) >= 0.9

    return [name for name in of_words if len(words) >= _FEWEST_VALUES and holds(name)]


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
        for earlier in chain.from_iterable(first.get(key, ()) for key in keys):
            pair = X[[earlier, name]].dropna()
            shared = set(_contents(pair[earlier])) & set(_contents(pair[name]))
            if {key[0] for key in shared} == {"ranks"} and not _are_alike(problem, earlier, name):
                continue  # such as a start and an end
            if shared:
                copies[name] = f"= “{earlier}”"
        for key in keys if name not in copies else ():
            first.setdefault(key, []).append(name)
    return copies and {"columns": copies}


def _are_alike(problem, one, other):
    """Whether numbers in one order are linear functions of one another up to rounding, or dates up to a second."""
    are_dates = problem.kinds[one] == problem.kinds[other] == "date"
    return is_linear_copy(problem.X[one], problem.X[other]) or (are_dates and is_one_time(problem.X, one, other))


def _contents(column):
    """What copies share: the pattern of words and codes that repeat, and the ranks of numbers, in either direction."""
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    if len(distinct) <= len(column) / 2 and column.dtype != np.float64:
        return [("pattern", hash(codes.tobytes()))]
    if column.dtype != np.float64:
        return []
    x = column.to_numpy()
    numbers = [("ranks", hash(rankdata(np.where(np.isnan(x), np.inf, sign * x)).tobytes())) for sign in (1, -1)]
    few = len(distinct) <= min(len(column) / 2, 50)
    return numbers + ([("pattern", hash(codes.tobytes()))] if few and _are_codes(distinct, column.name) else [])


def _are_codes(distinct, name):
    """Whether numbers may stand for words, as 1 to 5 or 0, 4, 8 do, and not measure something that each word has."""
    numbers = np.unique(distinct[~np.isnan(distinct)])
    if not np.array_equal(numbers, numbers.round()) or np.abs(numbers).max() > 2**53:
        return False
    step = max(np.gcd.reduce(np.diff(numbers).astype(np.int64)), 1)
    return is_identifier_name(name) or np.ptp(numbers) / step < _MOST_GAPS * len(numbers)


@rule(
    "target leak",
    "One column predicts the target alone, which real measurements hardly ever do ({measure}): {columns}.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def target_leak(problem):
    """A column that predicts the target alone; a number of units does, if their targets are alike."""
    scores = {}
    for name, column in problem.X.items() if len(problem.y) >= _FEW else ():
        is_unit = is_unit_number(name) and column.nunique() > _MOST_CODES
        if is_unit or not _may_leak(problem, name):
            continue
        score = (_of_a_class if problem.task == "classification" else _of_a_quantity)(column, problem.y)
        if score >= _ALONE:
            scores[name] = f"{score:.3f}"
    return scores and {"columns": _with_ends(problem, scores), "measure": measure_of(problem.task)}


def _with_ends(problem, leaks):
    """Columns that leak, with what is said of each; the end of a difference that leaks does, and what is made of it."""
    ends = {n: problem.derived[n][1][1] for n in leaks if problem.derived.get(n, ("",))[0] == "difference"}
    ends = {end: f"the end of “{name}”" for name, end in ends.items() if end in problem.X}
    parts = {n: f"of “{columns[-1]}”" for n, (_, columns) in problem.derived.items() if n in problem.X}
    parts = {n: words for n, words in parts.items() if not set(ends).isdisjoint(problem.derived[n][1])}
    return leaks | {name: words for name, words in (ends | parts).items() if name not in leaks}


@rule(
    "target leak",
    "The target is this number, rounded: {columns}.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def rounded_to_the_target(problem):
    """A quantity within a unit of the target, up or down, as the time between two dates of which it counts the days."""
    unit = unit_of(problem.y) if problem.task == "regression" else 0.0
    if len(problem.y) < _FEW or not 0 < 2 * unit <= np.std(problem.y):
        return None
    leaks, numbers = {}, problem.X.select_dtypes(np.float64)
    gaps = numbers.sub(problem.y, axis=0)
    low, high = gaps.min(), gaps.max()
    for name in gaps.columns[(high - low < 2 * unit) & (gaps.notna().mean() >= _MOSTLY)]:
        if _may_leak(problem, name) and _of_a_quantity(numbers[name], problem.y) < _ALONE:
            leaks[name] = f"{low[name]:.2g} to {high[name]:.2g} more than it"
    return leaks and {"columns": _with_ends(problem, leaks)}


@rule(
    "target leak",
    "{columns}: each of its values stands for a range of the target.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def target_in_bands(problem):
    """A column such as a grade that divides the target at limits; groups that differ by nature lie further apart."""
    target = pd.to_numeric(pd.Series(problem.labels()), errors="coerce")
    if target.isna().any() or target.nunique() < 2 * _FEWEST_BANDS:
        return None
    values = np.unique(target)

    def is_band(name):
        codes = pd.Series(pd.factorize(problem.X[name])[0])
        if not 2 <= codes.max() + 1 <= len(values) / 2 or (codes >= 0).mean() < _OFTEN:
            return False
        bands = target[codes >= 0].groupby(codes).agg(["min", "max", "size"]).sort_values("min")
        steps = bands["min"].to_numpy()[1:] - bands["max"].to_numpy()[:-1]
        are_large = (bands["size"] >= _SMALLEST_BAND).to_numpy()
        between_large = steps[are_large[1:] & are_large[:-1]]
        inside = np.diff(values)[np.isin(values[1:], bands["min"], invert=True)]
        smallest, n = int(bands["size"].min()), int(bands["size"].sum())
        surely = smallest >= _SMALLEST_BAND and comb(n, smallest) >= _WAYS
        are_enough = surely or are_large.sum() >= _FEWEST_BANDS
        return are_enough and (steps > 0).all() and between_large.max(initial=0.0) <= inside.max()

    return [name for name in problem.X if _may_leak(problem, name) and is_band(name)]


@rule(
    "target leak",
    "{columns}: from row to row it grows by the target.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def running_sum(problem):
    """A column whose step to the next row, or from the row before, is the target, also within each unit of a panel.

    The most frequent target, often 0, doesn't count: other columns may stay as they are.
    """
    if problem.task == "classification":
        return None
    units = [pd.factorize(problem.typed(name))[0] for name, kind in problem.kinds.items() if kind == "category"]
    panels = [unit for unit in units if _FEWEST_BANDS * (unit.max() + 1) < len(problem.y)]
    y, unit = problem.y, unit_of(problem.y)
    usual, spread = pd.Series(y).mode()[0], np.std(y)

    def is_sum(x, of_units, rows):
        coarse = unit_of(x[~np.isnan(x)])
        error = (coarse if coarse > unit else unit / 2) + _FLOAT_ERROR * np.nanmax(np.abs(x), initial=0.0)
        if _FINE * error >= spread:
            return False
        steps = np.where(np.diff(of_units[rows]) == 0, np.diff(x[rows]), np.nan)
        targets = np.array([y[rows[1:]], y[rows[:-1]]])
        counts = ~np.isnan(steps) & (targets != usual)
        equal = (counts & (np.abs(steps - targets) <= error)).sum(axis=1)
        return (equal >= np.maximum(_FEW, _NEARLY_ALL * counts.sum(axis=1))).any()

    # The rows of each unit together, in their order.
    orders = [(of_units, np.argsort(of_units, kind="stable")) for of_units in [np.zeros(len(y), int), *panels]]

    def grows(x):
        return any(
            is_sum(x[:_MOST_STEPS], of_units, rows[rows < _MOST_STEPS]) and is_sum(x, of_units, rows)
            for of_units, rows in orders
        )

    numbers = problem.X.select_dtypes(np.float64)
    return [name for name, column in numbers.items() if _may_leak(problem, name) and grows(column.to_numpy())]


@rule(
    "target leak",
    "{columns}: the mean target of the rows that share its value.",
    "Left out. If it is known before the outcome, run again with --keep and its name.",
    leaves_out=True,
)
def mean_of_the_target(problem):
    """A column of means of the target over rows such as repetitions, which it is the same in."""
    if problem.task == "classification":
        return None
    y, names = pd.Series(problem.y), []
    numbers = problem.X.select_dtypes(np.float64)
    repeated = numbers.loc[:, (numbers.mean() - y.mean()).abs() < y.std() / 10]
    for name, x in repeated.loc[:, repeated.nunique() < len(y) - _FEW].items():
        means = y.groupby(x.to_numpy()).agg(["mean", "size", "std"])
        means = means[(means["size"] > 1) & (means["std"] > 0)]
        error = unit_of(x.dropna()) / 2 + unit_of(problem.y) / 2 + _FLOAT_ERROR * np.abs(problem.y).max()
        equal = np.abs(means["mean"] - means.index) <= error
        fits = len(means) >= _FEW and equal.mean() >= _MOSTLY and 2 * error < y.std()
        if fits and _may_leak(problem, name) and _of_a_quantity(x, problem.y) < _ALONE:
            names.append(name)
    return names


def _may_leak(problem, name):
    """Whether a column is not one that the user keeps, or of groups or times, by which rows are known beforehand."""
    return not problem.is_kept(name) and name not in (problem.group_name, *problem.time_columns)


def _of_a_class(column, y):
    """Balanced accuracy of a column by itself, at least roughly."""
    of_numbers = column.dtype == np.float64
    codes = column.to_numpy() if of_numbers else pd.factorize(column)[0].astype(float)
    missing = np.isnan(codes)
    present = column.notna().to_numpy()
    is_filled = _OFTEN * len(y) <= present.sum() < len(y)
    if is_filled and np.bincount(y[present], minlength=y.max() + 1).min() >= 5:
        alone = _of_a_class(column[present], y[present])
        if alone >= _ALONE:
            return alone
    if min(missing.sum(), (~missing).sum()) >= 5:
        gaps = [missing[y != c].mean() - missing[y == c].mean() for c in range(y.max() + 1)]
        # That there is a value tells the class; that there is none, only of two.
        if (alone := (1 + max(np.abs(gaps) if len(gaps) == 2 else gaps)) / 2) >= _ALONE:
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
    if column.dtype != np.float64:
        return 0.0
    x = column.to_numpy()
    present = ~np.isnan(x)
    if present.sum() < max(_FEW, _OFTEN * len(y)) or np.ptp(x[present]) == 0:
        return 0.0
    monotone = abs(np.corrcoef(rankdata(x[present]), rankdata(y[present]))[0, 1])
    if monotone > _EXACT or monotone <= _MONOTONE:
        return float(monotone > _EXACT)
    tree, parts = DecisionTreeRegressor(min_samples_leaf=2), folds(Rows(y, "regression"), 5, 0)
    return r2_score(y, cross_val_predict(tree, x[:, None], y, cv=parts))


@rule(
    "joint leak",
    "The target is calculated from {columns}: it is {how} of {whom}.",
    "Kept. Are these known before the target? If not, leave them out by --drop.",
)
def joint_leak(problem):
    """Columns from which the target is calculated: as a weighted sum, or, of two or three, as a product or ratio.

    A class may say which one of two is larger, such as the goals of two teams.
    """
    derived = {n for n, (how, _) in problem.derived.items() if how not in PLACES}
    not_asked = [name for name in problem.X if problem.is_kept(name) or name in derived]
    numbers = problem.X.select_dtypes(np.float64).drop(columns=not_asked, errors="ignore")
    numbers = numbers.loc[:, numbers.notna().mean() > 0.9]
    rows = numbers.notna().all(axis=1).to_numpy()
    if rows.sum() < _FEW:
        return None
    numbers, y = numbers[rows], problem.y[rows].astype(float)
    if problem.task == "classification":
        return _calculated(problem, _compared(numbers, problem.y[rows]), "", "the larger one")
    error = unit_of(y, n_zeros=3) / 12**0.5  # of a value that was rounded to the unit of its last digit
    for summands in (numbers, _with_effects(problem, numbers, rows, y)):
        if found := _exact_set(summands, y, error):
            return _calculated(problem, *found, "a sum or difference (with weights)")
    for factor in (y, 1 + y, 1 - y, 100 + y, 100 - y):  # or y is a change, or a share that is lost, also in percent
        positive = factor > 0
        if positive.sum() < max(_FEW, _MOSTLY * len(y)) or np.ptp(factor[positive]) == 0:
            continue
        logs = numbers[positive].loc[:, (numbers[positive] > 0).all()]
        if found := _exact_set(np.log(logs), np.log(factor[positive]), error / factor[positive]):
            return _calculated(problem, *found, "a product or ratio")
    return None


def _with_effects(problem, numbers, rows, y):
    """Numbers, and for each category of few levels what each adds to the target by least squares, as in a test's items.

    No columns if there is one category at most, there are too few rows for so many levels, or the fit is not close.
    """
    words = [name for name in problem.X if problem.kinds[name] == "category" and not problem.is_kept(name)]
    words = [name for name in words if 2 <= problem.X[name][rows].nunique() <= _MOST_LEVELS]
    if len(words) < 2:
        return numbers.iloc[:, :0]
    levels = {name: pd.get_dummies(problem.X.loc[rows, name], dtype=float) for name in words}
    correlated = numbers.corrwith(pd.Series(y, numbers.index)).abs().nlargest(_MOST_COMBINED)
    numbers = numbers[correlated.index]
    A = np.column_stack([(numbers - numbers.mean()) / numbers.std(), *levels.values()])
    tried = slice(None, None, -(-len(y) // (_MOST_STEPS + A.shape[1])))
    too_many = A.shape[1] > len(y) - _FEW
    if too_many or LinearRegression().fit(A[tried], y[tried]).score(A[tried], y[tried]) <= _ALONE:
        return numbers.iloc[:, :0]
    starts = np.cumsum([numbers.shape[1], *(table.shape[1] for table in levels.values())])
    coefficients = np.split(LinearRegression().fit(A, y).coef_, starts)[1:-1]
    added = {name: table @ b for (name, table), b in zip(levels.items(), coefficients, strict=True)}
    return numbers.assign(**added)


def _calculated(problem, names, where, how):
    """The columns of the file that the target is calculated from, and how; None if there are none."""
    sources = list(dict.fromkeys(source for name in names or () for source in problem.source_columns(name)))
    return sources and {"columns": sources, "how": how, "whom": ("them" if len(sources) > 1 else "its numbers") + where}


def _compared(numbers, y):
    """Two columns whose order tells the class; or None."""
    few = numbers.iloc[:: -(-len(y) // _MOST_TRIED), :_MOST_TRIED].to_numpy()
    classes = y[:: -(-len(y) // _MOST_TRIED), None] == np.arange(y.max() + 1)
    for i, column in enumerate(few.T):
        order = np.sign(few - column[:, None])
        told = sum((classes.T.astype(float) @ (order == sign)).max(axis=0) for sign in (-1, 0, 1))
        for j in i + 1 + np.flatnonzero(told[i + 1 :] >= _ALONE * len(few)):
            names = [numbers.columns[i], numbers.columns[j]]
            if _purity(np.sign(numbers[names[0]] - numbers[names[1]]).to_numpy(), y, in_bins=False) >= _ALONE:
                return names
    return None


def _exact_set(A, y, error):
    """The columns of which y is a linear function up to errors of this size, and in which rows; None if there are none.

    The fewest columns are found by elimination. Rows are all; of a sum also four of five, as where it is given as
    ">95" in some.
    """
    if A.shape[1] < 2:
        return None
    n_columns = min(_MOST_COMBINED, max(3, len(y) - _FEW))
    correlated = A.corrwith(pd.Series(y, A.index)).abs().nlargest(n_columns)
    A = A.loc[:, A.columns.isin(correlated.index)]
    names, A = list(A), ((A - A.mean()) / A.std()).to_numpy()
    rows, where, model = slice(None), "", LinearRegression().fit(A, y)
    # The share of the variance of y that a calculation explains.
    exact = min(_EXACT, max(_ALONE, 1 - _MARGIN * np.mean(error**2) / max(y.var(), np.finfo(float).tiny)))
    if model.score(A, y) <= exact:
        rows, misfit = _best_fitted(A, y)
        if np.ndim(error) or misfit > 2 * error or np.ptp(y[rows]) == 0:
            return None
        where = " in most rows"
        exact = min(exact, LinearRegression().fit(A[rows], y[rows]).score(A[rows], y[rows]) - _FLOAT_ERROR)
    best = SBS(LinearFit(), 1).fit(A[rows], y[rows]).best_per_size_
    fewest = best["support"][best["value"] > exact].iloc[0]
    return [names[column] for column in fewest], where


def _best_fitted(A, y):
    """Four of five rows of a sample that a linear function fits best, and the largest misfit in these.

    Least trimmed squares, by concentration steps.
    """
    rows = sample = np.arange(0, len(y), -(-len(y) // (_MOST_STEPS + A.shape[1])))
    for _ in range(_N_STEPS):
        misfit = np.abs(y[sample] - LinearRegression().fit(A[rows], y[rows]).predict(A[sample]))
        order = np.argsort(misfit, kind="stable")[: int(_BEST_FITTED * len(sample))]
        rows = sample[order]
    return rows, misfit[order[-1]]


@rule(
    "mostly equal",
    "{columns}: in most rows equal to the target, or in proportion to it.",
    "Kept. Is it known before the target? If not, leave it out by --drop.",
)
def mostly_equal(problem):
    """Another amount of what the target measures: in another unit or currency in some rows, up to rounding.

    If most rows have one ratio, the median is one of theirs, and hardly any ratio lies just beyond rounding.
    """
    ratios = {}
    numbers = problem.X.select_dtypes(np.float64) if problem.task == "regression" else {}
    for name, column in numbers.items() if len(np.unique(problem.y)) > _FEWEST_VALUES else ():
        x = column.to_numpy()
        rows = ~np.isnan(x) & (x != 0) & (problem.y != 0)
        x, y = np.abs(x[rows]), np.abs(problem.y[rows])
        few = rows.mean() <= _MOSTLY or min(len(np.unique(x)), len(np.unique(y))) <= _FEWEST_VALUES
        if few or problem.is_kept(name) or name in problem.derived:
            continue
        ratio, rounding = np.log(y / x), 0.5 * (unit_of(x) / x + unit_of(y) / y) + _FINEST
        gap = np.abs(ratio - np.median(ratio)) / (rounding + np.median(rounding))
        equal, near = np.mean(gap <= 1), np.mean(gap <= 3)
        if equal > max(_MOSTLY, _PEAK * near):
            ratios[name] = f"{np.exp(np.median(ratio)):.4g} of it in {equal:.0%} of the rows"
    return ratios and {"columns": ratios}


@rule(
    "follow-up time",
    "{columns}: {how} the time until “{target}” was recorded, which is known only afterwards.",
    "Kept. Leave out by --drop what isn't known before, or use a survival model; --keep ends this warning.",
)
def follow_up_time(problem):
    """Time until an event as a feature for it, or the dates that it lies between: it is known only afterwards."""
    if problem.task == "regression" or not has_word(problem.target.name, f"^status$|{_EVENT}"):
        return None
    numbers = [n for n in problem.X if problem.kinds[n] == "number" and n not in problem.derived]
    named = [name for name in numbers if has_word(name, _DURATION) and "age" not in name.lower()]
    pairs = [pair for how, pair in problem.derived.values() if how == "difference" and problem.kinds[pair[0]] == "date"]
    names = [name for name in dict.fromkeys([*named, *chain(*pairs)]) if not problem.is_kept(name)]
    how = "by the name," if set(names) <= set(named) else "dates or numbers that give"
    return names and {"columns": names, "how": how, "target": problem.target.name}


@rule("filled in for one class", "{columns}: filled in for {only} one class.", "Kept. Is that known before the target?")
def filled_in_for_one_class(problem):
    """A column that half of the rows of one class have a value in, and hardly any other: it may be filled in later.

    Zero amounts count as no value.
    """
    sizes, filled_in = np.bincount(problem.y) if problem.task == "classification" else [], {}
    exceptions = 0
    for name, column in problem.X.items() if len(sizes) else ():
        has_value = column.notna() & ((column != 0) | (column.nunique() <= _MOST_CODES))
        filled = np.bincount(problem.y[has_value], minlength=len(sizes))
        k, n = filled.argmax(), filled.sum()
        by_chance = binom.sf(filled[k] - 1, n, sizes[k] / len(column))  # that so many of them are of this class
        frequent = filled[k] >= max(_FEWEST_FILLED, sizes[k] / 2, _NEARLY_ONLY * n)
        if frequent and by_chance < _SURE and n < len(column) and not problem.is_kept(name):
            filled_in[name] = f"{filled[k]} of {sizes[k]} rows of “{problem.target.classes[k]}”"
            filled_in[name] += f", and {counted(n - filled[k], 'other')}" if n > filled[k] else ""
            exceptions += n - filled[k]
    return filled_in and {"columns": filled_in, "only": "nearly only" if exceptions else "only"}

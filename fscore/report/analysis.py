"""The steps of work behind a report; each gives a result that JSON can keep."""

import time
import warnings
from contextlib import suppress
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from fscore.report.models import MODELS, encode, encoded_model, fit_predict, with_means
from fscore.report.rankings import METHODS, MOST_UNITS, RANKING_OF_MODEL, rank, screen
from fscore.report.scores import Rows, difference, draw, folds, losses, score, values

__all__ = ["Analysis", "BudgetSpent", "Settings"]

N_INNER = 4
N_PAIRS = 20  # complementary halves in which columns are selected again
N_BATCHES = 4
GOOD = 0.02  # a set that loses no more is good enough to be reported
_CAUTION = {"trees": 1, "forest": 2}  # standard errors by which a model must be better than the preferred ones
_SMALL = 600  # rows up to which ten outer folds are made, five beyond
_QUICK_ROWS = 300
_MOST_SHOWN = 12  # columns whose effect is drawn
_GRID = 12  # values of a column at which its effect is drawn
_TITLES = {  # of steps that may be missing
    "select": "the choice of columns",
    "fold": "the score",
    "effects": "effects of columns",
    "split": "the score {split}",
    "resamples": "selection in halves of the rows",
    "agreement": "ranks by all methods",
}


class BudgetSpent(Exception):
    """The time is up."""


class Settings(NamedTuple):
    """What a selection needs to know besides the data.

    Attributes
    ----------
    task : {"classification", "regression"}
    methods : tuple of str
        Rankings to choose from; empty for the one that goes with the model.
    max_features : int or None
    seed : int
    cost : tuple of float, one for each column, or None
    """

    task: str
    methods: tuple = ()
    max_features: int | None = None
    seed: int = 0
    cost: tuple | None = None


class Analysis:
    """All that is computed for a report.

    Parameters
    ----------
    problem : Problem
    settings : Settings
    deadline : float, optional
        Time (as by `time.time`) after which a step ends with `BudgetSpent`.
    """

    def __init__(self, problem, settings, deadline=None):
        self.problem, self.settings, self.deadline = problem, settings, deadline
        self.counter = None  # path of a file that gets a byte for each model
        drawn = problem.drawn
        self.X = problem.X.iloc[drawn].reset_index(drop=True)
        self.y = problem.y[drawn]
        self.cost = np.ones(self.X.shape[1]) if settings.cost is None else np.array(settings.cost)
        self.groups, self.time = (row if row is None else row[drawn] for row in (problem.groups, problem.time))
        self.split, self.rows, self.outer, self.other_splits = self._splits()

    def _splits(self):
        """Name, rows and folds of the headline; the same of other splits into training and test rows.

        What a rule suggests must allow folds.
        """
        problem, y, task = self.problem, self.y, self.settings.task
        groups = None if problem.looks_for_groups else self.groups
        time = None if problem.looks_for_time else self.time
        split_rows = {}
        if problem.group_name is not None and problem.looks_for_groups:
            split_rows[f"for a new “{problem.group_name}”"] = Rows(y, task, self.groups, time)
        if self.time is not None and problem.looks_for_time:
            split_rows[f"forwards in time by {problem.time_name}"] = Rows(y, task, groups, self.time)
        splits = []
        for name, rows in split_rows.items():
            with suppress(ValueError):
                splits.append((name, rows, self._outer(rows)))
        known = "on rows drawn at random" if problem.group_name is None else f"for a known “{problem.group_name}”"
        random = Rows(y, task, groups if problem.group_name else self.groups, time)
        splits.append((known if splits else "", random, self._outer(random)))
        name, rows, outer = splits[0]
        return name, rows, self._outer(rows, 10) if len(y) <= _SMALL else outer, splits[1:]

    def _outer(self, rows, n_splits=5):
        """Outer folds whose training part can be divided again."""
        outer = []
        for train, test in folds(rows, n_splits, self.settings.seed + 1):
            try:
                folds(rows[train], N_INNER, self.settings.seed)
                outer.append((train, test))
            except ValueError as error:
                why = error
        if not outer:
            raise ValueError(f"when one part is set aside for testing, {why}")
        return outer

    def splits(self):
        """What divides the rows, by the name of the split: the headline's first, at random last."""
        splits = {self.split: self.rows, **{name: rows for name, rows, _ in self.other_splits}}
        splits.setdefault("on rows drawn at random", Rows(self.y, self.settings.task))
        return splits

    def plan(self, quick=False):
        """Names of the steps, the most important first."""
        return [name for name in self._steps(None) if quick or name != "quick"]

    @staticmethod
    def needs_selection(name):
        """Whether a step needs the result of "select"."""
        return name == "effects" or name.startswith("resamples")

    def missing(self, results):
        """What is not done, in words, by the names of the steps that are."""
        plan = pd.Series({name: name in results for name in self.plan()})
        missing = []
        for kind, is_done in plan.groupby(plan.index.str.split().str[0], sort=False):
            title = _TITLES[kind].format(split=self.other_splits[0][0] if self.other_splits else "")
            parts = f" ({(~is_done).sum()} of {len(is_done)} parts)" if is_done.any() else ""
            missing += [] if is_done.all() else [title + parts]
        return missing

    def _steps(self, selected):
        """What computes each step, by its name."""
        return {
            "quick": self._quick,
            "select": partial(self._select, np.arange(len(self.y)), self.rows),
            **{f"fold {k}": partial(self._fold, self.rows, *fold) for k, fold in enumerate(self.outer)},
            "effects": partial(self._effects, selected),
            **{
                f"split {s} fold {k}": partial(self._fold, rows, *fold)
                for s, (_, rows, outer) in enumerate(self.other_splits)
                for k, fold in enumerate(outer)
            },
            **{f"resamples {k}": partial(self._resamples, k, selected) for k in range(N_BATCHES)},
            "agreement": self._agreement,
        }

    def run(self, name, selected=None):
        """Compute one step.

        Parameters
        ----------
        name : str
        selected : dict, optional
            Result of "select", for what comes after it.

        Returns
        -------
        dict

        Raises
        ------
        BudgetSpent
        """
        return self._steps(selected)[name]()

    # the steps ------------------------------------------------------------------------------------------------------

    def _check_time(self):
        if self.deadline is not None and time.time() > self.deadline:
            raise BudgetSpent
        if self.counter:
            with open(self.counter, "ab") as file:
                file.write(b".")  # each of the processes that share it

    def _encode(self, rows, train, test=()):
        self._check_time()
        return encode(self.X, self.problem.kinds, rows, train, test)

    def _predict(self, model, encoded, chosen, y):
        self._check_time()
        return fit_predict(model, self.settings.task, encoded, chosen, y)

    def _rank(self, method, encoded, y, rows):
        """Columns, best first; that of the groups is last where folds keep these together: a new one is new there."""
        self._check_time()
        order = rank(method, encoded, y, self.X.shape[1], self.settings.task, self.settings.seed)
        names_group = self.X.columns[order] == self.problem.group_name
        return order if rows.groups is None else np.concatenate([order[~names_group], order[names_group]])

    def _select(self, train, rows, models=tuple(MODELS), methods=(), n_inner=N_INNER):
        """Choose the model, the ranking and the number of columns by cross-validation of the training rows.

        The model is linear unless trees are better by more than a standard error, with all columns that are ranked; a
        forest must be better than that one by more than two. Where trees are worse by more than one, a forest would
        hardly be chosen and is not tried, unless folds go forwards in time. The set is the cheapest of its ranking
        within one standard error of the best, row by row; a smaller one that loses at most 0.02 is named, too.
        """
        task, n_columns = self.settings.task, self.X.shape[1]
        methods = methods or self.settings.methods
        inner_folds = [
            (self._encode(rows, train[inner], train[test]), rows.y[train[inner]], train[test])
            for inner, test in folds(rows[train], n_inner, self.settings.seed)
        ]
        tested = np.concatenate([test for *_, test in inner_folds])
        fold = np.repeat(np.arange(len(inner_folds)), [len(test) for *_, test in inner_folds])
        y = rows.y[tested]

        def loss(model, columns_by_fold):
            predicted = [
                self._predict(model, encoded, columns, y_train)
                for (encoded, y_train, _), columns in zip(inner_folds, columns_by_fold, strict=True)
            ]
            return losses(y, np.concatenate(predicted), task)

        ranked = [screen(encoded, y_train, n_columns, task) for encoded, y_train, _ in inner_folds]
        model, *others = models
        with_all = {model: loss(model, ranked)}
        for name in others:
            with_all[name] = loss(name, ranked)
            gain = difference(y, with_all[name], with_all[model], task)
            if gain.value < -gain.error and rows.time is None:
                break
            model = name if gain.value > _CAUTION[name] * gain.error else model
        most = min(self.settings.max_features or n_columns, n_columns, MOST_UNITS)
        loss_of, cost = {}, {}
        for method in methods or (RANKING_OF_MODEL[model],):
            orders = [self._rank(method, encoded, y_train, rows) for encoded, y_train, _ in inner_folds]
            for size in sizes_up_to(most):
                chosen = [order[:size] for order in orders]
                cost[method, size] = np.mean([self.cost[columns].sum() for columns in chosen])
                loss_of[method, size] = with_all[model] if size == n_columns else loss(model, chosen)
        scores = {key: values(y, of_rows, task) for key, of_rows in loss_of.items()}
        best = max(scores, key=scores.get)
        method = best[0]
        gaps = {key: difference(y, loss_of[best], loss_of[key], task) for key in loss_of if key[0] == method}
        size, small = _cheapest(gaps, cost), _cheapest(gaps, cost, GOOD)
        order = self._rank(method, self._encode(rows, train), rows.y[train], rows)
        curve = {key[1]: score(y, of_rows, task, fold) for key, of_rows in loss_of.items() if key[0] == method}
        return {
            "model": model,
            "method": method,
            "order": order[: max(100, size)].tolist(),
            "size": size,
            "small": min(small, size),
            "sizes": [[size, point.value, point.lower, point.upper] for size, point in curve.items()],
            "models": {name: values(y, of_rows, task) for name, of_rows in with_all.items()},
            "reported": scores[best],
        }

    def _fold(self, rows, train, test, **limits):
        """Select from the training part alone; predict the test part with the selection, a small set and all."""
        selected = self._select(train, rows, **limits)
        encoded, y = self._encode(rows, train, test), rows.y[train]
        order, every = selected["order"], np.arange(self.X.shape[1])
        sets = {"chosen": order[: selected["size"]], "small": order[: selected["small"]], "all": every}
        predicted = {
            name: self._predict(selected["model"], encoded, columns, y).tolist() for name, columns in sets.items()
        }
        return {"columns": sets["chosen"], "test": test.tolist(), "mean": float(y.mean()), **predicted}

    def _quick(self):
        """A first answer from few rows, by a linear model and the size of its coefficients; it is always computed.

        What the same models score that learn from half of these rows says how far it may be from the end.
        """
        unlimited = copy(self)
        unlimited.deadline = None
        drawn = draw(Rows(self.y, self.settings.task), _QUICK_ROWS, self.settings.seed)
        limits = {"models": ("linear",), "methods": ("linear",), "n_inner": 2}
        for split, rows in self.splits().items():
            name = split
            with suppress(ValueError):
                outer = [(drawn[train], drawn[test]) for train, test in folds(rows[drawn], 3, self.settings.seed + 1)]
                scored = [unlimited._fold(rows, *fold, **limits) for fold in outer]
                selected = unlimited._select(drawn, rows, **limits)
                break
        halved = []
        with suppress(ValueError):
            halved = [unlimited._fold(rows, train[::2], test, **limits) for train, test in outer]
        return {"select": selected, "folds": scored, "halved": halved, "n_rows": len(drawn), "split": name}

    def _resamples(self, number, selected):
        """Rank again in halves of the rows, and take as many columns."""
        stratified = self.settings.task == "classification" and np.bincount(self.y).min() > 1
        splitter = StratifiedShuffleSplit if stratified else ShuffleSplit
        splitter = splitter if self.rows.groups is None else GroupShuffleSplit
        pairs = splitter(N_PAIRS, test_size=0.5, random_state=self.settings.seed + 3)
        halves = [half for pair in pairs.split(self.X, self.y, self.rows.groups) for half in pair]
        lists = []
        for half in halves[number * len(halves) // N_BATCHES : (number + 1) * len(halves) // N_BATCHES]:
            y = self.y[half]
            if np.ptp(y) > 0 and (self.settings.task == "regression" or np.bincount(y).max() > 1):
                order = self._rank(selected["method"], self._encode(self.rows, half), y, self.rows)
                lists.append(order[: selected["size"]].tolist())
        return {"columns": lists}

    def _effects(self, selected):
        """What shuffling a column costs, and what the model predicts for each of its values."""
        chosen = selected["order"][: selected["size"]]
        X = self.X.iloc[:, chosen]
        scoring = "balanced_accuracy" if self.settings.task == "classification" else "r2"
        scorer = {"scoring": scoring, "n_repeats": 5 if len(chosen) <= 30 else 1, "random_state": self.settings.seed}
        kinds = {name: self.problem.kinds[name] for name in X}
        means = with_means(X, kinds, self.rows.groups)
        importance, pipeline = [], encoded_model(selected["model"], kinds, self.settings.task, means)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # categories or classes that a part lacks
            for train, test in folds(self.rows, 5, self.settings.seed + 4):
                self._check_time()
                pipeline.fit(X.iloc[train], self.y[train])
                shuffled = permutation_importance(pipeline, X.iloc[test], self.y[test], **scorer)
                importance.append(shuffled.importances_mean.tolist())
            pipeline.fit(X, self.y)
            curves = {str(column): self._curve(pipeline, X, self.X.columns[column]) for column in chosen[:_MOST_SHOWN]}
        return {"columns": chosen, "importance": importance, "curves": curves}

    def _curve(self, pipeline, X, name):
        """Mean prediction by values of a column: each class, or the second of two, its chance if all count alike."""
        self._check_time()
        present, of_words = X[name].dropna(), self.problem.kinds[name] in ("category", "text")
        if of_words:
            grid = present.value_counts().index[:_GRID].to_numpy()
        else:
            grid = np.unique(np.quantile(present, np.linspace(0.05, 0.95, _GRID)))
        rows = X if len(X) <= 200 else X.sample(200, random_state=0)
        grids = {"custom_values": {name: grid}, "categorical_features": [name] if of_words else None}
        means = partial_dependence(pipeline, rows, [name], method="brute", **grids)["average"]
        return {"grid": grid.tolist(), "means": means.tolist()}

    def _agreement(self):
        """Order of the columns by every method, from all rows."""
        encoded = self._encode(self.rows, np.arange(len(self.y)))
        methods = self.settings.methods or METHODS
        return {name: self._rank(name, encoded, self.y, self.rows)[:100].tolist() for name in methods}


def _cheapest(gaps, cost, loss=0.0):
    inside = [key for key, gap in gaps.items() if gap.value <= max(gap.error, loss)]
    return min(inside, key=lambda key: (cost[key], gaps[key].value))[1]


def sizes_up_to(most):
    """Sizes to try: all small ones, then in steps of about a half.

    Examples
    --------
    >>> from fscore.report.analysis import sizes_up_to
    >>> sizes_up_to(30)
    [1, 2, 3, 4, 6, 9, 13, 19, 28, 30]
    """
    sizes, size = [], 1
    while size < most:
        sizes.append(size)
        size = max(size + 1, round(size * 1.45))
    return [*sizes, most]

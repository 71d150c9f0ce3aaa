"""The units of work behind a report; each gives a result that JSON can keep."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from fscore.dossier.folds import Rows, folds, half_samples
from fscore.dossier.models import encode, fit_predict
from fscore.dossier.rankings import rank_units
from fscore.dossier.scores import difference, losses, score, values
from fscore.dossier.selecting import ALL, N_INNER, Candidate, choose, curve

__all__ = ["N_BATCHES", "Work", "noise_share"]

N_PAIRS = 25  # complementary halves in which columns are selected again
N_BATCHES = 5
_N_PERMUTATIONS = 5
_N_ORDERS = 20  # of the labels that are tried until one can be divided into folds
_ASSOCIATED = 0.7  # absolute correlation from which a column may stand in for another
_MOST_SUBSTITUTES = 3
_MOST_CHECKED = 15
_SMALL = 600  # rows up to which ten outer folds are made, five beyond


class Work:
    """All that is computed for a report.

    Parameters
    ----------
    problem : Problem
    settings : Settings
    """

    def __init__(self, problem, settings):
        self.problem, self.settings = problem, settings
        drawn = problem.drawn
        self.X = problem.X.iloc[drawn].reset_index(drop=True)
        self.rows = Rows(
            problem.y[drawn],
            settings.task,
            None if problem.groups is None else problem.groups[drawn],
            None if problem.time is None else problem.time[drawn],
        )
        self.outer = self._outer(10 if len(drawn) <= _SMALL else 5)

    def _outer(self, n_splits):
        """Outer folds whose training part can be divided again."""
        outer, problem = [], None
        for train, test in folds(self.rows, n_splits, self.settings.seed + 1):
            try:
                folds(self.rows[train], N_INNER, self.settings.seed)
            except ValueError as error:
                problem = error
            else:
                outer.append((train, test))
        if not outer:
            raise problem
        return outer

    def plan(self):
        """Names of the units of work after "select", the most important first, with their relative cost."""
        batches = {f"resamples {k}": 2 for k in range(N_BATCHES)}
        return (
            {f"fold {k}": 4 for k in range(len(self.outer))}
            | {"effects": 1}
            | batches
            | {
                "substitutes": 1,
                "shuffled": 3,
            }
        )

    def run(self, name, selected=None):
        """Compute one unit of work.

        Parameters
        ----------
        name : str
        selected : dict, optional
            Result of "select"; needed by all that comes after it but the folds and "shuffled".

        Returns
        -------
        dict
        """
        kind, _, number = name.partition(" ")
        if kind == "fold":
            return self._fold(int(number))
        if kind == "resamples":
            return self._resamples(int(number), selected)
        if kind == "select":
            return self._select()
        if kind == "shuffled":
            return self._shuffled()
        return self._effects(selected) if kind == "effects" else self._substitutes(selected)

    # the units ----------------------------------------------------------------------------------------------------

    def _curve(self, rows, subset=None, ranks=None):
        X = self.X if subset is None else self.X.iloc[subset]
        return curve(X, self.problem.kinds, self.problem.units, rows, self.settings, ranks=ranks)

    def _ranks(self, train):
        A, _, owner = encode(self.X, self.problem.kinds, self.problem.units, train)
        y = self.rows.y[train]
        s = self.settings
        return rank_units(A, y, owner, len(self.problem.units), s.task, s.methods, s.seed)

    def _select(self):
        task = self.settings.task
        everything = np.arange(len(self.rows.y))
        found = self._curve(self.rows)
        ranks = self._ranks(everything)
        chosen = choose(found, task)
        reported = self._curve(self.rows, ranks=ranks).scores(task)
        best = {}
        for place, candidate in enumerate(found.candidates):
            if candidate.ranking != ALL and (
                candidate.size not in best or values(found.y, found.loss[place], task) > best[candidate.size][0]
            ):
                estimate = score(found.y, found.loss[place], task, found.fold)
                best[candidate.size] = (estimate.value, estimate.error, candidate.ranking, candidate.model)
        return {
            "chosen": list(chosen),
            "all": list(choose(found, task, selecting=False)),
            "units": [int(unit) for unit in ranks[chosen.ranking][: chosen.size]],
            "ranks": {name: [int(unit) for unit in order[:100]] for name, order in ranks.items()},
            "reported": float(max(reported)),
            "sizes": [[size, *best[size]] for size in sorted(best)],
        }

    def _fold(self, number):
        """Select from the training part alone; predict the test part, with the selection and with all columns."""
        train, test = self.outer[number]
        task = self.settings.task
        found = self._curve(self.rows[train], train)
        chosen, everything = choose(found, task), choose(found, task, selecting=False)
        ranks = self._ranks(train)
        ranks[ALL] = np.arange(len(self.problem.units))
        units = {name: np.sort(ranks[c.ranking][: c.size]) for name, c in (("chosen", chosen), ("all", everything))}
        A, B, owner = encode(self.X, self.problem.kinds, self.problem.units, train, test)
        predicted = {}
        for name, candidate in (("chosen", chosen), ("all", everything)):
            columns = np.isin(owner, units[name])
            y = self.rows.y[train]
            predicted[name] = fit_predict(candidate.model, task, A[:, columns], y, B[:, columns]).tolist()
        return {"candidate": list(chosen), "units": units["chosen"].tolist(), "test": test.tolist(), **predicted}

    def _shuffled(self):
        """What the search reports when there is nothing to find: labels in random order. None if no order has folds."""
        rng = np.random.default_rng(self.settings.seed + 2)
        s = self.settings
        for _ in range(_N_ORDERS):
            y = rng.permutation(self.rows.y)
            rows = Rows(y, s.task, self.rows.groups, self.rows.time)
            try:
                folds(rows, N_INNER, s.seed)
            except ValueError:  # a class lies in one group only, or begins too late in time
                continue
            A, _, owner = encode(self.X, self.problem.kinds, self.problem.units, np.arange(len(y)))
            ranks = rank_units(A, y, owner, len(self.problem.units), s.task, s.methods, s.seed)
            return {"reported": float(max(self._curve(rows, ranks=ranks).scores(s.task)))}
        return {"reported": None}

    def _resamples(self, number, selected):
        """Rank again in halves of the rows, and take as many units."""
        chosen = Candidate(*selected["chosen"])
        halves = half_samples(self.rows, N_PAIRS, self.settings.seed + 3)
        lists = []
        for half in halves[number * len(halves) // N_BATCHES : (number + 1) * len(halves) // N_BATCHES]:
            if self.settings.task == "classification" and len(np.unique(self.rows.y[half])) < 2:
                continue
            lists.append([int(unit) for unit in self._ranks(half)[chosen.ranking][: chosen.size]])
        return {"units": lists}

    def _loss_of(self, units, model, permuted=(), n_permutations=0):
        """Out-of-fold losses with given units, and with each of some units permuted in the test parts."""
        task, y = self.settings.task, self.rows.y
        loss = np.full(len(y), np.nan)
        broken = np.full((len(permuted), len(y)), np.nan)
        rng = np.random.default_rng(self.settings.seed + 4)
        names = [self.problem.units[unit] for unit in units]
        for train, test in folds(self.rows, 5, self.settings.seed + 4):
            A, B, owner = encode(self.X, self.problem.kinds, names, train, test)
            orders = [rng.permutation(len(test)) for _ in range(n_permutations)]
            tests = [B]
            for unit in permuted:
                columns = owner == units.index(unit)
                for order in orders:
                    tests.append(np.where(columns, B[order], B))
            predicted = fit_predict(model, task, A, y[train], np.concatenate(tests)).reshape(len(tests), len(test))
            found = losses(y[test], predicted, task)
            loss[test] = found[0]
            if n_permutations:
                broken[:, test] = found[1:].reshape(len(permuted), n_permutations, len(test)).mean(axis=1)
        tested = ~np.isnan(loss)
        return tested, loss[tested], broken[:, tested]

    def _effects(self, selected):
        """How much the score falls when a unit's values are permuted among the test rows."""
        units, model = selected["units"], selected["chosen"][2]
        tested, loss, broken = self._loss_of(units, model, units, _N_PERMUTATIONS)
        y, task = self.rows.y[tested], self.settings.task
        effects = {unit: list(difference(y, loss, other, task)) for unit, other in zip(units, broken, strict=True)}
        result = {"effects": {str(unit): effect for unit, effect in effects.items()}}
        if task == "regression":
            result["ceiling"] = self._ceiling(units)
        return result

    def _ceiling(self, units):
        """R2 that the Gamma Test expects of a smooth model: one minus the noise, relative to the variance of y."""
        names = [self.problem.units[unit] for unit in units]
        A, _, _ = encode(self.X, self.problem.kinds, names, np.arange(len(self.rows.y)))
        return 1 - noise_share(A, self.rows.y)

    def _substitutes(self, selected):
        """Units outside the selection that resemble one in it, and what taking them instead costs."""
        units, model = selected["units"], selected["chosen"][2]
        A, _, owner = encode(self.X, self.problem.kinds, self.problem.units, np.arange(len(self.rows.y)))
        with np.errstate(invalid="ignore", divide="ignore"):
            mine = np.flatnonzero(np.isin(owner, units[:_MOST_CHECKED]))
            Z = (A - A.mean(axis=0)) / np.where(A.std(axis=0) > 0, A.std(axis=0), np.inf)
            alike = np.abs(Z[:, mine].T @ Z) / len(A)
        n_units = len(self.problem.units)
        by_unit = np.zeros((n_units, n_units))
        np.maximum.at(by_unit, (owner[mine][:, None], owner[None, :]), alike)
        tested, loss, _ = self._loss_of(units, model)
        y, task = self.rows.y[tested], self.settings.task
        found = {}
        for unit in units[:_MOST_CHECKED]:
            near = [int(v) for v in np.argsort(-by_unit[unit], kind="stable")[:20] if v != unit]
            near = [v for v in near if by_unit[unit, v] >= _ASSOCIATED]
            inside = [v for v in near if v in units]
            rows = [[v, float(by_unit[unit, v]), None, None] for v in inside]
            for v in [v for v in near if v not in units][:_MOST_SUBSTITUTES]:
                _, other, _ = self._loss_of([v if u == unit else u for u in units], model)
                change = difference(y, other, loss, task)
                rows.append([v, float(by_unit[unit, v]), change.value, change.error])
            if rows:
                found[str(unit)] = rows
        return {"near": found}


def noise_share(A, y, n_neighbors=20):
    """Gamma Test for a quantity: the part of its variance that no smooth function of A explains.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    n_neighbors : int

    Returns
    -------
    float
        The intercept of the line through ``(delta(p), gamma(p))``, p = 1..n_neighbors, over the variance of y. A finite
        sample may give values outside [0, 1].

    References
    ----------
    Stefansson, Koncar, Jones (1997), "A note on the Gamma test"; Nel (1998), chapter 5.
    """
    k = min(n_neighbors, len(A) - 1)
    distance, near = NearestNeighbors(n_neighbors=k + 1).fit(A).kneighbors(A)
    delta = (distance[:, 1:] ** 2).mean(axis=0)
    gamma = ((y[near[:, 1:]] - y[:, None]) ** 2).mean(axis=0) / 2
    intercept = np.polyfit(delta, gamma, 1)[1] if np.ptp(delta) > 0 else gamma.mean()
    return float(intercept / y.var())

"""`Race` against the search on all rows: how much less it takes, and how often a step ends otherwise.

Both are timed in processor seconds. The choices are compared at every step of SFS on ten data sets, from the subset
that the search on all rows has reached. They have 20,000 rows, and a race begins with 2,000.
"""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from common import Row, against, waveform
from sklearn.datasets import (
    make_classification,
    make_friedman1,
    make_gaussian_quantiles,
    make_hastie_10_2,
    make_regression,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.criteria import CVScore
from fscore.search import SFS, Race

N_STEPS = 4
N_FOLDS = 3
N_COLUMNS = 30
FOREST = RandomForestClassifier(10, random_state=0)
BOOSTING = HistGradientBoostingClassifier(max_iter=50, random_state=0)


class Counted:
    """Counts the rows that models are trained on."""

    n_rows = 0

    def fit(self, X, y):
        """Fit, and count."""
        Counted.n_rows += len(X)
        return super().fit(X, y)


class Classifier(Counted, DecisionTreeClassifier):
    """A tree that counts."""


class Regressor(Counted, DecisionTreeRegressor):
    """A tree that counts."""


def rows(quick=False):
    """Rows of the table."""
    for model, n, goal in [(FOREST, 20_000, None)] if quick else [(FOREST, 100_000, 10), (BOOSTING, 100_000, 10)]:
        yield gain(model, n, goal)
    yield choices(quick)


def linear(n, n_columns=N_COLUMNS):
    """Two classes, decided by four columns, each less than the one before."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_columns))
    return X, (X[:, :4] @ [1, 0.8, 0.6, 0.4] + rng.standard_normal(n) > 0).astype(int)


def gain(model, n, goal):
    """The step that adds a fourth column, by the ten folds of the default, with three races and without one."""
    X, y = linear(n)
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        SFS(model, 3, warm_start_from=[0, 1, 2], checkpoint=before).fit(X, y)  # the step before has scored the three
        spent, supports = [], []
        for k, criterion in enumerate([model, *(Race(model, random_state=seed) for seed in range(3))]):
            checkpoint = shutil.copyfile(before, Path(folder) / str(k))
            start = time.process_time()
            search = SFS(criterion, 4, warm_start_from=[0, 1, 2], checkpoint=checkpoint)
            supports.append(search.fit(X, y).support_)
            spent.append(time.process_time() - start)
    work = f"{type(model).__name__}, {n:,} x {N_COLUMNS}, 10 folds: a race for the fourth column"
    whole, *races = spent
    return against(
        work, "on all rows", [whole] * 3, races, all(np.array_equal(supports[0], support) for support in supports), goal
    )


def data_sets(quick):
    """Samples and target of each data set."""
    n = 8000 if quick else 20_000
    rng = np.random.default_rng(0)
    waves, form = waveform(n)
    walk = rng.standard_normal((n, 20)).cumsum(axis=1)
    yield waves[:, :21], form
    yield walk, (walk[:, [3, 11]].sum(axis=1) + 3 * rng.standard_normal(n) > 0).astype(int)
    yield linear(n, 20)
    yield make_friedman1(n, 15, noise=2, random_state=0)
    yield make_regression(n, 20, n_informative=8, noise=100, random_state=0)
    yield make_hastie_10_2(n, random_state=0)
    yield make_gaussian_quantiles(n_samples=n, n_features=12, n_classes=3, random_state=0)
    yield make_classification(n, 20, n_informative=6, n_redundant=4, n_classes=4, random_state=0)
    yield make_classification(n, 20, n_informative=6, weights=[0.95], random_state=0)
    yield make_classification(n, 15, n_informative=5, class_sep=0.5, flip_y=0.1, random_state=0)


def choices(quick):
    """How often a race chooses another candidate than the search on all rows, what that loses, what is saved."""
    losses, shares, sets = [], [], list(data_sets(quick))
    for X, y in sets:
        is_number = y.dtype.kind == "f" and len(np.unique(y)) > 20
        tree = (Regressor if is_number else Classifier)(min_samples_leaf=10, random_state=0)
        J = CVScore(tree, cv=KFold(N_FOLDS, shuffle=True, random_state=0))
        with tempfile.TemporaryDirectory() as folder:
            for loss, share in steps(J, X, y, Path(folder) / "scores"):
                losses.append(loss)
                shares.append(share)
    others = [loss for loss in losses if loss is not None]
    worst = max(others, default=0.0)
    ours = f"another choice at {len(others)} steps, {100 * worst:.2g} points behind at most"
    work = f"Race, trees on {len(sets)} data sets: rows trained on at {len(losses)} steps"
    holds = len(others) < 0.05 * len(losses) and worst < 0.002
    return Row(
        work, "on all rows", ours, f"{1 / np.median(shares):.3g}", "< 5%, < 0.2 points", None if quick else holds
    )


def steps(J, X, y, checkpoint):
    """For each step what the race's choice loses, None if it is that of all rows, and the share of the training."""
    whole = SFS(J, N_STEPS, checkpoint=checkpoint).fit(X, y)
    values = dict(zip(whole.trace_["features"], whole.trace_["value"], strict=True))
    start, n_trained = None, (N_FOLDS - 1) * len(X)  # rows of all folds
    for size, chosen in enumerate(whole.path_["features"], 1):
        race = Race(J, min_resources=len(X) // 10, random_state=0)
        before = Counted.n_rows
        search = SFS(race, size, warm_start_from=start, checkpoint=checkpoint).fit(X, y)
        raced = search.path_["features"].iloc[-1]
        n_samples = (Counted.n_rows - before) / n_trained  # as candidates on all rows, whose scores are known
        n_whole = search.n_evaluations_ - (start is not None)
        share = (n_samples + n_whole) / (X.shape[1] - size + 1)
        yield None if raced == chosen else values[chosen] - values[raced], share
        start = chosen

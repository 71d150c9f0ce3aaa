"""`Race` against the search on all rows: how much less it takes, and how often a step ends otherwise.

Both are timed in processor seconds. The choices are compared at every step of SFS on ten data sets, from the subset
that the search on all rows has reached. They have 20,000 rows, and a race begins with 2,000.
"""

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
N_COLUMNS = 30
FOREST = RandomForestClassifier(10, random_state=0)
BOOSTING = HistGradientBoostingClassifier(max_iter=50, random_state=0)


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
    """The step that adds a fourth column, with and without a race."""
    X, y = linear(n)
    spent, supports = [], []
    for criterion in model, Race(model, random_state=0):
        start = time.process_time()
        supports.append(SFS(criterion, 4, cv=3, warm_start_from=[0, 1, 2]).fit(X, y).support_)
        spent.append([time.process_time() - start])
    work = f"{type(model).__name__}, {n:,} x {N_COLUMNS}: a race for the fourth column"
    return against(work, "on all rows", *spent, np.array_equal(*supports), goal)


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
    """How often a race chooses another candidate than the search on all rows, what that loses, and the rows saved."""
    losses, shares, sets = [], [], list(data_sets(quick))
    for X, y in sets:
        is_number = y.dtype.kind == "f" and len(np.unique(y)) > 20
        tree = (DecisionTreeRegressor if is_number else DecisionTreeClassifier)(min_samples_leaf=10, random_state=0)
        J = CVScore(tree, cv=KFold(3, shuffle=True, random_state=0))
        with tempfile.TemporaryDirectory() as folder:
            for loss, share in steps(J, X, y, Path(folder) / "scores"):
                losses.append(loss)
                shares.append(share)
    others = [loss for loss in losses if loss is not None]
    worst = max(others, default=0.0)
    ours = f"another choice at {len(others)} steps, {100 * worst:.2g} points behind at most"
    work = f"Race, trees on {len(sets)} data sets: rows scored at {len(losses)} steps"
    holds = len(others) < 0.05 * len(losses) and worst < 0.002
    return Row(
        work, "on all rows", ours, f"{1 / np.median(shares):.3g}", "< 5%, < 0.2 points", None if quick else holds
    )


def steps(J, X, y, checkpoint):
    """For each step what the race's choice loses, None if it is that of all rows, and the share of rows it needs."""
    whole = SFS(J, N_STEPS, checkpoint=checkpoint).fit(X, y)
    values = dict(zip(whole.trace_["features"], whole.trace_["value"], strict=True))
    start = None
    for size, chosen in enumerate(whole.path_["features"], 1):
        race = Race(J, min_resources=len(X) // 10, random_state=0)
        search = SFS(race, size, warm_start_from=start, checkpoint=checkpoint).fit(X, y)
        raced = search.path_["features"].iloc[-1]
        n_rows = sum(n * int(name.split()[-2]) for name, n in search.computed_[1:]) / len(X)
        n_whole = search.n_evaluations_ - (start is not None)
        yield None if raced == chosen else values[chosen] - values[raced], (n_rows + n_whole) / (X.shape[1] - size + 1)
        start = chosen

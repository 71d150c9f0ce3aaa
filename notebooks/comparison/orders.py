"""Orders of methods over data sets: groups that tests can't tell apart, and fronts."""

import numpy as np
import pandas as pd
from scipy import stats

from compendium.inference import holm

LEVEL = 0.05  # of the differences between methods that count as significant


def wilcoxon_holm(scores):
    """P-values of Wilcoxon's signed-rank test for all pairs of methods, adjusted by Holm's procedure.

    Differences count to six digits, so that equal ones tie; zero differences are split between the signs. Unlike
    Nemenyi's test, a pair's result doesn't depend on which other methods are compared, apart from their number.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame of shape (n_methods, n_methods)
        Symmetric, with ones on the diagonal.
    """
    values = scores.to_numpy()
    m = values.shape[1]
    first, second = np.triu_indices(m, 1)
    raw = [_wilcoxon((values[:, a] - values[:, b]).round(6)) for a, b in zip(first, second, strict=True)]
    adjusted = np.ones((m, m))
    adjusted[first, second] = adjusted[second, first] = holm(raw)
    return pd.DataFrame(adjusted, scores.columns, scores.columns)


def _wilcoxon(d):
    return float(stats.wilcoxon(d, zero_method="zsplit", method="approx").pvalue) if d.any() else 1.0


def cliques(order, p_values):
    """Maximal runs of methods, in a given order, of which no two differ significantly.

    Parameters
    ----------
    order : iterable of str
        Methods, best first.
    p_values : DataFrame
        As from `wilcoxon_holm`.

    Returns
    -------
    list of list of str
        At least two methods each.
    """
    names = list(order)
    alike = p_values.loc[names, names].to_numpy() >= LEVEL
    runs, furthest = [], -1
    for start in range(len(names)):
        end = start
        while end + 1 < len(names) and alike[start : end + 1, end + 1].all():
            end += 1
        if end > start and end > furthest:
            runs.append(names[start : end + 1])
            furthest = end
    return runs


def front(points):
    """The points that no other point dominates: at least as good in everything and better in something.

    Parameters
    ----------
    points : DataFrame of shape (n_methods, n_aims)
        Larger is better. Rows with NaN are left out.

    Returns
    -------
    list
        Index of the front, in the order of ``points``.
    """
    points = points.dropna()
    P = points.to_numpy()
    dominated = [np.any((p <= P).all(axis=1) & (p < P).any(axis=1)) for p in P]
    return points.index[~np.array(dominated, dtype=bool)].tolist()


def knee(points):
    """The point of a front next to the ideal one, each aim scaled to [0, 1] over the front.

    Parameters
    ----------
    points : DataFrame
        The front; larger is better.

    Returns
    -------
    object
        Its index.
    """
    span = (points.max() - points.min()).replace(0, 1.0)
    return (((points.max() - points) / span) ** 2).sum(axis=1).idxmin()

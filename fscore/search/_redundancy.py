"""Which columns say the same as the selected ones."""

from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.utils import gen_batches

from fscore._typing import Columns
from fscore._validation import check_features
from fscore.search._units import column_numbers

__all__ = ["redundancy_groups"]

BLOCK = 2**22  # entries of the largest temporary array: 32 MB
ROUNDING = 1e-12  # must not part copies of a column


def redundancy_groups(X: ArrayLike, selected: Columns, *, threshold: float = 0.9) -> pd.DataFrame:
    """Groups of columns that order the samples alike, around the columns of a selected set.

    Columns of a group can stand in for each other: two selected ones are one too many, and one that was not selected
    may be cheaper to measure.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    selected : sequence of int or str, or mask of shape (n_features,)
        For example the ``support_`` of a search.
    threshold : float in (0, 1], default=0.9
        Every two columns of a group have an absolute rank correlation (Spearman's) of at least as much.

    Returns
    -------
    DataFrame
        One row per group, in the order of the first selected column: ``selected`` and ``alternatives`` (tuples of
        column numbers), and ``weakest``, the smallest absolute correlation within the group; 1 for a column alone.

    Raises
    ------
    ValueError
        If nothing is selected, or X has no column of a name.

    Notes
    -----
    Groups are those of complete linkage among the columns that reach the threshold with some selected one. Rank
    correlation does not see redundancy among three or more columns, or relations that are not monotone.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fscore.search import redundancy_groups
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> groups = redundancy_groups(X, ["mean radius", "mean area", "mean texture"], threshold=0.95)
    >>> groups["selected"].tolist(), groups["alternatives"].tolist()
    ([(0, 3), (1,)], [(2, 20, 22, 23), ()])
    """
    if not (isinstance(threshold, Real) and 0 < threshold <= 1):
        raise ValueError(f"threshold={threshold!r} must be greater than 0 and at most 1.")
    names = np.asarray(X.columns, dtype=object) if hasattr(X, "columns") else None
    X = check_features(X)
    chosen = sorted(set(column_numbers(selected, "selected", X.shape[1], names)))
    if not chosen:
        raise ValueError("selected is empty; give at least one column.")
    ranks = _standard_ranks(X[:, chosen])
    near = np.zeros(X.shape[1], dtype=bool)
    near[chosen] = True
    for part in gen_batches(X.shape[1], max(1, BLOCK // len(X))):
        near[part] |= (np.abs(ranks.T @ _standard_ranks(X[:, part])) >= threshold - ROUNDING).any(axis=0)
    columns = np.flatnonzero(near)
    ranks = _standard_ranks(X[:, columns])
    association = np.clip(np.abs(ranks.T @ ranks), 0, 1)
    np.fill_diagonal(association, 1)
    label = np.zeros(1, dtype=int)
    if len(columns) > 1:
        from scipy.cluster.hierarchy import fcluster, linkage

        tree = linkage(squareform(1 - association, checks=False), "complete")
        label = fcluster(tree, 1 - threshold + ROUNDING, "distance")
    rows = []
    for c in chosen:
        group = np.flatnonzero(label == label[np.searchsorted(columns, c)])
        members = columns[group].tolist()
        inside = tuple(m for m in members if m in chosen)
        if inside[0] == c:
            others = tuple(m for m in members if m not in chosen)
            rows.append((inside, others, float(association[np.ix_(group, group)].min())))
    return pd.DataFrame(rows, columns=["selected", "alternatives", "weakest"])


def _standard_ranks(X):
    """Ranks of each column, centred and of length 1; zeros for a constant column."""
    ranks = rankdata(X, axis=0)
    ranks -= ranks.mean(axis=0)
    length = np.sqrt((ranks**2).sum(axis=0))
    return ranks / np.where(length > 0, length, 1.0)

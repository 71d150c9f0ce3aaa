"""Columns that are redundant with a selection, and columns that a transformer makes of one."""

from numbers import Real

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from fscore._columns import column_numbers
from fscore._typing import ArrayLike, Columns, Estimator
from fscore._validation import check_features
from fscore.criteria._columnwise import origins

ROUNDING = 1e-12  # rounding must not separate copies of a column


# columns redundant with a selection ---------------------------------------------------------------------------------


def redundancy_groups(X: ArrayLike, selected: Columns, *, threshold: float = 0.9) -> pd.DataFrame:
    """Groups of redundant columns, which order the samples alike, around the columns of a selected set.

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
    frame, X = X, check_features(X)
    chosen = sorted(column_numbers(selected, "selected", frame if hasattr(frame, "columns") else X))
    if not chosen:
        raise ValueError("selected is empty; give at least one column.")
    ranks = _standard_ranks(X)
    near = (np.abs(ranks[:, chosen].T @ ranks) >= threshold - ROUNDING).any(axis=0)
    near[chosen] = True  # also constant columns
    columns = np.flatnonzero(near)
    ranks = ranks[:, columns]
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
    """Ranks of each column, centered and of length 1; zeros for a constant column."""
    ranks = rankdata(X, axis=0)
    ranks -= ranks.mean(axis=0)
    length = np.sqrt((ranks**2).sum(axis=0))
    return ranks / np.where(length > 0, length, 1.0)


# columns that a transformer makes of one, such as the dummies of a category -----------------------------------------


def columns_of(transformer: Estimator) -> list[list[int]]:
    """Groups of output columns that come from the same input column, for a search's `column_groups`.

    The dummies of a category, the powers or the splines of a number are one unit: a search takes all of them or none.

    Parameters
    ----------
    transformer : ColumnTransformer, or any transformer with ``get_feature_names_out``
        Fitted.

    Returns
    -------
    list of list of int
        Groups of two columns or more; every other column is a unit by itself. Output columns that come from several
        input columns, such as products, join these in one group; so do all outputs of a transformer that does not say
        what they come from, such as PCA. A column of texts is one input column.

    Raises
    ------
    ValueError
        If the transformer cannot name its outputs, or does not say how many columns its input has.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.compose import ColumnTransformer
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from fscore.search import SFS, columns_of
    >>> X = pd.DataFrame({"size": [3, 1, 2, 5, 4, 6], "color": list("rgbrgb"), "age": [1, 1, 2, 3, 5, 8]})
    >>> y = [7.0, 3.1, 5.0, 9.1, 6.0, 10.9]
    >>> encode = ColumnTransformer([("color", OneHotEncoder(), ["color"])], remainder="passthrough").fit(X)
    >>> columns_of(encode)
    [[0, 1, 2]]
    >>> search = SFS(LinearRegression(), 1, cv=3, column_groups=columns_of(encode)).fit(encode.transform(X), y)
    >>> encode.get_feature_names_out()[search.get_support()].tolist()
    ['remainder__size']
    """
    check_is_fitted(transformer)
    return _connected(origins(transformer, _n_inputs(transformer)))


def _n_inputs(transformer):
    """Number of input columns; for pipelines and unions that of the first part that is not a passthrough, or 0."""
    if isinstance(transformer, Pipeline):
        steps = transformer.steps
    elif isinstance(transformer, FeatureUnion):
        steps = transformer.transformer_list
    else:
        return _n_columns_seen(transformer)
    for _, step in steps:
        n = 0 if step is None or isinstance(step, str) else _n_inputs(step)
        if n:
            return n
    return 0


def _n_columns_seen(transformer):
    """Number of columns that a transformer was fitted to; texts are one."""
    if hasattr(transformer, "n_features_in_"):
        return transformer.n_features_in_
    tags = get_tags(transformer).input_tags
    if tags.string and not tags.two_d_array:
        return 1
    raise ValueError(
        f"{transformer!r} does not say how many columns its input has; give it n_features_in_, or list the "
        "column_groups."
    )


def _connected(origins):
    """Groups of outputs that share an input, directly or through others; only groups of two or more."""
    from scipy.cluster.hierarchy import DisjointSet

    groups = DisjointSet(range(len(origins)))
    first_output: dict[int, int] = {}  # of each input
    for output, inputs in enumerate(origins):
        for i in inputs:
            groups.merge(output, first_output.setdefault(i, output))
    return sorted(sorted(group) for group in groups.subsets() if len(group) > 1)

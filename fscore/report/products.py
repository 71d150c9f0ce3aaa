"""Products of two columns that improve a linear model: interactions and squares; backward elimination from both."""

from typing import Literal, Self

import numpy as np
from scipy.linalg import orth
from scipy.special import fdtrc
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._typing import ArrayLike

__all__ = ["Products", "backward_elimination", "responses", "significant_products"]

_SIGNIFICANT = 0.05
_MOST = 10  # products; a step costs n_samples * n_columns**2
_MOST_COLUMNS = 500  # of more, the best of all products is hardly ever significant
_EXACT = 1e-16  # share of the target's variance that is rounding error
_TINY = np.finfo(float).tiny
_PENALTY = 1.0  # on squared coefficients: columns may outnumber rows


class Products(TransformerMixin, BaseEstimator):
    """Adds the products of two columns that improve a linear model significantly.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"

    Attributes
    ----------
    pairs_ : list of (int, int)
        Columns of each product, the best first; a square is a pair of equal numbers. At most ten.
    center_ : ndarray of shape (n_features,)
        Means, which are subtracted before columns are multiplied.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the columns had names.

    Notes
    -----
    Products are added one after the other. The F-test says whether a product, less what the model already explains of
    it, is correlated with what the model leaves of the target; of several classes by Pillai's trace. Its p-value is
    multiplied by the number of products (Bonferroni) and must not exceed 0.05. Of more than 500 columns no products are
    made.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.report import Products
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> Products().fit(X, X[:, 1] * X[:, 3] > 0).pairs_
    [(1, 3)]
    """

    def __init__(self, task: Literal["classification", "regression"] = "classification") -> None:
        self.task = task

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the products.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, or values.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Data are not finite numbers, or the task is unknown.
        """
        if self.task not in ("classification", "regression"):
            raise ValueError(f"task={self.task!r} must be 'classification' or 'regression'.")
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=self.task == "regression")
        self.pairs_ = significant_products(X, responses(y, self.task))
        self.center_ = X.mean(axis=0)
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Columns, then products.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features + n_products)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        Z = X - self.center_
        return np.column_stack([X, *(Z[:, i] * Z[:, j] for i, j in self.pairs_)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def responses(y, task):
    """What a linear model is fitted to by least squares: values, or indicators of all classes but one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    task : {"classification", "regression"}

    Returns
    -------
    ndarray of shape (n_samples, n_responses)
        Centered; the largest is 1 in size.
    """
    y = np.asarray(y)
    T = y[:, None].astype(float) if task == "regression" else (y[:, None] == np.unique(y)[1:]).astype(float)
    T = T - T.mean(axis=0)
    return T / np.abs(T).max(initial=_TINY)


def significant_products(A, T):
    """Add products of two columns to a linear model of all, the best first, as long as one is significant.

    See `Products`. In noise, one is added to at most one of twenty tables.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
    T : ndarray of shape (n_samples, n_responses)
        See `responses`.

    Returns
    -------
    list of (int, int)
        At most ten pairs of columns; a square is a pair of equal numbers.
    """
    n_samples, n_columns = A.shape
    if n_columns > _MOST_COLUMNS:
        return []
    Z = A - A.mean(axis=0)
    terms = orth(np.column_stack([np.ones(n_samples), Z]))
    size = np.maximum((Z**2).T @ Z**2 - (Z.T @ Z) ** 2 / n_samples, _TINY)  # sum of squares of each centered product
    n_products = n_columns * (n_columns + 1) / 2
    pairs = []
    while len(pairs) < _MOST:
        left = T - terms @ (terms.T @ T)
        if (left**2).sum() <= _EXACT * (T**2).sum():
            break
        left = orth(left)
        freedom = n_samples - terms.shape[1] - left.shape[1]
        if freedom < 1:  # nothing is left to judge a product by
            break
        explained = sum(((Z * column[:, None]).T @ Z) ** 2 for column in left.T) / size
        i, j = np.unravel_index(np.argmax(np.triu(explained)), explained.shape)
        product = Z[:, i] * Z[:, j]
        product -= terms @ (terms.T @ product)
        product /= max(np.linalg.norm(product), _TINY)
        share = min(((left.T @ product) ** 2).sum(), 1 - np.finfo(float).eps)
        ratio = share / (1 - share) * freedom / left.shape[1]
        if n_products * fdtrc(left.shape[1], freedom, ratio) > _SIGNIFICANT:
            break
        terms = np.column_stack([terms, product])
        pairs.append((int(i), int(j)))
    return pairs


def backward_elimination(A, y, source, n_units, task):
    """Take units out of a linear model of all columns and of their significant products, the least useful first.

    The model is fitted by least squares to the values, or to the class indicators, with a ridge penalty of one. The
    least useful unit is the one whose terms (its columns, and all products that they are in) raise the squared error
    least when they are dropped and the others are fitted again; the errors of several indicators are measured in units
    of their residual covariance. Of a unit with several columns, such as a category, each further one must lower the
    error by twice what it does by chance, as by Mallows' Cp [1]_; else categories of many values would always win.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_encoded)
    y : ndarray of shape (n_samples,)
    source : ndarray of shape (n_encoded,)
        Unit of each encoded column.
    n_units : int
    task : {"classification", "regression"}

    Returns
    -------
    ndarray of shape (n_units,)
        Number of units that were dropped before.

    Notes
    -----
    With the inverse ``G`` of the penalized cross-products and coefficients ``W``, dropping the terms ``b`` raises the
    error by ``W[b]' inv(G[b, b]) W[b]``, so no model is fitted again: a unit costs ``n_terms**2`` operations.

    References
    ----------
    .. [1] C. L. Mallows (1973). Some comments on Cp. Technometrics 15(4), 661-675.
    """
    T = responses(y, task)
    adder = Products(task).fit(A, y)
    X = adder.transform(A)
    X = X - X.mean(axis=0)
    G = np.linalg.inv(X.T @ X + _PENALTY * np.eye(X.shape[1]))
    W = G @ (X.T @ T)
    left = T - X @ W
    values, vectors = np.linalg.eigh(left.T @ left)
    W = W @ (vectors / np.sqrt(np.maximum(values, max(values.max() * 1e-9, np.finfo(float).tiny))))
    pairs = np.array(adder.pairs_, dtype=int).reshape(-1, 2)
    of_unit = np.zeros((n_units, X.shape[1]), dtype=bool)  # terms that a unit takes along
    of_unit[source, np.arange(A.shape[1])] = True
    of_unit[source[pairs], np.arange(A.shape[1], X.shape[1])[:, None]] = True
    n_left = max(len(A) - X.shape[1] + _PENALTY * np.trace(G), 1.0)  # residual degrees of freedom
    by_chance = 2 * W.shape[1] / n_left * np.maximum(np.bincount(source, minlength=n_units) - 1, 0)
    remaining = np.arange(n_units)
    n_before = np.empty(n_units, dtype=int)
    for step in range(n_units):
        least = remaining[np.argmin(_increases(G, W, of_unit[remaining]) - by_chance[remaining])]
        n_before[least] = step
        remaining = remaining[remaining != least]
        terms = np.flatnonzero(of_unit[least])
        share = np.linalg.solve(G[np.ix_(terms, terms)], np.column_stack([W[terms], G[terms]]))
        change = G[:, terms] @ share
        W, G = W - change[:, : W.shape[1]], G - change[:, W.shape[1] :]
        of_unit[:, terms] = False
    return n_before


def _increases(G, W, of_unit):
    """Rise of the squared error if the terms of a unit were dropped, by unit."""
    increases = np.empty(len(of_unit))
    n_terms = of_unit.sum(axis=1)
    for size in np.unique(n_terms):
        units = np.flatnonzero(n_terms == size)
        terms = np.nonzero(of_unit[units])[1].reshape(len(units), size)
        solved = np.linalg.solve(G[terms[:, :, None], terms[:, None, :]], W[terms])
        increases[units] = (W[terms] * solved).sum(axis=(1, 2))
    return increases

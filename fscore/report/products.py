"""Products of two columns that improve a linear model: interactions and squares."""

from typing import Literal, Self

import numpy as np
from scipy.linalg import orth
from scipy.special import fdtrc
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._typing import ArrayLike

__all__ = ["Products", "responses", "significant_products"]

_SIGNIFICANT = 0.05
_MOST = 10  # products; a step costs n_samples * n_columns**2
_MOST_COLUMNS = 500  # of more, the best of all products is hardly ever significant
_EXACT = 1e-16  # share of the target's variance that is rounding error
_TINY = np.finfo(float).tiny


class Products(TransformerMixin, BaseEstimator):
    """Adds the products of two columns that improve a linear model significantly.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"

    Attributes
    ----------
    pairs_ : list of (int, int)
        Columns of each product, the best first; a square is a pair of equal numbers. At most ten.
    centre_ : ndarray of shape (n_features,)
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
        self.centre_ = X.mean(axis=0)
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
        Z = X - self.centre_
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
        Centred; the largest is 1 in size.
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
    if n_samples - terms.shape[1] < 2:  # nothing is left to judge a product by
        return []
    size = np.maximum((Z**2).T @ Z**2 - (Z.T @ Z) ** 2 / n_samples, _TINY)  # sum of squares of each centred product
    n_products = n_columns * (n_columns + 1) / 2
    pairs = []
    while len(pairs) < _MOST:
        left = T - terms @ (terms.T @ T)
        if (left**2).sum() <= _EXACT * (T**2).sum():
            break
        left = orth(left)
        freedom = n_samples - terms.shape[1] - left.shape[1]
        if freedom < 1:
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

"""Products of two columns that improve a linear model: interactions and squares."""

import numpy as np
from scipy.linalg import orth
from scipy.special import fdtrc
from sklearn.base import BaseEstimator, TransformerMixin

__all__ = ["Products", "responses", "significant_products"]

_SIGNIFICANT = 0.05
_MOST = 10  # products; a step costs n_samples * n_columns**2
_EXACT = 1e-16  # share of the target's variance that is rounding error
_TINY = np.finfo(float).tiny


class Products(TransformerMixin, BaseEstimator):
    """Add the products of two columns that improve a linear model significantly.

    Parameters
    ----------
    task : {"classification", "regression"}

    Attributes
    ----------
    pairs_ : list of (int, int)
        See `significant_products`.
    centre_ : ndarray of shape (n_columns,)
        Means, which are subtracted before columns are multiplied.
    """

    def __init__(self, task):
        self.task = task

    def fit(self, A, y):
        """Find the products; `A` holds numbers only, `y` class labels or values."""
        A = np.asarray(A)
        self.pairs_ = significant_products(A, responses(y, self.task))
        self.centre_ = A.mean(axis=0)
        return self

    def transform(self, A):
        """Columns, then products."""
        A = np.asarray(A)
        Z = A - self.centre_
        return np.column_stack([A, *(Z[:, i] * Z[:, j] for i, j in self.pairs_)])


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

    Tested is whether a product, less what the terms of the model predict of it, is uncorrelated with what the model
    leaves of the responses (F-test; of several responses by Pillai's trace). The p-value is multiplied by the number of
    products (Bonferroni), so that in noise one is added to at most one of twenty tables.

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
    Z = A - A.mean(axis=0)
    terms = orth(np.column_stack([np.ones(n_samples), Z]))
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

"""Backward elimination of units from a linear model."""

import numpy as np

from fscore.report.products import Products, responses

__all__ = ["backward_elimination"]

_PENALTY = 1.0  # on squared coefficients: columns may outnumber rows


def backward_elimination(A, y, owner, n_units, task):
    """Take units out of a linear model of all columns and of their significant products, the least useful first.

    The model is fitted by least squares to the values, or to the class indicators, with a ridge penalty of one. The
    least useful unit is the one whose terms (its columns, and all products that they are in) raise the squared error
    least when they are dropped and the others are fitted again; the errors of several indicators are measured in units
    of their residual covariance.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_encoded)
    y : ndarray of shape (n_samples,)
    owner : ndarray of shape (n_encoded,)
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
    first, second = np.array(adder.pairs_, dtype=int).reshape(-1, 2).T
    of_unit = np.zeros((n_units, X.shape[1]), dtype=bool)  # terms that a unit takes along
    of_unit[owner, np.arange(A.shape[1])] = True
    of_unit[owner[first], np.arange(A.shape[1], X.shape[1])] = True
    of_unit[owner[second], np.arange(A.shape[1], X.shape[1])] = True
    remaining = np.arange(n_units)
    place = np.empty(n_units, dtype=int)
    for step in range(n_units):
        least = remaining[np.argmin(_increases(G, W, of_unit[remaining]))]
        place[least] = step
        remaining = remaining[remaining != least]
        terms = np.flatnonzero(of_unit[least])
        share = np.linalg.solve(G[np.ix_(terms, terms)], np.column_stack([W[terms], G[terms]]))
        change = G[:, terms] @ share
        W, G = W - change[:, : W.shape[1]], G - change[:, W.shape[1] :]
        of_unit[:, terms] = False
    return place


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

"""Predictions of neighbors, by votes for a class or means of a target, and their errors.

The neighbors come from `fscore.kernels.knn`. Sums run over the queries one by one, so that they don't depend on how
queries are divided into calls.
"""

import numpy as np

from fscore.kernels._compiled import kernel
from fscore.kernels.knn import TIE, _term


@kernel
def inverse_distances(samples, queries, indptr, columns, manhattan, nearest, weights):
    """Inverse distances to the neighbors; where some are at the query itself, 1 for these and 0 for the others.

    Parameters
    ----------
    samples : float64 array of shape (n_samples, n_features)
    queries : int64 array of shape (n_queries,)
    indptr, columns : int64 arrays
        The neighbors in ``nearest[:, q]`` are those under ``columns[indptr[q]:indptr[q + 1]]``.
    manhattan : bool
        Whether the metric is Manhattan's; otherwise it is Euclid's.
    nearest : int32 array of shape (n_queries, n_subsets, k)
    weights : float64 array of shape (n_queries, n_subsets, k)
        Filled.
    """
    for number in range(queries.size):
        i = queries[number]
        for q in range(nearest.shape[1]):
            subset = columns[indptr[q] : indptr[q + 1]]
            distances = weights[number, q]
            for m in range(distances.size):
                distances[m] = 0.0
                for c in subset:
                    distances[m] += _term(samples[nearest[number, q, m], c] - samples[i, c], manhattan)
            at_query = distances[0] == 0.0
            for m in range(distances.size):
                if at_query:
                    distances[m] = 1.0 if distances[m] == 0.0 else 0.0
                else:
                    distances[m] = 1.0 / (distances[m] if manhattan else np.sqrt(distances[m]))


@kernel
def add_hits(nearest, weights, queries, y, fold, n_classes, ks, sample_weight, hits):
    """Add up the sample weights of the queries that most of their neighbors vote for; the lower class wins a draw.

    Parameters
    ----------
    nearest : int32 array of shape (n_queries, n_subsets, k)
        Nearest first.
    weights : float64 array of the same shape, or empty
        What each vote weighs; empty for equal votes.
    queries : int64 array of shape (n_queries,)
    y : int64 array of shape (n_samples,)
        Class numbers.
    fold : int64 array of shape (n_samples,)
    n_classes : int
    ks : int64 array, ascending
        So many of the nearest vote; one result for each number.
    sample_weight : array of shape (n_samples,)
    hits : array of shape (n_folds, len(ks), n_subsets)
        Of the type of ``sample_weight``, updated in place.
    """
    votes = np.empty(n_classes)
    for number in range(queries.size):
        i = queries[number]
        scored, label = hits[fold[i]], y[i]
        for q in range(nearest.shape[1]):
            near = nearest[number, q]
            votes[:] = 0.0
            done = 0
            for m in range(ks.size):
                while done < ks[m]:
                    votes[y[near[done]]] += weights[number, q, done] if weights.size else 1.0
                    done += 1
                winner = 0
                for c in range(1, n_classes):
                    if votes[c] > votes[winner] * (1.0 + TIE):
                        winner = c
                if winner == label:
                    scored[m, q] += sample_weight[i]


@kernel
def add_errors(nearest, weights, queries, y, fold, ks, sample_weight, squared, errors):
    """Add up the errors of the queries, whose target is predicted by the (weighted) mean of their neighbors'.

    Parameters
    ----------
    y : float64 array of shape (n_samples,)
    sample_weight : float64 array of shape (n_samples,)
    squared : bool
        Whether errors are squared; otherwise absolute.
    errors : float64 array of shape (n_folds, len(ks), n_subsets)
        Updated in place. Other parameters as in `add_hits`.
    """
    for number in range(queries.size):
        i = queries[number]
        scored = errors[fold[i]]
        for q in range(nearest.shape[1]):
            near = nearest[number, q]
            total = mass = 0.0
            done = 0
            for m in range(ks.size):
                while done < ks[m]:
                    weight = weights[number, q, done] if weights.size else 1.0
                    total += weight * y[near[done]]
                    mass += weight
                    done += 1
                error = y[i] - total / mass
                scored[m, q] += sample_weight[i] * (error * error if squared else abs(error))

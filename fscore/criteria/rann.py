"""Training accuracy of the random-weight network as a criterion."""

from dataclasses import KW_ONLY
from typing import Any, Literal

import numpy as np

from fscore._magnitudes import check_scale
from fscore._sklearn import estimator_dataclass
from fscore._typing import ArrayLike, Floats, Seed
from fscore._validation import check_labeled
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._subsets import check_enumerable, flat
from fscore.neural import RANNClassifier
from fscore.neural._layers import hidden_weights, largest_input, output_weights, signed_targets, winners

__all__ = ["RANNAccuracy", "rann_all_subsets"]

MAX_BATCH = 64  # most subsets whose hidden outputs are computed together
MAX_ENTRIES = 2**23  # most numbers that these outputs take: 64 MB
MIN_SHARE = 1e-8  # below this share of a squared length, scalar products have too few correct digits


@estimator_dataclass
class RANNAccuracy(Criterion):
    """Share of the training sample that a small RANN classifies correctly from the columns.

    The first-layer weights are drawn once for all features, when the data are bound; a subset uses the rows of its
    features. So subsets differ by their features and not by the draw. (The thesis does not state whether weights were
    drawn again for each subset.)

    Parameters
    ----------
    n_hidden : int, default=20
        "Typically 20 or lower", so that the training accuracy does not flatter large subsets.
    weights, scale, output_bias, tol
        As in `fscore.neural.RANNClassifier`.
    random_state : int or RandomState instance, default=0
        A number, so that a subset has the same score each time the data are bound.

    References
    ----------
    Nel (1998), sections 6.3 and 7.3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from fscore.criteria import RANNAccuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> J = RANNAccuracy().bind(minmax_scale(X, (-1, 1)), y)
    >>> J.score([(0,), (2, 3)]) > 0.9
    array([False,  True])
    """

    n_hidden: int = 20
    _: KW_ONLY
    weights: Literal["sobol", "random"] = "sobol"
    scale: float = 1.0
    output_bias: bool = False
    tol: float = 1e-8
    random_state: Seed = 0

    _parameter_constraints = RANNClassifier._parameter_constraints

    def _bind(self, X, y, n_jobs, params):
        X, codes, classes = check_labeled(X, y)
        check_scale(X, self, ranges=None, largest=largest_input(self.scale))
        W = hidden_weights(X.shape[1], self.n_hidden, self.weights, self.scale, self.random_state)
        return BoundRANN(X, codes, signed_targets(codes, len(classes)), W, self.output_bias, self.tol)


class BoundRANN(BoundCriterion):
    """Accuracies from integer counts; many subsets are fitted together by a few matrix products."""

    max_batch = 4096  # half a second for a few hundred samples

    def __init__(self, X, codes, targets, W, output_bias, tol):
        self.inputs = np.vstack([X.T, np.ones(len(X))])
        self.codes, self.targets, self.W, self.output_bias, self.tol = codes, targets, W, output_bias, tol

    def _score(self, subsets):
        used = np.zeros((len(subsets), len(self.inputs)), dtype=bool)
        indptr, columns = flat(subsets)
        used[np.repeat(np.arange(len(subsets)), np.diff(indptr)), columns] = True
        return self.score_masks(used)

    def score_masks(self, used):
        """Scores of subsets given as rows of a boolean array: one column per feature, and one that is ignored."""
        used[:, -1] = True  # the bias input
        widest = max(self.W.shape[1], self.targets.shape[1]) * len(self.codes)
        batch = max(1, min(MAX_BATCH, MAX_ENTRIES // widest))
        hits = np.empty(len(used))
        for start in range(0, len(used), batch):
            hits[start : start + batch] = self._hits(used[start : start + batch])
        return hits / len(self.codes)

    def _hits(self, used):
        """Number of correctly classified samples for each subset."""
        from fscore.kernels.rann import solve_grams

        O = self._hidden_outputs(used)
        gram = O @ O.transpose(0, 2, 1)
        V = O @ self.targets
        regular = np.empty(len(O), dtype=bool)
        solve_grams(gram, V, max(MIN_SHARE, self.tol**2), regular)
        outputs = V.transpose(0, 2, 1) @ O
        for q in np.flatnonzero(~regular):
            outputs[q] = output_weights(O[q].T, self.targets, self.tol)[0].T @ O[q]
        return np.sum(winners(outputs.transpose(0, 2, 1)) == self.codes, axis=1)

    def _hidden_outputs(self, used):
        """Shape (n_subsets, n_columns, n_samples): the outputs of a neuron are contiguous."""
        n_hidden, n_samples = self.W.shape[1], self.inputs.shape[1]
        columns = np.flatnonzero(used.any(axis=0))
        weights = (self.W[columns].T * used[:, None, columns]).reshape(-1, len(columns))
        O = (weights @ self.inputs[columns]).reshape(len(used), n_hidden, n_samples)
        np.tanh(O, out=O)
        if self.output_bias:
            O = np.concatenate([np.ones((len(used), 1, n_samples)), O], axis=1)
        return O


def rann_all_subsets(X: ArrayLike, y: ArrayLike, **params: Any) -> Floats:
    """Training accuracy of a RANN on every subset of the columns.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    **params
        As in `RANNAccuracy`.

    Returns
    -------
    ndarray of shape (2^n_features,)
        Entry m is the subset of the columns f with ``m >> f & 1``; entry 0, the empty one, is NaN. More than 25
        features are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from fscore.criteria import rann_all_subsets
    >>> X, y = load_iris(return_X_y=True)
    >>> rann_all_subsets(minmax_scale(X, (-1, 1)), y).shape
    (16,)
    """
    bound: Any = RANNAccuracy(**params).bind(X, y)
    n_features = len(bound.inputs) - 1
    check_enumerable(n_features)
    values = np.full(2**n_features, np.nan)
    for start in range(1, len(values), 4096):
        masks = np.arange(start, min(start + 4096, len(values)))
        values[masks] = bound.score_masks((masks[:, None] >> np.arange(n_features + 1) & 1).astype(bool))
    return values

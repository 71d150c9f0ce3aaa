"""RANN: training accuracy of all subsets and all hidden sizes against lstsq, random weights against scipy."""

from time import perf_counter

import numpy as np
from common import against, interleaved
from scipy.stats import qmc
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import minmax_scale

from fscore.criteria.rann import rann_all_subsets
from fscore.neural._layers import (
    hidden_outputs,
    hidden_weights,
    predict_truncations,
    scrambled_sobol,
    signed_targets,
)

TIMED = 400  # random subsets for which lstsq is timed; its seconds are extrapolated to all


def lstsq_predictions(O, y, O_test):
    """Classes by the output layer that numpy's least squares finds (singular values)."""
    return O_test @ np.linalg.lstsq(O, np.where(y, 1.0, -1.0), rcond=None)[0] > 0


def rows(quick=False, repeats=3):
    """Interleaved medians. The results of the second task are equal if no accuracy differs."""
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X, (-1, 1))
    rng = np.random.default_rng(0)
    some = rng.permutation(len(y))[:380]
    yield _all_subsets(X[some][:, rng.permutation(30)[:15]], y[some], rng, repeats)
    yield _all_sizes(X, y, some, repeats)
    yield _weights(repeats)


def _all_subsets(X, y, rng, repeats):
    """Equal: classifications differ in at most one sample per subset (lstsq keeps nearly dependent neurons)."""
    masks = rng.integers(1, 2**15, TIMED)
    W = hidden_weights(15, 20, random_state=0)
    rann_all_subsets(X[:, :2], y)  # compile
    peer_seconds, ours_seconds = [], []
    for _ in range(repeats):
        start = perf_counter()
        peer = np.empty(TIMED)
        for q, mask in enumerate(masks):
            used = (mask >> np.arange(15) & 1).astype(bool)
            O = np.tanh(X[:, used] @ W[:-1][used] + W[-1])
            peer[q] = np.mean(lstsq_predictions(O, y, O) == y)
        middle = perf_counter()
        ours = rann_all_subsets(X, y)
        ours_seconds.append(perf_counter() - middle)
        peer_seconds.append((middle - start) * (2**15 - 1) / TIMED)
    equal = np.abs(peer - ours[masks]).max() <= 1.01 / len(y)
    return against("RANN, 20 neurons, 2^15-1 subsets, N=380", "numpy lstsq", peer_seconds, ours_seconds, equal, goal=2)


def _all_sizes(X, y, train, repeats):
    """Sizes 5 to 50 for 30 partitions, as in the choice of the size. Both methods get the hidden outputs.

    All 30 partitions are the same one; running them in blocks keeps each method from using the other's warm caches.
    """
    test = np.setdiff1d(np.arange(len(y)), train)
    W = hidden_weights(X.shape[1], 50, random_state=0)
    O, O_test = (hidden_outputs(X[part], W, False) for part in (train, test))
    sizes = np.arange(5, 51)

    def separate():
        return [np.mean(lstsq_predictions(O[:, :h], y[train], O_test[:, :h]) == y[test]) for h in sizes]

    def together():
        return np.mean(predict_truncations(O, signed_targets(y[train], 2), O_test, sizes, 1e-8) == y[test], axis=1)

    peer_seconds, ours_seconds = interleaved((separate, 30), (together, 30), repeats=repeats)
    work = "RANN, output layers of sizes 5..50 on a split of wdbc"
    return against(work, "numpy lstsq", peer_seconds, ours_seconds, np.array_equal(separate(), together()), goal=20)


def _weights(repeats):
    """The random weights of 64 neurons with 30 inputs and a bias."""

    def theirs():
        return qmc.Sobol(31, rng=np.random.default_rng(0)).random_base2(6)

    def ours():
        return scrambled_sobol(64, 31, np.random.default_rng(0))

    peer_seconds, ours_seconds = interleaved((theirs, 30), (ours, 30), repeats=repeats)
    equal = np.array_equal(theirs(), ours())
    return against("RANN, scrambled Sobol sequence, 64 x 31", "scipy", peer_seconds, ours_seconds, equal, goal=3)

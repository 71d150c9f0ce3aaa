"""The cost of a learning step (claim A8 of Andonie and Cataron 2004), counted in arithmetic operations.

The steps are written out in numbers that count the operations on them. So the count is exact, the same on every
machine, and independent of how `fscore.lvq` is written.
"""

import math

import numpy as np
import pandas as pd

from compendium.units import seed_for

STEPS = 8  # of learning, of which the one with the most operations counts


class Counted(float):
    """A number; ``Counted.operations`` counts the operations, exponentials and comparisons on all of them."""

    operations = 0

    def exp(self):
        Counted.operations += 1
        return Counted(math.exp(self))


def _counting(name):
    plain = getattr(float, name)

    def operation(self, *others):
        Counted.operations += 1
        result = plain(self, *others)
        return Counted(result) if type(result) is float else result

    return operation


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "lt", "gt", "neg", "abs"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))


def learn(samples, codebook, method, *, rate, relevance_rate, sigma):
    """Learn samples one by one, by the steps of Sections 2 and 3.

    Parameters
    ----------
    samples : list of (list of Counted, int)
        Inputs and labels.
    codebook : list of (list of Counted, int)
        Codebook vectors and labels; the vectors are changed in place.
    method : {"RLVQ", "ERLVQ"}
    rate, relevance_rate, sigma : float

    Returns
    -------
    relevances : list of Counted
        After the last step.
    overall : list of Counted
        The "overall rank": the mean of the relevances over all steps.
    operations : list of int
        Operations of each step.
    """
    n = len(samples[0][0])
    lam, overall, previous, counts = [Counted(1 / n)] * n, [Counted(0)] * n, None, []
    for t, (x, label) in enumerate(samples, start=1):
        before = Counted.operations
        w, w_label = min(codebook, key=lambda entry: _distance(x, entry[0], lam))
        correct = w_label == label
        residual = [x_k - w_k for x_k, w_k in zip(x, w, strict=True)]
        if method == "RLVQ":
            moves = [rate * r for r in residual]
            lam = _relevances(lam, residual, correct, relevance_rate)
        else:
            moves = [rate * (lam_k * r) for lam_k, r in zip(lam, residual, strict=True)]
            if previous is not None and previous[1] != label:
                lam = _energy_relevances(lam, residual, previous[0], relevance_rate, sigma)
            previous = residual, label
        w[:] = [w_k + move if correct else w_k - move for w_k, move in zip(w, moves, strict=True)]
        overall = [mean + (lam_k - mean) / t for mean, lam_k in zip(overall, lam, strict=True)]
        counts.append(Counted.operations - before)
    return lam, overall, counts


def _distance(x, w, lam):
    differences = (x_k - w_k for x_k, w_k in zip(x, w, strict=True))
    return sum((lam_k * (d * d) for lam_k, d in zip(lam, differences, strict=True)), Counted(0))


def _relevances(lam, residual, correct, rate):
    steps = [rate * abs(r) for r in residual]
    lam = [max(l - s, Counted(0)) if correct else l + s for l, s in zip(lam, steps, strict=True)]
    total = sum(lam, Counted(0))
    return [lam_k / total for lam_k in lam]


def _energy_relevances(lam, residual, previous, rate, sigma):
    """Equation 5, without the constant factor of the kernel, and the softmax."""
    D = [r - p for r, p in zip(residual, previous, strict=True)]
    y = [lam_k * d for lam_k, d in zip(lam, D, strict=True)]
    kernel = (-sum((y_k * y_k for y_k in y), Counted(0)) / (4 * sigma**2)).exp()
    factor = rate / (4 * sigma**2) * kernel
    powers = [(lam_k + factor * (y_k * d)).exp() for lam_k, y_k, d in zip(lam, y, D, strict=True)]
    total = sum(powers, Counted(0))
    return [power / total for power in powers]


def operations(*, seed, n_features=(10, 20, 40, 80, 160), n_codebooks=(4, 8, 16, 32, 64), base=(20, 4)):
    """Operations of one learning step against the number of features and against the number of codebook vectors.

    The samples alternate between two classes, so that every step after the first updates the relevances of ERLVQ, and
    the largest count of a step is given.

    Parameters
    ----------
    seed : int
    n_features : sequence of int, default=(10, 20, 40, 80, 160)
        With ``base[1]`` codebook vectors.
    n_codebooks : sequence of int, default=(4, 8, 16, 32, 64)
        Codebook vectors of the two classes together, with ``base[0]`` features.
    base : tuple of int, default=(20, 4)

    Returns
    -------
    DataFrame
        varied ("features", "codebooks"), n_features, n_codebooks, method, metric ("operations"), value.
    """
    rows = []
    sizes = [("features", d, base[1]) for d in n_features] + [("codebooks", base[0], m) for m in n_codebooks]
    for varied, d, m in sizes:
        rng = np.random.default_rng(seed_for(seed, "operations", d, m))
        samples, codebook = ([(list(map(Counted, rng.normal(size=d))), i % 2) for i in range(k)] for k in (STEPS, m))
        for method in ("RLVQ", "ERLVQ"):
            fresh = [(list(w), label) for w, label in codebook]
            _, _, counts = learn(samples, fresh, method, rate=0.05, relevance_rate=1e-4, sigma=1.0)
            what = {"varied": varied, "n_features": d, "n_codebooks": m, "method": method}
            rows.append({**what, "metric": "operations", "value": float(max(counts))})
    return pd.DataFrame(rows)

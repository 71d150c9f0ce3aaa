"""The cost of a learning step (claim A8 of Andonie and Cataron 2004)."""

import time

import pandas as pd
from sklearn.datasets import make_classification

from andonie2004.protocol import build
from compendium.units import seed_for

__all__ = ["cost_per_sample"]


def cost_per_sample(
    settings,
    *,
    seed,
    n_features=(10, 40, 160, 640),
    n_codebooks=(4, 16, 64, 256),
    base=(20, 4),
    n_samples=1000,
    n_repeats=5,
    n_epochs=5,
):
    """Time of one learning step against the number of features and against the number of codebook vectors.

    Methods and sizes alternate within each repetition and run in one process, because timings of different runs are
    not comparable.

    Parameters
    ----------
    settings : Settings
        The numbers of prototypes and epochs are replaced.
    seed : int
    n_features : sequence of int, default=(10, 40, 160, 640)
        With ``base[1]`` codebook vectors.
    n_codebooks : sequence of int, default=(4, 16, 64, 256)
        Codebook vectors of the two classes together, with ``base[0]`` features.
    base : tuple of int, default=(20, 4)
    n_samples : int, default=1000
    n_repeats : int, default=5
    n_epochs : int, default=5

    Returns
    -------
    DataFrame
        varied ("features", "codebooks"), n_features, n_codebooks, method, repeat, metric ("microseconds"), value.
    """
    sizes = [("features", d, base[1]) for d in n_features] + [("codebooks", base[0], m) for m in n_codebooks]
    made = {
        (varied, d, m): make_classification(
            n_samples, d, n_informative=4, n_redundant=0, random_state=seed_for(seed, "time", d, m)
        )
        for varied, d, m in sizes
    }
    rows = []
    for repeat in range(-1, n_repeats):  # the first round compiles and is discarded
        for (varied, d, m), (X, y) in made.items():
            for method in ("RLVQ", "ERLVQ"):
                model = build(method, settings._replace(n_prototypes=m // 2, n_epochs=n_epochs), X, y, 0)
                start = time.perf_counter()
                model.fit(X, y)
                microseconds = 1e6 * (time.perf_counter() - start) / (n_epochs * n_samples)
                if repeat >= 0:
                    what = {"varied": varied, "n_features": d, "n_codebooks": m, "method": method, "repeat": repeat}
                    rows.append({**what, "metric": "microseconds", "value": microseconds})
    return pd.DataFrame(rows)

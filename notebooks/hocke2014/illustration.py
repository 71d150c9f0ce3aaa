"""Figures 1 and 2 of Hocke and Martinetz 2014, computed from data."""

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs

from compendium.experiment import Experiment, Schema, parameter, table
from compendium.units import seed_for
from fscore.weighting import MDM


class Illustration(Experiment):
    """Figures 1 and 2: the effect of hard and soft MDM on two round classes stretched along one axis.

    Figure 1 has the settings "equal weights" and "hard MDM". Figure 2 adds one sample far from its class and has the
    settings "hard MDM" and "soft MDM". Coordinates and distances are those of the weighted space, where the closest
    samples of different classes are 1 apart.

    Tables
    ------
    points
        sample, label, x1, x2, slack, figure, setting.
    pairs
        name, i, j, squared_distance, figure, setting: ``d1`` is the closest pair of different classes, ``d2`` and
        ``d3`` are the most distant pairs within each class.
    radii
        r, w1, w2, objective, figure, setting.
    """

    schema = Schema(
        points=table("figure setting sample", values="label x1 x2 slack"),
        pairs=table("figure setting name", values="i j squared_distance"),
        radii=table("figure setting", values="r w1 w2 objective", labels={"w1": "w₁", "w2": "w₂"}),
    )

    n_samples: int = parameter(24, "samples of the two classes together", "[6, 500]")
    spread: float = parameter(0.6, "standard deviation of each class before the stretch", "(0, 5]")
    stretch: float = parameter(4.0, "factor of the second axis", "(0, 100]")
    nu: float = parameter(0.2, "largest share of samples with slack in soft MDM", "(0, 1]")

    def measure(self):
        """See the class."""
        X, y = make_blobs(
            self.n_samples,
            centers=[[0, 0], [2.5, 1.5]],
            cluster_std=self.spread,
            random_state=seed_for(self.seed, "illustration"),
        )
        X[:, 1] *= self.stretch
        with_outlier = np.vstack([X, [-3.0, 2.5 * self.stretch * self.spread]]), np.append(y, 0)
        settings = [
            (1, "equal weights", X, y, None),
            (1, "hard MDM", X, y, MDM()),
            (2, "hard MDM", *with_outlier, MDM()),
            (2, "soft MDM", *with_outlier, MDM(nu=self.nu)),
        ]
        parts = {name: [] for name in self.schema}
        for figure, setting, A, b, mdm in settings:
            for name, rows in _weighted(A, b, mdm).items():
                parts[name].append(rows.assign(figure=figure, setting=setting))
        return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def _weighted(X, y, mdm):
    """The tables of one setting; equal weights if ``mdm`` is None."""
    if mdm is None:
        w, slacks = np.ones(2), np.zeros(len(X))
        w /= squareform(pdist(X, "sqeuclidean"))[y[:, None] != y].min()
    else:
        mdm.fit(X, y)
        w, slacks = mdm.weights_, mdm.slacks_
    Z = X * np.sqrt(w)
    d = squareform(pdist(Z, "sqeuclidean"))
    ends = {"d1": np.where(y[:, None] != y, d, np.inf).argmin()}
    ends |= {f"d{c + 2}": np.where((y[:, None] == c) & (y == c), d, -1).argmax() for c in (0, 1)}
    pairs = [
        {"name": name, "i": p // len(X), "j": p % len(X), "squared_distance": d.flat[p]} for name, p in ends.items()
    ]
    r = max(pair["squared_distance"] for pair in pairs[1:]) if mdm is None else mdm.r_
    return {
        "points": pd.DataFrame({"sample": range(len(X)), "label": y, "x1": Z[:, 0], "x2": Z[:, 1], "slack": slacks}),
        "pairs": pd.DataFrame(pairs),
        "radii": pd.DataFrame([{"r": r, "w1": w[0], "w2": w[1], "objective": r if mdm is None else mdm.objective_}]),
    }

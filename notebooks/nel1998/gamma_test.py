"""Chapter 5 of Nel's thesis: examples of the Gamma Test, and comparison with theory."""

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.stats import norm

from compendium.experiment import Schema, parameter, table
from compendium.units import run_units, seed_for
from fscore.criteria import gamma_test
from fscore.datasets import load
from nel1998.protocol import SampleExperiment, as_table, generate, points_and_lines, samples_of, scaled_sample
from nel1998.published_settings import table_5_1

GRID = np.linspace(1, 7.2, 63)  # distances for the theoretical curve


class GammaAgainstTheory(SampleExperiment):
    """Table 5.1: Gamma of two normal classes by the distance of their means; Figures 5.1, 5.2 and 5.4.

    Tables
    ------
    distances
        distance, repeat (one random draw each), metric ("gamma_e-3"), value in thousandths.
    theory
        distance, value in thousandths, see `gamma_theory`: at the distances of Table 5.1 and on a grid.
    pair, surrounded
        One draw each of two normal classes and of a class between two modes of the other: feature_1, feature_2, label.
    points, lines
        See `points_and_lines`, with ``figure``: "5.1", the data set, and "5.4", the surrounded class with few, many and
        all neighbors.
    """

    schema = Schema(
        distances=table("distance metric", repetition="repeat"),
        theory=table("distance"),
        pair=table(values="feature_1 feature_2 label"),
        surrounded=table(values="feature_1 feature_2 label"),
        points=table(values="name p delta gamma figure"),
        lines=table("figure name", values="gamma slope"),
    )

    dataset: str = parameter("wdbc", "data set of Fig. 5.1, or the path of a CSV file", "data sets")
    n_samples: int = parameter(500, "samples of the generated examples", "[60, 20000]")
    p_max: int = parameter(20, "neighbors", "[2, 50]")
    cumulative: bool = parameter(True, "fit the line to running means (eqs. 5.3 and 5.4) instead of single values")
    n_repeats: int = parameter(100, "random draws for Table 5.1", "[1, 10000]")

    def measure(self):
        """See the class."""
        printed = table_5_1()
        distances = [printed["corrected"].iloc[0], *printed["distance"]]
        X, y = generate("surrounded_class", self.seed, n_samples=self.n_samples)
        degrees = dict.fromkeys([self.p_max, self.n_samples // 2, self.n_samples - 1])
        figures = {
            "5.1": points_and_lines(self.gamma_of_data()),
            "5.4": points_and_lines({f"{p} neighbors": gamma_test(X, y, p) for p in degrees}),
        }
        points, lines = (
            pd.concat([parts[k].assign(figure=figure) for figure, parts in figures.items()], ignore_index=True)
            for k in (0, 1)
        )
        return {
            "distances": self.gamma_at(distances),
            "theory": theory([*distances, *GRID]),
            "pair": as_table(*generate("gaussian_pair", self.seed, n_samples=self.n_samples)),
            "surrounded": as_table(X, y),
            "points": points,
            "lines": lines,
        }

    def gamma_at(self, distances):
        """Table ``distances``: the second class is shifted by ``distance / sqrt(2)`` in both features.

        Parameters
        ----------
        distances : sequence of float

        Returns
        -------
        DataFrame
        """
        shared = self.pick("n_samples", "p_max", "n_repeats", "cumulative", "seed")
        units = [{"distance": float(distance), **shared} for distance in distances]
        return run_units(_gamma_at, units, label="Table 5.1")

    def gamma_of_data(self):
        """Figure 5.1: the Gamma Test of the whole data set."""
        (sample,) = samples_of([self.dataset], wdbc=["WDBC"])
        X, y = scaled_sample(sample, self.dataset, self.target)
        return {self.dataset: gamma_test(X, y, self.p_max, cumulative=self.cumulative)}


def _gamma_at(distance, n_samples, p_max, n_repeats, cumulative, seed):
    rows = []
    for repeat in range(n_repeats):
        # Use the same draw at all distances, with different shifts.
        options = {
            "n_samples": n_samples,
            "shift": distance / np.sqrt(2),
            "random_state": seed_for(seed, "5.1", repeat),
        }
        X, y = load("gaussian_pair", return_X_y=True, **options)
        gamma = gamma_test(X, y, p_max, cumulative=cumulative).gamma
        rows.append({"distance": distance, "repeat": repeat, "metric": "gamma_e-3", "value": 1000 * gamma})
    return rows


def theory(distances):
    """`gamma_theory` in thousandths: columns distance (ascending) and value."""
    ascending = sorted({float(distance) for distance in distances})
    return pd.DataFrame({"distance": ascending, "value": [1000 * gamma_theory(d) for d in ascending]})


def gamma_theory(distance):
    """E[eta (1 - eta)] of two normal classes with unit covariance and equal frequency.

    The Gamma Test with labels 0 and 1 converges to it. It equals ``1/2 integral of p0 p1 / (p0 + p1)`` along the line
    through the means.

    Parameters
    ----------
    distance : float
        Distance of the means.

    Returns
    -------
    float
    """

    def integrand(x):
        p0, p1 = norm.pdf(x), norm.pdf(x, distance)
        return p0 * p1 / (p0 + p1) / 2

    return quad(integrand, -8, distance + 8, points=[distance / 2], limit=200)[0]

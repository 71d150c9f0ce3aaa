"""The claims: their statements, and data with a known answer; fix each statement before you look at the results."""

import pandas as pd

from compendium.simulations import simulation
from compendium.statements import mean_of
from compendium.verdicts import claim

MARGIN = 1.0  # points


@claim("newpaper2000", "P1", needs=["accuracy"])
def two_features_are_enough(accuracy):
    """Two features classify iris as well as all four: the accuracies are equivalent.

    The loss is within one point of zero, less than two of the 150 samples.
    """
    iris = accuracy[accuracy["dataset"] == "iris"].pivot(index="repeat", columns="n_features", values="value")
    if iris.empty:
        return []
    loss = 100 * (iris.iloc[:, -1] - iris[2])
    return [mean_of("loss with two features", loss, "repetitions", above=-MARGIN, below=MARGIN, unit="points")]


@simulation("newpaper2000", "P1")
def accuracies(rng, effect):
    """Ten repetitions: no loss (the claim), a loss at the margin, or one far beyond."""
    loss = {1: 0.0, 0: MARGIN, -1: 10 * MARGIN}[effect] / 100
    rows = [
        {"dataset": "iris", "n_features": size, "repeat": repeat, "value": level + rng.normal(0, 0.005)}
        for repeat in range(10)
        for size, level in {1: 0.9, 2: 0.95 - loss, 3: 0.95, 4: 0.95}.items()
    ]
    return {"accuracy": pd.DataFrame(rows)}

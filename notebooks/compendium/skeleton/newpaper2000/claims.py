"""The claims: their statements, and data with a known answer; fix each statement before you look at the results."""

import pandas as pd

from compendium.statements import POINT, mean_of
from compendium.verdicts import Claim


class P1(Claim):
    """Two features classify iris as well as all four: the accuracies are equivalent.

    The change is within one point of zero, less than two of the 150 samples.
    """

    def statements(self, accuracy):
        iris = accuracy[accuracy["dataset"] == "iris"].pivot(index="repeat", columns="n_features", values="value")
        if iris.empty:
            return []
        change = 100 * (iris[2] - iris.iloc[:, -1])
        return [mean_of("change with two features", change, "repetitions", above=-POINT, below=POINT, unit="points")]

    def sentence(self, change):
        return f"two features changed the accuracy of iris by {change.change} against all four"

    def draw(self, rng, effect):
        """Ten repetitions: no loss (the claim), a loss at the margin, or one far beyond."""
        loss = {1: 0.0, 0: POINT, -1: 10 * POINT}[effect] / 100
        rows = [
            {"dataset": "iris", "n_features": size, "repeat": repeat, "value": level + rng.normal(0, 0.005)}
            for repeat in range(10)
            for size, level in {1: 0.9, 2: 0.95 - loss, 3: 0.95, 4: 0.95}.items()
        ]
        return {"accuracy": pd.DataFrame(rows)}

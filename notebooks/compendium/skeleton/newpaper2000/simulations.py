"""Data with a known answer, for testing the rules."""

import pandas as pd

from compendium.simulations import simulation
from newpaper2000.claims import MARGIN


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

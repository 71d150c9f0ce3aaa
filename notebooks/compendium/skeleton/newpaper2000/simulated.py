"""Tables with a known answer for the claims: a function for each, named as the claim's id (`tests/simulations.py`)."""

import pandas as pd

from compendium.statements import POINT


def P1(rng, effect):
    """No loss; a loss of one point, the margin; a loss of ten."""
    loss = {1: 0.0, 0: POINT, -1: 10 * POINT}[effect] / 100
    rows = [
        {"dataset": "iris", "n_features": size, "repeat": repeat, "value": level + rng.normal(0, 0.005)}
        for repeat in range(10)
        for size, level in {1: 0.9, 2: 0.95 - loss, 3: 0.95, 4: 0.95}.items()
    ]
    return {"accuracy": pd.DataFrame(rows)}

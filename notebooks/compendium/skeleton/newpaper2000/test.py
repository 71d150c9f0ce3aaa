"""newpaper2000: the tables of its experiment and the rule of its claim."""

import pandas as pd
import pytest

from compendium.verdicts import claims_needing
from newpaper2000.accuracy import Accuracy


@pytest.fixture(scope="module")
def accuracy():
    return Accuracy(n_repeats=2).run()["accuracy"]


def test_every_size_is_measured(accuracy):
    assert sorted(accuracy["n_features"].unique()) == [1, 2, 3, 4]
    assert accuracy["value"].between(0, 1).all()


@pytest.mark.parametrize(("two", "answer"), [(0.95, "holds"), (0.94, "undecided"), (0.80, "fails")])
def test_the_rule_detects_a_loss(two, answer):
    rows = [
        {"dataset": "iris", "n_features": size, "repeat": repeat, "value": level + 0.002 * repeat * (size == 2)}
        for repeat in range(3)
        for size, level in enumerate([0.7, two - 0.002, 0.95, 0.95], start=1)
    ]
    assert claims_needing("newpaper2000", {"accuracy": pd.DataFrame(rows)})["P1"].answer == answer

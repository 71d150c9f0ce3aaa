"""newpaper2000: the tables of its experiment and the rule of its claim."""

import pandas as pd
import pytest

from newpaper2000.accuracy import Accuracy
from newpaper2000.claims import two_features_are_enough


@pytest.fixture(scope="module")
def accuracy():
    return Accuracy(n_repeats=2).run()["accuracy"]


def test_every_size_is_measured(accuracy):
    assert sorted(accuracy["n_features"].unique()) == [1, 2, 3, 4]
    assert accuracy["value"].between(0, 1).all()


@pytest.mark.parametrize(("two", "answer"), [(0.95, "replicated"), (0.94, "inconclusive"), (0.80, "not replicated")])
def test_the_rule_detects_a_loss(two, answer):
    rows = [
        {"dataset": "iris", "n_features": size, "repeat": repeat, "value": level + 0.002 * repeat * (size == 2)}
        for repeat in range(3)
        for size, level in enumerate([0.7, two - 0.002, 0.95, 0.95], start=1)
    ]
    assert two_features_are_enough(pd.DataFrame(rows)).answer == answer

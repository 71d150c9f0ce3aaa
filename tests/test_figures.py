"""Names of data sets and columns in the papers' figures are text, whatever matplotlib could read in them."""

from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.text import Text

import chen2012.figures
import nel1998.figures
from compendium.protocol import named
from compendium.style import plain

NAME = r"price $\frac{$"  # no formula: matplotlib would fail
NAMES = {NAME: [NAME, "price in $ (US$)"]}
GIVEN = {"dataset": [NAME], "value": [0.5, 1.0]}


def table(**columns):
    columns = {name: values if isinstance(values, list) else [values] for name, values in (GIVEN | columns).items()}
    return pd.DataFrame(product(*columns.values()), columns=list(columns))


def accuracies():
    return table(sample=NAME, method=["mifs", "full"], classifier=["RANN", "kNN"], n_features=2, test=0.5)


def points_and_lines():
    points = pd.DataFrame({"name": NAME, "delta": [0.1, 0.2], "gamma": [0.1, 0.2]})
    return points, pd.DataFrame({"name": [NAME], "gamma": 0.0, "slope": 1.0})


@pytest.mark.parametrize(
    "draw",
    [
        lambda: chen2012.figures.panels([NAME], "feature", "AUC")[0],
        lambda: nel1998.figures.accuracy_by_size(accuracies(), "mifs"),
        lambda: nel1998.figures.gamma_lines(*points_and_lines()),
    ],
)
def test_names_are_no_formulas(draw):
    figure = draw()
    figure.draw_without_rendering()
    assert any(plain(NAME) in text.get_text() for text in figure.findobj(Text))
    plt.close(figure)


def test_a_plain_name_is_drawn_as_it_is():
    figure, ax = plt.subplots()
    for name in (NAME, "a_b {c}", named(2, NAMES[NAME])):
        assert ax.text(0, 0, name)._preprocess_math(plain(name)) == (name, False)
    plt.close(figure)

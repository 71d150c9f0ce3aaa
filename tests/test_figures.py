"""Names of data sets and columns in the papers' figures are text, whatever matplotlib could read in them."""

from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.text import Text

import andonie2004.figures
import chen2012.figures
import hocke2014.figures
import nel1998.figures
import somol2011.figures
from compendium.features import named
from compendium.style import plain

NAME = r"price $\frac{$"  # no formula: matplotlib would fail
NAMES = {NAME: [NAME, "price in $ (US$)"]}
GIVEN = {"dataset": [NAME], "value": [0.5, 1.0]}


def table(**columns):
    columns = {name: values if isinstance(values, list) else [values] for name, values in (GIVEN | columns).items()}
    return pd.DataFrame(product(*columns.values()), columns=list(columns))


def ranks():
    return table(method="IG", feature=[1, 2], mean_rank=1.5, top_share=0.5, value=0)


def accuracies():
    return table(sample=NAME, method=["mifs", "full"], classifier=["RANN", "kNN"], n_features=2, test=0.5)


def values():
    metrics = ["RANN", "mutual_information"]
    return table(sample=NAME, kind="feature", metric=metrics, number=[1, 2], split=0)


def votes():
    return table(method=["single", "order", "weighted"], metric=["rate", "cw_rel", "ati"], fold="all", scaling="raw")


def relevances():
    return table(method="RLVQ", feature=[1, 2], mean=0.5, std=0.1, value=0)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: andonie2004.figures.rates(table(protocol="halves", method="LVQ", metric="rate")),
        lambda: andonie2004.figures.relevances(relevances(), NAMES),
        lambda: chen2012.figures.average_ranks(ranks(), NAMES),
        lambda: chen2012.figures.top_shares(ranks(), NAMES),
        lambda: chen2012.figures.entropy_profiles(
            table(stopping="end", setting=["none", "N^2/10"], feature=[1, 2], mean=0.5, value=0), "end", NAMES
        ),
        lambda: chen2012.figures.ambiguous_relevances(
            table(feature=[1, 2], low=0, high=1, relevance=0.5, minimal=0.4, value=0), NAMES
        ),
        lambda: chen2012.figures.delete_rates(table(metric=["auc", "rank_correlation"], delete_rate=[0.0, 0.1])),
        lambda: hocke2014.figures.errors(table(metric="error", method="Relief", inputs="raw", repeat=0)),
        lambda: hocke2014.figures.noise_weights(
            table(metric="zero_share", method="hard MDM", column_kind=["own", "noise"])
        ),
        lambda: hocke2014.figures.spoilt_weights(table(metric="weight_change", kind="moved", nu=[None, 0.1])),
        lambda: hocke2014.figures.genes_kept(table(metric=["n_kept", "error"], method="hard MDM")),
        lambda: nel1998.figures.tracking(values(), "mutual_information", "RANN"),
        lambda: nel1998.figures.accuracy_by_size(accuracies(), "mifs"),
        lambda: somol2011.figures.taus(
            table(search="DOS", criterion="SVM", tau=[0.0, 0.1], metric=["size", "test"], value=1)
        ),
        lambda: somol2011.figures.gains(votes(), votes()),
        lambda: somol2011.figures.lambdas(
            table(search="DOS", **{"lambda": [0.0, 1.0]}, metric=["train", "test", "wrapper_evaluations"])
        ),
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

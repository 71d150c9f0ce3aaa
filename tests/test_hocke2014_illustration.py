"""Figures 1 and 2 of Hocke and Martinetz 2014."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from hocke2014.illustration import Illustration


def test_figures_agree_with_the_program():
    drawn = Illustration().run()
    pairs = drawn["pairs"].set_index(["figure", "setting", "name"])["squared_distance"].unstack("name")
    radii = drawn["radii"].set_index(["figure", "setting"])
    assert_allclose(pairs["d1"], 1)
    assert_allclose(radii.loc[(1, "hard MDM"), "r"], pairs.loc[(1, "hard MDM"), ["d2", "d3"]].max())
    assert radii.loc[(1, "hard MDM"), "r"] < radii.loc[(1, "equal weights"), "r"]
    assert radii.loc[(2, "soft MDM"), "r"] < pairs.loc[(2, "soft MDM"), ["d2", "d3"]].max()
    for (figure, setting), points in drawn["points"].groupby(["figure", "setting"]):
        d = squareform(pdist(points[["x1", "x2"]], "sqeuclidean"))
        same_class = points["label"].to_numpy()[:, None] == points["label"].to_numpy()
        allowed = radii.loc[(figure, setting), "r"] + points["slack"].to_numpy()[:, None]
        assert np.all((d <= allowed + 1e-9) | ~same_class)
        assert d[~same_class].min() == pytest.approx(1)

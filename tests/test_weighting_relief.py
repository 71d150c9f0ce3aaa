"""Relief and ReliefF as weightings: the scores of the filters, converted to the units of the features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

from fscore.filters import relief, relieff
from fscore.weighting import Relief, ReliefF


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize(
    ("estimator", "score"),
    [
        (Relief(), relief),
        (Relief(n_iterations=20, difference="absolute", random_state=3),
         lambda X, y: relief(X, y, n_iterations=20, difference="absolute", random_state=3)),
        (ReliefF(), relieff),
        (ReliefF(3, difference="squared"), lambda X, y: relieff(X, y, n_neighbors=3, difference="squared")),
    ],
)  # fmt: skip
def test_weights_are_the_scores_in_units_of_the_range(load, estimator, score):
    X, y = load(return_X_y=True)
    scores = score(X, y)
    fitted = estimator.fit(X, y)
    assert_array_equal(fitted.scores_, scores)
    assert_allclose(fitted.weights_, np.maximum(scores, 0) / np.ptp(X, axis=0) ** 2)
    # the distances are those of the scores
    ranged = X / np.ptp(X, axis=0)
    expected = np.maximum(scores, 0) @ (ranged[0] - ranged[-1]) ** 2
    assert ((fitted.transform(X[:1]) - fitted.transform(X[-1:])) ** 2).sum() == pytest.approx(expected)


def test_units_of_the_data():
    X, y = load_wine(return_X_y=True)
    for estimator, score in ((Relief(units="data"), relief), (ReliefF(units="data"), relieff)):
        assert_array_equal(estimator.fit(X, y).weights_, np.maximum(score(X, y), 0))


def test_negative_scores_give_weight_zero():
    relief_ = Relief().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    assert_array_equal(relief_.scores_, [1, -1])
    assert_array_equal(relief_.weights_, [1, 0])

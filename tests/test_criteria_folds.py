"""Folds of contiguous blocks within each class."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import BlockFolds, CVAccuracy
from fscore.search import SFS


def folds_of(y, n_splits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return list(BlockFolds(n_splits).split(np.zeros((len(y), 1)), y))


def slow_folds(y, n_splits):
    """Deal the samples of each class one after another, as the toolbox reads them from the file."""
    tests = [[] for _ in range(n_splits)]
    for label in sorted(set(y)):
        queue = [i for i, other in enumerate(y) if other == label]
        for k in range(n_splits):
            for _ in range(len(queue) // (n_splits - k)):
                tests[k].append(queue.pop(0))
    return [sorted(test) for test in tests]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 8))
def test_against_a_queue_for_each_class(y, n_splits):
    if len(set(y)) < 2 or max(map(y.count, y)) < n_splits:
        with pytest.raises(ValueError, match=r"only one class|n_splits=. folds need a class"):
            folds_of(y, n_splits)
        return
    folds = folds_of(y, n_splits)
    assert [test.tolist() for _, test in folds] == slow_folds(y, n_splits)
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))
        assert len(test)
    for label in set(y):
        sizes = [np.sum(np.array(y)[test] == label) for _, test in folds]
        assert max(sizes) - min(sizes) <= 1
        assert sizes == sorted(sizes)


def test_a_splitter_for_scikit_learn_and_the_criteria():
    X, y = load_wine(return_X_y=True)
    cv, knn = BlockFolds(5), KNeighborsClassifier(3)
    scores = cross_val_score(knn, X[:, [0, 6]], y, cv=cv)
    assert CVAccuracy(knn, cv=cv).bind(X, y).score([(0, 6)])[0] == pytest.approx(scores.mean())
    assert SFS(knn, 2, cv=cv).fit(X, y).score_ > 0.8
    assert GridSearchCV(knn, {"n_neighbors": [1, 3]}, cv=cv).fit(X, y).n_splits_ == 5
    assert cv.get_n_splits() == clone(cv, safe=False).n_splits == 5
    assert repr(cv) == "BlockFolds(n_splits=5)"


def test_refusals():
    for bad in (1, 0, 2.5, "3", True):
        with pytest.raises(ValueError, match=rf"^n_splits={bad!r} must be an integer of at least 2\.$"):
            BlockFolds(bad)
    with pytest.raises(ValueError, match=r"^BlockFolds needs y, because it divides each class; pass the labels\.$"):
        next(BlockFolds(2).split(np.zeros((4, 1))))
    with pytest.raises(ValueError, match=r"^n_splits=5 folds need a class .* the largest has 4; lower n_splits\.$"):
        next(BlockFolds(5).split(np.zeros((5, 1)), [0, 0, 0, 0, 1]))
    with pytest.warns(UserWarning, match=r"^The smallest class has 1 samples, fewer than n_splits=3, and is missing"):
        list(BlockFolds(3).split(np.zeros((5, 1)), [0, 0, 0, 0, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(BlockFolds(2).split(np.zeros((5, 1)), [0, 0, 0, 1, 1]))
    assert BlockFolds().n_splits == 10

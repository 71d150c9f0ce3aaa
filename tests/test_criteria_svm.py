"""Support vector classifiers without refitting: the same solution to the last bit, also where digits are lost."""

import signal
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest
from criteria_steps import add, both
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fscore.criteria import CVAccuracy
from fscore.kernels import svm

KERNELS = [
    {"gamma": 1.0},
    {"gamma": 30.0, "C": 1e4},
    {"gamma": "auto", "C": 0.01},
    {"gamma": 1e-3, "C": 100, "shrinking": False},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
]


@pytest.mark.parametrize("shuffle", [False, True], ids=["runs", "scattered"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_solution_is_libsvms_to_the_last_bit(kernel, shuffle, monkeypatch):
    """Also after thousands of steps with shrinking, where any other order of sums would show."""
    X, y = make_classification(400, 8, n_informative=5, flip_y=0.1, random_state=1)
    found, by_class = [], np.argsort(y, kind="stable")
    solve = svm.solve

    def spy(gram, gammas, train, train_start, test, test_start, codes, n_classes, C, tol, shrinking, hits):
        for f, gamma in enumerate(gammas):
            gram.known[:] = False
            rows = train[train_start[f] : train_start[f + 1]]
            index = np.concatenate([rows[codes[rows] == 0], rows[codes[rows] == 1]])
            sign, alpha = np.where(codes[index] == 0, 1.0, -1.0), np.empty(len(index))
            rho = solve(gram, gamma, index, sign, alpha, C, tol, shrinking)
            coefficients = np.zeros(len(codes))
            coefficients[by_class[index]] = sign * alpha
            found.append((coefficients, rho))
        hits[:] = 0

    monkeypatch.setattr(svm, "subset_hits", spy)
    splits = list(StratifiedKFold(2, shuffle=shuffle, random_state=0 if shuffle else None).split(X, y))
    add(CVAccuracy(SVC(**kernel), cv=splits).bind(X, y), (0, 1, 2), [(3, 5), (4,)])
    fits = [(rows, list(S)) for S in ((0, 1, 2, 3, 5), (0, 1, 2, 4)) for rows, _ in splits]
    for (rows, S), (coefficients, rho) in zip(fits, found, strict=True):
        model = SVC(**kernel).fit(X[rows][:, S], y[rows])
        want = np.zeros(len(y))
        want[rows[model.support_]] = -model.dual_coef_[0]
        np.testing.assert_array_equal(coefficients, want)
        assert rho == model.intercept_[0]


def test_a_class_may_be_missing_from_a_training_set():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(150)
    splits = [(rows[50:140], rows[140:]), (rows[:100], rows[40:60]), (rows[::2], rows[1::2])]
    quick, slow = both(SVC(), X, y, splits)
    np.testing.assert_array_equal(quick.score([(0, 1), (2, 3)]), slow.score([(0, 1), (2, 3)]))


def test_samples_on_the_boundary_are_predicted_by_libsvm():
    """Few distinct values: many decision values are equal, some of them zero."""
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (90, 6)).astype(float)
    y = (X.sum(axis=1) + rng.normal(size=90) > 0).astype(int)
    mirrored, both_classes = np.vstack([X, -X]), np.append(y, 1 - y)
    for kernel in ({"gamma": 1.0}, {"kernel": "linear"}):
        quick, slow = both(SVC(**kernel), mirrored, both_classes, 4)
        subsets = [(0,), (0, 1), (0, 1, 2), (1, 3, 5), tuple(range(6))]
        np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8])
def test_predictions_under_large_offsets_are_libsvms(offset):
    """libsvm expands squared distances when it learns, which loses digits, and not when it predicts.

    Where exp(gamma * error) is infinite, it finds no solution, or one that depends on the processor.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::4, :6] + offset, y[::4]
    for estimator in (SVC(), SVC(gamma=10.0), SVC(gamma=100.0), SVC(kernel="poly", degree=9)):
        found = []
        for criterion in both(estimator, X, y, 3):
            try:
                found.append(add(criterion, (1, 2), [(0,), (3, 5)]).tolist())
            except ValueError as error:
                found.append(str(error))
        assert found[0] == found[1], estimator


@pytest.mark.parametrize("gamma", ["scale", "auto", 2])
def test_constant_columns_and_the_width_of_the_kernel(gamma):
    """Constant everywhere, and in the training samples of a fold."""
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([StandardScaler().fit_transform(X)[::3, :2], np.ones(60), np.arange(60) % 20 == 0])
    quick, slow = both(SVC(gamma=gamma), X, y[::3], 3)
    subsets = [(2,), (3,), (0, 2), (0, 1)]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))


@pytest.mark.usefixtures("heeded_ctrl_c")
def test_ctrl_c_waits_for_the_candidates_at_hand_and_not_for_the_whole_step(monkeypatch):
    J = CVAccuracy(SVC(), cv=3).bind(*load_wine(return_X_y=True), n_jobs=2)
    begun, main, go = [], threading.main_thread().ident, threading.Event()

    def interrupt():
        time.sleep(0.2)  # a signal just before the main thread begins to wait would not wake it
        signal.pthread_kill(main, signal.SIGINT)

    both = threading.Barrier(2, action=interrupt)

    def slow(*arguments):
        begun.append(1)
        if len(begun) <= 2:
            both.wait(60)
            go.wait(60)

    monkeypatch.setattr(svm, "subset_hits", slow)
    monkeypatch.setattr("fscore._jobs.wait", lambda calls: go.set() or wait(calls))  # once no more calls begin
    with pytest.raises(KeyboardInterrupt):
        add(J, (0,), [(c,) for c in range(1, 13)])
    assert len(begun) <= 4
    J.close()

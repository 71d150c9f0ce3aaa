"""Support vector classifiers without refitting: the same solution to the last bit, and the same searches."""

import signal
import threading

import numpy as np
import pytest
from criteria_steps import add, remove
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from fscore.criteria import CVAccuracy, _svm
from fscore.criteria._cv import BoundCV
from fscore.criteria._quick import EPS
from fscore.criteria._svm import BoundSVC
from fscore.kernels import svm

KERNELS = [
    {"gamma": 1.0},
    {"gamma": 30.0, "C": 1e4},
    {"gamma": "scale"},
    {"gamma": "auto", "C": 0.01},
    {"gamma": 1e-3, "C": 100, "shrinking": False},
    {"kernel": "linear"},
    pytest.param({"kernel": "linear", "C": 30, "tol": 1e-5}, marks=pytest.mark.slow),  # libsvm takes a minute
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly"},
    {"kernel": "sigmoid", "gamma": 0.01},
]


def both(estimator, X, y, cv):
    """The criterion by compiled loops and by refitting."""
    quick, slow = (CVAccuracy(estimator, cv=cv, compiled=c).bind(X, y) for c in (True, False))
    assert type(quick) is BoundSVC
    assert type(slow) is BoundCV
    return quick, slow


@pytest.fixture(params=["raw", "minmax", "standard"])
def scaled(request):
    return {"raw": lambda X: X, "minmax": MinMaxScaler().fit_transform, "standard": StandardScaler().fit_transform}[
        request.param
    ]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_accuracies_equal_refits(load, kernel, scaled):
    X, y = load(return_X_y=True)
    X, y = scaled(X)[::3], y[::3]
    if kernel.get("kernel") and np.ptp(X) > 100:
        X = X / np.abs(X).max(axis=0)  # libsvm takes very long
    quick, slow = both(SVC(**kernel), X, y, StratifiedKFold(3, shuffle=True, random_state=0))
    base = (0, 3, 5, 6)
    adds, drops = [(1,), (7, 9), (11,)], [(3,), (0, 6)]
    np.testing.assert_array_equal(add(quick, base, adds), add(slow, base, adds))
    np.testing.assert_array_equal(add(quick, (), adds), add(slow, (), adds))
    np.testing.assert_array_equal(remove(quick, base, drops), remove(slow, base, drops))
    subsets = [(2,), (0, 1, 12), tuple(range(13))]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))
    np.testing.assert_array_equal(quick.fold_scores((0, 1, 12)), slow.fold_scores((0, 1, 12)))


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


def test_more_classes_vote_as_libsvm_does():
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    cv = StratifiedShuffleSplit(3, train_size=40, random_state=0)
    quick, slow = both(SVC(gamma=0.5), X, names, cv)
    subsets = [(0,), (0, 1), (1, 3), (0, 1, 2, 3)]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))


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


def test_large_offsets_leave_few_certain_digits():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::4] + 1e4, y[::4]
    quick, slow = both(SVC(gamma=0.1), X, y, 3)
    np.testing.assert_array_equal(add(quick, (1, 2), [(0,), (5,)]), add(slow, (1, 2), [(0,), (5,)]))


@pytest.mark.parametrize("offset", [1e6, 3e7, 1e8])
def test_predictions_under_large_offsets_are_libsvms(offset):
    """libsvm expands squared distances when it learns, which loses digits, and not when it predicts."""
    random = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = random.standard_normal((150, 3)) + offset
    subsets = [(0,), (1,), (0, 1), (0, 1, 2)]
    for estimator in (SVC(), SVC(gamma=10.0)):
        quick, plain = both(estimator, X, y, 5)
        try:
            expected = plain.score(subsets)
        except ValueError as error:
            pytest.skip(f"scikit-learn finds no solution on this processor: {error}")
        np.testing.assert_array_equal(quick.score(subsets), expected)


def test_threads_give_the_same():
    X, y = load_wine(return_X_y=True)
    J = CVAccuracy(SVC(gamma="scale"), cv=3)
    tuples = [(c,) for c in range(4, 13)]
    one = add(J.bind(X, y, n_jobs=1), (0, 1), tuples)
    two = add(J.bind(X, y, n_jobs=2), (0, 1), tuples[::-1])  # else memory used again could hold what is wanted
    np.testing.assert_array_equal(one, two[::-1])


@pytest.mark.parametrize("gamma", ["scale", "auto", 2])
def test_constant_columns_and_the_width_of_the_kernel(gamma):
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([StandardScaler().fit_transform(X)[::3, :2], np.ones(60)])
    quick, slow = both(SVC(gamma=gamma), X, y[::3], 3)
    subsets = [(2,), (0, 2), (0, 1)]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(class_weight="balanced"),
        SVC(max_iter=5),
        SVC(break_ties=True),
        SVC(kernel=lambda A, B: A @ B.T),
        SVC(kernel="precomputed"),
        SVC(probability=True),
    ],
    ids=["class_weight", "max_iter", "break_ties", "callable", "precomputed", "probability"],
)
def test_what_the_loops_do_not_know_is_refitted(estimator):
    X, y = load_wine(return_X_y=True)
    assert type(CVAccuracy(estimator, cv=3).bind(X, y)) is BoundCV


def test_sparse_data_and_training_sets_of_one_class_are_refitted():
    X, y = load_wine(return_X_y=True)
    rows = np.arange(178)
    for data, cv in ((csr_array(X), 3), (X, [(rows[:50], rows[50:]), (rows[50:], rows[:50])])):
        assert type(CVAccuracy(SVC(), cv=cv).bind(data, y)) is BoundCV


def test_all_data_are_valued_in_double_precision_if_their_squares_are_numbers():
    X, y = load_wine(return_X_y=True)
    for data in (X.astype(np.float32), np.clip(X, 0, 127).astype(np.int8), X.tolist()):
        assert CVAccuracy(SVC(), cv=3).bind(data, y).sheets[0].X.dtype == np.float64
    X[0, 0] = 1e200
    with np.errstate(over="raise"):
        assert type(CVAccuracy(SVC(), cv=3).bind(X, y)) is BoundCV


def test_too_many_samples_are_refitted(monkeypatch):
    X, y = load_wine(return_X_y=True)
    monkeypatch.setattr(_svm, "MAX_BYTES", 12 * len(y) ** 2 - 1)
    assert type(CVAccuracy(SVC(), cv=3).bind(X, y)) is BoundCV
    monkeypatch.setattr(_svm, "MAX_BYTES", 12 * len(y) ** 2)
    assert type(CVAccuracy(SVC(), cv=3).bind(X, y, n_jobs=2)) is BoundSVC


def test_the_width_of_the_kernel_by_the_variance_of_the_training_samples():
    X, y = np.tile([[1.0, -1.0, 7.0, 3.0], [-1.0, 1.0, 7.0, -3.0]], (12, 1)), np.repeat([0, 1], 12)
    splits = [(np.arange(2, 24), np.arange(2)), (np.arange(22), np.arange(22, 24))]
    for gamma, widths in (("scale", [1, 1 / 2, 1, 1 / 9]), ("auto", [1, 1 / 2, 1, 1]), (3, [3, 3, 3, 3])):
        J = CVAccuracy(SVC(gamma=gamma), cv=splits).bind(X, y)
        with np.errstate(all="raise"):
            found = [J._gammas(J.svm_parts[0], X[:, columns]).tolist() for columns in ([0], [0, 1], [2], [3])]
        np.testing.assert_allclose(found, np.column_stack([widths, widths]), rtol=1e-15)


def test_the_bound_on_errors_of_distances_is_that_of_the_formula():
    X, y = np.array([[3.0, 7.0, 4.0], [1.0, 7.0, 2.0], [0.0, 7.0, 1.0], [2.0, 7.0, 0.0]] * 3), [0, 0, 1, 1] * 3
    J = CVAccuracy(SVC(), cv=3).bind(X, y)
    by_class = np.tile([25, 5], 3).tolist() + np.tile([1, 4], 3).tolist()
    np.testing.assert_allclose(
        _svm._radius(J.svm_parts[0].X[:, [0, 2]]), (4 * 2 + 16) * EPS * np.array(by_class), rtol=1e-12
    )


def test_a_wrong_parameter_and_a_column_outside_get_one_sentence():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="'C' parameter of SVC"):
        CVAccuracy(SVC(C=-1), cv=3).bind(X, y)
    with pytest.raises(ValueError, match="column 13 is not in X"):
        add(CVAccuracy(SVC(), cv=3).bind(X, y), (0,), [(13,)])


def test_ctrl_c_waits_for_the_candidates_at_hand_and_not_for_the_whole_step(monkeypatch):
    J = CVAccuracy(SVC(), cv=3).bind(*load_wine(return_X_y=True), n_jobs=2)
    begun, main, go = [], threading.main_thread().ident, threading.Event()
    both = threading.Barrier(2, action=lambda: signal.pthread_kill(main, signal.SIGINT))

    def slow(*arguments):
        begun.append(1)
        if len(begun) <= 2:
            both.wait(60)
            threading.Timer(0.5, go.set).start()
            go.wait(60)

    monkeypatch.setattr(svm, "subset_hits", slow)
    with pytest.raises(KeyboardInterrupt):
        add(J, (0,), [(c,) for c in range(1, 13)])
    assert len(begun) <= 4
    J.close()

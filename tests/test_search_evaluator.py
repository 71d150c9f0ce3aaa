"""Cache, budget, checkpoint, parallelism and regularization must not change the result."""

import inspect
import re
import signal
import threading
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from criteria_steps import remove
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.feature_selection import SequentialFeatureSelector, VarianceThreshold
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.criteria import Bhattacharyya, Criterion, CVAccuracy, CVScore
from fscore.criteria._base import BoundCriterion
from fscore.criteria._knn import BoundKNN
from fscore.search import (
    PBIL,
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    BranchAndBound,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    Hybrid,
    OrderVoting,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
    columns_of,
    nested_score,
    plot_size_curve,
    plot_trace,
    redundancy_groups,
    regularize,
)
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._rules import as_rule
from fscore.search._sequential import sfs

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)
SUMS = FunctionTransformer(np.cumsum)


def same(a, b):
    assert a.trace_.equals(b.trace_)
    assert a.path_.equals(b.path_)
    np.testing.assert_array_equal(a.support_, b.support_)
    assert a.score_ == b.score_
    assert a.n_evaluations_ == b.n_evaluations_


SEARCHES = [
    SFFS(KNN, 5, cv=5, delta=2),
    DynamicOscillatingSearch(KNN, cv=5, depth=3),
    DynamicOscillatingSearch(OrderVoting([KNN, KNeighborsClassifier(1)]), depth=2),
    PBIL(KNN, cv=5, population=10, max_generations=5, random_state=0),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda s: type(s).__name__)
def test_jobs_and_repetition_change_nothing(search):
    from sklearn.base import clone

    plain = clone(search).fit(X, Y)
    same(plain, clone(search).fit(X, Y))
    same(plain, clone(search).set_params(n_jobs=2).fit(X, Y))


def test_processes_change_nothing():
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    one, two = (SFS(tree, 3, cv=3, n_jobs=n).fit(X, Y) for n in (1, 2))
    same(one, two)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 150))
def test_budget_cuts_the_trace_and_nothing_else(budget):
    whole = DynamicOscillatingSearch(KNN, cv=5, depth=2).fit(X, Y)
    cut = DynamicOscillatingSearch(KNN, cv=5, depth=2, max_evaluations=budget).fit(X, Y)
    assert cut.n_evaluations_ == min(budget, whole.n_evaluations_)
    assert cut.trace_.equals(whole.trace_.iloc[: cut.n_evaluations_])
    assert (cut.stopped_ == "evaluations") == (budget < whole.n_evaluations_)
    assert cut.score_ == cut.trace_["value"].max()


def interrupt_at_size(monkeypatch, size):
    """Ctrl-C, once, when a search adds to a subset of this size."""
    plain = BoundKNN._score
    pending = [KeyboardInterrupt]

    def interrupted(self, subsets, base=None, adding=True):
        if pending and len(base or ()) == size:
            raise pending.pop()
        return plain(self, subsets, base, adding)

    monkeypatch.setattr(BoundKNN, "_score", interrupted)


def test_seconds_and_interruption_keep_the_best_so_far(monkeypatch):
    slow = DynamicOscillatingSearch(KNN, cv=5, depth=15, max_seconds=1e-3).fit(X, Y)
    assert slow.stopped_ == "seconds"
    assert slow.score_ == slow.trace_["value"].max()
    interrupt_at_size(monkeypatch, 3)
    with pytest.warns(ConvergenceWarning) as caught:
        stopped = SFS(KNN, 6, cv=5).fit(X, Y)
    assert [str(w.message) for w in caught] == [
        f"The search was stopped (interrupt) before it reached 6 units; the best subset so far has {stopped.size_}.",
        "The search was interrupted and keeps the best of the 36 subsets scored so far; press Ctrl-C again to stop "
        "what comes after it, or fit again to resume from a checkpoint.",
    ]
    assert stopped.stopped_ == "interrupt"
    assert stopped.score_ == stopped.trace_["value"].max()
    monkeypatch.undo()
    interrupt_at_size(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt, match=r"^interrupted before a single subset was scored$"):
        SFS(KNN, 6, cv=5).fit(X, Y)


@pytest.mark.parametrize(
    ("stopped", "remedy"),
    [
        ("evaluations", "raise max_evaluations"),
        ("seconds", "raise max_seconds"),
        ("callback", "let the callback go on"),
    ],
)
def test_a_search_stopped_before_its_first_value_names_the_remedy(stopped, remedy):
    class Stopped(SFS):
        def _search(self, *args):
            raise SearchStopped(stopped)

    with pytest.raises(ValueError, match=rf"stopped \({stopped}\) before a single subset was scored; {remedy}\.$"):
        Stopped(KNN, 3).fit(X, Y)


def fitted_alone(search):
    return search.fit(X, Y)


def fitted_and_transformed(search):
    return search.fit_transform(X, Y)


def fitted_in_a_pipeline(search):
    return make_pipeline(StandardScaler(), search, KNN).fit(X, Y)


def fitted_in_a_grid(search):
    return GridSearchCV(make_pipeline(search, KNN), {"kneighborsclassifier__n_neighbors": [1]}, cv=2).fit(X, Y)


@pytest.mark.parametrize("fit", [fitted_alone, fitted_and_transformed, fitted_in_a_pipeline, fitted_in_a_grid])
def test_the_warning_of_an_interruption_points_to_the_users_line(monkeypatch, fit):
    """The search has no size to reach, so that this is the only warning."""
    interrupt_at_size(monkeypatch, 3)
    with pytest.warns(ConvergenceWarning) as caught:
        fit(SFS(KNN, cv=5))
    assert [str(w.message).partition(";")[0] for w in caught] == [
        "The search was interrupted and keeps the best of the 36 subsets scored so far"
    ]
    lines = inspect.getsourcelines(fit)
    assert (caught[0].filename, caught[0].lineno) == (__file__, lines[1] + len(lines[0]) - 1)


def test_the_warning_of_a_small_budget_points_to_the_users_line():
    with pytest.warns(ConvergenceWarning, match="before it reached 6 units") as caught:
        SFS(KNN, 6, cv=5, max_evaluations=3).fit(X, Y)
    assert [w.filename for w in caught] == [__file__]


class Counting(Criterion):
    """The mean of the columns' numbers; slow or NaN with one of the columns, if asked for."""

    def __init__(self, seconds=0.0, batch=None, undefined=None):
        self.seconds = seconds
        self.batch = batch
        self.undefined = undefined

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound.batch = self.batch

        def score(subsets, base, adding):
            time.sleep(self.seconds)
            return np.array([np.nan if self.undefined in s else np.mean(s) for s in subsets])

        bound._score = score
        return bound


J = Counting()


def test_time_is_checked_after_every_batch(tmp_path):
    slow = RandomSearch(
        Counting(0.05, batch=10), n_iter=1000, max_seconds=0.12, random_state=0, checkpoint=tmp_path / "checkpoint"
    ).fit(X, Y)
    assert slow.stopped_ == "seconds"
    assert slow.n_evaluations_ <= 30
    assert (tmp_path / "checkpoint").read_text().count("\n") == 1 + slow.n_evaluations_


@pytest.mark.parametrize("criterion", [KNN, Bhattacharyya()])
def test_compiled_criteria_keep_a_budget_of_seconds(criterion):
    search = RandomSearch(criterion, n_iter=20_000, cv=5, max_seconds=1e-3, random_state=0).fit(X, Y)
    assert search.stopped_ == "seconds"
    assert search.n_evaluations_ < 5000  # of 8191 subsets


def test_random_search_draws_within_its_seconds():
    begin = time.monotonic()
    assert RandomSearch(Counting(), n_iter=10**7, max_seconds=0.1).fit(X, Y).stopped_ == "seconds"
    assert time.monotonic() - begin < 10  # drawing them all takes minutes


@pytest.mark.parametrize(
    "search", [RandomSearch(KNN, n_iter=10**4, random_state=0), SFS(KNN), SBS(KNN), SFFS(OrderVoting())]
)
def test_compiled_knn_keeps_its_seconds_on_many_samples(search):
    """The candidates of a step take longer than the time given."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = rng.standard_normal((5000, 60)) + 0.2 * y[:, None]
    CVAccuracy(KNN, cv=5).bind(X[:100], y[:100]).score([(0,), (0, 1)])
    begin = time.monotonic()
    search.set_params(cv=5, max_seconds=0.5).fit(X, y)
    taken = time.monotonic() - begin
    assert search.stopped_ == "seconds"
    assert search.n_evaluations_ > 0
    slowest = CVAccuracy(KNN, cv=5).bind(X, y)
    begin = time.monotonic()
    slowest.score([tuple(range(60))])
    assert taken < 0.5 + max(0.5, 2 * (time.monotonic() - begin))


@pytest.mark.parametrize("search", [RandomSearch(KNN, n_iter=10**4, random_state=0), SBS(KNN, 1)])
def test_ctrl_c_keeps_every_finished_subset(search):
    """Also in the first batch of many subsets, and within a step."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = rng.standard_normal((4000, 40)) + 0.2 * y[:, None]
    J = CVAccuracy(KNN, cv=5).bind(X, y)
    J.score([(0,), (0, 1)])  # compiled by now
    remove(J, (0, 1), [(0,)])
    begin = time.monotonic()
    J.score([tuple(range(40))])
    one = time.monotonic() - begin
    ctrl_c = threading.Timer(3 * one + 0.1, signal.raise_signal, [signal.SIGINT])
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a parallel test run ignores the signal
    begin = time.monotonic()
    ctrl_c.start()
    try:
        with pytest.warns(ConvergenceWarning):
            search.set_params(cv=5).fit(X, y)
    finally:
        ctrl_c.cancel()
        signal.signal(signal.SIGINT, handler)
    assert search.stopped_ == "interrupt"
    assert search.n_evaluations_ > 0
    assert time.monotonic() - begin < 10 * one + 1


@pytest.mark.parametrize("search", [RandomSearch, PBIL, GeneticSearch])
def test_a_subset_drawn_twice_at_once_is_computed_once(search):
    found = search(Counting(), random_state=0).fit(X[:, :3], Y)
    assert found.n_evaluations_ <= 7
    assert found.computed_ == [("Counting", found.n_evaluations_)]


@pytest.mark.parametrize("search", [SFS, SBS, SFFS, DynamicOscillatingSearch, OrderVoting])
def test_a_subset_that_cannot_be_scored_is_avoided_with_one_warning(search):
    J = Counting(undefined=3)
    search = SFFS(OrderVoting([J, Counting()]), 4) if search is OrderVoting else search(J)
    with pytest.warns(
        FitFailedWarning, match=r"count as -inf, first the columns \(.*3.*\) \(ValueError: .*NaN"
    ) as caught:
        search.fit(X, Y)
    assert len(caught) == 1
    assert not search.support_[3]
    failed = search.trace_["features"].map(lambda columns: 3 in columns)
    assert (search.trace_["value"][failed] == -np.inf).all()
    assert np.isfinite(search.trace_["value"][~failed]).all()
    with pytest.raises(ValueError, match=r"Counting is NaN for the columns \(.*3.*\); its score must be defined"):
        search.set_params(error_score="raise").fit(X, Y)
    search.set_params(excluded=[3]).fit(X, Y)


def test_a_model_that_cannot_be_fitted_to_some_subsets_ends_no_search():
    """Copies of a column make the covariance singular, a constant one leaves nothing, two components need two."""
    Z = np.column_stack([X[:, :4], X[:, 0], np.ones(178)])
    for model, failing in (
        (make_pipeline(VarianceThreshold(), QuadraticDiscriminantAnalysis()), lambda f: f == (5,) or {0, 4} <= set(f)),
        (make_pipeline(PCA(2), KNN), lambda f: len(f) == 1),
    ):
        for search in (SBS, ExhaustiveSearch):
            with pytest.warns(FitFailedWarning):
                found = search(model, cv=3).fit(Z, Y)
            failed = found.trace_["features"].map(failing)
            assert (np.isneginf(found.trace_["value"]) == failed).all()
            assert found.score_ > 0.5
            with pytest.raises((ValueError, np.linalg.LinAlgError)):
                search(model, cv=3, error_score="raise").fit(Z, Y)
    with pytest.raises(ValueError, match="n_components=2 must be between"):
        SFS(make_pipeline(PCA(2), KNN), 1, cv=3).fit(Z, Y)  # the result itself cannot be fitted


def test_an_error_that_is_not_one_of_a_subset_is_raised_at_once():
    class Failing(KNeighborsClassifier):
        n_calls = 0

        def fit(self, X, y):
            Failing.n_calls += 1
            raise RuntimeError("no fit today")

    with pytest.raises(RuntimeError, match="no fit today"):
        SFS(Failing(), 2, cv=3).fit(X, Y)
    assert Failing.n_calls <= 5


@pytest.mark.filterwarnings("ignore:Only one class is present")
def test_a_score_that_a_fold_leaves_undefined_is_refused():
    two = Y < 2
    J = CVScore(KNN, cv=KFold(5), scoring="roc_auc")  # the samples are sorted by class
    with pytest.raises(ValueError, match=r"CVScore is NaN for the columns .* needs both classes in every test fold"):
        SFS(J, 2).fit(X[two], Y[two])


@pytest.mark.filterwarnings("ignore:R.2 score is not well-defined", "ignore:overflow", "ignore:invalid value")
def test_an_undefined_score_of_a_regression_has_remedies_for_regression():
    J = CVScore(KNN, scoring="r2", cv=LeaveOneOut())
    for search, y in (
        (SFS(Ridge(), 1, cv=LeaveOneOut()), X[:, 0]),
        (SFS(DecisionTreeRegressor(), 1, cv=3), 1e200 * X[:, 0]),
        (SFS(J, 1), Y),
    ):
        with pytest.raises(
            ValueError, match=r"^CVScore is NaN for the columns .*\(R2, .* two samples .* overflow; use -inf"
        ):
            search.fit(X[::3], y[::3])


def test_fixed_excluded_grouped_and_named_columns():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    search = SFFS(KNN, 4, cv=5, fixed=["f0"], excluded=["f12", 6], column_groups=[["f1", "f2"], [3, 4, 5]]).fit(
        frame, Y
    )
    features = search.trace_["features"]
    assert all(0 in f and 12 not in f and 6 not in f for f in features)
    assert all((1 in f) == (2 in f) and (3 in f) == (4 in f) == (5 in f) for f in features)
    assert search.size_ == 4
    by_hand = CVAccuracy(KNN, cv=5).bind(X, Y).score([tuple(f) for f in features])
    np.testing.assert_array_equal(by_hand, search.trace_["value"])
    units = [{0}, {1, 2}, {3, 4, 5}] + [{i} for i in range(7, 12)]
    assert all(sum(u <= set(f) for u in units) == size for f, size in zip(features, search.trace_["size"], strict=True))
    whole = SBS(KNN, 1, cv=5, fixed=[0]).fit(X, Y)
    assert whole.get_support(indices=True).tolist() == [0]


@pytest.mark.parametrize(
    ("search", "size"),
    [
        (SFS(J, 0.25), 3),  # of 13
        (SFS(J, 0.01), 1),
        (SFS(J, 0.2), 2),
        (SFS(J, np.int64(2)), 2),
        (SFS(J, 0.5, fixed=[0, 1]), 6),  # the fixed ones are counted
        (SFS(J, 0.5, excluded=[0, 1, 2]), 5),  # the excluded ones are not
        (SFS(J, 0.5, column_groups=[range(10)]), 2),  # of 4
        (SFS(J, 2, fixed=[0, 1]), 2),
        (SFS(J, 13, fixed=[0, 1]), 13),
        (SBS(J, 2, fixed=[0, 1], group_size=2), 2),
        (SFS(J, 5, fixed=[0], group_size=2), 5),
        (SFS(J, 5, group_size=2, warm_start_from=[0]), 5),
        (SBS(J, 5, group_size=2, warm_start_from=range(7)), 5),
        (PlusLMinusR(J, 3, l=1, r=2), 3),
    ],
)
def test_sizes_are_numbers_or_proportions_of_units(search, size):
    found = search.fit(X, Y)
    assert found.size_ == size
    assert found.n_features_to_select_ == found.support_.sum()
    assert found.support_[found._numbers(found.fixed, "fixed")].all()


def test_a_proportion_is_rounded_down_from_what_it_is_in_decimals():
    for n in (50, 100):
        wide = np.hstack([X] * 8)[:, :n]
        for percent in (14, 28, 29, 57, 58):
            assert SFS(Counting(), percent / 100).fit(wide, Y).size_ == percent * n // 100


@pytest.mark.parametrize("search", [SFS, SBS, SFFS, SBFS, PlusLMinusR, partial(PlusLMinusR, l=1, r=2)])
def test_a_range_of_sizes_has_the_best_of_its_subsets(search):
    found = search(KNN, (3, 6), cv=5).fit(X, Y)
    best = found.best_per_size_.loc[3:6, "value"]
    assert (found.size_, found.score_) == (best.idxmax(), best.max())
    whole = search(KNN, cv=5).fit(X, Y).trace_
    assert len(found.trace_) < len(whole)
    assert found.trace_.equals(whole.iloc[: len(found.trace_)])
    small = search(KNN, (3, 6), cv=5, tau=0.5).fit(X, Y)
    assert small.size_ == 3
    stepwise = search(KNN, (4, 6), cv=5, group_size=2, fixed=[0]).fit(X, Y)
    assert stepwise.size_ == 5
    assert stepwise.support_[0]


def test_a_range_that_no_search_can_reach_is_named():
    for search, sentence in (
        (SFS(J, (6, 3)), r"n_features_to_select=\(6, 3\) is not a range of sizes, as \(2, 8\)"),
        (SFS(J, (2, 3, 4)), "is not a range of sizes"),
        (SFS(J, (2, 14)), "n_features_to_select=14, but only 13"),
        (SFS(J, (5, 5), group_size=2), r"group_size=2 leads to no size in \(5, 5\) of 13 units; widen the range"),
        (OscillatingSearch(J, (2, 3)), "OscillatingSearch takes one size, not the range"),
    ):
        with pytest.raises(ValueError, match=sentence):
            search.fit(X, Y)


@pytest.mark.parametrize("tol", [0.0, 0.02])
def test_a_tolerance_ends_a_search_as_in_scikit_learn(tol):
    A = X[:, 6:]
    forward = SequentialFeatureSelector(KNN, tol=tol, cv=5).fit(A, Y)
    np.testing.assert_array_equal(SFS(KNN, tol=tol, cv=5).fit(A, Y).support_, forward.support_)
    back = -tol - 1e-9  # equal means of folds may differ in the last digit there
    backward = SequentialFeatureSelector(KNN, direction="backward", tol=back, cv=5).fit(A, Y)
    np.testing.assert_array_equal(SBS(KNN, tol=back, cv=5).fit(A, Y).support_, backward.support_)
    with pytest.raises(ValueError, match=r"tol=0\.1 decides the size, and so does n_features_to_select=2; leave"):
        SFS(KNN, 2, tol=0.1).fit(X, Y)


def test_one_column_is_enough():
    assert BestIndividual(J).fit(X[:, :1], Y).support_.tolist() == [True]


def test_a_search_of_fixed_columns_values_them_alone():
    found = SFS(J, 2, fixed=[3, 5]).fit(X, Y)
    assert (found.score_, found.n_evaluations_, found.size_, found.stopped_) == (4.0, 1, 2, None)
    assert found.get_support(indices=True).tolist() == [3, 5]
    assert found.trace_["features"].tolist() == [(3, 5)]
    assert found.path_[["move", "value"]].to_numpy().tolist() == [["value", 4.0]]


OF_ANY_SIZE = [BestIndividual, SFS, SBS, SFFS, SBFS, PlusLMinusR, DynamicOscillatingSearch, ExhaustiveSearch]


@pytest.mark.parametrize("search", [*OF_ANY_SIZE, PBIL, GeneticSearch, RandomSearch])
def test_the_fixed_columns_alone_are_a_subset_too(search):
    """The value falls with every column that is added."""
    search = search(Counting(), fixed=[12]).fit(X, Y)
    assert search.get_support(indices=True).tolist() == [12]
    assert (search.score_, search.size_) == (12.0, 1)
    assert search.best_per_size_.index[0] == 1
    with pytest.warns(ConvergenceWarning, match="before it reached 4 units; the best subset so far has 2"):
        SFS(Counting(), 4, fixed=[12], max_evaluations=1).fit(X, Y)


def test_warm_start():
    start = [0, 6, 9]
    search = OscillatingSearch(KNN, cv=5, depth=1, warm_start_from=start).fit(X, Y)
    assert search.trace_["features"].iloc[0] == (0, 6, 9)
    assert search.size_ == 3
    assert search.score_ >= search.trace_["value"].iloc[0]
    search = DynamicOscillatingSearch(KNN, cv=5, depth=1, warm_start_from=start).fit(X, Y)
    assert search.trace_["features"].iloc[0] == (0, 6, 9)
    groups = [[1, 2], [3, 4]]
    search = SFS(Counting(), warm_start_from=[2, 1, 7, 0], column_groups=groups, fixed=[0]).fit(X, Y)
    assert search.path_["features"].iloc[1] == (0, 1, 2, 7)  # the first is what is fixed


def test_a_step_without_candidates_is_refused():
    evaluator = Evaluator(as_rule(Counting()), X, Y)
    assert sfs(evaluator, 1) == (12,)
    with pytest.raises(ValueError, match=r"^no tuple can be added to \(0,\)$"):
        evaluator.add((0,), 13)
    with pytest.raises(ValueError, match=r"^no tuple can be removed from \(0, 1\)$"):
        evaluator.remove((0, 1), 3)


TREE = DecisionTreeClassifier()
TRACE = pd.DataFrame({"features": [(0,), (0, 4)], "size": [1, 2], "value": [0.5, 0.75]})
ONE_FOLD = [np.array_split(np.arange(178), 2)]


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")
@pytest.mark.parametrize(
    ("refused", "sentence"),
    [
        (lambda: BranchAndBound(J, 2).fit(X, Y), "Counting is not monotone, so its bounds are invalid"),
        (lambda: BranchAndBound(Bhattacharyya()).fit(X, Y), "BranchAndBound needs n_features_to_select"),
        (lambda: ExhaustiveSearch(J).fit(np.hstack([X, X]), Y), "26 features make 6.7e+07 subsets"),
        (lambda: OscillatingSearch(J, 4, warm_start_from=[0, 1, 2]).fit(X, Y), "warm_start_from has 3 units to"),
        (lambda: SFS(J, 3, warm_start_from=[0, 1, 2, 3]).fit(X, Y), "warm_start_from has 4 units to search over"),
        (lambda: SFS(J, warm_start_from=[0, 1], excluded=[1]).fit(X, Y), "warm_start_from contains column 1"),
        (lambda: PlusLMinusR(J, l=2, r=2).fit(X, Y), "l=2 and r=2 are equal, so the size never changes"),
        (lambda: GeneticSearch(J, population=2, elite=3).fit(X, Y), "elite=3 exceeds population=2; keep fewer."),
        (lambda: SFS(J, 14).fit(X, Y), "n_features_to_select=14, but only 13 can be chosen; ask for fewer."),
        (lambda: SFS(J, 13, fixed=[0], excluded=[1]).fit(X, Y), "n_features_to_select=13, but only 12 can be chosen"),
        (lambda: SFS(J, 2, fixed=[1, 2, 3]).fit(X, Y), "n_features_to_select=2, but 3 are fixed"),
        (lambda: SFS(J, 3, group_size=2).fit(X, Y), "group_size=2 never leads to 3 of 13 units"),
        (lambda: SFS(J, group_size=14).fit(X, Y), "group_size=14, but there are only 13 units to choose from"),
        (lambda: SFS(J, group_size=15).fit(np.hstack([X] * 5), Y), "group_size=15 makes a search choose among"),
        (lambda: SFS(J, tau="1se").fit(X, Y), 'tau="1se" needs the fold scores of one cross-validated criterion'),
        (lambda: SFS(Undefined(), secondary=[1, 2]).fit(X, Y), "secondary holds (2,) costs, but X has 13 features"),
        (lambda: SFS(J, secondary=list("abc")).fit(X, Y), "secondary=['a', 'b', 'c'] does not hold costs"),
        (lambda: SFS(J, secondary=[1, np.inf]).fit(X, Y), "secondary holds inf; costs must be finite numbers."),
        (lambda: SFS(J, fixed=["ash"]).fit(X, Y), "fixed names the column 'ash', but X has no column names."),
        (
            lambda: SFS(J, fixed=["malt"]).fit(*load_wine(return_X_y=True, as_frame=True)),
            "fixed names the column 'malt', but X has alcohol, malic_acid, ash, alcalinity_of_ash, magnesium",
        ),
        (lambda: SFS(J, excluded=[13]).fit(X, Y), "excluded contains column 13, but X has 13 (0 to 12)."),
        (lambda: SFS(J, fixed=[2.7]).fit(X, Y), "fixed contains 2.7; columns are given by number, name or mask."),
        (lambda: SFS(J, column_groups=[1, 2]).fit(X, Y), "column_groups=1 is not a list of columns; write [1]."),
        (lambda: SFS(J, fixed=[3, np.True_]).fit(X, Y), "fixed contains True, but is not a mask of the 13 columns of"),
        (lambda: SFS(J, column_groups=[[1, 2], [2, 3]]).fit(X, Y), "column 2 is in two column_groups"),
        (lambda: SFS(J, fixed=[3, 0], excluded=[3, 1]).fit(X, Y), "column 3 is both fixed and excluded"),
        (
            lambda: SFS(J, column_groups=[[2, 1]], fixed=[1], excluded=[2]).fit(X, Y),
            "the column group [1, 2] is both fixed and excluded; remove it from one of them.",
        ),
        (lambda: SFS(J, excluded=range(13)).fit(X, Y), "all columns are excluded; leave at least one."),
        (lambda: SFS(Counting(undefined=3), error_score="raise").fit(X, Y), "Counting is NaN for the columns (3,)"),
        (lambda: SFS(OrderVoting([])).fit(X, Y), "criteria is empty; voting needs at least one criterion."),
        (lambda: SFS(OrderVoting(J)).fit(X, Y), "criteria=Counting() is not a list; write [Counting()]."),
        (lambda: SFS(OrderVoting([Infinite(), Infinite(-1)])).fit(X, Y), "the mean of the voters is undefined"),
        (lambda: SFS(Hybrid(J, lam=1.5)).fit(X, Y), "lam=1.5 is not a proportion"),
        (lambda: SFS(Hybrid(J, rounding="down")).fit(X, Y), "rounding='down' is unknown; choose 'nearest' or 'floor'."),
        (lambda: regularize([], 0.1, []), "the trace is empty; run the search first."),
        (lambda: regularize(["a"], 0.1, [1]), "trace=['a'] is neither a table nor an array of values"),
        (lambda: regularize([0.5], 2, [1]), "tau=2 must be a number in [0, 1]."),
        (lambda: regularize([0.5, np.nan], 0.1, [1, 2]), "the trace has the value nan"),
        (lambda: regularize([0.5], 0.1, [1], rule="last"), "rule='last' is unknown; it is 'offline' or 'printed'."),
        (lambda: regularize(TRACE, 0.1, "cost"), "secondary='cost' is unknown; it is 'size' or an array of costs."),
        (lambda: regularize(TRACE, 0.1, [1, 2, 3, 4]), "secondary has shape (4,), but the trace holds column 4"),
        (lambda: regularize([0.9], 0.1), "an array of values has no sizes; give the cost of each row as secondary."),
        (lambda: regularize([0.1, 0.2, 0.3], 0.1, [1, 2]), "3 values, but secondary has shape (2,)"),
        (lambda: nested_score(SFS(KNN), X, Y, confidence=0), "confidence=0 must be between 0 and 1."),
        (lambda: nested_score(SFS(KNN), X, Y, cv=ONE_FOLD), "cv holds one split, but an interval needs at least two"),
        (lambda: nested_score(SFS(J), X, Y), "SFS(criterion=Counting()) scores subsets by no estimator of its own"),
        (lambda: redundancy_groups(X, [0], threshold=0), "threshold=0 must be greater than 0 and at most 1."),
        (lambda: redundancy_groups(X, [0], threshold="0.9"), "threshold='0.9' must be greater than 0 and at most 1."),
        (lambda: redundancy_groups(X, []), "selected is empty; give at least one column."),
        (lambda: redundancy_groups(X, [13]), "selected contains column 13, but X has 13 (0 to 12)."),
        pytest.param(
            *(lambda: columns_of(SUMS.fit(X)), f"{SUMS!r} does not name its output columns"),
            id="unnamed columns",  # the sentence has an address of this process
        ),
        (lambda: SFS(TREE).fit(X, Y, colour="red", shape="round"), "fit got 'colour'; without metadata routing it"),
        (lambda: SFS(J).fit(X, Y, groups=Y), "fit got 'groups', but not every part of the criterion can use it"),
        (lambda: SFS(OrderVoting([TREE, KNN])).fit(X, Y, sample_weight=Y), "fit got 'sample_weight', but not every"),
    ],
)
def test_a_refusal_names_argument_value_and_remedy(refused, sentence):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(sentence)}"):
        refused()


def test_best_per_size_is_what_the_trace_says():
    search = SFFS(KNN, cv=5).fit(X, Y)
    best = search.best_per_size_
    assert best.index.tolist() == list(range(1, 14))
    for size, row in best.iterrows():
        rows = search.trace_[search.trace_["size"] == size]
        assert row["value"] == rows["value"].max()
        assert row["support"] == rows["features"].loc[rows["value"].idxmax()]
    assert search.score_ == best["value"].max()
    assert search.size_ == best["value"].idxmax()


# regularization -----------------------------------------------------------------------------------------------------


def test_both_readings_on_the_example_of_the_notes():
    values, sizes = [0.900, 0.895, 0.899, 0.907], [5, 3, 4, 6]
    assert regularize(values, 0.01, sizes) == 2
    assert regularize(values, 0.01, sizes, rule="printed") == 3
    assert regularize(values, 0.0, sizes) == regularize(values, 0.0, sizes, rule="printed") == 3
    assert regularize(values, 1.0, sizes) == 1
    assert regularize([-np.inf, -np.inf], 0, [2, 1]) == 1


def printed(values, costs, tau):
    """Steps 1 to 4 of Section 2.2.1, with J2 = -costs."""
    J1, J2 = list(values), [-c for c in costs]
    max_, sel = 0, 0
    for x in range(1, len(J1)):
        if J1[x] > J1[max_]:
            max_ = x
            if J1[sel] < (1 - tau) * J1[max_] or J2[sel] <= J2[max_]:
                sel = x
                continue
        if J1[x] >= (1 - tau) * J1[max_] and (J2[x] > J2[sel] or (J2[x] == J2[sel] and J1[x] > J1[sel])):
            sel = x
    return sel


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 3)), min_size=1, max_size=8), st.sampled_from([0, 0.25, 0.5])
)
def test_the_printed_update_is_taken_step_by_step(rows, tau):
    values, costs = zip(*rows, strict=True)
    assert regularize(values, tau, costs, rule="printed") == printed(values, costs, tau)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 6)), min_size=1, max_size=30),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_offline_regularization_is_monotone_and_within_the_margin(rows, tau, sigma):
    values, sizes = np.array(rows, dtype=float).T
    low, high = sorted((tau, sigma))
    a, b = regularize(values, low, sizes), regularize(values, high, sizes)
    assert sizes[b] <= sizes[a]
    assert values[a] >= (1 - low) * values.max() - 1e-9
    inside = values >= values.max() - low * values.max()
    assert sizes[a] == sizes[inside].min()
    online = regularize(values, low, sizes, rule="printed")
    assert values[online] >= (1 - low) * values.max() - 1e-9


@pytest.mark.parametrize("secondary", ["size", np.linspace(3, 1, 13)])
def test_every_tau_from_one_trace_equals_separate_runs(secondary):
    whole = DynamicOscillatingSearch(KNN, cv=5, depth=3).fit(X, Y)
    sizes = []
    for tau in (0.001, 0.005, 0.01, 0.02, 0.05, 0.1):
        separate = DynamicOscillatingSearch(KNN, cv=5, depth=3, tau=tau, secondary=secondary).fit(X, Y)
        row = whole.trace_.iloc[regularize(whole.trace_, tau, secondary)]
        assert tuple(separate.get_support(indices=True)) == row["features"]
        assert separate.score_ == row["value"]
        sizes.append(separate.size_)
    if isinstance(secondary, str):
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > sizes[-1]


def test_given_size_is_kept_under_regularization():
    cost = np.arange(13.0)
    search = SFFS(KNN, 4, cv=5, tau=0.05, secondary=cost).fit(X, Y)
    plain = SFFS(KNN, 4, cv=5).fit(X, Y)
    assert search.size_ == 4
    assert cost[search.support_].sum() < cost[plain.support_].sum()
    assert search.score_ >= 0.95 * plain.score_


def test_a_tau_of_one_takes_the_cheapest_subset_of_all():
    found = SFS(J, tau=1, secondary=np.arange(1.0, 14)).fit(X, Y)
    assert (found.get_support(indices=True).tolist(), found.score_) == ([0], 0.0)


@pytest.mark.parametrize("estimator", [KNN, DecisionTreeClassifier(max_depth=3, random_state=0)], ids=repr)
@pytest.mark.parametrize("size", [None, 4])
def test_one_standard_error_by_hand(estimator, size):
    """The smallest (cheapest) subset whose value is within a standard error of the best."""
    A = X if estimator is KNN else X[:, 8:]  # trees are fitted anew for each subset
    costs = np.arange(A.shape[1], 0.0, -1)
    plain = SFFS(estimator, size, cv=5).fit(A, Y)
    for secondary in "size", costs:
        found = SFFS(estimator, size, cv=5, tau="1se", secondary=secondary).fit(A, Y)
        assert found.trace_.equals(plain.trace_)
        rows = plain.trace_ if size is None else plain.trace_[plain.trace_["size"] == size]
        best = rows.loc[rows["value"].idxmax()]
        folds = cross_val_score(estimator, A[:, best["features"]], Y, cv=5)
        lowest = best["value"] - folds.std(ddof=1) / np.sqrt(5)
        rows = rows[rows["value"] >= lowest]
        cost = [len(f) if isinstance(secondary, str) else costs[list(f)].sum() for f in rows["features"]]
        want = min(zip(cost, -rows["value"], rows.index, strict=True))[2]
        assert tuple(found.get_support(indices=True)) == rows.loc[want, "features"]


def test_one_standard_error_needs_fold_scores():
    for criterion in (Bhattacharyya(), OrderVoting([KNN, KNeighborsClassifier(1)])):
        with pytest.raises(ValueError, match=r'^tau="1se" needs the fold scores of one cross-validated criterion'):
            SFS(criterion, tau="1se").fit(X, Y)
    SFS(OrderVoting([KNN, KNeighborsClassifier(1)], main=KNN), tau="1se", cv=5).fit(X, Y)
    with pytest.raises(ValueError, match="The 'tau' parameter of SFS"):
        SFS(KNN, tau="2se").fit(X, Y)


def test_plots_show_the_course_and_the_best_of_each_size():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    search = SFFS(Counting(), 5).fit(X, Y)
    for value, column, label in (False, "size", "subset size"), (True, "value", "criterion value"):
        ax = plot_trace(search, value=value)
        (line,) = ax.lines
        assert line.get_xdata().tolist() == list(range(1, len(search.path_) + 1))
        np.testing.assert_array_equal(line.get_ydata(), search.path_[column])
        assert (ax.get_xlabel(), ax.get_ylabel(), line.get_linewidth()) == ("step", label, 1.5)
    assert plot_trace(search).lines[0].get_ydata()[0] == 1  # the size, unless asked otherwise
    _, given_ax = plt.subplots()
    assert plot_trace(search, ax=given_ax, color="red", linewidth=3) is given_ax
    assert (given_ax.lines[0].get_color(), given_ax.lines[0].get_linewidth()) == ("red", 3)
    _, given_ax = plt.subplots()
    assert plot_size_curve(search, ax=given_ax, color="red") is given_ax
    curve, mark = given_ax.lines
    np.testing.assert_array_equal(curve.get_xdata(), search.best_per_size_.index)
    np.testing.assert_array_equal(curve.get_ydata(), search.best_per_size_["value"])
    assert (curve.get_marker(), curve.get_linewidth()) == (".", 1.5)
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([5], [search.score_])
    assert (mark.get_marker(), mark.get_fillstyle(), mark.get_color()) == ("o", "none", "red")
    assert mark.get_markersize() > curve.get_markersize()
    assert (given_ax.get_xlabel(), given_ax.get_ylabel()) == ("subset size", "best criterion value")
    assert plot_size_curve(search).lines[0].get_linewidth() == 1.5
    plt.close("all")


def test_progress_bar_appears_only_if_verbose(capfd):
    BestIndividual(KNN, 2, cv=5).fit(X, Y)
    assert capfd.readouterr().err == ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SFS(KNN, 2, cv=5, verbose=1).fit(X, Y)
    assert re.search(
        r"^search: 25 subsets \[.*, size 2, value 0\.\d+\]", capfd.readouterr().err.split("\r")[-1].strip()
    )


def test_the_progress_bar_counts_fixed_columns_as_units():
    evaluator = Evaluator(as_rule(Counting()), X, Y, fixed=(0, 1), n_fixed=1, units=[(2,), (3,)], verbose=1)
    evaluator.values([(0,), (0, 1)])
    bar = evaluator._bar
    assert (bar.n, bar.postfix) == (2, "size 3, value 1.5")
    evaluator.close()


def test_rows_of_texts_may_be_given_as_a_list():
    colours = [["red", "x"], ["blue", "x"]] * 4
    model = make_pipeline(OneHotEncoder(), KNeighborsClassifier(1))
    search = BestIndividual(CVScore(model, cv=2), 1).fit(colours, [0, 1] * 4)
    assert search.trace_["value"].tolist() == [1.0, 0.5]


class Infinite(Criterion):
    """Infinity, or minus infinity."""

    def __init__(self, sign=1):
        self.sign = sign

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound._score = lambda subsets, base, adding: np.full(len(subsets), self.sign * np.inf)
        return bound


class Undefined(Criterion):
    """Must not be bound."""

    def _bind(self, X, y, n_jobs, params):
        pytest.fail("the search began")

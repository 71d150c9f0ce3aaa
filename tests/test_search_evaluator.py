"""The evaluator: memory, record, budget, interruption, units; what must not change a result; regularization."""

import inspect
import re
import signal
import threading
import time
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_tables import Table, flat, run, same, selected
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.feature_selection import SelectKBest, SequentialFeatureSelector, VarianceThreshold, chi2
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.criteria import Bhattacharyya, BoundCriterion, Criterion, CVAccuracy, CVScore
from fscore.search import (
    PBIL,
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    ChoiceRule,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    Hybrid,
    OrderVoting,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
    plot_size_curve,
    plot_trace,
    regularize,
)

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
MEAN = Table(np.mean)  # of the column numbers: every column that is added lowers the mean of the best
OF_ANY_SIZE = [BestIndividual, SFS, SBS, SFFS, SBFS, PlusLMinusR, DynamicOscillatingSearch, ExhaustiveSearch]
OF_ANY_SIZE += [partial(search, random_state=0) for search in (PBIL, GeneticSearch, RandomSearch)]


class Sums(Criterion):
    """The sum of the columns, in batches of two; `asked` lists what was asked for."""

    ability = {"max_batch": 2}  # noqa: RUF012

    def _bind(self, X, y, n_jobs, params):
        self.n_jobs, self.asked = n_jobs, []
        bound = BoundCriterion()

        def score(subsets):
            self.asked.append(list(subsets))
            return np.array([float(sum(s)) for s in subsets])

        bound._score = score
        vars(bound).update(self.ability)
        return bound

    def sizes(self):
        """How many subsets were asked for at once, since the last time."""
        sizes = [len(subsets) for subsets in self.asked]
        self.asked.clear()
        return sizes


def slow(wait, max_batch):
    """`Sums` that calls a function with the number of subsets of each batch."""

    class Slow(Sums):
        ability = {"max_batch": max_batch}  # noqa: RUF012

        def _bind(self, X, y, n_jobs, params):
            bound = super()._bind(X, y, n_jobs, params)
            plain = bound._score
            bound._score = lambda subsets: (wait(len(subsets)), plain(subsets))[1]
            return bound

    return Slow()


# what is asked for, and what is recorded ----------------------------------------------------------------------------


def test_a_record_by_hand():
    """Six columns: 4 and 5 are one fixed unit; the units are 0, (1, 2) and 3. Each subset is computed once."""
    J, seen = Sums(), []

    def walk(ev):
        seen.append([ev.best(), ev.best(1)])
        seen.append(ev.values([(0,), (0,), ()]).tolist())
        seen.append(ev.remove((0, 1)))
        seen.append(ev.values([(0, 1), (0,)]).tolist())
        seen.append([ev.best(size) for size in (None, 0, 1, range(2, 4), 3)])
        return (1,)

    found = run(J, walk, fixed=[4], column_groups=[[2, 1], [4, 5]], n_jobs=2)
    assert seen == [[(), None], [9, 9, 9], ((1,), 12), [12, 9], [(1,), (), (1,), (0, 1), None]]
    assert found.trace_.to_dict("list") == {
        "features": [(4, 5), (0, 4, 5), (1, 2, 4, 5), (0, 1, 2, 4, 5)],
        "size": [1, 2, 2, 3],
        "value": [9.0, 9.0, 12.0, 12.0],
        "step": [0, 1, 2, 3],
    }
    assert found.path_.to_dict("list") == {
        "move": ["value", "value", "remove", "value"],
        "features": [(4, 5), (0, 4, 5), (1, 2, 4, 5), (0, 1, 2, 4, 5)],
        "size": [1, 2, 2, 3],
        "value": [9.0, 9.0, 12.0, 12.0],
        "n_evaluations": [1, 2, 3, 4],
    }
    assert found.best_per_size_.to_dict("split") == {
        "index": [1, 2, 3],
        "columns": ["value", "support"],
        "data": [[9.0, (4, 5)], [12.0, (1, 2, 4, 5)], [12.0, (0, 1, 2, 4, 5)]],
    }
    for table, kinds in (found.trace_, "Oifi"), (found.path_, "OOifi"), (found.best_per_size_, "fO"):
        assert "".join(kind.kind for kind in table.dtypes) == kinds
    assert (found.score_, found.size_, found.n_evaluations_, found.computed_) == (12.0, 2, 4, [("Sums", 4)])
    assert [s for batch in J.asked for s in batch] == found.trace_["features"].tolist()
    assert max(J.sizes()) <= 2
    assert J.n_jobs == 2


def test_a_step_scores_what_is_not_known():
    J, seen = Sums(), []

    def walk(ev):
        J.asked.clear()
        seen.append((ev.add((1,)), list(J.asked)))
        J.asked.clear()
        seen.append((ev.remove((0, 1, 2)), list(J.asked)))
        return (1, 2)

    run(J, walk, n=4, fixed=[3], n_jobs=2)
    assert seen[0] == (((1, 2), 6), [[(0, 1, 3), (1, 2, 3)]])
    assert seen[1] == (((1, 2), 6), [[(0, 2, 3)]]), "(0, 1) and (1, 2) are known"
    assert J.n_jobs == 2


def test_batches_grow_with_the_seconds_they_take(monkeypatch):
    """A batch should take 0.2 s, and has at most eight times the subsets of the one before it."""
    clock = SimpleNamespace(now=0.0, seconds=2**-10)
    clocks = SimpleNamespace(perf_counter=lambda: clock.now, monotonic=lambda: 0.0)
    monkeypatch.setattr("fscore.search._evaluator.time", clocks)

    def wait(n_subsets):
        clock.now += clock.seconds * n_subsets

    J, seen = slow(wait, max_batch=1000), []

    def walk(ev):
        for clock.seconds, pairs in (
            (2**-10, [(0,), *((i, i + 1) for i in range(900))]),
            (2**-4, [(i, i + 2) for i in range(210)]),
            (1, [(i, i + 3) for i in range(5)]),
        ):
            ev.values(pairs)
            seen.append(J.sizes())
        return (0,)

    run(J, walk, 1000)
    assert seen == [[1, 8, 64, 204, 204, 204, 204, 12], [204, 3, 3], [3, 1, 1]]


def test_a_step_that_shares_its_work_is_scored_in_the_largest_batches():
    def sizes(start, **ability):
        J = Sums()
        J.ability = ability
        run(J, lambda ev: ev.add(start)[0], 9)
        return J.sizes()

    assert sizes((0,), max_batch=3, min_shared_columns=0)[:3] == [3, 3, 2]
    assert sizes((), max_batch=3, min_shared_columns=0)[0] == 3
    assert sizes((), max_batch=3, min_shared_columns=1)[0] == 1
    assert sizes((0,), max_batch=3)[0] == 1
    assert sizes((0,), max_batch=None)[0] == 8
    assert sizes((), max_batch=None)[0] == 9
    assert sizes((0,), max_batch=5, min_batch=4)[0] == 4
    assert sizes((0,), max_batch=3, min_batch=4)[0] == 3


def test_a_further_score_with_the_name_of_a_column_of_the_trace_is_refused():
    J = Sums()
    scored = []
    J.ability = {"extra_scores": lambda subsets: scored.extend(subsets) or {"value": [0.0 for _ in subsets]}}
    with pytest.raises(ValueError, match=r"^scoring has the name 'value', which is a column of the trace; choose anot"):
        SFS(J).fit(*flat(3))
    assert not scored, "before the search, which would be lost"


def test_a_rule_of_ones_own_picks_by_its_criteria_and_keeps_what_it_likes():
    class Second(ChoiceRule):
        """The second best, and every other time the best."""

        def __init__(self, criterion):
            self.criterion = criterion

        def resolve(self, cv=10):
            self.n_steps = 0

        def all_criteria(self):
            return [self.criterion]

        def choose(self, evaluator, candidates):
            self.n_steps += 1
            assert candidates.change(0) == (0,)
            return int(np.argsort(-evaluator.scores(candidates, self.criterion))[self.n_steps % 2])

    assert SFS(Second(Sums()), 2).fit(*flat(4)).trace_["features"].tolist() == [(2,), (2, 3)]  # the winners alone


# what must not change a result --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "search",
    [
        SFFS(KNN, 5, cv=3, delta=2),
        DynamicOscillatingSearch(OrderVoting([KNN, KNeighborsClassifier(1)]), cv=3, depth=1),
        PBIL(KNN, cv=3, population=10, max_generations=5, random_state=0),
        SFS(TREE, 3, cv=3),  # in processes
    ],
    ids=lambda s: type(s).__name__,
)
def test_jobs_and_repetition_change_nothing(search):
    plain = clone(search).fit(X, Y)
    same(plain, clone(search).fit(X, Y))
    same(plain, clone(search).set_params(n_jobs=2).fit(X, Y))


def test_budget_cuts_the_trace_and_nothing_else():
    whole = DynamicOscillatingSearch(MEAN, depth=2).fit(*flat(7))
    for budget in (1, 2, 7, 8, 20, whole.n_evaluations_ - 1, whole.n_evaluations_, whole.n_evaluations_ + 1):
        cut = DynamicOscillatingSearch(MEAN, depth=2, max_evaluations=budget).fit(*flat(7))
        assert cut.n_evaluations_ == min(budget, whole.n_evaluations_)
        assert cut.trace_.equals(whole.trace_.iloc[: cut.n_evaluations_])
        assert (cut.stopped_ == "evaluations") == (budget < whole.n_evaluations_)
        assert cut.score_ == cut.trace_["value"].max()


def test_a_budget_of_evaluations_is_spent_before_it_stops():
    seen = []

    def walk(ev):
        seen.append(ev.values([(0,), (0,), (), (1,), (1,), (0,)]).tolist())
        ev.values([(0,), (), (0, 1), (2,)])

    found = run(MEAN, walk, max_evaluations=3)
    assert seen == [[0, 0, -np.inf, 1, 1, 0]]
    assert found.trace_["features"].tolist() == [(0,), (1,), (0, 1)]
    assert found.stopped_ == "evaluations"


# time and interruption ----------------------------------------------------------------------------------------------


def interrupting(size):
    """Ctrl-C, once, when a search adds to a subset of this size."""
    pending = [KeyboardInterrupt]

    def score(columns):
        if pending and len(columns) == size + 1:
            raise pending.pop()
        return float(sum(columns))

    return Table(score)


def test_seconds_and_interruption_keep_the_best_so_far():
    late = DynamicOscillatingSearch(KNN, cv=5, depth=15, max_seconds=1e-9).fit(X, Y)
    assert late.stopped_ == "seconds"
    assert late.score_ == late.trace_["value"].max()
    with pytest.warns(ConvergenceWarning) as caught:
        stopped = SFS(interrupting(3), 6).fit(X, Y)
    assert [str(w.message) for w in caught] == [
        f"The search was stopped (interrupt) before it reached 6 units; the best subset so far has {stopped.size_}.",
        "The search was interrupted and keeps the best of the 36 subsets scored so far; press Ctrl-C again to stop "
        "what comes after it, or fit again to resume from a checkpoint.",
    ]
    assert stopped.stopped_ == "interrupt"
    assert stopped.score_ == stopped.trace_["value"].max()
    with pytest.raises(KeyboardInterrupt, match=r"^interrupted before a single subset was scored$"):
        SFS(interrupting(0), 6).fit(X, Y)
    for sizes in 6, (6, 8):
        with pytest.warns(ConvergenceWarning, match="before it reached 6 units") as caught:
            SFS(KNN, sizes, cv=5, max_evaluations=3).fit(X, Y)
        assert [w.filename for w in caught] == [__file__]
    with pytest.warns(ConvergenceWarning, match="before it reached 8 units"):
        SBS(KNN, (6, 8), cv=5, max_evaluations=3).fit(X, Y)


def fitted_alone(search):
    return search.fit(X, Y)


def fitted_and_transformed(search):
    return search.fit_transform(X, Y)


def fitted_in_a_pipeline(search):
    return make_pipeline(StandardScaler(), search, KNN).fit(X, Y)


def fitted_in_a_grid(search):
    return GridSearchCV(make_pipeline(search, KNN), {"kneighborsclassifier__n_neighbors": [1]}, cv=2).fit(X, Y)


@pytest.mark.parametrize("fit", [fitted_alone, fitted_and_transformed, fitted_in_a_pipeline, fitted_in_a_grid])
def test_the_warning_of_an_interruption_points_to_the_users_line(fit):
    """The search has no size to reach, so that this is the only warning."""
    with pytest.warns(ConvergenceWarning) as caught:
        fit(SFS(interrupting(3)))
    assert [str(w.message).partition(";")[0] for w in caught] == [
        "The search was interrupted and keeps the best of the 36 subsets scored so far"
    ]
    lines = inspect.getsourcelines(fit)
    assert (caught[0].filename, caught[0].lineno) == (__file__, lines[1] + len(lines[0]) - 1)


def test_time_is_checked_between_batches_and_while_subsets_are_drawn():
    J = slow(lambda n_subsets: time.sleep(0.05), max_batch=10)
    search = RandomSearch(J, n_iter=1000, max_seconds=0.12, random_state=0).fit(X, Y)
    assert search.stopped_ == "seconds"
    assert search.n_evaluations_ <= 30
    begin = time.monotonic()
    assert RandomSearch(MEAN, n_iter=10**7, max_seconds=0.1).fit(X, Y).stopped_ == "seconds"
    assert time.monotonic() - begin < 10  # drawing them all takes minutes
    for criterion in (KNN, Bhattacharyya()):
        search = RandomSearch(criterion, n_iter=20_000, cv=5, max_seconds=1e-3, random_state=0).fit(X, Y)
        assert search.stopped_ == "seconds"
        assert search.n_evaluations_ < 5000  # of 8191 subsets


@cache
def many_samples():
    """Data so large that the candidates of a step take longer than a short limit, and how long the whole set takes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = rng.standard_normal((4000, 50)) + 0.2 * y[:, None]
    J = CVAccuracy(KNN, cv=5).bind(X, y)
    RandomSearch(KNN, n_iter=3, cv=5, random_state=0).fit(X, y)  # compiled by now
    J.score([(0, 1), (0, 2), (1, 2)])
    begin = time.monotonic()
    J.score([tuple(range(50))])
    return X, y, time.monotonic() - begin


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a first Ctrl+C that is dropped
@pytest.mark.usefixtures("heeded_ctrl_c")
@pytest.mark.parametrize("search", [RandomSearch(KNN, n_iter=10**4, random_state=0), SBS(KNN, 1)])
def test_ctrl_c_keeps_every_finished_subset(search):
    """Also in the first batch of many subsets, and within a step."""
    X, y, one = many_samples()
    ended, pressed = threading.Event(), []

    def press():
        """Again after a while, since Python drops a KeyboardInterrupt in callbacks, as of its garbage collection."""
        while not ended.wait(5 if pressed else 3 * one + 0.1):
            pressed.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

    fingers = threading.Thread(target=press)
    fingers.start()
    try:
        with pytest.warns(ConvergenceWarning):
            search.set_params(cv=5).fit(X, y)
    finally:
        ended.set()
        fingers.join()
    assert search.stopped_ == "interrupt"
    assert search.n_evaluations_ > 0
    assert time.monotonic() - pressed[-1] < 7 * one + 1


# subsets that cannot be scored --------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [SFS, SBS, SFFS, DynamicOscillatingSearch, OrderVoting])
def test_a_subset_that_cannot_be_scored_is_avoided_with_one_warning(search):
    J = Table(lambda s: np.nan if 3 in s else np.mean(s))
    search = SFFS(OrderVoting([J, MEAN]), 4) if search is OrderVoting else search(J)
    with pytest.warns(
        FitFailedWarning, match=r"count as -inf, first the columns \(.*3.*\) \(ValueError: .*NaN"
    ) as caught:
        search.fit(X, Y)
    assert len(caught) == 1
    assert not search.support_[3]
    failed = search.trace_["features"].map(lambda columns: 3 in columns)
    assert (np.isneginf(search.trace_["value"]) == failed).all()
    with pytest.raises(ValueError, match=r"Table is NaN for the columns \(.*3.*\); its score must be defined"):
        search.set_params(error_score="raise").fit(X, Y)
    search.set_params(excluded=[3]).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (make_pipeline(VarianceThreshold(), QuadraticDiscriminantAnalysis()), lambda f: f == (4,) or {0, 3} <= set(f)),
        (make_pipeline(PCA(2), KNN), lambda f: len(f) == 1),
    ],
    ids=["QDA", "PCA"],
)
def test_a_model_that_cannot_be_fitted_to_some_subsets_ends_no_search(model, failing):
    """Copies of a column make the covariance singular, a constant one leaves nothing, two components need two."""
    Z = np.column_stack([X[:, :3], X[:, 0], np.ones(178)])
    with pytest.warns(FitFailedWarning):
        found = SBS(model, cv=3).fit(Z, Y)
    assert (np.isneginf(found.trace_["value"]) == found.trace_["features"].map(failing)).all()
    assert found.score_ > 0.5
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        SBS(model, cv=3, error_score="raise").fit(Z, Y)


def test_a_result_that_only_a_voter_or_a_filter_cannot_score_is_kept():
    J = Table(lambda s: np.nan if len(s) == 2 else 1.0)
    for rule in OrderVoting([J, MEAN], main=MEAN), Hybrid(J, MEAN):
        with pytest.warns(FitFailedWarning, match="could not be scored and count as -inf"):
            found = SFS(rule, 2).fit(*flat(3))
        assert found.score_ == np.mean(selected(found))
    with pytest.raises(ValueError, match="Table is NaN for the columns"):
        SFS(OrderVoting([J, MEAN]), 2).fit(*flat(3))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_tolerance_never_selects_a_subset_that_could_not_be_scored():
    J = Table(lambda s: np.nan if s == (0,) else float(len(s)))
    assert selected(SFS(J, tau=1.0).fit(*flat(3))) == (1,)
    with pytest.raises(ValueError, match=r"Table is NaN for the columns \(0,\)"):
        SFS(J, tau=1.0, error_score=1.5).fit(*flat(3))


@pytest.mark.parametrize("names", [["a", "b", "text"], ["text", "b", "a"], ["b", "text", "a"]], ids="-".join)
@pytest.mark.parametrize("scoring", ["accuracy", ["accuracy", "roc_auc"]], ids=str)
def test_a_column_that_no_model_takes_is_avoided_wherever_it_stands(names, scoring):
    """With further scores, too, of which those of failed subsets are missing."""
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "text": np.array(["x", "y", "z"])[Y]})[names]
    search = SFS(CVScore(LogisticRegression(), scoring=scoring, cv=3), 1)
    with pytest.warns(FitFailedWarning, match="could not convert"):
        found = search.fit(frame, Y == 0)
    assert found.get_feature_names_out().tolist() == ["a"]
    if scoring != "accuracy":
        assert (found.trace_["roc_auc"].isna() == np.isneginf(found.trace_["value"])).all()


@pytest.mark.parametrize("model", [KNN, GaussianNB(), SVC()], ids=str)
def test_a_column_of_texts_in_a_frame_of_polars_is_avoided(model):
    frame = pl.DataFrame({"text": ["x"] * len(Y), "a": X[:, 0], "b": X[:, 1]})
    with pytest.warns(FitFailedWarning, match=r"2 of .*, first the columns \(0,\)"):
        assert selected(SFS(model, 2, cv=3).fit(frame, Y)) == (1, 2)


def test_the_warning_of_failed_subsets_is_one_line():
    A = np.where(X[:, :3] > [np.inf, np.inf, 2.5], np.nan, X[:, :3])
    with pytest.warns(
        FitFailedWarning, match=r"\(ValueError: Input X contains NaN\.\); error_score=.* raises the error\.$"
    ):
        SFS(make_pipeline(StandardScaler(), KNN), 2, cv=3).fit(A, Y)


def test_a_search_in_which_no_column_can_be_scored_names_one():
    frame = pd.DataFrame({"kind": np.array(["x", "y", "z"])[Y], "hue": "red"})
    for table, name in (
        (frame, "kind"),
        (frame.to_numpy(), 0),
        (frame.to_numpy(str), 0),
        (pl.DataFrame(frame.to_dict("list")), "kind"),
    ):
        with pytest.raises(ValueError, match=rf"^Column {name} of X holds 'x', .*; encode it, for"):
            SFS(TREE, 1, cv=3).fit(table, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_column_that_an_estimator_refuses_is_avoided_wherever_it_stands_in_an_array():
    for bad in range(3):
        A = X[:, :3] * np.where(np.arange(3) == bad, -1, 1)
        assert not SFS(make_pipeline(SelectKBest(chi2, k="all"), KNN), 2, cv=3).fit(A, Y).support_[bad]


def test_columns_that_the_transformers_drop_end_no_search():
    kept = make_column_transformer(("passthrough", ["a", "b"]))
    frame = pd.DataFrame({"left out": X[:, 2], "a": X[:, 0], "b": X[:, 1], "text": "x"})
    with pytest.warns(FitFailedWarning, match="drop all columns of a subset"):
        found = SFS(make_pipeline(kept, KNN), cv=3).fit(frame, Y)
    assert set(found.get_feature_names_out()) <= {"a", "b"}


def test_an_error_that_is_not_one_of_a_subset_is_raised_at_once():
    class Failing(KNeighborsClassifier):
        n_calls = 0

        def fit(self, X, y):
            Failing.n_calls += 1
            raise RuntimeError("no fit today")

    with pytest.raises(RuntimeError, match="no fit today"):
        SFS(Failing(), 2, cv=3).fit(X, Y)
    assert Failing.n_calls <= 2 + 14, "as often as a step has candidates, at most"
    with pytest.raises(ValueError, match="n_components=2 must be between"):
        SFS(make_pipeline(PCA(2), KNN), 1, cv=3).fit(X[:, :3], Y)  # the result itself cannot be fitted


@pytest.mark.filterwarnings("ignore:Only one class is present")
def test_a_score_that_a_fold_leaves_undefined_is_refused():
    two = Y < 2
    J = CVScore(KNN, cv=KFold(5), scoring="roc_auc")  # the samples are sorted by class
    with pytest.raises(ValueError, match=r"CVScore is NaN for the columns .* needs all classes in every test fold"):
        SFS(J, 2).fit(X[two], Y[two])


@pytest.mark.filterwarnings("ignore:R.2 score is not well-defined", "ignore:overflow", "ignore:invalid value")
def test_an_undefined_score_of_a_regression_has_remedies_for_regression():
    J = CVScore(KNN, scoring="r2", cv=LeaveOneOut())
    for search, y in (
        (SFS(Ridge(), 1, cv=LeaveOneOut()), X[:, 0]),
        (SFS(DecisionTreeRegressor(), 1, cv=3), 1e200 * X[:, 0]),
        (SFS(J, 1), Y),
    ):
        with pytest.raises(ValueError, match=r"^CVScore is NaN for the columns .* R2 two samples"):
            search.fit(X[::3, :3], y[::3])


# units, sizes and starts --------------------------------------------------------------------------------------------


def test_fixed_excluded_grouped_and_named_columns():
    """Every subset has all columns of its groups, and the score of its columns."""
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    search = SFFS(KNN, 4, cv=5, fixed=["f0"], excluded=["f12", "f6"], column_groups=[["f1", "f2"], [3, 5]])
    found = search.fit(frame, Y)
    features = found.trace_["features"].tolist()
    units = [{0}, {1, 2}, {3, 5}, {4}] + [{i} for i in range(7, 12)]
    for columns, size in zip(features, found.trace_["size"], strict=True):
        inside = [u for u in units if u <= set(columns)]
        assert (set().union(*inside), len(inside)) == (set(columns), size)
        assert 0 in columns
    assert found.size_ == 4
    np.testing.assert_array_equal(CVAccuracy(KNN, cv=5).bind(X, Y).score(features), found.trace_["value"])
    # one of a group is fixed, one of another is excluded
    parted = SBS(MEAN, 2, column_groups=[[5, 2], [4, 1]], fixed=[1], excluded=[2]).fit(*flat(7))
    assert selected(parted) == (1, 4, 6)
    assert parted.path_[["features", "size"]].iloc[0].tolist() == [(0, 1, 3, 4, 6), 4]


@pytest.mark.parametrize(
    ("columns", "want"),
    [
        ([0, -1, np.int64(2)], (0, 2, 3)),
        ([-4, 3], (0, 3)),
        (["c", "a"], (0, 2)),
        ([False, True, True, False], (1, 2)),
        (np.array([True, False, False, True]), (0, 3)),
        (pd.Series([False, False, True, True]), (2, 3)),
    ],
)
def test_columns_by_number_name_or_mask(columns, want):
    frame = pd.DataFrame(np.zeros((2, 4)), columns=list("abcd"))
    found = SFS(MEAN, len(want), fixed=columns).fit(frame, [0, 1])
    assert selected(found) == want
    assert (found.score_, found.n_evaluations_, found.size_, found.stopped_) == (np.mean(want), 1, len(want), None)
    assert found.trace_["features"].tolist() == [want]
    assert set(selected(SFS(MEAN, 1, excluded=columns).fit(frame, [0, 1]))).isdisjoint(want)
    assert selected(SFS(MEAN, 1, column_groups=[columns], fixed=[want[0]]).fit(frame, [0, 1])) == want
    assert SFS(MEAN, warm_start_from=columns).fit(frame, [0, 1]).trace_["features"][0] == want


@pytest.mark.parametrize(
    ("search", "size"),
    [
        (SFS(MEAN, 0.25), 3),  # of 13
        (SFS(MEAN, 0.01), 1),
        (SFS(MEAN, 0.5, fixed=[0, 1]), 6),  # the fixed ones are counted
        (SFS(MEAN, 0.5, excluded=[0, 1, 2]), 5),  # the excluded ones are not
        (SFS(MEAN, 0.5, column_groups=[range(10)]), 2),  # of 4
        (SBS(MEAN, 2, fixed=[0, 1], group_size=2), 2),
        (SFS(MEAN, 5, fixed=[0], group_size=2), 5),
        (SFS(MEAN, 5, group_size=2, warm_start_from=[0]), 5),
        (SBS(MEAN, 5, group_size=2, warm_start_from=range(7)), 5),
        (PlusLMinusR(MEAN, 3, l=1, r=2), 3),
        (BestIndividual(MEAN, 1, excluded=range(12)), 1),
        *((SFS(MEAN, percent / 100), (50, percent * 50 // 100)) for percent in (14, 28, 58)),  # in decimals
        *((SFS(MEAN, percent / 100), (100, percent)) for percent in (29, 57)),
    ],
)
def test_sizes_are_numbers_or_proportions_of_units(search, size):
    n, size = size if isinstance(size, tuple) else (13, size)
    found = search.fit(*flat(n))
    assert found.size_ == size
    assert found.n_features_to_select_ == found.support_.sum()
    assert found.support_[list(search.fixed)].all()


@pytest.mark.parametrize("search", [SFS, SBS, SFFS, SBFS, PlusLMinusR, partial(PlusLMinusR, l=1, r=2)])
def test_a_range_of_sizes_has_the_best_of_its_subsets(search):
    Z = X[:, 4:]
    found = search(KNN, (3, 6), cv=5).fit(Z, Y)
    best = found.best_per_size_.loc[3:6, "value"]
    assert (found.size_, found.score_) == (best.idxmax(), best.max())
    whole = search(KNN, cv=5).fit(Z, Y).trace_
    assert len(found.trace_) < len(whole)
    assert found.trace_.equals(whole.iloc[: len(found.trace_)])
    assert search(KNN, (3, 6), cv=5, tau=0.5).fit(Z, Y).size_ == 3
    stepwise = search(KNN, (4, 6), cv=5, group_size=2, fixed=[0]).fit(Z, Y)
    assert stepwise.size_ == 5
    assert stepwise.support_[0]


@pytest.mark.parametrize(
    ("criterion", "sizes", "forward", "backward"),
    [
        # equal means of folds may differ in the last digit of scikit-learn's backward search
        *((CVScore(KNN, cv=5), None, {"tol": tol}, {"tol": -tol - 1e-9}) for tol in (0.0, 0.02)),
        (CVScore(Ridge(), scoring="neg_mean_absolute_error", cv=5), 4, {}, {}),
    ],
    ids=str,
)
def test_sizes_and_tolerances_end_a_search_as_in_scikit_learn(criterion, sizes, forward, backward):
    A = X[:, 8:]
    for search, direction, tol in (SFS, "forward", forward), (SBS, "backward", backward):
        theirs = SequentialFeatureSelector(
            criterion.estimator, n_features_to_select=sizes or "auto", direction=direction,
            scoring=criterion.scoring, cv=5, **tol,
        ).fit(A, Y)  # fmt: skip
        np.testing.assert_array_equal(search(criterion, sizes, **tol).fit(A, Y).support_, theirs.support_)


def test_a_tolerance_of_zero_takes_steps_that_raise_nothing():
    assert SFS(Table(lambda s: 1.0), tol=0.0).fit(*flat(4)).size_ == 4


@pytest.mark.parametrize("search", OF_ANY_SIZE)
def test_the_fixed_columns_alone_are_a_subset_too(search):
    """The value falls with every column that is added."""
    found = search(MEAN, fixed=[12]).fit(*flat(13))
    assert (selected(found), found.score_, found.size_, found.best_per_size_.index[0]) == ((12,), 12.0, 1, 1)
    with pytest.warns(ConvergenceWarning, match="before it reached 4 units; the best subset so far has 2"):
        SFS(MEAN, 4, fixed=[12], max_evaluations=1).fit(*flat(13))
    if search in (SFS, SBS, SFFS, SBFS, PlusLMinusR):  # which take a range of sizes
        found = search(MEAN, (1, 3), fixed=[12]).fit(*flat(13))
        assert (selected(found), found.score_, found.best_per_size_.index.tolist()[:3]) == ((12,), 12.0, [1, 2, 3])
        assert search(MEAN, (2, 3), fixed=[12]).fit(*flat(13)).best_per_size_.index[0] == 2


def test_a_warm_start_is_scored_first_and_may_hold_groups_and_fixed_columns():
    first = (0, 6, 9)
    for search in (OscillatingSearch, DynamicOscillatingSearch, SFS, partial(PBIL, n_features_to_select=3)):
        found = search(MEAN, warm_start_from=first).fit(*flat(13))
        assert found.trace_["features"].iloc[0] == first
        assert found.score_ >= found.trace_["value"].iloc[0]
    search = SFS(MEAN, warm_start_from=[2, 1, 7, 0], column_groups=[[1, 2], [3, 4]], fixed=[0]).fit(*flat(13))
    assert search.path_["features"].iloc[1] == (0, 1, 2, 7)  # the first is what is fixed


# regularization -----------------------------------------------------------------------------------------------------


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


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 3)), min_size=1, max_size=8),
    st.sampled_from([0, 0.25, 0.5, 1]),
    st.booleans(),
)
def test_regularization_is_the_rule_in_words_and_the_printed_update_step_by_step(rows, tau, negative):
    values, costs = zip(*rows, strict=True)
    assert regularize(values, tau, costs, rule="printed") == printed(values, costs, tau)
    if negative:  # the margin is a share of the distance to zero
        values = [-v for v in values]
    inside = [q for q, v in enumerate(values) if v >= max(values) - tau * abs(max(values))]
    assert regularize(values, tau, costs) == min(inside, key=lambda q: (costs[q], -values[q], q))


def test_both_readings_of_infinite_scores_and_of_traces():
    assert regularize([-np.inf, -np.inf], 0.1, [2, 1]) == 1
    assert [regularize([np.inf, 3.0, np.inf], 0.5, [3, 1, 2], rule=rule) for rule in ("offline", "printed")] == [2, 2]
    for rule in "offline", "printed":
        frame = pd.DataFrame({"features": [(0,), (1, 2)], "size": [1, 2], "value": [0.9, 0.9]})
        assert regularize(frame, 0, rule=rule) == 0
        assert regularize(frame, 0, [5, 1, 1], rule=rule) == 1


@pytest.mark.parametrize("secondary", ["size", np.linspace(3, 1, 13)])
@pytest.mark.parametrize("search", [DynamicOscillatingSearch(KNN, cv=3, depth=2), SFFS(KNN, 4, cv=3)], ids=str)
def test_every_tau_from_one_trace_equals_separate_runs(search, secondary):
    """A size that was asked for is kept."""
    whole = clone(search).fit(X, Y)
    trace = whole.trace_
    if "n_features_to_select" in search.get_params():
        trace = trace[trace["size"] == 4]
    scores = []
    for tau in (0.001, 0.02, 0.1, 1):
        separate = clone(search).set_params(tau=tau, secondary=secondary).fit(X, Y)
        row = trace.iloc[regularize(trace, tau, secondary)]
        assert (selected(separate), separate.score_) == (row["features"], row["value"])
        scores.append(separate.score_)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-2] or isinstance(secondary, str)


@pytest.mark.parametrize("estimator", [KNN, TREE], ids=repr)
@pytest.mark.parametrize("size", [None, 3])
def test_one_standard_error_by_hand(estimator, size):
    """The smallest (cheapest) subset whose value is within a standard error of the best."""
    A = X[:, 4:] if estimator is KNN else X[:, 9:]  # trees are fitted anew for each subset
    costs = np.arange(A.shape[1], 0.0, -1)
    plain = SFFS(estimator, size, cv=3).fit(A, Y)
    for secondary in "size", costs:
        found = SFFS(estimator, size, cv=3, tau="1se", secondary=secondary).fit(A, Y)
        assert found.trace_.equals(plain.trace_)
        rows = plain.trace_ if size is None else plain.trace_[plain.trace_["size"] == size]
        best = rows.loc[rows["value"].idxmax()]
        folds = cross_val_score(estimator, A[:, best["features"]], Y, cv=3)
        rows = rows[rows["value"] >= best["value"] - folds.std(ddof=1) / np.sqrt(3)]
        cost = [len(f) if isinstance(secondary, str) else costs[list(f)].sum() for f in rows["features"]]
        want = min(zip(cost, -rows["value"], rows.index, strict=True))[2]
        assert selected(found) == rows.loc[want, "features"]
    SFS(OrderVoting([KNN, TREE], main=KNN), 1, tau="1se", cv=3).fit(A[:, :2], Y)


# what is shown ------------------------------------------------------------------------------------------------------


def test_plots_show_the_course_and_the_best_of_each_size():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    search = SFFS(MEAN, 5).fit(X, Y)
    for options, column, label in ({}, "size", "subset size"), ({"value": True}, "value", "criterion value"):
        ax = plot_trace(search, **options)
        (line,) = ax.lines
        assert line.get_xdata().tolist() == list(range(1, len(search.path_) + 1))
        np.testing.assert_array_equal(line.get_ydata(), search.path_[column])
        assert (ax.get_xlabel(), ax.get_ylabel(), line.get_linewidth()) == ("step", label, 1.5)
    _, axes = plt.subplots(ncols=2)
    assert plot_trace(search, ax=axes[0], color="red", linewidth=3) is axes[0]
    assert (axes[0].lines[0].get_color(), axes[0].lines[0].get_linewidth()) == ("red", 3)
    assert plot_size_curve(search, ax=axes[1], color="red") is axes[1]
    curve, mark = axes[1].lines
    np.testing.assert_array_equal(curve.get_xdata(), search.best_per_size_.index)
    np.testing.assert_array_equal(curve.get_ydata(), search.best_per_size_["value"])
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([5], [search.score_])
    assert (mark.get_marker(), mark.get_fillstyle(), mark.get_color()) == ("o", "none", "red")
    assert mark.get_markersize() > curve.get_markersize()
    assert (axes[1].get_xlabel(), axes[1].get_ylabel()) == ("subset size", "best criterion value")
    plt.close("all")


def test_a_progress_bar_appears_only_if_verbose_and_counts_fixed_columns_as_units(capfd):
    BestIndividual(KNN, 2, cv=5).fit(X, Y)
    assert capfd.readouterr().err == ""
    SFS(MEAN, 3, fixed=[0, 1], verbose=1).fit(X, Y)
    shown = capfd.readouterr().err.split("\r")[-1].strip()
    assert re.search(r"^search: 11 subsets \[.*, size 3, value 4\.333\]", shown)


@pytest.mark.parametrize(
    ("criterion", "named"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression()), True),
        (CVScore(LogisticRegression(), cv=2, compiled="converged"), False),
        (CVScore(LogisticRegression(), scoring="f1_macro", cv=2), False),
        (GaussianNB(), False),
    ],
    ids=["refitted", "converged", "other score", "other model"],
)
def test_verbose_names_the_faster_scores_of_logistic_regression(criterion, named, capfd):
    BestIndividual(criterion, 1, **({} if isinstance(criterion, CVScore) else {"cv": 2}), verbose=1).fit(X[:, :2], Y)
    assert ('compiled="converged"' in capfd.readouterr().err) == named

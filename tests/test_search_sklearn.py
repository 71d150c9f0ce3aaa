"""The scikit-learn contract: checks, pipelines, grids, DataFrames, metadata."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor, make_column_selector, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, StackingClassifier, StackingRegressor, VotingClassifier
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from fscore.criteria import Bhattacharyya, CVAccuracy, CVScore, Mahalanobis
from fscore.search import SFS, Hybrid, OrderVoting

SINCE_1_9 = parse_version(sklearn.__version__) >= parse_version("1.9")
ROUTES_GENERATORS = pytest.mark.skipif(not SINCE_1_9, reason="older versions copy what is routed, also generators")
KNN = KNeighborsClassifier(1)
IMPUTING = make_pipeline(SimpleImputer(), KNN)
X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
GROUPS = np.random.default_rng(0).integers(0, 6, 150)
WEIGHTS = np.random.default_rng(1).random(150) + 0.01
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)


@pytest.fixture
def routing():
    """Metadata routing, and a scorer that asks for no weights."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield make_scorer(accuracy_score).set_score_request(sample_weight=False)


# metadata -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "cv", "groups", "weights"),
    [
        (KNeighborsClassifier(3), GroupKFold(3), GROUPS, None),
        (TREE, 3, None, WEIGHTS),
        (LinearRegression(), KFold(4, shuffle=True, random_state=0), None, np.where(GROUPS < 3, 1.0, 0.0)),
    ],
    ids=str,
)
def test_plain_groups_and_sample_weight(model, cv, groups, weights):
    params = {} if weights is None else {"sample_weight": weights}
    found = SFS(model, 2, cv=cv).fit(X, Y, groups=groups, sample_weight=weights)
    want = cross_val_score(model, X[:, found.support_], Y, groups=groups, cv=cv, params=params).mean()
    assert found.score_ == pytest.approx(want, rel=1e-14)


def test_a_number_is_one_weight_for_all():
    constant = SFS(GaussianNB(), 2, cv=5).fit(X, Y, sample_weight=2.0)
    assert constant.score_ == SFS(GaussianNB(), 2, cv=5).fit(X, Y).score_


def test_routed_metadata_are_the_plain_ones_also_in_processes(routing):
    """Which must know the configuration."""
    metadata = {"groups": GROUPS, "sample_weight": WEIGHTS}
    with sklearn.config_context(enable_metadata_routing=False):
        plain = SFS(TREE, 2, cv=GroupKFold(3)).fit(X, Y, **metadata)
    asking = clone(TREE).set_fit_request(sample_weight=True)
    piped = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):  # the scorer accepts weights, too
        SFS(CVAccuracy(TREE, cv=GroupKFold(3)), 2).fit(X, Y, **metadata)
    for model, n_jobs in (asking, None), (piped, 2):
        routed = SFS(CVScore(model, cv=GroupKFold(3), scoring=routing), 2, n_jobs=n_jobs).fit(X, Y, **metadata)
        np.testing.assert_array_equal(plain.support_, routed.support_)
        assert plain.score_ == pytest.approx(routed.score_, rel=1e-14)
    assert SFS(Bhattacharyya(), 1).fit(X, Y).size_ == 1  # nothing to route


@pytest.mark.parametrize("asks", [True, False])
def test_a_classifier_requests_metadata_for_its_accuracy(routing, asks):
    """As `cross_validate` does with the classifier's own score."""
    model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=asks)
    found = SFS(model, 2, cv=3).fit(X, Y, sample_weight=WEIGHTS)
    params = {"sample_weight": WEIGHTS}
    want = cross_validate(model, X[:, found.support_], Y, cv=3, params=params)["test_score"].mean()
    assert found.score_ == pytest.approx(want, rel=1e-12)
    SFS(OrderVoting([model, clone(model)]), 2, cv=3).fit(X, Y, sample_weight=WEIGHTS)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    outer = [make_pipeline(scaler, model), GridSearchCV(model, {"var_smoothing": [1e-9]}, cv=2)]
    for J in outer if asks else []:  # else scikit-learn's own score is NaN
        found = SFS(J, 2, fixed=[1, 2], cv=3).fit(X, Y, sample_weight=WEIGHTS)
        want = cross_validate(J, X[:, [1, 2]], Y, cv=3, params=params)["test_score"].mean()
        assert found.score_ == pytest.approx(want, rel=1e-12)


def test_metadata_of_the_scorer_reach_it(routing):
    weighted = make_scorer(accuracy_score).set_score_request(sample_weight="importance")
    found = SFS(CVScore(TREE, cv=3, scoring=weighted), 1).fit(X, Y, importance=WEIGHTS)
    params = {"importance": WEIGHTS}
    want = [cross_val_score(TREE, X[:, [c]], Y, cv=3, scoring=weighted, params=params).mean() for c in range(4)]
    assert found.trace_["value"].tolist() == pytest.approx(want, rel=1e-14)
    with pytest.raises(TypeError, match=r"^SFS\.fit got unexpected argument\(s\) {'colour'}"):
        SFS(CVScore(TREE, cv=3, scoring=weighted), 1).fit(X, Y, colour="red")


def test_voters_that_request_different_metadata_are_refused(routing):
    a, b = (CVScore(clone(TREE).set_fit_request(sample_weight=asks), cv=3, scoring=routing) for asks in (False, True))
    message = r"request different metadata \(\[{'fit': \[\], .*{'fit': \['sample_weight'\], .*make them agree"
    with pytest.raises(ValueError, match=message):
        SFS(OrderVoting([a, a], main=b), 3).fit(X, Y, sample_weight=WEIGHTS)


@pytest.mark.parametrize(
    "criterion",
    [OrderVoting([KNN, GaussianNB()]), Hybrid(GaussianNB(), KNN), KNN],
    ids=["voting", "hybrid", "one"],
)
@pytest.mark.parametrize("routed", [False, pytest.param(True, marks=ROUTES_GENERATORS)])
def test_a_generator_of_splits_serves_all_criteria(criterion, routed):
    splits = list(StratifiedKFold(3).split(X, Y))
    want = SFS(criterion, 2, cv=splits).fit(X, Y)
    with sklearn.config_context(enable_metadata_routing=routed):
        found = SFS(clone(criterion), 2, cv=(split for split in splits)).fit(X, Y)
        model = (
            clone(TREE).set_fit_request(sample_weight=True).set_score_request(sample_weight=False) if routed else TREE
        )
        J = CVScore(model, cv=(split for split in splits))
        assert SFS(J, 1).fit(X, Y, sample_weight=np.ones(150)).score_ > 0.9
    np.testing.assert_array_equal(found.support_, want.support_)
    assert found.score_ == want.score_


# missing values and columns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criterion", "nan", "sparse", "several"),
    [
        (KNN, False, True, True),
        (GaussianNB(), False, False, False),
        (Ridge(), False, True, True),
        (DecisionTreeClassifier(), True, True, True),
        (make_pipeline(None, "passthrough", SimpleImputer(), KNN), True, True, None),
        (make_pipeline(make_pipeline("passthrough", SimpleImputer()), KNN), True, True, None),
        (make_pipeline(make_pipeline(None), DecisionTreeClassifier()), False, True, None),
        (make_pipeline(make_column_transformer((SimpleImputer(), [0])), KNN), True, None, None),
        (GridSearchCV(IMPUTING, {"kneighborsclassifier__n_neighbors": [1, 3]}), True, None, None),
        (TransformedTargetRegressor(GridSearchCV(make_pipeline(SimpleImputer(), Ridge()), {})), True, None, None),
        (BaggingClassifier(IMPUTING), True, None, None),
        (VotingClassifier([("a", IMPUTING), ("b", DecisionTreeClassifier())]), True, None, None),
        (make_pipeline(make_union(SimpleImputer(), MissingIndicator()), KNN), True, None, None),
        (make_pipeline(make_union(SimpleImputer(), PCA(1)), KNN), False, None, None),
        (OrderVoting([DecisionTreeClassifier(), KNN]), False, True, True),
        (OrderVoting([DecisionTreeClassifier()], main=GaussianNB()), False, False, False),
        (Bhattacharyya(), False, False, False),
        (Hybrid(Bhattacharyya(), DecisionTreeClassifier()), False, False, False),
        (OrderVoting([]), False, False, False),
    ],
    ids=str,
)
def test_tags_are_those_of_what_values_the_subsets(criterion, nan, sparse, several):
    tags = SFS(criterion).__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan is nan
    assert sparse is None or tags.input_tags.sparse is sparse
    assert several is None or tags.target_tags.multi_output is several


@pytest.mark.parametrize(
    "stack",
    [
        StackingClassifier([("knn", KNN), ("tree", TREE)], cv=2),
        make_pipeline(StandardScaler(), StackingRegressor([("ridge", Ridge()), ("linear", LinearRegression())], cv=2)),
    ],
)
def test_a_stack_that_chooses_its_final_estimator_when_fitted_is_an_estimator(stack):
    """Before, it has no ``predict``, but it transforms."""
    cv = KFold(3, shuffle=True, random_state=0)
    for criterion in (stack, CVScore(stack, cv=cv)):
        found = SFS(criterion, 1, cv=cv).fit(X, Y)
        assert found.score_ == pytest.approx(cross_val_score(stack, X[:, found.support_], Y, cv=cv).mean())


def test_a_target_is_not_required_if_the_estimator_needs_none():
    assert not SFS(KMeans()).__sklearn_tags__().target_tags.required


def test_missing_values_are_accepted_if_the_estimator_accepts_them():
    """Also by an imputer inside a meta-estimator."""
    assert SFS(DecisionTreeClassifier(random_state=0), 2, cv=3).fit(HOLES, Y).support_.sum() == 2
    imputing, numbers = make_pipeline(SimpleImputer(), Ridge()), Y.astype(float)
    for estimator in (GridSearchCV(imputing, {"ridge__alpha": [1, 10]}, cv=2), TransformedTargetRegressor(imputing)):
        cv = KFold(2, shuffle=True, random_state=0)
        found = SFS(estimator, 1, cv=cv).fit(HOLES, numbers)
        assert found.score_ == cross_val_score(estimator, HOLES[:, found.support_], numbers, cv=cv).mean()
    for refusing in (KNN, GridSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=2), make_pipeline(StandardScaler(), KNN)):
        with pytest.raises(ValueError, match="NaN"):
            SFS(refusing, 1, cv=2).fit(HOLES, Y)


def test_a_column_transformer_chooses_among_the_columns_of_each_subset():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = list("abcd")

    def search(columns, **options):
        scale = make_column_transformer((StandardScaler(), columns), remainder="passthrough")
        return SFS(make_pipeline(scale, KNN), 3, cv=3, **options).fit(X, y)

    by_selector = search(make_column_selector("[ab]"), fixed=["a", "b"])
    assert search(["a", "b"], fixed=["a", "b"]).score_ == by_selector.score_
    assert search(make_column_selector("[ab]")).support_.sum() == 3


@pytest.mark.parametrize("stop_after", [None, 3])
def test_callbacks_see_every_step_with_the_data_and_the_best_so_far_and_may_stop(stop_after):
    pytest.importorskip("sklearn.callback")

    class Listener:
        def __init__(self):
            self.begun, self.supports, self.torn_down = [], [], False

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            self.torn_down = True

        def on_fit_task_begin(self, estimator, context, *, X, y):
            self.begun.append((context.task_name, estimator, X.tolist(), y.tolist()))

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            if context.task_name == "step":
                assert (estimator, X.tolist(), y.tolist()) == self.begun[-1][1:]
                self.supports.append(tuple(fitted_estimator.get_support(indices=True)))
            return stop_after is not None and len(self.supports) >= stop_after

    listener = Listener()
    search = SFS(Mahalanobis()).set_callbacks(listener).fit(X, Y)
    n_steps = len(search.path_)
    assert n_steps == stop_after or (stop_after is None and n_steps == 4)
    assert search.stopped_ == (None if stop_after is None else "callback")
    assert listener.torn_down
    assert [task for task, *_ in listener.begun] == ["fit"] + ["step"] * n_steps
    assert all(rest == [search, X.tolist(), Y.tolist()] for _, *rest in listener.begun)
    best = [search.trace_[search.trace_["step"] <= step]["value"].idxmax() for step in range(n_steps)]
    assert listener.supports == search.trace_["features"][best].tolist()


@pytest.mark.parametrize(
    "criterion", ["accuracy", PCA(), CVAccuracy(LinearRegression()), OrderVoting([]), Hybrid("knn")]
)
def test_a_search_that_fit_will_refuse_can_be_displayed(criterion):
    """A notebook displays the value of the last line of a cell."""
    assert "SFS" in SFS(criterion)._repr_html_()
    with pytest.raises(ValueError, match=r"criteri|not a classifier"):
        SFS(criterion).fit(*load_iris(return_X_y=True))


def test_the_rule_of_one_standard_error_outlasts_the_time():
    for estimator in (KNeighborsClassifier(3), GaussianNB(), LinearDiscriminantAnalysis(), SVC()):
        search = SFS(estimator, tau="1se", cv=5, max_seconds=1e-9).fit(X, Y)
        assert search.stopped_ == "seconds"
        assert search.score_ in set(search.trace_["value"])
    infinite = CVScore(GaussianNB(), scoring=lambda estimator, X, y: -np.inf, cv=3)
    assert SFS(infinite, tau="1se").fit(X, Y).score_ == -np.inf

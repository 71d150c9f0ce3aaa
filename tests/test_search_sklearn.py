"""The scikit-learn contract: checks, pipelines, grids, DataFrames, metadata."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor, make_column_selector, make_column_transformer
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, CVAccuracy, CVScore, Mahalanobis
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
)
from fscore.search._selector import _step_callback

KNN = KNeighborsClassifier(1)
IMPUTING = make_pipeline(SimpleImputer(), KNN)


def searches(estimator):
    """Searches with each method that cross-validates an estimator."""
    return [
        BestIndividual(estimator, cv=2),
        SFS(estimator, cv=2),
        SBS(estimator, cv=2),
        SFFS(estimator, cv=2),
        SBFS(estimator, cv=2),
        PlusLMinusR(estimator, cv=2),
        OscillatingSearch(estimator, cv=2, depth=2),
        DynamicOscillatingSearch(estimator, cv=2, depth=2),
        ExhaustiveSearch(estimator, 1, cv=2),
        PBIL(estimator, cv=2, population=5, max_generations=3, random_state=0),
        GeneticSearch(estimator, cv=2, population=5, generations=2, random_state=0),
        RandomSearch(estimator, cv=2, n_iter=5, random_state=0),
    ]


OTHERS = [
    BranchAndBound(Mahalanobis(), 1),
    SFS(Bhattacharyya()),
    SFS(DecisionTreeClassifier(random_state=0), 1, cv=2),
]


@parametrize_with_checks([*searches(GaussianNB()), *searches(KNN), *OTHERS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_grid_search_reaches_the_inner_classifier():
    X, y = load_wine(return_X_y=True)
    pipe = Pipeline(
        [
            ("scale", StandardScaler()),
            ("select", SFS(KNeighborsClassifier(), 2, cv=3)),
            ("knn", KNeighborsClassifier(3)),
        ]
    )
    grid = GridSearchCV(
        pipe, {"select__criterion__n_neighbors": [1, 9, 60], "select__n_features_to_select": [1, 3]}, cv=3
    )
    grid.fit(X, y)
    scores = grid.cv_results_["mean_test_score"]
    assert len(set(scores)) > 2
    assert grid.best_estimator_["select"].transform(X).shape[1] == grid.best_params_["select__n_features_to_select"]
    nested = clone(SFS(CVAccuracy(KNeighborsClassifier(), cv=3))).set_params(criterion__estimator__n_neighbors=7)
    assert nested.criterion.estimator.n_neighbors == 7


def test_fit_leaves_parameters_and_inner_estimators_alone():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier()
    search = SFS(tree, 2, cv=3)
    before = search.get_params()
    search.fit(X, y)
    assert search.get_params() == before
    assert not hasattr(tree, "tree_")


def test_frames_go_in_with_their_dtypes_and_names_come_out():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X[:, 2:], columns=["petal length", "petal width"])
    frame["site"] = pd.Categorical(np.where(X[:, 0] > 5.8, "valley", "hill"))
    frame["noise"] = np.random.default_rng(0).integers(0, 9, 150).astype("int8")
    seen = []

    def kinds(Z):
        seen.append(dict(Z.dtypes.astype(str)))
        return Z

    from sklearn.compose import make_column_selector
    from sklearn.preprocessing import FunctionTransformer

    inner = make_pipeline(
        FunctionTransformer(kinds),
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
            remainder="passthrough",
        ),
        DecisionTreeClassifier(random_state=0),
    )
    search = SFS(inner, 3, cv=3).fit(frame, y)
    assert {"site": "category"} in seen
    assert {"noise": "int8"} in seen
    assert list(search.feature_names_in_) == list(frame.columns)
    assert "petal width" in search.get_feature_names_out() or "petal length" in search.get_feature_names_out()
    out = search.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == list(search.get_feature_names_out())
    assert out.shape[1] == 3


def test_plain_groups_and_sample_weight():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    groups, w = rng.integers(0, 6, 150), rng.random(150) + 0.01
    search = SFS(KNeighborsClassifier(3), 2, cv=GroupKFold(3)).fit(X, y, groups=groups)
    chosen = X[:, search.support_]
    want = cross_val_score(KNeighborsClassifier(3), chosen, y, groups=groups, cv=GroupKFold(3)).mean()
    assert search.score_ == pytest.approx(want, rel=1e-14)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    weighted = SFS(tree, 2, cv=3).fit(X, y, sample_weight=w)
    want = cross_val_score(tree, X[:, weighted.support_], y, cv=3, params={"sample_weight": w}).mean()
    assert weighted.score_ == pytest.approx(want, rel=1e-14)
    with pytest.raises(TypeError, match="takes groups and sample_weight only"):
        SFS(tree, cv=3).fit(X, y, colour="red")
    with pytest.raises(ValueError, match="groups"):
        SFS(tree, 2, cv=GroupKFold(3)).fit(X, y)


def test_metadata_routing():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    groups, w = rng.integers(0, 6, 150), rng.random(150) + 0.01
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    plain = SFS(tree, 2, cv=GroupKFold(3)).fit(X, y, groups=groups, sample_weight=w)
    with sklearn.config_context(enable_metadata_routing=True):
        routed_tree = clone(tree).set_fit_request(sample_weight=True)
        routed = SFS(routed_tree, 2, cv=GroupKFold(3))
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            # the scorer accepts weights too and has no request for them
            SFS(CVAccuracy(tree, cv=GroupKFold(3)), 2).fit(X, y, groups=groups, sample_weight=w)
        unweighted = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        routed = SFS(CVScore(routed_tree, cv=GroupKFold(3), scoring=unweighted), 2)
        routed.fit(X, y, groups=groups, sample_weight=w)
    np.testing.assert_array_equal(plain.support_, routed.support_)
    assert plain.score_ == pytest.approx(routed.score_, rel=1e-14)


def test_a_classifier_requests_metadata_for_its_accuracy():
    """As `cross_validate` does with the classifier's own score."""
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).random(150) + 0.01
    with sklearn.config_context(enable_metadata_routing=True):
        for asked in ({"sample_weight": True}, {"sample_weight": False}):
            model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(**asked)
            found = SFS(model, 2, cv=3).fit(X, y, sample_weight=w)
            columns = X[:, found.support_]
            want = cross_validate(model, columns, y, cv=3, params={"sample_weight": w})["test_score"].mean()
            assert found.score_ == pytest.approx(want, rel=1e-12)
            SFS(OrderVoting([model, clone(model)]), 2, cv=3).fit(X, y, sample_weight=w)


@pytest.mark.parametrize(
    "criterion",
    [OrderVoting([KNN, GaussianNB()]), Hybrid(GaussianNB(), KNN), KNN],
    ids=["voting", "hybrid", "one"],
)
def test_a_generator_of_splits_serves_all_criteria(criterion):
    X, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(3).split(X, y))
    want = SFS(criterion, 2, cv=splits).fit(X, y)
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            found = SFS(clone(criterion), 2, cv=(split for split in splits)).fit(X, y)
        np.testing.assert_array_equal(found.support_, want.support_)
        assert found.score_ == want.score_


def test_routing_does_not_use_up_a_generator_of_splits():
    X, y = load_iris(return_X_y=True)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        tree.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        J = CVScore(tree, cv=StratifiedKFold(3).split(X, y))
        assert SFS(J, 1).fit(X, y, sample_weight=np.ones(150)).score_ > 0.9


def test_missing_values_are_accepted_if_the_classifier_accepts_them():
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    assert SFS(DecisionTreeClassifier(random_state=0), 2, cv=3).fit(X, y).support_.sum() == 2
    with pytest.raises(ValueError, match="NaN"):
        SFS(KNeighborsClassifier(3), 2, cv=3).fit(X, y)


@pytest.mark.parametrize(
    ("criterion", "nan", "sparse"),
    [
        (KNN, False, True),
        (GaussianNB(), False, False),
        (DecisionTreeClassifier(), True, True),
        (make_pipeline(None, "passthrough", SimpleImputer(), KNN), True, True),
        (make_pipeline(make_pipeline("passthrough", SimpleImputer()), KNN), True, True),
        (make_pipeline(make_pipeline(None), DecisionTreeClassifier()), False, True),
        (make_pipeline(make_column_transformer((SimpleImputer(), [0])), KNN), True, None),
        (GridSearchCV(IMPUTING, {"kneighborsclassifier__n_neighbors": [1, 3]}), True, None),
        (TransformedTargetRegressor(GridSearchCV(make_pipeline(SimpleImputer(), Ridge()), {})), True, None),
        (BaggingClassifier(IMPUTING), True, None),
        (VotingClassifier([("a", IMPUTING), ("b", DecisionTreeClassifier())]), True, None),
        (make_pipeline(make_union(SimpleImputer(), MissingIndicator()), KNN), True, None),
        (make_pipeline(make_union(SimpleImputer(), PCA(1)), KNN), False, None),
        (OrderVoting([DecisionTreeClassifier(), KNN]), False, True),
        (OrderVoting([DecisionTreeClassifier()], main=GaussianNB()), False, False),
        (Bhattacharyya(), False, False),
        (Hybrid(Bhattacharyya(), DecisionTreeClassifier()), False, False),
        (OrderVoting([]), False, False),
    ],
    ids=str,
)
def test_tags_are_those_of_what_values_the_subsets(criterion, nan, sparse):
    tags = SFS(criterion).__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan is nan
    assert sparse is None or tags.input_tags.sparse is sparse


def test_an_imputer_inside_a_meta_estimator_takes_missing_values():
    X, y = load_wine(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)[:, :4]
    imputing = make_pipeline(SimpleImputer(), Ridge())
    for estimator in (GridSearchCV(imputing, {"ridge__alpha": [1, 10]}, cv=2), TransformedTargetRegressor(imputing)):
        cv = KFold(2, shuffle=True, random_state=0)
        found = SFS(estimator, 1, cv=cv).fit(X, y.astype(float))
        assert found.score_ == cross_val_score(estimator, X[:, found.support_], y.astype(float), cv=cv).mean()
    with pytest.raises(ValueError, match="NaN"):
        SFS(GridSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=2), 1, cv=2).fit(X, y)


def test_a_column_transformer_chooses_among_the_columns_of_each_subset():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = list("abcd")

    def search(columns, **options):
        scale = make_column_transformer((StandardScaler(), columns), remainder="passthrough")
        return SFS(make_pipeline(scale, KNN), 3, cv=3, **options).fit(X, y)

    by_selector = search(make_column_selector("[ab]"), fixed=["a", "b"])
    assert search(["a", "b"], fixed=["a", "b"]).score_ == by_selector.score_
    assert search(make_column_selector("[ab]")).support_.sum() == 3


def test_callbacks_see_every_step_and_may_stop():
    pytest.importorskip("sklearn.callback")
    X, y = load_wine(return_X_y=True)

    class Counter:
        def __init__(self, stop_after=None):
            self.steps, self.torn_down, self.stop_after = 0, False, stop_after

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **_):
            pass

        def on_fit_task_end(self, estimator, context, **_):
            if context.task_name == "step":
                self.steps += 1
            return self.stop_after is not None and self.steps >= self.stop_after

        def teardown(self, estimator, context):
            self.torn_down = True

    counter = Counter()
    search = DynamicOscillatingSearch(KNeighborsClassifier(3), cv=5, depth=2).set_callbacks(counter).fit(X, y)
    assert counter.steps == len(search.path_)
    assert counter.torn_down
    stopped = DynamicOscillatingSearch(KNeighborsClassifier(3), cv=5, depth=2).set_callbacks(Counter(3)).fit(X, y)
    assert stopped.stopped_ == "callback"
    assert len(stopped.path_) == 3


def test_callbacks_are_told_the_data_and_the_best_so_far():
    pytest.importorskip("sklearn.callback")
    X, y = load_iris(return_X_y=True)

    class Listener:
        def __init__(self):
            self.begun, self.supports = [], []

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, *, X, y):
            self.begun.append((context.task_name, estimator, X.tolist(), y.tolist()))

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            if context.task_name == "step":
                assert (estimator, X.tolist(), y.tolist()) == self.begun[-1][1:]
                self.supports.append(tuple(fitted_estimator.get_support(indices=True)))

    listener = Listener()
    search = SFS(Mahalanobis()).set_callbacks(listener).fit(X, y)
    assert [task for task, *_ in listener.begun] == ["fit"] + ["step"] * 4
    assert all(rest == [search, X.tolist(), y.tolist()] for _, *rest in listener.begun)
    best = [search.trace_[search.trace_["step"] <= step]["value"].idxmax() for step in range(4)]
    assert listener.supports == search.trace_["features"][best].tolist()
    assert _step_callback(SimpleNamespace(), X, y) is None  # scikit-learn before 1.9


def test_voters_that_request_different_metadata_are_refused():
    X, y = load_wine(return_X_y=True)
    unweighted = make_scorer(accuracy_score)
    with sklearn.config_context(enable_metadata_routing=True):
        unweighted.set_score_request(sample_weight=False)
        a, b = (
            CVScore(DecisionTreeClassifier().set_fit_request(sample_weight=asks), cv=3, scoring=unweighted)
            for asks in (False, True)
        )
        message = (
            r"^the criterion's estimators request different metadata \(\[{'fit': \[\], .*{'fit': \['sample_weight'\], "
            r".*\]\); make them agree\.$"
        )
        with pytest.raises(ValueError, match=message):
            SFS(OrderVoting([a, a], main=b), 3).fit(X, y, sample_weight=np.ones(len(y)))


def test_metadata_of_the_scorer_reach_it():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).random(150)
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = make_scorer(accuracy_score).set_score_request(sample_weight="importance")
        J = CVScore(DecisionTreeClassifier(max_depth=2, random_state=0), cv=3, scoring=weighted)
        found = SFS(J, 1).fit(X, y, importance=w)
        want = [cross_val_score(J.estimator, X[:, [c]], y, cv=3, scoring=weighted, params={"importance": w}).mean()
            for c in range(4)]  # fmt: skip
        assert found.trace_["value"].tolist() == pytest.approx(want, rel=1e-14)
        with pytest.raises(TypeError, match=r"^SFS\.fit got unexpected argument\(s\) {'colour'}"):
            SFS(J, 1).fit(X, y, colour="red")
        assert SFS(Bhattacharyya(), 1).fit(X, y).size_ == 1  # nothing to route


def test_voters_given_as_classifiers_are_valued_by_the_folds_of_the_search():
    X, y = load_wine(return_X_y=True)
    knn = KNeighborsClassifier(3)
    for voting in (OrderVoting([knn]), Hybrid(Bhattacharyya(), knn, 1.0)):
        found = SFS(voting, 1, cv=3).fit(X, y)
        assert found.score_ == CVAccuracy(knn, cv=3).bind(X, y).score([tuple(np.flatnonzero(found.support_))])[0]


def test_columns_may_be_given_as_masks():
    X, y = load_wine(return_X_y=True)
    mask = np.arange(13) % 4 == 3
    numbers = np.flatnonzero(mask)
    for given in (mask, mask.tolist(), pd.Series(mask)):
        assert SFS(KNN, 4, cv=3, fixed=given).fit(X, y).support_[mask].all()
    assert not SFS(KNN, 4, cv=3, excluded=mask).fit(X, y).support_[mask].any()
    grouped = SFS(KNN, cv=3, column_groups=[mask]).fit(X, y)
    assert grouped.trace_["features"].iloc[3] == tuple(numbers)
    start = DynamicOscillatingSearch(KNN, cv=3, depth=1, warm_start_from=mask).fit(X, y)
    assert start.trace_["features"].iloc[0] == tuple(numbers)


def test_workers_know_the_metadata_configuration():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).random(150) + 0.01
    with sklearn.config_context(enable_metadata_routing=True):
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(sample_weight=True)
        unweighted = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        J = CVScore(make_pipeline(StandardScaler().set_fit_request(sample_weight=False), tree), cv=3)
        J.set_params(scoring=unweighted)
        one, two = (SFS(J, 2, n_jobs=n).fit(X, y, sample_weight=w) for n in (1, 2))
    assert one.trace_.equals(two.trace_)


@pytest.mark.parametrize(
    "criterion", ["accuracy", KMeans(), CVAccuracy(LinearRegression()), OrderVoting([]), Hybrid("knn")]
)
def test_a_search_that_fit_will_refuse_can_be_displayed(criterion):
    """A notebook displays the value of the last line of a cell."""
    assert "SFS" in SFS(criterion)._repr_html_()
    with pytest.raises(ValueError, match=r"criteri|not a classifier"):
        SFS(criterion).fit(*load_iris(return_X_y=True))


def test_estimators_that_fill_and_encode_get_the_columns_as_they_are():
    """Texts and missing values reach a pipeline that can handle them; others are refused before the search."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame({"noise": rng.normal(size=60), "text": np.where(y, "u", "v"), "shifted": rng.normal(size=60) + y})
    X.loc[3, ["noise", "shifted"]] = np.nan
    X.loc[5, "text"] = None
    numeric, other = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    encode = make_column_transformer((SimpleImputer(), numeric), (OneHotEncoder(handle_unknown="ignore"), other))
    search = SFS(make_pipeline(encode, LogisticRegression()), 1, cv=3)
    np.testing.assert_array_equal(search.fit(X, y).get_support(), [False, True, False])
    numbers = X[["noise", "shifted"]]
    filling = SFS(make_pipeline("passthrough", SimpleImputer(), LogisticRegression()), 1, cv=3)
    np.testing.assert_array_equal(filling.fit(numbers, y).get_support(), [False, True])
    with pytest.raises(ValueError, match="NaN"):
        SFS(LogisticRegression(), 1, cv=3).fit(numbers, y)
    with pytest.raises(ValueError, match="NaN"):
        SFS(make_pipeline(StandardScaler(), LogisticRegression()), 1, cv=3).fit(numbers.to_numpy(), y)


@pytest.mark.parametrize("budget", [1, 2, 5, 15, 16])
def test_an_enumeration_values_what_its_budget_allows(budget):
    """The empty set, which has no value, does not count."""
    X, y = load_iris(return_X_y=True)
    search = ExhaustiveSearch(GaussianNB(), max_evaluations=budget).fit(X, y)
    assert search.n_evaluations_ == min(budget, 15)
    assert (search.stopped_ == "evaluations") == (budget < 15)
    fixed = ExhaustiveSearch(GaussianNB(), fixed=[0], max_evaluations=budget).fit(X, y)
    assert fixed.n_evaluations_ == min(budget, 8)


def test_the_rule_of_one_standard_error_outlasts_the_time():
    X, y = load_iris(return_X_y=True)
    for estimator in (KNeighborsClassifier(3), GaussianNB(), LinearDiscriminantAnalysis(), SVC()):
        search = SFS(estimator, tau="1se", cv=5, max_seconds=1e-9).fit(X, y)
        assert search.stopped_ == "seconds"
        assert search.score_ in set(search.trace_["value"])


def test_the_rule_of_one_standard_error_needs_folds_and_numbers():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match='tau="1se" needs at least two folds'):
        SFS(KNeighborsClassifier(3), tau="1se", cv=ShuffleSplit(1, random_state=0)).fit(X, y)
    infinite = CVScore(GaussianNB(), scoring=lambda estimator, X, y: -np.inf, cv=3)
    assert SFS(infinite, tau="1se").fit(X, y).score_ == -np.inf


@pytest.mark.parametrize("score", [None, "x", np.ones(2), {"a": 1.0, "b": 2.0}], ids=["None", "text", "array", "dict"])
def test_a_scorer_returns_one_number(score):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        ValueError, match="scoring must return one number for each fold; give several scorers as a dict"
    ):
        SFS(CVScore(GaussianNB(), scoring=lambda estimator, X, y: score, cv=3), 2).fit(X, y)


def test_a_scorer_may_return_an_array_without_dimensions():
    X, y = load_iris(return_X_y=True)
    plain, array = (
        SFS(CVScore(GaussianNB(), scoring=lambda e, X, y, form=form: form(e.score(X, y)), cv=3), 2).fit(X, y).score_
        for form in (float, np.array)
    )
    assert plain == array


def test_weights_and_groups_have_an_entry_for_each_sample():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="sample_weight has 120 entries, but X has 150 samples; give one for each"):
        SFS(GaussianNB(), 2, cv=5).fit(X, y, sample_weight=np.ones(120))
    with pytest.raises(ValueError, match="groups has 3 entries, but X has 150 samples"):
        SFS(GaussianNB(), 2, cv=GroupKFold(3)).fit(X, y, groups=[0, 1, 2])
    with pytest.raises(
        ValueError, match="sample_weight='balanced' must be array-like of shape \\(n_samples,\\), here \\(150,\\)"
    ):
        SFS(GaussianNB(), 2, cv=5).fit(X, y, sample_weight="balanced")
    with pytest.raises(ValueError, match="groups=3 must be array-like of shape"):
        SFS(GaussianNB(), 2, cv=GroupKFold(3)).fit(X, y, groups=3)
    assert SFS(GaussianNB(), 2, cv=5).fit(X, y, sample_weight=2.0).score_ == SFS(GaussianNB(), 2, cv=5).fit(X, y).score_


def test_a_mask_of_numbers_is_refused():
    X, y = load_iris(return_X_y=True)
    for mask in ([0, 0, 0, 1], np.array([0, 0, 0, 1], dtype=np.uint8)):
        with pytest.raises(ValueError, match="fixed has one entry of 0 or 1 for each of the 4 columns of X"):
            SFS(GaussianNB(), 2, cv=3, fixed=mask).fit(X, y)
    assert SFS(GaussianNB(), 2, cv=3, fixed=[False, False, False, True]).fit(X, y).support_[3]
    assert SFS(GaussianNB(), 2, cv=3, fixed=[0, 1]).fit(X[:, :2], y).support_.all()

"""Columns are followed through the steps of a model: a subset is scored as the same model written by hand for it."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, RegressorMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeRegressor

from fscore.criteria import CVScore
from fscore.search import SFS

rng = np.random.default_rng(0)
FOLDS = KFold(2)
X = rng.normal(size=(90, 4))
Y = 3 * X[:, 2] ** 2 + 1.5 * X[:, 0] - X[:, 3] + 0.2 * rng.normal(size=90)
NAMES = list("abcd")
FRAME = pd.DataFrame(X, columns=NAMES)


def score_of(estimator, subset, data=X, y=Y, **metadata):
    J = CVScore(estimator, cv=FOLDS).bind(data, y, params=metadata)
    return J.score([tuple(subset)])[0]


def score_by_hand(estimator, subset, data=X, y=Y):
    data = data.iloc[:, list(subset)] if hasattr(data, "iloc") else data[:, list(subset)]
    return pytest.approx(cross_val_score(estimator, data, y, cv=FOLDS, error_score="raise").mean(), abs=1e-12)


def squares(columns):
    squared = ("squares", PolynomialFeatures(2, include_bias=False), columns)
    return ColumnTransformer([squared], remainder="passthrough")


class Negated(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Says by its mixin that it keeps the columns."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return -X


class Doubled(TransformerMixin, BaseEstimator):
    """Says by its names that it keeps the columns."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X

    def get_feature_names_out(self, input_features):
        return np.asarray(input_features)


class Sampler(BaseEstimator):
    """A sampler of imbalanced-learn, as far as columns are concerned."""

    def fit(self, X, y):
        return self

    def fit_resample(self, X, y):
        return X, y

    def transform(self, X):
        return X


# pipelines ----------------------------------------------------------------------------------------------------------
# Each step is written by hand for a list of columns: the step, and the columns that it returns.


def keeping(step):
    return lambda columns: (step, columns)


def first_and_rest(columns):
    """A column transformer puts its own columns, the last two of X, before the others."""
    own = [c for c in columns if c > 1]
    part = ColumnTransformer(
        [("own", SimpleImputer(), [i for i, c in enumerate(columns) if c > 1])], remainder="passthrough"
    )
    return part, own + [c for c in columns if c <= 1]


def without_first(columns):
    part = ColumnTransformer(
        [("out", "drop", [i for i, c in enumerate(columns) if c == 0])], remainder=StandardScaler()
    )
    return part, [c for c in columns if c != 0]


def twice(columns):
    return FeatureUnion([("one", Negated()), ("none", "drop"), ("two", "passthrough")]), columns * 2


STEPS = {
    "KNNImputer": keeping(KNNImputer()),
    "constant": keeping(SimpleImputer(strategy="constant")),
    "IterativeImputer": keeping(IterativeImputer(max_iter=2, random_state=0)),
    "own": keeping(Negated()),
    "own names": keeping(Doubled()),
    "one-to-one": keeping(FunctionTransformer(abs, feature_names_out="one-to-one")),
    "sampler": keeping(Sampler()),
    "nothing": keeping("passthrough"),
    "inner pipeline": keeping(make_pipeline(StandardScaler(), Negated())),
    "first and rest": first_and_rest,
    "without first": without_first,
    "union": twice,
}


def with_squares(columns, squared):
    return make_pipeline(squares([i for i, c in enumerate(columns) if c in squared]), LinearRegression())


def with_monotone_tree(columns, squared):
    constraints = [1 if c in squared else -1 for c in columns]
    return DecisionTreeRegressor(max_depth=3, monotonic_cst=constraints, random_state=0)


def by_hand(names, subset, ending, squared):
    columns, steps = list(subset), []
    for name in names:
        step, columns = STEPS[name](columns)
        steps.append(step)
    return make_pipeline(*steps, ending(columns, squared)), columns


@settings(max_examples=25, deadline=None)
@given(
    names=st.lists(st.sampled_from(sorted(STEPS)), max_size=3),
    subset=st.sets(st.integers(0, 3), min_size=1),
    squared=st.sets(st.integers(0, 3), min_size=1),
    ending=st.sampled_from([with_squares, with_monotone_tree]),
    framed=st.booleans(),
)
@example(["KNNImputer"], {0, 2, 3}, {2}, with_squares, False)
@example(["first and rest", "union"], {1, 2}, {1}, with_monotone_tree, True)
def test_a_subset_is_scored_as_the_model_written_by_hand_for_it(names, subset, squared, ending, framed):
    subset, data = sorted(subset), FRAME if framed else X
    hand, columns = by_hand(names, subset, ending, squared)
    if columns:
        whole, _ = by_hand(names, range(4), ending, squared)
        assert score_of(whole, subset, data) == score_by_hand(hand, subset, data)


CLASSES = (X[:, 1] > 0).astype(int)
MIXED = FRAME.assign(k=np.where(rng.random(90) < 0.8, np.where(CLASSES == 1, "u", "v"), "w"))
MIXED.loc[3, "a"] = np.nan


def imputed_then_encoded(numbers, words, **output):
    """Impute, then encode, by name, for a subset of the columns."""
    impute = ColumnTransformer(
        [("impute", SimpleImputer(), [n for n in "ab" if n in numbers])], remainder="passthrough"
    )
    prefix = output.get("prefix", "")
    impute.set_params(verbose_feature_names_out=bool(prefix)).set_output(transform="pandas")
    rename = (lambda n: ("impute__" if n in "ab" else "remainder__") + n) if prefix else str
    encode = ColumnTransformer(
        [
            ("dummies", OneHotEncoder(handle_unknown="ignore"), list(map(rename, words))),
            ("scale", StandardScaler(), list(map(rename, numbers))),
        ]
    )
    return make_pipeline(impute, encode, LogisticRegression())


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("subset", [(1,), (4,), (0, 1, 4), (2, 3)])
def test_two_stages_by_name(subset, prefix):
    names = [MIXED.columns[c] for c in subset]
    hand = imputed_then_encoded([n for n in names if n != "k"], [n for n in names if n == "k"], prefix=prefix)
    whole = imputed_then_encoded(NAMES, ["k"], prefix=prefix)
    assert score_of(whole, subset, MIXED, CLASSES) == score_by_hand(hand, subset, MIXED, CLASSES)


def named(step, output="pandas"):
    return step.set_output(transform=output)


@pytest.mark.parametrize("subset", [(2,), (0, 2), (0, 1, 3)])
def test_names_are_columns_behind_any_transformer_that_returns_a_frame(subset):
    """The products have names of their own; those of X remain."""

    def model(kept):
        return make_pipeline(named(PolynomialFeatures(2, include_bias=False)), squares(kept), Ridge())

    hand = model([n for n in ["c", "d"] if NAMES.index(n) in subset])
    assert score_of(model(["c", "d"]), subset, FRAME) == score_by_hand(hand, subset, FRAME)


@pytest.mark.parametrize("subset", [(2,), (0, 2), (1, 2, 3)])
def test_length_scales_and_knots_are_those_of_the_columns(subset):
    def process(scales):
        return GaussianProcessRegressor(RBF(scales) + WhiteKernel(0.1), optimizer=None)

    scales, knots = np.array([1.0, 2.0, 3.0, 4.0]), np.linspace(-3, 3, 12).reshape(4, 3).T + np.array([-3, -2, -1, 0])
    assert score_of(process(scales), subset) == score_by_hand(process(scales[list(subset)]), subset)

    def splines(knots):
        return make_pipeline(SplineTransformer(knots=knots, extrapolation="linear"), Ridge())

    assert score_of(splines(knots), subset) == score_by_hand(splines(knots[:, list(subset)]), subset)
    bounds, one = np.array([(1e-2, 10.0 + c) for c in range(4)]), (1e-3, 1e3)
    for limits, of_subset in (bounds, bounds[list(subset)]), (one, one):
        found = score_of(GaussianProcessRegressor(RBF(scales, limits), optimizer=None), subset)
        assert found == score_by_hand(
            GaussianProcessRegressor(RBF(scales[list(subset)], of_subset), optimizer=None), subset
        )


def test_positions_of_components_are_no_columns():
    model = make_pipeline(PCA(2), squares([1]), LinearRegression())
    assert score_of(model, (0, 3)) == score_by_hand(model, (0, 3))


BEHIND = r" is .*, which refers to columns behind a transformer that may add, drop or move columns; refer to"


@pytest.mark.parametrize(
    ("model", "label"),
    [
        *(
            (make_pipeline(step, squares([2]), LinearRegression()), "squares of ColumnTransformer")
            for step in (
                KNNImputer(add_indicator=True),
                FunctionTransformer(lambda X: X[:, ::-1]),
                KBinsDiscretizer(3, encode="onehot-dense"),
                make_pipeline(StandardScaler(), PolynomialFeatures()),
                FeatureUnion([("same", "passthrough"), ("components", PCA(1))]),
                squares([1]),
            )
        ),
        (
            make_pipeline(named(PolynomialFeatures()), squares(["a b"]), LinearRegression()),
            "squares of ColumnTransformer",
        ),
        (
            StackingRegressor(
                [("ridge", Ridge())], DecisionTreeRegressor(monotonic_cst=[0, 0, 1, 0, 0]), passthrough=True, cv=2
            ),
            "monotonic_cst of DecisionTreeRegressor",
        ),
        (
            GridSearchCV(
                Pipeline([("prep", StandardScaler()), ("tree", DecisionTreeRegressor(monotonic_cst=[0, 0, 1, 0]))]),
                {"prep": [StandardScaler(), PCA(4)]},
                cv=2,
            ),
            "monotonic_cst of DecisionTreeRegressor",
        ),
        (
            GridSearchCV(
                Pipeline([("prep", SimpleImputer()), ("tree", DecisionTreeRegressor(monotonic_cst=[0, 0, 1, 0]))]),
                {"prep__add_indicator": [False, True]},
                cv=2,
            ),
            "monotonic_cst of DecisionTreeRegressor",
        ),
    ],
    ids=range(10),
)
def test_columns_that_cannot_be_followed_are_refused(model, label):
    with pytest.raises(ValueError, match=label + BEHIND):
        SFS(model, 1, cv=2).fit(FRAME, Y)


# parameter grids ----------------------------------------------------------------------------------------------------


def tree(columns, **options):
    return DecisionTreeRegressor(max_depth=3, monotonic_cst=[int(c == 2) for c in columns], random_state=0, **options)


def at(columns, *wanted):
    return [i for i, c in enumerate(columns) if c in wanted]


LINEAR = Pipeline([("prep", StandardScaler()), ("model", LinearRegression())])
SEARCHES = {
    "transformers": lambda columns: GridSearchCV(
        LINEAR, {"prep": [StandardScaler(), squares(at(columns, 2)), "passthrough"]}, cv=2
    ),
    "estimators": lambda columns: GridSearchCV(LINEAR, {"model": [Ridge(), tree(columns)]}, cv=2),
    "list of grids": lambda columns: GridSearchCV(
        LINEAR,
        [
            {"prep": [squares(at(columns, 2))], "prep__squares__degree": [2, 3]},
            {"prep": [KNNImputer()], "model": [tree(columns)]},
        ],
        cv=2,
    ),
    "randomized": lambda columns: RandomizedSearchCV(
        LINEAR, {"prep": [squares(at(columns, 2)), squares(at(columns, 0))]}, n_iter=2, cv=2, random_state=0
    ),
    "values": lambda columns: GridSearchCV(
        DecisionTreeRegressor(max_depth=3, random_state=0),
        {"monotonic_cst": [None, [int(c == 2) for c in columns]], "max_depth": [2, 3]},
        cv=2,
    ),
    "columns": lambda columns: GridSearchCV(
        Pipeline([("prep", squares(at(columns, 2))), ("model", LinearRegression())]),
        {"prep__squares": [StandardScaler(), "passthrough", PolynomialFeatures(3)]},
        cv=2,
    ),
    "parts": lambda columns: GridSearchCV(
        Pipeline([("prep", squares([])), ("model", LinearRegression())]),
        {"prep__transformers": [squares(at(columns, c)).transformers for c in (0, 2)]},
        cv=2,
    ),
    "in a pipeline": lambda columns: make_pipeline(
        first_and_rest(columns)[0],
        GridSearchCV(LINEAR, {"prep": [squares(at(first_and_rest(columns)[1], 2))]}, cv=2),
    ),
    "stack with passthrough": lambda columns: StackingRegressor(
        [("tree", tree(columns)), ("squares", make_pipeline(squares(at(columns, 2)), Ridge()))],
        Ridge(),
        passthrough=True,
        cv=2,
    ),
    "stack of predictions": lambda columns: StackingRegressor(
        [("tree", tree(columns)), ("ridge", Ridge())], squares([1]), cv=2
    ).set_params(final_estimator=make_pipeline(squares([1]), Ridge())),
}


@pytest.mark.parametrize("subset", [(0, 3), (1, 2, 3)])
@pytest.mark.parametrize("kind", SEARCHES)
def test_what_a_grid_tries_refers_to_the_columns_of_the_subset(kind, subset):
    assert score_of(SEARCHES[kind](range(4)), subset) == score_by_hand(SEARCHES[kind](subset), subset)


def test_a_grid_keeps_its_values():
    search = SEARCHES["transformers"](range(4))
    score_of(search, (2,))
    assert search.param_grid["prep"][1].transformers[0][2] == [2]


# boosters and transformers from outside scikit-learn ------------------------------------------------------------------


class Booster(RegressorMixin, BaseEstimator):
    """Has parameters with the names and forms of XGBoost, LightGBM and CatBoost, each of which matters to the score."""

    def __init__(
        self,
        monotone_constraints=None,
        feature_weights=None,
        feature_types=None,
        feature_contri=None,
        cat_features=None,
        ignored_features=None,
        interaction_constraints=None,
    ):
        self.monotone_constraints = monotone_constraints
        self.feature_weights = feature_weights
        self.feature_types = feature_types
        self.feature_contri = feature_contri
        self.cat_features = cat_features
        self.ignored_features = ignored_features
        self.interaction_constraints = interaction_constraints

    def _design(self, X, names):
        """Each value bends its column, each category and each group adds a column."""
        one_each = (self.monotone_constraints, self.feature_weights, self.feature_types, self.feature_contri)
        bend = sum(one_value_each(value, names) for value in one_each if value is not None)
        squares = X[:, numbered(self.cat_features, names)] ** 2
        groups = self.interaction_constraints or []
        groups = json.loads(groups) if isinstance(groups, str) else groups
        products = [X[:, numbered(g, names)].prod(axis=1) for g in groups]
        used = np.delete(X + bend * X**2, numbered(self.ignored_features, names), axis=1)
        return np.column_stack([np.ones(len(X)), used, squares, *products])

    def fit(self, X, y, cat_features=None):
        if cat_features is not None:
            self.cat_features = cat_features
        self.coef_ = np.linalg.lstsq(self._design(*array_and_names(X)), y, rcond=None)[0]
        return self

    def predict(self, X):
        return self._design(*array_and_names(X)) @ self.coef_


def array_and_names(X):
    return np.asarray(X, dtype=float), list(getattr(X, "columns", range(X.shape[1])))


def numbered(columns, names):
    if isinstance(columns, str):
        columns = [int(c) for c in columns.split(",") if c]
    return [c if isinstance(c, int) else names.index(c) for c in columns or ()]


def one_value_each(values, names):
    if isinstance(values, str):
        values = [float(v) for v in values.strip("()").split(",") if v]
    if isinstance(values, dict):
        assert set(values) <= set(names)
        values = [values.get(name, 0) for name in names]
    assert len(values) == len(names)
    return np.array([{"q": 0, "c": 1}.get(v, v) for v in values], dtype=float)


def groups_at(columns, *groups):
    return [inside for inside in (at(columns, *group) for group in groups) if inside]


# The parameter, its value for all columns, and that for the columns of a subset.
BOOSTERS = {
    "a shorter tuple": ("monotone_constraints", (0, 1), lambda s: tuple(int(c == 1) for c in s)),
    "a text": ("monotone_constraints", "(0,1,0,2)", lambda s: tuple([0, 1, 0, 2][c] for c in s)),
    "weights": ("feature_weights", [0, 1, 2, 3], list),
    "an array": ("feature_contri", np.arange(4), list),
    "types": ("feature_types", ["q", "c", "c", "q"], lambda s: ["qccq"[c] for c in s]),
    "categories": ("cat_features", (2, 0), lambda s: tuple(s.index(c) for c in (2, 0) if c in s)),
    "a mask": ("cat_features", [False, True, True, False], lambda s: at(s, 1, 2)),
    "a single column": ("cat_features", 2, lambda s: at(s, 2)),
    "a number as text": ("cat_features", "2", lambda s: at(s, 2)),
    "groups": ("interaction_constraints", [[0, 1], [2, 3], [1, 2]], lambda s: groups_at(s, (0, 1), (2, 3), (1, 2))),
    "groups in a text": ("interaction_constraints", "[[0, 1], [2, 3]]", lambda s: groups_at(s, (0, 1), (2, 3))),
    # a name must not force its column in
    "names": ("cat_features", ["c", "a"], lambda s: [n for n in "ca" if NAMES.index(n) in s]),
    "names of ignored": ("ignored_features", ["c"], lambda s: ["c"] if 2 in s else []),
    "names with values": ("monotone_constraints", {"b": 1, "c": 2}, lambda s: {NAMES[c]: c for c in (1, 2) if c in s}),
}


@pytest.mark.parametrize("subset", [(1,), (0, 2), (1, 2, 3)])
@pytest.mark.parametrize("kind", BOOSTERS)
def test_parameters_of_boosters_refer_to_the_columns_of_the_subset(kind, subset):
    name, whole, of_columns = BOOSTERS[kind]
    data = FRAME if kind.startswith("names") else X
    assert score_of(Booster(**{name: whole}), subset, data) == score_by_hand(
        Booster(**{name: of_columns(subset)}), subset, data
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"interaction_constraints": [[0, 1]]}, "column 2 in no group, which libraries treat diff"),
        ({"feature_weights": [1, 2]}, r"^feature_weights of Booster is \[1, 2\], 2 values for 4 columns"),
        ({"monotone_constraints": [0] * 5}, "5 values for 4 columns; give one for each"),
        ({"cat_features": [4]}, r"^cat_features of Booster is \[4\], which are no columns of X: all features"),
        ({"cat_features": ["z"]}, r"^cat_features of Booster is \['z'\], which are no columns of X"),
        ({"monotone_constraints": "a:1,b:-1"}, "is 'a:1,b:-1', in which the columns of a subset cannot be found"),
    ],
)
def test_parameters_of_boosters_that_cannot_be_followed_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        SFS(Booster(**params), 1, cv=2).fit(X, Y)


class ByVariables(TransformerMixin, BaseEstimator):
    """Like those of feature-engine: squares its variables, by name; takes no empty list."""

    def __init__(self, variables=None):
        self.variables = variables

    def fit(self, X, y=None):
        if self.variables is not None and not len(self.variables):
            raise ValueError("the list of variables is empty")
        self.variables_ = list(X.columns) if self.variables is None else self.variables
        return self

    def transform(self, X):
        return X.assign(**{name: X[name] ** 2 for name in self.variables_})


@pytest.mark.parametrize("subset", [(1,), (0, 2), (1, 2, 3)])
def test_transformers_by_name_one_behind_the_other(subset):
    names = [NAMES[c] for c in subset]
    steps = [ByVariables([n for n in own if n in names]) for own in (["a", "c"], ["b", "c"])]
    hand = make_pipeline(*(step if step.variables else "passthrough" for step in steps), LinearRegression())
    whole = make_pipeline(ByVariables(["a", "c"]), ByVariables(["b", "c"]), LinearRegression())
    assert score_of(whole, subset, FRAME) == score_by_hand(hand, subset, FRAME)
    all_of_them = make_pipeline(ByVariables(), LinearRegression())
    assert score_of(all_of_them, subset, FRAME) == score_by_hand(all_of_them, subset, FRAME)


# metadata of fit ------------------------------------------------------------------------------------------------------


@pytest.fixture
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("behind", [None, KNNImputer(), squares([])])
def test_metadata_that_name_columns_follow_the_subset(behind):
    booster = Booster().set_fit_request(cat_features=True)
    model = booster if behind is None else make_pipeline(behind, booster)
    search = SFS(model, 2, cv=FOLDS).fit(X, Y, cat_features=[2])
    assert set(search.get_support(indices=True)) == {0, 2}
    for subset, value in zip(search.trace_["features"], search.trace_["value"], strict=True):
        assert value == score_by_hand(Booster(cat_features=at(subset, 2)), subset)


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cat_features": [7]}, r"^cat_features of Evaluated is \[7\], which are no columns of X"),
        ({"eval_set": [(X, Y)]}, r"(?s)^fit got eval_set=\[.*not one value for each sample and may"),
    ],
)
def test_metadata_that_belong_to_all_columns_are_refused(params, message):
    class Evaluated(Booster):
        def fit(self, X, y, cat_features=None, eval_set=None):
            return super().fit(X, y, cat_features)

    model = Evaluated().set_fit_request(**dict.fromkeys(params, True))
    with pytest.raises(ValueError, match=message):
        SFS(model, 2, cv=FOLDS).fit(X, Y, **params)


# the libraries themselves ---------------------------------------------------------------------------------------------


LIBRARIES = {
    "xgboost": ("XGBRegressor", {"n_estimators": 10, "max_depth": 3, "n_jobs": 1, "random_state": 0}),
    "lightgbm": ("LGBMRegressor", {"n_estimators": 10, "num_leaves": 8, "verbose": -1, "n_jobs": 1}),
    "catboost": (
        "CatBoostRegressor",
        {"iterations": 10, "depth": 3, "random_seed": 0, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
    ),
}
CODES = FRAME.assign(c=rng.integers(0, 5, 90))


@pytest.mark.parametrize(
    ("library", "data", "name", "whole", "of_columns"),
    [
        ("xgboost", X, "monotone_constraints", (-1,), (0, 0)),
        ("xgboost", X, "monotone_constraints", "(1,0,-1,1)", (-1, 1)),
        ("xgboost", X, "interaction_constraints", "[[0, 1, 2], [3]]", "[[0], [1]]"),
        ("xgboost", X, "feature_weights", [1, 0, 1, 5], [1, 5]),
        ("xgboost", FRAME, "monotone_constraints", {"a": 1, "d": -1}, {"d": -1}),
        ("lightgbm", X, "interaction_constraints", [[0, 1], [2, 3]], [[0, 1]]),
        ("lightgbm", X, "interaction_constraints", "[0,1,2],[3]", "[0],[1]"),
        ("lightgbm", X, "feature_contri", [1, 1, 0.5, 1], [0.5, 1]),
        ("lightgbm", X, "monotone_constraints", [0, 0, -1, 1], [-1, 1]),
        ("catboost", CODES, "cat_features", (2,), (0,)),
        ("catboost", CODES, "cat_features", ("c",), ("c",)),
        ("catboost", CODES, "monotone_constraints", "(-1,0,0,1)", "(0,1)"),
    ],
)
def test_the_libraries_themselves(library, data, name, whole, of_columns):
    module = pytest.importorskip(
        library, reason=f"{library} is not among the locked packages; installed beside, it is tested"
    )
    of_library, options = LIBRARIES[library]
    options = {**options, "colsample_bynode": 0.5} if name == "feature_weights" else options
    all_columns, two = (getattr(module, of_library)(**options, **{name: value}) for value in (whole, of_columns))
    assert score_of(all_columns, (2, 3), data) == score_by_hand(two, (2, 3), data)

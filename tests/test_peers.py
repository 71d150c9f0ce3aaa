"""Properties that other libraries' test suites hold, stated for this library.

Facts and numbers are theirs, words and code are ours. ``data/measured/peers.csv`` counts these tests by suite for the
page "How these pages are made", and names what follows another convention here.
"""

from math import prod

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_classification, make_regression
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fscore.criteria import CVScore
from fscore.filters import MRMR, multisurf, relieff, rrelieff, surf
from fscore.lvq import GLVQ, GMLVQ
from fscore.search import SBFS, SBS, SFFS, SFS, ExhaustiveSearch
from fscore.stability import nogueira_stability
from fscore.weighting import LMNN
from fscore.weighting._targets import loss_and_gradient, target_neighbors

IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
FRAME = pd.DataFrame(IRIS, columns=NAMES)
ALL = np.arange(150)
ON_ITSELF = [(ALL, ALL)]  # accuracy on the training samples
KNN = KNeighborsClassifier(4)
TIED = CVScore(KNN, scoring="accuracy", cv=ON_ITSELF, compiled=False)  # scikit-learn's choice among equal distances
FOUR = pytest.mark.parametrize("search", [SFS, SFFS, SBS, SBFS])
BOTH = pytest.mark.parametrize("search", [SFS, SBS])


def chosen(search):
    return tuple(search.get_support(indices=True).tolist())


class TestMlxtend:
    def test_one_feature_is_the_petal_width(self):
        assert chosen(SFS(KNeighborsClassifier(), 1, cv=5).fit(IRIS, SPECIES)) == (3,)

    def test_weights_reach_a_forest(self):
        forest = RandomForestClassifier(20, random_state=123)
        assert chosen(SFS(forest, 1, cv=5).fit(IRIS, SPECIES, sample_weight=np.ones(150))) == (3,)

    @pytest.mark.parametrize("size", [0, set(), (0, 5), (1, 5), (3, 1), (1, 2, 3), "something"])
    def test_a_number_of_features_that_cannot_be_is_refused(self, size):
        with pytest.raises((ValueError, TypeError), match="n_features_to_select"):
            SFS(KNN, size).fit(IRIS, SPECIES)

    def test_the_path_on_the_training_samples(self):
        path = SFS(KNN, 3, cv=ON_ITSELF).fit(IRIS, SPECIES).path_
        assert [tuple(features) for features in path["features"]] == [(3,), (2, 3), (1, 2, 3)]
        assert path["value"].round(4).tolist() == [0.96, 0.9733, 0.9733]

    def test_scores_by_fold(self):
        bound = CVScore(KNN, scoring="accuracy", cv=4).bind(IRIS, SPECIES)
        assert bound.fold_scores((3,)).round(3).tolist() == [0.974, 0.947, 0.919, 1.0]
        assert bound.fold_scores((1, 2, 3)).round(3).tolist() == [0.974, 1.0, 0.946, 0.973]

    def test_scores_by_fold_of_groups(self):
        groups = np.random.RandomState(1630672634).randint(0, 6, size=150)
        search = SFS(CVScore(KNN, scoring="accuracy", cv=GroupKFold(3)), 3).fit(IRIS, SPECIES, groups=groups)
        assert [tuple(features) for features in search.path_["features"]] == [(3,), (1, 3), (1, 2, 3)]
        assert search.path_["value"].round(4).tolist() == [0.9601, 0.9594, 0.9606]

    @FOUR
    def test_three_features_of_iris(self, search):
        assert chosen(search(KNN, 3, cv=4).fit(IRIS, SPECIES)) == (1, 2, 3)

    @FOUR
    @pytest.mark.parametrize("sizes", [(1, 3), (1, 4)])
    def test_the_best_of_a_range_of_sizes(self, search, sizes):
        assert round(search(KNeighborsClassifier(3), sizes, cv=4).fit(IRIS, SPECIES).score_, 3) == 0.967

    def test_scoring_by_name_and_by_scorer(self):
        own, named, scorer = (
            SFS(CVScore(KNN, scoring=scoring, cv=4), 3).fit(IRIS, SPECIES).score_
            for scoring in (None, "accuracy", make_scorer(accuracy_score))
        )
        assert own == named
        assert scorer == pytest.approx(named, rel=1e-15)  # refitted: the mean of shares, not of counts

    def test_a_class_is_no_estimator(self):
        with pytest.raises(ValueError, match=r"^criterion=<class .*KNeighborsClassifier'> must be a classifier"):
            SFS(KNeighborsClassifier, 3).fit(IRIS, SPECIES)

    def test_a_transformer_is_no_estimator(self):
        with pytest.raises((TypeError, ValueError), match="PCA"):
            SFS(PCA(), 2).fit(IRIS, SPECIES)

    def test_nothing_is_transformed_before_a_fit(self):
        with pytest.raises(NotFittedError):
            SFS(KNN, 2).transform(IRIS)

    def test_sizes_are_searched_by_a_grid(self):
        pipe = make_pipeline(SFS(KNeighborsClassifier(2), 3, cv=5), KNeighborsClassifier(2))
        sizes = {"sfs__n_features_to_select": [1, 2, 3, 4]}
        assert GridSearchCV(pipe, sizes, cv=5).fit(IRIS, SPECIES).best_params_["sfs__n_features_to_select"] == 3

    @FOUR
    def test_names_of_a_frame(self, search):
        model = LogisticRegression(max_iter=500)
        framed, plain = (search(model, 2, cv=ON_ITSELF).fit(X, SPECIES) for X in (FRAME, IRIS))
        assert chosen(framed) == chosen(plain)
        assert framed.get_feature_names_out().tolist() == [NAMES[k] for k in chosen(plain)]
        assert framed.transform(FRAME).shape == (150, 2)

    def test_columns_of_a_group_are_selected_together(self):
        search = SFS(KNN, 2, cv=ON_ITSELF, column_groups=[["petal length", "petal width"]]).fit(FRAME, SPECIES)
        assert {"petal length", "petal width"} < set(search.get_feature_names_out())
        alone = SFS(KNN, 3, cv=ON_ITSELF, column_groups=[[0], [1], [2], [3]]).fit(IRIS, SPECIES)
        assert chosen(alone) == (1, 2, 3)

    def test_a_group_that_is_fixed(self):
        groups = {"column_groups": [[0, 1]], "fixed": [0, 1]}
        start, grown = (SFS(TIED, size, **groups).fit(IRIS, SPECIES) for size in (1, 2))
        assert (chosen(start), round(start.score_, 4)) == ((0, 1), 0.8333)
        assert (chosen(grown), round(grown.score_, 4)) == ((0, 1, 3), 0.9667)

    @FOUR
    @pytest.mark.parametrize("size", [3, (3, 4)])
    def test_fixed_features_are_in_every_subset(self, search, size):
        found = search(KNeighborsClassifier(), size, fixed=(0, 1), cv=5).fit(IRIS, SPECIES)
        assert all({0, 1} <= set(features) for features in found.trace_["features"])

    def test_fixed_features_by_name(self):
        found = SFS(KNN, 3, fixed=("sepal length", "sepal width"), cv=5).fit(FRAME, SPECIES)
        assert {0, 1} < set(chosen(found))

    @pytest.mark.parametrize("size", [1, (1, 3)])
    def test_a_size_below_that_of_the_fixed_features_is_refused(self, size):
        with pytest.raises(ValueError, match="fixed"):
            SFS(KNN, size, fixed=(1, 3)).fit(IRIS, SPECIES)

    def test_all_subsets_on_the_training_samples(self):
        scores = {}
        for size in (2, 3):  # theirs are of another scikit-learn, and compared to two digits
            trace = ExhaustiveSearch(TIED, size).fit(IRIS, SPECIES).trace_
            scores |= dict(zip(map(tuple, trace["features"]), trace["value"].round(4), strict=True))
        theirs = {(0, 1): 0.8333, (0, 2): 0.96, (0, 3): 0.9667, (1, 2): 0.96, (1, 3): 0.96, (2, 3): 0.9733}
        theirs |= {(0, 1, 2): 0.96, (0, 1, 3): 0.9667, (0, 2, 3): 0.9667, (1, 2, 3): 0.9733}
        assert scores == pytest.approx(theirs, abs=0.01)

    def test_the_best_of_all_subsets(self):
        best = ExhaustiveSearch(KNN, 3, cv=4).fit(IRIS, SPECIES)
        assert (chosen(best), round(best.score_, 4)) == ((1, 2, 3), 0.9732)

    @pytest.mark.parametrize("columns", [[0, 1], ["sepal length", "sepal width"]])
    def test_all_subsets_of_groups(self, columns):
        found = ExhaustiveSearch(TIED, 2, column_groups=[columns], fixed=columns).fit(FRAME, SPECIES)
        assert (chosen(found), round(found.score_, 4)) == ((0, 1, 3), 0.9667)
        assert found.get_feature_names_out().tolist() == [NAMES[0], NAMES[1], NAMES[3]]

    @pytest.mark.parametrize("size", [0, 5, (3, 2)])
    def test_a_size_that_cannot_be_is_refused(self, size):
        with pytest.raises(ValueError, match="n_features_to_select"):
            ExhaustiveSearch(KNN, size).fit(IRIS, SPECIES)


class TestScikitLearn:
    X, y = make_regression(n_features=10, random_state=0)

    @BOTH
    @pytest.mark.parametrize("size", [1, 5, 9])
    def test_the_number_of_features(self, search, size):
        found = search(LinearRegression(), size, cv=2).fit(self.X, self.y)
        assert found.get_support().sum() == found.transform(self.X).shape[1] == size

    @BOTH
    def test_a_tolerance_stops(self, search):
        X, y = make_regression(n_features=50, n_informative=10, random_state=0)
        found = search(LinearRegression(), tol=1e-3, cv=2).fit(X, y)
        kept = found.get_support()
        model = LinearRegression()
        score, rest = (cross_val_score(model, X[:, mask], y, cv=2).mean() for mask in (kept, np.ones(50, bool)))
        assert score >= rest
        for k in np.flatnonzero(~kept)[:5]:
            more = cross_val_score(model, X[:, np.sort(np.append(np.flatnonzero(kept), k))], y, cv=2).mean()
            assert more - score <= 1e-3

    @BOTH
    @pytest.mark.parametrize(("share", "size"), [(0.1, 1), (0.5, 5), (1.0, 10)])
    def test_a_share_of_the_features(self, search, share, size):
        assert search(LinearRegression(), share, cv=2).fit(self.X, self.y).get_support().sum() == size

    @pytest.mark.parametrize("seed", range(5))
    @BOTH
    @pytest.mark.parametrize(("size", "features"), [(2, (0, 2)), (1, (2,))])
    def test_noise_is_left_out(self, seed, search, size, features):
        X = np.random.RandomState(seed).randn(100, 3)
        assert chosen(search(LinearRegression(), size, cv=2).fit(X, 3 * X[:, 0] - 10 * X[:, 2])) == features

    def test_sparse_samples(self):
        assert SFS(LinearRegression(), 5, cv=2).fit(csr_array(self.X), self.y).transform(self.X).shape[1] == 5

    def test_missing_values_where_the_estimator_takes_them(self):
        X = np.where(np.random.RandomState(0).randint(0, 2, self.X.shape), np.nan, self.X)
        SFS(HistGradientBoostingRegressor(max_iter=5), 2, cv=2).fit(X[:, :4], self.y).transform(X[:, :4])
        with pytest.raises(ValueError, match="NaN"):
            SFS(LinearRegression(), 2, cv=2).fit(X, self.y)

    def test_pipelines_inside_and_outside(self):
        inside = SFS(make_pipeline(StandardScaler(), LinearRegression()), 5, cv=2).fit(self.X, self.y)
        outside = make_pipeline(StandardScaler(), SFS(LinearRegression(), 5, cv=2)).fit(self.X, self.y)
        assert inside.transform(self.X).shape == outside.transform(self.X).shape == (100, 5)

    @pytest.mark.parametrize("y", ["no_validation", 1j, 99.9, np.nan, 3])
    def test_labels_that_are_none(self, y):
        X, _ = make_blobs(n_features=6)
        with pytest.raises((TypeError, ValueError)):
            SFS(KMeans(), 3).fit(X, y)

    def test_folds_from_a_generator(self):
        X, y = make_classification(random_state=0)
        splits = LeaveOneGroupOut().split(X, y, groups=np.arange(100) // 50)
        assert SFS(KNeighborsClassifier(5), 5, cv=splits).fit(X, y).get_support().sum() == 5

    def test_a_negative_tolerance_lets_a_backward_search_lose(self):
        found = SBS(LinearRegression(), tol=-1e-3, cv=2).fit(self.X, self.y)
        assert 0 < found.get_support().sum() < 10


def interaction(n_values, seed=0):
    """A class that is the sum of two attributes modulo the number of their values, and eight that are noise."""
    X = np.random.default_rng(seed).integers(n_values, size=(300, 10))
    return X, (X[:, 2] + X[:, 7]) % n_values


RELIEFS = pytest.mark.parametrize("score", [relieff, surf, multisurf])


class TestSkrebate:
    @RELIEFS
    @pytest.mark.parametrize("n_values", [2, 3])
    def test_an_interaction_without_main_effects_is_found(self, score, n_values):
        X, y = interaction(n_values)
        assert set(np.argsort(-score(X, y, discrete_features=True))[:2]) == {2, 7}

    @RELIEFS
    def test_in_a_pipeline(self, score):
        X, y = interaction(2)
        pipe = make_pipeline(SelectKBest(score, k=2), RandomForestClassifier(20, random_state=0))
        assert cross_val_score(pipe, X, y, cv=3).mean() > 0.7

    @RELIEFS
    def test_with_missing_values(self, score):
        X, y = interaction(2)
        X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
        assert set(np.argsort(-score(X, y, discrete_features=True))[:2]) == {2, 7}

    @RELIEFS
    def test_with_mixed_attributes(self, score):
        X, y = interaction(2)
        X = np.column_stack([X, np.random.default_rng(1).normal(size=(300, 3))])
        assert set(np.argsort(-score(X, y, discrete_features=range(10)))[:2]) == {2, 7}

    @RELIEFS
    def test_threads_change_nothing(self, score):
        X, y = interaction(2)
        assert (score(X, y, n_jobs=2) == score(X, y)).all()

    def test_a_continuous_target(self):
        X, y = interaction(2)
        y = y + np.random.default_rng(1).normal(scale=0.2, size=300)
        assert set(np.argsort(-rrelieff(X, y, discrete_features=True))[:2]) == {2, 7}


@pytest.fixture(scope="module")
def gmlvq():
    return GMLVQ(random_state=31415).fit(IRIS, SPECIES)


class TestSklvq:
    @pytest.mark.parametrize("counts", [[1, 1], [1, 0, 1], "100"])
    @pytest.mark.parametrize("model", [GLVQ, GMLVQ])
    def test_numbers_of_prototypes_that_cannot_be_are_refused(self, model, counts):
        with pytest.raises((ValueError, TypeError), match="n_prototypes"):
            model(n_prototypes=counts).fit(IRIS, SPECIES)

    @pytest.mark.parametrize("model", [GLVQ, GMLVQ])
    def test_numbers_of_prototypes_by_class(self, model):
        assert len(model(n_prototypes=[1, 2, 1], max_iter=10).fit(IRIS, SPECIES).prototypes_) == 4

    @pytest.mark.parametrize("name", ["solver", "prototypes_init", "omega_init"])
    def test_words_that_name_nothing_are_refused(self, name):
        with pytest.raises(ValueError, match=name):
            GMLVQ(**{name: "abc"}).fit(IRIS, SPECIES)

    def test_the_relevance_matrix_is_that_of_omega(self, gmlvq):
        relevances = gmlvq.Omega_.T @ gmlvq.Omega_
        assert np.allclose(gmlvq.feature_importances_, np.diag(relevances))
        assert np.trace(relevances) == pytest.approx(1)

    def test_equal_seeds_give_equal_projections(self, gmlvq):
        assert np.array_equal(GMLVQ(random_state=31415).fit_transform(IRIS, SPECIES), gmlvq.transform(IRIS))

    @pytest.mark.parametrize("model", [GLVQ, GMLVQ])
    def test_two_classes_are_told_by_the_sign_of_the_decision(self, model):
        X, y = IRIS[:100], SPECIES[:100]
        fitted = model().fit(X, y)
        assert ((fitted.decision_function(X) > 0) == (fitted.predict(X) == 1)).all()

    @pytest.mark.parametrize("solver", ["waypoint", "gradient", "lbfgs"])
    @pytest.mark.parametrize("model", [GLVQ, GMLVQ])
    def test_every_solver_learns_iris(self, model, solver):
        pipe = make_pipeline(StandardScaler(), model(solver=solver, random_state=0))
        assert cross_val_score(pipe, IRIS, SPECIES, cv=2).mean() > 0.75


class TestMetricLearn:
    def test_iris_is_drawn_together_by_class(self):
        def ratio(X):
            """Mean distance within the classes over that between them."""
            D, same = np.linalg.norm(X[:, None] - X[None], axis=2), SPECIES[:, None] == SPECIES
            return D[same].mean() / D[~same].mean()

        assert ratio(LMNN(5).fit(IRIS, SPECIES).transform(IRIS)) < ratio(IRIS)

    def test_without_impostors_only_the_pull_remains(self):
        """Two classes far apart: no triple violates the margin, so the weights shrink and nothing pushes."""
        X = np.array([[0, 0], [0, 1], [9, 0], [9, 1]], dtype=float)
        model = LMNN(1).fit(X, [0, 0, 1, 1])
        assert np.linalg.norm(model.transform(X[:1]) - model.transform(X[1:2])) < 1

    @pytest.mark.parametrize(("y", "loss"), [([1, 1, 0, 0], 3.0), ([1, 0, 0, 1], 26.0)])
    def test_the_loss_of_four_points_on_a_line(self, y, loss):
        X, y = np.arange(4.0)[:, None], np.array(y)
        assert loss_and_gradient(X, y, target_neighbors(X, y, 1), 0.5, 0.5)[0] == loss

    def test_a_simple_problem_converges(self):
        X, y = make_classification(60, 4, random_state=0)
        assert LMNN().fit(X, y).n_iter_ < LMNN().max_iter


class TestMrmr:
    TABLE = pd.DataFrame(
        [["a", 1, 2, 7, 3], ["a", 2, 2, 7, 2], ["b", 3, 3, 7, 1], ["b", 4, 3, 7, 2], ["b", 5, 4, 7, 3]],
        columns=["class", "number", "related", "constant", "unrelated"],
    )

    def test_a_constant_is_chosen_last(self):
        X = self.TABLE[["related", "constant", "unrelated"]].astype(float)
        assert MRMR(3).fit(X, self.TABLE["class"]).ranking_.argmax() == 1

    def test_what_is_relevant_and_not_redundant_comes_first(self):
        rng = np.random.default_rng(0)
        first, other = rng.normal(size=(2, 300))
        X = np.column_stack([first, first + rng.normal(scale=0.1, size=300), other, rng.normal(size=300)])
        order = np.argsort(MRMR(4).fit(X, first + 0.6 * other > 0).ranking_)
        assert set(order[:2]) in ({0, 2}, {1, 2})


class TestStability:
    """Nogueira, Sechidis and Brown's own code, and stabm."""

    def test_equal_selections_are_stable(self):
        assert nogueira_stability(np.tile([1, 1, 0, 0], (5, 1))).value == 1

    def test_disjoint_selections_are_as_unstable_as_can_be(self):
        assert nogueira_stability([[1, 1, 0, 0], [0, 0, 1, 1]]).value == -1

    def test_random_selections_have_none(self):
        subsets = np.random.default_rng(0).random((2000, 20)) < 0.3
        assert nogueira_stability(subsets).value == pytest.approx(0, abs=0.01)

    def test_its_interval_is_that_of_the_paper(self):
        subsets = np.random.default_rng(0).random((50, 8)) < np.linspace(0.1, 0.9, 8)
        found = nogueira_stability(subsets)
        M, d = subsets.shape
        p, k = subsets.mean(axis=0), subsets.sum(axis=1)
        scale = p.sum() / d * (1 - p.sum() / d)
        value = 1 - (M / (M - 1) * p * (1 - p)).mean() / scale
        phi = (
            (subsets * p).mean(axis=1)
            - k * p.sum() / d**2
            + value / 2 * (2 * k * p.sum() / d**2 - k / d - p.sum() / d + 1)
        ) / scale
        variance = 4 / M**2 * ((phi - phi.mean()) ** 2).sum()
        assert found.value == pytest.approx(value)
        assert (found.upper - found.lower) / 2 == pytest.approx(1.959964 * np.sqrt(variance))


def cases(suite):
    """Number of cases of a class of tests."""
    tests = [test for name, test in vars(suite).items() if name.startswith("test")]
    return sum(prod(len(mark.args[1]) for mark in getattr(test, "pytestmark", ())) for test in tests)


def test_the_table_of_suites_counts_these_tests(root):
    table = pd.read_csv(root / "data" / "measured" / "peers.csv")
    assert (table["apply here"] == table["hold"] + table["other convention"] + table["fault"]).all()
    assert (table["apply here"] <= table["test functions"]).all()
    assert table.loc[table["other convention"] > 0, "conventions"].notna().all()
    suites = [TestMlxtend, TestScikitLearn, TestSkrebate, TestSklvq, TestMetricLearn, TestMrmr, TestStability]
    assert table["our cases"].tolist() == [cases(suite) for suite in suites]

"""The race: against the search without it, the t test and Holm's procedure by hand, and planted columns."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.criteria import Bhattacharyya, CVScore, Mahalanobis
from fscore.criteria._folds import ERRORS
from fscore.search import SBS, SFFS, SFS, Hybrid, OrderVoting, Race
from fscore.search._race import compared_with_best
from fscore.search._subsamples import BlockScorer, order_of_drawing

TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
BAYES = GaussianNB()


def planted(n=4000):
    """Columns 1, 4 and 6 decide the class, each less than the one before."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 8))
    return X, (3 * X[:, 1] + 2 * X[:, 4] + 1.5 * X[:, 6] + 0.3 * rng.standard_normal(n) > 0).astype(int)


def race(model=BAYES, **parameters):
    return Race(model, **{"min_resources": 250, "random_state": 0, **parameters})


def same(a, b):
    for table in ("trace_", "path_", "best_per_size_"):
        pd.testing.assert_frame_equal(getattr(a, table), getattr(b, table))


@pytest.mark.parametrize(
    ("search", "model"),
    [(SFFS, TREE), (SBS, DecisionTreeRegressor(max_depth=3, random_state=0))],
    ids=["class", "number"],
)
def test_with_few_rows_it_is_the_search_without_a_race(search, model):
    X, y = planted(199)
    few = race(model, min_resources=100)
    same(search(few, 3, cv=3).fit(X[:, :6], y), search(model, 3, cv=3).fit(X[:, :6], y))


def test_planted_columns_are_found_and_the_trace_holds_scores_on_all_rows():
    X, y = planted()
    search = SFS(race(), 3, cv=3).fit(X, y)
    assert [set(f) for f in search.path_["features"]] == [{1}, {1, 4}, {1, 4, 6}]
    for features, value in zip(search.trace_["features"], search.trace_["value"], strict=True):
        assert value == pytest.approx(cross_val_score(BAYES, X[:, features], y, cv=3).mean(), rel=1e-14)
    (name, on_all), *samples = search.computed_
    assert (name, on_all) == ("CVAccuracy", search.n_evaluations_)
    assert on_all < 7, "most of the 21 candidates left before"
    assert [name for name, _ in samples] == [f"CVAccuracy on {n} rows" for n in (250, 500, 1000, 2000)]
    assert samples[0][1] == 8 + 7 + 6


def test_equal_columns_tie_on_all_rows_and_the_first_wins():
    X, y = planted(2000)
    X = X[:, [0, 1, 1]]
    search = SFS(race(), 1, cv=4).fit(X, y)
    assert search.get_support(indices=True).tolist() == [1]
    assert search.trace_["features"].tolist() == [(1,), (2,)]


def test_the_result_depends_on_the_seed_not_on_jobs_and_resumes(tmp_path):
    X, y = planted(1000)
    want = SFS(race(), 3, cv=3).fit(X, y)
    same(SFS(race(), 3, cv=3, n_jobs=2).fit(X, y), want)
    others = [SFS(race(random_state=seed), 3, cv=3).fit(X, y) for seed in (1, 2, 3)]
    assert any(other.computed_ != want.computed_ for other in others)  # in other samples others leave
    with pytest.warns(ConvergenceWarning, match=r"stopped \(evaluations\) before it reached 3 units"):
        stopped = SFS(race(), 3, cv=3, checkpoint=tmp_path / "scores", max_evaluations=1).fit(X, y)
    resumed = SFS(race(), 3, cv=3, checkpoint=tmp_path / "scores").fit(X, y)
    same(resumed, want)
    assert [n for _, n in resumed.computed_] == [
        n - m for (_, n), (_, m) in zip(want.computed_, stopped.computed_, strict=True)
    ]
    again = SFS(race(), 3, cv=3, checkpoint=tmp_path / "scores").fit(X, y)
    same(again, want)
    assert {n for _, n in again.computed_} == {0}


@pytest.mark.parametrize(
    ("criterion", "target"),
    [
        (CVScore(Ridge(), cv=KFold(4)), "number"),
        (CVScore(Ridge(), scoring="neg_median_absolute_error", cv=2), "number"),
        (CVScore(GaussianNB(), scoring="roc_auc", cv=2), "class"),
        (CVScore(GaussianNB(), scoring=["neg_log_loss", "accuracy"], cv=2), "class"),
    ],
    ids=["R2", "median", "AUC", "several"],
)
def test_any_score_with_fixed_excluded_and_groups_of_columns(criterion, target):
    X, y = planted(600)
    y = y if target == "class" else 3 * X[:, 1] + 2 * X[:, 4] + 1.5 * X[:, 6]
    options = {"fixed": [4], "excluded": [0], "column_groups": [[1, 2]]}
    want, found = (SFS(J, 3, **options).fit(X, y) for J in (criterion, race(criterion)))
    np.testing.assert_array_equal(found.support_, want.support_)
    assert found.score_ == want.score_
    assert list(found.trace_) == list(want.trace_)
    assert found.n_evaluations_ < want.n_evaluations_


def test_frames_with_text_and_a_filter_before():
    X, y = planted(1000)
    frame = pd.DataFrame(X).round().astype(str).add_prefix("x")
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    found = SFS(race(model), 2, cv=2).fit(frame[["x0", "x1", "x4", "x5"]], y)
    assert found.get_feature_names_out().tolist() == ["x1", "x4"]
    found = SFS(Hybrid(Bhattacharyya(), race(), 0.5), 2, cv=3).fit(X, y)
    assert found.get_support(indices=True).tolist() == [1, 4]
    assert found.computed_[2][0] == "CVAccuracy on 250 rows"
    assert found.computed_[2][1] == 4 + 4


def test_samples_draw_groups_whole_and_keep_the_folds():
    X, y = planted(3000)
    groups = np.random.default_rng(1).integers(0, 300, 3000)
    order, group = order_of_drawing(np.random.default_rng(0), 3000, y, groups)
    drawn = groups[order]
    assert np.count_nonzero(np.diff(drawn)) == len(np.unique(groups)) - 1
    assert len(np.unique(group)) == len(np.unique(groups)) == len(set(zip(group, groups, strict=True)))
    metadata = {"groups": groups, "sample_weight": np.where(X[:, 4] > 0, 1.0, 0.1)}
    want, found = (SFS(J, 2, cv=GroupKFold(3)).fit(X, y, **metadata) for J in (BAYES, race()))
    np.testing.assert_array_equal(found.support_, want.support_)
    assert found.score_ == want.score_


def test_an_error_on_a_sample_names_the_sample_and_the_remedy():
    X, y = planted(1000)
    with pytest.raises(ValueError, match=r"^on a sample of Race, of which \d+ rows .* = 250.*; give a larger min_r"):
        SFS(race(KNeighborsClassifier(250)), 2, cv=3).fit(X, y)
    assert SFS(race(KNeighborsClassifier(250), min_resources=500), 2, cv=3).fit(X, y).size_ == 2


def test_splits_of_a_generator_are_drawn_once():
    X, y = planted(1000)
    splits = list(KFold(3).split(X))
    one, other = (SFS(race(CVScore(BAYES, cv=cv)), 2).fit(X, y) for cv in (splits, iter(splits)))
    assert one.computed_ == other.computed_
    same(one, other)


def test_a_sample_is_not_a_fold_shuffled_by_the_same_seed():
    X, y = planted(1000)
    search = SFS(race(), 1, cv=KFold(2, shuffle=True, random_state=0)).fit(X, y)
    assert search.computed_[1] == ("CVAccuracy on 250 rows", 8)
    assert search.n_evaluations_ < 8


def test_samples_are_stratified_and_hold_rare_classes():
    y = np.repeat([0, 1, 2], [7000, 2900, 100])
    order, group = order_of_drawing(np.random.default_rng(0), 10_000, y, None)
    np.testing.assert_array_equal(order[group], np.arange(10_000))
    counts = np.bincount(y[order[:1000]])
    assert counts[2] >= 40
    assert counts[:2] / counts[:2].sum() == pytest.approx([7 / 9.9, 2.9 / 9.9], abs=0.02)


def test_folds_without_rows_in_a_sample_are_left_out():
    X, y = planted(1000)
    single = [(np.delete(np.arange(1000), i), [i]) for i in range(30)]  # in no sample, or in one
    J = CVScore(GaussianNB(), cv=single)
    want, found = (SFS(criterion, 1).fit(X, y) for criterion in (J, race(J)))
    np.testing.assert_array_equal(found.support_, want.support_)


# the comparison -----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_behind_is_a_paired_t_test_with_holms_correction(seed, n, scale):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((n, 40)) + scale * rng.random((n, 1))
    best = scores.mean(axis=1).argmax()
    others = [q for q in range(n) if q != best]
    p = {q: ttest_rel(scores[best], scores[q], alternative="greater").pvalue for q in others}
    want = set()
    for i, q in enumerate(sorted(others, key=p.get)):
        if p[q] > 0.05 / (len(others) - i):
            break
        want.add(q)
    behind, n_needed = compared_with_best(scores, 1000, 0.0, 0.05)
    assert set(np.flatnonzero(behind)) == want
    certain = {q for q in others if p[q] <= 0.05 / len(others)}
    assert set(np.flatnonzero(n_needed <= 1000)) == certain


def test_shared_training_samples_raise_the_variance():
    """Twice 1 / 40: as many rows more are needed."""
    scores = np.random.default_rng(0).standard_normal((3, 40)) + np.array([[0.0], [0.5], [1.0]])
    (_, apart), (_, shared) = (compared_with_best(scores, 1000, share, 0.05) for share in (0.0, 1 / 40))
    assert shared[:2] == pytest.approx(2 * apart[:2])


def test_equal_scores_and_candidates_that_cannot_be_scored():
    equal = np.tile(np.arange(40.0), (3, 1))
    behind, n_needed = compared_with_best(equal, 1000, 0.0, 0.05)
    assert not behind.any()
    assert np.isinf(n_needed).all()
    equal[1] = -np.inf
    assert compared_with_best(equal, 1000, 0.0, 0.05)[0].tolist() == [False, True, False]
    assert not compared_with_best(np.full((3, 40), -np.inf), 1000, 0.0, 0.05)[0].any()


@pytest.mark.parametrize("order", ["sorted", "random"])
def test_a_sample_is_scored_in_all_folds_if_they_differ_else_in_as_few_as_test_so_many_rows(order):
    fitted = []

    class Tree(DecisionTreeClassifier):
        def fit(self, X, y):
            fitted.append((len(X), X[:, 0].max()))
            return super().fit(X, y)

    X, y = planted(4000)
    X[:, 0] = np.arange(4000) if order == "sorted" else np.random.default_rng(0).permutation(4000)
    search = SFS(race(Tree(max_depth=3)), 2, cv=TimeSeriesSplit(7), fixed=[0]).fit(X, y)
    assert search.computed_[1] == ("CVAccuracy on 250 rows", 7)
    on_sample = [fit for fit in fitted if fit[0] < 250]
    if order == "random":
        assert len(on_sample) == 7, "one fit for each candidate, since a test part has 500 rows"
    else:
        trained_before = [latest < 500 * (7 - k % 7) for k, (_, latest) in enumerate(on_sample[:49])]
        assert trained_before == 49 * [True]


@pytest.mark.parametrize("seed", range(2))
def test_folds_of_a_sorted_file_differ_but_no_candidate_leaves_by_that(seed):
    X, y = make_classification(20_000, 9, n_informative=3, n_redundant=0, shuffle=False, random_state=0)
    tree = DecisionTreeClassifier(max_depth=5, random_state=0)
    search = SFS(Race(tree, min_resources=2000, random_state=seed), 3, cv=5).fit(X, y)
    assert search.get_support(indices=True).tolist() == [0, 1, 2]


def test_rows_of_a_series_are_counted_not_looked_up_by_their_labels():
    class Line(BaseEstimator):  # neither a classifier nor a regressor
        def fit(self, X, y):
            self.model_ = Ridge().fit(X, y)
            return self

        def predict(self, X):
            return self.model_.predict(X)

        def score(self, X, y):
            return self.model_.score(X, y)

    X, y = planted(2000)
    labeled = pd.Series(y, index=np.arange(10_000, 12_000)[::-1])
    found, want = (SFS(race(CVScore(Line(), cv=3)), 2).fit(X, target) for target in (labeled, y))
    np.testing.assert_array_equal(found.support_, want.support_)


def test_differences_by_rounding_are_none():
    scores = np.random.default_rng(0).uniform(0.5, 0.9, 40)
    twin = scores.copy()
    twin[::2] = np.nextafter(twin[::2], 0)
    behind, n_needed = compared_with_best(np.array([scores, twin]), 8000, 1 / 36, 0.05)
    assert not behind.any()
    assert np.isinf(n_needed).all()


def test_the_samples_that_follow_take_least_work():
    rule = Race(TREE)
    rule._samples = [SimpleNamespace(n_rows=n, cost=n / 10_000) for n in (100, 200, 400, 800)]
    first = rule._samples[0]

    def following(*n_needed):
        sample = rule._next_sample(first, np.array(n_needed, dtype=float))
        return sample and sample.n_rows

    assert following(150, 150, 150, np.inf) == 200, "all leave at once that leave at all"
    assert following(350, 350, 350, np.inf) == 400, "none would leave on 200 rows"
    assert following(3000, 5000, np.inf) is None, "all rows show it first"


@pytest.mark.parametrize("scoring", ["accuracy", *ERRORS])
def test_scores_without_a_block_are_those_of_the_scorer(scoring):
    X, y = planted(120)
    model = (TREE if scoring == "accuracy" else DecisionTreeRegressor(max_depth=3)).fit(X[:, :2], y)
    group = np.random.default_rng(0).permutation(120)
    slow, fast = (BlockScorer(get_scorer(scoring), 4, name) for name in ("other", scoring))
    want, found = (scorer(model, X[:, :2], y, group=group) for scorer in (slow, fast))
    assert list(found.values()) == pytest.approx(list(want.values()), rel=1e-12)
    constant = np.zeros(120)
    want, found = (scorer(model, X[:, :2], constant, group=group) for scorer in (slow, fast))
    assert list(found.values()) == pytest.approx(list(want.values()), rel=1e-12)


@pytest.mark.parametrize("scoring", ERRORS)
def test_errors_of_small_integers_do_not_overflow(scoring):
    X = planted(120)[0]
    small = np.arange(120, dtype=np.uint8)
    model = DummyRegressor(strategy="constant", constant=np.uint8(200)).fit(X, small)
    scorers = (BlockScorer(get_scorer(scoring), 4, name) for name in ("other", scoring))
    want, found = (list(scorer(model, X, small, group=small).values()) for scorer in scorers)
    assert found == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_mean_absolute_error"])
def test_pseudovalues_of_a_mean_are_the_scores_of_blocks(scoring):
    X, y = planted(120)
    model, scorer = TREE.fit(X[:, :2], y), get_scorer(scoring)
    group = np.random.default_rng(0).permutation(120)
    scores = BlockScorer(scorer, 4)(model, X[:, :2], y, group=group)
    want = [scorer(model, X[group % 4 == b, :2], y[group % 4 == b]) for b in range(4)]
    assert list(scores.values()) == pytest.approx(want)
    assert list(BlockScorer(scorer, 1)(model, X[:, :2], y, group=group).values()) == [scorer(model, X[:, :2], y)]


def test_a_model_predicts_the_test_samples_once():
    class Counting(GaussianNB):
        n_predictions = 0

        def predict(self, X):
            self.n_predictions += 1
            return super().predict(X)

    X, y = planted(120)
    model = Counting().fit(X, y)
    BlockScorer(get_scorer("accuracy"), 4)(model, X, y, group=np.arange(120))
    assert model.n_predictions == 1


@pytest.mark.parametrize("criterion", [Mahalanobis(), OrderVoting(), Race(TREE), "tree"], ids=repr)
def test_what_has_no_score_on_some_of_the_rows_is_refused(criterion):
    with pytest.raises(ValueError, match=r"^criterion=.* must be "):
        SFS(Race(criterion), 1).fit(*planted(50))


@pytest.mark.parametrize("parameter", [{"min_resources": 99}, {"factor": 1}, {"alpha": 1}, {"random_state": "a"}])
def test_parameters_are_checked(parameter):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameter))}' parameter of Race"):
        SFS(race(**parameter), 1).fit(*planted(50))

"""k-NN regression and sample weights in the score: against the obvious way on ties, against scikit-learn without."""

import joblib
import numpy as np
import pytest
import sklearn
from criteria_steps import add, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from fscore.criteria import CVScore
from fscore.criteria._cv import BoundCV
from fscore.criteria._knn import BoundKNN, Metric, bind_knn
from fscore.criteria._subsets import lexicographic
from fscore.search import SFFS, OrderVoting

X, Y = load_diabetes(return_X_y=True)
X = X + 1e-7 * np.random.default_rng(0).standard_normal(X.shape)  # without ties
SCORES = {
    None: r2_score,
    "r2": r2_score,
    "neg_mean_squared_error": lambda *a, **w: -mean_squared_error(*a, **w),
    "neg_root_mean_squared_error": lambda *a, **w: -np.sqrt(mean_squared_error(*a, **w)),
    "neg_mean_absolute_error": lambda *a, **w: -mean_absolute_error(*a, **w),
}


def plain_values(X, y, splits, ks, subset, metric, scoring, worth):
    """Sort all training samples by distance and index, average, and score each fold by scikit-learn."""
    values = np.zeros((len(ks), len(splits)))
    for s, (train, test) in enumerate(splits):
        train = np.sort(train)
        for m, k in enumerate(ks):
            predicted = []
            for i in test:
                terms = np.abs(X[train][:, subset] - X[i, subset])
                d = terms.max(axis=1) if metric.p == np.inf else (terms**metric.p).sum(axis=1) ** (1 / metric.p)
                near = np.argsort(d, kind="stable")[:k]
                weights = np.ones(k)
                if metric.weighted:
                    weights = (d[near] == 0).astype(float) if d[near[0]] == 0 else 1 / d[near]
                predicted.append(np.average(y[train[near]], weights=weights))
            values[m, s] = SCORES[scoring](y[test], predicted, sample_weight=None if worth is None else worth[test])
    return values.mean(axis=1)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 2.0, 3.0, np.inf]),
    st.booleans(),
    st.sampled_from([2, 4, 1000]),
    st.sets(st.integers(1, 6), min_size=1, max_size=3),
    st.sampled_from(list(SCORES)),
    st.booleans(),
)
def test_every_way_gives_the_plain_score(seed, p, weighted, levels, ks, scoring, by_worth):
    rng = np.random.default_rng(seed)
    n, D = int(rng.integers(30, 50)), int(rng.integers(3, 6))
    X = rng.integers(0, levels, (n, D)).astype(float)  # whole numbers: sums are exact, and ties common
    X[:, 0] = rng.choice([7.0, *X[:, 1]]) if rng.random() < 0.3 else X[:, 0]  # a constant column
    X[:, 2] = X[:, 1] if rng.random() < 0.3 else X[:, 2]  # a duplicate
    X[1:4] = X[0]  # samples at the query itself
    y = rng.standard_normal(n)
    worth = rng.integers(0, 3, n) + 0.5 if by_worth else None
    fold = rng.permutation(np.arange(n) % 3)
    splits = [(np.flatnonzero(fold != s), np.flatnonzero(fold == s)) for s in range(3)]
    if rng.random() < 0.5:  # splits that leave samples out
        splits = [(train[::2], test) for train, test in splits]
    ks, metric = rng.permutation(sorted(ks)).tolist(), Metric(p, weighted)
    J = CVScore(KNeighborsRegressor(1, p=p, weights="distance" if weighted else "uniform"), scoring=scoring, cv=splits)
    params = {"score": {"sample_weight": worth}}
    bound, threads = (bind_knn(J.refitted(X, y, n_jobs, params), ks) for n_jobs in (1, 2))
    assert type(bound) is BoundKNN

    def values(subsets):
        found = bound.score(subsets)
        np.testing.assert_array_equal(threads.score(subsets), found)
        return found

    tree = list(lexicographic(D))
    want = [plain_values(X, y, splits, ks, list(s), metric, scoring, worth) for s in tree]
    np.testing.assert_allclose(values(tree).reshape(len(tree), -1), want, rtol=1e-11, atol=1e-13)
    subset = tuple(sorted(rng.choice(D, D - 2, replace=False).tolist()))
    others = tuple(c for c in range(D) if c not in subset)
    tuples = [others[:1], others[1:], others]
    larger = [tuple(sorted((*subset, *t))) for t in tuples]
    np.testing.assert_array_equal(add(bound, subset, tuples), values(larger))
    np.testing.assert_array_equal(add(bound, (), tuples), values(tuples))
    everything = tuple(range(D))
    left = [tuple(c for c in everything if c not in t) for t in tuples]
    np.testing.assert_array_equal(remove(bound, everything, tuples), values(left))
    first = values([everything]).ravel()[int(np.argmin(ks))]
    np.testing.assert_allclose(bound.fold_scores(everything).mean(), first, rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}, {"p": 3}, {"weights": "distance"}], ids=str)
@pytest.mark.parametrize("scoring", list(SCORES)[1:])
def test_scores_are_those_of_scikit_learn_without_ties(options, scoring):
    A, b = (X[::2], Y[::2]) if "p" in options else (X, Y)  # powers take scikit-learn long
    for k in (1, 20):
        knn = KNeighborsRegressor(k, **options)
        for cv in (5, ShuffleSplit(3, train_size=0.5, random_state=1)):
            quick, slow = (CVScore(knn, scoring=scoring, cv=cv, compiled=c).bind(A, b) for c in (True, False))
            assert isinstance(quick, BoundKNN)
            subsets = [(2,), (0, 8), tuple(range(10))]
            np.testing.assert_allclose(quick.score(subsets), slow.score(subsets), rtol=1e-12)
            np.testing.assert_allclose(quick.fold_scores((0, 8)), slow.fold_scores((0, 8)), rtol=1e-12)


def weighted(name):
    return get_scorer(name).set_score_request(sample_weight=True)


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (KNeighborsClassifier(3), "accuracy"),
        (KNeighborsClassifier(4, weights="distance", p=1), "accuracy"),
        (KNeighborsRegressor(3), "r2"),
        (KNeighborsRegressor(3, weights="distance"), "neg_mean_absolute_error"),
    ],
    ids=str,
)
def test_sample_weights_in_the_score(estimator, scoring):
    A, b = load_wine(return_X_y=True)
    A = A + 1e-7 * A.std(axis=0) * np.random.default_rng(0).standard_normal(A.shape)
    worth, folds = np.random.default_rng(1).integers(0, 4, len(b)).astype(float), KFold(4, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        quick, slow = (
            SFFS(CVScore(estimator, scoring=weighted(scoring), cv=folds, compiled=c), 4).fit(A, b, sample_weight=worth)
            for c in (True, False)
        )
    assert quick.path_["features"].tolist() == slow.path_["features"].tolist()
    np.testing.assert_allclose(quick.trace_["value"], slow.trace_["value"], rtol=1e-12)
    plain = CVScore(estimator, scoring=scoring, cv=folds).bind(A, b)
    params = {"score": {"sample_weight": np.full(len(b), 2)}}
    even = CVScore(estimator, scoring=scoring, cv=folds).bind(A, b, params=params)
    assert isinstance(even, BoundKNN)
    np.testing.assert_allclose(even.score([(0, 6)]), plain.score([(0, 6)]), rtol=1e-12)
    assert joblib.hash(even.context) != joblib.hash(plain.context)  # a cache keeps them apart


def test_voting_regressors_share_a_pass():
    voters = [
        CVScore(KNeighborsRegressor(k), cv=4, scoring=s) for k in (3, 7) for s in ("r2", "neg_mean_squared_error")
    ]
    search = SFFS(OrderVoting(voters, main=voters[0]), 3).fit(X, Y)
    assert [name for name, _ in search.computed_] == ["CVScore"] * 4
    alone = [CVScore(v.estimator, cv=4, scoring=v.scoring, compiled=False) for v in voters]
    slow = SFFS(OrderVoting(alone, main=alone[0]), 3).fit(X, Y)
    assert search.path_["features"].tolist() == slow.path_["features"].tolist()


def test_what_the_loops_cannot_value_goes_to_scikit_learn():
    two = np.column_stack([Y, Y])
    for knn, scoring, target in (
        (KNeighborsRegressor(), "neg_median_absolute_error", Y),
        (KNeighborsRegressor(), make_scorer(r2_score, force_finite=False), Y),
        (KNeighborsRegressor(), None, Y.astype(np.float32)),
        (KNeighborsRegressor(), None, two),
        (KNeighborsRegressor(), "r2", np.ones(len(Y))),
        (KNeighborsRegressor(weights=lambda d: 1 / (1 + d)), "r2", Y),
        (KNeighborsRegressor(metric="cosine"), "r2", Y),
        (KNeighborsClassifier(), "f1", (Y > 140).astype(int)),
    ):
        assert type(CVScore(knn, scoring=scoring, cv=3).bind(X, target)) is BoundCV
    for params in ({"fit": {"a": 1}}, {"score": {"a": 1}}, {"score": {"sample_weight": np.zeros(len(Y))}}):
        assert type(CVScore(KNeighborsRegressor(), scoring="r2", cv=3).bind(X, Y, params=params)) is BoundCV
    assert isinstance(CVScore(KNeighborsRegressor(), scoring=make_scorer(r2_score), cv=3).bind(X, Y), BoundKNN)
    with pytest.raises(ValueError, match="n_neighbors=300 needs as many training samples, but split 0 trains on 221"):
        CVScore(KNeighborsRegressor(300), cv=2).bind(X, Y)

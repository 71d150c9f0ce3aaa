"""Several scorings: one is compared, the others are recorded, and all are those of scikit-learn."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import get_scorer, make_scorer, median_absolute_error
from sklearn.model_selection import cross_validate

from fscore.criteria import CVScore
from fscore.search import SFFS, SFS, OrderVoting, nested_score

X, Y = load_diabetes(return_X_y=True)
SCORES = ["r2", "neg_mean_absolute_error", "neg_max_error"]


@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge()], ids=str)
def test_the_trace_has_every_score(estimator):
    several = SFFS(CVScore(estimator, scoring=SCORES, cv=4), 3).fit(X, Y)
    alone = SFFS(CVScore(estimator, scoring="r2", cv=4), 3).fit(X, Y)
    assert several.path_["features"].tolist() == alone.path_["features"].tolist()
    assert list(several.trace_) == ["features", "size", "value", "step", *SCORES[1:]]
    for row in several.trace_.iloc[::7].itertuples():
        want = cross_validate(estimator, X[:, row.features], Y, scoring=SCORES, cv=4)
        got = [row.value, row.neg_mean_absolute_error, row.neg_max_error]
        np.testing.assert_allclose(got, [want[f"test_{name}"].mean() for name in SCORES], rtol=1e-12)


def test_further_scores_of_subsets_that_a_cache_already_knew():
    J = CVScore(LinearRegression(), scoring=SCORES, cv=4).bind(X, Y)
    subsets = [(2,), (0, 8), (1, 2, 3)]
    J.score(subsets[1:2])
    for asked in (subsets[:2], subsets, subsets[::-1]):
        found = J.extra_scores(asked)
        assert list(found) == SCORES[1:]
        for q, s in enumerate(asked):
            want = cross_validate(LinearRegression(), X[:, s], Y, scoring=SCORES, cv=4)
            for name in SCORES[1:]:
                np.testing.assert_allclose(found[name][q], want[f"test_{name}"].mean(), rtol=1e-12)
    alone = CVScore(LinearRegression(), scoring="neg_max_error", cv=4).bind(X, Y)
    assert alone.extra_scores(subsets) == {}


def test_scorers_by_name_jobs_checkpoint_and_voting(tmp_path):
    scoring = {"error": "neg_mean_absolute_error", "typical": make_scorer(median_absolute_error)}
    J = CVScore(LinearRegression(), scoring=scoring, cv=4)
    search = SFS(J, 2).fit(X, Y)
    assert search.score_ < 0  # the first is compared
    assert (search.trace_["typical"] > 0).all()
    for options in ({"n_jobs": 2}, {"checkpoint": tmp_path / "file"}, {"checkpoint": tmp_path / "file"}):
        again = SFS(J, 2, **options).fit(X, Y)
        assert again.trace_.equals(search.trace_)
    assert again.computed_ == [("CVScore", 0)]  # all values are remembered, the further scores computed again
    assert "typical" in SFS(OrderVoting([Ridge()], main=J), 1, cv=4).fit(X, Y).trace_
    assert nested_score(SFS(J, 1), X, Y, cv=3).score < 0


def test_sample_weights_reach_the_scorers_that_ask_for_them():
    worth = np.random.default_rng(0).random(len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {str(w): get_scorer("r2").set_score_request(sample_weight=w) for w in (False, True)}
        model = LinearRegression().set_fit_request(sample_weight=False)
        found = SFS(CVScore(model, scoring=scoring, cv=3), 1).fit(X, Y, sample_weight=worth).trace_
        want = cross_validate(model, X[:, [2]], Y, scoring=scoring, cv=3, params={"sample_weight": worth})
    np.testing.assert_allclose(found.loc[2, ["value", "True"]].tolist(), [want[f"test_{n}"].mean() for n in scoring])

"""Targets that only the estimator knows: several labels, survival times, none. scikit-learn's selector takes them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import t as student
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fscore.criteria import Bhattacharyya, CVScore
from fscore.criteria._cv import score_range
from fscore.filters import relieff, rrelieff
from fscore.search import SFS, Hybrid, OrderVoting, StabilitySelection, nested_score

rng = np.random.default_rng(0)
FOLDS = KFold(2)
X, LABELS = make_multilabel_classification(90, n_features=4, n_classes=3, random_state=0)
TIMES = np.array(
    [(event, time) for event, time in zip(rng.random(90) < 0.6, np.abs(X[:, 3] + rng.normal(size=90)), strict=True)],
    dtype=[("event", bool), ("time", float)],
)


class Survival(BaseEstimator):
    """Neither a classifier nor a regressor, like those of scikit-survival."""

    def fit(self, X, y):
        self.coef_ = np.linalg.lstsq(X, y["time"] * (1 + y["event"]), rcond=None)[0]
        return self

    def predict(self, X):
        return X @ self.coef_

    def score(self, X, y):
        """Concordance of all pairs in which the earlier time is an event."""
        risk, event, time = self.predict(X), np.asarray(y["event"]), np.asarray(y["time"])
        earlier = event[:, None] & (time[:, None] < time)
        return float(((risk[:, None] < risk) & earlier).sum() / earlier.sum())


class SurvivalRegressor(RegressorMixin, Survival):
    score = Survival.score


KNN, MIXTURE = KNeighborsClassifier(3), GaussianMixture(2, random_state=0)
CASES = {
    "several labels": (KNN, LABELS),
    "several labels, scaled": (make_pipeline(StandardScaler(), KNN), LABELS),
    "several labels, trees": (RandomForestClassifier(2, random_state=0), LABELS),
    "several labels, each by itself": (MultiOutputClassifier(GaussianNB()), LABELS),
    "survival": (Survival(), TIMES),
    "survival, as a regressor": (SurvivalRegressor(), TIMES),
    "survival, as a frame": (Survival(), pd.DataFrame({name: TIMES[name] for name in TIMES.dtype.names})),
    "no target": (MIXTURE, None),
    "no target, scaled": (make_pipeline(StandardScaler(), MIXTURE), None),
    "clusters": (KMeans(2, n_init=1, random_state=0), None),
    "density": (KernelDensity(), None),
    "a target that is not used": (MIXTURE, np.array(["a", "b", "c"])[LABELS.sum(axis=1) % 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_subsets_are_scored_and_chosen_as_by_scikit_learn(case):
    model, y = CASES[case]
    J = CVScore(model, cv=FOLDS).bind(X, y)
    for subset in ((1,), (0, 2, 3)):
        want = cross_val_score(model, X[:, subset], y, cv=FOLDS)
        assert_allclose(J.score([subset])[0], want.mean(), rtol=1e-12)
        assert_allclose(J.fold_scores(subset), want, rtol=1e-12)
    theirs = SequentialFeatureSelector(model, n_features_to_select=2, cv=FOLDS).fit(X, y)
    assert_array_equal(SFS(model, 2, cv=FOLDS).fit(X, y).support_, theirs.get_support())


@pytest.mark.parametrize("case", ["several labels", "survival", "no target"])
def test_nested_scores_halves_and_checkpoints_take_them(case, tmp_path):
    model, y = CASES[case]
    search = SFS(model, 2, cv=FOLDS, checkpoint=tmp_path / "scores.db").fit(X, y)
    assert sum(n for _, n in search.fit(X, y).computed_) == 0
    search.set_params(checkpoint=None)
    assert np.isfinite(nested_score(search, X, y, cv=FOLDS).score)
    assert StabilitySelection(search, n_resamples=2, random_state=0).fit(X, y).supports_.sum() == 4


@pytest.mark.parametrize(
    ("fit", "y", "message"),
    [
        (
            SFS(KNN, 2).fit,
            TIMES,
            "y has the fields event, time, but one value for each sample is needed",
        ),
        (SFS(Bhattacharyya(), 2).fit, TIMES, "y has the fields event, time"),
        (relieff, TIMES, "y has the fields event, time"),
        (rrelieff, TIMES, "y has the fields event, time"),
        (SFS(Survival(), 2).fit, TIMES[:10], "inconsistent numbers of samples"),
        (SFS(LogisticRegression(), 2).fit, LABELS, "1d array"),
        (SFS(Bhattacharyya(), 2).fit, LABELS, "1d array"),
        (SFS(Hybrid(Bhattacharyya(), KNN), 2).fit, LABELS, "1d array"),
        (SFS(KNN, 2).fit, LABELS + 0.5, "Unknown label type: continuous-multioutput"),
        (SFS(KNN, 2).fit, np.where(LABELS == 1, np.nan, 0), "y contains NaN"),
        (SFS(KNN, 2).fit, pd.DataFrame(LABELS).astype("Float64").mask(LABELS == 1), "y has missing values"),
        *((SFS(model, 2).fit, csr_array(LABELS), r"^y is sparse, .*; pass y") for model in (KNN, LinearRegression())),
        (SFS(KNN, 2).fit, None, "requires y to be passed, but the target y is None"),
        (SFS(Hybrid(Bhattacharyya(), MIXTURE), 2).fit, None, "requires y to be passed"),
    ],
    ids=range(15),
)
def test_targets_that_cannot_be_used_are_refused(fit, y, message):
    with pytest.raises(ValueError, match=message):
        fit(X, y)


def test_voters_take_several_labels_one_by_one():
    voters = [KNeighborsClassifier(k) for k in (1, 3)]
    assert SFS(OrderVoting(voters), 2, cv=FOLDS).fit(X, LABELS).n_features_to_select_ == 2


@pytest.mark.parametrize(
    ("scoring", "lowest", "highest"),
    [(None, 0, 1), ("roc_auc_ovr", 0, 1), ("matthews_corrcoef", -1, 1), ("neg_log_loss", -np.inf, 0)],
)
def test_intervals_of_nested_scores_stay_within_the_possible_scores(scoring, lowest, highest):
    """Few samples, of which most are classified rightly: Student's interval would exceed an accuracy of 1."""
    y = np.arange(30) % 2
    Z = rng.normal(size=(30, 3)) + 2.5 * y[:, None]
    result = nested_score(SFS(KNN, 1, cv=3), Z, y, cv=6, scoring=scoring, confidence=0.999)
    half = student.ppf(0.9995, 5) * np.sqrt((1 / 6 + 5 / 25) * result.scores.var(ddof=1))
    assert result.score + half > highest
    assert result.upper == highest
    assert result.lower == pytest.approx(max(result.score - half, lowest))


def test_the_range_of_an_unknown_score_is_not_known():
    assert score_range(lambda model, X, y: 2.0, KNN) == (-np.inf, np.inf)
    assert score_range(None, SurvivalRegressor()) == (-np.inf, np.inf)
    assert score_range(make_scorer(accuracy_score), KNN) == (0, 1)
    assert score_range(None, make_pipeline(StandardScaler(), LinearRegression())) == (-np.inf, 1)

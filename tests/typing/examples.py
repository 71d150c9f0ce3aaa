"""Uses of the public API that mypy must accept, and wrong ones that it must refuse.

mypy reports an ignored error that does not occur, so each wrong use fails here as soon as it is accepted.
"""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from fscore.criteria import (
    Bhattacharyya,
    BlockFolds,
    CVAccuracy,
    CVScore,
    GammaTestResult,
    RANNAccuracy,
    gamma_all_subsets,
    gamma_test,
)
from fscore.datasets import fingerprint, load, status
from fscore.filters import MIFS, MRMR, fisher_score, information_gain, mutual_information, relief, relieff
from fscore.lvq import ERLVQ, GLVQ, GMLVQ, LBFGS
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier, RANNClassifierCV
from fscore.report import report
from fscore.search import (
    SFFS,
    SFS,
    BranchAndBound,
    GeneticSearch,
    Hybrid,
    NestedScore,
    OrderVoting,
    OscillatingSearch,
    Race,
    StabilitySelection,
    nested_score,
    redundancy_groups,
    regularize,
)
from fscore.stability import Stability, average_tanimoto_index, nogueira_stability
from fscore.weighting import LMNN, MDM, IRelief, Relief, ReliefF, Simba, mdm_path

Floats = NDArray[np.float64]

X = np.zeros((20, 3))
y = np.zeros(20, dtype=np.int64)
rows = [[0.0, 1.0], [1.0, 0.0]]
labels = ["yes", "no"]


def filters() -> None:
    """Score functions."""
    assert_type(fisher_score(X, y), Floats)
    assert_type(relieff(rows, labels, n_neighbors=3, random_state=np.random.RandomState(0)), Floats)
    assert_type(relieff(X, y, n_iterations=9, return_errors=True), tuple[Floats, Floats])
    assert_type(information_gain(X, y, discretizer="width"), Floats)
    assert_type(MIFS(2, mode="joint2d").fit(X, y), MIFS)
    relief(X, y, difference="cubic")  # type: ignore[arg-type]
    relieff(X, y, 5)  # type: ignore[call-overload]
    fisher_score(X, None)  # type: ignore[arg-type]
    fisher_score(X)  # type: ignore[call-arg]
    mutual_information(X, y, n_grid=10.5)  # type: ignore[arg-type]
    MRMR(form="product")  # type: ignore[arg-type]
    MIFS(n_features_to_select="all")  # type: ignore[arg-type]


def criteria() -> None:
    """Criteria and what they value."""
    bound = CVAccuracy(GaussianNB(), cv=StratifiedKFold(5)).bind(X, y)
    assert_type(bound.score([(0,), (0, 2)]), Floats)
    CVScore(GaussianNB(), scoring=["accuracy", "roc_auc"], cv=BlockFolds(5))
    CVScore(GaussianNB(), cv=[(np.arange(10), np.arange(10, 20))])
    assert_type(gamma_test(X, y), GammaTestResult)
    assert_type(gamma_test(X, y).gamma, float)
    gamma_all_subsets(X, y, [10, 20])
    CVScore(GaussianNB(), cv="ten")  # type: ignore[arg-type]
    # Only arguments by name: mypy lets a dataclass with an untyped base, here scikit-learn's, take any others.
    CVScore(estimator="k-NN")  # type: ignore[arg-type]
    Bhattacharyya(ddof=2)  # type: ignore[arg-type]
    RANNAccuracy(weights="normal")  # type: ignore[arg-type]
    bound.score([0, 2])  # type: ignore[list-item]


def searches() -> None:
    """Searches as estimators and as functions."""
    search = SFFS(GaussianNB(), 2, fixed=[0], tau="1se", cv=3, checkpoint="scores.sqlite")
    assert_type(search.fit(X, y), SFFS)
    SFS(Hybrid(Bhattacharyya(), OrderVoting([CVAccuracy()])), 0.5, excluded=["age"])
    SFS(Race(GaussianNB(), min_resources=1000, random_state=0), 3)
    StabilitySelection(search, n_resamples=50).fit(X, y)
    assert_type(nested_score(search, X, y), NestedScore)
    assert_type(nested_score(search, X, y).supports, NDArray[np.bool_])
    assert_type(regularize([0.9, 0.8], 0.01), int)
    redundancy_groups(X, ["age"], threshold=0.8)
    SFFS(GaussianNB(), n_features_to_select="two")  # type: ignore[arg-type]
    SFFS(GaussianNB(), max_seconds="1 h")  # type: ignore[arg-type]
    SFFS(GaussianNB(), cv="ten")  # type: ignore[arg-type]
    SFFS(GaussianNB(), tau="2se")  # type: ignore[arg-type]
    BranchAndBound(Bhattacharyya(), 2, variant="slow")  # type: ignore[arg-type]
    GeneticSearch(Bhattacharyya(), crossover="double")  # type: ignore[arg-type]
    OscillatingSearch(Bhattacharyya(), initial=3)  # type: ignore[arg-type]
    SFFS(criterion="k-NN")  # type: ignore[arg-type]
    StabilitySelection(selector="SFS")  # type: ignore[arg-type]
    nested_score("SFS", X, y)  # type: ignore[arg-type]
    regularize([0.9, 0.8], 0.01, rule="online")  # type: ignore[arg-type]


def models() -> None:
    """Estimators that weight features or classify."""
    assert_type(MDM(nu=0.5).fit(X, y), MDM)
    assert_type(MDM().transform(X), Floats)
    assert_type(mdm_path(X, y, [0.1, 0.5]), Floats)
    assert_type(GMLVQ(solver=LBFGS(), n_prototypes=[1, 2]).fit(X, y).restrict([0, 1]), GMLVQ)
    assert_type(ERLVQ().partial_fit(X, y, classes=[0, 1]), ERLVQ)
    assert_type(RANNClassifierCV(cv=5).fit(X, y).decision_function(X), Floats)
    assert_type(KNeighborsClassifierCV([1, 3]).fit(X, y).predict(X), NDArray[Any])
    IRelief("cv", sigmas=[0.5, 1.0])
    MDM(solver="simplex")  # type: ignore[arg-type]
    GLVQ(solver="adam")  # type: ignore[arg-type]
    LMNN(max_iter="many")  # type: ignore[arg-type]
    Relief(units="metres")  # type: ignore[arg-type]
    ReliefF(difference="cubed")  # type: ignore[arg-type]
    Simba(utility="cubic")  # type: ignore[arg-type]
    RANNClassifier(n_hidden=2.5)  # type: ignore[arg-type]
    KNeighborsClassifierCV(n_neighbors=3)  # type: ignore[arg-type]
    KNeighborsClassifierCV().fit(X)  # type: ignore[call-arg]


def data_and_results() -> None:
    """Data sets, stability and the report."""
    load("wine", return_X_y=True, random_state=None)
    assert_type(status("wine"), str)
    assert_type(fingerprint("wine"), str)
    assert_type(average_tanimoto_index([[1, 0], [1, 1]]), float)
    assert_type(nogueira_stability([[1, 0], [1, 1]]), Stability)
    assert_type(str(report("my.csv", "diagnosis", drop=["id"]).folder), str)
    load(3)  # type: ignore[arg-type]
    load("wine", subset="validation")  # type: ignore[arg-type]
    report("my.csv")  # type: ignore[call-arg]
    report("my.csv", "diagnosis", task="ranking")  # type: ignore[arg-type]

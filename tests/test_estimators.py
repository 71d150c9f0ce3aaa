"""All estimators of the library: scikit-learn's checks, and the parameters that weightings, LVQ and networks refuse."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, LinearFit, Mahalanobis
from fscore.filters import MIFS, MRMR
from fscore.lvq import ERLVQ, GLVQ, GMLVQ, GRLVQ, LVQ1, OWARLVQ, RLVQ, NormalizedGradient, WaypointAveraging
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier, RANNClassifierCV
from fscore.report.products import Products
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
    OscillatingSearch,
    PlusLMinusR,
    Race,
    RandomSearch,
    StabilitySelection,
)
from fscore.weighting import LMBA, LMNN, MDM, DiagonalLMNN, IRelief, Relief, ReliefF, Simba, mdm_path

KNN = KNeighborsClassifier(1)


@parametrize_with_checks(
    [
        BestIndividual(KNN, cv=2),
        SFS(KNN, cv=2),
        SBS(GaussianNB(), cv=2),
        SFFS(KNN, 1, cv=2),
        SBFS(KNN, 1, cv=2),
        PlusLMinusR(KNN, 1, cv=2),
        OscillatingSearch(KNN, cv=2, depth=2),
        DynamicOscillatingSearch(KNN, cv=2, depth=2),
        ExhaustiveSearch(KNN, 1, cv=2),
        PBIL(KNN, cv=2, population=3, max_generations=2, random_state=0),
        GeneticSearch(KNN, cv=2, population=3, generations=1, random_state=0),
        RandomSearch(KNN, cv=2, n_iter=5, random_state=0),
        BranchAndBound(Mahalanobis(), 1),
        BranchAndBound(LinearFit(), 1),
        SFS(Bhattacharyya()),
        SFS(DecisionTreeClassifier(random_state=0), 1, cv=2),
        SFS(LinearRegression(), 1, cv=3),
        SFS(Race(DecisionTreeClassifier(random_state=0), random_state=0), 1, cv=2),
        StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, random_state=0),
        MIFS(),
        MIFS(mode="regression"),
        MRMR(),
        # few neighbors, because the samples of the checks are small
        Relief(),
        ReliefF(n_neighbors=1),
        Simba(),
        IRelief(),
        IRelief("cv", sigmas=[0.5, 2.0], cv=2),
        IRelief(online=True),
        LMBA(),
        LMNN(),
        DiagonalLMNN(),
        MDM(),
        MDM(nu=0.3),
        GLVQ(max_iter=30),
        GRLVQ(max_iter=30),
        GMLVQ(max_iter=30),
        GMLVQ(solver="lbfgs", early_stopping=True),
        LVQ1(random_state=0),
        RLVQ(random_state=0),
        OWARLVQ(random_state=0),
        ERLVQ(random_state=0),
        RANNClassifier(random_state=0),
        RANNClassifierCV(2, 12, cv=3, random_state=0),
        KNeighborsClassifierCV(n_neighbors=(1, 3)),
        Products(),
        Products("regression"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


X, Y = load_iris(return_X_y=True)
ARRAY, COUNT = "must be an array of finite numbers", "must be one positive integer, or one for each of the 3 classes"
WIDTHS, NUS = "^sigmas must be a sequence of positive numbers", r"^nus must be a sequence of numbers in \(0, 1\]"
SIGMA = r"'sigma' parameter of ERLVQ must be .* in the range \[1e-100, 1e\+100\]"
BEYOND, LARGE = r"^Column 0 of {} contains 1e\+200", "requires absolute values up to 1e.290"
START = np.full((3, 4), 1e200)
VALIDATION = {"X_val": np.zeros((5, 4)), "y_val": np.zeros(5, dtype=int)}
CROSS_VALIDATED = [IRelief("cv"), RANNClassifierCV(2, 5)]
ROW, OBJECT = [(range(40), [199])], [(range(40), range(40, 57)), ([[1], [2, 3]], [1])]
FEW = np.array(["a"] * 75 + ["b"] * 74 + ["c"])
MIXED = np.array([1, "a"] * 75, dtype=object)
MASKED = np.ma.masked_array(Y, mask=np.arange(150) % 50 == 3)


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        # prototypes and matrices to start with
        *((GMLVQ(omega_init=W).fit, f"^omega_init {ARRAY}") for W in (np.eye(3), np.full((4, 4), np.nan))),
        *((GMLVQ(omega_init=np.full((4, 4), entry)).fit, "diverged") for entry in (1e200, 1e-200)),
        *(
            (model(prototypes_init=W).fit, f"^prototypes_init {ARRAY}")
            for model, W in ((GMLVQ, np.full((3, 4), np.inf)), (LVQ1, np.full((3, 4), np.nan)), (GLVQ, [["a"] * 4] * 3))
        ),
        (GLVQ(2, prototypes_init=np.zeros((3, 4))).fit, rf"^prototypes_init {ARRAY} of shape \(6, 4\)"),
        *((model(prototypes_init=START).fit, BEYOND.format("prototypes_init")) for model in (GLVQ, LVQ1)),
        (GLVQ(51, prototypes_init="sample").fit, "has 50 samples, too few for prototypes_init='sample'"),
        (GLVQ([1, 2]).fit, rf"^n_prototypes=\[1, 2\] {COUNT}"),
        *((GLVQ(counts).fit, COUNT) for counts in ([1.5, 2, 1], ["a", "b", "c"], [[1, 1, 1]], [[1], [1, 2], [1]])),
        # validation samples, and samples that come later
        (partial(GLVQ().fit, X_val=VALIDATION["X_val"]), "must be given together"),
        (partial(GLVQ().fit, **VALIDATION | {"y_val": np.full(5, 7)}), "class 7, which is not in y"),
        (partial(GLVQ().fit, X_val=START, y_val=[0, 1, 2]), BEYOND.format("X_val")),
        (partial(GLVQ().fit, X_val=X, y_val=MIXED), r"^y_val has labels of different types \(int, str\)"),
        (
            partial(GMLVQ(early_stopping=True, validation_loss="auc").fit, **VALIDATION),
            "y_val contains class 0 only, and an AUC needs two",
        ),
        (GLVQ(early_stopping=True, validation_fraction=0.999).fit, "train_size"),
        (
            lambda X, y: GMLVQ(early_stopping=True).fit(X, FEW),
            r"early_stopping: .*too few members are: \['c'\]\. Pass X_val",
        ),
        (lambda X, y: RANNClassifierCV(2, 5).fit(X, FEW), r"too few members are: \['c'\]"),
        (partial(GMLVQ().fit, X_val=X, y_val=MASKED), "^y_val has masked values, which would be used as if"),
        (lambda X, y: LVQ1().partial_fit(X, MASKED, classes=[0, 1, 2]), "^y has masked values, which would be used as"),
        (lambda X, y: LVQ1().partial_fit(1e-170 * X, y), "^Column 2 of X has the range .* requires at least 1e-145"),
        (lambda X, y: LVQ1().partial_fit(X, y).partial_fit(X, MIXED), "y has labels of different types"),
        # steps and other parameters of LVQ
        (GMLVQ(n_components=9).fit, "n_components=9 exceeds the number of features, 4"),
        (GLVQ(solver=WaypointAveraging(step_prototypes=0)).fit, "'step_prototypes' parameter of WaypointAveraging"),
        *((ERLVQ(sigma=sigma).fit, SIGMA) for sigma in (1e-300, 1e-160, 1e300)),
        (LVQ1(learning_rate=50.0, n_epochs=50).fit, "diverged.*Use smaller steps"),
        (GMLVQ(solver=NormalizedGradient(1e200, 1e200)).fit, "diverged.*Use smaller steps"),
        # weightings
        *((IRelief("cv", sigmas=s).fit, WIDTHS) for s in ([], [0.0, 1.0], [[1.0, 2.0]], ["a"])),
        (IRelief("cv", n_neighbors=146).fit, "Expected n_neighbors <= n_samples_fit"),
        (LMBA(c=1e308).fit, "LMBA computed the weight nan.*check the param"),
        (MDM(C=1, nu=0.5).fit, "C=1 and nu=0.5 are both given"),
        *((partial(mdm_path, nus=nus), NUS) for nus in ([0.5, 0], ["a"], [[0.5], [0.1, 0.2]])),
        (partial(mdm_path, nus=[0.5], tol=-1), "'tol' parameter of mdm_path"),
        # networks, neighbors and folds
        (RANNClassifierCV(9, 3).fit, "min_hidden=9 exceeds max_hidden=3"),
        (lambda X, y: RANNClassifierCV().fit(X, FEW), "only 1 member"),
        *(
            (lambda X, y, model=model: model.fit(1e295 * X, y), LARGE)
            for model in (RANNClassifier(scale=1e10), RANNClassifierCV(2, 5, scale=1e10))
        ),
        (
            lambda X, y: KNeighborsClassifierCV().fit(X[45:56], y[45:56]),
            "n_neighbors=11 must be less than n_samples=11, because one sample is left out",
        ),
        *(
            (KNeighborsClassifierCV(wrong).fit, "n_neighbors must be a list of positive integers")
            for wrong in ([], [0, 1], [1.5], [[1], [3]], [[1], [1, 2]])
        ),
        *(
            (clone(model).set_params(cv=ROW).fit, "split 0 of cv has test samples that are neither")
            for model in CROSS_VALIDATED
        ),
        *(
            (clone(model).set_params(cv=OBJECT).fit, "split 1 of cv has training samples that are")
            for model in CROSS_VALIDATED
        ),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_parameters_and_starts_are_refused_in_words(fit, message):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        fit(X, Y)

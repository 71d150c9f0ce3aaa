"""What searches, nested scores and stability selection refuse: argument, value and remedy are named."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from search_tables import Table, flat, run
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedGroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVR, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import Bhattacharyya, Criterion, CVScore
from fscore.search import (
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    BranchAndBound,
    ExhaustiveSearch,
    GeneticSearch,
    Hybrid,
    OrderVoting,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
    StabilitySelection,
    WeightedVoting,
    columns_of,
    nested_score,
    redundancy_groups,
    regularize,
)
from fscore.search._rules import Candidates

X, Y = load_wine(return_X_y=True)
FRAME = load_wine(as_frame=True).data
KNN, OLS = KNeighborsClassifier(3), LinearRegression()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
DISTANCE, J = Bhattacharyya(), Table(np.mean)
PARTIAL = Table(lambda s: np.nan if 3 in s else 1.0)
HIGH, LOW = Table(lambda s: np.inf), Table(lambda s: -np.inf)
SUMS = FunctionTransformer(np.cumsum)
TRACE = pd.DataFrame({"features": [(0,), (0, 4)], "size": [1, 2], "value": [0.5, 0.75]})
ONE_FOLD = [np.array_split(np.arange(178), 2)]
TWICE = np.array([0, 0, 0, 1], dtype=np.uint8)
WORDS = np.char.add(Y.astype(str), "x")
NUMBERS = X[:, 12].astype(int)
MASKED = np.ma.masked_array(Y, mask=np.arange(178) % 50 == 3)
NOISE = np.random.default_rng(0).standard_normal((178, 40))


class Unbound(Criterion):
    """Must not be bound."""

    def _bind(self, X, y, n_jobs, params):
        pytest.fail("the search began")


def scored(score):
    return CVScore(GaussianNB(), scoring=lambda estimator, X, y: score, cv=3)


def refused(call, sentence):
    with pytest.raises((ValueError, TypeError, IndexError), match=f"^{re.escape(sentence)}"):
        call()


SIZE = "is not possible with"
NO_VOTER = "ranks candidates by other criteria and has no score of its own, so it cannot vote or filter"
NO_LIST = "must be numbers or names of columns of X, or a mask: "
TWO_FOLDS = 'tau="1se" needs the scores of two folds or more of one cross-validated criterion'
NOT_A_COLUMN = (
    "(Some column names are not columns|A given column is not a column) of the data"  # scikit-learn 1.9 and 1.8
)
FOR_HALVES = "class 278 has one sample, but each half needs one of each class; leave the class out, merge it with an"


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")
@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        # searches and their parameters
        (BranchAndBound(J, 2), "Table is not monotone, so its bounds are invalid"),
        (BranchAndBound(DISTANCE), "BranchAndBound needs n_features_to_select"),
        (PlusLMinusR(J, l=2, r=2), "l=2 and r=2 are equal, so the size never changes"),
        (GeneticSearch(J, population=2, elite=3), "elite=3 exceeds population=2; keep fewer."),
        (SFS(J, checkpoint=5), "The 'checkpoint' parameter of SFS must be"),
        (SFS(J, checkpoint=""), "checkpoint='' names no file; give the path of one, or None"),
        (SFS(PARTIAL, error_score="raise"), "Table is NaN for the columns (3,)"),
        # sizes
        (SFS(J, 14), f"n_features_to_select=14 {SIZE} 13 columns; give a number from 1 to 13"),
        *(
            (SFS(J, r), f"n_features_to_select={r!r} {SIZE} 13 columns")
            for r in ((6, 3), (2, 3, 4), (2, 14), (1.5, 3.7), (True, 3), ("1", "3"), (1, None))
        ),
        (SFS(J, 13, fixed=[0], excluded=[1]), f"n_features_to_select=13 {SIZE} 12 columns, 1 of them fixed; give"),
        (SFS(J, 2, fixed=[1, 2, 3]), f"n_features_to_select=2 {SIZE} 13 columns, 3 of them fixed"),
        (
            SFS(J, 0.1, fixed=[1, 2]),
            f"n_features_to_select=0.1 {SIZE} 13 columns, 2 of them fixed; give a number from 2",
        ),
        (SFS(J, 13, column_groups=[[0, 1]]), f"n_features_to_select=13 {SIZE} 12 units (columns and column_groups);"),
        (SFS(J, 3, group_size=2), "group_size=2: steps from 0 units do not reach n_features_to_select=3"),
        (SFS(J, (5, 5), group_size=2), "group_size=2: steps from 0 units do not reach n_features_to_select=(5, 5)"),
        (SFS(J, group_size=14), "group_size=14 exceeds the number of units to choose from, 13;"),
        (OscillatingSearch(J, (2, 3)), "OscillatingSearch takes one size, not the range"),
        (SFS(J, 2, tol=0.1), "tol=0.1 decides the size, and so does n_features_to_select=2; leave"),
        # starts
        (OscillatingSearch(J, 4, warm_start_from=[0, 1, 2]), "warm_start_from has 3 units to"),
        (SFS(J, 3, warm_start_from=[0, 1, 2, 3]), "warm_start_from has 4 units, but SFS only adds"),
        (SFS(J, warm_start_from=[0, 1], excluded=[1]), "warm_start_from contains column 1"),
        (SFS(J, warm_start_from=[0, 1], column_groups=[[1, 2]]), "warm_start_from contains column 1"),
        *(
            (search(J, 2, warm_start_from=[0]), f"{search.__name__} has no starting subset")
            for search in (BestIndividual, ExhaustiveSearch, BranchAndBound, RandomSearch)
        ),
        # columns
        (SFS(J, fixed=["ash"]), f"fixed=['ash'] {NO_LIST}Specifying the columns using strings"),
        (SFS(J, excluded=[13]), f"excluded=[13] {NO_LIST}all features must be in [0, 12]"),
        (SFS(J, fixed=[2.7]), f"fixed=[2.7] {NO_LIST}"),
        *(
            (
                SFS(J, column_groups=[first]),
                f"column_groups must be a list of lists of columns; its element 0 is {first!r}.",
            )
            for first in (1, "ash", None)
        ),
        *(
            (
                SFS(J, column_groups=[[0, 1], empty]),
                f"column_groups[1]={empty!r} is empty; give columns, or leave it out",
            )
            for empty in ([], (), [False] * 13)
        ),
        *(
            (
                SFS(J, **{name: mask}),
                f"{name} is a mask of {len(mask)} entries, but X has 13 columns; give one for each.",
            )
            for name in ("fixed", "excluded", "warm_start_from")
            for mask in ([True, False], np.ones(14, dtype=bool))
        ),
        (SFS(J, column_groups=[[True, False]]), "column_groups[0] is a mask of 2 entries, but X has 13 columns"),
        # what is scored, and what counts for a failure
        *((SFS(J), f"criterion={J!r} must be a classifier, a regr") for J in ("knn", None, PCA(), OneClassSVM())),
        (SFS(KNN, error_score=np.inf), "The 'error_score' parameter of SFS"),
        (SFS(J, fixed=[3, np.True_]), f"fixed=[3, np.True_] {NO_LIST}"),
        (SFS(J, fixed=[0, 0, 0, 1]), "fixed=[0, 0, 0, 1] has a column twice; give each once, or booleans for a mask"),
        (SFS(J, fixed=TWICE), f"fixed={TWICE!r} has a column twice"),
        (SFS(J, column_groups=[[1, 2], [2, 3]]), "column_groups=[[1, 2], [2, 3]] have a column in common"),
        (SFS(J, fixed=[3, 0], excluded=[3, 1]), "the unit of the columns [3] is both fixed and excluded"),
        (SFS(J, column_groups=[[2, 1]], fixed=[1], excluded=[2]), "the unit of the columns [1, 2] is both fixed"),
        (SFS(J, excluded=range(13)), "all columns are excluded; leave at least one."),
        # costs and margins
        *(
            (SFS(Unbound(), secondary=costs), f"secondary={costs!r} must be 'size' or 13 finite numbers.")
            for costs in ([1, 2], ["a", "b", "c"], [1, np.inf])
        ),
        (SFS(DISTANCE, tau="1se"), TWO_FOLDS),
        (SFS(OrderVoting([TREE, KNN]), tau="1se"), TWO_FOLDS),
        (SFS(KNN, tau="1se", cv=ShuffleSplit(1, random_state=0)), TWO_FOLDS),
        (SFS(KNN, tau="2se"), "The 'tau' parameter of SFS"),
        # selection rules, which cannot vote or filter
        (SFS(OrderVoting([])), "criteria=[] must be a list of at least one criterion."),
        (SFS(OrderVoting(DISTANCE)), "criteria=Bhattacharyya() must be a list"),
        (SFS(OrderVoting([HIGH, LOW])), "the mean of the voters is undefined"),
        (SFS(Hybrid(J, lam=1.5)), "The 'lam' parameter of Hybrid must be a float in"),
        (SFS(Hybrid(J, rounding="down")), "The 'rounding' parameter of Hybrid must be a str among"),
        *(
            (SFS(rule, 2, cv=3), f"{within} {NO_VOTER}")
            for rule, within in (
                (OrderVoting([Hybrid(DISTANCE, KNN), KNN]), "Hybrid"),
                (WeightedVoting([OrderVoting(), KNN]), "OrderVoting"),
                (OrderVoting(main=WeightedVoting()), "WeightedVoting"),
                (Hybrid(OrderVoting(), KNN), "OrderVoting"),
            )
        ),
        # stability selection
        (StabilitySelection(SFS(KNN), threshold=0), "The 'threshold' parameter of StabilitySelection"),
        (StabilitySelection(SFS(KNN), n_resamples=1), "The 'n_resamples' parameter of StabilitySelection"),
        (StabilitySelection(KNN), "The 'selector' parameter of StabilitySelection"),
        (StabilitySelection(SFS(CVScore(KNN, cv=iter(ONE_FOLD)))), "criterion__cv=<"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_parameters_of_a_search(search, sentence):
    refused(lambda: search.fit(X, Y), sentence)


@pytest.mark.parametrize(
    ("search", "data", "params", "message"),
    [
        (ExhaustiveSearch(J), (np.hstack([X, X]), Y), {}, r"^the 26 features have more than 2\^25 subsets"),
        (ExhaustiveSearch(J, 15), flat(30), {}, r"^the 30 features have more than 2\^25 subsets; exclude some"),
        (ExhaustiveSearch(J), flat(2000), {}, r"^the 2000 features have more than 2\^25 subsets"),
        (SFS(J, fixed=["malt"]), (FRAME, Y), {}, r"^fixed=\['malt'\] .* " + NOT_A_COLUMN),
        # weights, groups and other metadata
        (SFS(TREE), (X, Y), {"colour": "red", "shape": "round"}, "^fit got 'colour'; without metadata routing it tak"),
        (SFS(J), (X, Y), {"groups": Y}, "^fit got 'groups'; without metadata routing it takes groups and"),
        (SFS(OrderVoting([TREE, KNN])), (X, Y), {"sample_weight": Y}, "^fit got 'sample_weight'; without"),
        *(
            (search(SFS(TREE, 2, cv=cv)), (X, Y), {}, r"^cv=\w+\(.*\) needs the group of each sample; pass groups=")
            for search in (clone, StabilitySelection)
            for cv in (GroupKFold(3), StratifiedGroupKFold(3))
        ),
        *((SFS(TREE), (X, Y), {"sample_weight": w}, "inconsistent numbers of samples") for w in (Y[:9], "balanced")),
        (SFS(TREE, cv=GroupKFold(3)), (X, Y), {"groups": [0, 1, 2]}, "inconsistent numbers of samples"),
        (SFS(TREE, cv=GroupKFold(3)), (X, Y), {"groups": 3}, "at least 1 dimension"),
        (SFS(TREE), (X, Y), {"sample_weight": MASKED}, "^sample_weight has masked values, which would be used as if"),
        (SFS(TREE, cv=GroupKFold(3)), (X, Y), {"groups": MASKED}, "^groups has masked values, which would be used"),
        (StabilitySelection(SFS(KNN, 1)), (X, Y), {"weight": 3}, "^fit got 'weight', but takes groups and sam"),
        (StabilitySelection(SFS(KNN, 1)), (X, Y), {"groups": np.zeros(178)}, "^groups holds one group, which cannot"),
        *(
            (search, (X, Y), {"groups": groups}, r"^groups has missing values \(\d, the first in row 1\)")
            for search in (SFS(TREE, cv=GroupKFold(3)), StabilitySelection(SelectKBest(k=1)))
            for groups in ([0, None, *range(2, 178)], np.r_[0, np.nan, 2:178], pd.Series(np.r_[0, np.nan, 2:178]))
        ),
        # targets, and scores that are none
        *((SFS(scored(score)), (X, Y), {}, "string|0-dimensional|scalar") for score in (None, "x", np.ones(2))),
        (SFS(Hybrid(DISTANCE, OLS), 3), (X, X[:, 0]), {}, "Unknown label type: continuous"),
        *(
            (SFS(OLS, 2, cv=4), (X, words), {}, "^y holds '0x', which is not a number; convert y to numbers or, if it")
            for words in (WORDS, WORDS.tolist(), pd.Series(WORDS), pd.DataFrame({"y": WORDS}))
        ),
        (SFS(SVR(), 2, cv=3), (X, X[:, :2]), {}, "1d array"),
        (SFS(OLS, 2, cv=500), (X, Y), {}, "n_splits=500 greater than the number of samples"),
        (StabilitySelection(SelectKBest()), (X, 0 * Y), {}, r"^y holds only one value \(0\)"),
        (StabilitySelection(SFS(KNN, 1)), (X, NUMBERS), {}, FOR_HALVES),
        (StabilitySelection(SelectKBest(f_regression)), (X, NUMBERS), {}, FOR_HALVES + r".* or give y\.astype\(float"),
        (StabilitySelection(SelectKBest()), (X, np.r_[7, Y[1:]]), {}, "^class 7 has one sample, .* with another"),
        (
            StabilitySelection(SelectKBest()),
            (X, Y),
            {"groups": np.where(Y == 2, 2, np.arange(178) + 3)},
            "^class 2 has one group, but each half needs one",
        ),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_data_and_metadata(search, data, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        search.fit(*data, **params)


FORWARD, BACKWARD = (SFS, SFFS, PlusLMinusR), (SBS, SBFS, partial(PlusLMinusR, l=1, r=2))


@pytest.mark.parametrize("search", [*FORWARD, *BACKWARD])
def test_a_start_on_the_wrong_side_of_the_size(search):
    right, wrong = (5, 3) if search in FORWARD else (3, 5)
    start = {"warm_start_from": [1, 2, 4, 7]}
    assert search(J, right, **start).fit(X, Y).size_ == right
    with pytest.raises(
        ValueError, match=r"warm_start_from has 4 units, but .* only .*; start from at (most 3|least 5)"
    ):
        search(J, wrong, **start).fit(X, Y)
    with pytest.raises(ValueError, match="group_size=2: steps from 4 units do not reach"):
        search(J, right, group_size=2, **start).fit(X, Y)


TAU = "The 'tau' parameter of regularize must be a float in the range [0.0, 1.0]"
SCORES = "trace must hold one value or more, none of them NaN"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: run(J, lambda ev: ev.add((0,))[0], excluded=range(6)), "all columns are excluded; leave at least"),
        (lambda: run(J, lambda ev: ev.add((0,), 13)[0]), "add: the subset (0,) leaves no tuple to choose."),
        (lambda: run(J, lambda ev: ev.scores(Candidates([(0,)]), DISTANCE)), "Bhattacharyya() is not a criterion of"),
        (lambda: run(J, lambda ev: ev.remove((0, 1), 3)[0]), "remove: the subset (0, 1) leaves no tuple to choose."),
        *((lambda tau=tau: regularize([0.5], tau, [1]), TAU) for tau in (2, [1, 2])),
        *((lambda values=values: regularize(values, 0.1, [1, 2]), SCORES) for values in ([], [1, np.nan])),
        (lambda: regularize([0.5, 0.7], 0.1, [1, np.nan]), "secondary=[1, nan] must be 'size' or 2 finite numbers"),
        (
            lambda: regularize(TRACE.drop(columns="size"), 0.1),
            "trace has the columns ['features', 'value'] and lacks 'size'",
        ),
        (lambda: regularize(TRACE[["value"]], 0.1, [1, 2]), "trace has the columns ['value'] and lacks 'features'"),
        (lambda: redundancy_groups(X, [True, False]), "selected is a mask of 2 entries, but X has 13 columns"),
        (
            lambda: redundancy_groups(pd.DataFrame(X), "ab"),
            "selected='ab' is one text; give a list of numbers or names",
        ),
        (lambda: regularize([0.9], 0.1), "trace is a list of values, which has no sizes; pass one cost for each value"),
        (lambda: regularize(TRACE, 0.1, "step"), "The 'secondary' parameter of regularize must be a str among"),
        (lambda: regularize([0.1, 0.2, 0.3], 0.1, [1, 2]), "secondary=[1, 2] must be 'size' or 3 finite numbers"),
        (lambda: regularize(SFS(DISTANCE), 0.1), "float() argument must be a string or a real number, not 'SFS'"),
        (lambda: regularize(["a"], 0.1, [1]), "could not convert string to float: 'a'"),
        (lambda: regularize([0.5], 0.1, [1], rule="last"), "The 'rule' parameter of regularize must be a str among"),
        (lambda: regularize(TRACE, 0.1, [1, 2, 3, 4]), "secondary holds 4 costs, but the trace has the column 4"),
        *((lambda t=t: redundancy_groups(X, [0], threshold=t), f"threshold={t!r} must be gre") for t in (0, "0.9")),
        (lambda: redundancy_groups(X, []), "selected is empty; give at least one column."),
        (lambda: redundancy_groups(X, [13]), f"selected=[13] {NO_LIST}all features"),
        (lambda: columns_of(SUMS.fit(X)), f"{SUMS!r} does not name its output columns; give it feature_names_out"),
    ],
    ids=range(25),
)
def test_calls_of_functions(call, sentence):
    refused(call, sentence)


def never(X, y=None):
    raise AssertionError("nothing is fitted")


NOTHING = StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, threshold=1.0, random_state=0)
NO_SUPPORT = r"^search=(?s:.*) has no get_support; give a search .* of its criterion: SFS"
NO_ESTIMATOR = r"has no single cross-validated estimator; .* for example estimator=KNeighborsClassifier\(\)\.$"


@pytest.mark.parametrize(
    ("search", "options", "message"),
    [
        *((SFS(KNN), {"confidence": c}, f"^confidence={c!r} must be between 0 and 1") for c in (0, 1, "a")),
        *((SFS(CVScore(KNN, scoring=s), 2), {}, r"^scoring=.* must list names of scorers") for s in ([], {})),
        *((SFS(KNN, 1), {"scoring": s}, "^scoring=.* holds several scores, but") for s in (["accuracy"], {"a": "r2"})),
        (SFS(KNN, 1, cv=iter(ONE_FOLD)), {}, r"^cv=<.*> yields splits of all samples, .*; give a splitter, such as"),
        (SFS(KNN), {"cv": ONE_FOLD}, "^cv holds one split, but an interval needs at least two"),
        *((search, {}, NO_ESTIMATOR) for search in (SFS(DISTANCE), SFS(OrderVoting(), 2), SelectKBest(k=2))),
        (make_pipeline(FunctionTransformer(never), SFS(KNN, 1)), {"estimator": KNN}, NO_SUPPORT),
        (KNN, {"estimator": KNN}, NO_SUPPORT),
        (NOTHING, {"cv": 2, "estimator": KNN}, "selects no feature in an outer fold"),
        (
            SelectKBest(),
            {"estimator": KNN, "sample_weight": np.ones(178)},
            "^SelectKBest takes no sample_weight in fit; leave",
        ),
        (SFS(GaussianNB(), 2), {"sample_weight": [1, 1, 1]}, "inconsistent numbers of samples"),
        (SFS(KNN, 1, cv=GroupKFold(3)), {"groups": MASKED}, "^groups has masked values, which would be used"),
    ],
    ids=range(18),
)
def test_nested_scores(search, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        nested_score(search, NOISE, Y, **options)


def test_a_nested_score_that_is_no_number():
    A, target = load_diabetes(return_X_y=True)
    with (
        pytest.warns(UserWarning, match="R\\^2 score is not well-defined"),
        pytest.raises(ValueError, match=r"scores of the outer folds are .nan, .* not finite numbers; R2"),
    ):
        nested_score(SFS(OLS, 2, cv=3), A[:12], target[:12], cv=12)

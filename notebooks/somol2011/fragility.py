"""Fragile preference and its remedy (Section 2 of Somol et al. 2011: Fig. 3, Tables 1 and 2)."""

import time
import warnings
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from compendium.experiment import Schema, parameter, table
from compendium.protocol import masks_of
from compendium.units import crossed, run_units, tidy
from fscore.criteria import CVAccuracy
from fscore.search import SFFS, DynamicOscillatingSearch, regularize
from fscore.stability import average_tanimoto_index
from somol2011.protocol import (
    SearchExperiment,
    classifier,
    halves,
    hits,
    inner_folds,
    joined,
    paired_p_value,
    prepared,
    sample,
    warm_up,
)

SEARCHES = ("SFFS", "DOS")
BLOCK = ("dataset", "search", "criterion", "scaling", "repeat")
STEPS = {
    "n_near": "subsets",
    "n_near_steps": "subsets, ends of steps",
    "smallest_steps": "smallest, ends of steps",
    "largest_steps": "largest, ends of steps",
    "ati_steps": "ATI, ends of steps",
}
TESTED = {"n_test": "test samples", "lost": "newly wrong", "won": "newly right"}
COLUMNS = {
    "selected": [*BLOCK, "tau", "cut", "metric", "value"],
    "near": [*BLOCK, "metric", "value"],
    "course": [*BLOCK, "iteration", "size", "value", "near", "features"],
}


class Fragility(SearchExperiment):
    """Figure 3 and Tables 1 and 2: smaller subsets at a small loss of criterion value.

    One half of each class is used for the search, the other half is classified once. One search answers all tau.

    Tables
    ------
    selected
        dataset, search, criterion, scaling, repeat, tau, cut (whether the budget of evaluations ended the search),
        metric, value; metrics ``size``, ``train`` (value of the criterion), ``test``, ``improved`` (1 = smaller than at
        the first tau and not worse on the test half), ``n_test`` (size of the test half), and against the first tau
        ``lost`` and ``won`` (test samples that only one of the two classifies correctly) and ``p_value`` of a paired
        t-test over the test samples.
    near
        dataset, search, criterion, scaling, repeat, metric, value; over all subsets that the search evaluated:
        ``n_near``, ``smallest``, ``largest`` and ``ati`` of those near the maximum; the same with ``_steps`` for the
        subsets at the end of a step; ``maximum``, ``evaluations``, ``stopped`` (1 = budget spent), ``seconds``.
    course
        The steps of SFFS: dataset, search, criterion, scaling, repeat, iteration, size, value, near, features.
    one_run
        Remark 2.2, see `one_run_for_all_tau`.
    """

    schema = Schema(
        near=table("dataset search criterion scaling metric", repetition="repeat", labels=STEPS),
        course=table(
            "dataset search criterion scaling iteration", repetition="repeat", values="size value near features"
        ),
        selected=table("dataset search criterion scaling tau cut metric", repetition="repeat", labels=TESTED),
        one_run=table("dataset search tau metric"),
    )

    dataset: list[str] = parameter(
        ["spambase", "dermatology_358", "spectf", "madelon", "gisette"], "data sets, or paths of CSV files", "data sets"
    )
    search: list[str] = parameter(["SFFS", "DOS"], "searches", "{SFFS, DOS}")
    criterion: list[str] = parameter(
        ["SVM", "3-NN"], "classifiers whose accuracy is maximized", "{1-NN, 3-NN, 5-NN, 7-NN, SVM}"
    )
    tau: list[float] = parameter(
        [0.0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05],
        "thresholds; the first is the standard",
        "[0, 1]",
    )
    margin: float = parameter(0.01, "relative distance from the maximum that counts as near", "(0, 1]")
    max_size: int = parameter(60, "largest number of features that SFFS reaches", "[1, 10000]")
    depth: int = parameter(15, "Delta of DOS", "[1, 100]")
    n_splits: int = parameter(3, "folds of the criterion", "[2, 50]")
    n_repeats: int = parameter(
        1,
        "1 selects on the first half, 2 also exchanges the halves, 3 and 4 cut elsewhere",
        "[1, 100]",
    )
    svm_C: float = parameter(1.0, "C of the SVM", "(0, 1000000]")
    svm_gamma: float = parameter(1.0, "gamma of the SVM's radial basis functions", "(0, 1000000]")
    svm_evaluations: int | None = parameter(
        None, "largest number of subsets that a search by SVM evaluates", "[1, 100000000]"
    )
    large: list[str] = parameter(["madelon", "gisette"], "data sets of Table 2, which only DOS searches", "data sets")
    svm_scaling_large: str = parameter(
        "minmax_all",
        "scaling of their inputs for the SVM",
        "{raw, minmax, minmax_all}",
    )
    svm_C_large: float = parameter(100.0, "C of the SVM on them", "(0, 1000000]")
    svm_evaluations_large: int | None = parameter(
        20000, "most subsets that a search of them by SVM evaluates", "[1, 100000000]"
    )
    check: list[str] = parameter(
        ["spectf", "dermatology_358"],
        "data sets for the check of Remark 2.2; the first if none is in the run",
        "data sets",
    )

    def measure(self):
        """See the class."""
        checked = [name for name in self.dataset if name in self.check] or self.dataset[:1]
        return {**self.selections(self.cases), "one_run": self.one_run_for_all_tau(checked)}

    @property
    def cases(self):
        """Those of Tables 1 and 2: (dataset, search, criterion, scaling)."""
        small = [name for name in self.dataset if name not in self.large]
        large = [name for name in self.dataset if name in self.large]
        only_dos = ["DOS"] if "DOS" in self.search else self.search
        return [
            *product(small, self.search, self.criterion, [self.scaling]),
            *(
                (name, *how, self.svm_scaling_large if how[1] == "SVM" else self.scaling)
                for name in large
                for how in product(only_dos, self.criterion)
            ),
        ]

    def selections(self, cases):
        """Tables ``selected``, ``near`` and ``course`` of cases ``(dataset, search, criterion, scaling)``."""
        shared = self.pick("tau", "margin", "max_size", "depth", "group_size", "n_splits", "order", "folds")
        shared |= self.pick("max_samples", "target", "seed")
        cases = [dict(zip(BLOCK, (*case, repeat), strict=True)) for case in cases for repeat in range(self.n_repeats)]
        units = [{**case, "svm": self.svm(**case), **shared} for case in cases]
        table = run_units(_select, units, label="fragility")
        return {
            name: table[table["table"] == name].reindex(columns=columns).reset_index(drop=True)
            for name, columns in COLUMNS.items()
        }

    def svm(self, dataset, criterion, **_):
        """C, gamma and the largest number of evaluations for a case; None if its criterion is not an SVM."""
        if criterion != "SVM":
            return None
        if dataset in self.large:
            return self.svm_C_large, self.svm_gamma, self.svm_evaluations_large
        return self.svm_C, self.svm_gamma, self.svm_evaluations

    def one_run_for_all_tau(self, dataset):
        """Remark 2.2: one search answers all tau without further evaluations.

        For each tau, a separate search with an empty cache is compared with the choice for this tau from the trace of
        one search at tau = 0.

        Returns
        -------
        DataFrame
            dataset, search, tau, metric, value. Metrics: ``evaluations`` of the search at this tau, ``same_order`` (1 =
            the same subsets evaluated in the same order as at tau = 0), ``same_subset`` (1 = the choice from the one
            trace is the subset that this search selects), ``size``, and ``size_printed``, the size by the rule as
            printed in steps 1-4, which is applied during the search.
        """
        shared = {"criterion": "3-NN", **self.pick("tau", "depth", "group_size", "n_splits", "scaling")}
        shared |= self.pick("order", "folds", "max_samples", "target", "seed")
        units = crossed(shared, dataset=dataset, search=SEARCHES)
        return run_units(_one_run, units, label="one run for all tau")


def _select(
    dataset, search, criterion, scaling, repeat, svm, tau, margin, max_size, depth, group_size, n_splits, folds, **how
):
    X, y = sample(dataset, **how)
    first, second = halves(X, y, folds, dataset, repeat, how["seed"])
    A, B = prepared(scaling, X, first, second)
    C, gamma, budget = svm or (None, None, None)
    model = classifier(criterion, C, gamma)
    limit = max_size - max_size % group_size if max_size < X.shape[1] else None
    J = CVAccuracy(model, cv=inner_folds(n_splits, folds))
    warm_up(J)
    start = time.perf_counter()
    with warnings.catch_warnings():  # the table reports where the budget was exhausted
        warnings.simplefilter("ignore", ConvergenceWarning)
        searched = _search(search, J, depth, group_size, budget, limit).fit(A, y[first])
    seconds = time.perf_counter() - start

    what = dict(zip(BLOCK, (dataset, search, criterion, scaling, repeat), strict=True))
    rows, known, trace = [], {}, searched.trace_
    for threshold in tau:
        chosen = trace.iloc[regularize(trace, threshold)]
        features = chosen["features"]
        if features not in known:
            known[features] = hits(model, A, y[first], B, y[second], features)
        if threshold == tau[0]:
            standard, size = known[features], chosen["size"]
        test = known[features].mean()
        measured = {
            "size": chosen["size"],
            "train": chosen["value"],
            "test": test,
            "improved": chosen["size"] < size and test >= standard.mean(),
            "n_test": len(standard),
            "lost": (standard & ~known[features]).sum(),
            "won": (known[features] & ~standard).sum(),
            "p_value": paired_p_value(standard, known[features]),
        }
        setting = {"tau": threshold, "cut": searched.stopped_ is not None}
        rows += tidy({"table": "selected", **what, **setting}, measured)

    cost = {"evaluations": searched.n_evaluations_, "stopped": searched.stopped_ is not None, "seconds": seconds}
    measured = {"maximum": trace["value"].max(), **near_maximum(trace, margin, X.shape[1]), **cost}
    steps = searched.path_[searched.path_["move"] != "value"].drop_duplicates("features")
    for metric, value in near_maximum(steps, margin, X.shape[1], trace["value"].max()).items():
        measured[f"{metric}_steps"] = value
    rows += tidy({"table": "near", **what}, measured)

    if search == "SFFS":
        border = (1 - margin) * trace["value"].max()
        for iteration, step in enumerate(searched.path_.to_dict("records")):
            setting = {"iteration": iteration, "size": step["size"], "value": step["value"]}
            setting |= {"near": step["value"] >= border, "features": joined(step["features"])}
            rows.append({"table": "course", **what, **setting})
    return rows


def _search(name, J, depth, group_size, budget=None, size=None, tau=0.0):
    shared = {"group_size": group_size, "max_evaluations": budget, "tau": tau}
    if name == "SFFS":
        return SFFS(J, n_features_to_select=size, **shared)
    return DynamicOscillatingSearch(J, depth=depth, **shared)


def near_maximum(subsets, margin, n_features, maximum=None):
    """Number of subsets within ``margin`` of the maximum, their sizes and their average Tanimoto index.

    Parameters
    ----------
    subsets : DataFrame
        Columns ``features``, ``size`` and ``value``.
    margin : float
        Relative.
    n_features : int
        Number of all features.
    maximum : float, optional
        The maximum, if it is not that of ``subsets``.

    Returns
    -------
    dict
    """
    maximum = subsets["value"].max() if maximum is None else maximum
    near = subsets[subsets["value"] >= (1 - margin) * maximum]
    if near.empty:
        return {"n_near": 0, "smallest": np.nan, "largest": np.nan, "ati": np.nan}
    ati = average_tanimoto_index(masks_of(near["features"], n_features))
    return {"n_near": len(near), "smallest": near["size"].min(), "largest": near["size"].max(), "ati": ati}


def _one_run(dataset, search, criterion, tau, depth, group_size, n_splits, scaling, folds, **how):
    X, y = sample(dataset, **how)
    X, _ = prepared(scaling, X, slice(None), slice(None))
    J = CVAccuracy(classifier(criterion), cv=inner_folds(n_splits, folds))
    once = _search(search, J, depth, group_size).fit(X, y).trace_
    rows = []
    for threshold in tau:
        regularized = _search(search, J, depth, group_size, tau=threshold).fit(X, y)
        read = once.iloc[regularize(once, threshold)]
        measured = {
            "evaluations": regularized.n_evaluations_,
            "same_order": regularized.trace_["features"].tolist() == once["features"].tolist(),
            "same_subset": tuple(np.flatnonzero(regularized.support_)) == read["features"],
            "size": regularized.size_,
            "size_printed": once["size"].iloc[regularize(once, threshold, rule="printed")],
        }
        rows += tidy({"dataset": dataset, "search": search, "tau": threshold}, measured)
    return rows

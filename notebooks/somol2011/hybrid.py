"""Filter-wrapper hybrids (Section 4 of Somol et al. 2011: Tables 5, 6 and 7)."""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.inference import grouped_error
from compendium.units import crossed, run_units, tidy
from fscore.criteria import Bhattacharyya, CVAccuracy
from fscore.search import DynamicOscillatingSearch, Hybrid, OscillatingSearch
from somol2011.protocol import (
    SearchExperiment,
    classifier,
    grouped_sample,
    halves,
    hits,
    inner_folds,
    joined,
    paired_p_value,
    prepared,
    sample,
    warm_up,
)

SEARCHES = ("DOS", "OS")
BLOCK = ("dataset", "search", "scaling", "repeat")
COUNTS = ("size", "wrapper_evaluations", "filter_evaluations")
METRICS = ("train", "test", "test_error", *COUNTS, "seconds", "n_test")
PRINTED_SIZES = {"madelon": 20, "musk2": 20, "wdbc": 8}  # d of OS, "set manually"


class FilterWrapper(SearchExperiment):
    """Tables 5 to 7: the Bhattacharyya distance narrows the candidates of a step, a wrapper chooses among the rest.

    One half of each class is used for the search, the other half is classified once. At lambda = 0 the wrapper
    evaluates one candidate per step, lambda = 1 is the pure wrapper.

    Tables
    ------
    hybrid
        dataset, search, scaling, repeat, lambda, metric, value. Metrics: ``train`` (value of the criterion), ``test``
        and its standard error ``test_error`` (of a mean over such a half; where rows belong together in groups, such as
        the molecules of musk2, over groups), ``size``, ``wrapper_evaluations``, ``filter_evaluations``, ``seconds``,
        ``n_test`` (size of the test half), and against the largest lambda (1 unless left out) ``lost`` and ``won``
        (test samples that only one of the two classifies correctly) and ``p_value`` of a paired t-test over the test
        samples.
    subsets
        dataset, search, scaling, repeat, lambda, features (columns, from 0) of the selections in ``hybrid``.
    """

    schema = Schema(
        hybrid=table("dataset search scaling lambda metric", repetition="repeat"),
        subsets=table("dataset search scaling lambda", repetition="repeat", values="features"),
    )

    dataset: list[str] = parameter(
        ["wdbc", "waveform_pair", "madelon", "musk2"], "data sets, or paths of CSV files", "data sets"
    )
    criterion: str = parameter("5-NN", "the wrapper; also classifies the test half", "{1-NN, 3-NN, 5-NN, 7-NN, SVM}")
    lam: list[float] = parameter(
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        "shares passed to the wrapper",
        "[0, 1]",
    )
    n_features_to_select: int | None = parameter(
        None,
        "subset size of OS; by default as printed, or a quarter of all",
        "[1, 10000]",
    )
    depth_dos: int = parameter(15, "Delta of DOS", "[1, 100]")
    depth_os: int = parameter(10, "Delta of OS", "[1, 100]")
    n_splits: int = parameter(10, "folds of the wrapper", "[2, 50]")
    rounding: str = parameter("floor", "how lambda T becomes a number of candidates", "{floor, nearest}")
    pure_wrapper: bool = parameter(False, "whether lambda = 1 leaves no candidate of a removal out, unlike eq. 25")
    ddof: int = parameter(1, "covariances of the filter divide by n - ddof", "[0, 1]")
    n_repeats: int = parameter(
        1,
        "1 selects on the first half, 2 also exchanges the halves, 3 and 4 cut elsewhere",
        "[1, 100]",
    )

    def check_file(self, path):
        """Refuse a file with a class of which a single sample selects: the filter needs its covariance."""
        X, y = sample(path, self.target, self.max_samples, self.seed, "file")
        for repeat in range(2):  # either half selects
            first, _ = halves(X, y, self.folds, path, repeat, self.seed)
            labels, counts = np.unique(y[first], return_counts=True)
            if counts.min() < 2:
                raise ValueError(
                    f"{Path(path).name}: the half that selects has a single sample of class "
                    f"{labels.tolist()[counts.argmin()]!r}, but the Bhattacharyya distance needs two; add samples, "
                    "remove the class, or merge it with another."
                )

    def measure(self):
        """See the class."""
        hybrid, subsets = self.selections(self.dataset, SEARCHES, [self.scaling])
        return {"hybrid": hybrid, "subsets": subsets}

    def selections(self, dataset, search, scaling):
        """Tables ``hybrid`` and ``subsets`` of all combinations of the arguments, which are lists."""
        by_search = {
            "DOS": {"depth": self.depth_dos, "n_features_to_select": None},
            "OS": {"depth": self.depth_os, "n_features_to_select": self.n_features_to_select},
        }
        shared = self.pick("criterion", "rounding", "pure_wrapper", "ddof", "group_size", "n_splits", "order", "folds")
        shared |= self.pick("max_samples", "target", "seed")
        cases = crossed({}, dataset=dataset, search=search, scaling=scaling, repeat=range(self.n_repeats), lam=self.lam)
        units = [{**case, **by_search[case["search"]], **shared} for case in cases]
        runs = run_units(_select, units, label="hybrids")
        rows = []
        for names, group in runs.groupby(list(BLOCK), sort=False):
            pure = _hits(group.loc[group["lambda"].idxmax()])
            for run in group.to_dict("records"):
                right = _hits(run)
                measured = {metric: run[metric] for metric in METRICS}
                measured |= {"lost": (pure > right).sum(), "won": (right > pure).sum()}
                measured["p_value"] = paired_p_value(pure, right)
                rows += tidy({**dict(zip(BLOCK, names, strict=True)), "lambda": run["lambda"]}, measured)
        return pd.DataFrame(rows), runs[[*BLOCK, "lambda", "features"]]


def _hits(run):
    """Whether each test sample was classified correctly (1.0) or not (0.0), from the list of errors."""
    right = np.ones(run["n_test"])
    right[[int(row) for row in run["missed"].split()]] = 0
    return right


def _select(
    dataset,
    search,
    scaling,
    repeat,
    lam,
    depth,
    n_features_to_select,
    criterion,
    rounding,
    pure_wrapper,
    ddof,
    group_size,
    n_splits,
    folds,
    **how,
):
    X, y, groups = grouped_sample(dataset, **how)
    first, second = halves(X, y, folds, dataset, repeat, how["seed"])
    A, B = prepared(scaling, X, first, second)
    model = classifier(criterion)
    wrapper = CVAccuracy(model, cv=inner_folds(n_splits, folds))
    J = Hybrid(Bhattacharyya(ddof=ddof), wrapper, lam, rounding, pure_wrapper)
    if search == "DOS":
        selector = DynamicOscillatingSearch(J, group_size=group_size, depth=depth)
    else:
        size = n_features_to_select or PRINTED_SIZES.get(dataset, max(1, min(20, X.shape[1] // 4)))
        selector = OscillatingSearch(J, n_features_to_select=size, group_size=group_size, depth=depth)
    warm_up(J)
    start = time.perf_counter()
    selector.fit(A, y[first])
    seconds = time.perf_counter() - start
    features = np.flatnonzero(selector.support_).tolist()
    right = hits(model, A, y[first], B, y[second], features)
    (_, filtered), (_, wrapped) = selector.computed_
    measured = {
        "train": selector.score_,
        "test": right.mean(),
        "test_error": grouped_error(right, groups[second]),
        "size": selector.size_,
        "wrapper_evaluations": wrapped,
        "filter_evaluations": filtered,
        "seconds": seconds,
        "n_test": len(right),
        "missed": joined(np.flatnonzero(~right)),
        "features": joined(features),
    }
    return [{"dataset": dataset, "search": search, "scaling": scaling, "repeat": repeat, "lambda": lam, **measured}]

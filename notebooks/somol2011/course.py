"""The course of four searches (Fig. 2 of Somol et al. 2011)."""

from dataclasses import replace

from compendium.experiment import Schema, parameter, table
from compendium.units import crossed, run_units
from fscore.criteria import CVAccuracy
from fscore.search import SFFS, SFS, DynamicOscillatingSearch, OscillatingSearch
from somol2011.protocol import SearchExperiment, classifier, inner_folds, joined, prepared, sample

METHODS = ("SFS", "SFFS", "OS", "DOS")


class Course(SearchExperiment):
    """Figure 2: the size of the current subset of SFS, SFFS, OS and DOS, iteration by iteration.

    The criterion is cross-validated on all samples.

    Tables
    ------
    course
        dataset, method, iteration, move, size, value (of the criterion), n_evaluations (so far).
    best
        The best subset of each course: dataset, method, size, value, features (columns, from 0), evaluations (number
        of subsets evaluated by the search).
    """

    schema = Schema(
        course=table("dataset method iteration", values="move size value n_evaluations"),
        best=table("dataset method size", values="value features evaluations"),
    )

    dataset: list[str] = parameter(["spectf", "wdbc"], "data sets, or paths of CSV files", "data sets")
    criterion: str = parameter(
        "3-NN", "classifier whose cross-validated accuracy is maximized", "{1-NN, 3-NN, 5-NN, 7-NN, SVM}"
    )
    n_features_to_select: int = parameter(8, "t, subset size of SFS, SFFS and OS", "[1, 1000]")
    delta: int = parameter(4, "Delta of SFFS, which goes on to t + Delta features", "[1, 100]")
    depth: int = parameter(4, "Delta of OS and DOS, the depth of their swings", "[1, 100]")
    n_splits: int = parameter(10, "folds of the criterion", "[2, 50]")
    scaling: str = replace(SearchExperiment.scaling, default="minmax_all")
    max_samples: int | None = SearchExperiment.max_samples

    def measure(self):
        """See the class."""
        courses = self.courses(METHODS)
        return {"course": courses.drop(columns="features"), "best": best_subsets(courses)}

    def courses(self, methods):
        """Table ``course`` of these methods, with the features of each subset."""
        shared = self.pick("criterion", "n_features_to_select", "delta", "depth", "group_size", "n_splits", "scaling")
        shared |= self.pick("order", "folds", "max_samples", "target", "seed")
        units = crossed(shared, dataset=self.dataset, method=methods)
        return run_units(_course, units, label="courses")


def best_subsets(courses):
    """Table ``best`` of `Course` from `Course.courses`."""
    methods = courses.groupby(["dataset", "method"], sort=False)
    best = courses.loc[methods["value"].idxmax(), ["dataset", "method", "size", "value", "features"]]
    return best.merge(methods["n_evaluations"].max().rename("evaluations").reset_index())


def _course(
    dataset, method, criterion, n_features_to_select, delta, depth, group_size, n_splits, scaling, folds, **how
):
    X, y = sample(dataset, **how)
    X, _ = prepared(scaling, X, slice(None), slice(None))
    J = CVAccuracy(classifier(criterion), cv=inner_folds(n_splits, folds))
    size = min(n_features_to_select, X.shape[1])
    size = max(group_size, size - size % group_size)  # a multiple of the group size, so that all searches can reach it
    shared = {"n_features_to_select": size, "group_size": group_size}
    search = {
        "SFS": lambda: SFS(J, **shared),
        "SFFS": lambda: SFFS(J, **shared, delta=delta),
        "OS": lambda: OscillatingSearch(J, **shared, depth=depth),
        "DOS": lambda: DynamicOscillatingSearch(J, group_size=group_size, depth=depth),
    }[method]()
    path = search.fit(X, y).path_
    if method == "OS":  # its course starts with the subset of the best single features; skip their single values
        path = path.iloc[path.index[path["size"] == size][0] :]
    else:
        path = path[path["move"] != "value"]
    columns = ["move", "size", "value", "n_evaluations", "features"]
    return [
        {"dataset": dataset, "method": method, "iteration": iteration, **step, "features": joined(step["features"])}
        for iteration, step in enumerate(path[columns].to_dict("records"))
    ]

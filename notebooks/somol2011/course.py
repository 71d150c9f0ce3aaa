"""The course of four searches (Fig. 2 of Somol et al. 2011)."""

from compendium.units import run_units
from fscore.criteria import CVAccuracy
from fscore.search import SFFS, SFS, DynamicOscillatingSearch, OscillatingSearch
from somol2011.protocol import classifier, sample, scaled

METHODS = ("SFS", "SFFS", "OS", "DOS")


def course(
    datasets,
    *,
    methods=METHODS,
    criterion="3-NN",
    size=8,
    delta=4,
    group_size=1,
    n_splits=10,
    scaling="minmax",
    max_samples=None,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Figure 2: the size of the working subset, iteration by iteration.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of str
        Of "SFS", "SFFS", "OS", "DOS".
    criterion : str
        "SVM" or "k-NN", cross-validated ``n_splits``-fold on the whole sample.
    size : int
        t, the size that SFS, SFFS and OS are asked for (at most the number of features; lowered to a multiple of
        ``group_size``, since they come no nearer).
    delta : int
        SFFS goes on to t + delta, OS and DOS swing so deep.
    group_size : int
        c, how many features come and go at once.

    Returns
    -------
    DataFrame
        dataset, method, iteration, move, size, value (of the criterion), n_evaluations (so far).
    """
    shared = {"criterion": criterion, "size": size, "delta": delta, "group_size": group_size, "n_splits": n_splits}
    shared |= {"scaling": scaling, "max_samples": max_samples, "target": target, "seed": seed}
    units = [{"dataset": dataset, "method": method, **shared} for dataset in datasets for method in methods]
    return run_units(_walk, units, n_jobs=n_jobs, label="courses")


def _walk(dataset, method, criterion, size, delta, group_size, n_splits, scaling, max_samples, target, seed):
    X, y = sample(dataset, target, max_samples, seed)
    X, _ = scaled(scaling, X, X)
    J = CVAccuracy(classifier(criterion), cv=n_splits)
    size = min(size, X.shape[1])
    size = max(group_size, size - size % group_size)
    search = {
        "SFS": lambda: SFS(J, n_features_to_select=size, group_size=group_size),
        "SFFS": lambda: SFFS(J, n_features_to_select=size, group_size=group_size, delta=delta),
        "OS": lambda: OscillatingSearch(J, n_features_to_select=size, group_size=group_size, depth=delta),
        "DOS": lambda: DynamicOscillatingSearch(J, group_size=group_size, depth=delta),
    }[method]()
    path = search.fit(X, y).path_
    if method == "OS":  # it starts where the ranking of single features, which belongs to no course, has led
        path = path.iloc[path.index[path["size"] == size][0] :]
    else:
        path = path[path["move"] != "value"]
    columns = ["move", "size", "value", "n_evaluations"]
    return [
        {"dataset": dataset, "method": method, "iteration": iteration, **step}
        for iteration, step in enumerate(path[columns].to_dict("records"))
    ]

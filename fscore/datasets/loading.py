"""Loads a data set by its name, or a CSV file by its path, and checks what every experiment needs of it."""

import hashlib
import os
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .fetching import fetch
from .registry import is_path, lookup, read_registry, status

if TYPE_CHECKING:
    from pandas import DataFrame
    from sklearn.utils import Bunch

    from fscore._typing import Seed

__all__ = ["available", "check_classification", "load"]


def load(
    name: str | PathLike[str],
    *,
    return_X_y: bool = False,
    as_frame: bool = False,
    target: str | None = None,
    encoding: str | None = None,
    subset: Literal["all", "train", "test"] = "all",
    random_state: "Seed" = 0,
    **options: Any,
) -> Any:
    """Load a data set by name, or a CSV file of your own.

    A name is looked up in this order: bundled with scikit-learn or generated; the local folder (environment variable
    ``FSCORE_DATA``, by default the user's cache folder); a mirror (``FSCORE_DATA_MIRROR``, a folder or a base URL); the
    original URL. Every file is compared with the registry's SHA-256 before it is read.

    Parameters
    ----------
    name : str or path
        A name of `available`, or the path of a CSV file with a header line.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        ``data`` as DataFrame and ``target`` as Series; the Bunch then has ``frame`` with both.
    target : str, optional
        CSV only: the column that holds the label; default the last.
    encoding : str, optional
        CSV only: such as "cp1251"; by default found.
    subset : {"all", "train", "test"}, default="all"
        Only the rows of that part, for data sets published with a split.
    random_state : int, RandomState instance or None, default=0
        Generated data sets only. The default gives the same data every time.
    **options
        Generated data sets only: see `fscore.datasets.generators`, e.g. ``n_samples``.

    Returns
    -------
    sklearn.utils.Bunch
        data : ndarray of shape (n_samples, n_features), float64
            Missing values are NaN.
        target : ndarray of shape (n_samples,)
            int64 or str, as in the file; float64 for regression.
        feature_names, target_names : list of str
            Of the columns of ``data``, and of the classes in sorted order.
        target_name : str
            "target"; of a CSV file, the name of the label column.
        split : Bunch of ``train`` and ``test`` indices, or None
        groups : ndarray of shape (n_samples,), or None
            The person or molecule that a row belongs to: rows of one group are not independent.
        relevant : ndarray of int, or None
            Generated data: indices of the features that depend on the class.
        name, DESCR : str
        source : {"bundled", "generated", "local", "mirror", "download", "csv"}
        sha256 : str
            Of the file as published, or of several joined by ";"; of the arrays if the data are bundled or generated.

    Raises
    ------
    ValueError
        The name or an option is unknown, or the CSV file cannot be read: see `fscore.datasets.table.load_csv`.
    DatasetUnavailableError
        The data set is known but not available; the message says what to do. A kind of FileNotFoundError.

    Examples
    --------
    >>> from fscore.datasets import load
    >>> X, y = load("wine", return_X_y=True)
    >>> X.shape
    (178, 13)
    """
    kind = "csv" if is_path(name) else lookup(name).kind
    if options and kind != "generated":
        raise ValueError(f"{name} is not generated, so it has no option {', '.join(options)}.")
    for option, value in (("target", target), ("encoding", encoding)):
        if value is not None and kind != "csv":
            raise ValueError(f"{option}={value!r} is for CSV files; the {option} of {name} is fixed.")
    if kind == "csv":
        from .table import load_csv

        content = load_csv(Path(os.path.expanduser(name)), target, encoding)
    elif kind == "bundled":
        content = _bundled(name)
    elif kind == "generated":
        content = _generated(name, random_state, options)
    else:
        content = _downloaded(lookup(name))
    about = [] if kind == "csv" else _about(lookup(name))
    return _converted(_subset(_bunch(about, **{"name": name, "source": kind, **content}), subset), return_X_y, as_frame)


def _bundled(name):
    from sklearn import datasets

    bunch = getattr(datasets, "load_breast_cancer" if name == "wdbc" else f"load_{name}")()
    return {key: bunch[key] for key in ("data", "target", "feature_names", "target_names")}


def _generated(name, random_state, options):
    import inspect
    from numbers import Integral, Real

    from fscore._sklearn import Interval, validate_params

    from .generators import GENERATORS

    generator = GENERATORS[name]
    _, *known = inspect.signature(generator).parameters.values()
    if unknown := [option for option in options if option not in {p.name for p in known}]:
        raise ValueError(
            f"{name} has no option {', '.join(unknown)}; its options are: {', '.join(p.name for p in known)}."
        )
    kinds = {
        int: Interval(Integral, 0, None, closed="left"),
        float: Interval(Real, None, None, closed="neither"),
        tuple: "array-like",
    }
    checked = validate_params({p.name: [kinds[type(p.default)]] for p in known}, prefer_skip_nested_validation=False)
    content = checked(generator)(random_state, **options)
    return {**content, "feature_names": [f"f{k}" for k in range(1, content["data"].shape[1] + 1)]}


def _downloaded(dataset):
    from .parsing import read_files

    paths, source = fetch(dataset)
    sha256 = ";".join(file.sha256 for file in dataset.files)
    return {**read_files(dataset, paths), "source": source, "sha256": sha256}


def _bunch(about, *, data, target, feature_names, target_names=None, sha256=None, name, source, **more):
    import numpy as np
    from sklearn.utils import Bunch

    data = np.ascontiguousarray(data, dtype=np.float64)
    n_missing = int(np.isnan(data).sum())
    lines = [
        f"{name}: {data.shape[0]} samples, {data.shape[1]} features ({source}).",
        f"{n_missing} missing values, kept as NaN." if n_missing else "",
        *about,
    ]
    return Bunch(
        **{"split": None, "groups": None, "relevant": None, "target_name": "target", **more},
        data=data,
        target=target,
        feature_names=[str(feature) for feature in feature_names],
        target_names=[str(label) for label in (np.unique(target) if target_names is None else target_names)],
        name=name,
        source=source,
        sha256=sha256 or hashlib.sha256(data.tobytes() + np.ascontiguousarray(target).tobytes()).hexdigest(),
        DESCR="\n".join(line for line in lines if line),
    )


def _about(dataset):
    return [
        dataset.notes,
        f"Used by: {', '.join(dataset.papers)}." if dataset.papers else "",
        f"Licence: {dataset.licence}.",
        f"Origin: {' '.join(file.url for file in dataset.files)}" if dataset.files else "",
    ]


def _subset(bunch, subset):
    if subset == "all":
        return bunch
    if subset not in (bunch.split or ()):
        names = ", ".join(["all", *(bunch.split or ())])
        raise ValueError(f"{bunch.name} has no part {subset!r}; its parts, as published, are: {names}.")
    rows = bunch.split[subset]
    bunch.data, bunch.target, bunch.split = bunch.data[rows], bunch.target[rows], None
    bunch.groups = None if bunch.groups is None else bunch.groups[rows]
    bunch.DESCR += f"\nOnly the {subset} part: {len(rows)} samples."
    return bunch


def _converted(bunch, return_X_y, as_frame):
    if as_frame:
        import pandas as pd

        bunch.data = pd.DataFrame(bunch.data, columns=bunch.feature_names)
        bunch.target = pd.Series(bunch.target, name=bunch.target_name)
        bunch.frame = pd.concat([bunch.data, bunch.target], axis=1)
    return (bunch.data, bunch.target) if return_X_y else bunch


def available(paper: str | None = None, present: bool | None = None) -> "DataFrame":
    """List the data sets of the registry and where each would come from, without using the network.

    Parameters
    ----------
    paper : str, optional
        Only the data sets that this paper uses, such as "somol2011".
    present : bool, optional
        Only the data sets that can (True) or cannot (False) be loaded without a download.

    Returns
    -------
    DataFrame
        Indexed by name; columns status, n_samples, n_features, n_classes, missing, papers, licence, notes.

    Raises
    ------
    ValueError
        Unknown paper.
    """
    import pandas as pd

    registry = read_registry()
    papers = sorted({key for dataset in registry.values() for key in dataset.papers})
    if paper is not None and paper not in papers:
        raise ValueError(f"unknown paper {paper!r}; known are: {', '.join(papers)}.")
    chosen = [dataset for dataset in registry.values() if paper is None or paper in dataset.papers]
    table = pd.DataFrame([vars(dataset) for dataset in chosen], index=pd.Index([d.name for d in chosen], name="name"))
    table = table.assign(status=[status(name) for name in table.index], papers=table["papers"].str.join(" "))
    counts = ["n_samples", "n_features", "n_classes", "missing"]
    table = table[["status", *counts, "papers", "licence", "notes"]].astype(dict.fromkeys(counts, "Int64"))
    if present is None:
        return table
    here = ~table["status"].isin(["missing", "not public"])
    return table[here == present]


def check_classification(bunch: "Bunch", *, allow_missing: bool = False) -> None:
    """Refuse data that classification experiments cannot use; the error is one sentence with the remedy.

    Parameters
    ----------
    bunch : Bunch
        As :func:`fscore.datasets.load` returns it.
    allow_missing : bool, default=False
        Accept missing values, for experiments that fill them.

    Raises
    ------
    ValueError
        There are missing or infinite values, a target that is a quantity or an identifier and not a class, a single
        class, or a class with a single sample.

    Examples
    --------
    >>> from fscore.datasets import check_classification, load
    >>> bunch = load("iris")
    >>> check_classification(bunch)
    >>> bunch.target = bunch.data[:, 0]
    >>> try:
    ...     check_classification(bunch)
    ... except ValueError as error:
    ...     print(str(error).partition(": ")[2].split(";")[0])
    the target 'target' is not a class, but a quantity or identifier (35 different values in 150 rows, such as 6.0)
    """
    import numpy as np

    X, y, label = bunch.data, bunch.target, f"{bunch.target_name!r}"
    unusable = np.isinf(X) if allow_missing else ~np.isfinite(X)
    if unusable.any():
        named = [bunch.feature_names[k] for k in np.flatnonzero(unusable.any(axis=0))]
        raise ValueError(
            f"{bunch.name} has {unusable.sum()} {'' if allow_missing else 'missing or '}infinite values, in "
            f"{', '.join(named[:5])}{', ...' if len(named) > 5 else ''}; replace them (missing ones such as by "
            "sklearn.impute.SimpleImputer), or remove those rows or columns."
        )
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) == 1:
        raise ValueError(
            f"{bunch.name}: the target {label} holds only one class ({classes.tolist()[0]!r}); add samples of another, "
            "or name another column by target=."
        )
    if len(classes) > len(y) / 2 or (y.dtype.kind == "f" and not np.array_equal(y, np.round(y))):
        raise ValueError(
            f"{bunch.name}: the target {label} is not a class, but a quantity or identifier ({len(classes)} different "
            f"values in {len(y)} rows, such as {classes.tolist()[len(classes) // 2]!r}); cut a quantity into classes, "
            "such as by pandas.qcut, or name another column by target=."
        )
    if counts.min() == 1:
        raise ValueError(
            f"{bunch.name}: class {classes.tolist()[counts.argmin()]!r} of {label} has a single sample, but each class "
            "needs at least two; remove it, or merge it with another class."
        )

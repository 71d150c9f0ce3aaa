"""Loads a data set by its name, or a CSV file by its path, and checks what every experiment needs of it."""

import hashlib
import math
import os
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .fetching import fetch
from .registry import DatasetUnavailableError, is_path, lookup, read_registry, status

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
    if is_path(name):
        _refuse_options(options, name)
        from .table import load_csv

        bunch = load_csv(Path(os.path.expanduser(name)), target, encoding)
    else:
        dataset = lookup(name)
        if target is not None:
            raise ValueError(f"target={target!r} is for CSV files; the target of {name} is fixed.")
        if encoding is not None:
            raise ValueError(f"encoding={encoding!r} is for CSV files; {name} is a data set by name.")
        if dataset.kind != "generated":
            _refuse_options(options, name)
        if dataset.kind == "bundled":
            bunch = _load_bundled(dataset)
        elif dataset.kind == "generated":
            bunch = _generate(dataset, random_state, options)
        elif dataset.kind == "download":
            bunch = _load_files(dataset)
        else:
            raise DatasetUnavailableError(
                f"{name} is not public: {dataset.notes} If you have it, save it as a CSV file and load that by its "
                "path."
            )
    return _converted(_subset(bunch, subset), return_X_y, as_frame)


def _refuse_options(options, name):
    if options:
        raise ValueError(f"{name} is not generated, so it has no option {', '.join(options)}.")


def _bunch(dataset, data, target, feature_names, target_names=None, *, source, sha256=None, **more):
    import numpy as np
    from sklearn.utils import Bunch

    data = np.ascontiguousarray(data, dtype=np.float64)
    if sha256 is None:
        sha256 = hashlib.sha256(data.tobytes() + np.ascontiguousarray(target).tobytes()).hexdigest()
    if target_names is None:
        target_names = [str(label) for label in np.unique(target)]
    return Bunch(
        **{"split": None, "groups": None, "relevant": None, "target_name": "target", **more},
        data=data,
        target=target,
        feature_names=[str(name) for name in feature_names],
        target_names=target_names,
        name=dataset.name,
        source=source,
        sha256=sha256,
        DESCR=_describe(dataset, data, source),
    )


def _describe(dataset, data, source):
    import numpy as np

    n_missing = int(np.isnan(data).sum())
    lines = [
        f"{dataset.name}: {data.shape[0]} samples, {data.shape[1]} features ({source}).",
        f"{n_missing} missing values, kept as NaN." if n_missing else "",
        dataset.notes,
        f"Used by: {', '.join(dataset.papers)}." if dataset.papers else "",
        f"Licence: {dataset.licence}.",
        f"Origin: {' '.join(file.url for file in dataset.files)}" if dataset.files else "",
    ]
    return "\n".join(line for line in lines if line)


def _load_bundled(dataset):
    from sklearn import datasets

    loader = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "wdbc": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }[dataset.name]
    bunch = loader()
    names = [str(name) for name in bunch.target_names]
    return _bunch(dataset, bunch.data, bunch.target, bunch.feature_names, names, source="bundled")


def _generate(dataset, random_state, options):
    import inspect

    from .generators import GENERATORS

    generator = GENERATORS[dataset.name]
    defaults = {
        name: p.default for name, p in inspect.signature(generator).parameters.items() if name != "random_state"
    }
    if unknown := [name for name in options if name not in defaults]:
        raise ValueError(f"{dataset.name} has no option {', '.join(unknown)}; its options are: {', '.join(defaults)}.")
    for name, value in options.items():
        _check_option(name, value, defaults[name])
    parts = generator(random_state, **options)
    names = [f"f{k}" for k in range(1, parts["data"].shape[1] + 1)]
    return _bunch(dataset, feature_names=names, source="generated", **parts)


def _check_option(name, value, default):
    """Refuse a value of another kind than the default: a count, a number, or a pair of numbers."""

    def is_number(value):
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)

    if isinstance(default, int):
        legal, kind = is_number(value) and isinstance(value, Integral) and value >= 0, "a whole number, at least 0"
    elif isinstance(default, float):
        legal, kind = is_number(value), "a finite number"
    else:
        legal = isinstance(value, list | tuple) and len(value) == len(default) and all(map(is_number, value))
        kind = f"{len(default)} finite numbers"
    if not legal:
        raise ValueError(f"{name} must be {kind}, not {value!r}.")


def _load_files(dataset):
    from .parsing import read_parts

    paths, source = fetch(dataset)
    parts = read_parts(dataset, paths)
    sha256 = ";".join(file.sha256 for file in dataset.files)
    return _bunch(dataset, source=source, sha256=sha256, **parts)


def _subset(bunch, subset):
    if subset == "all":
        return bunch
    if subset not in ("train", "test"):
        raise ValueError(f"subset must be 'all', 'train' or 'test', not {subset!r}.")
    if bunch.split is None:
        raise ValueError(f"{bunch.name} has no published split into train and test; use subset='all'.")
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
    columns = ("n_samples", "n_features", "n_classes", "missing")
    rows = [
        {"name": dataset.name, "status": status(dataset.name)}
        | {column: getattr(dataset, column) for column in columns}
        | {"papers": " ".join(dataset.papers), "licence": dataset.licence, "notes": dataset.notes}
        for dataset in registry.values()
        if paper is None or paper in dataset.papers
    ]
    table = pd.DataFrame(rows).set_index("name").astype(dict.fromkeys(columns, "Int64"))
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
        There are missing or infinite values, fewer than two samples, a target that is a quantity and not a class, a
        single class, or a class with a single sample.

    Examples
    --------
    >>> from fscore.datasets import check_classification, load
    >>> bunch = load("iris")
    >>> check_classification(bunch)
    >>> bunch.target = bunch.data[:, 0]
    >>> try:
    ...     check_classification(bunch)
    ... except ValueError as error:
    ...     print(str(error).split(";")[0])
    iris: the target 'target' is a quantity, not a class (it has 35 different values, such as 6.0)
    """
    import numpy as np

    X, y, label = bunch.data, bunch.target, f"{bunch.target_name!r}"
    if len(X) < 2:
        raise ValueError(f"{bunch.name} has {len(X)} sample; at least two samples of each of two classes are needed.")
    for problem, found, remedy in (
        (
            "missing",
            np.isnan(X) & (not allow_missing),
            "fill them (such as by sklearn.impute.SimpleImputer), or remove those rows or columns",
        ),
        ("infinite", np.isinf(X), "replace them, or remove those rows or columns"),
    ):
        if found.any():
            columns = np.flatnonzero(found.any(axis=0))
            named = ", ".join(bunch.feature_names[k] for k in columns[:5]) + (", ..." if len(columns) > 5 else "")
            raise ValueError(f"{bunch.name} has {found.sum()} {problem} values, in {named}; {remedy}.")
    classes, counts = np.unique(y, return_counts=True)
    example = f"it has {len(classes)} different values, such as {classes.tolist()[len(classes) // 2]!r}"
    if y.dtype.kind == "f" and not np.array_equal(y, np.round(y)):
        raise ValueError(
            f"{bunch.name}: the target {label} is a quantity, not a class ({example}); cut it into classes, such as by "
            "pandas.qcut, or name another column by target=."
        )
    if len(classes) == 1:
        raise ValueError(
            f"{bunch.name}: the target {label} holds only one class ({classes.tolist()[0]!r}); add samples of another, "
            "or name another column by target=."
        )
    if len(classes) > len(y) / 2:
        raise ValueError(
            f"{bunch.name}: the target {label} does not look like a class ({example} in {len(y)} samples); name the "
            "column of the label by target=."
        )
    if counts.min() == 1:
        raise ValueError(
            f"{bunch.name}: class {classes.tolist()[counts.argmin()]!r} of {label} has a single sample, but each class "
            "needs at least two; remove it, or merge it with another class."
        )

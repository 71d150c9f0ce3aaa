"""A CSV file of the user's own: the same checks, in plain sentences."""

import hashlib
import warnings

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from .parsing import labels

__all__ = ["load_csv"]

_MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "null"]


def load_csv(path, target=None):
    """Read a CSV file with a header line: every column but `target` is a numeric feature.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column that holds the label; default the last.

    Returns
    -------
    Bunch
        As `fscore.datasets.load` describes it.

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file is empty, has no header line, lacks the target column, or has features that are no numbers or labels
        that are missing.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: give the path of a CSV file, or a name of available().")
    content = path.read_bytes()
    frame = _read(path)
    target = frame.columns[-1] if target is None else target
    if target not in frame.columns:
        raise ValueError(f"{path.name} has no column {target!r}; its columns are: {', '.join(frame.columns)}.")
    y, features = frame[target], frame.drop(columns=target)
    if features.shape[1] == 0:
        raise ValueError(
            f"{path.name} has only one column, {target!r}; columns are told apart by comma, semicolon or tab."
        )
    if n_unlabelled := int(y.isna().sum()):
        raise ValueError(f"{path.name}: {n_unlabelled} rows have no label in {target!r}; fill or remove them.")
    if words := [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]:
        raise ValueError(
            f"{path.name}: these columns are not numbers: {', '.join(words)}. Encode or remove them, or name the label "
            f"by target= (it is now {target!r})."
        )
    data = features.to_numpy(dtype=np.float64)
    missing = features.isna().sum()
    note = ", ".join(f"{name} ({count})" for name, count in missing[missing > 0].items())
    if note:
        warnings.warn(f"{path.name}: missing values stay NaN in {note}", stacklevel=3)
    y = labels(y)
    return Bunch(
        data=data,
        target=y,
        feature_names=list(features.columns),
        target_names=[str(label) for label in np.unique(y)],
        split=None,
        groups=None,
        relevant=None,
        name=path.stem,
        source="csv",
        sha256=hashlib.sha256(content).hexdigest(),
        DESCR=f"{path.name}: {data.shape[0]} samples, {data.shape[1]} features, label in {target!r}."
        + (f"\nMissing values, kept as NaN: {note}." if note else ""),
    )


def _read(path):
    with open(path, encoding="utf-8-sig") as stream:
        first = stream.readline().strip()
    if not first:
        raise ValueError(f"{path.name} is empty or starts with an empty line; its first line must name the columns.")
    separator = max(",;\t", key=first.count)
    header = [cell.strip().strip('"') for cell in first.split(separator)]
    if all(_is_number(cell) for cell in header):
        raise ValueError(f"{path.name} has no header line (it starts with {first[:40]!r}): name the columns there.")
    if twice := sorted({cell for cell in header if header.count(cell) > 1}):
        raise ValueError(f"{path.name} has several columns called {', '.join(twice)}; column names must differ.")
    try:
        frame = pd.read_csv(
            path, sep=separator, encoding="utf-8-sig", na_values=_MISSING, keep_default_na=False, skipinitialspace=True
        )
    except pd.errors.ParserError as error:
        raise ValueError(f"{path.name} is not a regular CSV file: {error}") from None
    if frame.empty:
        raise ValueError(f"{path.name} has a header line but no data.")
    return frame.rename(columns=str.strip)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True

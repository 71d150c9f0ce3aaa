"""Every filter on a table of hostile inputs: a finite result of the right shape, or a ValueError or TypeError."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from fscore.filters import (
    MIFS,
    MRMR,
    bhattacharyya_score,
    fisher_score,
    information_gain,
    mdl_cuts,
    mutual_information,
    mutual_information_regression,
    pairwise_mutual_information,
    relief,
    relieff,
    rrelieff,
)

FOR_CLASSES = {
    "fisher_score": fisher_score,
    "bhattacharyya_score": bhattacharyya_score,
    "information_gain": information_gain,
    "information_gain, width": lambda X, y: information_gain(X, y, discretizer="width"),
    "information_gain, frequency": lambda X, y: information_gain(X, y, discretizer="frequency"),
    "mutual_information": mutual_information,
    "mutual_information, joint2d": lambda X, y: mutual_information(X, y, mode="joint2d", bandwidth="adaptive"),
    "relief": relief,
    "relieff": lambda X, y: relieff(X, y, n_neighbors=2),
    "MIFS": lambda X, y: MIFS().fit(X, y).relevance_,
    "MRMR": lambda X, y: MRMR(form="quotient").fit(X, y).relevance_,
}
FOR_REGRESSION = {
    "mutual_information_regression": mutual_information_regression,
    "rrelieff": rrelieff,
    "MRMR, regression": lambda X, y: MRMR(mode="regression").fit(X, y).relevance_,
}

X = np.random.default_rng(0).normal(size=(30, 3))
y = np.arange(30) % 2
t = X[:, 0] + np.random.default_rng(1).normal(size=30)


def with_first(value, dtype=object):
    changed = X.astype(object)
    changed[0, 0] = value
    return changed.astype(dtype)


LEGAL_X = {
    "floats": X,
    "list": X.tolist(),
    "float16": X.astype(np.float16),
    "int8": (X * 50).astype(np.int8),
    "uint64": np.full((30, 3), 2**64 - 1, dtype=np.uint64) - np.arange(90, dtype=np.uint64).reshape(30, 3),
    "bool": X > 0,
    "numbers as text": X.astype(str),
    "objects": X.astype(object),
    "fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=0)[::2],
    "reversed": X[::-1, ::-1],
    "frame": pd.DataFrame(X, columns=list("abc"), index=np.arange(30)[::-1]),
    "nullable frame": pd.DataFrame(X).astype("Float64"),
    "unmasked": np.ma.masked_array(X),
    "constant": np.ones((30, 3)),
    "one constant": X * [1, 0, 1],
    "copies": X[:, [0, 0, 0]],
    "equal rows": np.repeat(X[:1], 30, axis=0),
    "two values": np.where(X > 0, 1.0, 0.0),
    "signed zeros": np.where(X > 0, 0.0, -0.0),
    "huge": X * 1e307,
    "tiny": X * 1e-310,
    "mixed units": X * [1e300, 1, 1e-300],
    "offset": X + 1e16,
    "one huge value": with_first(1.7e308, float),
    "a single feature": X[:, :1],
    "more features than samples": np.random.default_rng(0).normal(size=(30, 40)),
}
ILLEGAL_X = {
    "NaN": with_first(np.nan, float),
    "infinity": with_first(np.inf, float),
    "None": with_first(None),
    "words": with_first("a"),
    "an integer beyond floats": with_first(10**400),
    "complex": X + 1j,
    "complex object": with_first(1j),
    "beyond float64": X.astype(np.longdouble) * np.longdouble("1e4000"),
    "masked": np.ma.masked_array(X, X > 1),
    "nullable frame with NA": pd.DataFrame(X).astype("Float64").mask(pd.DataFrame(X) > 2),
    "category": pd.DataFrame(X).assign(c=pd.Categorical(["a"] * 30)),
    "sparse": csr_array(X),
    "matrix": np.asmatrix(X),
    "ragged": [[1, 2], [3]] * 15,
    "no samples": X[:0],
    "no features": X[:, :0],
    "one sample": X[:1],
    "one dimension": X[:, 0],
    "three dimensions": X[None],
    "a number": 3.0,
    "nothing": None,
    "a set": {1, 2},
    "a dict": {"a": X},
}
LEGAL_CLASSES = {
    "integers": y,
    "floats": y.astype(float),
    "negative": y - 5,
    "large": y * 2**62,
    "bool": y > 0,
    "texts": np.array(["a", "b"])[y],
    "text objects": np.array(["a", "b"], dtype=object)[y],
    "list": y.tolist(),
    "column": y[:, None],
    "series": pd.Series(y, index=np.arange(30)[::-1]),
    "category": pd.Categorical(np.array(["a", "b"])[y]),
}
ILLEGAL_CLASSES = {
    "one class": np.zeros(30),
    "continuous": t,
    "NaN": np.where(y > 0, np.nan, 0.0),
    "infinity": np.where(y > 0, np.inf, 0.0),
    "None": np.array([None, 1], dtype=object)[y],
    "None in a list": ["a", None] * 15,
    "mixed types": ["a", 1] * 15,
    "integer objects": np.array([10**30, 1], dtype=object)[y],
    "bytes": np.array([b"a", b"b"])[y],
    "complex": y + 1j,
    "two columns": np.column_stack([y, y]),
    "too short": y[:-1],
    "empty": [],
    "a number": 1,
    "nothing": None,
}
LEGAL_TARGETS = {
    "floats": t,
    "integers": y,
    "bool": y > 0,
    "objects": t.astype(object),
    "huge": t * 1e307,
    "tiny": t * 1e-310,
    "one different value": np.eye(30)[0],
    "series": pd.Series(t, index=np.arange(30)[::-1]),
}
ILLEGAL_TARGETS = {
    "constant": np.ones(30),
    "texts": np.array(["a", "b"])[y],
    "numbers as text": t.astype(str),
    "dates": y.astype("M8[D]"),
    **{
        name: ILLEGAL_CLASSES[name]
        for name in (
            "NaN",
            "infinity",
            "None",
            "mixed types",
            "complex",
            "two columns",
            "too short",
            "empty",
            "nothing",
        )
    },
}


def check_legal(call, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings("ignore", "A column-vector y was passed")
        result = call(X, y)
    assert result.shape == (np.shape(X)[1],)
    if call is fisher_score:  # infinite where a feature is constant within the classes
        assert not np.isnan(result).any()
    else:
        assert np.isfinite(result).all()


def check_illegal(call, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError)) as caught:
            call(X, y)
    assert str(caught.value)


@pytest.mark.parametrize("call", FOR_CLASSES.values(), ids=FOR_CLASSES)
def test_filters_for_classes(call):
    for name, sample in LEGAL_X.items():
        if name != "equal rows":
            check_legal(call, sample, y)
    for labels in LEGAL_CLASSES.values():
        check_legal(call, X, labels)
    for sample in ILLEGAL_X.values():
        check_illegal(call, sample, y)
    for labels in ILLEGAL_CLASSES.values():
        check_illegal(call, X, labels)


@pytest.mark.parametrize("call", FOR_REGRESSION.values(), ids=FOR_REGRESSION)
def test_filters_for_regression(call):
    for sample in LEGAL_X.values():
        check_legal(call, sample, t)
    for target in LEGAL_TARGETS.values():
        check_legal(call, X, target)
    for sample in ILLEGAL_X.values():
        check_illegal(call, sample, t)
    for target in ILLEGAL_TARGETS.values():
        check_illegal(call, X, target)


def test_pairs_and_cuts():
    for sample in LEGAL_X.values():
        information = pairwise_mutual_information(sample)
        assert information.shape == (np.shape(sample)[1],) * 2
        assert np.isfinite(information).all()
        assert np.isfinite(mdl_cuts(np.asarray(sample)[:, 0], y)).all()
    for name, sample in ILLEGAL_X.items():
        check_illegal(lambda X, _: pairwise_mutual_information(X), sample, None)
        if name != "one dimension":
            check_illegal(mdl_cuts, sample, y)

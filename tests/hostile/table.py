"""One table of adversarial inputs, and how each public callable of the library is called with them.

`cases` lists the combinations. As a script, this module runs some of them in order, and writes a line before and after
each, so that whoever started it knows which one crashed or hangs::

    python table.py COUNT FIRST
"""

import contextlib
import inspect
import linecache
import pkgutil
import random
import re
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier

import fscore
from fscore.criteria import BlockFolds, CVAccuracy, GammaTest, Mahalanobis, RANNAccuracy

rng = np.random.default_rng(0)
n, d = 30, 3
X = rng.normal(size=(n, d))
y = np.arange(n) % 2
X[:, 1] += y
t = X[:, 0] + rng.normal(size=n)


def with_first(value, dtype=object):
    changed = X.astype(object)
    changed[0, 0] = value
    return changed.astype(dtype)


def read_only(values):
    values = values.copy()
    values.setflags(write=False)
    return values


# The inputs ----------------------------------------------------------------------------------------------------------

# Other forms of X or y: the result must be that of X and y, to the last bit.
SAME_X = {
    "list": X.tolist(),
    "tuple of rows": tuple(map(tuple, X.tolist())),
    "objects": X.astype(object),
    "big-endian": X.astype(">f8"),
    "fortran": np.asfortranarray(X),
    "read-only": read_only(X),
    "strided": np.repeat(X, 2, axis=0)[::2],
    "strided columns": np.repeat(X, 2, axis=1)[:, ::2],
    "reversed twice": X[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape),
    "frame": pd.DataFrame(X, columns=list("abc"), index=np.arange(n)[::-1]),
    "nullable frame": pd.DataFrame(X).astype("Float64"),
    "unmasked": np.ma.masked_array(X),
}
SAME_Y = {
    "list": y.tolist(),
    "tuple": tuple(y.tolist()),
    "floats": y.astype(float),
    "int8": y.astype(np.int8),
    "uint64": y.astype(np.uint64),
    "read-only": read_only(y),
    "strided": np.repeat(y, 2)[::2],
    "bool": y > 0,
    "large": y * 2**62,
    "negative": y - 5,
    "texts": np.array(["a", "b"])[y],
    "text objects": np.array(["a", "b"], dtype=object)[y],
    "hostile texts": np.array(["", "<script>\n"])[y],
    "series": pd.Series(y, index=np.arange(n)[::-1]),
    "category": pd.Categorical(np.array(["a", "b"])[y]),
}
SAME_T = {
    "list": t.tolist(),
    "objects": t.astype(object),
    "big-endian": t.astype(">f8"),
    "read-only": read_only(t),
    "strided": np.repeat(t, 2)[::2],
    "series": pd.Series(t, index=np.arange(n)[::-1]),
}
# Forms that a method may refuse; if it does not, the result is the same, too.
PERHAPS_SAME_X = {
    "numbers as text": X.astype(str),
    "sparse": csr_array(X),
    "sparse matrix": csr_matrix(X),
    "matrix": np.asmatrix(X),
}
PERHAPS_SAME_Y = {
    "column": y[:, None],
    "frame": pd.DataFrame({"y": y}),
    "dates": y.astype("M8[D]"),
    "bytes": np.array([b"a", b"b"])[y],
    "integer objects": np.array([1, 10**30], dtype=object)[y],
}
PERHAPS_SAME_T = {"column": t[:, None], "numbers as text": t.astype(str)}
# Values that a method may use or refuse; if it uses them, its result is finite and of the right shape.
ANY_X = {
    "float16": X.astype(np.float16),
    "float32": X.astype(np.float32),
    "long double": X.astype(np.longdouble),
    "int8": (X * 30).astype(np.int8),
    "uint64": np.full((n, d), 2**64 - 1, dtype=np.uint64) - np.arange(n * d, dtype=np.uint64).reshape(n, d),
    "bool": X > 0,
    "constant": np.ones((n, d)),
    "zeros": np.zeros((n, d)),
    "one constant": X * [1, 0, 1],
    "copies": X[:, [0, 0, 0]],
    "nearly copies": X[:, [0, 0, 0]] * [1, 1, 1 + 2**-50],
    "equal rows": np.repeat(X[:1], n, axis=0),
    "duplicated rows": np.repeat(X[:15], 2, axis=0),
    "two values": np.where(X > 0, 1.0, 0.0),
    "signed zeros": np.where(X > 0, 0.0, -0.0),
    "huge": X * 1e307,
    "large": X * 1e155,
    "tiny": X * 1e-310,
    "small": X * 1e-155,
    "mixed units": X * [1e300, 1, 1e-300],
    "offset": X + 1e16,
    "one huge value": with_first(1.7e308, float),
    "a nodata marker": with_first(-1.797e308, float),
    "one subnormal value": with_first(5e-324, float),
    "both ends": np.where(X > 0, 1.7e308, -1.7e308),
    "the label": np.column_stack([y, y, y]).astype(float),
    "a single feature": X[:, :1],
    "two features": X[:, :2],
    "more features than samples": np.random.default_rng(0).normal(size=(n, n + 10)),
    "a column of categories": pd.DataFrame(X).assign(c=pd.Categorical(["a"] * n)),
    "too short": X[:-1],  # refused where there are labels
    "row numbers": np.arange(n * d, dtype=float).reshape(n, d),
}
REFUSED_X = {
    "dates": np.full((n, d), np.datetime64("2026-01-01")),  # numpy counts their days
    "NaN": with_first(np.nan, float),
    "only NaN": np.full((n, d), np.nan),
    "infinity": with_first(np.inf, float),
    "minus infinity": with_first(-np.inf, float),
    "None": with_first(None),
    "pandas NA": with_first(pd.NA),
    "words": with_first("a"),
    "bytes": with_first(b"a"),
    "lists": with_first([1, 2]),
    "an integer beyond floats": with_first(10**400),
    "complex": X + 1j,
    "complex object": with_first(1j),
    "beyond float64": X.astype(np.longdouble) * np.longdouble("1e4000"),
    "masked": np.ma.masked_array(X, X > 1),
    "nullable frame with NA": pd.DataFrame(X).astype("Float64").mask(pd.DataFrame(X) > 1.5),
    "structured": np.zeros(n, dtype=[("a", float), ("b", float)]),
    "ragged": [[1, 2], [3]] * (n // 2),
    "no samples": X[:0],
    "no features": X[:, :0],
    "one sample": X[:1],
    "one dimension": X[:, 0],
    "three dimensions": X[None],
    "a number": 3.0,
    "text": "abc",
    "nothing": None,
    "an object": object(),
    "a set": {1, 2},
    "a dict": {"a": X},
    "a generator": (row for row in X),
    "empty list": [],
}
ANY_Y = {
    "three classes": np.arange(n) % 3,
    "a class of one": np.r_[1, np.zeros(n - 1, int)],
    "a class of two": np.r_[1, 1, np.zeros(n - 2, int)],
    "sorted": np.sort(y),
    "every sample a class": np.arange(n),
}
REFUSED_Y = {
    "one class": np.zeros(n),
    "continuous": t,
    "NaN": np.where(y > 0, np.nan, 0.0),
    "infinity": np.where(y > 0, np.inf, 0.0),
    "None": np.array([None, 1], dtype=object)[y],
    "None in a list": ["a", None] * (n // 2),
    "NaN among texts": np.where(y > 0, np.nan, np.array("a", dtype=object)),
    **{f"NA in {dtype}": pd.Series(["a", pd.NA] * (n // 2), dtype=dtype) for dtype in ("object", "string", "category")},
    "mixed types": ["a", 1] * (n // 2),
    "complex": y + 1j,
    "two columns": np.column_stack([y, y + 1]),  # of more than two classes, which no accuracy takes
    "too short": y[:-1],
    "too long": np.r_[y, 0],
    "empty": [],
    "a number": 1,
    "text": "abc",
    "nothing": None,
    "a dict": {"a": y},
    "sparse": csr_array(y[:, None]),
    "masked": np.ma.masked_array(y, np.arange(n) % 7 == 3),
}
ANY_T = {
    "integers": y,
    "bool": y > 0,
    "huge": t * 1e307,
    "tiny": t * 1e-310,
    "one different value": np.eye(n)[0],
    "a column of X": X[:, 0],
}
REFUSED_T = {
    "constant": np.ones(n),
    "texts": np.array(["a", "b"])[y],
    "dates": y.astype("M8[D]"),
    **{name: value for name, value in REFUSED_Y.items() if name not in ("one class", "continuous")},
}
# Values of parameters: each must be used or refused.
VALUES = {
    "None": None,
    "minus one": -1,
    "zero": 0,
    "a fraction": 1.5,
    "NaN": np.nan,
    "infinity": np.inf,
    "minus infinity": -np.inf,
    "text": "abc",
    "a number as text": "3",
    "bytes": b"abc",
    "a number as bytes": b"3",
    "true": True,
    "false": False,
    "a numpy bool": np.True_,
    "an empty list": [],
    "a list of NaN": [np.nan],
    "a ragged list": [[1], [1, 2]],
    "a dict": {},
    "complex": 1j,
    "an object": object(),
    "an array": np.ones((2, 2)),
}


# The callables -------------------------------------------------------------------------------------------------------


def public():
    """Every public name of the library, such as ``fscore.search.SFFS``, with its object."""
    found = {}
    for part in pkgutil.iter_modules(fscore.__path__, "fscore."):
        if not part.name.startswith("fscore._"):
            module = import_module(part.name)
            found |= {f"{part.name}.{name}": getattr(module, name) for name in getattr(module, "__all__", ())}
    return found


def used(model, X, y):
    """What a fitted estimator answers."""
    answers = {}
    for method in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            answer = getattr(model, method)(X)
            answers[method] = answer.toarray() if issparse(answer) else np.asarray(answer)
    for name in ("feature_importances_", "weights_", "relevances_", "relevance_", "support_", "ranking_"):
        if hasattr(model, name):
            answers[name] = np.asarray(getattr(model, name))
    return answers


def fitting(estimator, *, regression=False):
    def call(X, y, **parameters):
        model = clone(estimator).set_params(**parameters).fit(X, y)
        return used(model, X, y)

    call.estimator = estimator
    return call


def scoring(function, **fixed):
    def call(X, y, **parameters):
        return {"scores": np.asarray(function(X, y, **{**fixed, **parameters}))}

    call.function = function
    return call


def valuing(criterion):
    def call(X, y, **parameters):
        bound = clone(criterion).set_params(**parameters).bind(X, y)
        return {"values": np.asarray(bound.score([(0,), (0, 1), (1,)]))}

    call.estimator = criterion
    return call


def shared(function):
    """A measure of stability of subsets given as the samples."""

    def call(X, y, **parameters):
        return {"measure": np.asarray(function(X, **parameters))}

    call.function = function
    return call


def bound_for(name, thing):
    """One or more ways to call a public object, by a label."""
    short = name.rpartition(".")[2]
    if name.startswith("fscore.stability") and inspect.isfunction(thing):
        return {"": shared(thing)}
    if name in PLAIN:
        return PLAIN[name]
    if name == "fscore.search.SubsetSearch":  # abstract
        return {}
    if name.startswith("fscore.report"):  # tables of text: tests/test_report_reading.py
        return {}
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator) and hasattr(thing, "fit"):
        if "criterion" in inspect.signature(thing).parameters:
            few = {"max_evaluations": 40} if short in ("PBIL", "GeneticSearch", "RandomSearch") else {}
            size = {} if short == "DynamicOscillatingSearch" else {"n_features_to_select": 1}
            few |= {"population": 6, "generations": 3} if short == "GeneticSearch" else {}
            few |= {"random_state": 0} if "random_state" in inspect.signature(thing).parameters else {}
            ways = {"Gaussian": fitting(thing(Mahalanobis(), **size, **few))}
            if short in ("SFFS", "SBS", "ExhaustiveSearch"):
                ways["kNN"] = fitting(thing(CVAccuracy(KNeighborsClassifier(1), cv=3), **size))
            return ways
        parameters = {"random_state": 0} if "random_state" in inspect.signature(thing).parameters else {}
        return {label: fitting(thing(**parameters, **more)) for label, more in VARIANTS.get(short, {"": {}}).items()}
    return {}


VARIANTS = {
    "MIFS": {"": {"n_features_to_select": 1}, "joint2d": {"n_features_to_select": 1, "mode": "joint2d"}},
    "MRMR": {"": {"n_features_to_select": 1, "form": "quotient"}},
    "MDM": {"": {}, "soft": {"nu": 0.2}},
    "LMNN": {"": {}},
    "IRelief": {"": {}, "online": {"online": True}},
    "Simba": {"": {}, "sigmoid": {"utility": "sigmoid"}},
    "ReliefF": {"": {"n_neighbors": 3}},
    "RANNClassifierCV": {"": {"min_hidden": 2, "max_hidden": 5, "cv": 3}},
    "KNeighborsClassifierCV": {"": {"n_neighbors": (1, 3)}},
    "StabilitySelection": {"": {"selector": SelectKBest(k=1), "n_resamples": 6}},
    "GMLVQ": {"": {"max_iter": 20}},
    "GLVQ": {"": {"max_iter": 20}},
    "GRLVQ": {"": {"max_iter": 20}},
}


def _plain():
    f, s, c, w = (import_module(f"fscore.{part}") for part in ("filters", "search", "criteria", "weighting"))
    regression = {name: scoring(getattr(f, name)) for name in ("mutual_information_regression", "rrelieff")}
    nested = lambda X, y, **more: (  # noqa: E731
        s.nested_score(s.SFS(CVAccuracy(KNeighborsClassifier(1), cv=2), 1), X, y, **{"cv": 3, **more}).scores
    )
    return {
        **{f"fscore.filters.{name}": {"": call} for name, call in regression.items()},
        **{
            f"fscore.filters.{name}": {"": scoring(getattr(f, name))}
            for name in ("bhattacharyya_score", "fisher_score", "multisurf", "relief", "surf")
        },
        "fscore.filters.relieff": {"": scoring(f.relieff, n_neighbors=2)},
        "fscore.filters.information_gain": {
            label: scoring(f.information_gain, discretizer=label) for label in ("mdl", "width", "frequency")
        },
        "fscore.filters.mutual_information": {
            "": scoring(f.mutual_information),
            "joint2d": scoring(f.mutual_information, mode="joint2d", bandwidth="adaptive"),
        },
        "fscore.filters.pairwise_mutual_information": {
            "": scoring(lambda X, y, **more: f.pairwise_mutual_information(X, **more))
        },
        "fscore.filters.mdl_cuts": {"": scoring(lambda X, y: f.mdl_cuts(_first_column(X), y).sum())},
        "fscore.search.best_subsets": {"": scoring(lambda X, y: s.best_subsets(X, y, 1)["r2"].to_numpy())},
        "fscore.search.nested_score": {"": scoring(nested)},
        "fscore.search.redundancy_groups": {"": scoring(lambda X, y: s.redundancy_groups(X, [0])["weakest"].min())},
        **{
            f"fscore.criteria.{name}": {"kNN": valuing(getattr(c, name)(KNeighborsClassifier(1), cv=3))}
            for name in ("CVScore", "CVAccuracy")
        },
        **{
            f"fscore.criteria.{type(criterion).__name__}": {"": valuing(criterion)}
            for criterion in (GammaTest(5), RANNAccuracy(5), c.Bhattacharyya(), c.LinearFit(), Mahalanobis())
        },
        "fscore.criteria.gamma_test": {"": scoring(lambda X, y, **more: c.gamma_test(X, y, 5, **more).gamma)},
        "fscore.criteria.gamma_all_subsets": {
            "": scoring(lambda X, y, **more: c.gamma_all_subsets(X, y, (5,), **more)[..., 1:])
        },
        "fscore.criteria.rann_all_subsets": {
            "": scoring(lambda X, y, **more: c.rann_all_subsets(X, y, **{"n_hidden": 5, **more})[1:])
        },
        "fscore.criteria.BlockFolds": {
            "": scoring(lambda X, y, **more: len(list(BlockFolds(**{"n_splits": 3, **more}).split(X, y))))
        },
        "fscore.weighting.mdm_path": {"": scoring(lambda X, y, **more: w.mdm_path(X, y, [0.5, 0.9], **more)[-1])},
    }


def _first_column(X):
    values = np.asanyarray(X)
    return values[:, 0] if values.ndim == 2 and values.shape[1] else values


PLAIN = _plain()
REGRESSION = (
    "fscore.criteria.LinearFit",
    "fscore.filters.mutual_information_regression",
    "fscore.filters.rrelieff",
    "fscore.search.best_subsets",
)
_MISSING = ("NaN", "only NaN", "None", "pandas NA", "nullable frame with NA")
# What some public names use, though most refuse it: the Relief family takes missing values.
TAKEN = {
    **{f"fscore.filters.{name}": _MISSING for name in ("multisurf", "relief", "relieff", "rrelieff", "surf")},
    "fscore.filters.mdl_cuts": ("one dimension",),
}
UNLABELLED = ("fscore.filters.pairwise_mutual_information", "fscore.search.redundancy_groups", "fscore.stability.")


def ways():
    """Every way to call the library with samples: label, public name, call."""
    return {
        f"{name}[{label}]" if label else name: (name, call)
        for name, thing in public().items()
        for label, call in bound_for(name, thing).items()
    }


# The cases -----------------------------------------------------------------------------------------------------------


def tables_of(name):
    """The inputs of a public name: samples and labels (or targets), each as (same, perhaps same, any, refused)."""
    labels = (SAME_Y, PERHAPS_SAME_Y, ANY_Y, REFUSED_Y)
    if name in REGRESSION:
        labels = (SAME_T, PERHAPS_SAME_T, ANY_T, REFUSED_T)
    taken = {key: REFUSED_X[key] for key in TAKEN.get(name, ())}
    samples = (SAME_X, PERHAPS_SAME_X, ANY_X | taken, {k: v for k, v in REFUSED_X.items() if k not in taken})
    if name.startswith(("fscore.stability", "fscore.criteria.BlockFolds")):  # they expect subsets, or ignore X
        samples = ({}, {}, SAME_X | PERHAPS_SAME_X | ANY_X | REFUSED_X, {})
    return samples, ({}, {}, {}, {}) if name.startswith(UNLABELLED) else labels


def parameters_of(call):
    """Names of the parameters that a call passes on."""
    if hasattr(call, "estimator"):
        return list(call.estimator.get_params(deep=False))
    if hasattr(call, "function"):
        keywords = inspect.signature(call.function).parameters.values()
        return [p.name for p in keywords if p.kind is p.KEYWORD_ONLY]
    return []


def cases():
    """All cases, as (way, name of X, name of y, parameter, name of its value); an empty name is the plain value."""
    for way, (name, call) in ways().items():
        samples, labels = ([key for table in tables for key in table] for tables in tables_of(name))
        yield from ((way, sample, "", "", "") for sample in samples)
        yield from ((way, "", label, "", "") for label in labels)
        yield from ((way, "", "", parameter, value) for parameter in parameters_of(call) for value in VALUES)
        yield from ((way, x, label, "", "") for x in samples for label in labels if not x == label == "too short")


def chosen(count):
    """A seeded sample of the cases with one hostile argument, filled up with those that have two."""
    one, two = [], []
    for case in cases():
        (two if case[1] and case[2] else one).append(case)
    draw = random.Random(0)
    first = draw.sample(one, min(len(one), 3 * count // 4))
    return sorted(first + draw.sample(two, min(len(two), count - len(first))))


# The verdict ---------------------------------------------------------------------------------------------------------

INFINITE = ("fscore.filters.fisher_score",)  # where a feature is constant within the classes
# What every filter must use, without a RuntimeWarning.
FILTERED = (
    *("float16", "int8", "bool", "numbers as text", "constant", "one constant", "copies", "two values"),
    *("signed zeros", "huge", "tiny", "mixed units", "offset", "one huge value", "a single feature"),
    "more features than samples",
)
UNDEFINED = ("fscore.stability.nogueira_stability",)  # for subsets that are all empty or all full
BY_FEATURE = ("feature_importances_", "weights_", "relevances_", "relevance_", "support_", "ranking_")
BY_SAMPLE = ("transform", "predict", "predict_proba", "decision_function")


def explained(error):
    """Whether an error was raised by a check, ours or scikit-learn's, and not by an operation that failed."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    ours = [k for k, (file, _) in enumerate(frames) if "fscore" in Path(file).parts]
    if not ours:
        return True  # refused by scikit-learn, before our code
    if ours[-1] == len(frames) - 1:
        return linecache.getline(*frames[-1]).strip().startswith("raise")
    checks = re.compile(r"(joblib|sklearn/(utils|base|model_selection/_split|metrics/_scorer))")
    return any(checks.search(file) for file, _ in frames[ours[-1] + 1 :])


def verdict(case, plain):
    """An empty string if the library answers a case well, else what is wrong.

    Parameters
    ----------
    case : tuple
        As `cases` lists it.
    plain : dict
        Answers to the plain input by way; filled here.
    """
    way, sample, label, parameter, value = case
    name, call = ways()[way]
    samples, labels = tables_of(name)
    good = t if name in REGRESSION else y
    every = [{key: v for table in tables for key, v in table.items()} for tables in (samples, labels)]
    A, b = every[0].get(sample, X > 0 if name.startswith("fscore.stability") else X), every[1].get(label, good)
    kinds = {next((k for k in range(4) if key in tables[k]), 0) for key, tables in ((sample, samples), (label, labels))}
    same, refuse = not parameter and kinds <= {0, 1}, 3 in kinds
    must_use = (same and kinds == {0}) or (name.startswith("fscore.filters.") and sample in FILTERED and not label)
    if way not in plain:  # a failure here is one of the table
        plain[way] = call(X > 0 if name.startswith("fscore.stability") else X, good)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
            if must_use:
                warnings.simplefilter("error", RuntimeWarning)
            answers = call(A, b, **({parameter: VALUES[value]} if parameter else {}))
    except (ValueError, TypeError) as error:
        said = str(error)
        if must_use:
            return f"refused, though it can be used: {said:.200}"
        if not said.strip():
            return "refused without a word"
        if not explained(error):
            return f"{type(error).__name__} of an operation: {said:.200}"
        if parameter and not re.search(rf"\b({parameter}|{name.rpartition('.')[2]})\b", said):
            return f"refused without naming the parameter: {said:.200}"
        return ""
    except Exception as error:
        if isinstance(error, OverflowError) and name == "fscore.criteria.CVScore" and explained(error):
            return ""  # the words of the user's own estimator
        return f"{type(error).__name__}: {error!s:.200}"
    if refuse:
        return "used what it must refuse"
    return wrong_answer(name, answers, plain[way], getattr(A, "shape", X.shape), same)


def wrong_answer(name, answers, expected, shape, same):
    """What is wrong with the answers to an input of this shape."""
    for key, values in answers.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all() and name not in INFINITE + UNDEFINED:
            return f"{key} is not finite: {values.ravel()[~np.isfinite(values.ravel())][:3]}"
        if values.dtype.kind == "f" and np.isnan(values).any() and name not in UNDEFINED:
            return f"{key} is NaN"
        if values.dtype.kind == "U" and key == "transform":  # selectors keep numbers written as text
            values = values.astype(float)
        if key in BY_SAMPLE and values.shape[0] != shape[0]:
            return f"{key} has shape {values.shape} for X of shape {shape}"
        if key in BY_FEATURE and values.shape[-1] != shape[1]:
            return f"{key} has shape {values.shape} for X of shape {shape}"
        if same and key != "predict" and not np.array_equal(values, expected[key]):
            return f"{key} differs from that of the plain input: {values.ravel()[:3]}, {expected[key].ravel()[:3]}"
    return ""


def main(count, first):
    """Run the cases from a number on; write "number" before and "number verdict" after each."""
    warnings.simplefilter("ignore")
    plain = {}
    for number, case in enumerate(chosen(count)):
        if number >= first:
            print(number, flush=True)
            print(number, " ".join(verdict(case, plain).split()) or "well", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

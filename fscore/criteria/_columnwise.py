"""Pipelines that begin with transformers of single columns.

A transformer that treats columns independently commutes with choosing columns. So it is fitted once for each fold on
all columns, and what follows in the pipeline scores subsets of the transformed columns with or without refitting.
"""

import re
from collections.abc import Callable
from copy import copy
from itertools import takewhile
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from fscore._sklearn import input_columns, safe_indexing
from fscore.criteria._base import BoundCriterion
from fscore.criteria._fast import column_dtypes, is_single_precision
from fscore.criteria._folds import FoldData

MAX_BYTES = 10**9  # limit on the transformed samples of all folds

T = TypeVar("T", bound=type)


def _always(transformer):
    return True


def _is_elementwise(transformer):
    function = transformer.func
    return function is None or (isinstance(function, np.ufunc) and function.nin == 1 and not transformer.kw_args)


def _fills_by_type(imputer):
    """Whether an imputer fills in a number or a text, by the common type of its columns."""
    return imputer.strategy == "constant" and imputer.fill_value is None


SCALERS = [StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, QuantileTransformer, PowerTransformer]
COLUMNWISE: dict[type, Callable[[Any], bool]] = {  # whether an instance treats columns independently
    **dict.fromkeys([*SCALERS, OrdinalEncoder, Binarizer, TargetEncoder], _always),
    FunctionTransformer: _is_elementwise,
    SimpleImputer: lambda imputer: not imputer.add_indicator and not _fills_by_type(imputer),
    KBinsDiscretizer: lambda binner: binner.encode == "ordinal",
    OneHotEncoder: lambda encoder: not encoder.sparse_output,
}
ONE_TO_ONE: set[type] = {*SCALERS, OrdinalEncoder, Binarizer, FunctionTransformer}  # return one column for each


def register_columnwise(transformer: T) -> T:
    """Declare that a class of transformers treats columns independently and returns one column for each.

    In a pipeline that a `CVScore` cross-validates, such a transformer is then fitted once for each fold on all columns,
    rather than again for every subset. Can be used as a decorator.

    Parameters
    ----------
    transformer : type
        A class of transformers. Fitted on some columns, it must return for each of them what it returns when fitted
        on all: no random numbers that depend on the number of columns, no column left out or added.

    Returns
    -------
    type
        The class itself.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator, TransformerMixin
    >>> from fscore.criteria import register_columnwise
    >>> @register_columnwise
    ... class Ranks(TransformerMixin, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         return self
    ...     def transform(self, X):
    ...         return X.argsort(axis=0).argsort(axis=0)
    """
    if not isinstance(transformer, type):
        raise TypeError(f"{transformer!r} is not a class; pass the class of the transformer.")
    COLUMNWISE[transformer] = _always
    ONE_TO_ONE.add(transformer)
    return transformer


def fitted_once(bound_cv):
    """A `BoundCV` of the steps after those that treat columns independently, which are fitted once.

    Parameters
    ----------
    bound_cv : BoundCV

    Returns
    -------
    bound_cv : BoundCV
        The given one if the estimator is not a pipeline that begins with such transformers, or where fitting them on
        all columns might give something else.
    outputs : list of tuple of int or None
        The columns that each column becomes; None if that is the one at its own place.
    """
    if type(bound_cv.estimator) is not Pipeline or bound_cv.params.get("fit"):  # metadata, which its steps may use
        return bound_cv, None
    steps = _steps(bound_cv.estimator)
    n_first = len(list(takewhile(_is_columnwise, steps[:-1])))
    transformed = _transformed(steps[:n_first], bound_cv) if n_first else None
    if transformed is None:
        return bound_cv, None
    fold_data, outputs = transformed
    estimator = steps[-1] if n_first == len(steps) - 1 else make_pipeline(*steps[n_first:])
    return bound_cv.with_transformed(estimator, fold_data), outputs


def _steps(pipeline):
    """The steps of a pipeline and of those inside it."""
    steps = []
    for _, step in pipeline.steps:
        if type(step) is Pipeline:
            steps += _steps(step)
        elif step not in (None, "passthrough"):
            steps.append(step)
    return steps


def _is_columnwise(transformer):
    if isinstance(transformer, str):
        return True  # "passthrough" and "drop" within a ColumnTransformer
    if type(transformer) is Pipeline:
        return all(map(_is_columnwise, _steps(transformer)))
    if type(transformer) is ColumnTransformer:
        return _is_columnwise(transformer.remainder) and all(
            _is_columnwise(inner) and (not callable(columns) or isinstance(columns, make_column_selector))
            for _, inner, columns in transformer.transformers
        )
    return COLUMNWISE.get(type(transformer), lambda _: False)(transformer)


def _transformed(steps, bound_cv):
    """The transformed samples, one for each fold, and the columns that each column becomes, or None."""
    X = bound_cv.fold_data[0].X
    if _has_precision_of_others(X):
        return None
    fold_data, n_bytes = [], 0
    sources: list[set[int]] = []
    for f, (train, test) in enumerate(bound_cv.splits):
        A, B = safe_indexing(X, train), safe_indexing(X, test)
        y = None if bound_cv.y is None else safe_indexing(bound_cv.y, train)
        fitted = [clone(step) for step in steps]
        try:
            for step in fitted:
                A = step.fit_transform(A, y) if hasattr(step, "fit_transform") else step.fit(A, y).transform(A)
                B = step.transform(B)
        except (ValueError, TypeError):  # a column that cannot be transformed concerns only the subsets that hold it
            return None
        in_fold = _origins_of_chain(fitted, X.shape[1])
        rows = np.concatenate([train, test])
        is_sure = type(A) is type(B) is np.ndarray and len(in_fold) == A.shape[1] and all(len(s) == 1 for s in in_fold)
        n_bytes += X.shape[0] * len(in_fold) * 8
        if not is_sure or n_bytes > MAX_BYTES or (f and in_fold != sources) or len(np.unique(rows)) < len(rows):
            return None
        sources = in_fold
        both = np.vstack([A, B])
        Z = np.zeros((X.shape[0], len(in_fold)), dtype=both.dtype)
        Z[rows] = both
        fold_data.append(FoldData(Z, range(f, f + 1)))
    if sources == [{c} for c in range(X.shape[1])]:
        return fold_data, None
    outputs: list[list[int]] = [[] for _ in range(X.shape[1])]
    for o, (c,) in enumerate(sources):
        outputs[c].append(o)
    return fold_data, list(map(tuple, outputs))


def _has_precision_of_others(X):
    """Whether a column of a data frame in single precision becomes one in double precision beside the others."""
    if issparse(X):
        return False
    numeric = {dtype for dtype in column_dtypes(X) if dtype.kind in "biuf"}
    return len(numeric) > 1 and any(map(is_single_precision, numeric))


def origins(transformer, n_inputs):
    """The set of input columns that each output column of a fitted transformer comes from.

    Raises
    ------
    ValueError
        If the transformer does not name its outputs.
    """
    if isinstance(transformer, str):
        return [{i} for i in range(n_inputs)] if transformer == "passthrough" else []
    if isinstance(transformer, Pipeline):
        return _origins_of_chain([step or "passthrough" for _, step in transformer.steps], n_inputs)
    if isinstance(transformer, FeatureUnion):
        return [o for _, inner in transformer.transformer_list for o in origins(inner, n_inputs)]
    if isinstance(transformer, ColumnTransformer):
        return _origins_of_parts(transformer)
    if type(transformer) in ONE_TO_ONE and COLUMNWISE[type(transformer)](transformer):
        return [{i} for i in range(n_inputs)]
    transformer = copy(transformer)
    vars(transformer).pop("feature_names_in_", None)  # other names are accepted only without feature_names_in_
    try:
        names = transformer.get_feature_names_out([f"\x00{i}\x00" for i in range(n_inputs)])  # in no category
    except AttributeError:
        raise ValueError(
            f"{transformer!r} does not name its output columns; give it feature_names_out, or list the column_groups."
        ) from None
    inputs_by_name = [{int(i) for i in re.findall("\x00([0-9]+)\x00", name)} for name in names]
    return [inputs or set(range(n_inputs)) for inputs in inputs_by_name]


def _origins_of_chain(steps, n_inputs):
    outputs = [{i} for i in range(n_inputs)]
    for step in steps:
        outputs = [set().union(*(outputs[i] for i in inputs)) for inputs in origins(step, len(outputs))]
    return outputs


def _origins_of_parts(transformer):
    if not hasattr(transformer, "output_indices_"):
        return []  # all columns are dropped
    outputs: dict[int, set[int]] = {}
    n_outputs = max(columns.stop for columns in transformer.output_indices_.values())
    for name, inner, _ in transformer.transformers_:
        inputs = input_columns(transformer, name)
        columns = range(*transformer.output_indices_[name].indices(n_outputs))
        if columns:
            for column, sources in zip(columns, origins(inner, len(inputs)), strict=True):
                outputs[column] = {inputs[i] for i in sources}
    return [outputs[column] for column in range(n_outputs)]


class TransformedColumns(BoundCriterion):
    """A criterion over transformed columns as one over the columns that they come from.

    Parameters
    ----------
    bound : BoundCriterion
        Over the transformed columns.
    outputs : list of tuple of int
        The transformed columns that each column becomes.
    """

    def __init__(self, bound, outputs):
        self.bound, self.outputs = bound, outputs
        self.max_batch, self.min_batch = bound.max_batch, bound.min_batch
        self.min_shared_columns = bound.min_shared_columns
        self.splits, self.context = bound.splits, bound.context

    def set_time_check(self, time_check):
        self.bound.set_time_check(time_check)

    def close(self):
        self.bound.close()

    def _score(self, subsets):
        return self.bound._score(self._columns(subsets))

    def _columns(self, subsets):
        columns = [tuple(sorted(o for c in subset for o in self.outputs[c])) for subset in subsets]
        if not all(columns):
            raise ValueError("the transformers drop all columns of a subset; exclude such columns.")
        return columns

    def _fold_scores(self, columns):
        return self.bound._fold_scores(*self._columns([columns]))

    def extra_scores(self, subsets):
        return self.bound.extra_scores(self._columns(subsets))

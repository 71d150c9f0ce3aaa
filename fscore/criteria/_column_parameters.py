"""Parameters that refer to columns, by number or by name: on a subset they must refer to the same columns.

`clone_for_subset` is the one place that knows of them. It follows the columns of X through the steps of a pipeline and
the parts of a column transformer to every estimator inside a model, and lets each parameter listed in
`COLUMN_PARAMETERS` refer to the columns that a subset has. What cannot be followed is refused.
"""

from ast import literal_eval
from collections.abc import Mapping, Sequence
from contextlib import suppress
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder
from sklearn.utils.metadata_routing import get_routing_for_object

from fscore._columns import check_mask
from fscore._sklearn import column_indices
from fscore.criteria._columnwise import COLUMNWISE

# What a parameter holds.
LIST = "numbers or names of columns, or a mask"
GROUPS = "lists of numbers or names of columns"
ONE_EACH = "one value for each column, in their order or by name"
MATRIX = "a matrix with these columns"

COLUMN_PARAMETERS = {
    **dict.fromkeys(("categorical_features", "discrete_features", "fixed", "excluded"), LIST),
    **dict.fromkeys(("cat_features", "text_features", "embedding_features", "ignored_features"), LIST),
    **dict.fromkeys(("categorical_feature", "variables", "cols", "columns", "features_to_drop"), LIST),
    **dict.fromkeys(("interaction_cst", "interaction_constraints", "column_groups"), GROUPS),
    **dict.fromkeys(("monotonic_cst", "monotone_constraints", "n_bins", "categories", "drop"), ONE_EACH),
    **dict.fromkeys(("feature_weights", "feature_types", "feature_contri", "max_bin_by_feature"), ONE_EACH),
    **dict.fromkeys(("first_feature_use_penalties", "per_object_feature_penalties", "feature_name"), ONE_EACH),
    **dict.fromkeys(("cegb_penalty_feature_lazy", "cegb_penalty_feature_coupled"), ONE_EACH),
    **dict.fromkeys(("min_categories", "min_value", "max_value", "imputer_dict", "binning_dict"), ONE_EACH),
    **dict.fromkeys(("length_scale", "length_scale_bounds"), ONE_EACH),
    **dict.fromkeys(("knots", "means_init"), MATRIX),
}
MAY_BE_SHORTER = {"monotone_constraints"}  # XGBoost adds zeros
MUST_COVER = {"interaction_constraints"}  # XGBoost splits by a column in no group, LightGBM does not
# Empty, they are refused by transformers that have nothing to do then.
REFUSED_IF_EMPTY = {"variables", "features_to_drop", "imputer_dict", "binning_dict"}
OF_METRIC = {"w", "V", "VI"}
GRIDS = ("param_grid", "param_distributions")
# Estimators, and kernels of Gaussian processes, to which an estimator passes all columns.
INNER = ("estimator", "regressor", "base_estimator", "criterion", "selector", "kernel", "k1", "k2")
SEVERAL = ("estimators", "transformer_list")


def inner_estimators(estimator):
    """The estimators to which a meta-estimator passes its columns."""
    return [inner for _, inner in _named_inner_estimators(estimator)]


def _named_inner_estimators(estimator):
    params = estimator.get_params(deep=False)
    several = [item[:2] for name in SEVERAL for item in params.get(name) or () if isinstance(item, tuple)]
    return [(name, params[name]) for name in INNER if name in params] + several


class InputColumns(NamedTuple):
    """The columns that an estimator gets of all columns of X, and which of them remain in a subset.

    Attributes
    ----------
    names : tuple or None
    n : int
        Number of columns.
    subset : sequence of int
        The columns that remain, in ascending order.
    in_order : bool
        Whether the estimator gets exactly these columns, in this order; otherwise only a name tells a column.
    """

    names: tuple | None
    n: int
    subset: Sequence[int]
    in_order: bool = True

    @classmethod
    def from_data(cls, X, subset):
        """The columns of X."""
        return cls(tuple(X.columns) if hasattr(X, "columns") else None, X.shape[1], subset)

    def take(self, numbers):
        """These of the columns."""
        names = None if self.names is None else tuple(self.names[c] for c in numbers)
        remaining = set(self.subset)
        return InputColumns(names, len(numbers), tuple(i for i, c in enumerate(numbers) if c in remaining))

    def numbers(self, label, chosen):
        """The numbers of columns that a parameter gives by number, name, slice or mask."""
        if _are_names(chosen):
            positions = {name: c for c, name in enumerate(self.names or ())}
            if positions.keys() >= set(chosen):
                return [positions[name] for name in chosen]
        if not self.in_order:
            raise _cannot_tell(label, chosen)
        if self.names is None:
            table = np.empty((0, self.n))
        else:
            from pandas import DataFrame

            table = DataFrame(columns=list(self.names))
        check_mask(chosen, label, self.n)
        try:
            return column_indices(table, chosen)
        except ValueError as error:
            raise ValueError(f"{label} is {chosen!r:.200}, which are no columns of X: {error}.") from None

    def remaining(self, label, chosen):
        """What a parameter gives without the columns that are not in the subset; names stay names."""
        numbers, positions = self.numbers(label, chosen), {c: position for position, c in enumerate(self.subset)}
        if _are_names(chosen):
            return [name for name, c in zip(chosen, numbers, strict=True) if c in positions]
        return [positions[c] for c in numbers if c in positions]


NO_COLUMNS: Any = object()  # in place of `InputColumns`, for outputs such as principal components


def _are_names(chosen):
    return not isinstance(chosen, slice) and all(isinstance(c, str) for c in chosen)


def _cannot_tell(label, value):
    return ValueError(
        f"{label} is {value!r:.200}, which refers to columns behind a transformer that may add, drop or move columns; "
        "refer to columns of X by name behind set_output(transform='pandas'), or let the transformer inherit from "
        "OneToOneFeatureMixin if it keeps all columns."
    )


# a model for a subset -----------------------------------------------------------------------------------------------


def clone_for_subset(estimator, columns, X):
    """A copy of an estimator for a subset of the columns of X, to all of which its parameters refer.

    Parameters
    ----------
    estimator : estimator
    columns : sequence of int
    X : array-like of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If a parameter refers to columns, but not in a way that tells which of them a subset has.
    """
    return _for_subset(clone(estimator), InputColumns.from_data(X, columns), [])


def _for_subset(estimator, columns, tried):
    """Let all parameters of an estimator, which is changed, refer to the columns that remain.

    ``tried`` holds the parameters, and their values, that a grid search around the estimator tries.
    """
    for path, inner, inputs, tried_inside in list(_estimators(estimator, columns, tried)):
        if inputs is NO_COLUMNS:
            continue
        changed = _changed_parameters(inner, inputs, tried_inside)
        if path and any(not changed[name] for name in REFUSED_IF_EMPTY & changed.keys()):
            estimator.set_params(**{path: "passthrough"})
        elif changed:
            inner.set_params(**changed)
    return estimator


def fit_params_of_subset(params, estimator, columns, X):
    """Metadata for the ``fit`` of an estimator: what refers to columns of X refers to those of the subset.

    Raises
    ------
    ValueError
        If a parameter is a list but not one value for each sample, and does not tell which columns a subset has.
    """
    changed = {}
    for name, value in params.items():
        if name in COLUMN_PARAMETERS:
            changed[name] = _fit_param_of_subset(name, value, estimator, InputColumns.from_data(X, columns))
        elif _is_list(value) and _length(value) != X.shape[0] and not all(map(callable, value)):
            raise _belongs_to_all(name, value)
    return {**params, **changed}


def _fit_param_of_subset(name, value, estimator, columns):
    """As the estimators that request it should get it; all must see the same columns."""
    readers = [
        (inner, inputs)
        for _, inner, inputs, _ in _estimators(estimator, columns, [])
        if name in _requested_by_fit(inner)
    ]
    if not readers and name in signature(estimator.fit).parameters:
        readers = [(estimator, columns)]
    values = [value if inputs is NO_COLUMNS else _for_columns(inner, name, value, inputs) for inner, inputs in readers]
    if not values or any(other != values[0] for other in values):
        raise _belongs_to_all(name, value)
    return values[0]


def _requested_by_fit(estimator):
    """Names of the metadata that an estimator itself requests, as the caller gives them."""
    requests = getattr(getattr(get_routing_for_object(estimator), "fit", None), "requests", {})
    return {alias if isinstance(alias, str) else name for name, alias in requests.items() if alias}


def _belongs_to_all(name, value):
    return ValueError(
        f"fit got {name}={value!r:.200}, which is not one value for each sample and may belong to all columns and not "
        "to a subset; leave it out, or set it in the estimator itself."
    )


def _length(value):
    return value.shape[0] if hasattr(value, "shape") else len(value)


# the columns that each estimator gets -------------------------------------------------------------------------------


def _estimators(estimator, columns, tried, path=""):
    """Every estimator inside a model: its path as in ``set_params``, itself, its columns, what a grid tries in it."""
    if not hasattr(estimator, "get_params"):  # "passthrough"
        return
    yield path, estimator, columns, tried
    for name, inner, inputs in _inner_inputs(estimator, columns, tried):
        tried_inside = _inside(tried, name) + (_tried_by(estimator) if name == "estimator" else [])
        yield from _estimators(inner, inputs, tried_inside, f"{path}__{name}" if path else name)


def _inner_inputs(estimator, columns, tried):
    """The estimators directly inside an estimator: name, itself, columns."""
    if isinstance(estimator, Pipeline):
        for name, step in estimator.steps:
            yield name, step, columns
            columns = _outputs_of_all_tried(step, columns, name, tried)
        return
    if isinstance(estimator, ColumnTransformer):
        for name, transformer, _, inputs in _blocks(estimator, columns):
            yield name, transformer, inputs
        return
    for name, inner in _named_inner_estimators(estimator):
        yield name, inner, columns
    params = estimator.get_params(deep=False)
    if "final_estimator" in params:  # of a stack: it gets predictions, and with passthrough columns behind them
        behind = columns is not NO_COLUMNS and params.get("passthrough")
        yield "final_estimator", params["final_estimator"], columns._replace(in_order=False) if behind else NO_COLUMNS


def _blocks(transformer, columns):
    """The transformers of a column transformer: name, itself, the columns as they are given, `InputColumns`."""
    if columns is NO_COLUMNS:
        for name, inner, chosen in transformer.transformers:
            yield name, inner, chosen, NO_COLUMNS
        yield "remainder", transformer.remainder, None, NO_COLUMNS
        return
    rest, in_order = list(range(columns.n)), columns.in_order
    for name, inner, chosen in transformer.transformers:
        if callable(chosen):  # known once it has seen the data
            in_order = False
            yield name, inner, chosen, columns._replace(in_order=False)
            continue
        numbers = _numbers_of_block(transformer, name, chosen, columns)
        taken = set(numbers)
        rest = [c for c in rest if c not in taken]
        yield name, inner, chosen, columns if _are_all(chosen) else columns.take(numbers)
    yield "remainder", transformer.remainder, None, columns.take(rest)._replace(in_order=in_order)


def _numbers_of_block(transformer, name, chosen, columns):
    if _are_all(chosen):
        return range(columns.n)
    return columns.numbers(f"{name} of {type(transformer).__name__}", [chosen] if np.isscalar(chosen) else chosen)


def _are_all(chosen):
    return isinstance(chosen, slice) and chosen == slice(None)


def _outputs_of_all_tried(step, columns, name, tried):
    """What a step of a pipeline returns, if everything returns the same that a grid search tries in its place."""
    steps = [step, *(value for path, value in tried if path == name)]
    steps += [
        clone(s).set_params(**{path: value})
        for path, value in _inside(tried, name)
        for s in steps
        if hasattr(s, "get_params") and path in s.get_params()
    ]
    outputs = [_outputs(s, columns) for s in steps]
    if len({o if o is NO_COLUMNS else o._replace(subset=tuple(o.subset)) for o in outputs}) == 1:
        return outputs[0]
    return next(o for o in outputs if o is not NO_COLUMNS)._replace(in_order=False)


def _outputs(step, columns):
    """The columns that a transformer, or a sampler, returns."""
    if columns is NO_COLUMNS or hasattr(step, "fit_resample"):
        return columns
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            columns = _outputs(inner, columns)
        return columns
    if isinstance(step, ColumnTransformer):
        return _side_by_side(step, [(name, inner, inputs) for name, inner, _, inputs in _blocks(step, columns)])
    if isinstance(step, FeatureUnion):
        return _side_by_side(step, [(name, inner, columns) for name, inner in step.transformer_list])
    if _names_outputs_as(ClassNamePrefixFeaturesOutMixin, step):
        return NO_COLUMNS
    return columns if _keeps_columns(step) else columns._replace(in_order=False)


def _side_by_side(transformer, blocks):
    """What a transformer returns that puts the outputs of several ones side by side."""
    outputs = {
        name: _outputs(inner, inputs)
        for name, inner, inputs in blocks
        if inputs.n and not (isinstance(inner, str) and inner == "drop")
    }
    columns = {name: o for name, o in outputs.items() if o is not NO_COLUMNS}
    names, n, subset = [], 0, []
    for name, o in columns.items():
        names += [_output_name(transformer, name, c) for c in o.names or ()]
        subset += [n + c for c in o.subset]
        n += o.n
    in_order = len(columns) == len(outputs) and all(o.in_order for o in columns.values())
    return InputColumns(tuple(names) if len(names) == n else None, n, tuple(subset), in_order)


def _output_name(transformer, prefix, column):
    style = transformer.verbose_feature_names_out
    if callable(style):
        return style(prefix, column)
    if isinstance(style, str):
        return style.format(transformer_name=prefix, feature_name=column)
    return f"{prefix}__{column}" if style else column


def _keeps_columns(step):
    """Whether a transformer returns one column for each, at the same place, whatever the data."""
    if step in (None, "passthrough"):
        return True
    if isinstance(step, OneHotEncoder | TargetEncoder):
        return False
    if hasattr(step, "add_indicator"):  # an imputer
        return not step.add_indicator
    if type(step) in COLUMNWISE:
        return COLUMNWISE[type(step)](step) or _returns_names(step)
    return _names_outputs_as(OneToOneFeatureMixin, step) or _returns_names(step)


def _names_outputs_as(mixin, step):
    return getattr(type(step), "get_feature_names_out", None) is mixin.get_feature_names_out


def _returns_names(step):
    """Whether a transformer that is not fitted knows that its outputs have the names of its inputs."""
    names = np.array(["a", "b", "c"], dtype=object)
    with suppress(Exception):
        return list(clone(step).get_feature_names_out(names)) == list(names)
    return False


# the parameters of one estimator ------------------------------------------------------------------------------------


def _changed_parameters(estimator, columns, tried):
    """The parameters of an estimator that refer to columns, with their values for those that remain."""
    if isinstance(estimator, ColumnTransformer):
        return {
            "transformers": [
                (name, inner, _chosen_in_block(estimator, name, chosen, columns))
                for name, inner, chosen in estimator.transformers
            ]
        }
    params = estimator.get_params(deep=False)
    if weights := OF_METRIC & set(params.get("metric_params") or {}):
        raise ValueError(
            f"metric_params of {type(estimator).__name__} holds {min(weights)!r}, which belongs to all columns and not "
            "to a subset; scale the columns of X instead."
        )
    changed = {}
    for name in COLUMN_PARAMETERS & params.keys():
        value = _for_columns(estimator, name, params[name], columns)
        if value is not params[name]:
            changed[name] = value
    for name in GRIDS:
        if params.get(name):
            changed[name] = _grids_for_columns(estimator, params[name], columns, tried)
    return changed


def _chosen_in_block(transformer, name, chosen, columns):
    if callable(chosen) or _are_all(chosen):
        return chosen
    label = f"{name} of {type(transformer).__name__}"
    if np.isscalar(chosen):  # one column, as a vector
        remaining = columns.remaining(label, [chosen])
        return remaining[0] if remaining else []
    return columns.remaining(label, chosen)


def _for_columns(estimator, name, value, columns):
    """The value of a parameter for the columns that remain; itself if it refers to no columns."""
    label, form = f"{name} of {type(estimator).__name__}", COLUMN_PARAMETERS[name]
    if isinstance(value, str) and not (form is LIST and value in (columns.names or ())):
        return _text_for_columns(estimator, name, value, columns)
    if form is LIST and np.isscalar(value) and not isinstance(value, bool):
        return columns.remaining(label, [value])
    if not _is_list(value) or not len(value) or (name == "length_scale_bounds" and np.ndim(value) < 2):
        return value
    if form is LIST:
        return _of_same_type(value, columns.remaining(label, list(value)))
    if form is GROUPS:
        return _groups_for_columns(label, name, value, columns)
    if form is MATRIX:
        return np.column_stack(_one_each_for_columns(label, name, list(np.transpose(value)), columns))
    if isinstance(value, Mapping):
        return {new: value[old] for old in value for new in columns.remaining(label, [old])}
    return _one_each_for_columns(label, name, value, columns)


def _groups_for_columns(label, name, groups, columns):
    left_out = set(range(columns.n)).difference(*(columns.numbers(label, list(group)) for group in groups))
    if name in MUST_COVER and left_out:
        raise ValueError(
            f"{label} is {groups!r:.200}, with column {min(left_out)} in no group, which libraries treat differently; "
            "put every column into a group, if need be alone."
        )
    remaining = [columns.remaining(label, list(group)) for group in groups]
    return [group for group in remaining if group] or None


def _one_each_for_columns(label, name, values, columns):
    if not columns.in_order:
        raise _cannot_tell(label, values)
    missing = columns.n - len(values)
    if missing < 0 or (missing and name not in MAY_BE_SHORTER):
        raise ValueError(
            f"{label} is {values!r:.200}, {len(values)} values for {columns.n} columns; give one for each."
        )
    padded = [*values, *[0] * missing]
    remaining = [padded[c] for c in columns.subset]
    return _of_same_type(values, remaining)


def _of_same_type(values, remaining):
    return tuple(remaining) if isinstance(values, tuple) else remaining  # XGBoost and CatBoost tell them apart


def _text_for_columns(estimator, name, text, columns):
    """For "(1, 0, -1)", "[0, 1], [2]" and the like, in which boosters take lists; other texts refer to no columns."""
    if not any(c in text for c in ",:[(0123456789"):
        return text
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(
            f"{name} of {type(estimator).__name__} is {text!r:.200}, in which the columns of a subset cannot be found; "
            "give a list, a tuple or a dict."
        ) from None
    if isinstance(value, int):
        value = (value,)
    inside = repr(_for_columns(estimator, name, list(value), columns) or []).replace(" ", "")[1:-1]
    return f"[{inside}]" if isinstance(value, list) else f"({inside})" if text.strip()[0] == "(" else inside


def _is_list(value):
    return np.iterable(value) and not isinstance(value, str)


# parameter grids ----------------------------------------------------------------------------------------------------


def _tried_by(estimator):
    """The parameters, and their values, that a grid search tries."""
    params = estimator.get_params(deep=False)
    grids = [grid for name in GRIDS for grid in _as_list(params.get(name) or [])]
    return [(path, value) for grid in grids for path, values in _listed(grid).items() for value in values]


def _as_list(grids):
    return [grids] if isinstance(grids, Mapping) else list(grids)


def _listed(grid):
    """The parameters for which a grid lists values, rather than giving a distribution."""
    return {path: values for path, values in grid.items() if _is_list(values) and len(values)}


def _inside(tried, name):
    """What of the tried parameters belongs to an inner estimator."""
    return [(path.removeprefix(f"{name}__"), value) for path, value in tried if path.startswith(f"{name}__")]


def _grids_for_columns(search, grids, columns, tried):
    changed = [_grid_for_columns(search.estimator, grid, columns, tried) for grid in _as_list(grids)]
    return changed[0] if isinstance(grids, Mapping) else changed


def _grid_for_columns(estimator, grid, columns, tried):
    """Each value as it is in the estimator for the subset, once it is set there."""
    listed = _listed(grid)
    first = clone(estimator).set_params(**{path: clone(values[0], safe=False) for path, values in listed.items()})
    tried = _inside(tried, "estimator") + [(path, value) for path, values in listed.items() for value in values]
    changed = {}
    for path, values in listed.items():
        changed[path] = list(values)
        for i, value in enumerate(values):
            if path.rpartition("__")[2] in COLUMN_PARAMETERS or not (value is None or np.isscalar(value)):
                model = clone(first).set_params(**{path: clone(value, safe=False)})
                changed[path][i] = _for_subset(model, columns, tried).get_params()[path]
    return {**grid, **changed}

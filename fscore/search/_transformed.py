"""Groups of columns that a transformer makes of one input column, such as the dummies of a category."""

from copy import deepcopy

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import check_is_fitted

from fscore._typing import Estimator

__all__ = ["columns_of"]

_TOKEN = "\x00{}\x00"  # stands for the name of an input column; no category has it in its name


def columns_of(transformer: Estimator) -> list[list[int]]:
    """Groups of output columns that come from the same input column, for a search's `column_groups`.

    The dummies of a category, the powers or the splines of a number are one unit: a search takes all of them or none.

    Parameters
    ----------
    transformer : ColumnTransformer, or any transformer with ``get_feature_names_out``
        Fitted.

    Returns
    -------
    list of list of int
        Groups of two columns or more; every other column is a unit by itself. Output columns that come from several
        input columns, such as products, join these in one group; so do all outputs of a transformer that does not say
        what they come from, such as PCA. A column of texts is one input column.

    Raises
    ------
    ValueError
        If the transformer cannot name its outputs, or does not say how many columns its input has.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.compose import ColumnTransformer
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from fscore.search import SFS, columns_of
    >>> X = pd.DataFrame({"size": [3, 1, 2, 5, 4, 6], "colour": list("rgbrgb"), "age": [1, 1, 2, 3, 5, 8]})
    >>> y = [7.0, 3.1, 5.0, 9.1, 6.0, 10.9]
    >>> encode = ColumnTransformer([("colour", OneHotEncoder(), ["colour"])], remainder="passthrough").fit(X)
    >>> columns_of(encode)
    [[0, 1, 2]]
    >>> search = SFS(LinearRegression(), 1, cv=3, column_groups=columns_of(encode)).fit(encode.transform(X), y)
    >>> encode.get_feature_names_out()[search.get_support()].tolist()
    ['remainder__size']
    """
    check_is_fitted(transformer)
    return _connected(_origins(transformer, _n_inputs(transformer)))


def _n_inputs(transformer):
    """Number of input columns; of pipelines and unions that of the first part that does something, 0 if none does."""
    if isinstance(transformer, Pipeline):
        parts = transformer.steps
    elif isinstance(transformer, FeatureUnion):
        parts = transformer.transformer_list
    else:
        return _n_columns_seen(transformer)
    return next((n for _, part in parts if not isinstance(part, str | None) and (n := _n_inputs(part))), 0)


def _n_columns_seen(transformer):
    """Number of columns that a transformer was fitted to; texts are one."""
    if hasattr(transformer, "n_features_in_"):
        return transformer.n_features_in_
    tags = get_tags(transformer).input_tags
    if tags.string and not tags.two_d_array:
        return 1
    raise ValueError(
        f"{transformer!r} does not say how many columns its input has; give it n_features_in_, or list the "
        "column_groups."
    )


def _origins(transformer, n_inputs):
    """The set of input columns that each output column comes from."""
    if isinstance(transformer, str):
        return [{i} for i in range(n_inputs)] if transformer == "passthrough" else []
    if isinstance(transformer, Pipeline):
        origins = [{i} for i in range(n_inputs)]
        for _, step in transformer.steps:
            origins = [
                set().union(*(origins[i] for i in some)) for some in _origins(step or "passthrough", len(origins))
            ]
        return origins
    if isinstance(transformer, FeatureUnion):
        return [o for _, part in transformer.transformer_list for o in _origins(part, n_inputs)]
    if isinstance(transformer, ColumnTransformer):
        return _origins_of_parts(transformer)
    tokens = [_TOKEN.format(i) for i in range(n_inputs)]
    transformer = deepcopy(transformer)
    vars(transformer).pop("feature_names_in_", None)  # otherwise it takes no other names
    try:
        names = transformer.get_feature_names_out(tokens)
    except AttributeError:
        raise ValueError(
            f"{transformer!r} does not name its output columns; give it feature_names_out, or list the column_groups."
        ) from None
    origins = [{i for i, token in enumerate(tokens) if token in name} for name in names]
    return [found or set(range(n_inputs)) for found in origins]


def _origins_of_parts(transformer):
    if not hasattr(transformer, "output_indices_"):
        return []  # all columns are dropped
    origins = [None] * max(part.stop for part in transformer.output_indices_.values())
    for name, part, _ in transformer.transformers_:
        inputs = transformer._transformer_to_input_indices[name]
        places = range(*transformer.output_indices_[name].indices(len(origins)))
        if places:
            for place, found in zip(places, _origins(part, len(inputs)), strict=True):
                origins[place] = {inputs[i] for i in found}
    return origins


def _connected(origins):
    """Groups of outputs that share an input, directly or by way of others; only those of two or more."""
    groups = []  # (inputs, outputs)
    for output, inputs in enumerate(origins):
        apart = [group for group in groups if not group[0] & inputs]
        joined = [group for group in groups if group[0] & inputs]
        groups = [
            *apart,
            (inputs.union(*(g[0] for g in joined)), sorted([output, *(o for g in joined for o in g[1])])),
        ]
    return sorted(outputs for _, outputs in groups if len(outputs) > 1)

"""Inputs of a search: checks samples and target, says what estimators take, and routes metadata."""

from collections.abc import Iterator
from functools import partial
from inspect import Parameter, signature
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, check_consistent_length, check_X_y, column_or_1d, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing
from sklearn.utils.validation import validate_data

from fscore._columns import as_array, check_column_names
from fscore._sklearn import is_polars_df
from fscore._validation import check_label_types, is_structured, refuse_masked, refuse_words, validated
from fscore.criteria._column_parameters import inner_estimators
from fscore.criteria._cv import CVScore

CONSUMERS = {"estimator": "fit", "splitter": "split", "scorer": "score"}


def checked_samples(estimator, X, y, *, needs_classes, numeric=False, any_target=False, ensure_min_samples=2):
    """Validate samples and target; set the ``n_features_in_`` and ``feature_names_in_`` of an estimator.

    Parameters
    ----------
    estimator : estimator
        Its tags say whether X may have missing values, and y several columns.
    X, y : the data
    needs_classes : bool
        Whether y holds class labels.
    numeric : bool, default=False
        Whether X must be numeric, because something else than an estimator takes it.
    any_target : bool, default=False
        Whether only the estimators that get y know what it may be; it may be None, too.
    ensure_min_samples : int, default=2

    Returns
    -------
    X : ndarray, sparse matrix or DataFrame
        A data frame is returned as it is, since an estimator may call its columns by name.
    y : ndarray, or as it is if only the estimators know what it may be
    """
    if issparse(y):
        raise ValueError("y is sparse, and searches take dense targets only; pass y.toarray().")
    refuse_masked(y, "y")
    check_column_names(X)
    is_free = any_target or y is None or is_structured(y)
    if is_free:
        check_consistent_length(X, y)
    elif needs_classes:
        y = checked_target(y, needs_classes)
    else:
        refuse_words(y)
    tags = get_tags(estimator)
    options = {"ensure_all_finite": not tags.input_tags.allow_nan, "ensure_min_samples": ensure_min_samples}
    for_y = {} if is_free else {"y_numeric": not needs_classes, "multi_output": tags.target_tags.multi_output}
    target = "no_validation" if is_free and y is not None else y  # without y: refused if an estimator requires it
    is_frame = (hasattr(X, "iloc") and hasattr(X, "columns")) or is_polars_df(X)
    if is_frame and not numeric:  # texts beside booleans, say, have no common type: columns are checked by type
        validate_data(estimator, X, target, skip_check_array=True)
        for dtype in dict.fromkeys(map(str, X.dtypes)):
            alike = [name for name, d in zip(X.columns, X.dtypes, strict=True) if str(d) == dtype]
            validated(check_array, X[alike], dtype=None, **options)
        return X, y if is_free else validated(check_X_y, np.zeros((len(X), 1)), y, **for_y)[1]
    options["dtype"] = "numeric" if numeric else None
    checked = validated(partial(validate_data, estimator), X, target, accept_sparse="csc", **options, **for_y)
    checked, y = (checked, y) if is_free else checked
    return X if is_frame else checked, y


def checked_target(y, needs_classes):
    """A target as an array; a frame of one column is that column."""
    if needs_classes:
        check_label_types(y)
    if y is None:
        return None
    y = as_array(y)
    return column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y


def check_metadata(params, X):
    """Refuse weights and groups that are masked, or not one for each sample; a number is one weight for all.

    Groups with missing values, too: those samples would become one group.
    """
    for name in ("sample_weight", "groups"):
        value = params.get(name)
        refuse_masked(value, name)
        check_consistent_length(X, None if isinstance(value, Real) else value)
    groups = params.get("groups")
    check_label_types(groups.astype(object) if isinstance(groups, np.ndarray) else groups, "groups")


def weight_of_each(sample_weight, X):
    """Weights of the samples; a number is one weight for all."""
    return np.full(X.shape[0], sample_weight) if isinstance(sample_weight, Real) else sample_weight


def estimators_of(rule):
    """The estimators to which a resolved rule passes the data on; none if one of its criteria takes them itself."""
    criteria = rule.all_criteria()
    return [c.resolved_estimator() for c in criteria] if all(isinstance(c, CVScore) for c in criteria) else []


def take_any_target(estimators):
    """Whether only the estimators know what y may be: there are some, and none is a classifier or a regressor."""
    return bool(estimators) and not any(is_classifier(estimator) or is_regressor(estimator) for estimator in estimators)


def takes_several_outputs(estimator):
    """Whether an estimator takes a target of several columns."""
    tags = get_tags(estimator)
    return tags.target_tags.multi_output or getattr(tags.classifier_tags, "multi_label", False)


def allows_nan(estimator):
    """Whether an estimator takes missing values; the tags of those that pass their data on don't say."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
        return bool(steps) and allows_nan(steps[0])
    if isinstance(estimator, ColumnTransformer) or get_tags(estimator).input_tags.allow_nan:
        return True
    inner = [model for model in inner_estimators(estimator) if hasattr(model, "__sklearn_tags__")]
    return bool(inner) and all(map(allows_nan, inner))


def _estimator_scores(rule):
    """The criteria of a resolved rule that are scores of estimators."""
    return [c for c in rule.all_criteria() if isinstance(c, CVScore)]


def inner_metadata(selector, groups, sample_weight):
    """Metadata for the ``fit`` of a selector in another procedure: groups if it uses them, weights if given.

    A selector that holds a generator of splits is refused: it cannot be copied, and they are splits of all samples.
    """
    for name, value in selector.get_params().items():
        if isinstance(value, Iterator):
            raise ValueError(
                f"{name}={value!r} yields splits of all samples, but the selector is fitted to parts of them; give a "
                "splitter, such as KFold(5)."
            )
    params = {}
    if groups is not None and _asks_for_groups(selector):
        params["groups"] = groups
    if sample_weight is not None:
        if not takes_weights(selector):
            raise ValueError(
                f"{type(selector).__name__} takes no sample_weight in fit; leave the weights out, or give a selector "
                "that takes them."
            )
        params["sample_weight"] = sample_weight
    return params


def takes_weights(estimator):
    """Whether an estimator's fit takes weights, or passes them on."""
    parameters = signature(estimator.fit).parameters.values()
    return any(p.name == "sample_weight" or p.kind is Parameter.VAR_KEYWORD for p in parameters)


def _asks_for_groups(selector):
    """Whether a selector's fit, or one of its splitters, uses groups."""
    of_splitters = get_routing_for_object(selector).consumes("fit", ["groups"])
    return "groups" in of_splitters or "groups" in signature(selector.fit).parameters


def metadata_router(search, rule):
    """A router to every estimator (fit), splitter (split) and scorer (score) of the `CVScore` criteria of a rule."""
    router = MetadataRouter(owner=search)
    for i, c in enumerate(_estimator_scores(rule)):
        cv = check_cv([]) if isinstance(c.cv, Iterator) else c.resolved_cv()  # not consumed here
        for name, consumer in zip(CONSUMERS, (c.resolved_estimator(), cv, c.scorer()), strict=True):
            mapping = MethodMapping().add(caller="fit", callee=CONSUMERS[name])
            router.add(**{f"{name}{i or ''}": consumer}, method_mapping=mapping)
    return router


def metadata_by_consumer(search, rule, params):
    """The parts of ``params`` for "fit", "split" and "score", the same for all criteria of a resolved rule."""
    params, criteria = {k: v for k, v in params.items() if v is not None}, _estimator_scores(rule)
    if get_config()["enable_metadata_routing"]:
        return _requested(search, criteria, params)
    if not params:
        return {}
    takes = {"groups": bool(criteria), "sample_weight": bool(criteria) and all(map(_takes_weights, criteria))}
    for name in params:
        if not takes.get(name):
            raise TypeError(
                f"fit got {name!r}; without metadata routing it takes groups and sample_weight, if every part of the "
                "criterion can use them. Leave it out, or call sklearn.set_config(enable_metadata_routing=True)."
            )
    return {{"groups": "split", "sample_weight": "fit"}[name]: {name: value} for name, value in params.items()}


def _requested(search, criteria, params):
    routed = process_routing(search, "fit", **params)
    shares = [
        {callee: routed[f"{name}{i or ''}"][callee] for name, callee in CONSUMERS.items()} for i in range(len(criteria))
    ]
    asked = [{callee: sorted(share[callee]) for callee in share} for share in shares]
    if any(a != asked[0] for a in asked):
        raise ValueError(f"the criterion's estimators request different metadata ({asked}); make them agree.")
    return shares[0] if shares else {}


def _takes_weights(criterion):
    """Whether the estimator's fit takes weights; a pipeline does not know for which of its steps they are."""
    estimator = criterion.resolved_estimator()
    return not isinstance(estimator, Pipeline) and takes_weights(estimator)

"""What comes into a search: checks samples and target, and routes metadata to estimators, splitters and scorers."""

from collections.abc import Iterator
from functools import partial
from inspect import Parameter, signature
from numbers import Real

import numpy as np
from sklearn import get_config
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, check_X_y, column_or_1d
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing
from sklearn.utils.validation import validate_data

from fscore._sklearn import is_polars_df
from fscore._validation import as_array, check_label_types, refuse_masked, validated
from fscore.criteria._cv import CVScore
from fscore.search._rules import as_rule

__all__ = [
    "check_metadata",
    "checked_samples",
    "checked_target",
    "estimator_scores",
    "inner_metadata",
    "metadata_by_consumer",
    "metadata_router",
]


def checked_samples(estimator, X, y, *, needs_classes, converts, allow_nan, multi_output=False, n_least=2):
    """Validate samples and target; set the ``n_features_in_`` and ``feature_names_in_`` of an estimator.

    Parameters
    ----------
    estimator : estimator
    X, y : the data
    needs_classes : bool
        Whether y holds class labels.
    converts : bool
        Whether X must be numeric, because something else than an estimator takes it.
    allow_nan : bool
    multi_output : bool, default=False
        Whether y may have several columns.
    n_least : int, default=2
        Fewest samples.

    Returns
    -------
    X : ndarray, sparse matrix or DataFrame
        A data frame is returned as it is, since an estimator may call its columns by name.
    y : ndarray
    """
    refuse_masked(y, "y")
    if y is not None and needs_classes:
        check_label_types(y)
    options = {"ensure_all_finite": not allow_nan, "ensure_min_samples": n_least}
    for_y = {"y_numeric": not needs_classes, "multi_output": multi_output}
    is_frame = hasattr(X, "iloc") or is_polars_df(X)
    if is_frame and y is not None and not converts and len(set(map(str, X.dtypes))) > 1:
        # a frame of texts beside booleans, say, has no common type: its columns are checked by type
        validate_data(estimator, X, y, skip_check_array=True)
        for dtype in dict.fromkeys(map(str, X.dtypes)):
            alike = [name for name, d in zip(X.columns, X.dtypes, strict=True) if str(d) == dtype]
            validated(check_array, X[alike], dtype=None, **options)
        _, y = check_X_y(np.zeros((len(X), 1)), y, **for_y)
        return X, y
    dtype = "numeric" if converts else None
    check = partial(validate_data, estimator)
    checked, y = validated(check, X, y, dtype=dtype, accept_sparse="csc", **options, **for_y)
    return X if is_frame else checked, y


def checked_target(y, needs_classes):
    """A target as an array; a frame of one column is that column."""
    if needs_classes:
        check_label_types(y)
    y = as_array(y)
    return column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y


def check_metadata(params, n_samples):
    """Raise a ValueError unless sample_weight and groups, where given, have one entry for each sample."""
    for name in ("sample_weight", "groups"):
        value = params.get(name)
        refuse_masked(value, name)
        if value is None or (name == "sample_weight" and isinstance(value, Real)):  # one weight for all
            continue
        if isinstance(value, str) or np.ndim(value) == 0:
            raise ValueError(f"{name}={value!r} must be array-like of shape (n_samples,), here ({n_samples},).")
        if len(value) != n_samples:
            raise ValueError(f"{name} has {len(value)} entries, but X has {n_samples} samples; give one for each.")


def estimator_scores(rule):
    """The criteria of a resolved rule that are scores of estimators."""
    return [c for c in rule.members() if isinstance(c, CVScore)]


def inner_metadata(selector, groups, sample_weight):
    """Metadata for the ``fit`` of a selector in another procedure: groups if its folds use them, weights if given."""
    params = {}
    if hasattr(selector, "criterion"):  # a search of this package, which refuses weights that it cannot use
        cvs = [c.cv for c in estimator_scores(as_rule(selector.criterion, selector.cv))]
        takes_weights = True
    else:
        cvs = [getattr(selector, "cv", None)]
        takes_weights = _has_parameter(selector, "sample_weight")
    if groups is not None and any(map(_uses_groups, cvs)):
        params["groups"] = groups
    if sample_weight is not None:
        if not takes_weights:
            raise ValueError(f"{selector!r} takes no sample_weight; leave it out.")
        params["sample_weight"] = sample_weight
    return params


def _uses_groups(cv):
    """Whether a splitter asks for groups."""
    requests = getattr(get_routing_for_object(cv), "split", None) if hasattr(cv, "split") else None
    return requests is not None and requests.requests.get("groups") is True


def _has_parameter(estimator, name):
    """Whether the ``fit`` of an estimator has a parameter, or forwards keyword arguments."""
    parameters = signature(estimator.fit).parameters.values()
    return any(p.name == name or p.kind is Parameter.VAR_KEYWORD for p in parameters)


def metadata_router(search, members):
    """A router to every estimator (fit), splitter (split) and scorer (score) of ``members``, the `CVScore` criteria of
    ``search``.
    """
    router = MetadataRouter(owner=search)
    for i, c in enumerate(members):
        suffix = "" if i == 0 else str(i)
        to = {
            "estimator": (c.resolved_estimator(), "fit"),
            "splitter": (check_cv([]) if isinstance(c.cv, Iterator) else c.resolved_cv(), "split"),  # not consumed here
            "scorer": (c.scorer(), "score"),
        }
        for name, (consumer, callee) in to.items():
            router.add(**{name + suffix: consumer}, method_mapping=MethodMapping().add(caller="fit", callee=callee))
    return router


def metadata_by_consumer(search, members, params):
    """The parts of ``params`` for "fit", "split" and "score", the same for all ``members``."""
    params = {k: v for k, v in params.items() if v is not None}
    if get_config()["enable_metadata_routing"]:
        return _requested(search, members, params)
    unknown = set(params) - {"groups", "sample_weight"}
    if unknown:
        raise TypeError(
            f"fit got {min(unknown)!r}; without metadata routing it takes groups and sample_weight only. "
            "Call sklearn.set_config(enable_metadata_routing=True) to pass other metadata."
        )
    for name in params:
        if not members or (name == "sample_weight" and not all(map(_takes_weights, members))):
            raise TypeError(
                f"fit got {name!r}, but not every part of the criterion can use it; leave it out, or let a pipeline "
                "pass it on by sklearn.set_config(enable_metadata_routing=True) and its step's set_fit_request."
            )
    routed = {}
    if "groups" in params:
        routed["split"] = {"groups": params["groups"]}
    if "sample_weight" in params:
        routed["fit"] = {"sample_weight": params["sample_weight"]}
    return routed


def _requested(search, members, params):
    routed = process_routing(search, "fit", **params)
    shares = [
        {
            "fit": routed[f"estimator{i or ''}"].fit,
            "split": routed[f"splitter{i or ''}"].split,
            "score": routed[f"scorer{i or ''}"].score,
        }
        for i in range(len(members))
    ]
    asked = [{callee: sorted(share[callee]) for callee in share} for share in shares]
    if any(a != asked[0] for a in asked):
        raise ValueError(f"the criterion's estimators request different metadata ({asked}); make them agree.")
    return shares[0] if shares else {}


def _takes_weights(criterion):
    """Whether the estimator's fit takes weights; a pipeline does not know for which of its steps they are."""
    estimator = criterion.resolved_estimator()
    return not isinstance(estimator, Pipeline) and _has_parameter(estimator, "sample_weight")

"""Routes metadata of ``fit`` (sample weights, groups, ...) to estimators, splitters and scorers."""

from collections.abc import Iterator
from inspect import Parameter, signature
from numbers import Real

import numpy as np
from sklearn import get_config
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

__all__ = ["check_metadata", "metadata_by_consumer", "metadata_router"]


def metadata_router(search, members):
    """A router to every estimator (fit), splitter (split) and scorer (score) of ``members``, the `CVScore` criteria of
    ``search``.
    """
    router = MetadataRouter(owner=search)
    for i, c in enumerate(members):
        suffix = "" if i == 0 else str(i)
        to = {
            "estimator": (c.resolved_estimator(), "fit"),
            "splitter": (check_cv([]) if isinstance(c.cv, Iterator) else c.resolved_cv(), "split"),  # not used up here
            "scorer": (c.scorer(), "score"),
        }
        for name, (consumer, callee) in to.items():
            router.add(**{name + suffix: consumer}, method_mapping=MethodMapping().add(caller="fit", callee=callee))
    return router


def check_metadata(params, n_samples):
    """Raise a ValueError unless sample_weight and groups, where given, have one entry for each sample."""
    for name in ("sample_weight", "groups"):
        value = params.get(name)
        if value is None or (name == "sample_weight" and isinstance(value, Real)):  # one weight for all, as it may be
            continue
        if isinstance(value, str) or np.ndim(value) == 0:
            raise ValueError(f"{name}={value!r} is no list of values; give one for each of the {n_samples} samples.")
        if len(value) != n_samples:
            raise ValueError(f"{name} has {len(value)} entries, but X has {n_samples} samples; give one for each.")


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
            raise TypeError(f"fit got {name!r}, but not every part of the criterion can use it; leave it out.")
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
    """Whether the estimator's fit has sample_weight, or forwards keyword arguments."""
    parameters = signature(criterion.resolved_estimator().fit).parameters.values()
    return any(p.name == "sample_weight" or p.kind is Parameter.VAR_KEYWORD for p in parameters)

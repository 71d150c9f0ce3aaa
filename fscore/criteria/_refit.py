"""Any estimator, cross-validated by refitting it on every fold."""

from contextlib import suppress
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, SplineTransformer, TargetEncoder
from sklearn.utils.parallel import Parallel, delayed  # unlike joblib's, these carry scikit-learn's configuration along

from fscore._jobs import n_workers
from fscore._sklearn import safe_indexing
from fscore.criteria._base import BoundCriterion
from fscore.criteria._columnwise import COLUMNWISE
from fscore.criteria._folds import fold_mean

__all__ = ["BoundCV", "inner_estimators", "of_subset", "refers_to_columns"]


class BoundCV(BoundCriterion):
    """Any estimator: clone, fit and score on every fold; n_jobs processes share the candidates of a step.

    Parameters
    ----------
    estimator : classifier or regressor
    sheets : list of Sheet
    y : array-like of shape (n_samples,)
    codes : int array of shape (n_samples,) or None
        Class numbers; None for a regressor.
    splits : list of (train, test)
    scorer : callable
    scoring : str or None
        The name of the score that is compared, "other" if it has none that matters here.
    n_jobs : int or None
    params : dict of dict
        Metadata for "fit" and "score".
    further : list of str
        Names of the scores that are recorded and not compared.
    """

    def __init__(self, estimator, sheets, y, codes, splits, scorer, scoring, n_jobs, params, further=()):
        self.estimator, self.sheets, self.y, self.codes, self.splits = estimator, sheets, y, codes, splits
        self.n_features, self.refers_to_columns = sheets[0].X.shape[1], False
        self.scorer, self.scoring = scorer, scoring
        self.sizes = np.array([len(test) for _, test in splits])
        self.counts = scoring == "accuracy" and not params.get("score")
        self.params = params
        self.n_jobs = self.least = n_workers(n_jobs)
        self.batch = 8 * self.n_jobs
        self.context = splits, params
        self.further, self._recorded = list(further), {}
        self._pool = None

    def _score(self, subsets, base, adding):
        if self.n_jobs == 1 or len(subsets) == 1:
            scores = [_scores(*self._work(), s) for s in subsets]
        else:
            if self._pool is None:  # kept open, so that the workers map the data once and not at every step
                self._pool = Parallel(n_jobs=self.n_jobs).__enter__()
            scores = self._pool(delayed(_scores)(*self._work(), s) for s in subsets)
        scores = np.array(scores).reshape(len(subsets), len(self.sizes), 1 + len(self.further))
        if self.further:
            self._recorded.update(zip(subsets, scores[:, :, 1:].mean(axis=1), strict=True))
        scores = np.ascontiguousarray(scores[:, :, 0])
        if self.counts:
            return fold_mean(np.rint(scores * self.sizes).astype(np.int64), self.sizes)
        return scores.mean(axis=1)

    def _fold_scores(self, columns):
        return np.array(_scores(*self._work(), columns))[:, 0]

    def further_scores(self, subsets):
        missing = [s for s in subsets if s not in self._recorded]
        if self.further and missing:  # their scores came from a checkpoint
            self.score(missing)
        return {name: np.array([self._recorded[s][m] for s in subsets]) for m, name in enumerate(self.further)}

    def check_parameters(self):
        """Refuse parameters that refer to columns and cannot be adapted to a subset."""
        self.refers_to_columns = refers_to_columns(self.estimator)

    def _work(self):
        n_scores = 1 + len(self.further)
        return (
            self.estimator,
            self.refers_to_columns,
            self.sheets,
            self.y,
            self.splits,
            self.scorer,
            self.params,
            n_scores,
        )

    def close(self):
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None


def _scores(estimator, refers_to_columns, sheets, y, splits, scorer, params, n_scores, subset):
    """Scores of every fold on the given columns: a list for each fold."""
    scores = []
    for sheet in sheets:
        X = safe_indexing(sheet.X, list(subset), axis=1)
        if refers_to_columns:
            model = of_subset(estimator, subset, sheet.X.shape[1], getattr(sheet.X, "columns", None))
        else:
            model = estimator
        for f, (inside, outside) in zip(sheet.folds, sheet.splits, strict=True):
            train, test = splits[f]
            model = clone(model)
            fit_params = _rows(params.get("fit"), len(y), train)
            model.fit(safe_indexing(X, inside), safe_indexing(y, train), **fit_params)
            score_params = _rows(params.get("score"), len(y), test)
            try:
                found = scorer(model, safe_indexing(X, outside), safe_indexing(y, test), **score_params)
            except ValueError as error:
                _name_missing_class(error, f, model, safe_indexing(y, train), safe_indexing(y, test))
                raise
            found = [_number(score) for score in (found.values() if isinstance(found, dict) else [found])]
            if len(found) != n_scores or None in found:
                raise ValueError(
                    "scoring must return one number for each fold; give several scorers as a dict by name."
                )
            scores.append(found)
    return scores


def _name_missing_class(error, f, model, y_train, y_test):
    """Raise an error that names the class that is missing from a fold, if there is one."""
    if not is_classifier(model):
        return
    trained, tested = (set(np.asarray(y).tolist()) for y in (y_train, y_test))
    for part, lacking in (("test", trained - tested), ("training", tested - trained)):
        if lacking:
            raise ValueError(
                f"the {part} samples of split {f} hold no sample of the class {min(lacking, key=str)!r}, without which "
                f"the score is not defined ({error}); use fewer folds, or another scoring."
            ) from error


def _number(score):
    """The score as a float; None if it is not numeric."""
    with suppress(AttributeError, ValueError):  # no method item, or an array of several numbers
        score = score.item()
    return float(score) if isinstance(score, Real) else None


def _rows(metadata, n_samples, rows):
    """The given rows of all metadata that have one entry per sample."""
    return {
        name: safe_indexing(value, rows) if hasattr(value, "__len__") and len(value) == n_samples else value
        for name, value in (metadata or {}).items()
        if value is not None
    }


# parameters that refer to columns by position or name: on a subset they must refer to its own -----------------------

# in the order of the columns, or lists of columns
BY_COLUMN = ("categorical_features", "monotonic_cst", "interaction_cst")
ONE_EACH = {
    KBinsDiscretizer: ("n_bins",),
    OneHotEncoder: ("categories", "drop"),
    OrdinalEncoder: ("categories",),
    TargetEncoder: ("categories",),
    SplineTransformer: ("knots",),
}
WEIGHTS = ("w", "V", "VI")  # of a metric
INNER = ("estimator", "regressor", "base_estimator")  # estimators to which a meta-estimator passes all columns
SEVERAL = ("estimators", "transformer_list")
GRIDS = ("param_grid", "param_distributions")
TIED = {"transformers", *BY_COLUMN, *(name for names in ONE_EACH.values() for name in names)}


def refers_to_columns(estimator):
    """Whether a parameter of an estimator, or of one inside it, refers to columns.

    Raises
    ------
    ValueError
        If it does so in a way that cannot be transferred to a subset.
    """
    found = False
    for owner in _all_parts(estimator):
        if isinstance(owner, Pipeline):
            _check_later_steps(owner)
        params = owner.get_params(deep=False)
        weights = [key for key in WEIGHTS if key in (params.get("metric_params") or {})]
        if weights:
            raise ValueError(
                f"metric_params of {type(owner).__name__} holds {weights[0]!r}, which belongs to all columns and not "
                "to a subset; scale the columns of X instead."
            )
        _check_scales(owner, params.get("kernel"))
        _check_grid(owner, params)
        found = found or isinstance(owner, ColumnTransformer) or bool(_tied(owner, params))
    return found


def _check_scales(owner, kernel):
    """Refuse a kernel of a Gaussian process with one length scale for each column."""
    scales = kernel.get_params() if hasattr(kernel, "get_params") else {}
    for name in (name for name, value in scales.items() if name.endswith("length_scale") and np.size(value) > 1):
        raise ValueError(
            f"the kernel of {type(owner).__name__} has a {name} for each column, but a subset has fewer; give one for "
            "all, and scale the columns of X instead."
        )


def _check_grid(owner, params):
    """Refuse a grid search over values that refer to columns."""
    grids = [grid for name in GRIDS for grid in np.atleast_1d(params.get(name) or [])]
    for key, tried in (item for grid in grids for item in grid.items()):
        for value in tried if isinstance(tried, (list, tuple, np.ndarray)) else ():  # a distribution draws numbers
            if _is_tied(key.rpartition("__")[2], value) or refers_to_columns(value):
                raise ValueError(
                    f"{type(owner).__name__} tries {key}={value!r}, which refers to all columns and not to a subset; "
                    "set it in the estimator itself, or leave it out."
                )


def _is_tied(name, value):
    if name == "metric_params":
        return bool(set(WEIGHTS) & set(value or ()))
    return name in TIED and (isinstance(value, dict) or np.ndim(_listed(value)) > 0)


def _tied(owner, params):
    """Names of the parameters that refer to columns."""
    names = [name for name in BY_COLUMN if not isinstance(params.get(name), str | None)]
    return names + [name for name in ONE_EACH.get(type(owner), ()) if np.ndim(_listed(params[name])) > 0]


def _listed(value):
    """A list of arrays of different lengths as a list of lengths: only its being a list matters."""
    return [0] * len(value) if isinstance(value, (list, tuple)) else value


def _all_parts(estimator):
    """An estimator and those inside it that get columns."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return
    yield estimator
    for inner in inner_estimators(estimator):
        yield from _all_parts(inner)


def inner_estimators(estimator):
    """What an estimator passes its columns to: estimators, or texts such as "passthrough"."""
    if isinstance(estimator, Pipeline):
        return [step for _, step in estimator.steps]
    if isinstance(estimator, ColumnTransformer):
        return [*(part for _, part, _ in estimator.transformers), estimator.remainder]
    params = estimator.get_params(deep=False)
    several = [part[1] for name in SEVERAL for part in params.get(name) or () if isinstance(part, tuple)]
    return [params[name] for name in INNER if name in params] + several


def _check_later_steps(pipeline):
    """Refuse parameters that refer to columns made by an earlier step, which differ for a subset."""
    steps = [step for _, step in pipeline.steps if step not in (None, "passthrough")]
    for place, before in enumerate(steps[:-1]):
        if _keeps_columns(before):
            continue
        for owner in (part for later in steps[place + 1 :] for part in _all_parts(later)):
            tied = _tied(owner, owner.get_params(deep=False))
            if tied:
                raise ValueError(
                    f"{tied[0]} of {type(owner).__name__} refers to columns that {type(before).__name__} makes, "
                    "which differ for a subset; leave it out, or choose the columns by their type."
                )
        return


def _keeps_columns(step):
    """Whether a transformer returns one column for each, at the same place."""
    if isinstance(step, Pipeline):
        return all(_keeps_columns(inner) for _, inner in step.steps if inner not in (None, "passthrough"))
    return type(step) in COLUMNWISE and type(step) is not OneHotEncoder


def of_subset(estimator, columns, n_columns, names):
    """A copy of an estimator for a subset of the columns.

    Parameters
    ----------
    estimator : estimator
    columns : sequence of int
        The subset.
    n_columns : int
        Of all columns, to which the parameters refer.
    names : sequence of str or None
        Of all columns.
    """
    return _restrict(clone(estimator), list(columns), n_columns, names)


def _restrict(estimator, kept, n_columns, names):
    if not hasattr(estimator, "get_params"):
        return estimator
    if isinstance(estimator, Pipeline):
        for position, (name, step) in enumerate(estimator.steps):
            if step not in (None, "passthrough"):
                estimator.steps[position] = name, _restrict(step, kept, n_columns, names)
                if not _keeps_columns(step):
                    break
        return estimator
    if isinstance(estimator, ColumnTransformer):
        return _restrict_parts(estimator, kept, n_columns, names)
    params = estimator.get_params(deep=False)
    changed = {name: _of_columns(name, params[name], kept, n_columns, names) for name in _tied(estimator, params)}
    for name in INNER:
        if name in params:
            changed[name] = _restrict(params[name], kept, n_columns, names)
    for name in SEVERAL:
        if params.get(name) and all(isinstance(part, tuple) for part in params[name]):
            changed[name] = [(part[0], _restrict(part[1], kept, n_columns, names), *part[2:]) for part in params[name]]
    return estimator.set_params(**changed) if changed else estimator


def _restrict_parts(transformer, kept, n_columns, names):
    parts, rest = [], list(range(n_columns))
    for name, part, chosen in transformer.transformers:
        if callable(chosen):
            parts.append((name, part, chosen))
            rest = None  # known once it has seen the data
            continue
        places = _places(chosen, n_columns, names)
        rest = None if rest is None else [c for c in rest if c not in places]
        inside = [c for c in places if c in kept]
        if np.ndim(chosen) == 0 and not isinstance(chosen, slice):  # one column, as a vector
            if inside:
                parts.append((name, part, kept.index(inside[0])))
            continue
        local = [places.index(c) for c in inside]
        part = _restrict(part, local, len(places), None if names is None else [names[c] for c in places])
        parts.append((name, part, [kept.index(c) for c in inside]))
    return transformer.set_params(transformers=parts, remainder=_restricted_rest(transformer, rest, kept, names))


def _restricted_rest(transformer, rest, kept, names):
    """The transformer of the remaining columns, restricted to those that are kept."""
    if rest is None:
        for owner in _all_parts(transformer.remainder):
            if tied := _tied(owner, owner.get_params(deep=False)):
                raise ValueError(
                    f"{tied[0]} of {type(owner).__name__} refers to the columns that a function leaves; name the "
                    "columns of all transformers in place of the function."
                )
        return transformer.remainder
    local = [place for place, c in enumerate(rest) if c in kept]
    return _restrict(transformer.remainder, local, len(rest), None if names is None else [names[c] for c in rest])


def _places(chosen, n_columns, names):
    """Columns given by number, name, mask or slice, as numbers."""
    number = {} if names is None else {name: place for place, name in enumerate(names)}
    if isinstance(chosen, slice):
        stop = number[chosen.stop] + 1 if chosen.stop in number else chosen.stop
        return list(range(n_columns))[slice(number.get(chosen.start, chosen.start), stop, chosen.step)]
    chosen = np.atleast_1d(np.asarray(chosen, dtype=object)).tolist()
    if chosen and all(isinstance(c, bool) for c in chosen):
        chosen = np.flatnonzero(chosen).tolist()
    places = [number.get(c, c) for c in chosen]
    for c in places:
        if not isinstance(c, Integral) or not -n_columns <= c < n_columns:
            raise ValueError(f"{c!r} is not a column of X; give names of X, or numbers from 0 to {n_columns - 1}.")
    return [int(c) % n_columns for c in places]


def _of_columns(name, value, kept, n_columns, names):
    """The value of a parameter for the columns kept."""
    if name == "categorical_features":
        places = _places(value, n_columns, names)
        return [kept.index(c) for c in places if c in kept] or None
    if name == "knots":
        return np.asarray(value)[:, kept]
    if name == "interaction_cst":
        groups = [[kept.index(c) for c in _places(list(group), n_columns, names) if c in kept] for group in value]
        return [group for group in groups if group] or None
    if isinstance(value, dict):
        return {key: constraint for key, constraint in value.items() if key in [names[c] for c in kept]}
    return [value[c] for c in kept] if len(value) == n_columns else value

"""Any estimator, cross-validated by refitting it on every fold."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder
from sklearn.utils.parallel import Parallel, delayed  # unlike joblib's, these carry scikit-learn's configuration along

from fscore._jobs import n_workers
from fscore._sklearn import check_method_params, column_indices, safe_indexing
from fscore.criteria._base import BoundCriterion
from fscore.criteria._columnwise import COLUMNWISE
from fscore.criteria._folds import fold_mean

__all__ = ["BoundCV", "inner_estimators", "of_subset", "score_of_split"]


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

    def __init__(self, estimator, sheets, y, codes, splits, scorer, scoring, n_jobs, params, further):
        self.estimator, self.sheets, self.y, self.codes, self.splits = estimator, sheets, y, codes, splits
        self.n_features = sheets[0].X.shape[1]
        self.scorer, self.scoring, self.params = scorer, scoring, params
        self.sizes = np.array([len(test) for _, test in splits])
        self.counts = scoring == "accuracy" and not params.get("score")
        self.n_jobs = self.least = n_workers(n_jobs)
        self.batch = 8 * self.n_jobs
        self.context = splits, params
        self.further, self._recorded = list(further), {}
        self._pool = None

    def _score(self, subsets, base, adding):
        work = self._work()
        if self.n_jobs == 1 or len(subsets) == 1:
            scores = [_scores(*work, s) for s in subsets]
        else:
            if self._pool is None:  # kept open, so that the workers map the data once and not at every step
                self._pool = Parallel(n_jobs=self.n_jobs).__enter__()
            scores = self._pool(delayed(_scores)(*work, s) for s in subsets)
        scores = np.array(scores)  # (n_subsets, n_folds, n_scores)
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

    def _work(self):
        return self.estimator, self.sheets, self.y, self.scorer, self.params

    def close(self):
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None


def _scores(estimator, sheets, y, scorer, params, subset):
    """Scores of every fold on the given columns: a list for each fold."""
    scores = []
    for sheet in sheets:
        X = safe_indexing(sheet.X, list(subset), axis=1)
        model = of_subset(estimator, subset, sheet.X)
        for number, (train, test) in zip(sheet.folds, sheet.splits, strict=True):
            fit_params, score_params = (
                check_method_params(X, params.get(name) or {}, rows) for name, rows in (("fit", train), ("score", test))
            )
            model = clone(model)
            model.fit(safe_indexing(X, train), safe_indexing(y, train), **fit_params)
            found = score_of_split(scorer, model, X, y, number, train, test, **score_params)
            scores.append([float(score) for score in (found.values() if isinstance(found, dict) else [found])])
    return scores


def score_of_split(scorer, model, X, y, number, train, test, **params):
    """The score of a model on the test samples of a split; an error names the class that the split lacks, if any."""
    try:
        return scorer(model, safe_indexing(X, test), safe_indexing(y, test), **params)
    except ValueError as error:
        if is_classifier(model):
            _name_missing_class(error, number, safe_indexing(y, train), safe_indexing(y, test))
        raise


def _name_missing_class(error, number, y_train, y_test):
    """Raise an error that names the class that is missing from a split, if there is one."""
    trained, tested = (set(np.asarray(y).tolist()) for y in (y_train, y_test))
    for part, lacking in (("test", trained - tested), ("training", tested - trained)):
        if lacking:
            raise ValueError(
                f"the {part} samples of split {number} of cv hold no sample of the class {min(lacking, key=str)!r}, "
                f"without which the score is not defined ({error}); use fewer folds, or another scoring."
            ) from error


# parameters that refer to columns by position or name: on a subset they must refer to its own -----------------------

LISTS = ("categorical_features", "discrete_features", "fixed", "excluded")
GROUPS = ("interaction_cst", "column_groups")
BY_COLUMN = (*LISTS, *GROUPS, "monotonic_cst", "n_bins", "categories", "drop")
OF_METRIC = {"w", "V", "VI"}
GRIDS = ("param_grid", "param_distributions")
# Estimators to which a meta-estimator passes all columns.
INNER = ("estimator", "regressor", "base_estimator", "criterion", "selector")
SEVERAL = ("estimators", "transformer_list")


def inner_estimators(estimator):
    """The estimators to which a meta-estimator passes its columns."""
    params = estimator.get_params(deep=False)
    several = [part[1] for name in SEVERAL for part in params.get(name) or () if isinstance(part, tuple)]
    return [params[name] for name in INNER if name in params] + several


def of_subset(estimator, columns, X):
    """A copy of an estimator for a subset of the columns of X, to all of which its parameters refer."""
    return _restrict(clone(estimator), columns, X[:0])


def _restrict(estimator, kept, X):
    """Let the parameters of an estimator, and of those inside it, refer to columns by their place in ``kept``.

    Parameters
    ----------
    estimator : estimator or str
        It is changed.
    kept : sequence of int or None
        None if the estimator gets other columns than those of X.
    X : array-like of shape (0, n_features)

    Raises
    ------
    ValueError
        If a parameter refers to columns, but not in a way that tells which of them a subset has.
    """
    if not hasattr(estimator, "get_params"):  # "passthrough"
        return estimator
    if isinstance(estimator, Pipeline):
        steps = []
        for name, step in estimator.steps:
            steps.append((name, _restrict(step, kept, X)))
            kept = kept if _keeps_columns(step) else None
        return estimator.set_params(steps=steps)
    if isinstance(estimator, ColumnTransformer):
        return estimator if kept is None else _restrict_parts(estimator, kept, X)
    params, changed = estimator.get_params(deep=False), {}
    if weights := OF_METRIC & set(params.get("metric_params") or {}):
        raise ValueError(
            f"metric_params of {type(estimator).__name__} holds {min(weights)!r}, which belongs to all columns and not "
            "to a subset; scale the columns of X instead."
        )
    for grid in (grid for name in GRIDS for grid in np.atleast_1d(params.get(name) or [])):
        for key, values in grid.items():
            if key.rpartition("__")[2] in BY_COLUMN and isinstance(values, list | tuple) and any(map(_is_list, values)):
                raise ValueError(
                    f"{type(estimator).__name__} tries {key}={values!r}, which refers to all columns and not to a "
                    "subset; set it in the estimator itself, or leave it out."
                )
    for name in BY_COLUMN:
        value = params.get(name)
        if _is_list(value) and len(value):
            if kept is None:
                raise ValueError(
                    f"{name} of {type(estimator).__name__} refers to columns that a transformer makes or a function "
                    "leaves, which differ for a subset; leave it out, or name the columns of X."
                )
            changed[name] = _of_columns(name, value, kept, X)
    for name in INNER:
        if name in params:
            changed[name] = _restrict(params[name], kept, X)
    for name in SEVERAL:
        if params.get(name) and all(isinstance(part, tuple) for part in params[name]):
            changed[name] = [(part, _restrict(inner, kept, X), *rest) for part, inner, *rest in params[name]]
    return estimator.set_params(**changed) if changed else estimator


def _is_list(value):
    return np.iterable(value) and not isinstance(value, str)


def _keeps_columns(step):
    """Whether a transformer returns one column for each, at the same place, whatever the target."""
    if isinstance(step, Pipeline):
        return all(_keeps_columns(inner) for _, inner in step.steps)
    if step in (None, "passthrough"):
        return True
    rule = COLUMNWISE.get(type(step))
    return rule is not None and rule(step) and not isinstance(step, OneHotEncoder | TargetEncoder)


def _restrict_parts(transformer, kept, X):
    parts, rest = [], list(range(X.shape[1]))
    for name, part, chosen in transformer.transformers:
        if callable(chosen):
            parts.append((name, part, chosen))
            rest = None  # known once it has seen the data
            continue
        places = column_indices(X, chosen)
        rest = None if rest is None else [c for c in rest if c not in places]
        inside = [c for c in places if c in kept]
        if inside:
            part = _restrict(part, [places.index(c) for c in inside], safe_indexing(X, places, axis=1))
            own = [kept.index(c) for c in inside]
            parts.append((name, part, own[0] if np.isscalar(chosen) else own))  # one column, as a vector
    of_rest = X if rest is None else safe_indexing(X, rest, axis=1)
    left = None if rest is None else [place for place, c in enumerate(rest) if c in kept]
    return transformer.set_params(transformers=parts, remainder=_restrict(transformer.remainder, left, of_rest))


def _of_columns(name, value, kept, X):
    """The value of a parameter for the columns kept."""
    if name in LISTS:
        return [kept.index(c) for c in column_indices(X, list(value)) if c in kept]
    if name in GROUPS:
        groups = [_of_columns(LISTS[0], group, kept, X) for group in value]
        return [group for group in groups if group] or None
    if isinstance(value, dict):
        names = [X.columns[c] for c in kept]
        return {column: constraint for column, constraint in value.items() if column in names}
    return [value[c] for c in kept] if len(value) == X.shape[1] else value

"""Parameters that all searches share: their documentation, and the class decorator that fills it in."""

from typing import TypeVar, dataclass_transform

from fscore._sklearn import estimator

__all__ = ["selector"]

DOCS = {
    "criterion": """criterion : classifier, regressor, Criterion or selection rule
        The score of a subset. A classifier stands for its `CVAccuracy(criterion, cv=cv)`, a regressor for its
        `CVScore(criterion, cv=cv)` (R2). The rules `OrderVoting`, `WeightedVoting` and `Hybrid` pick the candidate of
        each step by several criteria.""",
    "size": """n_features_to_select : int, float or None, default=None
        How many units (columns, or groups of columns) to select, fixed ones included; a float is a proportion of
        all that are not excluded. None optimizes the size: the best subset of any size that the search scored.""",
    "sizes": """n_features_to_select : int, float, (int, int) or None, default=None
        How many units (columns, or groups of columns) to select, fixed ones included; a float is a proportion of
        all that are not excluded. Two numbers are a range of sizes, of which the best subset is selected. None
        optimizes the size: the best subset of any size that the search scored.""",
    "group_size": """group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).""",
    "common": """tau : float in [0, 1] or "1se", default=0.0
        Subsets within ``(1 - tau)`` of the best value are treated as equal, and `secondary` decides among them
        (Section 2 of the paper, off-line reading; see `regularize`). 0 keeps the search's own result. "1se" treats
        subsets as equal whose value is at most one standard error (over the folds) below the best value; it needs a
        cross-validated criterion.
    secondary : {"size"} or array-like of shape (n_features,), default="size"
        "size" prefers the smaller subset; an array holds the cost of each feature.
    cv : int, splitter or iterable, default=10
        The folds of the estimators given as `criterion` or within it; a `CVScore` has its own.
    n_jobs : int or None, default=None
        Threads for the compiled k-NN criterion, else processes that share the candidates of a step.
    fixed : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that every subset contains.
    excluded : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that no subset contains.
    column_groups : list of such sequences or masks, or None, default=None
        Columns that are added and removed together, as one unit; each column not named is a unit.
    warm_start_from : sequence of int or str, or mask of shape (n_features,), or None, default=None
        A subset to start from, such as the ``support_`` of another search. Refused by searches without a
        starting subset (best individual, exhaustive, branch and bound, random).
    checkpoint : str, path-like or None, default=None
        File to which scores are appended as they are computed, and from which they are read: a search that was killed
        and is run again resumes, and other searches on the same data with the same criterion reuse its scores. An
        entry belongs to a criterion's class and parameters, the folds, the data and the version of this package. After
        a change to the code of your own estimator or scorer take another file. A splitter that shuffles needs a
        ``random_state``.
    error_score : float or "raise", default=-inf
        The score of a subset that cannot be scored, because the estimator cannot be fitted to it or its score is NaN.
        One warning names the columns. "raise" raises the error.
    max_evaluations : int or None, default=None
        Stop after this many different subsets, with the best so far. Only subsets scored by the main criterion count,
        which are the rows of `trace_`; votes and a hybrid's filter do not (see `computed_`).
    max_seconds : float or None, default=None
        Stop after this time, with the best so far. Time is checked after every batch of subsets.
    verbose : int, default=0
        Positive shows a progress bar.""",
    "attributes": """support_ : ndarray of shape (n_features_in_,), dtype=bool
        The selected columns.
    n_features_to_select_ : int
        Number of selected columns.
    size_ : int
        Number of selected units.
    score_ : float
        Value of the selected subset.
    n_evaluations_ : int
        Number of different subsets scored.
    trace_ : DataFrame
        Every subset scored, in order: ``features`` (tuple of columns), ``size`` (in units), ``value``, ``step``; and
        further scores of a `CVScore` with several.
    path_ : DataFrame
        The course of the search, one row per step: ``move``, ``features``, ``size``, ``value``, ``n_evaluations``.
    best_per_size_ : DataFrame
        Indexed by size: ``value`` and ``support`` (tuple of columns) of the best subset of that size.
    computed_ : list of (str, int)
        For each criterion, how many scores were computed in this fit, rather than remembered.
    stopped_ : {None, "evaluations", "seconds", "interrupt", "callback"}
        Why the search ended early, if it did.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X has column names.""",
}


T = TypeVar("T")


@dataclass_transform()
def selector(cls: type[T]) -> type[T]:
    """Declare the parameters of a search, see `estimator`; fill in the documentation that searches share."""
    cls = estimator(cls)
    if cls.__doc__:
        for key, text in DOCS.items():
            cls.__doc__ = cls.__doc__.replace(f"%({key})s", text)
    return cls

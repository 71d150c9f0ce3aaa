"""Cross-validated score of any scikit-learn estimator; for some without refitting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, TargetEncoder
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_array
from sklearn.utils.metadata_routing import get_routing_for_object

from fscore._columns import refuse_dates
from fscore._sklearn import StrOptions, check_parameters, estimator_dataclass
from fscore._splits import as_splitter, check_splits
from fscore._typing import ArrayLike, Estimator, Splits
from fscore._validation import encode_labels, has_several_outputs, is_structured, refuse_words
from fscore.criteria._base import Criterion
from fscore.criteria._column_parameters import clone_for_subset, fit_params_of_subset, inner_estimators
from fscore.criteria._columnwise import TransformedColumns, fitted_once
from fscore.criteria._fast import FastCriterion
from fscore.criteria._feature_sums import BoundCentroid, BoundNaiveBayes
from fscore.criteria._folds import ERRORS, OWN_SCORES, SCORE_RANGES, FoldData
from fscore.criteria._knn import BoundKNN, metric_of
from fscore.criteria._least_squares import BoundDiscriminant, BoundLeastSquares, BoundRidgeClassifier
from fscore.criteria._linear import BoundLinearSVC, BoundLogistic
from fscore.criteria._refit import BoundCV
from fscore.criteria._svm import BoundSVC

FAST_CRITERIA: dict[type, type[FastCriterion]] = {  # by type of estimator
    KNeighborsClassifier: BoundKNN,
    KNeighborsRegressor: BoundKNN,
    GaussianNB: BoundNaiveBayes,
    LinearDiscriminantAnalysis: BoundDiscriminant,
    NearestCentroid: BoundCentroid,
    SVC: BoundSVC,
    LinearRegression: BoundLeastSquares,
    Ridge: BoundLeastSquares,
    RidgeClassifier: BoundRidgeClassifier,
}
ENCODERS = ColumnTransformer | FeatureUnion | FunctionTransformer | OneHotEncoder | OrdinalEncoder | TargetEncoder
CONVERGED: dict[type, type[FastCriterion]] = {  # with ``compiled="converged"``
    LogisticRegression: BoundLogistic,
    LinearSVC: BoundLinearSVC,
}


def as_criterion(criterion, cv=10):
    """Return a criterion unchanged, the `CVAccuracy` of a classifier or the `CVScore` of another estimator."""
    if isinstance(criterion, Criterion):
        return criterion
    if not _is_estimator(criterion) or not hasattr(criterion, "score"):
        raise ValueError(
            f"criterion={criterion!r} must be a classifier, a regressor, or another estimator with a score, or a "
            "criterion from fscore.criteria."
        )
    return CVAccuracy(criterion, cv=cv) if is_classifier(criterion) else CVScore(criterion, cv=cv)


def _is_estimator(estimator):
    """Whether an object is an estimator and not only a transformer."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        return False
    if hasattr(estimator, "predict") or not hasattr(estimator, "transform"):
        return True
    return is_classifier(estimator) or is_regressor(estimator)  # a stack whose final estimator is the default


def _last_step(estimator):
    """The estimator itself, or the last step of a pipeline."""
    return _last_step(estimator.steps[-1][1]) if type(estimator) is Pipeline else estimator


def _scored_estimator(estimator):
    """The estimator whose ``score`` is that of a pipeline, or of a search over parameters."""
    last = _last_step(estimator)
    is_search = type(last) in (GridSearchCV, RandomizedSearchCV) and last.scoring is None
    return _scored_estimator(last.estimator) if is_search else last


def _own_scoring(estimator):
    """The name of the score that an estimator's ``score`` is, or None."""
    return OWN_SCORES.get(getattr(type(_scored_estimator(estimator)), "score", None))


def score_range(scoring, estimator):
    """The lowest and the highest possible score; infinite if not known.

    Parameters
    ----------
    scoring : str, callable or None
    estimator : estimator
    """
    name = _own_scoring(estimator) if scoring is None else scoring
    if not isinstance(name, str):
        name = next((known for known in get_scorer_names() if _is_score(scoring, known)), "")
    return next((bounds for start, bounds in SCORE_RANGES.items() if name.startswith(start)), (-np.inf, np.inf))


def _is_score(scoring, name):
    """Whether a scoring is the one of a name, or made by `make_scorer` of the same function."""
    if isinstance(scoring, str):
        return scoring == name
    named = get_scorer(name)
    return type(scoring) is type(named) and vars(scoring) == vars(named)


@estimator_dataclass
class CVScore(Criterion):
    """Cross-validated score of an estimator on a subset of the columns.

    Parameters
    ----------
    estimator : classifier, regressor or other estimator
        Any that ``scoring`` can score: one of survival times, or a `GaussianMixture`, which needs no y.
    scoring : str, callable, list, tuple, dict or None, default=None
        As in `sklearn.model_selection.cross_validate`; None is the estimator's own ``score``: accuracy or R2. The first
        of several is what searches compare; the others become columns of their ``trace_``.
    cv : int, splitter or iterable of (train, test), default=10
        An int is k-fold without shuffling, stratified for a classifier. The splits are drawn once, when the data are
        bound, so that all subsets are scored on the same folds.
    compiled : bool or "converged", default=True
        Score estimators that have a fast scorer without refitting; see the notes. "converged" also scores logistic
        regression and linear support vector machines, at the optimum of their loss.

    Notes
    -----
    J is the mean of the fold scores. Accuracies are averaged from integer counts in one fixed order.

    Pipelines that begin with transformers which treat columns independently (scalers, `SimpleImputer`,
    `KBinsDiscretizer`, encoders, a `ColumnTransformer` of such parts, those of `register_columnwise`) are fitted once
    for each fold on all columns. What follows scores subsets of the transformed columns.

    These estimators, alone or at the end of such a pipeline, are scored without refitting, unless metadata are passed;
    k-NN takes sample weights of the score. Their scores are those of scikit-learn: accuracies are equal, errors agree
    to about ten digits. A subset for which rounding could decide is refitted.

    ================================  ====================  ======================================================
    Estimator                         ``scoring``           What leads to refitting
    ================================  ====================  ======================================================
    `KNeighborsClassifier`            ``"accuracy"``        metrics other than Euclid's and Manhattan's; weights
                                                            other than ``"uniform"`` and ``"distance"``
    `KNeighborsRegressor`             R2, mean squared      the same; several targets, targets in single precision
                                      error and its root,
                                      mean absolute error
    `SVC`                             ``"accuracy"``        a callable kernel, ``class_weight``, ``probability``,
                                                            ``break_ties``, ``max_iter``; more than 9128 samples
    `GaussianNB`                      ``"accuracy"``        ``priors``
    `NearestCentroid`                 ``"accuracy"``        Manhattan distance, ``shrink_threshold``, ``priors``
    `LinearDiscriminantAnalysis`      ``"accuracy"``        solvers other than ``"svd"``, ``priors``,
                                                            ``n_components``; collinear columns
    `LinearRegression`, `Ridge`       R2, mean squared      ``positive``, iterative solvers, several targets;
                                      error and its root    collinear columns
    `RidgeClassifier`                 ``"accuracy"``        ``positive``, ``class_weight``, iterative solvers
    ================================  ====================  ======================================================

    With ``compiled="converged"``, the accuracies of `LogisticRegression` with an L2 penalty and of `LinearSVC` with its
    default loss and penalty are those of the weights that minimize the loss, found by Newton's method from the weights
    of a similar subset. scikit-learn's solvers stop within ``tol`` of the minimum, so a test sample at the border of
    two classes may be classified otherwise. With a small ``tol`` the accuracies are equal. Class weights and the solver
    ``"liblinear"`` of logistic regression lead to refitting.

    Several scorings lead to refitting, and so do sparse data, except for k-NN if they take less than 64 MB when dense,
    and single precision, except for k-NN and `SVC`. The scores of k-NN are those of scikit-learn unless distances tie;
    among equal distances the earlier training sample counts as nearer, whereas scikit-learn's choice depends on its
    algorithm and the number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from fscore.criteria import CVScore
    >>> X, y = load_diabetes(return_X_y=True)
    >>> J = CVScore(LinearRegression(), scoring="neg_mean_absolute_error", cv=5).bind(X, y)
    >>> J.score([(2,), (2, 8)]).round(1)
    array([-51.9, -46.9])

    A search that compares R2 and records the mean absolute error as well:

    >>> from fscore.search import SFS
    >>> J = CVScore(LinearRegression(), scoring=["r2", "neg_mean_absolute_error"], cv=5)
    >>> best = SFS(J, 2).fit(X, y).trace_.nlargest(1, "value")
    >>> best[["value", "neg_mean_absolute_error"]].round(2).to_numpy().tolist()
    [[0.44, -46.9]]
    """

    estimator: Estimator
    _: KW_ONLY
    scoring: str | Callable[..., Any] | Sequence[str] | Mapping[str, Any] | None = None
    cv: Splits = 10
    compiled: bool | Literal["converged"] = True

    _parameter_constraints: ClassVar[dict] = {
        "cv": ["cv_object"],
        "scoring": [None, str, callable, list, tuple, dict],
        "compiled": ["boolean", StrOptions({"converged"})],
    }

    def resolved_estimator(self) -> Any:
        """The estimator that is cross-validated."""
        if not _is_estimator(self.estimator):
            raise ValueError(
                f"estimator={self.estimator!r} must be a classifier, a regressor, such as Ridge(), or another that can "
                "be scored."
            )
        return self.estimator

    @property
    def needs_classes(self) -> bool:  # type: ignore[override]
        """Whether y holds class labels, of one or several outputs; otherwise, for a regressor, numbers."""
        return is_classifier(self.resolved_estimator())

    def resolved_cv(self) -> Any:
        """The splitter."""
        return as_splitter(self.cv, None, self.needs_classes)

    @property
    def main_scoring(self) -> Any:
        """What searches compare: the scoring, or the first of several."""
        self._check_scoring()
        if isinstance(self.scoring, dict):
            return next(iter(self.scoring.values()))
        return self.scoring[0] if isinstance(self.scoring, (list, tuple)) else self.scoring

    @property
    def extra_scorings(self) -> list[str]:
        """The names of the scores that are recorded and not compared."""
        return list(self.scoring)[1:] if isinstance(self.scoring, (list, tuple, dict)) else []

    def scorer(self) -> Callable[..., Any]:
        """The scikit-learn scorer; it returns a dict if there are several scorings."""
        self._check_scoring()
        return check_scoring(self.resolved_estimator(), scoring=self.scoring)

    def _check_scoring(self):
        if isinstance(self.scoring, (list, tuple, dict)) and not (
            self.scoring and all(isinstance(name, str) for name in self.scoring)
        ):
            raise ValueError(f"scoring={self.scoring!r} must list names of scorers, or hold scorers by name.")

    def scoring_name(self) -> str:
        """The name of the score that is compared: "accuracy", one of the errors of a regressor, or "other"."""
        scoring = self.main_scoring
        if scoring is None:
            scoring = _own_scoring(self.resolved_estimator())
        known = ("accuracy",) if self.needs_classes else tuple(ERRORS)
        return next((name for name in known if _is_score(scoring, name)), "other")

    @property
    def compiled_knn(self) -> Any:
        """Key shared by k-NN criteria that one pass can score; None if the compiled loops cannot score this one."""
        estimator, scoring = self.resolved_estimator(), self.scoring_name()
        if self.extra_scorings or _fast_criterion(estimator, scoring, self.compiled) is not BoundKNN:
            return None
        return type(estimator), scoring, metric_of(estimator)

    @property
    def gains_by_converged(self) -> bool:
        """Whether it refits an estimator that ``compiled="converged"`` would score without."""
        estimator = _last_step(self.resolved_estimator())
        if self.compiled is not True or self.extra_scorings or type(estimator) not in CONVERGED:
            return False
        return _fast_criterion(estimator, self.scoring_name(), "converged") is not None

    def refitted(
        self,
        X: ArrayLike,
        y: ArrayLike,
        n_jobs: int | None,
        params: Mapping[str, Mapping[str, Any]],
        splits: list[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> BoundCV:
        """The criterion bound to the data without any fast scorer; by splits that were drawn before, if any."""
        estimator, codes = self.resolved_estimator(), None
        if is_classifier(estimator):
            if has_several_outputs(y):
                y = check_array(y)
            else:
                codes = encode_labels(y)[1]
        elif is_regressor(estimator) and not is_structured(y):
            refuse_words(y)
            y = check_array(y, ensure_2d=False, input_name="y")
        if splits is None:
            splits = check_splits(self.cv, X, y, classifier=is_classifier(estimator), **params.get("split") or {})
        return BoundCV(
            estimator,
            [FoldData(X, range(len(splits)))],
            y=y,
            codes=codes,
            splits=splits,
            scorer=self.scorer(),
            scoring=self.scoring_name(),
            n_jobs=n_jobs,
            params=params,
            extra=self.extra_scorings,
        )

    def _bind(self, X, y, n_jobs, params):
        bound_cv = self.refitted(X, y, n_jobs, params)
        if not _may_take_dates(bound_cv.estimator):
            refuse_dates(X)
        inner, outputs = fitted_once(bound_cv) if self.compiled else (bound_cv, None)
        columns = range(inner.n_features)  # refuses what no subset can have
        clone_for_subset(inner.estimator, columns, inner.fold_data[0].X)
        fit_params_of_subset(params.get("fit") or {}, inner.estimator, columns, inner.fold_data[0].X)
        may_be_fast = not is_structured(y) and not (self.needs_classes and has_several_outputs(y))
        bound = (_bind_fast(inner, self.compiled) if may_be_fast else None) or inner
        return bound if outputs is None else TransformedColumns(bound, outputs)


def _may_take_dates(estimator):
    """Whether an estimator begins with a transformer that may make numbers of dates."""
    if isinstance(estimator, Pipeline):
        first = next((step for _, step in estimator.steps if step not in (None, "passthrough")), None)
        return _may_take_dates(first)
    if isinstance(estimator, ENCODERS):
        return True
    if hasattr(estimator, "transform") and not type(estimator).__module__.startswith("sklearn."):
        return True
    return hasattr(estimator, "get_params") and any(map(_may_take_dates, inner_estimators(estimator)))


def _fast_criterion(estimator, scoring, compiled):
    """The class that scores an estimator without refitting; None if there is none, or it is not asked for."""
    by_type = FAST_CRITERIA | CONVERGED if compiled == "converged" else FAST_CRITERIA if compiled else {}
    fast = by_type.get(type(estimator))
    return fast if fast is not None and scoring in fast.scorings and fast.supports(estimator) else None


def _bind_fast(bound_cv, compiled):
    """The fast criterion of the estimator, bound to the data; None if there is none."""
    fast = _fast_criterion(bound_cv.estimator, bound_cv.scoring, compiled)
    if fast is None:
        return None
    takes = {"sample_weight"} if fast is BoundKNN else set()
    if bound_cv.extra or bound_cv.params.get("fit") or set(bound_cv.params.get("score") or ()) - takes:
        return None
    check_parameters(bound_cv.estimator)
    return fast.from_cv(bound_cv)


@estimator_dataclass
class CVAccuracy(CVScore):
    """Cross-validated accuracy of a classifier on a subset of the columns: `CVScore` with ``scoring="accuracy"``.

    Parameters
    ----------
    estimator : classifier, default=None
        None is the 3-nearest-neighbor classifier of the paper.
    cv : int, splitter or iterable of (train, test), default=10
    compiled : bool or "converged", default=True
        See `CVScore`.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 2.3: wrappers scored by 3-fold and 10-fold cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import CVAccuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> J = CVAccuracy(cv=5).bind(X, y)
    >>> J.score([(2,), (2, 3)]).round(3)
    array([0.94 , 0.953])
    """

    estimator: Estimator | None = None  # type: ignore[assignment]
    scoring: ClassVar[str] = "accuracy"  # type: ignore[misc]
    needs_classes = True

    def resolved_estimator(self) -> Any:
        """The classifier that is cross-validated."""
        if self.estimator is None:
            return KNeighborsClassifier(n_neighbors=3)
        if not _is_estimator(self.estimator) or not is_classifier(self.estimator):
            raise ValueError(
                f"{self.estimator!r} is not a classifier; CVAccuracy takes one, such as GaussianNB(). "
                "CVScore takes regressors, too."
            )
        return self.estimator

    def scorer(self) -> Callable[..., Any]:
        """The scorer of accuracy; with metadata routing it requests what the classifier requests for its ``score``."""
        scorer: Any = super().scorer()
        if not get_config()["enable_metadata_routing"]:
            return scorer
        routing = get_routing_for_object(_scored_estimator(self.resolved_estimator()))
        requests = getattr(getattr(routing, "score", None), "requests", {})
        requested = {name: request for name, request in requests.items() if request is not None}
        return scorer.set_score_request(**requested)

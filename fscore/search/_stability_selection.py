"""Stability selection: features that a selector chooses again and again on halves of the sample."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed

from fscore._columns import as_array
from fscore._jobs import n_workers
from fscore._sklearn import (
    HasMethods,
    Interval,
    SelectorMixin,
    estimator_dataclass,
    fit_context,
    safe_indexing,
    set_random_states,
)
from fscore._typing import ArrayLike, Estimator, MatrixLike, Seed
from fscore._validation import is_structured, validated
from fscore.criteria._refit import rows_of
from fscore.search._inputs import check_metadata, checked_samples, inner_metadata, weight_of_each
from fscore.search._selector import SubsetSearch


@estimator_dataclass
class StabilitySelection(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Select the features that a selector chooses on most halves of the sample.

    The sample is divided at random into two halves, again and again, and the selector is fitted to each half
    (complementary pairs). Features chosen on at least a share `threshold` of the halves are selected.

    Parameters
    ----------
    selector : selector
        A search of this package, or any scikit-learn feature selector.
    n_resamples : int, default=100
        Number of halves, two for each division; rounded up to an even number.
    threshold : float in (0, 1], default=0.6
        There is an error bound above 0.5.
    random_state : int, RandomState instance or None, default=None
        Divides the sample, and seeds the selector if it has a ``random_state``.
    n_jobs : int or None, default=None
        Halves in parallel.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), dtype=bool
        The selected features.
    frequencies_ : ndarray of shape (n_features_in_,)
        Share of the halves on which each feature was chosen.
    supports_ : ndarray of shape (n_resamples, n_features_in_), dtype=bool
        What was chosen on each half.
    error_bound_ : float
        Upper bound of the expected number of selected features that are chosen on a random half with a probability of
        at most q / p only: ``q^2 / ((2 threshold - 1) p)``. Here q is the mean number chosen on a half and p the number
        of features. NaN for thresholds up to 0.5.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X has column names.

    Notes
    -----
    The bound holds for any selector and any distribution of the data. q is estimated by its mean over the halves. Class
    labels are divided class by class, so that each half has all classes; the theory divides the sample as a whole. A
    search of this package knows whether its target holds classes. For other selectors whole numbers count as classes,
    as scikit-learn has it, but not numbers of a floating type with more values than a tenth of the samples.

    References
    ----------
    Meinshausen, Buehlmann (2010), JRSS B 72, 417-473. Shah, Samworth (2013), JRSS B 75, 55-80, Theorem 1 with
    theta = q / p.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fscore.search import SFS, StabilitySelection
    >>> X, y = load_wine(return_X_y=True)
    >>> selection = StabilitySelection(SFS(KNeighborsClassifier(3), 3, cv=3), n_resamples=20, random_state=0)
    >>> selection.fit(X, y).frequencies_.shape
    (13,)
    """

    selector: Estimator
    _: KW_ONLY
    n_resamples: int = 100
    threshold: float = 0.6
    random_state: Seed = None
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict] = {
        "selector": [HasMethods(["fit", "get_support"])],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }

    __metadata_request__fit: ClassVar[dict] = {"groups": True, "sample_weight": None}

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: MatrixLike, y: ArrayLike | None = None, *, groups: ArrayLike | None = None, **params: ArrayLike | None
    ) -> Self:
        """Fit the selector to halves of the sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            As the selector takes it.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples, each of which stays in one half; passed on if the folds of the selector ask for groups.
        **params : dict
            ``sample_weight``: weights for the fit of the selector.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If there are fewer than four samples, y is constant, a class has one sample, or the selector refuses a half.
        """
        samples, target = checked_samples(self, X, y, needs_classes=True, ensure_min_samples=4)
        if target is not None and (target == target[0]).all():
            raise ValueError(
                f"y holds only one value ({target.tolist()[0]!r}), which no column explains; check the target."
            )
        rng = check_random_state(self.random_state)
        if unknown := set(params) - {"sample_weight"}:
            raise TypeError(f"fit got {min(unknown)!r}, but takes groups and sample_weight only; leave it out.")
        sample_weight = params.get("sample_weight")
        check_metadata({"groups": groups, "sample_weight": sample_weight}, samples)
        params = inner_metadata(self.selector, groups, weight_of_each(sample_weight, samples))
        strata, members = _strata(self.selector, np.zeros(samples.shape[0]) if target is None else target, groups)
        halves = []
        for _ in range(-(-self.n_resamples // 2)):
            halves += [np.sort(np.concatenate([members[i] for i in half])) for half in _two_halves(strata, rng)]
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(halves))
        supports = Parallel(n_jobs=n_workers(self.n_jobs))(
            delayed(_choose)(self.selector, samples, target, params, rows, seed)
            for rows, seed in zip(halves, seeds, strict=True)
        )
        self.supports_ = np.array(supports)
        self.frequencies_ = self.supports_.mean(axis=0)
        self.support_ = self.frequencies_ >= self.threshold
        q, p = self.supports_.sum(axis=1).mean(), self.n_features_in_
        self.error_bound_ = float(q**2 / ((2 * self.threshold - 1) * p)) if self.threshold > 0.5 else np.nan
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.selector)
        tags.input_tags.allow_nan, tags.input_tags.sparse = inner.input_tags.allow_nan, inner.input_tags.sparse
        tags.target_tags.multi_output = inner.target_tags.multi_output
        tags.target_tags.required = inner.target_tags.required
        return tags


def _strata(selector, y, groups):
    """Strata, which are divided separately, and the rows of each of their members: single samples, or groups.

    Groups are divided class by class if each has samples of one class only.
    """
    if groups is None:
        return _strata_of_classes(selector, y), np.arange(len(y))[:, None]
    _, codes = np.unique(as_array(groups), return_inverse=True)
    members = [np.flatnonzero(codes == g) for g in range(codes.max() + 1)]
    if len(members) < 2:
        raise ValueError("groups holds one group, which cannot be divided into two halves; give more.")
    if all((y[rows] == y[rows[0]]).all() for rows in members):
        return _strata_of_classes(selector, y[[rows[0] for rows in members]], "group"), members
    return [np.arange(len(members))], members


def _strata_of_classes(selector, y, member="sample"):
    """The members of each class, or all in one stratum if the target holds no classes."""
    if y.ndim > 1 or is_structured(y):
        has_classes = False
    elif isinstance(selector, SubsetSearch):
        has_classes = selector.needs_classes
    else:
        has_classes = type_of_target(y) in ("binary", "multiclass")
        if y.dtype.kind == "f":
            has_classes &= len(np.unique(y)) <= max(2, len(y) // 10)
    if not has_classes:
        return [np.arange(len(y))]
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"class {labels.tolist()[counts.argmin()]!r} has one {member}, but each half needs one of each class; "
            "leave the class out, merge it with another, or give y.astype(float) for a regression."
        )
    return [np.flatnonzero(y == label) for label in labels]


def _two_halves(strata, rng):
    """Two disjoint halves of the members of all strata, each divided by itself; at most one member is left out."""
    parts = [rng.permutation(stratum) for stratum in strata]
    left_over = [part[len(part) // 2 * 2 :] for part in parts]  # one member of each odd stratum
    parts.append(rng.permutation(np.concatenate(left_over)))
    halves: list[list[np.ndarray]] = [[], []]
    for part in parts:
        half = len(part) // 2
        halves[0].append(part[:half])
        halves[1].append(part[half : 2 * half])
    return [np.sort(np.concatenate(half)) for half in halves]


def _choose(selector, X, y, params, rows, seed):
    selector = clone(selector)
    set_random_states(selector, seed)
    params = {name: safe_indexing(value, rows) for name, value in params.items()}
    return validated(selector.fit, safe_indexing(X, rows), rows_of(y, rows), **params).get_support()

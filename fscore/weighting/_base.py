"""Base class of the feature weightings: what ``weights_`` means, and how it transforms samples."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from fscore._magnitudes import check_scale
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_labeled, check_new_samples
from fscore._warnings import warn_user


class FeatureWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base class of the transformers that weight features for distances.

    ``weights_`` is always the w of ``d(x, x')**2 = sum_mu w_mu (x_mu - x'_mu)**2`` (Hocke and Martinetz 2014,
    eq. 1), whatever the method itself calls its weights. A subclass computes it in ``fit`` and passes it to
    :meth:`_set_weights`.
    """

    def _set_weights(self, weights, X):
        """Set ``weights_`` and each feature's share of the weighted variance, ``w_mu Var(x_mu)`` over its sum."""
        if not np.isfinite(weights).all():
            raise ValueError(
                f"{type(self).__name__} computed the weight {weights[~np.isfinite(weights)][0]}: its numbers overflow. "
                f"Scale the features to a common range of about one, and check the parameters of {self}."
            )
        share = weights * X.var(axis=0)
        total = share.sum()
        if not total > 0:
            warn_user(
                f"{type(self).__name__} gave every feature that varies weight zero: by its measure no feature "
                "separates the classes, and all samples coincide. Check the labels, or use unweighted features.",
                UserWarning,
            )
        self.weights_ = weights
        self.feature_importances_ = share / total if total > 0 else np.zeros_like(share)

    def transform(self, X: ArrayLike) -> Floats:
        """Scale each feature by the square root of its weight, so that Euclidean distances are those of eq. (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return check_new_samples(self, X) * np.sqrt(self.weights_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def check_sample(X, y, *, estimator, **scale):
    """Validate a labeled sample in which some feature varies and some class has two samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    estimator : estimator
    **scale
        Passed on to :func:`fscore._magnitudes.check_scale`.

    Returns
    -------
    X, codes, classes
        As :func:`fscore._validation.check_labeled`.
    """
    X, codes, classes = check_labeled(X, y, estimator=estimator)
    check_scale(X, estimator, **scale)
    counts = np.bincount(codes)
    if counts.max() < 2:
        raise ValueError(
            f"Each of the {len(classes)} classes has one sample, so no sample has a neighbor of its own class. "
            f"{type(estimator).__name__} needs a class of at least two: check that y contains class labels."
        )
    if not np.ptp(X, axis=0).any():
        raise ValueError(f"All {len(X)} rows of X are identical, so nothing separates the classes. Check X.")
    return X, codes, classes

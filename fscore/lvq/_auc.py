"""The area under the ROC curve, for early stopping and for experiments that compute it very often."""

import numpy as np

__all__ = ["area"]


def area(scores, y, classes):
    """AUC of a decision function; with several classes, the mean over each class against the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) for two classes (of ``classes[1]``), else (n_samples, n_classes)
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        The classifier's classes, in its order. A class that is absent from ``y`` is left out of the mean.

    Returns
    -------
    float
    """
    if scores.ndim == 1:
        return _area_of_class(scores, y == classes[1])
    return np.mean([_area_of_class(scores[:, k], y == c) for k, c in enumerate(classes) if c in y])


def _area_of_class(scores, positive):
    """Share of pairs of a positive and another sample in which the positive one scores higher; ties count half."""
    own, others = scores[positive], np.sort(scores[~positive])
    below = np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")
    return below.sum() / (2 * len(own) * len(others))

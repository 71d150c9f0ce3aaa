"""Data sets drawn from a known distribution; the registry describes them with the default options.

Each generator returns a dict with ``data``, ``target`` and, if known, ``relevant`` (the indices of the features that
depend on the class).
"""

from numbers import Real

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["GENERATORS"]


def _shuffled(rng, data, target, **known):
    order = rng.permutation(len(target))
    return {"data": data[order], "target": target[order], **known}


def _two_classes(n_samples):
    if n_samples < 2:
        raise ValueError(f"n_samples must be at least 2, one for each class, not {n_samples}.")
    return np.arange(n_samples) % 2


def three_features(random_state, n_samples=400, shift=(4.0, 3.0), width=10.0):
    """Nel (1998), section 4.4: two normal features with different class means, one uniform feature.

    The thesis prints no parameters; ours match its description: features 1 and 2 nearly separate the classes, the first
    better than the second; the third carries no information, but its range is wide enough to disturb distances.

    Parameters
    ----------
    n_samples : int
    shift : pair of float
        Distance of the class means in features 1 and 2, in standard deviations.
    width : float
        Range of the uniform feature.
    """
    if np.shape(shift) != (2,) or not all(isinstance(s, Real) and np.isfinite(s) for s in shift):
        raise ValueError(f"shift={shift!r} must be two numbers, one for each normal feature.")
    rng = check_random_state(random_state)
    y = _two_classes(n_samples)
    normal = rng.standard_normal((n_samples, 2)) + np.outer(y, shift)
    noise = rng.uniform(0, width, (n_samples, 1))
    return _shuffled(rng, np.hstack([normal, noise]), y, relevant=np.array([0, 1]))


def gaussian_pair(random_state, n_samples=500, n_features=2, shift=3.0):
    """Nel (1998), section 5.4.1: two normal classes with identity covariance, the second shifted in every feature.

    Parameters
    ----------
    n_samples, n_features : int
    shift : float
        Shift in each feature: the distance of the means is ``sqrt(n_features) * shift``. Fig. 5.2 shows shift 3. Table
        5.1 lists the distance, but its first line, 2.82, belongs to shift 1, whose distance is 1.41.
    """
    rng = check_random_state(random_state)
    y = _two_classes(n_samples)
    X = rng.standard_normal((n_samples, n_features)) + shift * y[:, None]
    return _shuffled(rng, X, y, relevant=np.arange(n_features))


def surrounded_class(random_state, n_samples=600, distance=4.0):
    """Nel (1998), section 5.4.3: class 0 lies between the two modes of class 1.

    Parameters
    ----------
    n_samples : int
    distance : float
        From the center of class 0 to either mode of class 1, in standard deviations, along both features.
        Not printed in the thesis.
    """
    rng = check_random_state(random_state)
    y = _two_classes(n_samples)
    side = np.where(np.arange(n_samples) // 2 % 2, 1.0, -1.0)  # the samples of class 1 alternate between the modes
    X = rng.standard_normal((n_samples, 2)) + (distance * side * y)[:, None]
    return _shuffled(rng, X, y, relevant=np.array([0, 1]))


def wide_gaussian(random_state, n_samples=72, n_features=7129, n_relevant=20, effect=1.5):
    """Many more features than samples, as in gene expression: independent normal features, a few with different means.

    Parameters
    ----------
    n_samples, n_features : int
    n_relevant : int
        Number of features whose class means differ.
    effect : float
        By how much, in standard deviations.
    """
    if n_relevant > n_features:
        raise ValueError(f"n_relevant={n_relevant} exceeds n_features={n_features}; give fewer.")
    rng = check_random_state(random_state)
    y = _two_classes(n_samples)
    X = rng.standard_normal((n_samples, n_features))
    relevant = np.sort(rng.choice(n_features, n_relevant, replace=False))
    X[:, relevant] += effect * y[:, None]
    return _shuffled(rng, X, y, relevant=relevant)


GENERATORS = {
    generator.__name__: generator for generator in (three_features, gaussian_pair, surrounded_class, wide_gaussian)
}

"""Data sets drawn from a known distribution; the registry describes them with the default options.

Each generator returns a dict with ``data``, ``target`` and, if known, ``relevant`` (the indices of the features that
depend on the class).
"""

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


def waveform_generated(random_state, n_samples=5000, n_noise=0):
    """Wave recognition problem: each class is a random convex combination of two of three triangular waves, plus noise.

    The classes are numbered as in UCI's files: peaks at 7 and 15, 7 and 11, 11 and 15.

    Parameters
    ----------
    n_samples : int
    n_noise : int
        Number of pure noise features appended to the 21 (19 for the problem with 40).

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984, section 2.6.2.
    """
    rng = check_random_state(random_state)
    i = np.arange(1, 22)
    wave = [np.maximum(6 - abs(i - peak), 0) for peak in (7, 15, 11)]
    pairs = np.array([(wave[0], wave[1]), (wave[0], wave[2]), (wave[1], wave[2])])
    y = rng.randint(3, size=n_samples)
    u = rng.uniform(size=(n_samples, 1))
    X = rng.standard_normal((n_samples, 21 + n_noise))
    X[:, :21] += u * pairs[y, 0] + (1 - u) * pairs[y, 1]
    return {"data": X, "target": y, "relevant": np.arange(21)}


def madelon_like(random_state, n_samples=2000, n_features=500, n_informative=5, n_redundant=15, flip=0.01):
    """Guyon's madelon: two classes on the vertices of a hypercube, linear combinations of its axes, and noise.

    Parameters
    ----------
    n_samples, n_features : int
    n_informative : int
        Dimension of the cube; each vertex is a cluster of one class.
    n_redundant : int
        Random linear combinations of the informative features.
    flip : float
        Fraction of labels drawn at random.

    References
    ----------
    I. Guyon, Design of experiments for the NIPS 2003 variable selection benchmark, 2003.
    """
    from sklearn.datasets import make_classification

    _two_classes(n_samples)
    if n_informative > 16:
        raise ValueError(
            f"n_informative must be at most 16, not {n_informative}; each vertex of the cube is a cluster."
        )
    rng = check_random_state(random_state)
    X, y = make_classification(
        n_samples=n_samples,
        n_features=n_features,
        n_informative=n_informative,
        n_redundant=n_redundant,
        n_clusters_per_class=2 ** (n_informative - 1),
        flip_y=flip,
        class_sep=2.0,
        shuffle=False,
        random_state=rng,
    )
    order = rng.permutation(n_features)
    relevant = np.flatnonzero(order < n_informative + n_redundant)
    return _shuffled(rng, X[:, order], y, relevant=relevant)


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
    rng = check_random_state(random_state)
    y = _two_classes(n_samples)
    X = rng.standard_normal((n_samples, n_features))
    relevant = np.sort(rng.choice(n_features, n_relevant, replace=False))
    X[:, relevant] += effect * y[:, None]
    return _shuffled(rng, X, y, relevant=relevant)


GENERATORS = {
    generator.__name__: generator
    for generator in (three_features, gaussian_pair, surrounded_class, waveform_generated, madelon_like, wide_gaussian)
}

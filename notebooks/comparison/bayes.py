"""The Bayesian signed-rank test with a region of practical equivalence."""

from typing import NamedTuple

import numpy as np

PRIOR = 0.5  # weight of the pseudo-observation; a data set has weight 1


class Probabilities(NamedTuple):
    """Posterior probabilities that the first method is practically better, equivalent, or worse."""

    better: float
    equivalent: float
    worse: float


def walsh_shares(weights, differences, rope):
    """Weighted shares of the pairwise means of the differences above, inside and below the region.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, n)
        Each row sums to 1.
    differences : ndarray of shape (n,)
    rope : float
        The region is ``[-rope, rope]``.

    Returns
    -------
    ndarray of shape (n_samples, 3)
    """
    means = (differences[:, None] + differences) / 2
    above, below = means > rope, means < -rope
    shares = [np.einsum("si,ij,sj->s", weights, beyond.astype(float), weights) for beyond in (above, below)]
    return np.column_stack([shares[0], 1 - shares[0] - shares[1], shares[1]])


def signed_rank(differences, rope=0.01, *, n_samples=20000):
    """Probability that one method is better than another over data sets, by a Dirichlet process.

    The distribution of the differences has a Dirichlet process prior of strength `PRIOR` with a pseudo-observation in
    the middle of the region. Its posterior is sampled; each sample gives the probability that the mean of two
    differences lies above, inside or below the region, and the largest of the three wins the sample.

    Parameters
    ----------
    differences : array-like of shape (n,)
        One per data set: first method minus second.
    rope : float, default=0.01
        Half the width of the region of practical equivalence.
    n_samples : int, default=20000

    Returns
    -------
    Probabilities

    Raises
    ------
    ValueError
        Without differences, or with a negative rope.

    References
    ----------
    Benavoli, Corani, Demsar, Zaffalon, "Time for a change", JMLR 18 (77), 2017, Section 4.2.
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or len(d) == 0 or not np.isfinite(d).all():
        raise ValueError("differences must be a list of at least one finite number.")
    if rope < 0:
        raise ValueError(f"rope={rope!r} must not be negative.")
    weights = np.random.default_rng(0).dirichlet(np.r_[PRIOR, np.ones(len(d))], n_samples)
    shares = walsh_shares(weights, np.r_[0.0, d], rope)
    wins = np.isclose(shares, shares.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    return Probabilities(*(float(p) for p in (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)))

"""Subsets as boolean masks, for the searches that draw at random."""

import numpy as np

__all__ = ["generator", "mask_of", "repair", "subset_of"]


def subset_of(mask):
    return tuple(np.flatnonzero(mask).tolist())


def mask_of(subset, n):
    mask = np.zeros(n, dtype=bool)
    mask[list(subset)] = True
    return mask


def repair(mask, size, rng, p=None):
    """Give a mask the given size, or at least one unit.

    Units are removed or added at random; with probabilities ``p``, the least probable are removed and the most probable
    added.
    """
    mask = mask.copy()
    goal = size if size is not None else max(1, int(mask.sum()))
    excess = int(mask.sum()) - goal
    if excess == 0:
        return mask
    pool = np.flatnonzero(mask if excess > 0 else ~mask)
    # random keys break the ties of p
    keys = rng.random(len(pool)) if p is None else p[pool] + 1e-9 * rng.random(len(pool))
    pool = pool[np.argsort(keys)]
    if excess > 0:
        mask[pool[:excess]] = False
    else:
        mask[pool[excess:]] = True
    return mask


def generator(random_state):
    """A numpy Generator from scikit-learn's RandomState."""
    return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))

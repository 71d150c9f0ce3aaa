"""Branch and bound under the Gaussian criteria, by the compiled walk of `fscore.kernels.gaussian`."""

import numpy as np

__all__ = ["BoundedWalk"]

MAX_BATCH = 2**17


class BoundedWalk:
    """The state of a compiled walk, which may be paused; see `BoundCriterion.bounded_walk`.

    Attributes
    ----------
    batch : int
        How many subsets take a fraction of a second.
    """

    def __init__(self, stack, value, columns, places, n_removed, bound):
        first, self.q, self.g = stack
        D, levels = len(columns), n_removed + 1
        self.columns, self.bound = columns, bound
        self.stacks = np.zeros((levels, *first.shape))
        self.stacks[0] = first
        self.removable = np.zeros((levels, D), dtype=np.int64)
        self.removable[0, : len(places)] = places
        self.values, self.at = np.zeros((levels, D)), np.full(levels, value)
        self.order, self.counts = np.zeros((levels, D), dtype=np.int64), np.zeros((3, levels), dtype=np.int64)
        self.counts[0, 0] = len(places)
        self.state = np.array([0, 1])
        self.best = np.full(n_removed, -1)
        self.batch = max(D, min(MAX_BATCH, 2**27 // (len(self.g) * D)))

    def run(self, limit):
        """Continue until the next node would exceed the limit; return the number of subsets valued."""
        from fscore.kernels.gaussian import bounded_walk

        n_valued, self.bound = bounded_walk(
            self.stacks,
            self.q,
            self.g,
            self.removable,
            self.state,
            self.values,
            self.at,
            self.order,
            *self.counts,
            self.best,
            self.bound,
            limit,
        )
        return n_valued

    @property
    def done(self):
        """Whether the walk is finished."""
        return self.state[0] < 0

    @property
    def removed(self):
        """The columns whose removal is the best known, ascending."""
        return None if self.best[0] < 0 else tuple(sorted(self.columns[a] for a in self.best))

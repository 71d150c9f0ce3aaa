"""Between the caller's data and the program: scale, sort by class, leave out constant features, and the way back."""

import numpy as np

from fscore.weighting.mdm._sample import Sample


class Task:
    """The sample as the program sees it, and the way back: unit ranges, sorted by class, no constant features."""

    def __init__(self, X, codes, duplicates):
        self.n_features = X.shape[1]
        self.order = np.argsort(codes, kind="stable")
        low, high = X.min(axis=0), X.max(axis=0)
        self.varying = high > low
        self.range = (high - low)[self.varying]
        U = ((X[:, self.varying] - low[self.varying]) / self.range)[self.order]
        codes = codes[self.order]
        self.sample = Sample(U, codes)
        self.dropped_pairs = np.empty((0, 2), dtype=np.intp)
        equal_weights = np.ones(len(self.range))
        self.start = self.sample.extremes(equal_weights)
        if self.start.nearest_distance.min() < 1e-12:  # as near as that: see whether points are the same
            self._treat_duplicates(U, codes, duplicates)
            self.start = self.sample.extremes(equal_weights)

    def _treat_duplicates(self, U, codes, duplicates):
        _, point = np.unique(U, axis=0, return_inverse=True)
        labels_at = np.bincount(np.unique(np.column_stack([point, codes]), axis=0)[:, 0])
        pairs = []
        for ambiguous in np.flatnonzero(labels_at > 1):
            members = np.flatnonzero(point == ambiguous)
            i, j = (members[k] for k in np.triu_indices(len(members), 1))
            pairs.append(np.column_stack([i, j])[codes[i] != codes[j]])
        if not pairs:
            return
        pairs = np.sort(self.order[np.concatenate(pairs)], axis=1)
        pairs = pairs[np.lexsort(pairs.T[::-1])]
        if duplicates == "error":
            raise ValueError(
                f"Rows {pairs[0, 0]} and {pairs[0, 1]} are identical but carry different labels ({len(pairs)} such "
                "pairs in all); no weights can keep them apart. Clean the data, or leave out the constraints of such "
                "pairs by duplicates='drop'."
            )
        if len(pairs) == self.sample.n_pairs()[1]:
            raise ValueError(
                f"All {len(U)} rows are identical: there is nothing by which the classes could be told apart."
            )
        self.dropped_pairs = pairs
        self.sample = Sample(U, codes, point)

    def unsorted(self, values):
        """Sample values in the caller's order."""
        result = np.empty_like(values)
        result[self.order] = values
        return result

    def unscaled(self, w):
        """Weights of features in unit range as weights of the caller's features, with zeros for constant ones."""
        result = np.zeros(self.n_features)
        result[self.varying] = w / self.range / self.range
        return result

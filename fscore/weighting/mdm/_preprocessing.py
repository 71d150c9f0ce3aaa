"""Scales and sorts the user's data for MDM's program, and converts its results back."""

import numpy as np

from fscore.weighting.mdm._sample import Sample


class PreparedData:
    """The user's data in unit ranges, sorted by class and without constant features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,)
        Class numbers.
    duplicates : {"error", "drop"}
        What to do with identical samples of different classes.

    Attributes
    ----------
    sample : Sample
    unweighted : Extremes
        Of the sample under equal weights.
    dropped_pairs : ndarray of shape (n_pairs, 2)
        Row numbers of ``X``: pairs of identical samples of different classes.
    """

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
        self.unweighted = self.sample.extremes(equal_weights)
        if self.unweighted.nearest_distance.min() < 1e-12:  # possibly identical
            self._treat_duplicates(U, codes, duplicates)
            self.unweighted = self.sample.extremes(equal_weights)
            if self.unweighted.nearest_distance.min() == 0:
                raise self.too_close()

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
                "pairs in all); no weights can keep them apart. Remove one of each pair from the data, or leave out "
                "their constraints with duplicates='drop'."
            )
        if len(pairs) == self.sample.n_pairs()[1]:
            raise ValueError(f"All {len(U)} rows of X are identical, so nothing separates the classes. Check X.")
        self.dropped_pairs = pairs
        self.sample = Sample(U, codes, point)

    def too_close(self):
        """The error to raise if the nearest samples of different classes are too close for the solver."""
        i = self.unweighted.nearest_distance.argmin()
        j = self.unweighted.nearest[i]
        difference = np.abs(self.sample.X[i] - self.sample.X[j]).max()
        first, second = np.sort(self.order[[i, j]])
        return ValueError(
            f"Rows {first} and {second} have different labels, but differ by at most {difference:.1e} in units of the "
            "features' ranges, which is below the solver's precision. Remove one of them, or outliers that widen the "
            "ranges."
        )

    def in_input_order(self, values):
        """Values of the sorted samples in the order of ``X``."""
        result = np.empty_like(values)
        result[self.order] = values
        return result

    def in_input_units(self, w):
        """Weights for the features of ``X``, zero for constant ones, from those of features in unit range."""
        result = np.zeros(self.n_features)
        result[self.varying] = w / self.range / self.range
        return result

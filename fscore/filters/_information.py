"""Mutual information of two columns, each of which holds repeated values, other numbers, or both.

Let X' be the repeated value that a column x has in a sample, or the fact that it has none, and Z' the same of z. By the
chain rule,

    I(x; z) = I(X'; Z') + I(X'; z | Z') + I(x; Z' | X') + I(x; z | X', Z').

The first term counts frequencies. The second and third come from the samples in which one of the two has no repeated
value: one density for each code of the other. The last comes from those in which neither has: a density in the plane.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fscore._magnitudes import large_offsets, rescale_extremes
from fscore.filters.information_gain import frequency_information

_REACH = 5  # bandwidths from the outermost values to the ends of the grid: less than 1e-6 of a kernel lies beyond
_CLASS_POINTS = 256, 4096  # of the grid for the densities of classes: the fewest and the most
_PAIR_POINTS = 64, 512  # the same, along each axis for a pair
_NARROWEST = 1e-3  # least width of the kernels across the regression line, relative to those of the second feature
_PER_FREEDOM = 5  # samples for each degree of freedom of a table of frequencies: its bias is 0.1 nats at most
_HALVINGS = 3  # of the widths of the classes' densities, at most
_PRIOR = 0.01  # of a kernel: counts for all classes by their shares, where no other sample is near
_TINY = np.finfo(np.float64).tiny


class Column(NamedTuple):
    """A feature or a target.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int
        The number of the repeated value; one more than the largest of them where the value is not a repeated one.
    is_other : ndarray of shape (n_samples,), bool
        Where the value is not a repeated one.
    values : ndarray of shape (n_samples,)
        What the densities of the other values are estimated from.
    as_numbers : ndarray of shape (n_samples,)
        What a density of all values is estimated from.
    entropy : float
        That of the frequencies of all values, in nats.
    is_category : bool
    """

    codes: np.ndarray
    is_other: np.ndarray
    values: np.ndarray
    as_numbers: np.ndarray
    entropy: float
    is_category: bool

    @property
    def has_repeated_values(self):
        """Whether some value counts by its frequency."""
        return not self.is_other.all()

    @property
    def n_codes(self):
        return self.codes.max() + 1

    def without_repeated_values(self):
        """The same column, of which no value counts by its frequency."""
        everywhere = np.ones_like(self.is_other)
        return self._replace(codes=np.zeros_like(self.codes), is_other=everywhere, values=self.as_numbers)


class Densities(NamedTuple):
    """An estimator of mutual information; the fields are the parameters of `mutual_information`."""

    density: str = "normal_scores"
    bandwidth: str = "normal_reference"
    n_grid: int | None = None

    def columns(self, X: np.ndarray, discrete: Iterable[bool]) -> list[Column]:
        """Prepare the columns of a validated array, of which those marked as discrete hold categories."""
        if self.density == "values":
            X = rescale_extremes(X)
            X = X - large_offsets(X, 1e9)  # a grid over so small a range would have equal points; the shift is exact
        contiguous = np.ascontiguousarray(X.T)
        return [self._column(x, bool(is_category)) for x, is_category in zip(contiguous, discrete, strict=True)]

    def _column(self, x, is_category):
        _, numbers, counts = np.unique(x, return_inverse=True, return_counts=True)
        is_repeated = self._repeated(counts, len(x)) | is_category
        codes = np.where(is_repeated, np.cumsum(is_repeated) - 1, is_repeated.sum())
        values = as_numbers = x
        if self.density == "normal_scores":
            values = _normal_scores(np.where(is_repeated, 0, counts))[numbers]
            as_numbers = _normal_scores(counts)[numbers] if is_repeated.any() else values
        entropy = np.log(len(x)) - counts @ np.log(counts) / len(x)
        return Column(codes[numbers], ~is_repeated[numbers], values, as_numbers, entropy, is_category)

    def _repeated(self, counts, n):
        """Mask of the values that count by their frequencies."""
        if self.density == "values":
            return counts >= max(0.1 * n, 5)
        many = max(2, n**0.4)
        return (counts >= many) | (np.median(counts) >= many)

    def information(self, first: list[Column], second: list[Column]) -> np.ndarray:
        """Mutual information of each column of the first list and each of the second, in nats."""
        return np.array([self._with_each(column, second) for column in first]).reshape(len(first), len(second))

    def pairwise(self, columns: list[Column]) -> np.ndarray:
        """Mutual information of each two columns, and of each with itself."""
        values = np.zeros((len(columns), len(columns)))
        for k, column in enumerate(columns):
            values[k, k:] = values[k:, k] = self._with_each(column, columns[k:])
        return values

    def _with_each(self, column, others):
        values = np.zeros(len(others))
        at_once = np.zeros(len(others), dtype=bool)
        if self.density == "normal_scores" and self.bandwidth == "normal_reference" and not column.has_repeated_values:
            at_once = np.array([not other.has_repeated_values for other in others], dtype=bool)
            values[at_once] = self._planes(column.values, [others[k].values for k in np.flatnonzero(at_once)])
        for k in np.flatnonzero(~at_once):
            values[k] = self._of_pair(column, others[k])
        if self.density == "normal_scores":
            values = np.minimum(values, [min(column.entropy, other.entropy) for other in others])
        return np.maximum(values, 0.0)  # rounding

    def _of_pair(self, x, z):
        if self.density == "values" and not x.is_category and not z.is_category:
            return self._plane(x.values, z.values)
        x, z = self._countable(x, z)
        information = np.log(2) * frequency_information(x.codes, z.codes)
        for number, code in ((x, z), (z, x)):
            if number.is_other.any():
                values, codes = number.values[number.is_other], code.codes[number.is_other]
                information += number.is_other.mean() * self._with_codes(values, codes)
        both = x.is_other & z.is_other
        if both.any():
            information += both.mean() * self._plane(x.values[both], z.values[both])
        return information

    def _countable(self, x, z):
        """Two columns whose repeated values are few enough to count the pairs of them.

        Otherwise the column of more of them is taken as numbers, or both, if they have as many.
        """
        if self.density == "values" or (x.n_codes - 1) * (z.n_codes - 1) * _PER_FREEDOM <= len(x.codes):
            return x, z
        most = max((column.n_codes for column in (x, z) if not column.is_category), default=0)
        x, z = (
            column if column.is_category or column.n_codes < most else column.without_repeated_values()
            for column in (x, z)
        )
        return x, z

    def _plane(self, x, z):
        """I(x; z) by a density in the plane."""
        if self.density == "values" or self.bandwidth == "adaptive":
            return _information_in_plane(x, z, self.bandwidth == "adaptive", self.n_grid)
        return self._planes(x, [z])[0]

    def _planes(self, x, others):
        """`_plane` of x and several others with kernels of the normal reference width."""
        from fscore.kernels.density import normal_reference_information

        if len(others) == 0:
            return []
        fewest, most = (self.n_grid, self.n_grid) if self.n_grid else _PAIR_POINTS
        return normal_reference_information(x, np.array(others), fewest, most)

    def _with_codes(self, x, codes):
        """I(x; C) by one density of x for each code.

        Their widths are those for normal data, halved as long as the probabilities of the samples' codes, each
        estimated from the other samples, increase.
        """
        codes = np.unique(codes, return_inverse=True)[1]
        if codes.max() == 0 or np.ptp(x) == 0:
            return 0.0
        widths = _normal_widths(x, codes)
        if not widths.any():
            return np.log(2) * frequency_information(np.unique(x, return_inverse=True)[1], codes)
        widths[widths == 0] = _normal_widths(x, np.zeros_like(codes))[0]
        if self.density == "values":
            masses = _class_masses(x, codes, widths, self.bandwidth == "adaptive", self.n_grid)
        else:
            masses = self._fitted_masses(x, codes, widths)
        product = masses.sum(axis=1, keepdims=True) * masses.sum(axis=0)
        return np.sum(masses * np.log((masses + _TINY) / (product + _TINY)))

    def _fitted_masses(self, x, codes, widths):
        """Densities of the classes on a grid, of the width that is the most likely for samples left out."""
        from fscore.kernels.density import class_densities

        fewest, most = (self.n_grid, self.n_grid) if self.n_grid else (_PAIR_POINTS[0], _CLASS_POINTS[1])
        best = -np.inf
        for halving in range(_HALVINGS + 1):
            joint, left_out = class_densities(x, codes, widths / 2**halving, _PRIOR, fewest, most)
            if left_out < best + 1e-9:  # rounding
                break
            masses, best, chosen = joint, left_out, widths / 2**halving
        if self.bandwidth == "adaptive":
            return _class_masses(x, codes, chosen, True, self.n_grid)
        return masses


def _normal_scores(counts):
    """Normal quantiles of the mean ranks of values in ascending order, which occur so often."""
    return ndtri((np.cumsum(counts) - counts / 2) / max(counts.sum(), 1))


def _class_masses(x, codes, widths, adaptive, n_grid):
    """One density of x for each class: masses of shape (n_classes, n_grid), which sum to 1."""
    from fscore.kernels.density import line_masses

    n_classes, h = len(widths), widths[codes]
    spread = _without_gaps(x, h)
    h, grid, _ = _resolved(spread, h, n_grid, _CLASS_POINTS)
    if adaptive:
        pilot = line_masses(spread, h, codes, n_classes, grid)
        for c, masses in enumerate(pilot):
            h[codes == c] *= _local_factors(np.interp(spread[codes == c], grid, masses))
        spread = _without_gaps(x, h)
        h, grid, _ = _resolved(spread, h, n_grid, _CLASS_POINTS)
    return line_masses(spread, h, codes, n_classes, grid)


def _normal_widths(x, codes):
    """Optimal bandwidth of a normal sample for each class; robust to outliers unless more than half are equal."""
    counts = np.bincount(codes)
    ordered = x[np.lexsort((x, codes))]
    starts = np.cumsum(counts) - counts
    low, high = (_quantiles(ordered, starts, counts, q) for q in (0.25, 0.75))
    unit = np.where(high > low, (high - low) / 1.349, 1.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # outliers beyond floats; single samples
        deviations = (x - (np.bincount(codes, x) / counts)[codes]) / unit[codes]
        spread = np.sqrt(np.bincount(codes, deviations**2) / (counts - 1))
    spread = np.where(high > low, np.fmin(spread, 1), spread)
    spread[ordered[starts] == ordered[starts + counts - 1]] = 0.0
    return (4 / (3 * counts)) ** 0.2 * unit * spread


def _quantiles(ordered, starts, counts, q):
    """Quantiles of the groups of an array, each of them in ascending order, by linear interpolation."""
    position = (counts - 1) * q
    below = position.astype(np.intp)
    first, second = ordered[starts + below], ordered[starts + np.minimum(below + 1, counts - 1)]
    return first + (position - below) * (second - first)


def _grid(x, h, n_grid):
    """Points that reach `_REACH` bandwidths beyond every value, and their distance."""
    return np.linspace((x - _REACH * h).min(), (x + _REACH * h).max(), n_grid, retstep=True)


def _without_gaps(x, h):
    """x with each gap between neighbors cut to its least length at which no two kernels meet in it."""
    order = np.argsort(x, kind="stable")
    steps = np.diff(x[order], prepend=x[order[0]])
    spread = np.empty_like(x)
    spread[order] = np.cumsum(np.minimum(steps, 2 * _REACH * h.max()))
    return spread


def _local_factors(pilot):
    """sqrt(g / f(x)) at each sample."""
    log = np.log(pilot + _TINY)
    return np.exp(0.5 * (log.mean() - log))


def _entropy(p, step):
    """Differential entropy of a density given by its masses p on a grid with cells of size `step`."""
    return np.log(step) - np.sum(p * np.log(p + _TINY))


def _information_in_plane(x, z, adaptive, n_grid):
    """I(x; z) = h(x) + h(z) - h(x, z), in coordinates in which the kernels are products.

    The kernels have the shape of the sample's covariance. The residual of z after its regression on x is uncorrelated
    with x, and the map (x, z) -> (x, residual) preserves areas, so h(x, z) = h(x, residual).
    """
    from fscore.kernels.density import line_masses, plane_masses

    if np.ptp(x) == 0 or np.ptp(z) == 0:
        return 0.0
    n = len(x)
    slope = (x - x.mean()) @ (z - z.mean()) / np.sum((x - x.mean()) ** 2)
    residual = z - slope * x
    widths = np.array([np.std(v, ddof=1) for v in (x, residual, z)]) * n ** (-1 / 6)
    widths[1] = max(widths[1], _NARROWEST * widths[2])
    h_x, grid_x, step_x = _resolved(x, np.full(n, widths[0]), n_grid, _PAIR_POINTS)
    h_residual, grid_residual, step_residual = _resolved(residual, np.full(n, widths[1]), n_grid, _PAIR_POINTS)
    joint = plane_masses(x, residual, h_x, h_residual, grid_x, grid_residual)
    if adaptive:
        from scipy.interpolate import RectBivariateSpline

        pilot = RectBivariateSpline(grid_x, grid_residual, joint)(x, residual, grid=False)
        factors = _local_factors(np.maximum(pilot, 0.0))
        h_x, grid_x, step_x = _resolved(x, h_x * factors, n_grid, _PAIR_POINTS)
        h_residual, grid_residual, step_residual = _resolved(residual, h_residual * factors, n_grid, _PAIR_POINTS)
        joint = plane_masses(x, residual, h_x, h_residual, grid_x, grid_residual)
    h_z = np.hypot(h_residual, slope * h_x)  # of the same kernels, projected on z
    grid_z, step_z = _grid(z, h_z, n_grid or _enough_points(z, h_z, _PAIR_POINTS))
    p_z = line_masses(z, h_z, np.zeros(n, dtype=np.intp), 1, grid_z)[0]
    return _entropy(joint.sum(axis=1), step_x) + _entropy(p_z, step_z) - _entropy(joint, step_x * step_residual)


def _resolved(x, h, n_grid, limits):
    """Bandwidths that the grid resolves, the grid, and the distance of its points."""
    n_grid = n_grid or _enough_points(x, h, limits)
    h = np.maximum(h, np.ptp(x) / (n_grid - 1 - 2 * _REACH))
    grid, step = _grid(x, h, n_grid)
    return np.maximum(h, step), grid, step


def _enough_points(x, h, limits):
    """Number of points at which no kernel is narrower than their distance, within the limits."""
    reach = np.max(x + _REACH * h) - np.min(x - _REACH * h)
    return int(np.clip(np.ceil(reach / h.min()) + 1, *limits))

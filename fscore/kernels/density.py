"""Sums of Gaussian kernels on a grid, in the plane and on a line.

Kernels of different widths (`plane_masses`, `line_masses`) are summed one by one, over the grid points at which they
exceed 1e-17 of their peak. From one grid point to the next a kernel's value changes by a factor, which itself changes
by a constant factor. So a kernel of any width costs four exponentials.

Kernels of one width (`normal_reference_information`, `class_densities`) are a convolution: each sample is divided
between the grid points next to it [1]_, and the grid is smoothed along each axis.

.. [1] M. P. Wand, "Fast computation of multivariate kernel estimators", Journal of Computational and Graphical
   Statistics 3 (1994) 433-445.
"""

import numpy as np

from fscore.kernels._compiled import helper, kernel

_REACH = np.sqrt(2 * 17 * np.log(10))  # in bandwidths
_MARGIN = 5  # bandwidths that a smoothed grid reaches beyond its samples: less than 1e-6 of a kernel lies beyond
_PER_WIDTH = 2  # points of a smoothed grid in a bandwidth
_NARROWEST = 1e-3  # least width of the kernels across the line on which all samples lie, relative to those along it


@helper
def _index(number, last):
    """The index in 0, ..., last that is nearest to a float; 0 for NaN."""
    if number >= last:
        return last
    return int(np.rint(number)) if number > 0 else 0


@helper
def _kernel(x, h, start, step, values):
    """Set the values around x, which sum to 1; return the range of grid points reached, its end exclusive."""
    last = values.size - 1
    near, reach = _index((x - start) / step, last), _index(np.floor(_REACH * h / step), last) + 1
    low, high = max(near - reach, 0), min(near + reach, last)
    a, b = (x - start - near * step) / h, step / h
    change = np.exp(-b * b)
    values[near] = np.exp(-0.5 * a * a)
    total = values[near]
    for direction in (-1, 1):
        value, factor = values[near], np.exp(direction * a * b - 0.5 * b * b)
        for g in range(near + direction, high + 1 if direction > 0 else low - 1, direction):
            value *= factor
            factor *= change
            values[g] = value
            total += value
    for g in range(low, high + 1):
        values[g] /= total
    return low, high + 1


@kernel
def plane_masses(x, z, h_x, h_z, grid_x, grid_z):
    """Mean of the samples' product kernels, each of which has mass 1 on the grid.

    Parameters
    ----------
    x, z : float64 arrays of shape (n_samples,)
        Within the grid.
    h_x, h_z : float64 arrays of shape (n_samples,)
        Bandwidths, of the order of a step or more.
    grid_x, grid_z : float64 arrays of shape (n_x,) and (n_z,)
        Equally spaced points, ascending.

    Returns
    -------
    float64 array of shape (n_x, n_z)
    """
    joint = np.zeros((grid_x.size, grid_z.size))
    row, column = np.empty(grid_x.size), np.empty(grid_z.size)
    start_x, step_x = grid_x[0], (grid_x[-1] - grid_x[0]) / (grid_x.size - 1)
    start_z, step_z = grid_z[0], (grid_z[-1] - grid_z[0]) / (grid_z.size - 1)
    for i in range(x.size):
        low_x, high_x = _kernel(x[i], h_x[i], start_x, step_x, row)
        low_z, high_z = _kernel(z[i], h_z[i], start_z, step_z, column)
        bins = column[low_z:high_z]
        for g in range(low_x, high_x):
            share, into = row[g] / x.size, joint[g, low_z:high_z]
            for k in range(bins.size):
                into[k] += share * bins[k]
    return joint


@kernel
def line_masses(x, h, codes, n_classes, grid):
    """Sums of the kernels of each class on a line, divided by the number of all samples.

    Parameters
    ----------
    x, h, grid
        As in `plane_masses`.
    codes : int array of shape (n_samples,)
        Class numbers from 0.
    n_classes : int

    Returns
    -------
    float64 array of shape (n_classes, n_grid)
    """
    masses, values = np.zeros((n_classes, grid.size)), np.empty(grid.size)
    start, step = grid[0], (grid[-1] - grid[0]) / (grid.size - 1)
    for i in range(x.size):
        low, high = _kernel(x[i], h[i], start, step, values)
        for g in range(low, high):
            masses[codes[i], g] += values[g] / x.size
    return masses


@kernel
def normal_reference_information(x, Z, fewest, most):
    """Mutual information h(x) + h(z) - h(x, z) of a sample x and each of several others, in nats.

    Kernels have the shape of the sample's covariance and ``n^(-1/6)`` times its size. In standardized coordinates its
    axes are the diagonals (x + z, x - z), along which the kernels are products.

    Parameters
    ----------
    x : float64 array of shape (n_samples,)
    Z : float64 array of shape (n_others, n_samples)
    fewest, most : int
        Limits of the number of grid points along an axis.

    Returns
    -------
    float64 array of shape (n_others,)
        0 where either is constant. Rounding and the grid can make a value slightly negative.
    """
    n = x.size
    information, width = np.zeros(Z.shape[0]), n ** (-1 / 6)
    first, second = np.empty(n), np.empty(n)
    sums, differences = np.empty(n), np.empty(n)
    if not _standardize(x, first):
        return information
    alone = _line_entropy(first, width, fewest, most)
    for k in range(Z.shape[0]):
        if not _standardize(Z[k], second):
            continue
        correlation = 0.0
        for i in range(n):
            sums[i] = (first[i] + second[i]) * np.sqrt(0.5)
            differences[i] = (first[i] - second[i]) * np.sqrt(0.5)
            correlation += first[i] * second[i] / (n - 1)
        along = width * max(np.sqrt(max(1 + correlation, 0.0)), _NARROWEST)
        across = width * max(np.sqrt(max(1 - correlation, 0.0)), _NARROWEST)
        joint = _plane_entropy(sums, differences, along, across, fewest, most)
        information[k] = alone + _line_entropy(second, width, fewest, most) - joint
    return information


@kernel
def class_densities(x, codes, widths, prior, fewest, most):
    """Densities of classes on a grid, and how well they tell the classes of samples left out.

    Parameters
    ----------
    x : float64 array of shape (n_samples,)
    codes : int array of shape (n_samples,)
        Class numbers from 0.
    widths : float64 array of shape (n_classes,)
        Bandwidths, positive.
    prior : float
        Of a kernel: counts for all classes by their shares, beside the densities at a sample.
    fewest, most : int
        Limits of the number of grid points.

    Returns
    -------
    masses : float64 array of shape (n_classes, n_grid)
        Sums to 1.
    left_out : float
        Mean logarithm of the probability of a sample's class, estimated from the other samples.
    """
    n, n_classes, low, high, widest, narrowest = x.size, widths.size, x[0], x[0], widths[0], widths[0]
    for i in range(n):
        low, high = min(low, x[i]), max(high, x[i])
    for h in widths:
        widest, narrowest = max(widest, h), min(narrowest, h)
    points = np.ceil(_PER_WIDTH * ((high - low) + 2 * _MARGIN * widest) / narrowest) + 4
    points = int(min(max(points, fewest), most))
    least = (high - low) / (points - 4 - 2 * _MARGIN)
    step = (high - low + 2 * _MARGIN * max(widest, least)) / (points - 4)
    start = low - _MARGIN * max(widest, least) - 1.5 * step
    masses, smoothed, share = np.zeros((n_classes, points)), np.zeros((n_classes, points)), np.zeros(n_classes)
    for i in range(n):
        k, before, here, after = _divided((x[i] - start) / step)
        masses[codes[i], k - 1] += before / n
        masses[codes[i], k] += here / n
        masses[codes[i], k + 1] += after / n
        share[codes[i]] += 1 / n
    anyone = np.zeros(points)
    for c in range(n_classes):
        _add_smoothed(masses[c], _weights(max(widths[c], least, step), step), smoothed[c])
        for k in range(points):
            anyone[k] += smoothed[c, k]
    left_out = 0.0
    for i in range(n):
        k, before, here, after = _divided((x[i] - start) / step)
        row, h = smoothed[codes[i]], max(widths[codes[i]], least, step)
        peak = step / (np.sqrt(2 * np.pi * (h * h + step * step / 4)) * n)  # of its own kernel, interpolated likewise
        same = before * row[k - 1] + here * row[k] + after * row[k + 1]
        total = before * anyone[k - 1] + here * anyone[k] + after * anyone[k + 1]
        same = max(same - peak, 0.0) + prior * peak * share[codes[i]]
        left_out += np.log(same / (max(total - peak, 0.0) + prior * peak)) / n
    return smoothed, left_out


@helper
def _standardize(x, standardized):
    """Set the values of x, shifted and scaled to mean 0 and variance 1; false if x is constant."""
    n, mean, variance = x.size, 0.0, 0.0
    for i in range(n):
        mean += (x[i] - x[0]) / n
    for i in range(n):
        standardized[i] = x[i] - x[0] - mean
        variance += standardized[i] * standardized[i] / (n - 1)
    if not variance > 0:
        return False
    for i in range(n):
        standardized[i] /= np.sqrt(variance)
    return True


@helper
def _axis(x, h, fewest, most):
    """Start, step and number of points of a grid for x, and a bandwidth that it resolves."""
    low, high = x[0], x[0]
    for i in range(x.size):
        low, high = min(low, x[i]), max(high, x[i])
    points = np.ceil(_PER_WIDTH * ((high - low) / h + 2 * _MARGIN)) + 4
    points = int(min(max(points, fewest), most))
    h = max(h, (high - low) / (points - 4 - 2 * _MARGIN))
    step = (high - low + 2 * _MARGIN * h) / (points - 4)
    return low - _MARGIN * h - 1.5 * step, step, points, max(h, step)


@helper
def _divided(position):
    """The grid point nearest to a position, and the shares of the point before it, itself and the one after it.

    The weights of a quadratic spline: their mean is the position and their variance 1/4 of a squared step.
    """
    nearest = int(position + 0.5)
    d = position - nearest
    return nearest, 0.5 * (0.5 - d) ** 2, 0.75 - d * d, 0.5 * (0.5 + d) ** 2


@helper
def _weights(h, step):
    """Masses of a kernel at 0, 1, ... grid points from its center; its variance is less by what `_divided` adds."""
    weights = np.empty(int(_MARGIN * h / step) + 1)
    total, square = 0.0, h * h - step * step / 4
    for r in range(weights.size):
        weights[r] = np.exp(-0.5 * (r * step) ** 2 / square)
        total += weights[r] if r == 0 else 2 * weights[r]
    for r in range(weights.size):
        weights[r] /= total
    return weights


@helper
def _add_smoothed(masses, weights, smoothed):
    """Add the masses of a row, each spread by a kernel."""
    reach, size = weights.size - 1, masses.size
    for r in range(-reach, reach + 1):
        weight = weights[abs(r)]
        for k in range(max(0, -r), min(size, size - r)):
            smoothed[k + r] += weight * masses[k]


@helper
def _line_entropy(x, h, fewest, most):
    """Differential entropy of the density of x."""
    start, step, points, h = _axis(x, h, fewest, most)
    masses, smoothed = np.zeros(points), np.zeros(points)
    for i in range(x.size):
        k, before, here, after = _divided((x[i] - start) / step)
        masses[k - 1] += before / x.size
        masses[k] += here / x.size
        masses[k + 1] += after / x.size
    _add_smoothed(masses, _weights(h, step), smoothed)
    return np.log(step) + _spread(smoothed)


@helper
def _spread(masses):
    """-sum p ln p."""
    total = 0.0
    for k in range(masses.size):
        if masses[k] > 0:
            total -= masses[k] * np.log(masses[k])
    return total


@helper
def _plane_entropy(x, z, h_x, h_z, fewest, most):
    """Differential entropy of the density of (x, z), with product kernels."""
    start_x, step_x, points_x, h_x = _axis(x, h_x, fewest, most)
    start_z, step_z, points_z, h_z = _axis(z, h_z, fewest, most)
    masses, rows = np.zeros((points_x, points_z)), np.zeros((points_x, points_z))
    for i in range(x.size):
        j, left, middle, right = _divided((x[i] - start_x) / step_x)
        k, before, here, after = _divided((z[i] - start_z) / step_z)
        for row, share in ((j - 1, left), (j, middle), (j + 1, right)):
            masses[row, k - 1] += share * before / x.size
            masses[row, k] += share * here / x.size
            masses[row, k + 1] += share * after / x.size
    weights = _weights(h_z, step_z)
    for j in range(points_x):
        _add_smoothed(masses[j], weights, rows[j])
    weights = _weights(h_x, step_x)
    reach, entropy, smoothed = weights.size - 1, np.log(step_x * step_z), np.empty(points_z)
    for j in range(points_x):
        for k in range(points_z):
            smoothed[k] = 0.0
        for g in range(max(0, j - reach), min(points_x, j + reach + 1)):
            weight, row = weights[abs(j - g)], rows[g]
            for k in range(points_z):
                smoothed[k] += weight * row[k]
        entropy += _spread(smoothed)
    return entropy

"""Sums of Gaussian kernels on a grid, in the plane and on a line.

A kernel is summed over the grid points at which it exceeds 1e-17 of its peak. From one grid point to the next its
value changes by a factor, which itself changes by a constant factor. So a kernel of any width costs four exponentials.
"""

import numpy as np

from fscore.kernels._compiled import helper, kernel

__all__ = ["line_masses", "plane_masses"]

_REACH = np.sqrt(2 * 17 * np.log(10))  # in bandwidths


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
        part = column[low_z:high_z]
        for g in range(low_x, high_x):
            share, into = row[g] / x.size, joint[g, low_z:high_z]
            for k in range(part.size):
                into[k] += share * part[k]
    return joint


@kernel
def line_masses(x, h, grid):
    """Mean of the samples' kernels on a line, shape (n_grid,). Parameters as in `plane_masses`."""
    masses, values = np.zeros(grid.size), np.empty(grid.size)
    start, step = grid[0], (grid[-1] - grid[0]) / (grid.size - 1)
    for i in range(x.size):
        low, high = _kernel(x[i], h[i], start, step, values)
        for g in range(low, high):
            masses[g] += values[g] / x.size
    return masses

"""Columns of extreme scale, whose squares overflow or underflow."""

import numpy as np

__all__ = ["check_squares", "has_powers", "moderate_scale"]

LEAST = 1e-150  # its square is a normal number
FAR = 300  # binary exponents beyond this are moderated


def check_squares(X):
    """Refuse columns whose squared distances overflow, or whose range underflows when squared."""
    with np.errstate(over="ignore"):
        spread = X.max(axis=0) - X.min(axis=0)
        total = (spread**2).sum()
    if not np.isfinite(total):
        raise ValueError(
            f"X has values up to {np.abs(X).max():.3g}, whose squared distances overflow; rescale the columns "
            "(StandardScaler)."
        )
    tiny = np.flatnonzero((spread > 0) & (spread < LEAST))
    if tiny.size:
        raise ValueError(
            f"column {tiny[0]} of X has a range of {spread[tiny[0]]:.3g}, whose square underflows; rescale the columns "
            "(StandardScaler)."
        )


def has_powers(X, p):
    """Whether the p-th powers of the columns' ranges neither overflow nor underflow."""
    spread = X.max(axis=0) - X.min(axis=0)
    if p == np.inf:
        return True
    with np.errstate(over="ignore", under="ignore"):
        powers = spread**p
    return bool(np.isfinite(powers.sum()) and (powers[spread > 0] > LEAST**2).all())


def moderate_scale(X):
    """Multiply columns of extreme scale by a power of two, which changes no digit."""
    exponent = np.frexp(np.abs(X).max(axis=0))[1]
    far = np.abs(exponent) > FAR
    if not far.any():
        return X
    return np.ldexp(X, np.where(far, -exponent, 0))

"""The exponential function as arithmetic: a loop over it is vectorized, and every processor gives the same bits."""

import math

import numpy as np
from numba import njit

LEAST = -200.0  # smaller arguments give the exponential of this one, 1e-87
EXP_ERROR = 64 * 2.0**-52  # relative error of `exponential`
_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.42860682030941723212e-6
_ROUND = 6755399441055744.0  # 1.5 * 2**52: a number added to it loses its fraction
_P2, _P3, _P4, _P5, _P6, _P7, _P8, _P9, _P10, _P11 = [1 / math.factorial(k) for k in range(2, 12)]


@njit(inline="always")
def exponential(z):
    """The exponential of a number, of at least `LEAST`.

    With k the integer nearest to z / log(2), it is 2**k times the Taylor series of the exponential of z - k log(2).
    """
    z = z if z > LEAST else LEAST
    shifted = z * _LOG2E + _ROUND
    k = shifted - _ROUND
    r = (z - k * _LN2_HIGH) - k * _LN2_LOW
    p = _P8 + r * (_P9 + r * (_P10 + r * _P11))
    p = 1.0 + r * (1.0 + r * (_P2 + r * (_P3 + r * (_P4 + r * (_P5 + r * (_P6 + r * (_P7 + r * p)))))))
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return p * power

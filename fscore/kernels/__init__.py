"""Compiled inner loops (numba)."""

from fscore.kernels._compiled import announce_compilation

announce_compilation()

"""Compiled inner loops (numba); nothing else in the package is written for the machine."""

from fscore.kernels._announcement import announce_compilation

announce_compilation()

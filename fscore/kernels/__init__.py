"""Compiled inner loops (numba); nothing else in the package is written for the machine."""

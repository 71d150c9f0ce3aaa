"""Figures of the comparison."""

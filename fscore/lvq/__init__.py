"""Prototype classifiers that learn relevances."""

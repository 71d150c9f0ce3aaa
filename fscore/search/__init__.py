"""Walks over subsets: a search asks, an evaluator answers and remembers."""

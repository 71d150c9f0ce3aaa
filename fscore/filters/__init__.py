"""Score functions for single features, ``(X, y) -> scores``."""

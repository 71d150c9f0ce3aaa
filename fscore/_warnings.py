"""Warnings that point at the line of the user."""

import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

__all__ = ["warn_user"]

# whose frames lie between the warning and the line that asked for the work, also in a pipeline or a grid
LIBRARIES = tuple(
    f"{folder}{os.sep}"
    for folder in (Path(__file__).parent, Path(sklearn.__file__).parent, Path(joblib.__file__).parent)
)


def warn_user(message, category):
    """Warn at the innermost line that is neither ours, nor scikit-learn's, nor joblib's."""
    frame, level = sys._getframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)

"""Warnings that point at the caller's line."""

import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

# Frames of these packages lie between the warning and the caller's line, also in a pipeline or a grid search.
LIBRARIES = tuple(
    f"{folder}{os.sep}"
    for folder in (Path(__file__).parent, Path(sklearn.__file__).parent, Path(joblib.__file__).parent)
)


def warn_user(message, category):
    """Warn at the innermost line outside this package, scikit-learn and joblib."""
    frame, level = sys._getframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)

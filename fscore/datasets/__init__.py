"""Data sets by name: bundled, generated, or downloaded and verified by checksum.

``load(name)`` returns a scikit-learn Bunch, ``available()`` a table of the names; ``python -m fscore.datasets fetch``
downloads everything at once. ``check_classification`` refuses data that no experiment can use. ``status`` and
``fingerprint`` say, without loading anything, where a data set would come from and whether it has changed. Importing
this package imports neither numpy nor scikit-learn.
"""

from .loading import available, check_classification, load
from .registry import DatasetUnavailableError, fingerprint, status

__all__ = ["DatasetUnavailableError", "available", "check_classification", "fingerprint", "load", "status"]

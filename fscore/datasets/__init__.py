"""Names to arrays: bundled, generated, or downloaded and checksum-verified.

``load(name)`` gives a scikit-learn Bunch, ``available()`` the list of names; ``python -m fscore.datasets fetch``
downloads everything at once. ``status`` and ``fingerprint`` tell, without loading anything, where a data set would come
from and whether it has changed. Importing this package imports neither numpy nor scikit-learn.
"""

from .loading import available, load
from .registry import DatasetUnavailableError, fingerprint, status

__all__ = ["DatasetUnavailableError", "available", "fingerprint", "load", "status"]

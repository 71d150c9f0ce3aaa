"""Feature selection, reproduced: the algorithms of published papers in scikit-learn's terms.

Subpackages, each of which imports only from those before it and from ``kernels``::

    datasets, filters, neural, neighbors, stability -> criteria, weighting, lvq -> search -> report

Importing ``fscore`` imports none of them: ``from fscore.weighting import MDM`` loads what MDM needs.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("fscore-selection")  # `pyproject.toml` sets it
except PackageNotFoundError:  # a source tree that isn't installed
    __version__ = "0+unknown"

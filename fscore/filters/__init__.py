"""Score functions for single features, ``(X, y) -> scores``.

Each fits :class:`~sklearn.feature_selection.SelectKBest` as it is: ``SelectKBest(relieff, k=10)``.
"""

from fscore.filters.relief import relief, relieff

__all__ = ["relief", "relieff"]

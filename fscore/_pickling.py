"""Pickles that say which version wrote them."""

from fscore import __version__

__all__ = ["VersionedPickleMixin"]


class VersionedPickleMixin:
    """Refuses to unpickle what another minor version wrote, whose attributes may differ; comes before BaseEstimator."""

    def __getstate__(self):
        return {**super().__getstate__(), "_fscore_version": __version__}

    def __setstate__(self, state):
        state = dict(state)
        version = state.pop("_fscore_version", "before 0.1.1")
        if version.split(".")[:2] != __version__.split(".")[:2]:
            raise ValueError(
                f"This {type(self).__name__} was pickled by fscore {version}, and fscore {__version__} cannot read it; "
                f"fit it again, or install the version that wrote it."
            )
        super().__setstate__(state)

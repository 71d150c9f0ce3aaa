"""The linear projections of scikit-learn with which feature weighting is compared."""

from typing import Any

from fscore._typing import Seed

__all__ = ["reference_projections"]


def reference_projections(n_components: int | None = None, random_state: Seed = None) -> dict[str, Any]:
    """LDA, PCA, ICA and NCA, unfitted, as transformers for distances in their projected space.

    They mix the features, so they have no ``weights_``. In a comparison they correspond to a metric W as in eq. (2) of
    [1]_, with ``transform`` as its L.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of dimensions of the projected space of PCA, ICA and NCA; None means the largest possible. NCA stores
        ``n_components * n_features`` numbers, so set it if there are many features. LDA always has one dimension less
        than there are classes.
    random_state : int, RandomState instance or None, default=None
        For ICA, NCA, and PCA if it uses a randomized solver.

    Returns
    -------
    dict of str to transformer
        "LDA", "PCA", "ICA" and "NCA". PCA keeps the variances of its components; ICA scales them to one.

    References
    ----------
    .. [1] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.weighting import reference_projections
    >>> X, y = load_iris(return_X_y=True)
    >>> {name: p.fit_transform(X, y).shape[1] for name, p in reference_projections(random_state=0).items()}
    {'LDA': 2, 'PCA': 4, 'ICA': 4, 'NCA': 4}
    """
    from sklearn.decomposition import PCA, FastICA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    return {
        "LDA": LinearDiscriminantAnalysis(),
        "PCA": PCA(n_components, random_state=random_state),
        "ICA": FastICA(n_components, whiten="unit-variance", max_iter=1000, random_state=random_state),
        "NCA": NeighborhoodComponentsAnalysis(n_components, random_state=random_state),
    }

"""What every experiment needs of its data, checked before anything runs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["check_classification"]


def check_classification(bunch: "Bunch", *, allow_missing: bool = False) -> None:
    """Refuse data that no classification experiment can use, in one sentence with the remedy.

    Parameters
    ----------
    bunch : Bunch
        As :func:`fscore.datasets.load` returns it.
    allow_missing : bool, default=False
        Accept missing values, for experiments that fill them.

    Raises
    ------
    ValueError
        There are missing or infinite values, fewer than two samples, a target that is a quantity and not a class, a
        single class, or a class with a single sample.

    Examples
    --------
    >>> from fscore.datasets import check_classification, load
    >>> bunch = load("iris")
    >>> check_classification(bunch)
    >>> bunch.target = bunch.data[:, 0]
    >>> try:
    ...     check_classification(bunch)
    ... except ValueError as error:
    ...     print(str(error).split(";")[0])
    iris: the target 'target' is a quantity, not a class (it has 35 different values, such as 6.0)
    """
    import numpy as np

    X, y, label = bunch.data, bunch.target, f"{bunch.target_name!r}"
    if len(X) < 2:
        raise ValueError(f"{bunch.name} has {len(X)} sample; at least two samples of each of two classes are needed.")
    for problem, found, remedy in (
        (
            "missing",
            np.isnan(X) & (not allow_missing),
            "fill them (such as by sklearn.impute.SimpleImputer), or remove those rows or columns",
        ),
        ("infinite", np.isinf(X), "replace them, or remove those rows or columns"),
    ):
        if found.any():
            columns = np.flatnonzero(found.any(axis=0))
            named = ", ".join(bunch.feature_names[k] for k in columns[:5]) + (", ..." if len(columns) > 5 else "")
            raise ValueError(f"{bunch.name} has {found.sum()} {problem} values, in {named}; {remedy}.")
    classes, counts = np.unique(y, return_counts=True)
    example = f"it has {len(classes)} different values, such as {classes.tolist()[len(classes) // 2]!r}"
    if y.dtype.kind == "f" and not np.array_equal(y, np.round(y)):
        raise ValueError(
            f"{bunch.name}: the target {label} is a quantity, not a class ({example}); cut it into classes, such as by "
            "pandas.qcut, or name another column by target=."
        )
    if len(classes) == 1:
        raise ValueError(
            f"{bunch.name}: the target {label} holds only one class ({classes.tolist()[0]!r}); add samples of another, "
            "or name another column by target=."
        )
    if len(classes) > len(y) / 2:
        raise ValueError(
            f"{bunch.name}: the target {label} does not look like a class ({example} in {len(y)} samples); name the "
            "column of the label by target=."
        )
    if counts.min() == 1:
        raise ValueError(
            f"{bunch.name}: class {classes.tolist()[counts.argmin()]!r} of {label} has a single sample, but each class "
            "needs at least two; remove it, or merge it with another class."
        )

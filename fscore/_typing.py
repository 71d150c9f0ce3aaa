"""Types of arguments and results that several subpackages share."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NewType, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ArrayLike",
    "Columns",
    "Estimator",
    "Floats",
    "Mask",
    "Masks",
    "MatrixLike",
    "Seed",
    "Solver",
    "Splits",
    "Subset",
]


class Sparse(Protocol):
    """A sparse matrix or array of scipy."""

    def tocsc(self) -> Any:
        """Convert to compressed columns."""


class Splitter(Protocol):
    """A cross-validator of scikit-learn, or any object with its methods."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Generate pairs of training and test indices."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Count the pairs."""


class Estimator(Protocol):
    """Interface of estimators."""

    @property
    def fit(self) -> Callable[..., Any]:
        """Fit it, with arguments of its own."""


class Solver(Protocol):
    """Minimizes the cost of generalized LVQ."""

    def minimize(self, cost: Any, theta: NDArray[np.float64], report: Callable[..., None], max_iter: int) -> None:
        """Start at ``theta`` and call ``report(theta, value, steps)`` after each iteration."""


Seed: TypeAlias = int | np.random.RandomState | None
Subset: TypeAlias = tuple[int, ...]  # ascending columns, or units of a search

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Columns: TypeAlias = Sequence[int] | Sequence[str] | Sequence[bool] | np.ndarray
    MatrixLike: TypeAlias = ArrayLike | Sparse
    Masks: TypeAlias = ArrayLike | Sequence[ArrayLike] | Sequence[Estimator]
    Splits: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
    Floats: TypeAlias = NDArray[np.float64]
    Mask: TypeAlias = NDArray[np.bool_]
else:  # help() shows these names instead of long unions
    ArrayLike, Columns, MatrixLike, Masks, Splits = (
        NewType(name, object) for name in ("ArrayLike", "Columns", "MatrixLike", "Masks", "Splits")
    )
    Floats = Mask = np.ndarray

"""Criteria from one pass over the rows: sums of products, which add over batches that need not fit into memory."""

from collections.abc import Hashable, Iterable
from numbers import Integral
from typing import Any

import joblib
import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from fscore._columns import check_column_names
from fscore._sklearn import check_parameters, estimator_dataclass
from fscore._typing import Floats
from fscore._validation import check_label_types, refuse_masked
from fscore.criteria._base import Criterion
from fscore.criteria._folds import ERRORS
from fscore.criteria._gaussian import Bhattacharyya, Mahalanobis
from fscore.criteria._least_squares import BoundGram, GramMatrices
from fscore.criteria.linear_fit import BoundLinearFit, LinearFit

__all__ = ["Moments"]

N_FIRST_ROWS = 1000  # rows that are kept as they are
LARGEST = 1e145  # values whose squares can be added up


class Moments:
    """Numbers of rows, means and products about the means, fold by fold or class by class.

    They are all that linear regression, ridge regression and normal models need of the data: a search over them takes
    as long for a hundred million rows as for a thousand. Made by `from_batches`; ``a + b`` joins those of two parts of
    the data.

    Parameters
    ----------
    columns : list
        Names of the columns; numbers if the batches have none.
    target : hashable
        Name of the target.
    folds : int or None
        Number of folds; None for sums by class.
    groups : dict
        For each fold or class the number of rows, the means, and the products about the means.
    rows : tuple (X, y)
        The first rows, at most 1,000: what a search's ``fit`` takes to learn the columns; it scores from the products.

    Attributes
    ----------
    n_samples : int
        Number of rows.

    See Also
    --------
    LinearFit : Best subset regression.
    """

    def __init__(self, columns: list, target: Hashable, folds: int | None, groups: dict, rows: tuple) -> None:
        self.columns, self.target, self.folds, self.rows = columns, target, folds, rows
        self._groups = groups  # key: (n, mean, products about the mean) of columns and, by folds, the target

    @staticmethod
    def from_batches(
        batches: Iterable,
        target: Hashable = None,
        *,
        folds: int = 5,
        classes: bool = False,
        first_row: int = 0,
    ) -> "Moments":
        """Sums over batches of rows, each of which is dropped before the next.

        Parameters
        ----------
        batches : iterable
            Data frames of pandas or polars, record batches or tables of pyarrow
            (``pyarrow.dataset.dataset(path).to_batches()``), or pairs ``(X, y)`` of arrays. Of a Dask data frame take
            ``(part.compute() for part in frame.partitions)``, or one `Moments` for each partition, added up.
        target : str, optional
            Name of the target's column; not for pairs.
        folds : int, default=5
            Row i is tested in fold ``i % folds``, as with ``PredefinedSplit(np.arange(n) % folds)``.
        classes : bool, default=False
            Whether the target holds class labels, for `Mahalanobis` and `Bhattacharyya`, which have no folds.
        first_row : int, default=0
            Number of rows before these batches, if others are added to the result.

        Returns
        -------
        Moments

        Raises
        ------
        ValueError
            If a column is not numeric, a value is missing, infinite or beyond 1e145, batches differ in their columns,
            or there are no rows.
        """
        if not isinstance(folds, Integral) or isinstance(folds, bool) or folds < 2:
            raise ValueError(f"folds={folds!r} must be an integer of at least 2.")
        if not isinstance(first_row, Integral) or first_row < 0:
            raise ValueError(f"first_row={first_row!r} must be a number of rows, 0 or more.")
        columns, groups, first, row = None, {}, [], first_row
        for batch in batches:
            names, X, y = _columns_and_target(batch, target, classes)
            columns = names if columns is None else columns
            name = target if target is not None else "y"
            if names != columns:
                raise ValueError(f"a batch has the columns {names!r:.200}, the first one {columns!r:.200}.")
            _refuse_unusable(X, names, row)
            values = X if classes else np.column_stack([X, y])
            if classes:
                check_label_types(y, name)
            if y.dtype.kind == "f":
                _refuse_unusable(y[:, None], [name], row)
            if classes:
                groups_of_rows = ((label, values[y == label]) for label in np.unique(y).tolist())
            else:
                groups_of_rows = (((row + start) % folds, values[start::folds]) for start in range(min(folds, len(X))))
            for key, rows in groups_of_rows:
                _join(groups, key, *_moments(rows))
            if (n_first := sum(len(rows) for rows, _ in first)) < N_FIRST_ROWS:
                first.append((X[: N_FIRST_ROWS - n_first].copy(), y[: N_FIRST_ROWS - n_first].copy()))
            row += len(X)
        if columns is None or row == first_row:
            raise ValueError("there are no rows: batches is empty, or an iterator that was already used up.")
        rows = np.concatenate([X for X, _ in first]), np.concatenate([y for _, y in first])
        return Moments(columns, target, None if classes else folds, groups, rows)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return sum(n for n, _, _ in self._groups.values())

    def __add__(self, other: "Moments") -> "Moments":
        if not isinstance(other, Moments):
            return NotImplemented
        for name in ("columns", "target", "folds"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"the parts differ in {name}: {getattr(self, name)!r:.200}, {getattr(other, name)!r:.200}."
                )
        groups = {key: (n, mean.copy(), products.copy()) for key, (n, mean, products) in self._groups.items()}
        for key, moments in other._groups.items():
            _join(groups, key, *moments)
        rows = tuple(np.concatenate(parts)[:N_FIRST_ROWS] for parts in zip(self.rows, other.rows, strict=True))
        return Moments(self.columns, self.target, self.folds, groups, rows)

    def __deepcopy__(self, memo: dict) -> "Moments":
        return self  # never changed, so a clone of a criterion shares it

    def criterion(self, criterion: Any, *, scoring: str = "r2") -> Criterion:
        """A criterion that scores subsets from the sums alone.

        Parameters
        ----------
        criterion : LinearRegression, Ridge, LinearFit, Mahalanobis or Bhattacharyya
            The regressors are cross-validated over the folds; ``tau="1se"`` needs the data in memory.
        scoring : {"r2", "neg_mean_squared_error", "neg_root_mean_squared_error"}, default="r2"
            Of a regressor.

        Returns
        -------
        Criterion
            For any search, whose ``fit`` gets ``*moments.rows``. Subsets whose columns depend on one another so much
            that the sums lose too many digits have no score: the search avoids them, with one warning that names the
            columns.

        Raises
        ------
        ValueError
            If the criterion needs more than these sums.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import Ridge
        >>> from fscore.criteria import Moments
        >>> from fscore.search import SFS
        >>> def batches():
        ...     for seed in range(10):
        ...         X = np.random.default_rng(seed).normal(size=(1000, 8))
        ...         yield X, X[:, 2] - X[:, 5] + np.random.default_rng(seed).normal(size=1000)
        >>> moments = Moments.from_batches(batches())
        >>> SFS(moments.criterion(Ridge()), 2).fit(*moments.rows).get_support(indices=True)
        array([2, 5])
        """
        regressor = type(criterion) in (LinearRegression, Ridge)
        if self.folds is None and not isinstance(criterion, Mahalanobis | Bhattacharyya):
            raise _needs_more(criterion, "these are sums by class, for Mahalanobis() and Bhattacharyya()")
        if self.folds is not None and not (regressor or isinstance(criterion, LinearFit)):
            raise _needs_more(
                criterion,
                "these sums serve LinearRegression(), Ridge() and LinearFit(); for Mahalanobis() and "
                "Bhattacharyya() use from_batches(..., classes=True)",
            )
        if regressor and (getattr(criterion, "positive", False) or np.ndim(getattr(criterion, "alpha", 0.0))):
            raise _needs_more(criterion, "positive coefficients and several penalties need the rows")
        if scoring not in ERRORS or not ERRORS[scoring].squared:
            squared = [name for name, error_score in ERRORS.items() if error_score.squared]
            raise ValueError(f"scoring={scoring!r} needs the rows; sums give {', '.join(squared)}.")
        return _FromMoments(self, criterion, scoring)

    def f_statistics(self) -> Floats:
        """F statistic of each column: `f_classif` from sums by class, `f_regression` from sums by folds.

        Returns
        -------
        ndarray of shape (n_columns,)
            0 for a constant column.
        """
        n = self.n_samples
        if self.folds is None:
            self._check_classes()
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.folds is None:
                within = sum(products.diagonal() for _, _, products in self._groups.values())
                between = _all_of(self._groups.values())[2].diagonal() - within
                F = between / within * (n - len(self._groups)) / (len(self._groups) - 1)
            else:
                squares = np.minimum(self._correlations()[-1, :-1] ** 2, 1.0)
                F = squares / (1 - squares) * (n - 2)
        return np.where(self._is_constant()[: len(self.columns)], 0.0, F)

    def correlations(self) -> Floats:
        """Pearson's correlations of the columns.

        Returns
        -------
        ndarray of shape (n_columns, n_columns)
            0 for a constant column.
        """
        return self._correlations()[: len(self.columns), : len(self.columns)]

    def _correlations(self):
        """Those of the target, too, if there are sums by folds."""
        products = _all_of(self._groups.values())[2]
        length = np.where(self._is_constant(), np.inf, np.sqrt(products.diagonal()))
        return products / length / length[:, None]

    def _is_constant(self):
        return _all_of(self._groups.values())[2].diagonal() == 0

    def _bound(self, criterion, scoring):
        if isinstance(criterion, LinearFit):
            n, _, products = _all_of(self._groups.values())
            return BoundLinearFit.from_products(products, n, criterion.measure)
        if self.folds is None:
            return self._bound_to_classes(criterion)
        cond = criterion.tol if type(criterion) is LinearRegression else 0.0
        return BoundGram(self._products(criterion.fit_intercept), getattr(criterion, "alpha", 0.0), cond, scoring)

    def _check_classes(self):
        check_label_types(list(self._groups), self.target or "y")
        if len(self._groups) < 2:
            raise ValueError(f"y has one class only, {next(iter(self._groups))!r}; two or more are needed.")

    def _bound_to_classes(self, criterion):
        self._check_classes()
        _, center, products = _all_of(self._groups.values())
        scale = np.sqrt(products.diagonal() / self.n_samples)
        scale = np.where(scale > 0, scale, 1.0)
        sizes = [n for n, _, _ in self._groups.values()]
        if min(sizes) < 2:
            label = next(key for key, (n, _, _) in self._groups.items() if n < 2)
            raise ValueError(f"class {label!r} has a single sample, so it has no covariance; drop the class.")
        means = np.array([(mean - center) / scale for _, mean, _ in self._groups.values()])
        covariances = [C / (n - criterion.ddof) / np.outer(scale, scale) for n, _, C in self._groups.values()]
        return criterion.bound_to_classes(means, covariances, sizes)

    def _products(self, fit_intercept):
        """Scalar products of each fold's training and test rows, about the means of the training rows."""
        products = []
        for fold in range(self.folds or 0):
            if self._groups.get(fold, (0,))[0] < 2:
                raise ValueError(f"folds={self.folds} leaves fewer than two rows to a fold; take fewer folds.")
            n, mean, _ = test = self._groups[fold]
            train = _all_of(moments for key, moments in self._groups.items() if key != fold)
            level = train[1] if fit_intercept else np.zeros_like(mean)
            (A, a), (B, b) = (_split(_about(level, *moments)) for moments in (train, test))
            y_y = test[2][-1, -1] + n * (mean[-1] - level[-1]) ** 2
            products.append((A, a, B, b, y_y, test[2][-1, -1], n))
        return GramMatrices(*(np.array(values) for values in zip(*products, strict=True)))


@estimator_dataclass
class _FromMoments(Criterion):
    """A criterion bound to moments in place of rows."""

    moments: Moments
    criterion: Any
    scoring: str

    @property
    def needs_classes(self) -> bool:  # type: ignore[override]
        """Whether the target holds class labels."""
        return self.moments.folds is None

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """Whether adding a column can never lower the score."""
        return bool(getattr(self.criterion, "monotone", False))

    def _bind(self, X, y, n_jobs, params):
        if X.shape[1] != len(self.moments.columns):
            raise ValueError(
                f"X has {X.shape[1]} columns, the moments have {len(self.moments.columns)}; fit with *moments.rows."
            )
        check_parameters(self.criterion)
        return self.moments._bound(self.criterion, self.scoring)

    def identity(self):
        groups = joblib.hash(self.moments._groups)
        return super().identity()[0], {"moments": groups, "criterion": repr(self.criterion), "scoring": self.scoring}


def _needs_more(criterion, remedy):
    return ValueError(f"{criterion!r:.100} cannot be scored from these sums of products: {remedy}.")


# batches ------------------------------------------------------------------------------------------------------------


def _columns_and_target(batch, target, classes):
    """Names, and arrays X and y, of a batch."""
    if isinstance(batch, tuple) and len(batch) == 2:
        X, y = batch
        refuse_masked(X, "X")
        refuse_masked(y, "y")
        if not hasattr(X, "columns"):
            X = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=0)
        y = column_or_1d(np.asarray(y))
        check_consistent_length(X, y)
        names = list(X.columns) if hasattr(X, "columns") else list(range(X.shape[1]))
    else:
        names = list(getattr(batch, "column_names", ()) or getattr(batch, "columns", ()))
        if not names:
            raise ValueError(
                f"batches yields {batch!r:.100}, neither a data frame nor a pair (X, y); give a list of batches."
            )
        if target not in names:
            raise ValueError(f"target={target!r} is not a column of a batch, which has {names!r:.200}.")
        names.remove(target)
        X, y = batch, np.asarray(batch[target])
    check_column_names(X)
    columns = X.T if isinstance(X, np.ndarray) else [np.asarray(X[name]) for name in names]
    wrong = next((name for name, column in zip(names, columns, strict=True) if column.dtype.kind not in "biuf"), None)
    if wrong is not None:
        raise ValueError(f"column {wrong!r} is not numeric; encode it, or leave it out of the batches.")
    return names, np.array(columns, dtype=np.float64).T, y if classes else _numbers(y, target)


def _numbers(y, target):
    try:
        return y.astype(np.float64)
    except ValueError:
        name = target or "y"
        raise ValueError(f"the target {name!r} is not numeric; encode it, or pass classes=True for labels.") from None


def _refuse_unusable(X, names, row):
    usable = np.abs(X) <= LARGEST  # NaN is not
    if not usable.all():
        i, j = np.argwhere(~usable)[0]
        remedy = "rescale the column" if np.isfinite(X[i, j]) else "drop or fill such rows before"
        raise ValueError(f"row {row + i} of column {names[j]!r} is {X[i, j]}; {remedy}.")


def _moments(X):
    """Number of rows, mean, and products about the mean."""
    centered = X - X[0]  # zeros for a constant column: its mean is the same in all batches, without rounding
    step = centered.mean(axis=0)
    centered -= step
    return len(X), X[0] + step, centered.T @ centered


def _join(groups, key, n, mean, products):
    """Add the moments of further rows to those of a group (Chan, Golub, LeVeque 1979)."""
    if key not in groups:
        groups[key] = n, mean, products
        return
    m, other, sums = groups[key]
    step = mean - other
    groups[key] = m + n, other + step * (n / (m + n)), sums + products + np.outer(step, step) * (m * n / (m + n))


def _all_of(groups):
    """The moments of several groups together."""
    together: dict[int, Any] = {}
    for moments in groups:
        _join(together, 0, *moments)
    return together[0]


def _about(level, n, mean, products):
    """Products about another center than the mean."""
    return products + n * np.outer(mean - level, mean - level)


def _split(products):
    """Products of the columns with one another, and with the target, which is the last."""
    return products[:-1, :-1], products[:-1, -1]

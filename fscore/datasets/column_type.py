"""How a column of text is read."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .dates import EPOCHS, days
from .missing import LARGEST
from .quantities import RANGE, in_unit, quantities, words_of_zero
from .texts import MISSING_OF_PANDAS, TRUTH_OF, cleaned

__all__ = ["ColumnType"]


@dataclass(frozen=True)
class ColumnType:
    """How a column of text is read.

    Attributes
    ----------
    kind : {"number", "boolean", "date", "category", "text", "empty"}
    unit : str
        What stands beside all of its numbers: a currency, a percent sign, a unit; ":" for hours and minutes, which are
        read as minutes, or minutes and seconds, "::" for all three, in seconds, and ":::" for these beside minutes and
        seconds; `fscore.datasets.quantities.FEET` for inches; "day" also for other units of time, in days,
        and so with "s", "byte", "m", "kg" and "l".
    shared_unit : bool
        Whether numbers without a unit have it, too: 34 beside "25 years".
    labeled : bool
        Whether the ends of its scale have a label: "0 not at all" beside 1, 2 and 3.
    decimal : {".", ",", ".,"}
        The last one of a column with both.
    points : bool
        Points separate thousands in it: "1.234", which other readers take for 1.234.
    date_order : str
        Order of year, month and day: "ymd", "dmy", "mdy" or "yymmdd"; "season" of years such as 2014-15; "week" of
        weeks such as 2014-52; "dm" without a year; "s" or "ms" since 1970.
    level : str
        A word that usually spells a missing value, but is one of the categories: "none" of none, mild and severe.
    missing : tuple of float
        Numbers, or days since 1970, that stand for a missing value; infinity for all numbers from 1e50.
    """

    kind: str
    unit: str = ""
    decimal: str = "."
    points: bool = False
    date_order: str = ""
    level: str = ""
    missing: tuple[float, ...] = ()
    shared_unit: bool = False
    labeled: bool = False

    def read(self, column: pd.Series) -> pd.Series:
        """Convert a column.

        Parameters
        ----------
        column : Series
            Text; or numbers and dates, as `pandas.read_csv` gives them.

        Returns
        -------
        Series
            float64 (dates as days since 1970, yes and no as one and zero) or text; NaN where a value is missing or
            isn't of this kind, and for numbers from 1e50.
        """
        values = self.parse(column)
        if self.kind in ("category", "text"):
            return values
        numbers = values.to_numpy()
        out = (np.abs(numbers) >= LARGEST) | np.isin(numbers, self.missing)
        return values.mask(out) if out.any() else values

    def parse(self, column: pd.Series) -> pd.Series:
        """Convert a column as `read` does, but keep huge numbers and codes for missing values."""
        if self.kind in ("category", "text"):
            texts = cleaned(column, self.level.casefold())
            return texts.fillna(self.level) if self.level in MISSING_OF_PANDAS else texts
        if pd.api.types.is_datetime64_any_dtype(column):
            return (column.dt.tz_localize(None) - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)  # as written
        if self.date_order in EPOCHS:
            return pd.to_numeric(column, errors="coerce") / EPOCHS[self.date_order]
        if pd.api.types.is_numeric_dtype(column) and self.kind != "date":
            return column.astype(np.float64)
        if (plain := self.plain(column)) is not None:
            return plain
        texts = cleaned(column)
        if self.kind == "date":
            return days(texts, self.date_order)
        if self.kind == "number":
            values = self._in_unit(quantities(texts, self.decimal)).astype(np.float64).rename(column.name)
            return values.mask(texts.str.lower().isin(words_of_zero(self.unit)), 0.0)
        return texts.str.lower().map(TRUTH_OF if self.kind == "boolean" else {}).astype(np.float64)

    def plain(self, column: pd.Series) -> pd.Series | None:
        """The numbers of a column if all of its texts are plain numbers or missing; None otherwise."""
        if (self.kind, self.unit, self.decimal, column.dtype) != ("number", "", ".", object):
            return None
        numbers = pd.to_numeric(column, errors="coerce")
        return numbers.astype(np.float64) if numbers.isna().equals(column.isna()) else None

    def unread(self, column: pd.Series) -> pd.Series:
        """The texts of a column that are neither missing nor of this kind: words among numbers."""
        return cleaned(column[self.parse(column).isna()]).dropna()

    def inexact(self, column: pd.Series) -> tuple[pd.Series, pd.Series]:
        """The texts of a column of numbers that are a limit, such as "<0.5", or a range: "30-60"."""
        if pd.api.types.is_numeric_dtype(column):
            return column[:0], column[:0]
        texts = cleaned(column).dropna()
        numbers = quantities(texts, self.decimal)
        are_read = self._in_unit(numbers).notna()
        return texts[(numbers["limit"] != 0) & are_read], texts[(numbers["mark"] == RANGE) & are_read]

    def _in_unit(self, numbers):
        return in_unit(numbers, self.unit, self.shared_unit, self.labeled)

    def without_codes(self) -> "ColumnType":
        """The type by which only numbers that are too large stand for missing values."""
        return replace(self, missing=tuple(code for code in self.missing if np.isinf(code)))

    def codes(self) -> list[str]:
        """The numbers or dates that stand for a missing value, as text."""
        if self.kind == "date":
            return [str(np.datetime64(int(day // 1), "D")) for day in self.missing]
        return ["beyond ±1e50" if np.isinf(code) else f"{code:.15g}" for code in self.missing]

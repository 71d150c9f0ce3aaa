"""How much is evidence: numbers of rows and values, and shares of them, that all rules have in common."""

__all__ = ["ALONE", "EXACT_FIT", "FEW_ROWS", "FEW_VALUES", "FIRST_ROWS", "MOST", "NEARLY_ALL", "ROWS_EACH", "SURE"]

ROWS_EACH = 5  # of a class, category or unit of which something is said
FEW_VALUES = 20  # values, or different ones, of which fewer agree by chance
FEW_ROWS = 30  # of which fewer show no pattern
FIRST_ROWS = 1000  # that are tried before all
MOST = 0.5  # share of rows
NEARLY_ALL = 0.9  # share of rows; others are gaps and exceptions
ALONE = 0.99  # balanced accuracy or R2 of one column by itself that is too good
EXACT_FIT = 1 - 1e-5  # R2 of a calculation; the rest is rounding
SURE = 1e-4  # probability that a pattern arises by chance

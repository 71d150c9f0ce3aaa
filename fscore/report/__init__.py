"""A report on anyone's CSV file: which columns to use, with what score, and what is wrong with the data."""

from fscore._extras import extra

with extra("report", "The report"):
    from fscore.datasets.column_type import ColumnType
    from fscore.datasets.columns import ColumnTypes
    from fscore.datasets.table import Table, read_table
    from fscore.report.derived import OfferedColumns
    from fscore.report.models import make_model
    from fscore.report.problem import build_problem
    from fscore.report.products import Products
    from fscore.report.report import report

__all__ = [
    "ColumnType",
    "ColumnTypes",
    "OfferedColumns",
    "Products",
    "Table",
    "build_problem",
    "make_model",
    "read_table",
    "report",
]

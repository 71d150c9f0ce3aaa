"""A report on anyone's CSV file: which columns to use, with what score, and what is wrong with the data."""

from fscore.dossier.models import encoder
from fscore.dossier.problem import pose
from fscore.dossier.products import Products
from fscore.dossier.reading import read_text
from fscore.dossier.report import report
from fscore.dossier.types import ColumnTypes

__all__ = ["ColumnTypes", "Products", "encoder", "pose", "read_text", "report"]

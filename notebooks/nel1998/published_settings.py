"""Subsets and distances printed in the thesis, which the experiments repeat."""

import numpy as np

from compendium.published import published

FULL_SEARCH_TABLES = ("7.5", "7.6", "7.7", "7.8", "7.9", "7.10")  # subsets of section 7.3 and their accuracy
PBIL_TABLES = ("7.11", "7.12", "7.13", "7.14", "C.1")  # of section 7.4


def rows_of(tables):
    """Rows of some printed tables.

    Parameters
    ----------
    tables : sequence of str

    Returns
    -------
    DataFrame of str
    """
    rows = published("nel1998")
    return rows[rows["table"].isin(tables)]


def table_5_1():
    """The rows of Table 5.1 with ``distance``, the distance of the class means as a number.

    The first row belongs to half its printed distance; ``corrected`` has this distance.
    """
    rows = rows_of(["5.1"])
    distance = rows["distance"].astype(float)
    corrected = [float(np.sqrt(2).round(2)), *distance[1:]]
    return rows.assign(distance=distance, corrected=corrected)


def usable(rows):
    """Printed rows whose mask has the right number of bits, or that another table prints correctly.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``data/published/nel1998.csv``.

    Returns
    -------
    DataFrame
        The rows with ``subset`` corrected if possible, without the other rows with a damaged mask.
    """
    return resolved(rows)[rows["confidence"] != "damaged"]


def resolved(rows):
    """Printed rows, with ``subset`` corrected where another table prints the same row with the right number of bits."""
    return rows.assign(subset=rows["subset"].where(rows["subset"] != "", rows["subset_as_printed"]))


def subsets_of_table_b_1(sample):
    """The masks of Table B.1 in the order of their numbers, damaged ones included.

    Parameters
    ----------
    sample : str
        Both halves of WDBC have the same masks.

    Returns
    -------
    list of str
        Empty for samples not in the table.
    """
    rows = rows_of(["B.1"])
    printed = {"WDBC1": "WDBC", "WDBC2": "WDBC", "LIVER": "LIVER", "PIMA": "PIMA"}.get(sample)
    return list(rows.loc[rows["dataset"] == printed, "value"])

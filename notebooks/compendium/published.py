"""The printed numbers and claims of the papers, and the accepted results of our own reference runs."""

import json

import numpy as np
import pandas as pd

from compendium.papers import DATA, papers

__all__ = [
    "all_claims",
    "claims_of",
    "compare",
    "compare_lists",
    "printed_table",
    "printed_tolerance",
    "published",
    "reference",
    "with_verdicts",
]

# Printed names that differ from the registry's in more than case.
REGISTRY_NAMES = {"adrenaltumor": "adrenal_tumour"}


def published(name):
    """Printed numbers, each as the string that was printed.

    Parameters
    ----------
    name : str
        Name of a file in ``data/published`` without extension, for instance ``"andonie2004"``.

    Returns
    -------
    DataFrame of str
        Empty cells are empty strings.
    """
    return pd.read_csv(DATA / "published" / f"{name}.csv", dtype=str, keep_default_na=False)


def printed_table(paper, table):
    """One printed table, with the registry's names of the data sets.

    Parameters
    ----------
    paper : str
        Key of the paper.
    table : int or "text"

    Returns
    -------
    DataFrame of str
    """
    rows = published(paper)
    rows = rows[rows["table"] == str(table)].reset_index(drop=True)
    return rows.assign(dataset=rows["dataset"].str.lower().replace(REGISTRY_NAMES))


def all_claims():
    """Every claim of every paper: columns paper, claim_id, where, claim, how_to_test."""
    found = [claims_of(paper) for paper in papers()]
    return pd.concat([claims for claims in found if len(claims)], ignore_index=True)


def claims_of(paper):
    """The claims of one paper, in the order of its file; none if it has no file."""
    if not (DATA / "published" / f"{paper}_claims.csv").is_file():
        return pd.DataFrame(columns=["paper", "claim_id", "where", "claim", "how_to_test"])
    claims = published(f"{paper}_claims")
    claims.insert(0, "paper", paper)
    return claims


def reference(notebook):
    """The accepted results of the paper profile, or None if there are none yet.

    Parameters
    ----------
    notebook : str

    Returns
    -------
    dict or None
        As written by :class:`compendium.page.Page`.
    """
    file = DATA / "reference" / f"{notebook}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def printed_tolerance(text):
    """Half a unit of the last printed digit: ``"91.33"`` gives 0.005."""
    decimals = len(text.partition(".")[2])
    return 0.5 * 10.0**-decimals


def compare(printed, measured, on):
    """Compare published with reproduced values.

    Parameters
    ----------
    printed : DataFrame
        Columns ``on`` and ``value`` (strings, which show the number of printed digits).
    measured : DataFrame
        Columns ``on`` and ``value``, one row per repetition. Columns ``sd`` and ``n``, if present, replace the standard
        deviation and the number of rows, for values computed from all repetitions together, such as a percentage of
        wins.
    on : list of str
        Columns that identify a number.

    Returns
    -------
    DataFrame
        Columns ``on``, published, reproduced, sd, n, difference, agrees. Values agree if they differ by at most half a
        printed digit plus the standard deviation over repetitions; ``agrees`` is None if we have no value.
    """
    groups = measured.groupby(on, sort=False)
    ours = groups["value"].agg(reproduced="mean", sd="std", n="count")
    given = [column for column in ("sd", "n") if column in measured]
    ours[given] = groups[given].first()
    ours = ours.reset_index()
    table = printed[[*on, "value"]].merge(ours, on=on, how="left").rename(columns={"value": "published"})
    value = pd.to_numeric(table["published"])
    table["difference"] = table["reproduced"] - value
    tolerance = table["published"].map(printed_tolerance) + table["sd"].fillna(0.0)
    agrees = table["difference"].abs() <= tolerance
    table["agrees"] = np.where(table["reproduced"].isna(), None, agrees)
    table["published"] = value
    return table[[*on, "published", "reproduced", "sd", "n", "difference", "agrees"]]


def compare_lists(printed, measured, on):
    """Compare published with reproduced lists of features, ignoring their order.

    Parameters
    ----------
    printed : DataFrame
        Columns ``on`` and ``value``, numbers separated by semicolons.
    measured : DataFrame
        Columns ``on`` and ``value``, lists of int.
    on : list of str
        Columns that identify a list.

    Returns
    -------
    DataFrame
        Columns ``on``, published, reproduced, shared (number of features in both; None if we have no list).
    """
    table = printed[[*on, "value"]].merge(measured[[*on, "value"]], on=on, how="left", suffixes=("", "_ours"))
    ours = [value if isinstance(value, list) else None for value in table.pop("value_ours")]
    lists = [{int(number) for number in text.split(";")} for text in table["value"]]
    table["published"] = [", ".join(map(str, sorted(numbers))) for numbers in lists]
    table["reproduced"] = [None if own is None else ", ".join(map(str, sorted(own))) for own in ours]
    table["shared"] = [
        None if own is None else f"{len(numbers & set(own))} of {len(numbers)}"
        for numbers, own in zip(lists, ours, strict=True)
    ]
    return table.drop(columns="value")


def with_verdicts(comparison):
    """Replace the column ``agrees`` of a comparison by a column ``verdict`` with a word and a marker.

    Parameters
    ----------
    comparison : DataFrame
        As from `compare`.

    Returns
    -------
    DataFrame
    """
    words = {True: "● agrees", False: "○ differs"}
    verdict = [words.get(agrees, "– not measured") for agrees in comparison["agrees"]]
    return comparison.drop(columns="agrees").assign(verdict=verdict)

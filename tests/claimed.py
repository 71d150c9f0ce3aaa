"""Values of tidy tables, what a claim's statements are answered, and verdicts of experiments with a given power."""

from dataclasses import replace

import pandas as pd

from compendium.statements import decide


def values(table, metric, **where):
    """The values of a metric in the rows with these entries."""
    chosen = table[table["metric"] == metric]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    return chosen["value"].to_numpy()


def sides(statements):
    """The answers to the statements of a claim."""
    return [row.answer for row in decide(statements)]


def with_power(verdict, share):
    """The verdict if the claim holds in this share of the simulated experiments; None if they weren't simulated."""
    return replace(verdict, power=None if share is None else pd.DataFrame({"power": [share]}, index=[""]))

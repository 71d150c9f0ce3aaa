"""Values of tidy tables, and what a claim's statements are answered."""

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

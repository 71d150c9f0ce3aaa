"""A long table of a notebook or of the scoreboard shows its first rows; ``tables.js`` offers the others.

The others stand in a template, which a browser keeps but does not show. Sorting, filtering and saving use all rows.
"""

import re

LONG, SHOWN = 20, 12  # rows from which a table is shortened, and rows that are shown then
BODY = re.compile(r"(<tbody>\n)(.*?)(\n</tbody>)", re.DOTALL)


def shorten(app, page, template, context, doctree):
    """Put the further rows of each long table of `compendium.tables.html_table` into a template."""
    if "body" in context:
        context["body"] = BODY.sub(first_rows, context["body"])


def first_rows(body):
    """The body of a table, shortened if it is long."""
    rows = body[2].split("\n<tr>")  # a cell may contain line breaks
    if len(rows) <= LONG:
        return body[0]
    shown, rest = ("\n<tr>".join(part) for part in (rows[:SHOWN], ["", *rows[SHOWN:]]))
    return f"{body[1]}{shown}\n<template>{rest.lstrip()}</template>{body[3]}"


def setup(app):
    app.connect("html-page-context", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Display of tables on the pages."""

import html
import math

import pandas as pd
from IPython.display import HTML, display

__all__ = ["html_table", "means", "show_table"]


def means(table, by, columns="metric"):
    """Means over repetitions: one row per case.

    Parameters
    ----------
    table : DataFrame
        Tidy: columns ``by``, ``columns`` and value.
    by : list of str
        Columns that identify a case.
    columns : str, default="metric"
        The column whose values become columns.

    Returns
    -------
    DataFrame
        Rows in the order of ``table``.
    """
    return table.pivot_table(index=by, columns=columns, values="value", sort=False).reset_index()


def show_table(frame, caption):
    """Show a table in a notebook."""
    display(HTML(html_table(frame, caption)))


def html_table(frame, caption):
    """HTML of a table that scrolls horizontally on a narrow screen, also by keyboard.

    Parameters
    ----------
    frame : DataFrame
        Shown without its index.
    caption : str

    Returns
    -------
    str
        HTML.
    """
    shown = frame.rename_axis(columns=None)
    for column in shown.columns:
        if pd.api.types.is_float_dtype(shown[column]):
            shown[column] = shown[column].map(_number)
    table = shown.to_html(index=False, border=0, na_rep="–", classes="fscore", justify="left")
    caption = html.escape(caption)
    table = table.replace("<thead>", f"<caption>{caption}</caption><thead>", 1)
    return f'<div class="table-scroll" role="region" tabindex="0" aria-label="{caption}">{table}</div>'


def _number(value):
    """Four significant digits; an exponent only for very small or large numbers."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.1e}"

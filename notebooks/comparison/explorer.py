"""The explorer: one figure in HTML that needs no server. Choose the axes; hover or focus a point for the method."""

import json
import math

from markupsafe import Markup

from comparison.contestant import FAMILIES
from compendium.markup import filled
from compendium.style import COLOURS

# Paths of the families' marks in a square from -6 to 6, so that they differ without colour, too.
MARKS = {
    "baseline": "M-6,-1.5H-1.5V-6H1.5V-1.5H6V1.5H1.5V6H-1.5V1.5H-6Z",
    "filter": "M0,-5A5,5,0,1,1,0,5A5,5,0,1,1,0,-5Z",
    "weighting": "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "prototypes": "M0,-6L5.5,4.5H-5.5Z",
    "search": "M0,-6L5,0L0,6L-5,0Z",
    "embedded": "M0,6L5.5,-4.5H-5.5Z",
}


def explorer(points, families, logarithmic=(), alt="Every method as a point; the axes are chosen above."):
    """The figure.

    Parameters
    ----------
    points : DataFrame
        One row a method (index), one column for each aim that can be an axis; the first two are chosen at first, the
        second of them as the horizontal axis.
    families : dict of str to str
        Family by method, one of `comparison.contestant.FAMILIES`.
    logarithmic : collection of str
        Aims on a logarithmic axis.
    alt : str
        What the figure shows, for readers who can't see it.

    Returns
    -------
    str
        HTML without references to other files.
    """
    colours = ("#808080", *COLOURS)  # grey for the baselines
    marks = {
        family: {"path": MARKS[family], "colour": colour} for family, colour in zip(FAMILIES, colours, strict=False)
    }
    data = {
        "aims": [{"label": aim, "log": aim in logarithmic} for aim in points.columns],
        "marks": marks,
        "points": [
            {"name": name, "family": families[name], "values": [_number(value) for value in row]}
            for name, row in zip(points.index, points.to_numpy(dtype=float), strict=True)
        ],
    }
    return filled(
        "comparison/explorer.html",
        alt=alt,
        legend={family: mark for family, mark in marks.items() if family in families.values()},
        data=Markup(json.dumps(data).replace("<", "\\u003c")),
    )


def _number(value):
    return round(float(value), 6) if math.isfinite(value) else None

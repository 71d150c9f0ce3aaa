"""A common style for all figures: vector graphics, readable on light and dark pages, in print and without color."""

import matplotlib as mpl
from IPython import get_ipython
from matplotlib.figure import Figure
from matplotlib_inline.backend_inline import set_matplotlib_formats

from compendium.phone import both_widths

# Okabe and Ito's palette, which readers with colour vision deficiencies can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
HASHSALT = "fscore"  # gives the elements of a drawing the same ids in every build


def apply():
    """Set matplotlib's defaults: SVG in notebooks, for desktops and for phones, an opaque white ground, 2 pt lines.

    A dark page inverts the lightness of a figure and keeps its hues; see ``custom.css``.
    """
    if get_ipython() is not None:
        set_matplotlib_formats()  # none of its own
        get_ipython().display_formatter.mimebundle_formatter.for_type(Figure, both_widths)
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 4.0),
            "figure.dpi": 110,
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.constrained_layout.use": True,
            "axes.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": mpl.cycler(color=COLOURS, linestyle=LINES),
            "lines.linewidth": 2,
            "lines.markersize": 6,
            "legend.frameon": False,
            "font.size": 11,
            "svg.hashsalt": HASHSALT,
        }
    )


def plain(name):
    """A name of the data for a figure, in which matplotlib finds no formula.

    Parameters
    ----------
    name : str
        Of a data set or of columns, perhaps with dollar signs.

    Returns
    -------
    str
        With the dollar signs escaped, which are drawn as they are.
    """
    return name.replace("$", r"\$")


def series_styles(n):
    """Keyword arguments for ``n`` series that differ in color, marker and line.

    Beyond seven, colours and lines repeat, with other markers.

    Parameters
    ----------
    n : int

    Returns
    -------
    list of dict
    """
    size = len(COLOURS)
    return [
        {"color": COLOURS[i % size], "marker": MARKERS[(i + i // size) % size], "linestyle": LINES[i % size]}
        for i in range(n)
    ]

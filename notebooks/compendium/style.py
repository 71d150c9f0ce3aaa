"""A common style for all figures: vector graphics, readable on light and dark pages, in print and without color."""

from itertools import pairwise

import matplotlib as mpl
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib.figure import Figure
from matplotlib_inline.backend_inline import set_matplotlib_formats

NARROW = "application/vnd.fscore.narrow"  # media type of the drawing for phones in a notebook's output
WIDTH = 4.0  # inches: a phone shows text at about its size
DIAGRAM = 4.8  # of diagrams without axes, whose text needs more room
FEW = 20  # labels of an axis that fit beside each other in the usual size
PADDING = 0.1  # inches around all that is drawn
MARGIN = 0.6  # inches of a panel's height for its labels
# Okabe and Ito's palette, which readers with colour vision deficiencies can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
HASHSALT = "fscore"  # gives the elements of a drawing the same ids in every build


def both_widths(figure):
    """What a notebook stores of a figure: its drawing, and the one for phones.

    Parameters
    ----------
    figure : matplotlib Figure
        Changed by `stack`.

    Returns
    -------
    bundle : dict of str to str
        SVG by media type.
    metadata : dict
        Empty.
    """
    turn_crowded_labels(figure)
    wide = _drawing(figure)
    stack(figure)
    return {"image/svg+xml": wide, NARROW: _drawing(figure)}, {}


def _drawing(figure):
    """SVG of a figure that has been laid out, without another layout and a draft, each of which takes as long."""
    engine, shown = figure.get_layout_engine(), figure.get_tightbbox().padded(PADDING)
    figure.set_layout_engine("none")
    svg = print_figure(figure, fmt="svg", bbox_inches=shown, metadata={"Date": None})  # the same bytes every time
    figure.set_layout_engine(engine)
    return svg


def turn_crowded_labels(figure):
    """Lay out a figure; write the labels of horizontal axes upwards where they would overlap."""
    _lay_out(figure)
    crowded = [axes for axes in figure.axes if _is_crowded(axes.get_xticklabels())]
    for axes in crowded:
        axes.tick_params(axis="x", labelrotation=90)
    if crowded:
        _lay_out(figure)


def _lay_out(figure):
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def _is_crowded(labels):
    """Whether labels of an axis overlap."""
    boxes = (label.get_window_extent() for label in labels if label.get_visible() and label.get_text())
    return any(left.x1 > right.x0 for left, right in pairwise(sorted(boxes, key=lambda box: box.x0)))


def stack(figure):
    """Lay out a figure that has been drawn for a phone, in place.

    Panels come in one column in reading order, each with the labels that it shared with its neighbors. A figure's only
    legend goes below the panels.

    Parameters
    ----------
    figure : matplotlib Figure
    """
    panels = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
    _complete_labels(panels)
    heights = [_height(axes) for axes in panels]
    grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    for axes, place in zip(panels, grid, strict=True):
        axes.set_subplotspec(place)
        axes.tick_params(labelsize=9 if len(axes.get_xticklabels()) <= FEW else 7)
    figure.set_size_inches(WIDTH if any(axes.axison for axes in panels) else DIAGRAM, sum(heights))
    _move_legend_below(figure, panels)
    turn_crowded_labels(figure)


def _height(axes):
    """Inches for a panel as high as it has been drawn, with the labels of its axes."""
    figure = axes.get_figure()
    drawn = axes.get_position().height * figure.get_figheight() + MARGIN
    return max(drawn, axes.get_tightbbox().height / figure.dpi + MARGIN / 4)


def _complete_labels(panels):
    """Give every panel the axis labels and tick labels that it shares with others of its row and column."""
    places = [axes.get_subplotspec() for axes in panels]
    if all(place.colspan == places[0].colspan for place in places):
        return
    for axes, place in zip(panels, places, strict=True):
        axes.tick_params(labelleft=True, labelbottom=True)
        below = [other for other, its in zip(panels, places, strict=True) if its.colspan == place.colspan]
        beside = [other for other, its in zip(panels, places, strict=True) if its.rowspan == place.rowspan]
        axes.set_xlabel(axes.get_xlabel() or below[-1].get_xlabel())
        axes.set_ylabel(axes.get_ylabel() or beside[0].get_ylabel())


def _move_legend_below(figure, panels):
    """Put the only legend below the panels, in as many columns as there is room for."""
    legends = [*figure.legends, *filter(None, (axes.get_legend() for axes in panels))]
    if len(legends) != 1:
        return
    (legend,) = legends
    owner = legend.axes
    handles = owner.get_legend_handles_labels()[0] if owner is not None else legend.legend_handles
    look = {
        "handles": handles,
        "labels": [text.get_text() for text in legend.get_texts()],
        "title": legend.get_title().get_text() or None,
        "fontsize": 8,
        "loc": "outside lower center",
    }
    legend.remove()
    for columns in (3, 2, 1):
        moved = figure.legend(**look, ncols=columns)
        if columns == 1 or moved.get_window_extent().width < figure.bbox.width:
            figure.set_figheight(figure.get_figheight() + moved.get_window_extent().height / figure.dpi)
            return
        moved.remove()


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

"""Small pieces of HTML and SVG; whatever comes from outside is escaped here."""

import html
import re

__all__ = ["Markup", "bar", "document", "size_figure", "table", "text"]


class Markup(str):
    """A string that is HTML already; any other is text."""


def text(value):
    """A value as HTML text: markup stays, all else is escaped; control characters are dropped.

    Parameters
    ----------
    value : object

    Returns
    -------
    Markup
    """
    if isinstance(value, Markup):
        return value
    visible = re.sub(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]", "", str(value)
    )
    return Markup(html.escape(visible, quote=True))


def table(caption, header, rows, numeric=()):
    """A table with a caption, in a box that scrolls.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : list of sequences
        The first entry of each names the row.
    numeric : sequence of int
        Columns to align to the right.

    Returns
    -------
    Markup
    """
    align = [' class="number"' if k in set(numeric) else "" for k in range(len(header))]
    head = "".join(f'<th scope="col"{align[k]}>{text(name)}</th>' for k, name in enumerate(header))
    body = []
    for row in rows:
        cells = [f'<th scope="row">{text(row[0])}</th>']
        cells += [f"<td{align[k]}>{text(cell)}</td>" for k, cell in enumerate(row) if k]
        body.append(f"<tr>{''.join(cells)}</tr>")
    return Markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table>'
        f"<caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def bar(value, lower, upper, start=0.0, end=1.0, mark=None):
    """A dot with its interval on a line from start to end; hidden from readers, since the numbers stand beside it."""

    def place(v):
        return 4 + 152 * min(max((v - start) / (end - start), 0.0), 1.0)

    guide = "" if mark is None else f'<line class="mark" x1="{place(mark):.1f}" x2="{place(mark):.1f}" y1="1" y2="17"/>'
    return Markup(
        '<svg class="bar" viewBox="0 0 160 18" aria-hidden="true"><line class="axis" x1="4" x2="156" y1="9" y2="9"/>'
        f'{guide}<line class="range" x1="{place(lower):.1f}" x2="{place(upper):.1f}" y1="9" y2="9"/>'
        f'<circle cx="{place(value):.1f}" cy="9" r="4"/></svg>'
    )


def size_figure(sizes, chosen, knee, measure, *, cheapest=False):
    """Score against the number of columns, with standard errors, the knee and the choice.

    Parameters
    ----------
    sizes : list of (size, score, error, ...)
    chosen, knee : int or None
    measure : str
    cheapest : bool
        Whether columns have costs, so that the choice is the cheapest set instead of the smallest.

    Returns
    -------
    Markup
    """
    low = min(row[1] - row[2] for row in sizes)
    high = max(row[1] + row[2] for row in sizes)
    span, last = max(high - low, 1e-9), max(len(sizes) - 1, 1)

    def xy(place, value):
        return 48 + 296 * place / last, 188 - 164 * (value - low) / span

    points = [xy(place, row[1]) for place, row in enumerate(sizes)]
    parts = [f'<polyline class="curve" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>']
    for place, row in enumerate(sizes):
        x, y = points[place]
        top, bottom = xy(place, row[1] + row[2])[1], xy(place, row[1] - row[2])[1]
        kind = "chosen" if row[0] == chosen else "other"
        parts.append(f'<line class="range" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>')
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if kind == "chosen" else 3.5}"/>')
        if row[0] == knee:
            parts.append(f'<rect class="knee" x="{x - 8:.1f}" y="{y - 8:.1f}" width="16" height="16"/>')
        if len(sizes) <= 11 or place % 2 == 0 or place == last:
            parts.append(f'<text x="{x:.1f}" y="206" text-anchor="middle">{int(row[0])}</text>')
    for value in (low, (low + high) / 2, high):
        y = xy(0, value)[1]
        parts.append(f'<text x="42" y="{y + 4:.1f}" text-anchor="end">{value:.2f}</text>')
        parts.append(f'<line class="grid" x1="48" x2="352" y1="{y:.1f}" y2="{y:.1f}"/>')
    parts.append('<text x="200" y="224" text-anchor="middle">number of columns</text>')
    ends = f"{sizes[0][1]:.2f} with {sizes[0][0]}, {sizes[-1][1]:.2f} with {sizes[-1][0]}"
    title = f"{measure} by number of columns: {ends}; chosen: {chosen}" + (f"; knee: {knee}" if knee else "")
    return Markup(
        f'<figure><svg class="figure" viewBox="0 0 360 230" role="img" aria-label="{text(title)}">'
        f"{''.join(parts)}</svg><figcaption>{text(measure).capitalize()} in cross-validation by number of columns, "
        f"with one standard error. Filled: the choice, the best ranking's {'cheapest' if cheapest else 'smallest'} set "
        "within one standard error (of the difference, row by row) of its best. "
        "Square: the knee, after which more columns add little.</figcaption>"
        "</figure>"
    )


def document(title, sections):
    """A self-contained page without scripts; the browser is told to run none.

    Parameters
    ----------
    title : str
    sections : list of Markup

    Returns
    -------
    str
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<link rel="icon" href="data:,">\n<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n'
        + "<body>\n<main>\n"
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


_STYLE = """
:root { --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --box: #f3f6f9; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #3a424c; --paper: #11151a; --box: #1b222a; --accent: #6cb2ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p, li, figcaption, caption, summary { overflow-wrap: anywhere; }
.verdict { background: var(--box); border-left: 6px solid var(--accent); padding: .8rem 1rem; font-size: 1.15rem; }
.verdict p { margin: .3rem 0; }
.soft, figcaption, caption { color: var(--soft); font-size: .9rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
.scroll:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th[scope=row] { font-weight: 600; min-width: 7rem; max-width: 16rem; overflow-wrap: anywhere; }
td { min-width: 4rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { overflow: visible; }
.bar { width: 10rem; height: 1.1rem; }
.figure { width: 100%; max-width: 34rem; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--ink); }
.axis, .grid { stroke: var(--line); stroke-width: 1; }
.range { stroke: var(--accent); stroke-width: 2.5; opacity: .55; }
.mark { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 3 2; }
circle { fill: var(--accent); }
circle.other { fill: var(--paper); stroke: var(--accent); stroke-width: 1.8; }
.curve { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.knee { fill: none; stroke: var(--ink); stroke-width: 1.5; }
figure { margin: 1rem 0; }
pre { background: var(--box); padding: .8rem; overflow-x: auto; font-size: .85rem; }
code { font-family: ui-monospace, monospace; }
""".strip()

"""The explorer: one figure in HTML that needs no server. Choose the axes; hover or focus a point for the method."""

import html
import json
import math

from comparison.contestant import FAMILIES
from compendium.style import COLOURS

__all__ = ["explorer"]

# Paths of the families' marks in a square from -6 to 6, so that they differ without colour, too.
MARKS = {
    "baseline": "M-6,-1.5H-1.5V-6H1.5V-1.5H6V1.5H1.5V6H-1.5V1.5H-6Z",
    "filter": "M0,-5A5,5,0,1,1,0,5A5,5,0,1,1,0,-5Z",
    "weighting": "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "prototypes": "M0,-6L5.5,4.5H-5.5Z",
    "search": "M0,-6L5,0L0,6L-5,0Z",
    "embedded": "M0,6L5.5,-4.5H-5.5Z",
}

PAGE = """<div class="explorer" id="method-explorer">
<style>
.explorer svg {width: 100%; height: auto; max-width: 760px; font: 12px sans-serif; color: inherit}
.explorer label {margin-right: 1em}
.explorer .point {cursor: pointer}
.explorer .point:focus {outline: none}
.explorer .point:focus path, .explorer .point:hover path {stroke: currentColor; stroke-width: 3}
.explorer .legend {display: inline-block; margin-right: 1em; white-space: nowrap}
.explorer output {display: block; min-height: 3.2em}
</style>
<p><label>horizontal <select name="x"></select></label> <label>vertical <select name="y"></select></label></p>
<svg viewBox="0 0 760 440" role="group" aria-label="@ALT@"></svg>
<p>@LEGEND@</p>
<output aria-live="polite">Hover over a point, or reach it with the Tab key, for the method and all its values.</output>
<noscript>The figure needs JavaScript; the table below has the same values.</noscript>
<script>
(() => {
  const data = @DATA@;
  const root = document.getElementById("method-explorer"), svg = root.querySelector("svg");
  const said = root.querySelector("output");
  const axes = {x: root.querySelector("[name=x]"), y: root.querySelector("[name=y]")};
  const NS = "http://www.w3.org/2000/svg", W = 760, H = 440, L = 70, R = 20, T = 15, B = 50;
  const add = (parent, kind, attributes, text) => {
    const node = document.createElementNS(NS, kind);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return parent.appendChild(node);
  };
  const shows = (value, index) => value !== null && (!data.aims[index].log || value > 0);
  const shown = value => value === null ? "unknown" : String(Number(value.toPrecision(3)));
  const describe = point => point.name + " (" + point.family + "): "
    + data.aims.map((aim, i) => aim.label + " " + shown(point.values[i])).join("; ");
  const scale = (index, from, to) => {
    const aim = data.aims[index], of = value => aim.log ? Math.log10(value) : value;
    const values = data.points.map(p => p.values[index]).filter(v => shows(v, index)).map(of);
    let low = Math.min(...values), high = Math.max(...values);
    const room = (high - low || 1) * 0.05;
    low -= room; high += room;
    const power = 10 ** Math.floor(Math.log10((high - low) / 4));
    const step = power * [1, 2, 5, 10].find(k => (high - low) / (k * power) <= 6);
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push(k * step);
    const place = value => from + (of(value) - low) / (high - low) * (to - from);
    return {place, ticks: ticks.map(t => aim.log ? 10 ** t : t), label: aim.label + (aim.log ? " (log scale)" : "")};
  };
  const draw = () => {
    const i = axes.x.selectedIndex, j = axes.y.selectedIndex, x = scale(i, L, W - R), y = scale(j, H - B, T);
    svg.replaceChildren();
    add(svg, "path", {d: `M${L},${T}V${H - B}H${W - R}`, fill: "none", stroke: "currentColor"});
    for (const t of x.ticks)
      add(svg, "text", {x: x.place(t), y: H - B + 18, "text-anchor": "middle", fill: "currentColor"}, shown(t));
    for (const t of y.ticks)
      add(svg, "text", {x: L - 8, y: y.place(t) + 4, "text-anchor": "end", fill: "currentColor"}, shown(t));
    add(svg, "text", {x: (L + W) / 2, y: H - 10, "text-anchor": "middle", fill: "currentColor"}, x.label);
    add(svg, "text", {transform: `translate(16,${H / 2}) rotate(-90)`, "text-anchor": "middle", fill: "currentColor"},
      y.label);
    for (const point of data.points) {
      const a = point.values[i], b = point.values[j];
      if (!shows(a, i) || !shows(b, j)) continue;
      const at = `translate(${x.place(a).toFixed(1)},${y.place(b).toFixed(1)})`;
      const label = describe(point);
      const mark = add(svg, "g", {class: "point", tabindex: 0, role: "img", "aria-label": label, transform: at});
      add(mark, "path", {d: data.marks[point.family].path, fill: data.marks[point.family].colour, opacity: 0.85});
      add(mark, "title", {}, point.name);
      const tell = () => { said.textContent = label; };
      for (const event of ["mouseenter", "focus", "click"]) mark.addEventListener(event, tell);
    }
  };
  for (const [name, chosen] of [["x", @START_X@], ["y", @START_Y@]]) {
    data.aims.forEach((aim, k) => axes[name].add(new Option(aim.label, k, k === chosen, k === chosen)));
    axes[name].addEventListener("change", draw);
  }
  draw();
})();
</script>
</div>"""


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
    legend = " ".join(
        f'<span class="legend"><svg viewBox="-7 -7 14 14" style="width:14px;height:14px" aria-hidden="true">'
        f'<path d="{mark["path"]}" fill="{mark["colour"]}"/></svg> {family}</span>'
        for family, mark in marks.items()
        if family in families.values()
    )
    parts = {
        "ALT": html.escape(alt),
        "LEGEND": legend,
        "START_X": str(min(1, points.shape[1] - 1)),
        "START_Y": "0",
        "DATA": json.dumps(data).replace("<", "\\u003c"),  # last: the text of names is not searched for placeholders
    }
    page = PAGE
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    return page


def _number(value):
    return round(float(value), 6) if math.isfinite(value) else None

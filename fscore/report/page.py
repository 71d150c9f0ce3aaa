"""What the page of a report shows, for the template ``page.html``: text is escaped there, never here."""

import re

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from sklearn.metrics import confusion_matrix

from fscore.report.findings import interval, measure_of
from fscore.report.models import MODELS
from fscore.report.outputs import by_rank, substitutes
from fscore.report.rankings import METHODS
from fscore.report.traps import counted, listed

__all__ = ["page"]

_MOST_ROWS = 60  # columns that a table lists
_MOST_CLASSES = 12  # of a confusion matrix
_MOST_DOTS = 500
_MOST_CORRELATED = 14
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]")


def page(problem, work, found, run):
    """Write the report.

    Parameters
    ----------
    problem : Problem
    work : Work
    found : Findings
    run : dict
        What was run: ``file``, ``sha256``, ``command``, ``settings``, ``seconds``, ``versions``, ``stopped``, ``left``
        (steps not done), ``notes`` of the reader, ``rebuild`` (lines of Python).

    Returns
    -------
    str
        HTML, self-contained and without scripts.
    """
    environment = Environment(
        loader=PackageLoader("fscore.report", "."),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"place": _place, "counted": counted, "listed": listed}
    return environment.get_template("page.html").render(
        problem=problem,
        found=found,
        run=run,
        measure=measure_of(problem.task),
        names=problem.columns,
        chosen=[problem.columns[column] for column in found.recommended],
        sizes=_sizes(found),
        columns=_columns(problem, found),
        scores=_scores(problem, found),
        confusion=_confusion(problem, work, found),
        dots=_dots(problem, work, found),
        correlations=_correlations(problem, found),
        read=[_read_as(problem, name) for name in list(problem.table)[:_MOST_ROWS]],
        agreement=_agreement(problem, found),
        model=MODELS[found.model],
        methods=METHODS,
        folds=_folds(work, found),
        interval=interval,
    )


def _visible(value):
    """Text without control characters, and without those that reverse its direction."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else _HIDDEN.sub("", value)


def _place(value, low, high, start, end):
    """Where a value lies between two coordinates, at most at their ends."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(start + (end - start) * min(max(share, 0.0), 1.0), 1)


def _sizes(found):
    """Points of the figure of sizes, and the ends of its scale."""
    everything = found.models[found.model]
    low = min([*(row[2] for row in found.sizes), everything])
    high = max([*(row[3] for row in found.sizes), everything])
    floor = found.chance - 0.1 * (high - found.chance) if found.chance < high else low
    return {"points": found.sizes, "low": max(low, min(floor, found.sizes[0][1])), "high": high, "all": everything}


def _scores(problem, found):
    """Rows of the table of scores: name, value, lower, upper (None without an interval)."""
    rows = []
    if found.chosen is not None:
        place = f", {found.scheme}" if found.scheme else ""
        rows.append((f"{_the_best(found)}{place}", *found.chosen[:3]))
        if found.small != found.columns:
            rows.append((f"smallest good set, {counted(len(found.small), 'column')}{place}", *found.smallest[:3]))
        every = "the only column" if len(problem.columns) == 1 else f"all {len(problem.columns)} columns"
        rows.append((f"{every}{place}", *found.everything[:3]))
        rows += [(f"{_the_best(found)}, {name}", *estimate[:3]) for name, estimate in found.others.items()]
    rows.append(("what the search itself saw", found.reported, None, None))
    guess = "chance" if problem.task == "classification" else "the mean of the training part"
    return [*rows, (f"{guess} (no column)", found.chance, None, None)]


def _the_best(found):
    final = set(found.recommended) == set(found.columns)
    return "selected columns" if final else f"best {counted(len(found.columns), 'column')}"


def _folds(work, found):
    """How the test rows were drawn, in words."""
    grouped, timed = work.rows.groups is not None, work.rows.time is not None
    groups, time = work.problem.group_name or "set of equal rows", work.problem.time_name
    how = {
        (False, True): f"forwards in time by {time}",
        (True, True): f"forwards in time by {time}, rows of one “{groups}” together",
        (True, False): f"rows of one “{groups}” in one fold",
    }.get((grouped, timed), "drawn at random")
    n = found.n_folds if found.n_folds == found.n_outer else f"{found.n_folds} of {found.n_outer}"
    return f"{n} folds ({how})"


def _columns(problem, found):
    """Rows of the table of columns."""
    instead, rows = substitutes(problem, found), []
    most = max((upper for _, _, upper in found.effects.values()), default=0.0)
    for column in by_rank(found, len(problem.columns))[:_MOST_ROWS]:
        name = problem.columns[column]
        rows.append(
            {
                "name": name,
                "members": problem.members(name) if name in problem.categories else [],
                "selected": column in found.recommended,
                "small": column in found.small,
                "effect": found.effects.get(column),
                "most": max(most, 1e-9),
                "frequency": found.frequency.get(column),
                "curve": _curve(problem, found.curves.get(column), name),
                "instead": instead.get(column, []),
            }
        )
    return rows


def _curve(problem, curve, name):
    """A small drawing: lines (one a class, or one), their labels, and the direction in words."""
    if curve is None or len(curve["grid"]) < 2:
        return None
    means, classes = np.array(curve["means"]), problem.target.classes
    is_category = problem.kinds[name] in ("category", "text")
    if len(classes) == 2:
        means, classes = means[:, 1:], classes[1:]
    shown = np.argsort(-np.ptp(means, axis=0), kind="stable")[:3]
    steps = np.diff(means[:, shown[0]])
    words = "rises" if (steps >= -1e-9).all() else "falls" if (steps <= 1e-9).all() else "rises and falls"
    if is_category:
        best = curve["grid"][int(np.argmax(means[:, shown[0]]))]
        words = f"highest for “{best}”"
    what = f"chance of “{classes[shown[0]]}”" if classes else f"“{problem.target.name}”"
    low, high = float(means[:, shown].min()), float(means[:, shown].max())
    first, last = means[0, shown[0]], means[-1, shown[0]]
    ends = f"{low:.3g} to {high:.3g}" if is_category or words == "rises and falls" else f"{first:.3g} to {last:.3g}"
    return {
        "lines": means[:, shown].T.tolist(),
        "labels": [str(classes[k]) for k in shown] if classes else [],
        "low": low,
        "high": high,
        "is_category": is_category,
        "words": f"{what} {words}, {ends}" if is_category else f"{what} {words}: {ends}",
    }


def _confusion(problem, work, found):
    """Rows of the confusion matrix: class, share found, counts; None for a quantity or many classes."""
    classes = problem.target.classes
    if found.predicted is None or not 0 < len(classes) <= _MOST_CLASSES:
        return None
    counts = confusion_matrix(work.y[found.tested], found.predicted, labels=range(len(classes)))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return [
        (label, counts[k].sum(), shares[k, k], list(zip(counts[k].tolist(), shares[k].tolist(), strict=True)))
        for k, label in enumerate(classes)
    ]


def _dots(problem, work, found):
    """Actual and predicted values of a quantity, and the ends of the scale."""
    if found.predicted is None or problem.task == "classification":
        return None
    pairs = np.column_stack([work.y[found.tested], found.predicted])
    if len(pairs) > _MOST_DOTS:
        pairs = pairs[np.random.default_rng(0).permutation(len(pairs))[:_MOST_DOTS]]
    low, high = pairs[:, 0].min(), pairs[:, 0].max()
    return {"pairs": pairs.tolist(), "low": float(low), "high": float(high)}


def _correlations(problem, found):
    """Rank correlations among the selected numbers and their substitutes, alike ones side by side."""
    instead = substitutes(problem, found)
    names = []
    for column in found.columns:
        name = problem.columns[column]
        if problem.kinds[name] not in ("category", "text"):
            names += [other for other in (name, *instead.get(column, ())) if other not in names]
    names = names[:_MOST_CORRELATED]
    if len(names) < 2:
        return None
    r = problem.X.iloc[problem.drawn][names].corr("spearman").fillna(0.0).to_numpy()
    order = [0]
    while len(order) < len(names):  # each is followed by the one most like it
        rest = [k for k in range(len(names)) if k not in order]
        order.append(max(rest, key=lambda k: abs(r[order[-1], k])))
    r = r[np.ix_(order, order)]
    chosen = {problem.columns[column] for column in found.columns}
    return {
        "names": [names[k] for k in order],
        "rows": r.tolist(),
        "chosen": [names[k] in chosen for k in order],
        "alike": [" = ".join((problem.columns[c], *others)) for c, others in instead.items() if c in found.columns],
    }


def _read_as(problem, name):
    """What a column of the file was read as: kind, an example, share of missing values, use."""
    column = problem.table[name].dropna()
    example = str(column.iloc[len(column) // 2]) if len(column) else ""
    used = name in problem.X or any(name in members for members in problem.categories.values())
    why = next((trap.kind for trap in problem.traps if name in trap.left_out), "by an option")
    return {
        "name": name,
        "kind": problem.kinds[name],
        "example": example if len(example) <= 40 else f"{example[:39]}…",
        "missing": float(problem.typed(name).isna().mean()),
        "use": "" if used else f"left out: {why}",
    }


def _agreement(problem, found):
    """Place of each selected column by method, and how many methods have it among their first."""
    if not found.ranks:
        return None
    k, rows = len(found.columns), []
    places = {name: {column: place for place, column in enumerate(order, 1)} for name, order in found.ranks.items()}
    for column in found.columns[:_MOST_ROWS]:
        ranks = [places[name].get(column, "over 100") for name in places]
        agree = sum(isinstance(place, int) and place <= k for place in ranks)
        rows.append((problem.columns[column], f"{agree} of {len(places)}", ranks))
    return {"methods": list(places), "rows": rows, "k": k}

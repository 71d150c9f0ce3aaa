"""What the page of a report shows, for the template ``page.html``: text is escaped there, never here."""

import numpy as np
from sklearn.metrics import confusion_matrix

from fscore.report.models import MODELS
from fscore.report.outputs import by_rank, substitutes
from fscore.report.rankings import METHODS
from fscore.report.scores import measure_of
from fscore.report.templates import render

__all__ = ["page"]

_MOST_ROWS = 60  # columns that a table lists
_MOST_CLASSES = 12  # of a confusion matrix
_MOST_DOTS = 500
_MOST_CORRELATED = 14


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
    names, instead = problem.columns, substitutes(problem, found)
    return render(
        "page.html",
        problem=problem,
        work=work,
        found=found,
        run=run,
        measure=measure_of(problem.task),
        names=names,
        sizes=_sizes(found),
        listed_columns=by_rank(found, len(names))[:_MOST_ROWS],
        instead=instead,
        curves={column: _curve(problem, curve, names[column]) for column, curve in found.curves.items()},
        confusion=_confusion(problem, work, found),
        dots=_dots(problem, work, found),
        correlations=_correlations(problem, found, instead),
        read=list(problem.table)[:_MOST_ROWS],
        agreeing={
            column: sum(column in order[: len(found.columns)] for order in found.ranks.values())
            for column in found.columns[:_MOST_ROWS]
        },
        models=MODELS,
        methods=METHODS,
    )


def _sizes(found):
    """Points of the figure of sizes, and the ends of its scale."""
    everything = found.models[found.model]
    low = min([*(row[2] for row in found.sizes), everything])
    high = max([*(row[3] for row in found.sizes), everything])
    floor = found.chance - 0.1 * (high - found.chance) if found.chance < high else low
    return {"points": found.sizes, "low": max(low, min(floor, found.sizes[0][1])), "high": high, "all": everything}


def _curve(problem, curve, name):
    """A small drawing: lines (one a class, or one), their labels, and the direction in words."""
    if len(curve["grid"]) < 2:
        return None
    means, classes = np.array(curve["means"]), problem.target.classes
    is_category = problem.kinds[name] in ("category", "text")
    if len(classes) == 2:
        means, classes = means[:, 1:], classes[1:]
    shown = np.argsort(-np.ptp(means, axis=0), kind="stable")[:3]
    first, steps = means[:, shown[0]], np.diff(means[:, shown[0]])
    words = "rises" if (steps >= -1e-9).all() else "falls" if (steps <= 1e-9).all() else "rises and falls"
    low, high = float(means[:, shown].min()), float(means[:, shown].max())
    return {
        "lines": means[:, shown].T.tolist(),
        "labels": [str(classes[k]) for k in shown] if classes else [],
        "low": low,
        "high": high,
        "best": curve["grid"][int(first.argmax())] if is_category else None,
        "words": words,
        "ends": (low, high) if is_category or words == "rises and falls" else (first[0], first[-1]),
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


def _correlations(problem, found, instead):
    """Rank correlations among the selected numbers, each followed by its substitutes."""
    chosen = [problem.columns[column] for column in found.columns]
    names = []
    for column, name in zip(found.columns, chosen, strict=True):
        if problem.kinds[name] not in ("category", "text"):
            names += [other for other in (name, *instead.get(column, ())) if other not in names]
    names = names[:_MOST_CORRELATED]
    if len(names) < 2:
        return None
    r = problem.X.iloc[problem.drawn][names].corr("spearman").fillna(0.0)
    return {"names": names, "rows": r.to_numpy().tolist(), "chosen": [name in chosen for name in names]}

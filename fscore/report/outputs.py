"""The files of a report: the page, the list of columns, the fitted pipeline, the lines that rebuild it."""

import io
import json
import re

import joblib
import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from sklearn.metrics import confusion_matrix
from threadpoolctl import threadpool_limits

from fscore._files import write_together
from fscore.datasets.texts import TRUTH_OF
from fscore.report.issues import counted, listed
from fscore.report.models import MODELS, make_model
from fscore.report.rankings import METHODS, MOST_UNITS, RANKING_OF_MODEL
from fscore.report.scores import CONFIDENCE, measure_of
from fscore.search import redundancy_groups

__all__ = [
    "final_model",
    "page",
    "rebuild_lines",
    "render",
    "selected_features",
    "substitutes",
    "visible",
    "write_files",
]

ALIKE = 0.8  # absolute rank correlation from which a column may stand in for another
_FEW_ROWS = 10_000  # on which more threads cost more than they give
_MOST_ROWS = 60  # columns that a table lists
_MOST_CLASSES = 12  # of a confusion matrix
_MOST_DOTS = 500
_MOST_CORRELATED = 14
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]")


def render(name, **what):
    """Fill a template with text, whatever it looks like: without markup in the page, nowhere with control characters.

    Parameters
    ----------
    name : {"page.html", "answer.txt", "rebuild.txt"}
    **what
        What the template names.

    Returns
    -------
    str
    """
    return _TEMPLATES.get_template(name).render(**what)


def visible(value):
    """Text without control characters, and without those that reverse its direction."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else _HIDDEN.sub("", value)


def _coordinate(value, low, high, start, end):
    """Where a value lies between two coordinates, at most at their ends."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(start + (end - start) * min(max(share, 0.0), 1.0), 1)


def _fixed(value, digits=3):
    """A number with so many digits after the point; no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _interval(estimate, digits=2):
    """Value and interval in one phrase, for measures of at most 1."""
    value, lower, upper = (_fixed(x, digits) for x in (estimate.value, estimate.lower, min(estimate.upper, 1.0)))
    return f"{value} ({lower} to {upper})"


def _example(value):
    """A value of the file; numbers without the point that reading them adds."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _number(value, digits=3):
    """A rounded number: 1,100 and no exponent up to a million."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e6 else f"{rounded:.{digits}g}"


_TEMPLATES = Environment(
    loader=PackageLoader("fscore.report", "."),
    autoescape=lambda name: name.endswith(".html"),
    finalize=visible,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {"coordinate": _coordinate, "counted": counted, "listed": listed, "repr": repr}
_TEMPLATES.filters |= {"fixed": _fixed, "interval": _interval, "number": _number, "example": _example}
_TEMPLATES.globals |= {"measure_of": measure_of, "models": MODELS, "most_ranked": MOST_UNITS}
_TEMPLATES.globals |= {"methods": METHODS, "ranking_of_model": RANKING_OF_MODEL}


def selected_features(problem, findings):
    """One row per column to choose from, the selected ones first.

    Parameters
    ----------
    problem : Problem
    findings : Findings

    Returns
    -------
    DataFrame
        Columns ``name``, ``columns`` (of the file), ``kind``, ``selected`` (in the model), ``smallest`` (in the
        smallest good set), ``frequency`` with its interval, ``effect`` with its interval, and ``instead``: columns that
        order the rows alike.
    """
    names, columns = problem.columns, by_rank(findings, len(problem.columns))
    table = pd.DataFrame({"name": [names[column] for column in columns]}, index=columns)
    table["columns"] = ["; ".join(problem.source_columns(name)) for name in table["name"]]
    table["kind"] = table["name"].map(problem.kinds)
    for title, chosen in (("selected", findings.recommended), ("smallest", findings.small)):
        table[title] = np.where(table.index.isin(chosen), "yes", "no")
    for title, values, digits in (("frequency", findings.frequency, 4), ("effect", findings.effects, 5)):
        ends = np.array([values.get(column, [np.nan] * 3) for column in columns])
        table[[title, f"{title}_lower", f"{title}_upper"]] = ends.round(digits)
    table["instead"] = ["; ".join(findings.instead.get(column, ())) for column in columns]
    return table.reset_index(drop=True)


def by_rank(findings, n_columns):
    """All columns: the selected ones, then the others by how often they were selected again."""
    rest = [column for column in range(n_columns) if column not in set(findings.columns)]
    return [*findings.columns, *sorted(rest, key=lambda column: -findings.frequency.get(column, (0,))[0])]


def substitutes(problem, columns):
    """Names of the other columns that order the rows like one of some columns, by that one.

    Parameters
    ----------
    problem : Problem
    columns : list of int

    Returns
    -------
    dict of int to list of str
    """
    numbers = [k for k, name in enumerate(problem.columns) if problem.kinds[name] not in ("category", "text")]
    chosen = [numbers.index(column) for column in columns if column in numbers]
    if not chosen or len(problem.y) < 3:
        return {}
    X = problem.X.iloc[problem.drawn, numbers]
    groups = redundancy_groups(X.fillna(X.median()), chosen, threshold=ALIKE)
    return {
        numbers[first]: [problem.columns[numbers[other]] for other in alternatives]
        for selected, alternatives in zip(groups["selected"], groups["alternatives"], strict=True)
        for first in selected
        if alternatives
    }


def final_model(problem, findings):
    """The pipeline from text to prediction with the recommended columns, fitted on all rows in use.

    Parameters
    ----------
    problem : Problem
    findings : Findings

    Returns
    -------
    Pipeline
    """
    columns = [problem.columns[column] for column in sorted(findings.recommended)]
    return make_model(problem, findings.model, columns).fit(problem.table, problem.labels())


def rebuild_lines(path, problem, findings, options, encoding=None):
    """Python that makes the final model again.

    Parameters
    ----------
    path : str or Path
        Of the file, as the lines name it.
    problem : Problem
    findings : Findings
    options : dict
        Arguments of `build_problem` that differ from their defaults.
    encoding : str, optional
        Of the file, if it was given.

    Returns
    -------
    str
    """
    file = {"path": str(path), "encoding": encoding, "options": options}
    return render("rebuild.txt", problem=problem, findings=findings, **file)


def summary(problem, findings, run):
    """What a program may want to know, as JSON: see ``report.schema.json``.

    Parameters
    ----------
    problem : Problem
    findings : Findings
    run : dict
        See `page`.

    Returns
    -------
    str
    """
    names = problem.columns
    scores = {"selected": findings.chosen, "smallest": findings.smallest, "all": findings.everything}
    scores |= findings.other_splits
    fields = ("value", "lower", "upper", "error")
    content = {
        "version": 1,
        "file": run["file"],
        "sha256": run["sha256"],
        "target": problem.target.name,
        "task": problem.task,
        "rows": len(problem.y),
        "decision": findings.verdict,
        "sentence": findings.sentence,
        "question": findings.question,
        "model": findings.model,
        "columns": [names[column] for column in findings.recommended],
        "selected": [names[column] for column in findings.columns],
        "smallest": [names[column] for column in findings.small],
        "derived": {name: {"how": how, "columns": list(sources)} for name, (how, sources) in problem.derived.items()},
        "left_out": dict(problem.left_out),
        "measure": "balanced accuracy" if problem.task == "classification" else "R2",
        "confidence": CONFIDENCE,
        "split": findings.split or "at random",
        "scores": {name: dict(zip(fields, estimate, strict=True)) for name, estimate in scores.items() if estimate},
        "chance": findings.chance,
        "issues": [issue.__dict__ for issue in problem.issues],
        "stopped": findings.stopped,
        "not_done": run["left"],
        "versions": run["versions"],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, default=float)


def write_files(folder, page, lines, problem, findings, run):
    """Write the page, the list of columns, the model and the lines that rebuild it: all of them, or none.

    Parameters
    ----------
    folder : Path
    page, lines : str
    problem : Problem
    findings : Findings
    run : dict
        See `page`.
    """
    model = io.BytesIO()
    with threadpool_limits(1 if len(problem.y) <= _FEW_ROWS else None):
        joblib.dump(final_model(problem, findings), model)
    contents = {
        "report.html": page,
        "report.json": summary(problem, findings, run),
        "selected_features.csv": selected_features(problem, findings).to_csv(index=False),
        "rebuild.py": lines,
        "model.joblib": model.getvalue(),
    }
    write_together({folder / name: content for name, content in contents.items()})


def page(problem, analysis, findings, run):
    """Write the report.

    Parameters
    ----------
    problem : Problem
    analysis : Analysis
    findings : Findings
    run : dict
        What was run: ``file``, ``sha256``, ``command``, ``options``, ``seconds``, ``versions``, ``left``
        (steps not done), ``notes`` of the reader, ``rebuild`` (lines of Python that name the file without its folder).

    Returns
    -------
    str
        HTML, self-contained and without scripts.
    """
    return render(
        "page.html",
        problem=problem,
        analysis=analysis,
        findings=findings,
        run=run,
        ranked=by_rank(findings, len(problem.columns)),
        curves={column: _curve(problem, curve, problem.columns[column]) for column, curve in findings.curves.items()},
        confusion=_confusion(problem, analysis, findings),
        pairs=_actual_and_predicted(problem, analysis, findings),
        correlations=_correlations(problem, findings),
        most=_MOST_ROWS,
    )


def _curve(problem, curve, name):
    """A small drawing: lines (one a class, or one), their labels, and the direction in words."""
    if len(curve["grid"]) < 2:
        return None
    means, classes, grid = np.array(curve["means"]), problem.target.classes, curve["grid"]
    if len(classes) == 2:  # the chance of the second, unless the first is a yes
        is_yes = isinstance(classes[0], str) and TRUTH_OF.get(classes[0].lower()) == 1
        classes, means = (classes[:1], 1 - means) if is_yes else (classes[1:], means)
    is_category = problem.kinds[name] in ("category", "text")
    shown = np.argsort(-np.ptp(means, axis=1), kind="stable")[:3]
    means = means[shown]
    steps = np.diff(means[0])
    words = "rises" if (steps >= -1e-9).all() else "falls" if (steps <= 1e-9).all() else "rises and falls"
    if is_category:
        among = f" of the {len(grid)} most frequent" if problem.X[name].nunique() > len(grid) else ""
        words = f"highest for “{grid[means[0].argmax()]}”{among}"
    low, high = float(means.min()), float(means.max())
    return {
        "lines": means.tolist(),
        "labels": [str(classes[k]) for k in shown] if classes else [],
        "low": low,
        "high": high,
        "dots": is_category,
        "words": words,
        "ends": (means[0, 0], means[0, -1]) if words in ("rises", "falls") else (low, high),
    }


def _confusion(problem, analysis, findings):
    """Counts by actual and predicted class; None for a quantity or many classes."""
    n_classes = len(problem.target.classes)
    if findings.predicted is None or not 0 < n_classes <= _MOST_CLASSES:
        return None
    return confusion_matrix(analysis.y[findings.tested], findings.predicted, labels=range(n_classes)).tolist()


def _actual_and_predicted(problem, analysis, findings):
    """Pairs of an actual and a predicted value of a quantity."""
    if findings.predicted is None or problem.task == "classification":
        return None
    pairs = np.column_stack([analysis.y[findings.tested], findings.predicted])
    return np.random.default_rng(0).permutation(pairs)[:_MOST_DOTS].tolist()


def _correlations(problem, findings):
    """Rank correlations among the selected numbers, each followed by its substitutes."""
    chosen = {problem.columns[column]: findings.instead.get(column, ()) for column in findings.columns}
    numbers = [name for name in chosen if problem.kinds[name] not in ("category", "text")]
    names = list(dict.fromkeys(other for name in numbers for other in (name, *chosen[name])))[:_MOST_CORRELATED]
    if len(names) < 2:
        return None
    r = problem.X.iloc[problem.drawn][names].corr("spearman").fillna(0.0)
    return {"names": names, "rows": r.to_numpy().tolist(), "chosen": [name in chosen for name in names]}

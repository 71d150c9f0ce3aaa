"""The page: the sentence to act on, the traps, the honest score, the columns, and what was run."""

from itertools import combinations

from fscore.dossier.findings import interval, measure_of
from fscore.dossier.html import Markup, bar, document, size_figure, table, text
from fscore.dossier.outputs import substitutes
from fscore.dossier.rankings import METHODS
from fscore.dossier.selecting import preferred
from fscore.dossier.traps import counted

__all__ = ["page"]

_MOST_ROWS = 60  # columns that the table lists


def page(problem, found, run):
    """Write the report.

    Parameters
    ----------
    problem : Problem
    found : Findings
    run : dict
        What was run: ``file``, ``sha256``, ``command``, ``settings``, ``seconds``, ``versions``, ``stopped``, ``left``
        (units of work not done), ``notes`` of the reader, ``rebuild`` (lines of Python).

    Returns
    -------
    str
        HTML.
    """
    sections = [
        _head(problem, found, run),
        _traps(problem, run),
        _scores(problem, found),
        _columns(problem, found),
        _sizes(problem, found),
        _agreement(problem, found),
        _run(run),
    ]
    return document(f"{run['file']}: which columns predict “{problem.target.name}”", sections)


def _p(*parts, kind=None):
    return Markup(f"<p{f' class={kind}' if kind else ''}>" + "".join(map(text, parts)) + "</p>")


def _head(problem, found, run):
    n, choice = len(problem.X), counted(problem.X.shape[1], "column")
    kind = "a class" if problem.target.task == "classification" else "a quantity"
    unfinished = ""
    if run["left"]:
        why = {"interrupt": "It was interrupted", "budget": "Its time was up"}.get(run["stopped"], "It stopped")
        unfinished = _p(f"{why}; not done: {', '.join(run['left'])}. The same command goes on from here.")
    chosen = [problem.units[unit].name for unit in found.recommended]
    names = Markup("")
    if found.verdict in ("select", "unclear") and len(chosen) <= 40:
        names = _p("Columns: ", Markup(", ".join(f"<code>{text(name)}</code>" for name in chosen)), ".")
    return Markup(
        f"<h1>Which columns predict “{text(problem.target.name)}”?</h1>"
        + _p(f"{run['file']}: {n:,} rows in use, {choice} to choose from, the target is {kind}.", kind="soft")
        + f'<div class="verdict" role="note">{_p(found.sentence)}{names}{unfinished}</div>'
    )


def _traps(problem, run):
    rows = [(trap.kind, trap.found, trap.done) for trap in problem.traps]
    rows += [("the file", note, "Repaired while reading.") for note in run["notes"]]
    body = table("What can mislead a selection", ("trap", "found", "what was done"), rows)
    none = _p(
        "None found. Looked for: identifiers, constants, copies of rows and columns, columns that know the target, "
        "groups, order in time, imbalance, rare classes, missing values and codes for them, mixed types and notations, "
        "huge numbers, dates, one-hot columns, more columns than rows, continuous labels."
    )
    return Markup(f"<h2>Traps in the data</h2>{body if rows else none}")


def _scores(problem, found):
    task = problem.target.task
    measure = measure_of(task)
    rows = []
    start = found.chance if task == "classification" else 0.0

    def line(name, estimate, value=None):
        if estimate is not None:
            drawn = bar(estimate.value, estimate.lower, estimate.upper, start, 1.0, found.chance)
            return (name, f"{estimate.value:.3f}", f"{estimate.lower:.3f} to {estimate.upper:.3f}", drawn)
        return (name, f"{value:.3f}", "", bar(value, value, value, start, 1.0, found.chance))

    if found.chosen is not None:
        chosen = "selected columns" if _is_final(found) else f"best {counted(len(found.units), 'column')}"
        rows.append(line(f"{chosen}, honest", found.chosen))
        every = "the only column" if len(problem.units) == 1 else f"all {len(problem.units)} columns"
        rows.append(line(f"{every}, honest", found.everything))
    optimistic = " (optimistic)" if found.chosen is not None and found.reported > found.chosen.value else ""
    rows.append(line(f"what the search reports{optimistic}", None, found.reported))
    if found.shuffled is not None:
        rows.append(line("what it reports on a shuffled target", None, found.shuffled))
    guess = "chance" if task == "classification" else "the mean of the training part"
    rows.append(line(f"{guess} (no column)", None, found.chance))
    how = {
        (True, False): "forwards in time by “{time}”",
        (True, True): "forwards in time by “{time}”, rows of one “{groups}” together",
        (False, True): "rows of one “{groups}” (or alike) in one fold",
    }.get((problem.time is not None, problem.groups is not None), "drawn at random").format(
        time=problem.time_name, groups=problem.group_name or "set"
    )
    folds = found.n_folds if found.n_folds == found.n_outer else f"{found.n_folds} of {found.n_outer}"
    said = [
        _p(
            f"Honest means: in each of {folds} folds ({how}), columns, their number and the model were chosen "
            "anew from the training part, and scored on rows that no choice saw. Intervals are meant to cover 90 %."
        )
    ]
    if found.gain is not None:
        said.append(_p(f"The former minus the latter, row by row: {interval(found.gain, 3)}."))
    if found.ceiling is not None:
        said.append(
            _p(
                f"The Gamma Test expects R² of at most about {max(found.ceiling, 0):.2f} from a smooth model of the "
                "selected columns."
            )
        )
    return Markup(
        "<h2>Honest score</h2>"
        + table(f"{measure.capitalize()} with 90 % intervals", ("score of", measure, "interval", "drawn"), rows, (1, 2))
        + "".join(said)
    )


def _is_final(found):
    """Whether the final model has the selected columns, and not all."""
    return set(found.recommended) == set(found.units)


def _columns(problem, found):
    chosen = list(found.units)
    others = sorted(
        (unit for unit in range(len(problem.units)) if unit not in set(chosen)),
        key=lambda unit: -found.frequency[unit].share if unit in found.frequency else 0,
    )
    most = max((effect.upper for effect in found.effects.values()), default=1.0)
    rows = []
    for unit in [*chosen, *others][:_MOST_ROWS]:
        frequency, effect = found.frequency.get(unit), found.effects.get(unit)
        instead = [problem.units[v].name for v in substitutes(found, unit)]
        rows.append(
            (
                problem.units[unit].name,
                "yes" if unit in found.recommended else "no",
                "" if frequency is None else f"{frequency.share:.0%} ({frequency.lower:.0%} to {frequency.upper:.0%})",
                "" if frequency is None else bar(frequency.share, frequency.lower, frequency.upper),
                "" if effect is None else f"{effect.value:.3f} ({effect.lower:.3f} to {effect.upper:.3f})",
                "" if effect is None else bar(effect.value, effect.lower, effect.upper, 0.0, max(most, 1e-9)),
                " or ".join(f"“{name}”" for name in instead),
            )
        )
    everything = not _is_final(found)
    best = f"best {len(chosen)}" if everything else "selection"
    of_best = f", with the best {len(chosen)} alone" if everything else ""
    said = [
        _p(
            f"Selected again: in how many of {found.n_halves} random halves of the rows. Effect: how much the score "
            f"falls when the column's values are permuted among test rows{of_best}. Or instead: columns outside the "
            f"{best} that do as well within one standard error."
        )
    ]
    caption = f"Columns, the {f'best {len(chosen)}' if everything else 'selected ones'} first"
    header = ("column", "selected", "selected again", "", "effect", "", "or instead")
    more = len(problem.units) - _MOST_ROWS
    if more > 0:
        said.append(_p(f"selected_features.csv lists {counted(more, 'more column')}."))
    if found.stability is not None:
        stable = found.stability
        said.append(
            _p(
                f"Stability of the selection (Nogueira, 1 is perfect, 0 is chance): {stable.value:.2f} "
                f"({stable.lower:.2f} to {stable.upper:.2f})."
            )
        )
    groups = [problem.units[unit] for unit in chosen if len(problem.units[unit].columns) > 1]
    said += [_p(f"“{unit.name}” stands for the columns {', '.join(unit.columns)}.") for unit in groups]
    inside = _redundant_pairs(problem, found)
    if inside:
        said.append(_p(f"Selected columns that resemble each other (|r| of 0.9 or more): {inside}."))
    return Markup("<h2>Which columns</h2>" + said[0] + table(caption, header, rows, (2, 4)) + "".join(said[1:]))


def _redundant_pairs(problem, found):
    pairs = {
        tuple(sorted((unit, v)))
        for unit, rows in found.near.items()
        for v, association, change, _ in rows
        if change is None and association >= 0.9
    }
    names = [f"“{problem.units[a].name}” and “{problem.units[b].name}”" for a, b in sorted(pairs)]
    return "; ".join(names[:8]) + (f" and {counted(len(names) - 8, 'more pair')}" if len(names) > 8 else "")


def _sizes(problem, found):
    measure = measure_of(problem.target.task)
    rows = [
        (size, f"{value:.3f}", f"{error:.3f}", ranking, model, _note(size, ranking, problem, found))
        for size, value, error, ranking, model in found.sizes
    ]
    header = ("columns", measure, "standard error", "ranking", "model", "")
    body = table("The best cross-validated score of each size", header, rows, (1, 2))
    figure = size_figure(found.sizes, len(found.units), found.knee, measure, cheapest=problem.cost is not None)
    numbers = f"<details><summary>The numbers</summary>{body}</details>"
    return Markup(f"<h2>How many columns</h2>{figure}{_p(_which_ranking(found))}{numbers}")


def _which_ranking(found):
    """One sentence: the ranking of the selection, and why this one."""
    first = preferred(found.ranks)
    if len(found.ranks) == 1:
        why = "the only one."
    elif found.ranking == first:
        why = "which is used unless the best set of another ranking scores significantly better, row by row."
    else:
        why = f"whose best set scores significantly better, row by row, than that of “{first}”."
    return f"The columns are the first of the ranking “{found.ranking}”, {why}"


def _note(size, ranking, problem, found):
    same = ranking == found.ranking or size == len(problem.units)
    chosen = "chosen" if same else f"chosen, by the ranking “{found.ranking}”"
    return ", ".join(word for word, here in ((chosen, size == len(found.units)), ("knee", size == found.knee)) if here)


def _agreement(problem, found):
    k = len(found.units)
    top = {name: order[:k] for name, order in found.ranks.items()}
    methods = [name for name in top if name in METHODS]
    places = {name: {unit: place for place, unit in enumerate(order, 1)} for name, order in found.ranks.items()}
    rows = []
    for unit in found.units[:_MOST_ROWS]:
        agree = sum(unit in top[name] for name in methods)
        ranks = [places[name].get(unit, "over 100") for name in methods]
        rows.append((problem.units[unit].name, f"{agree} of {len(methods)}", *ranks))
    body = table(
        f"Place of each {'selected column' if _is_final(found) else 'of the best columns'} by method",
        ("column", "agree", *methods),
        rows,
        range(1, len(methods) + 2),
    )
    shared = [len(set(top[a]) & set(top[b])) / len(set(top[a]) | set(top[b])) for a, b in combinations(methods, 2)]
    mean = _p(f"Agree: how many methods have the column among their first {k}. ")
    mean += _p(f"Two methods share {sum(shared) / len(shared):.0%} of them on average.") if shared else ""
    meaning = "".join(f"<li><b>{text(name)}</b>: {text(METHODS[name])}</li>" for name in methods)
    return Markup(f"<h2>Agreement between methods</h2>{body}{mean}<ul>{meaning}</ul>")


def _run(run):
    rows = [(name, value) for name, value in run["settings"].items()]
    rows += [("file", f"{run['file']} (SHA-256 {run['sha256']})")]
    rows += [(f"version of {name}", version) for name, version in run["versions"].items()]
    seconds = table("Seconds by unit of work", ("unit", "seconds"), list(run["seconds"].items()), (1,))
    return Markup(
        "<h2>What was run, and how to check it</h2>"
        + table("Settings", ("setting", "value"), rows)
        + f"<p>The command:</p><pre tabindex=0><code>{text(run['command'])}</code></pre>"
        + f"<details><summary>{sum(run['seconds'].values()):.0f} seconds of work</summary>{seconds}</details>"
        + "<p>These lines make the model again (they are in rebuild.py; model.joblib holds it fitted):</p>"
        + f"<pre tabindex=0><code>{text(run['rebuild'])}</code></pre>"
        + _p(
            "To check: the same command with another --seed and --out draws other folds, halves and permutations; the "
            "sentence at the top should not change. computed.json holds every prediction of every fold."
        )
    )

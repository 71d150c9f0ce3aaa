"""Measure stale tables of the repository anew, and say what moves: ``git diff`` shows it, a commit accepts it."""

import textwrap

import numpy as np
import pandas as pd

from compendium import package, store
from compendium.citation import with_part
from compendium.claim_records import statements_in_words
from compendium.comparison import numbers_in_words
from compendium.experiment import experiment_of
from compendium.papers import ROOT, notebook_files, paper_of, papers
from compendium.runner import check
from compendium.runner.build import measure
from compendium.runner.execution import RunError
from compendium.store import entries
from compendium.verdicts import GROUPS, claims_needing, verdicts_of
from fscore._files import write_atomically


def measure_stale(names, jobs, scheduler="", every=False):
    """Measure those experiments whose tables in ``data/measured`` are stale, or that have none.

    Says which numbers and verdicts move. Updates ``verdicts.csv``, ``datapackage.json`` and the counts in README.md.

    Parameters
    ----------
    names : list of str
        Notebooks; if empty, those of the papers' own experiments.
    jobs : int
    scheduler : str, default=""
    every : bool, default=False
        Whether no names stand for all notebooks.
    """
    reasons = {name: why_stale(name) for name in names or notebook_files()}
    todo = [name for name, reason in reasons.items() if reason]
    left = [] if names or every else [name for name in todo if not _is_of_a_paper(name)]
    failed = {}
    for name in todo:
        if name not in left:
            print(f"{name} is stale: {reasons[name]}.")
            folder = store.accepted_folder(experiment_of(name))
            old = store.read(folder)
            before = old.tables if old else None
            failed |= measure([name], jobs, scheduler, folder)
            if name not in failed:
                check.forget(name)
                print(*movements(name, store.read(folder).tables, before), sep="\n")
    if len(todo) > len(left):
        update()
    else:
        print("The store is up to date; an experiment whose version is raised is measured again.")
    if left:
        print(f"Stale are {', '.join(left)}, too; make measure ALL=1 measures them.")
    if failed:
        raise RunError("\n".join(failed.values()))


def why_stale(name):
    """Why the tables of a notebook are stale; empty if they are not.

    Data sets that the tables are about and that are not here are an error: they would be lost.
    """
    experiment = experiment_of(name)()
    entry = store.read(store.accepted_folder(type(experiment)))
    if not store.has_tables(experiment, entry):
        return "its tables were never measured"
    differ = store.stale(experiment, entry)
    if differ and (absent := store.absent(entry)):
        raise RunError(
            f"{name} is stale, but the data sets {', '.join(absent)} of its tables are not here; run: "
            f'make data DATASETS="{" ".join(absent)}"'
        )
    return f"{', '.join(differ)} differ{'s' * (len(differ) == 1)}" if differ else ""


def _is_of_a_paper(name):
    """Whether an experiment is a paper's own, not its readings, a comparison of methods or a bench of the report."""
    return papers()[paper_of(name)].folder.joinpath("page.md").is_file() and not name.endswith("_readings")


def update():
    """Write ``verdicts.csv``, ``replays.csv`` and ``datapackage.json``, and the counts in README.md."""
    entries.cache_clear()
    verdicts_of.cache_clear()
    check.keep()
    package.write()
    readme = ROOT / "README.md"
    write_atomically(readme, with_verdicts(readme.read_text(encoding="utf-8")))


def movements(name, new, old):
    """Say how the numbers of an experiment move when new tables replace old ones.

    Parameters
    ----------
    name : str
        The notebook.
    new, old : dict of str to DataFrame
        ``old`` is None if there were none.

    Returns
    -------
    list of str
        One line for the experiment, one for each table that moves, and one for each verdict that changes.
    """
    if old is None:
        return [f"{name}: new"]
    schema, lines = experiment_of(name).schema, []
    for table in sorted(new.keys() ^ old.keys()):
        lines.append(f"  {table}: {'new' if table in new else 'gone'}")
    for table in sorted(new.keys() & old.keys()):
        if said := moved(schema[table], new[table], old[table]):
            lines.append(f"  {table}: {said}")
    before, after = (claims_needing(paper_of(name), tables) for tables in (old, new))
    for claim, verdict in after.items():
        if claim not in before or before[claim].answer != verdict.answer:
            was = before[claim].answer if claim in before else "not judged"
            lines.append(f"  claim {claim}: {was} -> {verdict.answer}")
    return [f"{name}: {'these numbers move' if lines else 'no number moves'}", *lines]


def moved(declared, new, old):
    """Say in one sentence how the numbers of a table move.

    Parameters
    ----------
    declared : Table
    new, old : DataFrame

    Returns
    -------
    str
        Empty if all means over repetitions are equal, and all other entries, too. Durations are left out.
    """
    means = [_means(declared, check.untimed(frame)) for frame in (new, old)]
    both = pd.concat(means, axis=1, keys=["new", "old"])
    by = (both["new"] - both["old"]).abs()
    apart = [not check.equal(*pair) for pair in zip(both["new"], both["old"], strict=True)]
    if any(apart):
        most = by[apart].idxmax() if by[apart].notna().any() else both.index[apart.index(True)]
        item = ", ".join(str(part) for part in np.atleast_1d(np.array(most, dtype=object)))
        before, after = both.loc[[most], "old"].iloc[0], both.loc[[most], "new"].iloc[0]
        return f"{sum(apart)} of {len(both)} means move, most {item}: {before:.6g} -> {after:.6g}"
    return "no mean moves, but other entries do" if check.differing(new, old)[1] else ""


def _means(declared, frame):
    """Means of the numbers over repetitions, by keys and column."""
    keys = [name for name in declared.keys if name in frame]
    numbers = [name for name in declared.measured(frame) if pd.api.types.is_numeric_dtype(frame[name])]
    if not keys:
        keys, frame = ["row"], frame.assign(row=range(len(frame)))
    long = frame.melt(id_vars=keys, value_vars=numbers, var_name="column of", value_name="mean of")
    long[keys] = long[keys].astype(object).where(long[keys].notna(), "")  # a missing key is a key
    return long.groupby([*keys, "column of"], sort=False)["mean of"].mean()


def with_verdicts(text):
    """README's text with what was found in sentences, and how many claims of each paper are in each group."""
    found = package.verdicts()
    found = found[found["statement"] == ""]
    counts = pd.crosstab(found["paper"], found["group"])
    counts = counts[[group for group in GROUPS if group in counts]]
    statements = statements_in_words(verdict for verdict, _ in verdicts_of().values())
    lines = [*textwrap.wrap(f"{statements} {numbers_in_words()}", 150), ""]
    lines += [f"| paper | {' | '.join(counts)} |", f"| --- |{' ---: |' * len(counts.columns)}"]
    for paper in found["paper"].unique():
        lines.append(f"| {papers()[paper].name} | {' | '.join(map(str, counts.loc[paper]))} |")
    return with_part(text, "verdicts", "\n".join(["", "", *lines, "", ""]))

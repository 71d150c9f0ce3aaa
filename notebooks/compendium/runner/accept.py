"""Accept what was measured here: tables of the declared parameters become part of the repository."""

import pandas as pd

from compendium import package, store
from compendium.experiment import experiment_of
from compendium.papers import ROOT, notebook_files, paper_of, papers
from compendium.results import entries
from compendium.runner.notebooks import RunError
from compendium.schema import moved
from compendium.verdicts import ANSWERS, claims_needing
from fscore._files import write_atomically

BEGIN, END = "<!-- verdicts: written by make accept -->", "<!-- end of verdicts -->"


def accept(only=()):
    """Move what was measured with the current code into ``data/measured``; update the verdict counts in README.md.

    Says which numbers move, and by how much.

    Parameters
    ----------
    only : sequence of str, optional
        Names of notebooks; by default all.
    """
    accepted = []
    for name in only or notebook_files():
        experiment = experiment_of(name)()
        new = store.measured_here(experiment)
        if new is None:
            continue
        folder = store.accepted_folder(type(experiment))
        print(*movements(name, new, store.read(folder)), sep="\n")
        store.copy(new, folder)
        accepted.append(name)
    if not accepted:
        raise RunError("nothing was measured with the current code; run: make measure")
    entries.cache_clear()
    package.write()
    readme = ROOT / "README.md"
    write_atomically(readme, with_verdicts(readme.read_text(encoding="utf-8")))
    print(f"Accepted, and counted in README.md: {', '.join(accepted)}.")


def movements(name, new, old):
    """Say how the numbers of an experiment move when a new entry replaces the accepted one.

    Parameters
    ----------
    name : str
        The notebook.
    new, old : Entry or None
        ``old`` is None if nothing was accepted before.

    Returns
    -------
    list of str
        One line for the experiment, one for each table that moves, and one for each verdict that changes.
    """
    if old is None:
        return [f"{name}: new"]
    schema, lines = experiment_of(name).schema, []
    for table in sorted(new.tables.keys() ^ old.tables.keys()):
        lines.append(f"  {table}: {'new' if table in new.tables else 'gone'}")
    for table in sorted(new.tables.keys() & old.tables.keys()):
        if said := moved(schema[table], new.tables[table], old.tables[table]):
            lines.append(f"  {table}: {said}")
    before, after = (claims_needing(paper_of(name), entry.tables) for entry in (old, new))
    for claim, verdict in after.items():
        if claim not in before or before[claim].answer != verdict.answer:
            was = before[claim].answer if claim in before else "not judged"
            lines.append(f"  claim {claim}: {was} -> {verdict.answer}")
    return [f"{name}: {'these numbers move' if lines else 'no number moves'}", *lines]


def with_verdicts(text):
    """README's text with an updated table: how often each answer was given, by paper."""
    found = package.verdicts()
    found = found[found["statement"] == ""]
    counts = pd.crosstab(found["paper"], found["answer"]).reindex(columns=ANSWERS, fill_value=0)
    lines = [f"| paper | {' | '.join(ANSWERS)} |", f"| --- |{' ---: |' * len(ANSWERS)}"]
    for paper in found["paper"].unique():
        lines.append(f"| {papers()[paper].name} | {' | '.join(map(str, counts.loc[paper]))} |")
    before, rest = text.split(BEGIN)
    return "\n".join([before + BEGIN, "", *lines, "", END + rest.split(END)[1]])

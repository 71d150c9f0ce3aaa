"""Accept the results of the paper profile as the reference that every page shows."""

import json

from compendium.frames import to_json
from compendium.papers import REFERENCE, RESULTS, ROOT, papers
from compendium.recomputed import compare_means
from compendium.reference import accepted_results, write_reference
from compendium.results import counts_by_paper, judged, tables_of, verdicts_of
from compendium.runner.build import stored_state
from compendium.runner.notebooks import RunError, checked, key_of, notebook_names, profile_settings
from compendium.runner.reproduce import untimed
from fscore._files import write_atomically

__all__ = ["accept", "movements", "with_verdicts"]

BEGIN, END = "<!-- verdicts: written by make accept -->", "<!-- end of verdicts -->"


def accept():
    """Copy up-to-date results of the paper profile to ``data/reference``; update the verdict counts in README.md.

    Prints which pages' numbers move, and by how much.
    """
    settings = profile_settings(REFERENCE)
    current, stale = [], []
    for name in notebook_names():
        key = key_of(name, checked(name, settings.get(name) or {}), REFERENCE)
        (current if stored_state(RESULTS / REFERENCE / name).get("key") == key else stale).append(name)
    if not current:
        raise RunError(f"no run of the {REFERENCE} profile is up to date; run: make book PROFILE={REFERENCE}")
    earlier = accepted_results()
    for name in current:
        results = json.loads((RESULTS / REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
        print(*movements(name, results, earlier.get(name)), sep="\n")
        write_reference(name, results)
    readme = ROOT / "README.md"
    write_atomically(readme, with_verdicts(readme.read_text(encoding="utf-8")))
    print(f"Copied to data/reference and counted in README.md: {', '.join(current)}.")
    if stale:
        print(f"Unchanged, because their run of the {REFERENCE} profile is not up to date: {', '.join(stale)}.")


def movements(name, results, accepted):
    """Say how the numbers of a page move when its results replace the accepted ones.

    Parameters
    ----------
    name : str
        The notebook.
    results, accepted : dict or None
        Contents of the new and the accepted result file, if there is one.

    Returns
    -------
    list of str
        One line for the page, and one for each table whose means move, with the largest movement. Durations are left
        out.
    """
    if accepted is None:
        return [f"{name}: new"]
    new, old = tables_of(results), tables_of(accepted)
    lines = [f"  {table}: {'new' if table in new else 'gone'}" for table in sorted(new.keys() ^ old.keys())]
    for table in new.keys() & old.keys():
        means = compare_means(new[table], old[table])
        means["by"] = (means["here"] - means["reference"]).abs()
        moved = means[means["verdict"] != "equal"].sort_values("by", ascending=False)
        if len(moved):
            most = moved.iloc[0]
            lines.append(
                f"  {table}: {len(moved)} of {len(means)} means move, most by {most['by']:.3g} ({most['item']}: "
                f"{most['reference']:.6g} -> {most['here']:.6g})"
            )
        elif to_json(untimed(new[table])) != to_json(untimed(old[table])):
            lines.append(f"  {table}: no mean moves, but other entries do")
    for claim, verdict in results["verdicts"].items():
        before, after = accepted["verdicts"].get(claim, {}).get("answer", "not judged"), verdict["answer"]
        if before != after:
            lines.append(f"  claim {claim}: {before} -> {after}")
    return [f"{name}: {'these numbers move' if lines else 'no number moves'}", *sorted(lines)]


def with_verdicts(text):
    """README's text with an updated table of verdict counts, for all papers with reference results."""
    verdicts = verdicts_of(judged(accepted_results()))
    counts = counts_by_paper(verdicts)
    counts = counts[counts.index.isin([paper for paper, _ in verdicts])]
    lines = [f"| paper | {' | '.join(counts.columns)} |", f"| --- |{' ---: |' * len(counts.columns)}"]
    for paper, row in counts.iterrows():
        lines.append(f"| {papers()[paper].name} | {' | '.join(str(number) for number in row)} |")
    before, rest = text.split(BEGIN)
    return "\n".join([before + BEGIN, "", *lines, "", END + rest.split(END)[1]])

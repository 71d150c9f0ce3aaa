"""Accept the results of the paper profile as the reference that every page shows."""

import json

from compendium.papers import REFERENCE, RESULTS, ROOT, papers
from compendium.reference import accepted_results, write_reference
from compendium.results import counts_by_paper, judged, verdicts_of
from compendium.runner.build import stored_state
from compendium.runner.notebooks import RunError, checked, key_of, notebook_names, profile_settings
from fscore._files import write_atomically

__all__ = ["accept", "with_verdicts"]

BEGIN, END = "<!-- verdicts: written by make accept -->", "<!-- end of verdicts -->"


def accept():
    """Copy up-to-date results of the paper profile to ``data/reference``; update the verdict counts in README.md."""
    settings = profile_settings(REFERENCE)
    current, stale = [], []
    for name in notebook_names():
        key = key_of(name, checked(name, settings.get(name) or {}), REFERENCE)
        (current if stored_state(RESULTS / REFERENCE / name).get("key") == key else stale).append(name)
    if not current:
        raise RunError(f"no run of the {REFERENCE} profile is up to date; run: make book PROFILE={REFERENCE}")
    for name in current:
        write_reference(name, json.loads((RESULTS / REFERENCE / f"{name}.json").read_text(encoding="utf-8")))
    readme = ROOT / "README.md"
    write_atomically(readme, with_verdicts(readme.read_text(encoding="utf-8")))
    print(f"Copied to data/reference and counted in README.md: {', '.join(current)}.")
    if stale:
        print(f"Unchanged, because their run of the {REFERENCE} profile is not up to date: {', '.join(stale)}.")


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

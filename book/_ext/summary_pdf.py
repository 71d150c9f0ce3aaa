"""All verdicts on one page of A4, for those who cite: ``verdicts.pdf`` beside the front page."""

from textwrap import wrap

from _ext.extension import afterwards, is_whole
from _ext.front_page import headline
from matplotlib import rc_context
from matplotlib.figure import Figure

from compendium.citation import sentence
from compendium.claim_records import stored_records
from compendium.markup import COLOURS, TONES, typeset
from compendium.papers import papers
from compendium.verdicts import MARKS

WIDTH, HEIGHT = 8.27, 11.69  # inches of A4
LINE = 0.107  # inches between lines
SENTENCE, VERDICT, HEADLINE = 112, 34, 150  # characters of a line
COLUMNS = (0.5, 0.85, 6.3)  # inches: claim, what it says, verdict
FOOT = (
    "A verdict follows from the primary statements; each holds, fails, has no effect or is undecided by its 95% "
    "interval. Checks are theorems, or true by construction."
)


def one_page(records):
    """Figure of all claims by paper: what each says in our words, and its verdict in words.

    Parameters
    ----------
    records : list of ClaimRecord

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(WIDTH, HEIGHT))

    def write(x, y, text, size=6.0, **style):
        figure.text(x / WIDTH, 1 - y / HEIGHT, text, fontsize=size, va="top", parse_math=False, **style)

    write(COLUMNS[0], 0.4, "Do feature-selection papers hold up?", 14, weight="bold")
    answer = wrap(headline(records), HEADLINE)
    write(COLUMNS[0], 0.68, "\n".join(answer), 7)
    y = 0.78 + 1.2 * LINE * len(answer)
    for key in dict.fromkeys(record.paper for record in records):
        write(COLUMNS[0], y, papers()[key].name, 7, weight="bold")
        y += 0.15
        for record in (record for record in records if record.paper == key):
            group = record.verdict.group
            claim, verdict = wrap(typeset(record.claim), SENTENCE), wrap(group, VERDICT)
            write(COLUMNS[0], y, record.claim_id, weight="bold")
            write(COLUMNS[1], y, "\n".join(claim))
            write(COLUMNS[2], y, f"{MARKS[group]} " + "\n   ".join(verdict), color=COLOURS[TONES[group]])
            y += LINE * max(len(claim), len(verdict)) + 0.042
        y += 0.06
    write(COLUMNS[0], HEIGHT - 0.45, FOOT, 5.6)
    write(COLUMNS[0], HEIGHT - 0.33, f"{sentence()}.")
    return figure


@afterwards
def write_summary(app, site):
    """Write the page into the site; with the same verdicts, the same bytes."""
    if is_whole(app, "index") and (records := stored_records()):
        with rc_context({"pdf.fonttype": 42, "figure.constrained_layout.use": False}):
            one_page(records).savefig(site / "verdicts.pdf", metadata={"CreationDate": None})

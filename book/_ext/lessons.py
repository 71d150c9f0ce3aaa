"""Directives for the lessons: what to believe about feature selection, in sentences whose numbers are computed.

{lesson} KEY            the sentence, its picture and numbers, where it doesn't hold, and a link to the evidence
{lesson-cards}          a card for each lesson: title, sentence, picture
{lesson-sentence} KEY   the sentence, with a link to the lesson
"""

import matplotlib
from _ext.extension import directive, raw
from _ext.places import link_to
from _ext.private import title_of_section
from docutils import nodes
from matplotlib.figure import Figure

from comparison.lessons import stored_lessons
from compendium import style
from compendium.markup import typeset
from compendium.store import entries

STALE = "The stored tables no longer show this."


@directive("lesson", 1)
def lesson(directive, key):
    """All about one lesson; an error if the section's title is not the lesson's."""
    found = {lesson.key: lesson for lesson in stored_lessons()}.get(key)
    if found is None:
        return [nodes.paragraph("", "Its evidence is not measured in this build.")]
    if (title := title_of_section(directive)) != found.title:
        raise directive.error(f"The section {title!r} is not called {found.title!r}, as the lesson {key} is.")
    said = found.finding
    directive.env.note_dependency(str(entries()[found.notebook].folder / "about.json"))
    image = nodes.image(uri=picture(directive, found), alt=said.alt)
    figure = nodes.figure("", image, nodes.caption("", typeset(said.caption)))
    lines = [*(f"- {number}" for number in said.numbers), "", f"**Where it doesn't hold:** {said.limits}", ""]
    evidence = f"**Evidence:** {link_to(found.notebook)}"
    return [
        nodes.paragraph("", typeset(said.sentence if said.holds else f"{said.sentence} {STALE}"), classes=["finding"]),
        figure,
        *directive.parse_text_to_nodes(typeset("\n".join(lines))),
        *directive.parse_text_to_nodes(evidence),
    ]


@directive("lesson-sentence", 1)
def lesson_sentence(directive, key):
    """The sentence of a lesson, with a link to it."""
    found = {lesson.key: lesson for lesson in stored_lessons()}.get(key)
    if found is None:
        return []
    directive.env.note_dependency(str(entries()[found.notebook].folder / "about.json"))
    said = typeset(found.finding.sentence if found.finding.holds else STALE)
    return directive.parse_text_to_nodes(f"{said} {{ref}}`{found.title} <lesson-{key}>`.")


@directive("lesson-cards")
def lesson_cards(directive):
    """A card for each lesson, which links to it."""
    lines = ["::::{grid} 1 2 2 3", ":gutter: 2", ":class-container: lesson-cards", ""]
    for number, found in enumerate(stored_lessons(), start=1):
        directive.env.note_dependency(str(entries()[found.notebook].folder / "about.json"))
        lines += [
            f":::{{grid-item-card}} {number} {found.title}",
            f":link: lesson-{found.key}",
            ":link-type: ref",
            f":img-bottom: {picture(directive, found)}",
            f":img-alt: {found.finding.alt}",
            "",
            typeset(found.finding.sentence),
            ":::",
        ]
    return directive.parse_text_to_nodes("\n".join([*lines, "::::"])) if stored_lessons() else [raw("")]


def picture(directive, found):
    """The address of a lesson's picture, which is drawn on first use."""
    name = f"_pictures/lesson-{found.key}.svg"
    target = directive.env.app.srcdir / name
    if not target.is_file():
        target.parent.mkdir(exist_ok=True)
        with matplotlib.rc_context():
            style.apply()
            figure = Figure(figsize=(5.6, 3.0))
            found.finding.draw(figure.subplots())
            figure.savefig(target, metadata={"Date": None})
    return f"/{name}"

"""Directives for the lessons: what to believe about feature selection, in sentences whose numbers are computed.

{lesson} KEY            the sentence, its picture and numbers, where it doesn't hold, and a link to the evidence
{lesson-cards}          a card for each lesson: title, sentence, picture
{lesson-sentence} KEY   the sentence, with a link to the lesson
"""

from functools import partial

import matplotlib
from _ext.extension import directive
from _ext.places import link_to
from _ext.private import title_of_section
from matplotlib.figure import Figure

from comparison.lessons import stored_lessons
from compendium import style
from compendium.markup import filled, typeset

STALE = "The stored tables no longer show this."


@directive("lesson", 1)
def lesson(directive, key):
    """All about one lesson; an error if the section's title is not the lesson's."""
    found = {lesson.key: lesson for lesson in stored_lessons()}.get(key)
    if found is None:
        return "Its evidence is not measured in this build."
    if (title := title_of_section(directive)) != found.title:
        raise directive.error(f"The section {title!r} is not called {found.title!r}, as the lesson {key} is.")
    told = {"said": found.finding, "picture": picture(directive, found), "evidence": link_to(found.notebook)}
    return filled("lesson.jinja", STALE=STALE, **told)


@directive("lesson-sentence", 1)
def lesson_sentence(directive, key):
    """The sentence of a lesson, with a link to it."""
    found = {lesson.key: lesson for lesson in stored_lessons()}.get(key)
    if found is None:
        return ""
    said = typeset(found.finding.sentence if found.finding.holds else STALE)
    return f"{said} {{ref}}`{found.title} <lesson-{key}>`."


@directive("lesson-cards")
def lesson_cards(directive):
    """A card for each lesson, which links to it."""
    return filled("lesson_cards.jinja", lessons=stored_lessons(), picture=partial(picture, directive))


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

"""Directive for measurements that a benchmark has kept as data.

{measured-table} NAME    the rows of data/measured/NAME.csv
    :caption: what they say
    :code: columns with pieces of code, if any
"""

import pandas as pd
from docutils.parsers.rst import directives
from results_pages import TableDirective

from compendium.papers import DATA
from compendium.typography import typeset


class MeasuredTable(TableDirective):
    """The rows of a file in ``data/measured``, as the benchmark wrote them; a sentence if it was never run."""

    required_arguments = 1
    option_spec = {"caption": directives.unchanged_required, "code": directives.unchanged}  # noqa: RUF012

    def caption(self):
        return self.options["caption"]

    def frame(self):
        file = DATA / "measured" / f"{self.arguments[0]}.csv"
        self.env.note_dependency(str(file))
        if not file.is_file():
            return pd.DataFrame()
        frame = pd.read_csv(file, dtype=str, keep_default_na=False)
        code = self.options.get("code", "").split()
        for column in frame.columns:
            if column in code:
                frame[column] = [f"`` {text} ``" if text else "" for text in frame[column]]
            else:
                frame[column] = frame[column].map(typeset)
        return frame


def setup(app):
    app.add_directive("measured-table", MeasuredTable)
    return {"parallel_read_safe": True}

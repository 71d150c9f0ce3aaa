"""Directives for measurements that are kept as data.

{measured-table} NAME    the rows of data/measured/NAME.csv, which a benchmark wrote
    :caption: what they say
    :code: columns with pieces of code, if any
{ranks} FAMILY           the methods of a family in the comparison of all methods
"""

from types import SimpleNamespace

import pandas as pd
from docutils.parsers.rst import directives
from results_pages import TableDirective

from comparison.outcomes import ranking
from compendium.papers import DATA
from compendium.results import entries
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


class Ranks(TableDirective):
    """The methods of a family in the comparison: rank among all methods, and mean gain over all features."""

    required_arguments = 1

    def caption(self):
        return "Gain over all features in points of balanced accuracy, mean over the data sets of the comparison"

    def frame(self):
        if (entry := entries().get("comparison_arena")) is None:
            return pd.DataFrame()
        self.env.note_dependency(str(entry.folder / "about.json"))
        table = ranking(SimpleNamespace(**entry.tables))
        own = table[table["family"] == self.arguments[0]]
        return pd.DataFrame(
            {
                "method": own["method"],
                f"rank of {len(table)}": own["rank"],
                "gain": [typeset(f"{gain:+.1f}") for gain in own["gain"]],
            }
        )


def setup(app):
    app.add_directive("measured-table", MeasuredTable)
    app.add_directive("ranks", Ranks)
    return {"parallel_read_safe": True}

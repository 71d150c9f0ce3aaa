"""What all notebooks share: the experiment with its parameters, where its tables come from, display, verdicts.

A notebook's set-up cell makes the page from its experiment and the parameters in its namespace::

    page = Page(Gain, globals())

Further cells take the tables, show them with their own pandas and matplotlib code, and end with the provenance::

    tables = page.tables()
    page.verdicts()
    page.show(tables.gain, "k-NN error by method")
    page.evidence()
    page.provenance()
"""

import html
from functools import cached_property
from types import SimpleNamespace

import numpy as np
import pandas as pd
from IPython.display import HTML, display
from markupsafe import Markup

from compendium import style
from compendium.comparison import side_by_side
from compendium.experiment import as_list
from compendium.markup import duration, evidence, filled, sentences, typeset
from compendium.papers import names_of, part_of
from compendium.protocol import feature_names
from compendium.store import entries, find, stale
from compendium.tables import anchors, html_table, in_words
from compendium.units import name_of
from compendium.verdicts import claims_needing
from fscore.datasets.registry import is_path

ABOUT_PRINT = {"published", "grade", "shared"}  # columns


class Page:
    """One notebook.

    Parameters
    ----------
    experiment : type
        Subclass of `compendium.experiment.Experiment`.
    namespace : dict
        The notebook's ``globals()``, from which the parameters are read; nothing is written to it.

    Attributes
    ----------
    experiment : Experiment
        The experiment with the notebook's parameters.
    asked : list of str
        Names of the data sets that it is about, also of those that are missing.
    names : dict of str to str
        What to write for abbreviations in the tables.

    Raises
    ------
    ParameterError
        If a parameter is of the wrong type or out of range.
    """

    def __init__(self, experiment, namespace):
        self.experiment = experiment.taking(namespace)
        self.paper = experiment.__module__.partition(".")[0]
        self._verdicts, self._anchors = {}, set()
        self.asked = as_list(self.experiment.values.get("dataset"))
        own = {name_of(dataset): name_of(dataset) for dataset in self.asked if is_path(dataset)}  # written as they are
        self.names = own | experiment.schema.labels | names_of(self.paper)
        style.apply()

    @cached_property
    def entry(self):
        """The experiment's entry in the store; measured on first use if there is none."""
        return find(self.experiment) or self.experiment.entry()

    def tables(self):
        """Take the experiment's tables from the store, or measure and keep them; say where they come from.

        Returns
        -------
        SimpleNamespace
            One attribute per table, a DataFrame.
        """
        if other := stale(self.experiment, self.entry):
            self.say(f"These tables are older than the code, which declares other values of {', '.join(other)}.")
        missing = [name for name in self.asked if name not in self.present]
        if missing and not self.entry.is_accepted:
            display(HTML(filled("missing_data.html", missing=missing, of=len(self.asked))))
        return SimpleNamespace(**self.entry.tables)

    @property
    def present(self):
        """Names of the data sets that the tables are about."""
        return self.entry.present

    def feature_names(self, *, constant=True):
        """Names of the features in the tables, by data set; see `compendium.protocol`."""
        return feature_names(self.present, self.experiment.values.get("target"), constant=constant)

    def show(self, frame, caption):
        """Show a table, a graded comparison with print as `compendium.comparison.side_by_side`.

        The first one on the page whose caption begins with "Table 3" has the anchor ``table-3``. A table with nothing
        in its columns of published numbers, as of a user's data, is shown without them, and the reader is told.
        """
        frame = side_by_side(frame) if {"published", "grade", "attainable"} <= set(frame.columns) else frame
        parts = {name: str(name).split(", ") for name in frame.columns}
        published = [name for name, words in parts.items() if "published" in words]
        unprinted = (published or not parts) and frame[published].replace("–", np.nan).isna().all(axis=None)
        if unprinted:
            frame = frame[[name for name, words in parts.items() if not ABOUT_PRINT.intersection(words)]]
            frame = frame.rename(columns=lambda name: str(name).replace("reproduced", "measured"))
        if len(frame) or not unprinted:
            display(HTML(html_table(frame, caption, taken=self._anchors, names=self.names)))
            self._anchors.update(anchors(caption))
        if unprinted:
            self.say(f"{caption.partition(':')[0]}: the paper prints no number for these data and parameters.")

    def say(self, *sentences):
        """Show a paragraph with numbers computed by the run, if there is any; Markdown cells contain no results."""
        if sentences:
            display(HTML(f"<p>{html.escape(typeset(' '.join(sentences)))}</p>"))

    def compared(self):
        """The paper's printed numbers with ours, by printed table, see `compendium.comparison.PublishedNumbers`.

        With the declared parameters, the stored tables of the paper's readings take part, as in the list of all
        printed numbers.
        """
        return part_of(self.paper, "printed").comparisons({**self.stored("readings"), **self.entry.tables})

    def stored(self, name):
        """The stored tables of another of the paper's experiments, if this one has the declared parameters.

        Parameters
        ----------
        name : str
            Such as "readings".

        Returns
        -------
        dict of str to DataFrame
            Empty for a user's data or parameters, of which the other experiment knows nothing.
        """
        entry = entries().get(f"{self.paper}_{name}") if self.experiment.is_as_declared else None
        return entry.tables if entry else {}

    def verdicts(self, first=""):
        """Judge every claim whose tables the experiment has; what was found on claim ``first`` opens the page."""
        given = self.paper, self.entry.tables, self.stored("readings")
        self._verdicts = claims_needing(*given, with_power=self.experiment.is_as_declared)
        if self._verdicts:
            display(HTML(sentences(self.paper, self._verdicts, first)))

    def evidence(self):
        """Show, folded, what the paper says of each claim and what was measured."""
        if self._verdicts:
            display(HTML(evidence(self.paper, self._verdicts)))

    def provenance(self):
        """Show, folded, parameters, data, code, versions and machine of the tables."""
        about = self.entry.about
        display(HTML('<span id="parameters-data-and-this-build"></span>'))  # an earlier address of this section
        took = duration(about["seconds"]) + ", added up over processes" * bool(len(self.entry.units))
        self.say(f"Measured on {about['measured']}; the work took {took} ({about['machine']}).")
        _show_folded(self._parameter_rows(), "Parameters")
        if about["datasets"]:
            _show_folded(_data_rows(about["datasets"]), "Data")
        _show_folded(_origin_rows(about), "Code, versions and machine")

    def _parameter_rows(self):
        rows = [
            {
                "parameter": parameter.name,
                "value": in_words(self.entry.about["parameters"].get(parameter.name)),
                "default": in_words(parameter.default),
                "meaning": parameter.meaning,
            }
            for parameter in self.experiment.parameters
        ]
        return pd.DataFrame(rows)


def _show_folded(frame, caption):
    display(HTML(filled("folded.html", summary=caption, content=Markup(html_table(frame, caption)))))


def _data_rows(described):
    """Source, hash and shape of each data set; of one that is missing, why."""
    rows = [
        {
            "data set": name,
            **entry,
            "source": entry.get("why", entry["source"]),
            "SHA-256": entry["sha256"] and entry["sha256"][:12],
        }
        for name, entry in described.items()
    ]
    columns = ["data set", "samples", "features", "classes", "source", "SHA-256"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _origin_rows(about):
    """Where and when the tables were measured."""
    facts = {
        "measured": about["measured"],
        "duration": f"{about['seconds']:.1f} s",
        "machine": about["machine"],
        "version": about["version"],
        "commit": about["commit"],
        **about["packages"],
    }
    return pd.DataFrame({"what": list(facts), "value": list(facts.values())})

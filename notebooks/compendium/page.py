"""What every notebook does around its experiment: check parameters, show data, tables and verdicts, say where from.

A notebook opens a page with its own name and namespace, shows things through it, and closes it with its provenance::

    page = Page("hocke2014_mdm", globals())
    page.data(datasets)
    table = page.table("gain", hocke2014.knn_gain(datasets, ...), "k-NN error by method")
    page.verdicts()
    page.provenance()
"""

import ast
import html
import json
import math
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from IPython.display import HTML, display

from fscore._files import write_atomically
from fscore.datasets import DatasetUnavailableError, load, status
from fscore.datasets.registry import is_path, lookup
from compendium import REFERENCE, style
from compendium.parameters import ParameterError, check, coerce, read_parameters
from compendium.provenance import machine, versions
from compendium.published import claims_of, reference
from compendium.verdicts import MARKS, claims_needing

__all__ = ["Page", "html_table"]


class Page:
    """The frame of one executed notebook.

    Parameters
    ----------
    notebook : str
        Its name; the part before the first underscore is the paper's key.
    namespace : dict
        The notebook's ``globals()``: holds the parameters and, in IPython's history, the cell that describes them.
        Values that plain papermill passed in another form (one name for a list of names) are put right in it.

    Attributes
    ----------
    parameters : dict
        Every parameter with the value of this run.
    run : str
        The profile that the runner executes, "yours", or "papermill" without the runner.
    tables : dict of str to DataFrame
        The tables kept so far.

    Raises
    ------
    ParameterError
        If a parameter is of the wrong type or out of range.
    """

    def __init__(self, notebook, namespace):
        self.notebook = notebook
        self.paper = notebook.partition("_")[0]
        self.run = os.environ.get("FSCORE_RUN", "papermill")
        self.tables = {}
        self.datasets = {}
        self._start = time.monotonic()
        described = _described_parameters(namespace.get("In", ()))
        self.parameters = coerce(described, {parameter.name: namespace[parameter.name] for parameter in described})
        check(described, self.parameters)
        namespace.update(self.parameters)  # plain papermill passes 'wine' where a list of names is meant
        self._verdicts = {}
        style.apply()
        rows = [
            {
                "parameter": parameter.name,
                "this run": repr(self.parameters[parameter.name]),
                "default": repr(parameter.default),
                "meaning": parameter.meaning,
            }
            for parameter in described
        ]
        _show(pd.DataFrame(rows), "Parameters of this run")

    def data(self, names, target=None, *, instead=None):
        """Show what the run's data sets are, and return the names of those that can be had here.

        Parameters
        ----------
        names : str or list of str
            Registry names, or paths of CSV files.
        target : str, optional
            Label column of a CSV file.
        instead : list of str, optional
            Taken if none of ``names`` can be had.

        Returns
        -------
        list of str
            At least one.

        Raises
        ------
        DatasetUnavailableError
            If none can be had.
        """
        rows = []
        for name in [names] if isinstance(names, str) else names:
            if not is_path(name) and status(name) == "missing" and lookup(name).files:  # a page itself fetches nothing
                rows.append({"data set": name, "where from": f"not here; fetch it: make data DATASETS={name}"})
                self.datasets[name] = {"source": "missing", "sha256": None}
                continue
            try:
                bunch = load(name, target=target) if is_path(name) else load(name)
            except DatasetUnavailableError as error:
                rows.append({"data set": name, "where from": str(error)})
                self.datasets[name] = {"source": "missing", "sha256": None}
                continue
            self.datasets[name] = {"source": bunch.source, "sha256": bunch.sha256}
            rows.append(
                {
                    "data set": name,
                    "samples": len(bunch.data),
                    "features": bunch.data.shape[1],
                    "classes": len(np.unique(bunch.target)),
                    "where from": bunch.source,
                    "SHA-256": (bunch.sha256 or "")[:12],
                }
            )
        _show(pd.DataFrame(rows), "Data of this run")
        present = [name for name, entry in self.datasets.items() if entry["source"] != "missing"]
        if present:
            return present
        if instead is not None:
            return self.data(instead)
        raise DatasetUnavailableError(
            f"none of the data sets of this run is here: {', '.join(self.datasets)}; `make data` fetches those that "
            "are public and names the others."
        )

    def table(self, key, frame, caption=None):
        """Keep a table with the run's results and, when it has a caption, show it.

        Parameters
        ----------
        key : str
            Its name in the results file and for the claims.
        frame : DataFrame
        caption : str, optional

        Returns
        -------
        DataFrame
            ``frame`` itself.
        """
        self.tables[key] = frame
        if caption is not None:
            _show(frame, caption)
        return frame

    def show(self, frame, caption):
        """Show a table that is a view of kept ones (a mean over repetitions, say) and needn't be kept itself."""
        _show(frame, caption)

    def say(self, *sentences):
        """Show a paragraph whose numbers come from the run: prose cells hold none."""
        display(HTML(f"<p>{html.escape(' '.join(sentences))}</p>"))

    def verdicts(self):
        """Test every claim that the kept tables allow, and show the answers beside those of the reference run."""
        self._verdicts = claims_needing(self.paper, self.tables)
        accepted = {} if self.run == REFERENCE else (reference(self.notebook) or {}).get("verdicts", {})
        claims = claims_of(self.paper).set_index("claim_id")
        rows = []
        for claim_id, verdict in self._verdicts.items():
            row = {
                "claim": claim_id,
                "the paper says": claims.loc[claim_id, "claim"],
                "this run": f"{MARKS[verdict.answer]} {verdict.answer}",
                "evidence of this run": verdict.evidence,
            }
            if claim_id in accepted:
                answer = accepted[claim_id]["answer"]
                row["reference run"] = f"{MARKS[answer]} {answer}"
                row["evidence of the reference run"] = accepted[claim_id]["evidence"]
            rows.append(row)
        _show(pd.DataFrame(rows), "Verdicts")

    def provenance(self):
        """Show versions, machine, parameters and duration, and write the run's results file."""
        duration = time.monotonic() - self._start
        origin = {
            "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "duration_seconds": round(duration, 1),
            "machine": machine(),
            "versions": versions(),
            "datasets": self.datasets,
        }
        results = {
            "notebook": self.notebook,
            "run": self.run,
            "parameters": self.parameters,
            "verdicts": {key: verdict.as_dict() for key, verdict in self._verdicts.items()},
            "provenance": origin,
            "tables": {key: _as_json(frame) for key, frame in self.tables.items()},
        }
        default = Path("results") / results["run"] / f"{self.notebook}.json"
        write_atomically(Path(os.environ.get("FSCORE_RESULTS", default)), json.dumps(results, indent=1))
        facts = {
            "run": results["run"],
            "finished": origin["finished"],
            "duration": f"{duration:.1f} s",
            "machine": origin["machine"],
            **origin["versions"],
        }
        _show(pd.DataFrame({"what": list(facts), "value": list(facts.values())}), "Where these numbers come from")


def _described_parameters(history):
    """The parameters of the cell in the notebook's history that consists of annotated literals."""
    for source in history:
        try:
            body = ast.parse(source).body
        except SyntaxError:  # a cell with a magic command
            continue
        if body and all(isinstance(node, ast.AnnAssign) for node in body):
            return read_parameters(source)
    raise ParameterError("this notebook has no parameters cell: run it in Jupyter or with papermill.")


def html_table(frame, caption):
    """A table that scrolls sideways by itself on a narrow screen, also by keyboard.

    Parameters
    ----------
    frame : DataFrame
        Shown without its index.
    caption : str

    Returns
    -------
    str
        HTML.
    """
    shown = frame.rename_axis(columns=None)
    for column in shown.columns:
        if pd.api.types.is_float_dtype(shown[column]):
            shown[column] = shown[column].map(_number)
    table = shown.to_html(index=False, border=0, na_rep="–", classes="fscore", justify="left")
    caption = html.escape(caption)
    table = table.replace("<thead>", f"<caption>{caption}</caption><thead>", 1)
    return f'<div class="table-scroll" role="region" tabindex="0" aria-label="{caption}">{table}</div>'


def _number(value):
    """Four significant digits, without an exponent where it can be read without."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.1e}"


def _show(frame, caption):
    display(HTML(html_table(frame, caption)))


def _as_json(frame):
    return json.loads(frame.to_json(orient="split", index=False, double_precision=15))

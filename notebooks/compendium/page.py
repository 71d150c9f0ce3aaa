"""The steps that all notebooks share: check parameters, show data, tables, verdicts and provenance.

A notebook creates a page from its experiment and namespace, runs the experiment through the page, and ends with the
provenance::

    page = Page(Gain, globals())
    present = page.data(dataset, target)
    results = page.run(dataset=present)
    page.show(results.gain, "k-NN error by method")
    page.verdicts()
    page.provenance()

Computation and display are separate. A run stores its tables. As long as their code, parameters and data are unchanged,
a changed figure, sentence or rule is displayed from the stored tables.
"""

import hashlib
import html
import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from IPython.display import HTML, display

from compendium import style
from compendium.digest import code_digest, reachable_modules
from compendium.discovered import discovered_modules
from compendium.frames import from_json, to_json
from compendium.papers import REFERENCE, RESULTS, printed_files
from compendium.provenance import machine, versions
from compendium.published import claims_of, reference
from compendium.tables import show_table
from compendium.verdicts import MARKS, claims_needing
from fscore._files import write_atomically
from fscore.datasets import DatasetUnavailableError, check_classification, fingerprint, load, status
from fscore.datasets.registry import is_path, lookup

__all__ = ["Page", "experiment_digest"]


class Page:
    """One executed notebook.

    Parameters
    ----------
    experiment : type
        Subclass of `compendium.experiment.Experiment`; its module ``<paper>.<name>`` names the notebook.
    namespace : dict
        The notebook's ``globals()``, which hold the parameters. Values that plain papermill passed in another form (a
        single name instead of a list) are corrected in place.

    Attributes
    ----------
    parameters : dict
        All parameters with their values in this run.
    run_name : str
        The profile that the runner executes, "yours" for a user's run, or "papermill" without the runner.
    tables : dict of str to DataFrame
        What the experiment measured.

    Raises
    ------
    ParameterError
        If a parameter is of the wrong type or out of range.
    """

    def __init__(self, experiment, namespace):
        self.experiment = experiment
        self.paper, _, name = experiment.__module__.partition(".")
        self.notebook = f"{self.paper}_{name}"
        self.run_name = os.environ.get("FSCORE_RUN", "papermill")
        default = RESULTS / self.run_name / f"{self.notebook}.json"
        self._file = Path(os.environ.get("FSCORE_RESULTS") or default)
        self._kept_file = Path(os.environ.get("FSCORE_KEPT") or default)
        self.tables = {}
        self.datasets = {}
        self._verdicts = {}
        self._origin = None
        declared = experiment.parameters
        self.parameters = experiment(**{p.name: namespace[p.name] for p in declared if p.name in namespace}).values
        namespace.update(self.parameters)  # plain papermill passes 'wine' where a list of names is meant
        style.apply()
        rows = [
            {
                "parameter": parameter.name,
                "this run": repr(self.parameters[parameter.name]),
                "default": repr(parameter.default),
                "meaning": parameter.meaning,
            }
            for parameter in declared
        ]
        show_table(pd.DataFrame(rows), "Parameters of this run")

    def data(self, names, target=None, *, fallback=None):
        """Show the data sets of the run, and return the names of those that are available.

        Parameters
        ----------
        names : str or list of str
            Registry names, or paths of CSV files.
        target : str, optional
            Label column of a CSV file.
        fallback : list of str, optional
            Data sets to use if none of ``names`` is available.

        Returns
        -------
        list of str
            At least one name.

        Raises
        ------
        DatasetUnavailableError
            If none is available.
        ValueError
            If a CSV file can't be read, or its data can't be used.
        """
        rows = []
        for name in [names] if isinstance(names, str) else names:
            if not is_path(name) and status(name) == "missing" and lookup(name).files:  # pages never download
                rows.append({"data set": name, "source": f"missing; run: make data DATASETS={name}"})
                self.datasets[name] = {"source": "missing", "sha256": None}
                continue
            try:
                bunch = load(name, target=target) if is_path(name) else load(name)
                if is_path(name):
                    check_classification(bunch, allow_missing=self.experiment.allows_missing)
            except DatasetUnavailableError as error:
                rows.append({"data set": name, "source": str(error)})
                self.datasets[name] = {"source": "missing", "sha256": None}
                continue
            self.datasets[name] = {"source": bunch.source, "sha256": bunch.sha256}
            rows.append(
                {
                    "data set": name,
                    "samples": len(bunch.data),
                    "features": bunch.data.shape[1],
                    "classes": len(np.unique(bunch.target)),
                    "source": bunch.source,
                    "SHA-256": (bunch.sha256 or "")[:12],
                }
            )
        show_table(pd.DataFrame(rows), "Data of this run")
        present = [name for name, entry in self.datasets.items() if entry["source"] != "missing"]
        if present:
            return present
        if fallback is not None:
            return self.data(fallback)
        raise DatasetUnavailableError(
            f"none of the data sets of this run is available: {', '.join(self.datasets)}; `make data` fetches "
            "those that are public and lists the others."
        )

    def run(self, **available):
        """Run the experiment, or reuse the tables of an earlier run if nothing that they depend on has changed.

        Parameters
        ----------
        **available
            Values that override parameters, for instance the available data sets.

        Returns
        -------
        SimpleNamespace
            One attribute per table, a DataFrame.
        """
        experiment = self.experiment(**{**self.parameters, **available})
        digest = experiment_digest(experiment)
        kept = self._kept(digest)
        if kept is None:
            start = time.monotonic()
            measured = experiment.run()
            self._origin = {
                "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
                "duration_seconds": round(time.monotonic() - start, 1),
                "machine": machine(),
                "versions": versions(),
                "digest": digest,
            }
            kept = {name: to_json(frame) for name, frame in measured.items()}
        self._kept_tables = kept
        self.tables = {name: from_json(content) for name, content in kept.items()}
        return SimpleNamespace(**self.tables)

    def _kept(self, digest):
        """Tables of an earlier run with the same digest; None if there are none."""
        try:
            earlier = json.loads(self._kept_file.read_text(encoding="utf-8"))
            origin, tables = earlier["provenance"], earlier["tables"]
            if origin["digest"] != digest or set(tables) != set(self.experiment.tables):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self._origin = {key: value for key, value in origin.items() if key != "datasets"}
        return tables

    def show(self, frame, caption):
        """Show a table."""
        show_table(frame, caption)

    def say(self, *sentences):
        """Show a paragraph with numbers computed by the run; Markdown cells contain no results."""
        display(HTML(f"<p>{html.escape(' '.join(sentences))}</p>"))

    def verdicts(self):
        """Judge every claim whose tables the run has, and show the verdicts next to those of the reference run."""
        self._verdicts = claims_needing(self.paper, self.tables)
        accepted = {} if self.run_name == REFERENCE else (reference(self.notebook) or {}).get("verdicts", {})
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
        show_table(pd.DataFrame(rows), "Verdicts")

    def provenance(self):
        """Show versions, machine, parameters and duration, and write the run's results file."""
        origin = {**self._origin, "datasets": self.datasets}
        results = {
            "notebook": self.notebook,
            "run": self.run_name,
            "parameters": self.parameters,
            "verdicts": {key: verdict.as_dict() for key, verdict in self._verdicts.items()},
            "provenance": origin,
            "tables": self._kept_tables,
        }
        write_atomically(self._file, json.dumps(results, indent=1))
        facts = {
            "run": results["run"],
            "measured": origin["finished"],
            "duration": f"{origin['duration_seconds']:.1f} s",
            "machine": origin["machine"],
            **origin["versions"],
        }
        show_table(pd.DataFrame({"what": list(facts), "value": list(facts.values())}), "Provenance")


def experiment_digest(experiment):
    """Hash of everything that an experiment's tables depend on: code, environment, parameters, data.

    Includes the paper's printed numbers if the experiment's code can read them, as when it repeats printed subsets.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    str
    """
    module = type(experiment).__module__
    paper = module.partition(".")[0]
    digest = hashlib.sha256(code_digest([module, *discovered_modules(paper)]).encode())
    parts = [sys.version, json.dumps(experiment.values, sort_keys=True)]
    for declared in experiment.parameters:
        if declared.domain == "data sets":
            value = experiment.values[declared.name]
            parts += [fingerprint(name) for name in (value if isinstance(value, list) else [value]) if name is not None]
    if "compendium.published" in reachable_modules([module]):
        files = printed_files(paper)
        parts += [file.read_text(encoding="utf-8") for file in files if not file.stem.endswith("_claims")]
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()

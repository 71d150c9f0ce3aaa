"""The steps that all notebooks share: check parameters, show data, tables, verdicts and provenance.

A notebook creates a page from its experiment and namespace, runs the experiment through the page, and ends with the
provenance::

    page = Page(Gain, globals())
    present = page.data(dataset, target)
    results = page.run(dataset=present)
    page.show(results.gain, "k-NN error by method")
    page.verdicts()
    page.evidence()
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
from compendium.cluster import cluster
from compendium.digest import code_digest, reachable_modules
from compendium.discovered import measuring_modules
from compendium.features import feature_names
from compendium.frames import to_json
from compendium.markup import badge, evidence_list, fold, source_line, tally_sentence
from compendium.papers import QUICK, REFERENCE, RESULTS, YOURS, printed_files
from compendium.parts import names_of
from compendium.protocol import check_name
from compendium.provenance import machine, versions
from compendium.recomputed import agreement, largest_differences
from compendium.reference import reference
from compendium.results import tables_of, why_unusable
from compendium.tables import anchors, html_table, in_words
from compendium.typography import typeset
from compendium.verdicts import claims_needing
from fscore._files import write_atomically
from fscore.datasets import DatasetUnavailableError, check_classification, fingerprint, load, status
from fscore.datasets.registry import is_path, lookup, read_registry

__all__ = ["Page", "experiment_digest"]


class Page:
    """One executed notebook.

    In the quick profile, which every build executes, the page shows the tables of the accepted reference run, and ends
    with a comparison of what the build recomputed. Every other run shows its own tables.

    Parameters
    ----------
    experiment : type
        Subclass of `compendium.experiment.Experiment`; its module ``<paper>.<name>`` names the notebook.
    namespace : dict
        The notebook's ``globals()``, which hold the parameters. They are replaced by those of the run that is shown:
        values that plain papermill passed in another form (a single name instead of a list) are corrected, and where
        the page shows the reference, its parameters take their place.

    Attributes
    ----------
    parameters : dict
        All parameters with their values in this run.
    run_name : str
        The profile that the runner executes, "yours" for a user's run, or "papermill" without the runner.
    shown : dict
        Parameters of the run that the page shows.
    present : list of str
        The data sets that the shown run used.
    tables : dict of str to DataFrame
        The tables that the page shows.

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
        self.tables, self._measured, self._kept_tables = {}, {}, {}
        self._unavailable = ""
        self.datasets = {}
        self._verdicts = {}
        self._origin = None
        declared = experiment.parameters
        self.parameters = experiment(**{p.name: namespace[p.name] for p in declared if p.name in namespace}).values
        self._namespace = namespace
        self._reference, self._why = None, ""
        if self.run_name == QUICK:
            self._reference = reference(self.notebook)
            self._why = why_unusable(self._reference, experiment)
        self._show_run(None if self._why else self._reference)
        self._anchors = set()
        self._names = names_of(self.paper)
        style.apply()
        display(HTML(source_line(self.paper, self.notebook, own=self.run_name == YOURS)))

    def _show_run(self, accepted):
        """Let the page show the accepted results, or this run if None."""
        self._reference = accepted
        self.shown = self.parameters if accepted is None else accepted["parameters"]
        self._namespace.update(self.shown)

    def data(self, names, target=None):
        """Look up the data sets of the run that the page shows, or the experiment's fallback if none is available.

        Parameters
        ----------
        names : str or list of str
            Registry names, or paths of CSV files.
        target : str, optional
            Label column of a CSV file.

        Returns
        -------
        list of str
            The names of those that the run could use, at least one.

        Raises
        ------
        DatasetUnavailableError
            If none is available, and the experiment has no fallback.
        ValueError
            If a CSV file can't be read, or its data can't be used.
        """
        if self._reference is None:
            self.datasets = self._described(names, target)
            return self.present
        return _present(self._reference["provenance"]["datasets"])

    def feature_names(self, *, constant=True):
        """Names of the features in the tables that the page shows, by data set; see `compendium.features`."""
        return feature_names(self.present, self.shown.get("target"), constant=constant)

    @property
    def present(self):
        shown = self.datasets if self._reference is None else self._reference["provenance"]["datasets"]
        return _present(shown)

    def _described(self, names, target):
        """Source, hash and shape of each data set, or of the fallback; raises an error if none is available."""
        described = self._described_each([names] if isinstance(names, str) else names, target)
        if not _present(described) and self.experiment.fallback is not None:
            described |= self._described_each([self.experiment.fallback], None)
        if not _present(described):
            raise DatasetUnavailableError(
                f"none of the data sets of this run is available: {', '.join(described)}; `make data` fetches "
                "those that are public and lists the others."
            )
        return described

    def _described_each(self, names, target):
        described = {}
        for name in names:
            described[name] = {"source": "missing", "sha256": None}
            if not is_path(name) and status(name) == "missing" and lookup(name).files:  # pages never download
                described[name]["why"] = f"missing; run: make data DATASETS={name}"
                continue
            if is_path(name) and self.experiment.reads_any_file:
                described[name] = {"source": name, "sha256": fingerprint(name)}
                continue
            try:
                bunch = load(name, target=target) if is_path(name) else load(name)
                if is_path(name):
                    check_classification(bunch, allow_missing=self.experiment.allows_missing)
                    check_name(name, bunch.data.shape)
            except DatasetUnavailableError as error:
                described[name]["why"] = str(error)
                continue
            described[name] = {
                "source": bunch.source,
                "sha256": bunch.sha256,
                "samples": len(bunch.data),
                "features": bunch.data.shape[1],
                "classes": len(np.unique(bunch.target)),
            }
        return described

    def run(self, **available):
        """Run the experiment, or reuse the tables of an earlier run if nothing that they depend on has changed.

        Parameters
        ----------
        **available
            Values that override parameters, for instance the available data sets.

        Returns
        -------
        SimpleNamespace
            One attribute per table, a DataFrame: those of the run that the page shows.

        Raises
        ------
        DatasetUnavailableError
            If this run needs data that is not here, unless the page shows the reference.
        """
        try:
            self._measure(available)
        except DatasetUnavailableError as error:
            if self._reference is None:
                raise
            self._unavailable = str(error)
            self._origin = {**_origin_now(0.0), "code": measuring_code(self.experiment)}
        if self._reference is not None:
            accepted = tables_of(self._reference)
            self._why = _missing_columns(self._measured, accepted)
            if self._why:
                self._show_run(None)
            else:
                self.tables = accepted
        return SimpleNamespace(**self.tables)

    def _measure(self, available):
        """Run the experiment, or take its kept tables."""
        if self._reference is not None and available:  # they are the data sets of the reference
            for name in available:
                described = self._described(self.parameters[name], self.parameters.get("target"))
                self.datasets |= described
                found = _present(described)
                available[name] = found if isinstance(self.parameters[name], list) else found[0]
        experiment = self.experiment(**{**self.parameters, **available})
        digest = experiment_digest(experiment)
        kept = self._kept(experiment, digest)
        if kept is None:
            start = time.monotonic()
            with cluster(
                os.environ.get("FSCORE_SCHEDULER", ""), measuring_modules(self.experiment.__module__)
            ) as workers:
                measured = experiment.run()
            self._origin = {**_origin_now(time.monotonic() - start, workers), "digest": digest}
            kept = {name: to_json(frame) for name, frame in measured.items()}
        self._origin["code"] = measuring_code(self.experiment)
        self._kept_tables = kept
        self._measured = self.tables = tables_of({"tables": kept})

    def _kept(self, experiment, digest):
        """Tables of an earlier run with the same digest; None if there are none, or the experiment refuses them."""
        try:
            earlier = json.loads(self._kept_file.read_text(encoding="utf-8"))
            origin, tables = earlier["provenance"], earlier["tables"]
            if origin["digest"] != digest or set(tables) != set(self.experiment.tables):
                return None
            # An experiment that also writes files, or may stop early, decides for itself.
            if not experiment.can_reuse(tables_of(earlier)):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self._origin = {key: value for key, value in origin.items() if key != "datasets"}
        return tables

    def show(self, frame, caption):
        """Show a table; the first one on the page whose caption begins with "Table 3" has the anchor ``table-3``."""
        display(HTML(html_table(frame, caption, taken=self._anchors, names=self._names)))
        self._anchors.update(anchors(caption))

    def say(self, *sentences):
        """Show a paragraph with numbers computed by the run, if there is any; Markdown cells contain no results."""
        if sentences:
            display(HTML(f"<p>{html.escape(typeset(' '.join(sentences)))}</p>"))

    def verdicts(self):
        """Judge every claim whose tables the run has, by the tables that the page shows."""
        self._verdicts = claims_needing(self.paper, self.tables)
        if not self._verdicts:
            return
        badges = " ".join(badge(self.paper, claim_id, found.answer) for claim_id, found in self._verdicts.items())
        display(
            HTML(f'<p class="badges">{badges}</p><p class="answer">{html.escape(tally_sentence(self._verdicts))}</p>')
        )

    def evidence(self):
        """Show, folded, what the paper says of each claim and what was measured."""
        if self._verdicts:
            listed = evidence_list(self.paper, self._verdicts)
            display(HTML(fold("What the paper says, and what was measured", listed)))

    def provenance(self):
        """Show data, parameters and origin of the shown run, compare with this build, and write the results file."""
        origin = {**self._origin, "datasets": self.datasets}
        results = {
            "notebook": self.notebook,
            "run": self.run_name,
            "shown": self.run_name if self._reference is None else REFERENCE,
            "parameters": self.parameters,
            "verdicts": {key: verdict.as_dict() for key, verdict in self._verdicts.items()},
            "provenance": origin,
            "tables": self._kept_tables,
        }
        write_atomically(self._file, json.dumps(results, indent=1))
        _show_folded(self._parameter_rows(), "Parameters")
        accepted = self._reference
        shown = results if accepted is None else accepted
        if shown["provenance"]["datasets"]:
            _show_folded(_data_rows(shown["provenance"]["datasets"]), "Data")
        _show_folded(_origin_rows(shown["run"], shown["provenance"]), "Code, versions and machine")
        if self.run_name == QUICK:
            self._compare_with_reference(origin)

    def _parameter_rows(self):
        """Parameters of the shown run."""
        rows = [
            {
                "parameter": parameter.name,
                "value": in_words(self.shown[parameter.name]),
                "default": in_words(parameter.default),
                "meaning": parameter.meaning,
            }
            for parameter in self.experiment.parameters
        ]
        return pd.DataFrame(rows)

    def _compare_with_reference(self, origin):
        """Say what this build recomputed and how it agrees with the reference."""
        if self._reference is None:
            self.say(f"This page shows what this build measured: {self._why}.")
            return
        if self._unavailable:
            self.say(f"This build recomputed nothing on this page, which shows the reference run: {self._unavailable}")
            return
        differing = [
            {"parameter": name, "this build": in_words(value), "reference": in_words(self.shown[name])}
            for name, value in self.parameters.items()
            if value != self.shown[name]
        ]
        self.say(
            "This build: the tables above are those of the reference run. The build executed the experiment anew"
            f" in {origin['duration_seconds']:.1f} s; parameters with other values: {len(differing) or 'none'}."
        )
        if differing:
            _show_folded(pd.DataFrame(differing), "This build: parameters that differ from the reference")
        self.show(agreement(self._measured, self.tables), "This build: means compared with the reference, by table")
        worst = largest_differences(self._measured, self.tables)
        if len(worst):
            caption = "This build: the largest differences; chance puts one in twenty means outside its error"
            _show_folded(worst, caption)
        recorded = self._reference["provenance"].get("code")
        if recorded != origin["code"]:
            self.say(
                "The code that measures these tables has changed since the reference run; the comparison above shows"
                " what that and the smaller size change."
            )


def _show_folded(frame, caption):
    display(HTML(fold(caption, html_table(frame, caption))))


def _missing_columns(measured, accepted):
    """Why accepted tables can't be shown: a column that the code now measures is missing; empty if none is."""
    for name, frame in measured.items():
        if missing := [column for column in frame.columns if column not in accepted[name].columns]:
            return f"the reference run is of older code, whose table {name} has no column {missing[0]}"
    return ""


def _present(described):
    """Names of the data sets that are not missing."""
    return [name for name, entry in described.items() if entry["source"] != "missing"]


def _data_rows(described):
    """One row for each data set of a run; shapes that it did not record come from the registry."""
    rows = []
    for name, entry in described.items():
        if entry["source"] == "missing":
            rows.append({"data set": name, "source": entry.get("why", "missing")})
            continue
        known = lookup(name) if name in read_registry() else None
        rows.append(
            {
                "data set": name,
                "samples": entry.get("samples", known and known.n_samples),
                "features": entry.get("features", known and known.n_features),
                "classes": entry.get("classes", known and known.n_classes),
                "source": entry["source"],
                "SHA-256": (entry["sha256"] or "")[:12],
            }
        )
    columns = ["data set", "samples", "features", "classes", "source", "SHA-256"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _origin_rows(run, origin):
    """Where and when the shown tables were measured."""
    facts = {
        "run": run,
        "measured": origin["finished"],
        "duration": f"{origin['duration_seconds']:.1f} s",
        "machine": origin["machine"],
        "code (SHA-256)": (origin.get("code") or "not recorded")[:12],
        **origin["versions"],
    }
    return pd.DataFrame({"what": list(facts), "value": list(facts.values())})


def _origin_now(seconds, workers=""):
    """When, how long, where and with what this process measured, perhaps with the workers of a cluster."""
    return {
        "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "duration_seconds": round(seconds, 1),
        "machine": f"{machine()}; units on {workers}" if workers else machine(),
        "versions": versions(),
    }


def measuring_code(experiment):
    """Digest of the code that an experiment (its class) measures with."""
    return code_digest(measuring_modules(experiment.__module__))


def experiment_digest(experiment):
    """Hash of everything that an experiment's tables depend on: code, environment, parameters, data, other files.

    Includes the paper's printed numbers if the experiment's code can read them, as when it repeats printed subsets.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    str
    """
    module = type(experiment).__module__
    digest = hashlib.sha256(measuring_code(type(experiment)).encode())
    parts = [sys.version, json.dumps(experiment.values, sort_keys=True)]
    for declared in experiment.parameters:
        if declared.domain == "data sets":
            value = experiment.values[declared.name]
            parts += [fingerprint(name) for name in (value if isinstance(value, list) else [value]) if name is not None]
    for name in experiment.files:
        file = experiment.values[name]
        if file is not None and Path(file).is_file():  # the experiment says what is wrong with others
            parts.append(hashlib.sha256(Path(file).read_bytes()).hexdigest())
    if "compendium.published" in reachable_modules([module]):
        files = printed_files(module.partition(".")[0])
        parts += [
            file.read_text(encoding="utf-8") for file in files if not file.stem.endswith(("_claims", "_explanations"))
        ]
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()

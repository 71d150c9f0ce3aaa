"""``data/`` as a data package: `datapackage.json` describes every file in it (https://datapackage.org, version 2).

Measured tables are described by the schemas of their experiments, printed numbers by their header. Written by
``python notebooks/run.py package``, and by ``make measure``.

``measured/repeated_rows.csv`` says to what data a finding speaks: rows that repeat each other or belong together in all
public data sets, so that pages can say it where the data are missing. Written by ``python notebooks/run.py rows``.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from compendium import citation
from compendium.experiment import REST, experiment_of
from compendium.papers import DATA, notebook_files, papers, printed_files
from compendium.store import UNITS, accepted_folder, read
from compendium.verdicts import verdicts_of
from fscore._files import write_atomically
from fscore.datasets import load, status
from fscore.datasets.registry import read_registry

UNICODE = {"name": "Unicode-3.0", "path": "https://www.unicode.org/license.txt"}
CCBY = {"name": "CC-BY-4.0", "path": "https://creativecommons.org/licenses/by/4.0/"}
MISSING = ["", "nan"]
KEY = "a key of the number; empty where it does not apply"
NUMBER, COLUMNS, MEASURED, FILES = yaml.safe_load(
    Path(__file__).with_name("descriptions.yml").read_text(encoding="utf-8")
).values()
ROW_COUNTS = DATA / "measured" / "repeated_rows.csv"
COUNTED = ["data set", "rows", "repeated", "contradicting", "groups"]
UNIT = {"function": "string", "arguments": "string", "seconds": "number", "checksum": "number"}
TYPES = {"int64": "integer", "Int64": "integer", "float64": "number", "bool": "boolean"}


def verdicts():
    """Every statement of every claim that was measured, and the verdict on each claim: the rows of ``verdicts.csv``."""
    rows = []
    names = ["statement", "secondary", "estimate", "low", "high", "above", "below", "margin", "n", "of", "tau", "unit"]
    names += ["answer", "group", "sentence"]
    for (paper, claim_id), (verdict, notebook) in verdicts_of().items():
        what = {"paper": paper, "claim_id": claim_id, "notebook": notebook}
        said = {"answer": verdict.answer, "group": verdict.group, "sentence": verdict.sentence}
        rows.append({**what, "statement": "", **said})
        rows += [{**what, **asdict(row), "statement": row.what} for row in verdict.rows]
    return (
        pd.DataFrame(rows)
        .replace([np.inf, -np.inf], np.nan)
        .reindex(columns=["paper", "claim_id", *names, "notebook"])
        .astype({"n": "Int64"})
    )


def descriptor():
    """The contents of ``datapackage.json``.

    Returns
    -------
    dict
        Resources in the order: what describes the papers, what was measured, what was concluded.
    """
    found = [_plain("registry"), _plain("languages") | {"licenses": [UNICODE]}]
    found += [part for paper in papers() for part in _published(paper)]
    for notebook in notebook_files():
        found += _measured(experiment_of(notebook))
    found += [_plain(f"measured/{file.stem}") for file in sorted((DATA / "measured").glob("*.csv"))]
    found += [_plain("verdicts"), _plain("replays"), _plain("simulations")]
    found.append({"name": "references", "path": "references.bib", "format": "bib", "mediatype": "text/x-bibtex"})
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "fscore-compendium",
        "version": citation.project().version,
        "title": "Printed and measured results of papers on feature selection",
        "description": "README.md explains every kind of file.",
        "licenses": [CCBY],
        "contributors": [{"title": name, "roles": ["creator"]} for name in citation.project().authors],
        "sources": [_source(paper) for paper in papers() if printed_files(paper)],
        "resources": [resource | _fingerprint(resource["path"]) for resource in found],
    }


def _source(paper):
    """What the data package says of a paper."""
    paper = papers()[paper]
    return {"title": f"{paper.name}: {paper.methods}"} | ({"path": paper.link} if paper.link else {})


def _fingerprint(path):
    """Size and hash of a file, by which a copy of it can be checked."""
    content = (DATA / path).read_bytes()
    return {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}


def _plain(stem):
    """A table outside the folders of papers and experiments, whose types follow from its contents."""
    frame = pd.read_csv(DATA / f"{stem}.csv", dtype=str, keep_default_na=False)
    columns = COLUMNS | FILES[stem].get("columns", {})
    return _resource(f"{stem}.csv", FILES[stem]["what"], [_field(n, columns[n], _kind(frame[n])) for n in frame])


def _published(paper):
    """A paper's printed numbers, its claims, and the explanations of numbers that differ."""
    for file in printed_files(paper):
        kind = file.stem.removeprefix(paper).lstrip("_")
        frame = pd.read_csv(file, dtype=str, keep_default_na=False)
        numbers = kind == ""
        keys = {name: KEY for name in frame.columns if name not in NUMBER} if numbers else {}
        meanings = NUMBER | keys if numbers else COLUMNS
        fields = [_field(name, meanings[name], "string") for name in frame.columns]
        what = f"{kind or 'printed numbers'} of {papers()[paper].name}"
        more = {"keys": ["paper", "table", *keys, "metric"]} if numbers else {}
        yield _resource(f"published/{file.name}", what[:1].upper() + what[1:], fields, **more)


def _measured(experiment):
    """The accepted tables of an experiment, described by its schema."""
    entry = read(accepted_folder(experiment))
    for name, columns in entry.about["tables"].items() if entry else ():
        declared = experiment.schema[name]
        values = set(declared.values) - {REST} or set(columns) - set(declared.index)
        fields = []
        for column, dtype in columns.items():
            fallback = "what was measured" if column in values else "note"
            fallback = MEASURED.get(column, "key") if column in declared.index else fallback
            label = declared.labels.get(column) or fallback
            kind = TYPES.get(dtype, "string")
            fields.append(_field(column, f"{label}, as JSON".lstrip(", ") if dtype == "json" else label, kind))
        path = (entry.folder / f"{name}.csv.gz").relative_to(DATA).as_posix()
        yield _resource(path, f"Table {name} of {experiment.__module__}", fields, keys=declared.index)

    if entry and not entry.units.empty:
        path = (entry.folder / UNITS).relative_to(DATA).as_posix()
        fields = [_field(name, COLUMNS[name], kind) for name, kind in UNIT.items()]
        yield _resource(path, f"Units of work of {experiment.__module__}", fields)


def _resource(path, what, fields, keys=()):
    name = path.partition(".")[0].replace("/", "-").replace("_", "-").lower()
    schema = {"fields": fields, "missingValues": MISSING} | ({"fscore:keys": list(keys)} if keys else {})
    compressed = {"compression": "gz"} if path.endswith(".gz") else {}
    return {
        "name": name,
        "path": path,
        "description": what,
        "type": "table",
        "format": "csv",
        "encoding": "utf-8",
        **compressed,
        "schema": schema,
    }


def _field(name, description, kind):
    return {"name": name, "type": kind, "description": description}


def _kind(texts):
    """The type of a column of texts."""
    given = texts[texts != ""]
    if given.empty or not given.str.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?").all():
        return "string"
    return "integer" if given.str.fullmatch(r"-?\d+").all() else "number"


def write():
    """Write ``verdicts.csv``, ``datapackage.json``, and the files that say how to cite the project."""
    write_atomically(DATA / "verdicts.csv", verdicts().to_csv(index=False))
    write_atomically(DATA / "datapackage.json", json.dumps(descriptor(), indent=1, ensure_ascii=False) + "\n")
    citation.write()


# Rows -----------------------------------------------------------------------------------------------------------------


def count_rows(name):
    """How many rows of a data set repeat an earlier row, and how many groups its rows belong to.

    Parameters
    ----------
    name : str
        A data set of the registry.

    Returns
    -------
    dict
        data set, rows; repeated: rows whose features equal those of an earlier row; contradicting: those of them with
        another class than the first such row; groups: None if rows are not grouped.
    """
    bunch = load(name)
    first, contradicting = {}, 0
    for row, label in zip(bunch.data + 0.0, bunch.target, strict=True):  # -0.0 becomes 0.0
        contradicting += first.setdefault(row.tobytes(), label) != label
    n, groups = len(bunch.data), None if bunch.groups is None else len(set(bunch.groups))
    return dict(zip(COUNTED, (name, n, n - len(first), contradicting, groups), strict=True))


def row_counts():
    """The stored counts, one row for each public data set, by name."""
    return pd.read_csv(ROW_COUNTS, dtype={"groups": "Int64"}).set_index("data set")


def write_row_counts():
    """Count the rows of every data set that is here; the counts of others stay."""
    stored = row_counts().reset_index().to_dict("records") if ROW_COUNTS.is_file() else []
    rows_by_name = {row["data set"]: row for row in stored}
    rows_by_name |= {name: count_rows(name) for name, known in read_registry().items() if _is_counted(name, known)}
    rows = [rows_by_name[name] for name in read_registry() if name in rows_by_name]
    frame = pd.DataFrame(rows, columns=COUNTED).astype({"groups": "Int64"})
    write_atomically(ROW_COUNTS, frame.to_csv(index=False, lineterminator="\n"))


def _is_counted(name, known):
    """Whether a data set is public and here."""
    return known.kind in ("bundled", "download") and status(name) in ("bundled", "local", "mirror")


def data_of_paper(paper):
    """The data that a paper's experiments use, in sentences."""
    known = {name: each for name, each in read_registry().items() if paper in each.papers and each.kind != "generated"}
    stored = set(row_counts().index)
    missing = [name for name in known if name not in stored]
    sentences = [data_in_words([name for name in known if name in stored])]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        sentences.append(f"{_listed(missing)} {are} not public or can't be verified, and nothing here speaks to them.")
    return " ".join(filter(None, sentences))


def data_in_words(names):
    """Sizes of public data sets, their repeated rows and their groups, in sentences; forms of one file count once."""
    if not names:
        return ""
    registry, stored = read_registry(), row_counts()
    sets = [registry[name] for name in names]
    files = {tuple(file.path for file in each.files) or each.name for each in sets}
    sizes = {
        "rows": [each.n_samples for each in sets],
        "columns": [each.n_features for each in sets],
        "classes": [each.n_classes for each in sets if each.n_classes],
    }
    sentences = [f"{len(files)} public data sets: {', '.join(_range(values, what) for what, values in sizes.items())}."]
    repeated = stored.loc[names].query("repeated > 0")
    if len(repeated):
        each = _listed([f"{row.Index} ({row.repeated:,} of {row.rows:,})" for row in repeated.itertuples()])
        other = repeated["contradicting"].sum() or "none"
        sentences.append(f"Rows repeat the features of earlier rows in {each}; {other} of them with another class.")
    grouped = stored.loc[names].dropna(subset="groups")
    if len(grouped):
        each = _listed([f"{row.Index} ({row.rows:,} rows, {row.groups} groups)" for row in grouped.itertuples()])
        sentences.append(f"Rows belong together in {each}: there are fewer independent cases than rows.")
    return " ".join(sentences)


def _range(values, what):
    low, high = min(values), max(values)
    return f"{low:,} to {high:,} {what}" if low < high else f"{low:,} {what}"


def _listed(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))

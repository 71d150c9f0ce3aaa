"""To what data a finding speaks: sizes of the data sets, rows that repeat each other, rows that belong together.

``data/measured/repeated_rows.csv`` holds the counts of all public data sets, so that pages can give them where the data
are missing. Written by ``python notebooks/run.py rows``.
"""

import pandas as pd

from compendium.papers import DATA
from fscore._files import write_atomically
from fscore.datasets import load, status
from fscore.datasets.registry import read_registry

FILE = DATA / "measured" / "repeated_rows.csv"
COLUMNS = ["data set", "rows", "repeated", "contradicting", "groups"]


def counts(name):
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
    return dict(zip(COLUMNS, (name, n, n - len(first), contradicting, groups), strict=True))


def table():
    """The stored counts, one row for each public data set, by name."""
    return pd.read_csv(FILE, dtype={"groups": "Int64"}).set_index("data set")


def write():
    """Count the rows of every data set that is here; the counts of others stay."""
    stored = table().reset_index().to_dict("records") if FILE.is_file() else []
    rows_by_name = {row["data set"]: row for row in stored}
    rows_by_name |= {name: counts(name) for name, known in read_registry().items() if is_counted(name, known)}
    rows = [rows_by_name[name] for name in read_registry() if name in rows_by_name]
    frame = pd.DataFrame(rows, columns=COLUMNS).astype({"groups": "Int64"})
    write_atomically(FILE, frame.to_csv(index=False, lineterminator="\n"))


def is_counted(name, known):
    """Whether a data set is public and here."""
    return known.kind in ("bundled", "download") and status(name) in ("bundled", "local", "mirror")


def of_paper(paper):
    """The data that a paper's experiments use, in sentences."""
    known = {name: each for name, each in read_registry().items() if paper in each.papers and each.kind != "generated"}
    stored = set(table().index)
    missing = [name for name in known if name not in stored]
    sentences = [in_words([name for name in known if name in stored])]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        sentences.append(f"{_listed(missing)} {are} not public or can't be verified, and nothing here speaks to them.")
    return " ".join(filter(None, sentences))


def in_words(names):
    """Sizes of public data sets, their repeated rows and their groups, in sentences; forms of one file count once."""
    if not names:
        return ""
    registry, stored = read_registry(), table()
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

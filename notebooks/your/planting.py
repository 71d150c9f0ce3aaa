"""Tables with known truth: relevant columns, and traps planted on purpose. For tests and benchmarks of the report."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from compendium.protocol import load_set
from fscore.report import build_problem, read_table
from fscore.report.rankings import MOST_UNITS


def through_a_file(table, target):
    """Pose the problem of a table as the report does: written as CSV, read again."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.csv")
        table.to_csv(file, index=False)
        return build_problem(read_table(file), target)


def with_class(dataset, target=None):
    """A data set as a table, with its target as the last column, "class"."""
    bunch = load_set(dataset, target)
    return pd.DataFrame(bunch.data, columns=list(bunch.feature_names)).assign(**{"class": bunch.target})


@dataclass
class Planted:
    """A table, and what was put into it.

    Attributes
    ----------
    table : DataFrame
        As a user would have it, with the target as the column "outcome".
    relevant : list of str
        Columns that the target depends on.
    traps : dict of str to list of str
        Columns by the kind of the trap, as the report names it; empty lists for traps of the whole table.
    holdout : DataFrame
        Further rows of the same origin.
    """

    table: pd.DataFrame
    relevant: list
    traps: dict = field(default_factory=dict)
    holdout: pd.DataFrame | None = None


def plant(
    seed,
    *,
    n_samples=300,
    n_relevant=4,
    n_noise=8,
    n_classes=2,
    traps=(),
    signal=1.5,
    n_holdout=0,
    regression=False,
    product=False,
):
    """Generate a table.

    Parameters
    ----------
    seed : int
    n_samples, n_relevant, n_noise : int
        Rows; columns that the target depends on; columns that it doesn't depend on.
    n_classes : int
    traps : sequence of str
        Keys of `TRAPS`.
    signal : float
        Standard deviation of what the relevant columns contribute, beside logistic noise.
    n_holdout : int
        Rows to generate beside the table; traps between rows are not planted there.
    regression : bool
        The target is a quantity.
    product : bool
        The first two relevant columns contribute by their product only.

    Returns
    -------
    Planted
    """
    rng = np.random.default_rng(seed)
    n = n_samples + n_holdout
    X = rng.normal(size=(n, n_relevant + n_noise))
    X[:, n_relevant] = 0.8 * X[:, 0] + 0.6 * X[:, n_relevant]  # one noise column resembles a relevant one
    weights = rng.choice([-1, 1], n_relevant) * rng.uniform(0.6, 1.4, n_relevant)
    effect = X[:, :n_relevant] @ weights
    if product:
        effect = 1.5 * X[:, 0] * X[:, 1] + X[:, 2:n_relevant] @ weights[2:]
    latent = signal * effect / effect.std() + rng.logistic(size=n)
    if regression:
        y = np.round(20 + 5 * latent, 3)
    else:
        cuts = np.quantile(latent, np.arange(1, n_classes) / n_classes)
        y = np.array(["low", "high", "middle", "other"])[np.searchsorted(cuts, latent)]
    names = [f"m{k + 1}" for k in range(X.shape[1])]
    order = rng.permutation(X.shape[1])
    table = pd.DataFrame(np.round(X[:, order], 4), columns=names)
    relevant = [names[k] for k in np.flatnonzero(order < n_relevant)]
    table["outcome"] = y
    planted = Planted(table.iloc[:n_samples].copy(), relevant, holdout=table.iloc[n_samples:].copy())
    for kind in traps:
        name, column = TRAPS[kind](planted, rng)
        planted.traps.setdefault(name, []).extend(column)
    return planted


def _add(planted, name, values):
    planted.table.insert(len(planted.table.columns) // 2, name, values)
    return [name]


def _codes(planted):
    """The target as numbers; its classes in alphabetical order."""
    return pd.factorize(planted.table["outcome"], sort=True)[0]


def _take(planted, rows):
    planted.table = planted.table.iloc[rows].reset_index(drop=True)


def _days(values):
    return pd.Series(pd.Timestamp("2021-03-01") + pd.to_timedelta(values, unit="D")).dt


def _sequence(planted, rng):
    return "identifier", _add(planted, "row", np.arange(1, len(planted.table) + 1))


def _uuid(planted, rng):
    codes = [f"{code:08x}-{k:04x}" for k, code in enumerate(rng.integers(2**28, 2**32, len(planted.table)))]
    return "identifier", _add(planted, "token", codes)


def _sample_number(planted, rng):
    return "identifier", _add(planted, "sample_id", rng.permutation(10**6)[: len(planted.table)])


def _constant(planted, rng):
    return "constant", _add(planted, "device", "A7")


def _empty(planted, rng):
    return "empty", _add(planted, "remarks", "")


def _free_text(planted, rng):
    words = ["the", "patient", "came", "with", "pain", "in", "left", "right", "arm", "leg", "after", "before", "rest"]
    return "free text", _add(planted, "notes", [" ".join(rng.choice(words, 9)) for _ in range(len(planted.table))])


def _scaled_copy(planted, rng):
    planted.table["copy"] = planted.table[planted.relevant[0]] * 2.54 + 10
    return "duplicate columns", ["copy"]


def _recoded_copy(planted, rng):
    levels = rng.integers(0, 4, len(planted.table))
    _add(planted, "colour", np.array(["red", "green", "blue", "grey"])[levels])
    planted.table["colour2"] = np.array(["r", "g", "b", "y"])[levels]
    return "duplicate columns", ["colour2"]


def _repeated_rows(planted, rng):
    again = planted.table.sample(frac=0.1, random_state=int(rng.integers(2**31)))
    planted.table = pd.concat([planted.table, again], ignore_index=True)
    return "duplicate rows", []


def _contradiction(planted, rng):
    again = planted.table.sample(n=max(8, len(planted.table) // 20), random_state=int(rng.integers(2**31)))
    classes = sorted(planted.table["outcome"].unique())
    following = dict(zip(classes, [*classes[1:], classes[0]], strict=True))
    again["outcome"] = again["outcome"].map(following)
    planted.table = pd.concat([planted.table, again], ignore_index=True)
    return "contradicting rows", []


def _recoded_target(planted, rng):
    codes = pd.factorize(planted.table["outcome"])[0]
    return "target leak", _add(planted, "code", np.where(codes == 0, rng.choice([7, 9], len(codes)), codes + 10))


def _noisy_target(planted, rng):
    y = planted.table["outcome"]
    codes = y if pd.api.types.is_numeric_dtype(y) else pd.factorize(y)[0]
    return "target leak", _add(planted, "marker", np.round(codes + rng.normal(size=len(y)) * 0.08, 4))


def _missing_target_leak(planted, rng):
    y = planted.table["outcome"]
    dose = np.round(rng.uniform(1, 9, len(y)), 2).astype(object)
    dose[(y != y.iloc[0]).to_numpy()] = ""
    return "target leak", _add(planted, "dose", dose)


def _groups(planted, rng):
    """Patients of about six rows, whose rows have similar values and targets."""
    n = len(planted.table)
    _take(planted, np.argsort(_codes(planted) + 0.7 * rng.normal(size=n), kind="stable"))
    group = np.sort(rng.integers(0, n // 6, n))
    centers = rng.normal(size=(n // 6, planted.table.shape[1]))
    for k, name in enumerate(column for column in planted.table if column.startswith("m")):
        planted.table[name] = np.round(0.6 * planted.table[name] + 0.8 * centers[group, k], 4)
    order = rng.permutation(n)
    _take(planted, order)
    return "groups", _add(planted, "patient_id", [f"P{g:04d}" for g in rng.permutation(n // 6)[group[order]]])


def _drift(planted, rng):
    n = len(planted.table)
    _take(planted, np.argsort(_codes(planted) + rng.normal(size=n)))
    _add(planted, "visit", _days(np.sort(rng.integers(0, 700, n))).strftime("%Y-%m-%d"))
    planted.traps["dates"] = ["visit"]
    return "time order", ["visit"]


def _dates(planted, rng):
    return "dates", _add(planted, "born", _days(rng.integers(0, 700, len(planted.table))).strftime("%d.%m.%Y"))


def _imbalance(planted, rng):
    few = planted.table["outcome"] == planted.table["outcome"].iloc[0]
    _take(planted, np.flatnonzero(~few | (rng.uniform(size=len(few)) < 0.12)))
    return "imbalance", ["outcome"]


def _rare_class(planted, rng):
    rows = rng.permutation(len(planted.table))[:3]
    planted.table.loc[rows, "outcome"] = "rare"
    return "rare classes", ["outcome"]


def _missing(planted, rng):
    name = planted.relevant[-1]
    values, spelling = planted.table[name].astype(object), rng.choice(["NA", "?", "", "n/a", "-"])
    values[rng.uniform(size=len(values)) < 0.15] = spelling
    planted.table[name] = values
    return "missing values", [name]


def _missing_code(planted, rng):
    values = np.round(rng.uniform(20, 90, len(planted.table)), 1)
    values[rng.uniform(size=len(values)) < 0.06] = rng.choice([-999, 9999, -99])
    planted.traps.setdefault("missing values", []).append("pressure")
    return "missing codes", _add(planted, "pressure", values)


def _mixed(planted, rng):
    values = np.round(rng.uniform(0, 50, len(planted.table)), 1).astype(str).astype(object)
    values[rng.permutation(len(values))[: max(2, len(values) // 25)]] = "<0.5"
    return "mixed types", _add(planted, "titre", values)


def _one_hot(planted, rng):
    levels = rng.integers(0, 4, len(planted.table))
    names = [f"site_{name}" for name in ("north", "south", "east", "west")]
    for k, name in enumerate(names):
        planted.table[name] = (levels == k).astype(int)
    return "one-hot columns", names


def _spelling(planted, rng):
    rows = rng.permutation(len(planted.table))[:6]
    planted.table.loc[rows, "outcome"] = planted.table.loc[rows, "outcome"].str.upper()
    return "label spelling", ["outcome"]


def _unlabelled(planted, rng):
    planted.table.loc[rng.permutation(len(planted.table))[:5], "outcome"] = ""
    return "missing target", ["outcome"]


def _wide(planted, rng):
    n = len(planted.table)
    noise = pd.DataFrame(np.round(rng.normal(size=(n, n + 5)), 3), columns=[f"g{k}" for k in range(n + 5)])
    planted.table = pd.concat([planted.table.reset_index(drop=True), noise], axis=1)
    if planted.table.shape[1] - 1 > MOST_UNITS:
        planted.traps["many columns"] = []
    return "more columns than rows", []


#: Functions that plant a trap and return the name that the report has for it, with the columns concerned.
TRAPS = {
    "sequence": _sequence,
    "uuid": _uuid,
    "sample number": _sample_number,
    "constant": _constant,
    "empty": _empty,
    "free text": _free_text,
    "scaled copy": _scaled_copy,
    "recoded copy": _recoded_copy,
    "repeated rows": _repeated_rows,
    "contradiction": _contradiction,
    "recoded target": _recoded_target,
    "noisy target": _noisy_target,
    "missing where": _missing_target_leak,
    "groups": _groups,
    "drift": _drift,
    "dates": _dates,
    "imbalance": _imbalance,
    "rare class": _rare_class,
    "missing": _missing,
    "missing code": _missing_code,
    "mixed": _mixed,
    "one-hot": _one_hot,
    "spelling": _spelling,
    "unlabelled": _unlabelled,
    "wide": _wide,
}

"""The bench of the report: generated files with planted traps and planted columns, and real data sets as CSV files."""

import numpy as np
from sklearn.metrics import balanced_accuracy_score, r2_score

from compendium.experiment import DataExperiment, Schema, parameter, table
from compendium.units import crossed, name_of, run_units, seed_for
from fscore.report.analysis import Analysis, Settings
from fscore.report.findings import read_findings
from fscore.report.outputs import final_model
from fscore.report.rankings import METHODS
from your.patterns import PATTERNS
from your.planting import TRAPS, plant, through_a_file, with_class
from your.rivals import RIVALS, choose_and_score

SPECIAL = ("groups", "drift", "wide")  # they change the whole table
COPYING = ("repeated rows", "contradiction")
# What is planted later must not undo what is there: a new column of noise makes copies of rows differ.
TURNS = dict.fromkeys(("groups", "drift"), 0) | dict.fromkeys(COPYING, 2)
TURNS |= dict.fromkeys(("recoded target", "noisy target", "missing where"), 3)  # derived from the target
COMPARED = ["bupa", "dermatology_358", "house", "ionosphere", "parkinsons", "pima"]
COMPARED += ["segment", "sonar", "spectf", "vowel", "wdbc", "wine"]
HOLDOUT = 20000  # rows
COUNTS = ("samples", "columns", "relevant", "chosen", "chosen_relevant")


class DataBench(DataExperiment):
    """What the report finds in files whose truth is known.

    Tables
    ------
    traps
        file, trap, outcome ("found", "missed" or "false alarm"). A trap is found if the report names it with all its
        columns. A file without traps and false alarms has one row, with the outcome "clean".
    scores
        One row a file: file, task, effect ("sum" or "product" of relevant columns), samples, columns, relevant (their
        number), honest, lower, upper (score of the selection with its 90% interval), all_columns, reported (what the
        search itself believes), holdout (score of the final model on 20,000 further rows), chosen (number of columns
        selected), chosen_relevant (how many of them are relevant).
    rankings
        file, task, effect, method, value: share of the r relevant columns among the first r of a ranking; ``report`` is
        the ranking that the report chose.
    real
        One row a data set, written as a CSV file and read again: dataset, samples, features, classes, verdict,
        sentence, traps, honest, lower, upper, all_columns, reported (balanced accuracies), accuracy (of the selection,
        honest), chosen (number of columns), columns.
    patterns
        One row for each question to a file after the pattern of a public one (see `your.patterns`): file, question
        ("task", "traps", "columns" or "model"), right (bool), answer of the report, expected.
    rivals
        Other ways to choose columns (see `your.rivals`), on real data sets: dataset, method, metric ("size", or
        "accuracy": balanced, on the test part), split, value.
    """

    version = 3  # the sentence says the difference in words
    schema = Schema(
        traps=table("file trap", values="outcome"),
        scores=table("file", values="*"),
        rankings=table("file task effect method"),
        real=table("dataset", values="*"),
        patterns=table("file question", values="*"),
        rivals=table("dataset method metric", repetition="split"),
    )

    dataset: list[str] = parameter(["wine", "wdbc"], "data sets, or paths of CSV files", "data sets")
    compared: list[str] = parameter(
        COMPARED, "data sets, or paths of CSV files, on which other methods choose columns, too", "data sets"
    )
    n_splits: int = parameter(5, "folds of these data sets", "[2, 100]")
    trapped: int = parameter(100, "files with planted traps", "[1, 100000]")
    scored: int = parameter(400, "files with planted columns that are selected from and scored", "[1, 100000]")
    samples: list[int] = parameter([100, 150, 300, 450], "rows of a scored file, one of these", "[40, 4000]")
    methods: list[str] = parameter(list(METHODS), "rankings to select by", f"{{{', '.join(METHODS)}}}")
    # The report adds up to 4 to its seed, and random states take 32 bits.
    seed: int = parameter(0, "root of all random numbers", "[0, 4294967291]")

    def measure(self):
        """See the class."""
        units = crossed({"seed": self.seed}, file=range(self.trapped))
        traps = run_units(find_traps, units, label="traps")
        units = crossed(self.pick("samples", "methods", "seed"), file=range(self.scored))
        found = run_units(score_file, units, label="scores")
        units = crossed(self.pick("target", "methods", "seed"), dataset=self.dataset)
        real = run_units(report_on, units, label="data sets")
        patterns = run_units(ask, crossed({"seed": self.seed}, file=PATTERNS), label="patterns")
        units = crossed(
            self.pick("target", "n_splits", "seed"), dataset=self.compared, rival=RIVALS, split=range(self.n_splits)
        )
        rivals = run_units(choose_and_score, units, label="other methods")
        is_score = found["method"] == ""
        scores = found[is_score].dropna(axis=1, how="all").drop(columns="method").reset_index(drop=True)
        return {
            "traps": traps,
            "scores": scores.astype(dict.fromkeys(COUNTS, int)),
            "rankings": found.loc[~is_score, ["file", "task", "effect", "method", "value"]].reset_index(drop=True),
            "real": real,
            "patterns": patterns,
            "rivals": rivals,
        }


def planted_names(rng):
    """Traps of one file, in the order of planting.

    None in a quarter of the files; else two, and in a fifth of these one more that changes the whole table.
    """
    if rng.uniform() < 0.25:
        return []
    names = rng.choice([name for name in TRAPS if name not in SPECIAL], size=2, replace=False).tolist()
    if rng.uniform() < 0.2:
        names.append(str(rng.choice(SPECIAL)))
    if {"spelling", "imbalance", "recoded target", "noisy target"} & set(names) and "rare class" in names:
        names.remove("rare class")  # they depend on the classes, too
    if "wide" in names:
        names = [name for name in names if name not in COPYING]
    return sorted(names, key=lambda name: TURNS.get(name, 1))


def find_traps(file, seed):
    """Plant traps in a file; one row for each trap and each false alarm."""
    rng = np.random.default_rng(seed_for(seed, "traps", file))
    names = planted_names(rng)
    planted = plant(
        seed_for(seed, "traps", file, "table"),
        n_samples=int(rng.choice([120, 300, 1000])),
        n_noise=int(rng.integers(4, 30)),
        n_classes=int(rng.integers(2, 4)),
        traps=names,
    )
    found = by_kind(through_a_file(planted.table, "outcome").issues)
    outcomes = [
        (kind, "found" if kind in found and set(columns) <= found[kind] else "missed")
        for kind, columns in planted.traps.items()
    ]
    outcomes += [(kind, "false alarm") for kind in found if kind not in planted.traps]
    return [{"file": file, "trap": kind, "outcome": outcome} for kind, outcome in outcomes or [("none", "clean")]]


def by_kind(traps):
    """The columns of a report's traps, by their kind."""
    found = {}
    for trap in traps:
        found.setdefault(trap.kind, set()).update(trap.columns)
    return found


def ask(file, seed):
    """Put the questions to a file whose right answers are written down; one row for each."""
    asked = PATTERNS[file](np.random.default_rng(seed))
    problem = through_a_file(asked.table, asked.target)
    found = by_kind(problem.issues)
    selected = Analysis(problem, Settings(problem.task)).run("select")
    first = {problem.columns[column] for column in selected["order"][: len(asked.chosen)]}
    answers = [("task", problem.task, asked.task), ("traps", _words(found), _words(asked.traps))]
    if asked.chosen:
        answers.append(("columns", ", ".join(sorted(first)), ", ".join(sorted(asked.chosen))))
    if asked.model:
        answers.append(("model", selected["model"], asked.model))
    return [
        {"file": file, "question": question, "right": answer == expected, "answer": answer, "expected": expected}
        for question, answer, expected in answers
    ]


def _words(traps):
    return "; ".join(f"{kind}: {', '.join(sorted(columns))}" for kind, columns in sorted(traps.items())) or "none"


def score_file(file, samples, methods, seed):
    """Select from a file with planted columns; one row with its scores, and one row for each ranking."""
    rng = np.random.default_rng(seed_for(seed, "scores", file))
    regression, product = file % 3 == 2, file % 2 == 1  # the target of every third file is a quantity
    planted = plant(
        seed_for(seed, "scores", file, "table"),
        n_samples=int(rng.choice(samples)),
        n_relevant=int(rng.integers(3, 7)),
        n_noise=int(rng.integers(6, 25)),
        n_classes=int(rng.integers(2, 4)),
        signal=float(rng.choice([1.0, 2.0, 4.0])),
        traps=[str(rng.choice(["constant", "sequence"]))],
        n_holdout=HOLDOUT,
        regression=regression,
        product=product,
    )
    problem = through_a_file(planted.table, "outcome")
    results, found = selected(problem, methods, seed)
    found.verdict, found.recommended = "select", found.columns  # the score is that of the selection
    truth = planted.holdout["outcome"].to_numpy()
    predicted = final_model(problem, found).predict(planted.holdout)
    names = problem.columns
    relevant = set(planted.relevant)
    what = {"file": file, "task": problem.target.task, "effect": "product" if product else "sum"}
    scores = {
        "samples": len(problem.y),
        "columns": len(names),
        "relevant": len(relevant),
        **honest_scores(found),
        "holdout": float((r2_score if regression else balanced_accuracy_score)(truth, predicted)),
        "chosen": len(found.columns),
        "chosen_relevant": len(relevant & {names[unit] for unit in found.columns}),
    }
    orders = {**found.ranks, "report": results["select"]["order"]}
    rows = [what | {"method": ""} | scores]
    for name, order in orders.items():
        first = {names[unit] for unit in order[: len(relevant)]}
        rows.append(what | {"method": name, "value": len(relevant & first) / len(relevant)})
    return rows


def selected(problem, methods, seed):
    """The part of a report that selects, scores and ranks: its steps, and what they say."""
    analysis = Analysis(
        problem, Settings(problem.task, () if set(methods) == set(METHODS) else tuple(methods), None, seed)
    )
    results = {name: analysis.run(name) for name in ("select", *(f"fold {k}" for k in range(len(analysis.outer))))}
    results["agreement"] = analysis.run("agreement")
    return results, read_findings(problem, analysis, results)


def honest_scores(found):
    """Scores of a report, by name."""
    return {
        "honest": found.chosen.value,
        "lower": found.chosen.lower,
        "upper": found.chosen.upper,
        "all_columns": found.everything.value,
        "reported": found.reported,
    }


def report_on(dataset, target, methods, seed):
    """The report's answer on a data set written as a CSV file."""
    problem = through_a_file(with_class(dataset, target), "class")
    results, found = selected(problem, methods, seed)
    folds = [result for name, result in results.items() if name.startswith("fold ")]
    y = problem.y[problem.drawn]  # folds number the rows that were drawn
    correct = np.concatenate([np.equal(fold["chosen"], y[fold["test"]]) for fold in folds])
    return [
        {
            "dataset": name_of(dataset),
            "samples": len(problem.y),
            "features": len(problem.columns),
            "classes": len(problem.target.classes),
            "verdict": found.verdict,
            "sentence": found.sentence,
            "traps": ", ".join(dict.fromkeys(trap.kind for trap in problem.issues)),
            **honest_scores(found),
            "accuracy": float(correct.mean()),
            "chosen": len(found.columns),
            "columns": ", ".join(problem.columns[column] for column in found.columns),
        }
    ]

"""The report on one CSV file, as a page."""

import re
import tempfile
from pathlib import Path

import pandas as pd
from joblib import effective_n_jobs

from compendium.experiment import Experiment, Schema, parameter, table
from compendium.papers import RESULTS, YOURS
from fscore._files import write_atomically
from fscore.datasets.registry import is_path
from fscore.report import read_table, report
from fscore.report.outputs import rebuild_lines, selected_features
from fscore.report.rankings import METHODS
from fscore.report.scores import measure_of
from your.planting import with_class

LINES = ["number", "line"]


class Data(Experiment):
    """Which columns of a file predict its target.

    The files of a report (see `fscore.report.report`) are written to `out`. A data set of the registry is written as a
    CSV file first, to `out`, too.

    Tables
    ------
    advice
        One row: sentence, question (to ask before the score is believed; empty if there is none), verdict, task, rows,
        columns, folder (of the files; empty if they were not kept); stopped ("budget" or "interrupt"), a column only of
        a report that is not finished.
    traps
        trap, columns, found, done; one row "none" if there is none.
    scores
        score (what it is the score of), value, lower, upper (90%, NaN without an interval), measure.
    columns
        See `fscore.report.outputs.selected_features`.
    sizes
        columns, score, lower, upper (90%), note ("chosen", "smallest good set").
    agreement
        column, and its place in each ranking; NaN beyond the first hundred.
    lines
        number (from 1), line: the lines of Python that make the model again.
    """

    version = 4  # the lines are those of the report
    schema = Schema(
        advice=table(values="*"),
        traps=table(values="*"),
        scores=table(values="*"),
        columns=table(values="*"),
        sizes=table(values="*"),
        agreement=table(values="*"),
        lines=table("number", values="line"),
    )
    reads_any_file = True

    dataset: str = parameter("wdbc", "data set, or the path of any CSV file", "data sets")
    target: str | None = parameter(None, "column to predict; by default the last")
    task: str | None = parameter(None, "found from the target if null", "{classification, regression}")
    drop: list[str] | None = parameter(None, "columns to leave out")
    keep: list[str] | None = parameter(None, "columns to keep although they look like a leak")
    groups: str | None = parameter(None, "column whose values tell which rows belong together; none: look for none")
    time: str | None = parameter(None, "column of time, to score forwards in it; none: look for none")
    methods: list[str] | None = parameter(None, "rankings", f"{{{', '.join(METHODS)}}}")
    max_features: int | None = parameter(None, "select at most so many", "[1, 100000]")
    cost: str | None = parameter(None, "CSV file with the columns 'column' and 'cost'", "paths")
    budget: float | None = parameter(None, "seconds; a first answer is always computed", "(0, 1000000]")
    out: str | None = parameter(
        None, "folder for the report; for a CSV file results/yours/NAME_report by default", "paths"
    )
    # The report adds up to 4 to its seed, and random states take 32 bits.
    seed: int = parameter(0, "root of all random numbers", "[0, 4294967291]")

    def measure(self):
        """See the class."""
        options = self.pick("task", "groups", "time", "methods", "max_features", "cost", "budget", "seed")
        options |= {"drop": self.drop or (), "keep": self.keep or (), "n_jobs": effective_n_jobs()}
        of_a_file = is_path(self.dataset)
        with tempfile.TemporaryDirectory() as scratch:
            csv, target, within = Path(self.dataset), self.target, RESULTS / YOURS
            if not of_a_file:  # the lines of its report read it from there
                csv, target, within = Path(self.out or scratch, f"{self.dataset}.csv"), "class", scratch
                write_atomically(csv, with_class(self.dataset).to_csv(index=False))
            target = target or read_table(csv).frame.columns[-1]
            try:
                made = report(csv, target, out=self.out, within=within, show=False, **options)
            except (ValueError, FileNotFoundError) as error:
                if len(error.args) == 1:
                    error.args = (_with_parameters(str(error)),)
                raise
        folder = made.folder if of_a_file or self.out else None
        asked = {name: options[name] for name in ("task", "drop", "keep", "groups", "time") if options[name]}
        return {"advice": _advice(made, folder), **_tables(made, csv.name, asked)}

    def can_reuse(self, tables):
        """False if the report was stopped, since a new run goes on, or if its files are gone."""
        folder = tables["advice"]["folder"].iloc[0]
        return "stopped" not in tables["advice"] and (not folder or Path(folder, "report.html").is_file())


def _with_parameters(sentence):
    """A sentence about options of the command, with the parameters of the page: `--groups none` is `groups=none`."""
    names = "|".join(parameter.name.replace("_", "-") for parameter in Data.parameters)
    sentence = re.sub(rf"(?<![^\s(])--({names}) none\b", r"\1=none", sentence)
    return re.sub(rf"(?<![^\s(])--({names})\b", lambda found: found[1].replace("-", "_"), sentence)


def _advice(made, folder):
    problem, found = made.problem, made.findings
    row = {"sentence": found.sentence, "question": found.question, "verdict": found.verdict, "task": problem.task}
    rows, columns = problem.X.shape
    row |= {"rows": rows, "columns": columns, "folder": "" if folder is None else str(folder)}
    return pd.DataFrame([row if found.stopped is None else row | {"stopped": found.stopped}])


def _tables(made, file, asked):
    problem, found = made.problem, made.findings
    traps = [
        {"trap": trap.kind, "columns": ", ".join(trap.columns), "found": trap.finding, "done": trap.action}
        for trap in problem.issues
    ]
    none = {"trap": "none", "columns": "", "found": "No trap was found.", "done": ""}
    marks = {len(found.small): "smallest good set"}
    marks |= {len(found.columns): "chosen" if len(found.columns) not in marks else "chosen, smallest good set"}
    sizes = pd.DataFrame(found.sizes, columns=["columns", "score", "lower", "upper"])
    agreement = [
        {"column": problem.columns[column]}
        | {name: order.index(column) + 1 if column in order else None for name, order in found.ranks.items()}
        for column in found.columns
    ]
    return {
        "traps": pd.DataFrame(traps or [none]),
        "scores": pd.DataFrame(_scores(found)).assign(measure=measure_of(problem.task)),
        "columns": selected_features(problem, found),
        "sizes": sizes.assign(note=[marks.get(size, "") for size in sizes["columns"]]),
        "agreement": pd.DataFrame(agreement),
        "lines": pd.DataFrame(enumerate(rebuild_lines(file, problem, found, asked).splitlines(), 1), columns=LINES),
    }


def _scores(found):
    estimates = {
        "selected columns": found.chosen,
        "smallest good set": found.smallest,
        "all columns": found.everything,
        **{f"selected columns, {name}": estimate for name, estimate in found.other_splits.items()},
    }
    rows = [
        {"score": name, "value": estimate.value, "lower": estimate.lower, "upper": estimate.upper}
        for name, estimate in estimates.items()
        if estimate is not None
    ]
    more = {"what the search itself saw": found.reported, "chance": found.chance}
    return rows + [{"score": name, "value": value} for name, value in more.items()]

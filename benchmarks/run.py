"""Run the benchmarks and print one table: ``python benchmarks/run.py [--quick] [--keep] [name ...]``.

A benchmark is a module in this folder whose ``rows(quick)`` yields `common.Row`. Ratios are medians over interleaved
repeats in one process with one thread. ``--keep`` writes the rows to ``data/measured``, from which the page on speed
takes them, except rows of which nothing could be measured; those of other benchmarks stay. Run it on an idle machine.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import csv
import importlib
import io
import platform
import sys
import warnings
from pathlib import Path

from fscore._files import write_atomically

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parent / "data" / "measured" / "speed.csv"
COLUMNS = ("benchmark", "work", "peer", "fscore", "ratio", "goal", "holds", "load before")
NO_BENCHMARKS = {"run", "common", "_sklvq_peer", "cluster", "report"}


def main():
    """Print a Markdown table; exit 1 if a goal is missed, or results differ."""
    names = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in NO_BENCHMARKS)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="name", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="only the small problems")
    parser.add_argument("--keep", action="store_true", help="write the rows to data/measured")
    arguments = parser.parse_args()
    if arguments.keep and arguments.quick:
        parser.error("--keep is for complete benchmarks; leave --quick out.")
    sys.path.insert(0, str(HERE))
    warnings.simplefilter("ignore")
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, one thread\n")
    print("| work | peer | fscore | ratio | goal | holds |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    missed, measured = 0, {}
    for name in arguments.names or names:
        measured[name], load = [], f"{os.getloadavg()[0]:.1f}"
        for row in importlib.import_module(name).rows(arguments.quick):
            holds = {True: "yes", False: "no", None: "-"}[row.holds]
            print(f"| {row.work} | {row.peer} | {row.ours} | {row.ratio} | {row.goal} | {holds} |", flush=True)
            missed += row.holds is False
            cells = row.work, row.peer, row.ours, row.ratio, row.goal, holds
            if row.ours != "-":
                measured[name].append([name, *map(as_markdown, cells), load])
        if arguments.keep:
            keep(measured, names)
    return f"{missed} rows say no." if missed else 0


def as_markdown(cell):
    """A cell of the page's table, in which a dash would begin a list and > a quotation."""
    return "" if cell == "-" else cell.replace(">=", "≥").replace("<=", "≤")


def keep(measured, names):
    """Replace the rows of the benchmarks that have run."""
    kept = {name: [] for name in names}
    if MEASURED.is_file():
        with MEASURED.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["benchmark"] in kept:
                    kept[row["benchmark"]].append([row[column] for column in COLUMNS])
    kept.update(measured)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *(row for name in names for row in kept[name])])
    write_atomically(MEASURED, text.getvalue())


if __name__ == "__main__":
    sys.exit(main())

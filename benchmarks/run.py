"""Run the benchmarks and print one table: ``python benchmarks/run.py [--quick] [name ...]``.

A benchmark is a module in this folder whose ``rows(quick)`` yields `common.Row`. Ratios are medians over interleaved
repeats in one process with one thread.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import importlib
import platform
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
NO_BENCHMARKS = {"run", "common", "_sklvq_peer", "cluster", "dossier"}


def main():
    """Print a Markdown table; exit 1 if a goal is missed."""
    names = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in NO_BENCHMARKS)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="name", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="only the small problems")
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    warnings.simplefilter("ignore")
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, one thread\n")
    print("| work | peer | fscore | ratio | goal | holds |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    missed = 0
    for name in arguments.names or names:
        for row in importlib.import_module(name).rows(arguments.quick):
            holds = {True: "yes", False: "no", None: "-"}[row.holds]
            print(f"| {row.work} | {row.peer} | {row.ours} | {row.ratio} | {row.goal} | {holds} |", flush=True)
            missed += row.holds is False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

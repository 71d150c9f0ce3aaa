"""Command line: ``python -m fscore.datasets list`` and ``python -m fscore.datasets fetch [NAMES]``.

Exit status of ``fetch``: 0 if all requested data sets are here (without names: all that are public and have a recorded
hash), 1 if one is not, 2 for a wrong call.
"""

import argparse
import os
import sys
import warnings

from fscore._interrupts import exit_with

from .fetching import fetch
from .registry import DatasetUnavailableError, data_folder, lookup, read_registry, status


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fscore.datasets", description="The data sets of the compendium.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, meaning in (("list", "show which data sets are here"), ("fetch", "download and verify data sets")):
        sub = commands.add_parser(command, help=meaning, description=meaning)
        sub.add_argument("names", nargs="*", metavar="NAME", help="data sets; default: all")
        sub.add_argument(
            "--data", metavar="FOLDER", help="local folder; default: FSCORE_DATA, or the user's cache folder"
        )
        sub.add_argument(
            "--mirror", metavar="FOLDER_OR_URL", help="tried before the original URL; default: FSCORE_DATA_MIRROR"
        )
    options = parser.parse_args(arguments)
    for variable, value in (("FSCORE_DATA", options.data), ("FSCORE_DATA_MIRROR", options.mirror)):
        if value:
            os.environ[variable] = value
    try:
        datasets = [lookup(name) for name in options.names or read_registry()]
    except ValueError as error:
        parser.error(str(error))
    reasons = {}
    if options.command == "fetch":
        try:
            reasons = _fetch_all(datasets)
        except KeyboardInterrupt:
            print("Interrupted; all complete files are kept. Run the command again to continue.", file=sys.stderr)
            return 130
    # status() sees that there is a file, but it may be the wrong one
    states = {dataset: "missing" if dataset.name in reasons else status(dataset.name) for dataset in datasets}
    width = max(len(dataset.name) for dataset in datasets)
    print(f"{'name':{width}}  {'status':10}  samples  features  remark")
    for dataset, where in states.items():
        n, p = ("?" if count is None else count for count in (dataset.n_samples, dataset.n_features))
        print(f"{dataset.name:{width}}  {where:10}  {n:>7}  {p:>8}  {reasons.get(dataset.name, '')}".rstrip())
    return 0 if options.command == "list" else _conclude(states, asked_by_name=bool(options.names))


def _fetch_all(datasets):
    """Fetch all data sets of kind "download", with a progress bar; return the reasons of failures by name."""
    from tqdm import tqdm

    reasons, unreachable = {}, set()
    wanted = [dataset for dataset in datasets if dataset.kind == "download"]
    with tqdm(wanted, unit="set") as bar, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: bar.write(str(message), file=sys.stderr)
        for dataset in bar:
            bar.set_description(dataset.name)
            try:
                fetch(dataset, copy=True, unreachable=unreachable)
            except DatasetUnavailableError as error:
                reasons[dataset.name] = error.reason
    return reasons


def _conclude(states, asked_by_name):
    """Print what is missing in one sentence; return the exit status."""
    wanted = {d.name: where for d, where in states.items() if asked_by_name or (d.kind == "download" and d.files)}
    missing, not_public = (
        [name for name, where in wanted.items() if where == lack] for lack in ("missing", "not public")
    )
    if not_public:
        print(f"\nNot public, so not fetched: {', '.join(not_public)}.")
    if missing:
        print(
            f"\n{len(missing)} of {len(wanted)} data sets are not here: {', '.join(missing)}. Everything else works "
            "without them. Run the command again with a connection, or with --mirror FOLDER_OR_URL that has them."
        )
    if not missing and not not_public:
        print(f"\nAll {len(wanted)} requested data sets are here; downloads are in {data_folder()}.")
    return 1 if missing or not_public else 0


if __name__ == "__main__":
    exit_with(main)

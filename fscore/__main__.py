"""Command line of the library.

``python -m fscore report my.csv --target diagnosis`` tells which columns of a file matter, ``python -m fscore compile``
compiles all inner loops at once. What a command needs is imported when it runs, so that help comes at once.

Exit status of a report: 0 if it is complete, 1 if the file or an option can't be used, 2 for a wrong call, 3 if the
budget was spent before the end, 130 after Ctrl-C (the report of what was done is written).
"""

import argparse
import errno
import os
import re
import sys

from fscore._interrupts import exit_with

__all__ = ["main"]


def main(arguments=None):
    """Run one of the commands; return the exit status.

    Parameters
    ----------
    arguments : list of str, optional

    Returns
    -------
    int
    """
    options = vars(_parser().parse_args(arguments))
    if options.pop("command") == "report":
        return _report(options)
    from fscore._compiling import compile_kernels

    compile_kernels()
    return 0


def _report(options):
    try:
        from fscore.report.report import report
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        folder, found, _ = report(**options, show=True)
    except (ValueError, TypeError) as error:
        print(str(error).replace(" encoding=", " --encoding="), file=sys.stderr)  # that of a Python function
        return 1
    except OSError as error:
        print(_file_error(error, options), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted before anything was found; the same command starts again.", file=sys.stderr)
        return 130
    if found.stopped is not None:
        why = {"budget": "The time was up", "interrupt": "Interrupted"}[found.stopped]
        print(f"{why} before the end; the report says what is missing, and the same command goes on.", file=sys.stderr)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal without a character shows a question mark
        sys.stdout.reconfigure(errors="replace")
    print(found.sentence)
    if found.question:
        print(found.question)
    print(folder / "report.html")
    return {None: 0, "budget": 3, "interrupt": 130}[found.stopped]


def _file_error(error, options):
    """One sentence about a file that can't be read or written."""
    if error.errno is None:  # our own sentence
        return error
    if error.filename is None:
        return f"The work can't go on ({error.strerror}); free some memory or disk space and run the command again."
    read = [os.path.expanduser(name) for name in (options["csv"], options["cost"]) if name]
    if str(error.filename) in read:
        return f"{error.filename} can't be read ({error.strerror}); give the path of a CSV file."
    remedy = "give a shorter name by --out" if error.errno == errno.ENAMETOOLONG else "choose another place with --out"
    return f"{error.filename} can't be written ({error.strerror}); {remedy}."


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m fscore",
        description="Feature selection.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    does = "compiles all inner loops now, so that no later call has to wait for it"
    commands.add_parser("compile", help=does, description=f"{does.capitalize()}.", allow_abbrev=False)
    sub = commands.add_parser(
        "report",
        help="which columns of a CSV file predict its target",
        description="Reads a CSV file, looks for traps, selects columns, scores them honestly; writes one HTML page.",
        allow_abbrev=False,
    )
    sub.add_argument("csv", metavar="FILE", help="a CSV file with a header line")
    sub.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    sub.add_argument("--out", metavar="FOLDER", help="where to write; default FILE_report, numbered if taken")
    sub.add_argument("--encoding", metavar="NAME", help="of the file, such as cp1251; default: found")
    sub.add_argument("--task", choices=("classification", "regression"), help="default: found from the target")
    sub.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave out (may be repeated)")
    sub.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="COLUMN",
        help="keep although it looks like a leak or an identifier, and codes for missing values as numbers",
    )
    sub.add_argument("--groups", metavar="COLUMN", help="rows of one value belong together; none: don't look for any")
    sub.add_argument("--time", metavar="COLUMN", help="score forwards in this; none: don't look for any")
    sub.add_argument(
        "--methods",
        type=lambda names: [name.strip() for name in names.split(",")],
        metavar="NAMES",
        help="rankings to use, separated by commas; default: the one of the better model",
    )
    sub.add_argument("--max-features", type=int, metavar="N", help="select at most so many columns")
    sub.add_argument("--cost", metavar="FILE", help="CSV file with the columns 'column' and 'cost'")
    sub.add_argument(
        "--budget",
        type=_seconds,
        metavar="TIME",
        help="a first answer comes in any case; stop after this time, such as 60s or 5m",
    )
    sub.add_argument("--seed", type=int, default=0, help="of folds, halves and permutations; default 0")
    sub.add_argument(
        "--jobs", dest="n_jobs", type=int, metavar="N", help="processes; default, or -1: one per processor"
    )
    return parser


def _seconds(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|h)?", text.strip())
    if not match or float(match.group(1)) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 60s, 5m or 1h")
    return float(match.group(1)) * {"s": 1, None: 1, "m": 60, "h": 3600}[match.group(2)]


if __name__ == "__main__":
    exit_with(main)

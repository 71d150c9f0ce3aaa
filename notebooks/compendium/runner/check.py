"""Replay: measure units of the stored tables again, and compare.

A unit is one call of an experiment's function with its arguments; the store has its duration and the checksum of its
rows. An experiment without units is measured again as a whole. Which units were equal, and with which commit, is kept
in ``data/replays.csv``: code that moves numbers without a new `version` of its experiment is found here.
"""

import importlib
import json
import math
import os
import random
import re
import sys
import time
from functools import cache
from itertools import chain, groupby, zip_longest
from numbers import Real

import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from compendium.experiment import experiment_of
from compendium.papers import DATA, RESULTS
from compendium.runner.execution import RunError
from compendium.runner.outputs import tree_key
from compendium.store import commit, entries, is_here, with_data
from compendium.tables import in_words, is_missing
from compendium.units import DIGITS, TIMED, checksum, uncached
from fscore._files import write_atomically
from fscore._interrupts import ctrl_c_ignored

CHECKED = RESULTS / "check.json"  # what the last build found
RECORD = DATA / "replays.csv"
SINCE = RESULTS / "replays.csv"  # what builds replayed since the record was written
CHEAP = 1.0  # seconds
NOTED_EVERY = 30  # seconds
ALL = float("inf")


def budget_of(text):
    """Seconds of a budget such as ``60s``, ``10m``, ``2h`` or ``all``."""
    match = re.fullmatch(r"(\d+)([smh]?)", text)
    if text != "all" and not match:
        raise RunError(f"CHECK = {text!r} is not a duration; write 60s, 10m, 2h or all.")
    return ALL if text == "all" else int(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def seed_of(commit):
    """The environment's ``SEED``; without it, a number that follows from the commit, so that others replay others."""
    if given := os.environ.get("SEED", ""):
        if not given.isdecimal():
            raise RunError(f"SEED = {given!r} is not a whole number; write the one that a build printed.")
        return int(given)
    return int(match[0], 16) if (match := re.match("[0-9a-f]{8}", commit)) else 0


def check(budget, jobs):
    """Replay units drawn at random, and keep what was found for the pages; do nothing if nothing has changed.

    Parameters
    ----------
    budget : str
        Time of all units together, see `budget_of`: the sample is the same for any number of processes.
    jobs : int
        Processes.
    """
    if not (seconds := budget_of(budget)):
        return
    key = f"{tree_key()} {budget} {seed_of(commit())}"
    if checked().get("key") != key:
        found = replay(seconds, jobs)
        write_atomically(CHECKED, json.dumps({"key": key, **found}, indent=1))
        print(summary(found))


def extend(budget, jobs):
    """Replay units, those first that never were, and of these the cheap ones.

    Raises
    ------
    RunError
        If a unit differs.
    """
    found = replay(budget_of(budget), jobs, unseen_first=True)
    print(summary(found))
    if different := [item for part in found["notebooks"].values() for item in part["differ"]]:
        lines = [f"  {item['notebook']}: {item['what']}: {item['differ'][0]}" for item in different]
        raise RunError("\n".join(["Units differ; raise the version of their experiments, or mend the code:", *lines]))


def replay(budget, jobs, unseen_first=False):
    """Measure units again within a budget (in seconds of one core), and note in `SINCE` those that are equal.

    The notes are written every `NOTED_EVERY` seconds, and if the replay is interrupted.

    Parameters
    ----------
    budget : float
    jobs : int
        Processes.
    unseen_first : bool, default=False
        Whether units that were never replayed come before the others, and of these the cheap ones: a budget reaches
        most of them.

    Returns
    -------
    dict
        ``seed``, and by name of the ``notebooks``: units (their number), recorded (False if the experiment counts as
        one), here (with their data on this machine), seen (replayed at this or an earlier time), cheap and cheap_seen
        (of those here that take less than `CHEAP`), left (seconds of those here that never were), measured, rows
        (compared), differ (units that differ).
    """
    seen, known, at, here = replayed(RECORD, SINCE), {}, commit(), cache(is_here)
    for name, entry in entries().items():
        known[name] = _items(name, entry, seen.get((name, entry.about["version"]), {}), here)
    seed = seed_of(at)
    chosen = _drawn(known.values(), budget, random.Random(seed), unseen_first)
    if chosen:
        total = sum(map(len, known.values()))
        print(f"Measuring {len(chosen)} of {total} units again, drawn with SEED={seed} ...", flush=True)
    calls = [delayed(compare)({**item, "seen": False}) for item in chosen]
    options = {"total": len(calls), "desc": "check", "mininterval": 0.5 if sys.stderr.isatty() else 15}
    compared, due = [], time.monotonic() + NOTED_EVERY
    try:
        with ctrl_c_ignored():
            results = Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)
        for item in tqdm(results, **options):
            compared.append(item)
            if not item["differ"]:
                known[item["notebook"]][item["number"]]["seen"] = True
                seen.setdefault((item["notebook"], item["version"]), {})[item["number"]] = at
            if time.monotonic() >= due:
                _write(SINCE, seen)
                due = time.monotonic() + NOTED_EVERY
    finally:
        _write(SINCE, seen)
    return {"seed": seed, "notebooks": {name: _counts(name, items, compared) for name, items in known.items()}}


def _counts(notebook, items, compared):
    here = [item for item in items if item["here"]]
    measured = sorted((item for item in compared if item["notebook"] == notebook), key=lambda item: item["what"])
    cheap = [item for item in here if item["seconds"] < CHEAP]
    return {
        "units": len(items),
        "recorded": all(item["unit"] is not None for item in items),
        "here": len(here),
        "seen": sum(item["seen"] for item in items),
        "cheap": len(cheap),
        "cheap_seen": sum(item["seen"] for item in cheap),
        "left": sum(item["seconds"] for item in here if not item["seen"]),
        "measured": len(measured),
        "rows": sum(item["rows"] for item in measured),
        "differ": [item for item in measured if item["differ"]],
    }


def checked():
    """What the last build's check found; empty if there was none, or if another version of `replay` wrote it."""
    try:
        stored = json.loads(CHECKED.read_text(encoding="utf-8"))
        names = set(_counts("", [], []))
        return stored if all(set(counts) == names for counts in stored["notebooks"].values()) else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def summary(found):
    """Sentences about a replay.

    Parameters
    ----------
    found : dict
        As from `replay`.

    Returns
    -------
    str
    """
    parts = found["notebooks"].values()
    total = {name: sum(part[name] for part in parts) for name in ("units", "here", "seen", "cheap", "cheap_seen")}
    measured, unequal = sum(part["measured"] for part in parts), sum(len(part["differ"]) for part in parts)
    text = f"{measured:,} of {total['units']:,} units were measured again, drawn at random with seed {found['seed']}: "
    text += f"{measured - unequal:,} equal" + (f", {unequal:,} not." if unequal else ".")
    text += f" Since they were stored, {total['seen']:,} were measured again at least once and were equal"
    text += f". Among them are {total['cheap_seen']:,} of the {total['cheap']:,} that take less than {CHEAP:g} s"
    if absent := total["units"] - total["here"]:
        text += f"; {absent:,} need data that are not on this machine"
    if left := sum(part["left"] for part in parts):
        text += f"; measuring the others takes {left / 3600:.1f} h of one core"
    if unrecorded := sum(not part["recorded"] for part in parts):
        text += f". {unrecorded} of {len(parts)} experiments have no units: each counts as one"
    return f"{text}."


def _items(name, entry, seen, here):
    """What can be measured again: the units, or else the whole experiment, whose unit is None."""
    return [
        {
            "notebook": name,
            "version": entry.about["version"],
            "number": number,
            "unit": unit,
            "seconds": unit["seconds"] if unit else entry.about["seconds"],
            "here": all(map(here, _datasets(unit["arguments"]) if unit else entry.present)),
            "seen": number in seen,
        }
        for number, unit in enumerate(entry.units.to_dict("records") or [None])
    ]


def _datasets(arguments):
    return [arguments["dataset"]] if "dataset" in arguments else []


def _drawn(known, budget, rng, unseen_first):
    """Units at random, one of each experiment in turn, while they fit into the budget."""
    queues = [rng.sample(items, len(items)) for items in ([item for item in own if item["here"]] for own in known)]
    rng.shuffle(queues)
    if unseen_first:
        queues = [sorted(queue, key=_late) for queue in queues]
    turns = filter(None, chain.from_iterable(zip_longest(*queues)))
    turns = sorted(turns, key=_late) if unseen_first else turns
    chosen = []
    for item in turns:
        if item["seconds"] <= budget:
            budget -= item["seconds"]
            chosen.append(item)
    return chosen


def _late(item):
    return item["seen"], item["seconds"] >= CHEAP


def compare(item):
    """Measure one item again and compare it with what is stored.

    Parameters
    ----------
    item : dict
        notebook and unit (a row of `compendium.store.Entry.units`, or None for the whole experiment).

    Returns
    -------
    dict
        The item's notebook, version and number; what (it is, in words), rows (their number), differ: up to three places
        with the value here and the stored one.
    """
    unit = item["unit"]
    try:
        with uncached(), threadpool_limits(1):
            rows, differ = _whole(item["notebook"]) if unit is None else _again(unit)
    except Exception as error:  # what no longer runs differs, too
        rows, differ = 0, [(type(error).__name__, str(error), "")]
    arguments = {} if unit is None else unit["arguments"]
    what = ", ".join(f"{name}={in_words(value)}" for name, value in arguments.items()) or "all"
    about = {name: item[name] for name in ("notebook", "version", "number")}
    return {**about, "what": what, "rows": rows, "differ": differ[:3]}


def _again(unit):
    """Number of rows of a unit, and whether their checksum differs."""
    rows = _named(unit["function"])(**{name: _as_given(value) for name, value in unit["arguments"].items()})
    value, size = checksum(rows)
    if math.isclose(value, unit["checksum"], rel_tol=0, abs_tol=10.0**-DIGITS * size):
        return len(rows), []
    return len(rows), [("checksum", f"{value:.10g}", f"{unit['checksum']:.10g}")]


def _whole(notebook):
    """Number of rows of an experiment's tables, and where they differ."""
    entry = entries()[notebook]
    measured = with_data(experiment_of(notebook)(), entry.about["datasets"]).run()
    places = [
        (f"{table}: {place}", str(here), str(there))
        for table, stored in entry.tables.items()
        for place, here, there in differing(measured[table], stored)[1]
    ]
    return sum(map(len, measured.values())), places


def untimed(frame):
    """A table without its durations."""
    frame = frame.loc[:, [TIMED not in str(name) for name in frame.columns]]
    return frame[~frame["metric"].astype(str).str.contains(TIMED)] if "metric" in frame else frame


def differing(measured, stored):
    """Compare two tables of the same rows in the same order, without their durations.

    Parameters
    ----------
    measured, stored : DataFrame

    Returns
    -------
    n_values : int
        Number of values compared.
    differences : list of (str, object, object)
        Place, measured and stored value of those that differ in `DIGITS` significant digits.
    """
    measured, stored = untimed(measured).reset_index(drop=True), untimed(stored).reset_index(drop=True)
    if list(measured.columns) != list(stored.columns) or len(measured) != len(stored):
        shapes = [f"{len(frame)} rows of {', '.join(map(str, frame.columns))}" for frame in (measured, stored)]
        return stored.size, [("table", *shapes)]
    found = [
        (f"{name}, row {row}", mine, theirs)
        for place, name in enumerate(stored.columns)
        for row, (mine, theirs) in enumerate(zip(measured.iloc[:, place], stored.iloc[:, place], strict=True))
        if not equal(mine, theirs)
    ]
    return stored.size, found


def equal(one, other):
    """Whether two cells are equal in `DIGITS` digits, lists part by part."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(equal, one, other))
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    if isinstance(one, Real) and isinstance(other, Real):
        return one == other or math.isclose(one, other, rel_tol=10.0**-DIGITS, abs_tol=10.0 ** -(DIGITS + 3))
    return one == other


def _as_given(value):
    """An argument as it was given: JSON knows no tuples, and none with names."""
    if isinstance(value, dict) and "type" in value:
        return _named(value["type"])(**{name: _as_given(part) for name, part in value.items() if name != "type"})
    return tuple(map(_as_given, value)) if isinstance(value, list) else value


def _named(dotted):
    """What a dotted name stands for."""
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


# The record -----------------------------------------------------------------------------------------------------------


def replayed(*files):
    """The commit with which each unit was last replayed and equal.

    Parameters
    ----------
    *files : Path
        Such as `RECORD`; later ones count more, and those that do not exist count as empty.

    Returns
    -------
    dict of (str, int) to (dict of int to str)
        By notebook and version: commits by the number of the unit.
    """
    found = {}
    for file in files:
        if file.is_file():
            for row in pd.read_csv(file, dtype={"commit": str, "units": str}).itertuples():
                found.setdefault((row.notebook, row.version), {}).update(dict.fromkeys(_numbers(row.units), row.commit))
    return found


def keep():
    """Move what builds replayed into the record; drop what is of other versions than the tables."""
    found = replayed(RECORD, SINCE)
    current = {(name, entry.about["version"]) for name, entry in entries().items()}
    _write(RECORD, {key: commits for key, commits in found.items() if key in current})
    SINCE.unlink(missing_ok=True)


def forget(notebook):
    """Drop the record of a notebook whose tables were measured anew."""
    for file in (RECORD, SINCE):
        _write(file, {key: commits for key, commits in replayed(file).items() if key[0] != notebook})


def _write(file, found):
    rows = []
    for (notebook, version), commits in sorted(found.items()):
        for at in sorted(set(commits.values())):
            numbers = _ranges(sorted(number for number, other in commits.items() if other == at))
            rows.append({"notebook": notebook, "version": version, "commit": at, "units": numbers})
    columns = ["notebook", "version", "commit", "units"]
    write_atomically(file, pd.DataFrame(rows, columns=columns).to_csv(index=False, lineterminator="\n"))


def _ranges(numbers):
    """Ascending whole numbers as text: ``"0-2 5"``."""
    runs = [list(run) for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0])]
    return " ".join(str(run[0][1]) if len(run) == 1 else f"{run[0][1]}-{run[-1][1]}" for run in runs)


def _numbers(ranges):
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)

"""Check the store on this machine: measure a random sample of its units again and compare every value.

A unit is one call of an experiment's function with its arguments, whose rows and duration the store has recorded. An
experiment without recorded units is measured again as a whole, if that fits into the budget.
"""

import importlib
import json
import random
import re
import sys
from itertools import chain, zip_longest

import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from compendium.experiment import experiment_of
from compendium.kept import hash_of
from compendium.papers import RESULTS
from compendium.results import entries
from compendium.runner.notebooks import RunError
from compendium.schema import differing
from compendium.store import measuring_code, plain, with_data
from compendium.tables import in_words
from compendium.units import uncached
from fscore._files import write_atomically
from fscore._interrupts import ctrl_c_ignored
from fscore.datasets import status

CHECKED = RESULTS / "check.json"
ALL = float("inf")
SEED = 0  # decides which units are drawn


def budget_of(text):
    """Seconds of a budget such as ``60s``, ``10m``, ``2h`` or ``all``."""
    match = re.fullmatch(r"(\d+)([smh]?)", text)
    if text != "all" and not match:
        raise RunError(f"CHECK = {text!r} is not a duration; write 60s, 10m, 2h or all.")
    return ALL if text == "all" else int(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def check(budget, jobs):
    """Measure a sample of units again, compare, and keep what was found; do nothing if nothing has changed.

    Parameters
    ----------
    budget : str
        Time of all units together, see `budget_of`: the sample is the same for any number of processes.
    jobs : int
        Processes.
    """
    if not (seconds := budget_of(budget)):
        return
    codes = [measuring_code(experiment_of(name)) for name in entries()]
    key = hash_of(budget, *codes, *((entry.folder / "about.json").read_bytes() for entry in entries().values()))
    if checked().get("key") != key:
        _check(budget, seconds, jobs, key)


def _check(budget, seconds, jobs, key):
    known = {name: _items(name, entry) for name, entry in entries().items()}
    chosen = _drawn(known.values(), seconds, random.Random(SEED))
    if chosen:
        print(f"Measuring {len(chosen)} of {sum(map(len, known.values()))} units again ...", flush=True)
    calls = [delayed(_compare)(item) for item in chosen]
    options = {"total": len(calls), "desc": "check", "mininterval": 0.5 if sys.stderr.isatty() else 15}
    with ctrl_c_ignored():
        results = Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)
    compared = sorted(tqdm(results, **options), key=lambda item: (item["notebook"], item["what"]))
    found = {}
    for name, items in known.items():
        own = [item for item in compared if item["notebook"] == name]
        found[name] = {
            "units": len(items),
            "recorded": bool(entries()[name].units),
            "here": sum(item["here"] for item in items),
            "measured": len(own),
            "values": sum(item["values"] for item in own),
            "differ": [item for item in own if item["differ"]],
        }
    write_atomically(CHECKED, json.dumps({"key": key, "budget": budget, "notebooks": found}, indent=1))
    print(summary(found))


def checked():
    """What the last check found; empty if there was none."""
    try:
        return json.loads(CHECKED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def summary(found):
    """One sentence about a check.

    Parameters
    ----------
    found : dict
        ``notebooks`` of `checked`.

    Returns
    -------
    str
    """
    units, measured = (sum(part[name] for part in found.values()) for name in ("units", "measured"))
    unequal = sum(len(part["differ"]) for part in found.values())
    unrecorded = sum(not part["recorded"] for part in found.values())
    text = f"This build measured {measured:,} of {units:,} units again: {measured - unequal:,} equal"
    text += f", {unequal:,} not" if unequal else ""
    if unrecorded:
        text += f". Of {unrecorded} of {len(found)} experiments no units are recorded yet: each counts as one"
    if absent := units - sum(part["here"] for part in found.values()):
        text += f". The data of {absent:,} units are not on this machine"
    return f"{text}."


def _items(name, entry):
    """What can be measured again: the recorded units, or else the whole experiment."""
    if not entry.units:
        here = all(map(_has, entry.present))
        return [{"notebook": name, "unit": None, "seconds": entry.about["seconds"], "here": here}]
    items = []
    for unit in entry.units:
        here = _has(unit["arguments"].get("dataset"))
        items.append({"notebook": name, "unit": unit, "seconds": unit["seconds"], "here": here})
    return items


def _has(dataset):
    return dataset is None or status(dataset) not in ("missing", "not public")


def _drawn(known, budget, rng):
    """Units at random, one of each experiment in turn, while they fit into the budget (in seconds of one core)."""
    queues = [rng.sample(items, len(items)) for items in ([item for item in own if item["here"]] for own in known)]
    rng.shuffle(queues)
    chosen = []
    for item in filter(None, chain.from_iterable(zip_longest(*map(reversed, queues)))):
        if item["seconds"] <= budget:
            budget -= item["seconds"]
            chosen.append(item)
    return chosen


def _compare(item):
    """Measure one item again and compare it with what is stored."""
    unit, compared = item["unit"], []
    try:
        with uncached(), threadpool_limits(1):
            pairs = _measured_and_stored(item["notebook"], unit)
        for table, mine, stored in pairs:
            n_values, differ = differing(mine, stored)
            compared.append((n_values, [(table + place, str(here), str(there)) for place, here, there in differ]))
    except Exception as error:  # what no longer runs differs, too
        compared = [(0, [(type(error).__name__, str(error), "")])]
    arguments = {} if unit is None else unit["arguments"]
    return {
        "notebook": item["notebook"],
        "what": ", ".join(f"{name}={in_words(value)}" for name, value in arguments.items()) or "all",
        "values": sum(n_values for n_values, _ in compared),
        "differ": [place for _, differ in compared for place in differ][:3],
    }


def _measured_and_stored(notebook, unit):
    """Tables of a unit, or of a whole experiment with their names."""
    if unit is not None:
        arguments = {name: _as_given(value) for name, value in unit["arguments"].items()}
        return [("", pd.DataFrame(plain(_named(unit["function"])(**arguments))), pd.DataFrame(unit["rows"]))]
    entry = entries()[notebook]
    measured = with_data(experiment_of(notebook)(), entry.about["datasets"]).run()
    return [(f"{table}: ", measured[table], stored) for table, stored in entry.tables.items()]


def _as_given(value):
    """An argument as it was given: JSON knows no tuples, and none with names."""
    if isinstance(value, dict) and "type" in value:
        return _named(value["type"])(**{name: _as_given(part) for name, part in value.items() if name != "type"})
    return tuple(map(_as_given, value)) if isinstance(value, list) else value


def _named(dotted):
    """What a dotted name stands for."""
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)

"""A study on a Dask cluster of local processes: its time with two workers and without any, and what travels.

``python benchmarks/cluster.py`` writes the two tables of the page on clusters to ``data/measured``. It isn't part of
``make bench``, which measures speed against peers. Run it on an idle machine: other work slows the workers down.
What is expected of a larger cluster follows from processor time, which hardly depends on other work.
"""

import argparse
import os
import pickle
import tempfile
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
from distributed import LocalCluster, get_task_stream
from joblib import parallel_config
from joblib._dask import DaskDistributedBackend

from comparison import arena
from compendium.papers import DATA
from compendium.store import machine
from compendium.units import run_units, tidy

STUDY = {"dataset": ["wine"], "planted": ["plain"], "known": ["n=200 d=50"], "n_splits": 2, "n_trees": 25, "limit": 1e4}
WORKERS = 2  # joblib makes no use of one
EVERY = 4  # only each fourth method takes part
REPEATS = 3  # the fastest counts: other work only slows down
EMPTY = 300  # units without work
MANY = 100  # workers of a larger cluster
UNITS = 10000  # of a study there


class Weighing(DaskDistributedBackend):
    """Joblib's Dask backend, which notes the bytes of every task and of every result."""

    def __init__(self, **options):
        super().__init__(**options)
        self.sent, self.returned = [], []

    def submit(self, func, callback=None):
        self.sent.append(len(pickle.dumps(func)))
        return super().submit(func, callback)

    def retrieve_result_callback(self, future):
        result = super().retrieve_result_callback(future)
        self.returned.append(len(pickle.dumps(result)))
        return result


@contextmanager
def processes(workers):
    """A cluster of so many processes; yields a backend that weighs."""
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as running,
        running.get_client() as client,
    ):
        yield Weighing(client=client)


def timed(backend, run):
    """A run with an empty cache: its seconds, each unit's, and processor seconds of the workers and of this process."""
    with tempfile.TemporaryDirectory() as cache, parallel_config(backend=backend):
        os.environ["FSCORE_CACHE"] = cache
        start, before, own = time.perf_counter(), backend.client.run(time.process_time), time.process_time()
        with get_task_stream(client=backend.client) as stream:
            run()
        seconds, own = time.perf_counter() - start, time.process_time() - own
        after = backend.client.run(time.process_time)
    steps = [step for task in stream.data for step in task["startstops"] if step["action"] == "compute"]
    durations = np.array([step["stop"] - step["start"] for step in steps])
    return seconds, durations, sum(after[worker] - before[worker] for worker in after), own


def alone(run):
    """A run in this process with an empty cache: its seconds, and its processor seconds."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FSCORE_CACHE"] = cache
        start, own = time.perf_counter(), time.process_time()
        run()
        return time.perf_counter() - start, time.process_time() - own


def empty_units():
    """Run units that do nothing."""
    run_units(tidy, [{"what": {"number": number}, "measured": {}} for number in range(EMPTY)])


def expected_speedup(mean, longest, cost, workers, units):
    """How much faster than one process: the work is divided, but one process sends and keeps every unit."""
    work = units * mean
    return work / max(units * cost, work / workers + longest)


def main():
    """Measure, and write ``data/measured/cluster_scaling.csv`` and ``cluster_units.csv``."""
    chosen = dict(list(arena.contestants().items())[::EVERY])
    arena.contestants = lambda: chosen
    study = arena.Arena(**STUDY)
    warm_up = arena.Arena(**STUDY, seed=1).run  # imports, and loads compiled code
    warm_up()
    load = os.getloadavg()[0]
    without, own = min(alone(study.run) for _ in range(REPEATS))
    with processes(WORKERS) as backend:
        timed(backend, warm_up)
        load_with = os.getloadavg()[0]
        backend.sent, backend.returned = [], []
        runs = [timed(backend, study.run) for _ in range(REPEATS)]
        seconds, durations, work, _ = min(runs, key=lambda run: run[0])
        sent, returned = (np.array(sizes[-len(durations) :]) for sizes in (backend.sent, backend.returned))
        cost = timed(backend, empty_units)[3] / EMPTY
    columns = ["workers", "units", "seconds", "processor seconds of the workers", "load before"]
    scaling = [(0, len(durations), without, own, load), (WORKERS, len(durations), seconds, work, load_with)]
    table = pd.DataFrame(scaling, columns=columns)
    table["speed-up"] = table["seconds"].iloc[0] / table["seconds"]
    mean = work / len(durations)
    longest = mean * durations.max() / durations.mean()
    speedup = expected_speedup(mean, longest, cost, MANY, UNITS)
    facts = {
        "units of the study": len(durations),
        "processor seconds of a unit, mean": mean,
        "median unit, in means": np.median(durations) / durations.mean(),
        "longest unit, in means": longest / mean,
        "bytes sent for a unit, median": np.median(sent),
        "bytes returned by a unit, median": np.median(returned),
        "bytes sent and returned by the whole study": sent.sum() + returned.sum(),
        "processor milliseconds to send, receive and keep a unit": 1000 * cost,
        "workers that one process can keep busy": mean / cost,
        f"expected speed-up with {MANY} workers and {UNITS} such units": speedup,
    }
    folder = DATA / "measured"
    folder.mkdir(exist_ok=True)
    table.round(2).to_csv(folder / "cluster_scaling.csv", index=False)
    values = [f"{value:.0f}" if value >= 1000 else f"{value:.3g}" for value in facts.values()]
    shown = pd.DataFrame({"what": [*facts, "machine"], "value": [*values, machine()]})
    shown.to_csv(folder / "cluster_units.csv", index=False)
    print(table, shown, sep="\n")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()  # refuses words before it measures
    main()

"""A study on a Dask cluster of local processes: its time with one worker and with two, and what travels.

``python benchmarks/cluster.py`` writes the two tables of the page on clusters to ``data/measured``. It isn't part of
``make bench``, which measures speed against peers. Run it on an idle machine: other work slows the workers down.
What is expected of a larger cluster follows from processor time, which hardly depends on other work.
"""

import os
import pickle
import tempfile
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
from distributed import LocalCluster, get_task_stream
from joblib import parallel_config
from joblib.parallel import get_active_backend

from comparison import arena
from compendium.papers import DATA
from compendium.store import machine
from compendium.units import Cluster, cluster, run_units, tidy

STUDY = {"dataset": ["wine"], "planted": ["plain"], "known": ["n=200 d=50"], "n_splits": 2, "n_trees": 25, "limit": 1e4}
MODULES = ["comparison.arena"]
WORKERS = (1, 2)
EVERY = 4  # only each fourth method takes part
REPEATS = 3  # the fastest counts: other work only slows down
EMPTY = 300  # units without work
MANY = 100  # workers of a larger cluster
UNITS = 10000  # of a study there


class Weighing(Cluster):
    """Notes the bytes of every task and of every result."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
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
        cluster(running.scheduler_address, MODULES),
    ):
        plain = get_active_backend()[0]
        yield Weighing(plain.client, plain.modules, plain.expected)


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


def empty_units():
    """Run units that do nothing."""
    run_units(tidy, [{"what": {"number": number}, "measured": {}} for number in range(EMPTY)])


def expected_speedup(mean, longest, cost, workers, units):
    """How much faster than one process: the work is divided, but one process sends and keeps every unit."""
    work = units * mean
    return work / max(units * cost, work / workers + longest)


def main():
    """Measure, and write ``data/measured/cluster_scaling.csv`` and ``cluster_units.csv``."""
    chosen = arena.module_names()[::EVERY]
    arena.module_names = lambda: chosen
    study = arena.Arena(**STUDY)
    scaling = []
    for workers in WORKERS:
        with processes(workers) as backend:
            timed(backend, arena.Arena(**STUDY, seed=1).run)  # imports, and loads compiled code
            load = os.getloadavg()[0]
            backend.sent, backend.returned = [], []
            runs = [timed(backend, study.run) for _ in range(REPEATS)]
            seconds, durations, work, _ = min(runs, key=lambda run: run[0])
            sent, returned = (np.array(sizes[-len(durations) :]) for sizes in (backend.sent, backend.returned))
            cost = timed(backend, empty_units)[3] / EMPTY
        row = {
            "workers": workers,
            "units": len(durations),
            "seconds": seconds,
            "processor seconds of the workers": work,
        }
        scaling.append({**row, "load before": load})
        print(scaling[-1], flush=True)
    table = pd.DataFrame(scaling)
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
    main()

"""Build the book's notebooks: measure what the store lacks, execute what changed."""

import contextlib
import json
import logging
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed

from tqdm import tqdm

from compendium import simulations, store
from compendium.cluster import ClusterError
from compendium.digest import code_digest
from compendium.experiment import experiment_of
from compendium.kept import hash_of
from compendium.papers import BOOK, RESULTS, ROOT, notebook_files, paper_of, papers, summary_files
from compendium.runner.alone import alone
from compendium.runner.check import CHECKED
from compendium.runner.execution import KILLED, OUT_OF_MEMORY, execute
from compendium.runner.kernels import fork_kernels, kill_kernels
from compendium.runner.notebooks import RunError, imported, key_of
from fscore.datasets import DatasetUnavailableError


def stored_state(target):
    """Key and duration of the last successful execution; empty if there is none."""
    files = [target.with_name(target.name + ending) for ending in (".key", ".ipynb")]
    if not all(file.is_file() for file in files):
        return {}
    try:
        return json.loads(files[0].read_text(encoding="utf-8"))
    except ValueError:
        return {}


def build(jobs, only=(), scheduler=""):
    """Bring every notebook up to date."""
    if jobs < 1:
        raise RunError(f"jobs = {jobs} is invalid; a build needs at least one job.")
    with alone(RESULTS / ".build.lock", "builds the notebooks"):
        names = list(dict.fromkeys(only) or notebook_files())
        failed = measure([name for name in names if store.find(experiment_of(name)()) is None], jobs, scheduler)
        _update({name: key_of(name, experiment_of(name)()) for name in names if name not in failed}, jobs, failed)


def summarize(jobs):
    """Bring the notebooks on all papers up to date: they show what the others are made from, and the last check."""
    with alone(RESULTS / ".build.lock", "builds the notebooks"):
        others = [key_of(name, experiment_of(name)()) for name in notebook_files()]
        others += [file.read_bytes() for file in (simulations.RECORD, CHECKED) if file.is_file()]
        keys = {}
        for name, file in summary_files().items():
            source = file.read_text(encoding="utf-8")
            keys[name] = hash_of(source, code_digest(imported(source)), *others)
        _update(keys, jobs, {})


def _update(keys, jobs, failed):
    """Execute the notebooks whose key, a hash of what they depend on, has changed; raise what failed before or now."""
    states = {name: stored_state(RESULTS / BOOK / name) for name in keys}
    stale = {name: key for name, key in keys.items() if states[name].get("key") != key}
    if stale:
        print(f"Executing {len(stale)} of {len(keys)} notebooks.", flush=True)
        # Longest first, so that no core idles at the end.
        longest_first = sorted(stale, key=lambda name: -states[name].get("seconds", 30.0))
        failed |= _execute({name: stale[name] for name in longest_first}, jobs)
    if failed:
        raise RunError("\n".join(failed.values()) + "\nThe site is unchanged.")
    if keys and not stale:
        print(f"{len(keys)} notebooks are up to date.")


def measure(names, jobs, scheduler=""):
    """Measure the experiments of notebooks and keep their tables.

    Parameters
    ----------
    names : list of str
    jobs : int
        Processes.
    scheduler : str, default=""
        Address of a Dask cluster.

    Returns
    -------
    dict of str to str
        What went wrong, by notebook; the others are measured all the same.
    """
    failed = {}
    for name in names:
        print(f"Measuring {name} ...", flush=True)
        try:
            store.measure(experiment_of(name)(), n_jobs=jobs, scheduler=scheduler)
        except ClusterError as error:
            raise RunError(str(error)) from None
        except DatasetUnavailableError as error:
            failed[name] = f"notebook {name!r} has no tables: {error}"
        except OSError:  # a disk or a folder that can't be written: the others could not, either
            raise
        except Exception as error:
            kind, said = type(error).__name__, " ".join(str(error).split())
            if kind in OUT_OF_MEMORY:
                failed[name] = f"notebook {name!r} {KILLED}; {kind}."
            else:
                traceback.print_exception(error)
                failed[name] = f"notebook {name!r} has no tables, because measuring failed with {kind}: {said}"
    return failed


def measure_stale(names, jobs, scheduler="", every=False):
    """Measure those experiments whose stored tables are of older code, or that have none.

    Parameters
    ----------
    names : list of str
        Notebooks; if empty, those of the papers' own experiments.
    jobs : int
    scheduler : str, default=""
    every : bool, default=False
        Whether no names stand for all notebooks.
    """
    stale = [name for name in names or notebook_files() if not store.is_current(experiment_of(name)())]
    stale = [name for name in stale if store.measured_here(experiment_of(name)()) is None]
    left = [] if names or every else [name for name in stale if not _is_of_a_paper(name)]
    stale = [name for name in stale if name not in left]
    if failed := measure(stale, jobs, scheduler):
        raise RunError("\n".join(failed.values()))
    print("make accept stores what was measured." if stale else "The store is up to date.")
    if left:
        print(f"Older code measured {', '.join(left)}, too; make measure ALL=1 measures them again.")


def _is_of_a_paper(name):
    """Whether an experiment is a paper's own, not its readings, a comparison of methods or a bench of the report."""
    return papers()[paper_of(name)].folder.joinpath("page.md").is_file() and not name.endswith("_readings")


def _execute(keys, jobs):
    """Execute notebooks in parallel, each in a kernel of its own; return what went wrong, by notebook."""
    failed = {}
    fork_kernels()
    # papermill changes this process's folder while it executes: to this one in every thread, so that none is misled.
    with contextlib.chdir(ROOT), ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(execute, name, {}, key): name for name, key in keys.items()}
        try:
            options = {"total": len(keys), "desc": "notebooks", "mininterval": 0.5 if sys.stderr.isatty() else 15}
            for future in tqdm(as_completed(futures), **options):
                try:
                    future.result()
                except RunError as error:
                    failed[futures[future]] = str(error)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            logging.disable()  # what nbclient says of kernels that are killed
            while any(future.running() for future in futures):
                kill_kernels()
                time.sleep(0.1)
            raise
    return failed

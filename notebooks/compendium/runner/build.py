"""Build the book's notebooks: measure what the store lacks, execute all, publish them together."""

import contextlib
import logging
import shutil
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed

from tqdm import tqdm

from compendium import store
from compendium.experiment import experiment_of
from compendium.papers import BOOK, RESULTS, ROOT, notebook_files, summary_files
from compendium.runner import check
from compendium.runner.execution import RunError, execute, fork_kernels, kill_kernels, killed_in_words
from compendium.runner.outputs import KEY, is_current, publish, tree_key
from compendium.units import ClusterError
from fscore.datasets import DatasetUnavailableError


def build(jobs, only=(), budget="0", scheduler=""):
    """Measure what the store lacks, check the store, execute all notebooks, and publish them together.

    Parameters
    ----------
    jobs : int
        Processes.
    only : sequence of str
        Notebooks that are executed for the site as it is, without a check; the next build executes all.
    budget : str, default="0"
        See `compendium.runner.check.budget_of`.
    scheduler : str, default=""
        Address of a Dask cluster.
    """
    book = RESULTS / BOOK
    only = only if book.is_dir() else ()  # a site needs all of them first
    names = list(only or summary_files() | notebook_files())  # the longest first
    absent = [name for name in names if name in notebook_files() and store.find(experiment_of(name)()) is None]
    _raise_if_any(measure(absent, jobs, scheduler))
    if only:
        (book / KEY).unlink(missing_ok=True)
        _raise_if_any(execute_all(names, book, jobs))
        return
    check.check(budget, jobs)
    key = tree_key(check.CHECKED)
    if is_current(book, key):
        print(f"{len(names)} notebooks are up to date.")
        return
    unfinished = RESULTS / f".{BOOK}-{key[:16]}"  # kept if the build ends early: the next one goes on from there
    for left in (*unfinished.glob(".*"), *(other for other in RESULTS.glob(f".{BOOK}-*") if other != unfinished)):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    missing = [name for name in names if not (unfinished / f"{name}.ipynb").is_file()]
    print(f"Executing {len(missing)} of {len(names)} notebooks.", flush=True)
    _raise_if_any(execute_all(missing, unfinished, jobs))
    publish(unfinished, book, key)


def _raise_if_any(failed):
    if failed:
        raise RunError("\n".join([*failed.values(), "The site is unchanged."]))


def measure(names, jobs, scheduler="", folder=None):
    """Measure the experiments of notebooks and keep their tables.

    Parameters
    ----------
    names : list of str
    jobs : int
        Processes.
    scheduler : str, default=""
        Address of a Dask cluster.
    folder : Path, optional
        For the tables; by default in ``results/measured``.

    Returns
    -------
    dict of str to str
        What went wrong, by notebook; the others are measured all the same.
    """
    failed = {}
    for name in names:
        print(f"Measuring {name} ...", flush=True)
        try:
            store.measure(experiment_of(name)(), n_jobs=jobs, scheduler=scheduler, folder=folder)
        except ClusterError as error:
            raise RunError(str(error)) from None
        except DatasetUnavailableError as error:
            failed[name] = f"notebook {name!r} has no tables: {error}"
        except OSError:  # a disk or a folder that can't be written: the others could not, either
            raise
        except Exception as error:
            kind, said = type(error).__name__, " ".join(str(error).split())
            if killed := killed_in_words(kind):
                failed[name] = f"notebook {name!r} {killed}."
            else:
                traceback.print_exception(error)
                failed[name] = f"notebook {name!r} has no tables, because measuring failed with {kind}: {said}"
    return failed


def execute_all(names, folder, jobs):
    """Execute notebooks in parallel, each in a kernel of its own; return what went wrong, by notebook."""
    failed = {}
    fork_kernels()
    # papermill changes this process's folder while it executes: to this one in every thread, so that none is misled.
    with contextlib.chdir(ROOT), ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(execute, name, folder): name for name in names}
        try:
            options = {"total": len(names), "desc": "notebooks", "mininterval": 0.5 if sys.stderr.isatty() else 15}
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

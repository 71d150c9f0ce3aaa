"""The units of a study on a Dask cluster, through joblib.

joblib's own backend for Dask returns all results at the end and waits forever for a task that Dask gave up. The backend
here hands over each result when it arrives, so that the progress is shown and finished units are kept, and it reports
what went wrong in one sentence. The package ``distributed`` is optional.
"""

import platform
import socket
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache
from weakref import WeakSet

from joblib import parallel_config
from joblib.parallel import ParallelBackendBase
from threadpoolctl import threadpool_limits

from compendium.digest import code_digest

__all__ = ["Cluster", "ClusterError", "cluster"]

REACH = 10  # seconds to reach the scheduler
PATIENCE = 60  # seconds until the first worker is there; some clusters start workers on demand


class ClusterError(Exception):
    """Why a cluster can't be used, in one sentence."""


@contextmanager
def cluster(address, modules):
    """Let joblib run its tasks on a Dask cluster while the block runs.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``"tcp://host:8786"``; if empty, nothing changes.
    modules : sequence of str
        The tasks' modules. Every worker must have the same code as this process, and the same packages.

    Yields
    ------
    str
        What runs the tasks, such as ``"2 workers of a Dask cluster"``; empty without an address.

    Raises
    ------
    ClusterError
        Without the package, a scheduler or a worker, or if a worker runs other code or several threads.
    """
    if not address:
        yield ""
        return
    client = _connected(address)
    try:
        modules = tuple(sorted(modules))
        expected = {"Python": platform.python_version(), "code": code_digest(modules)}
        states = client.run(_state, modules, on_error="return")
        for worker, state in states.items():
            _check(worker, state, expected)
        n = len(states)
        with parallel_config(backend=Cluster(client, modules, expected)):
            yield f"{n} worker{'s' if n > 1 else ''} of a Dask cluster"
    finally:
        client.close()


def _connected(address):
    """A client whose cluster has a worker."""
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address, parse_host_port
    except ImportError:
        raise ClusterError(
            "a scheduler needs the package distributed, which is not installed; run: python -m pip install distributed"
        ) from None
    try:
        # First without Dask: a client that fails to connect is left behind, and its collection hangs if it happens
        # while another client or cluster starts.
        socket.create_connection(parse_host_port(parse_address(address)[1]), REACH).close()
        client = Client(address, timeout=REACH, set_as_default=False)
    except (OSError, ValueError, TypeError):
        raise ClusterError(
            f"no Dask scheduler answers at {address!r}; start one with 'dask scheduler', and give its address as "
            "tcp://host:8786."
        ) from None
    try:
        client.submit(platform.python_version, pure=False).result(timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the Dask scheduler at {address!r} has no workers; start one for each core, in this project's "
            f"environment: dask worker {address} --nthreads 1"
        ) from None
    return client


@cache
def _code(modules):
    return {"Python": platform.python_version(), "code": code_digest(modules)}


def _state(modules, dask_worker):
    """What a worker runs: Python, code and number of threads."""
    return {**_code(modules), "threads": dask_worker.state.nthreads}


def _check(worker, state, expected):
    """Raise a `ClusterError` if a worker is in no state to compute the units."""
    if isinstance(state, Exception):
        raise ClusterError(f"worker {worker} can't load this project ({state}); start it in the same environment.")
    for what, value in expected.items():
        if state[what] != value:
            other = "Python" if what == "Python" else "another version of fscore:"
            raise ClusterError(
                f"worker {worker} runs {other} {state[what][:12]} instead of {value[:12]}; install the same version "
                "there and start the worker again."
            )
    if state["threads"] > 1:
        raise ClusterError(
            f"worker {worker} runs {state['threads']} units at once, which share warnings and clocks; start one worker "
            "for each core with --nthreads 1."
        )


def _run(batch, modules, expected):
    """On a worker: a batch of tasks, with one thread for linear algebra, as everywhere."""
    from distributed import get_worker

    worker = get_worker()
    _check(worker.address, _state(modules, worker), expected)  # the worker may have come after the study began
    with threadpool_limits(1):
        return batch()


class Cluster(ParallelBackendBase):
    """Backend of joblib that sends tasks to a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    modules : tuple of str
        The tasks' modules.
    expected : dict
        Python's version and the digest of the modules' code, which every worker must have.
    """

    supports_retrieve_callback = True
    supports_return_generator = True

    def __init__(self, client, modules, expected, **options):
        super().__init__(**options)
        self.client, self.modules, self.expected = client, modules, expected
        self.futures = WeakSet()

    def effective_n_jobs(self, n_jobs):
        """At least two: joblib would run a single job in this process."""
        return max(2, sum(self.client.ncores().values()))

    def submit(self, func, callback=None):
        """Send one task; ``callback`` gets its future when it is done."""
        future = self.client.submit(_run, func, self.modules, self.expected, pure=False)
        self.futures.add(future)
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, future):
        """The result of a task that is done, or its exception."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise ClusterError(
                f"a unit of work ended {error.allowed_failures + 1} workers, one after the other, perhaps for lack of "
                "memory: see the workers' logs; the same command resumes."
            ) from None
        except CancelledError:
            raise ClusterError("the connection to the scheduler was lost; the same command resumes.") from None

    def abort_everything(self, ensure_ready=True):
        """Cancel the tasks that wait."""
        self.client.cancel(list(self.futures))

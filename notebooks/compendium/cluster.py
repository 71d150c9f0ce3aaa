"""The units of a study on a Dask cluster.

Each result is handed over when it arrives, so that the progress is shown and finished units are kept; what went wrong
is reported in one sentence. The package ``distributed`` is optional.
"""

import platform
import socket
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache, partial

from compendium.digest import code_digest
from compendium.units import computing

REACH = 10  # seconds to reach the scheduler
PATIENCE = 60  # seconds until the first worker is there; some clusters start workers on demand


class ClusterError(Exception):
    """Why a cluster can't be used, in one sentence."""


@contextmanager
def cluster(address, modules):
    """Let a Dask cluster compute the units of work while the block runs.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``"tcp://host:8786"``; if empty, nothing changes.
    modules : sequence of str
        The units' modules. Every worker must have the same code as this process, and the same packages.

    Yields
    ------
    str
        What computes the units, such as ``"2 workers of a Dask cluster"``; empty without an address.

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
        with computing(partial(computed_on, client, modules, expected)):
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


def _run(function, call, modules, expected):
    """On a worker: one call."""
    from distributed import get_worker

    worker = get_worker()
    _check(worker.address, _state(modules, worker), expected)  # the worker may have come after the study began
    return function(*call)


def computed_on(client, modules, expected, function, calls):
    """Call a function on the workers, and yield each result when it arrives.

    Parameters
    ----------
    client : distributed.Client
    modules : tuple of str
        See `cluster`.
    expected : dict
        Python's version and the digest of the modules' code, which every worker must have.
    function : callable
    calls : iterable of tuple
        The arguments of each call.
    """
    from distributed import KilledWorker, as_completed

    futures = [client.submit(partial(_run, function, call, modules, expected), pure=False) for call in calls]
    try:
        for future in as_completed(futures, loop=client.loop):
            result = future.result()
            future.release()  # else the cluster would compute it again if it lost the worker
            yield result
    except KilledWorker as error:
        raise ClusterError(
            f"a unit of work ended {error.allowed_failures + 1} workers, one after the other, perhaps for lack of "
            "memory: see the workers' logs; the same command resumes."
        ) from None
    except CancelledError:
        raise ClusterError("the connection to the scheduler was lost; the same command resumes.") from None
    finally:
        for future in futures:
            future.release()

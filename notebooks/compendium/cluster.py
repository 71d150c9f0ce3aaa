"""The units of a study on a Dask cluster, by joblib's backend; the package ``distributed`` is optional."""

from contextlib import contextmanager

from joblib import parallel_config

REACH = 10  # seconds to reach the scheduler
PATIENCE = 60  # seconds until the first worker is there; some clusters start workers on demand


class ClusterError(Exception):
    """Why a cluster can't be used, in one sentence."""


@contextmanager
def cluster(address):
    """Let a Dask cluster compute the units of work while the block runs.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``"tcp://host:8786"``; if empty, nothing changes. Every worker needs this project's
        code and packages, and one thread, since units that run in one process share warnings and clocks.

    Yields
    ------
    str
        What computes the units, such as ``"2 workers of a Dask cluster"``; empty without an address.

    Raises
    ------
    ClusterError
        Without the package, or if no scheduler answers.
    """
    if not address:
        yield ""
        return
    try:
        from distributed import Client

        client = Client(address, timeout=REACH, set_as_default=False)
    except (ImportError, OSError, ValueError, TypeError, AssertionError) as error:
        # on a busy machine distributed asserts that its event loop has started, without a message
        raise ClusterError(f"no Dask scheduler can be used at {address!r}: {str(error) or repr(error)}") from None
    with client, parallel_config("dask", client=client, wait_for_workers_timeout=PATIENCE):
        client.get_versions(check=True)  # says which packages differ
        n = len(client.scheduler_info()["workers"])
        yield f"{n} worker{'s' * (n != 1)} of a Dask cluster"

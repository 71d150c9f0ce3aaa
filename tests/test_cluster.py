"""Units of work on a Dask cluster of two local processes, which tests that need them (slow) share."""

import gc
import os
import sys
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from comparison import arena
from comparison.contestant import contestants
from compendium import units as module
from compendium.runner.build import measure
from compendium.runner.execution import RunError
from compendium.units import ClusterError, cluster, run_units

ROOT = Path(__file__).parents[1]

UNITS = r'''
import os, signal, time
from pathlib import Path

def until_only_this_unit_is_left(folder, end=30):
    """Wait until the study has the results of all other units that ran: those still on the worker die with it."""
    start = time.monotonic()
    while time.monotonic() < start + end:
        begun = len(Path(folder, "ran").read_text().split())
        if len(list(Path(folder, "cache").rglob("output.pkl"))) == begun - 1:
            return
        time.sleep(0.05)

def inner(number):
    from joblib import Parallel, delayed

    return [{"number": number, "processes": tuple({os.getpid(), *Parallel()(delayed(os.getpid)() for _ in range(9))})}]

def square(number, folder):
    with open(f"{folder}/ran", "a", encoding="utf-8") as stream:
        stream.write(f"{number}\n")
    if number == 13:
        raise RuntimeError("unlucky")
    if number == 5 and not Path(folder, "killed").exists():
        Path(folder, "killed").touch()
        until_only_this_unit_is_left(Path(folder))
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"number": number, "square": number**2, "process": os.getpid()}]
'''


@pytest.fixture(scope="module", autouse=True)
def callbacks_of_the_garbage_collector():
    """Dask's are removed: Ctrl-C during one of them is lost, and other tests send it."""
    before = gc.callbacks[:]
    yield
    gc.callbacks[:] = before


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """A cluster of two processes whose workers can import the module ``units_of_test``, as this process can."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("modules")
    (folder / "units_of_test.py").write_text(UNITS)
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "notebooks", folder)))
    sys.path.append(str(folder))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "env": {"PYTHONPATH": paths}}
    with distributed.LocalCluster(**options, silence_logs=50) as running:
        yield running
    sys.path.remove(str(folder))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path / "cache"))


def refused(address, why):
    with pytest.raises(ClusterError, match=why), cluster(address):
        pass


def ran(folder):
    return sorted(int(line) for line in (folder / "ran").read_text().split())


@pytest.mark.slow
def test_a_study_has_the_same_tables_to_the_last_bit(scheduler, tmp_path, monkeypatch):
    entered = {key: contestants()[key] for key in ("fisher", "random_subset", "sfs")}
    monkeypatch.setattr(arena, "contestants", lambda: entered)
    study = arena.Arena(
        dataset=["wine"],
        planted=["plain"],
        known=["n=40 d=8 relevant=2 copies=2"],
        n_splits=2,
        n_trees=3,
        max_samples=60,
    )
    with cluster(scheduler.scheduler_address) as workers:
        there = study.run()
    assert workers == "2 workers of a Dask cluster"
    monkeypatch.setenv("FSCORE_CACHE", str(tmp_path / "another"))
    here = study.run()
    for name in study.schema:
        tables = [found[name] for found in (there, here)]
        if name == "selections":
            tables = [table[table["metric"] != "seconds"] for table in tables]
        pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.slow
def test_a_killed_worker_loses_its_unit_and_nothing_else(scheduler, tmp_path, monkeypatch):
    from units_of_test import square

    units = [{"number": number, "folder": str(tmp_path)} for number in range(12)]
    with cluster(scheduler.scheduler_address):
        table = run_units(square, units, label="squares")
        assert table["square"].tolist() == [number**2 for number in range(12)]
        assert os.getpid() not in set(table["process"])
        assert ran(tmp_path) == sorted([*range(12), 5]), "only the unit whose worker was killed ran twice"
        assert run_units(square, units).equals(table)
    assert len(ran(tmp_path)) == 13, "finished units are kept by the process that runs the study"


@pytest.mark.slow
def test_what_a_unit_shares_out_stays_in_its_process(scheduler):
    from units_of_test import inner

    with cluster(scheduler.scheduler_address):
        table = run_units(inner, [{"number": number} for number in range(4)])
    assert table["processes"].map(len).eq(1).all()


@pytest.mark.slow
def test_errors_of_a_unit_arrive_and_finished_units_are_kept(scheduler, tmp_path):
    from units_of_test import square

    (tmp_path / "killed").touch()
    units = [{"number": number, "folder": str(tmp_path)} for number in (1, 2, 13)]
    with cluster(scheduler.scheduler_address):
        with pytest.raises(RuntimeError, match="unlucky"):
            run_units(square, units)
        run_units(square, units[:2])
    assert ran(tmp_path).count(13) == 1


def test_no_scheduler_or_no_package_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(module, "REACH", 0.5)
    for address in ("tcp://127.0.0.1:9", "[::1]:9"):
        refused(address, r"no Dask scheduler can be used at '.*': ")
    monkeypatch.setattr("distributed.Client", Mock(side_effect=AssertionError))
    refused("tcp://127.0.0.1:9", "AssertionError")  # its event loop didn't start
    for address in ("nonsense", "host:port", "http://host:8786", "tcp://", "tcp://host", "tcp://a:1/b"):
        refused(address, r"can be used at '.*'; an address is such as tcp://host:8786\.")
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused("tcp://127.0.0.1:9", "distributed")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "why"),
    [
        ({"n_workers": 0}, "the Dask cluster at .* can't be used: .*0.* workers"),
        ({"n_workers": 1, "threads_per_worker": 2}, "a worker of .* has 2 threads; start workers with --nthreads 1"),
    ],
    ids=["none", "threads"],
)
def test_workers_that_cannot_be_used_are_refused_before_anything_is_measured(workers, why, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(module, "PATIENCE", 1)
    with distributed.LocalCluster(**workers, dashboard_address=":0", silence_logs=50) as running:
        refused(running.scheduler_address, why)


@pytest.mark.slow
def test_a_single_worker_is_of_no_use():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as running, cluster(running.scheduler_address) as workers:
        assert workers == ""


@pytest.mark.slow
def test_the_runner_measures_on_the_cluster_or_says_why_not(scheduler, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "REACH", 0.5)
    monkeypatch.setattr("compendium.store.RESULTS", tmp_path)
    with pytest.raises(RunError, match="no Dask scheduler can be used"):
        measure(["hocke2014_illustration"], 1, "tcp://127.0.0.1:9")
    scheduler.wait_for_workers(2)  # a killed one comes back later
    assert measure(["hocke2014_illustration"], 1, scheduler.scheduler_address) == {}
    (about,) = tmp_path.rglob("about.json")
    assert "units on 2 workers of a Dask cluster" in about.read_text()


def test_without_an_address_nothing_changes():
    with cluster("") as workers:
        assert workers == ""

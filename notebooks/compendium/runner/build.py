"""Build the notebooks of a profile: execute those that changed, in parallel, with one progress bar."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compendium.cluster import ClusterError, cluster
from compendium.discovered import measuring_modules
from compendium.experiment import module_of
from compendium.papers import NOTEBOOKS, RESULTS, ROOT
from compendium.parameters import ParameterError
from compendium.runner.alone import alone
from compendium.runner.execution import KILLED
from compendium.runner.notebooks import RunError, checked, key_of, notebook_names, profile_settings

__all__ = ["build", "cores", "kernel_environment", "stored_state", "try_cluster"]


def stored_state(target):
    """Key and duration of the last successful run of a target; empty if there is none."""
    files = [target.with_name(target.name + ending) for ending in (".key", ".ipynb", ".json")]
    if not all(file.is_file() for file in files):
        return {}
    try:
        return json.loads(files[0].read_text(encoding="utf-8"))
    except ValueError:
        return {}


def build(profile, jobs, only=()):
    """Bring every notebook of a profile up to date; return the number executed."""
    if jobs < 1:
        raise RunError(f"jobs = {jobs} is invalid; a build needs at least one job.")
    settings = profile_settings(profile)
    names = list(dict.fromkeys(only)) or notebook_names()
    values = {}
    for name in names:
        try:
            values[name] = checked(name, settings.get(name) or {})
        except ParameterError as error:
            raise RunError(f"profile {profile!r}, notebook {name!r}: {error}") from None
    with alone(RESULTS / f".{profile}.lock", f"builds the profile {profile!r}"):
        return _build(profile, jobs, names, values)


def _build(profile, jobs, names, values):
    states = {name: stored_state(RESULTS / profile / name) for name in names}
    stale = [name for name in names if states[name].get("key") != key_of(name, values[name], profile)]
    if not stale:
        print(f"{len(names)} notebooks of profile {profile!r} are up to date.")
        return 0
    for folder in (RESULTS / profile, Path(kernel_environment(1)["FSCORE_CACHE"])):
        check_writable(folder)
    try_cluster(stale)
    # Longest first, so that no core idles at the end; durations are unknown in a first build.
    expected = {name: states[name].get("seconds", 30.0) for name in stale}
    stale.sort(key=expected.get, reverse=True)
    print(f"Executing {len(stale)} of {len(names)} notebooks, profile {profile!r}.", flush=True)
    errors = ParallelRunner(profile, values, expected, jobs).run(stale)
    if errors:
        raise RunError("\n".join(errors) + "\nThe site is unchanged.")
    return len(stale)


def check_writable(folder):
    """Refuse a folder that can't be written before anything is computed for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(
            f"{folder} cannot be written: {error.strerror}. Free disk space, correct the permissions, or name another "
            "folder for the cache (FSCORE_CACHE)."
        ) from None


def try_cluster(names):
    """If the units of these notebooks are to run on a cluster, make sure that it can run them."""
    modules = set().union(*(measuring_modules(module_of(name)) for name in names))
    try:
        with cluster(os.environ.get("FSCORE_SCHEDULER", ""), modules) as workers:
            if workers:
                print(f"Units of work run on {workers}.", flush=True)
    except ClusterError as error:
        raise RunError(str(error)) from None


class ParallelRunner:
    """Runs notebooks in parallel processes and shows one progress bar with the time left."""

    def __init__(self, profile, values, expected, jobs):
        self.profile, self.values, self.expected, self.jobs = profile, values, expected, jobs
        self.running, self.done, self.shown = {}, set(), time.monotonic()

    def run(self, names):
        """Execute ``names``; return a list of error messages."""
        errors = []
        share = max(1, cores() // min(self.jobs, len(names)))
        with ThreadPoolExecutor(self.jobs) as pool, tempfile.TemporaryDirectory(prefix="fscore-") as scratch:
            futures = {pool.submit(self._run_one, name, Path(scratch, name), share): name for name in names}
            waiting = set(futures)
            try:
                while waiting:
                    finished = {future for future in waiting if future.done()}
                    waiting -= finished
                    for future in finished:
                        self.done.add(futures[future])
                        if message := future.result():
                            errors.append(message)
                    self._show(names, last=not waiting)
                    time.sleep(0.2 if waiting else 0)
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                for process, _, _ in list(self.running.values()):
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGTERM)
                raise RunError("Interrupted. Finished notebooks are kept; the same command resumes.") from None
        return errors

    def _run_one(self, name, progress, share):
        command = [
            sys.executable,
            str(NOTEBOOKS / "run.py"),
            "execute",
            name,
            "--run",
            self.profile,
            "--progress",
            str(progress),
        ]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=kernel_environment(share),
        )
        self.running[name] = (process, time.monotonic(), progress)
        errors = ""
        # The pipe stays open as long as the runner lives: an execution ends when its runner has been killed.
        with process, contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(self.values[name]) + "\n")
            process.stdin.flush()
            errors = process.stderr.read()
        del self.running[name]
        if process.returncode == 0:
            return ""
        said = [line for line in errors.splitlines() if line.startswith(f"notebook {name!r} ")]  # not the kernel's logs
        return said[-1] if said else errors.strip() or f"notebook {name!r} {KILLED}."

    def _show(self, names, last):
        """Show one line, rewritten in place on a terminal; print a new line every 15 seconds in a log."""
        terminal = sys.stdout.isatty()
        if not (terminal or last) and time.monotonic() < self.shown + 15:
            return
        self.shown = time.monotonic()
        left, fractions, said = 0.0, 0.0, ""
        for name, (_, started, progress) in list(self.running.items()):
            elapsed = time.monotonic() - started
            fraction, label = read_progress(progress)
            known = elapsed / fraction if fraction > 0.05 else self.expected[name]
            left += max(known - elapsed, 0.0)
            fractions += min(elapsed / known, 0.99)
            said += f"; {name}{label}"
        left += sum(self.expected[name] for name in names if name not in self.running and name not in self.done)
        share = (len(self.done) + fractions) / len(names)
        minutes, seconds = divmod(round(left / min(self.jobs, len(names))), 60)
        bar = "#" * round(24 * share)
        text = f"{share:4.0%}|{bar:24}| {len(self.done)}/{len(names)} notebooks, {minutes}:{seconds:02d} left{said}"
        if terminal:  # cut to the window's width: a wrapped line cannot be rewritten
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{text[:width]}", end="\n" if last else "", flush=True)
        else:
            print(text, flush=True)


def read_progress(file):
    """Progress that a study last reported: fraction done, and a label."""
    try:
        done, total, label = file.read_text(encoding="utf-8").split(" ", 2)
        return int(done) / int(total), f" {label} {done}/{total}"
    except (OSError, ValueError, ZeroDivisionError):
        return 0.0, ""


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def kernel_environment(share):
    """Environment of a kernel: one thread for linear algebra, and ``share`` cores for the study's own parallelism."""
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": str(share),
        "FSCORE_JOBS": str(share),
        "FSCORE_CACHE": os.environ.get("FSCORE_CACHE", str(ROOT / ".cache" / "studies")),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(NOTEBOOKS)]),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }

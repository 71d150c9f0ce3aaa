"""Shared by all benchmarks: interleaved timing in one process, peak memory of subprocesses, and data."""

import gc
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = [
    "Row",
    "absent",
    "against",
    "format_seconds",
    "interleaved",
    "jittered",
    "peak_megabytes",
    "run_in_subprocess",
    "sonar_like",
    "waveform",
]


@dataclass
class Row:
    """One line of the table."""

    work: str
    peer: str
    ours: str
    ratio: str
    goal: str
    holds: bool | None  # None: no goal, or the peer is not installed


def interleaved(*calls, repeats=3):
    """Time the calls in turn, `repeats` times after a warm-up; return a list of seconds for each call.

    A call may be a pair (function, n), which is run n times per repeat; the mean is recorded.
    """
    calls = [c if isinstance(c, tuple) else (c, 1) for c in calls]
    times = [[] for _ in calls]
    for repeat in range(repeats + 1):
        for (call, n), spent in zip(calls, times, strict=True):
            if repeat == 0:
                if n > 1:  # only such functions need compilation
                    call()
                continue
            gc.collect()
            start = time.perf_counter()
            for _ in range(n):
                call()
            spent.append((time.perf_counter() - start) / n)
    return times


def ratio(peer, ours):
    """``median (min-max)`` of the ratios within each repeat, and the median as a number."""
    r = np.array(peer) / np.array(ours)
    return f"{np.median(r):.3g} ({r.min():.3g}-{r.max():.3g})", float(np.median(r))


def against(work, peer, peer_seconds, ours_seconds, equal, goal=None):
    """A row from the seconds of interleaved repeats; ``equal`` says whether both results agree."""
    text, number = ratio(peer_seconds, ours_seconds)
    return Row(
        work,
        f"{peer}, {format_seconds(peer_seconds)}",
        f"{format_seconds(ours_seconds)}, {'equal' if equal else 'NOT equal'}",
        text,
        f">= {goal}x" if goal else "-",
        bool(equal) and (not goal or number >= goal) if goal or not equal else None,
    )


def run_in_subprocess(file, *arguments):
    """Run ``file`` on ``arguments`` in a new process, with its own peak memory, and return the numbers it prints."""
    file = Path(file).resolve()
    command = [sys.executable, file, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=file.parent, check=True)
    return [float(number) for number in done.stdout.split()]


def peak_megabytes():
    """Peak memory of this process."""
    # not ru_maxrss, which a child inherits from the process that started it
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def absent(work, needed):
    """The row of work for which a peer or a data set is not on this machine."""
    return Row(work, f"needs {needed}", "-", "-", "-", None)


def format_seconds(seconds):
    """The median in s or ms."""
    median = float(np.median(seconds))
    return f"{median:.3g} s" if median >= 1 else f"{1e3 * median:.3g} ms"


def jittered(X, seed=0):
    """X with noise of 1e-9 standard deviations, so that no distances tie."""
    return X + 1e-9 * X.std(axis=0) * np.random.default_rng(seed).standard_normal(X.shape)


def waveform(n=4500, seed=0):
    """Breiman's waveforms with 19 noise features."""
    rng = np.random.default_rng(seed)
    base = np.maximum(6 - np.abs(np.arange(1, 22) - 11), 0)
    waves = np.array([base, np.roll(base, -4), np.roll(base, 4)])
    y = rng.integers(0, 3, n)
    u = rng.random(n)[:, None]
    first, second = np.array([0, 0, 1])[y], np.array([1, 2, 2])[y]
    signal = u * waves[first] + (1 - u) * waves[second] + rng.standard_normal((n, 21))
    return np.hstack([signal, rng.standard_normal((n, 19))]), y


def sonar_like(seed=0):
    """208 samples, 60 correlated features, two classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(208) % 2
    smooth = np.exp(-0.5 * ((np.arange(60)[:, None] - np.arange(60)) / 2.0) ** 2)
    X = rng.standard_normal((208, 60)) @ smooth + np.outer(y, 0.5 * rng.standard_normal(60))
    return X, y

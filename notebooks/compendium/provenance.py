"""Provenance of numbers: package versions and machine, without paths, user or host names."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from joblib import cpu_count

import fscore
from compendium.papers import ROOT

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "cvxpy", "highspy", "matplotlib")


def packages():
    """Versions of Python and of the packages that the numbers depend on.

    Returns
    -------
    dict of str to str
    """
    ours = {"Python": platform.python_version(), "fscore": fscore.__version__}
    return {**ours, **{name: metadata.version(name) for name in PACKAGES}}


def commit():
    """The commit that is checked out, with "-dirty" if files differ from it; "unknown" without version control."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    """The processor in one line: model, cores that this process may use, operating system."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {cpu_count()} cores, {platform.system()}"

"""What all tests share: the data mirror beside the project, when there is one, and the built book."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MIRROR = next((file.parent for file in sorted(ROOT.parent.glob("*/data/MANIFEST.csv"))), None)

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if MIRROR is not None:
    os.environ.setdefault("FSCORE_DATA_MIRROR", str(MIRROR))


def pytest_collection_modifyitems(items):
    """Group tests for parallel runs: a worker per file, so that shared fits are made once; the built book on one."""

    def group(item):
        return "book" if {"executed", "site"} & set(item.fixturenames) else item.path.stem

    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))
    items.sort(key=lambda item: group(item) != "book")  # the longest first


@pytest.fixture(scope="session")
def root():
    """The project's top folder."""
    return ROOT


@pytest.fixture(scope="session")
def executed():
    """The folder of the quick profile's executed notebooks, brought up to date."""
    done = subprocess.run([sys.executable, ROOT / "notebooks" / "run.py", "build"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "results" / "quick"

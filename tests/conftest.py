"""Shared by all tests: their order, threads, data sets that are not here, and the built book."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config

ROOT = Path(__file__).resolve().parents[1]

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# What takes longest comes first.
FIRST = ("test_book", "test_notebooks", "test_builds", "test_runner", "test_wheel", "test_report_report")


def pytest_collection_modifyitems(items):
    """The longest files first; what needs the book that another worker builds, later."""
    place = {name: number for number, name in enumerate(FIRST)}

    def order(item):
        if "InBrowser" in item.nodeid or item.path.stem == "test_additions":
            return len(FIRST), "test_h"  # in the middle of the other files
        return place.get(item.path.stem, len(FIRST)), item.path.stem

    items.sort(key=order)


def pytest_runtest_setup(item):
    """Skip a test marked ``data("name", ...)`` where one of these data sets is not on this machine."""
    from fscore.datasets import status  # after the environment is set

    for name in (name for mark in item.iter_markers("data") for name in mark.args):
        if status(name) == "missing":
            pytest.skip(f"{name} is not on this machine (make data fetches it; FSCORE_DATA_MIRROR names a copy)")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file that share what takes long to prepare go to one worker; others to the next free one."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path, _, name = nodeid.partition("::")
            file = Path(path).stem
            if "InBrowser" in name:
                return "browser"
            if file in ("test_book", "test_notebooks", "test_rules", "test_data_package"):
                return "book"  # one worker executes the notebooks, for which others would wait, and judges the claims
            if file in (*FIRST, "test_additions") or re.match(r"test_[a-z]+\d{4}", file):
                return file
            if re.search("process|jobs|loky|worker", name):
                return "processes"  # one worker starts them once
            if file == "test_estimators":
                return nodeid  # the checks of many estimators, which share nothing
            return nodeid.partition("[")[0]

    return Scheduler(config, log)


@pytest.fixture(scope="session")
def root():
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def executed():
    """The folder of the executed notebooks, brought up to date."""
    done = subprocess.run([sys.executable, ROOT / "notebooks" / "run.py", "build"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "results" / "book"


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """An empty cache of units for the tests of a module, which compute their few small units in this process."""
    with pytest.MonkeyPatch.context() as patch, parallel_config(backend="sequential"):
        patch.setenv("FSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def heeded_ctrl_c():
    """SIGINT is a KeyboardInterrupt; a test run in parallel or in the background ignores it."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


class Browser:
    """Headless Chromium with a log of requests and errors."""

    def __init__(self, driver):
        self.driver = driver

    def __getattr__(self, name):
        return getattr(self.driver, name)

    def open(self, page):
        """Open a page, wait for its formulas, and return (requested URLs, console errors)."""
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(page.as_uri())
        self.driver.set_script_timeout(60)
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "(window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve()).then(() => done());"
        )
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
        requests = [request["request"]["url"] for request in sent]
        own = {request["requestId"] for request in sent}
        failed = [e["params"] for e in events if e["method"] == "Network.loadingFailed"]
        failed = [event for event in failed if event["requestId"] in own]  # not those of the new tab at the start
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return requests, errors + [entry["errorText"] for entry in failed]

    def wait_for_page(self, end):
        """Wait until a script has led to the page whose address ends like this."""
        from selenium.webdriver.support.wait import WebDriverWait

        article = ("css selector", "article")
        WebDriverWait(self.driver, 10).until(lambda d: d.current_url.endswith(end) and d.find_elements(*article))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium; skips the test without it, except in CI."""
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and chromedriver) and "CI" not in os.environ:
        pytest.skip("needs chromium and chromedriver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        *("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-component-update"),
        *("disable-background-networking", "disable-sync", "allow-file-access-from-files", "window-size=1280,1000"),
        f"user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    driver.set_page_load_timeout(60)
    driver.get("about:blank")  # leaves the new tab, which asks the network
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which checks a page for accessibility."""
    package = importlib.util.find_spec("axe_playwright_python")
    return Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def with_a_distant_class():
    """Data of three classes, made for a given distance of the third: two differ in column 0, the others are noise."""

    def make(distance):
        rng = np.random.default_rng(0)
        noise, first, second = rng.uniform(size=(60, 2)), rng.uniform(0, 1, 60), rng.uniform(2, 3, 60)
        y = np.repeat([0, 1, 2], 20)
        return np.column_stack([np.choose(y, [first, second, distance]), noise]), y

    return make

"""Examples in README, book and docstrings run, and the pages name only commands that exist."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fscore

PACKAGE = Path(fscore.__file__).parent
PAGES = ("README.md", "book/library.md")
WITH_EXAMPLES = [file for file in sorted(PACKAGE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_examples_in_docstrings_give_the_printed_output(file):
    dotted = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    done = doctest.testmod(importlib.import_module(dotted))
    assert done.failed == 0
    assert done.attempted == file.read_text(encoding="utf-8").count(">>> "), "an example was not found"


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, root):
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


def test_the_library_page_lists_the_public_names(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book" / "_ext")
    table = importlib.import_module("results_pages").public_names()
    assert "{public-names}" in (root / "book" / "library.md").read_text(encoding="utf-8")
    listed = set(zip(table["module"], table["name"], strict=True))
    assert {("`fscore.filters`", "`MIFS`"), ("`fscore.stability`", "`nogueira_stability`")} <= listed
    assert not table["name"].duplicated().any()
    assert table["description"].str.endswith(".").all()  # first lines are complete sentences


def documentation(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *(root / "book").glob("*.md")]


def test_shell_commands_exist(root):
    text = "\n".join(file.read_text(encoding="utf-8") for file in documentation(root))
    commands = {line.split()[0] for line in "".join(re.findall(r"```bash\n(.*?)```", text, re.DOTALL)).splitlines()}
    assert "make" in commands
    for command in commands - {"make"}:
        assert command.startswith(".venv/bin/"), command
        assert Path(sys.executable).with_name(Path(command).name).is_file(), command


def test_make_targets_in_the_documentation_exist(root):
    help_text = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    targets = set(re.findall(r"^  make (\w+)", help_text, re.MULTILINE))
    for file in documentation(root):
        for target in re.findall(r"(?:^|`)make ([a-z]+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert target in targets, f"{file.name}: make {target}"

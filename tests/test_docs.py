"""The code that README and the book show does run, and the pages name only what there is."""

import re
import subprocess

import pytest

PAGES = ("README.md", "book/library.md")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, root):
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


def test_make_targets_in_the_documentation_exist(root):
    help_text = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    targets = set(re.findall(r"^  make (\w+)", help_text, re.MULTILINE))
    for file in [root / "README.md", root / "CONTRIBUTING.md", *(root / "book").glob("*.md")]:
        for target in re.findall(r"(?:^|`)make ([a-z]+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert target in targets, f"{file.name}: make {target}"

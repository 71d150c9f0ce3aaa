"""How much the tests try, for the page on trust: counted in the tests, not typed."""

import ast
import importlib.util
import re
import sys
from functools import cache

from docutils import nodes

from compendium.papers import ROOT

TESTS = ROOT / "tests"


@cache
def counts():
    """Numbers by the name that a page uses for them, as in ``{tested}`callables```."""
    table = _module(TESTS / "hostile" / "table.py")
    cases = list(table.cases())
    files = sorted(TESTS.rglob("test_*.py"))
    functions = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    return {
        "functions": sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in functions),
        "callables": len({name for name, _ in table.ways().values()}),
        "samples": len({case[1] for case in cases} - {""}),
        "labels": len({case[2] for case in cases} - {""}),
        "values": len(table.VALUES),
        "single": sum(not (case[1] and case[2]) for case in cases),
        "cases": len(cases),
        "tried": _found(r'environ.get\("FSCORE_HOSTILE_CASES", "(\d+)"\)', "hostile/test_hostile_input.py"),
        "fuzzed": _found(r"max_examples=(\d+)", "test_fuzz.py"),
        "moments": _found(r"MOMENTS, IN_A_ROW = (\d+)", "faults/test_builds.py"),
    }


def _module(file):
    spec = importlib.util.spec_from_file_location("hostile_table", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _found(pattern, file):
    """A number in a test's source."""
    return int(re.search(pattern, (TESTS / file).read_text(encoding="utf-8"))[1])


def shown(name, rawtext, text, lineno, inliner, options=None, content=()):
    """The role: a count by its name."""
    return [nodes.Text(f"{counts()[text]:,}")], []


def setup(app):
    app.add_role("tested", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

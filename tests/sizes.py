"""Print the code lines of each part of the project, without docstrings, comments and blank lines: ``make lint``."""

import ast
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("fscore", "fscore/report", "notebooks", "book", "tests")
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(file):
    """Number of lines of a Python file that hold code."""
    lines = set()
    with tokenize.open(file) as stream:
        for token in tokenize.generate_tokens(stream.readline):
            if token.type not in NO_CODE:
                lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def main():
    """Print one line for each part."""
    for part in PARTS:
        sizes = [code_lines(file) for file in (ROOT / part).rglob("*.py") if "_build" not in file.parts]
        print(f"{part:14}{sum(sizes):7,} code lines in {len(sizes)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Notebook sources under version control: no outputs, and a parameters cell that matches the experiment.

``make lint`` also checks that the rules of claims name existing tables.
"""

import ast
import io
import tokenize

from compendium.experiment import experiment_of, parameters_cell
from compendium.papers import all_notebook_files, papers, summary_files
from compendium.runner.execution import RunError, read_notebook
from compendium.verdicts import rules_of
from fscore._files import write_atomically


def lint():
    """Reject notebooks that differ from `stripped`, and rules whose tables no experiment of the paper measures."""
    for name, file in all_notebook_files().items():
        notebook = read_notebook(file)
        if _outdated(name, notebook):
            raise RunError(f"the parameters cell of {name} differs from what its experiment declares; run: make format")
        if file.read_text(encoding="utf-8") != stripped(notebook):
            raise RunError(f"{name}.ipynb contains outputs or stray metadata; run: make format")
    for paper in papers().values():
        measured = {name: set(experiment_of(name).schema) for name in paper.pages}
        for claim_id, rule in rules_of(paper.key).items():
            if not any(set(rule.needs) <= tables for tables in measured.values()):
                raise RunError(
                    f"the rule of claim {claim_id} of {paper.key} needs the tables {', '.join(rule.needs)}, which no "
                    "experiment of the paper measures together."
                )


def strip():
    """Rewrite every notebook so that it passes `lint`."""
    for name, file in all_notebook_files().items():
        notebook = read_notebook(file)
        if cell := _outdated(name, notebook):
            cell.source = _declared(name)
        text = stripped(notebook)
        if file.read_text(encoding="utf-8") != text:
            write_atomically(file, text)


def stripped(notebook):
    """The text of a notebook without outputs, counts and irrelevant metadata."""
    import nbformat

    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in ("tags", "mystnb")}
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return nbformat.writes(notebook) + "\n"


def _outdated(name, notebook):
    """The parameters cell if it differs from what the experiment declares; those on all papers have none."""
    if name in summary_files():
        return None
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ()))
    return cell if _spelled(cell.source) != _spelled(_declared(name)) else None


def _declared(name):
    return parameters_cell(experiment_of(name).parameters)


def _spelled(cell):
    """The code of a cell, however it is laid out, and its comments."""
    tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
    return ast.dump(ast.parse(cell)), [token.string for token in tokens if token.type == tokenize.COMMENT]

"""What a notebook shows of tables that a test gives it."""

import ast
import json
from types import SimpleNamespace

from compendium.papers import names_of, notebook_files, paper_of


def shown(notebook, *sections, **names):
    """Run the cells of a notebook, or of the sections whose headings are given.

    The set-up, the live section with what it invites to change, and cells of other sections are only searched for
    imports and functions.

    Parameters
    ----------
    notebook : str
    *sections : str
        Headings without ``##``; by default all.
    **names : object
        What the cells take from earlier ones: their tables, parameters, methods of ``page``.

    Returns
    -------
    tables : dict of str to DataFrame
        By caption.
    said : str
        Sentences and HTML.
    """
    tables, said, heading = {}, [], ""
    page = {
        "names": names_of(paper_of(notebook)),
        "show": lambda frame, caption: tables.update({caption: frame}),
        "say": lambda *sentences: said.extend(sentences),
        "feature_names": lambda **_: {},
        "verdicts": lambda: None,
        "evidence": lambda: None,
        "provenance": lambda: None,
    }
    space = {"page": SimpleNamespace(**page | names.pop("page", {}))}
    for cell in json.loads(notebook_files()[notebook].read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            first = source.partition("\n")[0]
            heading = first.lstrip("# ") if first.startswith("#") else heading
            continue
        tree = ast.parse(source)
        set_up = "Page(" in source or cell["metadata"].get("tags") == ["parameters"]
        live = "live" in heading or heading == "Now change it"
        if set_up or live or (sections and heading not in sections):
            tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)]
        exec(compile(tree, f"{notebook}: {heading}", "exec"), space)
        if set_up:
            space |= {"display": lambda output: said.append(output.data), **names}
    return tables, " ".join(said)

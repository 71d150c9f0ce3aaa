"""All notebooks: structure, parameters, and an execution."""

import ast
import json
import re

import run
from compendium.experiment import check, coerce, experiment_of
from compendium.papers import imported_names, notebook_files, papers, printed_files


def pytest_generate_tests(metafunc):
    if "notebook" in metafunc.fixturenames:
        metafunc.parametrize("notebook", list(notebook_files().values()), ids=lambda file: file.stem)
    if "paper" in metafunc.fixturenames:
        metafunc.parametrize("paper", list(papers().values()), ids=lambda paper: paper.key)


def cells_of(file):
    return [
        (cell["cell_type"], cell["metadata"], "".join(cell["source"]))
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
    ]


def code_of(file):
    return [source for kind, _, source in cells_of(file) if kind == "code" and not source.startswith("%")]


def test_structure(notebook):
    cells = cells_of(notebook)
    assert cells[0][0] == "markdown"
    assert cells[0][2].startswith("# ")
    code = code_of(notebook)
    experiment = experiment_of(notebook.stem).__name__
    assert any(f"page = Page({experiment}, globals())" in source for source in code)
    assert sum("page.tables()" in source for source in code) == 1, "take the tables exactly once"
    assert code[-1].strip() == "page.provenance()"
    for source in code[1:]:
        assert len(source.splitlines()) <= 40, f"a cell that nobody reads to its end:\n{source}"


def test_each_page_runs_the_method_live(notebook):
    live, heading = [], ""
    for kind, _, source in cells_of(notebook):
        heading = source.partition("\n")[0] if kind == "markdown" else heading
        if kind == "code" and "live" in heading:
            live.append(source)
    assert any("from fscore." in source for source in live), "a section such as 'The method, live'"
    assert any("plt.show()" in source for source in live), "show what the method does"


def test_each_page_says_what_to_change_with_parameters_that_it_takes(notebook):
    (advice,) = [source for _, _, source in cells_of(notebook) if source.startswith("## Now change it")]
    commands = re.findall(r'make run NOTEBOOK=(\w+) PARAMS="([^"]*)"', advice)
    assert commands
    for name, words in commands:
        assert name == notebook.stem
        parameters = experiment_of(name).parameters
        values = run.given_parameters(run.split(words.replace("my.csv", "iris")), parameters)
        check(parameters, coerce(parameters, values))


def test_papers_have_the_same_structure(paper):
    names = {file.name for file in paper.folder.iterdir()} - {"__pycache__"}
    assert {"__init__.py", "about.yml"} <= names
    assert ("page.md" in names) == bool(printed_files(paper.key))
    assert ("claims.py" in names) == bool(printed_files(paper.key)), "claims belong to papers"
    init = ast.parse((paper.folder / "__init__.py").read_text(encoding="utf-8"))
    assert [type(node) for node in init.body] == [ast.Expr], "only a docstring: names are imported from their modules"
    assert names >= {f"{page}.ipynb" for page in paper.pages}
    assert paper.pages


def test_no_paper_imports_another(paper):
    others = set(papers()) - {paper.key}
    for file in paper.folder.rglob("*.py"):
        used = {name.partition(".")[0] for name in imported_names(file.read_text(encoding="utf-8"), paper.key)}
        assert not used & others, file.name


def test_figures_have_caption_name_and_description(notebook):
    for _, metadata, source in cells_of(notebook):
        if "plt.show()" in source or re.search(r"\bfigures\.", source):
            shown = metadata["mystnb"]
            assert shown["figure"]["caption"].endswith(".")
            assert shown["figure"]["name"].startswith("fig-")
            assert len(shown["image"]["alt"].split()) >= 8, "describe the figure for readers who can't see it"


def test_parameters_have_legal_defaults(notebook):
    parameters = experiment_of(notebook.stem).parameters
    assert "seed" in {parameter.name for parameter in parameters}
    check(parameters, {parameter.name: parameter.default for parameter in parameters})


def test_executed_pages_show_no_error(notebook, executed):
    for cell in json.loads((executed / f"{notebook.stem}.ipynb").read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr"

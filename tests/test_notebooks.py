"""All notebooks: structure, parameters, and a run of the quick profile."""

import ast
import json
import re

import pytest

from compendium.digest import reachable_modules
from compendium.experiment import experiment_of, module_of
from compendium.papers import notebook_files, paper_of, papers, printed_files
from compendium.parameters import check, coerce, read_parameters
from compendium.published import claims_of
from compendium.source_code import imported_names
from fscore.datasets import status

# "Table 7.5", "Figs. 7.1 and 7.2", "eqs. (5.3) and (5.4)": the paper's numbering is not a result.
NUMBER = r"\(?[A-Z\d]+\.\d+\)?"
REFERENCE = rf"\b(?:Tables?|Figs?\.|[Ss]ections?|eqs?\.)\s+\(?{NUMBER}(?:(?:,| and| to) {NUMBER})*"


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


def parameters_of(file):
    (source,) = [source for _, metadata, source in cells_of(file) if "parameters" in metadata.get("tags", ())]
    return read_parameters(source)


def code_of(file):
    return [source for kind, _, source in cells_of(file) if kind == "code" and not source.startswith("%")]


def test_structure(notebook):
    cells = cells_of(notebook)
    assert cells[0][0] == "markdown"
    assert cells[0][2].startswith("# ")
    code = code_of(notebook)
    experiment = experiment_of(notebook.stem).__name__
    assert any(f"page = Page({experiment}, globals())" in source for source in code)
    assert sum("page.run(" in source for source in code) == 1, "run the experiment exactly once"
    assert code[-1].strip() == "page.provenance()"
    for source in code:
        assert len(source.splitlines()) <= 30, f"thin notebooks call the package:\n{source}"


def test_a_page_with_claims_begins_with_verdict_and_figure(notebook):
    """Title, what runs and shows nothing, verdicts, the figure that shows them, evidence; the rest is folded."""
    cells = cells_of(notebook)
    if not any("page.verdicts()" in source for _, _, source in cells):
        return
    kinds = [kind for kind, _, _ in cells]
    second = kinds.index("markdown", 1)
    top = cells[1:second]
    (at,) = [number for number, (_, _, source) in enumerate(top) if source == "page.verdicts()"]
    assert not any("page.show" in source for _, _, source in top[:at])
    figures = [number for number, (_, metadata, _) in enumerate(cells) if metadata.get("mystnb", {}).get("figure")]
    assert not figures or figures[0] == at + 2, "the cell after the verdicts"
    assert top[-1][2] == "page.evidence()"
    assert cells[second][2].startswith("## What you learn here\n")
    for kind, _, source in cells:
        if kind == "markdown" and source.startswith("## What was done"):
            assert re.fullmatch(r"## What was done\s+(::::\{dropdown\} \w+\n(?s:.*?)\n::::\s*)+", source)


def test_papers_have_the_same_structure(paper):
    names = {file.name for file in paper.folder.iterdir()} - {"__pycache__"}
    assert {"__init__.py", "about.yml", "profiles.yml", "page.md"} <= names
    assert ("claims.py" in names) == bool(printed_files(paper.key)), "claims belong to papers"
    assert names & {"figures.py", "figures"}
    init = ast.parse((paper.folder / "__init__.py").read_text(encoding="utf-8"))
    assert [type(node) for node in init.body] == [ast.Expr], "only a docstring: names are imported from their modules"
    assert names >= {f"{page}.ipynb" for page in paper.pages}
    assert paper.pages


def test_experiments_do_not_import_display_code(notebook):
    """Otherwise a changed figure would recompute the experiment."""
    paper = paper_of(notebook.stem)
    reached = set(reachable_modules([module_of(notebook.stem)]))
    for display in ("claims", "figures", "printed", "summaries"):
        assert not any(name == f"{paper}.{display}" or name.startswith(f"{paper}.{display}.") for name in reached)
    for display in ("page", "tables", "style", "verdicts"):
        assert f"compendium.{display}" not in reached


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
    parameters = parameters_of(notebook)
    assert "seed" in {parameter.name for parameter in parameters}
    check(parameters, {parameter.name: parameter.default for parameter in parameters})


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_profiles_set_legal_parameters(paper, profile):
    for page, values in paper.settings(profile).items():
        parameters = parameters_of(notebook_files()[page])
        check(parameters, coerce(parameters, values))


def test_prose_holds_no_results(notebook):
    """Numbers with decimals or percent signs in prose would be hard-coded results."""
    for kind, _, source in cells_of(notebook):
        if kind == "markdown":
            prose = re.sub(r"\$[^$]*\$|`[^`]*`|\{[^}]*\}", "", source)
            prose = re.sub(REFERENCE, "", prose)
            assert not re.search(r"\d+\.\d+|\d\s?%", prose), prose


def test_quick_run_leaves_tables_and_verdicts(notebook, executed):
    results = json.loads((executed / f"{notebook.stem}.json").read_text(encoding="utf-8"))
    assert results["run"] == "quick"
    if not results["tables"] and all(status(name) == "missing" for name in results["parameters"]["dataset"]):
        pytest.skip("none of its data sets is on this machine (make data fetches them)")
    assert results["tables"]
    for table in results["tables"].values():
        assert table["data"], "an empty table"
    known = set(claims_of(paper_of(notebook.stem))["claim_id"])
    assert set(results["verdicts"]) <= known
    for verdict in results["verdicts"].values():
        assert re.search(r"\d", verdict["evidence"]), "evidence contains numbers"


def test_executed_pages_show_no_error(notebook, executed):
    for cell in json.loads((executed / f"{notebook.stem}.ipynb").read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr"


def test_plotting_code_is_hidden(notebook):
    for _, metadata, source in cells_of(notebook):
        plots = "plt." in source or re.search(r"\bfigures\.", source)
        if plots and "import" not in source:
            assert {"hide-input", "remove-input"} & set(metadata.get("tags", ())), source

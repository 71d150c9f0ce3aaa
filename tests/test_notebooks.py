"""Every notebook: its form, its parameters, and a run of the quick profile."""

import json
import re

import pytest
import yaml

from compendium.parameters import check, coerce, read_parameters
from compendium.published import claims_of

# "Table 7.5", "Figs. 7.1 and 7.2", "eqs. (5.3) and (5.4)": the paper's own numbering is no result.
NUMBER = r"\(?[A-Z\d]+\.\d+\)?"
REFERENCE = rf"\b(?:Tables?|Figs?\.|[Ss]ections?|eqs?\.)\s+\(?{NUMBER}(?:(?:,| and| to) {NUMBER})*"


def notebook_files(root):
    return sorted((root / "notebooks").glob("*.ipynb"))


def pytest_generate_tests(metafunc):
    if "notebook" in metafunc.fixturenames:
        files = notebook_files(metafunc.config.rootpath)
        metafunc.parametrize("notebook", files, ids=lambda file: file.stem)


def cells_of(file):
    return [
        (cell["cell_type"], cell["metadata"], "".join(cell["source"]))
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
    ]


def parameters_of(file):
    (source,) = [source for _, metadata, source in cells_of(file) if "parameters" in metadata.get("tags", ())]
    return read_parameters(source)


def test_form(notebook):
    cells = cells_of(notebook)
    assert cells[0][0] == "markdown"
    assert cells[0][2].startswith("# ")
    code = [source for kind, _, source in cells if kind == "code"]
    assert any(f'Page("{notebook.stem}", globals())' in source for source in code)
    assert code[-1].strip() == "page.provenance()"
    for source in code:
        assert len(source.splitlines()) <= 30, f"thin notebooks call the package:\n{source}"


def test_figures_have_caption_name_and_description(notebook):
    for _, metadata, source in cells_of(notebook):
        if "plt.show()" in source or re.search(r"\bfigures\.", source):
            shown = metadata["mystnb"]
            assert shown["figure"]["caption"].endswith(".")
            assert shown["figure"]["name"].startswith("fig-")
            assert len(shown["image"]["alt"].split()) >= 8, "say what the figure shows to somebody who can't see it"


def test_parameters_have_legal_defaults(notebook):
    parameters = parameters_of(notebook)
    assert "seed" in {parameter.name for parameter in parameters}
    check(parameters, {parameter.name: parameter.default for parameter in parameters})


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_profiles_set_legal_parameters(notebook, root, profile):
    settings = yaml.safe_load((root / "notebooks" / "params" / f"{profile}.yml").read_text(encoding="utf-8")) or {}
    assert set(settings) <= {file.stem for file in notebook_files(root)}
    parameters = parameters_of(notebook)
    check(parameters, coerce(parameters, settings.get(notebook.stem) or {}))


def test_prose_holds_no_results(notebook):
    """Numbers with decimals or percent signs in prose would be results typed by hand."""
    for kind, _, source in cells_of(notebook):
        if kind == "markdown":
            prose = re.sub(r"\$[^$]*\$|`[^`]*`|\{[^}]*\}", "", source)
            prose = re.sub(REFERENCE, "", prose)
            assert not re.search(r"\d+\.\d+|\d\s?%", prose), prose


def test_quick_run_leaves_tables_and_verdicts(notebook, root, executed):
    results = json.loads((executed / f"{notebook.stem}.json").read_text(encoding="utf-8"))
    assert results["run"] == "quick"
    assert results["tables"]
    for table in results["tables"].values():
        assert table["data"], "an empty table"
    known = set(claims_of(notebook.stem.partition("_")[0])["claim_id"])
    assert set(results["verdicts"]) <= known
    for verdict in results["verdicts"].values():
        assert re.search(r"\d", verdict["evidence"]), "evidence holds numbers"


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

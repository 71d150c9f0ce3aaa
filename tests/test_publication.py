"""What a public project needs around its code: citation, licenses, changelog, hooks, hosted CI."""

import importlib
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from jinja2 import Template
from pybtex.database import parse_string

import fscore
from comparison.lessons import stored_lessons
from compendium import citation
from compendium.papers import papers

BIN = Path(sys.executable).parent


def run(root, program, *options):
    """Run a tool of the environment in the project's root folder; return its exit status and output."""
    done = subprocess.run([BIN / program, *options], cwd=root, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tracked(root):
    """The text files that belong to the project, by their path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this copy of the project is no git repository")
    files = [root / name for name in listed.stdout.split("\0") if name and not name.endswith((".gz", ".png"))]
    return {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files if file.is_file()}


@pytest.mark.parametrize("name", citation.FILES)
def test_a_generated_file_is_up_to_date(root, name):
    written = (root / name).read_text(encoding="utf-8")
    assert written == citation.FILES[name](), "run: python notebooks/run.py package"


def test_the_version_stands_in_one_place(root, tracked):
    about, generated = citation.project(), {"CHANGELOG.md", "data/datapackage.json", *citation.FILES}
    assert fscore.__version__ == about.version, "the project is installed in another version; run: make .venv/.ready"
    assert about.released, f"CHANGELOG.md has no section '## {about.version} (date)'; run: make release"
    assert json.loads((root / "data" / "datapackage.json").read_text("utf-8"))["version"] == about.version
    ours = re.compile(rf"(?<![\w.]){re.escape(about.version)}(?![\w.]*\d)")
    naming = {path for path, text in tracked.items() if ours.search(text)}
    made = ("requirements.lock", "data/measured/", "data/simulations.csv", "book/_static/sample_report.html")
    others = {path for path in naming if path.startswith(made)}  # they name the version that made them
    assert naming - others <= {"pyproject.toml", *generated}


def test_authors_are_named_where_a_license_needs_them_and_otherwise_taken_from_one_place(tracked):
    licenses = {"pyproject.toml", "LICENSE", "LICENSES/BSD-3-Clause.txt", "REUSE.toml"}
    papers_own = {"data/datapackage.json", "paper.md"}
    for author in citation.project().authors:
        naming = {path for path, text in tracked.items() if author.lower() in text.lower()}
        assert naming <= licenses | papers_own | set(citation.FILES)
        assert {"LICENSE", "REUSE.toml"} <= naming, f"LICENSE and REUSE.toml don't name {author}"


def test_what_the_owner_sets_reaches_every_file(monkeypatch):
    repository, doi = "https://git.example/group/project", "https://doi.org/10.1234/example"
    about = replace(citation.project(), authors=("Ada Byron",), repository=repository, doi=doi)
    monkeypatch.setattr(citation, "project", lambda: about)
    cff = yaml.safe_load(citation.citation_file())
    assert (cff["authors"], cff["repository-code"], cff["doi"]) == (
        [{"name": "Ada Byron"}],
        repository,
        "10.1234/example",
    )
    meta = json.loads(citation.codemeta())
    assert (meta["author"][0]["name"], meta["codeRepository"], meta["identifier"]) == ("Ada Byron", repository, doi)
    assert json.loads(citation.zenodo())["creators"] == [{"name": "Ada Byron"}]
    assert "Ada Byron" in citation.crate()
    assert "Ada Byron" in citation.sentence()
    readme = citation.with_settings((citation.ROOT / "README.md").read_text("utf-8"))
    assert f"[clone of the project]({repository})" in readme
    assert f"({doi})" in readme
    assert "doi     = {10.1234/example}" in citation.bibtex()


def test_a_part_is_cited_with_version_and_date():
    part, version = "Claim S5 of Somol et al. 2011: undecided", citation.project().version
    said = citation.sentence(part, "2026-11-27")
    assert f"{part}. In: {citation.TITLE}, version {version}, measured on 2026-11-27" in said
    entry = parse_string(citation.bibtex("fscore-S5", part, "2026-11-27"), "bibtex").entries["fscore-S5"]
    assert (entry.fields["title"], entry.fields["version"], entry.fields["note"]) == (
        part,
        version,
        "measured on 2026-11-27",
    )


def test_addresses_of_the_owner_are_repeated_nowhere(tracked):
    about = citation.project()
    for address in filter(None, (about.repository, about.site, about.doi)):
        naming = {path for path, text in tracked.items() if address in text}
        assert naming <= {"pyproject.toml", "README.md", *citation.FILES}


def test_readme_has_what_the_owner_has_set(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert citation.with_settings(readme) == readme, "run: notebooks/run.py package"


REPOSITORIES = {
    "": "",
    "https://github.com/group/project": "https://mybinder.org/v2/gh/group/project/HEAD?labpath=a/b%20c.ipynb",
    "https://gitlab.com/group/sub/project.git": "https://mybinder.org/v2/gl/group%2Fsub%2Fproject/HEAD?labpath=a/b%20c.ipynb",
    "https://git.example/x/y": "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example%2Fx%2Fy/HEAD?labpath=a/b%20c.ipynb",
}


@pytest.fixture(params=REPOSITORIES)
def repository(request, monkeypatch):
    about = replace(citation.project(), repository=request.param)
    monkeypatch.setattr(citation, "project", lambda: about)
    return request.param


def test_binder_opens_the_repository_wherever_it_is(repository):
    assert citation.binder("a/b c.ipynb") == REPOSITORIES[repository]
    assert ("[![Binder]" in citation.badges()) == bool(repository)
    assert ("[![tests]" in citation.badges()) == ("github.com" in repository)


def test_pages_of_notebooks_have_a_button_for_binder_when_there_is_a_repository(repository, root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    citing = importlib.import_module("_ext.citing")
    monkeypatch.setattr(citing, "project", citation.project)
    config = SimpleNamespace(myst_substitutions={}, html_theme_options={"extra_footer": ""})
    citing.fill_in(None, config)
    assert ("binder.html" in config.html_theme_options.get("article_header_end", ())) == bool(repository)
    context = {}
    citing.offer_binder(None, "executed/hocke2014_mdm", "page.html", context, None)
    button = Template((root / "book" / "_templates" / "binder.html").read_text("utf-8"))
    assert ("notebooks/hocke2014/hocke2014_mdm.ipynb" in button.render(context)) == bool(repository)
    citing.offer_binder(None, "made", "page.html", other := {}, None)
    assert button.render(other) == ""


def test_readme_says_what_the_comparison_found(root):
    readme = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    assert "none reliably improved accuracy over keeping all features" in readme
    (keep_all,) = (lesson for lesson in stored_lessons() if lesson.key == "keep-all")
    assert keep_all.finding.holds


def test_readme_links_to_sections_that_exist(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    for file, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", readme):
        target = root / (file or "README.md")
        assert target.exists(), file
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE) if anchor else ()
        anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, f"{file}#{anchor}"


def test_citation_refers_to_every_paper():
    references = yaml.safe_load(citation.citation_file())["references"]
    assert len(references) == sum((paper.folder / "claims.py").is_file() for paper in papers().values())


def test_every_file_has_a_license(root):
    status, output = run(root, "reuse", "lint", "--quiet")
    assert status == 0, output


def test_license_is_the_text_that_detectors_know(root):
    assert (root / "LICENSE").read_bytes() == (root / "LICENSES" / "BSD-3-Clause.txt").read_bytes()


def test_fragments_of_the_changelog_are_read(root):
    kinds = {
        kind["directory"] for kind in tomllib.loads((root / "pyproject.toml").read_text())["tool"]["towncrier"]["type"]
    }
    fragments = [file for file in (root / "changelog.d").iterdir() if file.name != "README.md"]
    assert all(re.fullmatch(rf"[\w+-]+\.({'|'.join(kinds)})\.md", file.name) for file in fragments), fragments
    status, output = run(root, "towncrier", "build", "--draft", "--version", "next")
    assert status == 0, output
    for file in fragments:
        assert file.read_text(encoding="utf-8").split()[0] in output, f"{file.name} is not in the changelog"


@pytest.mark.slow
def test_hooks_pass(root, tracked):
    status, output = run(root, "pre-commit", "run", "--all-files")
    assert status == 0, output


def test_hosted_ci_runs_declared_versions_of_python(root):
    workflow = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for version in workflow["jobs"]["library"]["strategy"]["matrix"]["python"]:
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    assert {"run": ".ci/run"} in workflow["jobs"]["everything"]["steps"]
    for pattern in workflow["env"]["LIBRARY"].split():
        assert list(root.glob(pattern)), f"no test is called {pattern}"

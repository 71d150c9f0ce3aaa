"""Adding a paper, a method or a user's run to the project disturbs nothing that exists."""

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from compendium.markup import escape_markdown
from compendium.runner.execution import mark_as_user_run, slug_of

KEY = "peng2005"

# Possible names of a user's file, column or label, which pages must show as plain text.
HOSTILE = [
    "<img src=x onerror=alert(1)>.csv",
    "[click](javascript:alert(1)).csv",
    "![x](http://example.invalid/x.png).csv",
    "`code` ``more.csv",
    "{eq}`nowhere`.csv",
    "{{ config }}.csv",
    "$x^2$ $$y$$.csv",
    "a | b | c.csv",
    "&lt;b&gt;&amp;.csv",
    "\"quoted\" 'names'.csv",
    "back\\slash.csv",
    "```{raw} html.csv",
    "größe µ 数据.csv",
    "</title></head><body onload=alert(1)>.csv",
    "line\nbreak.csv",
]
STRAIGHT = str.maketrans("“”‘’", "\"\"''")  # Sphinx sets typographic quotes


class Copy:
    """A copy of the project with the executed notebooks, and the cache of one of its experiments."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {key: value for key, value in os.environ.items() if key != "FSCORE_CACHE"}
        self.environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / "notebooks")])

    def python(self, *words):
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def files(self, *parts):
        folder = self.folder.joinpath(*parts)
        return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def copy(root, executed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("_build", ".hypothesis", "*.log")  # compiled code is kept: it need not compile again
    for name in ("fscore", "notebooks", "data", "book", "tests"):
        shutil.copytree(root / name, folder / name, ignore=skip)
    shutil.copytree(executed, folder / "results" / "book")
    for name in ("pyproject.toml", "requirements.lock", "README.md", "CHANGELOG.md", "Makefile"):
        shutil.copyfile(root / name, folder / name)
    return Copy(folder)


@pytest.fixture(scope="module")
def added(copy):
    """The copy with the skeleton of a new paper, built."""
    sources = {file: file.read_bytes() for part in ("notebooks", "data", "tests") for file in copy.files(part)}
    wrote = copy.python("notebooks/run.py", "paper", KEY)
    assert wrote.returncode == 0, wrote.stderr
    built = copy.python("notebooks/run.py", "build", "--only", f"{KEY}_accuracy", "--only", "claims")
    assert built.returncode == 0, built.stderr
    return {"sources": sources, "built": built.stdout}


# Renders some pages whole, and the others as titles, to which links lead nowhere.
RENDER = """
import sys

sys.path.insert(0, "book")
import render

render.stage()
render.write_stubs(*sys.argv[1:])
print(render.sphinx(render.BUILD / "new", "-W", "-n", "--keep-going", "-q"))
"""
LEADS_NOWHERE = re.compile(r"reference target not found|undefined label|unknown document|not in glossary")


@pytest.fixture(scope="module")
def site(copy, added):
    """The pages of the new paper and of users' runs on files of hostile names, and those that list them."""
    yours = copy.folder / "results" / "yours"
    yours.mkdir()
    for name in HOSTILE:
        write_run(copy, name)
    pages = ["index", "claims", "rerun", "bibliography", "glossary", f"papers/{KEY}", "claims/P1"]
    pages += [f"executed/{file.stem}" for file in copy.folder.glob(f"notebooks/{KEY}/*.ipynb")]
    pages += [f"yours/{file.stem}" for file in yours.iterdir()]
    rendered = copy.python("-c", RENDER, *pages)
    assert rendered.returncode == 0, rendered.stderr
    warnings = [line for line in rendered.stdout.splitlines() if "WARNING" in line or "ERROR" in line]
    assert [line for line in warnings if not LEADS_NOWHERE.search(line)] == []
    return copy.folder / "book" / "_build" / "new" / "_build" / "html"


def write_run(copy, name):
    """Write a user's run on a file of that name, as the runner does."""
    values = {"dataset": name, "n_samples": 24}
    slug = slug_of("hocke2014_illustration", values)
    results = copy.folder / "results"
    notebook = json.loads((results / "book" / "hocke2014_illustration.ipynb").read_text(encoding="utf-8"))
    mark_as_user_run(notebook, values, slug)
    (results / "yours" / f"{slug}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


@pytest.mark.slow
def test_only_new_files_were_written(copy, added):
    assert all(file.read_bytes() == content for file, content in added["sources"].items())
    for place in (f"notebooks/{KEY}/{KEY}_accuracy.ipynb", f"data/published/{KEY}_claims.csv", f"tests/test_{KEY}.py"):
        assert (copy.folder / place).is_file()


@pytest.mark.slow
def test_no_other_unit_was_computed(copy, added):
    """Only the new experiment was measured."""
    assert [line for line in added["built"].splitlines() if line.startswith("Measuring")] == [
        f"Measuring {KEY}_accuracy ..."
    ]


@pytest.mark.slow
def test_its_page_and_its_verdict_are_in_the_book(site):
    page = (site / "papers" / f"{KEY}.html").read_text(encoding="utf-8")
    assert re.search(r'href="\.\./claims/[^"]*\.html">P1 Two features are enough for iris</a>', page)
    assert "(Table 1)" in page
    claim = (site / "claims" / "P1.html").read_text(encoding="utf-8")
    assert "two features changed the accuracy of iris by" in claim, "what was found"
    assert "Table 1, published and reproduced" in (site / "executed" / f"{KEY}_accuracy.html").read_text("utf-8")
    front = (site / "index.html").read_text(encoding="utf-8")
    assert f'href="papers/{KEY}.html"' in front
    assert "Authors 2005" in front


@pytest.mark.slow
def test_the_skeleton_passes_lint_and_tests(copy, added):
    of_the_project = ["tests/test_notebooks.py", "tests/test_compendium.py", "tests/test_rules.py"]
    selected = f"({KEY} or readme or claim) and not executed"  # executing all notebooks again takes minutes
    for words in (
        ["notebooks/run.py", "measure", f"{KEY}_accuracy"],  # writes the verdicts into README, too
        ["tests/simulations.py", KEY],
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["notebooks/run.py", "lint"],
        ["-m", "pytest", "-q", f"tests/test_{KEY}.py", *of_the_project, "-k", selected],
    ):
        done = copy.python(*words)
        assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-2000:]}"


@pytest.mark.slow
def test_an_invalid_or_existing_key_is_rejected(copy, added):
    assert "is not a valid key" in copy.python("notebooks/run.py", "paper", "../peng").stderr
    assert f"notebooks/{KEY} already exists" in copy.python("notebooks/run.py", "paper", KEY).stderr


@pytest.mark.slow
def test_a_user_supplied_name_is_plain_text_on_every_page(site):
    pages = {
        page.name: page.read_text(encoding="utf-8") for page in site.rglob("*.html") if "_static" not in page.parts
    }
    for name in HOSTILE:
        page = pages[f"{slug_of('hocke2014_illustration', {'dataset': name, 'n_samples': 24})}.html"]
        heading = re.search(r"<section[^>]*>\s*<h1>(.*?)<a class=.headerlink", page, re.DOTALL)[1]
        shown = html.unescape(re.sub(r"<[^>]+>", "", heading)).translate(STRAIGHT)
        assert " ".join(name.split()) in " ".join(shown.split())
    for name, page in pages.items():
        assert not re.search(
            r"<img[^>]+src=.?x\b|<body onload|<script>alert|href=.javascript|example.invalid/x.png.>", page
        ), name


@pytest.mark.slow
@pytest.mark.browser
def test_no_user_supplied_name_runs_a_script(site, browser):
    browser.open(site / "index.html")
    browser.execute_script("localStorage.clear()")  # words that another test searched: Sphinx adds a link of its own
    for page in [site / "index.html", site / "search.html", *sorted((site / "yours").glob("*.html"))]:
        _, errors = browser.open(page)
        assert errors == [], page.name
        planted = "return document.querySelectorAll('img[src=x], [onerror], body[onload], a[href^=javascript]').length"
        assert browser.execute_script(planted) == 0, page.name
    browser.get((site / "search.html").as_uri() + "?q=onerror")
    browser.implicitly_wait(20)
    assert browser.find_elements("css selector", "#search-results li a")
    browser.implicitly_wait(0)
    assert browser.execute_script(planted) == 0, "in the search results"


def test_a_run_that_cannot_be_rendered_is_omitted_and_named(root, tmp_path, monkeypatch, capsys):
    """In a book of two runs."""
    monkeypatch.syspath_prepend(root / "book")
    specification = importlib.util.spec_from_file_location("render", root / "book" / "render.py")
    render = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(render)
    stage, site = tmp_path / "source", tmp_path / "html"
    for name, place in (("BUILD", tmp_path), ("STAGE", stage), ("SITE", site)):
        monkeypatch.setattr(render, name, place)
    (stage / "yours").mkdir(parents=True)
    for name, text in (("good-1", "# A run"), ("broken-1", "# Another\n\n{doc}`nowhere`")):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
        nbformat.write(notebook, stage / "yours" / f"{name}.ipynb")
    (stage / "index.md").write_text("# Runs\n")
    (stage / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - glob: yours/*\n")
    (stage / "_config.yml").write_text("title: Runs\nexecute:\n  execute_notebooks: 'off'\n")
    render.render("key")
    assert "Omitted: results/yours/broken-1.ipynb" in capsys.readouterr().err
    assert (site / "yours" / "good-1.html").is_file()
    assert not (site / "yours" / "broken-1.html").exists()


@pytest.mark.parametrize("text", ["a*b", "<b>", "[x](y)", "a\nb", "{role}`x`", "1 \\ 2"])
def test_escape_markdown_escapes_all_punctuation(text):
    from markdown_it import MarkdownIt

    shown = html.unescape(re.sub("<[^>]+>", "", MarkdownIt("commonmark").render(escape_markdown(text))))
    assert shown.strip() == " ".join(text.split())


def test_links_of_a_users_run_lead_to_the_published_pages():
    text = "# Title\n\nSee [another](hocke2014_uci.ipynb#errors)."
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": text}]}
    mark_as_user_run(notebook, {}, "hocke2014_mdm-abc123")
    assert "[another](../executed/hocke2014_uci.ipynb#errors)" in notebook["cells"][0]["source"]

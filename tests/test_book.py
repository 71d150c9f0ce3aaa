"""The built site in a browser: opened from disk, without a network, also at a phone's width."""

import csv
import hashlib
import html
import importlib
import itertools
import json
import os
import posixpath
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest
import yaml
from bs4 import BeautifulSoup

from compendium.comparison import stored_comparisons
from compendium.markup import anchor_of
from compendium.papers import papers
from compendium.published import all_claims
from compendium.runner.execution import mark_as_user_run

A4 = 718  # pixels of 190 mm, the width of the paper less the margins


@pytest.fixture(scope="session")
def site(root, executed):
    """The folder of the site, rendered."""
    done = subprocess.run([sys.executable, root / "book" / "render.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "book" / "_build" / "html"


@pytest.fixture(scope="session")
def pages(site):
    """All pages in the table of contents."""
    skipped = {"_static", "search.html", "yours"}  # a test renders a page of yours for a while
    found = [file for file in site.rglob("*.html") if not skipped & set(file.relative_to(site).parts)]
    return sorted(file for file in found if str(file.relative_to(site)) not in moved(site))


@cache
def moved(site):
    """New addresses by old ones."""
    return yaml.safe_load((site.parents[1] / "redirects.yml").read_text(encoding="utf-8"))


ARTICLE = re.compile(r"(?s)<article\b.*</article>")


def without_code(markup):
    """A page without what is not read as sentences: code, formulas, drawings."""
    markup = re.sub(r"(?s)<(pre|code|svg|script|style)\b.*?</\1>", "", markup)
    return re.sub(r'(?s)<(div|span) class="[^"]*\bmath\b[^"]*".*?</\1>|<dt class="sig\b.*?</dt>', "", markup)


def words(markup):
    """What a reader sees of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def test_old_addresses_lead_to_pages(site):
    for old, new in moved(site).items():
        page, _, anchor = new.partition("#")
        text = (site / page).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in text, new
        assert posixpath.relpath(new, posixpath.dirname(old) or ".") in (site / old).read_text(encoding="utf-8"), old


def test_the_site_is_small(site, pages):
    """Pages beside those of single claims, and words that the longest shows, code and further rows of tables apart."""
    assert len([page for page in pages if page.parent.name != "claims"]) <= 63
    for page in pages:
        article = ARTICLE.search(page.read_text(encoding="utf-8"))[0]
        assert len(words(re.sub(r"(?s)<template\b.*?</template>", " ", without_code(article))).split()) <= 5000, (
            page.name
        )


def test_a_long_table_shows_its_first_rows(pages):
    """Where ``tables.js`` offers the others; the list of all claims is filtered by a form of its own."""
    region = re.compile(r'(?s)<div class="table-scroll(?![^>]*data-filtered).*?</table>')
    for page in pages:
        text = re.sub(r"(?s)<template>.*?</template>", "", page.read_text(encoding="utf-8"))
        bodies = [table.partition("<tbody>")[2] for table in region.findall(text)]
        assert max((len(re.findall(r"<tr\b", body)) for body in bodies), default=0) <= 20, page.name


def test_every_page_describes_itself(pages):
    for page in pages:
        found = re.findall(r'<meta name="description" content="([^"]*)"', page.read_text(encoding="utf-8"))
        assert len(found) == 1, page
        assert 20 <= len(html.unescape(found[0])) <= 162, page


def test_render_again_renders_nothing(root, site):
    before = {file: file.stat().st_mtime_ns for file in site.rglob("*") if file.is_file()}
    done = subprocess.run([sys.executable, root / "book" / "render.py"], capture_output=True, text=True, check=True)
    assert "up to date" in done.stdout
    assert f"Open {(site / 'index.html').as_uri()}" in done.stdout
    assert {file: file.stat().st_mtime_ns for file in site.rglob("*") if file.is_file()} == before


# What jupyter-book adds to its ``conf.py`` for extensions of its own, which no page uses.
OWN_OPTIONS = re.compile(r"^(?:comments_config|use_jupyterbook_latex|use_multitoc_numbering) = .*\n", re.MULTILINE)
OWN_EXTENSIONS = re.compile(r", '(?:jupyter_book|sphinx_comments|sphinx_multitoc_numbering)'")
BY_BUILD = re.compile(r'\?(?:v|digest)=[0-9a-f]+|<meta name="generator"[^>]*>')  # in every page


@pytest.mark.slow
def test_sphinx_without_jupyter_book_makes_the_same_pages(root, site, tmp_path, monkeypatch):
    """The way out of jupyter-book: on that day, this ``conf.py`` takes the place of ``_config.yml``."""
    monkeypatch.syspath_prepend(root / "book")
    source, plain = tmp_path / "source", tmp_path / "html"
    importlib.import_module("staging").collect(source)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([jupyter_book, "config", "sphinx", source], check=True, capture_output=True)
    configuration = (source / "conf.py").read_text(encoding="utf-8")
    configuration = OWN_EXTENSIONS.sub("", OWN_OPTIONS.sub("", configuration))
    head = f"import sys\n\nsys.path.insert(0, {str(source)!r})\n"
    (source / "conf.py").write_text(head + configuration, encoding="utf-8")
    path = os.pathsep.join([str(root), str(root / "notebooks")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-b", "html", source, plain]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    made, expected = (
        {str(page.relative_to(folder)): BY_BUILD.sub("", page.read_text("utf-8")) for page in folder.rglob("*.html")}
        for folder in (plain, site)
    )
    assert made.keys() == expected.keys()
    assert [page for page in made if made[page] != expected[page]] == []


def test_no_page_needs_the_network(pages):
    loading = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"'](?:https?:)?//|<link[^>]*href=[\"']https?://")
    for page in pages:
        assert not loading.search(page.read_text(encoding="utf-8")), page.name


def test_no_page_shows_a_path_of_this_machine(root, pages):
    for page in pages:
        assert str(root) not in page.read_text(encoding="utf-8"), page.name


def test_every_image_is_described(pages):
    for page in pages:
        for image in re.findall(r"<img[^>]*>", page.read_text(encoding="utf-8")):
            alt = re.search(r'alt="([^"]*)"', image)
            assert alt, f"{page.name}: {image}"
            # Without a description, myst-nb uses the file's hash.
            assert len(alt[1].split()) >= 3, f"{page.name}: {image}"
            assert "_images/" not in alt[1]


def test_captions_have_no_numbers(pages):
    """On our pages, "Fig. 10" and "Table 6" are those of a paper."""
    assert [page.name for page in pages if "caption-number" in page.read_text(encoding="utf-8")] == []


def test_front_page_counts_the_verdicts(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for word in (
        "claims",
        "statements",
        "too small to tell",
        "if all papers were exactly right",
        "where we can tell",
        "theorems or true by construction",
        "agree within chance",
        "Hocke &amp; Martinetz 2014",
    ):
        assert word in text


def test_the_front_figures_caption_says_where_its_axis_ends(site):
    page = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    figure = next(figure for figure in page.find_all("figure") if "at the edge beyond" in figure.get_text())
    edge = float(re.search(r"at the edge beyond (\d+)", figure.figcaption.get_text())[1])
    ticks = [float(tick) for tick in re.findall(r"<!-- ([\d.]+) -->", str(figure.svg))]
    assert edge - 2 < max(ticks) <= edge
    squares = str(figure.svg).count("no error is known -->")
    assert (squares > 0) == ("A square:" in figure.figcaption.get_text())
    rows = re.findall(r"<!-- [A-Z][a-z]+ [A-Z\d.]+ -->", str(figure.svg))
    counted = re.search(r"of the (\d+) tables with an interval", figure.figcaption.get_text())[1]
    assert int(counted) + squares == len(rows)


def test_all_verdicts_are_on_one_page_of_a_pdf(site):
    content = (site / "verdicts.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert re.search(rb"/Count 1\b", content)
    assert b"/MediaBox [ 0 0 595" in content  # A4
    for page in "index", "claims":
        assert 'href="verdicts.pdf"' in (site / f"{page}.html").read_text(encoding="utf-8")


def test_the_page_of_verdicts_has_every_claim_inside_its_margins(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    claims, pdf = importlib.import_module("_ext.claims_page"), importlib.import_module("_ext.summary_pdf")
    figure = pdf.one_page(claims.stored_records())
    figure.draw_without_rendering()
    assert len({text.get_text() for text in figure.texts} & set(all_claims()["claim_id"])) == len(all_claims())
    boxes = [text.get_window_extent() for text in figure.texts]
    width, height = figure.get_size_inches() * figure.dpi
    assert all(0 < box.x0 < box.x1 < width and 0 < box.y0 < box.y1 < height for box in boxes)
    columns = {}
    for text, box in zip(figure.texts, boxes, strict=True):
        columns.setdefault(text.get_position()[0], []).append(box)
    for column in columns.values():  # nothing covers what stands below it
        assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(column))


def test_verdicts_numbers_and_the_data_package_can_be_downloaded(root, site):
    folder = site / "downloads"
    assert len(pd.read_csv(folder / "verdicts.csv")) == len(pd.read_csv(root / "data" / "verdicts.csv"))
    assert len(pd.read_csv(folder / "printed_numbers.csv")) == len(stored_comparisons())
    with zipfile.ZipFile(folder / "data_package.zip") as archive:
        resources = json.loads(archive.read("datapackage.json"))["resources"]
        for resource in resources:
            assert resource["hash"] == f"sha256:{hashlib.sha256(archive.read(resource['path'])).hexdigest()}"
    page = (site / "download.html").read_text(encoding="utf-8")
    assert all(f'href="downloads/{file.name}" download' in page for file in folder.iterdir())
    sizes = re.findall(r"<td><p>([\d,.]+)</p></td>\n</tr>", page)
    assert len(sizes) > 50
    assert all(float(size.replace(",", "")) > 0 for size in sizes)


def test_every_claim_has_its_address(site):
    overview = (site / "claims.html").read_text(encoding="utf-8")
    front = (site / "index.html").read_text(encoding="utf-8")
    for claim in all_claims().itertuples():
        anchor = anchor_of(claim.paper, claim.claim_id)
        assert overview.count(f'id="{anchor}"') == 1, "old addresses lead to the claim's page from here"
        words = html.unescape((site / "claims" / f"{anchor}.html").read_text(encoding="utf-8")).replace("’", "'")
        assert claim.quotation in words
        assert "make run NOTEBOOK=" in words
        assert 'href="../rerun.html"' in words
        assert f'href="claims/{anchor}.html"' in front
        assert f'href="claims/{anchor}.html"' in overview


def test_a_claims_page_names_what_its_rule_answers_as_verdicts_are_named(site):
    """On simulated data, too: "mixed" and "undecided" are words of the stored tables."""
    heads = set()
    for file in (site / "claims").glob("*.html"):
        known = file.read_text(encoding="utf-8").partition("What this test says when the truth is known")[2]
        heads |= set(map(html.unescape, re.findall(r"<th[^>]*>([^<]*)</th>", known.partition("</thead>")[0])))
    assert heads >= {"holds", "holds in part", "fails", "can't tell", "no effect", "passed"}
    assert not heads & {"mixed", "undecided"}


def test_a_papers_page_has_a_card_for_each_claim_and_a_drawing(site):
    for paper, claims in all_claims().groupby("paper"):
        page = BeautifulSoup((site / "papers" / f"{paper}.html").read_text(encoding="utf-8"), "html.parser").article
        cards = page.select(".claim-cards .claim-card")
        linked = {card.select_one("a")["href"] for card in cards}
        assert linked == {f"../claims/{anchor_of(paper, claim)}.html" for claim in claims["claim_id"]}
        assert all(len(card.select_one("p:nth-of-type(3)").get_text().split()) > 3 for card in cards)  # what was found
        assert page.select_one("figure").find_next("div", class_="claim-cards") is not None
        assert f"@misc{{fscore-{paper}," in page.select_one("details.cite").get_text()


FIRST_FIGURE = re.compile(r'<figure\b|<img\b|<svg class="drawing')


def test_the_first_figure_comes_soon(site):
    """At most 120 words of prose stand before the first figure of a paper's pages."""
    pages = [site / "papers" / f"{paper}.html" for paper in set(all_claims()["paper"])]
    pages += [site / "executed" / f"{name}.html" for paper in papers().values() for name in paper.pages]
    for page in pages:
        if str(page.relative_to(site)) in moved(site) or page.stem.startswith("your_"):
            continue  # your_: a report, which begins with what is wrong with the data
        start = FIRST_FIGURE.split(ARTICLE.search(page.read_text(encoding="utf-8"))[0])[0]
        article = BeautifulSoup(start, "html.parser")
        for part in article.select("script, style, pre, details, .table-scroll, .badges, .source-line, .headerlink"):
            part.decompose()
        before = article.get_text(" ").split()
        assert len(before) <= 120, (page.name, len(before))


def test_an_id_is_given_once_on_a_page(site, pages):
    for page in pages:
        found = re.findall(
            r'<[a-z][^>]*\sid="([^"]+)"', re.sub(r"(?s)<svg.*?</svg>", "", page.read_text(encoding="utf-8"))
        )
        assert len(found) == len(set(found)), (page.name, [name for name in found if found.count(name) > 1][:5])


def test_every_figure_of_a_notebook_has_a_drawing_for_phones(site):
    offered = 0
    for page in (site / "executed").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        sources = re.findall(r'<picture><source media="[^"]+" srcset="([^"]+)"><img', text)
        assert len(sources) == len(re.findall(r"<img [^>]*_images/", text)), page.name
        assert all((page.parent / source).is_file() for source in sources), page.name
        offered += len(sources)
    assert offered > 30


def test_every_page_of_a_notebook_says_when_its_numbers_were_measured(pages):
    for page in (page for page in pages if page.parent.name == "executed"):
        assert re.search(r"Measured on \d{4}-\d\d-\d\d", page.read_text(encoding="utf-8")), page.name


@pytest.mark.slow
def test_a_users_run_is_rendered_at_once(root, site, executed):
    """Into the site as it is; no other page is rendered."""
    name = "hocke2014_illustration-rendered_alone"
    run = root / "results" / "yours" / f"{name}.ipynb"
    run.parent.mkdir(exist_ok=True)
    notebook = json.loads((executed / "hocke2014_illustration.ipynb").read_text(encoding="utf-8"))
    hostile = "<img src=x onerror=alert(1)> [v2](x) `y` {{ z }}.csv"
    mark_as_user_run(notebook, {"n_samples": 24, "dataset": hostile}, name)
    run.write_text(json.dumps(notebook), encoding="utf-8")
    page = site / "yours" / f"{name}.html"
    index = site / "rerun.html"
    listed = index.read_bytes()
    before = {file: file.stat().st_mtime_ns for file in (site / "executed").iterdir()}
    try:
        command = [sys.executable, root / "book" / "render.py", "--run", name]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"Open {page.as_uri()}" in done.stdout
        text = page.read_text(encoding="utf-8")
        assert "n_samples = 24" in text
        assert html.escape(hostile, quote=False) in text
        assert "<img src=x" not in text + index.read_text(encoding="utf-8")
        assert text.count("<img") >= 2
        for image in re.findall(r'<img[^>]*src="(\.\.[^"]+)"', text):
            assert (page.parent / image).is_file()
        assert {file: file.stat().st_mtime_ns for file in (site / "executed").iterdir()} == before
    finally:
        run.unlink()
        page.unlink(missing_ok=True)
        index.write_bytes(listed)


def test_an_unknown_run_is_named(root):
    done = subprocess.run(
        [sys.executable, root / "book" / "render.py", "--run", "none"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "there is no run results/yours/none.ipynb" in done.stderr


def test_links_inside_the_site_lead_somewhere(site, pages):
    @cache
    def anchors(file):
        return set(re.findall(r'\s(?:id|name)="([^"]+)"', file.read_text(encoding="utf-8")))

    for page in pages:
        for link in re.findall(r'<a[^>]*href="([^"]+)"', page.read_text(encoding="utf-8")):
            parts = urlsplit(html.unescape(link))
            if parts.scheme:
                continue
            target = page.parent / unquote(parts.path) if parts.path else page
            assert target.exists(), f"{page.relative_to(site)} links to {link}"
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in anchors(target.resolve()), f"{page.relative_to(site)} links to {link}"


def test_every_public_name_is_described_and_indexed(site, root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    public = importlib.import_module("_ext.api_pages").public_objects()
    assert len(public) > 80
    described = {
        name
        for page in (site / "api").glob("*.html")
        for name in re.findall(r'<dt[^>]*\bid="(fscore\.[^"]+)"', page.read_text(encoding="utf-8"))
    }
    assert set(public) <= described
    overview = (site / "api" / "index.html").read_text(encoding="utf-8")
    for name in public:
        assert f"#{name}" in overview, name
    assert overview.count("<thead>") == overview.count("<table ") > 1, "a table says what its columns are"


def test_code_in_prose_links_to_the_reference(site):
    text = (site / "methods" / "searches.html").read_text(encoding="utf-8")
    assert 'href="../api/search.html#fscore.search.SFFS"' in text


# What Python writes and readers don't: powers of ten with an e, values of its own, hyphens as minus signs.
PYTHONIC = re.compile(
    r"(?<![\w.-])[-+−]?\d(?:\.\d+)?e[-+]?\d{1,3}\b(?!\.)"
    r"|(?:^|[,=(] ?)(?:None|True|False|nan|NaN)(?=$|[,)])"
    r"|(?<![\w.)\]'\u2019])-\.?\d"
)


@pytest.fixture(scope="session")
def articles(site, pages):
    """Pages and what they say to readers, without code: those of the reference are about Python."""
    own = [page for page in pages if page.parent.name != "api"]
    return {page.relative_to(site): without_code(ARTICLE.search(page.read_text(encoding="utf-8"))[0]) for page in own}


def test_no_table_or_sentence_has_the_notation_of_python(articles):
    found = []
    for page, article in articles.items():
        for part in re.split(r"</?(?:td|th|dd|dt|dl|p|li|ul|ol|table|tr|div|section|figure|h\d)\b[^>]*>", article):
            text = words(part)
            found += [f"{page}: {text[max(0, hit.start() - 20) : hit.end() + 10]}" for hit in PYTHONIC.finditer(text)]
    assert found == []


def test_identical_numbers_have_the_digits_of_print(articles):
    """Ours is shown as it is printed; it is one value, so that it has no standard deviation."""
    seen = 0
    for page, article in articles.items():
        for row in re.findall(r"(?s)<tr\b.*?</tr>", article):
            texts = [words(cell) for cell in re.findall(r"(?s)<t[dh]\b.*?</t[dh]>", row)]
            for place in (place for place, text in enumerate(texts) if text.startswith("✓ identical")):
                assert texts[place - 1] == texts[place - 2].partition(" ±")[0], (page, texts)
                seen += 1
    assert seen > 50


def test_no_page_shows_tags(articles):
    tag = re.compile(r"</?(a|b|br|div|i|li|p|section|span|table|td|th|tr|ul)(>|\s[^<>]*>)")
    assert [f"{page}: {hit[0]}" for page, article in articles.items() for hit in tag.finditer(words(article))] == []


def test_a_page_is_light(site, pages):
    """What one page loads beyond the files that all pages share; maths only where there are formulas."""
    assert (site / "_static" / "scripts" / "fontawesome.js").stat().st_size < 200_000
    for page in pages:
        text = page.read_text(encoding="utf-8")
        images = {unquote(image) for image in re.findall(r'<img[^>]*\ssrc="([^":]+)"', text)}
        assert len(text) + sum((page.parent / image).stat().st_size for image in images) < 1.5e6, page.name
        assert ("tex-chtml.js" in text) == ('class="math' in text), page.name


def each_markup(pages):
    """The pages, but of those of the API and of claims, which differ in words alone, every eighth."""
    repeated = [page for page in pages if page.parent.name in ("api", "claims")]
    return [*(page for page in pages if page not in repeated), *repeated[::8]]


def with_all_markup(pages):
    """Few pages that together have nearly every kind of element, by its tag and classes; drawings count as one."""
    kinds = {}
    for page in pages:
        text = re.sub(r"(?s)<(svg|script|style)\b.*?</\1>", r"<\1>", page.read_text(encoding="utf-8"))
        kinds[page] = set(re.findall(r'<([a-z]\w*)(?:[^>]*?\sclass="([^"]*)")?', text))
    chosen, missing = [], set().union(*kinds.values())
    while True:
        page = max(pages, key=lambda page: len(kinds[page] & missing))
        if len(kinds[page] & missing) < 3:
            return chosen
        chosen.append(page)
        missing -= kinds[page]


@pytest.fixture(scope="session")
def visited(pages):
    """The pages that the browser opens: in CI every third one of each markup, else every eighth of a folder."""
    if "CI" in os.environ:
        return each_markup(pages)[::3]
    folders = sorted({page.parent for page in pages})
    return [page for folder in folders for page in [page for page in pages if page.parent == folder][::8]]


# What lies outside its table cell.
OUTSIDE = """
    const open = element => element.closest('details:not([open])') === null;
    const inside = (child, cell) => !child.width || (child.left >= cell.left - 1 && child.right <= cell.right + 1);
    const outside = [...document.querySelectorAll('article td, article th')].filter(open).flatMap(cell =>
        [...cell.querySelectorAll('*:not(mjx-assistive-mml, mjx-assistive-mml *)')].filter(  // which is for the ear
            child => !inside(child.getBoundingClientRect(), cell.getBoundingClientRect())));
"""


@pytest.fixture(scope="session")
def visits(browser, visited):
    """What the browser says of each page: loaded, then at a phone's width, then printed on A4 paper."""
    formulas = "return ['mjx-container', '.math', 'mjx-merror'].map(name => document.querySelectorAll(name).length)"
    wide = """
        const right = element => element.getBoundingClientRect().right;
        return [...document.querySelectorAll('article table, article img, article pre, article mjx-container')]
            .filter(element => right(element) > arguments[0] + 1).map(element => element.outerHTML.slice(0, 120));
    """
    cut = f"""{OUTSIDE}
        const regions = [...document.querySelectorAll('article .table-scroll, article .pst-scrollable-table-container')]
            .filter(open);
        const code = [...document.querySelectorAll('article pre')].filter(open).filter(element => element.tabIndex < 0);
        const hidden = [...regions, ...code]  // code that scrolls, which the keyboard reaches, hides nothing
            .filter(element => element.scrollWidth > element.clientWidth + 1).concat(outside);
        const long = regions.filter(region => region.scrollHeight > region.clientHeight + 2);
        return [hidden.map(element => element.outerHTML.slice(0, 120)),
                long.filter(region => !region.matches('.more-below')).map(region => region.outerHTML.slice(0, 120))];
    """
    page_width = "return document.documentElement.scrollWidth"
    seen = {}
    for page in visited:
        requests, errors = browser.open(page)
        visit = {"requests": requests, "errors": errors, "formulas": browser.execute_script(formulas), "cut": {}}
        with_width(browser, 1280, 1000)
        browser.execute_async_script(DRAWN)
        visit["cut"][1280] = browser.execute_script(cut)
        with_width(browser, 1100, 1000)
        visit["width of 1100"] = browser.execute_script(page_width)
        for width in 320, 390:
            with_width(browser, width, 844, mobile=True)
            browser.execute_async_script(DRAWN)
            visit["cut"][width] = browser.execute_script(cut)
            visit[f"width of {width}"] = browser.execute_script(page_width)
        with_width(browser, A4, 1000)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.execute_async_script(DRAWN)
        visit["cut on paper"] = browser.execute_script(wide, A4)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        seen[page] = visit
    return seen


@pytest.mark.browser
class TestInBrowser:
    def test_pages_load_without_errors_and_without_the_network(self, visits, site):
        for page, visit in visits.items():
            assert visit["errors"] == [], page.name
            # the browser itself opens data, blob, about and chrome URLs
            own = ("http", "https", "ws", "wss", "file")
            outside = [url for url in visit["requests"] if urlsplit(url).scheme in own]
            outside = [url for url in outside if not url.startswith(site.as_uri())]
            assert outside == [], page.name

    def test_verdicts_and_the_first_figure_are_on_the_first_screen_and_no_cell_is_too_small(self, browser, site):
        """Of a notebook's page, on a laptop and on a phone; 100 pixels of the figure are seen without scrolling."""
        script = f"""{OUTSIDE}
            const box = element => element && element.getBoundingClientRect();
            const [badges, answer] = ['.badges', '.answer'].map(name => box(document.querySelector(name)));
            const figure = [...document.querySelectorAll('article figure, article .cell_output img')]
                .map(box).find(figure => figure.width > 60 && figure.height > 60);
            return [badges && badges.bottom, answer && answer.bottom, figure.top,
                    outside.map(element => element.outerHTML.slice(0, 120))];
        """
        judged = set()
        for page in sorted((site / "executed").glob("*.html")):
            if str(page.relative_to(site)) in moved(site):
                continue
            with screen(browser, 1280, 900):
                browser.get(page.as_uri())
                for width, height, mobile in (1280, 900, False), PHONE:
                    with_width(browser, width, height, mobile)
                    browser.execute_async_script(DRAWN)
                    badges, answer, figure, outside = browser.execute_script(script)
                    assert figure <= height - 100, (page.name, width)
                    assert outside == [], (page.name, width)
                    assert badges is None or mobile or 0 < badges < answer <= 600, page.name
            if badges is not None:
                judged.add(page.stem.partition("_")[0])
        assert judged == set(all_claims()["paper"])

    def test_the_matrix_of_claims_is_filtered(self, browser, site):
        browser.open(site / "claims.html")
        shown = "return [...document.querySelectorAll('#claims-matrix tbody tr')].filter(row => !row.hidden).length"
        assert browser.execute_script(shown) == len(all_claims())
        box = browser.find_element("css selector", "#claims-filters input[name=word]")
        box.send_keys("voting")
        few = browser.execute_script(shown)
        assert 0 < few < len(all_claims())
        assert browser.find_element("id", "claims-count").text == str(few)

    def test_an_old_address_of_a_claim_leads_to_its_page(self, browser, site):
        browser.open(site / "bibliography.html")
        browser.get((site / "claims.html").as_uri() + "#S5")
        browser.wait_for_page("claims/S5.html")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("api/fscore.search.sequential.html#fscore.search.SBFS", "api/search.html#fscore.search.SBFS"),
            ("api/fscore.search.sequential.html#fscore.search.SBFS.fit", "api/search.html#fscore.search.SBFS"),
            ("executed/nel1998_readings.html", "papers/nel1998.html#readings"),
            ("executed/somol2011_readings.html#agreement-with-print", "papers/somol2011.html#agreement-with-print"),
            ("trust.html#no-such-part", "made.html#what-is-tested"),
        ],
    )
    def test_an_old_address_keeps_its_anchor_where_it_can(self, browser, site, old, new):
        browser.open(site / "bibliography.html")
        browser.get(f"{site.as_uri()}/{old}")
        browser.wait_for_page(f"/{new}")

    def test_formulas_are_rendered(self, visits):
        seen = 0
        for page, visit in visits.items():
            rendered, sources, broken = visit["formulas"]
            if 'class="math' in page.read_text(encoding="utf-8"):
                assert rendered >= sources > 0, page.name
                assert broken == 0, page.name
                seen += rendered
        assert seen > 0

    def test_neither_a_phone_nor_a_small_window_scrolls_sideways(self, visits):
        for page, visit in visits.items():
            assert visit["width of 1100"] <= 1100, page.name
            assert visit["width of 390"] <= 390, page.name
            assert visit["width of 320"] <= 320, page.name

    def test_no_table_or_code_is_cut_and_what_scrolls_fades(self, visits):
        for page, visit in visits.items():
            for width, (hidden, sharp) in visit["cut"].items():
                assert hidden == [], (page.name, width)
                assert sharp == [], (page.name, width)

    def test_a_wide_table_has_a_row_for_each_quantity_and_on_a_phone_cards(self, browser, site):
        page = site / "executed" / "somol2011_ensembles.html"
        script = """
            const table = document.querySelector('#table-3 table');
            const shown = getComputedStyle(table.tHead).display !== 'none';
            const row = table.tBodies[0].rows[0];
            return [shown && [...table.tHead.rows[0].cells].map(cell => cell.textContent), table.tBodies[0].rows.length,
                    [...row.cells].map(cell => [cell.dataset.label, cell.textContent, cell.getAttribute('role')])];
        """
        with screen(browser, 1280, 1000):
            browser.open(page)
            head, n, _ = browser.execute_script(script)
        assert head == ["data set", "method", "quantity", "published", "reproduced", "grade"]
        with screen(browser, *PHONE):
            browser.open(page)
            head, cases, first = browser.execute_script(script)
        assert head is False
        assert n == 6 * cases
        labels = [label for label, _, _ in first]
        assert labels[:5] == ["data set", "method", "rate, published", "reproduced", "grade"]
        assert {role for _, _, role in first} == {"rowheader", "cell"}

    def test_the_name_of_a_file_stays_in_one_piece(self, browser, site):
        script = """
            const names = document.querySelectorAll('.table-scroll td:first-child code');
            return [...names].map(name => name.getClientRects().length);
        """
        for size in (1280, 1000, False), PHONE:
            with screen(browser, *size):
                browser.open(site / "download.html")
                browser.execute_async_script(DRAWN)
                assert set(browser.execute_script(script)) == {1}

    def test_on_a_phone_secondary_statements_say_what_their_numbers_are(self, browser, site):
        """A second group of rows has cards, too; its heading spans the width."""
        script = """
            const [first, second] = document.querySelector('table.forest').tBodies;
            const heading = second.querySelector('[scope=rowgroup]');
            const labels = row => [...row.cells].map(cell => cell.dataset.label);
            const share = heading.offsetWidth / heading.parentElement.offsetWidth;
            return [labels(first.rows[0]), labels(second.rows[1]), share];
        """
        with_width(browser, 390, 844, mobile=True)
        try:
            browser.open(site / "claims" / "S5.html")
            primary, secondary, width = browser.execute_script(script)
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        assert "measured" in primary
        assert secondary == primary
        assert width > 0.9

    def test_on_a_phone_what_was_found_on_a_claim_has_the_whole_width(self, browser, site):
        with screen(browser, *PHONE):
            browser.open(site / "claims.html")
            browser.execute_async_script(DRAWN)
            cells = "document.querySelectorAll('#claims-matrix tbody tr:first-child > *')"
            claim, found, paper = browser.execute_script(f"return [...{cells}].map(e => e.offsetWidth).slice(0, 3)")
        assert found == claim > 2 * paper

    def test_a_phone_shows_the_panels_of_a_figure_below_each_other(self, browser, site):
        page = site / "executed" / "somol2011_ensembles.html"
        script = "const image = document.querySelector('article figure img'); return [image.width, image.height]"
        browser.open(page)
        width, height = browser.execute_script(script)
        assert width > height
        with screen(browser, *PHONE):
            browser.open(page)
            width, height = browser.execute_script(script)
        assert 300 < width < height / 3

    def test_on_a_phone_the_explorer_is_readable_and_a_tap_beside_a_mark_tells_its_method(self, browser, site):
        script = """
            const svg = document.querySelector('.explorer > svg');
            const marks = [...svg.querySelectorAll('.point')].map(node => {
                const box = node.getBoundingClientRect();
                return {label: node.ariaLabel, x: box.left + box.width / 2, y: box.top + box.height / 2};
            });
            const room = mark => Math.min(...marks.filter(other => other !== mark).map(
                other => Math.hypot(other.x - mark.x, other.y - mark.y)));
            const alone = marks.reduce((one, other) => room(other) > room(one) ? other : one);
            svg.dispatchEvent(new MouseEvent('click', {clientX: alone.x + 12, clientY: alone.y}));
            const told = document.querySelector('.explorer output').textContent;
            return [told === alone.label, svg.querySelector('text').getBoundingClientRect().height];
        """
        with screen(browser, *PHONE):
            browser.open(site / "executed" / "comparison_arena.html")
            told, height = browser.execute_script(script)
        assert told
        assert height >= 12

    def test_dark_mode_keeps_text_and_figures_readable(self, browser, site):
        browser.open(site / "executed" / "hocke2014_illustration.html")
        browser.execute_script("document.documentElement.dataset.theme = 'dark'")
        script = """
            const rgb = (element, name) => getComputedStyle(element)[name].match(/[\\d.]+/g).map(Number);
            const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
                .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
            const text = luminance(rgb(document.querySelector('article p'), 'color'));
            const page = luminance(rgb(document.body, 'backgroundColor'));
            const image = document.querySelector('article img');
            const figure = [rgb(image, 'backgroundColor').slice(0, 3), getComputedStyle(image).filter];
            return [(Math.max(text, page) + .05) / (Math.min(text, page) + .05), ...figure];
        """
        contrast, ground, turned = browser.execute_script(script)
        assert contrast >= 4.5  # WCAG AA
        browser.open(site / "executed" / "hocke2014_mdm.html")
        browser.execute_script("document.documentElement.dataset.theme = 'dark'")
        light = "return [...document.querySelectorAll('.text_html')].map(e => getComputedStyle(e).backgroundColor)"
        assert set(browser.execute_script(light)) == {"rgba(0, 0, 0, 0)"}  # axe takes equal colours for hidden text
        assert ground == [255, 255, 255]  # drawn on white, then the lightness is turned around
        assert "invert" in turned

    def test_the_keyboard_reaches_the_content(self, browser, site):
        from selenium.webdriver import ActionChains, Keys

        browser.open(site / "index.html")
        ActionChains(browser).send_keys(Keys.TAB).perform()
        focused = browser.switch_to.active_element
        assert "main-content" in (focused.get_attribute("href") or "")
        tables = browser.find_elements("css selector", ".table-scroll")
        assert tables
        assert all(table.get_attribute("tabindex") == "0" for table in tables)


DRAWN = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"  # the tables have been fitted


PHONE = 390, 844, True


def with_width(browser, width, height, mobile=False):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


@contextmanager
def screen(browser, *size):
    """A screen of another size for a while."""
    with_width(browser, *size)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def found_by_search(browser, site, query):
    """Addresses of the first pages that the site's search lists for a query."""
    browser.open(site / "index.html")
    browser.get((site / "search.html").as_uri() + f"?q={query.replace(' ', '+')}")
    browser.implicitly_wait(20)
    browser.find_element("css selector", "#search-results li a")
    browser.implicitly_wait(0)
    links = browser.find_elements("css selector", "#search-results li a")[:5]
    return [link.get_attribute("href") for link in links]


@pytest.mark.browser
class TestReadingInBrowser:
    @pytest.mark.slow
    def test_axe_finds_no_violation_in_either_theme(self, browser, pages, site, axe):
        """Pages, their tables and their code repeat one markup: a page of each, and a few rows of a table, suffice.

        Only colours depend on the theme, so the dark one is checked for contrast alone.
        """
        shorten = (
            "document.querySelectorAll('tbody').forEach(body => [...body.rows].slice(4).forEach(row => row.remove()));"
            "[...document.querySelectorAll('article pre')].slice(3).forEach(code => code.remove())"
        )
        script = """
            const [theme, rules, done] = arguments;
            document.documentElement.dataset.theme = document.documentElement.dataset.mode = theme;
            const describe = rule => rule.nodes.map(node => `${rule.id}: ${node.target} ${node.html}`);
            const options = {resultTypes: ['violations'], ...(rules.length ? {runOnly: rules} : {})};
            const run = () => axe.run(document, options).then(found => done(found.violations.flatMap(describe)));
            setTimeout(run, 100);
        """
        at_once = (  # else colours change gradually, on a busy machine for longer than any wait
            "const style = document.createElement('style'); style.textContent = '* {transition: none !important}';"
            "document.head.append(style)"
        )
        found = []
        for page in with_all_markup(pages):
            browser.open(page)
            browser.execute_script(shorten)
            browser.execute_script(at_once)
            browser.execute_script(axe)
            for theme, rules in ("light", []), ("dark", ["color-contrast"]):
                for violation in browser.execute_async_script(script, theme, rules):
                    found.append(f"{page.relative_to(site)} ({theme}) {violation[:200]}")
        assert found == []

    def test_a_long_table_sorts_filters_and_scrolls_by_keyboard(self, browser, site):
        from selenium.webdriver import ActionChains, Keys

        browser.open(site / "executed" / "nel1998_full_search.html")
        table = browser.find_element("css selector", "#table-7-9")
        rows = "return [...document.querySelectorAll('#table-7-9 tbody tr:not([hidden])')]"
        column = rows + ".map(row => +row.cells[%d].textContent)"
        place = browser.execute_script(
            "const headers = [...document.querySelectorAll('#table-7-9 thead th')];"
            "return headers.findIndex(header => header.textContent.includes('published'))"
        )
        assert len(browser.execute_script(rows)) == 12
        browser.execute_script("document.querySelector('.table-tools:has(+ #table-7-9) .all-rows').click()")
        before = browser.execute_script(column % place)
        assert len(before) > 90
        header = table.find_elements("css selector", "thead button")[place]
        browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", header)
        header.click()
        assert browser.execute_script(column % place) == sorted(before)
        header.click()
        assert browser.execute_script(column % place) == sorted(before, reverse=True)

        browser.execute_script("arguments[0].focus({preventScroll: true}); arguments[0].scrollTop = 0", table)
        page_at = browser.execute_script("return window.scrollY")
        ActionChains(browser.driver).send_keys(Keys.ARROW_DOWN * 5).pause(0.5).perform()
        assert browser.execute_script("return arguments[0].scrollTop", table) > 0
        assert browser.execute_script("return window.scrollY") == page_at

        browser.find_element("css selector", ".table-tools:has(+ #table-7-9) input").send_keys("pima test")
        texts = browser.execute_script(rows + ".map(row => row.textContent)")
        assert 0 < len(texts) < len(before)
        assert all("PIMA" in text and "test" in text for text in texts)

    def test_a_table_is_saved_with_all_digits(self, browser, site):
        browser.open(site / "executed" / "nel1998_gamma_test.html")
        text, shown = browser.execute_async_script(
            "const done = arguments[0];"
            "URL.createObjectURL = blob => { blob.text().then(text => done([text,"
            " document.querySelector('#table-5-1 tbody').rows.length])); return 'blob:x'; };"
            "HTMLAnchorElement.prototype.click = () => {};"
            "document.querySelector('.table-tools:has(+ #table-5-1) button').click();"
        )
        rows = list(csv.reader(text.lstrip("\ufeff").splitlines()))
        assert len(rows) == shown + 1
        assert len({len(row) for row in rows}) == 1

    def test_a4_paper_cuts_nothing(self, visits):
        for page, visit in visits.items():
            assert visit["cut on paper"] == [], page.name

    @pytest.mark.parametrize(
        ("query", "page"),
        [
            ("Table 7.9", "executed/nel1998_full_search"),
            ("which method", "executed/comparison_arena"),
            ("Somol", "papers/somol2011"),
            ("my data", "your_csv"),
            ("install", "library"),
            ("wine", "data"),
            ("S5", "claims/S5"),
            ("glossary", "glossary"),
        ],
    )
    def test_the_search_finds_the_right_page_first(self, browser, site, query, page):
        assert f"{page}.html" in found_by_search(browser, site, query)[0]

    def test_a_filtered_list_of_claims_has_an_address(self, browser, site):
        browser.get((site / "claims.html").as_uri() + "?group=fails")
        shown = "[...document.querySelectorAll('#claims-matrix tbody tr')].filter(row => !row.hidden)"
        groups = browser.execute_script(f"return {shown}.map(row => row.dataset.group)")
        assert set(groups) == {"fails"}
        browser.find_element("css selector", "#claims-filters [name=group] option[value='']").click()
        assert len(browser.execute_script(f"return {shown}.map(row => row.id)")) == len(all_claims())

    def test_nine_of_ten_queries_find_their_page_among_the_first_three(self, browser, site):
        """Queries as readers write them, by the site's own index and scores, of which the page is not drawn."""
        found_by_search(browser, site, "feature")
        queries = list(csv.DictReader(Path(__file__).with_name("search_queries.csv").read_text("utf-8").splitlines()))
        found = browser.execute_script(
            "return arguments[0].map(query => [...new Set("
            "Search._performSearch(...Search._parseQuery(query)).reverse().map(result => result[0]))]);",
            [row["query"] for row in queries],
        )
        ranks = {
            row["query"]: min((pages.index(page) + 1 for page in row["pages"].split() if page in pages), default=None)
            for row, pages in zip(queries, found, strict=True)
        }
        late = {query: rank for query, rank in ranks.items() if rank is None or rank > 3}
        assert len(late) <= len(ranks) / 10, f"these come late, or never: {late}"

    @pytest.mark.parametrize(("name", "page"), [("SFFS", "searches"), ("MDM", "weightings")])
    def test_the_search_finds_a_method_by_name(self, browser, site, name, page):
        """Its page on methods and, soon after, its API entry."""
        addresses = " ".join(found_by_search(browser, site, name))
        assert f"methods/{page}.html" in addresses
        assert re.search(rf"#fscore\.\w+\.{name}", addresses, re.I)

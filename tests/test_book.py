"""The built site in a browser: opened from disk, without a network, also at a phone's width."""

import json
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import pytest

from compendium.markup import anchor_of
from compendium.published import all_claims
from compendium.runner.execution import mark_as_user_run


@pytest.fixture(scope="session")
def site(root, executed):
    """The folder of the site, rendered from the quick profile."""
    done = subprocess.run(
        [sys.executable, root / "book" / "render.py", "--profile", "quick"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "book" / "_build" / "html"


@pytest.fixture(scope="session")
def pages(site):
    """All pages in the table of contents."""
    skipped = ("_static", "genindex.html", "search.html")
    return sorted(file for file in site.rglob("*.html") if not set(skipped) & set(file.relative_to(site).parts))


def test_render_again_renders_nothing(root, site):
    before = {file: file.stat().st_mtime_ns for file in site.rglob("*") if file.is_file()}
    done = subprocess.run([sys.executable, root / "book" / "render.py"], capture_output=True, text=True, check=True)
    assert "up to date" in done.stdout
    assert f"Open {(site / 'index.html').as_uri()}" in done.stdout
    assert {file: file.stat().st_mtime_ns for file in site.rglob("*") if file.is_file()} == before


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


def test_front_page_counts_the_verdicts(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for word in ("replicated", "partly", "not replicated", "not testable here", "Hocke &amp; Martinetz 2014"):
        assert word in text


def test_every_claim_has_its_address(site):
    text = (site / "claims.html").read_text(encoding="utf-8")
    front = (site / "index.html").read_text(encoding="utf-8")
    for claim in all_claims().itertuples():
        anchor = anchor_of(claim.paper, claim.claim_id)
        assert text.count(f'id="{anchor}"') == 1
        assert f'href="claims.html#{anchor}"' in front
    assert text.count("make run NOTEBOOK=") >= len(all_claims()) / 2


def test_links_to_claims_and_tables_have_targets(site, pages):
    for page in pages:
        for path, anchor in re.findall(r'<a[^>]*href="([^"#:]*)#([^"]+)"', page.read_text(encoding="utf-8")):
            target = (page.parent / unquote(path)) if path else page
            if target.name == "claims.html":
                assert f'id="{unquote(anchor)}"' in target.read_text(encoding="utf-8"), f"{page.name}: {path}#{anchor}"


def test_printed_tables_have_anchors_in_the_papers_numbering(site):
    for page, anchor in (("somol2011_ensembles", "table-4"), ("nel1998_full_search", "table-7.9")):
        text = (site / "executed" / f"{page}.html").read_text(encoding="utf-8")
        assert text.count(f'id="{anchor}"') == 1


def test_every_page_of_a_notebook_ends_with_this_build(site):
    for page in (site / "executed").glob("*.html"):
        assert re.search("This build|what this build measured", page.read_text(encoding="utf-8")), page.name


def test_a_users_run_is_rendered_at_once(root, site, executed):
    """Into the site as it is; no other page is rendered."""
    name = "hocke2014_illustration-rendered_alone"
    run = root / "results" / "yours" / f"{name}.ipynb"
    run.parent.mkdir(exist_ok=True)
    notebook = json.loads((executed / "hocke2014_illustration.ipynb").read_text(encoding="utf-8"))
    mark_as_user_run(notebook, {"n_samples": 24}, name)
    run.write_text(json.dumps(notebook), encoding="utf-8")
    page = site / "yours" / f"{name}.html"
    before = {file: file.stat().st_mtime_ns for file in (site / "executed").iterdir()}
    try:
        command = [sys.executable, root / "book" / "render.py", "--run", name]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"Open {page.as_uri()}" in done.stdout
        text = page.read_text(encoding="utf-8")
        assert "n_samples = 24" in text
        assert text.count("<img") >= 2
        for image in re.findall(r'<img[^>]*src="(\.\.[^"]+)"', text):
            assert (page.parent / image).is_file()
        assert {file: file.stat().st_mtime_ns for file in (site / "executed").iterdir()} == before
    finally:
        run.unlink()
        page.unlink(missing_ok=True)


def test_an_unknown_run_is_named(root):
    done = subprocess.run(
        [sys.executable, root / "book" / "render.py", "--run", "none"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "there is no run results/yours/none.ipynb" in done.stderr


def test_links_inside_the_site_lead_somewhere(site, pages):
    for page in pages:
        for link in re.findall(r'<a[^>]*href="([^"#]+)', page.read_text(encoding="utf-8")):
            parts = urlsplit(link)
            if not parts.scheme:
                assert (page.parent / unquote(parts.path)).exists(), f"{page.relative_to(site)} links to {link}"


@pytest.mark.browser
class TestInBrowser:
    def test_pages_load_without_errors_and_without_the_network(self, browser, pages, site):
        for page in pages:
            requests, errors = browser.open(page)
            assert errors == [], page.name
            # the browser itself opens data, blob, about and chrome URLs
            outside = [url for url in requests if urlsplit(url).scheme in ("http", "https", "ws", "wss", "file")]
            outside = [url for url in outside if not url.startswith(site.as_uri())]
            assert outside == [], page.name

    def test_verdicts_and_figure_are_on_the_first_screen(self, browser, site):
        script = """
            const top = element => element.getBoundingClientRect().top + scrollY;
            const image = document.querySelector('article figure img');
            return [top(document.querySelector('.badges')), top(document.querySelector('.answer')),
                    image ? top(image) : 0];
        """
        for page in sorted((site / "executed").glob("*.html")):
            if 'class="badges"' in page.read_text(encoding="utf-8"):
                browser.open(page)
                badges, sentence, figure = browser.execute_script(script)
                assert 0 < badges < sentence < 500, page.name
                assert figure < 700, page.name

    def test_the_matrix_of_claims_is_filtered(self, browser, site):
        browser.open(site / "claims.html")
        shown = "return [...document.querySelectorAll('#claims-matrix tbody tr')].filter(row => !row.hidden).length"
        assert browser.execute_script(shown) == len(all_claims())
        box = browser.find_element("css selector", "#claims-filters input[name=word]")
        box.send_keys("voting")
        few = browser.execute_script(shown)
        assert 0 < few < len(all_claims())
        assert browser.find_element("id", "claims-count").text == str(few)

    def test_formulas_are_rendered(self, browser, pages):
        seen = 0
        for page in pages:
            if 'class="math' in page.read_text(encoding="utf-8"):
                browser.open(page)
                formulas = browser.execute_script("return document.querySelectorAll('mjx-container').length")
                sources = browser.execute_script("return document.querySelectorAll('.math').length")
                broken = browser.execute_script("return document.querySelectorAll('mjx-merror').length")
                assert formulas >= sources > 0, page.name
                assert broken == 0, page.name
                seen += formulas
        assert seen > 0

    def test_search_finds_a_word(self, browser, site):
        browser.open(site / "search.html")
        browser.get((site / "search.html").as_uri() + "?q=slack")
        browser.implicitly_wait(20)
        hits = browser.find_elements("css selector", "#search-results li a")
        browser.implicitly_wait(0)
        assert any("hocke2014" in hit.get_attribute("href") for hit in hits)

    def test_a_phone_never_scrolls_sideways(self, browser, pages):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        )
        try:
            for page in pages:
                browser.open(page)
                width = browser.execute_script("return document.documentElement.scrollWidth")
                assert width <= 390, f"{page.name} is {width} pixels wide"
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

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
            const image = rgb(document.querySelector('article img'), 'backgroundColor');
            return [(Math.max(text, page) + .05) / (Math.min(text, page) + .05), image.slice(0, 3)];
        """
        contrast, ground = browser.execute_script(script)
        assert contrast >= 4.5  # WCAG AA
        assert ground == [255, 255, 255]

    def test_the_keyboard_reaches_the_content(self, browser, site):
        from selenium.webdriver import ActionChains, Keys

        browser.open(site / "index.html")
        ActionChains(browser).send_keys(Keys.TAB).perform()
        focused = browser.switch_to.active_element
        assert "main-content" in (focused.get_attribute("href") or "")
        tables = browser.find_elements("css selector", ".table-scroll")
        assert tables
        assert all(table.get_attribute("tabindex") == "0" for table in tables)

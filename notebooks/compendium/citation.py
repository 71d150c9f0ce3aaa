"""How to cite the project: what `pyproject.toml` says, written into the files that archives and readers ask for.

Authors, the address of the repository, that of the site and the DOI are decided by the owner, who writes them into
``[project]`` and ``[project.urls]`` of ``pyproject.toml``; until then they are missing here, too. Written by
``python notebooks/run.py package``.
"""

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote

import yaml
from pybtex.database import parse_file
from pybtex.richtext import Text

from compendium.papers import DATA, ROOT, papers
from fscore._files import write_atomically

TITLE = "Feature selection, reproduced: a compendium of papers"
MESSAGE = "If you use this software or its results, please cite it, and the paper whose method you use."
ABSTRACT = (
    "A library of feature selection and feature weighting in scikit-learn's terms, and notebooks that rerun the "
    "experiments of the papers that proposed the methods. Each claim of a paper has a verdict with its interval, and "
    "each printed number stands beside ours."
)
DOI = "https://doi.org/"
CRATE = "https://w3id.org/ro/crate/1.1"
BINDER = "https://mybinder.org"


@dataclass(frozen=True)
class Project:
    """The project as a whole.

    Attributes
    ----------
    name : str
        Of the distribution.
    version, license : str
    released : str
        Date of the version's section in the changelog; empty before the release.
    authors : tuple of str
    keywords : tuple of str
    repository, site, doi : str
        Addresses; empty where the owner has none yet.
    """

    name: str
    version: str
    released: str
    license: str
    authors: tuple
    keywords: tuple
    repository: str = ""
    site: str = ""
    doi: str = ""

    @property
    def year(self):
        """Year of the release, which a citation names."""
        return self.released[:4]


@cache
def project():
    """The project as `pyproject.toml` and the changelog describe it.

    Returns
    -------
    Project
    """
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = {name.lower(): url for name, url in table.get("urls", {}).items()}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(rf"^## {re.escape(table['version'])} \((\d{{4}}-\d\d-\d\d)\)", changelog, re.MULTILINE)
    return Project(
        name=table["name"],
        version=table["version"],
        released=dated[1] if dated else "",
        license=table["license"],
        authors=tuple(author["name"] for author in table["authors"]),
        keywords=tuple(table["keywords"]),
        repository=urls.get("repository", ""),
        site=urls.get("homepage", ""),
        doi=urls.get("doi", ""),
    )


def sentence(part="", measured=""):
    """How to cite the project, or a part of it, in one sentence without a period.

    Parameters
    ----------
    part : str, default=""
        For instance "S5 of Somol et al. 2011: undecided".
    measured : str, default=""
        Date of the part's numbers.
    """
    about = project()
    where = f", {address}" if (address := about.doi or about.repository) else ""
    what = f"{part}. In: {TITLE}" if part else TITLE
    when = f", measured on {measured}" if measured else ""
    return f"{' and '.join(about.authors)} ({about.year}): {what}, version {about.version}{when}{where}"


def bibtex(key="", part="", measured=""):
    """How to cite the project, or a part of it, in BibTeX; for the parameters see `sentence`."""
    about = project()
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in about.authors),  # braces keep a group's name together
        "title": part or TITLE,
        "howpublished": part and TITLE,
        "year": about.year,
        "version": about.version,
        "note": measured and f"measured on {measured}",
        "doi": about.doi.removeprefix(DOI),
        "url": about.repository,
    }
    fields = {name: value for name, value in fields.items() if value}
    width = max(map(len, fields))
    lines = "".join(f"  {name:<{width}} = {{{value}}},\n" for name, value in fields.items())
    return f"@{'misc' if part else 'software'}{{{key or about.name},\n{lines}}}\n"


def citation_file():
    """The contents of ``CITATION.cff`` (Citation File Format 1.2)."""
    about = project()
    return yaml.safe_dump(
        _without_empty(
            {
                "cff-version": "1.2.0",
                "message": MESSAGE,
                "title": TITLE,
                "type": "software",
                "abstract": ABSTRACT,
                "version": about.version,
                "date-released": about.released,
                "license": about.license,
                "repository-code": about.repository,
                "url": about.site,
                "doi": about.doi.removeprefix(DOI),
                "authors": [{"name": name} for name in about.authors],
                "keywords": list(about.keywords),
                "references": [_reference(key) for key in papers() if key in _bibliography()],
            }
        ),
        sort_keys=False,
        allow_unicode=True,
        width=120,
    )


def codemeta():
    """The contents of ``codemeta.json`` (CodeMeta 2.0)."""
    about = project()
    return _json(
        {
            "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
            "@type": "SoftwareSourceCode",
            "name": about.name,
            "description": ABSTRACT,
            "version": about.version,
            "datePublished": about.released,
            "license": f"https://spdx.org/licenses/{about.license}",
            "codeRepository": about.repository,
            "url": about.site,
            "identifier": about.doi,
            "programmingLanguage": "Python",
            "developmentStatus": "active",
            "keywords": list(about.keywords),
            "author": [{"@type": "Organization", "name": name} for name in about.authors],
        }
    )


def zenodo():
    """The contents of ``.zenodo.json``."""
    about = project()
    papers_cited = [_bibliography()[key].fields.get("doi") for key in papers() if key in _bibliography()]
    return _json(
        {
            "title": TITLE,
            "description": ABSTRACT,
            "version": about.version,
            "upload_type": "software",
            "license": about.license,
            "creators": [{"name": name} for name in about.authors],
            "keywords": list(about.keywords),
            "related_identifiers": [
                {"identifier": doi, "relation": "references", "scheme": "doi"} for doi in papers_cited if doi
            ],
        }
    )


def crate():
    """The contents of ``ro-crate-metadata.json`` (RO-Crate 1.1); ``data/datapackage.json`` describes every table."""
    about = project()
    parts = {
        "fscore/": "The library",
        "notebooks/": "The papers' experiments as notebooks, and the code that they share",
        "book/": "The other pages of the site, and its renderer",
        "data/": "Printed and measured numbers, claims and verdicts",
    }
    files = {
        "data/datapackage.json": ("Every table of data/ and its columns (Frictionless)", "application/json"),
        "data/verdicts.csv": ("The verdict on every claim", "text/csv"),
        "requirements.lock": ("Versions and hashes of all packages", "text/plain"),
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": TITLE,
        "description": ABSTRACT,
        "version": about.version,
        "datePublished": about.released,
        "identifier": about.doi,
        "url": about.site or about.repository,
        "license": {"@id": f"https://spdx.org/licenses/{about.license}"},
        "author": [{"@id": f"#{name}"} for name in about.authors],
        "keywords": ", ".join(about.keywords),
        "hasPart": [{"@id": path} for path in (*parts, *files)],
    }
    return _json(
        {
            "@context": f"{CRATE}/context",
            "@graph": [
                {
                    "@id": "ro-crate-metadata.json",
                    "@type": "CreativeWork",
                    "conformsTo": {"@id": CRATE},
                    "about": {"@id": "./"},
                },
                _without_empty(root),
                *({"@id": f"#{name}", "@type": "Organization", "name": name} for name in about.authors),
                *({"@id": path, "@type": "Dataset", "name": name} for path, name in parts.items()),
                *(
                    {"@id": path, "@type": "File", "name": name, "encodingFormat": form}
                    for path, (name, form) in files.items()
                ),
            ],
        }
    )


FILES = {
    "CITATION.cff": citation_file,
    "codemeta.json": codemeta,
    ".zenodo.json": zenodo,
    "ro-crate-metadata.json": crate,
}


def clone():
    """The words "clone of the project" in Markdown, with a link if the owner has named the repository."""
    address = project().repository
    return f"[clone of the project]({address})" if address else "clone of the project"


def binder(path=""):
    """Address at which Binder opens the project, or one of its files; empty without a public repository."""
    host, _, name = project().repository.removeprefix("https://").removesuffix(".git").partition("/")
    if not name:
        return ""
    kinds = {"github.com": f"gh/{name}", "gitlab.com": f"gl/{quote(name, safe='')}"}
    repository = kinds.get(host) or f"git/{quote(project().repository, safe='')}"
    return f"{BINDER}/v2/{repository}/HEAD" + (f"?labpath={quote(path)}" if path else "")


def badges():
    """Badges in Markdown for what the owner has set: tests on the hosted CI, Binder, and the DOI."""
    about = project()
    tests = f"{about.repository}/actions/workflows/ci.yml"
    shown = [
        ("tests", f"{tests}/badge.svg", tests if about.repository.startswith("https://github.com/") else ""),
        ("Binder", f"{BINDER}/badge_logo.svg", binder()),
        ("DOI", f"https://zenodo.org/badge/DOI/{about.doi.removeprefix(DOI)}.svg", about.doi),
    ]
    return "".join(f"[![{name}]({image})]({address})\n" for name, image, address in shown if address)


def with_settings(readme):
    """README's text with what the owner has set."""
    return with_part(with_part(readme, "clone", clone()), "badges", f"\n{badges()}")


def with_part(readme, name, contents):
    """README's text with new contents of a part, which lies between comments that name it."""
    return re.sub(
        rf"(<!-- {name}: written by [^>]* -->).*(<!-- end of {name} -->)",
        lambda marks: f"{marks[1]}{contents}{marks[2]}",
        readme,
        flags=re.DOTALL,
    )


def write():
    """Write the files that repeat what `pyproject.toml` says."""
    for name, contents in FILES.items():
        write_atomically(ROOT / name, contents())
    readme = ROOT / "README.md"
    write_atomically(readme, with_settings(readme.read_text(encoding="utf-8")))


@cache
def _bibliography():
    return parse_file(str(DATA / "references.bib")).entries


def _reference(key):
    """A paper of the bibliography as a reference of ``CITATION.cff``."""
    entry = _bibliography()[key]
    kinds = {"article": "article", "inproceedings": "conference-paper", "mastersthesis": "thesis"}
    authors = [
        {
            "family-names": " ".join(map(str, person.rich_last_names)),
            "given-names": " ".join(map(str, person.rich_first_names)),
        }
        for person in entry.persons["author"]
    ]
    school = entry.fields.get("school")
    return _without_empty(
        {
            "type": kinds[entry.type],
            "title": str(Text.from_latex(entry.fields["title"])),
            "authors": authors,
            "year": int(entry.fields["year"]),
            "journal": entry.fields.get("journal", ""),
            "conference": {"name": entry.fields["booktitle"]} if "booktitle" in entry.fields else "",
            "institution": {"name": school} if school else "",
            "doi": entry.fields.get("doi", ""),
        }
    )


def _without_empty(table):
    return {name: value for name, value in table.items() if value not in ("", [], None)}


def _json(table):
    return json.dumps(_without_empty(table), indent=1, ensure_ascii=False) + "\n"

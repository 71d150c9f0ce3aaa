"""The API reference, made from the public API of the package: the names in ``__all__`` of its subpackages.

`write_pages` writes a page for each subpackage and one for what extenders need; Sphinx fills them from the docstrings.
What classes of a page have in common is described with the first of them. As an extension, this module links the names
of the package wherever a page mentions them as code.
"""

import inspect
import pkgutil
import re
from collections import Counter
from functools import cache
from importlib import import_module
from itertools import groupby

from _ext.extension import on, transform
from _ext.places import link_to
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import fscore
from compendium.experiment import module_of
from compendium.markup import filled
from compendium.papers import names_reached, notebook_files

# The page that explains the methods of a subpackage.
METHODS = {name: name for name in ("criteria", "filters", "lvq", "neural", "stability")}
METHODS |= {"search": "searches", "weighting": "weightings"}


@cache
def public_objects():
    """Every public name of the package, such as ``fscore.search.SFFS``, with its object."""
    found = {}
    for subpackage in pkgutil.iter_modules(fscore.__path__, "fscore."):
        module = None if subpackage.name.startswith("fscore._") else import_module(subpackage.name)
        for name in getattr(module, "__all__", ()):
            found[f"{subpackage.name}.{name}"] = getattr(module, name)
    return found


# Small subpackages that share a page; every other one has its own, named after it.
ROOMS = {"report": "datasets", "neighbors": "neural"}
TITLES = {
    "datasets": "API: data sets and reports",
    "extending": "API for extensions",
    "neural": "API: networks and neighbors",
    "stability": "API: trust and stability",
}
FEW = 3  # shared entries from which a class refers to an earlier one
# A section of a docstring that lists entries: its heading, and what stands below.
SECTION = re.compile(r"^((?:Parameters|Attributes)\n-+)\n(.*?)(?=^\w[\w ]*\n---|\Z)", re.DOTALL | re.MULTILINE)
# With the page on stability.
TRUST = {"NestedScore", "nested_score", "resampled_error", "StabilitySelection", "redundancy_groups"}
# Names that only those need who extend the package; they have a page of their own.
EXTENDING = {
    *("BoundCriterion", "Criterion", "register_columnwise", "ChoiceRule", "SubsetSearch"),
    *("LBFGS", "NormalizedGradient", "WaypointAveraging"),
    *("ColumnType", "ColumnTypes", "OfferedColumns", "Table", "make_model", "build_problem", "read_table"),
}


def page_of(path):
    """Name of the page that describes a public name: of its subpackage, or of what only extenders need."""
    _, subpackage, *_, name = path.split(".")
    if name in EXTENDING:
        return "extending"
    return "stability" if name in TRUST else ROOMS.get(subpackage, subpackage)


def pages():
    """The pages with the public names that each describes, those of one module together."""
    found = {}
    for path in public_objects():
        found.setdefault(page_of(path), []).append(path)
    modules = Counter(thing.__module__ for thing in public_objects().values())
    return {page: sorted(found[page], key=lambda path: _place(path, modules)) for page in sorted(found)}


def _place(path, modules):
    """Order on a page: by subpackage, modules with many names first, in the order of the source."""
    thing = public_objects()[path]
    line = inspect.getsourcelines(thing)[1]
    return path.split(".")[1] != "search", path.split(".")[1], -modules[thing.__module__], thing.__module__, line


def write_pages(folder):
    """Write the API reference into a folder of the book's sources; return its entry in the table of contents."""
    for page, paths in pages().items():
        told = {"title": TITLES.get(page, f"API: {page}"), "introduction": _introduction(page, paths)}
        (folder / f"{page}.md").write_text(filled("api_page.jinja", entries=_entries(paths), **told), "utf-8")
    subpackages = groupby(public_objects(), key=lambda path: path.rpartition(".")[0])
    overview = filled("api_index.jinja", subpackages=subpackages, first_line=_first_line, summary=_summary)
    (folder / "index.md").write_text(overview, encoding="utf-8")
    return {"file": "api/index", "sections": [{"file": f"api/{page}"} for page in pages()]}


def _introduction(page, paths):
    """What the subpackages of a page are for, and where their methods are explained."""
    if page == "extending":
        return "Base classes and parts for criteria, rules, searches and reports. {doc}`/extending` shows their use."
    said = []
    for subpackage in dict.fromkeys(path.split(".")[1] for path in paths):
        said.append(_first_line(f"fscore.{subpackage}"))
        if method := METHODS.get(subpackage):
            said.append(f"The idea and the equation: {{doc}}`/methods/{method}`.")
    return " ".join(said)


def _first_line(module):
    return inspect.getdoc(import_module(module)).splitlines()[0]


def _summary(path):
    """The first line on a public name, as a cell of a table."""
    return inspect.getdoc(public_objects()[path]).splitlines()[0].replace("|", r"\|")


def _entries(paths):
    """What a page says on each name: with the methods of a class that no class before it has, and links to users."""
    described = {}
    for path in paths:
        thing, name = public_objects()[path], path.rpartition(".")[2]
        members, inherited = [], {}
        for method in _methods(thing) if inspect.isclass(thing) else ():
            first = described.setdefault((method, inspect.getdoc(getattr(thing, method))), name)
            (members if first == name else inherited.setdefault(first, [])).append(method)
        yield {
            "name": name,
            "kind": "autoclass" if inspect.isclass(thing) else "autofunction",
            "path": path,
            "members": members,
            "inherited": inherited,
            "users": [link_to(notebook) for notebook in used_in().get(path, ())],
        }


def _methods(thing):
    """Public methods that the package itself defines and documents."""
    own = [ancestor for ancestor in inspect.getmro(thing) if ancestor.__module__.startswith("fscore")]
    members = {name for ancestor in own for name, member in vars(ancestor).items() if callable(member)}
    return sorted(name for name in members if not name.startswith("_") and inspect.getdoc(getattr(thing, name)))


@cache
def used_in():
    """For each public name, the notebooks whose experiments import it."""
    found = {}
    for notebook in notebook_files():
        for name in public_objects().keys() & names_reached(module_of(notebook)):
            found.setdefault(name, []).append(notebook)
    return found


@on("autodoc-process-docstring", priority=400)  # before napoleon
def tidy(app, what, name, thing, options, lines):
    """Make a docstring valid reStructuredText: numbered sources and the parts of a returned object become lists."""
    tidied, nested = [], False
    for line in lines:
        line = re.sub(r"\[(\d+)\]_", r"[\1]", line)
        line = re.sub(r"^\.\. \[(\d+)\]", r"*  [\1]", line)
        if part := re.fullmatch(r" {4}([a-zA-Z_][\w, ]*) : (.*)", line):
            nested = True
            tidied += ["", f"    * **{part[1]}** ({part[2]})"]
        else:
            nested = nested and line.startswith(" " * 8)
            tidied.append(line.removeprefix("  ") if nested else line)
    lines[:] = tidied


@on("autodoc-process-docstring", priority=300)  # before the lists are made
def share(app, what, name, thing, options, lines):
    """Describe a class's parameter or attribute once on a page: later classes with the same entry refer to it."""
    seen, short = app.env.temp_data.setdefault("shared entries", {}), name.rpartition(".")[2]

    def shared(section):
        heading, entries = section.groups()
        rest, common = [], {}
        for entry in re.split(r"\n(?=\S)", entries.strip()):
            first = seen.setdefault((heading, entry), short)
            (rest if first == short else common.setdefault(first, [])).append(entry)
        for first, same in common.items():
            names = ", ".join(entry.splitlines()[0].partition(" : ")[0] for entry in same)
            rest += [f"{names}\n    See `{first}`."] if len(same) >= FEW else same
        return "\n".join([heading, *rest, "", ""])

    if what == "class":
        lines[:] = SECTION.sub(shared, "\n".join(lines)).splitlines()


@transform
class LinkNames(SphinxTransform):
    """Link code that is a public name, as in ``fscore.search.SFFS`` or ``SFFS(...)``, to its description."""

    default_priority = 500

    def apply(self):
        for node in list(self.document.findall(lambda n: isinstance(n, nodes.literal | nodes.title_reference))):
            text, loose = node.astext(), isinstance(node, nodes.title_reference)  # single backquotes in a docstring
            if "api/index" in self.env.found_docs and _linkable(node) and (path := target(text, loose=loose)):
                code = nodes.literal("", text, classes=["xref", "py", "py-obj"])
                place = {"refdomain": "py", "reftype": "obj", "reftarget": path, "refdoc": self.env.docname}
                node.replace_self(addnodes.pending_xref("", code, **place, refwarn=True))
            elif loose:
                node.replace_self(nodes.literal("", text))


def _linkable(node):
    """Whether code stands outside of links, titles and signatures."""
    while node := node.parent:
        if isinstance(node, nodes.reference | addnodes.pending_xref | nodes.title | addnodes.desc_signature):
            return False
    return True


@cache
def _paths_by_name():
    return {path.rpartition(".")[2]: path for path in public_objects()}


def target(text, loose=False):
    """The public name that a piece of code refers to, or None.

    A word such as ``report`` alone may be anything; with ``loose``, as in docstrings, it is taken for the name.
    """
    found = re.fullmatch(r"((?:\w+\.)*)(\w+)(\(.*\))?", text, re.DOTALL)
    if found is None:
        return None
    module, name, call = found.groups()
    if module:
        return text if f"{module}{name}" in public_objects() and not call else None
    plain = name.islower() and "_" not in name
    return _paths_by_name().get(name) if loose or call or not plain else None

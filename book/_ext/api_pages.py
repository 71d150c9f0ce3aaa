"""The API reference, made from the public face of the package: the names in ``__all__`` of its subpackages.

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
from itertools import chain, pairwise

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import fscore
from compendium.digest import reachable_modules
from compendium.papers import NOTEBOOKS, papers
from compendium.source_code import imported_names

# The page that explains the methods of a subpackage.
METHODS = {
    "criteria": "criteria",
    "filters": "filters",
    "lvq": "lvq",
    "neural": "neural",
    "search": "searches",
    "stability": "stability",
    "weighting": "weightings",
}


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
TITLES = {"datasets": "data sets and reports", "neural": "networks and neighbors", "stability": "trust and stability"}
TRUST = {"NestedScore", "nested_score", "StabilitySelection", "redundancy_groups"}  # with the page on stability
# Names that only those need who extend the package; they have a page of their own.
FEW = 3  # shared entries from which a class refers to an earlier one
EXTENDING = {
    *("BoundCriterion", "Criterion", "register_columnwise", "ChoiceRule", "SubsetSearch"),
    *("LBFGS", "NormalizedGradient", "WaypointAveraging"),
    *("ColumnType", "ColumnTypes", "OneHotCategories", "Table", "make_model", "pose", "read_table"),
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


def title(page):
    """What a page is about."""
    if page == "extending":
        return "API for extensions"
    return f"API: {TITLES.get(page, page)}"


def write_pages(folder, link_to):
    """Write the API reference into a folder of the book's sources.

    Parameters
    ----------
    folder : Path
    link_to : callable
        Maps the name of a notebook to a link in Markdown.

    Returns
    -------
    dict
        Its entry in the table of contents.
    """
    (folder / "api").mkdir(parents=True, exist_ok=True)
    users = used_in()
    for page, paths in pages().items():
        described = {}
        parts = [f"# {title(page)}", _introduction(page, paths)]
        parts += [_description(path, map(link_to, users.get(path, ())), described) for path in paths]
        (folder / f"api/{page}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (folder / "api/index.md").write_text(_overview(), encoding="utf-8")
    return {"file": "api/index", "sections": [{"file": f"api/{page}"} for page in pages()]}


def _introduction(page, paths):
    """What the subpackages of a page are for, and where their methods are explained."""
    if page == "extending":
        return "Base classes and parts for criteria, rules, searches and reports. {doc}`/extending` shows their use."
    said = []
    for subpackage in dict.fromkeys(path.split(".")[1] for path in paths):
        said.append(inspect.getdoc(import_module(f"fscore.{subpackage}")).splitlines()[0])
        if method := METHODS.get(subpackage):
            said.append(f"The idea and the equation: {{doc}}`/methods/{method}`.")
    return " ".join(said)


def _description(path, users, described):
    """The part of a page on one name, with links to users; methods in ``described`` are those of names before it."""
    thing, name = public_objects()[path], path.rpartition(".")[2]
    kind, inherited = "autofunction", {}
    lines = []
    if inspect.isclass(thing):
        kind, own = "autoclass", []
        for method in _methods(thing):
            first = described.setdefault((method, inspect.getdoc(getattr(thing, method))), name)
            if first == name:
                own.append(method)
            else:
                inherited.setdefault(first, []).append(f"`{method}`")
        lines = [f"   :members: {', '.join(own)}"] if own else []
    lines = [f"## {name}", "", "```{eval-rst}", f".. {kind}:: {path}", *lines, "```", ""]
    if inherited:
        lines.append(" ".join(f"{', '.join(methods)}: see `{first}`." for first, methods in inherited.items()) + "\n")
    if listed := ", ".join(users):
        lines.append(f"Used in: {listed}.")
    return "\n".join(lines)


def _methods(thing):
    """Public methods that the package itself defines and documents."""
    found = {}
    for ancestor in inspect.getmro(thing):
        if ancestor.__module__.startswith("fscore"):
            for name, member in vars(ancestor).items():
                documented = inspect.getdoc(getattr(thing, name, None)) if callable(member) else None
                if documented and not name.startswith("_"):
                    found.setdefault(name)
    return sorted(found)


def _overview():
    """The page that lists all names by subpackage."""
    parts = [
        "# API reference",
        "Every public name of `fscore` by subpackage, each with its description in one line.",
    ]
    subpackages = dict.fromkeys(path.rpartition(".")[0] for path in public_objects())
    for subpackage in subpackages:
        paths = [f"   {path}" for path in public_objects() if path.rpartition(".")[0] == subpackage]
        first = inspect.getdoc(import_module(subpackage)).splitlines()[0]
        table = "\n".join(["```{eval-rst}", ".. autosummary::", "   :nosignatures:", "", *paths, "```"])
        parts += [f"## {subpackage}", first, table]
    return "\n\n".join(parts) + "\n"


@cache
def used_in():
    """For each public name, the notebooks whose experiments or figures import it."""
    found = {}
    for paper in papers().values():
        for page in paper.pages:
            for name in _imports_of(f"{paper.key}.{page.removeprefix(f'{paper.key}_')}"):
                if name in public_objects():
                    found.setdefault(name, []).append(page)
    return found


def _imports_of(module):
    """Names that a paper's module, or one of ours that it uses, imports from elsewhere."""
    names = set()
    for name, file in reachable_modules([module]).items():
        if file.is_relative_to(NOTEBOOKS):
            names |= imported_names(file.read_text(encoding="utf-8"), name.rpartition(".")[0])
    return names


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


def share(app, what, name, thing, options, lines):
    """Describe a class's parameter or attribute once on a page: later classes with the same entry refer to it."""
    if what != "class":
        return
    seen = app.shared_entries.setdefault(app.env.docname, {})
    short = name.rpartition(".")[2]
    for section, start, end in reversed(_sections(lines)):
        rest, common = [], {}
        for entry in _entries(lines[start:end]):
            first = seen.setdefault((section, "\n".join(entry).strip()), short)
            if first == short:
                rest += entry
            else:
                common.setdefault(first, []).append(entry)
        for first, entries in common.items():
            if len(entries) < FEW:
                rest += chain.from_iterable(entries)
            else:
                names = ", ".join(entry[0].partition(" : ")[0] for entry in entries)
                rest += [names, f"    See `{first}`."]
        lines[start:end] = [*rest, ""]


def _sections(lines):
    """Sections of a docstring that list entries: name, first line, end."""
    heads = [n for n in range(len(lines) - 1) if lines[n] and re.fullmatch(r"-{3,}", lines[n + 1])]
    found = [(lines[head], head + 2, end) for head, end in pairwise([*heads, len(lines)])]
    return [section for section in found if section[0] in ("Parameters", "Attributes")]


def _entries(lines):
    """Entries of a section, each a list of lines that starts with its name."""
    found = []
    for line in lines:
        if line and not line[0].isspace():
            found.append([])
        if found:
            found[-1].append(line)
    return found


class LinkNames(SphinxTransform):
    """Link code that is a public name, as in ``fscore.search.SFFS`` or ``SFFS(...)``, to its description."""

    default_priority = 500

    def apply(self):
        has_reference = "api/index" in self.env.found_docs
        for node in list(self.document.findall(lambda n: isinstance(n, nodes.literal | nodes.title_reference))):
            if (
                has_reference
                and _linkable(node)
                and (path := target(node.astext(), loose=isinstance(node, nodes.title_reference)))
            ):
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=path, refdoc=self.env.docname, refwarn=True
                )
                link += nodes.literal("", node.astext(), classes=["xref", "py", "py-obj"])
                node.replace_self(link)
            elif isinstance(node, nodes.title_reference):  # code in single backquotes in a docstring
                node.replace_self(nodes.literal("", node.astext()))


def _linkable(node):
    parent = node.parent
    while parent is not None:
        if isinstance(parent, nodes.reference | addnodes.pending_xref | nodes.title | addnodes.desc_signature):
            return False
        parent = parent.parent
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


def setup(app):
    app.shared_entries = {}
    app.add_transform(LinkNames)
    app.connect("autodoc-process-docstring", share, priority=300)  # before the lists are made
    app.connect("autodoc-process-docstring", tidy, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The API reference, made from the public face of the package: the names in ``__all__`` of its subpackages.

`write_pages` writes one page for each module that defines public names; Sphinx fills them from the docstrings. As an
extension, this module links the names of the package wherever a page mentions them as code.
"""

import inspect
import pkgutil
import re
from functools import cache
from importlib import import_module

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


def pages():
    """The pages: for each module with public names, their list, in the order of the package."""
    found = {}
    for path, thing in public_objects().items():
        found.setdefault(thing.__module__, []).append(path)
    return found


def page_of(module):
    """File of a module's page, without its ending."""
    return "api/" + module.replace("._", ".")


def title(paths):
    """The classes of a page, or its functions; a function that a class of the same name wraps goes without saying."""
    names = [path.rpartition(".")[2] for path in paths]
    classes = [name for name, path in zip(names, paths, strict=True) if inspect.isclass(public_objects()[path])]
    return ", ".join(classes or names)


def write_pages(folder):
    """Write the API reference into a folder of the book's sources.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    dict
        Its entry in the table of contents.
    """
    (folder / "api").mkdir(parents=True, exist_ok=True)
    users = used_in()
    for module, paths in pages().items():
        first = inspect.getdoc(import_module(module)).splitlines()[0]
        if method := METHODS.get(module.split(".")[1]):
            first += f" The idea and the equation: {{doc}}`/methods/{method}`."
        parts = [f"# {title(paths)}", first, *(_description(path, users.get(path, ())) for path in paths)]
        (folder / f"{page_of(module)}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (folder / "api/index.md").write_text(_overview(), encoding="utf-8")
    return {"file": "api/index", "sections": [{"file": page_of(module)} for module in pages()]}


def _description(path, users):
    """The part of a page on one name."""
    thing, name = public_objects()[path], path.rpartition(".")[2]
    if inspect.isclass(thing):
        lines = [f".. autoclass:: {path}"]
        if methods := _methods(thing):
            lines.append(f"   :members: {', '.join(methods)}")
    else:
        lines = [f".. autofunction:: {path}"]
    lines = [f"## {name}", "", "```{eval-rst}", *lines, "```", ""]
    if users:
        lines.append("Used in: " + ", ".join(f"{{doc}}`/executed/{user}`" for user in users) + ".")
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
        "Every public name of `fscore` by subpackage, each with its description in one line. "
        "The {ref}`index <genindex>` lists them by letter.",
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


class LinkNames(SphinxTransform):
    """Link code that is a public name, as in ``fscore.search.SFFS`` or ``SFFS(...)``, to its description."""

    default_priority = 500

    def apply(self):
        for node in list(self.document.findall(lambda n: isinstance(n, nodes.literal | nodes.title_reference))):
            if _linkable(node) and (path := target(node.astext(), loose=isinstance(node, nodes.title_reference))):
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
    app.add_transform(LinkNames)
    app.connect("autodoc-process-docstring", tidy, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}

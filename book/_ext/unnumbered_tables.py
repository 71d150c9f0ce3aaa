"""No numbers for the tables of the book: on its pages, "Table 6" is a table of a paper."""

from docutils import nodes
from sphinx.domains.std import StandardDomain


def setup(app):
    StandardDomain.enumerable_nodes.pop(nodes.table, None)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Words in the header and the fields of a table, by what they say: those of ``words.toml``."""

import tomllib
from functools import cache
from pathlib import Path

__all__ = ["WORDS", "any_of"]

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@cache
def any_of(*kinds):
    """A regular expression for the words of some kinds."""
    return "|".join(word for kind in kinds for word in WORDS[kind])

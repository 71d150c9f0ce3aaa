"""Values that take long to compute and are kept in ``.cache`` under everything that they depend on."""

import contextlib
import hashlib
import json

from compendium.papers import ROOT
from fscore._files import write_atomically

CACHE = ROOT / ".cache"


def hash_of(*parts):
    """SHA-256 of texts or bytes, in hexadecimal.

    Parameters
    ----------
    *parts : str or bytes

    Returns
    -------
    str
    """
    digest = hashlib.sha256()
    for part in parts:
        part = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(part)} ".encode() + part)
    return digest.hexdigest()


def kept(folder, key, compute):
    """A value from an earlier run; computed and kept if there is none, or if its file is damaged.

    Parameters
    ----------
    folder : str
        Folder of ``.cache``.
    key : str
        As from `hash_of`; of everything that the value depends on, its code included.
    compute : callable
        Without arguments; returns what JSON can hold.

    Returns
    -------
    object
        As JSON returns it: a tuple becomes a list.
    """
    file = CACHE / folder / f"{key}.kept"  # the value as JSON, after the hash of that
    with contextlib.suppress(OSError, ValueError):
        found, text = file.read_text(encoding="utf-8").split("\n", 1)
        if found == hash_of(text):
            return json.loads(text)
    text = json.dumps(compute())
    with contextlib.suppress(OSError):  # a folder that can't be written costs time only
        write_atomically(file, f"{hash_of(text)}\n{text}")
    return json.loads(text)

"""Files are replaced at once or not at all."""

import os


def write_atomically(file, text):
    """Write beside the target, then move: a reader sees the old file or the new one, never half of one.

    Parameters
    ----------
    file : Path
        Its folder is made if need be.
    text : str
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, file)

"""Bytes of a file as text: Unicode, or the most plausible national encoding."""

import codecs
import re

from fscore._extras import extra

__all__ = ["decoded"]

_NOT_TABLES = {
    rb"PK\x03\x04": "an Excel workbook or a zip archive",
    rb"\x1f\x8b": "a gzip file",
    rb"%PDF": "a PDF",
    rb"(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)": "a web page or XML",
}
_LATIN = {  # of Western and Central Europe and Turkey: letters beyond ASCII in their languages
    "cp1252": "äöüß àâæçéèêëîïôœùûüÿ áéíñóúü ãáàâçéêíõóôú àèéìíîòóùú åäöéü æøåéö ëïéèöüáó",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "cp1254": "çğıöşüâî",
}
_LATIN["iso8859_2"] = _LATIN["cp1250"]
_OTHER_SCRIPTS = ["cp1251", "koi8_r", "cp866", "cp1253", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
_ENGLISH = 0.02  # share of letters beyond ASCII, below which a text is in English, with a few names and signs
_MOSTLY = 0.8  # share of runs beyond ASCII that are UTF-8 in a damaged file
_DETECTED = 1_000_000  # bytes that are used to find the encoding


def decoded(content, encoding, notes):
    """The text of a file; adds to the notes how it is read, unless it is Unicode."""
    for start, kind in _NOT_TABLES.items():
        if re.match(start, content, re.IGNORECASE):
            raise ValueError(f"this is {kind}, not a table; save the table as 'CSV UTF-8'.")
    requested, encoding = encoding, encoding or _encoding(content)
    try:
        text = content.decode(codecs.lookup(encoding).name).removeprefix("\ufeff")
    except LookupError:
        raise ValueError(
            f"encoding={requested!r} is unknown; name one such as 'utf-8', 'cp1251' or 'shift_jis'."
        ) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"this is incomplete or damaged {encoding} text (line {line}); name another encoding, or save the table "
            "again, as 'CSV UTF-8'."
        ) from None
    if not (requested or encoding.startswith("utf")):
        notes.append(
            f"The file is not UTF-8, and is read as {encoding}. If letters look wrong, name its encoding (encoding=... "
            "or --encoding)."
        )
    if "\0" in text:
        raise ValueError("null characters, so this is not a text file; save the table as 'CSV UTF-8'.")
    return text


def _encoding(content):
    """UTF-16 by its byte order mark, else UTF-8, perhaps damaged, else the most plausible national encoding."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if _decodes(content, "utf-8"):
        return "utf-8"
    runs = re.findall(rb"[\x80-\xff]+", content[:_DETECTED])
    return "utf-8" if sum(_decodes(run, "utf-8") for run in runs) >= _MOSTLY * len(runs) else _national(content)


def _decodes(content, encoding):
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _national(whole):
    """A national encoding. Latin letters beyond ASCII stand alone or in pairs, those of other scripts in runs.

    What lines in ASCII say doesn't count, such as numbers below a header.
    """
    content = b"\n".join(re.findall(rb"[^\n]*[\x80-\xff][^\n]*", whole[:_DETECTED]))
    runs = re.findall(rb"[\x80-\xff]+", content)
    in_english = sum(map(len, runs)) < _ENGLISH * len(re.findall(rb"[A-Za-z]", content))
    different = set(runs)
    if sum(len(run) > 2 for run in different) >= len(different) / 4 and not in_english:
        with extra("report", "A text file that is not UTF-8"):
            from charset_normalizer import from_bytes

        words = b" ".join(re.findall(rb"[A-Za-z\x80-\xff]+", content))
        best = from_bytes(content, cp_isolation=_OTHER_SCRIPTS).best()
        best = best or from_bytes(words, cp_isolation=_OTHER_SCRIPTS).best()
        if best and _decodes(whole, best.encoding):
            return best.encoding
    n_letters = {encoding: _n_letters(content, encoding) for encoding in (*_LATIN, "mac_roman", "cp850")}
    if n_letters.pop("cp850") > max(n_letters.values()):
        return "cp850"
    encodings = [*_LATIN, "mac_roman"]  # the older one last
    if min(encodings, key=lambda tried: (_oddities(content, tried), -n_letters[tried])) == "mac_roman":
        return "mac_roman"
    able = [encoding for encoding in _LATIN if _decodes(whole, encoding)]
    return max(able, key=n_letters.get)  # the Western one where several fit


def _n_letters(content, encoding):
    """How many different letters of one language, beyond ASCII, the words of four letters or more have."""
    words = re.findall(r"[^\W\d_]{4,}", content.decode(encoding, "replace"))
    letters = {letter for word in words for letter in word.lower() if not letter.isascii()}
    return max(len(letters & set(alphabet)) for alphabet in _LATIN.get(encoding, _LATIN["cp1252"]).split())


def _oddities(content, encoding):
    """How often a capital letter or a rare sign follows a small letter, as in "donÕt" for "don’t"."""
    text = content.decode(encoding, "replace")
    usual = "".join(_LATIN.values())
    return len(re.findall(f"(?<=[a-z])[^\0-\x7f\xa0ß-öø-ÿ‘’”–—…®™°{usual}]", text))

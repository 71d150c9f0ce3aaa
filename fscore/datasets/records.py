"""What all readers of CSV files share: is it text, and which fields does each row have."""

import csv

__all__ = ["is_number", "records", "refuse_binary", "refuse_blank"]

_NOT_TEXT = {b"PK\x03\x04": "an Excel workbook or a zip archive", b"\x1f\x8b": "a gzip file", b"%PDF": "a PDF"}


def refuse_binary(content, file):
    """Raise ValueError if the bytes start as those of a known format that isn't text.

    Parameters
    ----------
    content : bytes
    file : str
        Its name, for the message.
    """
    for start, kind in _NOT_TEXT.items():
        if content.startswith(start):
            raise ValueError(f"{file} is {kind}, not a text file; save the table as 'CSV UTF-8'.")


def refuse_blank(text, file):
    """Raise ValueError if the decoded text is blank or holds null characters.

    Parameters
    ----------
    text, file : str
    """
    if "\0" in text:
        raise ValueError(f"{file} holds null characters, so it is not a text file; save the table as 'CSV UTF-8'.")
    if not text.strip():
        raise ValueError(f"{file} is empty; its first line must name the columns.")


def records(stream, separator, file):
    """Yield line number and fields, without blanks around them: the first line, then each row that is not empty.

    Parameters
    ----------
    stream : text file
    separator, file : str

    Raises
    ------
    ValueError
        Quotation marks don't match, or a field is longer than the csv module reads.
    """
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field limit" in str(error):
                raise ValueError(
                    f"{file}, line {line}: a field has more than {csv.field_size_limit():,} characters; close the "
                    "quotation mark with which it begins, or leave out a column of such long texts."
                ) from None
            raise ValueError(
                f"{file}, line {line}: quotation marks don't match ({error}); a field is quoted as a whole, and a "
                'quotation mark inside it is written twice: "say ""yes"""'
            ) from None
        row = [field.strip() for field in row]
        if any(row) or line == 1:
            yield line, row


def is_number(text):
    """Whether a text is written as a number.

    Parameters
    ----------
    text : str

    Returns
    -------
    bool
    """
    try:
        float(text)
    except ValueError:
        return False
    return True

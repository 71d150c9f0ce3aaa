"""Downloads one file over HTTP; every fault of a server is reported in one clause, within a bounded time."""

import hashlib
import time
from urllib.parse import urlsplit

import requests
import urllib3

__all__ = ["NoAnswerError", "RefusedError", "download"]

TIMEOUT = 10  # seconds to connect, and between two packets
SLOWEST = 1000  # bytes per second, on average after the first TIMEOUT seconds
LARGEST = 10**9  # bytes


class RefusedError(Exception):
    """The server answered, and another try would end in the same way."""


class BrokenOffError(requests.RequestException):
    """The transfer failed, but may succeed on another try (pooch retries after a RequestException)."""


class NoAnswerError(BrokenOffError):
    """No server answers at this address."""


def download(url, file):
    """Save the content of a URL to a file.

    Parameters
    ----------
    url : str
    file : str
        Path to write to. The file is incomplete after an error.

    Raises
    ------
    RefusedError
        An error status, a redirect loop, an invalid certificate, a web page in place of the file, or more than LARGEST
        bytes.
    NoAnswerError, BrokenOffError
        No answer; an answer that stalls, is slower than SLOWEST, or breaks off.
    OSError
        The file cannot be written.
    """
    host = urlsplit(url).netloc
    try:
        with requests.get(url, stream=True, timeout=TIMEOUT) as response:
            if not response.ok:
                raise RefusedError(f"{url} answers {response.status_code} {response.reason}")
            with open(file, "wb") as out:
                _copy(response, out, host)
    except requests.TooManyRedirects:
        raise RefusedError(f"{url} redirects without end") from None
    except requests.exceptions.SSLError:
        raise RefusedError(f"{host} has no valid certificate") from None
    except requests.Timeout:
        raise NoAnswerError(f"{host} does not answer within {TIMEOUT} seconds") from None
    except requests.ConnectionError as error:
        if isinstance(error.args[0], urllib3.exceptions.ProtocolError):
            raise BrokenOffError(f"{url}: the connection was broken before an answer came") from None
        raise NoAnswerError(f"{host} does not answer") from None
    except urllib3.exceptions.ReadTimeoutError:
        raise BrokenOffError(f"{url}: the server stalls, it sent nothing for {TIMEOUT} seconds") from None
    except urllib3.exceptions.HTTPError:
        raise BrokenOffError(f"{url}: the connection was broken in the middle of the file") from None
    _refuse_web_page(url, file)


def _copy(response, out, host):
    start, n_bytes = time.monotonic(), 0
    read = getattr(response.raw, "read1", response.raw.read)  # urllib3 1 waits for the whole chunk
    while chunk := read(2**16, decode_content=True):
        out.write(chunk)
        n_bytes += len(chunk)
        seconds = time.monotonic() - start
        if seconds > TIMEOUT and n_bytes < SLOWEST * seconds:
            raise BrokenOffError(f"{host} sends less than {SLOWEST} bytes per second")
        if n_bytes > LARGEST:
            raise RefusedError(f"{host} sends more than {LARGEST} bytes, which no registered file has")


def _refuse_web_page(url, file):
    with open(file, "rb") as stream:
        if stream.read(200).lstrip().lower().startswith((b"<!doctype html", b"<html")):
            stream.seek(0)
            found = hashlib.file_digest(stream, "sha256").hexdigest()
            raise RefusedError(
                f"{url} sends a web page instead of the file, such as a login page or an error message (found SHA-256 "
                f"{found})"
            )

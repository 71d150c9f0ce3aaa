"""Finding and downloading files: local folder, mirror, original URL, and every fault on the way."""

import csv
import functools
import hashlib
import http.server
import os
import socket
import socketserver
import struct
import threading
from pathlib import Path

import pytest

from fscore.datasets import DatasetUnavailableError, fetching, fingerprint, load, registry, status
from fscore.datasets.__main__ import main
from fscore.datasets.fetching import fetch

GOOD = b"1,2,3,4,5,6,1\n6,5,4,3,2,1,2\n"
PATH = "uci/liver-disorders/bupa.data"
HASH = hashlib.sha256(GOOD).hexdigest()
DEAD = "http://127.0.0.1:9"  # the discard port, where no server listens


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A registry with one small data set, "bupa"; no local folder yet, and a mirror folder that has the file."""

    class Place:
        data, mirror = tmp_path / "data", tmp_path / "mirror"
        local, original = data / PATH, mirror / PATH

        def registered(self, *, url=f"{DEAD}/bupa.data", path=PATH):
            row = {"name": "bupa", "part": "all", "kind": "download", "file": path, "url": url, "sha256": HASH}
            columns = ["n_samples", "n_features", "n_classes", "class_counts", "missing", "licence", "papers", "notes"]
            table = tmp_path / f"registry{len(list(tmp_path.iterdir()))}.csv"
            with open(table, "w", newline="") as stream:
                writer = csv.DictWriter(stream, [*row, *columns], restval="")
                writer.writeheader()
                writer.writerow(row)
            monkeypatch.setattr(registry, "REGISTRY", table)

        def leftovers(self):
            return [path for path in self.data.rglob("*") if path.is_file() and path != self.local]

    place = Place()
    place.original.parent.mkdir(parents=True)
    place.original.write_bytes(GOOD)
    place.registered()
    monkeypatch.setenv("FSCORE_DATA", str(place.data))
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # pooch waits before it retries
    return place


@pytest.fixture
def server(tmp_path):
    """A local HTTP server for the folder ``served``; ``server.asked`` lists the paths of the requests."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    folder = tmp_path / "served"
    (folder / PATH).parent.mkdir(parents=True)
    (folder / PATH).write_bytes(GOOD)
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        httpd.folder, httpd.asked = folder, asked
        httpd.url = f"http://127.0.0.1:{httpd.server_port}"
        threading.Thread(target=httpd.serve_forever, args=[0.05], daemon=True).start()
        yield httpd
        httpd.shutdown()


# --- where a file comes from --------------------------------------------------------------------------------------


def test_file_that_no_place_has(place):
    assert status("bupa") == "missing"
    with pytest.raises(DatasetUnavailableError) as caught:
        load("bupa")
    message = str(caught.value)
    assert message.startswith(f"bupa: no copy of {PATH} with the expected SHA-256 {HASH} was found")
    assert "127.0.0.1:9 does not answer" in message
    assert message.endswith("python -m fscore.datasets fetch bupa")
    assert not place.leftovers()


def test_mirror_folder_is_read_in_place(place, monkeypatch):
    absent = fingerprint("bupa")
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    assert status("bupa") == "mirror"
    bunch = load("bupa")
    assert bunch.data.tolist() == [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]
    assert (bunch.source, bunch.sha256) == ("mirror", HASH)
    assert not place.data.exists()
    mirrored = fingerprint("bupa")
    assert main(["fetch", "bupa"]) == 0
    assert status("bupa") == "local"
    assert fingerprint("bupa") == mirrored != absent  # the same bytes in either folder


@pytest.mark.parametrize("encoded", [True, False])
def test_mirror_at_a_file_url_is_the_folder(place, monkeypatch, tmp_path, encoded):
    folder = place.mirror.rename(tmp_path / "my mirror")
    monkeypatch.setenv("FSCORE_DATA_MIRROR", folder.as_uri() if encoded else f"file://{folder}")
    assert (status("bupa"), load("bupa").source) == ("mirror", "mirror")


def test_mirror_url(place, server, monkeypatch):
    monkeypatch.setenv("FSCORE_DATA_MIRROR", server.url + "/")
    assert status("bupa") == "missing"
    assert server.asked == []  # status() sends nothing
    assert load("bupa").source == "download"
    assert server.asked == [f"/{PATH}"]
    assert place.local.read_bytes() == GOOD
    assert load("bupa").source == "local"
    assert len(server.asked) == 1
    assert not place.leftovers()


def test_original_url_when_the_mirror_lacks_the_file(place, server, monkeypatch):
    place.registered(url=f"{server.url}/{PATH}")
    place.original.unlink()
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    with pytest.warns(UserWarning, match="cannot be read .No such file"):
        assert load("bupa").source == "download"
    assert place.local.read_bytes() == GOOD


def test_folder_that_another_process_makes_at_the_same_time(place, server, monkeypatch):
    """After pooch has looked for it, and before it makes it."""
    place.registered(url=f"{server.url}/{PATH}")
    makedirs = os.makedirs

    def too_late(path, *args, **kwargs):
        Path(path).mkdir(parents=True, exist_ok=True)
        makedirs(path, *args, **kwargs)

    monkeypatch.setattr(os, "makedirs", too_late)
    assert load("bupa").source == "download"


def test_plus_sign_in_a_file_name_is_escaped(place, server, monkeypatch):
    path = "uci/waveform/waveform-+noise.data"
    (server.folder / path).parent.mkdir()
    (server.folder / path).write_bytes(GOOD)
    place.registered(path=path)
    monkeypatch.setenv("FSCORE_DATA_MIRROR", server.url)
    assert load("bupa").data.shape == (2, 6)
    assert server.asked == ["/uci/waveform/waveform-%2Bnoise.data"]


# --- faults -------------------------------------------------------------------------------------------------------

WRONG = {"truncated": GOOD[:-5], "empty": b""}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_wrong_local_file_is_removed_and_replaced_from_a_mirror(place, monkeypatch, content):
    place.local.parent.mkdir(parents=True)
    place.local.write_bytes(content)
    with pytest.raises(DatasetUnavailableError) as caught:
        load("bupa")
    for part in ("bupa: ", PATH, HASH, hashlib.sha256(content).hexdigest(), "has been removed", "fetch bupa"):
        assert part in str(caught.value)
    assert not place.local.exists()
    place.local.write_bytes(content)
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    with pytest.warns(UserWarning, match="damaged or another file.*removed"):
        bunch = load("bupa")
    assert (bunch.data.shape, bunch.source) == ((2, 6), "mirror")
    assert not place.local.exists()
    assert main(["fetch", "bupa"]) == 0
    assert place.local.read_bytes() == GOOD


def test_wrong_file_in_a_folder_of_others_is_left(place, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    place.local.parent.mkdir(parents=True)
    place.local.write_bytes(GOOD[:10])
    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    with pytest.warns(UserWarning, match=r"another file \(found SHA-256 \w+\); .* had the right file"):
        assert load("bupa").source == "mirror"


def test_local_folder_that_cannot_be_searched(place, monkeypatch):
    monkeypatch.setenv("FSCORE_DATA", str(place.data.with_name("x" * 300)))  # an error that root gets, too
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    assert (status("bupa"), load("bupa").source) == ("mirror", "mirror")


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("kind", ["folder", "url"])
def test_wrong_file_on_the_mirror_is_never_kept(place, server, monkeypatch, content, kind):
    root = place.mirror if kind == "folder" else server.folder
    (root / PATH).write_bytes(content)
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror) if kind == "folder" else server.url)
    for _ in range(2):  # nothing was kept the first time
        with pytest.raises(DatasetUnavailableError) as caught:
            load("bupa")
        for part in ("bupa: ", PATH, HASH, hashlib.sha256(content).hexdigest(), "fetch bupa"):
            assert part in str(caught.value)
    assert main(["fetch", "bupa"]) == 1
    assert not place.local.exists()
    assert not place.leftovers()
    assert (root / PATH).read_bytes() == content  # the mirror is never changed


class Faulty(socketserver.BaseRequestHandler):
    """A server that fails in the way its path says."""

    def handle(self):
        fault = self.request.recv(4096).split()[1].decode().strip("/")
        self.server.asked.append(fault)
        start = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(GOOD)
        if fault == "loop":
            self.request.sendall(
                b"HTTP/1.1 302 Found\r\nLocation: /loop\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
        elif fault == "gone":
            self.request.sendall(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        elif fault == "truncated":
            self.request.sendall(start + GOOD[:10])
        elif fault == "silent":
            self.server.release.wait(10)
        else:  # close with unread data and no linger: the client receives a reset
            self.request.sendall(start + GOOD[:5] if fault == "late_reset" else b"")
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("gone", "/gone: answers 404"),
        ("truncated", "/truncated: the transfer failed (ChunkedEncodingError)"),
        ("loop", "/loop: the transfer failed (TooManyRedirects)"),
        ("silent", "does not answer (ReadTimeout)"),
        ("reset", "does not answer (ConnectionError)"),
        ("late_reset", "/late_reset: the transfer failed (ChunkedEncodingError)"),
    ],
)
def test_servers_that_fail(place, monkeypatch, fault, message):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.3 if fault == "silent" else 5)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Faulty) as server:
        server.asked, server.release, server.daemon_threads = [], threading.Event(), True
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        place.registered(url=f"http://127.0.0.1:{server.server_address[1]}/{fault}")
        with pytest.raises(DatasetUnavailableError) as caught:
            load("bupa")
        server.release.set()
        server.shutdown()
    said = str(caught.value)
    assert said.startswith("bupa: ")
    assert message in said
    assert said.endswith("python -m fscore.datasets fetch bupa")
    assert said.count("\n") == 0
    assert len(server.asked) == (62 if fault == "loop" else 2)  # one retry
    assert not place.local.exists()
    assert not place.leftovers()


def test_host_that_did_not_answer_is_asked_once(place, server):
    place.registered(url=f"{server.url}/{PATH}")
    host = server.url.removeprefix("http://")
    with pytest.raises(DatasetUnavailableError, match=f"{host} did not answer"):
        fetch(registry.lookup("bupa"), unreachable={host})
    assert server.asked == []


def test_local_file_that_cannot_be_read(place, monkeypatch):
    def refuse(stream, digest):
        raise PermissionError(13, "Permission denied", stream.name)

    place.local.parent.mkdir(parents=True)
    place.local.write_bytes(GOOD)
    monkeypatch.setattr("hashlib.file_digest", refuse)
    with pytest.raises(
        DatasetUnavailableError, match=r"bupa.data: cannot be read .Permission denied. and has been removed"
    ):
        load("bupa")


@pytest.mark.parametrize("below", [".", "uci"])
def test_folder_that_cannot_be_written_leaves_a_mirror_folder(place, server, monkeypatch, below):
    place.registered(url=f"{server.url}/{PATH}")
    blocked = place.data / below  # a file where the folder should be: works for root too
    blocked.parent.mkdir(exist_ok=True)
    blocked.touch()
    with pytest.raises(DatasetUnavailableError, match=rf"cannot write {PATH} to the data folder .*FSCORE_DATA"):
        load("bupa")
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    assert load("bupa").data.shape == (2, 6)


# --- .Z originals -------------------------------------------------------------------------------------------------


def compressed(content):
    """The .Z form of up to 250 bytes: LZW with 9-bit codes, literals only, least significant bit first."""
    assert len(content) <= 250  # longer ones would need wider codes
    bits = sum(byte << (9 * k) for k, byte in enumerate(content))
    return b"\x1f\x9d\x90" + bits.to_bytes((9 * len(content) + 7) // 8, "little")


def test_compressed_original_is_stored_decompressed(place, server):
    (server.folder / "bupa.data.Z").write_bytes(compressed(GOOD))
    place.registered(url=f"{server.url}/bupa.data.Z")
    assert load("bupa").data.shape == (2, 6)
    assert place.local.read_bytes() == GOOD


@pytest.mark.parametrize("content", [b"", b"<html>moved</html>", compressed(GOOD)[:-6]], ids=["empty", "html", "cut"])
def test_damaged_compressed_original(place, server, content):
    (server.folder / "bupa.data.Z").write_bytes(content)
    place.registered(url=f"{server.url}/bupa.data.Z")
    with pytest.raises(DatasetUnavailableError, match=f"bupa: no copy of {PATH}"):
        load("bupa")
    assert not place.local.exists()
    assert not place.leftovers()


# --- command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["folder", "url"])
def test_fetch_ends_with_a_table(place, server, capsys, monkeypatch, kind):
    monkeypatch.setenv("FSCORE_DATA_MIRROR", "")  # restored afterwards: the command sets it
    source = str(place.mirror) if kind == "folder" else server.url
    assert main(["fetch", "--data", str(place.data), "--mirror", source]) == 0
    out, err = capsys.readouterr()
    assert "bupa  local" in out
    assert "100%" in err
    assert place.local.read_bytes() == GOOD


def test_fetch_without_a_connection_or_from_a_mirror_that_lacks_the_file(place, capsys, monkeypatch):
    assert main(["fetch"]) == 1
    out, err = capsys.readouterr()
    assert "bupa  missing" in out
    assert "127.0.0.1:9 does not answer" in out
    assert "1 of 1 data sets are not here: bupa" in out
    assert "Traceback" not in out + err
    place.original.unlink()
    monkeypatch.setenv("FSCORE_DATA_MIRROR", str(place.mirror))
    assert main(["fetch", "bupa"]) == 1
    assert f"{place.original}: cannot be read (No such file" in capsys.readouterr().out


def test_fetch_that_is_interrupted(place, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fscore.datasets.__main__.fetch", interrupt)
    assert main(["fetch"]) == 130
    assert "Run the command again to continue" in capsys.readouterr().err


def test_list_wrong_name_and_what_is_not_public(capsys, request):
    assert main(["fetch", "xpxinsar"]) == 1
    assert "Not public, so not fetched: xpxinsar." in capsys.readouterr().out
    request.getfixturevalue("place")
    assert main(["list"]) == 0
    assert "bupa  missing" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["fetch", "bupper"])
    assert caught.value.code == 2
    assert "Did you mean bupa" in capsys.readouterr().err

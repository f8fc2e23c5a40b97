"""Public data sets: described soundly, fetched whole and checked, from a server on loopback only."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.datasets import public
from adjudge.datasets.fetching import fetch, problem
from adjudge.datasets.public import Dataset, File, datasets, find_data, find_dataset
from adjudge.datasets.recorded import RECORD
from adjudge.errors import InputError, UsageError

TEXT = b"one line\n" * 5000


class Home:
    """A server whose files are those of a folder, and which counts what it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        outer = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                super().do_GET()

            def log_message(self, *args: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.base = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "a.json").write_bytes(TEXT)
    (folder / "b.json").write_bytes(b"short")
    server = Home(folder)
    yield server
    server.http.shutdown()
    server.http.server_close()


def toy(base: str, **changes: Any) -> Dataset:
    """Two files, one known by its SHA-256, the other by git's id (as `git hash-object` tells it)."""
    first = File(path="toy/a.json", url="a.json", bytes=len(TEXT), sha256=hashlib.sha256(TEXT).hexdigest())
    second = File(path="toy/b.json", url="b.json", git="eba61a783dede5520e03655a7239b8c6062740a8")
    made = Dataset(
        name="toy", title="Toy", licence="CC0", home="http://toy.example", base=base, use="play", files=()
    )
    return msgspec.structs.replace(made, files=(first, second), **changes)


def test_downloads_are_checked_and_kept(home: Home, tmp_path: Path) -> None:
    told: list[int] = []
    came = [(f.file.url, f.came) for f in fetch(toy(home.base), tmp_path / "data", on_bytes=told.append)]
    assert came == [("a.json", "downloaded"), ("b.json", "downloaded")]
    assert (tmp_path / "data/toy/a.json").read_bytes() == TEXT
    assert sum(told) == len(TEXT) + 5
    again = [f.came for f in fetch(toy(home.base), tmp_path / "data")]
    assert (again, home.asked) == (["there", "there"], ["/a.json", "/b.json"])


def test_a_damaged_file_is_fetched_again(home: Home, tmp_path: Path) -> None:
    list(fetch(toy(home.base), tmp_path / "data"))
    (tmp_path / "data/toy/a.json").write_bytes(TEXT[:-1] + b"!")
    (tmp_path / "data/toy/b.json").write_bytes(b"shorn")
    assert [f.came for f in fetch(toy(home.base), tmp_path / "data")] == ["downloaded"] * 2
    assert (tmp_path / "data/toy/b.json").read_bytes() == b"short"


@pytest.mark.parametrize(
    ("file", "content"),
    [("a.json", TEXT[:-1]), ("a.json", TEXT[:-1] + b"?"), ("b.json", b"other")],
    ids=["size", "sha256", "git"],
)
def test_what_is_not_the_file_wanted_is_not_put_in_place(
    home: Home, tmp_path: Path, file: str, content: bytes
) -> None:
    (tmp_path / "home" / file).write_bytes(content)
    with pytest.raises(InputError, match="not the file that is wanted") as caught:
        list(fetch(toy(home.base), tmp_path / "data"))
    assert caught.value.file == home.base + file
    assert not (tmp_path / "data/toy" / file).exists()
    assert [path for path in (tmp_path / "data/toy").iterdir() if path.name.startswith(".")] == []


def test_local_copies_come_first(home: Home, tmp_path: Path) -> None:
    local = tmp_path / "local"
    list(fetch(toy(home.base), local))
    home.asked.clear()
    came = [f.came for f in fetch(toy(home.base), tmp_path / "data", local=local)]
    assert (came, home.asked) == (["copied", "copied"], [])
    assert [f.came for f in fetch(toy(home.base), local, local=local)] == ["there", "there"]


def test_offline_and_missing_files_are_said_plainly(home: Home, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is this machine offline") as caught:
        list(fetch(toy("http://127.0.0.1:9/"), tmp_path / "data"))
    assert "http://toy.example" in str(caught.value.fix)
    assert "ADJUDGE_DATA" in str(caught.value.fix)
    os.unlink(tmp_path / "home/b.json")
    with pytest.raises(InputError, match="the server answered 404"):
        list(fetch(toy(home.base), tmp_path / "data"))


def test_every_data_set_is_described_soundly() -> None:
    assert set(datasets()) == {"rgb", "ragbench", "longfact", "factscore", "ragchecker"}
    for dataset in datasets().values():
        assert dataset.licence
        assert dataset.home.startswith("https://")
        assert dataset.base.startswith("https://")
        assert dataset.base.endswith("/")
        paths = [file.path for file in dataset.files]
        assert len(set(paths)) == len(paths) > 0
        for file in dataset.files:
            assert file.path.startswith(f"{dataset.name}/")
            checked = len(file.sha256 or "") == 64 or len(file.git or "") == 40
            assert checked or (file.folder in dataset.sums and not file.has_checksum)
        # A name at a fixed commit always means the same content.
        assert re.search(r"/[0-9a-f]{40}/", dataset.base)
    assert len(datasets()["longfact"].files) == 76


def test_all_parts_of_ragbench() -> None:
    files = datasets()["ragbench"].files
    parts = "covidqa cuad delucionqa emanual expertqa finqa hagrid hotpotqa msmarco pubmedqa tatqa techqa"
    assert list(dict.fromkeys(file.folder for file in files)) == [
        f"ragbench/{part}" for part in parts.split()
    ]
    assert len(files) == 3 * 12
    assert list(datasets()["ragbench"].sums) == [f"ragbench/{part}" for part in parts.split()]
    emanual = find_dataset("ragbench/emanual")
    # Of this part every file is known, and they add up to what the publisher says of them together.
    assert sum(file.bytes or 0 for file in emanual.files) == emanual.size == 2_292_660
    with pytest.raises(UsageError, match="no part 'ragbench/emanua'; there are ragbench/covidqa"):
        find_dataset("ragbench/emanua")


def unknown(base: str, total: int = 10) -> Dataset:
    """Two files of which only their bytes together are known."""
    made = (File(path="toy/p/b.json", url="b.json"), File(path="toy/p/c.json", url="c.json"))
    return msgspec.structs.replace(toy(base), files=made, sums={"toy/p": total})


def test_what_no_checksum_is_known_of_is_recorded_and_must_stay_so(home: Home, tmp_path: Path) -> None:
    (tmp_path / "home/c.json").write_bytes(b"other")
    folder = tmp_path / "data"
    assert [f.came for f in fetch(unknown(home.base), folder)] == ["downloaded", "downloaded"]
    lines = (folder / "toy" / RECORD).read_text().splitlines()
    assert lines == [
        f"{hashlib.sha256(b'short').hexdigest()}  p/b.json",
        f"{hashlib.sha256(b'other').hexdigest()}  p/c.json",
    ]
    (folder / "toy/p/b.json").write_bytes(b"shorn")  # here: mended
    assert [f.came for f in fetch(unknown(home.base), folder)] == ["there", "downloaded"]
    (folder / "toy/p/b.json").unlink()
    (tmp_path / "home/b.json").write_bytes(b"shelf")  # at its home: refused
    with pytest.raises(InputError, match="not the file that is wanted: its SHA-256 is not the expected one"):
        list(fetch(unknown(home.base), folder))
    assert not (folder / "toy/p/b.json").exists()


def test_files_that_do_not_add_up_to_what_the_publisher_says_are_taken_away(
    home: Home, tmp_path: Path
) -> None:
    (tmp_path / "home/c.json").write_bytes(b"longer")
    folder = tmp_path / "data"
    with pytest.raises(InputError, match="11 bytes together, and their publisher says 10"):
        list(fetch(unknown(home.base), folder))
    assert sorted(path.name for path in (folder / "toy").rglob("*") if path.is_file()) == [RECORD]
    (folder / "toy/p/b.json").write_bytes(b"mine!!!")
    (folder / "toy/p/c.json").write_bytes(b"own")
    assert [f.came for f in fetch(unknown(home.base), folder)] == ["there", "there"]
    with pytest.raises(InputError, match="publisher says 11"):
        list(fetch(unknown(home.base, 11), folder))
    assert (folder / "toy/p/b.json").exists()  # what was there before is not ours to take


def test_a_download_that_breaks_off_is_noticed_without_a_checksum(tmp_path: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort")

    threading.Thread(target=serve, daemon=True).start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    one = msgspec.structs.replace(unknown(base), files=unknown(base).files[:1], sums={})
    with listener, pytest.raises(InputError, match="5 bytes instead of 9"):
        list(fetch(one, tmp_path / "data"))
    assert not (tmp_path / "data/toy/p/b.json").exists()


def test_the_copies_at_hand_add_up(data) -> None:
    checked = 0
    for dataset in datasets().values():
        for file in dataset.files:
            path = data(".") / file.path
            if path.exists():
                assert problem(file, path) is None, file.path
                checked += 1
    assert checked > 90


def test_data_is_found_by_path_by_name_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="not on this machine") as caught:
        find_data("rgb", "rgb")
    assert "adjudge data get rgb" in str(caught.value.fix)
    with pytest.raises(InputError, match="no such file or folder"):
        find_data("elsewhere/en.json", "rgb")
    (tmp_path / "data/rgb").mkdir(parents=True)
    assert find_data("rgb", "rgb") == Path("data/rgb")
    (tmp_path / "mine/rgb").mkdir(parents=True)
    monkeypatch.setenv("ADJUDGE_DATA", str(tmp_path / "mine"))
    assert find_data(None, "rgb") == tmp_path / "mine/rgb"
    with pytest.raises(UsageError, match="there are rgb, ragbench"):
        find_dataset("squad")


def test_the_commands(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public, "datasets", lambda: {"toy": toy(home.base)})
    monkeypatch.setattr("adjudge.verbs.data.datasets", lambda: {"toy": toy(home.base)})
    run = CliRunner().invoke
    listed = run(main, ["data", "list"])
    assert "toy         CC0" in listed.output
    assert "0 of 2 files here" in listed.output
    got = run(main, ["data", "get", "toy"])
    assert got.exit_code == 0, got.output
    assert "licence: CC0" in got.stderr
    assert "2 files downloaded" in got.stderr
    assert got.stdout.strip() == os.path.join("data", "toy")
    told = msgspec.json.decode(run(main, ["data", "info", "toy", "--json"]).stdout)
    assert [entry["here"] for entry in told["files"]] == ["data/toy/a.json", "data/toy/b.json"]
    assert "CC0" in run(main, ["data", "info", "toy"]).output
    monkeypatch.setenv("ADJUDGE_DATA", "data")
    copied = run(main, ["data", "get", "toy", "-o", "copy"])
    assert "2 files copied from data" in copied.stderr
    assert len(home.asked) == 2
    assert run(main, ["data", "get", "squad"]).exit_code == 2


def test_what_is_local_comes_even_if_the_rest_cannot(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The missing file stands first: the one at hand is copied all the same, and both others are named."""
    (tmp_path / "local/toy").mkdir(parents=True)
    (tmp_path / "local/toy/b.json").write_bytes(b"short")
    whole = toy("http://127.0.0.1:9/")
    third = File(path="toy/c.json", url="c.json", bytes=3)
    whole = msgspec.structs.replace(whole, files=(whole.files[0], third, whole.files[1]))
    monkeypatch.setattr(public, "datasets", lambda: {"toy": whole})
    monkeypatch.setenv("ADJUDGE_DATA", "local")
    got = CliRunner().invoke(main, ["data", "get", "toy", "-o", "copy"])
    assert got.exit_code == 3
    assert "1 files copied from local" in got.stderr
    assert "2 of 3 files are missing: toy/a.json, toy/c.json" in got.stderr
    assert "is this machine offline" in got.stderr
    assert (tmp_path / "copy/toy/b.json").read_bytes() == b"short"


def test_a_file_gone_from_its_home_does_not_keep_the_others_away(home: Home, tmp_path: Path) -> None:
    os.unlink(tmp_path / "home/a.json")
    with pytest.raises(InputError, match="the server answered 404"):
        list(fetch(toy(home.base), tmp_path / "data"))
    assert (tmp_path / "data/toy/b.json").read_bytes() == b"short"

"""Public data sets: described soundly, fetched whole and checked, from a server on loopback only."""

from __future__ import annotations

import hashlib
import os
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
from adjudge.datasets.public import Dataset, File, datasets, fetch, find_data, find_dataset, problem
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
            assert len(file.sha256 or "") == 64 or len(file.git or "") == 40
    assert len(datasets()["longfact"].files) == 76


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

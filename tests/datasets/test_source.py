"""Files as people have them: packed, odd, broken. Nothing may end in a traceback of another library."""

from __future__ import annotations

import gc
import gzip
import io
import json
import os
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError

ROWS = [{"id": "a", "response": "one"}, {"id": "b", "response": "two"}]


def save(folder: Path, name: str, content: bytes | str) -> Source:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return Source(path)


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def everything(source: Source) -> list[object]:
    return [source.first, *source.rows()]


def data_of(source: Source) -> list[object]:
    return [row.data for row in source.rows()]


def tar(folder: Path, name: str, **files: str) -> Path:
    path = folder / name
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
        for inner, content in files.items():
            entry = tarfile.TarInfo(f"{inner}.jsonl")
            entry.size = len(content.encode())
            archive.addfile(entry, io.BytesIO(content.encode()))
    return path


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tgz"])
def test_an_archive_is_closed_on_every_pass(tmp_path: Path, name: str) -> None:
    source = Source(tar(tmp_path, name, x=lines(ROWS)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        for _ in range(2):
            assert source.shape == "jsonl"
            assert data_of(source) == ROWS
        with source.open() as stream:
            below = stream._stream  # type: ignore[attr-defined]
        assert below.closed


def test_an_archive_that_is_refused_is_closed(tmp_path: Path) -> None:
    """Else a warning about it fails this test."""
    with pytest.raises(InputError, match="the archive holds 2 files"):
        Source(tar(tmp_path, "x.tar", x=lines(ROWS), y=lines(ROWS))).open()
    gc.collect()


# shapes


def test_jsonl_rows_carry_their_line_numbers_and_blank_lines_count(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '\n{"a":1}\n\n  \n{"a":2}\r\n')
    assert source.shape == "jsonl"
    assert [(row.line, row.data) for row in source.rows()] == [(2, {"a": 1}), (5, {"a": 2})]


@pytest.mark.parametrize("indent", [None, 2])
def test_json_list(tmp_path: Path, indent: int | None) -> None:
    source = save(tmp_path, "x.json", json.dumps(ROWS, indent=indent))
    assert source.shape == "json"
    assert [(row.line, row.data) for row in source.rows()] == [(1, ROWS[0]), (2, ROWS[1])]
    assert source.first == ROWS[0]


def test_pretty_json_object_is_one_document(tmp_path: Path) -> None:
    source = save(tmp_path, "x.json", json.dumps({"results": ROWS}, indent=2))
    assert source.shape == "json"
    assert source.first == {"results": ROWS}


def test_object_whose_entries_stand_one_a_line_is_a_document(tmp_path: Path) -> None:
    source = save(tmp_path, "x.json", '{"results": [\n{"a": 1},\n{"a": 2}\n]}')
    assert source.shape == "json"
    assert source.first == {"results": [{"a": 1}, {"a": 2}]}


def test_one_line_object_is_its_own_first_row(tmp_path: Path) -> None:
    source = save(tmp_path, "x.json", json.dumps({"results": ROWS}))
    assert source.first == source.document == {"results": ROWS}


def test_gzip_is_told_by_its_contents(tmp_path: Path) -> None:
    for name in ("x.jsonl.gz", "x.jsonl"):
        source = save(tmp_path, name, gzip.compress(lines(ROWS).encode()))
        assert data_of(source) == ROWS
    packed = save(tmp_path, "x.csv.gz", gzip.compress(b"id,response\na,one\n"))
    assert (packed.suffix, packed.shape) == (".csv", "csv")
    assert data_of(packed) == [ROWS[0]]


def test_zip_is_told_but_has_no_rows(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("a.txt", "a")
    source = Source(tmp_path / "x.eval")
    assert source.shape == "zip"
    assert source.first is None
    with pytest.raises(InputError, match="zip archive"):
        list(source.rows())


@pytest.mark.parametrize("packed", [False, True])
def test_parquet(tmp_path: Path, packed: bool) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": "a", "contexts": ["x", "y"], "noise": 0.5},
        {"id": "b", "contexts": [], "noise": float("nan")},
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    path = tmp_path / "x.parquet"
    if packed:
        path = tmp_path / "x.parquet.gz"
        path.write_bytes(gzip.compress((tmp_path / "x.parquet").read_bytes()))
    source = Source(path)
    expected = [(1, rows[0]), (2, {"id": "b", "contexts": [], "noise": None})]
    for _ in range(2):
        assert [(row.line, row.data) for row in source.rows()] == expected
        assert source.notes == {"NaN read as null": 1}


def test_broken_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="broken Parquet"):
        list(save(tmp_path, "x.parquet", b"PAR1 and then nothing PAR1").rows())


# odd, but read


def test_byte_order_mark_is_ignored_and_noted_once(tmp_path: Path) -> None:
    for name, content in (
        ("x.jsonl", lines(ROWS)),
        ("x.json", json.dumps(ROWS)),
        ("x.csv", "id,response\na,one\n"),
    ):
        source = save(tmp_path, name, b"\xef\xbb\xbf" + content.encode())
        assert source.first == ROWS[0]
        assert data_of(source)[0] == ROWS[0]
        assert source.notes == {"byte order mark at the beginning, ignored": 1}


def test_nan_and_infinity_become_null_and_are_counted_once(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '{"a": NaN, "b": [-Infinity, 1.5]}\n{"a": 1e999}\n{"a": 1e5}\n')
    assert source.first == {"a": None, "b": [None, 1.5]}
    expected = {
        "NaN read as null": 1,
        "-Infinity read as null": 1,
        "number too large for a float read as null": 1,
    }
    for _ in range(2):
        assert data_of(source) == [{"a": None, "b": [None, 1.5]}, {"a": None}, {"a": 100000.0}]
        assert source.notes == expected


def test_lone_surrogates_are_replaced_and_pairs_kept(tmp_path: Path) -> None:
    source = save(
        tmp_path, "x.jsonl", r'{"a\udc00": "x\ud800y", "b": [NaN, "\ud83d\ude00", "\udfff"]}' + "\n"
    )
    (row,) = data_of(source)
    assert row == {"a\ufffd": "x\ufffdy", "b": [None, "\N{GRINNING FACE}", "\ufffd"]}
    assert source.notes == {"NaN read as null": 1, "text with lone surrogates, replaced by U+FFFD": 3}
    json.dumps(row, ensure_ascii=False).encode("utf-8")


def test_control_characters_inside_a_text_are_kept(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", b'{"a": "one\ttwo\x01"}\n')
    assert data_of(source) == [{"a": "one\ttwo\x01"}]
    assert sum(source.notes.values()) == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_whatever_the_standard_library_writes_is_read(value: object) -> None:
    from collections import Counter

    from adjudge.datasets.odd_json import parse_json

    def plain(value: object) -> object:
        if isinstance(value, float) and (value != value or abs(value) == float("inf")):
            return None
        if isinstance(value, list):
            return [plain(entry) for entry in value]
        return {key: plain(entry) for key, entry in value.items()} if isinstance(value, dict) else value

    assert parse_json(json.dumps(value).encode(), Counter()) == plain(value)


# broken


def test_broken_line_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '{"a":1}\n{"a":\n{"a":3}\n')
    first, broken, last = source.tolerant_rows()
    assert isinstance(first, Row)
    assert isinstance(last, Row)
    assert last.line == 3
    assert isinstance(broken, InputError)
    assert (broken.line, broken.file) == (2, source.name)
    assert "column" in broken.problem
    assert "--skip-bad" in str(broken)
    with pytest.raises(InputError, match=r":2: broken JSON"):
        list(source.rows())


@pytest.mark.parametrize("bad", ['{"a": 1', '{"a": 1,}', "{'a': 1}"])
def test_a_broken_first_line_does_not_hide_the_others(tmp_path: Path, bad: str) -> None:
    source = save(tmp_path, "x.jsonl", f'{bad}\n{{"a":2}}\n')
    assert source.shape == "jsonl"
    assert source.first == {"a": 2}
    broken, good = source.tolerant_rows()
    assert isinstance(broken, InputError)
    assert broken.line == 1
    assert isinstance(good, Row)


def test_broken_document_names_line_and_column(tmp_path: Path) -> None:
    for content in ('{\n  "results": [\n    {"a": 1},,\n  ]\n}', '[\n {"a": 1},\n {"a": tru}\n]'):
        source = save(tmp_path, "x.json", content)
        with pytest.raises(InputError, match=r"broken JSON: .*line 3 column"):
            _ = source.first


def test_the_message_points_at_the_error_not_at_what_is_merely_odd(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '{"a": 1}\n{"a": NaN, "b": }\n')
    broken = list(source.tolerant_rows())[1]
    assert isinstance(broken, InputError)
    assert "column 17" in broken.problem


def test_nesting_too_deep(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '{"a": 1}\n{"a": ' + "[" * 100_000 + "\n")
    broken = list(source.tolerant_rows())[1]
    assert isinstance(broken, InputError)
    assert broken.line == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"[]", "no rows"),
        (b"plain words", "begins with b'plain words'"),
        (json.dumps(ROWS).encode("utf-16"), "UTF-16"),
        (lines(ROWS).encode("utf-16-le"), "UTF-16"),
        ('{"a": "caf\xe9"}\n'.encode("latin-1"), "not UTF-8 \\(byte 10 is 0xe9\\)"),
        (gzip.compress(lines(ROWS).encode())[:-12], "unpacked"),
        (gzip.compress(lines(ROWS).encode())[:12], "unpacked"),
        (b"\x1f\x8b nothing of the kind", "unpacked"),
    ],
)
@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
def test_hopeless_files_are_an_input_error(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    source = save(tmp_path, name, content)
    with pytest.raises(InputError, match=said) as caught:
        everything(source)
    assert caught.value.file == str(tmp_path / name)


def test_gzip_cut_in_the_middle_gives_its_rows_and_then_the_error(tmp_path: Path) -> None:
    rows = [{"id": str(index), "response": os.urandom(40).hex()} for index in range(2000)]
    source = save(tmp_path, "x.jsonl.gz", gzip.compress(lines(rows).encode())[:-30000])
    read: list[object] = []

    def collect() -> None:
        for row in source.rows():
            read.append(row.data)  # noqa: PERF401 (extend would lose those before the error)

    with pytest.raises(InputError, match="cut short or damaged"):
        collect()
    assert 100 < len(read) < 2000
    assert read == rows[: len(read)]
    cut = save(tmp_path, "y.csv.gz", gzip.compress(b"id,response\n" + b"a,b\n" * 50000)[:-40])
    with pytest.raises(InputError, match="unpacked"):
        list(cut.rows())


def test_missing_file_folder_and_pipe(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Source(tmp_path / "nothing.jsonl")
    with pytest.raises(InputError, match="folder"):
        Source(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        Source(tmp_path / ("long" * 200))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="not a regular file"):
            Source(tmp_path / "pipe")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = save(tmp_path, "x.jsonl", lines(ROWS))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    for step in (source.open, source.digest, lambda: source.shape, lambda: source.document):
        with pytest.raises(InputError, match="no permission"):
            step()


def test_digest_is_of_the_file_as_it_lies(tmp_path: Path) -> None:
    import hashlib

    content = gzip.compress(b"{}")
    assert save(tmp_path, "x.jsonl.gz", content).digest() == hashlib.sha256(content).hexdigest()


# CSV


def test_csv_quotes_newlines_and_first_lines(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", 'id,response\r\na,"one, ""two""\r\nthree"\r\n\r\nb,four\r\n')
    assert [(row.line, row.data) for row in source.rows()] == [
        (2, {"id": "a", "response": 'one, "two"\r\nthree'}),
        (5, {"id": "b", "response": "four"}),
    ]


def test_csv_too_many_and_too_few_cells(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", "id,response\na,b,c\nd\n")
    broken, short = source.tolerant_rows()
    assert isinstance(broken, InputError)
    assert (broken.line, broken.problem) == (2, "3 cells under 2 columns")
    assert isinstance(short, Row)
    assert short.data == {"id": "d"}


def test_csv_broken_quotes_are_one_error(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", 'id,response\na,"b"c\nd,e\n')
    broken, good = source.tolerant_rows()
    assert isinstance(broken, InputError)
    assert broken.line == 2
    assert isinstance(good, Row)
    assert good.data == {"id": "d", "response": "e"}


@pytest.mark.parametrize(("name", "mark"), [("x.tsv", "\t"), ("x.csv", ";"), ("x.csv", ",")])
def test_csv_separators(tmp_path: Path, name: str, mark: str) -> None:
    source = save(tmp_path, name, f"id{mark}response\na{mark}one\n")
    assert data_of(source) == [ROWS[0]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no header"),
        (b"id,id\na,b\n", "two columns are named 'id'"),
        (b"id,response\na,caf\xe9\n", "not UTF-8 text"),
        ("id,response\na,b\n".encode("utf-16"), "UTF-16"),
        (b'"id,response\na,b\n', "header"),
    ],
)
def test_hopeless_csv(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(save(tmp_path, "x.csv", content).rows())


def test_csv_index_column_of_pandas_is_ignored_and_noted(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", ",id,response\n0,a,one\n")
    assert data_of(source) == [ROWS[0]]
    assert source.notes == {"column without a name, ignored": 1}


def test_very_long_cells(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", f"id,response\na,{'long ' * 60_000}\n")
    (row,) = source.rows()
    assert len(row.data["response"]) == 300_000

"""MQM annotations: marks to spans, raters to samples, and the public file with three raters."""

from __future__ import annotations

import io
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudge import evaluate
from adjudge.datasets.registry import detect, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.judges.families import FamilyJudge, likeness

HEADER = [
    *("system", "doc", "docSegId", "globalSegId", "rater", "source"),
    "target",
    "category",
    "severity",
    "m",
]
PUBLIC = "violations/mqm_3raters/sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"


def tsv(*rows: tuple[str, str, str]) -> str:
    """Rows of (rater, target, category) for one segment."""
    lines = ["\t".join([*HEADER, "# more"])]
    for rater, target, category in rows:
        lines.append("\t".join(["S", "d", "1", "1", rater, "source", target, category, "Minor", "{}"]))
    return "\n".join(lines) + "\n"


def save(folder: Path, *rows: tuple[str, str, str]) -> Source:
    (folder / "x.tsv").write_text(tsv(*rows), "utf-8")
    return Source(folder / "x.tsv")


def test_two_raters_make_a_sample(tmp_path: Path) -> None:
    source = save(
        tmp_path,
        ("rater2", 'Er <v>gehen</v> "heim"', "Fluency/Grammar"),
        ("rater10", 'Er gehen <v>"heim"</v>', "Style/Unnatural"),
        ("rater10", 'Er gehen "heim"', "Source issue"),
    )
    assert detect(source).name == "mqm"
    (sample,) = read(source)
    assert sample.text == 'Er gehen "heim"'
    assert sample.id == "S|d:1|rater10>rater2"
    assert sample.item == "d:1"
    assert [(one.spans, one.rule, one.category) for one in sample.gold or ()] == [
        (((9, 15),), "Style/Unnatural", "Style")
    ]
    assert [(one.spans, one.rule) for one in sample.predicted or ()] == [(((3, 8),), "Fluency/Grammar")]
    assert sample.attributes["pair"] == "1-2"
    assert source.notes["row that marks nothing in the target, left out"] == 1


def test_a_quotation_mark_at_the_beginning_of_a_cell_is_text(tmp_path: Path) -> None:
    source = save(
        tmp_path, ("r1", '"Ja" sagt <v>er</v>', "Fluency/Grammar"), ("r2", '"Ja" sagt er', "No-error")
    )
    (sample,) = read(source, format="mqm")
    assert sample.text == '"Ja" sagt er'
    assert (sample.gold or ())[0].spans == ((10, 12),)
    assert sample.predicted == ()


def test_a_marked_space_at_the_end_lengthens_the_text(tmp_path: Path) -> None:
    source = save(tmp_path, ("r1", "Er <v>geht</v>", "A/B"), ("r2", "Er geht<v> </v>", "A/B"))
    (sample,) = read(source)
    assert sample.text == "Er geht "
    assert (sample.predicted or ())[0].spans == ((7, 8),)


def test_one_rater_makes_a_split_without_predictions_and_three_make_three_pairs(tmp_path: Path) -> None:
    (alone,) = read(save(tmp_path, ("r1", "Er <v>geht</v>", "A/B")))
    assert alone.predicted is None
    assert len(alone.gold or ()) == 1
    three = [(f"r{n}", "Er <v>geht</v>", "A/B") for n in (1, 2, 3)]
    assert [s.attributes["pair"] for s in read(save(tmp_path, *three))] == ["1-2", "1-3", "2-3"]


@pytest.mark.parametrize(
    ("target", "message"),
    [("Er <v>geht", "one <v>…</v> or none"), ("Sie <v>geht</v>", "not that of the segment's other rows")],
)
def test_a_bad_row_is_told_and_the_rest_is_read(tmp_path: Path, target: str, message: str) -> None:
    source = save(tmp_path, ("r1", "Er <v>geht</v>", "A/B"), ("r2", target, "A/B"))
    with pytest.raises(InputError, match=message):
        list(read(source))
    errors: list[InputError] = []
    assert len(list(read(source, on_error=errors.append))) == 1
    assert [error.line for error in errors] == [3]


def test_families() -> None:
    assert likeness("A/x", "A/x")[0] == 1
    assert likeness("A/x", "A/y")[0] == 0.5
    assert likeness("A/x", "B/x")[0] == 0


def pack(path: Path, *names: str) -> Source:
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            body = tsv(("r1", "Er <v>geht</v>", "A/B")).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    return Source(path)


def test_inside_an_archive(tmp_path: Path) -> None:
    assert len(list(read(pack(tmp_path / "x.tsv.tar.gz", "x.tsv")))) == 1
    with pytest.raises(InputError, match=r"holds 2 files: x\.tsv, y\.tsv"):
        list(read(pack(tmp_path / "y.tsv.tar.gz", "x.tsv", "y.tsv")))


@pytest.fixture(scope="module")
def public(data: Any) -> Any:
    return evaluate(str(data(PUBLIC)), "violations", judge=FamilyJudge(), metrics=("std", "ha"), by="pair")


def test_rater_against_rater(public: Any) -> None:
    """Counts of a script that shares no code with adjudge, raters in the order of their names."""
    row = public.row("violations.std_f1", pair="1-2")
    assert row.counts == {"tp": 760, "fp": 3047 - 760, "fn": 3395 - 760}
    assert row.value == pytest.approx(2 * 760 / (3395 + 3047))
    assert row.other["macro"] == pytest.approx(0.2058822269)
    assert public.value("violations.std_precision", pair="1-2") == pytest.approx(760 / 3047)
    assert public.value("violations.std_recall", pair="1-2") == pytest.approx(760 / 3395)
    # ha adds the family: pairs of one family and a moderate overlap get over the threshold
    assert public.row("violations.ha_f1", pair="1-2").counts["tp"] == 770


def test_without_the_two_segments_whose_rows_differ_by_a_space(data: Any, public: Any) -> None:
    """An earlier, independent count has 3,385 gold, 3,039 predicted and 757 matches: it dropped these two."""
    texts: dict[tuple[str, str], set[str]] = {}
    for row in detect_rows(data(PUBLIC)):
        texts.setdefault((row["system"], f"{row['doc']}:{row['docSegId']}"), set()).add(
            row["target"].replace("<v>", "").replace("</v>", "")
        )
    odd = {place for place, found in texts.items() if len(found) > 1}
    assert len(odd) == 2
    totals: Counter[str] = Counter()
    for record in public.records:
        if record.attributes["pair"] == "1-2" and (record.attributes["system"], record.item) not in odd:
            for score in record.scores:
                if score.metric == "violations.std_f1":
                    totals.update({count.name: int(count.n) for count in score.counts})
    assert totals["tp"] == 757
    assert totals["tp"] + totals["fn"] == 3385
    assert totals["tp"] + totals["fp"] == 3039


def detect_rows(path: Path) -> list[dict[str, str]]:
    with tarfile.open(path) as archive:
        member = archive.extractfile(archive.getmembers()[0])
        assert member is not None
        lines = member.read().decode().split("\n")
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=False)) for line in lines[1:] if line]

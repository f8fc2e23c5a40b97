"""Claims of a text (`ExtractClaims`) and claims against evidence (`CheckClaims`)."""

# ruff: noqa: ARG002 - handlers share one interface, and not each needs all of it

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from adjudge.judges.base import CheckClaims, ExtractClaims, Reply
from adjudge.judges.llm.fields import as_number, as_text, each, field, to_json
from adjudge.judges.llm.handler import (
    Handler,
    Reading,
    Unreadable,
    failure,
    groups,
    halves,
    need_objects,
    raws,
    tokens,
    whys,
)
from adjudge.judges.llm.loose_json import find_list, find_object, has_field, objects_in_a_row
from adjudge.judges.llm.parse import cited_lines, label_words, list_items, triples
from adjudge.prompts.blocks import Value
from adjudge.segment.sentences import split_sentences

_LIST = ("claims", "facts")
_TEXT = ("claim", "fact", "text", "statement", "content", "sentence")
_TRIPLE = ("subject", "predicate", "object", "head", "relation", "tail")
_ENTAILED = ("entailed_by", "entailed", "supported_by", "entails")
_CONTRADICTED = ("contradicted_by", "contradicted", "contradicts")


class Claims(Handler[ExtractClaims]):
    """Texts longer than the budget are split between sentences."""

    prompt = "ragchecker/claims@1"

    def shortcut(self, question: ExtractClaims) -> Reply | None:
        return None if question.text.strip() else Reply((), "the text is empty")

    def values(self, question: ExtractClaims) -> dict[str, Value]:
        return {"question": question.question, "text": question.text}

    def read(self, question: ExtractClaims, text: str) -> Reading:
        return Reading(tuple(dict.fromkeys(text_list(text, _LIST))))

    def split(
        self, question: ExtractClaims, size: int, target: int, *, answer: bool = False
    ) -> list[ExtractClaims]:
        spans = split_sentences(question.text)
        if len(spans) < 2:
            return []
        ends = [start for start, _ in spans[1:]] + [len(question.text)]
        starts = [0, *ends[:-1]]
        pieces = [question.text[a:b] for a, b in zip(starts, ends, strict=True)]
        found = groups([tokens(piece) for piece in pieces], size, target)
        if len(found) < 2:
            found = halves(len(pieces))
        return [replace(question, text="".join(pieces[part])) for part in found]

    def merge(
        self, question: ExtractClaims, parts: Sequence[ExtractClaims], replies: Sequence[Reply]
    ) -> Reply:
        if (failed := failure(replies)) is not None:
            return failed
        claims = dict.fromkeys(claim for reply in replies for claim in reply.value)
        note = f"asked in {len(parts)} parts of the text"
        return Reply(tuple(claims), note, raw=raws(replies))

    def guess(self, question: ExtractClaims) -> str:
        spans = split_sentences(question.text)
        return to_json({"claims": [question.text[start:end] for start, end in spans]})


def text_list(text: str, names: Iterable[str]) -> list[str]:
    """Texts of an answer that lists them, whichever way; raises Unreadable."""
    names = tuple(names)
    several = objects_in_a_row(text)
    if len(several) > 1 and all(has_field(one, (*names, *_TEXT)) for one in several):
        return [words for one in several for words in _listed(field(one, *names), one)]
    found = find_object(text, names)
    if found is not None:
        if found.truncated:
            raise Unreadable("it breaks off before its end")
        return _listed(field(found.value, *names), None)
    if (bare := find_list(text)) is not None:
        return _texts(bare.value)
    if said := triples(text):
        return [" ".join(triple) for triple in said]
    items = list_items(text)
    if items is None:
        items = cited_lines(text)
    if items is None:
        raise Unreadable("it holds neither a JSON object nor a list")
    return items


def _listed(given: Any, otherwise: Any) -> list[str]:
    """Texts of a field that should be a list, and may be an object, a list in one text, or a single text."""
    given = otherwise if given is None else given
    if isinstance(given, str):
        items = list_items(given)
        return _texts([given]) if items is None else items
    if isinstance(given, dict) and not has_field(given, (*_TEXT, *_TRIPLE)):
        given = list(given.values())
    return _texts(given if isinstance(given, list) else [given])


def _texts(items: Sequence[Any]) -> list[str]:
    """Each item as one text; triples and small objects are joined or opened."""
    found = []
    for item in items:
        if isinstance(item, dict):
            item = field(item, *_TEXT) or [
                value for name, value in item.items() if has_field({name: 0}, _TRIPLE)
            ]
        if isinstance(item, list):
            item = " ".join(part.strip() for part in item if isinstance(part, str)) or item
        if words := as_text(item):
            found.append(words)
        elif item not in ("", None):
            raise Unreadable("an entry of the list is not a text")
    return found


class Check(Handler[CheckClaims]):
    """Questions longer than the budget are split by evidence first, then by claims."""

    prompt = "ragchecker/check@1"

    def shortcut(self, question: CheckClaims) -> Reply | None:
        if question.claims and any(text.strip() for text in question.evidence):
            return None
        why = "no claims" if not question.claims else "the evidence is empty" if question.evidence else None
        return Reply(("n" * len(question.evidence),) * len(question.claims), why or "no evidence")

    def values(self, question: CheckClaims) -> dict[str, Value]:
        return {
            "question": question.question,
            "evidence": [question.evidence[index] for index in _shown(question)],
            "claims": [(str(number), claim) for number, claim in enumerate(question.claims, 1)],
        }

    def read(self, question: CheckClaims, text: str) -> Reading:
        shown = _shown(question)
        if "{" not in text and 1 in (len(shown), len(question.claims)):
            return self._read_words(question, shown, text)
        rows, truncated = need_objects(text, "rows")
        table = _Table(len(question.claims), len(shown))
        for row in rows:
            table.add(row)
        cells = [_spread(row, shown, len(question.evidence)) for row in table.cells()]
        problem = "it breaks off before its end" if truncated and table.missing else table.problem()
        if problem is not None:
            raise Unreadable(problem, Reading(tuple(cells), reason=f"the judge's answer: {problem}"))
        if table.stray:
            problem = f"{table.stray} numbers name no claim or evidence text; both are counted from 1"
            raise Unreadable(problem, Reading(tuple(cells), notes=(f"passed over: {problem}",)))
        return Reading(tuple(cells))

    def _read_words(self, question: CheckClaims, shown: Sequence[int], text: str) -> Reading:
        """Label words in place of JSON: one a claim, or for a single claim one an evidence text."""
        wide = len(shown) > 1
        count = len(shown) if wide else len(question.claims)
        labels = label_words(text, count)
        if not labels.cells.strip("-"):
            raise Unreadable("there is no JSON object with the field rows in it")
        rows = [labels.cells] if wide else list(labels.cells)
        cells = tuple(_spread(row, shown, len(question.evidence)) for row in rows)
        if "-" in labels.cells:
            raise Unreadable(f"{labels.note}", Reading(cells, reason=labels.note))
        return Reading(cells, notes=(labels.note,) if labels.note else ())

    def split(
        self, question: CheckClaims, size: int, target: int, *, answer: bool = False
    ) -> list[CheckClaims]:
        evidence, claims = question.evidence, question.claims
        claims_in_two = [replace(question, claims=claims[part]) for part in halves(len(claims))]
        if answer and len(claims) > 1:
            return claims_in_two
        found = [replace(question, evidence=part, passages=0) for part in _packed(evidence, 16, size, target)]
        if len(found) < 2:
            found = [replace(question, claims=part) for part in _packed(claims, 2, size, target)]
        if len(found) < 2 and len(evidence) > 1:
            found = [replace(question, evidence=evidence[part], passages=0) for part in halves(len(evidence))]
        return found if len(found) > 1 or len(claims) < 2 else claims_in_two

    def merge(self, question: CheckClaims, parts: Sequence[CheckClaims], replies: Sequence[Reply]) -> Reply:
        if all(reply.value is None for reply in replies):
            return failure(replies) or Reply(None)
        grids = [
            ("-" * len(part.evidence),) * len(part.claims) if reply.value is None else reply.value
            for part, reply in zip(parts, replies, strict=True)
        ]
        if len(parts[0].evidence) < len(question.evidence):
            cells = tuple("".join(rows) for rows in zip(*grids, strict=True))
        else:
            cells = tuple(row for grid in grids for row in grid)
        reasons = dict.fromkeys(reply.reason for reply in replies if reply.reason)
        return Reply(cells, whys(replies), "; ".join(reasons) or None, raw=raws(replies))

    def guess(self, question: CheckClaims) -> str:
        count = len(question.claims)
        rows = [{"claim": n, "entailed_by": [], "contradicted_by": []} for n in range(1, count + 1)]
        return to_json({"rows": rows})


def _packed(texts: tuple[str, ...], each_more: int, size: int, target: int) -> list[tuple[str, ...]]:
    return [texts[part] for part in groups([tokens(text) + each_more for text in texts], size, target)]


def _shown(question: CheckClaims) -> list[int]:
    """Evidence that has any words; the rest is neutral to everything."""
    return [index for index, text in enumerate(question.evidence) if text.strip()]


def _spread(row: str, shown: Sequence[int], width: int) -> str:
    cells = ["n"] * width
    for index, cell in zip(shown, row, strict=True):
        cells[index] = cell
    return "".join(cells)


class _Table:
    """Rows of an answer, collected by claim."""

    def __init__(self, claims: int, evidence: int) -> None:
        self._evidence = evidence
        self._rows: list[tuple[set[int], set[int]] | None] = [None] * claims
        self._unusable: set[int] = set()
        self.stray = 0

    @property
    def missing(self) -> list[int]:
        return [number for number, row in enumerate(self._rows, 1) if row is None]

    def add(self, row: dict[str, Any]) -> None:
        number = as_number(field(row, "claim", "claim_number", "number", "id"))
        if number is None or not 1 <= number <= len(self._rows):
            self.stray += 1
            return
        given = self._verdicts(row)
        if given is None:
            self._unusable.add(number)
            return
        entailed, contradicted = self._rows[number - 1] or (set(), set())
        self._rows[number - 1] = (entailed | given[0], contradicted | given[1])

    def _verdicts(self, row: dict[str, Any]) -> tuple[set[int], set[int]] | None:
        """Numbers of the evidence that entails and that contradicts; None for a row that says neither."""
        if not has_field(row, (*_ENTAILED, *_CONTRADICTED)):
            return self._in_a_word(row)
        before = self.stray
        found = self._numbers(field(row, *_ENTAILED)), self._numbers(field(row, *_CONTRADICTED))
        # Numbers of which none is known are a slip in counting, and not "none of the evidence".
        return found if any(found) or self.stray == before else None

    def _in_a_word(self, row: dict[str, Any]) -> tuple[set[int], set[int]] | None:
        """A label in place of numbers, which tells all only of a single evidence text."""
        said = label_words(as_text(field(row, "label", "verdict")), 1).cells
        if self._evidence > 1 or said == "-":
            return None
        return ({1} if said == "e" else set(), {1} if said == "c" else set())

    def _numbers(self, given: Any) -> set[int]:
        numbers = set()
        for item in () if given is False else each(given):
            number = as_number(item)
            if number is None or not 1 <= number <= self._evidence:
                self.stray += 1
            else:
                numbers.add(number)
        return numbers

    def cells(self) -> list[str]:
        return ["-" * self._evidence if row is None else self._row(*row) for row in self._rows]

    def _row(self, entailed: set[int], contradicted: set[int]) -> str:
        return "".join(
            ("-" if n in contradicted else "e") if n in entailed else "c" if n in contradicted else "n"
            for n in range(1, self._evidence + 1)
        )

    def problem(self) -> str | None:
        """Why cells are missing."""
        if missing := [number for number in self.missing if number not in self._unusable]:
            return f"no row for claim {', '.join(map(str, missing[:20]))}"
        if unusable := self.missing:
            told = ", ".join(map(str, unusable[:20]))
            return f"no verdict in the row for claim {told}: list the evidence by number, counted from 1"
        both = [n for n, row in enumerate(self._rows, 1) if row is not None and row[0] & row[1]]
        if both:
            return f"the same evidence entails and contradicts claim {', '.join(map(str, both[:20]))}"
        return None

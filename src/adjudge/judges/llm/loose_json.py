"""JSON as models write it: fences, text around it, comments, trailing commas, any quotes, Python's literals.

Strict JSON is read by msgspec. Everything else goes through a small recursive parser of our own; nothing is
ever evaluated. An answer that breaks off is closed where complete items exist, and told as `truncated`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec

_DEEPEST = 40
_MOST_STARTS = 60
_OPEN = re.compile(r"[{\[]")
_OPEN_LIST = re.compile(r"\[(?=\s*[\"'“`{\[(])|\{")
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?=\s*(?:[,\]}\n/]|\Z))")
_WORD = re.compile(r"[^\s,:={}\[\]\"'“”`]+(?:[ \t]+[^\s,:={}\[\]\"'“”`]+)*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "`": "`"}
_LITERALS = {
    "true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False,
    "null": None, "None": None, "NULL": None, "NaN": None, "nan": None, "undefined": None,
    "Infinity": None, "-Infinity": None, "+Infinity": None, "inf": None, "-inf": None,
}  # fmt: skip
_LONGEST_NUMBER = 300
_exact = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Found(NamedTuple):
    """A value found in a text."""

    value: Any
    truncated: bool = False


class _Broken(Exception):
    """Not JSON, however read."""


class _End(Exception):
    """The text ended inside a value."""


def find_object(text: str, names: Collection[str]) -> Found | None:
    """The last object in the text that has one of these fields; one that breaks off only failing others.

    The last, because a model may quote or try out another before it.
    """
    stripped = text.strip()
    try:
        value = msgspec.json.decode(stripped)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    else:
        if isinstance(value, dict) and has_field(value, names):
            return Found(value)
    found = None
    for value in _values(text):
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict) and has_field(inner, names):
                found = Found(inner)
    return found or _unfinished(text, names)


def objects_in_a_row(text: str) -> list[dict[str, Any]]:
    """All objects of a text that is nothing but objects, one after another; else none."""
    rest = re.sub(r"^```\w*|```\s*\Z", "", text.strip()).strip()
    values: list[dict[str, Any]] = []
    while rest:
        found = _exactly(rest, 0)
        if found is None or not isinstance(found[0], dict):
            return []
        values.append(found[0])
        rest = rest[found[1] :].lstrip(" \t\r\n,;")
    return values


def find_list(text: str) -> Found | None:
    """The last list of texts, lists or objects; an empty one only if it is the whole answer.

    Bare words and numbers in brackets are citations, not lists.
    """
    found = Found([]) if re.fullmatch(r"\W*\[\s*\]\W*", text) else None
    for value in _values(text, _OPEN_LIST):
        if isinstance(value, list) and value:
            found = Found(value)
    return found


def normal_name(name: str) -> str:
    """A field's name without regard to case, blanks, hyphens and dots around it."""
    return re.sub(r"[\s-]+", "_", name.strip().strip(".:*").lower())


def has_field(value: dict[str, Any], names: Collection[str]) -> bool:
    """Whether the object has one of these fields."""
    return any(normal_name(name) in names for name in value)


def _values(text: str, start: re.Pattern[str] = _OPEN) -> list[Any]:
    """Complete objects and lists of the text, in order; none inside another."""
    values, place, starts = [], 0, 0
    while (opening := start.search(text, place)) and starts < _MOST_STARTS:
        starts += 1
        place = opening.start()
        try:
            value, place = _exactly(text, place) or _Parser(text).value(place, 0)
        except (_Broken, _End):
            place += 1
        else:
            values.append(value)
    return values


def _exactly(text: str, place: int) -> tuple[Any, int] | None:
    """A value of proper JSON, whose quotes need no guessing; lone surrogates are left to the other parser."""
    try:
        value, end = _exact.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return None if re.search(r"\\u[dD][89a-fA-F]", text[place:end]) else (value, end)


def _unfinished(text: str, names: Collection[str]) -> Found | None:
    for opening in list(re.finditer(r"\{", text))[:_MOST_STARTS]:
        parser = _Parser(text, close=True)
        try:
            value, _ = parser.value(opening.start(), 0)
        except (_Broken, _End):
            continue
        if isinstance(value, dict) and has_field(value, names):
            return Found(value, parser.lost)
    return None


class _Parser:
    """Recursive descent. With `close`, the end of the text closes what is open and drops what is half."""

    def __init__(self, text: str, *, close: bool = False) -> None:
        self._text = text
        self._close = close
        self.lost = False
        """Something may be missing: a list was closed by the end of the text, or a value dropped."""

    def value(self, at: int, depth: int, *, in_list: bool = False) -> tuple[Any, int]:
        at = self._skip(at)
        char = self._char(at)
        if depth > _DEEPEST:
            raise _Broken
        if char == "{":
            return self._object(at + 1, depth + 1, in_list=in_list)
        if char == "[":
            return self._list(at + 1, depth + 1)
        if char in _QUOTES:
            return self._string(at)
        return self._bare(at)

    def _object(self, at: int, depth: int, *, in_list: bool) -> tuple[dict[str, Any], int]:
        value: dict[str, Any] = {}
        try:
            while True:
                at = self._skip(at)
                char = self._char(at)
                if char == "}":
                    return value, at + 1
                if char == ",":
                    at += 1
                    continue
                name, at = self._string(at) if char in _QUOTES else self._bare_name(at)
                at = self._skip(at)
                if self._char(at) not in ":=":
                    raise _Broken
                value[name], at = self.value(at + 1, depth)
        except _End:
            # Half of an item in a list is no item; of an answer, the fields that are there count.
            if not self._close or in_list or not value:
                raise
            return value, len(self._text)

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        value: list[Any] = []
        try:
            while True:
                at = self._skip(at)
                char = self._char(at)
                if char == "]":
                    return value, at + 1
                if char == ",":
                    at += 1
                    continue
                item, at = self.value(at, depth, in_list=True)
                value.append(item)
        except _End:
            self.lost = True
            if not self._close or not value:
                raise
            return value, len(self._text)

    def _string(self, at: int) -> tuple[str, int]:
        """A quote ends the string only where a string can end, so that unescaped ones inside do no harm."""
        closing, chars, at = _QUOTES[self._text[at]], [], at + 1
        while True:
            char = self._char(at, inside=True)
            if char == "\\":
                found, at = self._escape(at + 1)
                chars.append(found)
                continue
            if char == closing and self._ends(at + 1):
                return "".join(chars), at + 1
            chars.append(char)
            at += 1

    def _escape(self, at: int) -> tuple[str, int]:
        char = self._char(at, inside=True)
        if char == "u" and re.match(r"[0-9a-fA-F]{4}", self._text[at + 1 : at + 5]):
            code = int(self._text[at + 1 : at + 5], 16)
            low = re.match(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", self._text[at + 5 : at + 11])
            if 0xD800 <= code < 0xDC00 and low:
                return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00), at + 11
            return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code), at + 5
        if char in _ESCAPES:
            return _ESCAPES[char], at + 1
        return (char, at + 1) if char in "\\/\"'`" else ("\\" + char, at + 1)

    def _ends(self, at: int) -> bool:
        rest = self._skip(at)
        return rest >= len(self._text) or self._text[rest] in ",:=}]" or self._text.startswith("\n", at)

    def _bare(self, at: int) -> tuple[Any, int]:
        number = _NUMBER.match(self._text, at)
        if number:
            self._whole(number.end())
            digits = number[0]
            if len(digits) > _LONGEST_NUMBER:
                raise _Broken
            return (int(digits) if digits.lstrip("+-").isdigit() else float(digits)), number.end()
        word = _WORD.match(self._text, at)
        if word is None:
            raise _Broken
        self._whole(word.end())
        found = word[0].strip()
        if found in _LITERALS:
            return _LITERALS[found], word.end()
        if len(found) > 60:
            raise _Broken
        return found, word.end()

    def _bare_name(self, at: int) -> tuple[str, int]:
        word = _WORD.match(self._text, at)
        if word is None or len(word[0]) > 60:
            raise _Broken
        return word[0], word.end()

    def _whole(self, end: int) -> None:
        """A word or number at the very end may be half of one."""
        if end >= len(self._text):
            self.lost = True
            raise _End

    def _char(self, at: int, *, inside: bool = False) -> str:
        if at >= len(self._text):
            self.lost = self.lost or inside
            raise _End
        return self._text[at]

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

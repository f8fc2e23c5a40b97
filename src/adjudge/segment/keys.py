"""Names of sentences: `a` … `z`, `aa`, `ab` … in a response, with the passage's number before in contexts."""

from __future__ import annotations

import re

_KEY = re.compile(r"([0-9]{1,6})?([a-z]{1,6})\Z")
_LONGEST_BARE = 3
"""Letters alone are a key up to this length (18,278 sentences); longer ones are words, like `general`."""


def letters(index: int) -> str:
    """Bijective base 26: 0 is `a`, 25 `z`, 26 `aa`, 701 `zz`, 702 `aaa`."""
    if index < 0:
        raise ValueError(f"a sentence cannot have the number {index}")
    found = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        found = chr(97 + rest) + found
    return found


def index_of(key: str) -> int:
    """The number that `letters` wrote as these letters."""
    index = 0
    for letter in key:
        digit = ord(letter) - 96
        if not 1 <= digit <= 26:
            raise ValueError(f"{key!r} is not a sequence of letters a to z")
        index = index * 26 + digit
    if not index:
        raise ValueError("an empty key names no sentence")
    return index - 1


def context_key(passage: int, sentence: int) -> str:
    """Key of a sentence of a passage, both counted from 0: `0a`, `12ab`."""
    return f"{passage}{letters(sentence)}"


def tidy_key(key: str) -> str:
    """A key as it was given, less white space around it and dots after it: labels often carry them."""
    return key.strip().rstrip(".").rstrip()


def parse_key(key: str) -> tuple[int | None, int] | None:
    """(passage or None, sentence) of a key in any case, with or without a dot after it; None for others."""
    found = _KEY.match(tidy_key(key).lower())
    if found is None:
        return None
    passage, sentence = found.groups()
    if passage is None:
        return (None, index_of(sentence)) if len(sentence) <= _LONGEST_BARE else None
    return int(passage), index_of(sentence)


def normal_key(key: str) -> str | None:
    """The one spelling of a key (`0A.` and `00a` are `0a`), or None for a non-key."""
    found = parse_key(key)
    if found is None:
        return None
    passage, sentence = found
    return letters(sentence) if passage is None else context_key(passage, sentence)

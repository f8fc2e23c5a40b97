"""Material between marks that it cannot close.

Every mark carries a code of eight hexadecimal digits that occurs in none of the texts shown, so no text can
end its own block or begin another. The code follows from the texts alone: equal questions make equal
requests, and can be cached. Texts are shown as they are, but for two things: in lists, where a line is an
item, line breaks become blanks; and the control tokens of chat templates, which some servers read even inside
a message, get a blank after their first character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

Value = str | Sequence[str | tuple[str, str]]
"""A text, numbered texts, or keyed lines."""

_CONTROL = re.compile(
    r"<(?=[|｜]|/?s>|/?(?:start|end)_of_turn>|/?<?/?SYS>|bos>|eos>)|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[\w ,.;:/()-]{0,400}\Z")


class Variable(Struct, frozen=True, forbid_unknown_fields=True):
    """How a value is shown.

    `text`: one block, left out if empty. `blocks`: a numbered block each. `lines`: one block, each line an
    item after its key in brackets. `plain`: bare words of our own, in which no mark can be written.
    """

    kind: Literal["text", "blocks", "lines", "plain"]
    tag: str = ""


def marker_code(salt: str, values: Mapping[str, Value]) -> str:
    """Eight hexadecimal digits that occur in none of the texts."""
    texts = [text for name in sorted(values) for text in _texts(values[name])]
    found = blake2b(salt.encode(), digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "big") + data)
    lowered = "\n".join(texts).lower()
    digits = found.hexdigest()
    code = digits[:8]
    while code in lowered:
        digits = blake2b(digits.encode(), digest_size=16).hexdigest()
        code = digits[:8]
    return code


def show(variable: Variable, value: Value, code: str) -> str:
    """The value between marks."""
    if variable.kind == "lines":
        if isinstance(value, str):
            raise ValueError(f"{variable.tag} takes (key, text) pairs")
        rows = "\n".join(_line(item) for item in value)
        return f"<{variable.tag}-{code}>\n{rows}\n</{variable.tag}-{code}>"
    if variable.kind == "blocks":
        if isinstance(value, str):
            raise ValueError(f"{variable.tag} takes a list of texts")
        return "\n".join(_block(variable.tag, code, number, text) for number, text in enumerate(value, 1))
    if not isinstance(value, str):
        raise ValueError(f"{variable.tag or 'a plain variable'} takes one text")
    if variable.kind == "plain":
        if _PLAIN.match(value) is None:
            raise ValueError(f"not plain words: {value[:80]!r}")
        return value
    return f"<{variable.tag}-{code}>\n{_tame(value)}\n</{variable.tag}-{code}>" if value.strip() else ""


def one_line(text: str) -> str:
    """The text with every run of white space, line breaks of all kinds included, as one blank."""
    return " ".join(text.split())


def _line(item: str | tuple[str, str]) -> str:
    if isinstance(item, str):
        raise ValueError("lines are (key, text) pairs, not texts")
    return f"[{_key(item[0])}] {one_line(_tame(item[1]))}"


def _block(tag: str, code: str, number: int, text: str | tuple[str, str]) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{tag} takes texts, not pairs")
    return f'<{tag}-{code} id="{number}">\n{_tame(text)}\n</{tag}-{code}>'


def _tame(text: str) -> str:
    """Without anything that a chat template could take for the end of a turn."""
    return _CONTROL.sub(lambda found: found[0] + " ", text) if "<" in text or "[" in text else text


def _key(key: str) -> str:
    return one_line(key).replace("[", "(").replace("]", ")")


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for item in value for text in ((item,) if isinstance(item, str) else item)]

"""Prompts for models under test: plain, as a benchmark puts its questions.

A judge's prompts fence off the text they examine and demand JSON. A benchmark must not: what a model makes of
the documents as they are is the thing measured. So these have a loader of their own. As there, a version is
added and never edited; a test pins every digest.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from hashlib import blake2b
from importlib.resources import files

import msgspec
from msgspec import Struct

from adjudge.chat.base import Message

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_NAME = re.compile(r"[a-z]+/[a-z_]+@[0-9]+\Z")


class _File(Struct, forbid_unknown_fields=True):
    """A prompt file as it is written."""

    source: str
    user: str
    system: str = ""
    bare: str = ""
    fixed: dict[str, str] = {}


class PlainPrompt(Struct, frozen=True, kw_only=True):
    """One version of one prompt."""

    name: str
    source: str
    system: str
    user: str
    bare: str
    """What is asked, without a system message, where there are no documents."""
    fixed: dict[str, str]
    """Sentences that the model must use and scoring looks for."""
    digest: str

    def render(self, **texts: str) -> tuple[Message, ...]:
        """The messages of the full form."""
        user = Message("user", _filled(self.user, {**self.fixed, **texts}))
        return (Message("system", self.system), user) if self.system else (user,)

    def render_bare(self, **texts: str) -> tuple[Message, ...]:
        """The one message of the form without documents."""
        return (Message("user", _filled(self.bare, {**self.fixed, **texts})),)


def _filled(template: str, texts: dict[str, str]) -> str:
    # In one pass, so that a text which looks like a placeholder stays as it is.
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], template)


@cache
def load_plain(name: str) -> PlainPrompt:
    """The prompt `family/name@version`; ValueError if there is none."""
    place = files(__name__).joinpath(*f"{name}.toml".split("/"))
    if _NAME.match(name) is None or not place.is_file():
        raise ValueError(f"there is no prompt {name!r}")
    raw = tomllib.loads(place.read_text("utf-8"))
    file = msgspec.convert(raw, _File)
    return PlainPrompt(
        name=name,
        source=file.source,
        system=_filled(file.system.strip(), file.fixed),
        user=file.user.strip(),
        bare=file.bare.strip(),
        fixed=file.fixed,
        digest=blake2b(msgspec.json.encode((name, raw), order="sorted"), digest_size=10).hexdigest(),
    )

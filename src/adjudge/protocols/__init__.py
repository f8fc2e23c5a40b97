"""The five ways to measure an answer, by name. Others join through the entry point `adjudge.protocols`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_origin

import msgspec

from adjudge.errors import UsageError
from adjudge.plugins import plugin
from adjudge.protocols.base import Protocol

_BUILTIN = {
    "rgb": "adjudge.protocols.rgb:Rgb",
    "trace": "adjudge.protocols.trace:Trace",
    "safe": "adjudge.protocols.safe:Safe",
    "ragchecker": "adjudge.protocols.ragchecker:RagChecker",
    "violations": "adjudge.protocols.violations:Violations",
}


def protocol_names() -> tuple[str, ...]:
    """Names of the built-in protocols, in the order they are run and shown."""
    return tuple(_BUILTIN)


def protocol_class(name: str) -> type[Protocol]:
    """The protocol of that name, built in or installed; entry points are searched only for unknown names."""
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        found: type[Protocol] = getattr(import_module(module), attribute)
        return found
    loaded = plugin("adjudge.protocols", name)
    if loaded is None:
        raise UsageError(f"there is no protocol {name!r}; there are {', '.join(_BUILTIN)}")
    return loaded  # type: ignore[no-any-return]


def make_protocol(name: str, parameters: dict[str, Any] | None = None) -> Protocol:
    """A protocol with parameters set, checked by type and by the protocol itself."""
    kind = protocol_class(name)
    try:
        return msgspec.convert(_lists(parameters or {}, kind), kind, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(field for field in kind.__struct_fields__ if field != "metrics")
        raise UsageError(f"bad parameter of {name}: {error}; its parameters are {known or 'none'}") from None


def _lists(parameters: dict[str, Any], kind: type[Protocol]) -> dict[str, Any]:
    """Texts with commas as lists where a parameter is a list: `without=explanation,correction`."""
    lists = {field.name for field in msgspec.structs.fields(kind) if get_origin(field.type) is tuple}
    return {
        name: [part.strip() for part in value.split(",") if part.strip()]
        if name in lists and isinstance(value, str)
        else value
        for name, value in parameters.items()
    }

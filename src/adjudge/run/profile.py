"""Settings in a file: `adjudge.toml` in the working folder, and profiles that calibration writes. One form:

    format = 1
    name = "house-style"                 # default: the file's name
    [options]                            # as on the command line of `adjudge run`
    judge = "openai/some-model"
    [parameters.violations.ha]           # as with --set
    match_threshold = 0.42
    [calibration]                        # how it came about; not read back

The command line goes over the profile, the profile over `adjudge.toml`, that over the defaults. In Python
arguments go over the profile, and `adjudge.toml` is not read. Numbers made under a profile carry
`profile:NAME@DIGEST` in their signature, where the digest covers all it sets.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from adjudge.errors import InputError
from adjudge.judges.registry import JUDGE_OPTIONS
from adjudge.protocols import make_protocol, protocol_class
from adjudge.run.rescore import deep_merge
from adjudge.types import FORMAT

CONFIG = "adjudge.toml"
_KEYS = ("key", "api_key", "token", "password")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class Options(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Options of `adjudge run` that a file may set."""

    judge: str | UnsetType = UNSET
    similarity: str | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    labels: str | UnsetType = UNSET
    protocols: tuple[str, ...] | UnsetType = UNSET
    metrics: tuple[str, ...] | UnsetType = UNSET
    by: tuple[str, ...] | UnsetType = UNSET
    evidence: str | UnsetType = UNSET
    steps: bool | UnsetType = UNSET
    base_url: str | UnsetType = UNSET
    key_env: str | UnsetType = UNSET
    rpm: float | UnsetType = UNSET
    tpm: float | UnsetType = UNSET
    timeout: float | UnsetType = UNSET
    attempts: int | UnsetType = UNSET
    max_cost: float | UnsetType = UNSET
    prices: str | UnsetType = UNSET
    cache: Literal["on", "off", "replay"] | UnsetType = UNSET
    cache_path: str | UnsetType = UNSET
    budget: int | UnsetType = UNSET
    window: int | UnsetType = UNSET
    max_tokens: int | UnsetType = UNSET
    concurrency: int | UnsetType = UNSET
    skip_bad: bool | UnsetType = UNSET
    lean: bool | UnsetType = UNSET


ACCESS = (
    *("base_url", "key_env", "rpm", "tpm", "timeout", "attempts"),
    *("max_cost", "prices", "cache", "cache_path", *JUDGE_OPTIONS),
)
"""The options that say how a judge is made."""


def shortcuts(options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The parameters of protocols that `evidence` and `steps` are short for."""
    short: dict[str, dict[str, Any]] = {}
    if options.get("steps"):
        short = {name: {"steps": True} for name in ("trace", "safe", "ragchecker")}
    if options.get("evidence"):
        short.setdefault("safe", {})["evidence"] = options["evidence"]
    return short


class Profile(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What such a file says."""

    format: int = FORMAT
    name: str = ""
    description: str = ""
    options: dict[str, Any] = {}
    parameters: dict[str, dict[str, Any]] = {}
    calibration: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        """Six characters that stand for all that it sets."""
        content = msgspec.json.encode((self.options, self.parameters), order="sorted")
        return blake2b(content, digest_size=3).hexdigest()

    @property
    def mark(self) -> str:
        """What signatures name it by."""
        return f"profile:{self.name}@{self.digest}"

    @property
    def shown(self) -> bool:
        """Whether it was shown to be better than the defaults; one written by hand claims nothing."""
        return bool(self.calibration.get("real", True))


class Merged(Struct, frozen=True, kw_only=True):
    """Settings from all places."""

    options: dict[str, Any]
    parameters: dict[str, dict[str, Any]]
    mark: str = ""
    """For signatures; empty without a profile."""
    notes: tuple[str, ...] = ()


def load_profile(path: str | Path) -> Profile:
    """The profile in a file, checked down to each parameter."""
    place = Path(path)
    try:
        raw = tomllib.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(path), fix="check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"broken TOML: {error}", file=str(path), fix="mend it there") from None
    try:
        profile = msgspec.convert(raw, Profile)
    except msgspec.ValidationError as error:
        raise InputError(f"not a profile: {error}", file=str(path), fix="see docs/calibration.md") from None
    if profile.format > FORMAT:
        raise InputError(
            f"format {profile.format} is newer than {FORMAT}", file=str(path), fix="upgrade adjudge"
        )
    _check_options(profile.options, str(path))
    for protocol, values in profile.parameters.items():
        protocol_class(protocol)
        make_protocol(protocol, values)
    return msgspec.structs.replace(profile, name=re.sub(r"[|@\s]+", "_", profile.name or place.stem))


def _check_options(options: dict[str, Any], file: str) -> None:
    known = Options.__struct_fields__
    for name in options:
        if name.lower() in _KEYS:
            raise InputError(
                "a key never stands in a file",
                file=file,
                field=name,
                fix="put it in the environment; see key_env",
            )
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise InputError("there is no such option", file=file, field=name, fix=hint)
    try:
        msgspec.convert(options, Options)
    except msgspec.ValidationError as error:
        raise InputError(
            f"bad option: {error}", file=file, fix="'adjudge run --help' says what it may be"
        ) from None


def merge(
    options: Mapping[str, Any],
    parameters: Mapping[str, dict[str, Any]],
    profile: str | Path | None = None,
    folder: Path | None = None,
) -> Merged:
    """Settings given on the command line (only those that were given), over profile, over `adjudge.toml`."""
    config = (folder or Path()) / CONFIG
    layers = [load_profile(config)] if config.is_file() else []
    chosen = load_profile(profile) if profile is not None else None
    notes: list[str] = []
    if chosen is not None:
        layers.append(chosen)
        if not chosen.shown:
            notes.append(f"profile {chosen.name}: its gain over the defaults was not shown to be real")
    merged: dict[str, dict[str, Any]] = {}
    found: dict[str, Any] = {}
    for layer in layers:
        found |= layer.options
        merged = deep_merge(merged, layer.parameters)
    return Merged(
        options={**found, **options},
        parameters=deep_merge(merged, dict(parameters)),
        mark=chosen.mark if chosen is not None else "",
        notes=tuple(notes),
    )


def of_profile(path: str | Path, parameters: Mapping[str, dict[str, Any]]) -> Merged:
    """The settings of a profile alone, under parameters that were given besides: what `evaluate` goes by."""
    chosen = load_profile(path)
    own = deep_merge(chosen.parameters, shortcuts(chosen.options))
    return Merged(options=chosen.options, parameters=deep_merge(own, dict(parameters)), mark=chosen.mark)


def to_toml(profile: Profile) -> str:
    """The profile as a file."""
    data = msgspec.to_builtins(profile)
    head = {name: data.pop(name) for name in ("name", "description") if name in data}
    lines = [f"{name} = {_value(value)}" for name, value in {"format": profile.format, **head}.items()]
    for name in ("options", "parameters", "calibration"):
        if data.get(name):
            lines += _table(name, data[name])
    return "\n".join(lines) + "\n"


def _table(path: str, values: Mapping[str, Any]) -> list[str]:
    plain = {
        name: value for name, value in values.items() if not isinstance(value, dict) and value is not None
    }
    lines = ["", f"[{path}]", *(f"{_key(name)} = {_value(value)}" for name, value in plain.items())]
    if not plain:
        lines = []
    for name, value in values.items():
        if isinstance(value, dict) and value:
            lines += _table(f"{path}.{_key(name)}", value)
    return lines


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    """JSON's texts, numbers, truth values and lists are TOML's too."""
    return msgspec.json.encode(value).decode()

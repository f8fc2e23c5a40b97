"""Whether a folder holds the run that is to be made, so that it goes on there, or another one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from adjudge._version import __version__
from adjudge.errors import RunFolderError
from adjudge.judges.base import Judge, describe, servers
from adjudge.protocols.base import Protocol
from adjudge.run.settings import Settings
from adjudge.run.store import RunInfo, read_info, refuse_foreign

_READING = ("format", "map")
"""How the input is read: the same file read otherwise gives other samples."""


def earlier_run(path: Path, settings: Settings, judge: Judge, source: dict[str, Any]) -> RunInfo | None:
    """The run that the folder holds, if it is this one; another run's folder is refused."""
    refuse_foreign(path)
    if not (path / "run.json").exists():
        return None
    info = read_info(path)
    if info.adjudge != __version__:
        raise RunFolderError(
            f"{path} was begun by adjudge {info.adjudge}, this is {__version__}:"
            " choose another folder with -o, or --overwrite"
        )
    if source.get("sha256") is None:
        raise RunFolderError(
            f"{path} already holds a run, and a stream of samples cannot be told from its input;"
            " choose another folder, or overwrite"
        )
    if info.input.get("sha256") != source["sha256"]:
        raise RunFolderError(
            f"{path} holds a run over another input ({info.input.get('path', 'samples in memory')});"
            " choose another folder with -o, or --overwrite"
        )
    if other := _other_settings(info, settings, judge, source):
        raise RunFolderError(
            f"{path} holds a run with other settings: {'; '.join(other)};"
            " choose another folder with -o, or --overwrite"
        )
    # After the settings, since what they name is then the same, and only its content can differ.
    now = consulted(settings.build(info.protocols))
    if info.evidence != now:
        looked, looks = (", ".join(names.values()) or "no evidence" for names in (info.evidence, now))
        raise RunFolderError(
            f"{path} holds a run that looked facts up in {looked}; what stands there now is {looks}:"
            " choose another folder with -o, or --overwrite"
        )
    return info


def _other_settings(info: RunInfo, settings: Settings, judge: Judge, source: dict[str, Any]) -> list[str]:
    """What decides the records and is not as it was in the folder's run, each as before and now."""
    before = info.settings | {name: info.input.get(name) for name in _READING}
    before |= {"labeller": info.labeller, "servers": info.servers}
    now = msgspec.to_builtins(settings) | {name: source.get(name) for name in _READING}
    now |= {"labeller": describe(judge), "servers": servers(judge)}
    # As JSON has it, since what was before comes from there.
    now = msgspec.json.decode(msgspec.json.encode(now))
    return [
        f"{name} was {before.get(name)!r}, is {now.get(name)!r}"
        for name in before | now
        if before.get(name) != now.get(name)
    ]


def consulted(protocols: Iterable[Protocol]) -> dict[str, str]:
    """Where the protocols look things up besides the samples, each by its name."""
    return {protocol.name: found for protocol in protocols if (found := protocol.looks_in()) is not None}

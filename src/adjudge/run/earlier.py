"""Whether a folder holds the run that is to be made, so that it goes on there, or another one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from adjudge._version import __version__
from adjudge.errors import RunFolderError
from adjudge.protocols.base import Protocol
from adjudge.run.settings import Settings
from adjudge.run.store import RunInfo, read_info


def earlier_run(path: Path, settings: Settings, source: dict[str, Any]) -> RunInfo | None:
    """The run that the folder holds, if it is this one; another run's folder is refused."""
    if not (path / "run.json").exists():
        if any(entry.name != ".lock" for entry in path.iterdir()):
            raise RunFolderError(f"{path} is not empty and holds no run; choose another folder with -o")
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
    if info.settings != msgspec.json.decode(msgspec.json.encode(settings)):
        raise RunFolderError(
            f"{path} holds a run with other settings; choose another folder with -o, or --overwrite"
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


def consulted(protocols: Iterable[Protocol]) -> dict[str, str]:
    """Where the protocols look things up besides the samples, each by its name."""
    return {protocol.name: found for protocol in protocols if (found := protocol.looks_in()) is not None}

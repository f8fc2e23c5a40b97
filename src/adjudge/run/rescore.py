"""Score the stored labels of a run again: other parameters, other metrics, another rater. Asks nobody.

A parameter that acts when labels are made is applied where string rules make them; where a judge does, it is
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import RunFolderError, UsageError
from adjudge.paths import path_text
from adjudge.protocols.base import Protocol
from adjudge.run.session import counted, fold_records, stored_protocols
from adjudge.run.settings import Settings
from adjudge.run.store import RunFolder, read_info, read_records
from adjudge.types import Record, Summary


def rescore_run(
    folder: Path,
    *,
    parameters: dict[str, dict[str, Any]],
    metrics: Sequence[str] = (),
    labels: str | None = None,
    by: Sequence[str] = (),
    out: Path | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Summary:
    """The summary under other parameters; with `out` also a run folder of its own."""
    info = read_info(folder)
    absent = sorted(set(parameters) - set(info.protocols))
    if absent:
        raise UsageError(f"{folder} holds no {absent[0]}; it holds {', '.join(info.protocols)}")
    merged = {name: deep_merge(stored, parameters.get(name, {})) for name, stored in info.protocols.items()}
    for stored in merged.values():
        stored.pop("metrics", None)
    protocols = Settings(parameters=merged, metrics=tuple(metrics)).build(info.protocols)
    earlier = {protocol.name: protocol for protocol in stored_protocols(info)}
    anew = {protocol.name for protocol in protocols if _labels_otherwise(protocol, earlier[protocol.name])}
    if not metrics:
        protocols = tuple(_keep(protocol, earlier[protocol.name]) for protocol in protocols)
    mark = str(info.settings.get("profile") or "")
    records = rescored(read_records(folder), protocols, labels, mark, anew)
    if on_progress is not None:
        records = counted(records, on_progress)
    if out is None:
        return fold_records(records, protocols, by)
    settings = {**info.settings, "parameters": parameters, "rescored_from": path_text(folder.resolve())}
    if labels is not None:
        settings["labels"] = labels
    with RunFolder(out) as target:
        _make_room(target, folder, settings)
        info.protocols = {protocol.name: msgspec.to_builtins(protocol) for protocol in protocols}
        whole, info.finished = info.finished, False
        info.by, info.settings, info.signatures = tuple(by), settings, {}
        target.write_info(info)
        target.begin()
        summary = fold_records(_written(records, target), protocols, by)
        target.flush()
        target.write_summary(summary)
        # What is rescored of a run that has not finished is no more finished than it.
        info.signatures, info.finished = summary.signatures, whole
        target.write_info(info)
    return summary


def _make_room(target: RunFolder, folder: Path, settings: dict[str, Any]) -> None:
    """Take an empty folder, or one in which the same rescoring was cut short; refuse any other."""
    out = target.path
    if out.resolve() == folder.resolve():
        raise RunFolderError("rescoring never overwrites the run it reads; choose another folder with -o")
    if (out / "run.json").exists():
        earlier = read_info(out)
        if earlier.finished or earlier.settings.get("rescored_from") != settings["rescored_from"]:
            raise RunFolderError(f"{out} already holds a run; choose another folder with -o")
        target.clear()
    elif any(entry.name != ".lock" for entry in out.iterdir()):
        raise RunFolderError(f"{out} is not empty; choose another folder with -o")


def _labels_otherwise(protocol: Protocol, earlier: Protocol) -> bool:
    """Whether labels must be made anew for these parameters; refused where only a judge can make them."""
    # Which metrics are wanted also decides what is asked, and is no parameter.
    now, then = (msgspec.structs.replace(one, metrics=()) for one in (protocol, earlier))
    given = {name: getattr(now, name) for name in now.__struct_fields__}
    changed = [
        f"{protocol.name}.{name}"
        for name, value in given.items()
        if value != getattr(then, name)
        and msgspec.structs.replace(then, **{name: value}).labelling() != then.labelling()
    ]
    if changed and not protocol.relabels:
        raise UsageError(
            f"{', '.join(changed)} takes effect when a judge labels, and rescoring keeps the labels that are"
            " there; label anew with 'adjudge run'"
        )
    return bool(changed)


def rescored(
    records: Iterator[Record],
    protocols: Sequence[Protocol],
    labels: str | None,
    mark: str = "",
    anew: Collection[str] = (),
) -> Iterator[Record]:
    """Each record with new scores and the signature that goes with them; `mark` names the run's profile.

    `anew`: protocols whose rules are applied again. Labels that came with the data stay what they are.
    """
    known = {protocol.name: protocol for protocol in protocols}
    others: dict[str, None] = {}
    found = labels is None
    for record in records:
        protocol = known.get(record.protocol)
        if protocol is None:
            continue
        labelled, labeller = record.labelled(), record.labeller
        if labels is not None:
            if record.sample is None:
                raise UsageError(
                    "a lean run holds no samples, so no labels of other sources; use 'adjudge run'"
                )
            sources = protocol.sources(record.sample)
            found = found or labels in sources
            others.update(dict.fromkeys(sources))
            labelled, labeller = protocol.given(record.sample, labels), f"labels:{labels}"
        elif record.protocol in anew and labeller.startswith("judge:"):
            if record.sample is None:
                raise UsageError(
                    f"a lean run holds no samples to apply other rules of {record.protocol} to;"
                    " use 'adjudge run'"
                )
            labelled = protocol.relabel(record.sample, labelled)
        yield msgspec.structs.replace(
            record,
            units=labelled.units,
            labels=labelled.labels,
            grids=labelled.grids,
            scores=tuple(protocol.score(labelled)),
            signature=protocol.signature(labeller, mark, labelled.attributes),
            labeller=labeller,
        )
    if not found:
        there = f"there are {', '.join(others)}" if others else "the samples carry none"
        raise UsageError(f"no labels of source {labels!r} in this run: {there}")


def deep_merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` laid on `base`, nested settings kept where they are not named."""
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = (
            deep_merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
        )
    return merged


def _keep(protocol: Protocol, before: Protocol) -> Protocol:
    """The metrics the run was limited to; where one is gone or a K is new, its like at the new K."""
    old = {spec.name for spec in before.all_specs()}
    names = [spec.name for spec in protocol.all_specs()]
    meant = set(map(_without_k, before.metrics))
    gone = set(map(_without_k, set(before.metrics).difference(names)))
    still = tuple(
        name
        for name in names
        if name in before.metrics
        or (_without_k(name) in meant and name not in old)
        or _without_k(name) in gone
    )
    return msgspec.structs.replace(protocol, metrics=still)


def _without_k(metric: str) -> str:
    return metric.partition("@")[0]


def _written(records: Iterator[Record], target: RunFolder) -> Iterator[Record]:
    """The records, written on the way, all of a sample's together."""
    for _, group in groupby(records, lambda record: record.id):
        of_sample = list(group)
        target.append(of_sample)
        yield from of_sample

"""Logs of Inspect AI: `.eval` archives and `.json` logs. One sample for each sample and epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from adjudge.datasets.base import Reader
from adjudge.datasets.inspect_fields import more_fields
from adjudge.datasets.inspect_zip import Archive
from adjudge.datasets.odd_json import parse_json
from adjudge.datasets.rows import any_of, scalars
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.protocols import protocol_names
from adjudge.protocols.base import MEANT
from adjudge.types import Answer, Attribute, Sample

_CONTEXTS = ("retrieved_context", "retrieved_contexts", "contexts")
_STORED = "attachment://"
"""Marks a text that is kept once in the sample's `attachments`."""
_SCORER = "_scorer"
"""How the names of our scorers end; before it stands the protocol's."""
_PARAMETERS = ("evidence", "k", "steps", "without")
"""What our scorers take besides judges."""
_HEADERS = ("header.json", "_journal/start.json")


def detect(source: Source) -> bool:
    """A log says `eval` and `samples`; an archive has a header and samples."""
    if source.shape == "zip":
        try:
            with Archive(source.path, source.name) as archive:
                return any(name in archive.names for name in _HEADERS)
        except InputError:
            return source.suffix == ".eval"
    first = source.first
    return (
        isinstance(first, dict)
        and isinstance(first.get("eval"), dict)
        and "status" in first
        and ("samples" in first or "version" in first)
    )


def rows(source: Source) -> Iterator[Row | InputError]:
    """Each row is {"sample", "log"}: the log's facts go with every sample."""
    if source.shape == "zip":
        yield from _archive_rows(source)
        return
    document = source.first
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(samples, list) or not samples:
        raise InputError(
            "the log holds no samples", file=source.name, fix="give the full log, not only its header"
        )
    facts = _facts(document)
    for position, sample in enumerate(samples, 1):
        yield Row({"sample": sample, "log": facts}, source.name, position)


def _archive_rows(source: Source) -> Iterator[Row | InputError]:
    with Archive(source.path, source.name) as archive:
        names = [name for name in archive.names if name.startswith("samples/") and name.endswith(".json")]
        header = next((name for name in _HEADERS if name in archive.names), None)
        if header is None:
            raise InputError("a zip archive, but no log of Inspect", file=source.name)
        facts = _facts(_parse(archive.read(header), source, header))
        for position, name in enumerate(names, 1):
            try:
                sample = _parse(archive.read(name), source, name)
            except InputError as error:
                yield error
                continue
            yield Row({"sample": sample, "log": facts}, source.name, position)


def _parse(data: bytes, source: Source, name: str) -> Any:
    try:
        return parse_json(data, Counter())
    except ValueError as error:
        raise InputError(f"broken JSON in {name}: {error}", file=source.name) from None


def _facts(log: dict[str, Any]) -> dict[str, Any]:
    """Model, task and scorers, and whether samples were run more than once."""
    about = log.get("eval")
    about = about if isinstance(about, dict) else {}
    config = about.get("config")
    epochs = config.get("epochs") if isinstance(config, dict) else None
    several = isinstance(epochs, int) and epochs > 1
    scorers = [entry.get("name") for entry in about.get("scorers") or () if isinstance(entry, dict)]
    return {
        "system": about.get("model"),
        "task": about.get("task"),
        "several": several,
        "scorers": [name for name in scorers if isinstance(name, str)],
    }


def scored_with(source: Source) -> dict[str, dict[str, Any]]:
    """Parameters that our scorers were given when the log was made, by protocol; nothing for other files.

    They are told, and not taken over: a log from elsewhere must not make anybody search the web or read a
    folder.
    """
    if not detect(source):
        return {}
    if source.shape == "zip":
        with Archive(source.path, source.name) as archive:
            header = next(name for name in _HEADERS if name in archive.names)
            log = _parse(archive.read(header), source, header)
    else:
        log = source.first
    about = log.get("eval")
    found: dict[str, dict[str, Any]] = {}
    for entry in about.get("scorers") or () if isinstance(about, dict) else ():
        options = entry.get("options") if isinstance(entry, dict) else None
        name = _protocols([str(entry.get("name"))]) if isinstance(entry, dict) else ""
        if name and isinstance(options, dict):
            own = {key: options[key] for key in _PARAMETERS if options.get(key)}
            found |= {name: own} if own else {}
    return found


def convert(row: Row) -> Iterable[Sample]:
    """The sample of one run of one entry of the task."""
    data, log = row.data["sample"], row.data["log"]
    if not isinstance(data, dict) or not isinstance(data.get("id"), (str, int)):
        raise row.error("this is no sample of Inspect: it has no id", field="id")
    item, epoch = str(data["id"]), data.get("epoch", 1)
    metadata = _object(row, data, "metadata", item)
    stored = _object(row, data, "attachments", item)
    attributes: dict[str, Attribute] = scalars(
        {
            name: value
            for name, value in metadata.items()
            if not (name in _CONTEXTS and isinstance(value, str))
        }
    ) | scalars({"system": log["system"], "task": log["task"], "epoch": epoch})
    if protocols := _protocols([*log.get("scorers", ()), *_object(row, data, "scores", item)]):
        attributes[MEANT] = protocols
    if isinstance(data.get("error"), dict):
        attributes["error"] = str(data["error"].get("message"))
    contexts, names = _contexts(row, metadata, item, stored)
    response = _response(row, _object(row, data, "output", item), item, stored)
    more = more_fields(row, metadata, item, response)
    fields: dict[str, Any] = {
        "id": f"{item}/{epoch}" if log["several"] or epoch != 1 else item,
        "item": item,
        "question": _question(data.get("input"), stored),
        "response": response,
        "contexts": contexts,
        "context_ids": names,
        "reference": _reference(row, data.get("target"), item, stored),
        "attributes": attributes,
    }
    return (Sample(**fields | more),)


def _protocols(scorers: Iterable[str]) -> str:
    """Protocols of our own scorers among those that a log names: `adjudge/safe_scorer` is `safe`."""
    bare = (name.rpartition("/")[2] for name in scorers)
    found = dict.fromkeys(name.removesuffix(_SCORER) for name in bare if name.endswith(_SCORER))
    return ",".join(name for name in found if name in protocol_names())


def _object(row: Row, data: dict[str, Any], key: str, item: str) -> dict[str, Any]:
    value = data.get(key)
    if value is not None and not isinstance(value, dict):
        raise row.error(f"expected an object, found {type(value).__name__}", sample=item, field=key)
    return value or {}


def _text(content: Any, stored: dict[str, str]) -> str | None:
    """Text, or the text parts of a message; reasoning and pictures are no answer."""
    if isinstance(content, str):
        if content.startswith(_STORED):
            return stored.get(content.removeprefix(_STORED), content)
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(_text(part, stored) or "" for part in parts if isinstance(part, str))


def _question(given: Any, stored: dict[str, str]) -> str | None:
    """The input, or what the user said last in it."""
    if not isinstance(given, list):
        return _text(given, stored)
    asked = [
        message.get("content")
        for message in given
        if isinstance(message, dict) and message.get("role") == "user"
    ]
    return _text(asked[-1], stored) if asked else None


def _response(row: Row, output: dict[str, Any], item: str, stored: dict[str, str]) -> str | None:
    choices = output.get("choices")
    if not choices:
        return None
    completion = output.get("completion")
    if isinstance(completion, str) and completion:
        return _text(completion, stored)
    try:
        return _text(choices[0]["message"]["content"], stored)
    except (TypeError, LookupError):
        raise row.error("expected a message", sample=item, field="output.choices[0]") from None


def _reference(row: Row, target: Any, item: str, stored: dict[str, str]) -> Answer | None:
    """Several targets are alternatives, of which one is enough."""
    targets = target if isinstance(target, list) else [target]
    if not all(entry is None or isinstance(entry, str) for entry in targets):
        raise row.error("expected text or a list of texts", sample=item, field="target")
    return any_of(tuple(_text(entry, stored) or "" for entry in targets if entry))


def _contexts(
    row: Row, metadata: dict[str, Any], item: str, stored: dict[str, str]
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Passages from the metadata: texts, or objects with `text` and perhaps `doc_id`; none if it is empty.

    A text in place of the list is one passage.
    """
    key = next((k for k in _CONTEXTS if metadata.get(k)), None)
    if key is None:
        return None, None
    given = metadata[key]
    if not isinstance(given, list | str):
        raise row.error(
            f"expected a list of passages, found {type(given).__name__}",
            sample=item,
            field=f"metadata.{key}",
            fix='write a list of texts or of {"text": …, "doc_id": …}, or one text',
        )
    texts, names = [], []
    for index, entry in enumerate([given] if isinstance(given, str) else given):
        text = _text(entry.get("text") if isinstance(entry, dict) else entry, stored)
        if text is None:
            raise row.error("expected text", sample=item, field=f"metadata.{key}[{index}]")
        texts.append(text)
        name = entry.get("doc_id") if isinstance(entry, dict) else None
        names.append(str(name) if isinstance(name, str | int) else "")
    return tuple(texts), tuple(names) if any(names) else None


READER = Reader(
    name="inspect",
    description="Logs of Inspect AI (.eval or .json); passages from metadata.retrieved_context or .contexts",
    detect=detect,
    convert=convert,
    rows=rows,
)

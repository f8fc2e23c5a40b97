"""The native sample file described from the types themselves.

`python -m adjudge.datasets.schema` prints the JSON Schema of a sample (docs/sample.schema.json), with
`--markdown` the same for people (docs/samples.md).
"""

from __future__ import annotations

import json
import sys
from typing import Any

from adjudge.types import FORMAT, sample_schema

_RECORDS = ("Sample", "Rule", "Violation", "Unit", "Label", "Grid")

_INTRODUCTION = f"""\
# The native sample file

One sample is one answer to be measured. A file holds samples as

- **JSONL** (`.jsonl`): one object a line, read line by line, so it may be of any size. The first line may be
  the header `{{"adjudge":"samples","format":{FORMAT}}}`, which files written by adjudge have.
- **JSON** (`.json`): a list of objects, or `{{"format":{FORMAT},"samples":[…]}}`.
- **CSV** (`.csv`, `.tsv`): a column for each field. A cell of a list-valued field holds JSON text; a plain
  text under `contexts` is one passage. Other columns become attributes, numbers as numbers. An empty cell is
  an absent field, but an empty cell under `response` is an empty response.
- **Parquet** (`.parquet`, with the extra `parquet`): a column for each field; a list may be a list or JSON
  text.

Each may be packed (`.gz`). Only `id` is always needed, and a missing one is the sample's position, counted
from 0; a number becomes text. `null` means absent. An unknown field is an error, so that a misspelt one is
not overlooked: what is not a field goes under `attributes`, or is named on the command line with `--map`.

```json
{{"id": "q1", "question": "When did the mill open?", "response": "In 1851.",
 "contexts": ["The mill opened in 1851."], "reference": "1851", "attributes": {{"system": "baseline"}}}}
```

The attribute `language`, a code such as `de`, says by which rules trace and safe split the sample's texts
into sentences ("seit dem 5. Mai" is not split after "5."); without it they are split as English or Chinese,
whichever the characters show.

Each protocol says which fields it needs: see `adjudge list protocols`. The same as JSON Schema is in
[sample.schema.json](sample.schema.json); this page and that file are made by
`python -m adjudge.datasets.schema`.
"""


def json_schema() -> dict[str, Any]:
    """JSON Schema of one sample, complete in itself."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "adjudge sample",
        **sample_schema(),
    }


def render_json() -> str:
    """docs/sample.schema.json."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def render_markdown() -> str:
    """docs/samples.md."""
    definitions = sample_schema()["$defs"]
    parts = [_INTRODUCTION, *(_record(name, definitions[name]) for name in _RECORDS)]
    return "\n".join(parts)


def _record(name: str, schema: dict[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    lines = [f"## {name}", "", " ".join(schema["description"].split()), ""]
    lines += ["| field | type | meaning |", "|---|---|---|"]
    for field, about in schema["properties"].items():
        mark = " (needed)" if field in needed else ""
        lines.append(f"| `{field}`{mark} | {_kind(about)} | {_meaning(about)} |")
    return "\n".join(lines) + "\n"


def _kind(about: dict[str, Any]) -> str:
    """A type in words: `text`, `list of text`, `Violation`."""
    if "anyOf" in about:
        kinds = [_kind(each) for each in about["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in about:
        return f"[{(name := about['$ref'].rpartition('/')[2])}](#{name.lower()})"
    if "enum" in about:
        return ", ".join(f"`{value}`" for value in about["enum"] if value is not None)
    if about.get("type") == "array":
        inner = about.get("items") or (about.get("prefixItems") or [{}])[0]
        kind = _kind(inner or {})
        number = "pair" if about.get("maxItems") == 2 else "list"
        return f"{number} of ({kind})" if " or " in kind else f"{number} of {kind}"
    if about.get("type") == "object":
        return f"object of {_kind(about.get('additionalProperties') or {})}"
    names = {"string": "text", "integer": "whole number", "boolean": "truth value"}
    kind = str(about.get("type", "anything"))
    return names.get(kind, kind)


def _meaning(about: dict[str, Any]) -> str:
    text = about.get("description", "")
    for each in about.get("anyOf", ()):
        text = text or each.get("description", "")
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_markdown() if "--markdown" in sys.argv[1:] else render_json())

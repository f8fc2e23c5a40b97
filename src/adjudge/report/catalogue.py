"""What there is: protocols, metrics, formats. Read by `adjudge list` and the docs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.datasets.registry import readers, writers
from adjudge.judges.registry import judge_names, make_judge
from adjudge.judges.routed import ROLES
from adjudge.metrics.ratios import describe
from adjudge.protocols import make_protocol, protocol_names
from adjudge.protocols.base import Protocol
from adjudge.types import MetricSpec

Rows = list[dict[str, Any]]


def built_in() -> tuple[Protocol, ...]:
    """The built-in protocols with their defaults."""
    return tuple(make_protocol(name) for name in protocol_names())


def all_specs(protocols: Sequence[Protocol] | None = None) -> list[MetricSpec]:
    """Specs of every metric."""
    return [spec for protocol in protocols or built_in() for spec in protocol.all_specs()]


def protocol_rows() -> Rows:
    return [
        {
            "protocol": protocol.name,
            "measures": protocol.summary,
            "metrics": len(protocol.all_specs()),
            "asks a judge": ", ".join(sorted(kind.__name__ for kind in protocol.asks)) or "nothing",
            "parameters": ", ".join(name for name in protocol.__struct_fields__ if name != "metrics") or "–",
        }
        for protocol in built_in()
    ]


def metric_rows(protocol: str | None = None) -> Rows:
    return [
        {
            "metric": spec.name,
            "what": spec.description,
            "formula": describe(spec.formula),
            "empty": spec.empty,
            "fold": spec.headline,
            "better": "higher" if spec.higher_is_better else "lower",
            "source": spec.source,
            "groups": ", ".join(spec.groups),
        }
        for spec in all_specs()
        if protocol in (None, spec.protocol)
    ]


def judge_rows() -> Rows:
    """What each judge needs and can label for."""
    rules, local = (make_judge(name) for name in judge_names())
    from adjudge.judges.llm.judge import LlmJudge

    needs = {
        "rules": (rules.answers, "nothing"),
        "local": (local.answers, "nothing: models are bundled"),
        "local/PATH": (local.answers, "a folder with model.onnx and tokenizer.json, or a hub name"),
        "openai/MODEL": (LlmJudge.answers, "a key, or --base-url of a server of your own"),
        "inspect/PROVIDER/MODEL": (
            LlmJudge.answers,
            "pip install 'adjudge[inspect]' and that provider's key",
        ),
        "claims=A,check=B,*=C": (frozenset(), f"a judge a role: {', '.join(ROLES)}, * for the rest"),
    }
    return [
        {
            "judge": name,
            "labels for": ", ".join(p.name for p in built_in() if answers and p.questions <= answers) or "–",
            "needs": need,
        }
        for name, (answers, need) in needs.items()
    ]


def format_rows() -> Rows:
    written = {writer.name: writer for writer in writers()}
    rows: Rows = []
    for reader in readers():
        rows.append({"format": reader.name, "read": "yes", "written": "", "what": reader.description})
        if written.pop(reader.name, None) is not None:
            rows[-1]["written"] = "yes"
    rows += [
        {"format": writer.name, "read": "", "written": "yes", "what": writer.description}
        for writer in written.values()
    ]
    return rows

"""Evidence by name. Others join through the entry point `adjudge.evidence`: a function of what follows the
colon, which gives an `Evidence`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.evidence.base import Evidence
from adjudge.plugins import plugin

if TYPE_CHECKING:
    from adjudge.evidence.once import Keeping


def evidence_names() -> tuple[str, ...]:
    """What `open_evidence` takes, besides what is installed."""
    return ("contexts", "corpus:PATH", "web")


def check_evidence(spec: str) -> None:
    """Raise UsageError unless the name is known; opens nothing."""
    kind, _, rest = spec.partition(":")
    known = (kind == "corpus" and rest) or spec in ("contexts", "web", "dry")
    if not known and (
        kind in ("contexts", "web", "corpus", "dry") or plugin("adjudge.evidence", kind) is None
    ):
        hint = "; write corpus:PATH with the folder or file" if kind == "corpus" else ""
        raise UsageError(f"there is no evidence {spec!r}; there are {', '.join(evidence_names())}{hint}")


def open_evidence(spec: str, contexts: Sequence[str] = (), keeping: Keeping | None = None) -> Evidence:
    """The evidence of that name, not yet opened; equal searches are asked once, and `keeping` of the web."""
    check_evidence(spec)
    kind, _, rest = spec.partition(":")
    if kind == "contexts":
        from adjudge.evidence.contexts import SampleContexts

        return SampleContexts(contexts)
    if kind == "dry":
        from adjudge.evidence.dry import DryEvidence

        return DryEvidence()
    from adjudge.evidence.once import Keeping, Once

    if kind == "corpus":
        from adjudge.evidence.corpus import Corpus

        return Once(Corpus(rest))
    if kind == "web":
        from adjudge.evidence.serper import Serper

        return (keeping or Keeping()).around(Serper())
    factory = plugin("adjudge.evidence", kind)
    assert factory is not None
    return Once(factory(rest))


def evidence_name(spec: str) -> str:
    """What stands in a signature: a corpus with the digest of its content."""
    kind, _, rest = spec.partition(":")
    if kind == "corpus":
        from adjudge.evidence.corpus import corpus_name

        return corpus_name(Path(rest).expanduser().absolute())
    return spec if kind == "contexts" else open_evidence(spec).name

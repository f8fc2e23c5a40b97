"""Judges by name. Others join through the entry point `adjudge.judges`.

rules                       string rules; no model
local                       the embedded models; no key, no network
local/PATH                  the same with a verifier of your own (a folder with model.onnx, or a hub name)
openai/MODEL                any server that speaks OpenAI's API, with base_url
inspect/PROVIDER/MODEL      any provider that inspect-ai knows
claims=A,check=B,*=C        different questions to different judges
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.errors import JudgeError, UsageError
from adjudge.judges.base import Judge
from adjudge.plugins import plugin

if TYPE_CHECKING:
    from adjudge.judges.llm.dry import Dry

CHAT = ("openai", "inspect")
_LIMITS = ("budget", "window", "max_tokens")
JUDGE_OPTIONS = (*_LIMITS, "threshold")
"""Options of judges, which are no business of model access."""


def judge_names() -> tuple[str, ...]:
    """Names of the built-in judges that need nothing but the package."""
    return ("rules", "local")


def make_judge(
    name: str, *, similarity: str | None = None, dry: dict[str, Dry] | None = None, **access: Any
) -> Judge:
    """The judge of that name; `access` is how models are reached (see `chat.stack.StackOptions`).

    `similarity` sends questions of likeness elsewhere: jaccard, local, local/PATH (a folder with model.onnx),
    families, st:NAME (of sentence-transformers) or openai/EMBEDDING-MODEL.
    With `dry`, no model is reached: what each would be asked is counted there.
    """
    if dry is not None:
        access = {**access, "dry": dry}
    elif access.get("max_cost") is not None:
        from adjudge.chat.cost import Account

        access = {"account": Account(), **access}
    judge = _routed(name, access) if "=" in name.partition("/")[0] else _single(name, access)
    if similarity is None:
        return judge
    from adjudge.judges.routed import REST, RoutedJudge

    teller = _similarity(similarity, access)
    if isinstance(judge, RoutedJudge):
        return RoutedJudge({**judge.roles, "similarity": teller})
    return RoutedJudge({REST: judge, "similarity": teller})


def _routed(name: str, access: dict[str, Any]) -> Judge:
    from adjudge.judges.routed import RoutedJudge

    made: dict[str, Judge] = {}
    parts: dict[str, Judge] = {}
    for entry in name.split(","):
        role, equals, judge = entry.partition("=")
        if not equals or not judge:
            raise UsageError(f"--judge {name!r}: write ROLE=JUDGE, e.g. claims=openai/a,check=openai/b")
        role, judge = role.strip(), judge.strip()
        if role in parts:
            raise UsageError(f"--judge {name!r}: the role {role!r} is given twice; name one judge for it")
        if judge not in made:
            made[judge] = _single(judge, access)
        parts[role] = made[judge]
    return RoutedJudge(parts)


def _single(name: str, access: dict[str, Any]) -> Judge:
    provider, _, rest = name.partition("/")
    if name == "rules":
        from adjudge.judges.rules import RulesJudge

        return RulesJudge()
    if provider == "local":
        from adjudge.judges.local.judge import LocalJudge
        from adjudge.judges.local.thresholded import HALF, Thresholded

        local = LocalJudge(verifier=rest or None)
        threshold = access.get("threshold")
        if threshold is not None and threshold != HALF:
            local.verifier = Thresholded(local.verifier, threshold)
        return local
    if provider in CHAT or (rest and plugin("adjudge.chat", provider) is not None):
        return _llm(name, access)
    factory = plugin("adjudge.judges", provider)
    if factory is None:
        raise JudgeError(
            f"there is no judge {name!r}; there are {', '.join(judge_names())}, openai/MODEL and"
            " inspect/PROVIDER/MODEL"
        )
    judge: Judge = factory(name)
    return judge


def _llm(name: str, access: dict[str, Any]) -> Judge:
    from adjudge.chat.stack import build_stack
    from adjudge.judges.llm.dry import Dry
    from adjudge.judges.llm.judge import LlmJudge

    more = {key: access[key] for key in _LIMITS if access.get(key) is not None}
    dry: dict[str, Dry] | None = access.get("dry")
    if dry is not None:
        return LlmJudge(dry.setdefault(name, Dry()), model=name.partition("/")[2], name=name, **more)
    stack = build_stack(name, **_stack_options(access))
    return LlmJudge(stack, model=stack.model, name=name, **more)


def _stack_options(access: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in access.items() if key not in JUDGE_OPTIONS and value is not None}


def _similarity(name: str, access: dict[str, Any]) -> Judge:
    if name == "jaccard":
        return _single("rules", access)
    if name == "local":
        return _single("local", access)
    if name == "families":
        from adjudge.judges.families import FamilyJudge

        return FamilyJudge()
    from adjudge.judges.similarity import EmbeddingJudge

    if name.startswith(("st:", "local/")):
        from adjudge.judges.local.encoder import make_encoder

        encoder = make_encoder(name.removeprefix("local/"))

        async def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[float(x) for x in row] for row in encoder.encode(list(texts))]

        return EmbeddingJudge(encoder.name, embed, immediate=True)
    if name.partition("/")[0] in CHAT:
        if "dry" in access:
            return _single("rules", {})
        from adjudge.chat.stack import build_stack

        stack = build_stack(name, **_stack_options(access))
        return EmbeddingJudge(name, stack.embed, resource=stack)
    raise UsageError(
        f"--similarity {name!r}: there are jaccard, local, local/PATH, families, st:NAME and "
        "openai/EMBEDDING-MODEL"
    )

"""Whether two sides' numbers mean the same: the parts of their signatures held against each other."""

from __future__ import annotations

import re

from adjudge.errors import UsageError
from adjudge.stats.paired import Side

_VERSION = re.compile(r"v\d+")


def check_signatures(first: Side, second: Side, *, limited: bool, force: bool) -> list[str]:
    """Warnings where labeller, parameters or adjudge differ; a refusal where the metrics themselves do.

    `limited`: the caller named the metrics, so others need not fit. `force`: warn instead of refusing.
    """
    shared = [name for name in first.signatures if name in second.signatures]
    if not shared:
        raise UsageError(
            f"{first.name} was scored for {', '.join(first.signatures)} and {second.name} for"
            f" {', '.join(second.signatures)}: there is nothing to compare"
        )
    warnings, refusals = [], []
    for name in set(first.signatures) ^ set(second.signatures):
        has = first.name if name in first.signatures else second.name
        warnings.append(f"only {has} was scored for {name}; it is left out")
    for protocol in shared:
        refusals += _unlike_metrics(first, second, protocol) if not limited else []
        one, other = (_parts(side.signatures[protocol]) for side in (first, second))
        if one == other:
            continue
        lost, gained = sorted(one - other), sorted(other - one)
        if any(_VERSION.fullmatch(part) for part in (*lost, *gained)):
            refusals.append(
                f"{protocol} was scored by another version of the protocol in {first.name}"
                f" ({_joined(lost)}) than in {second.name} ({_joined(gained)})"
            )
        else:
            warnings.append(_told(protocol, first.name, second.name, lost, gained))
    if refusals and not force:
        raise UsageError("; ".join(refusals) + "; --force compares what is there all the same")
    return warnings + refusals


def _parts(signatures: set[str]) -> set[str]:
    return {part for signature in signatures for part in signature.split("|")}


def _joined(parts: list[str]) -> str:
    return " | ".join(parts) or "nothing else"


def _told(protocol: str, first: str, second: str, lost: list[str], gained: list[str]) -> str:
    changed = [*lost, *gained]
    if all(part.startswith("adjudge:") for part in changed):
        what = "by different versions of adjudge"
    elif any(part.startswith(("judge:", "labels:")) for part in changed):
        what = "from the labels of DIFFERENT LABELLERS: a difference may be theirs and not the systems'"
    else:
        what = "with DIFFERENT PARAMETERS: a difference may be theirs and not the systems'"
    return f"{protocol}: scored {what} ({first}: {_joined(lost)}; {second}: {_joined(gained)})"


def _unlike_metrics(first: Side, second: Side, protocol: str) -> list[str]:
    mine, theirs = ({n for n, s in side.specs.items() if s.protocol == protocol} for side in (first, second))
    if mine == theirs:
        return []
    found = [
        f"{', '.join(sorted(names)[:3])}{' …' if len(names) > 3 else ''} in {side.name} only"
        for names, side in ((mine - theirs, first), (theirs - mine, second))
        if names
    ]
    return [f"the metrics of {protocol} do not fit ({'; '.join(found)}); choose with --metrics"]

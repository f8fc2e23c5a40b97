"""All that is read of a claim by pattern, because a small model cannot read it."""

from __future__ import annotations

from adjudge.judges.local import comparisons, doers, figures_clash, figures_when, holders, makers, times
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.names import Finding

_CHECKS = (
    times.check,
    holders.check,
    makers.check,
    doers.check,
    comparisons.check,
    figures_clash.check,
    figures_when.check,
)


def check(claim: str, evidence: Evidence) -> Finding | None:
    """What speaks against the claim, else what speaks for it, else nothing."""
    found = [finding for look in _CHECKS if (finding := look(claim, evidence)) is not None]
    return min(found, key=lambda finding: finding.agrees, default=None)

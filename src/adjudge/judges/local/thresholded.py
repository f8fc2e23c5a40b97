"""A verifier whose verdicts turn at another probability than one half."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.errors import UsageError
from adjudge.judges.local.verifier import Opinion, Verifier

HALF = 0.5


class Thresholded:
    """Shifts the odds of entailment so that the threshold becomes one half; all else keeps its proportions.

    Probabilities stay probabilities, so whoever asks for the likeliest verdict or sums them sees the same.
    """

    def __init__(self, inner: Verifier, threshold: float) -> None:
        if not 0 < threshold < 1:
            raise UsageError(f"threshold {threshold:g}: it must be above 0 and below 1")
        self._inner = inner
        self.threshold = threshold

    @property
    def name(self) -> str:
        return f"{self._inner.name}>{self.threshold:.12g}"

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        return [self._shift(opinion) for opinion in self._inner.verdicts(claims, evidences)]

    def _shift(self, opinion: Opinion) -> Opinion:
        for_it = opinion.entailed * (1 - self.threshold)
        against = (1 - opinion.entailed) * self.threshold
        entailed = for_it / (for_it + against) if for_it + against else opinion.entailed
        rest = opinion.neutral + opinion.contradicted
        scale = (1 - entailed) / rest if rest else 0.0
        return Opinion(entailed, opinion.neutral * scale, opinion.contradicted * scale, opinion.why)

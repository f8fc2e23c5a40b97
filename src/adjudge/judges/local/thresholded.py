"""A verifier whose verdicts turn at another probability than one half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.judges.base import LabelSentences
from adjudge.judges.local.verifier import Opinion, Verifier

if TYPE_CHECKING:
    from adjudge.judges.local.calibration import TraceLabels

HALF = 0.5


class Thresholded:
    """Shifts the odds of entailment so that the threshold becomes one half; all else keeps its proportions.

    Probabilities stay probabilities, so whoever asks for the likeliest verdict or sums them sees the same.
    What else the verifier can answer it answers as before: where that is added to an opinion's log odds, the
    shift is in the sum already.
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

    @property
    def traces(self) -> Callable[[Sequence[LabelSentences]], list[TraceLabels | None]] | None:
        return getattr(self._inner, "traces", None)

    @property
    def borne_out(self) -> Callable[[Sequence[tuple[str, Sequence[str]]]], list[float | None]] | None:
        return getattr(self._inner, "borne_out", None)

    @property
    def similarities(self) -> Callable[[Sequence[tuple[str, str]]], list[float | None]] | None:
        return getattr(self._inner, "similarities", None)

    def _shift(self, opinion: Opinion) -> Opinion:
        for_it = opinion.entailed * (1 - self.threshold)
        against = (1 - opinion.entailed) * self.threshold
        entailed = for_it / (for_it + against) if for_it + against else opinion.entailed
        rest = opinion.neutral + opinion.contradicted
        scale = (1 - entailed) / rest if rest else 0.0
        return opinion._replace(
            entailed=entailed, neutral=opinion.neutral * scale, contradicted=opinion.contradicted * scale
        )

"""The trained model that installs with the package: named without being loaded, loaded when first asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from adjudge.judges.base import LabelSentences
from adjudge.judges.local.model import model_name
from adjudge.judges.local.verifier import Opinion

if TYPE_CHECKING:
    from adjudge.judges.local.calibration import TraceLabels
    from adjudge.judges.local.mix import ModelVerifier


class BundledVerifier:
    """Entailment, sentence labels and similarity by the small model of the package; see models/CARD.md."""

    @cached_property
    def name(self) -> str:
        from adjudge.judges.local.calibration import bundled_calibration

        return f"{model_name()}+mix{bundled_calibration().version}"

    @cached_property
    def _model(self) -> ModelVerifier:
        from adjudge.judges.local.mix import ModelVerifier

        return ModelVerifier()

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        return self._model.verdicts(claims, evidences)

    def traces(self, questions: Sequence[LabelSentences]) -> list[TraceLabels | None]:
        """Probabilities for the sentences of each question, in one run; None where it cannot read them."""
        from adjudge.judges.local.mix import readable

        fit = [bool(q.response and q.contexts) and readable(_asked_and_said(q)) for q in questions]
        found = iter(self._model.traces([q for q, fits in zip(questions, fit, strict=True) if fits]))
        return [next(found) if fits else None for fits in fit]

    def borne_out(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[float | None]:
        """Log odds of claims beside the nearest documents; None where it cannot read them."""
        from adjudge.judges.local.mix import readable

        return self._model.borne_out(
            [(claim, texts if claim.strip() and readable(claim) else ()) for claim, texts in claims]
        )

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Likeness from 0 to 1; None where there is nothing to read, or it cannot read the script."""
        from adjudge.judges.local.mix import readable, similarities

        fit = [bool(a.strip() and b.strip()) and readable(a + b) for a, b in pairs]
        asked = [pair for pair, fits in zip(pairs, fit, strict=True) if fits]
        found = iter(similarities(asked, self._model.model) if asked else ())
        return [next(found) if fits else None for fits in fit]


def _asked_and_said(question: LabelSentences) -> str:
    return " ".join((question.question, *(text for _, text in question.response)))

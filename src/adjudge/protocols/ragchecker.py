"""RAGChecker: which claims of answer, reference and each passage entail one another?

Units: `response`, `reference`, `ctx:K` (whole passages), `claim:response:I`, `claim:reference:J`; `contexts`
stands for a list of passages that was given and is empty. A claim that is a triple has its parts joined by
blanks as text, and the triple itself as JSON in `note` (see `ragchecker_claims`).
Labels: grids (or plain labels) named `check`, perhaps with how likely each cell is: response claims against
`reference` and passages, reference claims against `response` and passages; and `claims` on `response` and
`reference`, the number of claims it was split into, which tells "no claims" from "never split".
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from adjudge.errors import InputError
from adjudge.judges.base import CheckClaims, ExtractClaims, Judge, Question
from adjudge.metrics import entailment
from adjudge.protocols.base import Protocol
from adjudge.protocols.ragchecker_label import label_claims, reference_text
from adjudge.protocols.ragchecker_metrics import SPECS, score_of
from adjudge.segment.units import has_aliases
from adjudge.types import Grid, Label, Labelled, MetricSpec, Sample, Score, Unit

_TEXTS = ("response", "reference")
_PREFIXES = ("claim:response:", "claim:reference:")


def _is_passage(name: str) -> bool:
    return name.startswith("ctx:") and name[4:].isdigit()


class RagChecker(Protocol, frozen=True, kw_only=True):
    """Claim-level entailment between response, reference and passages."""

    name: ClassVar[str] = "ragchecker"
    summary: ClassVar[str] = "claims of answer, reference and passages that entail one another"
    specs: ClassVar[tuple[MetricSpec, ...]] = SPECS
    asks: ClassVar[frozenset[type[Question]]] = frozenset({ExtractClaims, CheckClaims})

    steps: bool = False
    """Check each text on its own, five claims at a time, as the paper does, instead of all at once."""

    def missing(self, sample: Sample) -> str | None:
        wanted = self.wanted
        needed = {field for spec in wanted for field in spec.needs}
        # Without contexts the other metrics still stand, so contexts are needed only if all rest on them.
        if not all("contexts" in spec.needs for spec in wanted):
            needed.discard("contexts")
        for field in ("response", "reference", "contexts"):
            if field in needed and getattr(sample, field) is None:
                return field
        return None

    def owns(self, label: Label | Grid) -> bool:
        if isinstance(label, Grid):
            return label.name == "check" and (not label.rows or label.rows[0].startswith("claim:"))
        if label.name == "check":
            return label.unit.startswith("claim:")
        return label.name == "claims" and label.unit in _TEXTS

    def sources(self, sample: Sample) -> tuple[str, ...]:
        """Claims alone are not labelled yet: whoever only split the texts is no source of verdicts."""
        checked = {grid.source for grid in sample.grids if self.owns(grid)}
        checked.update(label.source for label in sample.labels if label.name == "check" and self.owns(label))
        claims = [label for label in sample.labels if label.name == "claims" and self.owns(label)]
        unchecked = {label.source for label in claims if label.value} - checked
        return tuple(source for source in super().sources(sample) if source not in unchecked)

    def _given_claims(self, sample: Sample) -> dict[str, tuple[Unit, ...]]:
        """Claims that came with the data without verdicts, by text; they are checked as they are."""
        if self.sources(sample):
            return {}
        split = {label.unit for label in sample.labels if label.name == "claims" and label.value is not None}
        found = {
            text: tuple(unit for unit in sample.units if unit.id.startswith(prefix))
            for text, prefix in zip(_TEXTS, _PREFIXES, strict=True)
            if text in split
        }
        return {text: units for text, units in found.items() if all(unit.text for unit in units)}

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        units = [Unit(f, field=f) for f in _TEXTS if getattr(sample, f) is not None]
        if sample.contexts is None:
            units += [unit for unit in sample.units if _is_passage(unit.id) or unit.id == "contexts"]
        elif not sample.contexts:
            units.append(Unit("contexts", field="contexts"))
        else:
            units += [Unit(f"ctx:{k}", field=f"contexts.{k}") for k in range(len(sample.contexts))]
        units += [unit for unit in sample.units if unit.id.startswith("claim:")]
        return tuple(units)

    def labelling(self) -> list[str]:
        return ["steps:yes"] if self.steps else []

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        metrics = [spec.name for spec in self.wanted]
        units, labels, grids, steps = await label_claims(
            sample, judge, f"judge:{judge.name}", metrics, steps=self.steps, given=self._given_claims(sample)
        )
        known = msgspec.structs.replace(sample, units=tuple(units))
        return Labelled(
            sample.id,
            sample.item,
            self.attributes(sample),
            self._labelled_units(known),
            tuple(labels),
            tuple(grids),
            tuple(steps),
        )

    def _labelled_units(self, sample: Sample) -> tuple[Unit, ...]:
        """As given, but of a reference with aliases the one that was used, in words of its own."""
        units = self.given_units(sample)
        if not has_aliases(sample.reference):
            return units
        note = "of the right answers given, the nearest to the response"
        chosen = Unit("reference", reference_text(sample), "reference", note=note)
        return tuple(chosen if unit.id == "reference" else unit for unit in units)

    def tally(self, labelled: Labelled) -> tuple[entailment.Tally, bool]:
        """All counts of a sample, and whether it can speak of passages: not where labels came without any."""
        ids = [unit.id for unit in labelled.units]
        passages = [name for name in ids if name[:4] == "ctx:" and name[4:].isdigit()]
        targets = {column for grid in labelled.grids for column in grid.columns}
        targets.update([label.against for label in labelled.labels if label.against is not None])
        passages += sorted(filter(_is_passage, targets.difference(ids)))
        try:
            response, reference = claim_tables(labelled)
            tally = entailment.count_claims(response, reference, passages)
        except ValueError as error:
            raise InputError(str(error), sample=labelled.id, field="grids") from None
        for label in labelled.labels:
            if label.name == "claims" and label.value is None and label.reason:
                _tell_why(tally, label)
        for grid in labelled.grids:
            if grid.reason and grid.rows:
                _tell_grid(tally, grid.rows[0].split(":")[1], grid.reason)
        labelled_at_all = response is not None or reference is not None
        return tally, bool(passages) or "contexts" in ids or not labelled_at_all

    def score(self, labelled: Labelled) -> list[Score]:
        tally, contexts = self.tally(labelled)
        # Most judges say yes or no; three metrics that never apply would only be in their users' way.
        silent = not self.metrics and all(grid.entailed is None for grid in labelled.grids)
        return [
            score_of(spec, tally, contexts)
            for spec in self.wanted
            if not (silent and "expected_metrics" in spec.groups)
        ]

    def gaps(self, labelled: Labelled) -> dict[str, tuple[str, ...]]:
        return entailment.gaps(self.tally(labelled)[0].counts)

    def notes(self, labelled: Labelled) -> list[str]:
        """The verdict on each text as a whole, where all its claims have one."""
        counts, lines = self.tally(labelled)[0].counts, []
        for text, other, entailed in (
            ("response", "reference", "correct_claims"),
            ("reference", "response", "recalled_claims"),
        ):
            names = (entailed, f"{text}_neutral", f"{text}_contradicted")
            if not all(name in counts for name in names):
                continue
            numbers = [counts[name].n for name in names]
            whole = entailment.whole(*numbers)
            if whole.strict is None:
                lines.append(f"{text} as a whole, against the {other}: no claims, so no verdict")
                continue
            shares = ", ".join(
                f"{n} {verdict}"
                for n, verdict in zip(numbers, ("entailed", "neutral", "contradicted"), strict=True)
            )
            lines.append(
                f"{text} as a whole, against the {other}: {whole.strict} by its worst claim, "
                f"{whole.major} by most ({shares})"
            )
        return lines


def _tell_why(tally: entailment.Tally, label: Label) -> None:
    """Say why a text was not split, where the labeller said so."""
    for name, reason in tally.lacking.items():
        if reason == f"the {label.unit} was not split into claims":
            tally.lacking[name] = f"{reason}: {label.reason}"


def _tell_grid(tally: entailment.Tally, text: str, why: str) -> None:
    """Say why claims of a text have no verdict, against the other text or against passages."""
    for name, reason in tally.lacking.items():
        if f"{text} claims" in reason and not reason.endswith(why):
            tally.lacking[name] = f"{reason}: {why}"


def claim_tables(labelled: Labelled) -> list[entailment.Table | None]:
    """Verdicts of the claims of response and reference; None for one that was never split into claims."""
    ids = [unit.id for unit in labelled.units]
    checks = [label for label in labelled.labels if label.name == "check"]
    sides = [tuple([name for name in ids if name.startswith(prefix)]) for prefix in _PREFIXES]
    if checks or not all(grid.rows in sides for grid in labelled.grids):
        # Labels may speak of claims that have no unit of their own.
        rows = [row for grid in labelled.grids for row in grid.rows] + [label.unit for label in checks]
        sides = [
            tuple(dict.fromkeys([*side, *(row for row in rows if row.startswith(prefix))]))
            for side, prefix in zip(sides, _PREFIXES, strict=True)
        ]
    split = {label.unit for label in labelled.labels if label.name == "claims" and label.value is not None}
    return [
        entailment.table(claims, labelled.grids, checks) if claims or text in split else None
        for claims, text in zip(sides, _TEXTS, strict=True)
    ]

"""Violations: did a checker flag the right spans, under the right rule, for the right reason?

Units: `gold:I` and `pred:J`, cut from `text`. Labels, for each pair that shares a character: `text` (share of
characters), `rule`, `category`, `explanation`, `correction` (how alike; 1 where neither side has one, 0 where
only one has). Family `std` weighs text and rule, `ha` ("human-aligned") all five. A pair may match if its
overlap, its rule similarity and its score are all strictly above their thresholds; matching is one to one.

Data may declare that it carries no explanations, corrections, categories or rules: by the parameter
`without`, or by the sample attribute of that name (`"explanation,correction"`), which readers take from a
split's header and which stays on every record. Those terms are left out, the other weights are divided by
their sum, and the signature says so. It is never inferred from a sample, in which a missing value is a
value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from adjudge.errors import UsageError
from adjudge.judges.base import Judge, Question, Similarity
from adjudge.metrics.ratios import not_applicable, unscored
from adjudge.protocols.base import NONE, Protocol
from adjudge.protocols.violation_families import (
    TERMS,
    Family,
    FamilyName,
    HaFamily,
    Scheme,
    Term,
    declared,
    in_order,
    scheme,
)
from adjudge.protocols.violation_matching import (
    Board,
    Matching,
    PairReport,
    board,
    match,
    measure,
    report,
    sides,
    weigh_all,
)
from adjudge.protocols.violation_pairs import overlapping, pair_labels, text_label, violation_units
from adjudge.types import Attribute, Grid, Label, Labelled, MetricSpec, Ratio, Sample, Score, Unit

_FORMULAS = {
    "precision": (Ratio({"tp": 1}, {"tp": 1, "fp": 1}), "Share of predictions that match a gold violation"),
    "recall": (Ratio({"tp": 1}, {"tp": 1, "fn": 1}), "Share of gold violations that a prediction matches"),
    "f1": (Ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}), "Harmonic mean of precision and recall"),
    "mean": (Ratio({"score": 1}, {"tp": 1}), "Mean score of matched pairs"),
    "per_gold": (Ratio({"score": 1}, {"tp": 1, "fn": 1}), "Summed score of matched pairs over all golds"),
}
_FAMILIES: tuple[tuple[FamilyName, str], ...] = (
    ("std", "by text and rule"),
    ("ha", "by text, rule, category, explanation and correction"),
)
_HOW = {False: "best pair first", True: "best assignment"}
_WHAT: dict[str, tuple[FamilyName, bool, str]] = {}
"""Metric name to family, whether the assignment is the best one, and kind of measure."""


def _specs() -> Iterator[MetricSpec]:
    for best, how in _HOW.items():
        for family, terms in _FAMILIES:
            for kind in ("precision", "recall", "f1"):
                name = f"{family}_{'optimal_' if best else ''}{kind}"
                yield _spec(name, family, best, kind, f"{terms}; {how}.")
    for family, terms in reversed(_FAMILIES):
        for kind, tail in (("mean", ""), ("per_gold", "_per_gold")):
            name = f"match_score{'' if family == 'ha' else '_std'}{tail}"
            yield _spec(name, family, False, kind, f"{terms}; {_HOW[False]}.")


def _spec(name: str, family: FamilyName, best: bool, kind: str, tail: str) -> MetricSpec:
    _WHAT[f"violations.{name}"] = family, best, kind
    formula, description = _FORMULAS[kind]
    empty = {"mean": "no match: unscored", "per_gold": "no golds: unscored"}
    return MetricSpec(
        name=f"violations.{name}",
        formula=formula,
        description=f"{description}, {tail}",
        source="adjudge" if best else "weighted span matching",
        empty=empty.get(kind, "no predictions or no golds: 0; neither: not applicable"),
        headline="micro",
        folds=("micro", "macro"),
        groups=("match",) if kind in empty else ("optimal",) if best else (family,),
        labels=("text", "rule") if family == "std" else TERMS,
        needs=("gold", "predicted"),
    )


class Violations(Protocol, frozen=True, kw_only=True):
    """Flagged spans against true ones, matched one to one."""

    name: ClassVar[str] = "violations"
    summary: ClassVar[str] = "Did a checker flag the right spans, under the right rule, for the right reason?"
    specs: ClassVar[tuple[MetricSpec, ...]] = tuple(_specs())
    asks: ClassVar[frozenset[type[Question]]] = frozenset({Similarity})
    declares: ClassVar[tuple[str, ...]] = ("without",)

    std: Family = Family()
    ha: HaFamily = HaFamily()
    without: tuple[Term, ...] = ()
    """Terms that the data does not carry: left out, and the other weights divided by their sum."""
    clamp: bool = False
    """Whether a negative similarity counts as 0 in the score; the rule gate sees it as it is."""

    def __post_init__(self) -> None:
        for name in self._families():
            if self._scheme(name, None) is None:
                terms = ", ".join(self.without)
                raise UsageError(f"violations: without {terms}, no weight of {name!r} is left; change either")

    def missing(self, sample: Sample) -> str | None:
        if sample.gold is None:
            return "gold"
        if sample.predicted is None:
            return "predicted"
        if sample.text is None and any(not one.spans for one in (*sample.gold, *sample.predicted)):
            return "text"
        return None

    def owns(self, label: Label | Grid) -> bool:
        return isinstance(label, Label) and label.name in TERMS and label.unit.startswith("gold:")

    def given(self, sample: Sample, source: str) -> Labelled:
        """The labels of a file, and the overlap of pairs for which it gives none."""
        labelled = super().given(sample, source)
        known = {(label.unit, label.against) for label in labelled.labels if label.name == "text"}
        golds, preds = sides(labelled.units)
        found = [text_label(golds, preds, pair, source) for pair in overlapping(golds, preds)]
        labels = (*labelled.labels, *(one for one in found if (one.unit, one.against) not in known))
        return Labelled(labelled.id, labelled.item, labelled.attributes, labelled.units, labels)

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        if any(unit.kind in ("gold", "pred") for unit in sample.units):
            return sample.units
        golds, preds = violation_units(sample)
        return (*golds, *preds)

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        self.require(sample)
        golds, preds = violation_units(sample)
        schemes = [self._scheme(name, sample.attributes.get("without")) for name in self._families()]
        asked = {term for found in schemes if found is not None for term in found.terms}
        labels = await pair_labels(sample, golds, preds, in_order(asked), judge)
        return Labelled(sample.id, sample.item, self.attributes(sample), (*golds, *preds), labels)

    def score(self, labelled: Labelled) -> list[Score]:
        wanted = self.wanted
        if not labelled.labels and not any(sides(labelled.units)):
            reason = "neither gold nor predicted violations"
            return [not_applicable(spec.name, reason) for spec in wanted]
        on = board(labelled)
        if isinstance(on, str):
            return [unscored(spec.name, on) for spec in wanted]
        found = self._matchings(labelled, on)
        scores = []
        for spec in wanted:
            name, best, kind = _WHAT[spec.name]
            matching = found[name, best]
            if isinstance(matching, str):
                scores.append(unscored(spec.name, matching))
            else:
                scores.append(measure(spec, kind, matching))
        return scores

    def explain_pairs(
        self, labelled: Labelled, family: FamilyName = "ha", *, best: bool = False
    ) -> list[PairReport] | str:
        """What became of every labelled pair and why; a text instead if the sample cannot be scored."""
        found = self._scheme(family, labelled.attributes.get("without"))
        return report(labelled, found, self.clamp, best) if found is not None else _weightless(family)

    def notes(self, labelled: Labelled) -> list[str]:
        lines: list[str] = []
        for way, pairs in self._explained(labelled):
            if pairs:
                lines.append(f"pairs that overlap ({way}):")
            for pair in pairs:
                score = "no score" if pair.score is None else f"score {pair.score:.4g}"
                lines.append(f"  {pair.gold} – {pair.pred}: {score}: {pair.why}")
        return lines

    def gaps(self, labelled: Labelled) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        golds, preds = sides(labelled.units)
        for way, pairs in self._explained(labelled):
            matched = {unit for pair in pairs if pair.matched for unit in (pair.gold, pair.pred)}
            found[f"true violations without a match ({way})"] = _others(golds, matched)
            found[f"flagged violations without a match ({way})"] = _others(preds, matched)
        return found

    def _explained(self, labelled: Labelled) -> Iterator[tuple[str, list[PairReport]]]:
        """Each way to match that a wanted metric rests on, and what became of every pair in it.

        The best assignment is told where it is wanted alone, or matches others than best pair first does.
        """
        wanted = {_WHAT[spec.name][:2] for spec in self.wanted}
        for family in self._families():
            told: list[set[tuple[str, str]]] = []
            for best, how in _HOW.items():
                pairs = self.explain_pairs(labelled, family, best=best) if (family, best) in wanted else ""
                if isinstance(pairs, str):
                    continue
                matched = {(pair.gold, pair.pred) for pair in pairs if pair.matched}
                if matched not in told:
                    told.append(matched)
                    yield f"{family}, {how}", pairs

    def parameters(self) -> list[str]:
        return self.parameters_under(NONE)

    def parameters_under(self, attributes: Mapping[str, Attribute]) -> list[str]:
        found = [f"{name}:{self._family(name).describe()}" for name in self._families()]
        without = self._left_out(attributes.get("without"))
        if without:
            found.append(f"without:{','.join(without)}")
        if self.clamp:
            found.append("clamp:yes")
        return found

    def _left_out(self, attribute: Attribute) -> tuple[Term, ...]:
        """Terms left out of a sample, by the parameter or by its attribute `without`."""
        return in_order((*self.without, *declared(attribute)) if attribute else self.without)

    def _families(self) -> tuple[FamilyName, ...]:
        """Families that the wanted metrics use."""
        return tuple(dict.fromkeys(_WHAT[spec.name][0] for spec in self.wanted))

    def _family(self, name: FamilyName) -> Family:
        return self.ha if name == "ha" else self.std

    def _scheme(self, name: FamilyName, attribute: Attribute) -> Scheme | None:
        return scheme(self._family(name), self._left_out(attribute))

    def _matchings(self, labelled: Labelled, on: Board) -> dict[tuple[FamilyName, bool], Matching | str]:
        """For each family and way to match that is wanted: the matches, or why there are none to tell."""
        found: dict[tuple[FamilyName, bool], Matching | str] = {}
        wanted = {_WHAT[spec.name][:2] for spec in self.wanted}
        for name in self._families():
            kept = self._scheme(name, labelled.attributes.get("without"))
            pairs = _weightless(name) if kept is None else weigh_all(on, kept, self.clamp)
            for best in (False, True):
                if kept is None or isinstance(pairs, str):
                    found[name, best] = str(pairs)
                elif (name, best) in wanted:
                    found[name, best] = match(on, pairs, kept.gates, best)
        return found


def _weightless(family: str) -> str:
    return f"the data carries none of the terms that {family!r} weighs"


def _others(units: Sequence[Unit], matched: set[str]) -> tuple[str, ...]:
    return tuple(unit.id for unit in units if unit.id not in matched)

"""RGB's metrics, and the pure half of the protocol: labels in, scores out."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from adjudge.metrics.ratios import not_applicable, scored, tally, unscored
from adjudge.types import Ability, Label, Labelled, MetricSpec, Ratio, Score

EMPTY = "empty"
"""Note on a unit that holds no words: nothing can be found in it or by it."""
ALL_NOISE = frozenset({1.0, "1", "1.0"})
"""Noise attributes that mean that no document holds the answer."""


def _spec(name: str, top: str, bottom: str, labels: tuple[str, ...], description: str) -> MetricSpec:
    variant = name.rpartition("_")[2]
    among_detected = bottom == "detected"
    reference = any(label.startswith(("match", "correction")) for label in labels)
    empty = "0 for an empty response or answer" if reference else "0 for an empty response"
    if among_detected:
        empty = "0 if no error is detected in the whole data set"
    elif variant == "judge":
        empty = "unscored without the judge's verdict"
    return MetricSpec(
        name=f"rgb.{name}",
        formula=Ratio({top: 1}, {bottom: 1}),
        description=description,
        source="RGB" if variant in ("official", "judge") else "RGBMetrics",
        empty=empty,
        headline="micro" if among_detected else "macro",
        groups=(variant,) if variant in ("official", "judge") else (),
        labels=labels,
        binary=True,
        needs=("response", "reference") if reference else ("response",),
        within=("ability",),
        empty_fold=0.0 if among_detected else None,
    )


_OFFICIAL = ("match_official", "refusal_official")
# fmt: off
SPECS = (
    _spec("accuracy", "correct", "answers", ("match",),
          "Every part of the answer is found: inside the response, around it, or by 80 % of its words."),
    _spec("accuracy_strict", "correct", "answers", ("match_strict",),
          "The response equals every part of the answer after normalising."),
    _spec("accuracy_official", "correct", "answers", _OFFICIAL,
          "Every part of the answer is a substring of the response, which does not refuse."),
    _spec("rejection", "rejected", "answers", ("refusal",),
          "The response refuses, by any of 4 phrases and 24 keywords."),
    _spec("rejection_official", "rejected", "answers", ("refusal_official",),
          "The response refuses in the prescribed words (Rej)."),
    _spec("rejection_judge", "rejected", "answers", ("refusal_judge",),
          "A judge finds that the response refuses (Rej*)."),
    _spec("all_rate_official", "correct", "answers", _OFFICIAL,
          "Officially correct; where all documents are noise, correct or refused."),
    _spec("error_detection", "detected", "answers", ("error_flag",),
          "The response points out an error, by any of 16 keywords or by denying the false answer."),
    _spec("error_detection_official", "detected", "answers", ("error_flag_official",),
          "The response points out an error in the prescribed words (ED)."),
    _spec("error_detection_judge", "detected", "answers", ("error_flag_judge",),
          "A judge finds that the response points out an error (ED*)."),
    _spec("error_correction", "corrected", "answers", ("correction",),
          "The true answer is given, and not just the false one; detected or not."),
    _spec("error_correction_official", "corrected", "detected", ("error_flag_official", *_OFFICIAL),
          "Of the errors detected in the prescribed words: no part of the answer wrong, or refused."),
    _spec("error_correction_judge", "corrected", "detected", ("error_flag_judge", *_OFFICIAL),
          "Of the errors a judge finds detected: officially correct (CR)."),
)
# fmt: on


def abilities(spec: MetricSpec) -> tuple[Ability, ...]:
    """Abilities whose samples a metric speaks of."""
    metric = spec.name.removeprefix("rgb.")
    if metric.startswith("all_rate"):
        return ("noise", "rejection", "integration", "counterfactual", "closed_book")
    if metric.startswith("accuracy"):
        return ("noise", "integration", "counterfactual", "closed_book")
    return ("rejection",) if metric.startswith("rejection") else ("counterfactual",)


class Facts(Struct):
    """What the rules below look at, gathered in one pass over a sample's units and labels."""

    labels: dict[str, list[Label]]
    parts: int
    all_noise: bool
    empty_response: bool
    empty_answer: bool

    def verdict(self, name: str) -> bool | str:
        """Whether the label holds (for every part of the answer), or why that is not known."""
        labels = self.labels.get(name)
        if labels is None:
            return _missing(name, self.parts)
        if len(labels) < self.parts and labels[0].against is not None:
            return f"label {name!r} is there for {len(labels)} of {self.parts} parts of the answer"
        holds = True
        for label in labels:
            value = label.value
            if value is False:
                holds = False
            elif value is not True:
                return label.reason or f"label {name!r} is {value!r}, neither true nor false"
        return holds


def _missing(name: str, parts: int) -> str:
    if name.endswith("_judge"):
        return f"no label {name!r}: it needs a judge that can tell, see --judge"
    if name.startswith("match") and not parts:
        return "no reference to compare with"
    return f"no label {name!r}"


def gather(labelled: Labelled) -> Facts:
    labels: dict[str, list[Label]] = {}
    for label in labelled.labels:
        known = labels.get(label.name)
        if known is None:
            labels[label.name] = [label]
        else:
            known.append(label)
    parts, empty_response, empty_answer = 0, False, False
    for unit in labelled.units:
        if unit.id == "answer":
            empty_response = unit.note == EMPTY
        elif unit.id.startswith("truth:"):
            parts += 1
            empty_answer = empty_answer or unit.note == EMPTY
    attributes = labelled.attributes
    all_noise = attributes.get("ability") == "rejection" or attributes.get("noise") in ALL_NOISE
    return Facts(labels, parts, all_noise, empty_response, empty_answer)


Outcome = bool | str | None
"""Holds or not; or, as text, why it is not known; or None where the metric does not speak of the sample."""


def _plain(name: str) -> Callable[[Facts], Outcome]:
    return lambda facts: facts.verdict(name)


def _official(facts: Facts) -> Outcome:
    """A refusal comes first: its answer is not looked at."""
    refused = facts.verdict("refusal_official")
    if refused is True:
        return False
    return refused or facts.verdict("match_official")


def _all_rate(facts: Facts) -> Outcome:
    if not facts.all_noise:
        return _official(facts)
    matched = facts.verdict("match_official")
    return matched if isinstance(matched, str) else facts.verdict("refusal_official") or matched


def _corrected_official(facts: Facts) -> Outcome:
    """The script asks only that no part be wrong, so that a refusal counts as a correction."""
    detected = facts.verdict("error_flag_official")
    if detected is not True:
        return detected or None
    return facts.verdict("refusal_official") or facts.verdict("match_official")


def _corrected_judge(facts: Facts) -> Outcome:
    detected = facts.verdict("error_flag_judge")
    return _official(facts) if detected is True else detected or None


_RULES: dict[str, Callable[[Facts], Outcome]] = {
    "rgb.accuracy_official": _official,
    "rgb.all_rate_official": _all_rate,
    "rgb.error_correction_official": _corrected_official,
    "rgb.error_correction_judge": _corrected_judge,
}


class Scorer(Struct, frozen=True):
    """One metric on samples that it speaks of. The scores it can give are few, so they are made once."""

    spec: MetricSpec
    rule: Callable[[Facts], Outcome]
    yes: Score
    no: Score
    aside: Score

    def __call__(self, facts: Facts) -> Score:
        outcome = self.rule(facts)
        if outcome is True:
            return self.yes
        if outcome is None:
            return self.aside
        if outcome is not False:
            return unscored(self.spec.name, outcome)
        if facts.empty_response:
            return self._convention("the response is empty")
        if facts.empty_answer and "reference" in self.spec.needs:
            return self._convention("the answer to compare with is empty")
        return self.no

    def _convention(self, reason: str) -> Score:
        return scored(self.spec, self.no.counts, convention=(0.0, reason))


def scorer(spec: MetricSpec, ability: Ability) -> Scorer | Score:
    """How a metric scores samples of an ability; a fixed score where it does not speak of them."""
    if ability not in abilities(spec):
        return not_applicable(spec.name, f"not a metric of samples that test {ability}")
    assert isinstance(spec.formula, Ratio)
    (top,), (bottom,) = spec.formula.top, spec.formula.bottom
    of = tally(bottom, ("answer",))
    return Scorer(
        spec,
        _RULES.get(spec.name) or _plain(spec.labels[0]),
        scored(spec, (tally(top, ("answer",)), of)),
        scored(spec, (tally(top, ()), of)),
        # With counts, of nothing: the fold then knows that samples were there and none had a detection.
        Score(
            spec.name,
            None,
            "not_applicable",
            "the response points out no error",
            (tally(top, ()), tally(bottom, ())),
        ),
    )

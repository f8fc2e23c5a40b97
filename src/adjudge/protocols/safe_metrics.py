"""What SAFE measures, and what became of each fact of a response."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from adjudge.metrics.ratios import constant, scored, unscored
from adjudge.segment.keys import index_of
from adjudge.types import Count, Fold, Harmonic, Labelled, MetricSpec, Ratio, Score, Total

_VERDICTS = frozenset({"entailed", "neutral", "contradicted"})
_PRECISION = Ratio({"supported": 1}, {"supported": 1, "not_supported": 1})
_DISTINCT = Ratio({"distinct_supported": 1}, {"distinct_supported": 1, "distinct_not_supported": 1})
_TOTALS = {
    "supported": "Relevant facts that evidence supports.",
    "not_supported": "Relevant facts that evidence does not support.",
    "irrelevant": "Facts that have no bearing on the question.",
    "claims": "All facts in the response, also those without a verdict.",
}


@lru_cache(maxsize=64)
def specs_for(ks: tuple[int, ...]) -> tuple[MetricSpec, ...]:
    """All metrics for these K, in the order they are shown."""
    macro: tuple[Fold, ...] = ("macro",)
    specs = [
        MetricSpec(
            name="safe.precision",
            formula=_PRECISION,
            description="Share of the relevant facts that evidence supports.",
            source="SAFE",
            empty="0 by convention",
            labels=("relevant", "check"),
        )
    ]
    for k in ks:
        recall = Ratio({"supported": 1}, {"K": 1}, cap=True)
        recall_distinct = Ratio({"distinct_supported": 1}, {"K": 1}, cap=True)
        for name, formula, description, names in (
            ("recall", recall, f"Supported facts of the {k} a reader cares for.", ()),
            ("f1", Harmonic(_PRECISION, recall), f"Harmonic mean of precision and recall@{k}.", ()),
            (
                "f1_distinct",
                Harmonic(_DISTINCT, recall_distinct),
                f"f1@{k} over facts that repeat no earlier one, word for word or by a label.",
                ("duplicate_of", "self_contained"),
            ),
        ):
            spec = MetricSpec(
                name=f"safe.{name}@{k}",
                formula=formula,
                description=description,
                source="adjudge" if name == "f1_distinct" else "SAFE",
                empty="0 by convention",
                folds=macro,
                groups=(name,),
                labels=("relevant", "check", *names),
            )
            specs.append(spec)
    for name, description in _TOTALS.items():
        spec = MetricSpec(
            name=f"safe.{name}",
            formula=Total(name),
            description=description,
            source="SAFE",
            empty="0",
            higher_is_better=name not in ("not_supported", "irrelevant"),
            scale="count",
            groups=("counts",),
            labels=() if name == "claims" else ("relevant", "check"),
        )
        specs.append(spec)
    return tuple(specs)


class Rated(Struct, frozen=True):
    """Ids of a response's facts by what became of them."""

    claims: tuple[str, ...]
    supported: tuple[str, ...]
    not_supported: tuple[str, ...]
    irrelevant: tuple[str, ...]
    unrated: tuple[str, ...]
    repeats: frozenset[str]
    """Supported or not supported facts that say an earlier one again."""
    unsplit: tuple[str, ...] = ()
    """Sentences that could not be split into facts."""
    reason: str | None = None
    """Why the first fact without a verdict has none, where the labeller says so."""


def rate_facts(labelled: Labelled) -> Rated | None:
    """What became of each fact; None if the response was never split into facts."""
    facts = {unit.id: unit.text or unit.digest for unit in labelled.units if unit.id.startswith("fact:")}
    own: dict[str, str] = {}
    relevant: dict[str, bool] = {}
    verdicts: dict[str, bool] = {}
    copies: set[str] = set()
    split = False
    unsplit: list[str] = []
    reasons: dict[str, str] = {}
    for label in labelled.labels:
        name, fact, value = label.name, label.unit, label.value
        if name == "facts":
            split = split or value is not None
            if value is None and fact != "response":
                unsplit.append(fact)
            continue
        if not fact.startswith("fact:"):
            continue
        facts.setdefault(fact, None)
        if name == "relevant" and isinstance(value, bool):
            relevant[fact] = relevant.get(fact, False) or value
        elif name == "check" and value is None and label.reason:
            reasons.setdefault(fact, label.reason)
        elif name == "check" and value in _VERDICTS:
            verdicts[fact] = verdicts.get(fact, False) or value == "entailed"
        elif name == "duplicate_of" and value is True:
            copies.add(fact)
        elif name == "self_contained" and isinstance(value, str):
            own[fact] = min(value, own.get(fact, value))  # of several, one that no order decides
    if not facts and not split:
        return None
    rated = [fact for fact in facts if relevant.get(fact, True)]
    judged = [fact for fact in rated if fact in verdicts]
    unrated = tuple(fact for fact in rated if fact not in verdicts)
    return Rated(
        tuple(facts),
        tuple(fact for fact in judged if verdicts[fact]),
        tuple(fact for fact in judged if not verdicts[fact]),
        tuple(fact for fact in facts if not relevant.get(fact, True)),
        unrated,
        frozenset(copies.intersection(judged) | _said_again(judged, {**facts, **own})),
        tuple(dict.fromkeys(unsplit)),
        next((reasons[fact] for fact in unrated if fact in reasons), None),
    )


def _said_again(judged: list[str], words: dict[str, str | None]) -> set[str]:
    """Facts in the same words as an earlier one, whatever the order they are listed in.

    Words that stand alone decide where there are some: "She was born in 1950." may be said of two persons.
    """
    first: dict[str, str] = {}
    again: set[str] = set()
    for fact in judged:
        said = words[fact]
        if said is None:
            continue
        other = first.setdefault(said, fact)
        if other != fact:
            early, late = sorted((other, fact), key=_place)
            first[said] = early
            again.add(late)
    return again


def _place(fact: str) -> tuple[int, int, str]:
    key, _, number = fact.removeprefix("fact:").partition(".")
    try:
        return index_of(key), int(number), fact
    except ValueError:
        return 0, 0, fact


def counts_of(rated: Rated) -> dict[str, Count]:
    """All counts of a response, by name."""
    named = {
        "supported": rated.supported,
        "not_supported": rated.not_supported,
        "irrelevant": rated.irrelevant,
        "claims": rated.claims,
        "distinct_supported": rated.supported,
        "distinct_not_supported": rated.not_supported,
    }
    if rated.repeats:
        for name in ("supported", "not_supported"):
            named[f"distinct_{name}"] = tuple(f for f in named[name] if f not in rated.repeats)
    return {name: Count(name, len(units), units) for name, units in named.items()}


def _note(rated: Rated) -> str | None:
    """What the numbers leave out."""
    notes = []
    if rated.unrated:
        notes.append(
            f"{len(rated.unrated)} of {len(rated.claims)} facts have no verdict and count as claims only"
        )
    if rated.unsplit:
        notes.append(f"{len(rated.unsplit)} sentences could not be split and their facts are missing")
    return "; ".join(notes) or None


def score_of(spec: MetricSpec, rated: Rated, counts: dict[str, Count]) -> Score:
    """One metric from the counts; says so where facts have no verdict."""
    metric, _, k = spec.name.removeprefix("safe.").partition("@")
    note = _note(rated)
    none = rated.unrated and len(rated.unrated) == len(rated.claims)
    facts = f"none of the {len(rated.claims)} facts has a" if len(rated.claims) > 1 else "its one fact has no"
    why = f"{facts} verdict" + (f": {rated.reason}" if rated.reason else "")
    if isinstance(spec.formula, Total):
        behind: tuple[Count, ...] = (counts[metric],)
        if none and metric != "claims":
            # The reference tool counts such facts nowhere and so reports 0.
            return Score(spec.name, 0.0, "by_convention", why, behind)
        return Score(spec.name, float(counts[metric].n), "defined", note, behind)
    if none:
        return unscored(spec.name, why)
    prefix = "distinct_" if metric == "f1_distinct" else ""
    supported, not_supported = counts[f"{prefix}supported"], counts[f"{prefix}not_supported"]
    behind = (supported,) if metric == "recall" else (supported, not_supported)
    if k:
        behind += (constant("K", int(k)),)
    empty = None
    if not rated.claims:
        empty = "no facts in the response"
    elif not supported.n and not not_supported.n:
        empty = "no relevant facts in the response"
    elif not supported.n and metric.startswith("f1"):
        # precision and recall are both 0, so that their harmonic mean has no denominator either
        empty = "no supported facts"
    if empty is not None:
        return scored(spec, behind, convention=(0.0, f"{empty}; {note}" if note else empty))
    score = scored(spec, behind)
    return Score(score.metric, score.value, score.state, note, behind) if note else score

"""TRACe's maths: what follows from lists of sentence ids, as counts and what an empty case gives.

R is the list of relevant context sentences, U of used ones, T all of them. RAGBench counts list entries, so a
sentence named twice or not there at all counts too; the `distinct` and `clean` counts do not do that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from adjudge.metrics.ratios import constant, ratio, tally
from adjudge.types import Count, MetricSpec, Score

Ids = Sequence[str]

TYPICAL_SENTENCES = 20
"""What the TRACE guide divides by instead of T."""


class Parts(NamedTuple):
    """What `ratios.scored` makes a score of."""

    counts: tuple[Count, ...]
    convention: tuple[float, str] | None = None
    empty: str = "nothing to divide by"


_NO_SENTENCES = "the context sentences are not known, or there are none"
_NO_RELEVANT = "no context sentence is relevant"
_NOT_JUDGED = "no response sentence was judged"


def relevance(relevant: Ids, sentences: Ids) -> Parts:
    """R / T."""
    return Parts((tally("relevant", relevant), tally("sentences", sentences)), empty=_NO_SENTENCES)


def relevance_20(relevant: Ids) -> Parts:
    """min(1, R / 20); with no relevant sentence a plain 0."""
    return Parts((tally("relevant", relevant), constant("twenty", TYPICAL_SENTENCES)))


def utilization(used: Ids, sentences: Ids) -> Parts:
    """U / T."""
    return Parts((tally("used", used), tally("sentences", sentences)), empty=_NO_SENTENCES)


def utilization_relevant(relevant: Ids, used: Ids) -> Parts:
    """min(1, U / R), where U need not lie in R; 0 when R is empty."""
    counts = (tally("used", used), tally("relevant", relevant))
    return Parts(counts, None if relevant else (0.0, _NO_RELEVANT))


def completeness(relevant: Ids, used: Ids) -> Parts:
    """Distinct sentences in both, over the entries of R; 1 when R is empty, whatever U is."""
    counts = (tally("covered", covered(relevant, used)), tally("relevant", relevant))
    return Parts(counts, None if relevant else (1.0, _NO_RELEVANT))


def completeness_001(relevant: Ids, used: Ids) -> Parts:
    """The same over distinct sentences of R; when R is empty 1 if U is empty too, else 0."""
    counts = (
        tally("covered", covered(relevant, used)),
        tally("relevant_distinct", dict.fromkeys(relevant)),
    )
    if relevant:
        return Parts(counts)
    return Parts(counts, (0.0, f"{_NO_RELEVANT}, yet some were used") if used else (1.0, _NO_RELEVANT))


def adherence(grounded: Sequence[tuple[str, bool]], sentences: Ids) -> Parts:
    """1 if every judged response sentence is grounded, else 0; 1 when none was judged.

    `sentences` are all response sentences; those that nobody judged are counted beside and change nothing.
    """
    supported = tally("supported", (unit for unit, is_so in grounded if is_so))
    unsupported = tally("unsupported", (unit for unit, is_so in grounded if not is_so))
    judged = {unit for unit, _ in grounded}
    counts = (
        tally("adherent", () if unsupported.n else ("response",)),
        tally("responses", ("response",)),
        supported,
        unsupported,
        tally("unjudged", (unit for unit in sentences if unit not in judged)),
    )
    return Parts(counts, None if grounded else (1.0, _NOT_JUDGED))


def supported_sentences(support: Sequence[tuple[str, str]], sentences: Ids) -> Parts:
    """Fully supported over judged response sentences; partial support stands apart.

    A sentence judged twice counts once, by its worse verdict; one that is not there (where `sentences` are
    known) not at all.
    """
    known = set(sentences)
    verdicts: dict[str, str] = {}
    for unit, value in support:
        if known and unit not in known:
            continue
        earlier = verdicts.get(unit)
        if earlier is None or _WORST_FIRST.index(value) < _WORST_FIRST.index(earlier):
            verdicts[unit] = value
    kinds = ("full", "partial", "none")
    counts = [tally(kind, (unit for unit, value in verdicts.items() if value == kind)) for kind in kinds]
    counts.append(tally("unjudged", (unit for unit in sentences if unit not in verdicts)))
    return Parts(tuple(counts), empty=_NOT_JUDGED)


_WORST_FIRST = ("none", "partial", "full")


def share_clean(name: str, clean: Ids, sentences: Ids) -> Parts:
    """Distinct known sentences over all: `relevant_clean / sentences` or `used_clean / sentences`."""
    return Parts((tally(name, clean), tally("sentences", sentences)), empty=_NO_SENTENCES)


def completeness_clean(relevant: Ids, used: Ids) -> Parts:
    """Sentences in both over relevant ones; both lists distinct and known."""
    counts = (tally("covered_clean", covered(relevant, used)), tally("relevant_clean", relevant))
    return Parts(counts, empty="no known context sentence is relevant")


def mean_of(spec: MetricSpec, parts: Sequence[Score]) -> Score:
    """Mean of a sample's other scores: unscored if one of them is, by convention if one of them is."""
    counts = tuple({count.name: count for part in parts for count in part.counts}.values())
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(parts):
        reason = next(part.reason for part in parts if part.value is None)
        return Score(spec.name, None, "unscored", reason, counts)
    reasons = [f"{part.metric}: {part.reason}" for part in parts if part.state == "by_convention"]
    value = ratio(sum(values), len(values))
    if reasons:
        return Score(spec.name, value, "by_convention", "; ".join(reasons), counts)
    return Score(spec.name, value, "defined", None, counts)


def covered(relevant: Ids, used: Ids) -> tuple[str, ...]:
    """Distinct relevant sentences that were used, in the order of the relevant ones."""
    return _distinct(relevant, set(used).__contains__)


def unused(relevant: Ids, used: Ids) -> tuple[str, ...]:
    """Distinct relevant sentences that were not used: what the answer leaves out."""
    uses = set(used)
    return _distinct(relevant, lambda unit: unit not in uses)


def _distinct(ids: Iterable[str], keep: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(unit for unit in dict.fromkeys(ids) if keep(unit))

"""The records everything else passes around. Nothing but data lives here.

    file -> Sample -> (units, labels) = Labelled -> Scores -> Summary

All records are frozen, JSON in and out (`to_json`, `from_json`), and strict: an unknown or mistyped field is
an error that names its path. Offsets are half-open code points into the stored text, which is never altered.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

FORMAT = 1
"""Version of every file that adjudge writes; each record and document carries it as `format`."""

Value = str | bool | int | float | None
Attribute = str | bool | int | float | None
Span = tuple[int, int]
Answer = str | tuple[str | tuple[str, ...], ...]
"""A correct answer: the outer list is all-of, an inner list any-of (aliases), a bare string one group."""

Ability = Literal["noise", "rejection", "integration", "counterfactual", "closed_book"]
"""What an rgb sample tests; `closed_book` is what the model knows when asked without documents."""
State = Literal["defined", "by_convention", "unscored", "not_applicable"]
Fold = Literal["micro", "macro"]


class _Frozen(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Shared settings: immutable, compact JSON, and no silently ignored misspelt field."""


class Rule(_Frozen, frozen=True, kw_only=True):
    """A rule that a checker looks for in a text."""

    id: Annotated[str, Meta(description="Short name of the rule, unique in its split.")]
    text: Annotated[str | None, Meta(description="The rule in words; similarity compares these.")] = None
    category: Annotated[str | None, Meta(description="Family the rule belongs to.")] = None


class Violation(_Frozen, frozen=True, kw_only=True):
    """A passage that breaks a rule: marked by a person (gold) or flagged by a checker (predicted)."""

    spans: Annotated[
        tuple[Span, ...] | None,
        Meta(description="[start, end) pairs of code points in `text`; several make up one violation."),
    ] = None
    quote: Annotated[
        str | None, Meta(description="The flagged words; located in `text` where no spans are given.")
    ] = None
    rule: Annotated[
        str | None, Meta(description="Id of one of the sample's `rules`, or the rule in words.")
    ] = None
    category: Annotated[str | None, Meta(description="Family of the rule; compared exactly.")] = None
    explanation: Annotated[str | None, Meta(description="Why this breaks the rule.")] = None
    correction: Annotated[str | None, Meta(description="What should stand there instead.")] = None


class Unit(_Frozen, frozen=True):
    """A piece of text that can be judged.

    Ids are readable and stable: `ctx:0a`, `resp:b`, `claim:response:3`, `fact:b.2`, `gold:0`, `pred:1`,
    `answer`. A unit cut from a field keeps `field` and `spans` and no text of its own.
    """

    id: str
    text: Annotated[str | None, Meta(description="The words, unless they are a slice of `field`.")] = None
    field: Annotated[
        str | None, Meta(description="Where it was cut from: `response`, `reference`, `contexts.2`, `text`.")
    ] = None
    spans: Annotated[tuple[Span, ...], Meta(description="[start, end) code points in that field.")] = ()
    digest: Annotated[
        str | None, Meta(description="Short digest of the words, so labels survive another order.")
    ] = None
    note: Annotated[str | None, Meta(description="What was odd about finding it: ambiguous, unlocated.")] = (
        None
    )

    @property
    def kind(self) -> str:
        """The part of the id before the first colon: `ctx`, `resp`, `claim`, `fact`, `gold`, `pred`."""
        return self.id.partition(":")[0]


class Label(_Frozen, frozen=True):
    """One judgement of one unit, perhaps against another, by one source."""

    name: Annotated[str, Meta(description="What was asked: relevant, used, support, check, match …")]
    unit: Annotated[str, Meta(description="Id of the unit judged.")]
    value: Annotated[Value, Meta(description="The judgement; null when there is none (see `reason`).")] = None
    against: Annotated[str | None, Meta(description="Id of the unit it was held against.")] = None
    source: Annotated[
        str,
        Meta(description="Who judged: `rules`, `judge:NAME`, `human:NAME`. One source is scored at a time."),
    ] = ""
    why: Annotated[str | None, Meta(description="Phrase, rule step, overlap or rationale behind it.")] = None
    reason: Annotated[str | None, Meta(description="Why there is no value.")] = None
    probabilities: Annotated[
        dict[str, float] | None, Meta(description="Per value, where the judge gives them.")
    ] = None


class Grid(_Frozen, frozen=True):
    """Verdicts of many units against many others, one character each: a compact table of `check` labels.

    `e` entailed, `c` contradicted, `n` neutral, `x` a verdict that was not recognised, `-` none.
    """

    name: Annotated[str, Meta(description="What was asked; `check` for entailment.")]
    rows: Annotated[tuple[str, ...], Meta(description="Ids of the units judged.")]
    columns: Annotated[tuple[str, ...], Meta(description="Ids of the units they were held against.")]
    cells: Annotated[tuple[str, ...], Meta(description="One string a row, one of `e c n x -` a column.")]
    source: Annotated[str, Meta(description="As on a label.")] = ""
    reason: Annotated[str | None, Meta(description="Why cells are missing.")] = None
    entailed: Annotated[
        tuple[tuple[Annotated[float, Meta(ge=0, le=1)], ...], ...] | None,
        Meta(description="How likely each cell is `e`, row by row, where the judge says so."),
    ] = None
    why: Annotated[str | None, Meta(description="What the judge said of it: grounds, odd answers.")] = None


class Sample(_Frozen, frozen=True, kw_only=True):
    """One answer to be measured, with what there is to measure it against.

    Only `id` is always needed; each protocol says which of the others it needs.
    """

    id: Annotated[str, Meta(description="Unique in its file.", min_length=1)]
    item: Annotated[
        str,
        Meta(description="What is paired and resampled; responses to one question share it. Default: id."),
    ] = ""
    question: Annotated[str | None, Meta(description="What was asked.")] = None
    response: Annotated[str | None, Meta(description="What the system under test answered.")] = None
    contexts: Annotated[
        tuple[str, ...] | None, Meta(description="Retrieved passages, in the order the system saw them.")
    ] = None
    context_ids: Annotated[
        tuple[str, ...] | None, Meta(description="Names of the passages, one each, if they have any.")
    ] = None
    reference: Annotated[
        Answer | None,
        Meta(description="Correct answer: text, or a list of groups that must all occur, each with aliases."),
    ] = None
    counterfactual: Annotated[
        Answer | None, Meta(description="False answer planted in the contexts (rgb counterfactual).")
    ] = None
    ability: Annotated[
        Ability | None, Meta(description="Which rgb ability the sample tests; inferred when absent.")
    ] = None
    text: Annotated[str | None, Meta(description="Text that a rule checker examined (violations).")] = None
    rules: Annotated[tuple[Rule, ...] | None, Meta(description="Rules the checker was given.")] = None
    gold: Annotated[
        tuple[Violation, ...] | None, Meta(description="True violations; an empty list means none.")
    ] = None
    predicted: Annotated[
        tuple[Violation, ...] | None, Meta(description="Flagged violations; an empty list means none.")
    ] = None
    units: Annotated[tuple[Unit, ...], Meta(description="Units that the given labels speak of.")] = ()
    labels: Annotated[tuple[Label, ...], Meta(description="Labels that came with the data.")] = ()
    grids: Annotated[tuple[Grid, ...], Meta(description="Label tables that came with the data.")] = ()
    attributes: Annotated[
        dict[str, Attribute],
        Meta(description="Anything to group by: noise, language, system, split, checker, side …"),
    ] = {}

    def __post_init__(self) -> None:
        if not self.item:
            msgspec.structs.force_setattr(self, "item", self.id)

    @classmethod
    def from_lists(
        cls,
        *,
        id: Sequence[str] | None = None,
        attributes: Sequence[dict[str, Attribute]] | None = None,
        **columns: Sequence[Any],
    ) -> list[Sample]:
        """Samples from parallel lists: `Sample.from_lists(question=[…], response=[…], reference=[…])`.

        Names are those of the fields; ids count from 0 when not given. Lists of unequal length are an error.
        """
        from adjudge.errors import InputError

        given: dict[str, Sequence[Any]] = dict(columns)
        if id is not None:
            given["id"] = id
        if attributes is not None:
            given["attributes"] = attributes
        unknown = sorted(set(given) - set(cls.__struct_fields__))
        if unknown:
            raise InputError(
                f"Sample has no field {', '.join(map(repr, unknown))}",
                fix=f"use one of {', '.join(cls.__struct_fields__)}; put the rest in attributes=",
            )
        strings = sorted(name for name, column in given.items() if isinstance(column, str))
        if strings:
            raise InputError(f"{', '.join(strings)} must be a list, one entry a sample, not one string")
        lengths = {name: len(column) for name, column in given.items()}
        if not lengths:
            return []
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name} has {n}" for name, n in lengths.items())
            raise InputError(f"lists of unequal length: {sizes}", fix="give every list one entry a sample")
        rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
        samples = []
        for index, row in enumerate(rows):
            row.setdefault("id", str(index))
            try:
                samples.append(msgspec.convert(row, cls))
            except msgspec.ValidationError as error:
                raise InputError(str(error), sample=str(row["id"])) from None
        return samples


class Labelled(_Frozen, frozen=True):
    """What a score is computed from: all units of a sample, also those without labels, and the labels."""

    id: str
    item: str
    attributes: dict[str, Attribute]
    units: tuple[Unit, ...]
    labels: tuple[Label, ...]
    grids: tuple[Grid, ...] = ()
    steps: tuple[dict[str, Any], ...] = ()
    """What was done to get the labels: queries, evidence, raw answers. Scores do not depend on it."""


class Count(_Frozen, frozen=True):
    """A number and the units behind it.

    Plain: `n` is the number of `units` (a multiset). With `amounts`: `n` is their sum, one a unit (match
    scores). `constant`: `n` is a parameter and has no units (K of F1@K).
    """

    name: str
    n: int | float
    units: tuple[str, ...] = ()
    amounts: tuple[float, ...] | None = None
    constant: bool = False


class Score(_Frozen, frozen=True):
    """A metric's value for one sample, why it is what it is, and the counts it was divided from."""

    metric: str
    value: float | None = None
    state: State = "defined"
    reason: str | None = None
    counts: tuple[Count, ...] = ()


class Ratio(_Frozen, frozen=True, tag="ratio"):
    """Weighted sum of counts over weighted sum of counts; `cap` limits it to 1."""

    top: dict[str, int]
    bottom: dict[str, int]
    cap: bool = False


class Harmonic(_Frozen, frozen=True, tag="harmonic"):
    """Harmonic mean of two ratios, 0 when either is 0."""

    first: Ratio
    second: Ratio


class Total(_Frozen, frozen=True, tag="total"):
    """A plain count."""

    count: str


class MeanOf(_Frozen, frozen=True, tag="mean"):
    """Mean of other metrics of the same sample."""

    metrics: tuple[str, ...]


Formula = Ratio | Harmonic | Total | MeanOf


class MetricSpec(_Frozen, frozen=True, kw_only=True):
    """What a metric is; `list metrics`, docs, gates and plots read this."""

    name: Annotated[str, Meta(description="protocol.metric")]
    formula: Annotated[Formula, Meta(description="How it follows from counts.")]
    description: Annotated[str, Meta(description="One line for people.")]
    source: Annotated[str, Meta(description="Paper or document that defines it; `adjudge` when ours.")]
    empty: Annotated[str, Meta(description="What an empty denominator gives.")]
    headline: Annotated[Fold, Meta(description="The fold reported first.")] = "macro"
    folds: Annotated[tuple[Fold, ...], Meta(description="The folds that exist.")] = ("macro", "micro")
    higher_is_better: bool = True
    binary: Annotated[bool, Meta(description="Each sample succeeds or fails, so the mean is a rate.")] = False
    scale: Annotated[Literal["unit", "count"], Meta(description="0 to 1, or a count.")] = "unit"
    groups: Annotated[tuple[str, ...], Meta(description="Group names `--metrics` accepts for it.")] = ()
    labels: Annotated[tuple[str, ...], Meta(description="Names of the labels it is computed from.")] = ()
    needs: Annotated[tuple[str, ...], Meta(description="Sample fields it needs besides labels.")] = ()
    within: Annotated[
        tuple[str, ...], Meta(description="Attributes it is never averaged across (rgb: ability).")
    ] = ()
    empty_fold: Annotated[
        float | None, Meta(description="Value over a data set in which no sample is applicable.")
    ] = None
    rounding: Annotated[str | None, Meta(description="Rounding on export to its own tool's files.")] = None

    @property
    def protocol(self) -> str:
        return self.name.partition(".")[0]


class Record(_Frozen, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """One line of a run: a sample under one protocol, with all that its scores rest on."""

    protocol: str
    sample: Sample | None = None
    id: str = ""
    item: str = ""
    attributes: dict[str, Attribute] = {}
    units: tuple[Unit, ...] = ()
    labels: tuple[Label, ...] = ()
    grids: tuple[Grid, ...] = ()
    scores: tuple[Score, ...] = ()
    signature: str = ""
    labeller: Annotated[str, Meta(description="The part of the signature that says who labelled.")] = ""
    input: Annotated[
        str | None, Meta(description="Lean runs: where the sample stands instead of its text.")
    ] = None
    steps: Annotated[
        tuple[dict[str, Any], ...], Meta(description="Steps taken: queries, evidence, raw answers.")
    ] = ()

    def labelled(self) -> Labelled:
        """What `score` takes, to score again without labelling again."""
        return Labelled(self.id, self.item, self.attributes, self.units, self.labels, self.grids)


class SummaryRow(_Frozen, frozen=True, kw_only=True):
    """A metric over the samples of one group."""

    metric: str
    group: dict[str, Attribute] = {}
    fold: Fold
    scale: Annotated[Literal["unit", "count"], Meta(description="As in the metric's spec.")] = "unit"
    value: Annotated[float | None, Meta(description="Over defined and by-convention samples.")] = None
    value_defined: Annotated[float | None, Meta(description="Over defined samples only.")] = None
    interval: Annotated[
        tuple[float, float] | None, Meta(description="95 % bootstrap interval of `value` over items.")
    ] = None
    other: Annotated[dict[str, float | None], Meta(description="The other folds.")] = {}
    samples: Annotated[dict[State, int], Meta(description="Number of samples in each state.")] = {}
    items: Annotated[int, Meta(description="Number of distinct items; a bound once there are thousands.")] = 0
    counts: Annotated[dict[str, int | float], Meta(description="Summed counts.")] = {}
    reasons: Annotated[
        dict[str, int], Meta(description="Why samples are unscored, most frequent first.")
    ] = {}


class NotScored(_Frozen, frozen=True):
    """Samples that no protocol scored, for one reason."""

    samples: int
    ids: Annotated[tuple[str, ...], Meta(description="The first few.")] = ()


class Summary(_Frozen, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """Scores folded over the samples, by any attributes."""

    signatures: dict[str, str]
    by: tuple[str, ...] = ()
    samples: int = 0
    rows: tuple[SummaryRow, ...] = ()
    views: Annotated[
        dict[str, Any], Meta(description="Result objects in a protocol's own words (rgb: RGBMetrics).")
    ] = {}
    not_scored: Annotated[
        dict[str, NotScored], Meta(description="Samples that are in none of the rows, by reason.")
    ] = {}


T = TypeVar("T", bound=Struct)

_encoder = msgspec.json.Encoder()


def to_json(record: Struct) -> bytes:
    """Compact UTF-8 JSON."""
    return _encoder.encode(record)


def from_json(data: bytes | str, kind: type[T]) -> T:
    """The record that `to_json` wrote; raises msgspec.ValidationError with the path of what is wrong."""
    return msgspec.json.decode(data, type=kind)


def digest(text: str) -> str:
    """Short content digest of a unit's words."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def sample_schema() -> dict[str, Any]:
    """JSON Schema of one line of the native sample file."""
    return msgspec.json.schema(Sample)

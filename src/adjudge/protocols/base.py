"""What every protocol is: what it needs, how it labels, how it scores, and its signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from adjudge._version import __version__
from adjudge.errors import InputError
from adjudge.judges.base import Judge, Question
from adjudge.types import Attribute, Grid, Label, Labelled, MetricSpec, Sample, Score, SummaryRow, Unit

MEANT = "protocol"
"""Attribute that names the protocols a sample is meant for, with commas between, where its source says so."""
NONE: Mapping[str, Attribute] = MappingProxyType({})
"""No attributes."""


class Protocol(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published way to measure an answer. Its fields are its parameters; both halves are separate:

    `label` asks (all I/O is inside the judge), `score` divides (pure, no rounding).
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    summary: ClassVar[str]
    specs: ClassVar[tuple[MetricSpec, ...]]
    asks: ClassVar[frozenset[type[Question]]] = frozenset()
    """Questions it cannot do without when it labels raw text."""
    groupings: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Attributes its summary is always folded by besides those asked for."""
    relabels: ClassVar[bool] = False
    """Whether `labelling` speaks of string rules alone, which `relabel` can apply to stored samples."""
    declares: ClassVar[tuple[str, ...]] = ()
    """Attributes by which data sets parameters of its own (violations: `without`)."""

    metrics: tuple[str, ...] = ()
    """Full names of the metrics wanted; empty means all. Only the labels they need are made."""

    @property
    def questions(self) -> frozenset[type[Question]]:
        """Questions it asks when it labels raw text, given its parameters."""
        return self.asks

    @property
    def wanted(self) -> tuple[MetricSpec, ...]:
        """Specs of the metrics asked for, in the protocol's order."""
        if not self.metrics:
            return self.all_specs()
        return tuple(spec for spec in self.all_specs() if spec.name in self.metrics)

    @property
    def wanted_labels(self) -> frozenset[str]:
        """Names of the labels that the wanted metrics rest on."""
        return frozenset(name for spec in self.wanted for name in spec.labels)

    def all_specs(self) -> tuple[MetricSpec, ...]:
        """All metrics, given the parameters (F1@K has one for each K)."""
        return self.specs

    def missing(self, sample: Sample) -> str | None:
        """Name of a field that the sample lacks for labelling, or None if it has all."""
        raise NotImplementedError

    def offers(self, sample: Sample) -> bool:
        """Whether to run on a sample when nobody named a protocol: it has the fields, and means this.

        One that says which noise or ability it tests means rgb alone; an empty list of passages calls for
        nothing that measures them.
        """
        for_rgb = sample.ability or sample.counterfactual or "noise" in sample.attributes
        meant = sample if sample.contexts else msgspec.structs.replace(sample, contexts=None)
        return not for_rgb and self.missing(meant) is None

    def require(self, sample: Sample) -> None:
        """Raise a message that names sample, field and protocol if the sample cannot be labelled."""
        field = self.missing(sample)
        if field is not None:
            raise InputError(
                f"protocol '{self.name}' needs it and the sample has none",
                sample=sample.id,
                field=field,
                fix=f"add {field!r}, leave out '-p {self.name}', or pass over such samples with --skip-bad",
            )

    def owns(self, label: Label | Grid) -> bool:
        """Whether a label that came with the data belongs to this protocol."""
        raise NotImplementedError

    def sources(self, sample: Sample) -> tuple[str, ...]:
        """Who labelled this sample for this protocol already, sorted."""
        if not sample.labels and not sample.grids:
            return ()
        found = {label.source for label in sample.labels if self.owns(label)}
        found.update(grid.source for grid in sample.grids if self.owns(grid))
        return tuple(sorted(found))

    def given(self, sample: Sample, source: str) -> Labelled:
        """The labels that came with the data, by one source, with all units they are counted against."""
        return Labelled(
            sample.id,
            sample.item,
            self.attributes(sample),
            self.given_units(sample),
            tuple(label for label in sample.labels if label.source == source and self.owns(label)),
            tuple(grid for grid in sample.grids if grid.source == source and self.owns(grid)),
        )

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        """Units behind given labels; a protocol adds those that the file leaves out."""
        return sample.units

    def attributes(self, sample: Sample) -> dict[str, Any]:
        """The sample's attributes and what the protocol derives from its fields (rgb: ability)."""
        return sample.attributes

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        """Ask what the wanted metrics need. Independent questions go to the judge together."""
        raise NotImplementedError

    def score(self, labelled: Labelled) -> list[Score]:
        """The wanted metrics from labels alone."""
        raise NotImplementedError

    def gaps(self, labelled: Labelled) -> dict[str, tuple[str, ...]]:  # noqa: ARG002
        """What is missing or wrong, for `explain`: a heading and the ids of the units it speaks of."""
        return {}

    def notes(self, labelled: Labelled) -> list[str]:  # noqa: ARG002
        """More lines for `explain`, where counts and labels do not say all (violations: what beat a pair)."""
        return []

    def view(self, rows: Sequence[SummaryRow]) -> Any | None:  # noqa: ARG002
        """A result object in the protocol's own words, built from the summary, if it has one."""
        return None

    def looks_in(self) -> str | None:
        """What labelling consults besides the sample, told apart by its content; None if nothing."""
        return None

    def parameters(self) -> list[str]:
        """Parameters that change how labels are scored, as `name:value`, for the signature."""
        return []

    def labelling(self) -> list[str]:
        """Those that change which labels are made; for the signature where they were made by us."""
        return []

    def relabel(self, sample: Sample, labelled: Labelled) -> Labelled:
        """The labels under these parameters, where that takes no judge (`relabels`); a judge's are kept."""
        raise NotImplementedError

    def parameters_under(self, attributes: Mapping[str, Attribute]) -> list[str]:  # noqa: ARG002
        """`parameters`, together with those that a sample's attributes set."""
        return self.parameters()

    def signature(self, labeller: str, mark: str = "", attributes: Mapping[str, Attribute] = NONE) -> str:
        """What a number rests on: `rgb|v1|judge:rules|adjudge:0.1.0`.

        `mark` names a profile, if any; `attributes` are those of the sample that the number is about.
        """
        made = self.labelling() if labeller.startswith("judge:") else []
        how = (*self.parameters_under(attributes), *made)
        parts = [self.name, f"v{self.version}", *how, labeller, mark, f"adjudge:{__version__}"]
        return "|".join(filter(None, parts))

"""K of F1@K: the median number of supported facts, or what agrees best with which response people prefer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from adjudge.errors import InputError
from adjudge.metrics.f_at_k import DEFAULT_K
from adjudge.metrics.fold import FEW
from adjudge.metrics.resample import SEED, percentile_interval
from adjudge.stats.calibrate import Array, Rows, item_sums, share
from adjudge.types import Record

_RESAMPLES = 2000


class Facts(Struct, frozen=True):
    """How many facts of a response evidence supports, and how many not."""

    id: str
    item: str
    supported: float
    not_supported: float


class Preference(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of two responses, by sample id, a person prefers."""

    preferred: str
    over: str
    by: str | None = None


class MedianK(Struct, kw_only=True):
    """K as the paper sets it; there is no human decision in it, so no gain to speak of."""

    k: int
    responses: int
    interval: tuple[float, float] | None
    """None below 10 responses."""
    median: float


def facts_of(records: Iterable[Record]) -> list[Facts]:
    """Counts of facts of each response that was scored."""
    found = []
    for record in records:
        if record.protocol != "safe":
            continue
        value = {score.metric: score.value for score in record.scores}
        supported, other = value.get("safe.supported"), value.get("safe.not_supported")
        if supported is not None and other is not None:
            found.append(Facts(record.id, record.item, supported, other))
    if not found:
        raise InputError("the run has no counts of facts", fix="run it with -p safe, without --metrics")
    return found


def median_k(facts: Sequence[Facts]) -> MedianK:
    """The median of supported facts, at least 1, with a bootstrap interval."""
    numbers = np.array([one.supported for one in facts], dtype=np.float64)
    interval = None
    if len(numbers) >= FEW:
        rng = np.random.default_rng(SEED)
        drawn = np.median(rng.choice(numbers, (_RESAMPLES, len(numbers))), axis=1)
        interval = percentile_interval(drawn)
    median = float(np.median(numbers))
    return MedianK(k=max(1, round(median)), responses=len(numbers), interval=interval, median=median)


class PreferenceProblem:
    """Which K makes F1@K prefer what people prefer."""

    what = "k"
    objective = "agreement with preferences"
    default = DEFAULT_K

    def __init__(self, facts: Sequence[Facts], preferences: Sequence[Preference]) -> None:
        known = {one.id: one for one in facts}
        for preference in preferences:
            for id in (preference.preferred, preference.over):
                if id not in known:
                    raise InputError("a preference speaks of it, and the run does not", sample=id)
        if not preferences:
            raise InputError("there are no preferences", fix='write {"preferred": ID, "over": ID}')
        better = [known[one.preferred] for one in preferences]
        worse = [known[one.over] for one in preferences]
        self._of = [one.item for one in better]
        self.items = list(dict.fromkeys(self._of))
        self._better, self._worse = _columns(better), _columns(worse)
        most = int(max(self._better[0].max(), self._worse[0].max()))
        self._choices = np.unique(np.append(np.arange(1, most + 1), DEFAULT_K))

    def counts(self, choice: int) -> Array:
        ahead = f1_at(self._better, choice) - f1_at(self._worse, choice)
        agreed = np.where(ahead > 1e-12, 1.0, np.where(ahead < -1e-12, 0.0, 0.5))
        return item_sums(self._of, self.items, np.stack([agreed, np.ones(len(agreed))], axis=1))

    def value(self, sums: Array) -> Array:
        return share(sums)

    def fit(self, rows: Rows) -> int:
        """All K are tried; of equally good ones, the nearest to the default."""
        values = np.array([float(self.value(self.counts(int(k))[rows].sum(axis=0))) for k in self._choices])
        best = self._choices[values >= values.max() - 1e-12]
        return int(best[np.argmin(np.abs(best - self.default))])

    def settings(self, choice: int) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        return {}, {"safe": {"k": choice}}


def _columns(facts: Sequence[Facts]) -> tuple[Array, Array]:
    table = np.array([(one.supported, one.not_supported) for one in facts], dtype=np.float64)
    return table[:, 0], table[:, 1]


def f1_at(facts: tuple[Array, Array], k: int) -> Array:
    """F1@K of many responses; 0 without supported facts."""
    supported, other = facts
    precision = np.divide(supported, supported + other, out=np.zeros_like(supported), where=supported > 0)
    recall = np.minimum(1.0, supported / k)
    total = precision + recall
    value: Array = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return value

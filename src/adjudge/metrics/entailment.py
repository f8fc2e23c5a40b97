"""Which claims of an answer, a reference and its passages entail one another: RAGChecker's counts. Pure.

A `Table` holds the verdicts of one text's claims as columns, one character a claim (`e c n x -`, see
types.Grid). A column becomes a bit mask over the claims, so that every set below is a few integer operations.
Only `e` is entailed; `x` (a verdict nobody knows) counts as not entailed, `-` is no verdict at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from msgspec import Struct

from adjudge.types import Count, Grid, Label

VERDICTS = {"entailed": "e", "contradicted": "c", "neutral": "n"}

_RANK = {"e": 4, "c": 3, "n": 2, "x": 1, "-": 0}
_BITS = {char: str.maketrans({other: "01"[other == char] for other in _RANK}) for char in "ecn"}
_is_one = "1".__eq__


class Table(Struct, frozen=True):
    """Verdicts of one text's claims: a column for each text they were held against, one character a claim."""

    claims: tuple[str, ...]
    columns: dict[str, str]
    likely: dict[str, tuple[float, ...]] = {}
    """How likely each claim is entailed by a text, for texts where that was said of all claims."""

    def missing(self, targets: Iterable[str]) -> int:
        """Number of verdicts that are lacking against these texts."""
        missing = 0
        for target in targets:
            column = self.columns.get(target)
            if column is None:
                missing += len(self.claims)
            elif "-" in column:
                missing += column.count("-")
        return missing


class Tally(Struct, frozen=True):
    """Counts by name; those that cannot be counted, and why."""

    counts: dict[str, Count]
    lacking: dict[str, str]


def table(claims: tuple[str, ...], grids: Iterable[Grid], labels: Iterable[Label] = ()) -> Table:
    """One table out of grids and plain labels that may be split by row, by column or both.

    Where two speak of one pair, `e` goes before `c`, `n`, `x` and `-`, in whatever order they come.
    Raises ValueError for a grid whose cells do not fit its rows and columns.
    """
    columns: dict[str, str] = {}
    likely: dict[str, tuple[float, ...]] = {}
    for grid in grids:
        for target, column in _columns(grid, claims).items():
            before = columns.get(target)
            columns[target] = column if before is None else _stronger(before, column)
        if grid.entailed is not None and grid.rows == claims:
            likely |= _likely(grid)
    for target, column in _label_columns(claims, labels).items():
        columns[target] = _stronger(columns[target], column) if target in columns else column
    return Table(claims, columns, likely)


def _columns(grid: Grid, claims: tuple[str, ...]) -> dict[str, str]:
    if grid.rows != claims and set(claims).isdisjoint(grid.rows):
        return {}
    width, cells = len(grid.columns), "".join(grid.cells)
    if len(grid.cells) != len(grid.rows) or not {width}.issuperset(map(len, grid.cells)):
        raise ValueError(
            f"a grid of {len(grid.rows)} rows and {width} columns has cells "
            f"{[len(row) for row in grid.cells]} wide"
        )
    columns = {target: cells[k::width] for k, target in enumerate(grid.columns)}
    if grid.rows == claims:
        return columns
    place = {claim: k for k, claim in enumerate(grid.rows)}
    order = [place.get(claim, -1) for claim in claims]
    return {target: "".join(col[k] if k >= 0 else "-" for k in order) for target, col in columns.items()}


def _likely(grid: Grid) -> dict[str, tuple[float, ...]]:
    rows = grid.entailed or ()
    if len(rows) != len(grid.rows) or not {len(grid.columns)}.issuperset(map(len, rows)):
        raise ValueError(
            f"a grid of {len(grid.rows)} rows and {len(grid.columns)} columns says how likely "
            f"{[len(row) for row in rows]} cells are"
        )
    return {target: tuple(row[k] for row in rows) for k, target in enumerate(grid.columns)}


def _label_columns(claims: tuple[str, ...], labels: Iterable[Label]) -> dict[str, str]:
    place = {claim: k for k, claim in enumerate(claims)}
    found: dict[str, list[str]] = {}
    for label in labels:
        if label.against is None or label.unit not in place:
            continue
        column = found.setdefault(label.against, ["-"] * len(claims))
        char = "-" if label.value is None else VERDICTS.get(str(label.value), "x")
        column[place[label.unit]] = max(column[place[label.unit]], char, key=_RANK.__getitem__)
    return {target: "".join(column) for target, column in found.items()}


def _stronger(first: str, second: str) -> str:
    return "".join(max(a, b, key=_RANK.__getitem__) for a, b in zip(first, second, strict=True))


def count_claims(response: Table | None, reference: Table | None, passages: Sequence[str]) -> Tally:
    """All RAGChecker counts that the verdicts allow.

    `response` holds the response's claims against `reference` and the passages, `reference` the reference's
    claims against `response` and the passages; None where a text was never split into claims.
    """
    counts: dict[str, Count] = {}
    lacking: dict[str, str] = {}
    chunks = tuple(passages)
    counts["passages"] = Count("passages", len(chunks), chunks)
    correct = _one_side(response, "response", "reference", "correct_claims", counts, lacking)
    recalled = _one_side(reference, "reference", "response", "recalled_claims", counts, lacking)
    relevant = _retrieval(reference, recalled, chunks, counts, lacking)
    _grounding(response, correct, chunks, relevant, counts, lacking)
    return Tally(counts, lacking)


def _one_side(
    side: Table | None,
    text: str,
    other: str,
    entailed: str,
    counts: dict[str, Count],
    lacking: dict[str, str],
) -> int | None:
    """Claims of one text against the whole other text, by verdict; the mask of the entailed ones."""
    total, names = f"{text}_claims", (entailed, f"{text}_contradicted", f"{text}_neutral")
    if side is None:
        lacking[total] = f"the {text} was not split into claims"
        lacking.update(dict.fromkeys(names, lacking[total]))
        return None
    counts[total] = Count(total, len(side.claims), side.claims)
    missing = side.missing((other,))
    if missing:
        why = f"{missing} of {len(side.claims)} {text} claims have no verdict against the {other}"
        lacking.update(dict.fromkeys(names, why))
        return None
    column = side.columns.get(other, "")
    masks = [_mask(column, char) for char in "ecn"]
    for name, mask in zip(names, masks, strict=True):
        counts[name] = _count(name, side.claims, mask)
    if not side.claims or other in side.likely:
        shares = side.likely.get(other, ())
        counts[f"likely_{entailed}"] = Count(f"likely_{entailed}", sum(shares), side.claims, shares)
    return masks[0]


def _retrieval(
    reference: Table | None,
    recalled: int | None,
    passages: tuple[str, ...],
    counts: dict[str, Count],
    lacking: dict[str, str],
) -> list[bool] | None:
    """Reference claims found in the passages; which passages are relevant, in order."""
    why = _ungrounded(reference, "reference", passages)
    if reference is None or why is not None:
        lacking.update(dict.fromkeys(("covered_claims", "relevant_passages", "used_claims"), why or ""))
        return None
    masks = [_mask(reference.columns.get(passage, "")) for passage in passages]
    relevant = [mask > 0 for mask in masks]
    covered = _union(masks)
    hits = tuple(compress(passages, relevant))
    counts["relevant_passages"] = Count("relevant_passages", len(hits), hits)
    counts["covered_claims"] = _count("covered_claims", reference.claims, covered)
    if recalled is None:
        lacking["used_claims"] = lacking["recalled_claims"]
    else:
        counts["used_claims"] = _count("used_claims", reference.claims, covered & recalled)
    return relevant


def _grounding(
    response: Table | None,
    correct: int | None,
    passages: tuple[str, ...],
    relevant: list[bool] | None,
    counts: dict[str, Count],
    lacking: dict[str, str],
) -> None:
    """Response claims by where they come from: relevant passages, irrelevant ones, or none."""
    noise, beyond = ("relevant_noise", "irrelevant_noise"), ("hallucinated_claims", "self_known_claims")
    why = _ungrounded(response, "response", passages)
    if response is None or why is not None:
        lacking.update(dict.fromkeys((*noise, *beyond, "faithful_claims"), why or ""))
        return
    claims = response.claims
    masks = [_mask(response.columns.get(passage, "")) for passage in passages]
    faithful = _union(masks)
    counts["faithful_claims"] = _count("faithful_claims", claims, faithful)
    if correct is None:
        lacking.update(dict.fromkeys((*noise, *beyond), lacking["correct_claims"]))
        return
    # Without passages upstream calls nothing hallucinated, and without reference claims nothing noise;
    # the counts follow, so that they agree with the value 0 given there by convention.
    everything = (1 << len(claims)) - 1 if passages else 0
    counts["hallucinated_claims"] = _count("hallucinated_claims", claims, everything & ~faithful & ~correct)
    counts["self_known_claims"] = _count("self_known_claims", claims, everything & ~faithful & correct)
    if relevant is None:
        lacking.update(dict.fromkeys(noise, lacking["relevant_passages"]))
        return
    if counts["reference_claims"].n == 0:
        masks = []
    in_relevant = _union(compress(masks, relevant))
    in_irrelevant = _union(masks) & ~in_relevant
    counts["relevant_noise"] = _count("relevant_noise", claims, in_relevant & ~correct)
    counts["irrelevant_noise"] = _count("irrelevant_noise", claims, in_irrelevant & ~correct)


def _ungrounded(side: Table | None, text: str, passages: tuple[str, ...]) -> str | None:
    if side is None:
        return f"the {text} was not split into claims"
    missing = side.missing(passages)
    if not missing:
        return None
    pairs = len(side.claims) * len(passages)
    return f"{missing} of {pairs} checks of {text} claims against passages are missing"


def _mask(column: str, char: str = "e") -> int:
    try:
        return int(column.translate(_BITS[char]), 2) if column else 0
    except ValueError:
        raise ValueError(f"verdicts are written e, c, n, x or -, not {column!r}") from None


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _count(name: str, ids: tuple[str, ...], mask: int) -> Count:
    if not mask:
        return Count(name, 0)
    chosen = tuple(compress(ids, map(_is_one, format(mask, f"0{len(ids)}b"))))
    return Count(name, len(chosen), chosen)


class Whole(Struct, frozen=True):
    """A text's claims as one verdict, by two rules; None, as long as there are no claims."""

    strict: str | None
    """The worst verdict among them: one contradicted claim is enough."""
    major: str | None
    """The most frequent verdict; of equally frequent ones the worst, so that order does not matter."""


def whole(entailed: float, neutral: float, contradicted: float) -> Whole:
    """RefChecker's response-level verdicts from the numbers of claims."""
    found = [("contradicted", contradicted), ("neutral", neutral), ("entailed", entailed)]
    there = [(verdict, n) for verdict, n in found if n]
    if not there:
        return Whole(None, None)
    return Whole(there[0][0], max(there, key=lambda pair: pair[1])[0])


def gaps(counts: Mapping[str, Count]) -> dict[str, tuple[str, ...]]:
    """What to look at first, as far as counted: a heading and the units it speaks of."""
    parts = {
        "reference claims that the response lacks": ("reference_claims", "recalled_claims"),
        "response claims in no passage": ("response_claims", "faithful_claims"),
        "passages without a reference claim": ("passages", "relevant_passages"),
    }
    found = {}
    for heading, (whole, part) in parts.items():
        if whole in counts and part in counts and (part != "faithful_claims" or counts["passages"].n):
            taken = set(counts[part].units)
            found[heading] = tuple(unit for unit in counts[whole].units if unit not in taken)
    return found


def numpy_round(value: float) -> float:
    """One decimal as numpy rounds: times 10, half to even, over 10. Not Python's round: 0.15 gives 0.2."""
    return round(value * 10) / 10


def numpy_mean(values: Sequence[float]) -> float:
    """Mean by numpy's pairwise summation, so that exported aggregates agree with the reference tool's."""
    import numpy

    return float(numpy.mean(numpy.asarray(values, dtype=numpy.float64)))

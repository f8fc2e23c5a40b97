"""What RAGChecker measures: the eleven published ratios and plain counts, and a sample's scores of them."""

from __future__ import annotations

from adjudge.metrics.entailment import Tally
from adjudge.metrics.ratios import not_applicable, scored, unscored
from adjudge.types import Formula, Harmonic, MetricSpec, Ratio, Score, Total

_NEEDS = {
    "overall_metrics": ("response", "reference"),
    "retriever_metrics": ("reference", "contexts"),
    "generator_metrics": ("response", "reference", "contexts"),
    "expected_metrics": ("response", "reference"),
    "counts": ("response", "reference"),
}
_RESPONSE, _REFERENCE, _PASSAGES = "response_claims", "reference_claims", "passages"
_EMPTY = {
    _RESPONSE: "no response claims",
    _REFERENCE: "no reference claims",
    _PASSAGES: "no passages",
    "covered_claims": "no reference claim is in any passage",
}
_NONEMPTY = {
    "precision": (_RESPONSE,),
    "recall": (_REFERENCE,),
    "f1": (_RESPONSE, _REFERENCE),
    "precision_expected": (_RESPONSE,),
    "recall_expected": (_REFERENCE,),
    "f1_expected": (_RESPONSE, _REFERENCE),
    "claim_recall": (_REFERENCE, _PASSAGES),
    "context_precision": (_REFERENCE, _PASSAGES),
    "context_utilization": (_REFERENCE, _PASSAGES, "covered_claims"),
    "noise_sensitivity_in_relevant": (_RESPONSE, _PASSAGES, _REFERENCE),
    "noise_sensitivity_in_irrelevant": (_RESPONSE, _PASSAGES, _REFERENCE),
    "hallucination": (_RESPONSE, _PASSAGES),
    "self_knowledge": (_RESPONSE, _PASSAGES),
    "faithfulness": (_RESPONSE, _PASSAGES),
}
"""What must not be empty; otherwise the metric is 0 by convention."""


def _spec(group: str, name: str, formula: Formula, description: str, *, up: bool = True) -> MetricSpec:
    counted = group == "counts"
    return MetricSpec(
        name=f"ragchecker.{name}",
        formula=formula,
        description=description,
        source="adjudge" if group == "expected_metrics" else "RAGChecker",
        empty="0" if counted else "0 by convention",
        higher_is_better=up,
        scale="count" if counted else "unit",
        groups=(group,) if group in ("counts", "expected_metrics") else (group, "all_metrics"),
        labels=("check",),
        needs=("response", "contexts") if name == "faithfulness" else _NEEDS[group],
        rounding=None if counted else "numpy, 1 decimal of percent",
    )


def _of(part: str, whole: str) -> Ratio:
    return Ratio({part: 1}, {whole: 1})


def _overall() -> tuple[MetricSpec, ...]:
    precision, recall = _of("correct_claims", _RESPONSE), _of("recalled_claims", _REFERENCE)
    group = "overall_metrics"
    return (
        _spec(group, "precision", precision, "Share of response claims that the reference entails."),
        _spec(group, "recall", recall, "Share of reference claims that the response entails."),
        _spec(group, "f1", Harmonic(precision, recall), "Harmonic mean of precision and recall."),
    )


def _expected() -> tuple[MetricSpec, ...]:
    """The overall metrics with each verdict as likely as the judge finds it, instead of yes or no."""
    precision = _of("likely_correct_claims", _RESPONSE)
    recall = _of("likely_recalled_claims", _REFERENCE)
    group = "expected_metrics"
    return (
        _spec(group, "precision_expected", precision, "Precision, from how likely each claim is entailed."),
        _spec(group, "recall_expected", recall, "Recall, from how likely each claim is entailed."),
        _spec(group, "f1_expected", Harmonic(precision, recall), "Harmonic mean of these two."),
    )


def _retriever() -> tuple[MetricSpec, ...]:
    group = "retriever_metrics"
    covered, relevant = _of("covered_claims", _REFERENCE), _of("relevant_passages", _PASSAGES)
    return (
        _spec(group, "claim_recall", covered, "Share of reference claims that some passage entails."),
        _spec(group, "context_precision", relevant, "Share of passages that entail some reference claim."),
    )


def _generator() -> tuple[MetricSpec, ...]:
    rows = (
        (
            "context_utilization",
            "used_claims",
            "covered_claims",
            "in the passages that the response has too",
            1,
        ),
        ("noise_sensitivity_in_relevant", "relevant_noise", _RESPONSE, "wrong and in a relevant passage", 0),
        (
            "noise_sensitivity_in_irrelevant",
            "irrelevant_noise",
            _RESPONSE,
            "wrong, only in irrelevant ones",
            0,
        ),
        ("hallucination", "hallucinated_claims", _RESPONSE, "wrong and in no passage", 0),
        ("self_knowledge", "self_known_claims", _RESPONSE, "right and in no passage", 1),
        ("faithfulness", "faithful_claims", _RESPONSE, "in some passage", 1),
    )
    return tuple(
        _spec(
            "generator_metrics",
            name,
            _of(part, whole),
            f"Share of {'response' if whole == _RESPONSE else 'reference'} claims {words}.",
            up=bool(up),
        )
        for name, part, whole, words, up in rows
    )


def _counts() -> tuple[MetricSpec, ...]:
    rows = (
        ("response_entailed", "correct_claims", "Response claims that the reference entails."),
        ("response_neutral", "response_neutral", "Response claims that the reference leaves open."),
        ("response_contradicted", "response_contradicted", "Response claims the reference contradicts."),
        ("reference_entailed", "recalled_claims", "Reference claims that the response entails."),
        ("reference_neutral", "reference_neutral", "Reference claims that the response leaves open."),
        ("reference_contradicted", "reference_contradicted", "Reference claims the response contradicts."),
    )
    return tuple(
        _spec("counts", name, Total(count), text, up=name.endswith("entailed")) for name, count, text in rows
    )


def _count_names(formula: Formula) -> tuple[str, ...]:
    """Counts a formula rests on, in reading order."""
    if isinstance(formula, Ratio):
        return (*formula.top, *formula.bottom)
    if isinstance(formula, Harmonic):
        return (*_count_names(formula.first), *_count_names(formula.second))
    return (formula.count,) if isinstance(formula, Total) else ()


SPECS = (*_overall(), *_retriever(), *_generator(), *_counts(), *_expected())
_RESTS_ON = {
    spec.name: (_count_names(spec.formula), _NONEMPTY.get(spec.name.partition(".")[2], ())) for spec in SPECS
}


def score_of(spec: MetricSpec, tally: Tally, contexts: bool) -> Score:
    """One metric from the counts; `contexts` is whether the sample can speak of passages."""
    if not contexts and "contexts" in spec.needs:
        return not_applicable(spec.name, "no contexts given")
    counts = tally.counts
    names, nonempty = _RESTS_ON[spec.name]
    for name in names:
        verdicts = name.removeprefix("likely_")
        if name != verdicts and name not in counts and verdicts not in tally.lacking:
            return not_applicable(spec.name, "the verdicts come without probabilities")
    if tally.lacking:
        for name in (*names, *nonempty):
            if name not in counts:
                return unscored(spec.name, tally.lacking[name.removeprefix("likely_")])
    behind = tuple([counts[name] for name in names])
    for name in nonempty:
        if not counts[name].n:
            return scored(spec, behind, convention=(0.0, _EMPTY[name]))
    return scored(spec, behind)

"""Verdicts of the model and its last layer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.base import LabelSentences
from adjudge.judges.local.asked import at_evidence_precision, claim_sentences, unspoken
from adjudge.judges.local.calibration import TraceLabels, bundled_calibration, signals
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.labelling import adherence, whole_pair
from adjudge.judges.local.mix import ModelVerifier, similarities
from adjudge.judges.local.model import PairScore
from adjudge.judges.local.verifier import NOTHING, Opinion
from adjudge.judges.local.windows import BUDGET, passages

TRUTH = "The capital of France is Paris and it's 105.4 square kilometers with a population of 2.1M"


@pytest.fixture(scope="module")
def verifier() -> ModelVerifier:
    return ModelVerifier()


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Paris is the capital of France", "entailed"),
        ("Paris covers 105 square kilometers", "entailed"),
        ("Paris has 2M people", "entailed"),
        ("Paris has 5M people", "contradicted"),
        ("Paris is the capital of Germany", "contradicted"),
    ],
)
def test_figures_entail_at_the_precision_stated(verifier: ModelVerifier, claim: str, verdict: str) -> None:
    assert verifier.verdicts([claim], [TRUTH])[0].verdict == verdict


def test_a_verdict_is_the_same_alone_and_in_any_batch() -> None:
    claims = [
        "The museum opened in 1901.",
        "The museum opened in 1950.",
        "Entry is free. It closes at six.",
        "Bees sing.",
    ]
    evidence = "The museum opened in 1901. Entry costs nothing. It is open from ten to six. " * 3
    together = ModelVerifier().verdicts(claims, [evidence] * 4)
    for claim, found in zip(claims, together, strict=True):
        alone = ModelVerifier().verdicts([claim], [evidence])[0]
        assert alone.verdict == found.verdict
        assert alone[:3] == pytest.approx(found[:3], abs=1e-4)


def test_probabilities_add_up(verifier: ModelVerifier) -> None:
    opinion = verifier.verdicts(["Snow is warm."], ["Snow is cold. It melts in spring."])[0]
    assert sum(opinion[:3]) == pytest.approx(1.0)
    assert "margin" in opinion.why


def test_nothing_to_compare_is_neutral(verifier: ModelVerifier) -> None:
    assert verifier.verdicts(["", "A claim."], ["Some text.", "  "]) == [NOTHING, NOTHING]


def test_other_scripts_are_left_to_the_features(verifier: ModelVerifier) -> None:
    claim, text = "巴黎有210万人口", "巴黎的人口为210万。"
    assert verifier.verdicts([claim], [text]) == verifier._words.verdicts([claim], [text])


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("It covers 105 square kilometers.", "It covers 105.4 square kilometers."),
        ("It covers 105.4 square kilometers.", "It covers 105.4 square kilometers."),
        ("It covers 300 square kilometers.", "It covers 300 square kilometers."),
        ("It is large.", "It is large."),
    ],
)
def test_agreeing_figures_are_asked_as_the_evidence_has_them(claim: str, asked: str) -> None:
    assert at_evidence_precision(claim, Evidence("The park is 105.4 square kilometers.")) == asked


@pytest.mark.parametrize(
    ("claim", "text", "asked"),
    [
        ("The dose is 0.5 mg.", "The dose is 1 mg.", "The dose is 0.5 mg."),
        ("Its area is 105.4 ha.", "Its area is about 105 ha.", "Its area is 105.4 ha."),
        ("It needs Python 3.10.", "It needs Python 3.1.", "It needs Python 3.10."),
        ("It has 1500 beds.", "It has 1,500 beds.", "It has 1,500 beds."),
        ("It seats 250 guests.", "It seats two hundred fifty guests.", "It seats two hundred fifty guests."),
        ("It began on 5 March 1990.", "It began on 1990-03-05.", "It began on 1990-03-05."),
        ("It began in 1990.", "It began on 1990-03-05.", "It began in 1990."),
        ("It leaves at 2:30 pm.", "It leaves at 14:30.", "It leaves at 14:30."),
    ],
)
def test_only_figures_that_are_as_exact_replace_those_of_a_claim(claim: str, text: str, asked: str) -> None:
    assert at_evidence_precision(claim, Evidence(text)) == asked


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["The cat sat.", "Dogs bark loudly.", "It rained.", "Nobody came."]), max_size=12
    )
)
def test_windows_keep_to_the_budget(sentences: list[str]) -> None:
    evidence = Evidence(" ".join(sentences))
    found = passages("The cat barked in the rain.", evidence)
    assert len(found) <= BUDGET
    assert bool(found) == bool(evidence.sentences)
    assert len({p.numbers for p in found}) == len(found)
    assert all(0 <= n < len(evidence.sentences) for p in found for n in p.numbers)


def test_windows_find_the_sentence_that_speaks_of_the_claim() -> None:
    text = (
        " ".join(f"Paragraph {n} is about gardening." for n in range(30))
        + " The rocket reached orbit on Friday."
    )
    evidence = Evidence(text)
    assert any("rocket" in p.text(evidence) for p in passages("A rocket reached orbit.", evidence, 1))


@pytest.mark.parametrize("told", ["1,846 people took part.", "It took place on 3 May 1846."])
def test_windows_find_the_sentence_with_the_figure_of_the_claim(told: str) -> None:
    text = " ".join(f"The festival of Karvik has a parade, a choir and stall {n}." for n in range(20, 35))
    evidence = Evidence(f"{text} {told}")
    claim = "The festival of Karvik, with a parade and a choir, began in 1846."
    claim = (
        claim if "May" in told else "The festival of Karvik, with a parade and a choir, drew 1,846 people."
    )
    assert told in passages(claim, evidence)[0].text(evidence)


def test_a_short_text_is_read_whole_and_only_once() -> None:
    evidence = Evidence("Paris is the capital of France. Lyon is a large city in France.")
    (whole,) = passages("Lyon is the capital of France.", evidence)
    assert whole.text(evidence) == evidence.text


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Paris is the capital of France.", True),
        ("The capital of France is Paris.", True),
        ("Lyon is the capital of France.", False),
        ("The capital of France is Lyon.", False),
    ],
)
def test_words_of_two_sentences_do_not_make_a_claim_true(
    verifier: ModelVerifier, claim: str, right: bool
) -> None:
    (opinion,) = verifier.verdicts(
        [claim], ["Paris is the capital of France. Lyon is a large city in France."]
    )
    assert (opinion.verdict == "entailed") == right


def test_similarity_is_symmetric_and_one_for_equal_texts() -> None:
    a, b, c = "A man is playing a guitar.", "Someone plays the guitar.", "The stock market fell."
    near, back, far, same = similarities([(a, b), (b, a), (a, c), (a, a)])
    assert near == back
    assert near > 0.6 > 0.4 > far
    assert same == 1.0


def test_traces_are_probabilities(verifier: ModelVerifier) -> None:
    told = (("0a", "Ann Berg painted the fence in June."), ("0b", "The sea is wide."))
    asked = LabelSentences("Who painted the fence?", told, (("a", "Ann Berg painted it."),))
    labels = verifier.traces([asked])[0]
    assert labels.relevant[0] > 0.5 > labels.relevant[1]
    assert all(0 <= p <= 1 for part in (labels.relevant, labels.used, labels.supported) for p in part)


def test_adherence_rises_with_all_views() -> None:
    asked = LabelSentences(
        "When did it open?",
        (("0a", "It opened in 1911."),),
        (("a", "It opened in 1911."), ("b", "It is red.")),
    )
    sure, unsure = (
        {whole_pair(asked): opinion} for opinion in (Opinion(0.9, 0.05, 0.05, ""), Opinion(0.3, 0.6, 0.1, ""))
    )
    well, badly, worse = (
        TraceLabels([], [], supported, borne_out)
        for supported, borne_out in (
            ([0.9, 0.8], [3.0, 2.0]),
            ([0.2, 0.3], [3.0, 2.0]),
            ([0.2, 0.3], [-3.0, 2.0]),
        )
    )
    found = [
        adherence(asked, *views) for views in ((sure, well), (sure, badly), (sure, worse), (unsure, worse))
    ]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4
    assert adherence(asked, sure, None) == 0.9


def test_what_is_read_off_the_text_is_not_outweighed() -> None:
    contexts = (("0a", "Hall was born in 1846."), ("0b", "Terman was born in 1877."))
    asked = LabelSentences("Who was older?", contexts, (("a", "Terman was born before Hall."),))
    labels = LocalJudge().answer([asked])[0].value
    assert labels.support[0].support == "none"
    assert labels.probability < 0.2
    view = TraceLabels([], [], [0.99], [9.0])
    told = {whole_pair(asked): Opinion(0.1, 0.1, 0.8, "", settled=True)}
    assert adherence(asked, told, view) == 0.1


def test_sentences_that_state_nothing_do_not_count_against_adherence() -> None:
    contexts = (("0a", "The bridge opened in 1911."), ("0b", "It is painted red."))
    plain = (("a", "The bridge opened in 1911."),)
    silent = (("b", "The toll is not mentioned in the provided context."), ("c", "Here are the steps: 1."))
    judge = LocalJudge()
    asked = [LabelSentences("When did it open?", contexts, said) for said in (plain, plain + silent, silent)]
    alone, longer, nothing = (reply.value for reply in judge.answer(asked))
    assert [entry.support for entry in longer.support] == ["full"] * 3
    assert longer.support[1].supported_by == longer.support[2].supported_by == ("supported_without_sentence",)
    assert all(labels.overall_supported and labels.probability > 0.5 for labels in (alone, longer, nothing))


def test_the_calibration_belongs_to_the_model(verifier: ModelVerifier) -> None:
    assert bundled_calibration().model == verifier.model.digest
    assert verifier.name.endswith("+mix" + bundled_calibration().version)


def test_what_the_evidence_does_not_speak_of_is_not_contradicted() -> None:
    from adjudge.judges.local.verifier import make_verifier

    claims = ["Dogs travel free.", "Paris is not the capital of France."]
    evidence = ["The ferry leaves at 8. It carries cars.", "Paris is the capital of France."]
    verdicts = [opinion.verdict for opinion in make_verifier().verdicts(claims, evidence)]
    assert verdicts == ["neutral", "contradicted"]


def test_the_model_is_not_asked_what_the_evidence_does_not_speak_of() -> None:
    verifier = ModelVerifier()
    before = verifier.model.inputs
    opinion = verifier.verdicts(
        ["The senator resigned on Monday."], ["Goats climb well. Bread rises slowly."]
    )[0]
    assert verifier.model.inputs == before
    assert opinion.verdict == "neutral"
    assert "no passage" in opinion.why
    assert sum(opinion[:3]) == pytest.approx(1.0)


def test_what_is_not_asked_has_the_same_signals_whatever_its_scores() -> None:
    evidence = Evidence("Goats climb well. Bread rises slowly.")
    for claim, same in (("The senator resigned on Monday.", True), ("Goats climb.", False)):
        sentences = claim_sentences(claim, evidence, 2)
        sure = [[PairScore(9.0, -9.0, -9.0, 0.0, 0.0)]]
        assert (signals(sentences, sure, 37) == signals(sentences, [[]], 37)) is same


def test_a_claim_without_words_is_left_to_the_model() -> None:
    assert not unspoken(claim_sentences("It is.", Evidence("Goats climb well."), 2))


def test_a_sentence_and_a_window_are_read_once_whatever_text_they_come_from() -> None:
    verifier = ModelVerifier()
    shared = "The old mill was bought by a baker in 1911."
    claim = "A baker bought the old mill in 1911."
    first = verifier.verdicts([claim], [shared])[0]
    before = verifier.model.inputs
    found = verifier.verdicts([claim], [shared + "\n\n"])[0]
    assert verifier.model.inputs == before
    assert found == first


def test_other_windows_are_read_only_where_one_sentence_has_a_good_part_of_the_claim() -> None:
    text = " ".join(f"Paragraph {n} is about gardening." for n in range(9))
    evidence = Evidence(text + " The rocket reached orbit on Friday.")
    assert len(passages("A rocket reached orbit.", evidence)) == BUDGET
    assert len(passages("The senator spoke of pensions, tariffs and orbit.", evidence)) == 1


@pytest.mark.parametrize(
    ("evidence", "true", "false"),
    [
        (
            "The Eiffel Tower is in Paris and was completed in 1889.",
            "The Eiffel Tower is in Paris.",
            "The Eiffel Tower is in Berlin.",
        ),
        (
            "The drug reduced mortality by 12% in adults.",
            "The drug reduced mortality in adults.",
            "The drug increased mortality in adults.",
        ),
        (
            "Maria Olsen founded the company; Peter Berg later became its director.",
            "Maria Olsen founded the company.",
            "Peter Berg founded the company.",
        ),
        (
            "The warranty covers parts but not labour.",
            "The warranty covers parts.",
            "The warranty covers labour.",
        ),
        (
            "The bridge was closed in 2010 and reopened in 2014.",
            "The bridge reopened in 2014.",
            "The bridge reopened in 2010.",
        ),
        ("Sales rose in Europe and fell in Asia.", "Sales rose in Europe.", "Sales rose in Asia."),
    ],
)
def test_what_anybody_tries_first(verifier: ModelVerifier, evidence: str, true: str, false: str) -> None:
    """Words of the evidence put together wrongly. Weights that score well on long texts may lose this."""
    held, wrong = verifier.verdicts([true, false], [evidence, evidence])
    assert held.verdict == "entailed"
    assert wrong.verdict != "entailed"

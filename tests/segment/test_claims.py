from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.segment.claims import split_claims
from adjudge.segment.sentences import split_sentences


def texts(text: str, *, fine: bool = False) -> list[str]:
    return [claim.text for claim in split_claims(text, fine=fine)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Paris is the capital of France. It covers 105 square kilometers and has 2M people.",
            [
                "Paris is the capital of France.",
                "Paris covers 105 square kilometers.",
                "Paris has 2M people.",
            ],
        ),
        (
            "The capital of France is Paris and it's 105.4 square kilometers with a population of 2.1M",
            [
                "The capital of France is Paris.",
                "Paris is 105.4 square kilometers.",
                "Paris has a population of 2.1M.",
            ],
        ),
        (
            "Paris is the capital of France with 5 million people.",
            ["Paris is the capital of France.", "Paris has 5 million people."],
        ),
        (
            "Paris is the capital of France and it's 105.4 square kilometers with a population of 2.1 million"
            " people.",
            [
                "Paris is the capital of France.",
                "Paris is 105.4 square kilometers.",
                "Paris has a population of 2.1 million people.",
            ],
        ),
    ],
)
def test_worked_examples_of_the_claim_document(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Mira Holm, who was born in Bergen, wrote two operas and has many pupils.",
            ["Mira Holm was born in Bergen.", "Mira Holm wrote two operas.", "Mira Holm has many pupils."],
        ),
        (
            "The firm, a maker of pumps, was founded in 1950.",
            ["The firm is a maker of pumps.", "The firm was founded in 1950."],
        ),
        (
            "She won an Oscar, a Tony and an Emmy in 1999.",
            ["She won an Oscar in 1999.", "She won a Tony in 1999.", "She won an Emmy in 1999."],
        ),
        (
            "Olsen moved to Oslo, becoming a painter; his wife stayed in Rome.",
            ["Olsen moved to Oslo.", "Olsen became a painter.", "Olsen's wife stayed in Rome."],
        ),
        (
            "Bo Lund (born May 5, 1960) is a writer. His first book sold 3,000 copies.",
            [
                "Bo Lund was born May 5, 1960.",
                "Bo Lund is a writer.",
                "Bo Lund's first book sold 3,000 copies.",
            ],
        ),
        ("He was born in Lund and raised in Malmö.", ["He was born in Lund.", "He was raised in Malmö."]),
        ("If it rains and pours, the match is off.", ["If it rains and pours, the match is off."]),
        ("The treaty between Chile and Peru was signed.", ["The treaty between Chile and Peru was signed."]),
        ("The film stars Ana Ruiz and Leo Fox [1].", ["The film stars Ana Ruiz.", "The film stars Leo Fox."]),
    ],
)
def test_clauses_and_lists(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "While the A1 has a small screen, the A2 has a large one.",
            ["The A2 has a large one.", "The A1 has a small screen."],
        ),
        ("Although it rained, they played.", ["They played.", "It rained."]),
        (
            "Orn has 9,000 people, making it the largest town of the island.",
            ["Orn has 9,000 people.", "Orn is the largest town of the island."],
        ),
        (
            "The law passed in May, making it illegal to smoke.",
            ["The law passed in May.", "The law made it illegal to smoke."],
        ),
    ],
)
def test_what_hangs_on_a_clause_is_told_in_full(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


def test_facts_are_finer_than_claims() -> None:
    text = "Maria Rossi was born in Rome on 5 May 1960. She never lived in Spain."
    assert texts(text, fine=True) == [
        "Maria Rossi was born in Rome.",
        "Maria Rossi was born on 5 May 1960.",
        "Maria Rossi never lived in Spain.",
    ]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Lisbon lies on the Tagus. It also has a castle. It never freezes, and it usually rains there.",
            [
                "Lisbon lies on the Tagus.",
                "Lisbon also has a castle.",
                "Lisbon never freezes.",
                "It usually rains there.",
            ],
        ),
        (
            "Bo Lund is a poet. He, however, sold no books. His wife never complained.",
            [
                "Bo Lund is a poet.",
                "Bo Lund, however, sold no books.",
                "Bo Lund's wife never complained.",
            ],
        ),
        (
            "The mill closed in 1920; today it is a museum. In 1990 it also burned.",
            [
                "The mill closed in 1920.",
                "Today the mill is a museum.",
                "In 1990, the mill also burned.",
            ],
        ),
    ],
)
def test_pronouns_among_adverbs_are_replaced_and_the_adverbs_stay(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Ada Brenholt designed the Tarnwick bridge. It was finished in 1852. She died young. It is old.",
            [
                "Ada Brenholt designed the Tarnwick bridge.",
                "The Tarnwick bridge was finished in 1852.",
                "Ada Brenholt died young.",
                "The Tarnwick bridge is old.",
            ],
        ),
        (
            "Nora Vale wrote and directed Low Tide in 1990. It won a prize.",
            [
                "Nora Vale wrote Low Tide in 1990.",
                "Nora Vale directed Low Tide in 1990.",
                "Low Tide won a prize.",
            ],
        ),
        # What is made again and again is not what the text is about, nor is it what someone is made by.
        ("Tesco sells tea. It is British.", ["Tesco sells tea.", "Tesco is British."]),
        ("Acme makes the Puffin. It is in Ohio.", ["Acme makes the Puffin.", "Acme is in Ohio."]),
        (
            "Acme was founded by Ada Berg. It makes pumps.",
            ["Acme was founded by Ada Berg.", "Acme makes pumps."],
        ),
    ],
)
def test_it_is_what_somebody_made(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


def test_a_denial_is_not_cut_down() -> None:
    assert texts("Rossi never sang in Milan.", fine=True) == ["Rossi never sang in Milan."]


@pytest.mark.parametrize("text", ["", "  \n", "…", "I don't know.", "Is it so?", "Here are the steps:"])
def test_texts_without_a_statement(text: str) -> None:
    assert texts(text) == []


@pytest.mark.parametrize(
    "text", ["N/A", "Hello!", "Good morning!", "Happy to help.", "Hope this helps!", "You are welcome."]
)
def test_courtesies_are_no_claims(text: str) -> None:
    assert texts(text) == []
    assert texts(f"The mill was built in 1820. {text}") == ["The mill was built in 1820."]


def test_a_bare_answer_is_a_claim() -> None:
    assert texts("Paris") == ["Paris."]


def test_chinese_clauses_get_their_subject() -> None:
    assert texts("巴黎是法国的首都，面积105平方公里，人口210万。它位于塞纳河畔。") == [
        "巴黎是法国的首都。",
        "巴黎面积105平方公里。",
        "巴黎人口210万。",
        "巴黎位于塞纳河畔。",
    ]


def test_other_languages_by_sentence() -> None:
    found = split_claims("Rom ist alt und hat viele Brunnen. Es liegt am Tiber.", "de")
    assert [claim.sentence for claim in found] == [0, 1]


@given(st.text(max_size=120))
def test_spans_lie_in_their_sentence(text: str) -> None:
    sentences = split_sentences(text)
    for claim in split_claims(text, fine=True):
        start, end = sentences[claim.sentence]
        assert start <= claim.span[0] < claim.span[1] <= end


_WORDS = (
    "Ada Rome the a of and , ; which who is was has won built in 1990 with over 5 million people it she not"
    ' " ( )'
)


@given(st.lists(st.sampled_from(_WORDS.split()), min_size=1, max_size=25))
def test_any_order_of_words_gives_tidy_claims(words: list[str]) -> None:
    for claim in split_claims(" ".join(words) + ".", fine=True):
        assert claim.text == " ".join(claim.text.split())
        assert claim.text.strip(" .")


@pytest.mark.parametrize(
    ("text", "language", "claim"),
    [
        ("नदी पहाड़ से आती है।", "hi", "नदी पहाड़ से आती है।"),
        ("نہر پہاڑ سے آتی ہے۔", "ur", "نہر پہاڑ سے آتی ہے۔"),
        ("川は山から来ます。", "ja", "川は山から来ます。"),
        ("川は山から来ます", "ja", "川は山から来ます"),
        ("Река течёт с гор.", "ru", "Река течёт с гор."),
        ("강은 산에서 온다.", "ko", "강은 산에서 온다."),
        ("แม่น้ำไหลมาจากภูเขา", "th", "แม่น้ำไหลมาจากภูเขา"),
        ("河流来自山上…", "zh", "河流来自山上…"),
        ("Der Fluß kommt aus dem Süden", "de", "Der Fluß kommt aus dem Süden."),
    ],
)
def test_no_foreign_stop_is_added(text: str, language: str, claim: str) -> None:
    assert [found.text for found in split_claims(text, language)] == [claim]


def test_a_question_in_arabic_script_states_nothing() -> None:
    assert split_claims("من أين يأتي النهر؟", "ar") == []


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "It is stated that Bo Lund left Malmö and that he sold the mill.",
            ["Bo Lund left Malmö.", "Bo Lund sold the mill."],
        ),
        (
            "The text says that the mill is old, that the dam was rebuilt, and that Ada Moe left.",
            ["The mill is old.", "The dam was rebuilt.", "Ada Moe left."],
        ),
        (
            "The mayor said that the mill is old, that the dam was rebuilt, and that Ada Moe left.",
            [
                "The mayor said that the mill is old.",
                "The mayor said that the dam was rebuilt.",
                "The mayor said that Ada Moe left.",
            ],
        ),
    ],
)
def test_each_thing_that_is_said_is_a_claim(text: str, claims: list[str], fine: bool) -> None:
    assert texts(text, fine=fine) == claims

"""Scripts other than Latin: what stands there is entailed, what does not is left open, clashes are seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import adjudge
from adjudge.judges.local.foreign import denied, is_foreign, probabilities
from adjudge.judges.local.labelling import nearest, relevant_sentences
from adjudge.judges.local.verifier import make_verifier
from adjudge.judges.local.words import bag


class Case(NamedTuple):
    evidence: str
    there: tuple[str, ...]
    against: tuple[str, ...]
    elsewhere: tuple[str, ...]


CASES = {
    "zh": Case(
        "北京是中国的首都，人口约两千一百万。长城位于北京北部。老磨坊建于1850年，位于河边。",
        ("北京是中国的首都", "长城位于北京北部。", "磨坊建于1850年", "人口约两千一百万", "长城在北京北部"),
        ("老磨坊建于1950年，位于河边。", "长城不位于北京北部。"),
        ("香蕉是一种水果。", "他每天早上喝茶。", "上海是中国的首都"),
    ),
    "ja": Case(
        "東京は日本の首都です。富士山の高さは3776メートルです。京都には古い寺がたくさんあります。",
        ("東京は日本の首都です。", "富士山の高さは3776メートルです", "東京は日本の首都"),
        ("富士山の高さは2776メートルです。", "東京は日本の首都ではありません。"),
        ("猫は魚を食べます。", "大阪は日本の首都です。"),
    ),
    "ar": Case(
        "القاهرة هي عاصمة مصر. يبلغ طول نهر النيل 6650 كيلومترا. بنيت الطاحونة القديمة عام 1850 بجانب النهر.",
        (
            "القاهرة هي عاصمة مصر.",
            "يبلغ طول نهر النيل 6650 كيلومترا",
            "عاصمة مصر",
            "بنيت طاحونة قديمة عام 1850",
        ),
        ("بنيت الطاحونة القديمة عام 1950 بجانب النهر.", "القاهرة ليست عاصمة مصر."),
        ("القطط تحب السمك.", "بيروت هي عاصمة مصر."),
    ),
    "ru": Case(
        "Москва является столицей России. Старая мельница построена в 1850 году у реки.",
        (
            "Москва является столицей России.",
            "Старая мельница построена в 1850 году",
            "Москва — столица России",
        ),
        ("Старая мельница построена в 1950 году у реки.", "Москва не является столицей России."),
        ("Кошки любят рыбу.", "Казань является столицей России."),
    ),
    "ko": Case(
        "서울은 대한민국의 수도입니다. 오래된 방앗간은 1850년에 강가에 지어졌습니다.",
        ("서울은 대한민국의 수도입니다.", "오래된 방앗간은 1850년에 강가에 지어졌습니다"),
        ("오래된 방앗간은 1950년에 강가에 지어졌습니다.",),
        ("고양이는 생선을 좋아합니다.", "부산은 대한민국의 수도입니다."),
    ),
    "hi": Case(
        "दिल्ली भारत की राजधानी है। पुरानी चक्की 1850 में नदी के किनारे बनी थी।",
        ("दिल्ली भारत की राजधानी है।", "पुरानी चक्की 1850 में नदी के किनारे बनी थी"),
        ("पुरानी चक्की 1950 में नदी के किनारे बनी थी।", "दिल्ली भारत की राजधानी नहीं है।"),
        ("बिल्लियाँ मछली पसंद करती हैं।",),
    ),
    "he": Case(
        "ירושלים היא בירת ישראל. הטחנה הישנה נבנתה בשנת 1850 ליד הנהר.",
        ("ירושלים היא בירת ישראל.", "הטחנה הישנה נבנתה בשנת 1850 ליד הנהר"),
        ("הטחנה הישנה נבנתה בשנת 1950 ליד הנהר.",),
        ("חתולים אוהבים דגים.", "חיפה היא בירת ישראל."),
    ),
    "th": Case(
        "กรุงเทพเป็นเมืองหลวงของประเทศไทย โรงสีเก่าสร้างขึ้นในปี 1850 ริมแม่น้ำ",
        ("กรุงเทพเป็นเมืองหลวงของประเทศไทย", "โรงสีเก่าสร้างขึ้นในปี 1850 ริมแม่น้ำ"),
        ("โรงสีเก่าสร้างขึ้นในปี 1950 ริมแม่น้ำ",),
        ("แมวชอบปลา",),
    ),
    "el": Case(
        "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας. Ο μύλος χτίστηκε το 1850.",
        ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.", "Ο μύλος χτίστηκε το 1850", "Η ΑΘΗΝΑ ΕΙΝΑΙ Η ΠΡΩΤΕΥΟΥΣΑ"),
        ("Ο μύλος χτίστηκε το 1950.",),
        ("Οι γάτες τρώνε ψάρια.",),
    ),
}


@pytest.mark.parametrize("verifier", ["features", "bundled"])
@pytest.mark.parametrize("language", CASES)
def test_claims_in_other_scripts(language: str, verifier: str) -> None:
    case = CASES[language]
    judge = make_verifier(verifier)
    for verdict, claims in (
        ("entailed", case.there),
        ("contradicted", case.against),
        ("neutral", case.elsewhere),
    ):
        for claim, opinion in zip(claims, judge.verdicts(claims, [case.evidence] * len(claims)), strict=True):
            assert opinion.verdict == verdict, (claim, opinion)
            assert sum(opinion[:3]) == pytest.approx(1.0)


@pytest.mark.parametrize("language", CASES)
def test_a_whole_text_entails_itself_and_not_another_language(language: str) -> None:
    judge = make_verifier("features")
    evidence = CASES[language].evidence
    other = CASES["ar" if language == "zh" else "zh"].evidence
    same, apart = judge.verdicts([evidence, evidence], [evidence, other])
    assert same.verdict == "entailed"
    assert (apart.verdict, apart.entailed < 0.1) == ("neutral", True)


@pytest.mark.parametrize(
    ("claim", "passage", "negated"),
    [
        ("位于河边", "磨坊不位于河边", True),
        ("磨坊位于河边", "磨坊位于河边，不对外开放", False),
        ("磨坊不对外开放", "磨坊位于河边。磨坊不对外开放。", False),
        ("東京は日本の首都", "東京は日本の首都ではありません", True),
        ("東京は首都です", "東京は首都ですが、京都は首都ではありません", False),
        ("Москва столица", "Москва не столица", True),
        ("서울은 수도입니다", "서울은 수도가 아닙니다", True),
        ("中国", "面包", False),
    ],
)
def test_negations_count_where_they_deny_the_claim(claim: str, passage: str, negated: bool) -> None:
    assert denied(claim, passage) is negated


def test_which_texts_are_foreign() -> None:
    assert is_foreign("老磨坊建于1850年")
    assert is_foreign("Москва")
    assert not is_foreign("The city called 北京 by those who live there is large.")
    assert not is_foreign("Café au lait, œuvre, Łódź")
    assert not is_foreign("")


def test_sentences_that_answer_the_question_are_relevant() -> None:
    contexts = [
        ("0a", "老磨坊建于1850年，位于河边。"),
        ("0b", "今天的面包很好吃。"),
        ("1a", "长城位于北京北部。"),
    ]
    assert relevant_sentences("老磨坊建于哪一年？", contexts)[0] == ("0a",)
    assert relevant_sentences("香蕉多少钱？", contexts)[0] == ()
    assert relevant_sentences("老磨坊建于哪一年？", [])[0] == ()
    assert nearest(bag("老磨坊建于1850年。"), contexts) == ("0a",)


def test_characters_count_in_pairs_and_words_beside_them_as_words() -> None:
    assert bag("iPhone手机很好").weights.keys() == {"iphon", "手机", "机很", "很好"}
    assert bag("长城不在河边").negations == 1


@pytest.mark.parametrize(
    ("question", "context", "response"),
    [
        ("老磨坊建于哪一年？", "老磨坊建于1850年，位于河边。", "老磨坊建于1850年。"),
        (
            "富士山の高さはどのくらいですか？",
            "富士山の高さは3776メートルです。",
            "富士山の高さは3776メートルです。",
        ),
        (
            "متى بنيت الطاحونة القديمة؟",
            "بنيت الطاحونة القديمة عام 1850 بجانب النهر.",
            "بنيت الطاحونة القديمة عام 1850.",
        ),
    ],
    ids=["zh", "ja", "ar"],
)
def test_whole_runs(question: str, context: str, response: str) -> None:
    noise = "Bread is baked on Sundays."
    sample = {"id": "s", "question": question, "contexts": [context, noise], "response": response,
              "reference": response}  # fmt: skip
    found = adjudge.evaluate([sample], ["trace", "ragchecker", "safe"], judge="local")
    wanted = {
        "trace.relevance": 0.5,
        "trace.utilization": 0.5,
        "trace.adherence": 1.0,
        "ragchecker.f1": 1.0,
        "ragchecker.faithfulness": 1.0,
        "ragchecker.context_precision": 0.5,
        "safe.precision": 1.0,
    }
    assert {metric: found.value(metric) for metric in wanted} == wanted


def test_chinese_documents_that_hold_the_answer_have_relevant_sentences(data: Callable[[str], Path]) -> None:
    lines = data("rgb/zh_refine.json").read_text(encoding="utf-8").splitlines()[:100]
    found = []
    for row in map(json.loads, lines):
        contexts = [(str(n), text) for n, text in enumerate(row["positive"][:1])]
        found += [bool(relevant_sentences(row["query"], contexts)[0])]
    assert sum(found) >= 90


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("تأسست الجامعة عام ١٩٢٥.", "تأسست الجامعة عام ١٩٠٨."),
        ("عدد سكان المدينة ٥ ملايين نسمة.", "عدد سكان المدينة ٩ ملايين نسمة."),
        ("विश्वविद्यालय की स्थापना १९१६ में हुई थी।", "विश्वविद्यालय की स्थापना १९५० में हुई थी।"),
        ("人口は３５万人です。", "人口は９０万人です。"),
        ("Население города составляет 5 миллионов человек.", "Население города составляет 5 тысяч человек."),
        ("인구는 5백만 명이다.", "인구는 5천만 명이다."),
    ],
)
def test_figures_are_compared_in_their_own_script(claim: str, text: str) -> None:
    assert probabilities(claim, text)[0][0] < 0.5
    assert probabilities(claim, claim)[0][0] > 0.5

"""Clauses, asides and lists that lie inside one another: each part is told of what it speaks of."""

from __future__ import annotations

import pytest

from adjudge.segment.claims import split_claims


def facts(text: str) -> list[str]:
    return [claim.text for claim in split_claims(text, fine=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The League is a union of 53 states, most of which were once provinces.",
            ["The League is a union of 53 states.", "Most of 53 states were once provinces."],
        ),
        (
            "Ada is a painter, some of whose works hang in Rome.",
            ["Ada is a painter.", "Some of a painter's works hang in Rome."],
        ),
        (
            "The firm, whose founder was Ada Brun, closed in 1990.",
            ["The firm's founder was Ada Brun.", "The firm closed in 1990."],
        ),
        (
            "The mill, which Ada Brun built, burned down in 1900.",
            ["Ada Brun built the mill.", "The mill burned down in 1900."],
        ),
        (
            "The plan, which the board said was too costly, failed.",
            ["The board said the plan was too costly.", "The plan failed."],
        ),
        (
            "The war, in which 10,000 soldiers died, ended in 1921.",
            ["In the war 10,000 soldiers died.", "The war ended in 1921."],
        ),
        (
            "Her first book, published when she was nineteen, was a novel.",
            [
                "Her first book was published.",
                "Her first book was published when she was nineteen.",
                "Her first book was a novel.",
            ],
        ),
        (
            "The show, created by Tom Beck and starring Ines Moll, ended.",
            ["The show was created by Tom Beck.", "The show stars Ines Moll.", "The show ended."],
        ),
        (
            "She was the first woman to fly to Peru, doing so in 1931.",
            ["She was the first woman to fly to Peru.", "She was the first woman to fly to Peru in 1931."],
        ),
        ("Marie Holm, 45, said she was shocked.", ["Marie Holm is 45.", "Marie Holm said she was shocked."]),
        (
            "Marie Holm, 45, who runs the shop, said she was shocked.",
            ["Marie Holm runs the shop.", "Marie Holm, 45 said she was shocked."],
        ),
        ("She is a painter whose works hang.", ["She is a painter.", "Her works hang."]),
    ],
)
def test_asides_and_the_clauses_around_them(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Not only did the team win the cup, but it also won the league.",
            ["The team did win the cup.", "The team also won the league."],
        ),
        (
            "Not only has Peter Hall written books, but he has also made films.",
            ["Peter Hall has written books.", "Peter Hall has also made films."],
        ),
        (
            "Kite was founded by Ada Brun, with Tom Falk joining as chairman in 2004.",
            [
                "Kite was founded by Ada Brun.",
                "Tom Falk joined as chairman.",
                "Tom Falk joined as chairman in 2004.",
            ],
        ),
        (
            "The novel tells the tale of a man who finds a map and sails to an island.",
            [
                "The novel tells the tale of a man who finds a map.",
                "The novel tells the tale of a man who sails to an island.",
            ],
        ),
        (
            "The fair takes place every August in Lund and attracts crowds.",
            [
                "The fair takes place every August.",
                "The fair takes place every August in Lund.",
                "The fair attracts crowds.",
            ],
        ),
        (
            "Symptoms include fever and cough, and usually appear within days.",
            ["Symptoms include fever.", "Symptoms include cough.", "Symptoms usually appear within days."],
        ),
        (
            "Her father was a teacher and her mother a nurse.",
            ["Her father was a teacher.", "Her mother was a nurse."],
        ),
        (
            "The basic plan costs $10 a month and the other plan $25.",
            ["The basic plan costs $10 a month.", "The other plan costs $25."],
        ),
        (
            "He was arrested for theft and sentenced to two years in prison.",
            [
                "He was arrested for theft.",
                "He was sentenced to two years.",
                "He was sentenced to two years in prison.",
            ],
        ),
        (
            "The contract may be ended by either party with 30 days' notice.",
            [
                "The contract may be ended by either party.",
                "The contract may be ended by either party with 30 days' notice.",
            ],
        ),
        (
            "The plant can grow up to two metres tall and produces white flowers.",
            ["The plant can grow up to two metres tall.", "The plant produces white flowers."],
        ),
    ],
)
def test_verbs_are_told_of_their_own_subjects(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "He studied law at Leeds and economics at York before becoming a journalist.",
            [
                "He studied law at Leeds.",
                "He studied economics at York.",
                "He studied law at Leeds and economics at York before becoming a journalist.",
            ],
        ),
        (
            "The marsh was once home to herons, otters and newts.",
            [
                "The marsh was once home to herons.",
                "The marsh was once home to otters.",
                "The marsh was once home to newts.",
            ],
        ),
        (
            "When rents fall, people move to the coast, pushing up prices there.",
            [
                "People move to the coast.",
                "When rents fall, people move to the coast.",
                "People push up prices there.",
            ],
        ),
        (
            "The river is home to ten kinds of fish, including trout.",
            [
                "The river is home to ten kinds of fish.",
                "The river is home to ten kinds of fish including trout.",
            ],
        ),
        (
            "The crisis led to the collapse of Lark Bank, Dunn & Co., and several smaller lenders.",
            [
                "The crisis led to the collapse of Lark Bank.",
                "The crisis led to the collapse of Dunn & Co.",
                "The crisis led to the collapse of several smaller lenders.",
            ],
        ),
        (
            "Users can cancel at any time by email, by phone, or through the app.",
            [
                "Users can cancel at any time.",
                "Users can cancel at any time by email.",
                "Users can cancel at any time by phone.",
                "Users can cancel at any time through the app.",
            ],
        ),
        (
            "Its population grew from 12,000 in 1950 to more than 40,000 by 2010.",
            ["Its population grew from 12,000 in 1950 to more than 40,000 by 2010."],
        ),
        (
            "The temperature ranges from -10 °C in winter to 35 °C in summer.",
            ["The temperature ranges from -10 °C in winter to 35 °C in summer."],
        ),
        (
            "The firm is worth about $3 billion, up from $1 billion in 2019.",
            [
                "The firm is worth about $3 billion.",
                "The firm is worth about $3 billion, up from $1 billion in 2019.",
            ],
        ),
        (
            "Water boils at 100 °C at sea level, but at lower temperatures at higher altitudes.",
            [
                "Water boils at 100 °C.",
                "Water boils at 100 °C at sea level.",
                "Water boils at lower temperatures.",
                "Water boils at lower temperatures at higher altitudes.",
            ],
        ),
        (
            "The countries signed a deal in May, their first since 1980.",
            [
                "The countries signed a deal.",
                "The countries signed a deal in May.",
                "The countries signed a deal in May, their first since 1980.",
            ],
        ),
        (
            "He wrote several books, among them Long Field and Night Rain.",
            [
                "He wrote several books.",
                "He wrote several books among them Long Field.",
                "He wrote several books among them Night Rain.",
            ],
        ),
        (
            "The study found that those who exercise live longer.",
            ["The study found that those who exercise live longer."],
        ),
        (
            "As the name suggests, the blue tit is mostly blue.",
            ["The blue tit is mostly blue.", "As the name suggests, the blue tit is mostly blue."],
        ),
        (
            "Her mother, a Swede, and her father, a Dane, met in Paris.",
            ["Her mother is a Swede.", "Her father is a Dane.", "Her mother met in Paris."],
        ),
        (
            "There are two kinds of rock in the region: granite and basalt.",
            [
                "There are two kinds of rock.",
                "There are two kinds of rock in the region.",
                "There are granite.",
                "There are basalt.",
            ],
        ),
    ],
)
def test_phrases_that_belong_together(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


def test_a_list_of_unlike_things_is_not_taken_for_one_of_places() -> None:
    assert "The firm has offices in a research centre." not in facts(
        "The firm has offices in Turin and a research centre in Graz."
    )


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "The shed uses fans, with careful cooling methods fitted to make the cows give more milk.",
            ["The shed uses fans, with careful cooling methods fitted to make the cows give more milk."],
        ),
        (
            "Prices rose, with Holm raising rents in May.",
            ["Prices rose.", "Holm raised rents in May."],
        ),
        (
            "There is no survey of farms that use wells and reduced water supplies for growing figs.",
            ["There is no survey of farms that use wells and reduced water supplies for growing figs."],
        ),
        (
            "The mill uses fans and improved drying rooms for storing oats.",
            ["The mill uses fans and improved drying rooms for storing oats."],
        ),
        (
            "She wrote plays and directed operas.",
            ["She wrote plays.", "She directed operas."],
        ),
        (
            "The firm makes tents and employed people in 1990.",
            ["The firm makes tents.", "The firm employed people in 1990."],
        ),
    ],
)
def test_what_a_noun_is_like_is_no_verb(text: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(text)] == claims

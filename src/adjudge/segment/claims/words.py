"""Closed word classes of English, for the claim splitter."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


BE = word_set("is are was were 's am isn't aren't wasn't weren't")
FORMS_OF_BE = BE | word_set("be been being")
HAVE = word_set("has have had 've hasn't haven't hadn't having")
MODALS = word_set(
    "can could will would may might must shall should cannot can't won't couldn't wouldn't shouldn't"
    " mustn't 'll do does did doesn't don't didn't"
)
AUXILIARIES = BE | HAVE | MODALS | {"'re", "'d"}
PAST_AUXILIARIES = word_set("was were had did wasn't weren't hadn't didn't")
CLITICS = word_set("'s 're 've 'd 'll")

DETERMINERS = word_set(
    "the a an this that these those his her its their our my your some any each every no another both"
    " several many most all such other few various"
)
ARTICLES = word_set("the a an his her its their our my your this these those")
PREPOSITIONS = word_set(
    "of in on at by for with from to into over under between among amongst through throughout during"
    " about against within across near around as per via upon toward towards onto since until till than"
    " like unlike including after before behind beyond beside besides despite without alongside above"
    " below along inside outside off past according apart aside due following amid because concerning"
    " regarding except opposite"
)
SUBJECT_PRONOUNS = word_set("it he she they")
POSSESSIVES = word_set("its his her their")
PERSONAL = word_set("he she his her")
PRONOUNS = SUBJECT_PRONOUNS | word_set("we you i there him them us me himself herself itself themselves")
RELATIVES = word_set("who which whose whom where")
SUBORDINATORS = word_set("if unless when whenever whether because although though once while whereas")
CONDITIONS = word_set("if unless whether whenever except excluding")
DENIALS = word_set("not never no neither nor hardly n't cannot none nobody nothing")
CONCESSIONS = word_set("although though while whereas")
COORDINATORS = word_set("and but while whereas or yet nor")
MONTHS = word_set("january february march april may june july august september october november december")
_DOUBLE_NAMES = word_set(
    "bosnia-herzegovina trinidad-tobago antigua-barbuda kitts-nevis vincent-grenadines tomé-príncipe"
    " turks-caicos johnson-johnson procter-gamble marks-spencer simon-garfunkel barnes-noble"
    " romeo-juliet tom-jerry beauty-beast pride-prejudice sense-sensibility war-peace crime-punishment"
    " tyne-wear newfoundland-labrador castile-león hansel-gretel ernst-young smith-wesson bang-olufsen"
    " rhythm-blues r-b rock-roll"
)
"""What stands on both sides of the `and` in a name."""


def is_double_name(before: str, after: str) -> bool:
    """Whether `and` between two words is part of a name: "Bosnia and Herzegovina"."""
    return f"{before}-{after}".lower() in _DOUBLE_NAMES


NUMERALS = word_set(
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty"
    " hundred thousand million billion"
)
ADVERBS = word_set(
    "also then later subsequently eventually currently now still often usually generally typically"
    " widely not never only always already soon initially originally previously recently once again"
    " mainly mostly primarily officially formerly first even further furthermore however thus therefore"
    " hence instead twice here very quite rather too just almost about ago together abroad well n't"
    " perhaps sometimes today nearly moreover nevertheless meanwhile afterwards afterward alone so"
    " either up down out away back"
)
NOT_ADVERBS = word_set(
    "family early july italy reply supply apply rely daily weekly monthly yearly friendly likely lovely"
    " elderly assembly anomaly monopoly ally bully rally fly jelly belly lily deadly costly lonely holy"
    " ugly silly orderly scholarly timely lively hourly quarterly chilly hilly curly woolly bodily homily"
)

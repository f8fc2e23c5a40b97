"""String rules that tell whether a response gives an answer, refuses, or points out an error.

Two families, kept apart. The flexible rules are those of RGBMetrics; the official ones those of the RGB
benchmark. Every rule returns (verdict, why), where `why` is the phrase, step or overlap that decided.

One departure from RGBMetrics: a typographic apostrophe (’) counts as a straight one, because models write
"I don’t know" both ways and the phrases have only the straight form. The official rules are left exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from adjudge.types import Answer

Finding = tuple[bool, str]

REFUSAL_PHRASES = (
    "i can not answer the question because of the insufficient information in documents",
    "insufficient information in documents",
    "can not answer",
    "cannot answer",
)
REFUSAL_KEYWORDS = (
    "i don't know",
    "i cannot",
    "i can't",
    "unable to",
    "not able to",
    "insufficient information",
    "no information",
    "cannot determine",
    "cannot answer",
    "not enough information",
    "don't have enough",
    "unable to determine",
    "cannot find",
    "no relevant",
    "not mentioned",
    "not provided",
    "not specified",
    "unclear",
    "unknown",
    "i'm not sure",
    "i am not sure",
    "cannot be determined",
    "information is not available",
    "does not provide",
)
ERROR_KEYWORDS = (
    "incorrect",
    "wrong",
    "false",
    "error",
    "mistake",
    "inaccurate",
    "not true",
    "not correct",
    "factually incorrect",
    "contradicts",
    "actually",
    "in fact",
    "however",
    "but actually",
    "the correct answer",
    "should be",
)
OFFICIAL_REFUSAL = ("insufficient information", "信息不足")
OFFICIAL_ERROR = ("factual errors", "事实性错误")
_REFUSALS = tuple(dict.fromkeys(REFUSAL_PHRASES + REFUSAL_KEYWORDS))
_END_MARKS = ".!?,;:"


def _trim(search: str) -> str:
    return " ".join(search.strip().rstrip(_END_MARKS).split())


def searchable(text: str) -> str:
    """Lower case, with straight apostrophes: the form in which texts and phrases are compared."""
    return text.lower().replace("’", "'")


def normalise(text: str) -> str:
    """Lower case, without end punctuation and extra white space; punctuation inside stays."""
    return _trim(searchable(text))


_BLOCK = re.compile(r"<(think|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPENS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSES = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """What a reasoning model answers, without the thoughts between `<think>` and `</think>`.

    Some servers leave out the first tag, since the prompt ended with it; without the last one the model never
    came to answer.
    """
    if "<" not in text:
        return text
    text = _CLOSES.split(_BLOCK.sub("", text))[-1]
    return _OPENS.split(text, maxsplit=1)[0]


class Alias(Struct, frozen=True):
    """One spelling of an answer, with the copies that the rules search for."""

    text: str
    lower: str
    search: str
    normal: str
    words: frozenset[str]


class Group(Struct, frozen=True):
    """Spellings of one part of an answer; any of them will do. Without aliases it can never be found."""

    aliases: tuple[Alias, ...]

    @property
    def text(self) -> str:
        return " | ".join(alias.text for alias in self.aliases)


class Response(Struct):
    """A response with the copies that the rules search in, each made once."""

    official: str
    official_lower: str
    search: str
    normal: str
    word_set: frozenset[str] | None = None

    @property
    def words(self) -> frozenset[str]:
        """Made on demand: most responses are decided before words are compared."""
        if self.word_set is None:
            self.word_set = frozenset(self.normal.split())
        return self.word_set


def prepare(text: str, *, chinese: bool = False) -> Response:
    """A response to apply rules to. The official rules first take all spaces out of a Chinese one."""
    lower = text.lower()
    search = lower.replace("’", "'")
    if chinese:
        return Response(text.replace(" ", ""), lower.replace(" ", ""), search, _trim(search))
    return Response(text, lower, search, _trim(search))


def groups(answer: Answer) -> tuple[Group, ...]:
    """Parts of an answer that must all be given: the outer list is all-of, an inner one any-of.

    Spellings of which normalising leaves nothing are dropped: as substrings they would be found anywhere.
    """
    parts = (answer,) if isinstance(answer, str) else answer or ("",)
    return tuple(Group(_aliases((part,) if isinstance(part, str) else part)) for part in parts)


def _aliases(spellings: Iterable[str]) -> tuple[Alias, ...]:
    found = []
    for text in spellings:
        lower = text.lower()
        search = searchable(text)
        normal = _trim(search)
        if normal:
            found.append(Alias(text, lower, search, normal, frozenset(normal.split())))
    return tuple(found)


def flexible(response: Response, group: Group) -> Finding:
    """RGBMetrics: an alias inside the response, the response inside an alias, or 80 % of an alias's words."""
    normal = response.normal
    if not normal:
        return False, "empty response"
    for alias in group.aliases:
        if alias.normal in normal:
            return True, f"substring: {alias.text}"
    for alias in group.aliases:
        if len(normal) < len(alias.normal) and normal in alias.normal:
            return True, f"contained in: {alias.text}"
    return _overlap(response.words, group)


def _overlap(words: frozenset[str], group: Group) -> Finding:
    """The alias with the largest share of its words in the response; compared without dividing."""
    best, shared, total = None, 0, 1
    for alias in group.aliases:
        n, of = len(alias.words & words), len(alias.words)
        if best is None or n * total > shared * of:
            best, shared, total = alias, n, of
    if best is None:
        return False, "empty answer"
    return 5 * shared >= 4 * total, f"overlap {shared}/{total}: {best.text}"


def strict(response: Response, group: Group) -> Finding:
    """RGBMetrics in strict mode: equal to an alias after normalising."""
    for alias in group.aliases:
        if alias.normal == response.normal:
            return True, f"equal: {alias.text}"
    return False, "equal to no alias"


def official(response: Response, group: Group) -> Finding:
    """RGB: an alias inside the response, ignoring case only. Refusals are a rule of their own."""
    text = response.official_lower
    for alias in group.aliases:
        if alias.lower in text:
            return True, f"substring: {alias.text}"
    return False, "no alias found"


def match(rule: Callable[[Response, Group], Finding], response: Response, answer: Answer) -> Finding:
    """A whole answer by one of the rules above: every group by any alias; `why` is the group that decided."""
    found: Finding = (False, "empty answer")
    for group in groups(answer):
        found = rule(response, group)
        if not found[0]:
            break
    return found


def _first(phrases: tuple[str, ...], text: str, otherwise: str) -> Finding:
    for phrase in phrases:
        if phrase in text:
            return True, phrase
    return False, otherwise


def refusal(response: Response, phrases: tuple[str, ...] = _REFUSALS) -> Finding:
    """RGBMetrics: one of 4 phrases or 24 keywords anywhere, ignoring case; or one of other phrases."""
    return _first(phrases, response.search, "no refusal phrase")


def refusal_official(response: Response) -> Finding:
    """RGB: the fixed phrase, with its case."""
    return _first(OFFICIAL_REFUSAL, response.official, "no refusal phrase")


def error_flag(
    response: Response, false_groups: tuple[Group, ...] = (), phrases: tuple[str, ...] = ERROR_KEYWORDS
) -> Finding:
    """RGBMetrics: one of 16 keywords anywhere, or a false answer denied ("not X", "X is wrong")."""
    text = response.search
    found = _first(phrases, text, "no error keyword")
    if found[0]:
        return found
    for group in false_groups:
        for alias in group.aliases:
            for phrase in (f"not {alias.search}", f"{alias.search} is wrong"):
                if phrase in text:
                    return True, phrase
    return found


def error_flag_official(response: Response) -> Finding:
    """RGB: the fixed phrase, with its case."""
    return _first(OFFICIAL_ERROR, response.official, "no error phrase")


def correction(response: Response, truth: tuple[Group, ...], false_groups: tuple[Group, ...] = ()) -> Finding:
    """RGBMetrics: correct by the flexible rule, and no false answer stands where the true one does not.

    The second half matters only where words overlap or the response is a fragment of the answer: then the
    true answer itself is not in the response.
    """
    why, verbatim = "empty answer", True
    for group in truth:
        correct, why = flexible(response, group)
        if not correct:
            return False, why
        verbatim = verbatim and any(alias.normal in response.normal for alias in group.aliases)
    if not verbatim:
        for group in false_groups:
            for alias in group.aliases:
                if alias.normal in response.normal:
                    return False, f"only the false answer is given: {alias.text}"
    return bool(truth), why


_HAN = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+")


def is_chinese(text: str) -> bool:
    """Whether a text is Chinese: it has more Chinese characters than words in other letters.

    Neither a name in Chinese characters makes an English question Chinese, nor `Playstation` a Chinese one
    English; compared letter by letter, short Chinese questions about such a name would be lost.
    """
    if text.isascii():
        return False
    rest, characters = _HAN.subn(" ", text)
    return characters > len(_WORD.findall(rest))

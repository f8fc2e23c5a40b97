"""Chinese and Japanese sentences: cut at commas, lists into items, a left-out subject filled in."""

from __future__ import annotations

import re
from itertools import pairwise

from adjudge.segment.claims.clauses import Piece
from adjudge.types import Span

_ZH_CUT = re.compile("[，；,;]")
_ZH_SUBJECT = re.compile(
    "([^\\s，。；：、（）()0-9]{2,12}?)(?:是|位于|有|为|于|成立|出生|拥有|曾|属于|建于|在|获得|毕业|担任)"
)
_ZH_BARE = re.compile(
    "(?:面积|人口|位于|是|有|拥有|成立|并|也|还|其|于|曾|毕业|出生|获|后|现|又|而且|同时|担任|占地)"
)
_ZH_PRONOUN = re.compile("(?:他们|她们|它们|[他她它该])(?!人|的士)")
_ZH_SHORTEST = 4
_ZH_LIST = re.compile("[^、]{1,14}(?:、[^、]{1,14})+")
_ZH_BEFORE_LIST = re.compile(
    "包括|包含|例如|比如|是|有|为|在|会说|说|获得|担任|生产|出版|创作|流经|经过|分为|由|讲|喜欢|出口|与|对"
)
_ZH_LAST = re.compile("以及|和|及|与|或")
_KANA = re.compile("[\u3040-\u30ff]")
_JA_JOIN = re.compile("(?<=[てしりれびみきちいえけせ])、")
_JA_TOPIC = re.compile("[^、。]{1,20}?は(?=[^、])")
_JA_SHORTEST = 6


def chinese_clauses(sentence: str, topic: str | None) -> tuple[list[Piece], str | None]:
    """Clauses between commas; one that begins without a subject gets that of its sentence."""
    pieces: list[Piece] = []
    for start, end in _zh_spans(sentence):
        words = sentence[start:end].strip()
        if topic and _ZH_PRONOUN.match(words):
            words = _ZH_PRONOUN.sub(topic, words, count=1)
        elif topic and _ZH_BARE.match(words) and topic not in words:
            words = topic + words.removeprefix("并").removeprefix("而且").removeprefix("同时").removeprefix(
                "其"
            )
        elif found := _ZH_SUBJECT.match(words):
            topic = found[1]
        pieces.append((words, start, end))
    return pieces, topic


def _zh_spans(sentence: str) -> list[Span]:
    """Spans between commas, a piece too short to say something joined to the one before."""
    spans: list[Span] = []
    start = 0
    for end in [*(found.end() for found in _ZH_CUT.finditer(sentence)), len(sentence)]:
        if spans and end - start <= _ZH_SHORTEST:
            spans[-1] = (spans[-1][0], end)
        elif end > start:
            spans.append((start, end))
        start = end
    if len(spans) > 1 and spans[0][1] - spans[0][0] <= _ZH_SHORTEST:
        spans[:2] = [(spans[0][0], spans[1][1])]
    return spans


def chinese_items(clause: str) -> list[str]:
    """A clause once for each item of its list: "她会说法语、德语和英语" is three facts."""
    found = _ZH_LIST.search(clause.rstrip("。；，"))
    if found is None:
        return [clause]
    first = found[0].partition("、")[0]
    verbs = list(_ZH_BEFORE_LIST.finditer(first))
    if not verbs or verbs[-1].end() == len(first):
        return [clause]
    begin = found.start() + verbs[-1].end()
    listed = clause[begin : found.end()].removesuffix("等")
    items = listed.split("、")
    items[-1:] = [part for part in _ZH_LAST.split(items[-1], maxsplit=1) if part]
    if not all(0 < len(item) <= 12 and not _ZH_CUT.search(item) for item in items):
        return [clause]
    return [clause[:begin] + item for item in items]


def has_kana(sentence: str) -> bool:
    """Whether a sentence is Japanese rather than Chinese."""
    return bool(_KANA.search(sentence))


def japanese_clauses(sentence: str) -> list[Piece]:
    """Clauses that a joining verb form and a comma close; later ones get the topic of the first."""
    edges = [0, *(found.end() for found in _JA_JOIN.finditer(sentence)), len(sentence)]
    spans = [(start, end) for start, end in pairwise(edges) if end > start]
    if any(end - start < _JA_SHORTEST for start, end in spans):
        return [(sentence, 0, len(sentence))]
    topic = _JA_TOPIC.match(sentence)
    pieces: list[Piece] = []
    for start, end in spans:
        words = sentence[start:end].rstrip("、")
        own = start == 0 or topic is None or _JA_TOPIC.match(words)
        pieces.append((words if own or topic is None else topic[0] + words, start, end))
    return pieces

"""Does a response decline to answer, does it point out an error? Patterns that avoid the traps of keywords.

"Unable to" counts of the writer, not of a team that was unable to win; "unknown" of the answer, not of a
poet; "however" and "actually" point out nothing by themselves; "no errors" is not an error.
"""

from __future__ import annotations

import re

from adjudge.segment.sentences import split_sentences

Finding = tuple[bool, str]

_SOURCE = (
    r"(?:the |this |these |any of the |provided |given |available )*"
    r"(?:documents?|context|contexts|passages?|texts?|information|sources?|articles?|excerpts?|data"
    r"|references?)"
)
_TELLS = (
    r"(?:provide|mention|contain|specify|state|say|include|give|answer|address|indicate"
    r"|offer|tell|discuss|have)"
)
_ZH_SOURCE = "(?:文档|文章|文本|资料|材料|文中|上下文|信息|内容)"
_REFUSALS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"insufficient (?:information|evidence|data|context)",
        r"(?:not|n't) (?:have |contain |provide |include |give |offer )?(?:enough|sufficient|adequate) "
        r"(?:information|detail|details|context|evidence|data)",
        r"\b(?:I|we)(?: am|'m| are|'re| was| were)? (?:really |simply |currently )?"
        r"(?:unable to|not able to|not sure|can ?not(?! only| help but)|can't|could not"
        r"|couldn't|do not know|don't know"
        r"|have no (?:idea|information|way))",
        r"\bas an AI\b.{0,60}(?:cannot|can't|unable|don't|do not)",
        r"\b(?:cannot|can not|can't|could not|couldn't) be (?:determined|answered|established|found"
        r"|inferred|verified)",
        r"\b(?:it is|it's|it remains|this is|that is|the answer is|which is) (?:unclear|unknown"
        r"|not clear|not known|not possible to)",
        r"\b(?:unable|impossible|not possible) to (?:answer|determine|say|tell|find|provide an answer"
        r"|ascertain|conclude)",
        rf"\b{_SOURCE} (?:\w+ ){{0,2}}(?:do(?:es)? not|don't|doesn't|did not|fails? to) "
        rf"(?:\w+ )?{_TELLS}",
        rf"\b(?:none|neither) of {_SOURCE} (?:\w+ ){{0,2}}{_TELLS}",
        rf"\bno (?:\w+ )?(?:information|mention|answer|details?|evidence|data)\b.{{0,40}}(?:{_SOURCE}"
        rf"|available|given|found|provided)",
        r"\bthere is no (?:relevant |specific |direct )?(?:information|mention|answer)\b",
        rf"\b(?:answer|information|it|this|that) (?:is|was)(?: not|n't) (?:in|among|within) {_SOURCE}",
        r"\b(?:is|are|was|were)(?: not|n't) (?:explicitly |specifically |directly )?"
        rf"(?:mentioned|provided|specified|stated|given|available|included|addressed|found) (?:in|by"
        rf"|from|within) {_SOURCE}",
        "信息不足|无法(?:回答|确定|得知|判断|提供)|没有(?:提到|提及|提供|说明|相关信息)|未(?:提到|提及|提供|说明)|我不知道|不清楚",
        f"无法作答|(?:文档|资料|材料)不足|{_ZH_SOURCE}[中里内]?(?:都|均|并|也)?(?:没有|未)(?:包含|给出|涉及)",
        "无法(?:从[^，。；,;]{0,10})?(?:得出|找到|给出)[^，。；,;]{0,6}答案|我们?(?:不能|没法)回答|不能回答(?:这|该|此|[您你]的)",
        "找不到[^，。；,;]{0,6}(?:信息|答案|内容)",
    )
)
_ONLY = re.compile(
    r"\W*(?:unknown|unclear|not (?:mentioned|provided|specified|available|sure)|n/?a|no answer)\W*",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\W*(?:please|you may|you can|you could|if you|i recommend|i suggest|i would|for more|sorry|i apologi)",
    re.IGNORECASE,
)

_BAD = r"(?:incorrect|wrong|false|inaccurate|mistaken|erroneous|untrue|misleading)"
_ERRORS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!no )(?<!any )(?<!without )factual(?:ly)? (?:errors?|mistakes?|inaccurac\w+|incorrect"
        r"|wrong|inaccurate|false)",
        rf"\b{_SOURCE}\b[^.;]{{0,60}}\b(?:is|are|seems?|appears?|was|were)(?: \w+)? (?:to be )?{_BAD}\b",
        rf"\b{_SOURCE}\b[^.;]{{0,40}}\b(?:contains?|has|have|includes?|made"
        rf"|makes)(?! no)[^.;]{{0,30}}\b(?:errors?|mistakes?|inaccurac\w+|misinformation)",
        rf"\b(?:errors?|mistakes?|inaccurac\w+|false information|misinformation)\b[^.;]{{0,30}} in {_SOURCE}",
        rf"\b{_SOURCE} (?:\w+ )?(?:incorrectly|wrongly|mistakenly|falsely|erroneously)\b",
        rf"\b(?:this|that|which|it|the (?:claim|statement|answer|date|year|name"
        rf"|number))(?: \w+)? (?:is|was|seems|appears) "
        rf"(?:\w+ )?{_BAD}\b",
        r"\b(?:is|are|was|were)(?: not|n't) (?:true|correct|accurate|right)\b",
        r"\bcontrary to (?:what )?(?:the|these|this)\b",
        rf"\bcontradicts? (?:the (?:facts?|known|actual)|itself|what is known)|\b{_SOURCE} contradict",
        # "The correct answer is Miami" only answers; against something, it corrects.
        r"\b(?:but|however|instead|actually|in fact)\b[^.;]{0,60}\bthe correct "
        r"(?:answer|date|year|name|number|information|fact|one)\b",
        r"\bthe correct (?:answer|date|year|name|number|information|fact|one)\b[^.;]{0,60}"
        r"(?:, not |\binstead of\b|\brather than\b|, (?:however|though)\b)",
        r"\b(?:should|ought to) (?:actually |instead )?(?:be|read|say)\b[^.;]{1,60}(?:,? not "
        r"|instead of|rather than)",
        "事实性错误|(?:文档|文章|资料|信息|内容|说法)(?:中)?(?:有误|错误|不正确|存在错误|不准确)",
        "(?:文档|文章|资料|信息|内容|说法)(?:[^没无未不，。；,;]{0,8})(?:是|为)(?:错误|不正确|不准确|不实)的",
        "(?<!没有)(?<!不)[与和跟](?:事实|史实|实际情况)(?:并)?不(?:相)?(?:符|一致)",
        "(?:但|然而|其实|实际上|事实上)[^。；;]{0,15}正确(?:的)?答案|正确(?:的)?答案应",
    )
)
_DENIED = re.compile(
    r"\b(?:no|not|without|any|never|free of|isn't|aren't|nothing)\b(?:\W+\w+){0,2}\W+"
    r"(?:factual )?(?:errors?|mistakes?|inaccurac\w+|incorrect|wrong|false|inaccurate|misleading)\b"
    r"|没有事实性错误|不存在",
    re.IGNORECASE,
)


def refusal(response: str) -> Finding:
    """Whether at least half of the sentences that say something decline to answer, and which phrase"
    " says so."""
    text = response.replace("’", "'")
    if not text.strip():
        return False, "empty response"
    if _ONLY.fullmatch(text):
        return True, text.strip()
    declining, others, phrase = 0, 0, ""
    for start, end in split_sentences(text):
        sentence = text[start:end]
        found = next((hit for pattern in _REFUSALS if (hit := pattern.search(sentence))), None)
        if found:
            declining, phrase = declining + 1, phrase or found[0]
        elif not _HEDGE.match(sentence):
            others += 1
    if not declining:
        return False, "no phrase that declines to answer"
    if declining >= others:
        return True, phrase
    return False, f"{phrase!r}, but {others} of {declining + others} sentences answer"


def points_out_error(response: str) -> Finding:
    """Whether some sentence says that the documents, or something in them, are wrong."""
    text = response.replace("’", "'")
    if not text.strip():
        return False, "empty response"
    for start, end in split_sentences(text):
        sentence = text[start:end]
        clean = _DENIED.sub(" ", sentence)
        for pattern in _ERRORS:
            if found := pattern.search(clean):
                return True, found[0]
    return False, "no sentence says that something is wrong"

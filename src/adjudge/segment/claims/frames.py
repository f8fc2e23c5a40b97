"""Words of an answer about itself, its reader or the texts it was given, rather than about the world."""

from __future__ import annotations

import re

_TO_THE_READER = (
    r"I(?:'m| am|’m) (?:sorry|not|afraid|unable|happy|glad)",
    r"I (?:cannot|can't|can’t|could not|couldn't|don't|don’t|do not|hope|would be|apologi[sz]e|have no)",
    r"I (?:was|am) (?:unable|not able)",
    r"As an AI|Let me know|Feel free|Thank you|If you (?:have|need|want)",
    r"Please (?:note|let|feel|contact|provide|see)",
    r"Sure[,!.]|Certainly[,!.]|Of course[,!.]|Here (?:is|are) ",
)
_GIVEN = (
    r"(?:the |these |this |my |your |any )?(?:\w+ ){0,2}?"
    r"(?:search results?|sources?|contexts?|documents?|passages?|texts?|information|excerpts?)"
    r"(?: (?:that (?:is|was|were|are) )?(?:provided|given|above|available|you (?:gave|provided)))?"
)
_FROM_GIVEN = (
    rf"(?:based (?:solely |only )?on|according to|from|in|as (?:stated|mentioned|noted|described) in|as per)"
    rf" {_GIVEN}"
)
_LINK = r"(?:(?:however|unfortunately|but|therefore|thus|so|additionally)[ ,]+)?"
_UNTOLD = (
    r"(?:not|never) (?:\w+ly )?(?:mentioned|specified|provided|stated|given|defined|addressed|described|"
    r"discussed|included|covered|clear|available|indicated)"
)
_TELL = (
    r"(?:\w+ly )?(?:mention|specify|provide|contain|include|state|give|say|tell|explain|address|discuss|"
    r"describe|indicate|offer|cover|appear|seem|have|name|list|define|clarify|identify|detail|reveal|answer|"
    r"refer|show|make|suggest|support|allow|help|go|establish)"
)
_NO_MORE = r"(?!.*[,;] (?:but|however|though|although|yet)\b)"
"""What follows such a word may state something."""
_NOTHING_KNOWN = (
    rf"{_LINK}{_FROM_GIVEN}, (?:I |there (?:is|are|was) (?:no|not)\b|it is (?:unclear|difficult|{_UNTOLD})|"
    r"it (?:is not|isn['’]t) (?:possible|clear))",
    rf"{_LINK}there (?:is|are) (?:no|not|little|limited|insufficient)"
    r" (?:\w+ ){0,3}(?:information|details|data|mention|mentions|records?)\b",
    rf"{_LINK}no (?:\w+ ){{0,2}}information\b",
    rf"{_LINK}there (?:is|are) no [^.;]{{3,120}} (?:mentioned|specified|provided|given|listed)"
    rf" in {_GIVEN}\W*\Z",
    rf"{_LINK}{_GIVEN} (?:do|does|did)(?: not|n['’]t) {_TELL}\b{_NO_MORE}",
    rf".{{3,200}} (?:is|are|was|were) {_UNTOLD}(?: or \w+)? (?:in|by|within) {_GIVEN}\W*\Z",
    r"(?:However, )?there (?:are|is|may be|might be|could be|appear to be)"
    r" (?:other|several|multiple|many|different|more than one|two|at least \w+) (?:\w+ ){0,2}"
    r"(?:people|persons?|individuals) (?:named|with|called|by|who share)",
    r"(?:However, )?it is (?:unclear|not clear|not known|unknown)"
    r" (?:which|who|what|whether|if|when|where|how)",
)
_FRAMES = (
    re.compile(rf"(?P<link>(?:yes|no), )?{_FROM_GIVEN}, ", re.IGNORECASE),
    re.compile(
        rf"(?P<link>(?:yes|no), )?{_GIVEN} (?:also )?(?:\w+ly )?(?:states?|mentions?|says?|notes?|indicates?|"
        r"explains?|shows?|emphasi[sz]es?|specif(?:y|ies)|suggests?) that ",
        re.IGNORECASE,
    ),
)
ABOUT_THE_ANSWER = re.compile("|".join((*_TO_THE_READER, *_NOTHING_KNOWN)), re.IGNORECASE)
"""How a sentence begins that states nothing of the world: a courtesy, or that nothing is known."""


def unframed(sentence: str) -> str:
    """A sentence without words that name its source, as long as some remain."""
    for frame in _FRAMES:
        found = frame.match(sentence)
        if found and sentence[found.end() :].strip(" ."):
            link, rest = found["link"] or "", sentence[found.end() :]
            sentence = link + rest if link else rest[:1].upper() + rest[1:]
    return sentence

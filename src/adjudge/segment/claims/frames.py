"""Words of an answer about itself, its reader or the texts it was given, rather than about the world."""

from __future__ import annotations

import re

_NO_MORE = r"(?!.*[,;] (?:but|however|though|although|yet)\b)"
"""What follows such a word may state something."""
_LINK = (
    r"(?:(?:however|unfortunately|but|therefore|thus|so|additionally|overall|in summary|in conclusion"
    r"|furthermore|moreover|specifically|similarly|finally|also)[ ,]+){0,2}"
)
_KNOWLEDGE = (
    r"(?:\w+ ){0,3}(?:information|details?|data|knowledge|mentions?|context|answers?|access|records?|idea|"
    r"opinions?|feelings|preferences|ability|evidence)\b"
)
_GIVE = (
    r"(?:\w+ly )?(?:know|find|see|provide|answer|determine|give|tell|say|help|assist|confirm|access|offer|"
    r"locate|verify|comment|identify|share|speak|possess|understand|generate|fulfil|predict|diagnose|draw|"
    rf"make|state|have {_KNOWLEDGE})"
)
_ASK = (
    r"(?:(?:please )?let (?:me|us) know|(?:please )?feel free to (?:ask|contact|reach|let|provide)|"
    r"(?:please )?do(?: not|n['’]t) hesitate|please (?:ask|provide|contact|reach out|consult)\b(?!.*[0-9])|"
    r"I(?: would|['’]d|['’]ll| will) (?:be|try|do)\b|I can (?:help|try|provide|assist|give)\b)"
)
"""Words that turn to the reader; where to ask, by number, is a statement."""
_TO_THE_READER = (
    rf"I(?: am|['’]m| was) (?:sorry|afraid|unable|happy to|glad)\b{_NO_MORE}",
    rf"I(?: am|['’]m| was) not (?:able|sure|certain|aware|familiar|an? (?:\w+ )?(?:doctor|lawyer|expert))\b"
    rf"{_NO_MORE}",
    r"As an AI(?: (?:language|model|assistant))*, I\b",
    rf"{_LINK}I (?:can|could|do|did)(?: ?not|n['’]t|['’]t) {_GIVE}\b{_NO_MORE}|I have no {_KNOWLEDGE}",
    r"I hope (?:this|that|these|it|you)\b|I would be (?:happy|glad)\b|I apologi[sz]e\b",
    r"(?:Please )?let (?:me|us) know\b|(?:Please )?feel free to (?:ask|contact|reach|let|provide)\b",
    r"Please (?:provide|share) (?:me|us|more|additional|further)\b|Thank you(?:,| for| so| very|\W*\Z)",
    rf"If you (?:have|need|want|would like|can|could|provide)\b[^.;]*,? {_ASK}",
    r"(?:Sure|Certainly|Of course)\W*\Z",
    r"Here(?: is|['’]s| are) (?:an?|the|some|your|my|what|how)\b",
)
_SOURCE = (
    r"(?:search results?|sources?|contexts?|documents?|passages?|texts?|information|excerpts?|contents?)"
)
_HANDED = r"(?: (?:that (?:is|was|were|are) )?(?:provided|given|above|available|you (?:gave|provided)))"
_GIVEN = rf"(?:the |these |this |my |your |any )?(?:\w+ ){{0,2}}?{_SOURCE}{_HANDED}?"
_THE_GIVEN = (
    r"(?:(?:the |these |this |my |your |any )(?:(?:provided|given|available|above|following) )*"
    rf"|(?:provided|given|available) ){_SOURCE}{_HANDED}?"
)
"""What the answer was made from, and no other source or text: not "the power source"."""
_FROM_GIVEN = (
    rf"(?:(?:based (?:solely |only )?on|according to|as (?:stated|mentioned|noted|described) in|as per)"
    rf" {_GIVEN}|(?:from|in) (?:(?:the|this) (?:first|second|third|last) {_SOURCE}|{_THE_GIVEN}))"
)
"""Only what was given is a place to take it from: "In damp contexts," is a condition."""
_UNTOLD = (
    r"(?:not|never) (?:\w+ly )?(?:mentioned|specified|provided|stated|given|defined|addressed|described|"
    r"discussed|included|covered|clear|available|indicated)"
)
_TELL = (
    r"(?:\w+ly )?(?:(?:appear|seem) to )?(?:mention|specify|provide|contain|include|state|give|say|tell|"
    r"explain|address|discuss|describe|indicate|offer|cover|name|list|define|clarify|identify|detail|reveal|"
    rf"answer|refer|show|suggest|go into|have {_KNOWLEDGE}|make (?:it clear|clear|mention|any mention)|"
    r"establish (?:whether|that|if|how|when|who)|(?:allow|help) (?:us|me|one)|help (?:to )?answer)"
)
_FACTS = r"(?:\w+ ){0,3}(?:information|details|data|records?|answers?|indications?|guidelines?)"
_ABOUT = (
    r"(?: (?:about|on|or \w+ on|regarding|concerning|available|provided|given|here|how|that|"
    rf"to (?:answer|determine|suggest|indicate|conclude|support)|(?:in|from|within) {_THE_GIVEN})\b|\W*\Z)"
)
_FOUND = r"(?:is|are|was|were|could be) (?:\w+ly )?(?:available|provided|given|known|found|mentioned|listed)"
_NOTHING_KNOWN = (
    rf"{_LINK}{_FROM_GIVEN}, it is (?:unclear|difficult|{_UNTOLD})",
    rf"{_LINK}{_FROM_GIVEN}, it (?:is not|isn['’]t) (?:possible|clear)",
    rf"{_LINK}{_FROM_GIVEN}, there (?:is|are|was) no [^.;]{{3,120}} (?:mentioned|specified|provided|given)\b",
    rf"{_LINK}{_FROM_GIVEN}, I (?:can|could|do|did)(?: ?not|n['’]t|['’]t) ",
    rf"{_LINK}(?:{_FROM_GIVEN}, )?there (?:is|are|was) (?:no|not|little|limited|insufficient)"
    rf" (?:{_FACTS}{_ABOUT}|(?:\w+ ){{0,3}}mentions?\b)",
    rf"{_LINK}no (?:\w+ ){{0,2}}(?:information|details|mention)\b[^.;]*? {_FOUND}\b",
    rf"{_LINK}no (?:\w+ ){{0,2}}(?:information|details|mention)(?: (?:about|on|of|regarding)\b[^.;]*)?\W*\Z",
    rf"{_LINK}there (?:is|are) no [^.;]{{3,120}} (?:mentioned|specified|provided|given|listed)"
    rf" in {_THE_GIVEN}\W*\Z",
    rf"{_LINK}{_THE_GIVEN} (?:do|does|did)(?: not|n['’]t) {_TELL}\b{_NO_MORE}",
    rf".{{3,200}} (?:is|are|was|were) {_UNTOLD}(?: or \w+)? (?:in|by|within) {_THE_GIVEN}\W*\Z",
    r"(?:However, )?there (?:are|is|may be|might be|could be|appear to be)"
    r" (?:other|several|multiple|many|different|more than one|two|at least \w+) (?:\w+ ){0,2}"
    r"(?:people|persons?|individuals) (?:named|called|(?:with|by|who share) (?:\w+ ){1,2}names?\b)",
    r"(?:However, )?it is (?:unclear|not clear|not known|unknown)"
    r" (?:which|who|what|whether|if|when|where|how)",
)
_NUMBERED = (
    r"(?:passages?|documents?|sources?|contexts?|articles?|search results?) \[?\d{1,3}\]?"
    r"(?:(?:,|,? and| &) (?:passage |document )?\[?\d{1,3}\]?)*"
)
_TOLD_BY = rf"(?:{_GIVEN}|(?:the )?{_NUMBERED})"
_NO_MORE_TOLD = re.compile(
    r",? (?:but|and|though|although|however,?) (?:(?:it|they|the \w+) )?(?:do|does|did)(?: not|n['’]t)"
    rf" {_TELL}\b[^.;]*"
)
"""What the source does not tell, behind what it does."""
_TELL_THAT = (
    r"(?:states?|mentions?|says?|notes?|indicates?|explains?|shows?|emphasi[sz]es?|specif(?:y|ies)|"
    r"suggests?|reiterates?|confirms?|reports?|adds?|claims?|highlights?|reveals?|concludes?|points? out|"
    r"implies|imply)"
)
_TELLS = (
    rf"(?:(?:also|both|all|further|then|\w+ly) |goes on to )*{_TELL_THAT}"
    rf"(?:,? (?:and|or) (?:\w+ly |even )?{_TELL_THAT})?"
)
_FRAMES = (
    re.compile(rf"(?P<link>(?:yes|no), )?{_FROM_GIVEN}, ", re.IGNORECASE),
    re.compile(rf"(?P<link>)(?:according to|as per|in|from) {_NUMBERED}, ", re.IGNORECASE),
    re.compile(
        rf"(?P<link>){_LINK}it (?:is|was) (?:also )?(?:stated|mentioned|noted|indicated)"
        rf"(?: (?:in|by) {_TOLD_BY})? that ",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<link>(?:yes|no), )?{_LINK}{_TOLD_BY} {_TELLS} that ",
        re.IGNORECASE,
    ),
)
_SOURCE_SPEAKS = re.compile(rf"{_LINK}(?:{_FROM_GIVEN}, |{_TOLD_BY} {_TELLS} )", re.IGNORECASE)
_GOES_ON = re.compile(rf"{_LINK}it {_TELLS} that ", re.IGNORECASE)
"""What a source tells besides, once it has been named: "It also mentions that"."""
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


def source_speaks(sentence: str, before: bool) -> bool:
    """Whether a sentence is put as what a source tells; `before`: whether the one before it was."""
    return bool(_SOURCE_SPEAKS.match(sentence)) or (before and bool(_GOES_ON.match(sentence)))


def without_frame(sentence: str, start: int, told: bool = False) -> tuple[str, int]:
    """The same with where it starts then; `yes` and `no` before the source go too.

    `told`: whether `it` is the source, which was named before.
    """
    for frame in (*_FRAMES, _GOES_ON) if told else _FRAMES:
        found = frame.match(sentence)
        if found and sentence[found.end() :].strip(" ."):
            sentence, start = sentence[found.end() :], start + found.end()
            if untold := _NO_MORE_TOLD.search(sentence):
                sentence = sentence[: untold.start()] + sentence[untold.end() :]
    return sentence, start

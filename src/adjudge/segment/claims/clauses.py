"""An English sentence into clauses, each with its subject, by word lists and punctuation.

"Ada, who was born in London, wrote notes and has fans."
  -> Ada was born in London | Ada wrote notes | Ada has fans
"""

from __future__ import annotations

import re

from adjudge.segment.claims.cuts import Cut, find_cuts
from adjudge.segment.claims.lists import items_of
from adjudge.segment.claims.tokens import Token, has_verb, is_verb, tokens_of, verb_at
from adjudge.segment.claims.words import (
    ADVERBS,
    BE,
    COORDINATORS,
    PARTICIPLES,
    PAST,
    PAST_AUXILIARIES,
    POSSESSIVES,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    SUBORDINATORS,
    finite,
    word_set,
)

Piece = tuple[str, int, int]
_CONDITIONS = frozenset({"if", "unless", "whether"})
_CONTRACTED = {"'s": "is", "'re": "are", "'ve": "have", "'d": "had", "'ll": "will"}
_BORN = re.compile(r"\s*\(((?:born|died|founded|formed|established)\b[^()]*)\)")
_ABOUT_SUBJECT = frozenset({"known", "born", "educated", "considered", "regarded", "raised"})
_NO_TOPIC = word_set("there i we you it he she they this that these those")
_LONGEST_SUBJECT = 14


def clauses_of(sentence: str, topic: str | None) -> tuple[list[Piece], str | None]:
    """(words, start, end) of every claim of a sentence, and the subject a next sentence may refer to."""
    # A comma inside closing quotes separates what stands outside; both have one character, so offsets stay.
    sentence = sentence.replace(',"', '",').replace(",”", "”,")
    tokens = tokens_of(sentence)
    if not has_verb(tokens):
        return [(sentence, 0, len(sentence))], topic
    return _Sentence(sentence, tokens, topic).pieces()


class _Sentence:
    """One pass over the cuts of a sentence, remembering whom it speaks of."""

    def __init__(self, text: str, tokens: list[Token], topic: str | None) -> None:
        self.text = text
        self.tokens = tokens
        self.topic = topic
        self.subject = ""
        self.past = False
        self.out: list[Piece] = []

    def pieces(self) -> tuple[list[Piece], str | None]:
        tokens = self.tokens
        lead = _lead(tokens)
        if tokens[0].lower in _CONDITIONS and lead:
            cuts: list[Cut] = []
        else:
            cuts = find_cuts(tokens, lead)
        bounds = [Cut(0, "clause", 0), *cuts]
        main: list[int] = []
        for index, cut in enumerate(bounds):
            end = bounds[index + 1].at - bounds[index + 1].drop if index + 1 < len(bounds) else len(tokens)
            if cut.kind == "resume":
                self._resume(main, cut.at, end)
                continue
            if cut.kind in ("clause", "verb"):
                main = [cut.at, end]
                if index + 1 < len(bounds) and self._waits(bounds, index, main):
                    self.subject = self._named(cut.at + (lead if cut.at == 0 else 0), end)
                    self._keep(self.subject)
                    continue
            self._piece(cut, end, lead if cut.at == 0 else 0, bounds, index)
        return self.out, self.topic

    def _waits(self, bounds: list[Cut], index: int, main: list[int]) -> bool:
        """Whether this piece has only a subject so far and its verb follows after an aside."""
        later = index + 2 < len(bounds) and bounds[index + 2].kind == "resume"
        return later and verb_at(self.tokens, main[0], main[1]) is None

    def _resume(self, main: list[int], start: int, end: int) -> None:
        """The rest of a clause whose subject stood before an aside."""
        words = self.text[self.tokens[start].start : self.tokens[end - 1].end]
        self._add(f"{self.subject} {words}", start, end)
        main[:] = [start, end]

    def _piece(self, cut: Cut, end: int, lead: int, bounds: list[Cut], index: int) -> None:
        if cut.at >= end:
            return
        tokens, first = self.tokens, self.tokens[cut.at]
        words = self.text[first.start : tokens[end - 1].end]
        if cut.kind == "clause":
            self._clause(cut.at, end, lead)
            return
        if cut.kind == "verb":
            needs_be = first.lower in PARTICIPLES and first.lower not in ("made", "held", "set", "led")
            words = f"{'was' if self.past else 'is'} {words}" if needs_be else words
            self._add(f"{self.subject} {words}", cut.at, end)
            return
        previous = bounds[index - 1]
        near = self._antecedent(previous.at, cut.at - cut.drop) if cut.drop else self.subject
        self._aside(cut, end, words, near)

    def _aside(self, cut: Cut, end: int, words: str, near: str) -> None:
        """A clause that hangs on a noun: relative, apposition, participle or with-phrase."""
        first = self.tokens[cut.at].lower
        be = "was" if self.past else "is"
        rest = words[len(self.tokens[cut.at].text) :].strip()
        subject = self.subject or near
        if cut.kind == "with":
            said = f"{subject} {'had' if self.past else 'has'} {rest}"
        elif cut.kind == "doing":
            said = f"{subject} {finite(first, past=self.past)} {rest}"
        elif cut.kind == "done":
            said = f"{subject if first in _ABOUT_SUBJECT else near} {be} {words}"
        elif cut.kind == "apposition":
            said = f"{near} {be} {words}"
        elif first == "whose":
            said = f"{near}'s {rest}"
        elif first == "where":
            said = f"in {near}, {rest}"
        else:
            said = f"{near} {rest}"
        self._add(said, cut.at, end)

    def _clause(self, start: int, end: int, lead: int) -> None:
        """A clause with its own subject, which becomes the one that later pieces share."""
        tokens = self.tokens
        begin = start + lead
        verb = verb_at(tokens, begin, end)
        words = self.text[tokens[start].start : tokens[end - 1].end]
        if verb is None or verb - begin > _LONGEST_SUBJECT:
            self._add(words, start, end)
            return
        self.past = tokens[verb].lower in PAST_AUXILIARIES or tokens[verb].lower in PAST
        subject = self._named(begin, verb)
        predicate = self.text[tokens[verb].start : tokens[end - 1].end]
        if tokens[verb].lower in _CONTRACTED:
            predicate = _CONTRACTED[tokens[verb].lower] + predicate[len(tokens[verb].text) :]
        between = self.text[tokens[begin].start : tokens[verb].start].strip()
        kept = (
            self.text[tokens[start].start : tokens[begin].start]
            if lead and not _is_filler(tokens, lead)
            else ""
        )
        self.subject = subject.partition(" (")[0]
        if found := _BORN.search(between):
            self._add(f"{self.subject} was {found[1]}", begin, verb)
            between = between[: found.start()] + between[found.end() :]
        said = subject if _is_pronoun(between) or tokens[begin].lower in POSSESSIVES else between
        self._add(f"{kept}{said} {predicate}", start, end)
        self._remember(subject, verb, end)

    def _named(self, start: int, end: int) -> str:
        """A subject in words: its pronoun or possessive replaced by the topic where there is one."""
        tokens = self.tokens
        while end > start and (tokens[end - 1].lower in ADVERBS or tokens[end - 1].text == ","):
            end -= 1
        if end <= start:
            return self.subject
        words = self.text[tokens[start].start : tokens[end - 1].end]
        if self.topic is None:
            return words
        if _is_pronoun(words):
            return self.topic
        if tokens[start].lower in POSSESSIVES and end - start > 1:
            return f"{self.topic}'s{words[len(tokens[start].text) :]}"
        return words

    def _remember(self, subject: str, verb: int, end: int) -> None:
        """Keep the subject for pronouns to come; "the capital of X is Y" speaks of Y."""
        tokens = self.tokens
        if tokens[verb].lower in BE and subject.lower().startswith("the ") and verb + 1 < end:
            names = tokens[verb + 1 : end]
            while names and names[-1].text in (".", ","):
                names = names[:-1]
            if names and len(names) <= 4 and all(token.capital for token in names):
                self.topic = self.text[names[0].start : names[-1].end]
                self.subject = self.topic
                return
        self._keep(subject)

    def _keep(self, subject: str) -> None:
        """Make a subject the topic, unless it is a pronoun or something that the topic owns."""
        if subject and subject.lower() not in _NO_TOPIC and ("'s " not in subject or self.topic is None):
            self.topic = subject.partition(" (")[0].partition(",")[0]

    def _antecedent(self, start: int, end: int) -> str:
        """The noun phrase before a comma: back to a verb, a comma, or a preposition other than `of`."""
        tokens = self.tokens
        at = end
        while at > start:
            token = tokens[at - 1]
            stop = token.lower in PREPOSITIONS and token.lower != "of"
            if stop or token.text in ",;:" or token.lower in COORDINATORS or is_verb(tokens, at - 1):
                break
            at -= 1
        words = self.text[tokens[at].start : tokens[end - 1].end] if at < end else self.subject
        return self.topic if self.topic and _is_pronoun(words) else words or self.subject

    def _add(self, words: str, start: int, end: int) -> None:
        span = self.tokens[start].start, self.tokens[end - 1].end
        for said in items_of(words.strip()):
            self.out.append((said[:1].upper() + said[1:], *span))


def _is_pronoun(words: str) -> bool:
    return words.lower() in SUBJECT_PRONOUNS or words.lower() in ("this", "which", "who")


def _is_filler(tokens: list[Token], lead: int) -> bool:
    """Whether an opening phrase only links ("However,") or names the source ("Based on the context,")."""
    words = {token.lower for token in tokens[:lead]}
    return lead == 2 or bool(
        {"based", "according"} & words and {"context", "documents", "information"} & words
    )


def _lead(tokens: list[Token]) -> int:
    """How many tokens an opening phrase has, its comma included ("In 1990," "After the war,"), or 0."""
    first = tokens[0].lower
    opens = first in PREPOSITIONS or first in SUBORDINATORS or first in ADVERBS or first.endswith("ly")
    opens = opens or " ".join(token.lower for token in tokens[:2]) in ("based on", "according to", "due to")
    opens = opens or first in (
        "however",
        "additionally",
        "moreover",
        "therefore",
        "thus",
        "finally",
        "overall",
    )
    if not opens or (is_verb(tokens, 0) and first != "based"):
        return 0
    for at, token in enumerate(tokens):
        if token.text != "," or at + 1 >= len(tokens) or token.depth:
            continue
        after = tokens[at + 1]
        if (
            after.text[0].isdigit()
            or tokens[at - 1].lower in ("based", "according")
            or after.lower in COORDINATORS
            or is_verb(tokens, at + 1)
        ):
            continue
        if first not in SUBORDINATORS and first not in ("based", "according") and has_verb(tokens[1:at]):
            return 0
        if has_verb(tokens[at + 1 :]):
            return at + 1
    return 0

"""An English sentence into clauses, each with its subject, by word lists and punctuation.

"Ada, who was born in London, wrote notes and has fans."
  -> Ada was born in London | Ada wrote notes | Ada has fans
"""

from __future__ import annotations

import re

from adjudge.segment.claims.appositions import KIN
from adjudge.segment.claims.cuts import Cut, find_cuts, object_told, relative_of
from adjudge.segment.claims.leads import is_link, kind_of, lead_of
from adjudge.segment.claims.lists import items_of
from adjudge.segment.claims.nouns import antecedent_at, told_in_brackets, work_in
from adjudge.segment.claims.order import in_order
from adjudge.segment.claims.tokens import (
    Token,
    has_verb,
    main_verb_at,
    tokens_of,
    verb_at,
    words_of,
)
from adjudge.segment.claims.topics import Topic, filled, labelled, remembered
from adjudge.segment.claims.verbgroup import (
    Group,
    group_of,
    helper_for,
    is_expletive,
    is_many,
    shared_complement,
    told_as_many,
)
from adjudge.segment.claims.verbs import finite
from adjudge.segment.claims.words import (
    BE,
    POSSESSIVES,
    SUBJECT_PRONOUNS,
    word_set,
)

Piece = tuple[str, int, int]
_CONTRACTED = {"'s": "is", "'re": "are", "'ve": "have", "'d": "had", "'ll": "will"}
_MADE = re.compile(r"(?:it|him|her|them) (?P<what>(?:the|an?|one of) .*)")
"""What somebody or something is by that: "making it the largest"."""
_TELLS = re.compile(r"(?:that |it |he |she |they |there |you )")
"""What opens a clause behind "meaning"."""
_SEVERAL = re.compile(r"[2-9]|\b(?:most|many|some|all|them)\b")
_ASIDES = word_set("relative with absolute doing done apposition")
_STATES = word_set("located situated based known named called associated headquartered home owned operated")
_ABOUT_SUBJECT = word_set("known born educated considered regarded raised")
_OWNERS = {"he": "His", "she": "Her", "it": "Its", "they": "Their", "i": "My", "we": "Our", "you": "Your"}
_REFLEXIVES = word_set("himself herself itself themselves")
_LONGEST_SUBJECT = 16
_LONGEST_LABEL = 8


def clauses_of(sentence: str, topic: Topic, *, fine: bool = False) -> tuple[list[Piece], Topic]:
    """(words, start, end) of every clause of a sentence, and whom a next sentence's pronouns may mean.

    Lists are cut into items here unless `fine`, which leaves them to `facts`.
    """
    sentence = in_order(sentence)
    tokens = tokens_of(sentence)
    if len(tokens) > 1 and tokens[0].lower in ("so", "and", "but") and tokens[1].text != ",":
        tokens = tokens[1:]
    while tokens and (lead := lead_of(tokens)) and is_link(tokens, lead):
        tokens = tokens[lead:]
    if not has_verb(tokens):
        return [(sentence, 0, len(sentence))], topic
    return _Sentence(sentence, tokens, topic._replace(many=None), fine).pieces()


def _owner(subject: str) -> str:
    """Whose something is: "Ada's", "her"."""
    return _OWNERS.get(subject.lower(), f"{subject}'s")


class _Sentence:
    """One pass over the cuts of a sentence, remembering whom it speaks of."""

    def __init__(self, text: str, tokens: list[Token], topic: Topic, fine: bool) -> None:
        self.text = text
        self.tokens = tokens
        self.topic = topic
        self.fine = fine
        self.subject = ""
        self.group = Group()
        self.near = ""
        """The noun that the last relative or participle spoke of."""
        self.shared = ""
        self.out: list[Piece] = []

    def pieces(self) -> tuple[list[Piece], Topic]:
        tokens = self.tokens
        lead = lead_of(tokens)
        kind = kind_of(tokens, lead) if lead else ""
        cuts: list[Cut] = [] if kind == "condition" else find_cuts(tokens, lead)
        bounds = [Cut(0, "clause", 0), *cuts]
        main: list[int] = []
        for index, cut in enumerate(bounds):
            end = bounds[index + 1].at - bounds[index + 1].drop if index + 1 < len(bounds) else len(tokens)
            if cut.kind == "resume":
                self._resume(main, cut.at, end, lead if main[0] == 0 else 0)
                continue
            if cut.kind in ("clause", "verb"):
                main = [cut.at, end]
                self.shared = shared_complement(self.text, tokens, bounds[index : index + 3], end)
                if index + 1 < len(bounds) and self._waits(bounds, index, main, lead):
                    self.subject = self._named(cut.at + (lead if cut.at == 0 else 0), end)
                    self.topic = remembered(self.topic, self.subject)
                    continue
            if cut.kind == "said":
                self._said(main[0], cut.at, end)
                continue
            if cut.kind == "further":
                self._further(main[0], cut.at, end)
                continue
            before = self.topic
            self._piece(cut, end, lead, bounds[index - 1])
            if cut.at and tokens[cut.at - 1].lower in ("although", "though") and before.last:
                self.topic = before  # the next sentence goes on with what the main clause told
        if lead:
            self._tell_lead(kind, lead)
        return self.out, self.topic

    def _said(self, main: int, start: int, end: int) -> None:
        """What the same one says besides: "says that A and | that B"."""
        that = next(at for at in range(main, start) if self.tokens[at].tag == "S")
        verb = verb_at(self.tokens, main, that)
        own = self._named(main, verb) if verb else ""
        self._add(f"{own} {self._words(verb or main, that)} {self._words(start, end)}", start, end)

    def _waits(self, bounds: list[Cut], index: int, main: list[int], lead: int) -> bool:
        """Whether this piece has only a subject so far and its verb follows after an aside."""
        following = next((cut.kind for cut in bounds[index + 1 :] if cut.kind not in _ASIDES), "")
        later = following == "resume"
        begin = main[0] + (lead if main[0] == 0 else 0)
        return later and verb_at(self.tokens, begin, main[1]) is None

    def _resume(self, main: list[int], start: int, end: int, lead: int) -> None:
        """The rest of a clause whose subject stood before an aside."""
        if start >= end:
            return
        self.group = group_of(self.text, self.tokens, start, end)
        words = self._words(start, end)
        self._add(f"{self._kept(0, lead)}{self.subject} {words}", start, end)
        main[:] = [start, end]

    def _further(self, main: int, start: int, end: int) -> None:
        """What a relative without a comma says besides: "… of a man who finds a map", "… who sails"."""
        verb = next(i for i in range(start, end) if self.tokens[i].tag == "V")
        main_verb = verb_at(self.tokens, main, verb)
        who = relative_of(self.tokens, main_verb or main, verb)
        head = f"{self._words(main_verb or main, who + 1)} " if who is not None else ""
        self._add(f"{self.subject} {head}{self._words(start, end)}", start, end)

    def _piece(self, cut: Cut, end: int, lead: int, previous: Cut) -> None:
        if cut.at >= end:
            return
        if cut.kind == "clause":
            self._clause(cut.at, end, lead if cut.at == 0 else lead_of(self.tokens[cut.at : end]))
            return
        words = self._words(cut.at, end)
        if cut.kind == "verb":
            # "… Truman, who was born in Lamar and was a farmer": both are said of Truman.
            related = previous.kind == "relative" and cut.drop == 1 and self.near
            subject = self.near if related else self.subject
            self._add(
                f"{subject} {helper_for(self.group, self.tokens, cut.at, end)}{words}".strip(), cut.at, end
            )
            self._remember_work(cut.at, end)
            return
        waits = previous.kind == "clause" and not has_verb(self.tokens[previous.at : cut.at])
        kin = cut.kind == "apposition" and not KIN.isdisjoint(words.lower().split()[1:3])
        if cut.drop and not ((waits or kin) and cut.kind in ("apposition", "done") and self.subject):
            near = self._antecedent(previous.at, cut.at - cut.drop)
        else:
            near = self.subject
        self._aside(cut, end, words, near)

    def _aside(self, cut: Cut, end: int, words: str, near: str) -> None:
        """A clause that hangs on a noun: relative, apposition, participle or with-phrase."""
        first = next((t for t in self.tokens[cut.at : end] if t.tag != "A"), self.tokens[cut.at]).lower
        be = self.group.be
        rest = words[len(self.tokens[cut.at].text) :].strip()
        subject = self.subject or near
        if cut.kind == "with":
            what, being, how = rest.partition(" being ")
            if being:
                said = f"{what} {'are' if is_many(what) or _SEVERAL.search(what) else be} {how}"
            elif subject.lower() == "there":
                said = f"{near} have {rest}"
            else:
                said = f"{subject} {'had' if self.group.past else 'has'} {rest}"
        elif cut.kind == "doing" and first == "meaning" and _TELLS.match(rest):
            said = self._replaced(cut.at + 1 + rest.startswith("that "), end)
        elif cut.kind == "absolute":
            doing = next(i for i in range(cut.at, end) if self.tokens[i].tag == "G")
            who, behind = self._words(cut.at + 1, doing), self._words(doing + 1, end)
            does = finite(self.tokens[doing].lower, past=self.group.past, plural=is_many(who))
            said = f"{who} {does} {behind}"
        elif cut.kind == "doing" and self.out and rest.startswith("so "):
            said = f"{self.out[-1][0].rstrip(' .,')} {rest.removeprefix('so ')}"
        elif cut.kind == "doing":
            subject = near if subject.lower() == "there" else subject
            many = self.group.many or is_many(subject)
            said = f"{subject} {finite(first, past=self.group.past, plural=many)} {rest}"
            if first == "making" and (found := _MADE.match(rest)):
                said = f"{subject} {('were' if be == 'was' else 'are') if many else be} {found['what']}"
        elif cut.kind == "done":
            # A second participle after `and` says more of the same noun.
            near = self.near = self.near if self.tokens[cut.at - 1].tag == "C" else near
            be = be if first in _STATES else "was"
            said = f"{subject if first in _ABOUT_SUBJECT else near} {be} {words}"
        elif cut.kind == "apposition":
            # "He and his wife, Eliza,": she is the wife
            near = near.rpartition(" and ")[2] if near.lower().startswith(("he ", "she ")) else near
            many = told_as_many(near, self.tokens, end + 1)
            said = f"{near} {('were' if self.group.past else 'are') if many else be} {words}"
        else:
            said = self._relative(cut.at, end, first, rest, near)
        self._add(said, cut.at, end)

    def _relative(self, at: int, end: int, first: str, rest: str, near: str) -> str:
        tokens = self.tokens
        self.near = near if first in ("who", "which", "that") else ""
        if first == "whose":
            return f"{_owner(near)} {rest}"
        if first == "where":
            # Without a comma, so that the place is no fact of its own: it was told before.
            return f"in {near} {_within(self._replaced(at + 1, end))}"
        if first == "whom":
            return f"{self._replaced(at + 1, end)} {near}"
        behind = object_told(tokens, at, end) if first == "which" else None
        if behind is not None:
            told = (self._replaced(at + 1, behind), _within(near), self._words(behind, end))
            return " ".join(part for part in told if part)
        if first in ("who", "which", "that"):
            return f"{near} {rest}"
        pronoun = next(i for i in range(at, end) if tokens[i].lower in ("whom", "which", "whose"))
        before, after = self._words(at, pronoun), self._replaced(pronoun + 1, end)
        if tokens[pronoun].lower == "whose":
            return f"{before} {_within(_owner(near))} {after}"
        if first in ("after", "before", "upon"):
            return after
        return f"{before} {_within(near)} {after}"

    def _replaced(self, start: int, end: int) -> str:
        """Words whose subject is filled in if it is a pronoun."""
        if start >= end:
            return ""
        words = self._words(start, end)
        subject = self.tokens[start]
        if subject.lower not in SUBJECT_PRONOUNS:
            return words
        return filled(subject.text, self.topic) + words[len(subject.text) :]

    def _clause(self, start: int, end: int, lead: int) -> None:
        """A clause with its own subject, which becomes the one that later pieces share."""
        tokens = self.tokens
        begin = start + lead
        verb = main_verb_at(tokens, begin, end)
        if verb is None and end < len(tokens) and tokens[end].text == ":" and end - start <= _LONGEST_LABEL:
            sure = end - start > 1 and all(token.capital for token in tokens[start:end])
            self.topic = labelled(self.topic, self._words(start, end), sure)
            return
        if verb is None or sum(not token.depth for token in tokens[begin:verb]) > _LONGEST_SUBJECT:
            self._add(self._words(start, end), start, end)
            return
        self.group = group_of(self.text, tokens, verb, end)
        subject = self._named(begin, verb) if verb > begin else ""
        if lead and self._is_told_before(start, begin):
            subject = tokens[begin].text
        predicate = self._words(verb, end) + self.shared
        if tokens[verb].lower in _CONTRACTED:
            predicate = _CONTRACTED[tokens[verb].lower] + predicate[len(tokens[verb].text) :]
        between = self.text[tokens[begin].start : tokens[verb].start].strip()
        # An order ("Press the button") has no subject to hand on, nor has one put as such after a lead.
        named = subject.partition(" (")[0]
        self.subject = named if named.count('"') % 2 == 0 else subject
        between, told = told_in_brackets(between, self.subject, fine=self.fine)
        for fact in told:
            self._add(fact, begin, verb)
        first, stop = self._subject_at(begin, verb)
        stands = self._words(first, stop).lower() if stop > first else ""
        if stands in SUBJECT_PRONOUNS or tokens[first].lower in POSSESSIVES or stands in ("which", "who"):
            # "Today she never sings": the adverbs stay.
            before = self._kept(start, lead) + self._words(begin, first)
            parts = (
                self._words(begin, first),
                _within(subject) if before else subject,
                self._words(stop, verb),
            )
            said = " ".join(part for part in parts if part)
        else:
            said = between
        if stands == "it" and is_expletive(tokens[verb:end]):
            said = self.subject = between
        self._add(f"{self._kept(start, lead)}{said} {predicate}", start, end)
        self._remember(subject, verb, end)

    def _is_told_before(self, start: int, begin: int) -> bool:
        """Whether a pronoun means what its own condition speaks of: "If a guest is late, they"."""
        tokens = self.tokens
        if kind_of(tokens[start:], begin - start) != "condition":
            return False
        own = verb_at(tokens, start + 1, begin)
        if own is None or own == start + 1 or tokens[start + 1].tag not in "DNM":
            return False
        pronoun = tokens[begin].lower
        return pronoun == "they" or (pronoun == "it" and not is_many(self._words(start + 1, own)))

    def _kept(self, start: int, lead: int) -> str:
        """An opening phrase that stays before its clause, as it stood."""
        if not lead or kind_of(self.tokens[start:], lead) not in ("phrase", "condition"):
            return ""
        return self._words(start, start + lead) + " "

    def _tell_lead(self, kind: str, lead: int) -> None:
        """The opening phrase as a claim of its own about the subject that followed it."""
        tokens, subject = self.tokens, self.topic.last if kind == "clause" else self.subject
        be = self.group.be
        if kind == "clause":
            self._clause(1, lead - 1, 0)
        elif kind == "done" and subject:
            paired = tokens[1].lower == "and" and tokens[2].tag == "P"
            for first in [(0, 1), (2, 3)] if paired else [(0, 1)]:
                rest = self._words(3 if paired else 1, lead - 1)
                self._add(f"{subject} {be} {self._words(*first).lower()} {rest}", 0, lead - 1)
        elif kind == "doing" and subject:
            starts = [0] + [
                at + 1 for at in range(1, lead - 2) if tokens[at].tag == "C" and tokens[at + 1].tag == "G"
            ]
            for start, after in zip(starts, [*(at - 1 for at in starts[1:]), lead - 1], strict=True):
                many = self.group.many or is_many(subject)
                verb = finite(tokens[start].lower, past=self.group.past, plural=many)
                self._add(f"{subject} {verb} {self._words(start + 1, after)}", 0, lead - 1)
        elif kind == "role" and subject:
            role = self._words(tokens[0].lower == "as", lead - 1)
            self._add(f"{subject} {be} {role[:1].lower()}{role[1:]}", 0, lead - 1)

    def _named(self, start: int, end: int) -> str:
        """A subject in words: its pronoun or possessive replaced by the topic where there is one."""
        start, end = self._subject_at(start, end)
        while start < end - 1 and self.tokens[start].tag == "S":
            start += 1
        return filled(self._words(start, end), self.topic) if end > start else self.subject

    def _subject_at(self, start: int, verb: int) -> tuple[int, int]:
        """Where a subject stands without the adverbs and commas before its verb, and, if it is a pronoun,
        without those before it.
        """
        tokens, end = self.tokens, verb
        while end > start + 1 and (
            tokens[end - 1].tag == "A" or tokens[end - 1].text == "," or tokens[end - 1].lower in _REFLEXIVES
        ):
            end -= 1
        first = next((at for at in range(start, end) if tokens[at].tag != "A"), start)
        return (first if tokens[first].lower in SUBJECT_PRONOUNS else start), end

    def _remember(self, subject: str, verb: int, end: int) -> None:
        """Keep the subject for pronouns to come; "the capital of X is Y" speaks of Y, and after "A wrote B"
        `it` is B.
        """
        tokens = self.tokens
        if tokens[verb].lower in BE and subject.lower().startswith("the ") and verb + 1 < end:
            names = tokens[verb + 1 : end]
            while names and names[-1].text in (".", ","):
                names = names[:-1]
            if names and len(names) <= 4 and all(token.capital for token in names):
                self.subject = self.text[names[0].start : names[-1].end]
                self.topic = Topic(self.topic.person or self.subject, self.subject, self.subject)
                return
        self.topic = remembered(self.topic, subject)
        self._remember_work(verb, end)

    def _remember_work(self, verb: int, end: int) -> None:
        """What a named subject made, told in the past, is what `it` means next."""
        if self.topic.thing != self.topic.person or not self.group.past:
            return
        if work := work_in(self.tokens[:end], verb):
            self.topic = self.topic._replace(thing=self._words(*work))

    def _antecedent(self, start: int, end: int) -> str:
        """The noun phrase before a comma: back to a verb, a comma, or a preposition other than `of`."""
        at = antecedent_at(self.tokens, start, end)
        if at == end - 1 > start and self.tokens[at].text.isdigit() and self.tokens[at - 1].text == ",":
            # "Ada Brun, 45, who …"
            end = at - 1
            at = antecedent_at(self.tokens, start, end)
        words = self._words(at, end) if at < end else self.subject
        return filled(words, self.topic) or self.subject

    def _words(self, start: int, end: int) -> str:
        return words_of(self.text, self.tokens, start, end)

    def _add(self, words: str, start: int, end: int) -> None:
        span = self.tokens[start].start, self.tokens[max(start, end - 1)].end
        for said in [words.strip()] if self.fine else items_of(words.strip()):
            self.out.append((said[:1].upper() + said[1:], *span))


def _within(subject: str) -> str:
    """A subject that stands behind other words."""
    return subject[:1].lower() + subject[1:] if subject.startswith(("The ", "A ", "An ")) else subject

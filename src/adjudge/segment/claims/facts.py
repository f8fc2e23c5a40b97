"""A clause into atomic facts: each item, phrase and attribute told on its own of the clause's subject.

"She was born in Rome on 5 May 1960" -> She was born in Rome | She was born on 5 May 1960
"He is a Swiss poet" -> He is Swiss | He is a poet
"""

from __future__ import annotations

from adjudge.segment.claims.items import Item, items_in, joined
from adjudge.segment.claims.joins import joined_phrases
from adjudge.segment.claims.leads import is_case, is_date, kind_of, lead_of
from adjudge.segment.claims.phrases import Phrase, phrases_of
from adjudge.segment.claims.roles import names_in, renamed_in, role_of, with_article
from adjudge.segment.claims.series import series_in
from adjudge.segment.claims.tokens import Token, denial_at, group_end, main_verb_at, tokens_of, words_of
from adjudge.segment.claims.words import ARTICLES, CONDITIONS, FORMS_OF_BE, word_set

_GOVERNED = word_set("of to for with as into about against like on upon")
_GOVERNS_IN = word_set(
    "consist consists consisted result results resulted resulting specialize specializes specialized"
    " specialise specialises specialised participate participates participated engaged involved"
    " interested succeeded believes believed"
)
_LINKING = FORMS_OF_BE | word_set("became become becomes remained remains")
_MOST_PHRASES = 40


def facts_of(clause: str) -> list[str]:
    """The facts of a clause that has a subject, in order, none twice."""
    tokens = tokens_of(clause)
    if not tokens:
        return [clause]
    lead = lead_of(tokens)
    verb = main_verb_at(tokens, lead, len(tokens))
    if verb is None:
        return _label(clause, tokens)
    if lead and kind_of(tokens, lead) == "condition":
        return [clause]
    if lead and is_case(tokens, lead):
        begin = tokens[lead].start
        return [clause[:begin] + fact for fact in facts_of(clause[begin:])]
    facts = _Clause(clause, tokens, lead, verb).facts()
    return list(dict.fromkeys(facts)) or [clause]


def _label(clause: str, tokens: list[Token]) -> list[str]:
    """Words without a verb: "Colours: red and blue" is two facts, others are one."""
    colon = next((at for at, token in enumerate(tokens) if token.text == ":" and not token.depth), None)
    end = len(tokens)
    while end and tokens[end - 1].text in ".,;":
        end -= 1
    if colon is None or colon + 1 >= end:
        return [clause]
    prefix = clause[: tokens[colon + 1].start]
    return [prefix + joined(clause, tokens, item) for item in items_in(tokens, colon + 1, end)]


class _Clause:
    """A clause with its verb found, and the facts made so far."""

    def __init__(self, text: str, tokens: list[Token], lead: int, verb: int) -> None:
        self.text = text
        self.tokens = tokens
        self.lead = lead
        self.verb = verb
        self.after = self._group_end()
        begin = tokens[lead].start
        self.prefix = text[begin : tokens[self.after - 1].end]
        self.head = self.prefix
        """What stands before the items of the last list."""
        self.listing = (0, 0)
        """Where `including` or `such as` stands, once a phrase began with it."""
        self.beside: dict[str, str] = {}
        """What phrases that begin with a preposition are told of."""
        self.out: list[str] = []

    def _group_end(self) -> int:
        """After the verb and adverbs that no object follows: "feeds mainly on"."""
        end = adverbs = group_end(self.tokens, self.verb)
        while adverbs < len(self.tokens) and self.tokens[adverbs].tag == "A":
            adverbs += 1
        return adverbs if adverbs < len(self.tokens) and self.tokens[adverbs].tag in "RGTS" else end

    def facts(self) -> list[str]:
        subject = Phrase(self.lead, self.verb, "object")
        phrases = phrases_of(self.tokens, self.after)
        if self._is_conditional() or self._is_denied(phrases):
            self._whole(phrases)
            return self.out
        if not phrases or len(phrases) > _MOST_PHRASES or self._leaves_open():
            self.out.append(self.text[self.tokens[self.lead].start :])
        elif not self._series(len(self.tokens), len(self.tokens)) and not (
            phrases[-1].kind == "verbal" and self._series(phrases[-1].start, phrases[-1].end)
        ):
            self._tell(joined_phrases(self.tokens, self.lead, self.after, phrases))
        if self.lead and kind_of(self.tokens, self.lead) == "phrase":
            self._lead()
        if self.tokens[subject.start].tag != "R":
            self.out += names_in(self.text, self.tokens, subject)
        return self.out

    def _series(self, end: int, stop: int) -> bool:
        """Tell things each with what belongs to it, and what follows them up to `stop`; False if there is no
        such series.
        """
        series = series_in(self.tokens, self.after, end)
        if series:
            head = self._words(self.lead, series[0][0])
            self.out += [f"{head} {self._words(*member)}" for member in series]
        if series and end < stop:
            self.out.append(self._words(self.lead, stop))
        return bool(series)

    def _leaves_open(self) -> bool:
        """Whether two things are told of which one is so: "had to sell their land or move away"."""
        pairs = zip(self.tokens[self.after :], self.tokens[self.after + 1 :], strict=False)
        return any(one.lower == "or" and not one.depth and other.tag == "I" for one, other in pairs)

    def _is_conditional(self) -> bool:
        return any(
            token.lower in CONDITIONS or (token.tag == "S" and token.lower in ("provided", "providing"))
            for token in self.tokens
        )

    def _is_denied(self, phrases: list[Phrase]) -> bool:
        """Whether a denial reaches beyond its phrase: not in "moved to Rome with no money"."""
        at = denial_at(self.tokens, self.lead, len(self.tokens))
        if at is None or not phrases or at < phrases[0].end:
            return at is not None
        own = next((phrase for phrase in phrases if phrase.start <= at < phrase.end), phrases[0])
        return self.tokens[at].lower != "no" and own.kind != "verbal"

    def _whole(self, phrases: list[Phrase]) -> None:
        """A clause that says something else when shortened: only the items of the last list that its verb
        denies are apart.
        """
        tokens = self.tokens
        denied = denial_at(tokens, self.lead, self.after) is not None
        mixed = any(token.lower == "but" for token in tokens[self.after :])
        listed = () if mixed or not denied or self._is_conditional() else reversed(phrases)
        for phrase in listed:
            inner = phrase.start if phrase.kind == "object" else self._inner(phrase)
            order = any(token.tag == "I" for token in tokens[phrase.start : phrase.end])
            items = [] if order else items_in(tokens, inner, phrase.end)
            if len(items) > 1 and phrase.kind in ("object", "prep"):
                head, tail = self.text[: tokens[inner].start], self.text[tokens[phrase.end - 1].end :]
                self.out += [head + joined(self.text, tokens, item) + tail for item in items]
                return
        self.out.append(self.text)

    def _tell(self, phrases: list[Phrase]) -> None:
        base, rest = self.prefix, phrases
        first = phrases[0]
        if first.kind == "object":
            # "was born 6 May 1979 in Oslo": the place is not one of that day
            if not is_date(self.tokens, first.start, first.end) or not self.prefix.endswith(("born", "died")):
                base = f"{self.prefix} {self._text(first)}"
            own = self.tokens[first.start : first.end]
            if len(own) > 2 and own[0].tag == "G" and own[1].tag == "R":
                self._phrase(self.prefix, first)
            elif not self._is_home_to(phrases):
                self._object(first)
            rest = phrases[1:]
        elif self._is_governed(first):
            base = f"{self.prefix} {self._text(first)}"
            if self.tokens[first.start].tag == "S" and self.tokens[first.start].lower != "that":
                self.out.append(self.prefix)
            self._phrase(self.prefix, first)
            rest = phrases[1:]
        previous = first if rest is not phrases else Phrase(self.after, self.after, "")
        for phrase in rest:
            base = self._further(base, phrase, previous)
            previous = phrase

    def _is_home_to(self, phrases: list[Phrase]) -> bool:
        """Whether the object says nothing without what follows: "was home to wolves"."""
        own = self.tokens[phrases[0].start : phrases[0].end]
        bare = own[-1].lower == "home" and all(token.tag == "A" for token in own[:-1])
        return bare and len(phrases) > 1 and self.tokens[phrases[1].start].lower == "to"

    def _further(self, base: str, phrase: Phrase, previous: Phrase) -> str:
        """Tell one more phrase; returns what later phrases are told of."""
        if phrase.kind == "sibling":
            own = Phrase(phrase.start + 1, phrase.end, "object")
            if self.listing[0] and self.tokens[self.listing[0]].lower == "including":
                return self._listed(base, own)
            self._object(own)
            return f"{self.prefix} {self._text(own)}"
        if phrase.kind == "member":
            return self._listed(base, phrase)
        if phrase.kind == "bracket":
            held = base if self._text(previous) in base else f"{base} {self._text(previous)}"
            comma = "" if self.tokens[phrase.start].text == "(" else ","
            self.out.append(f"{held}{comma} {self._text(phrase)}")
            return base
        if phrase.kind == "rest" and self.tokens[phrase.start - 1].tag in ",C":
            # The list goes on after a bracket: "Ash (1988), Elm (1994) and Oak (2002)".
            base = f"{self.head} {self._text(phrase)}"
            for item in items_in(self.tokens, phrase.start, phrase.end):
                self.out.append(f"{self.head} {joined(self.text, self.tokens, item)}")
            return base
        opener = self.tokens[phrase.start]
        second = self.tokens[min(phrase.start + 1, phrase.end - 1)]
        lists_doings = opener.lower == "like" and second.tag == "G"
        if opener.lower in ("including", "such") or lists_doings:
            self.listing = (phrase.start, phrase.start + 1 + (opener.lower == "such"))
        about = opener.tag == "P" or opener.lower == "from"
        if about and previous.kind == "object" and self._is_role(previous):
            self._phrase(self.prefix, phrase)
            return base
        if self._begins_anew(phrase):
            self._phrase(self.prefix, phrase)
            return f"{self.prefix} {self._text(phrase)}"
        if opener.lower in self.beside and self._is_beside(phrase):
            base = self.beside[opener.lower]
        if self._leans(phrase, previous) and previous.kind == "prep" and self._text(previous) not in base:
            base = f"{base} {self._text(previous)}"
        self.beside[opener.lower] = base
        self._phrase(base, phrase)
        extends = phrase.kind == "verbal" or opener.lower in ("including", "such")
        return f"{base} {self._text(phrase)}" if extends else base

    def _begins_anew(self, phrase: Phrase) -> bool:
        """Whether a phrase stands beside the first: "boils at 100 °C here, but at less there", "known for A
        and for B".
        """
        first, before, own = (self.tokens[at] for at in (self.after, phrase.start - 1, phrase.start))
        return first.tag == "R" and first.lower == own.lower and (before.text == "," or before.tag == "C")

    def _is_beside(self, phrase: Phrase) -> bool:
        """Whether a phrase may go back to one that began alike: "useful as A in B, as C in D"."""
        before = self.tokens[phrase.start - 1]
        return phrase.kind == "prep" and (before.text == "," or before.tag == "C")

    def _listed(self, base: str, member: Phrase) -> str:
        """Further members of what is listed; returns what later phrases are told of."""
        listing = f" {self._words(*self.listing)} "
        head = base.partition(listing)[0] + listing
        items = items_in(self.tokens, member.start, member.end, open_ended=True)
        self.out += [head + joined(self.text, self.tokens, item) for item in items]
        return head + self._text(member)

    def _leans(self, phrase: Phrase, previous: Phrase) -> bool:
        """Whether a phrase says more of the noun before it: "for repairs costing", "with a degree in law"."""
        opener = self.tokens[phrase.start]
        if opener.tag in "GPW" or opener.lower in ("including", "such"):
            return True
        before = self.tokens[phrase.start - 1]
        if before.text == "," or before.tag == "C":
            return False  # "a rise in prices and in wages", "by email, by phone or through the app"
        if self.tokens[previous.start].lower == "from" and is_date(self.tokens, previous.start, previous.end):
            return True
        return self.tokens[previous.end - 1].tag == "N" and not is_date(self.tokens, phrase.start, phrase.end)

    def _is_governed(self, phrase: Phrase) -> bool:
        """Whether the verb means little without its first phrase: "consists of", "relies on", "served as"."""
        opener, verb = self.tokens[phrase.start].lower, self.tokens[self.after - 1].lower
        if opener == "in":
            return verb in _GOVERNS_IN
        dated = is_date(self.tokens, phrase.start, phrase.end)
        return phrase.kind == "verbal" or (opener in _GOVERNED and not dated and verb != "born")

    def _phrase(self, base: str, phrase: Phrase) -> None:
        """A fact for each item of a phrase that follows what it says more of."""
        tokens, start = self.tokens, phrase.start
        inner = self._inner(phrase)
        if (phrase.kind == "verbal" and tokens[start].tag in "WS") or inner >= phrase.end:
            self.out.append(f"{base} {self._text(phrase)}")
            return
        opener = self._words(start, inner)
        colon = next((at for at in range(inner + 1, phrase.end - 1) if tokens[at].text == ":"), None)
        if colon is not None and not tokens[colon].depth and tokens[colon - 1].tag == "N":
            # "formed by five members: Iran, …"
            self.out.append(f"{base} {self._words(start, colon)}")
            inner = colon + 1
            if tokens[self.lead].lower == "there":
                base, opener = self.prefix, ""  # "There are two kinds of rock here: …"
        self.head = f"{base} {opener}"
        for item in items_in(tokens, inner, phrase.end, open_ended=self._goes_on(phrase.end)):
            said = joined(self.text, tokens, item)
            if tokens[item[0][0]].tag == "R" and item[0][0] > inner:
                # "in the gut, as well as in soil"
                self.out.append(f"{base} {said}")
                continue
            if opener.endswith("as") and tokens[inner].lower in ("a", "an") and tokens[item[0][0]].tag == "N":
                said = with_article(said)
            self.out.append(" ".join(part for part in (base, opener, said) if part))
        self.out += names_in(self.text, tokens, phrase)
        self.out += renamed_in(self.text, tokens, Phrase(inner, phrase.end, "object"))

    def _goes_on(self, end: int) -> bool:
        """Whether a list goes on behind a bracket: "acne, warts (verrucae), and eczema"."""
        if end >= len(self.tokens) or self.tokens[end].text != "(":
            return False
        depth = self.tokens[end].depth
        close = next(
            (at for at in range(end + 1, len(self.tokens) - 1)
             if self.tokens[at].text == ")" and self.tokens[at].depth == depth), None
        )  # fmt: skip
        return close is not None and (self.tokens[close + 1].text == "," or self.tokens[close + 1].tag == "C")

    def _inner(self, phrase: Phrase) -> int:
        """Where the part of a phrase begins that may be a list, behind "in", "to see", "for having"."""
        tokens, at = self.tokens, phrase.start
        if tokens[at].tag == "R" or tokens[at].lower == "such":
            following = tokens[at + 1 : at + 3]
            second = following[0].tag == "R" and following[-1].tag != "#"
            second = second or (tokens[at].lower == "among" and following[0].lower in ("them", "which"))
            at += 2 if tokens[at].lower == "such" or second else 1
        elif tokens[at].tag not in "TGP":
            # "allows you to pay …"
            at = next((i for i in range(at, phrase.end) if tokens[i].tag == "T"), at)
        if tokens[phrase.start].lower in ("including", "such"):
            return at
        verbs = at
        while verbs < phrase.end and tokens[verbs].tag in "TIGPEA":
            verbs += 1
        if verbs == at + 1 and tokens[at].tag == "G" and verbs < phrase.end and tokens[verbs].tag in ",C":
            return at  # "in acting, business and law"
        paired = [
            index
            for index in range(verbs, phrase.end - 1)
            if tokens[index].tag == "C" and tokens[index + 1].tag in "IGP"
        ]
        if paired:
            return at + 1 if tokens[at].tag == "T" else at
        return verbs + 1 if verbs > at and verbs < phrase.end and tokens[verbs].tag == "R" else verbs

    def _object(self, phrase: Phrase) -> None:
        """A fact for each item of what the verb is said of; a nationality is an item."""
        self.head = self.prefix
        if self.tokens[phrase.start].text == ":" and phrase.end - phrase.start > 1:
            phrase = Phrase(phrase.start + 1, phrase.end, "object")
        colon = next((at for at in range(phrase.start, phrase.end) if self.tokens[at].text == ":"), None)
        if colon is not None and phrase.start < colon < phrase.end - 1 and not self.tokens[colon].depth:
            self.out.append(f"{self.prefix} {self._words(phrase.start, colon)}")
            phrase = Phrase(colon + 1, phrase.end, "object")
        for number, item in enumerate(
            items_in(self.tokens, phrase.start, phrase.end, roles=self._is_role(phrase))
        ):
            other = self._another(item) if number else None
            if other is not None:
                whose = self._words(item[0][0], other).rstrip(" ,")
                said = (whose, self._words(self.verb, self.after))
                self.out.append(" ".join((*said, self._words(other, item[-1][1]))))
            elif self._is_role(phrase):
                self.out += [f"{self.prefix} {said}" for said in role_of(self.text, self.tokens, item)]
            else:
                self.out.append(f"{self.prefix} {joined(self.text, self.tokens, item)}")
        self.out += names_in(self.text, self.tokens, phrase) + renamed_in(self.text, self.tokens, phrase)

    def _another(self, item: Item) -> int | None:
        """Where what is said begins in an item that has its own subject: "and her mother | a nurse"."""
        (start, end), tokens = item[0], self.tokens
        if len(item) > 1 or tokens[start].tag != "D" or tokens[start].lower in ("a", "an"):
            return None
        begins = (at for at in range(start + 2, end) if tokens[at].text in ("a", "an", "$", "€", "£"))
        found = next(begins, None)
        if found is None or (tokens[found - 1].tag != "N" and tokens[found - 1].text != ","):
            return None
        return found

    def _is_role(self, phrase: Phrase) -> bool:
        linking = self.tokens[self.after - 1].lower in _LINKING
        return linking and self.tokens[phrase.start].lower in ("a", "an")

    def _lead(self) -> None:
        """The opening phrase told of the bare clause."""
        bare = self.out[0] if self.out else self.prefix
        tokens = self.tokens
        words = self.text[: tokens[self.lead - 1].end]
        subject = self.tokens[self.lead]
        low = subject.lower in ARTICLES or subject.tag == "O"
        bare = bare[:1].lower() + bare[1:] if low and subject.text != "I" else bare
        # "After retiring from football in 2003,": the year is one more fact
        later = [
            at for at in range(3, self.lead - 2) if tokens[at].tag == "R" and tokens[at - 1].tag in "NM#"
        ]
        later = [at for at in later if tokens[at].lower != "of"]
        if tokens[1].tag == "G" and later and not tokens[later[0]].depth:
            self.out.append(f"{self._words(0, later[0])}, {bare}")
        self.out.append(f"{words} {bare}")

    def _text(self, phrase: Phrase) -> str:
        return self._words(phrase.start, phrase.end)

    def _words(self, start: int, end: int) -> str:
        return words_of(self.text, self.tokens, start, end)

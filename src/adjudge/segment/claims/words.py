"""Word lists of the English claim splitter: enough grammar to tell verbs and pronouns without a tagger."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


BE = frozenset({"is", "are", "was", "were", "'s", "’s", "be", "been"})
AUXILIARIES = BE | word_set(
    "has have had does do did can could will would may might must shall should cannot can't won't"
    " isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't"
)
PAST_AUXILIARIES = frozenset({"was", "were", "had", "did", "wasn't", "weren't", "hadn't", "didn't"})

_REGULAR = (
    "accept accompany account achieve acquire act adapt add address adopt affect aim allow"
    " announce appear apply appoint approve argue arrest arrive ask assist associate attack"
    " attempt attend attract author award base battle believe belong border carry cause celebrate"
    " chair change claim close coach collaborate collapse collect combine command commission"
    " compete complete compose comprise concern conduct conclude connect conquer consider consist"
    " construct consume contain continue contract contribute control convert convince cooperate"
    " cover create cross debut decide declare declin decline decrease dedicate defeat defend"
    " define deliver demonstrate depend depict derive describe design destroy determine develop"
    " die direct disappear discover discuss display dissolve divide dominate donate earn edit"
    " educate elect embark emerge emigrate employ enable encourage end engage enjoy enlist enroll"
    " ensure enter escape establish estimate evolve examine exceed exist expand experience explain"
    " explore expose express extend face fail feature fill film finance finish flow focus follow"
    " force form found function fund gain generate graduate grant guide handle happen help hire"
    " host house identify immigrate implement improve include incorporate increase indicate"
    " influence inhabit inherit initiate inspire install intend introduce invade invent invest"
    " investigate invite involve issue join kill lack last launch learn license limit link list"
    " live locate maintain manage manufacture mark marry matter mean measure mentor merge migrate"
    " move name negotiate nominate note number observe obtain occupy occur offer open operate"
    " oppose orbit order organize originate own paint participate partner pass perform pioneer"
    " place plan play portray possess practice praise predict prefer premiere prepare present"
    " preserve prevent process produce progress promote propose protect prove provide publish"
    " purchase pursue qualify raise range rank reach realize receive recognize recommend record"
    " recover reduce refer reflect refuse reject relate release relocate remain remove rename"
    " render renovate repeat replace report represent request require rescue research reside"
    " resign resolve respond rest restore result retire return reveal review rule sail score seem"
    " select separate serve settle share shift show sign smell solve span specialize sponsor star"
    " start state stay store stretch study succeed suffer suggest support survive taste teach tend"
    " test thank total tour trade train transfer transform translate travel treat turn use vary"
    " view visit vote walk want warn watch weigh welcome win work"
)
_IRREGULAR = {
    "become": "became",
    "begin": "began",
    "break": "broke",
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "catch": "caught",
    "choose": "chose",
    "come": "came",
    "cost": "cost",
    "draw": "drew",
    "drive": "drove",
    "eat": "ate",
    "fall": "fell",
    "feel": "felt",
    "fight": "fought",
    "find": "found",
    "fly": "flew",
    "get": "got",
    "give": "gave",
    "go": "went",
    "grow": "grew",
    "have": "had",
    "hold": "held",
    "keep": "kept",
    "know": "knew",
    "lead": "led",
    "leave": "left",
    "lie": "lay",
    "lose": "lost",
    "make": "made",
    "meet": "met",
    "overcome": "overcame",
    "pay": "paid",
    "put": "put",
    "read": "read",
    "rise": "rose",
    "run": "ran",
    "say": "said",
    "see": "saw",
    "sell": "sold",
    "send": "sent",
    "set": "set",
    "sing": "sang",
    "sit": "sat",
    "speak": "spoke",
    "spend": "spent",
    "spread": "spread",
    "stand": "stood",
    "take": "took",
    "teach": "taught",
    "tell": "told",
    "think": "thought",
    "understand": "understood",
    "wear": "wore",
    "win": "won",
    "write": "wrote",
}
_DOUBLING = frozenset(
    {"begin", "get", "put", "run", "set", "sit", "win", "star", "transfer", "refer", "plan"}
)


def _past(base: str) -> str:
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base in _DOUBLING:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeiou" else base + "ed"


def _present(base: str) -> str:
    if base == "have":
        return "has"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _participle(base: str) -> str:
    if base in _DOUBLING:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"


_BASES = tuple(dict.fromkeys([*_REGULAR.split(), *_IRREGULAR]))
BASE_FORMS = frozenset(_BASES)
PRESENT = {_present(base): base for base in _BASES}
PAST = {_past(base): base for base in _BASES}
ING = {_participle(base): base for base in _BASES}
"""`becoming` to `become`, and so on."""


def finite(participle: str, *, past: bool) -> str:
    """`becoming` as `became` or `becomes`; other words are given back after `is` or `was`."""
    base = ING.get(participle)
    if base is None:
        return f"{'was' if past else 'is'} {participle}"
    return _past(base) if past else _present(base)


PARTICIPLES = word_set(
    "located situated based born known called named founded established built held set founded"
    " led made composed written produced directed published released featuring released considered"
    " regarded described owned operated designed developed formed created educated raised"
    " headquartered home bordered surrounded"
)
DETERMINERS = word_set("the a an this that these those his her its their our my your some any each every no")
PREPOSITIONS = word_set(
    "of in on at by for with from to into over under between among through during about against"
    " within across near around as per via upon toward towards onto since until than like"
    " including"
)
PRONOUNS = word_set("it he she they this these those we you i there who which that")
SUBJECT_PRONOUNS = frozenset({"it", "he", "she", "they"})
POSSESSIVES = frozenset({"its", "his", "her", "their"})
ADVERBS = word_set(
    "also then later subsequently eventually currently now still often usually generally"
    " typically widely not never only always already soon initially originally previously recently"
    " once again mainly mostly primarily officially formerly first even further furthermore"
)
SUBORDINATORS = word_set("if unless when whenever whether until because after before although though")
COORDINATORS = frozenset({"and", "but", "while", "whereas", "or", "yet"})
MONTHS = word_set("january february march april may june july august september october november december")

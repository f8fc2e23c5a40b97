"""Small invented texts in which all depends on who did what, with true and false claims made of their words.

A judge that compares words alone passes "Lyon is the capital of France" wherever Lyon, France and a capital
are spoken of. Texts of this kind are rare in entailment sets, so these are made from patterns of our own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from role_words import (
    BUTTONS,
    CAUSES,
    DID,
    EFFECTS,
    FIRST,
    LAST,
    MADE_IN,
    MONTHS,
    MORE,
    PAIRS,
    PARTS,
    PLACES,
    STEPS,
    TEAMS,
    THINGS,
    words,
)


class Told(NamedTuple):
    """Evidence, a claim, and its label: `e` entailed, `x` not entailed."""

    evidence: tuple[str, ...]
    claim: str
    label: str


class Draw:
    """Draws the words of one text; what is drawn together differs."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def people(self) -> tuple[str, str]:
        first, last = self.rng.sample(FIRST, 2), self.rng.sample(LAST, 2)
        if self.rng.random() < 0.4:
            return first[0], first[1]
        return f"{first[0]} {last[0]}", f"{first[1]} {last[1]}"

    def two(self, pool: tuple[str, ...] | list[str]) -> tuple[str, str]:
        a, b = self.rng.sample(pool, 2)
        return a, b

    def years(self) -> tuple[int, int]:
        a = self.rng.randint(1750, 2015)
        return a, a + self.rng.randint(1, 12)

    def sides(self, pair: str) -> tuple[str, str]:
        a, b = pair.split("/")
        return (a, b) if self.rng.random() < 0.5 else (b, a)


Made = tuple[list[str], list[str], list[str]]
"""Evidence, of which one is taken; true claims; false claims."""


def doers(d: Draw) -> Made:
    a, b = d.people()
    did, done, also, also_done, nouns = d.rng.choice(DID)
    thing = d.rng.choice(nouns.split())
    y, z = d.years()
    place = d.rng.choice(PLACES)
    return (
        [
            f"{a} {did} the {thing} in {y}. {b} {also} it in {z}.",
            f"The {thing} was {done} by {a} and later {also_done} by {b}.",
            f"While {b} {also} the {thing}, it was {a} who had {done} it years before, in {place}.",
            f"{a}, who {did} the {thing}, never met {b}, who {also} it.",
        ],
        [
            f"{a} {did} the {thing}.",
            f"{b} {also} the {thing}.",
            f"The {thing} was {done} by {a}.",
            f"The {thing} was {also_done} by {b}.",
            f"Who {did} the {thing}? {a}",
            f"It was {b} who {also} the {thing}.",
        ],
        [
            f"{b} {did} the {thing}.",
            f"{a} {also} the {thing}.",
            f"The {thing} was {done} by {b}.",
            f"The {thing} was {also_done} by {a}.",
            f"Who {did} the {thing}? {b}",
            f"It was {a} who {also} the {thing}.",
        ],
    )


def moments(d: Draw) -> Made:
    a, b = d.two(PLACES)
    y, z = d.years()
    thing = d.rng.choice(words("museum station factory school stadium hospital tram university port"))
    opened, closed = d.rng.choice(
        (("opened", "closed"), ("was founded", "was moved"), ("was built", "burned down"))
    )
    return (
        [
            f"The {thing} in {a} {opened} in {y}. The one in {b} {opened} in {z}.",
            f"In {y} the {a} {thing} {opened}, and in {z} so did the {b} {thing}.",
            f"{a}'s {thing} {opened} in {y}, some years before {b}'s, which followed in {z}.",
        ],
        [
            f"The {thing} in {a} {opened} in {y}.",
            f"The {b} {thing} {opened} in {z}.",
            f"When was {a}'s {thing} new? In {y}",
            f"{a}'s {thing} {opened} before {b}'s.",
        ],
        [
            f"The {thing} in {a} {opened} in {z}.",
            f"The {b} {thing} {opened} in {y}.",
            f"When was {a}'s {thing} new? In {z}",
            f"{b}'s {thing} {opened} before {a}'s.",
            f"The {thing} in {a} {closed} in {y}.",
        ],
    )


def turns(d: Draw) -> Made:
    y, z = d.years()
    name = f"{d.rng.choice(LAST)} {d.rng.choice(words('Mill Hall Bridge Press Motors Bank Foods Airlines'))}"
    one, two = d.rng.choice(
        (
            ("was founded", "went public"),
            ("was opened", "was closed"),
            ("was stolen", "was returned"),
            ("was sold", "was bought back"),
            ("burned down", "was rebuilt"),
            ("was launched", "was abandoned"),
        )
    )
    return (
        [
            f"{name} {one} in {y}. It {two} in {z}.",
            f"{name} {one} in {y} and {two} in {z}.",
            f"In {z}, after it {one} in {y}, {name} {two}.",
        ],
        [f"{name} {one} in {y}.", f"{name} {two} in {z}.", f"{name} {two} after it {one}."],
        [f"{name} {one} in {z}.", f"{name} {two} in {y}.", f"{name} {one} after it {two}."],
    )


def compared(d: Draw) -> Made:
    more, less = d.sides(d.rng.choice(MORE))
    if d.rng.random() < 0.5:
        a, b = d.people()
    else:
        thing = d.rng.choice(THINGS)
        a, b = (f"the {thing} in {p}" for p in d.two(PLACES))
    top = lambda text: text[0].upper() + text[1:]  # noqa: E731
    return (
        [
            f"{top(a)} is {more} than {b}.",
            f"Compared with {b}, {a} is clearly {more}.",
            f"{top(b)} is {less} than {a}.",
        ],
        [f"{top(a)} is {more} than {b}.", f"{top(b)} is {less} than {a}."],
        [f"{top(b)} is {more} than {a}.", f"{top(a)} is {less} than {b}."],
    )


def played(d: Draw) -> Made:
    a, b = d.two(TEAMS)
    c = d.rng.choice([t for t in TEAMS if t not in (a, b)])
    goals = d.rng.randint(2, 6)
    return (
        [
            f"{a} won the match against {b} by {goals} points.",
            f"{b} lost to {a} in the final; {c} came third.",
            f"{a} beat {b} and will now meet {c}.",
            f"{b} was defeated by {a}, the team that {c} had feared.",
        ],
        [f"{a} beat {b}.", f"{b} lost to {a}.", f"{b} was beaten by {a}.", f"{a} defeated {b}."],
        [
            f"{b} beat {a}.",
            f"{a} lost to {b}.",
            f"{a} was beaten by {b}.",
            f"{a} beat {c}.",
            f"{c} lost to {a}.",
        ],
    )


def affected(d: Draw) -> Made:
    one, two = d.rng.choice(PAIRS)
    if d.rng.random() < 0.5:
        one, two = two, one
    good, bad = d.rng.choice(EFFECTS).split("|")
    cause = d.rng.choice(CAUSES)
    top = cause[0].upper() + cause[1:]
    return (
        [
            f"{top} {good} {one}. It {bad} {two}.",
            f"{top} {good} {one} but {bad} {two}.",
            f"Although {cause} {bad} {two}, it {good} {one}.",
            f"{top}, which {bad} {two}, {good} {one}.",
        ],
        [f"{top} {good} {one}.", f"{top} {bad} {two}."],
        [f"{top} {good} {two}.", f"{top} {bad} {one}."],
    )


def covered(d: Draw) -> Made:
    a, b = d.two(PARTS)
    m, n = d.rng.sample(range(2, 11), 2)
    unit = d.rng.choice(("years", "months"))
    return (
        [
            f"The warranty covers the {a} for {m} {unit} and the {b} for {n} {unit}.",
            f"The {a} is guaranteed for {m} {unit}, the {b} for {n}.",
            f"You may return the {a} within {m} {unit}; for the {b} it is {n} {unit}.",
        ],
        [f"For the {a} it is {m} {unit}.", f"For the {b} it is {n} {unit}."],
        [f"For the {a} it is {n} {unit}.", f"For the {b} it is {m} {unit}."],
    )


def pressed(d: Draw) -> Made:
    a, b = d.sides(d.rng.choice(BUTTONS))
    do, undo = d.sides(d.rng.choice(STEPS))
    thing = d.rng.choice(("valve", "tank", "pump", "file", "gate", "shutter", "machine"))
    return (
        [
            f"Press the {a} button to {do} the {thing} and the {b} button to {undo} it.",
            f"The {a} button is there to {do} the {thing}. To {undo} it, use the {b} one.",
            f"To {undo} the {thing}, hold the {b} button; to {do} it, hold the {a} button.",
        ],
        [
            f"The {a} button is for when you want to {do} the {thing}.",
            f"Use the {b} button to {undo} the {thing}.",
        ],
        [
            f"The {b} button is for when you want to {do} the {thing}.",
            f"Use the {a} button to {undo} the {thing}.",
        ],
    )


def moved(d: Draw) -> Made:
    a, _ = d.people()
    here, there = d.two(PLACES)
    years = d.rng.randint(2, 20)
    return (
        [
            f"Before moving to {there}, {a} lived in {here} for {years} years.",
            f"{a} was born in {here} and died in {there}.",
            f"{a} left {here} for {there} in the end.",
            f"After {years} years in {here}, {a} settled in {there}.",
        ],
        [f"{a} was in {here} before {there}.", f"{a} went from {here} to {there}."],
        [f"{a} was in {there} before {here}.", f"{a} went from {there} to {here}."],
    )


def capitals(d: Draw) -> Made:
    land = d.rng.choice(TEAMS)
    a, b = d.two(PLACES)
    what, other = d.rng.choice(
        (
            ("the capital", "a large port"),
            ("the oldest city", "the newest"),
            ("the seat of government", "a mining town"),
            ("home to the supreme court", "known for its beaches"),
            ("the largest city", "the second largest"),
        )
    )
    return (
        [
            f"{a} is {what} of {land}. {b} is {other} in {land}.",
            f"In {land}, {a} is {what}, while {b} is {other}.",
            f"{b}, {other} in the north of {land}, is often taken for {what}, which is {a}.",
        ],
        [f"{a} is {what} of {land}.", f"What is {what} of {land}? {a}", f"{b} is {other}."],
        [f"{b} is {what} of {land}.", f"What is {what} of {land}? {b}", f"{a} is {other}."],
    )


def produced(d: Draw) -> Made:
    (a, here), (b, there) = d.rng.sample(MADE_IN, 2)
    return (
        [
            f"{a} is made in {here}. {b} is made in {there}.",
            f"{a} comes from {here}, {b.lower()} from {there}.",
            f"Unlike {b.lower()}, which is made in {there}, {a.lower()} comes out of {here}.",
        ],
        [f"{a} is made in {here}.", f"{b} comes from {there}.", f"Where is {a.lower()} made? In {here}"],
        [f"{a} is made in {there}.", f"{b} comes from {here}.", f"Where is {a.lower()} made? In {there}"],
    )


def changed(d: Draw) -> Made:
    month, later = d.two(MONTHS)
    p, q = d.rng.sample(range(2, 30), 2)
    what = d.rng.choice(words("Sales Prices Rents Exports Profits Visits Births Arrests Wages Imports"))
    return (
        [
            f"{what} rose {p} percent in {month} and fell {q} percent in {later}.",
            f"After a rise of {p} percent in {month}, {what.lower()} fell by {q} percent in {later}.",
            f"{what} fell {q} percent in {later}; in {month} they had risen by {p} percent.",
        ],
        [f"{what} rose in {month}.", f"{what} fell in {later}.", f"{what} were up {p} percent in {month}."],
        [
            f"{what} fell in {month}.",
            f"{what} rose in {later}.",
            f"{what} were up {q} percent in {month}.",
            f"{what} were up {p} percent in {later}.",
        ],
    )


def decided(d: Draw) -> Made:
    body = d.rng.choice(words("committee council board court senate parliament jury union"))
    a, b = d.two(words("budget bridge tax appeal merger tunnel law petition licence report school pension"))
    yes, no = d.rng.choice((("approved", "rejected"), ("supported", "opposed"), ("praised", "criticised")))
    return (
        [
            f"The {body} {yes} the {a} but {no} the {b}.",
            f"The {a} was {yes} by the {body}. The {b} was {no}.",
            f"Having {no} the {b}, the {body} {yes} the {a}.",
        ],
        [f"The {body} {yes} the {a}.", f"The {b} was {no} by the {body}."],
        [f"The {body} {yes} the {b}.", f"The {a} was {no} by the {body}.", f"The {body} {no} the {a}."],
    )


def counted(d: Draw) -> Made:
    whole = d.rng.randint(40, 900)
    part = d.rng.randint(3, whole // 3)
    who, did = d.rng.choice(
        (
            ("patients", "dropped out"),
            ("students", "failed"),
            ("workers", "were dismissed"),
            ("homes", "were damaged"),
            ("passengers", "were hurt"),
            ("birds", "carried the virus"),
            ("firms", "closed"),
            ("votes", "were invalid"),
        )
    )
    return (
        [
            f"There were {whole} {who}; {part} of them {did}.",
            f"Of {whole} {who}, {part} {did}.",
            f"{part} of the {whole} {who} {did}.",
        ],
        [f"{part} {who} {did}.", f"There were {whole} {who} in all."],
        [
            f"{whole} {who} {did}.",
            f"There were {part} {who} in all.",
            f"All {who} {did}.",
            f"None of the {who} {did}.",
        ],
    )


def hours(d: Draw) -> Made:
    a, b = d.two(words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"))
    m, n = d.rng.sample(("four", "five", "six", "seven", "eight", "nine", "ten"), 2)
    thing = d.rng.choice(words("library shop pool market office museum bank"))
    return (
        [
            f"The {thing} is open until {m} on {a} and until {n} on {b}.",
            f"On {a} the {thing} closes at {m}, on {b} at {n}.",
            f"Closing time at the {thing}: {a} {m}, {b} {n}.",
        ],
        [f"On {a} the {thing} closes at {m}.", f"The {thing} stays open until {n} on {b}."],
        [f"On {a} the {thing} closes at {n}.", f"The {thing} stays open until {m} on {b}."],
    )


PATTERNS = (
    doers,
    doers,
    moments,
    turns,
    compared,
    played,
    affected,
    affected,
    covered,
    pressed,
    moved,
    capitals,
    produced,
    changed,
    decided,
    counted,
    hours,
)


def texts(number: int, seed: int) -> Iterator[Told]:
    """That many texts, each with a true and a false claim; half stand among sentences of another text."""
    rng = random.Random(seed)
    draw = Draw(rng)
    for _ in range(number):
        evidence, true, false = rng.choice(PATTERNS)(draw)
        told = [rng.choice(evidence)]
        if rng.random() < 0.5:
            other, _, _ = rng.choice(PATTERNS)(draw)
            told.insert(rng.randint(0, 1), rng.choice(other))
        yield Told(tuple(told), rng.choice(true), "e")
        yield Told(tuple(told), rng.choice(false), "x")

"""RGB question files of our own, and a model that answers from the documents it is shown.

The numbers that it must get are counted by hand here:

noise        4 questions. Question 2's first document is silent about the name, and at noise .8 it is the only
             positive one: 4 of 4 right up to .6, 3 of 4 at .8.
rejection    the second negative document of question 3 names somebody: 3 of 4 refused.
integration  2 questions of two parts. The documents for the second part of question 1 are silent: 1 of 2.
counterfactual  2 questions. Asked alone, the model knows question 0 only: Acc 1 of 2. With documents it
             repeats the false name for question 0, and points out the error for question 1 and gives the
             right name: Acc_doc 1 of 2, ED 1 of 2, CR 1 of 1.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

REFUSAL = "I can not answer the question because of the insufficient information in documents."
FLAG = "There are factual errors in the provided documents."
NAMES = ("Anna Berg", "Bo Dahl", "Cleo Ek", "Dan Falk")
PLANTED = ("Eva Gran", "Finn Holm")
_SAYS = re.compile(r"keeper of (?:tower|mill) (\d+[ab]?) is (\w+ \w+)")


def base(number: int) -> dict[str, Any]:
    positive = [f"Page {n}: the keeper of tower {number} is {NAMES[number]}." for n in range(6)]
    negative = [f"Page {n}: tower {number} was painted white in 19{n}0." for n in range(6)]
    if number == 2:
        positive[0] = "Page 0: tower 2 has a keeper."
    if number == 3:
        negative[1] = "Page 1: once upon a time the keeper of tower 3 is Gus Iversen."
    return {
        "id": number,
        "query": f"Who is the keeper of tower {number}?",
        "answer": [[NAMES[number], NAMES[number].upper()]],
        "positive": positive,
        "negative": negative,
    }


def integration(number: int) -> dict[str, Any]:
    first = [f"Note {n}: the keeper of mill {number}a is {NAMES[0]}." for n in range(3)]
    second = [f"Note {n}: the keeper of mill {number}b is {NAMES[1]}." for n in range(3)]
    if number == 1:
        second = [f"Note {n}: mill 1b stands still." for n in range(3)]
    return {
        "id": number,
        "query": f"Who are the keepers of mill {number}a and mill {number}b?",
        "answer": [[NAMES[0]], [NAMES[1]]],
        "asnwer1": [NAMES[0]],
        "answer2": [NAMES[1]],
        "positive": [first, second],
        "negative": [f"Note {n}: mills grind corn." for n in range(5)],
    }


def counterfactual(number: int) -> dict[str, Any]:
    true, false = NAMES[number], PLANTED[number]
    return {
        "id": number,
        "query": f"Who is the keeper of tower {number}?",
        "answer": true,
        "fakeanswer": false,
        "positive": [f"Leaf {n}: the keeper of tower {number} is {true}." for n in range(3)],
        "positive_wrong": [f"Leaf {n}: the keeper of tower {number} is {false}." for n in range(3)],
        "negative": [f"Leaf {n}: towers are high." for n in range(5)],
    }


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def make_folder(folder: Path) -> Path:
    """en.json, en_int.json and en_fact.json in the form of RGB's."""
    write_rows(folder / "en.json", [base(n) for n in range(4)])
    write_rows(folder / "en_int.json", [integration(n) for n in range(2)])
    write_rows(folder / "en_fact.json", [counterfactual(n) for n in range(2)])
    return folder


CASES = 4 * 6 + 2 * 3 + 2 * 2
"""Conditions × questions of that folder."""


def answer(body: dict[str, Any]) -> str:
    """The scripted model."""
    user = body["messages"][-1]["content"]
    documents, _, question = user.partition("Question:")
    if "Document:" not in documents:
        return f"It is {NAMES[0]}." if "tower 0" in question else "I would guess Hal Jensen."
    wanted = re.findall(r"(?:tower|mill) (\d+[ab]?)", question)
    found = dict(_SAYS.findall(documents))
    names = [found[number] for number in wanted if number in found]
    if not names:
        return REFUSAL
    if PLANTED[1] in names:
        return f"{FLAG} The keeper is {NAMES[1]}."
    return "Keepers: " + " and ".join(names)

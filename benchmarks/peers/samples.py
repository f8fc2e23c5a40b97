"""Invented samples: a question, five passages, a response and a reference, every text different."""

from __future__ import annotations

import random
from typing import Any

PLACES = ("Ostrel", "Pellam", "Varnhythe", "Quillmoor", "Saddlebeck", "Tarnwick", "Undermere", "Wexcombe")
THINGS = ("lighthouse", "mill", "bridge", "observatory", "harbour", "library", "foundry", "theatre")
MATTERS = ("granite", "oak", "brick", "sandstone", "iron", "slate", "concrete", "larch")
PEOPLE = ("Ada Brenholt", "Jonas Quire", "Mirela Tost", "Edwin Sarre", "Hanna Oldbury", "Piet Varga")
ENDS = (
    "Visitors climb the hill on foot, since no road leads there.",
    "A small fee pays for repairs, which the parish carries out each spring.",
    "Its records were lost in a flood and written anew from memory.",
    "On clear days it can be seen from the far shore of the lake.",
    "School classes come in June and draw what they see.",
    "A plaque near the gate lists those who gave money for it.",
)


def _facts(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        "name": f"{rng.choice(PLACES)} {rng.choice(THINGS)} {number}",
        "year": rng.randint(1650, 1990),
        "matter": rng.choice(MATTERS),
        "person": rng.choice(PEOPLE),
        "height": rng.randint(8, 90),
    }


def _passage(rng: random.Random, facts: dict[str, Any]) -> str:
    told = [
        f"The {facts['name']} was finished in {facts['year']} after {rng.randint(2, 9)} years of work.",
        f"It is built of {facts['matter']} and stands {facts['height']} metres high.",
        f"{facts['person']} drew the plans and watched over the builders.",
        f"About {rng.randint(100, 9000)} people came to see it in its first year.",
        *rng.sample(ENDS, 3),
    ]
    rng.shuffle(told)
    return " ".join(told)


def make_samples(number: int, seed: int = 7) -> list[dict[str, Any]]:
    """`number` samples; the same seed gives the same ones."""
    rng = random.Random(seed)
    made = []
    for index in range(number):
        facts = _facts(rng, index)
        others = [_facts(rng, 10_000 + 10 * index + place) for place in range(3)]
        passages = [_passage(rng, one) for one in (facts, facts, *others)]
        rng.shuffle(passages)
        wrong = rng.choice([matter for matter in MATTERS if matter != facts["matter"]])
        made.append(
            {
                "id": f"s{index}",
                "question": f"Who designed the {facts['name']}, when was it finished and what is it made of?",
                "contexts": passages,
                "response": f"{facts['person']} designed the {facts['name']}."
                f" It was finished in {facts['year']}. It is made of {wrong}.",
                "reference": f"The {facts['name']} was designed by {facts['person']}."
                f" It was finished in {facts['year']}. It is built of {facts['matter']}.",
            }
        )
    return made

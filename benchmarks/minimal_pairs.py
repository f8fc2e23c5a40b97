"""Whether the embedded judge finds a true claim likelier than a false one made of the same evidence's words.

    python benchmarks/minimal_pairs.py

Written by hand, apart from the patterns of training/roles.py, and never trained on.
"""

from __future__ import annotations

from typing import NamedTuple

from adjudge.judges.local.mix import ModelVerifier


class Pair(NamedTuple):
    evidence: str
    true: str
    false: str


PAIRS = tuple(
    Pair(*told)
    for told in (
        ("Take two tablets in the morning and one at night.",
         "One tablet is taken at night.", "Two tablets are taken at night."),
        ("The lawyer who represented Mr Hale had once worked for the judge.",
         "The lawyer had worked for the judge.", "The judge had worked for the lawyer."),
        ("Simmer the onions until soft, then stir in the lentils.",
         "The onions go in before the lentils.", "The lentils go in before the onions."),
        ("Critics say the dam caused the drought; the ministry blames the weather.",
         "The ministry says that the weather is to blame.", "The ministry says that the dam is to blame."),
        ("The village lies south of the river and north of the old forest.",
         "The village is north of the forest.", "The village is north of the river."),
        ("Tickets are free for members, and guests pay eight dollars.",
         "Guests pay for tickets.", "Members pay for tickets."),
        ("Ada lent her bicycle to Tom, who left it at the station.",
         "Tom left the bicycle at the station.", "Ada left the bicycle at the station."),
        ("The older twin became a surgeon; her sister went to sea.",
         "The younger twin went to sea.", "The older twin went to sea."),
        ("No student failed chemistry, though several failed Latin.",
         "Some students failed Latin.", "Some students failed chemistry."),
        ("The fire started in the kitchen and spread to the attic.",
         "The fire began in the kitchen.", "The fire began in the attic."),
        ("The mayor accused the editor of taking bribes.",
         "The editor was accused of taking bribes.", "The mayor was accused of taking bribes."),
        ("Whales are mammals, whereas the whale shark is a fish.",
         "The whale shark is a fish.", "The whale shark is a mammal."),
        ("Version 3 fixed the crash that had come with version 2.",
         "The crash came with version 2.", "The crash came with version 3."),
        ("The company moved its head office from Zurich to Milan, but its laboratory stayed in Zurich.",
         "The laboratory is in Zurich.", "The laboratory is in Milan."),
        ("Only the second half of the bridge had been painted when the money ran out.",
         "The first half of the bridge was not painted.", "The second half of the bridge was not painted."),
        ("Heavy smokers had twice the risk of heart attack, and light smokers had the same risk as others.",
         "The risk was doubled in heavy smokers.", "The risk was doubled in light smokers."),
        ("The cat chased the fox out of the garden.",
         "The fox was chased by the cat.", "The cat was chased by the fox."),
        ("After her husband died, the queen ruled alone until her son came of age.",
         "The queen's husband died before her son came of age.",
         "The queen's son came of age before her husband died."),
        ("The novel was published in French first; the English edition followed four years later.",
         "The English edition came after the French one.", "The French edition came after the English one."),
        ("Ravi teaches piano to Lena, and Lena teaches him Norwegian.",
         "Lena teaches Ravi Norwegian.", "Ravi teaches Lena Norwegian."),
        ("Most of the grant went to the hospital, and a small part to the school.",
         "The hospital got more of the grant than the school.",
         "The school got more of the grant than the hospital."),
        ("The north tower has sixty floors and the south tower fifty-two.",
         "The south tower has fifty-two floors.", "The north tower has fifty-two floors."),
        ("Unless it rains, the concert takes place in the park; otherwise it is moved to the hall.",
         "If it rains, the concert is in the hall.", "If it rains, the concert is in the park."),
        ("Copper was cheap in spring and dear by autumn.",
         "Copper cost more in autumn than in spring.", "Copper cost more in spring than in autumn."),
        ("The pilot survived the crash, but both passengers were killed.",
         "The passengers died in the crash.", "The pilot died in the crash."),
        ("Marta thinks that the vase is fake, and the museum insists that it is genuine.",
         "According to the museum the vase is genuine.", "According to Marta the vase is genuine."),
        ("The insurance pays for water damage and excludes damage by fire.",
         "Water damage is covered.", "Fire damage is covered."),
        ("Elm Street was named after a tree and Grant Street after a general.",
         "Grant Street is named after a general.", "Elm Street is named after a general."),
        ("The bank refused the loan that the city had asked for.",
         "The bank refused a loan to the city.", "The city refused a loan to the bank."),
        ("Male birds build the nest while the females guard the territory.",
         "The nest is built by males.", "The nest is built by females."),
    )
)  # fmt: skip


def share_right() -> tuple[float, float, list[Pair]]:
    """Shares of pairs in order and of right verdicts; and the pairs in the wrong order."""
    verifier = ModelVerifier()
    true = verifier.verdicts([p.true for p in PAIRS], [p.evidence for p in PAIRS])
    false = verifier.verdicts([p.false for p in PAIRS], [p.evidence for p in PAIRS])
    wrong = [p for p, a, b in zip(PAIRS, true, false, strict=True) if a.entailed <= b.entailed]
    right = sum(a.verdict == "entailed" for a in true) + sum(b.verdict != "entailed" for b in false)
    return 1 - len(wrong) / len(PAIRS), right / (2 * len(PAIRS)), wrong


def main() -> None:
    ordered, verdicts, wrong = share_right()
    print(f"{len(PAIRS)} pairs: {ordered:.0%} in the right order, {verdicts:.0%} of verdicts right")
    for pair in wrong:
        print(f"wrong order: {pair.evidence} | {pair.true} | {pair.false}")


if __name__ == "__main__":
    main()

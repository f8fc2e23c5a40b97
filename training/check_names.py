"""How often a document bears a response sentence out, by whether it names what the sentence speaks of.

    python training/check_names.py

Counted over RAGBench's train and validation rows with several documents: of documents that speak of others,
as judges/local/elsewhere finds them, and of all the rest. No model is asked.
"""

from __future__ import annotations

from collections import Counter

import sources

from adjudge.judges.local.elsewhere import speaks_of_others


def main() -> None:
    found: Counter[tuple[str, bool, bool]] = Counter()
    for row in sources.ragbench(sources.data_folder()):
        texts = ["\n\n".join(text for _, text in doc) for doc in row.documents]
        for key, sentence in row.response:
            resting = set(row.support.get(key, (False, ()))[1])
            bears = [any(k in resting for k, _ in doc) for doc in row.documents]
            if any(bears) and len(texts) > 1:
                for other, does in zip(speaks_of_others(sentence, texts), bears, strict=True):
                    found[row.source, other, does] += 1
    print(f"{'':12} {'of others':>22} {'the rest':>22}")
    for part in [*sorted({part for part, _, _ in found}), "all"]:
        cells = []
        for other in (True, False):
            yes, no = (
                sum(n for (p, o, d), n in found.items() if part in (p, "all") and (o, d) == (other, does))
                for does in (True, False)
            )
            cells.append(f"{yes:>6} of {yes + no:>6} {yes / max(yes + no, 1):.3f}")
        print(f"{part:12} " + " ".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()

"""Writes the model card, src/adjudge/models/CARD.md. Every figure in it comes from a file that a script
wrote.

    python training/card.py --runs FOLDER... --last FOLDER --agreement AGREEMENT.json...
    python training/card.py --agreement AGREEMENT.json...
    python training/card.py --tuned FOLDER... --answers WHOLE.jsonl.xz --agreement AGREEMENT.json...

The folders hold log.json of train.py: of the runs that were averaged or left a fold out, and of the last one,
which went on from the average; --tuned those of tune_documents.py. Without them, where the weights are as
they were, what the card tells of data and training is kept. AGREEMENTs are of benchmarks/agreement.py --json.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import natural
import sources
from build_mix import ROLES

MODELS = Path(__file__).parent.parent / "src" / "adjudge" / "models"
WHOLE = "## Whole answers"
NAMES = {"deep": "deep judge", "nine": "average of nine"}
"""What runs on whole answers began with, by its folder."""
HEAD = """# Card of the embedded judge

Written by training/card.py; every figure comes from a script's output.

**What it is.** A cross-encoder of 6 layers and 384 dimensions (22.7 million weights) that starts from
all-MiniLM-L6-v2 (Apache-2.0; the vocabulary is BERT's, Apache-2.0) and tells four things: whether evidence
entails, contradicts or does not state a claim; which context sentences are relevant to a question and were
used in a response (and which response sentences they bear out); how alike two short texts are; and which
words of a claim are not borne out. It is the average of three: of the runs listed under Training, and of two that went
on from these with a teacher, all-mpnet-base-v2 (Apache-2.0; 110 million weights, trained on the same data, never
shipped), whose opinion makes three quarters of every label and all of it for pairs that have none. They were taught in
three runs of 5,400, 7,200 and 19,500 steps on the same GPU, in the last one of them also to have tokens like the
teacher's. The last layer is as it was fitted, on runs that had left sources out and had no teacher.

Beside it a second of 12 layers (22 million weights more; the word table serves both), for whether documents, read whole,
entail a sentence. It is an average of averages: of the first one's weights made deeper and taught for 18 minutes by the
same teacher (21,700 steps), of eight runs that went on from these with whole answers (see there), and, added to both, of
what an average of nine runs without a teacher, before and after four runs with whole answers, knows beyond the first
(training/graft.py). It orders errors that arose in writing better, and tells a little worse who did what, so it has a say
in trace and safe only. Stored with all matrices in int8, computed in fp32.

**What it is for.** Offline first verdicts in adjudge. It was trained on English; scripts other than Latin are not
shown to it, but held against evidence by shared words.

**Limits.** It is small: it compares wordings well and reasons little. A claim in quite other words is often left open.
It was shown who-did-what texts of our own
making, but where a claim takes its words from two sentences that together do not say it, it can still be fooled. It
cannot compare dates: those of births, foundings, openings, releases and deaths are read by pattern beside it, and so
are places that only one can hold, and figures that differ where all other words are the same. It misses errors that need world knowledge, arithmetic or several hops, and it is
weakest on whole summaries of long
articles, where one subtle error in fluent text decides. Probabilities are calibrated on sources left out of training,
with both classes weighed alike; where unsupported claims are rare, expect more false alarms than the probability says.
Whether a whole answer adheres to its passages it tells well on expertqa and emanual, and less well where one wrong link in
a fluent sentence decides: on hotpotqa TruLens is hardly worse, on msmarco GPT-3.5 and RAGAS, and on delucionqa, where 12
answers do not adhere, RAGAS is better.
RAGBench labels come from GPT-4. The sets measured below had been looked at up to seven times while earlier versions
were built (RAGChecker's preferences twice with the last of these), and with these weights twice, the second time with
the patterns, then once more, and RAGBench four times, with documents read one by one (once without single documents,
which was not taken; the last time with other yes and no of sentences), and all twice with the second encoder, the
second time in another file of the same weights. Four support sets and two of RAGBench, and later all sets, were also
looked at with other weights, which were not taken; those of the latter are the second encoder's now, which was chosen
on answers left out of training. For judge 9, of the same weights, with other rules for claims, figures, tables and short
answers, all were looked at once more; besides, RAGChecker's preferences four times (with a second reading of claims in
doubt, which lowered f1 to .46 and was not taken, and without single rules), the totals of FActScore while denials were
cut otherwise, and parts of the support sets while long sentences were, which decided nothing. On faithbench words alone
order claims as well: before, five summaries of two men of one name had been contradicted for a wrong reason, a date held
against the other man's; three of them are labelled unsupported, and the set is small.
With weights that a larger encoder had taught all were looked at three times (two sets of weights, one of them with two
intercepts), and were better on most; but RAGChecker's f1 fell below .51, and adherence on msmarco, until the
taught judges were averaged with the one before and documents were read by the encoder that had been chosen for it. These
are the weights now, measured once as judge 10. For judge 11, of the same weights, which reads less and weighs the
sentences of an answer otherwise, all were looked at once and RAGBench twice: once with the odds against sentences added
up, which was better on expertqa, hotpotqa and emanual and worse on msmarco and delucionqa, and was given up, after that
had been seen, for a mean, because in validation splits long answers are hardly less often right. STS-B was also looked at with a judge of
twelve layers (.874), which is too slow to be shipped. For judge 12, of the same weights, whose claims, figures and
short answers are read better, all were looked at once, and RAGBench three times more with the odds against an answer's
sentences beside gathered windows added to its adherence, which people's labels of other answers ask for, which was the
same on average here, put msmarco below GPT-3.5, and was not taken (training/README.md). Judge 13, with more patterns and
claims, had all but RAGBench looked at once, and RAGChecker's preferences six times more, to find which change of the claims
had lowered f1 (.520 to .508): claims of lists, told with what leads them in. Faults that their words showed were mended, by
texts alone, and it came out at .511. For judge 14, whose second encoder is another, all were looked at once and RAGBench twice, the same both times. For judge
15 all were looked at twice: once with the eight runs and the deep judge alone for its second encoder, and a fifth in place
of a tenth for what is gathered (adherence on expertqa, hotpotqa, msmarco, delucionqa and emanual .847, .696, .641, .620
and .813); after that other weights were sought, and chosen where the next lines say, and all were looked at once more.
Otherwise what was changed was chosen on sources left out of training, the taught weights and what judge 11 reads on
sixteen sets that nothing was trained on (training/unseen_sets.py), and how it weighs sentences on answers of RAGBench's
covidqa and hagrid, train and validation splits (training/check_answers.py). The second encoders of judges 14 and 15, and how
they count, were chosen on halves of all these answers, by runs that had not seen them, on RAGTruth's test split and on the
same sixteen sets.
Parts of STS-B and of RAGBench are, by their origins' terms, for non-commercial use; see
the table.
"""


def data_table(mix: Path) -> str:
    counts: Counter[str] = Counter()
    with lzma.open(mix, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            counts[row.get("s", "stsb" if row["t"] == "s" else "documents")] += 1
    rows = [
        f"| {name} | {counts[name]} | {source.share:g} | {source.fold or '-'} | {source.licence} |"
        for name, source in (
            sources.SOURCES | {n: own for n, own in natural.SETS.items() if counts[n]}
        ).items()
    ]
    rag = sum(
        n for name, n in counts.items() if name.startswith(("ragbench_", "trace_", "without_ragbench_"))
    )
    rows.append(
        f"| RAGBench, train and validation splits | {rag} | {sources.RAGBENCH.share:g} | {sources.RAGBENCH.fold} | {sources.RAGBENCH.licence} |"
    )
    rows.append(f"| STS-B, train split | {counts['stsb']} | 3 | - | {sources.STSB.licence} |")
    made = sum(
        n for name, n in counts.items() if name.startswith(("edit_", "extract", "fused_", "without_extract"))
    )
    rows.append(f"| made by training/edits.py from the above | {made} | | | as their sources |")
    rows.append(f"| invented by training/roles.py | {counts['roles']} | {ROLES:g} | - | ours |")
    left = "; ".join(f"{name} ({why})" for name, why in sources.LEFT_OUT.items())
    head = (
        "## Data\n\n| source | pairs in the mix | share an epoch | fold | licence |\n|---|---|---|---|---|\n"
    )
    return (
        head
        + "\n".join(rows)
        + f"\n\nA and B are left out by one of two runs, on whose logits the last layer is fitted; `out` is never trained"
        f" on, and only looked at. Not used at all: {left}.\n"
    )


def training(runs: list[Path], last: Path) -> str:
    text = "## Training\n\nOne NVIDIA H200, bf16, AdamW, weights averaged over the last steps.\n\n"
    for run in [*runs, last]:
        log = json.loads((run / "log.json").read_text())
        end = log["log"][-1]
        fold = f"without fold {log['fold']}" if log["fold"] else "on everything"
        name = "last, from the average of those on everything" if run == last else f"seed {log['seed']}"
        text += (
            f"- {name}, {fold}: {end['step']} steps, {end['seen']} pairs, {end['seconds']:.0f} s,"
            f" loss {end['loss']:.3f}\n"
        )
    return text


def left_out(runs: list[Path], calibration: dict[str, Any]) -> str:
    rows = [
        f"| {name} | {v['rows']} | {v['auroc']:.3f} | {v['margin_alone']:.3f} | {v['overlap_alone']:.3f} | {v['balanced']:.3f} |"
        for name, v in calibration["left_out"]["sets"].items()
    ]
    mean = calibration["left_out"]["mean"]
    text = (
        "## Sources left out\n\nScored by runs that had not seen the source (RAGBench: the question), with a last layer fitted"
        " without it.\n\n| set | rows | AUROC | model alone | word overlap | balanced accuracy |\n|---|---|---|---|---|---|\n"
        + "\n".join(rows)
        + f"\n| mean, edited sets by half | | {mean['auroc']:.3f} | | | {mean['balanced']:.3f} |\n"
    )
    for run in runs:
        log = json.loads((run / "log.json").read_text())
        heads = [
            f"{name} {log['unseen'][name][0]:.3f}"
            for name in ("relevant", "used", "supported", "wrong")
            if name in log["unseen"] and log["fold"]
        ]
        if heads:
            text += f"\nSentence and word heads without fold {log['fold']}, AUROC: {', '.join(heads)}."
    return text + "\n"


def shown(figure: list[float]) -> str:
    return f"{figure[0]:.3f} [{figure[1]:.3f}, {figure[2]:.3f}]"


def agreement(found: dict[str, Any]) -> str:
    text = "## Agreement on data never trained on (benchmarks/agreement.py)\n"
    text += f"\n{found['date']}, judge `{found['judge']}`, two cores; 95 % bootstrap intervals.\n"
    if "support" in found:
        text += "\n| set | rows | AUROC | balanced accuracy | word overlap, AUROC |\n|---|---|---|---|---|\n"
        for row in found["support"]:
            text += f"| {row['set']} | {row['rows']} | {shown(row['auroc'])} | {shown(row['balanced'])} | {shown(row['overlap'])} |\n"
        means = (found[f"support_mean_{key}"] for key in ("auroc", "balanced", "overlap"))
        text += "| mean | | " + " | ".join(f"{mean:.3f}" for mean in means) + " |\n"
    for row in found.get("ragbench", ()):
        text += f"\nRAGBench {row['set']}, {row['rows']} test rows:\n\n"
        for kind, unit in (("adherence", "AUROC"), ("relevance", "RMSE"), ("utilization", "RMSE")):
            text += (
                f"- {kind}, {unit}: "
                + "; ".join(f"{who} {shown(value)}" for who, value in row[kind].items())
                + "\n"
            )
        text += f"- adherence as yes or no, balanced accuracy: ours {shown(row['verdict'])}\n"
    for name, columns in (("factscore", ("Pearson", "Spearman")), ("ragchecker", ("Pearson", "Spearman"))):
        for table in found.get(name, {}).get("tables", ()):
            text += f"\n{table['title']}:\n\n"
            for who, figures in table["rows"].items():
                parts = [f"{c} {figures[c][0]:.3f}" for c in columns if c in figures]
                text += f"- {who}: {', '.join(parts)}\n"
    if "stsb" in found:
        text += (
            f"\nSTS-B test, Spearman: {shown(found['stsb']['spearman'])} ({found['stsb']['rows']} pairs).\n"
        )
    return text


def whole(folders: list[Path], answers: Path) -> str:
    """What the encoder for documents went on with."""
    with lzma.open(answers, "rt", encoding="utf-8") as file:
        counts = Counter((row["s"], row["a"]) for row in map(json.loads, file))
    text = (
        f"{WHOLE}\n\nThe encoder for documents learned from whole answers, held against their documents as in trace: whether each\n"
        "sentence is borne out, and whether all are.\n\n"
        "| source | answers | not adherent | licence |\n|---|---|---|---|\n"
    )
    for name in sorted({name for name, _ in counts}):
        licence = natural.SETS[name].licence if name in natural.SETS else sources.RAGBENCH.licence
        label = (
            name
            if name in natural.SETS
            else f"RAGBench {name.removesuffix('_train').removesuffix('_validation')}"
        )
        if name.endswith(("_train", "_validation")):
            label += f", {name.rpartition('_')[2]} split"
        text += (
            f"| {label} | {counts[name, True] + counts[name, False]} | {counts[name, False]} | {licence} |\n"
        )
    text += "\n"
    for folder in folders:
        log = json.loads((folder / "log.json").read_text("utf-8"))
        fold = f"without fold {log['without']}" if log["without"] else "on everything"
        where = "a GPU, beside others" if log["device"] == "cuda" else "a CPU"
        text += f"- from the {NAMES.get(log['start'], log['start'])}, seed {log['seed']}, {fold}: {log['steps']} steps, {log['answers']} answers, {log['seconds']:.0f} s on {where}\n"
    return text


def kept(card: str, end: str = "## Agreement") -> str:
    """What an earlier card tells of the weights."""
    return card[card.index("## Data") : card.index(end)].rstrip("\n") + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, nargs="+")
    parser.add_argument("--last", type=Path)
    parser.add_argument("--tuned", type=Path, nargs="+", default=[])
    parser.add_argument("--answers", type=Path, default=Path(".train/whole.jsonl.xz"))
    parser.add_argument("--agreement", type=Path, nargs="*", default=[])
    parser.add_argument("--mix", type=Path, default=Path(".train/mix.jsonl.xz"))
    told = parser.parse_args()
    folders = (told.runs, told.last)
    if any(folders) and not all(folders):
        parser.error("--runs and --last go together")
    found: dict[str, Any] = {}
    for path in told.agreement:
        found |= json.loads(path.read_text("utf-8"))
    card = MODELS / "CARD.md"
    if told.runs:
        calibration = json.loads((MODELS / "calibration.json").read_text("utf-8"))
        weights = [data_table(told.mix), training(*folders), left_out(told.runs, calibration)]
    else:
        text = card.read_text("utf-8")
        weights = [kept(text, WHOLE if told.tuned and WHOLE in text else "## Agreement")]
    if told.tuned:
        weights.append(whole(told.tuned, told.answers))
    card.write_text("\n".join([HEAD, *weights, agreement(found)]), "utf-8")


if __name__ == "__main__":
    main()

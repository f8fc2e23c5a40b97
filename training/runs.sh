#!/bin/bash
# Trains on one GPU, several runs side by side: one run leaves most of a large GPU idle.
#
#     bash training/runs.sh folds OUT    three without fold A and three without fold B. The last layer is fitted
#                                        on the first two, OUT/A and OUT/B; averages of three, with scores, are
#                                        in OUT/averages/A and B
#     bash training/runs.sh all OUT      three on everything, after the folds. Their average in OUT/blend is what
#                                        the judge goes on from; that of all nine, in OUT/nine, finds errors
#                                        that arose in writing better than any that was taught
#
#     bash training/runs.sh answers OUT  the encoder for documents, from DEEP (.train/deep), with whole answers:
#                                        two without a fold of RAGBench's questions and six with all; their
#                                        average with DEEP, which counts twice, is in OUT/documents
#
# Of each three one sees twice as many claims with an error put in. The word table stays as it is.
set -u
what=$1
out=$2
export PYTHONPATH=src:training PYTHONUNBUFFERED=1
names=()
run() {
    names+=("$1")
    mkdir -p "$out/$1"
    python training/train.py --out "$out/$1" --epochs 5 --workers 4 --fixed-words "${@:2}" \
        >"$out/$1/log.txt" 2>&1 &
}
answers() {
    names+=("$1")
    mkdir -p "$out/$1"
    OMP_NUM_THREADS=2 python training/tune_documents.py "$out/$1" --start .train/deep --minutes 6.8 "${@:2}" \
        >"$out/$1/log.txt" 2>&1 &
}
if [ "$what" = answers ]; then
    for fold in A B; do
        answers "$fold" --without "$fold"
    done
    for seed in 2 3 4 5 6 7; do
        answers "$seed" --seed "$seed"
    done
    wait
    for name in "${names[@]}"; do
        echo "$name: $(tail -n 1 "$out/$name/log.txt")"
    done
    python training/blend.py "$out/documents" .train/deep .train/deep "${names[@]/#/$out/}"
    exit
fi
folds=(A B A2 B2 A3 B3)
edits=(0 0.4 0.8 0.4)
if [ "$what" = folds ]; then
    for seed in 1 2 3; do
        number=${seed#1}
        run "A$number" --fold A --seed "$seed" --edits "${edits[$seed]}" --minutes 6.6
        run "B$number" --fold B --seed "$seed" --edits "${edits[$seed]}" --minutes 6.6
        wait
    done
else
    for seed in 1 2 3; do
        run "$seed" --seed "$seed" --edits "${edits[$seed]}" --minutes 4.2
    done
    wait
fi
for name in "${names[@]}"; do
    echo "== $name"
    grep '^{"step"' "$out/$name/log.txt" | tail -n 1
    grep -A 300 '^{$' "$out/$name/log.txt" | tr -d '\n '
    tail -n 1 "$out/$name/log.txt"
done
if [ "$what" = folds ]; then
    for fold in A B; do
        python training/blend.py "$out/averages/$fold" "$out/$fold" "$out/$fold"{2,3} --scores
    done
else
    python training/blend.py "$out/blend" "${names[@]/#/$out/}"
    python training/blend.py "$out/nine" "${names[@]/#/$out/}" "${folds[@]/#/$out/}" \
        --like "$out"/averages/{A,B}
fi

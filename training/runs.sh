#!/bin/bash
# Trains on one GPU, several runs side by side: one run leaves most of a large GPU idle.
#
#     bash training/runs.sh folds OUT    without fold A and without fold B, for the last layer
#     bash training/runs.sh all OUT      three on everything, and their average in OUT/blend
#
# One of the three sees twice as many claims with an error put in. The word table stays as it is.
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
if [ "$what" = folds ]; then
    run A --fold A --edits 0.4 --minutes 6.6
    run B --fold B --edits 0.4 --minutes 6.6
else
    run 1 --seed 1 --edits 0.4 --minutes 4.2
    run 2 --seed 2 --edits 0.8 --minutes 4.2
    run 3 --seed 3 --edits 0.4 --minutes 4.2
fi
wait
for name in "${names[@]}"; do
    echo "== $name"
    grep '^{"step"' "$out/$name/log.txt" | tail -n 1
    grep -A 300 '^{$' "$out/$name/log.txt" | tr -d '\n '
    tail -n 1 "$out/$name/log.txt"
done
if [ "$what" = all ]; then
    python training/blend.py "$out/blend" "${names[@]/#/$out/}"
fi

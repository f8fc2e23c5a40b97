#!/bin/bash
# Trains on one GPU, four runs side by side: one run leaves most of a large GPU idle. Needs about nine minutes.
#
#     bash training/four_runs.sh folds OUT    without fold A and without fold B, twice: for the last layer
#     bash training/four_runs.sh all OUT      on everything, and averages the weights into OUT/blend
#
# `more` sees more claims with an error put in than `fewer`, which also leaves the word table as it is.
set -u
what=$1
out=$2
export PYTHONPATH=src:training PYTHONUNBUFFERED=1
more="--edits 0.8"
fewer="--edits 0.4 --fixed-words"
names=()
run() {
    names+=("$1")
    mkdir -p "$out/$1"
    python training/train.py --out "$out/$1" --epochs 8 --minutes 6.6 --workers 3 "${@:2}" >"$out/$1/log.txt" 2>&1 &
}
if [ "$what" = folds ]; then
    for fold in A B; do
        run "more/$fold" --fold $fold $more
        run "fewer/$fold" --fold $fold $fewer
    done
else
    for seed in 1 2; do
        run "more/$seed" --seed $seed $more
        run "fewer/$seed" --seed $seed $fewer
    done
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

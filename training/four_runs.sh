#!/bin/bash
# Trains on one GPU, side by side: a run without each fold, for the last layer, and two runs on everything,
# whose weights are averaged.
#
#     bash training/four_runs.sh OUT [option of train.py ...]
#
# One run leaves most of a large GPU idle, so four take little longer than one. Needs about nine minutes.
set -u
out=$1
shift
export PYTHONPATH=src:training PYTHONUNBUFFERED=1
run() {
    mkdir -p "$out/$1"
    python training/train.py --out "$out/$1" --epochs 8 --minutes 6.6 --workers 3 "${@:2}" >"$out/$1/log.txt" 2>&1 &
}
run A --fold A "$@"
run B --fold B "$@"
run one --seed 1 "$@"
run two --seed 2 "$@"
wait
for name in A B one two; do
    echo "== $name"
    grep '^{"step"' "$out/$name/log.txt" | tail -n 1
    grep -A 300 '^{$' "$out/$name/log.txt" | tr -d '\n '
    tail -n 1 "$out/$name/log.txt"
done
python training/blend.py "$out/both" "$out/one" "$out/two"

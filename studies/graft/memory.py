"""Table III with GPU memory: the same clients on servers whose GPUs limit the memory of their instances (ours).

Graft says that Res and ViT lack GPU memory with 20 clients, and prints neither its server's GPUs nor an instance's
memory (Graft §5.3). So parameters are TorchVision's, and a process takes the memory that PyTorch's developers name for
releases as old as Graft's. GPUs of several sizes are tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from euclio.problems.fragments import Server
from euclio.report import Table
from euclio.report.analysis.statistics import mean
from studies.graft.cases import NETWORKS, DrawnFleet, model_under
from studies.graft.measures import of
from studies.graft.scales import CAPPED_SCALE, savings
from studies.graft.systems import CAPPED, GRAFT, GSLICE, GSLICE_PLUS, planned
from studies.graft.variants import Advance

PROCESS_MB = 1000
"""A process of PyTorch with CUDA before 11.7, as Graft's 1.9 is (pytorch/pytorch issue 107667: "took >1000MB")."""
GPUS_MB = (24_000, 16_000, 11_000, 8_000)
"""Memory of a GPU: usual sizes, since Graft prints none."""
SYSTEMS = (GRAFT, GSLICE_PLUS, GSLICE)


def within(fleets: DrawnFleet, gpu_memory_mb: int) -> DrawnFleet:
    """The same clients on a server whose GPUs have so much memory."""
    network = model_under(fleets.network).on(Server(gpu_memory_mb), PROCESS_MB).network
    return replace(fleets, now=replace(fleets.now, network=network), mean=replace(fleets.mean, network=network))


def memory(cases: Iterable[tuple[str, DrawnFleet]], advance: Advance) -> pd.DataFrame:
    """One row per draw at the scale of Table III's third row and memory of a GPU, with every system's share."""
    rows: list[dict[str, Any]] = []
    for (scale, fleets), gpu in product(cases, GPUS_MB):
        if scale != CAPPED_SCALE:
            continue
        limited = within(fleets, gpu)
        row: dict[str, Any] = {"network": fleets.network, "draw": fleets.draw, "gpu_memory_mb": gpu}
        rows.append(row | {system: planned(system, limited, CAPPED) for system in SYSTEMS})
        advance(1)
    return pd.DataFrame(rows)


def saved_within(rows: pd.DataFrame, key: str) -> list[float]:
    """Share that Graft saves over GSLICE+ in per cent, mean of a network's draws, by memory of a GPU in `GPUS_MB`."""
    own = [of(rows, network=key, gpu_memory_mb=gpu) for gpu in GPUS_MB]
    return [mean(savings(found[GSLICE_PLUS], found[GRAFT])).value for found in own]


def memory_block(rows: pd.DataFrame, without: dict[str, float]) -> Table:
    """The third row of Table III again, by memory of a GPU.

    Args:
        rows: what `memory` found.
        without: share saved over GSLICE+ without a limit, by network.
    """
    by_network = [saved_within(rows, key) for key in NETWORKS]
    cells = [tuple(f"{value:.1f}" for value in row) for row in zip(*by_network, strict=True)]
    return Table(
        f"Table III, 20 Nano, with GPU memory: Graft's savings over GSLICE+ in per cent. An instance takes its "
        f"layers' parameters and {PROCESS_MB:,} MB, and at most its share of the GPU's memory",
        ("memory of a GPU", *NETWORKS.values()),
        (
            ("no limit", *(f"{without[key]:.1f}" for key in NETWORKS)),
            *((f"{gpu:,} MB", *row) for gpu, row in zip(GPUS_MB, cells, strict=True)),
        ),
        frozenset(range(1, 6)),
    )

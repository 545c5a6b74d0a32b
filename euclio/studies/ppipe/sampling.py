"""How much of the evaluation a run covers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sampling:
    """What is run.

    Attributes:
        groups: groups of three models per large cluster, of six.
        models: single models of Figure 13, of 18.
        seconds: simulated seconds per load (30 in the paper).
        gpu_counts: numbers of GPUs of Figure 14a.
        columns_limit_s: time limit of columns in Figure 14.
        printed_limit_s: time limit of the printed MILP in Figure 14.
        blocks: blocks per model in Figure 14.
        unmerged_layers: layers per model of the unmerged plan.
    """

    groups: int = 6
    models: int = 18
    seconds: float = 10.0
    gpu_counts: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    columns_limit_s: float = 20.0
    printed_limit_s: float = 10.0
    blocks: int = 10
    unmerged_layers: int = 80


SAMPLED = Sampling()
FULL = Sampling(seconds=30.0, columns_limit_s=120.0, printed_limit_s=120.0)

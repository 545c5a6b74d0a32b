"""The plan of Figure 11, FCN on HC3-S, as a table of its partitions (PPipe §7.5)."""

from __future__ import annotations

import pandas as pd

from studies.certifying import made
from studies.ppipe.cases import Case
from studies.ppipe.systems import PPIPE, SYSTEMS


def partition_table(case: Case) -> pd.DataFrame:
    """One row per partition of PPipe's plan for a model that is served alone.

    Returns:
        Pipeline from 1 on, GPU type, virtual GPUs and their share, batch, first and last block, seconds per batch,
        requests per second, seconds that a batch takes to it from the partition before; setup, model, SLO in seconds
        and requests per second of the whole plan in all rows.
    """
    cluster = case.cluster()
    result = made(cluster, SYSTEMS[PPIPE])
    assert result.plan is not None
    assert result.evaluation is not None
    model = cluster.models[0]
    rows = []
    for i, (pipeline, priced) in enumerate(zip(result.plan.pipelines, result.evaluation.pipelines, strict=True), 1):
        for p, rate in zip(pipeline.partitions, priced.partition_rps, strict=True):
            before = model.transfer_s_per_request[p.first_block - 1] * p.batch if p.first_block else 0
            rows.append(
                {
                    "setup": case.setup,
                    "model": model.name,
                    "slo_s": float(model.slo_s),
                    "planned_rps": float(result.cost or 0),
                    "pipeline": i,
                    "gpu": p.gpu,
                    "gpus": p.gpus,
                    "share": p.share,
                    "batch": p.batch,
                    "first_block": p.first_block,
                    "last_block": p.last_block,
                    "latency_s": float(model.latency_s(p.gpu, p.share, p.first_block, p.last_block, p.batch) or 0),
                    "rps": float(rate),
                    "transfer_s": float(before),
                }
            )
    return pd.DataFrame(rows)

"""The kind of clusters that can be drawn, and the settings that it shares with the import of PPipe's artifact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from euclio.core.lazy import late, late_value
from euclio.core.parts import Kind, Setting
from euclio.core.values import PART, POSITIVE, count, names, part, positive, whole
from euclio.workloads.kinds import name_in
from euclio.workloads.kinds import names as list_of_names

MOST_LAYERS = 10_000

generated_clusters = late("euclio.workloads.pipeline.instances", "generated_clusters")
options_of = late("euclio.workloads.pipeline.instances", "PipelineOptions")


def _pipelines(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    return iter(generated_clusters(options_of(**settings), count, seed))


TERMS = (
    Setting(
        "cluster",
        name_in(lambda: tuple(late_value("euclio.workloads.pipeline.setups", "SETUPS")())),
        "setup HC1-L to HC4-S; default: HC1-L",
    ),
    Setting("high", whole().read, "high-class GPUs; default: the setup's", count, "N"),
    Setting("low", whole().read, "low-class GPUs; default: the setup's", count, "N"),
    Setting("slo_scale", POSITIVE.read, "SLO over latency on L4; default: 5", positive, "X"),
    Setting("margin", PART.read, "part of the SLO left free; default: 0.4", part, "X"),
    Setting(
        "max_partitions", whole().read, "most partitions of a pipeline; default: 3 for one model, else 2", count, "N"
    ),
)
"""Which GPUs there are and on what terms models are served; the defaults are PPipe's."""

_GROUP = Setting("group", whole().read, "group of three models, 1 to 6; default: all six", count, "N")
_MODELS = Setting("models", list_of_names, "models that a cluster serves", names, "A,B", listed=True)
_RATE = Setting("rate", POSITIVE.read, "requests per second of all models together", positive, "R")
_BLOCKS = Setting("blocks", whole(1, MOST_LAYERS).read, "blocks of a model; default: 10", count, "N")
_LAYERS = Setting("layers", whole(1, MOST_LAYERS).read, "layers of every model; default: its own number", count, "N")

_CLUSTER, _HIGH, _LOW, _SLO_SCALE, _MARGIN, _MAX_PARTITIONS = TERMS
KINDS = (
    Kind(
        "pipelines",
        (*(_CLUSTER, _HIGH, _LOW, _GROUP, _MODELS, _RATE), *(_SLO_SCALE, _MARGIN, _BLOCKS, _LAYERS, _MAX_PARTITIONS)),
        _pipelines,
        {"models": ["FCN"]},
        about="PPipe's clusters with synthetic layers",
    ),
)

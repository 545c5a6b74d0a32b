"""The kinds of fleets that can be drawn."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.values import count, whole
from euclio.workloads.kinds import Kind
from euclio.workloads.settings import Setting

_FRAGMENTS = Setting("fragments", whole(1, 100_000).read, "fragments of a fleet; default: 10", count, "N")
_LAYERS = Setting("layers", whole(1, 1000).read, "layers of the network; default: 8", count, "N")

KINDS = (
    Kind("random-fleets", (_FRAGMENTS, _LAYERS), late("euclio.fragments.workloads.random_fleets", "random_fleets")),
)

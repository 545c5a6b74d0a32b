"""GPU memory: that of a server's GPU, that of a network's instances, and the least share for one (ours).

An instance gets the same share of a GPU's memory as of its compute: s percent. So instances with shares that fit on a
GPU also fit into its memory, in any placement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number, whole_number
from euclio.core.words import counted, full, joined
from euclio.problems.fragments.plan import FragmentPlan

WHOLE_GPU_PCT = 100
"""The share of a whole GPU, the largest share of an instance (Graft §5.1)."""


@dataclass(frozen=True, slots=True)
class Server:
    """Limits on the instances on each GPU of a server besides their shares.

    Attributes:
        gpu_memory_mb: memory of a GPU in megabytes, 10^6 bytes; None means no limit.
        gpu_instances: most instances on a GPU, such as the most clients of CUDA's MPS; None means no limit.

    Raises:
        InputError: neither is given, or one is out of range.
    """

    gpu_memory_mb: Fraction | None
    gpu_instances: int | None

    def __init__(self, gpu_memory_mb: Number | None = None, gpu_instances: int | None = None) -> None:
        if gpu_memory_mb is None and gpu_instances is None:
            raise InputError("limits nothing; give gpu_memory_mb or gpu_instances, or leave it out")
        object.__setattr__(self, "gpu_memory_mb", _given(gpu_memory_mb, "gpu_memory_mb"))
        most = None if gpu_instances is None else whole_number(gpu_instances, "gpu_instances")
        object.__setattr__(self, "gpu_instances", most)

    @property
    def words(self) -> str:
        """The limits in words, with the fields that set them."""
        memory, most = self.gpu_memory_mb, self.gpu_instances
        return joined(
            [
                *([] if memory is None else [f"{full(memory)} MB of GPU memory (network.server.gpu_memory_mb)"]),
                *([] if most is None else [f"{counted(most, 'instance')} per GPU (network.server.gpu_instances)"]),
            ]
        )

    def least_share_pct(self, memory_mb: Fraction) -> int:
        """The least share, in whole percents, of an instance with this memory; above 100 no GPU holds it.

        A share of s percent holds s percent of the memory, and 100/s such instances fit on a GPU.
        """
        by_memory = 0 if self.gpu_memory_mb is None else math.ceil(WHOLE_GPU_PCT * memory_mb / self.gpu_memory_mb)
        by_number = 0 if self.gpu_instances is None else math.ceil(Fraction(WHOLE_GPU_PCT, self.gpu_instances))
        return max(1, by_memory, by_number)


@dataclass(frozen=True, slots=True)
class Memory:
    """The GPU memory of an instance; activations count if the figures include them.

    Attributes:
        layer_mb: megabytes of each layer's weights; None means unknown, which counts as 0.
        instance_mb: megabytes of each instance's process; None means unknown, which counts as 0.
    """

    layer_mb: tuple[Fraction, ...] | None
    instance_mb: Fraction | None

    def of(self, first: int, end: int) -> Fraction:
        """Megabytes of an instance of layers `first` to `end` (exclusive)."""
        own = Fraction(0) if self.layer_mb is None else sum(self.layer_mb[first:end], Fraction(0))
        return own + (self.instance_mb or 0)


def memory_of(layer_memory_mb: Sequence[Number] | None, instance_memory_mb: Number | None) -> Memory:
    """A network's figures on the memory of its instances.

    A layer may take 0, since a pooling layer has no weights.

    Raises:
        InputError: a number is out of range; names the field.
    """
    layers = layer_memory_mb
    if layers is not None:
        layers = tuple(exact_number(x, f"layer_memory_mb[{i}]", zero=True) for i, x in enumerate(layers))
    return Memory(layers, _given(instance_memory_mb, "instance_memory_mb"))


def require_known(memory: Memory, layers: int, server: Server | None) -> None:
    """Refuse figures that do not fit the network, that a limit lacks, or that exceed a GPU.

    Args:
        memory: memory of instances.
        layers: number of layers.
        server: limits; None means no limits.

    Raises:
        InputError: a figure is refused; names the field.
    """
    if memory.layer_mb is not None and len(memory.layer_mb) != layers:
        found = f"has {len(memory.layer_mb)} entries; give {layers}, one per layer in `layer_latency_s`"
        raise InputError(found, field="layer_memory_mb")
    if server is None or server.gpu_memory_mb is None:
        return
    gpu = f"the {full(server.gpu_memory_mb)} MB of a GPU (server.gpu_memory_mb); no instance could run"
    if memory == Memory(None, None):
        raise InputError(
            "is missing, next to server.gpu_memory_mb; give the megabytes of each layer, or those of every instance as "
            "instance_memory_mb",
            field="layer_memory_mb",
        )
    if memory.of(0, 0) > server.gpu_memory_mb:
        raise InputError(f"is {full(memory.of(0, 0))}, more than {gpu}; check the unit", field="instance_memory_mb")
    for i in range(layers):
        if memory.of(i, i + 1) > server.gpu_memory_mb:
            besides = "" if memory.instance_mb is None else f"with instance_memory_mb {full(memory.instance_mb)} "
            own = full(memory.of(i, i + 1) - memory.of(i, i))
            line = f"is {own}, {besides}more than {gpu} the layer; check the unit"
            raise InputError(line, field=f"layer_memory_mb[{i}]")


def _given(value: Number | None, field: str) -> Fraction | None:
    return None if value is None else exact_number(value, field)


def gpus_needed(plan: FragmentPlan) -> int:
    """GPUs with all instances, the largest placed first, each on the first GPU with room (first-fit decreasing).

    This is a report, not a rule of the model, which minimises the share (Graft §5.1, §6). GPU memory needs no check,
    since an instance has at least the share that its memory, and the most instances per GPU, require.
    """
    instances: Counter[int] = Counter()
    for own in plan.sets:
        for stage in own.stages:
            instances[stage.share_pct] += stage.instances
    room: list[int] = []
    for share, number in sorted(instances.items(), reverse=True):
        left = number
        for k, free in enumerate(room):
            placed = min(left, free // share)
            room[k] -= placed * share
            left -= placed
        each = WHOLE_GPU_PCT // share
        while left:
            placed = min(left, each)
            room.append(WHOLE_GPU_PCT - placed * share)
            left -= placed
    return len(room)

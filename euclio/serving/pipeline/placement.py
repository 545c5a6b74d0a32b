"""Where virtual GPUs live: on which physical GPU, and on which server (docs/model/pipelines.md; ours)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.problems.pipeline import Cluster, Partition, PipelinePlan

FULL = Fraction(1)


@dataclass(frozen=True, slots=True)
class VirtualGpu:
    """A virtual GPU of a pool.

    Attributes:
        pipeline: its pipeline in the plan.
        partition: its partition in the pipeline, from 0.
        gpu: GPU type.
        share: v, being the v-th part of a GPU.
        physical: physical GPU of that type, from 0.
        server: server that the physical GPU is in, over all types, from 0.
    """

    pipeline: int
    partition: int
    gpu: str
    share: int
    physical: int
    server: int


def place(cluster: Cluster, plan: PipelinePlan) -> tuple[VirtualGpu, ...]:
    """Put every virtual GPU of a plan on a physical GPU and a server.

    Virtual GPUs share a physical one where model, position and GPU type agree, as the checker counts them. Physical
    GPUs fill a type's servers one after the other, pool by pool in the order of the plan.

    Returns:
        The virtual GPUs, pipeline by pipeline, partition by partition.

    Raises:
        InputError: the virtual GPUs do not fit on the physical ones.
    """
    groups: dict[tuple[str, int, str], list[tuple[int, int, Partition]]] = {}
    for i, pipeline in enumerate(plan.pipelines):
        for k, partition in enumerate(pipeline.partitions):
            groups.setdefault((pipeline.model, k, partition.gpu), []).append((i, k, partition))
    used = dict.fromkeys((gpu.name for gpu in cluster.gpus), 0)
    first_server = _first_servers(cluster)
    placed: dict[tuple[int, int], list[VirtualGpu]] = {}
    for (_, _, name), members in groups.items():
        bins = _pack([p.share for _, _, p in members for _ in range(p.gpus)])
        seats = iter(bins)
        for i, k, p in members:
            found = placed.setdefault((i, k), [])
            for _ in range(p.gpus):
                physical = used[name] + next(seats)
                server = first_server[name] + physical // cluster.gpu(name).gpus_per_server
                found.append(VirtualGpu(i, k, name, p.share, physical, server))
        used[name] += max(bins) + 1
    for gpu in cluster.gpus:
        if used[gpu.name] > gpu.count:
            raise InputError(
                f"the plan needs {used[gpu.name]} GPUs of type {gpu.name}, there are {gpu.count}; give a feasible plan "
                "that counts whole GPUs"
            )
    return tuple(v for key in sorted(placed) for v in placed[key])


def servers(cluster: Cluster) -> int:
    """Number of servers in a cluster, used or not."""
    return sum(-(-gpu.count // gpu.gpus_per_server) for gpu in cluster.gpus)


def _first_servers(cluster: Cluster) -> dict[str, int]:
    first, total = {}, 0
    for gpu in cluster.gpus:
        first[gpu.name] = total
        total += -(-gpu.count // gpu.gpus_per_server)
    return first


def _pack(shares: list[int]) -> list[int]:
    """The GPU, from 0, that each share 1/v goes to.

    Equal shares fill GPUs of their own first; what is left over goes to the fewest GPUs that a search finds.
    """
    seats = [-1] * len(shares)
    gpus = 0
    rest: list[int] = []
    for v in sorted(set(shares)):
        members = [i for i, share in enumerate(shares) if share == v]
        whole = len(members) // v * v
        for n, i in enumerate(members[:whole]):
            seats[i] = gpus + n // v
        gpus += whole // v
        rest += members[whole:]
    if rest:
        for i, seat in zip(rest, _pack_rest([shares[i] for i in rest]), strict=True):
            seats[i] = gpus + seat
    return seats


def _pack_rest(shares: list[int]) -> list[int]:
    """Seats of left-over shares, largest part first, on the fewest GPUs (fewer than v are left of each v)."""
    # One GPU more each time: the first number that works is the fewest.
    bins = 1
    while True:
        seats = _seats([Fraction(1, v) for v in shares], [FULL] * bins)
        if seats is not None:
            return seats
        bins += 1


def _seats(parts: list[Fraction], free: list[Fraction]) -> list[int] | None:
    if not parts:
        return []
    # Not enough room in all, however it is used.
    if sum(parts) > sum(free):
        return None
    tried = set()
    for i, room in enumerate(free):
        # GPUs with equal room are alike, so one of them is enough to try.
        if room < parts[0] or room in tried:
            continue
        tried.add(room)
        rest = _seats(parts[1:], [*free[:i], room - parts[0], *free[i + 1 :]])
        if rest is not None:
            return [i, *rest]
    return None

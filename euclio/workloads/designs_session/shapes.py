"""Shapes of the sessions' DAGs (ours)."""

from __future__ import annotations

import random

from euclio.core.errors import InputError
from euclio.workloads.session.random_sessions import Edges, shape_edges

SHAPES = ("chain", "fanout", "fanin", "diamond", "sp", "dag")
"""A chain, one module before or after all others, one before and one after, random series-parallel, random layers."""

_AS_RANDOM = {"chain": "chain", "fanout": "fork", "diamond": "diamond"}
_SERIES = 0.55
"""How often a series-parallel part is divided in series."""
_WIDEST = 5
_EXTRA_PARENT = 0.35
"""How often a module of a layered DAG has a further parent."""


def edges_of(shape: str, modules: int, stream: random.Random) -> Edges:
    """Edges as pairs of indices, parent first, no edge implied by others.

    Args:
        shape: one of `SHAPES`; "dag" of four modules and more is rarely series-parallel.
        modules: number of modules.
        stream: random stream of the last two shapes.

    Raises:
        InputError: unknown shape.
    """
    if shape in _AS_RANDOM:
        return shape_edges(_AS_RANDOM[shape], modules, stream)
    if shape == "fanin":
        return tuple((i, modules - 1) for i in range(modules - 1))
    if shape == "sp":
        edges: set[tuple[int, int]] = set()
        _series_parallel(0, modules, stream, edges)
        return tuple(sorted(edges))
    if shape == "dag":
        return _layered(modules, stream)
    raise InputError(f"unknown shape {shape!r}; choose from {', '.join(SHAPES)}", field="shape")


def _series_parallel(
    first: int, end: int, stream: random.Random, edges: set[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Join modules `first` to `end` - 1 by divisions in series and in parallel; returns sources and sinks."""
    if end - first == 1:
        return [first], [first]
    middle = first + 1 + int(stream.random() * (end - first - 1))
    series = stream.random() < _SERIES
    sources, sinks = _series_parallel(first, middle, stream, edges)
    later_sources, later_sinks = _series_parallel(middle, end, stream, edges)
    if not series:
        return sources + later_sources, sinks + later_sinks
    edges.update((a, b) for a in sinks for b in later_sources)
    return sources, later_sinks


def _layered(modules: int, stream: random.Random) -> Edges:
    """Layers of random width; every module has a parent in the layer before, some have further ones there or above."""
    layers: list[list[int]] = []
    placed = 0
    while placed < modules:
        width = min(modules - placed, 1 + int(stream.random() * _WIDEST))
        layers.append(list(range(placed, placed + width)))
        placed += width
    edges: set[tuple[int, int]] = set()
    for k, layer in enumerate(layers[1:], start=1):
        for module in layer:
            edges.add((_one_of(layers[k - 1], stream), module))
            for above in layers[max(0, k - 2) : k]:
                if stream.random() < _EXTRA_PARENT:
                    edges.add((_one_of(above, stream), module))
    return _without_implied(edges, modules)


def _without_implied(edges: set[tuple[int, int]], modules: int) -> Edges:
    """The edges whose child is not reached from their parent by a longer path."""
    children = [{b for a, b in edges if a == m} for m in range(modules)]
    below: list[set[int]] = [set() for _ in range(modules)]
    for m in reversed(range(modules)):
        below[m] = children[m].union(*(below[c] for c in children[m]))
    return tuple((a, b) for a, b in sorted(edges) if not any(b in below[other] for other in children[a] if other != b))


def _one_of(items: list[int], stream: random.Random) -> int:
    return items[int(stream.random() * len(items))]

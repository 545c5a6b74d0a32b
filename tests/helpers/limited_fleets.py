"""Small fleets whose network and server declare GPU memory, made so that limits are hit exactly."""

import random
from dataclasses import replace
from fractions import Fraction

FIGURES_MB = (0, "0.1", "0.2", "0.3", 10, 60, 100, "33.3333333333333333")
"""Megabytes of layers and processes: some take nothing, some add up in decimals but not as floats do."""


def limited_fleet(seed, one_rate=False):
    """The small fleet of a seed with memory and a GPU that holds some range of layers at some share exactly, mostly."""
    from euclio.problems.fragments import Server
    from euclio.workloads.fragments.random_fleets import small_fleet

    fleet, rng = small_fleet(seed), random.Random(f"memory {seed}")
    network = fleet.network
    layers = [rng.choice(FIGURES_MB) for _ in range(network.layers)] if rng.random() < 0.9 else None
    besides = rng.choice(FIGURES_MB[1:]) if layers is None or rng.random() < 0.5 else None
    network = replace(network, layer_memory_mb=layers, instance_memory_mb=besides)
    largest = max(network.memory_mb(i, i + 1) for i in range(network.layers))
    memory = max(_gpu_mb(rng, network), largest, Fraction(1, 100))
    most = rng.choice((None, None, None, 2, 4, 10))
    network = replace(network, server=Server(memory if most is None or rng.random() < 0.7 else None, most))
    fragments = [replace(own, rate_rps=fleet.fragments[0].rate_rps) if one_rate else own for own in fleet.fragments]
    return replace(fleet, network=network, fragments=fragments)


def _gpu_mb(rng, network):
    """Memory that holds a range of layers at a measured share, to the last digit, or as a float prints it."""
    first = rng.randrange(network.layers)
    exact = network.memory_mb(first, rng.randint(first + 1, network.layers)) * 100 / rng.choice(network.shares_pct)
    return exact if rng.random() < 0.7 else Fraction(repr(float(exact) * rng.choice((1, 3 * 0.1 / 0.3))))


def loose(fleet):
    """The same fleet with a server that has more of all than its instances take."""
    from euclio.problems.fragments import Server

    taken = [60] * fleet.network.layers
    return replace(fleet, network=replace(fleet.network, layer_memory_mb=taken, server=Server(10**6, 1000)))

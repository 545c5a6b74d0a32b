"""Longest paths against all paths of small DAGs."""

from fractions import Fraction

import numpy as np
import pytest

from euclio.problems.session import Configuration, Hardware, Module, Session, longest_path
from euclio.problems.session.latency.paths import times_from, times_until


def drawn_dag(seed):
    """A session of seven modules with edges between some of them, and latencies with ties."""
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in rng.permutation(7)]
    edges = [(names[i], names[j]) for j in range(7) for i in range(j) if rng.random() < 0.35]
    modules = [Module(f"m{i}", 1, [Configuration("x", 1, 1, "0.1")]) for i in range(7)]
    session = Session("dag", 10, [Hardware("x", 1)], modules, edges)
    return session, [Fraction(int(n), 3) for n in rng.integers(1, 5, 7)]


def paths(session):
    """All paths as lists of indices, also those that begin and end within others."""
    parents = session.parents()
    ending = {}
    for i in session.order:
        ending[i] = [[i], *([*path, i] for p in parents[i] for path in ending[p])]
    return [path for found in ending.values() for path in found]


@pytest.mark.parametrize("seed", range(20))
def test_longest_paths_are_the_longest_of_all(seed):
    """Latencies of DAGs by dynamic programming against every path of the graph."""
    session, latency = drawn_dag(seed)
    every = [(sum(latency[i] for i in path), path) for path in paths(session)]
    until, rest = times_until(session, latency), times_from(session, latency)
    for m in range(7):
        assert until[m] == max(length for length, path in every if path[-1] == m)
        assert rest[m] == max(length for length, path in every if path[0] == m)
    length, names = longest_path(session, latency)
    assert length == max(length for length, _ in every)
    assert (length, [session.index[name] for name in names]) in every


def test_latencies_in_floats_stay_floats():
    session, latency = drawn_dag(3)
    found = times_until(session, [float(value) for value in latency])
    assert all(type(value) is float for value in found)
    assert found == pytest.approx([float(value) for value in times_until(session, latency)])

"""A setting's workloads as sessions, on which `euclio reproduce` runs solvers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count as count_up
from itertools import islice

from euclio.problems.session import Session
from euclio.workloads.session import protocol
from studies.inference.generator import Generator
from studies.inference.measures import SolvedWorkload
from studies.inference.prior import Setting
from studies.inference.reference import reference_setting
from studies.inference.simulation import LONGEST_SLO_S, accepted, places


def protocol_draws(paper: str, setting: Setting, seed: int, count: int) -> protocol.Draws:
    """A setting's workloads of a paper as sessions, accepted by that paper's systems.

    Args:
        paper: "harpagon" or "piccolo".
        setting: the setting, such as `studies.inference.reference.reference_setting(paper)`.
        seed: seed of the workloads.
        count: number of workloads, in the order of their places; none are returned if too few candidates have a plan.
    """
    solved, refused, drawn = accepted(paper, setting, seed, count, exactly=True)
    found = []
    for number, one in enumerate(solved, start=1):
        session = _named(one, number)
        least, useful = protocol.latency_range(session)
        tightness = (float(session.slo_s) - least) / (useful - least) if useful > least else 1.0
        rate: Fraction = session.modules[0].rate_rps
        found.append(protocol.Workload(session, one.workload.application, rate, round(tightness, 6)))
    return protocol.Draws(tuple(found), drawn, dict(sorted(refused.items())))


def _named(one: SolvedWorkload, number: int) -> Session:
    """A workload as a session that is named after its application and its number, from 1."""
    return one.workload.session(f"{one.workload.application}-{number:04d}")


def drawn_sessions(paper: str, count: int, seed: int, *, accept: bool = True) -> Iterator[Session]:
    """The workloads of a paper's reference setting as sessions, one by one.

    Args:
        paper: "harpagon" or "piccolo".
        count: number of workloads, in the order of their places.
        seed: seed of the workloads.
        accept: skip candidates that the paper's systems refuse, as `protocol_draws` does. False takes the first
            candidate of each place without asking a system, and skips long objectives alone.

    Raises:
        RuntimeError: of a hundred places in a row each has an objective that does not count.
    """
    setting = reference_setting(paper)
    if accept:
        solved = (one for _, one in places(paper, setting, seed) if one is not None)
        yield from (_named(one, number) for number, one in enumerate(islice(solved, count), start=1))
    else:
        yield from _candidates(setting, count, seed)


def _candidates(setting: Setting, count: int, seed: int) -> Iterator[Session]:
    generator, found = Generator.of(setting, seed), 0
    for slot in count_up():
        if found == count:
            return
        if slot > 100 * (found + 1):
            raise RuntimeError(f"only {found} of {slot} candidates have an objective of at most {LONGEST_SLO_S:g} s")
        drawn = generator.draw(slot, 0)
        if drawn.slo_s <= LONGEST_SLO_S:
            found += 1
            yield drawn.session(f"candidate-{drawn.application}-{slot + 1:04d}")

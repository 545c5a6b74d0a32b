"""A setting's workloads as sessions: what `euclio reproduce` runs solvers on."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count as count_up
from itertools import islice

from euclio.posterior.generator import Generator
from euclio.posterior.measures import Solved
from euclio.posterior.prior import Setting
from euclio.posterior.reference import reference_setting
from euclio.posterior.simulation import LONGEST_SLO_S, accepted, places
from euclio.session import Session
from euclio.session.workloads import protocol


def protocol_draws(paper: str, setting: Setting, seed: int, count: int) -> protocol.Draws:
    """A setting's workloads of a paper as sessions, accepted by that paper's systems.

    Args:
        paper: "harpagon" or "piccolo".
        setting: the setting, such as `euclio.posterior.reference.reference_setting(paper)`.
        seed: seed of the workloads.
        count: how many, in the order of their places; none are returned where too few candidates have a plan.
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


def _named(one: Solved, number: int) -> Session:
    """A workload as a session that is named after its application and its number, from 1."""
    return one.workload.session(f"{one.workload.application}-{number:04d}")


def reference_sessions(paper: str, count: int, seed: int) -> Iterator[Session]:
    """The sessions of `protocol_draws` under the reference setting, one by one.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        seed: seed of the workloads.
    """
    return _sessions(paper, reference_setting(paper), count, seed)


def _sessions(paper: str, setting: Setting, count: int, seed: int) -> Iterator[Session]:
    """The workloads of a setting that its acceptance lets pass, one by one."""
    solved = (one for _, one in places(paper, setting, seed) if one is not None)
    return (_named(one, number) for number, one in enumerate(islice(solved, count), start=1))


def unselected_sessions(paper: str, count: int, seed: int) -> Iterator[Session]:
    """The sessions of `candidates` under the reference setting, drawn when the first one is asked for.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        seed: seed of the workloads.
    """
    yield from candidates(paper, reference_setting(paper), seed, count)


def candidates(paper: str, setting: Setting, seed: int, count: int) -> list[Session]:
    """A setting's candidates as sessions, before any system has refused one; long objectives are passed over.

    Args:
        paper: "harpagon" or "piccolo"; a setting is of one paper, whose name changes no candidate.
        setting: the setting.
        seed: seed of the workloads.
        count: how many, in the order of their places, the first candidate of each.

    Raises:
        RuntimeError: of a hundred places in a row each has an objective that does not count.
    """
    generator = Generator.of(setting, seed)
    found: list[Session] = []
    for slot in count_up():
        if len(found) == count:
            return found
        if slot > 100 * (len(found) + 1):
            break
        drawn = generator.draw(slot, 0)
        if drawn.slo_s <= LONGEST_SLO_S:
            found.append(drawn.session(f"candidate-{drawn.application}-{slot + 1:04d}"))
    raise RuntimeError(f"only {len(found)} of {slot} candidates have an objective of at most {LONGEST_SLO_S:g} s")

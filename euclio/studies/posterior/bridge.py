"""A setting's workloads as the protocol's: what `euclio reproduce` runs solvers on."""

from __future__ import annotations

from fractions import Fraction

from euclio.session.workloads import protocol
from euclio.studies.posterior.prior import Setting
from euclio.studies.posterior.simulation import accepted


def protocol_draws(paper: str, setting: Setting, seed: int, count: int) -> protocol.Draws:
    """A setting's workloads of a paper as sessions, accepted by that paper's systems.

    Args:
        paper: "harpagon" or "piccolo".
        setting: the setting, such as `euclio.studies.posterior.reference.reference_setting()`.
        seed: seed of the workloads.
        count: how many, in the order of their places; none are returned where too few candidates have a plan.
    """
    solved, refused, drawn = accepted(paper, setting, seed, count, exactly=True)
    found = []
    for number, one in enumerate(solved, start=1):
        session = one.workload.session(f"{one.workload.application}-{number:04d}")
        least, useful = protocol.latency_range(session)
        tightness = (float(session.slo_s) - least) / (useful - least) if useful > least else 1.0
        rate: Fraction = session.modules[0].rate_rps
        found.append(protocol.Workload(session, one.workload.application, rate, round(tightness, 6)))
    return protocol.Draws(tuple(found), drawn, dict(sorted(refused.items())))

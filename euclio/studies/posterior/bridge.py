"""A setting's workloads as the protocol's: what `euclio reproduce harpagon` runs its solvers on."""

from __future__ import annotations

from fractions import Fraction

from euclio.session.workloads import protocol
from euclio.studies.posterior.prior import Setting
from euclio.studies.posterior.simulation import accepted


def protocol_draws(setting: Setting, seed: int, count: int) -> protocol.Draws:
    """The accepted workloads of a setting as sessions.

    Args:
        setting: the setting, such as the first of a stored draw's.
        seed: seed of the workloads.
        count: how many; fewer where places stay empty, none where too few candidates have a plan from all systems.
    """
    solved, refused, drawn = accepted(setting, seed, count)
    found = []
    for number, one in enumerate(solved, start=1):
        session = one.workload.session(f"{one.workload.application}-{number:04d}")
        least, useful = protocol.latency_range(session)
        tightness = (float(session.slo_s) - least) / (useful - least) if useful > least else 1.0
        rate: Fraction = session.modules[0].rate_rps
        found.append(protocol.Workload(session, one.workload.application, rate, round(tightness, 6)))
    return protocol.Draws(tuple(found), drawn, dict(sorted(refused.items())))

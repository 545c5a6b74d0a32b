"""What solvers of sessions are tried on (`euclio.contract`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.core.objective import Goal
from euclio.core.parts import Sources
from euclio.core.space_fields import variants_of
from euclio.problems.session.instance import Session

SCALE = 2
LARGE_MODULES = 12


def _small(seed: int) -> Session:
    from euclio.workloads.session.random_sessions import random_session

    modules = 1 + seed % 4
    return random_session(seed, modules, rates_rps=(2.0, 150.0), slo_over_least=(0.7, 4.0))


def _large() -> Session:
    from euclio.workloads.session.random_sessions import chain_from_modules

    return chain_from_modules(0, LARGE_MODULES)


def _scaled(session: Session, goal: Goal) -> tuple[Session, Fraction]:
    """All prices doubled."""
    hardware = tuple(replace(h, price_per_h=SCALE * h.price_per_h) for h in session.hardware)
    return replace(session, hardware=hardware), Fraction(SCALE)


def _permuted(session: Session) -> Session:
    """Hardware, modules, profiles and edges back to front, modules renamed."""
    names = {module.name: f"renamed {i}" for i, module in enumerate(session.modules)}
    modules = tuple(replace(m, name=names[m.name], profile=m.profile[::-1]) for m in reversed(session.modules))
    edges = tuple((names[a], names[b]) for a, b in reversed(session.edges))
    return replace(session, hardware=session.hardware[::-1], modules=modules, edges=edges)


SOURCES = Sources(_small, _large, variants_of, _scaled, _permuted, ("exact", "plan-bruteforce"))

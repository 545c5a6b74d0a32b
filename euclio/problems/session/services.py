"""A session's objectives, delays and streams of requests, as methods need them (ours; docs/model/services.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.problems.session.instance import Session
from euclio.problems.session.objectives import Application, parts


def without_objective(session: Session) -> tuple[str, ...]:
    """Names of the modules that lead to no objective: a plan may let them take up to `LARGEST` seconds."""
    if not session.objectives:
        return ()
    leads = {objective.to for objective in session.objectives}
    index, children = session.index, dict[str, list[str]]()
    for parent, child in session.edges:
        children.setdefault(parent, []).append(child)
    for m in reversed(session.order):
        name = session.modules[m].name
        if any(child in leads for child in children.get(name, ())):
            leads.add(name)
    return tuple(name for name in index if name not in leads)


def fixed_seconds(session: Session) -> list[Fraction]:
    """All seconds that are compared besides latencies: the longest objective, delays and ends."""
    return [session.slo_s, *session.delay_s.values(), *(end for end in session.ends() if end is not None)]


def least_end(session: Session) -> Fraction:
    """The least end of all modules, at most 0, in seconds: no path takes longer than the longest objective less it."""
    return min(Fraction(0), *(end for end in session.ends() if end is not None))


def latest_ends(session: Session) -> list[Fraction]:
    """For each module the latest time of its end in seconds; one without an end of its own has the latest of all."""
    return [session.slo_s - (least_end(session) if end is None else end) for end in session.ends()]


def is_plain(session: Session) -> bool:
    """Whether a session has one objective, of all modules without children, and no delays."""
    return not session.objectives and not session.delay_s


def refuse_several(session: Session, what: str) -> None:
    """Refuse objectives of modules and delays.

    Args:
        session: the session.
        what: the feature that does not cover them, in words.

    Raises:
        InputError: there are some.
    """
    if not is_plain(session):
        raise InputError(
            f"{what} covers sessions with one slo_s and edges without delay_s; give it such a session",
            field="objectives" if session.objectives else "edges",
        )


def application_modules(session: Session, name: str) -> tuple[int, ...]:
    """Indices of the modules of an application; raises an `InputError` if there is no such application."""
    known = {application.name: application for application in session.applications}
    if name not in known:
        listed = f"known: {', '.join(known)}" if known else "the session names none; add `applications` to it"
        raise InputError(f"unknown application {name!r}; {listed}", field="applications")
    first = session.index[known[name].modules[0]]
    return next(part for part in parts(session.parents()) if first in part)


def application_rate(session: Session, name: str) -> Fraction:
    """Requests per second of an application: its own rate, or the largest rate of a module by which requests enter.

    Raises:
        InputError: there is no such application.
    """
    modules = application_modules(session, name)
    return _rate(session, modules, next(own for own in session.applications if own.name == name))


def _rate(session: Session, modules: tuple[int, ...], application: Application | None) -> Fraction:
    """Requests per second of a part of the DAG, by its application or by its modules."""
    if application is not None and application.rate_rps is not None:
        return application.rate_rps
    return max(session.modules[m].rate_rps for m in modules if not session.parents()[m])


@dataclass(frozen=True, slots=True)
class Stream:
    """Requests that come by one process.

    Attributes:
        modules: indices of the modules that they pass.
        rate_rps: requests per second.
    """

    modules: tuple[int, ...]
    rate_rps: Fraction


def streams(session: Session) -> tuple[Stream, ...]:
    """The streams of requests: one for each part of the DAG, or one for all modules if no application is named.

    A part that no application names has a stream too, at the largest rate of a module by which requests enter.
    """
    if not session.applications:
        every = tuple(range(len(session.modules)))
        return (Stream(every, _rate(session, every, None)),)
    named = {session.index[application.modules[0]]: application for application in session.applications}
    found = []
    for part in parts(session.parents()):
        application = next((named[m] for m in part if m in named), None)
        found.append(Stream(part, _rate(session, part, application)))
    return tuple(found)


def request_rate(session: Session) -> Fraction:
    """Requests per second of all streams together."""
    return sum((stream.rate_rps for stream in streams(session)), Fraction(0))

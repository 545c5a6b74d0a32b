"""What is said of machines without slack, and that simulations serve what is deployed."""

from __future__ import annotations

from euclio import simulate, solve
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.serving.session.glance import overloaded


def one(rate: int) -> Session:
    """A machine that does ten requests per second, one by one."""
    return Session("one", 1, [Hardware("gpu", 1)], [Module("m", rate, [Configuration("gpu", 1, 1, "0.1")])])


def loads(rate: int, **keywords: object) -> dict[str, float]:
    found = simulate(one(rate), solve(one(rate), machines="whole"), seconds=2, **keywords)  # type: ignore[call-overload]
    return {name: float(load) for name, load in overloaded(found.system, found.setup).items()}


def test_a_full_machine_never_catches_up_with_random_requests() -> None:
    """10/s on one machine of 10/s: load 1, which evenly spaced requests do not exceed; 20 % more do."""
    assert loads(10) == {"m": 1.0}
    assert loads(10, arrivals="uniform") == {}
    assert loads(10, arrivals="uniform", load=1.2) == {"m": 1.2}


def test_dummies_are_sent_to_nobody_unless_that_is_asked_for() -> None:
    """9/s leave a tenth of a machine: dummies would take it, and leave nothing for random requests."""
    assert loads(9) == {}
    assert loads(9, dummies=True) == {"m": 1.0}

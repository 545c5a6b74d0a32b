"""Random modules, and sessions of one."""

from fractions import Fraction

from euclio.problems.session import (
    Configuration,
    Hardware,
    Module,
    Session,
)


def session_with(slo, *modules, edges=()):
    return Session("s", slo, [Hardware("A", 2), Hardware("B", 1)], list(modules), list(edges))


def random_module(rng):
    options = [(h, b, e) for h in "AB" for b in (1, 2, 4, 8) for e in (1, 2)]
    chosen = rng.sample(options, rng.randint(1, 4))
    profile = [Configuration(h, b, e, Fraction(rng.randint(1, 20) * (b + 2), 100)) for h, b, e in chosen]
    return Module("m", Fraction(rng.randint(1, 400), 10), profile)

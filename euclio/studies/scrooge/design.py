"""Which inputs of Scrooge's decisions are varied, and to what (ours): one at a time, and some two at a time.

No level was chosen for what came out at it. Of each input it is said whether the paper
prints it: where it does, another level is of another experiment and explains nothing of the paper's numbers. So it is
with a number of clients that is the same at every decision: twelve of them come and go at random times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from euclio.studies.scrooge.varied import OWN, Inputs


@dataclass(frozen=True, slots=True)
class Factor:
    """An input that is varied.

    Attributes:
        name: its field of `Inputs`.
        words: what it is.
        levels: its values, ascending, without the study's own.
        own: the study's own value, where it is one on the same axis; None: every module has its own.
        printed: what the paper prints of it; empty: nothing that settles it.
        unit: what stands behind a value.
    """

    name: str
    words: str
    levels: tuple[float, ...]
    own: float | None
    printed: str = ""
    unit: str = ""

    def said(self, value: float) -> str:
        """A value in words."""
        return f"{self.unit}{value:g}" if self.unit == "×" else f"{value:g}{self.unit}"

    @property
    def axis(self) -> tuple[float, ...]:
        """All values that are run, the study's own among them where it is one."""
        return self.levels if self.own is None else tuple(sorted({*self.levels, self.own}))


UNPRINTED = "the modules of which no time is printed"
FACTORS = (
    Factor("types", "number of worker types, drawn", (2, 5, 10, 19, 24, 30), None, "2 VM types (§4.3)"),
    Factor("clients", "clients that are there at every decision", (1, 3, 6, 12), None, "12 who come and go (§4.2)"),
    Factor("rate", "rates of all modules", (0.25, 0.5, 2, 4, 16), 1, "frame rates of clients (§4.2)", "×"),
    Factor("objective_ms", "latency objective", (300, 600, 800, 1000), 400, "400 ms (§4.2)", " ms"),
    Factor("items", "faces and persons per frame", (0.5, 2, 4), 1, "", "×"),
    Factor("duration", f"durations of {UNPRINTED}", (0.25, 0.5, 2), 1, "", "×"),
    Factor("fixed", f"fixed share of batch 1's time, of {UNPRINTED}", (0, 0.25, 0.5, 0.75, 0.95), None),
    Factor("gain", f"gain from concurrency, of {UNPRINTED}", (0, 0.5, 2, 4), 1, "", "×"),
    Factor("fall", f"how fast that gain falls with the batch, its exponent, of {UNPRINTED}", (0, 0.5, 1), None),
    Factor("faster", "V100's speed over P100's, where no ratio is printed", (1, 1.2, 1.48, 1.8), None),
    Factor("levels", "highest concurrency (0: levels 1, 2 and 4 alone)", (0, 1, 2, 8), 4),
    Factor("alone", "durations of CPU modules", (0.5, 2), 1, "how many workers keep up (§4.2)", "×"),
)
"""All inputs that are varied by themselves."""
PAIRS: tuple[tuple[Mapping[str, float], ...], ...] = (
    tuple({"clients": c, "fixed": f} for c in (1, 12) for f in (0, 0.95)),
    tuple({"fixed": f, "gain": g} for f in (0, 0.95) for g in (0, 4)),
    tuple({"fixed": f, "duration": d} for f in (0, 0.95) for d in (0.25, 2)),
    tuple({"objective_ms": 1000, "fixed": f} for f in (0, 0.95)),
    tuple({"objective_ms": 1000, "rate": r} for r in (0.25, 16)),
    tuple({"types": 10, "rate": r} for r in (0.25, 16)),
    tuple({"types": 10, "fixed": f} for f in (0, 0.95)),
    ({"types": 10, "objective_ms": 1000},),
)
"""Inputs that are varied two at a time, to their ends."""


@cache
def factors() -> Mapping[str, Factor]:
    """The inputs that are varied, by name."""
    return {factor.name: factor for factor in FACTORS}


def settings() -> Iterator[Mapping[str, float]]:
    """All settings that are run: what is otherwise than in the study's own decisions, these first."""
    yield {}
    for factor in FACTORS:
        yield from ({factor.name: value} for value in factor.levels)
    for pair in PAIRS:
        yield from pair


def named(setting: Mapping[str, float]) -> str:
    """Name of a setting in tables of results, as in "fixed=0.95, gain=4"; empty: the study's own."""
    return ", ".join(f"{name}={value:g}" for name, value in setting.items())


def said(setting: Mapping[str, float]) -> str:
    """A setting in words."""
    if not setting:
        return "as the study runs them"
    return "; ".join(f"{factors()[name].words}: {factors()[name].said(value)}" for name, value in setting.items())


def inputs_of(setting: Mapping[str, float]) -> Inputs:
    """The inputs of a setting; numbers that count are whole."""
    values: dict[str, Any] = {name: type(getattr(OWN, name))(value) for name, value in setting.items()}
    return replace(OWN, **values)

"""The problems that programs are scored on: instances as plain data, their prices, and their proven optima."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, cast

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.family import Family
from euclio.core.folders import data_dir
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.experiments.bench_set import entries
from euclio.experiments.bench_set.manifest import best_path, instance_path, set_folder
from euclio.files.boundary import FileModel, at, validated
from euclio.files.json_reading import parse_json
from euclio.files.json_writing import one_line
from euclio.files.result_files import load_result
from euclio.proving.certifying import certify
from euclio.proving.prism import broken_certificate, largest_pressure

MOST_SAID = 300
"""Characters of a broken rule that are told: names in plans can be long."""
PROOF_S = 120.0
"""Seconds for solving an instance, and again for certifying the proof, where the benchmark set holds neither."""
NAME = "instance"
"""Name of every instance that a candidate sees: the set's own would tell it which one it is."""


@dataclass(frozen=True, slots=True)
class Priced:
    """The checker's answer about a plan.

    Attributes:
        value: exact value; None if the plan breaks a rule.
        why: the broken rule in words; empty without one.
    """

    value: Fraction | None
    why: str = ""


@dataclass(frozen=True)
class Source:
    """An instance that may be scored.

    Attributes:
        order: a word that fixes its place among the others for every seed, such as its name in the benchmark set.
        text: the instance as JSON, as the candidate sees it.
        prove: its proven optimum; None if it has no certificate.
    """

    order: str
    text: str
    prove: Callable[[], Fraction | None] = field(compare=False)

    @cached_property
    def name(self) -> str:
        """First 128 bits of the SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @property
    def data(self) -> dict[str, object]:
        """The instance as plain data, with numbers as Python reads them."""
        found: dict[str, object] = json.loads(self.text)
        return found


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem.

    Attributes:
        name: its name in commands.
        summary: one line.
        programs: files in `data/evaluator/programs/`; the first one is the seed, which scores 0.
        sources: its instances.
        price: takes the text of an instance, and a plan as plain data; returns the checker's answer.
    """

    name: str
    summary: str
    programs: tuple[str, ...]
    sources: Callable[[], Iterator[Source]]
    price: Callable[[str, object], Priced]

    def program(self, name: str | None = None) -> str:
        """The text of a program by file name; None means the seed."""
        return stored("programs", name or self.programs[0]).read_text(encoding="utf-8")


def stored(*parts: str) -> Path:
    """A file of `data/evaluator/`."""
    return data_dir().joinpath("evaluator", *parts)


# Problems of the families: instances of the benchmark set, and plans as in result files.


@dataclass(frozen=True, slots=True)
class _FamilyProblem:
    """How a problem uses its family.

    Attributes:
        family: the family's name.
        figures: fields of a plan that follow from the rest, by the list that holds their objects ("" is the plan). A
            program may leave them out; the checker ignores them.
        space: fields of the plan space that differ from the full one.
        stored: whether the benchmark set holds the certificates.
        most_modules: instances with more are left out.
    """

    family: str
    figures: tuple[tuple[str, str], ...]
    space: Mapping[str, Any] = field(default_factory=dict)
    stored: bool = True
    most_modules: int = 12

    @property
    def record(self) -> Family:
        """The family."""
        return find_family(self.family)

    @property
    def plan_space(self) -> Any:
        """The plan space."""
        return replace(self.record.full_space, **self.space)

    def sources(self) -> Iterator[Source]:
        """The instances of the set with a certificate, in the full plan space."""
        for entry in entries(family=self.family):
            certified = entry.certificate is not None and entry.certificate.verdict is Verdict.CERTIFIED
            if certified and entry.design.get("modules", 0) <= self.most_modules:
                text = instance_path(set_folder(), entry).read_text(encoding="utf-8")
                shown = one_line(text.replace(json.dumps(entry.name), json.dumps(NAME), 1))
                yield Source(entry.name, shown, partial(self._optimum, entry.name, text))

    def _read(self, text: str) -> Any:
        return self.record.read(parse_json(text), None)

    def _optimum(self, name: str, text: str) -> Fraction | None:
        """The price of the best plan of the set, whose proof has a certificate, or of one that is proven now."""
        instance = self._read(text)
        if self.stored:
            known = load_result(best_path(set_folder(), name), instance)
            # A certificate for a smaller plan space says nothing about the plans of a program.
            checked = self.record.evaluate(instance, known.plan, known.space)
            return checked.value if checked.feasible and known.space == self.plan_space else None
        solver = find_solver(self.record.default_solver)
        result = solve(instance, solver, space=self.plan_space, time_limit_s=PROOF_S)
        if result.status is Status.INFEASIBLE:
            return None
        if result.status is not Status.OPTIMAL or certify(instance, result, PROOF_S).verdict is not Verdict.CERTIFIED:
            # To leave it out would make the instances, and so all scores, depend on the machine.
            message = f"is not proven within {PROOF_S:g} s; use a faster machine, or one that is less busy"
            raise InputError(message, field=f"optimum of {name}")
        return result.value

    def price(self, text: str, plan: object) -> Priced:
        """The checker's answer about a plan as plain data."""
        files = self.record.plan_files()
        instance = self._read(text)
        try:
            with at("plan", None):
                model = validated(cast("type[FileModel]", files.plan), self._with_figures(plan), None)
            checked = self.record.evaluate(instance, files.plan_from(model, instance), self.plan_space)
        except InputError as error:
            return Priced(None, str(error)[:MOST_SAID])
        return Priced(checked.value) if checked.feasible else Priced(None, checked.violations[0][:MOST_SAID])

    def _with_figures(self, plan: object) -> object:
        """The plan with all derived figures; a plan of another shape is refused as it is."""
        if not isinstance(plan, dict):
            return plan
        filled = dict(plan)
        for place, figure in self.figures:
            parts = filled.get(place)
            if not place:
                filled.setdefault(figure, 0)
            elif isinstance(parts, list):
                filled[place] = [{figure: 0, **one} if isinstance(one, dict) else one for one in parts]
        return filled


# PRISM: the instances of a public benchmark, each with its certificate.


class _Prism:
    """Models placed on GPUs (docs/findings/prism.md); `docs/tools/prism.py --certificates` writes the file."""

    def sources(self) -> Iterator[Source]:
        """The public instances, each with its certificate, which is checked when it is asked for."""
        for number, line in enumerate(stored("prism.jsonl").read_text(encoding="utf-8").splitlines()):
            found = json.loads(line)
            case = {name: found[name] for name in ("gpus", "gpu_memory_gb", "models")}
            yield Source(f"prism-{number}", json.dumps(case), partial(self._optimum, case, found))

    def _optimum(self, case: Mapping[str, object], found: Mapping[str, object]) -> Fraction | None:
        return Fraction(str(found["pressure"])) if broken_certificate(case, found) is None else None

    def price(self, text: str, plan: object) -> Priced:
        """The largest pressure of the placement in a plan."""
        match plan:
            case {"placement": placement, **others} if not others:
                found = largest_pressure(json.loads(text), placement)
                return Priced(None, found) if isinstance(found, str) else Priced(found)
        return Priced(None, "a plan is an object with placement, the GPU of each model, and nothing else")


_LATENCIES = (("", "latency_s"), ("modules", "worst_case_latency_s"))
_ROWS: dict[str, tuple[str, tuple[str, ...], _FamilyProblem | _Prism]] = {
    "splitting": (
        "divide the latency of a session among its modules and choose their machines, charged by share",
        ("splitting.py", "equal_split.py"),
        _FamilyProblem("session", _LATENCIES),
    ),
    "whole": (
        "the same with machines that are charged whole",
        ("whole.py",),
        _FamilyProblem("session", _LATENCIES, {"charging": "whole"}, stored=False, most_modules=6),
    ),
    "pipelines": (
        "divide models among the GPUs of a cluster, for the largest throughput",
        ("pipelines.py",),
        _FamilyProblem("pipeline", (("pipelines", "rate_rps"),)),
    ),
    "fleets": (
        "group the fragments of a fleet, for the smallest share of GPUs",
        ("fleets.py",),
        _FamilyProblem("fragments", (("sets", "latency_s"),)),
    ),
    "prism": (
        "place models on GPUs so that the GPU under the most pressure has the least",
        ("prism.py",),
        _Prism(),
    ),
}

NAMES = tuple(_ROWS)
"""Names of the problems."""


@cache
def find_problem(name: str) -> Problem:
    """The problem of this name.

    Raises:
        InputError: there is none.
    """
    if name not in NAMES:
        raise InputError(f"there is no problem {name!r}; give one of {', '.join(NAMES)}")
    summary, programs, own = _ROWS[name]
    return Problem(name, summary, programs, own.sources, own.price)

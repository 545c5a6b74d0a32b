"""Scores of all heuristics of euclio on held-out instances of evaluators: `PYTHONPATH=. python docs/tools/programs.py`.

Each heuristic plans in its own plan space; the checker prices the plan in the problem's. It writes the tables of
`docs/findings/programs.md`, and `docs/figures/programs.svg` with a random local search over the constants of the
initial program of `splitting` (`notebooks/splitter_search.py`). Takes some minutes; the same bytes again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, OPEN, ROOT, draw_plain, paste, table

from euclio.core.errors import InapplicableError
from euclio.core.families import find_family
from euclio.core.registry import Limits, find_solver, solvers_of
from euclio.core.words import percent
from euclio.files.json_reading import parse_json
from euclio.scoring.folder import CALL_S, INSTANCES
from euclio.scoring.problems import Problem, find_problem
from euclio.scoring.running import Limit
from euclio.scoring.scores import Case, drawn, score, share_of

sys.path.insert(0, str(ROOT / "notebooks"))
from splitter_search import START, Tried, mean_gap, search, values, with_constants

FAMILIES = {
    "splitting": ("session", {}),
    "whole": ("session", {"charging": "whole"}),
    "pipelines": ("pipeline", {}),
    "fleets": ("fragments", {}),
    "prism": (None, {}),
}
"""Family and plan space of each problem."""
LIMIT_S, EVALUATIONS, SEED = 10.0, 60, 0
LINES = (("harpagon", "Harpagon", "#d9822b", "--"), ("price-of-time", "price-of-time", "#3c9a5f", ":"))
HEADER = ("problem", "heuristic", "score", "accepted", "optimal", "mean gap to the proven optimum")

Values = Sequence[Fraction | None]
"""The checked value on each instance; None without an accepted plan."""


def by_solver(name: str, problem: str, cases: Sequence[Case]) -> Values:
    """The checked values of a solver's plans, made in its own plan space and priced in the problem's."""
    own, fields = FAMILIES[problem]
    family, solver = find_family(str(own)), find_solver(name)
    space, found = replace(family.full_space, **fields), list[Fraction | None]()
    for case in cases:
        instance = family.read(parse_json(case.source.text), None)
        try:
            plan = solver.run(instance, solver.space or family.full_space, Limits(LIMIT_S)).plan
        except InapplicableError:  # some designs split series-parallel graphs alone
            plan = None
        checked = None if plan is None else family.evaluate(instance, plan, space)
        found.append(checked.value if checked is not None and checked.feasible else None)
    return found


def heuristics(problem: Problem, cases: Sequence[Case]) -> Iterator[tuple[str, Values]]:
    """The values of the initial programs, and of each heuristic without its variants."""
    for program in problem.programs:
        scored = score(problem, cases, problem.program(program), Limit(CALL_S)).scored
        yield f"program `{program}`", [one.value for one in scored]
    family = FAMILIES[problem.name][0]
    for solver in solvers_of(family) if family else ():
        if solver.kind == "heuristic" and ":" not in solver.name:
            yield f"`{solver.name}`", by_solver(solver.name, problem.name, cases)


def rows(problem: Problem, cases: Sequence[Case]) -> Iterator[tuple[str, ...]]:
    """The rows of a problem, best score first."""
    found = []
    for name, own in heuristics(problem, cases):
        shares = [Fraction(0) if v is None else share_of(c, v) for c, v in zip(cases, own, strict=True)]
        accepted = sum(v is not None for v in own)
        counts = (f"{accepted}/{len(cases)}", f"{sum(share == 1 for share in shares)}")
        found.append((-sum(shares), name, *counts, percent(mean_gap(cases, own) if accepted else None, 2)))
    for total, name, *others in sorted(found):
        yield (problem.name, name, f"{float(-total / len(cases)):.3f}", *others)


def progress(train: Sequence[Case], test: Sequence[Case]) -> tuple[list[Tried], list[tuple[int, float, float]]]:
    """The search, and at each better incumbent the number of evaluations and the gaps on both halves."""
    problem = find_problem("splitting")
    tried = search(problem, tuple(train), EVALUATIONS, SEED)
    steps, best = list[tuple[int, float, float]](), Fraction(-1)
    for number, one in enumerate(tried, 1):
        if one.score > best:
            best, program = one.score, with_constants(problem.program(), START, one.constants)
            gaps = [mean_gap(half, values(problem, tuple(half), program)) for half in (train, test)]
            steps.append((number, gaps[0] or 0.0, gaps[1] or 0.0))
    return tried, steps


def drawing(steps: list[tuple[int, float, float]], test: Sequence[Case]) -> Figure:
    """The gaps of the incumbent over evaluations, next to those of solvers on the held-out instances."""
    figure = Figure(figsize=(6, 3.3), layout="constrained")
    axes = figure.subplots()
    numbers = [step[0] for step in steps] + [EVALUATIONS]
    for place, label, colour in ((2, "search, held out", "#2f6fb5"), (1, "search, training", "#8a8f98")):
        gaps = [100 * step[place] for step in steps]
        axes.step(numbers, [*gaps, gaps[-1]], where="post", color=colour, label=label, linewidth=1.8)
    for name, label, colour, style in LINES:
        gap = mean_gap(test, by_solver(name, "splitting", test))
        axes.axhline(100 * (gap or 0.0), color=colour, linestyle=style, label=f"{label}, held out")
    axes.axhline(0, color="#1c1f23", linewidth=1, label="proven optimum")
    axes.set(xlabel="evaluations", ylabel="mean gap to the optimum, %", xlim=(1, EVALUATIONS), ylim=(-0.1, None))
    axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.33))
    return figure


def main() -> None:
    """Score, search, write."""
    lines = list[tuple[str, ...]]()
    for name in FAMILIES:
        problem = find_problem(name)
        cases = drawn(problem, INSTANCES, SEED)
        half = -(-len(cases) // 2)
        lines += rows(problem, cases[half:])
        if name == "splitting":
            tried, steps = progress(cases[:half], cases[half:])
            draw_plain(FIGURES / "programs.svg", lambda own=steps, test=cases[half:]: drawing(own, test), OPEN)
            best = max(tried, key=lambda one: one.score)
            told = ", ".join(f"{constant:g}" for constant in best.constants)
            found = table(
                ("constants", "score on training instances", "gap there", "gap on held-out instances"),
                [
                    ("1, 1, 0 (initial program)", "0.000", percent(steps[0][1], 2), percent(steps[0][2], 2)),
                    (told, f"{float(best.score):.3f}", percent(steps[-1][1], 2), percent(steps[-1][2], 2)),
                ],
            )
    paste(FINDINGS / "programs.md", {"program-scores": table(HEADER, lines), "program-search": found})


if __name__ == "__main__":
    main()

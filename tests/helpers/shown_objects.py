"""An object of every kind that shows itself; run as a file it writes a page per theme with all of them to be looked at.

`python tests/helpers/shown_objects.py FOLDER [SESSION.json]`
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import Any

from euclio import certify, compare, decompose, explain, load, solve
from euclio.core.families import family_of
from euclio.core.registry import solvers_of
from euclio.experiments.runner import Outcome
from euclio.experiments.status import ExperimentStatus
from euclio.files import load_result, save_instance, save_result
from euclio.files.unbound_results import load_without_instance
from euclio.problems.day.family import small
from euclio.problems.fragments.family import FAMILY as FLEETS
from euclio.problems.pipeline.family import FAMILY as CLUSTERS
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.machine_limits import named_plan
from euclio.problems.session.running import Running, RunningMachines
from euclio.questions.change_costs import change_costs
from euclio.questions.cost_curve import cost_curve
from euclio.questions.day_rules import compare_day
from euclio.questions.difference import compare_plans, plan_difference
from euclio.questions.what_if import what_if

EVIL = '<b>"x"&'
"""A name that must not become HTML."""


def small_session(name: str = "two modules", module: str = "detect", slo: str = "1") -> Session:
    """Two modules one after the other on two machine types."""
    first = [Configuration("V100", 2, 1, "0.1"), Configuration("P100", 1, 1, "0.125")]
    modules = [Module(module, 10, first), Module("classify", "5.3", [Configuration("V100", 1, 2, "0.2")])]
    hardware = [Hardware("V100", "1.5"), Hardware("P100", 1)]
    return Session(name, slo, hardware, modules, [(module, "classify")], currency="EUR")


def moving(name: str) -> Session:
    """One module whose four machines of one type give way to two of another."""
    profile = [Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.05")]
    modules, running = [Module("m", 40, profile)], Running((RunningMachines("m", "A", 4),))
    return Session(name, 9, [Hardware("A", 3), Hardware("B", 4)], modules, running=running)


def objects(folder: Path, session: Session | None = None, name: str = "shown") -> dict[str, Any]:
    """An object of every kind by what it is.

    Args:
        folder: an empty folder for files.
        session: the session that questions are asked of; None: a small one.
        name: name of the instances.
    """
    session = small_session(name, name) if session is None else session
    best, guess = solve(session, "exact"), solve(session, "harpagon")
    tight = small_session(name, name, "0.05")
    save_instance(session, folder / "session.json")
    for file, result in (("best.json", best), ("guess.json", guess)):
        save_result(result, session, folder / file)
    written = [load_without_instance(folder / file) for file in ("guess.json", "best.json")]
    slo = float(session.slo_s)
    named = (named_plan(session, own.plan) for own in (guess, best))
    found = {
        "session": session,
        "plan": best.plan,
        "result": best,
        "result of a heuristic": guess,
        "result without a plan": solve(tight, "exact"),
        "evaluation": best.evaluation,
        "comparison": compare(session, ["harpagon", "nexus", "scrooge", "inferline", "clipper"]),
        "decomposition": decompose(session, ["harpagon", "nexus", "clipper"]),
        "what-if": what_if(session, slos=[slo, slo * 1.25, slo * 1.5, slo * 2]),
        "costs of changes": change_costs(moving(name)),
        "costs by SLO": cost_curve(session),
        "difference": compare_plans(*written),
        "explanation": explain(tight),
        "explanation of a feasible session": explain(session),
        "certificate": certify(session, best, 20),
        "written result": load_result(folder / "best.json", session),
        "result without its instance": written[0],
        "simulation": _simulated(session, best),
        "difference of plans": plan_difference(*named),
    }
    return found | _others(name) | _experiment(folder, name)


def _simulated(instance: Any, result: Any) -> Any:
    family = family_of(instance)
    assert family.simulator is not None
    simulator = family.simulator()
    return simulator.simulate(instance, result.plan, simulator.setup(seconds=2.0), result.space)


def _others(name: str) -> dict[str, Any]:
    """Objects of the other families."""
    found: dict[str, Any] = {}
    for what, family in (("cluster", CLUSTERS), ("fleet", FLEETS)):
        instance, space = family.tiny(family.full_space)
        object.__setattr__(instance, "name", name)
        result = solve(instance, space=space)
        found |= {what: instance, f"plan of a {what}": result.plan, f"result of a {what}": result}
        found |= {f"evaluation of a {what}": result.evaluation, f"explanation of a {what}": explain(instance)}
        found[f"simulation of a {what}"] = _simulated(instance, result)
    day = small(1)
    object.__setattr__(day, "name", name)
    compared = compare_day(day, solvers_of("day"), solve)
    assert compared.best is not None
    found |= {"day": day, "comparison of a day": compared, "result of a day": compared.best}
    return found | {"plan of a day": compared.best.plan, "evaluation of a day": compared.best.evaluation}


def _experiment(folder: Path, name: str) -> dict[str, Any]:
    by_solver = {"exact": {"optimal": 20}, name: {"feasible": 12, "infeasible": 3}}
    status = ExperimentStatus(name, folder, 40, by_solver, {name: 5}, 0, None, None, None)
    return {"status of an experiment": status, "outcome of an experiment": Outcome(folder, 35, 5, 0)}


JUPYTER = """
body { margin: 0; padding: 12px; font: 13px system-ui, "DejaVu Sans", sans-serif; }
.light { background: #fff; --jp-content-font-color1: rgba(0, 0, 0, 0.87); }
.dark { background: #111; --jp-content-font-color1: rgba(255, 255, 255, 0.92); color: #ddd; }
h2 { font-size: 13px; opacity: .6; margin: 18px 0 4px; border-top: 1px dotted; padding-top: 6px; }
pre { white-space: pre-wrap; font-size: 12px; opacity: .8; }
.jp-RenderedHTMLCommon table { border-collapse: collapse; border: none; table-layout: fixed; margin: 0 auto 1em; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th { text-align: right; padding: .5em; max-width: none; }
"""
"""What JupyterLab says of outputs, as far as it matters here."""


def page(shown: dict[str, Any], theme: str) -> str:
    """All objects as cells of a notebook show them."""
    cells = "".join(
        f'<h2>{what}</h2><div class="jp-RenderedHTMLCommon">{thing._repr_html_()}</div><pre>{escape(repr(thing))}</pre>'
        for what, thing in shown.items()
    )
    head = f'<meta charset="utf-8"><style>{JUPYTER}</style>'
    return f'<!doctype html><html><head>{head}</head><body class="{theme}">{cells}</body></html>'


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.mkdir(exist_ok=True)
    given = load(sys.argv[2]) if len(sys.argv) > 2 else None
    everything = objects(into, given)
    for theme in ("light", "dark"):
        (into / f"{theme}.html").write_text(page(everything, theme), encoding="utf-8")

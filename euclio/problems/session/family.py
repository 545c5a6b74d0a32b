"""Sessions as a problem family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from euclio.core.family import Explained, Family
from euclio.core.lazy import late, late_value
from euclio.core.objective import LEAST_COST
from euclio.core.result import Status
from euclio.core.space_fields import in_words, options_of
from euclio.core.tolerances import BRACKET_TOLERANCE, PROOF_TOLERANCE
from euclio.problems.session.changes import CHANGE_OPTIONS, SessionChanges, check_hardware
from euclio.problems.session.costs import money
from euclio.problems.session.demands import SESSION_DEMANDS
from euclio.problems.session.evaluate import Evaluation, evaluate
from euclio.problems.session.files.instances import session_from_json, session_to_text
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.latency.of_requests import caveat, session_rate
from euclio.problems.session.plan import Plan
from euclio.problems.session.resources import lacks_others, may_lack_machines, without_limits
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import FULL_SPACE, PlanSpace

if TYPE_CHECKING:
    from euclio.core.result import Result

objectives_in_words = late("euclio.problems.session.parts_of_plans", "objectives_in_words")
latency_range = late("euclio.workloads.session.protocol", "latency_range")
_find_reason = late("euclio.questions.explain.explaining", "explain")
_one_line = late("euclio.questions.explain.text", "one_line")
_page = late("euclio.questions.explain.text", "page")
_describe = late("euclio.questions.explain.text", "describe")

EXPLAIN_LIMIT_S = 10.0
"""Limit of all searches together for an explanation next to a result."""


def _check_space(session: Session, space: PlanSpace) -> None:
    for name in space.hardware or ():
        check_hardware(name, session.price, "--hardware")


def _summary(session: Session, space: PlanSpace, evaluation: Evaluation) -> str:
    assert evaluation.cost_per_h is not None
    return f"cost {money(session, evaluation.cost_per_h)} per hour, {objectives_in_words(session, evaluation)}"


def _why_infeasible(session: Session, result: Result, limit_s: float | None) -> str:
    lacking = lacks_others(session, result.space)
    if lacking and result.status is Status.INFEASIBLE:
        return f"{lacking} (proven)"
    limit = EXPLAIN_LIMIT_S if limit_s is None else min(limit_s, EXPLAIN_LIMIT_S)
    found = _find_reason(without_limits(session), result.space, limit)
    limited = may_lack_machines(session)
    # Explanations are about latencies. If these are short enough, the solver has stated the other reason.
    if limited and found.status is not Status.INFEASIBLE and result.reason:
        return result.reason
    return str(_one_line(replace(found, limited=limited), result.solver, proven=result.status is Status.INFEASIBLE))


def _explain(session: Session, space: PlanSpace, limit_s: float | None) -> Explained:
    found = _find_reason(session, space, limit_s)
    text = _page(found)
    if found.limits and (lacking := lacks_others(session, space)):
        text += f"\n{lacking}"
    said = caveat(session, space)
    text += f"\n{said}" if said else ""
    return Explained(found.status, text, _describe(found))


def _tiny(space: PlanSpace) -> tuple[Session, PlanSpace]:
    """A diamond of four modules, which has every shape for which code is compiled."""
    profile = [Configuration("one", b, 1, d) for b, d in ((1, "0.01"), (2, "0.015"), (4, "0.025"))]
    modules = [Module(name, rate, profile) for name, rate in (("a", 55), ("b", 130), ("c", 170), ("d", 90))]
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    session = Session("warm-up", "0.2", [Hardware("one", 1)], modules, edges)
    return session, space if space.hardware is None else space.on("one")


_BRACKETED = tuple(rule.value for rule in DummyRule if not rule.countable)
"""Rules that leave a continuum of plans."""


def _tolerance(space: Mapping[str, Any]) -> float:
    """The tolerance of exact proofs, unless the rule leaves a continuum of plans, whose optimum is bracketed."""
    return BRACKET_TOLERANCE if space.get("dummy") in _BRACKETED else PROOF_TOLERANCE


def _features(session: Session) -> dict[str, float]:
    """Its rate is that of the busiest module by which requests enter. There is no tightness with only one latency."""
    least, useful = latency_range(session)
    place = {"tightness": (float(session.slo_s) - least) / (useful - least)} if useful > least else {}
    return {
        "modules": len(session.modules),
        "configurations": sum(len(module.profile) for module in session.modules),
        "hardware": len(session.hardware),
        "edges": len(session.edges),
        "rate_rps": float(session_rate(session)),
        "slo_s": float(session.slo_s),
        **place,
    }


FAMILY = Family(
    name="session",
    instances="sessions",
    schema="euclio/session/1",
    instance=Session,
    plan=Plan,
    goals=(LEAST_COST,),
    full_space=FULL_SPACE,
    default_solver="exact",
    improvers=("harpagon", "milp-split", "cpsat-split", "milp"),
    space_options=options_of(PlanSpace),
    read=session_from_json,
    to_text=session_to_text,
    evaluate=evaluate,
    planned_for=late("euclio.serving.session.service", "even_service"),
    plan_files=late_value("euclio.problems.session.files.plans", "SESSION_PLANS"),
    check_space=_check_space,
    describe_space=in_words,
    table=late("euclio.problems.session.table", "plan_table"),
    summary=_summary,
    caveat=caveat,
    why_infeasible=_why_infeasible,
    explain=_explain,
    tiny=_tiny,
    find_better=late("euclio.proving.session.certifying", "find_better"),
    warm_up_prover=late("euclio.proving.session.certifying", "warm_up"),
    prove=late("euclio.proving.session.proof", "session_proof"),
    pose=late("euclio.proving.session.proof", "session_program"),
    find_better_keeping=late("euclio.proving.session.attainment", "find_better_keeping"),
    tolerance=_tolerance,
    features=_features,
    sources=late_value("euclio.contract.sources", "SESSION_SOURCES"),
    designs=late("euclio.workloads.session.designs", "session_designs"),
    kinds=late_value("euclio.workloads.session.kinds", "KINDS"),
    importers=late_value("euclio.workloads.session.importers", "IMPORTERS"),
    exporters=late_value("euclio.export.exporters", "EXPORTERS"),
    difference=late("euclio.questions.difference", "difference"),
    compile_rest=late("euclio.serving.session.in_turn", "compile_all"),
    keeping=late_value("euclio.serving.attainment.demand", "KEEPING"),
    simulator=late_value("euclio.serving.session.setup", "SIMULATOR"),
    setup_options=late_value("euclio.serving.session.setup", "SETUP_OPTIONS"),
    changes=SessionChanges,
    change_options=CHANGE_OPTIONS,
    hint=late("euclio.problems.session.doubts", "slo_hint"),
    currency=lambda session: session.currency,
    usual=(
        "exact",
        "whole-greedy",
        "rate-over-throughput",
        "utilisation-70",
        "square-root-staffing",
        "inferline",
        "clipper",
    ),
    doubts=late("euclio.problems.session.doubts", "session_doubts"),
    demands=SESSION_DEMANDS,
    companion=late_value("euclio.questions.companion", "COMPANION"),
    rows=late("euclio.problems.session.views", "plan_rows"),
    derive=late("euclio.problems.session.arrays", "session_arrays"),
    deployed=late("euclio.problems.session.deployed", "deployed"),
)

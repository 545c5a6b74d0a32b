"""Small sessions and a solver for tests of files, tables and the command; no compiled code."""

from euclio.core.registry import Limits, Solver
from euclio.core.result import Answer
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session

TEXT = """{"schema": "euclio/session/1", "name": "tiny", "slo_s": 1.0,
 "hardware": [{"name": "V100", "price_per_h": 1.5}, {"name": "P100", "price_per_h": 1}],
 "modules": [
  {"name": "detect", "rate_rps": 10, "profile": [
   {"hardware": "V100", "batch": 2, "concurrency": 1, "duration_s": 0.1},
   {"hardware": "P100", "batch": 1, "concurrency": 1, "duration_s": 0.125}]},
  {"name": "classify", "rate_rps": 5, "profile": [
   {"hardware": "V100", "batch": 1, "concurrency": 2, "duration_s": 0.2}]}],
 "edges": [["detect", "classify"]]}
"""


def tiny_session(slo_s: int = 1) -> Session:
    """The session in `TEXT`, or one like it with another SLO."""
    return Session(
        "tiny",
        slo_s,
        [Hardware("V100", "1.5"), Hardware("P100", 1)],
        [
            Module("detect", 10, [Configuration("V100", 2, 1, "0.1"), Configuration("P100", 1, 1, "0.125")]),
            Module("classify", 5, [Configuration("V100", 1, 2, "0.2")]),
        ],
        [("detect", "classify")],
    )


def one_configuration_plan(session: Session, index: int = 0) -> Plan:
    """Every module on one configuration: whole machines, then a partial one."""
    plans = []
    for module in session.modules:
        c = module.profile[index]
        machines = module.rate_rps // c.throughput_rps
        plans.append(ModulePlan((Allocation(c, machines, module.rate_rps - machines * c.throughput_rps),)))
    return Plan(tuple(plans))


def answering(
    plan: Plan | None,
    *,
    name: str = "fake",
    kind: str = "heuristic",
    covers: frozenset[str] = frozenset(),
    **answer: object,
) -> Solver:
    """A solver that always gives this plan."""

    def run(session: Session, space: PlanSpace, limits: Limits) -> Answer:
        return Answer(plan, "done", **answer)  # type: ignore[arg-type]

    return Solver(name, kind, "gives a fixed plan", run, covers=covers)


def first_configuration(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The run of a solver that puts every module on its first configuration."""
    return Answer(one_configuration_plan(session), "done", claimed=1.5)


def second_configuration(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The run of a solver that puts modules on their last configuration."""
    return Answer(one_configuration_plan(session, -1), "done")

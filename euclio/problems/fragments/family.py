"""Fragments of a DNN as a problem family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.family import Explained, Family
from euclio.core.lazy import late, late_value
from euclio.core.objective import Goal
from euclio.core.parameters import Parameter
from euclio.core.space_fields import in_words, options_of
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.core.words import amount
from euclio.problems.fragments.evaluate import FleetEvaluation, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE, FragmentSpace

if TYPE_CHECKING:
    from euclio.core.result import Result

LEAST_SHARE = Goal("GPU share", "pct", "%", maximised=False, column="GPU share %")
"""GPU share of all instances, in percent of one GPU (Graft §4.3)."""


def _summary(fleet: Fleet, space: FragmentSpace, evaluation: FleetEvaluation) -> str:
    assert evaluation.value is not None
    return f"{LEAST_SHARE.name} {amount(evaluation.value)} {LEAST_SHARE.unit} in {len(evaluation.sets)} sets"


def _why_infeasible(
    fleet: Fleet, result: Result[FragmentPlan, FragmentSpace, FleetEvaluation], limit_s: float | None
) -> str:
    from euclio.problems.fragments.least_budget import why_late

    return why_late(fleet, result.space) or (
        f"{result.solver} found no plan, although every fragment can be served in time"
        + (f": {result.reason}" if result.reason else "")
    )


def _explain(fleet: Fleet, space: FragmentSpace, limit_s: float | None) -> Explained:
    from euclio.problems.fragments.least_budget import explain_budgets

    return Explained(*explain_budgets(fleet, space))


def _tiny(space: FragmentSpace) -> tuple[Fleet, FragmentSpace]:
    """Three layers and three fragments, two of them with the same first layer; realigning them pays."""
    layers = [
        [["0.008", "0.005"], ["0.013", "0.008"]],
        [["0.012", "0.007"], ["0.020", "0.011"]],
        [["0.010", "0.006"], ["0.016", "0.009"]],
    ]
    network = Network("tiny", [1, 2], [20, 50], layers)
    fragments = [Fragment("a", 0, "0.12", 30), Fragment("b", 1, "0.1", 20), Fragment("c", 1, "0.11", 30)]
    return Fleet("warm-up", network, fragments), space


def _features(fleet: Fleet) -> dict[str, float]:
    return {
        "fragments": len(fleet.fragments),
        "layers": fleet.network.layers,
        "partition_points": len({fragment.partition_point for fragment in fleet.fragments}),
        "uniform_groups": len({(f.partition_point, f.budget_s) for f in fleet.fragments}),
        "rate_rps": float(sum(fragment.rate_rps for fragment in fleet.fragments)),
    }


FAMILY = Family(
    name="fragments",
    instances="fleets",
    schema="euclio/fragments/1",
    instance=Fleet,
    plan=FragmentPlan,
    goals=(LEAST_SHARE,),
    full_space=FULL_FRAGMENT_SPACE,
    default_solver="fragment-columns",
    improvers=("regroup", "graft", "graft:uniform", "graft:massive"),
    space_options=options_of(FragmentSpace),
    read=late("euclio.problems.fragments.files", "fleet_from_json"),
    to_text=late("euclio.problems.fragments.files", "fleet_to_text"),
    evaluate=evaluate,
    plan_files=late_value("euclio.problems.fragments.files", "FRAGMENT_PLANS"),
    check_space=lambda fleet, space: None,
    describe_space=in_words,
    table=late("euclio.problems.fragments.views", "fragment_table"),
    summary=_summary,
    why_infeasible=_why_infeasible,
    explain=_explain,
    tiny=_tiny,
    find_better=late("euclio.proving.fragments.certifying", "find_better"),
    prove=late("euclio.proving.fragments.proof", "fleet_proof"),
    warm_up_prover=lambda: None,
    tolerance=lambda space: PROOF_TOLERANCE,
    features=_features,
    sources=late_value("euclio.contract.sources", "FLEET_SOURCES"),
    kinds=late_value("euclio.workloads.fragments.kinds", "KINDS"),
    compile_rest=late("euclio.serving.fragments.simulation", "compile_simulator"),
    simulator=late_value("euclio.serving.fragments.simulation", "SIMULATOR"),
    setup_options=lambda: (
        Parameter(
            "--dispatch",
            "dispatch",
            "instances draw from one queue per stage, or get requests in turn; default: shared",
            choices=("shared", "even"),
        ),
        Parameter(
            "--dropping",
            "dropping",
            "drop requests that cannot keep their time budget any more, or none; default: hopeless",
            choices=("hopeless", "never"),
        ),
        Parameter(
            "--phases",
            "phases",
            "when in its period a client sends, where arrivals are uniform; default: random",
            choices=("random", "together", "staggered"),
        ),
    ),
    designs=late("euclio.workloads.fragments.designs", "fleet_designs"),
    rows=late("euclio.problems.fragments.views", "plan_rows"),
)

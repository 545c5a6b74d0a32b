"""`euclio decompose`: split every system's gap into design and heuristic."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given, option_text
from euclio.core.progress import say, waiting
from euclio.core.solver import SolverLike
from euclio.core.tables import to_text
from euclio.core.values import count, file_path
from euclio.files.csv_files import frame_text
from euclio.files.json_writing import json_text, write_text
from euclio.questions.comparison.comparison import Comparison, Solving, chosen_solvers
from euclio.questions.comparison.decomposing import common_family, describe, goal_of, steps_of, steps_table
from euclio.questions.comparison.decomposing import decompose as decompose_instances
from euclio.questions.comparison.views import decomposition_table
from euclio.verbs.compare import solving_of
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.interface.family_keywords import changed, time_limit_of
from euclio.verbs.interface.inputs import given_instances
from euclio.verbs.interface.outputs import check_written, draw_answer
from euclio.verbs.interface.shared_parameters import (
    PLOT,
    SEED,
    SOLVERS,
    STRICT,
    TIME_LIMIT,
    attainment,
    json_of,
)
from euclio.verbs.interface.supervised import Supervised
from euclio.verbs.interface.verb import as_read, verb
from euclio.workloads.kinds import find_kind

if TYPE_CHECKING:
    import pandas as pd

PROTOCOL = "workloads"
"""Kind of instance that `workloads` samples."""


@verb(
    Parameter("--workloads", parse=count, metavar="N"),
    Parameter("--objective", parse=as_given, metavar="NAME"),
    SEED,
    SOLVERS,
    STRICT,
    TIME_LIMIT,
    attainment(),
    typed=words.Attainment,
)
def decompose(
    instances: Any = (),
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit_s: Number | None = None,
    advance: Callable[[Comparison], None] | None = None,
    solving: Solving | None = None,
    objective: str | None = None,
    *,
    workloads: Number | None = None,
    seed: Number | None = None,
    time_limit: Number | None = None,
    supervised: bool = False,
    strict: bool = False,
    **keywords: Unpack[words.Attainment],
) -> pd.DataFrame:
    """Split the gap of systems on instances into the losses by design and heuristic, as `euclio decompose` does.

    Args:
        instances: one instance or many, all of one family; paths of their files, or of folders of files.
        solvers: as of `euclio.compare`; None means every registered heuristic, ablations included.
        time_limit_s: as `time_limit`.
        advance: called after each instance.
        solving: a function with the arguments of `euclio.solve`; None means `euclio.solve`.
        objective: name of the objective; None means the family's default.
        workloads: also this number of protocol workloads, as of `euclio.generate` (docs/glossary.md).
        seed: seed of the workloads; None means the protocol's.
        time_limit: limit of each run in seconds; None means no limit.
        supervised: make the runs in a process of their own, which enforces limits on any solver.
        strict: refuse files with doubted rows (docs/howto/doubts.md) instead of warning of them.
        **keywords: an attainment of plans of sessions under random arrivals, as of `euclio.solve`.

    Returns:
        One row per instance and system (`euclio.questions.comparison.decomposing.decompose`), with rate, SLO and
        tightness of sessions; `euclio.questions.comparison.decomposing.aggregate` sums it up per system.

    Raises:
        InputError: an unknown solver or objective, instances of different families, a file that cannot be read, or a
            bad value, named with its keyword.
    """
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    asked = [one.instance for one in given_instances(instances)]
    if workloads is not None:
        asked += drawn_workloads(as_read(workloads), as_read(seed))
    elif seed is not None:
        drawn = option_text("--workloads", placeholder="N")
        raise InputError(f"is the seed of generated workloads; give {drawn} too, or leave it out", field="--seed")
    if not asked:
        return decompose_instances([], solvers)
    family = common_family(asked)
    kept = with_percentile(keywords)
    demand = attainment_demand(family, kept, *asked)
    asked = [changed(family, one, {"slo": kept.get("slo")})[0] for one in asked]
    chosen = chosen_solvers(solvers, family)
    with Supervised(asked, chosen) if supervised else nullcontext() as other:
        how, said = solving_of(demand, other, solving)
        return decompose_instances(asked, chosen, limit_s, advance, how, objective, said)


def drawn_workloads(number: int, seed: int | None = None) -> list[Any]:
    """Protocol workloads for which every system has a plan."""
    protocol = find_kind(PROTOCOL)
    chosen = protocol.seed if seed is None else seed
    with waiting("sampling workloads that every system has a plan for"):
        return list(protocol.draw({}, number, chosen))


@command(
    decompose,
    Parameter("files", help="instances, or folders of them", parse=file_path, metavar="FILE", details={"nargs": "*"}),
    PLOT,
    Parameter("--csv", help="also write one row per instance and system", parse=file_path, metavar="OUT"),
    json_of("the decomposition"),
    about="Split the gap of every system into the loss by its design (best plan of its own plan space over the optimum)"
    " and the loss by its heuristic (its plan over that best plan). The latter is split by step if the "
    "heuristic's steps are known.",
    page="model/fragments.md#where-a-gap-comes-from",
    exits="0 some system has a plan, 3 infeasible, 4 no plan",
    examples=("euclio decompose session.json --solvers harpagon,scrooge", "euclio decompose --workloads 2"),
)
def print_decomposition(arguments: Namespace) -> int:
    """Decompose, print, write, plot."""
    keywords = dict(arguments.keywords)
    named = keywords.pop("solvers", None)
    check_written(arguments, ["csv"], arguments.files, figures=["plot"], solvers=named or ())
    instances = _instances(arguments.files, keywords.pop("workloads", None), keywords.pop("seed", None))
    chosen = chosen_solvers(named, common_family(instances))
    table = decompose(instances, chosen, supervised=True, **keywords)
    # The steps of a heuristic are of its plan without a demand.
    without = "demand" not in table
    steps = steps_of(instances, chosen, table, keywords.get("time_limit")) if without else table.iloc[:0]
    if arguments.json:
        print(json_text(describe(table) | ({"steps": steps.to_dict("records")} if len(steps) else {})))
    else:
        print(to_text(decomposition_table(table)))
        if len(steps):
            print()
            print(to_text(steps_table(steps, goal_of(table))))
    if arguments.csv is not None:
        write_text(frame_text(table), arguments.csv)
    draw_answer({arguments.plot: partial(late("euclio.questions.comparison.figures", "draw_decomposition"), table)})
    return _exit_code(table)


def _instances(files: Sequence[Path], workloads: int | None, seed: int | None) -> list[Any]:
    """The instances of all files, folders in the order of names, then the generated ones."""
    found = [one.instance for one in given_instances(files)]
    if workloads is not None:
        found += drawn_workloads(workloads, seed)
    elif seed is not None:
        raise InputError("is the seed of generated workloads; give --workloads N too, or leave it out", field="--seed")
    if not found:
        raise InputError("there is nothing to decompose; name instance files, or give --workloads N", field="FILE")
    return found


def _exit_code(table: pd.DataFrame) -> int:
    if table[goal_of(table).value_field].notna().any():
        return SOLVED
    infeasible = bool((table.optimum_status == "infeasible").all())
    why = "infeasible: no instance has a plan; `euclio explain` says why" if infeasible else "no system found a plan"
    say(why)
    return INFEASIBLE if infeasible else NO_PLAN

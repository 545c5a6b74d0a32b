"""`compare` and `decompose`: how far each system is from the optimum, and what its design and its heuristic give up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.progress import waiting
from euclio.core.solver import SolverLike
from euclio.core.solving import solve
from euclio.core.values import count, seconds
from euclio.core.values import seed as read_seed
from euclio.files.boundary import at
from euclio.files.instance_files import load_instance
from euclio.questions.comparison.comparison import USUAL, Comparison, Solving, chosen_solvers, systems_of
from euclio.questions.comparison.comparison import compare as compare_instance
from euclio.verbs import keyword_types as words
from euclio.verbs.attainment import attainment_demand, with_percentile
from euclio.verbs.inputs import GivenInstance, given_instance
from euclio.verbs.keywords import CERTIFY_S, changed, either, of_families, read_if, time_limit_of
from euclio.verbs.supervised import Supervised
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    import pandas as pd

    from euclio.serving.attainment.demand import Demand

PROTOCOL = "workloads"
"""Kind of instance that `workloads` samples."""


@verb(words.CompareKeywords, more=of_families)
def compare(
    instance: Any,
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit_s: Number | None = None,
    objective: str | None = None,
    certify_s: Number | None = None,
    solving: Solving | None = None,
    *,
    systems: str | None = None,
    time_limit: Number | None = None,
    certify: Number | None = None,
    supervised: bool = False,
    **keywords: Unpack[words.CompareKeywords],
) -> Comparison:
    """Run systems and the family's exact solver on one instance, as `euclio compare` does.

    Args:
        instance: an instance of any family, or the path of its file.
        solvers: names, solvers or functions, or names divided by commas; None: those of `systems`.
        time_limit_s: as `time_limit`.
        objective: name of the objective; None: the family's default.
        certify_s: as `certify`.
        solving: what solves, with the arguments of `euclio.solve`; None: `euclio.solve`.
        systems: "planner": the cheapest plan, whole machines, and rules that people use (other families: every system);
            "papers": every registered system of the family, ablations included; None: "planner".
        time_limit: limit of each run in seconds; None: none.
        certify: limit in seconds of an independent prover for each proof; True: 60; None: it is not asked.
        supervised: make the runs in a process of their own, so that limits hold whatever a solver does.
        **keywords: changes of a session, and what plans keep under random arrivals, as of `euclio.solve`.

    Returns:
        The systems, each in its own plan space, next to the proven optima; those whose engine is not installed are
        inapplicable, and say so.

    Raises:
        InputError: an unknown solver, a solver of another family, an objective that the family or the instance does not
            have, or a bad value, which it names with its keyword.
    """
    given = given_instance(instance)
    asked = with_percentile(keywords)
    with at("", given.file):
        target, _ = changed(given.family, given.instance, asked)
        demand = attainment_demand(given.family, asked, target)
        if solvers is not None and systems is not None:
            raise InputError("is a set of systems, and --solvers names them; leave one out", field="--systems")
        named = solvers is not None
        chosen = chosen_solvers(solvers, given.family) if named else systems_of(systems or USUAL, given.family)
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    proof_s = _certify_limit(either({"certify": certify, "certify_s": certify_s}, "certify", "certify_s"))
    with Supervised([target], chosen) if supervised else nullcontext() as other, at("", given.file):
        how, kept = _solving(demand, other, solving)
        return compare_instance(target, chosen, limit_s, objective, proof_s, how, kept)


def _solving(demand: Demand | None, other: Supervised | None, solving: Solving | None) -> tuple[Solving, str]:
    """What solves, and what it has all plans keep, in words."""
    if demand is None:
        return (solving or solve) if other is None else other.solve, ""
    if other is None:
        from euclio.serving.attainment.attaining import Fronts

        return Fronts(demand), demand.in_words()
    from euclio.serving.attainment.attaining import briefly

    return partial(other.solve_with, briefly, demand), demand.in_words()


def _certify_limit(given: Any) -> float | None:
    """The limit of the prover in seconds; None: it is not asked."""
    if given is None or given is False:
        return None
    return CERTIFY_S if given is True else float(read_if(seconds, given, "--certify"))


@verb(words.Attainment)
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
    """Split the gap of systems on instances into what design and heuristic give up, as `euclio decompose` does.

    Args:
        instances: one instance or many, all of one family; paths of their files, or of folders of files.
        solvers: as of `compare`; None: every registered heuristic, ablations included.
        time_limit_s: as `time_limit`.
        advance: called after each instance.
        solving: what solves, with the arguments of `euclio.solve`; None: `euclio.solve`.
        objective: name of the objective; None: the family's default.
        workloads: also so many protocol workloads (docs/glossary.md).
        seed: seed of the workloads; None: the protocol's.
        time_limit: limit of each run in seconds; None: none.
        supervised: make the runs in a process of their own, so that limits hold whatever a solver does.
        strict: refuse files with measured rows that are doubted, where there is a warning otherwise.
        **keywords: what plans of sessions keep under random arrivals, as of `euclio.solve`.

    Returns:
        One row per instance and system (`euclio.questions.comparison.decomposing.decompose`), with rate, SLO and
        tightness of sessions; `euclio.questions.comparison.decomposing.aggregate` sums it up per system.

    Raises:
        InputError: an unknown solver or objective, instances of different families, a file that cannot be read, or a
            bad value, which it names with its keyword.
    """
    from euclio.questions.comparison.decomposing import common_family
    from euclio.questions.comparison.decomposing import decompose as decompose_instances

    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    asked = several_instances(instances)
    if workloads is not None:
        asked += drawn_workloads(workloads, seed)
    elif seed is not None:
        raise InputError("is the seed of generated workloads; give --workloads N too, or leave it out", field="--seed")
    if not asked:
        return decompose_instances([], solvers)
    family = common_family(asked)
    kept = with_percentile(keywords)
    demand = attainment_demand(family, kept, *asked)
    asked = [changed(family, one, {"slo": kept.get("slo")})[0] for one in asked]
    chosen = chosen_solvers(solvers, family)
    with Supervised(asked, chosen) if supervised else nullcontext() as other:
        how, said = _solving(demand, other, solving)
        return decompose_instances(asked, chosen, limit_s, advance, how, objective, said)


def several_instances(given: Any) -> list[Any]:
    """The instances that are given: one or many, as objects, files, or folders of files in the order of names.

    Raises:
        InputError: a file cannot be read, or a folder has none.
    """
    listed = (
        [given] if isinstance(given, str | Path | GivenInstance) or not isinstance(given, Iterable) else list(given)
    )
    found: list[Any] = []
    for one in listed:
        if not isinstance(one, str | Path):
            found.append(one.instance if isinstance(one, GivenInstance) else one)
            continue
        path = Path(one)
        inside = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not inside:
            raise InputError("the folder has no file that ends in .json; name another one", file=str(path))
        found += [load_instance(file) for file in inside]
    return found


def drawn_workloads(number: Number, seed: Number | None = None) -> list[Any]:
    """Protocol workloads that every system has a plan for.

    Raises:
        InputError: a number or a seed that is none.
    """
    from euclio.workloads.kinds import find_kind

    protocol = find_kind(PROTOCOL)
    chosen = protocol.seed if seed is None else read_if(read_seed, seed, "--seed")
    size = read_if(count, number, "--workloads")
    with waiting("sampling workloads that every system has a plan for"):
        return list(protocol.draw({}, size, chosen))

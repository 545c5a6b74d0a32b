"""`euclio compare`: all systems and the optimum on one instance."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given, option_text
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.core.solver import SolverLike
from euclio.core.solving import solve
from euclio.core.tables import to_text
from euclio.core.values import read_if, seconds
from euclio.files.boundary import at
from euclio.files.json_writing import json_text
from euclio.files.result_files import stated
from euclio.questions.comparison.comparison import USUAL, Comparison, Solving, chosen_solvers, systems_of
from euclio.questions.comparison.comparison import compare as compare_instance
from euclio.questions.comparison.views import comparison_table
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.interface.family_keywords import CERTIFY_S, changed, either, time_limit_of
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.now import NOW, running
from euclio.verbs.interface.now import now as running_system
from euclio.verbs.interface.outputs import check_written, draw_answer
from euclio.verbs.interface.shared_parameters import (
    PLOT,
    POOL,
    SHARING,
    SOLVERS,
    STRICT,
    TIME_LIMIT,
    attainment,
    json_of,
    objectives,
    schemas,
)
from euclio.verbs.interface.shared_parameters import changes as instance_changes
from euclio.verbs.interface.supervised import Supervised
from euclio.verbs.interface.verb import verb

if TYPE_CHECKING:
    from euclio.serving.attainment.demand import Demand


def _proof_limit(given: Any) -> float | None:
    """The limit of the prover in seconds; None disables it."""
    if given is None or given is False:
        return None
    return CERTIFY_S if given is True else float(seconds(given))


@verb(
    SOLVERS,
    Parameter("--systems", parse=as_given, metavar="SET"),
    instance_changes(),
    attainment(),
    STRICT,
    Parameter("--objective", parse=as_given, metavar="NAME", help=lambda: f"{objectives()}; default: the first"),
    TIME_LIMIT,
    Parameter("--certify", parse=_proof_limit, metavar="S", details={"nargs": "?", "const": CERTIFY_S}),
    *running("--now"),
    typed=words.CompareKeywords,
)
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
    now: Mapping[str, Number] | str | None = None,
    batch: Number | Mapping[str, Number | str] | str | None = None,
    supervised: bool = False,
    **keywords: Unpack[words.CompareKeywords],
) -> Comparison:
    """Run systems and the family's exact solver on one instance, as `euclio compare` does.

    Args:
        instance: an instance of any family, or the path of its file; of several sessions the one in which they share
            their machines.
        solvers: names separated by commas, or FILE.py:FUNCTION; None means those of `systems`. In Python also solvers
            and functions.
        time_limit_s: as `time_limit`.
        objective: name of the objective; None means the family's default.
        certify_s: as `certify`.
        solving: a function with the arguments of `euclio.solve`; None means `euclio.solve`.
        systems: "planner": the cheapest plan, whole machines, and rules used in practice (other families: every
            system); "papers": every registered system of the family, ablations included; None means "planner".
        time_limit: limit of each run in seconds, as for solve; None means no limit.
        certify: limit in seconds of an independent prover for each proof, 60 without a number; None means no prover.
        now: machines of a session that run already, as a system "now": detect:L4=3,embed:A10G=2; None means none.
        batch: their batch, or batches by module such as detect=8,embed=4 (8x2: two at a time); None means the only one
            of the profile.
        supervised: make the runs in a process of their own, which enforces limits on any solver.
        **keywords: changes of a session, and an attainment under random arrivals, as of `euclio.solve`.

    Returns:
        The systems, each in its own plan space, next to the proven optima. Systems whose engine is missing are
        inapplicable.

    Raises:
        InputError: an unknown solver, a solver of another family, an objective that the family or the instance does not
            have, or a bad value, named with its keyword.
    """
    given = given_instance(instance)
    asked = with_percentile(keywords)
    with at("", given.file):
        target, _ = changed(given.family, given.instance, asked)
        demand = attainment_demand(given.family, asked, target)
        if solvers is not None and systems is not None:
            raise InputError(
                f"is a set of systems, and {option_text('--solvers')} names them; leave one out", field="--systems"
            )
        named = solvers is not None
        chosen = chosen_solvers(solvers, given.family) if named else systems_of(systems or USUAL, given.family)
        own = running_system(given.family, target, now, batch, "--now")
        chosen += [] if own is None else [own]
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    proof_s = either({"certify": certify, "certify_s": certify_s}, "certify", "certify_s")
    with Supervised([target], chosen) if supervised else nullcontext() as other, at("", given.file):
        how, kept = solving_of(demand, other, solving)
        return compare_instance(
            target, chosen, limit_s, objective, read_if(_proof_limit, proof_s, "--certify"), how, kept
        )


def solving_of(demand: Demand | None, other: Supervised | None, solving: Solving | None) -> tuple[Solving, str]:
    """The solving function of `compare` and `decompose`, and the demand on all plans, in words."""
    if demand is None:
        return (solving or solve) if other is None else other.solve, ""
    if other is None:
        from euclio.serving.attainment.attaining import Fronts

        return Fronts(demand), demand.in_words()
    from euclio.serving.attainment.attaining import briefly

    return partial(other.solve_with, briefly, demand), demand.in_words()


@command(
    compare,
    Parameter("file", help=lambda: f"instance (JSON, {schemas()}); {SHARING}", metavar="FILE", details=POOL),
    PLOT,
    json_of("the comparison"),
    about="Value, gap, the share of the gap due to design, and time of every system.",
    first=("--slo", "--rate", "--stock", "--solvers", "--now", "--batch", "--plot"),
    research=("--certify", "--objective"),
    exits="0 some system has a plan, 1 a proof is refuted, 3 infeasible, 4 no plan",
    examples=(
        "euclio compare session.json",
        "euclio compare session.json --solvers harpagon,nexus --plot gaps.svg",
        "euclio compare session.json --now detect:V100=1,classify:V100=2",
    ),
)
def print_comparison(arguments: Namespace) -> int:
    """Compare, print, plot."""
    keywords = arguments.keywords
    check_written(arguments, (), [arguments.file], figures=["plot"], solvers=keywords.get("solvers", ()))
    given = given_instance(arguments.file)
    comparison = compare(given, supervised=True, **keywords)
    why = _why_infeasible(comparison, keywords.get("time_limit"))
    _, changes = changed(given.family, given.instance, arguments.shared)
    if arguments.json:
        print(json_text({**comparison.describe(), **stated(changes)}))
    else:
        print(to_text(comparison_table(comparison)))
        if "solvers" not in keywords and len(comparison.rows) <= len(given.family.usual):
            print(*(f"{row.solver.label}: {row.solver.summary}" for row in comparison.rows), sep="\n")
        if changes is not None:
            print(f"with {changes.in_words()}")
        _print_now(comparison)
    draw_answer({arguments.plot: partial(late("euclio.questions.comparison.figures", "draw_comparison"), comparison)})
    if _say_refuted(comparison, arguments.file):
        return REFUSED
    if why is not None:
        say(f"{arguments.file}: infeasible: {why}")
        return INFEASIBLE
    if any(row.result.value is not None for row in comparison.rows):
        return SOLVED
    say(f"{arguments.file}: no system found a plan")
    return NO_PLAN


def _print_now(comparison: Comparison) -> None:
    """A line on the machines that run now, whose plan may be refused and has no row of numbers then."""
    for row in comparison.rows:
        priced = row.result.evaluation
        if row.solver.name == NOW and priced is not None:
            said = family_of(comparison.instance).summary(comparison.instance, row.result.space, priced)
            print(f"{NOW}: {'; '.join((said, *priced.violations))}")


def _say_refuted(comparison: Comparison, file: str) -> bool:
    """Say which proofs were refuted; False without any."""
    refuted = [found for found in comparison.certificates if found.verdict is Verdict.REFUTED]
    for found in refuted:
        say(f"{file}: REFUTED: {found.solver}: {found.claim}: {found.reason}")
    return bool(refuted)


def _why_infeasible(comparison: Comparison, limit_s: float | None) -> str | None:
    """Why no system has a plan; None if one has, or if the reason is unknown."""
    best, instance = comparison.best, comparison.instance
    if best is None or best.status is not Status.INFEASIBLE:
        return None
    if any(row.result.value is not None for row in comparison.rows):
        return None
    with Supervised([instance]) as supervised:
        return supervised.why_infeasible(family_of(instance), instance, best, limit_s)

"""The contract: tries a solver in processes of its own and judges every claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from euclio.contract import claims
from euclio.contract.evidence import CheckedRun, Described, Ending, Evidence, Observation, References, checked_run
from euclio.contract.findings import Finding, Judgement, Report, Verdict
from euclio.contract.process import SOFT_LIMITS, SolverEndedError, SolverProcess
from euclio.core.families import find_family
from euclio.core.own_solver import name_elsewhere
from euclio.core.progress import counted_bar, say
from euclio.core.solver import SolverLike
from euclio.core.system import HARD_LIMITS, soft
from euclio.core.trials import Purpose, Trial, trials_for

SAMPLES = 12
"""Small instances, by default."""
LARGE_TRIES = 3
"""Runs of the large instance; the quickest counts, as other work may slow one down."""
CLAIMS: dict[str, Callable[[Evidence], Judgement]] = {
    "ends": claims.ends,
    "finds": claims.finds,
    "accepted": claims.accepted,
    "plan-space": claims.plan_space,
    "claim": claims.claimed,
    "optimum": claims.optimum,
    "bound": claims.bound,
    "honest": claims.honest,
    "infeasible": claims.infeasible,
    "repeatable": claims.repeatable,
    "fresh": claims.fresh,
    "instance": claims.instance,
    "time-limit": claims.time_limit,
    "silent": claims.silent,
    "surroundings": claims.surroundings,
    "scaled": claims.scaled,
    "permuted": claims.permuted,
}
"""Claims by name: each judges the evidence; the first line of its docstring states the promise."""


def check_solver(name: SolverLike, samples: int = SAMPLES, advance: Callable[[int], None] | None = None) -> Report:
    """Try a solver and judge every claim.

    The solver runs in processes of its own, so that a crash or a hang is a finding too. Where the system has no hard
    limits (`euclio.core.system`), it runs in this process, and a message says so.

    Args:
        name: name of a registered solver, or ``path/to/file.py:function``; or a function of a file that is imported.
        samples: number of small instances.
        advance: called after each trial with the number of all of them.

    Returns:
        One finding per claim.

    Raises:
        InputError: there is no such solver, or a function that no file has.
    """
    with counted_bar("trials") as count:

        def one_more(total: int) -> None:
            count(total)
            if advance is not None:
                advance(total)

        return _checked(name_elsewhere(name), samples, one_more)


def _checked(name: str, samples: int, advance: Callable[[int], None]) -> Report:
    """As `check_solver`."""
    try:
        process = _tried(name)
    except SolverEndedError as error:
        finding = Finding("loads", "Can be loaded.", Verdict.BROKEN, " ".join(str(error).split()))
        return Report(name, "", "", (finding,))
    with process:
        solver = process.solver
        trials = trials_for(find_family(solver.family), solver.space, samples)
        seen = _observe(process, trials, False, advance)
    with _tried(name, hash_seed=1) as process:
        seen |= _observe(process, trials, True, advance)
    return judge(solver, [(trial, seen[k]) for k, trial in enumerate(trials)])


def _tried(name: str, hash_seed: int = 0) -> SolverProcess:
    """A solver to be tried; it has its own process where the system can end one from outside."""
    if not HARD_LIMITS and not hash_seed:  # the first of the two
        say(soft(SOFT_LIMITS))
    return SolverProcess(name, hash_seed)


def _observe(
    process: SolverProcess, trials: list[Trial], fresh: bool, advance: Callable[[int], None]
) -> dict[int, Observation]:
    """Observations by place: of the trials that need a fresh process, or of all others."""
    seen: dict[int, Observation] = {}
    for k, trial in enumerate(trials):
        if (trial.purpose is Purpose.FRESH) is fresh:
            seen[k] = _quickest(process, trial) if trial.purpose is Purpose.LARGE else process.observe(trial)
            advance(len(trials))
    return seen


def _quickest(process: SolverProcess, trial: Trial) -> Observation:
    """The quickest of some runs; later runs are made only while all are over the limit."""
    assert trial.limits.time_limit_s is not None
    limit = trial.limits.time_limit_s + claims.GRACE_S
    best = process.observe(trial)
    for _ in range(LARGE_TRIES - 1):
        if best.ending is not Ending.ANSWERED or best.took_s <= limit:
            break
        best = min(best, process.observe(trial), key=lambda seen: seen.took_s)
    return best


def judge(solver: Described, seen: Sequence[tuple[Trial, Observation]]) -> Report:
    """Check the observations of a solver, and judge every claim."""
    family = find_family(solver.family)
    references = References(family, solver.name)
    runs: list[CheckedRun] = []
    for trial, observation in seen:
        optimum = references.optimum(trial, observation.space)
        runs.append(checked_run(family, trial, observation, optimum))
    evidence = Evidence(solver, family, tuple(runs))
    findings = []
    for name, judge_claim in CLAIMS.items():
        judgement, promised = judge_claim(evidence), (judge_claim.__doc__ or "").splitlines()[0]
        findings.append(Finding(name, promised, judgement.verdict, " ".join(judgement.evidence.split())))
    return Report(solver.name, solver.kind, solver.version, tuple(findings))

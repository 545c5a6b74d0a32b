"""Solvers from a file, most of them bad in one way each: what the contract has to find out about."""

import contextlib
import ctypes
import math
import os
import random
import subprocess
import time
from dataclasses import replace

from euclio import evaluate
from euclio.core.result import Answer
from euclio.problems.session import FULL_SPACE, Allocation, ModulePlan, Plan, PlanSpace, Session

LARGE = 10
"""Modules from which on an instance is large."""


def good(session: Session, space: PlanSpace) -> Plan | None:
    """One configuration per module: the cheapest of batches up to a time, for the longest time that meets the SLO."""
    for most_s in sorted({c.duration_s for m in session.modules for c in m.profile}, reverse=True):
        modules = []
        for module in session.modules:
            allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
            fit = [c for c in allowed if c.duration_s <= most_s]
            if not fit:
                return None
            best = min(fit, key=lambda c: session.price[c.hardware] / c.throughput_rps)
            whole, rest = divmod(module.rate_rps, best.throughput_rps)
            modules.append(ModulePlan((Allocation(best, int(whole), rest),)))
        if evaluate(session, Plan(tuple(modules)), space).feasible:
            return Plan(tuple(modules))
    return None


def priced(session, space):
    """The good plan and its cost."""
    plan = good(session, space)
    return plan, None if plan is None else float(evaluate(session, plan, space).cost_per_h)


def mutates(session, space):
    object.__setattr__(session.modules[0], "rate_rps", session.modules[0].rate_rps / 2)
    return None


def claims_nan(session, space):
    return Answer(good(session, space), "done", claimed=math.nan)


def claims_less(session, space):
    plan, cost = priced(session, space)
    return Answer(plan, "done", claimed=None if cost is None else 0.9 * cost)


def claims_optimal(session, space):
    return Answer(good(session, space), "optimal")


def bounds_too_high(session, space):
    plan, cost = priced(session, space)
    return Answer(plan, "done", bound=cost)


def bounds_infinity(session, space):
    return Answer(good(session, space), "done", bound=math.inf)


def gives_infeasible_plan(session, space):
    modules = []
    for module in session.modules:
        slowest = max(module.profile, key=lambda c: c.duration_s)
        whole, rest = divmod(module.rate_rps, slowest.throughput_rps)
        modules.append(ModulePlan((Allocation(slowest, int(whole), rest),)))
    return Plan(tuple(modules))


def gives_half_a_plan(session, space):
    plan = good(session, space)
    return None if plan is None else Plan((None,) * len(plan.modules))


def ignores_the_plan_space(session, space):
    return good(session, FULL_SPACE)


def says_infeasible_with_a_plan(session, space):
    return Answer(good(session, space), "gave up", infeasible=True)


def proves_infeasible(session, space):
    plan, cost = priced(session, space)
    if len(session.modules) > 1:
        return Answer(None, "infeasible", infeasible=True)
    return Answer(plan, "done", bound=None if cost is None else cost / 10)


def finds_nothing(session):
    return None


def is_random(session):
    """Forgets the seed that it is given."""
    return Answer(None, "gave up", claimed=random.Random().random())


def goes_by_hashes(session):
    """Gives another answer in every process that hashes text in another way."""
    return Answer(None, "gave up", claimed=float(hash(session.name) % 1000))


def prints(session):
    print("hello")


def prints_in_c(session):
    os.write(1, b"hello from below")


def takes_too_long(session):
    if len(session.modules) >= LARGE:
        time.sleep(1.8)


def hangs(session):
    while len(session.modules) >= LARGE:
        time.sleep(1)


def changes_folder(session):
    os.chdir("/tmp")


def draws_from_the_global_stream(session):
    random.random()


def leaves_a_child(session):
    subprocess.Popen(["sleep", "60"])


def raises(session):
    raise ZeroDivisionError("division by zero")


def crashes(session):
    ctypes.string_at(0)


def writes_junk(session):
    for descriptor in range(3, 1024):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\x00\x00\x10\x00junk")
    while True:
        time.sleep(1)


def returns_nonsense(session):
    return {"machines": 3}


def answers_with_code(session):
    return Answer(None, "done", stats=lambda: 0)


def goes_by_names(session, space):
    """Calls a plan optimal, with other batches where the first module is called so."""
    plan, cost = priced(session, replace(space, batching=not session.modules[0].name.startswith("renamed")))
    return Answer(plan, "optimal", bound=cost)


def goes_by_price(session, space):
    """Calls a plan optimal, with other batches where hardware costs more than 1."""
    plan, cost = priced(session, replace(space, batching=session.hardware[0].price_per_h <= 1))
    return Answer(plan, "optimal", bound=cost)

"""How requests pass from module to module: fan-out, joins, holding, delays, objectives (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.batches import answer, free_invocation, let_go, lose, measure, new_invocation
from euclio.serving.session.engine.dispatch import deal
from euclio.serving.session.engine.tables import State, push


@compiled_on_tables
def end_invocation(s: State, invocation: int, module: int, machine: int, now: int) -> None:
    """End an invocation, with all consequences; one on a failed machine is lost."""
    if s.machine[machine, t.FAILED] == 1:
        lose(s, invocation, module, now)
        return
    request = s.invocation[invocation, t.REQUEST]
    free_invocation(s, invocation)
    if request == t.NONE:
        return
    s.module[module, t.ENDED] += 1
    s.passage[request, module, t.INVOCATIONS_LEFT] -= 1
    if s.request[request, t.IS_DROPPED] == 1:
        let_go(s, request)
        return
    s.request[request, t.OUTSTANDING] -= 1
    s.request[request, t.LAST_END] = now
    if s.passage[request, module, t.INVOCATIONS_LEFT] == 0:
        _end_module(s, request, module, now)


@compiled_on_tables
def _end_module(s: State, request: int, module: int, now: int) -> None:
    """All of a request's invocations of a module have ended."""
    measure(s, module, now - s.passage[request, module, t.READY_AT])
    s.passage[request, module, t.DONE_AT] = now
    _hold_against_objectives(s, request, module)
    if not _is_held(s, request, module, now):
        pass_on(s, request, module, now)


@compiled_on_tables
def _hold_against_objectives(s: State, request: int, module: int) -> None:
    """Count for each objective of a module whether a request that has done its work there keeps it."""
    for k in range(s.objective.shape[0]):
        if s.objective[k, t.OBJECTIVE_MODULE] == module:
            latency = s.passage[request, module, t.DONE_AT] - s.request[request, t.ARRIVED]
            measure(s, s.module.shape[0] + 1 + k, latency)
            if latency <= s.objective[k, t.LIMIT]:
                s.objective[k, t.KEPT] += 1
            else:
                s.request[request, t.IS_LATE] = 1


@compiled_on_tables
def _is_held(s: State, request: int, module: int, now: int) -> bool:
    """Whether a module hands a request on later only, which it then announces."""
    release = s.passage[request, module, t.READY_AT] + s.module[module, t.HOLD]
    if s.number[t.HOLDS] == 0 or release <= now or s.module[module, t.CHILD_COUNT] == 0:
        return False
    modules = s.module.shape[0]
    # Of announcements at one time the earlier request comes first, and of one request the earlier module.
    push(s, release, t.RELEASE, s.request[request, t.NUMBER] * modules + module, request * modules + module)
    s.request[request, t.OUTSTANDING] += 1
    return True


@compiled_on_tables
def release(s: State, payload: int, now: int) -> None:
    """Hand on a request that a module has held."""
    modules = s.module.shape[0]
    request, module = payload // modules, payload % modules
    if s.request[request, t.IS_DROPPED] == 1:
        let_go(s, request)
        return
    s.request[request, t.OUTSTANDING] -= 1
    pass_on(s, request, module, now)


@compiled_on_tables
def pass_on(s: State, request: int, module: int, now: int) -> None:
    """Tell the modules behind one that it has done its work for a request; answer the request after the last."""
    s.request[request, t.MODULES_LEFT] -= 1
    if s.request[request, t.MODULES_LEFT] == 0:
        answer(s, request, now)
        return
    lowest, highest = _tell_children(s, request, module, now)
    # The modules behind may have been passed at once, down to the last one.
    _enter_modules(s, request, lowest, highest, now)


@compiled_on_tables
def _tell_children(s: State, request: int, module: int, now: int) -> tuple[int, int]:
    """Count down the parents of the modules behind one, through modules that the request does not invoke.

    Events reach modules behind delays later.

    Returns:
        The lowest and the highest number of a module that was reached and not passed; the lowest is higher if none was.
    """
    lowest, highest = s.module.shape[0], -1
    s.stack[0], depth = module, 1
    while depth > 0:
        depth -= 1
        here = s.stack[depth]
        first = s.module[here, t.CHILD_FIRST]
        for k in range(first, first + s.module[here, t.CHILD_COUNT]):
            child = s.child[k]
            passed, done = now + s.delay[k], s.passage[request, here, t.DONE_AT]
            s.passage[request, child, t.READY_AT] = max(s.passage[request, child, t.READY_AT], passed)
            s.passage[request, child, t.DONE_AT] = max(s.passage[request, child, t.DONE_AT], done)
            s.passage[request, child, t.PARENTS_LEFT] -= 1
            if s.passage[request, child, t.PARENTS_LEFT] > 0:
                continue
            if s.passage[request, child, t.READY_AT] > now:
                _announce(s, request, child)
            elif _passes_at_once(s, request, child, now):
                s.stack[depth] = child
                depth += 1
            else:
                lowest, highest = min(lowest, child), max(highest, child)
    return lowest, highest


@compiled_on_tables
def _announce(s: State, request: int, module: int) -> None:
    """Let a request reach a module when the last delay on the way there is over."""
    modules = s.module.shape[0]
    identity = s.request[request, t.NUMBER] * modules + module
    push(s, s.passage[request, module, t.READY_AT], t.REACH, identity, request * modules + module)
    s.request[request, t.OUTSTANDING] += 1


@compiled_on_tables
def reach(s: State, payload: int, now: int) -> None:
    """A request reaches a module behind a delay."""
    modules = s.module.shape[0]
    request, module = payload // modules, payload % modules
    if s.request[request, t.IS_DROPPED] == 1:
        # Its invocations are not dealt out yet, and never will be.
        s.number[t.COMMITTED] -= s.passage[request, module, t.COUNT]
        let_go(s, request)
        return
    s.request[request, t.OUTSTANDING] -= 1
    lowest, highest = module, module
    if _passes_at_once(s, request, module, now):
        lowest, highest = _tell_children(s, request, module, now)
    _enter_modules(s, request, lowest, highest, now)


@compiled_on_tables
def _passes_at_once(s: State, request: int, module: int, now: int) -> bool:
    """Let a request reach a module; returns whether it passes at once: it neither invokes the module nor is held there.

    Invocations are marked as ready, and dealt out later, in the order of the session's modules. All of them are
    outstanding from now on, so that a request that is dropped on the way is not forgotten.
    """
    count = s.passage[request, module, t.COUNT]
    s.passage[request, module, t.READY_AT] = now
    if count > 0:
        s.passage[request, module, t.INVOCATIONS_LEFT] = -count
        s.request[request, t.OUTSTANDING] += count
        return False
    _hold_against_objectives(s, request, module)
    if _is_held(s, request, module, now):
        return False
    s.request[request, t.MODULES_LEFT] -= 1
    return True


@compiled_on_tables
def enter_first_modules(s: State, request: int, now: int) -> None:
    """Deal out the invocations of a request that arrives."""
    lowest, highest = s.module.shape[0], -1
    for module in range(s.module.shape[0]):
        if s.module[module, t.PARENTS] > 0 or s.passage[request, module, t.COUNT] == t.ELSEWHERE:
            continue
        below, above = module, module
        if _passes_at_once(s, request, module, now):
            below, above = _tell_children(s, request, module, now)
        lowest, highest = min(lowest, below), max(highest, above)
    _enter_modules(s, request, lowest, highest, now)


@compiled_on_tables
def _enter_modules(s: State, request: int, lowest: int, highest: int, now: int) -> None:
    """Deal out a request's invocations of all modules in a range that are marked as ready; answer it after the last."""
    if s.request[request, t.MODULES_LEFT] == 0:
        answer(s, request, now)
        return
    for module in range(lowest, highest + 1):
        if s.passage[request, module, t.INVOCATIONS_LEFT] >= 0:
            continue
        count = s.passage[request, module, t.COUNT]
        s.passage[request, module, t.INVOCATIONS_LEFT] = count
        s.module[module, t.READY] += count
        for _ in range(count):
            invocation = new_invocation(s)
            s.invocation[invocation, t.REQUEST], s.invocation[invocation, t.BECAME_READY] = request, now
            deal(s, module, invocation, now)

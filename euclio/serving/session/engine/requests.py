"""Requests in flight: how they end, and what is measured of them (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.histogram import bin_of
from euclio.serving.session.engine.heap import push
from euclio.serving.session.engine.tables import (
    ANSWER_ARRIVED,
    ANSWER_FINISHED,
    ANSWER_NUMBER,
    ANSWERED,
    ARRIVAL,
    ARRIVED,
    CLOSED_LOOP,
    COMMITTED,
    COUNT,
    DROPPED,
    FREE_REQUEST,
    IS_DROPPED,
    LAST_END,
    LATE,
    NONE,
    NUMBER,
    OUTSTANDING,
    PARENTS_LEFT,
    REQUESTS_IN_FLIGHT,
    REQUESTS_LOGGED,
    SLO,
    TICKS_PER_NS,
    UNTIL_ARRIVALS,
    WINDOW,
    WINDOW_ATTAINED,
    State,
)


@compiled_on_tables
def measure(s: State, row: int, latency: int) -> None:
    """Count a latency in the histogram of a module, or in the last one, of requests."""
    # Most clocks tick nanoseconds, and dividing takes its time.
    latency_ns = latency // s.number[TICKS_PER_NS] if s.number[TICKS_PER_NS] > 1 else latency
    place, exponent = bin_of(latency_ns, s.guess[row])
    s.guess[row] = exponent
    s.histogram[row, place] += 1
    s.total[row] += latency
    if latency > s.largest[row]:
        s.largest[row] = latency


@compiled_on_tables
def answer(s: State, request: int, now: int) -> None:
    """End a request all of whose work is done, which it was when its last invocation ended."""
    latency = s.request[request, LAST_END] - s.request[request, ARRIVED]
    measure(s, s.module.shape[0], latency)
    s.number[ANSWERED] += 1
    if latency > s.number[SLO]:
        s.number[LATE] += 1
    elif s.number[WINDOW] > 0:
        s.window[s.request[request, ARRIVED] // s.number[WINDOW], WINDOW_ATTAINED] += 1
    _log(s, request, s.request[request, LAST_END])
    _next_of_client(s, now)
    _free(s, request)


@compiled_on_tables
def drop(s: State, request: int, now: int) -> None:
    """Mark a request as dropped, the first time one of its invocations is."""
    if s.request[request, IS_DROPPED] == 0:
        s.request[request, IS_DROPPED] = 1
        s.number[DROPPED] += 1
        for module in range(s.module.shape[0]):
            # What it has not been given yet, it will not be.
            if s.passage[request, module, PARENTS_LEFT] > 0:
                s.number[COMMITTED] -= s.passage[request, module, COUNT]
        _log(s, request, NONE)
        _next_of_client(s, now)


@compiled_on_tables
def let_go(s: State, request: int) -> None:
    """Take away one of the things that a request has under way; a dropped one is forgotten after the last."""
    s.request[request, OUTSTANDING] -= 1
    if s.request[request, IS_DROPPED] == 1 and s.request[request, OUTSTANDING] == 0:
        _free(s, request)


@compiled_on_tables
def _log(s: State, request: int, finished: int) -> None:
    place = s.number[REQUESTS_LOGGED]
    if place < s.answers.shape[0]:
        s.answers[place, ANSWER_NUMBER] = s.request[request, NUMBER]
        s.answers[place, ANSWER_ARRIVED] = s.request[request, ARRIVED]
        s.answers[place, ANSWER_FINISHED] = finished
        s.number[REQUESTS_LOGGED] = place + 1


@compiled_on_tables
def _next_of_client(s: State, now: int) -> None:
    if s.number[CLOSED_LOOP] == 1 and now < s.number[UNTIL_ARRIVALS]:
        push(s, now, ARRIVAL, 0, 0)


@compiled_on_tables
def _free(s: State, request: int) -> None:
    s.number[REQUESTS_IN_FLIGHT] -= 1
    s.request[request, NUMBER] = s.number[FREE_REQUEST]
    s.number[FREE_REQUEST] = request

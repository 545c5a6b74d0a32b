"""The events to come, as a binary heap in a table (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine.tables import EVENTS, KIND_SHIFT, ORDER, PAYLOAD, TIME, State


@compiled_on_tables
def push(s: State, time: int, kind: int, identity: int, payload: int) -> None:
    """Add an event; at equal times the kind decides which comes first, then the identity."""
    # Kind and identity are one number, so that a tie takes one comparison.
    order = (kind << KIND_SHIFT) | identity
    place = s.number[EVENTS]
    s.number[EVENTS] = place + 1
    # Events above that come later move down; the new one is written once, where it stays.
    while place > 0:
        above = (place - 1) >> 1
        if s.event[above, TIME] < time or (s.event[above, TIME] == time and s.event[above, ORDER] < order):
            break
        s.event[place, TIME] = s.event[above, TIME]
        s.event[place, ORDER] = s.event[above, ORDER]
        s.event[place, PAYLOAD] = s.event[above, PAYLOAD]
        place = above
    s.event[place, TIME], s.event[place, ORDER], s.event[place, PAYLOAD] = time, order, payload


@compiled_on_tables
def pop(s: State) -> None:
    """Take the first event off the heap."""
    size = s.number[EVENTS] - 1
    s.number[EVENTS] = size
    if size == 0:
        return
    # The last event is to fill the gap at the top, from where it sinks.
    time, order, payload = s.event[size, TIME], s.event[size, ORDER], s.event[size, PAYLOAD]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        right = below + 1
        if right < size and (
            s.event[right, TIME] < s.event[below, TIME]
            or (s.event[right, TIME] == s.event[below, TIME] and s.event[right, ORDER] < s.event[below, ORDER])
        ):
            below = right
        if time < s.event[below, TIME] or (time == s.event[below, TIME] and order < s.event[below, ORDER]):
            break
        s.event[place, TIME] = s.event[below, TIME]
        s.event[place, ORDER] = s.event[below, ORDER]
        s.event[place, PAYLOAD] = s.event[below, PAYLOAD]
        place = below
    s.event[place, TIME], s.event[place, ORDER], s.event[place, PAYLOAD] = time, order, payload

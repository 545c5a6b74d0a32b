"""Flat float arrays of a session within a plan space, for compiled solvers.

The checker does not use them. Solvers that use them work in floating point and return their plan with `to_plan`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.tolerances import TIE
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies.kernels import code_of, policy_code, policy_of
from euclio.problems.session.space import PlanSpace

UNLIMITED = 1 << 30

FLOATS_COUNT = 1 << 53
"""Floats represent every whole number up to this one."""
SPLITTER = 134217729.0
"""2²⁷ + 1, the factor that splits a float into halves."""

ZERO = Fraction(0)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SessionArrays(NamedTuple):
    """A session as arrays; configurations of all modules one after the other, each module's in rank order.

    Compiled functions pass them on by value, field by field, so each further field costs time at each call.

    Attributes:
        first: index of each module's first configuration, then the total, shape (modules + 1,).
        batch: b, shape (configurations,), like the next ones.
        duration: d in seconds.
        throughput: t = b·e/d in requests per second, the nearest float.
        price: unit price p per hour.
        unit_cost: p/t, money per hour per request per second.
        same_ratio: whether the throughput-cost ratio equals that of the configuration before it.
        profile_index: index in the module's profile.
        rate: request rate of each module, the nearest float, shape (modules,).
        low: what the throughputs, and after them the rates, have beyond their floats. Both together have twice as many
            digits. Shape (configurations + modules,).
        order: modules, parents before children.
        parent_first: start of each module's parents in `parent`, shape (modules + 1,).
        parent: parents, one module's after the other's.
        delay: seconds between the end of each of `parent` and the start of its child.
        child_first: start of each module's children in `child`, shape (modules + 1,).
        child: children.
        end: the part of the SLO that every path that ends with a module has to leave, in seconds, shape (modules,).
            -inf means that the module has children and no objective of its own.
        slo: latency objective in seconds, the longest one.
        policy: dispatch policy as a code (`policy_code`).
        dummies: whether plans may have dummies.
        max_allocations: most allocations per module.
        whole: whether machines are charged whole.
        countable: whether a module has finitely many plans (`DummyRule.countable`); otherwise any dummy rate is
            allowed.
    """

    first: Ints
    batch: Floats
    duration: Floats
    throughput: Floats
    price: Floats
    unit_cost: Floats
    same_ratio: NDArray[np.bool_]
    profile_index: Ints
    rate: Floats
    low: Floats
    order: Ints
    parent_first: Ints
    parent: Ints
    delay: Floats
    child_first: Ints
    child: Ints
    end: Floats
    slo: float
    policy: int
    dummies: bool
    max_allocations: int
    whole: bool
    countable: bool

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process the policy has another address."""
        plain = self._asdict()
        return _restored, ({**plain, "policy": policy_of(self.policy)},)


def _restored(fields: dict[str, Any]) -> SessionArrays:
    return SessionArrays(**{**fields, "policy": code_of(fields["policy"])})


class _Profile(NamedTuple):
    """One profile in rank order, before a plan space narrows it."""

    columns: Floats
    """Rows batch, concurrency, duration, throughput, price, unit cost, low part of the throughput."""
    same_ratio: NDArray[np.bool_]
    profile_index: Ints
    hardware: tuple[str, ...]


_profiles: dict[tuple[int, tuple[tuple[str, Fraction], ...]], tuple[tuple[Configuration, ...], _Profile]] = {}
_PROFILES_KEPT = 4096


_kept: dict[int, tuple[weakref.ref[Session], dict[object, SessionArrays]]] = {}


def arrays_kept(session: Session) -> dict[object, SessionArrays]:
    """The arrays that have been made of a session, by their purpose; they live as long as the session.

    They are kept by identity, because hashing or comparing a session reads all of its numbers.
    """
    key = id(session)
    entry = _kept.get(key)
    if entry is None:
        # No Python function here: an interrupt within one would be lost. The reference serves as the default.
        entry = _kept[key] = weakref.ref(session, partial(_kept.pop, key)), {}
    return entry[1]


def session_arrays(session: Session, space: PlanSpace) -> SessionArrays:
    """The arrays of a session within a plan space; made once per session and space.

    A module without an allowed configuration has no entries (`first[m] == first[m + 1]`).
    """
    kept = arrays_kept(session)
    known = kept.get(space)
    if known is None:
        # Plan spaces that allow the same configurations have the same arrays except for a few fields.
        allowed = space.hardware, space.batching, space.concurrency
        alike = kept.get(allowed)
        if alike is None:
            alike = kept[allowed] = _build(session, space)
        known = kept[space] = alike._replace(**_rules(space))
    return known


def _rules(space: PlanSpace) -> dict[str, Any]:
    """The fields of arrays that depend on a plan space, beyond the configurations that it allows."""
    return {
        "policy": policy_code(space.policy),
        "dummies": space.dummy.adds,
        "max_allocations": UNLIMITED if space.max_allocations is None else space.max_allocations,
        "whole": space.charging.whole,
        "countable": space.dummy.countable,
    }


def _build(session: Session, space: PlanSpace) -> SessionArrays:
    prices = tuple((h.name, h.price_per_h) for h in session.hardware)
    parts = [_narrow(_ranked_profile(module, prices), space) for module in session.modules]
    # Narrowed columns may come transposed, and rows that are not contiguous would be compiled for once more.
    columns = np.ascontiguousarray(np.concatenate([p.columns for p in parts], axis=1))
    parents = session.parents()
    children: list[list[int]] = [[] for _ in parents]
    for i, ps in enumerate(parents):
        for p in ps:
            children[p].append(i)
    rates, low_rates = _highs_and_lows(*zip(*[m.rate_rps.as_integer_ratio() for m in session.modules], strict=True))
    parent_first, parent = _rows(parents)
    child_first, child = _rows(children)
    return SessionArrays(
        first=_starts([p.profile_index.size for p in parts]),
        batch=columns[0],
        duration=columns[2],
        throughput=columns[3],
        price=columns[4],
        unit_cost=columns[5],
        same_ratio=np.concatenate([p.same_ratio for p in parts]),
        profile_index=np.concatenate([p.profile_index for p in parts]),
        rate=rates,
        low=np.concatenate((columns[6], low_rates)),
        order=np.array(session.order, dtype=np.int64),
        parent_first=parent_first,
        parent=parent,
        delay=np.array([float(session.delay_between(p, m)) for m, own in enumerate(parents) for p in own])
        if session.delay_s
        else np.zeros(parent.size),
        child_first=child_first,
        child=child,
        end=np.array([-np.inf if end is None else float(end) for end in session.ends()]),
        slo=float(session.slo_s),
        **_rules(space),
    )


def _highs_and_lows(numerators: Sequence[int], denominators: Sequence[int]) -> tuple[Floats, Floats]:
    """The nearest floats of positive fractions, and the nearest floats of their remainders, shape (fractions,) each."""
    if max(numerators) >= FLOATS_COUNT or max(denominators) >= FLOATS_COUNT:
        highs, lows = zip(*map(_high_and_low, numerators, denominators), strict=True)
        # Columns of one array would not be contiguous, and every search would be compiled for them again: minutes.
        return np.array(highs), np.array(lows)
    numerator, denominator = np.array(numerators, dtype=np.float64), np.array(denominators, dtype=np.float64)
    high = numerator / denominator
    # Dekker's product: the rounding error of a product, by halves of the factors, whose own products are exact.
    product = high * denominator
    (front, back), (top, end) = _halves(high), _halves(denominator)
    lacking = ((front * top - product) + front * end + back * top) + back * end
    # The remainder of a division is exactly a float, and so are both differences on the way to it.
    return high, ((numerator - product) - lacking) / denominator


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Each number as the sum of two numbers of at most 26 digits (Veltkamp)."""
    much = values * SPLITTER
    front = much - (much - values)
    return front, values - front


def _high_and_low(numerator: int, denominator: int) -> tuple[float, float]:
    """The nearest float, and the nearest float of the remainder."""
    high = numerator / denominator
    above, below = high.as_integer_ratio()
    left = numerator * below - above * denominator
    return high, left / (denominator * below) if left else 0.0


def _rows(lists: tuple[tuple[int, ...], ...] | list[list[int]]) -> tuple[Ints, Ints]:
    return _starts([len(row) for row in lists]), np.array([i for row in lists for i in row], dtype=np.int64)


def _starts(sizes: list[int]) -> Ints:
    """The start of each of some consecutive rows, then the total."""
    # For so few numbers numpy takes three times as long.
    return np.array([*accumulate(sizes, initial=0)], dtype=np.int64)


def _narrow(profile: _Profile, space: PlanSpace) -> _Profile:
    if space.hardware is None and space.batching and space.concurrency:
        return profile
    batch, concurrency = profile.columns[0], profile.columns[1]
    keep = np.array(
        [space.allows(h, int(b), int(e)) for h, b, e in zip(profile.hardware, batch, concurrency, strict=True)],
        dtype=np.bool_,
    )
    kept = np.flatnonzero(keep)
    same = np.zeros(kept.size, dtype=np.bool_)
    group = np.cumsum(~profile.same_ratio)
    same[1:] = group[kept][1:] == group[kept][:-1]
    return _Profile(profile.columns[:, kept], same, profile.profile_index[kept], profile.hardware)


def _ranked_profile(module: Module, prices: tuple[tuple[str, Fraction], ...]) -> _Profile:
    """A profile in rank order; a profile object that modules share, as in generated workloads, is ranked once."""
    key = (id(module.profile), prices)
    entry = _profiles.get(key)
    if entry is None or entry[0] is not module.profile:
        if len(_profiles) >= _PROFILES_KEPT:
            _profiles.clear()
        entry = _profiles[key] = (module.profile, _rank(module.profile, dict(prices)))
    return entry[1]


def _rank(profile: tuple[Configuration, ...], price: dict[str, Fraction]) -> _Profile:
    """Sort by ratio in floats, then by fractions where floats cannot decide."""
    floats = {name: float(p) for name, p in price.items()}
    columns = np.empty((7, len(profile)))
    columns[0] = [c.batch for c in profile]
    columns[1] = [c.concurrency for c in profile]
    durations = [c.duration_s.as_integer_ratio() for c in profile]
    columns[2] = [n / d for n, d in durations]
    # Throughputs b·e/d from the durations' own numbers: a common factor does not change a quotient.
    columns[3], columns[6] = _highs_and_lows(
        [c.batch * c.concurrency * d for c, (_, d) in zip(profile, durations, strict=True)], [n for n, _ in durations]
    )
    columns[4] = [floats[c.hardware] for c in profile]
    columns[5] = columns[4] / columns[3]
    order = np.lexsort((columns[1], columns[0], columns[2], columns[5]))
    sorted_cost = columns[5][order]
    close = np.zeros(len(profile), dtype=np.bool_)
    close[1:] = sorted_cost[1:] - sorted_cost[:-1] <= TIE * sorted_cost[1:]
    if close.any():
        places, same = _settled(profile, price, order.tolist(), close.tolist())
        order = np.array(places)
    else:
        same = close
    ranks = order.tolist()
    return _Profile(
        columns.take(order, axis=1), same, order.astype(np.int64), tuple([profile[k].hardware for k in ranks])
    )


def _settled(
    profile: tuple[Configuration, ...], price: dict[str, Fraction], order: list[int], close: list[bool]
) -> tuple[list[int], NDArray[np.bool_]]:
    """Ranks by fractions within each run of configurations whose floats are too close to decide.

    Returns:
        The order, and whether each configuration has the ratio of the one before it.
    """
    settled: list[int] = []
    same = np.zeros(len(profile), dtype=np.bool_)
    starts = [i for i, tie in enumerate(close) if not tie]
    for first, last in pairwise([*starts, len(order)]):
        if last == first + 1:
            settled.append(order[first])
            continue
        keys = sorted(
            (price[(c := profile[k]).hardware] / c.throughput_rps, c.duration_s, c.batch, c.hardware, c.concurrency, k)
            for k in order[first:last]
        )
        settled += [key[-1] for key in keys]
        same[first + 1 : last] = [one[0] == other[0] for one, other in pairwise(keys)]
    return settled, same


def to_plan(session: Session, arrays: SessionArrays, machines: Ints, partial_at: Ints) -> Plan:
    """The plan with given counts of whole machines; partial and dummy rates are derived exactly.

    Args:
        session: the instance.
        arrays: its arrays.
        machines: whole machines per configuration, shape (configurations,).
        partial_at: per module the configuration of the partial machine, shape (modules,); -1 means none.
    """
    return Plan(tuple(module_plan(session, arrays, m, machines, partial_at[m]) for m in range(len(session.modules))))


def module_plan(session: Session, arrays: SessionArrays, m: int, machines: Ints, partial_at: int) -> ModulePlan:
    """The plan of module m with given counts of whole machines; partial and dummy rates are derived exactly.

    Args:
        session: the instance.
        arrays: its arrays.
        m: number of the module.
        machines: whole machines per configuration of the session, shape (configurations,).
        partial_at: configuration of the partial machine; -1 means none.
    """
    module = session.modules[m]
    lo, hi, at = int(arrays.first[m]), int(arrays.first[m + 1]), int(partial_at)
    rows = [
        (module.profile[arrays.profile_index[k]], count)
        for k, count in enumerate(machines[lo:hi].tolist(), lo)
        if count or k == at
    ]
    # Each sum of fractions takes as long as a short search.
    left = module.rate_rps
    for configuration, count in rows:
        if count:
            left -= configuration.throughput_rps * count
    partial, dummy = (ZERO, -left) if left.numerator < 0 else (left, ZERO)
    allocations = [Allocation(c, n) for c, n in rows[:-1]]
    allocations.append(Allocation(*rows[-1], partial))
    return ModulePlan(tuple(allocations), dummy)

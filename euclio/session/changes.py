"""Changes of a session: what if there were more requests, a tighter objective, other prices (ours).

A result of a changed session states its changes, so that the original instance and the result together are enough to
check it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.family import SpaceOption
from euclio.core.numbers import exact_number
from euclio.core.values import count_or_none, exact_not_negative, exact_positive, named
from euclio.core.words import counted, full, joined, percent
from euclio.session.instance import Module, Session
from euclio.session.instance import stock as machines_in_stock


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """Changes of a session; None: as it is.

    Attributes:
        rate_rps: requests per second of all sources together (modules without parents); the rates of all modules are
            scaled in ratio so that it is that.
        slo_s: latency objective in seconds.
        price_per_h: money per hour, by hardware.
        stock: most machines that a plan may use, by hardware.
        headroom: by what share more requests are planned for: after `rate_rps`, all rates are multiplied by 1 + this.

    Raises:
        InputError: a number out of range; names the field.
    """

    rate_rps: Fraction | None = None
    slo_s: Fraction | None = None
    price_per_h: dict[str, Fraction] | None = None
    headroom: Fraction | None = None
    stock: dict[str, int] | None = None

    def __post_init__(self) -> None:
        for field in ("rate_rps", "slo_s", "headroom"):
            value = getattr(self, field)
            if value is not None:
                exact_number(value, field, zero=field == "headroom")
        for name, price in (self.price_per_h or {}).items():
            exact_number(price, f"price_per_h.{name}", zero=True)
        for name, count in (self.stock or {}).items():
            try:
                machines_in_stock(count)
            except InputError as error:
                raise InputError(error.message, field=f"stock.{name}") from None

    def applied_to(self, session: Session) -> Session:
        """The session with these changes, exactly.

        Raises:
            InputError: hardware that the session does not have, or a rate that is too high for it; names the field.
        """
        for field in ("price_per_h", "stock"):
            for name in getattr(self, field) or {}:
                check_hardware(name, session.price, f"{field}.{name}")
        prices, stock = session.price | (self.price_per_h or {}), session.stock | (self.stock or {})
        return replace(
            session,
            slo_s=session.slo_s if self.slo_s is None else self.slo_s,
            hardware=tuple(replace(h, price_per_h=prices[h.name], count=stock.get(h.name)) for h in session.hardware),
            modules=self._modules(session),
        )

    def in_words(self) -> str:
        """The changes in a few words."""
        words = [] if self.rate_rps is None else [f"rate {full(self.rate_rps)} req/s"]
        words += [] if self.slo_s is None else [f"SLO {full(self.slo_s)} s"]
        words += [f"price of {name} {full(price)} per hour" for name, price in (self.price_per_h or {}).items()]
        words += [f"{counted(count, 'machine')} of {name} in stock" for name, count in (self.stock or {}).items()]
        words += [] if self.headroom is None else [f"headroom {percent(float(self.headroom), 1)}"]
        return joined(words)

    def _modules(self, session: Session) -> tuple[Module, ...]:
        factor = 1 + (self.headroom or Fraction(0))
        if self.rate_rps is not None:
            factor *= self.rate_rps / source_rate(session)
        if factor == 1:
            return session.modules
        try:
            return tuple(replace(module, rate_rps=module.rate_rps * factor) for module in session.modules)
        except InputError as error:
            field = "headroom" if self.rate_rps is None else "rate_rps"
            raise InputError(f"is too high for this session: a module's rate {error.message}", field=field) from None


def source_rate(session: Session) -> Fraction:
    """Requests per second of all sources together: of the modules without parents, which requests enter by."""
    below = {child for _, child in session.edges}
    return sum((module.rate_rps for module in session.modules if module.name not in below), Fraction(0))


def check_hardware(name: str, known: Iterable[str], field: str) -> None:
    """Refuse hardware that a session does not have.

    Raises:
        InputError: with the nearest name.
    """
    names = list(known)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names)}"
        raise InputError(f"unknown hardware {name!r}; {hint}", field=field)


CHANGE_OPTIONS = (
    SpaceOption(
        flag="--rate",
        field="rate_rps",
        help="requests per second of all sources together; the rates of all modules are scaled in ratio",
        parse=exact_positive,
        metavar="R",
    ),
    SpaceOption(
        flag="--slo", field="slo_s", help="latency objective in seconds", parse=exact_positive, metavar="SECONDS"
    ),
    SpaceOption(
        flag="--price",
        field="price_per_h",
        help="money per hour of some hardware, such as A100=1.1,T4=0.3",
        parse=named(exact_not_negative),
        metavar="NAME=P,...",
    ),
    SpaceOption(
        flag="--stock",
        field="stock",
        help="most machines that a plan may use of some hardware, such as A100=4,T4=20",
        parse=named(count_or_none),
        metavar="NAME=N,...",
    ),
    SpaceOption(
        flag="--headroom",
        field="headroom",
        help="plan for this share more requests: 0.2 multiplies all rates by 1.2",
        parse=exact_not_negative,
        metavar="SHARE",
    ),
)
"""The options of the commands that change a session."""

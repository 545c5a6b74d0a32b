"""Prices of the machines of a session from a price list; the user names each machine's entry, none is guessed (ours).

A price list has instances, which may hold several accelerators; a machine of a session is one of these. So its price is
that of the instance over the number of its accelerators.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.numbers import decimal_text
from euclio.core.parameters import option_text
from euclio.core.showing import Framed
from euclio.core.words import full, joined, listed
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session.costs import HOURS
from euclio.problems.session.instance import Session
from euclio.workloads.pricing.catalogues import Catalogue, Offer
from euclio.workloads.session.csv_rows import place_label

SCHEMA = "euclio/price-list/1"
LONGEST_SOURCE = 200
"""Characters of the longest note on where a price is from, as long as names are."""
DEAREST = {"USD": (20, 300), "EUR": (20, 300), "GBP": (20, 300)}
"""Money per hour that no accelerator on offer costs, and no instance, by currency: a price for longer is higher."""
JOINED = "+"
"""Stands between the parts that a machine's price is the sum of."""


@dataclass(frozen=True, slots=True)
class MachinePrice:
    """The price of a machine.

    Attributes:
        hardware: name of the machine type in the session.
        price_per_h: money per hour, a decimal; the last of 15 digits may be rounded.
        source: where it is from, in one line; None if a file of prices does not say.
    """

    hardware: str
    price_per_h: Fraction
    source: str | None


@dataclass(frozen=True, slots=True, repr=False)
class PriceList(Framed):
    """Prices of machines with their sources.

    Attributes:
        prices: one per machine type that was asked for.
        currency: what they are in; None if a file of prices does not say.
        session: the session with these prices; None if none was given.
        left_out: machine types of the session or the profiles that no price was asked for.
    """

    _view = late_value("euclio.workloads.pricing.price_tables", "PRICES")

    prices: tuple[MachinePrice, ...]
    currency: str | None
    session: Session | None = None
    left_out: tuple[str, ...] = ()

    @property
    def by_name(self) -> dict[str, Fraction]:
        """Prices by machine type, as `import_csv(prices=...)` and `solve(price=...)` take them."""
        return {own.hardware: own.price_per_h for own in self.prices}

    @property
    def text(self) -> str:
        """The same as the options `--price` and `--prices` take them."""
        return ",".join(f"{own.hardware}={decimal_text(own.price_per_h)}" for own in self.prices)

    def describe(self) -> dict[str, object]:
        """The prices as plain data."""
        rows = [{"hardware": own.hardware, "price_per_h": own.price_per_h, "source": own.source} for own in self.prices]
        return {"schema": SCHEMA, "currency": self.currency, "prices": rows, "left_out": list(self.left_out)}


@dataclass(frozen=True, slots=True)
class Terms:
    """How prices are chosen from a list.

    Attributes:
        per: unit of time of its prices, a key of `HOURS`; None means the unit that the list states.
        region: region; None if the list has one at most.
        spot: spot prices instead of those on demand.
        accelerators: machines in an instance, by instance type, where the list does not say.
        currency: what prices are in; None if not said.
    """

    per: str | None = None
    region: str | None = None
    spot: bool = False
    accelerators: Mapping[str, Fraction] | None = None
    currency: str | None = None


def chosen_prices(catalogue: Catalogue, what: Mapping[str, str], terms: Terms) -> tuple[MachinePrice, ...]:
    """The price of each machine type.

    Args:
        catalogue: the price list.
        what: by machine type the instance type or the accelerator that it is in the list; or several with ``+``
            between them, whose prices are added up, such as an accelerator that is sold apart and its host.
        terms: how they are chosen.

    Returns:
        In the order of `what`. Of several offers, such as several zones, or an accelerator in several instance types,
        it is the one that is the cheapest for a machine, the first of equals.

    Raises:
        InputError: what the list does not have or does not say; names the option that says it.
    """
    there = _in_region(catalogue, terms.region)
    chooser = _Chooser(catalogue, there, terms, _hours(catalogue, terms.per))
    _refuse_unknown_counts(catalogue, terms)
    return tuple(chooser.machine(hardware, asked) for hardware, asked in what.items())


def with_prices(session: Session, prices: Iterable[MachinePrice], currency: str | None) -> Session:
    """The session with other prices, which say where they are from; other machine types keep theirs.

    Prices that are in a currency that is not said are in that of the session.

    Raises:
        InputError: the session's other prices are in another currency.
    """
    found = {own.hardware: own for own in prices}
    kept = [h.name for h in session.hardware if h.name not in found]
    if kept and currency and session.currency not in (None, currency):
        message = (
            f"is {currency}, but the session's prices are in {session.currency}, and that of {kept[0]} stays; "
            f"give all of them ({option_text('--map')}), or convert the list, as no rates of exchange are known here"
        )
        raise InputError(message, field="--currency")
    hardware = tuple(
        replace(h, price_per_h=found[h.name].price_per_h, price_source=found[h.name].source) if h.name in found else h
        for h in session.hardware
    )
    return replace(session, hardware=hardware, currency=currency or session.currency)


def _hours(catalogue: Catalogue, per: str | None) -> Fraction:
    """Hours of what prices are per."""
    if catalogue.per is None and per is None:
        message = f"is needed, as the list does not say what its prices are per: {joined(HOURS, 'or')}"
        raise InputError(message, field="--per")
    if None not in (catalogue.per, per) and catalogue.per != per:
        raise InputError(f"is {per!r}, but the list's prices are per {catalogue.per}; leave it out", field="--per")
    return HOURS[catalogue.per or per or ""]


def _in_region(catalogue: Catalogue, region: str | None) -> list[Offer]:
    """The offers in a region; those without one are in none, where others name theirs."""
    regions = list(dict.fromkeys(offer.region for offer in catalogue.offers if offer.region))
    if region is None:
        if len(regions) > 1:
            message = f"is needed, as the list has {len(regions)} regions: {listed(sorted(regions))}"
            raise InputError(message, field="--region")
        return list(catalogue.offers)
    if not regions:
        raise InputError("is not known, as the list names no regions; leave it out", field="--region")
    if region not in regions:
        message = f"is {region!r}, which the list does not have; {_nearest(region, regions)}"
        raise InputError(message + _nameless(catalogue.offers), field="--region")
    return [offer for offer in catalogue.offers if offer.region == region]


def _nameless(offers: Iterable[Offer]) -> str:
    """The rows without a region, as the end of a message; empty if there are none."""
    lines = [place_label(own.line) for own in offers if not own.region and own.line is not None]
    return f"; no region is in {listed(lines, 3)}" if lines else ""


def _refuse_unknown_counts(catalogue: Catalogue, terms: Terms) -> None:
    known = {offer.instance for offer in catalogue.offers if offer.instance}
    for name in terms.accelerators or {}:
        if name not in known:
            message = f"names {name!r}, which is no instance type of the list; {_nearest(name, known)}"
            raise InputError(message, field="--accelerators")


def _nearest(word: str, known: Iterable[str]) -> str:
    """The nearest names, in any case; a list has too many to name all of them."""
    by_lower = {name.lower(): name for name in sorted(known)}
    near = difflib.get_close_matches(word.lower(), by_lower, n=2)
    begun = [name for lower, name in by_lower.items() if word and lower.startswith(word.lower())]
    found = list(dict.fromkeys([*(by_lower[one] for one in near), *begun]))[:2]
    return f"did you mean {' or '.join(found)}?" if found else f"it has {listed(by_lower.values())}"


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Chooses the offers of a list.

    Attributes:
        catalogue: the list.
        offers: its offers in the region.
        terms: how to choose.
        hours: hours of what prices are per.
    """

    catalogue: Catalogue
    offers: list[Offer]
    terms: Terms
    hours: Fraction

    def machine(self, hardware: str, asked: str) -> MachinePrice:
        """The price of a machine type."""
        names = [asked] if self._known(asked) else [name.strip() for name in asked.split(JOINED)]
        parts = [self._part(name, hosted=len(names) > 1) for name in names]
        total = sum(map(self._each, parts), Fraction(0))
        of_one, of_instance = DEAREST.get(str(self.terms.currency).upper(), (total, total))
        if total > (of_one if all(part.accelerator for part in parts) else of_instance):
            said = f"{hardware} costs {full(total, digits=6)} {self.terms.currency} per hour; look what prices are per"
            tell_doubts(self.catalogue.file, [said])
        regions = {part.region for part in parts}
        region = f", {regions.pop()}" if len(regions) == 1 and all(regions) else ""
        kind = "spot" if self.terms.spot else "on demand"
        source = f"{Path(self.catalogue.file).name}{region}, {kind}: {f' {JOINED} '.join(map(self._source, parts))}"
        printable = "".join(sign if sign.isprintable() else "?" for sign in source)
        return MachinePrice(hardware, Fraction(decimal_text(total)), printable[:LONGEST_SOURCE])

    def _known(self, name: str) -> bool:
        return any(name in (offer.instance, offer.accelerator) for offer in self.catalogue.offers)

    def _part(self, name: str, hosted: bool) -> Offer:
        """The cheapest offer of an instance type or of an accelerator.

        Args:
            name: its name in the list.
            hosted: whether what hosts it is priced too.
        """
        if not self._known(name):
            names = {known for own in self.catalogue.offers for known in (own.instance, own.accelerator) if known}
            message = f"names {name!r}, which the list does not have; {_nearest(name, names)}"
            raise InputError(message, field="--map")
        named = [own for own in self.offers if name in (own.instance, own.accelerator)]
        if not named:
            raise InputError(
                f"is {self.terms.region!r}, where the list has no {name}; {self._elsewhere(name)}", field="--region"
            )
        if all(not own.instance for own in named) and not hosted:
            message = (
                f"names {name!r}, which is sold apart from the instance that hosts it; add that, as in "
                f"{name}{JOINED}INSTANCE, so that both are paid for"
            )
            raise InputError(message, field="--map")
        usable = named if hosted else [own for own in named if own.instance]
        priced = [(self._each(own), own) for own in usable if self._price(own) is not None]
        if not priced:
            kind = "spot price" if self.terms.spot else "price on demand"
            there = f" in {self.terms.region}" if self.terms.region else ""
            remedy = "leave it out" if self.terms.spot else f"name something else in {option_text('--map')}"
            field = "--spot" if self.terms.spot else "--map"
            raise InputError(f"finds no {kind} of {name} in the list{there}; {remedy}", field=field)
        _, offer = min(priced, key=lambda pair: pair[0])
        self._refuse_two_prices(offer, usable)
        if offer.reserved and not self.terms.spot:
            message = (
                f"finds {name} at a price that is not on demand ({offer.reserved}); leave that row out of the list"
            )
            raise InputError(message, field="--map")
        if offer.price is not None and offer.spot_price is not None and offer.spot_price > offer.price:
            said = (
                f"{place_label(offer.line or 0)}: the spot price of {name} is {full(offer.spot_price)}, above its price"
            )
            tell_doubts(self.catalogue.file, [f"{said} on demand, {full(offer.price)}; columns may be swapped"])
        return offer

    def _elsewhere(self, name: str) -> str:
        """Where the list has an instance type or an accelerator, and which rows should say where."""
        known = [own for own in self.catalogue.offers if name in (own.instance, own.accelerator)]
        regions = sorted({own.region for own in known} - {""})
        return (f"it is in {listed(regions)}" if regions else "its rows name no region") + _nameless(known)

    def _refuse_two_prices(self, chosen: Offer, offers: Iterable[Offer]) -> None:
        """Refuse an offer that the list prices twice: one may be that of a reservation, and nothing says which."""
        where = chosen.instance, chosen.accelerator, chosen.count, chosen.region, chosen.zone
        alike = [o for o in offers if (o.instance, o.accelerator, o.count, o.region, o.zone) == where]
        prices = sorted({price for own in alike if (price := self._price(own)) is not None})
        # Offers whose list gives them no name of their own differ in what hosts them.
        if len(prices) > 1 and not chosen.instance.endswith(f" x {chosen.accelerator}"):
            two = joined(full(price) for price in prices[:2])
            message = f"finds two prices of {chosen.instance or chosen.accelerator} in the same place, {two}"
            raise InputError(f"{message}; keep one, such as that on demand, in the list", field="--map")

    def _price(self, offer: Offer) -> Fraction | None:
        return offer.spot_price if self.terms.spot else offer.price

    def _each(self, offer: Offer) -> Fraction:
        """The price of an offer per hour and machine."""
        price = self._price(offer)
        assert price is not None
        return price / self.hours / self._count(offer)

    def _count(self, offer: Offer) -> Fraction:
        """Machines in an offer: the accelerators of an instance."""
        said = (self.terms.accelerators or {}).get(offer.instance)
        if offer.count is None:
            if said is None:
                message = (
                    f"is needed for {offer.instance}: the list does not say how many accelerators it has; give "
                    f"{offer.instance}=N, and 1 where the whole instance is one machine"
                )
                raise InputError(message, field="--accelerators")
            return said
        if said is not None and said != offer.count:
            message = f"says that {offer.instance} has {full(said)}, but the list says {full(offer.count)}; keep one"
            raise InputError(message, field="--accelerators")
        return offer.count

    def _source(self, offer: Offer) -> str:
        price, count = self._price(offer), self._count(offer)
        assert price is not None
        what = offer.instance or offer.accelerator
        zone = f" in {offer.zone}" if offer.zone and self.terms.spot else ""
        per = next(name for name, hours in HOURS.items() if hours == self.hours)
        over = "" if count == 1 else f" / {full(count)}"
        return f"{what}{zone} {full(price)} per {per}{over}"

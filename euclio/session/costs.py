"""What a plan of a session costs in the terms in which capacity is bought: per month, and per million requests."""

from __future__ import annotations

from fractions import Fraction

from euclio.core.words import full
from euclio.session.changes import source_rate
from euclio.session.instance import Session

HOURS_PER_MONTH = 730
"""Hours of a month, as providers of machines count them: 8760 a year."""


def per_month(cost_per_h: Fraction) -> Fraction:
    """Money per month."""
    return cost_per_h * HOURS_PER_MONTH


def per_million(session: Session, cost_per_h: Fraction) -> Fraction:
    """Money per million requests of the session: those of its sources, at its rates."""
    return cost_per_h * 10**6 / (3600 * source_rate(session))


def money(session: Session, amount: Fraction, digits: int = 9) -> str:
    """An amount with the session's currency, where it has one."""
    return full(amount, f" {session.currency}" if session.currency else "", digits=digits)


def costs_in_words(session: Session, cost_per_h: Fraction) -> str:
    """Cost per month and per million requests, in one line."""
    month, million = per_month(cost_per_h), per_million(session, cost_per_h)
    return (
        f"{money(session, month, 6)} per month of {HOURS_PER_MONTH} h, "
        f"{money(session, million, 4)} per million requests at {full(source_rate(session))} req/s"
    )

"""About what 99 % costs is a line under a plan. It may be missing, and takes no longer than a few seconds."""

from dataclasses import replace

from tiny_sessions import tiny_session

from euclio.core.result import Answer
from euclio.core.solving import asked
from euclio.problems.session import Hardware, Session
from euclio.serving.attainment import rough_cost


def limited() -> Session:
    """A session whose plan fits into its stock, and which has none there at higher rates."""
    session = tiny_session()
    counts = {"V100": 1, "P100": 1}
    return replace(session, hardware=[Hardware(h.name, h.price_per_h, counts[h.name]) for h in session.hardware])


def test_plans_that_take_too_long_give_no_number(monkeypatch):
    """At a limit on machines a plan of higher rates took more than a minute, and nothing ended it without a limit."""
    ready = asked(tiny_session(), "exact")
    assert rough_cost.rough_cost(ready) is not None
    monkeypatch.setattr(rough_cost, "MOST_S", 0.0)
    assert rough_cost.rough_cost(ready) is None


def test_nobody_asks_why_a_margin_has_no_plan(monkeypatch):
    """To find out how many machines more would do takes up to two seconds, for each margin."""
    asked_for: list[Answer] = []
    ready = asked(limited(), "exact")
    run = ready.solver.run

    def without_reason(*arguments: object) -> Answer:
        answer = run(*arguments)
        if answer.infeasible:
            asked_for.append(answer)
        return replace(answer, why=lambda: 1 // 0)

    rough_cost.rough_cost(replace(ready, solver=replace(ready.solver, run=without_reason)))
    assert asked_for

"""What the cheapest plan costs by how many machines may change (docs/howto/staying-close.md)."""

from euclio.session.change_costs.curve import Curve, Question, Step, answered, change_costs, question

__all__ = ["Curve", "Question", "Step", "answered", "change_costs", "question"]

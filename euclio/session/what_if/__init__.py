"""What if: a session at several rates and objectives, each with its cheapest plan (docs/howto/what-if.md)."""

from euclio.session.what_if.grid import Point, Question, WhatIf, answered, question, what_if

__all__ = ["Point", "Question", "WhatIf", "answered", "question", "what_if"]

"""The draws of a module's router: L'Ecuyer's combined generator, in Python's own whole numbers."""

from __future__ import annotations


class Draws:
    """Draws from a beginning on.

    Attributes:
        states: of the two generators.
    """

    def __init__(self, first: int, second: int) -> None:
        self.states = (first, second)

    def below(self, bound: int) -> int:
        """A whole number from 0 to less than a bound."""
        high, low = self._step(), self._step()
        return (high * 2147483562 + low) % bound

    def _step(self) -> int:
        """A whole number from 0 to 2147483561."""
        first, second = self.states
        self.states = (40014 * first % 2147483563, 40692 * second % 2147483399)
        return (self.states[0] - self.states[1] - 1) % 2147483562

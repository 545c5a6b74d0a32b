"""Who is given the next invocation of a module (docs/model/serving.md, dispatch)."""

from __future__ import annotations

from euclio.session.simulation.system import ServedModule
from euclio.session.simulation.targets import Dealing, Turns, Unit


class Dealer:
    """Deals out the invocations of one module.

    Attributes:
        dealt: N, invocations dealt out so far.
        taken: s of each target.
        turn: of each target, the place of the machine whose turn it is.
        current: the target that the module stays with; None: it asks again.
        left: until how many more of its batches are closed.
    """

    def __init__(self, module: ServedModule, dealing: Dealing) -> None:
        self.targets, self.dealing = module.targets, dealing
        self.total = sum(target.rate for target in self.targets)
        self.dealt = 0
        self.taken = [0] * len(self.targets)
        self.turn = [0] * len(self.targets)
        self.current: int | None = None
        self.left = 0

    def deal(self) -> int:
        """Number of the machine that takes the next invocation."""
        if self.current is None:
            self.current = self._choose()
            self.left = len(self.targets[self.current].machines) if self.dealing.unit is Unit.ROUND else 1
        target = self.current
        machine = self.targets[target].machines[self.turn[target]]
        self.taken[target] += 1
        self.dealt += 1
        if self.dealing.turns is Turns.REQUESTS:
            self._next_turn(target)
        if self.dealing.unit is Unit.REQUEST:
            self.current = None
        return machine

    def close(self, machine: int) -> None:
        """Hear that the open batch of a machine has been closed."""
        target = next(k for k, known in enumerate(self.targets) if machine in known.machines)
        if self.dealing.turns is Turns.BATCHES:
            self._next_turn(target)
        # Where single invocations take turns, a target may have open batches when its round is over.
        if self.current == target:
            self.left -= 1
            if self.left == 0:
                self.current = None

    def _next_turn(self, target: int) -> None:
        self.turn[target] = (self.turn[target] + 1) % len(self.targets[target].machines)

    def _choose(self) -> int:
        """The target that is asked next: of those that are due the first, or the one with the earliest deadline."""
        due = [k for k, target in enumerate(self.targets) if self.taken[k] * self.total <= self.dealt * target.rate]
        if self.dealing.unit is not Unit.REQUEST:
            return due[0]
        # (s + 1)·F/R is compared across targets as (s + 1)·F/R < (s' + 1)·F/R', times both rates.
        best = due[0]
        for k in due[1:]:
            if (self.taken[k] + 1) * self.targets[best].rate < (self.taken[best] + 1) * self.targets[k].rate:
                best = k
        return best

"""Who is given the next invocation of a module (docs/model/serving.md, dispatch)."""

from __future__ import annotations

from collections.abc import Callable

from euclio.serving.session.system import ServedModule
from euclio.serving.session.targets import Dealing, Router, Turns, Unit

# The draws of a module's router: L'Ecuyer's combined generator, in Python's own whole numbers.


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


class Dealer:
    """Deals out the invocations of one module.

    Attributes:
        dealt: N, invocations dealt out so far.
        taken: s of each target.
        turn: of each target, the place of the machine whose turn it is.
        current: the target that the module stays with; None: it asks again.
        left: until how many more of its batches are closed.
        draws: what a router draws by.
        in_hand: how many invocations a machine was given that have not ended.
        after: the machine behind the one that was chosen last, for ties.
    """

    def __init__(self, module: ServedModule, dealing: Dealing, draws: Draws, in_hand: Callable[[int], int]) -> None:
        self.targets, self.dealing = module.targets, dealing
        self.machines, self.draws, self.in_hand = module.machines, draws, in_hand
        self.after = 0
        self.total = sum(target.rate for target in self.targets)
        self.dealt = 0
        self.taken = [0] * len(self.targets)
        self.turn = [0] * len(self.targets)
        self.current: int | None = None
        self.left = 0

    def deal(self) -> int:
        """Number of the machine that takes the next invocation."""
        match self.dealing.router:
            case Router.RANDOM:
                return self._drawn()
            case Router.LEAST:
                return self._least_loaded()
            case Router.TWO:
                one = self._drawn()
                others = [number for number in self.machines if number != one]
                # Of equal loads it is the one that was drawn first.
                return min((one, self._drawn(one)), key=self._load) if others else one
            case Router.TURN:
                return self._next()

    def _next(self) -> int:
        """The machine whose turn it is."""
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

    def _drawn(self, without: int | None = None) -> int:
        """A machine at its rate, perhaps one that it is not: its target, then one of the machines of that."""
        sizes = [[number for number in target.machines if number != without] for target in self.targets]
        # In whole numbers: times the machines of the target that one is missing in.
        times = next((len(target.machines) for target in self.targets if without in target.machines), 1)
        weights = [
            target.rate * times * len(left) // len(target.machines)
            for target, left in zip(self.targets, sizes, strict=True)
        ]
        left = self.draws.below(sum(weights))
        chosen = 0
        while left >= weights[chosen]:
            left -= weights[chosen]
            chosen += 1
        return sizes[chosen][self.draws.below(len(sizes[chosen]))]

    def _load(self, number: int) -> float:
        """What a machine would have in hand with one more, over its share of the rate."""
        target = next(target for target in self.targets if number in target.machines)
        return (self.in_hand(number) + 1) * len(target.machines) / target.rate

    def _least_loaded(self) -> int:
        count = len(self.machines)
        in_turn = [self.machines[(self.after + k) % count] for k in range(count)]
        found = min(in_turn, key=self._load)
        self.after = (found - self.machines.start + 1) % count
        return found

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

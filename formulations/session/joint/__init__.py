"""The parts of a joint model of splitting and allocation that do not depend on the engine."""

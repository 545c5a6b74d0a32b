"""The contract of all solvers, and its check (`euclio.contract.checking.check_solver`)."""

"""What every solver has to keep to, tried out (`euclio.contract.checking.check_solver`)."""

"""The command of `euclio.posterior`, under the name that it had."""

"""Settings of all tests; this file also puts `tests/` on the import path, for `worked_examples`."""

from hypothesis import settings

settings.register_profile("euclio", deadline=None)
settings.load_profile("euclio")

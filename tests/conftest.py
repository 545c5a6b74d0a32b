"""Settings of all tests; this file also puts `tests/` on the import path, for `worked_examples`."""

import signal

from hypothesis import settings

settings.register_profile("euclio", deadline=None)
settings.load_profile("euclio")

# Shells start commands in the background with Ctrl-C ignored, and the programs that tests interrupt would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

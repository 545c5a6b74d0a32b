"""Settings of all tests; what they share is in `helpers/`, which is on the import path (`pyproject.toml`)."""

import os
import signal

# Before anything is imported: tests run compiled, and so do the processes that they start, unless one says otherwise.
os.environ.setdefault("EUCLIO_KERNELS", "compiled")

from hypothesis import settings

from euclio.core import progress

settings.register_profile("euclio", deadline=None)
settings.load_profile("euclio")

# Shells start commands in the background with Ctrl-C ignored, and the programs that tests interrupt would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What takes long is shown after two seconds, which a busy machine needs for anything; tests that want it say so.
progress.AFTER_S = 600.0

# Tables are as wide as a pipe's by default, whatever window the tests are started in.
os.environ.pop("COLUMNS", None)

"""Puts `tests/euclio/` on the import path, so that the tests in its folders find the helpers that stand here."""

"""Solver `exact` where modules may share machines (`--machines packed`); docs/model/whole-machines.md."""

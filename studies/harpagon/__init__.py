"""Harpagon §IV reproduced: all workloads, all systems and both optima."""

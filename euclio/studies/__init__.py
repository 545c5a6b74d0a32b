"""Reproductions: one package per paper, each with a function `reproduce` that writes a report."""

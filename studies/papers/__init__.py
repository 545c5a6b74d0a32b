"""Printed numbers of papers, and the measures of plans to compare with them, for studies and settings."""

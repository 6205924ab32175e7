"""Checks that the numbers of a run follow from its records."""

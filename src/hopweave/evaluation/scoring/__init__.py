"""Scores of runs, and the conclusions that they allow."""

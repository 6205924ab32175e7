"""Runs: planning, asking, recording and resuming."""

"""Runs: what is planned, asked, kept and resumed."""

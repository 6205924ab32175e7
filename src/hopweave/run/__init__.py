"""Runs a question: settings, opened components, the workbench, budgets, and the store of replies."""

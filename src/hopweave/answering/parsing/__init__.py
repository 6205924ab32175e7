"""Tolerant readers of text: what a model wrote, and where sentences end. Each says what it could not read."""

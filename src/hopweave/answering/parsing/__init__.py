"""Tolerant parsers of model output. Each reports what it could not parse."""

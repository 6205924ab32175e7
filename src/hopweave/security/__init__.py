"""Redaction of secrets, and trust in settings that may redirect questions and keys."""

"""Judgements of marks by people and by models."""

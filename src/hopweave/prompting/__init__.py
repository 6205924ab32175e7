"""Prompts and demonstrations."""

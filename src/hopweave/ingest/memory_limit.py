"""Limits the memory of a process that reads what comes from strangers; part of `pdf_process` and `ocr_process`."""

from __future__ import annotations

from importlib import import_module


def limit_memory(max_bytes: int) -> None:
    """Limits the memory of this process, if the system supports it."""
    try:
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
    except (ImportError, OSError, ValueError):
        pass

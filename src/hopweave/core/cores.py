"""How many cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path


def num_usable_cores() -> int:
    """Cores that this process may use: more threads slow it down badly, and a core's second hardware thread adds nothing."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, _num_physical_cores() or usable, _num_granted_cores() or usable))


def _num_physical_cores() -> int | None:
    siblings = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({_text(file) for file in siblings}) or None


def _num_granted_cores() -> int | None:
    """The number of cores in a container's quota."""
    quota, _, period = _text(Path("/sys/fs/cgroup/cpu.max")).partition(" ")
    return max(1, int(quota) // int(period)) if quota.isdigit() and period.strip().isdigit() else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return ""

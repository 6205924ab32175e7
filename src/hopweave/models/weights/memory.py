"""The memory of this machine, the memory that a model needs, and which model suits."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hopweave.models.weights.known import KNOWN_MODELS, SMALL_BELOW, KnownModel

DEFAULT_CONTEXT = 8192
"""The context of a small model, in tokens."""
LARGER_CONTEXT = 16384
"""The context of a larger model, in tokens: room for the passages of many searches, and for thoughts."""

_MIN_CONTEXT = 4096  # less is of little use: passages and worked examples have to fit

_GIB = 1 << 30
_WORKING_BYTES = 400_000_000  # for what is computed on the way
_SHARE_OF_MEMORY = 0.75  # the rest is for the system and other programs
_SHARE_OF_GPU = 0.9
_MOST_ACTIVE_WITHOUT_GPU = 8.5  # billions of parameters for each token: a larger model says less than three words a second
_SMI_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a machine, in bytes.

    Attributes:
        total: what this process may use, of the machine's memory.
        free: what of it is free, or can be freed; `None` if the system does not tell.
        gpu: the memory of the largest GPU; 0 if there is none.
        is_shared: whether the GPU uses the machine's memory.
    """

    total: int
    free: int | None = None
    gpu: int = 0
    is_shared: bool = False


def bytes_needed(num_bytes: int, cache_bytes_per_token: int, context_tokens: int) -> int:
    """The memory that a model needs: its weights, its context, and what is computed on the way."""
    return num_bytes + cache_bytes_per_token * context_tokens + _WORKING_BYTES


def default_context(billions: float | None, trained_for: int | None = None) -> int:
    """The context to give a model, in tokens.

    Args:
        billions: its parameters, in billions; `None` if unknown.
        trained_for: the length that it was trained for, in tokens; `None` if unknown.
    """
    usual = LARGER_CONTEXT if billions is not None and billions >= SMALL_BELOW else DEFAULT_CONTEXT
    return min(usual, trained_for or usual)


def known_bytes_needed(model: KnownModel) -> int:
    """The memory that a known model needs with its default context."""
    return bytes_needed(model.num_bytes, model.cache_bytes_per_token, default_context(model.billions))


def advice_on_memory(num_bytes: int, cache_bytes_per_token: int, context_tokens: int, num_bytes_missing: int) -> str:
    """What to do about a model that needs more memory than is free.

    Args:
        num_bytes: the size of its weights.
        cache_bytes_per_token: memory for each token of its context.
        context_tokens: the length of its context.
        num_bytes_missing: how much memory is missing.
    """
    advice = ["close other programs"]
    fewer = -(-num_bytes_missing // cache_bytes_per_token) if cache_bytes_per_token else context_tokens
    shorter = (context_tokens - fewer) // 1024 * 1024
    if shorter >= _MIN_CONTEXT:
        advice.append(f"set llms.llama_cpp.context_tokens = {shorter}")
    smaller = suiting(this_machine())
    if smaller.num_bytes < num_bytes:
        advice.append(f"take a smaller model, such as {smaller.name} (see: hopweave models list)")
    return f"{', '.join(advice[:-1])}, or {advice[-1]}" if len(advice) > 1 else advice[0]


def suiting(memory: Memory) -> KnownModel:
    """The most capable known model that suits a machine: it fits, with room to spare, and is quick enough."""
    fitting = [model for model in KNOWN_MODELS.values() if _suits(model, memory)]
    return fitting[-1] if fitting else next(iter(KNOWN_MODELS.values()))


def _suits(model: KnownModel, memory: Memory) -> bool:
    needed = known_bytes_needed(model)
    if memory.gpu and not memory.is_shared and needed <= _SHARE_OF_GPU * memory.gpu:
        return True
    is_quick = memory.is_shared or model.billions_active <= _MOST_ACTIVE_WITHOUT_GPU
    return is_quick and needed <= _SHARE_OF_MEMORY * memory.total


def of_size(gib: int, *, with_gpu: bool) -> Memory:
    """A machine with that much memory, in GiB, or with a GPU that has as much."""
    return Memory(total=gib * _GIB, gpu=gib * _GIB if with_gpu else 0)


@cache
def this_machine() -> Memory:
    """The memory of this machine, as far as the system tells; read once."""
    total = _first(_windows_memory, _posix_memory)
    limit = _group_limit()
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return Memory(total, None, total, is_shared=True)
    return Memory(min(total, limit or total), free_bytes(), _gpu_memory())


def free_bytes() -> int | None:
    """The memory that is free now or can be freed, within the limits of this process; `None` if the system does not tell."""
    found = [one for one in (_free_of_machine(), _free_of_group()) if one is not None]
    return min(found) if found else None


def _first(*asked: Callable[[], int]) -> int:
    return next((found for found in (one() for one in asked) if found), 0)


def _posix_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


class _WindowsMemory(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        *((name, ctypes.c_ulonglong) for name in ("total", "free", "total_page", "free_page", "total_own", "free_own", "more")),
    )


def _windows_status() -> _WindowsMemory | None:
    windows = getattr(ctypes, "windll", None)
    if windows is None:
        return None
    status = _WindowsMemory()
    status.length = ctypes.sizeof(status)
    return status if windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _windows_memory() -> int:
    status = _windows_status()
    return status.total if status else 0


def _free_of_machine() -> int | None:
    if status := _windows_status():
        return int(status.free)
    for line in _lines(Path("/proc/meminfo")):
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) << 10
    return None


# The memory limit of a container, in version 2 of control groups and in version 1.
_GROUP = Path("/sys/fs/cgroup")
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_USED = ("memory.current", "memory/memory.usage_in_bytes")
_STATISTICS = ("memory.stat", "memory/memory.stat")


def _group_limit() -> int | None:
    found = _number_in(_LIMITS)
    return found if found is not None and found < 1 << 50 else None


def _free_of_group() -> int | None:
    limit, used = _group_limit(), _number_in(_USED)
    if limit is None or used is None:
        return None
    facts = dict(line.split(None, 1) for name in _STATISTICS for line in _lines(_GROUP / name) if " " in line)
    cached = sum(int(facts.get(kind, 0)) for kind in ("inactive_file", "active_file"))  # pages of files, which can be dropped
    return max(0, limit - used + cached)


def _number_in(names: Iterable[str]) -> int | None:
    texts = ("".join(_lines(_GROUP / name)).strip() for name in names)
    return next((int(text) for text in texts if text.isdigit()), None)


def _gpu_memory() -> int:
    return max([0, *_amd_memories(), *_nvidia_memories()])


def _amd_memories() -> list[int]:
    found = ("".join(_lines(file)).strip() for file in Path("/sys/class/drm").glob("card*/device/mem_info_vram_total"))
    return [int(text) for text in found if text.isdigit()]


def _nvidia_memories() -> list[int]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=_SMI_SECONDS, check=False).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(line) << 20 for line in said.splitlines() if line.strip().isdigit()]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []

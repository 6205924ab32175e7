"""What was learnt about endpoints and models from their behaviour; kept for the process and, for days, in the user's cache.

Nothing in it is needed: what is forgotten, because the file is damaged, locked, too old or cannot be written, is learnt again
by one refused request each. Nothing in it is secret: the keys are addresses without user names, passwords and queries.

The file, `endpoints.json`, holds an object for each address, and for each address and model:

    {"schema": "hopweave.endpoints/1", "learnt": {
        "https://api.openai.com/v1": {"at": 1790000000, "server": "openai"},
        "https://api.openai.com/v1:o4-mini": {"at": 1790000000, "refused": ["temperature"], "thinks": ["on"]}}}
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from platformdirs import user_cache_path

from hopweave.core.files import LockTaken, lock, open_regular, read_json, write_whole
from hopweave.models.llms._servers import LEVELS, LIMITS, THINKING_FIELDS, Server

SCHEMA = "hopweave.endpoints/1"
KEPT_DAYS = 7.0

LEAVABLE = frozenset(
    {
        *("temperature", "top_p", "stop", "seed", "logprobs", "top_logprobs", "response_format", "stream_options"),
        *("n", "tool_choice", "continue_final_message", "add_generation_prompt", *THINKING_FIELDS),
    }
)
"""Request fields that can be left out: stop strings are also cut on our side, several replies can be asked for one by one, and
the others request what a model may not offer."""

REFUSABLE = LEAVABLE | frozenset({*LIMITS, "tools"})
"""Those, and those that have to be renamed, or without which there is no point in calling."""

MODES = ("on", "off", "prefill")
"""Circumstances in which a model may think: by itself or because it was told to; although it was told not to; and although it
continues a turn that was begun for it."""

MAX_TOKENS = 10_000_000
"""Maximum tokens of a call that an endpoint may report: ten times the longest existing context."""

_MAX_ENTRIES = 256
_MAX_BYTES = 1 << 18
_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Learnt:
    """What is known of a model at an address, or of the address.

    Attributes:
        server: the kind of server, if it was found out by asking.
        refused: request fields that are not accepted.
        levels: levels of thinking that are not accepted.
        thinks: the modes in which it was seen to think.
        is_quiet_when_off: whether it was seen to reply without a thought when it was told not to think.
        begins_inside: whether its replies begin inside thoughts, since its template opens them; `None` if unknown.
        wants_thoughts_back: whether it wants its thoughts back with the results of tools.
        has_tools: whether it can call tools; `None` if unknown.
        max_new: the most new tokens that a request may ask for; `None` if unknown.
        max_total: the most tokens of prompt and reply together, as estimated; `None` if unknown.
    """

    server: Server | None = None
    refused: frozenset[str] = frozenset()
    levels: frozenset[str] = frozenset()
    thinks: frozenset[str] = frozenset()
    is_quiet_when_off: bool = False
    begins_inside: bool | None = None
    wants_thoughts_back: bool = False
    has_tools: bool | None = None
    max_new: int | None = None
    max_total: int | None = None

    def and_also(self, other: Learnt) -> Learnt:
        """What is known from both; where they differ, the other counts."""
        changes: dict[str, Any] = {}
        for one in fields(self):
            mine, theirs = getattr(self, one.name), getattr(other, one.name)
            if isinstance(mine, frozenset):
                changes[one.name] = mine | theirs
            elif theirs != one.default:
                changes[one.name] = theirs
        return replace(self, **changes)


_NOTHING = Learnt()


class Memory:
    """What is known of one model at an address, or of an address, shared by all clients of the process.

    Args:
        key: the address, or the address and the model, without secrets; empty for what is only known to this client.
    """

    def __init__(self, key: str = "") -> None:
        self._key = key
        self._own = Learnt()
        self._opened: _File | None = None

    @property
    def known(self) -> Learnt:
        """What is known now."""
        return self._file.known(self._key) if self._key else self._own

    @property
    def is_fresh(self) -> bool:
        """Whether there is anything that is not older than `KEPT_DAYS`."""
        return bool(self._key) and self._file.is_fresh(self._key)

    def learn(self, learnt: Learnt) -> None:
        """Adds what was learnt. The file is written at once; if that fails, it is known for this process only."""
        if self._key:
            self._file.learn(self._key, learnt)
        else:
            self._own = self._own.and_also(learnt)

    @property
    def _file(self) -> _File:
        if self._opened is None:
            self._opened = _file()
        return self._opened


@dataclass(frozen=True, slots=True)
class _Entry:
    learnt: Learnt
    at: float

    @property
    def is_fresh(self) -> bool:
        return -_DAY < time.time() - self.at < KEPT_DAYS * _DAY


class _File:
    """The entries of one file, as this process knows them: as they were when it first looked, and what it has learnt since."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._entries = _read(path)

    def known(self, key: str) -> Learnt:
        entry = self._entries.get(key)
        if entry is None:
            return Learnt()
        # The kind of server stays known, so that a run can be replayed later; only asking again replaces it.
        return entry.learnt if entry.is_fresh else Learnt(server=entry.learnt.server)

    def is_fresh(self, key: str) -> bool:
        entry = self._entries.get(key)
        return entry is not None and entry.is_fresh

    def learn(self, key: str, learnt: Learnt) -> None:
        with self._lock:
            self._entries[key] = _Entry(self.known(key).and_also(learnt), time.time())
            with suppress(OSError, LockTaken):
                self._write(key)

    def _write(self, key: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with lock(self._path.with_suffix(".lock")):
            entries = _read(self._path)  # other processes learn, too
            there = entries.get(key)
            own = self._entries[key]
            if there is not None and there.is_fresh:
                own = replace(own, learnt=there.learnt.and_also(own.learnt))
            entries[key] = own
            newest = sorted(entries.items(), key=lambda item: -item[1].at)[:_MAX_ENTRIES]
            content = {"schema": SCHEMA, "learnt": {name: _as_json(entry) for name, entry in newest}}
            write_whole(self._path, json.dumps(content, indent=1), is_private=True)


_FILES: dict[Path, _File] = {}
_OPENING = threading.Lock()


def path_of_file() -> Path:
    """The file in the user's cache."""
    return user_cache_path("hopweave") / "endpoints.json"


def forget_all() -> None:
    """Forgets what this process knows; the file is read again when it is needed."""
    with _OPENING:
        _FILES.clear()


def _file() -> _File:
    path = path_of_file()
    with _OPENING:
        if path not in _FILES:
            _FILES[path] = _File(path)
        return _FILES[path]


def _as_json(entry: _Entry) -> dict[str, Any]:
    values = {one.name: getattr(entry.learnt, one.name) for one in fields(entry.learnt)}
    known = {name: value for name, value in values.items() if value != getattr(_NOTHING, name)}
    return {"at": int(entry.at)} | {
        name: sorted(value) if isinstance(value, frozenset) else value for name, value in known.items()
    }


def _read(path: Path) -> dict[str, _Entry]:
    """The entries of a file, as far as they can be read; anyone may have written it."""
    try:
        with open_regular(path) as file:
            content = file.read(_MAX_BYTES + 1)
        data = read_json(content) if len(content) <= _MAX_BYTES else {}
    except (OSError, ValueError):
        return {}
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("learnt"), dict):
        return {}
    found = {key: _entry_of(value) for key, value in list(data["learnt"].items())[:_MAX_ENTRIES] if isinstance(value, dict)}
    return {key: entry for key, entry in found.items() if entry is not None}


def _entry_of(value: Mapping[str, Any]) -> _Entry | None:
    at = value.get("at")
    if isinstance(at, bool) or not isinstance(at, int | float) or not math.isfinite(at):
        return None
    server = value.get("server")
    learnt = Learnt(
        server=server if server in get_args(Server) else None,
        refused=_known(value.get("refused"), REFUSABLE),
        levels=_known(value.get("levels"), LEVELS),
        thinks=_known(value.get("thinks"), MODES),
        begins_inside=_truth(value.get("begins_inside")),
        wants_thoughts_back=value.get("wants_thoughts_back") is True,
        has_tools=_truth(value.get("has_tools")),
        is_quiet_when_off=value.get("is_quiet_when_off") is True,
        max_new=_tokens(value.get("max_new")),
        max_total=_tokens(value.get("max_total")),
    )
    return _Entry(learnt, float(at))


def _known(value: Any, allowed: Any) -> frozenset[str]:
    return (
        frozenset(one for one in value if isinstance(one, str) and one in allowed) if isinstance(value, list) else frozenset()
    )


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_TOKENS else None

"""Which files of a folder may set where questions and keys are sent, and what code and weights are loaded.

A `hopweave.toml` in the working directory, a profile that it names, and the `plan.json` of a run may come from a stranger. They
may choose among the package's own components and set limits. Guarded settings (`guarded`) take effect only once the user has
read the file and run `hopweave trust`. The user's own configuration, environment and flags, and files named on the command
line, need no trust.

Trusted files are listed in the user's configuration folder by resolved path and SHA-256 of their content, so that a changed
file must be trusted again, whoever changed it. The plan of a run that this user starts is trusted as written.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from platformdirs import user_config_path

from hopweave.core.catalog import PROTOCOLS, ROLES, Role, entries, load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.core.files import MAX_HELD_BYTES, lock, open_regular, read_json, write_whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import is_plain
from hopweave.core.part_files import part_file

SCHEMA = "hopweave.trusted/1"

PLAN = "plan.json"
"""In the folder of a run: what it is to do."""

_FOR_NOW: ContextVar[dict[str, str] | None] = ContextVar("what is trusted for now", default=None)
"""The SHA-256 of each file that is trusted within `trusting_for_now`, by its path."""

SELECTED: Mapping[str, Role] = {
    "method": "methods",
    "llm": "llms",
    "retriever": "retrievers",
    "engine": "retrievers",
    "reader": "readers",
    "duplicate_detector": "duplicate_detectors",
}
"""The role of the component that an option of this name chooses."""
# For components that call a remote model or load one here, only these options are free; new ones are guarded by default.
_FREE: Mapping[str, frozenset[str]] = {
    "llms": frozenset(
        {
            *("endpoint", "server", "stream", "timeout_seconds", "connect_timeout_seconds", "stream_seconds"),
            *("max_connections", "prefill", "logprobs", "scores", "json_schema", "samples", "tools"),
            *("thinking", "max_thinking_tokens", "is_small"),
            *("max_tokens_field", "context_tokens", "num_threads", "cache_ram_mib", "checks_memory"),
            *("rules", "rules_file", "chat", "max_batch", "dtype", "device"),
        }
    ),
    "readers": frozenset(
        {
            *("passage_slot", "null_score", "with_title", "theta"),
            *("max_span_tokens", "max_tokens", "max_tokens_passage", "stride", "batch_size", "device"),
        }
    ),
    "duplicate_detectors": frozenset({"threshold", "device"}),
}
# Of others, numbers, truth values and choices among given words are free, and these texts.
_FREE_TEXTS: Mapping[str, frozenset[str]] = {
    "retrievers": frozenset(
        {
            *("engine", "engines", "first"),  # names of components, which are looked at on their own
            *("index", "indexes", "vectors", "query_vectors", "collection"),  # what is searched, as a corpus
            *("corpus", "document", "query_prefix", "passage_prefix", "query_marker", "passage_marker"),  # words for a model
            *("user", "device", "weights"),
        }
    ),
    # Names of methods, which may only be the package's own, and their options, which are looked at as those of methods.
    "methods": frozenset({"no_retrieval", "one_step", "many_steps", "method_options", "device"}),
    "datasets": frozenset({"path", "split", "corpus", "articles", "paragraphs", "aliases"}),  # what a run asks and searches
    "metrics": frozenset({"judgements", "prices", "separator"}),  # scoring sends nothing, and runs nothing that it reads
    "analyses": frozenset({"baseline"}),
}
_GUARDED = lazy_pattern(
    r"(?:^|_)(?:urls?|uri|address|host|env|keys?|secrets?|passwords?|credentials?|authorization|headers?|cookies?|prox(?:y|ies)"
    r"|access|tls|ssl|certs?|certificates?|commands?|modules?|plugins?|entry_points?|extra_body|remote_code)$"
)
_MAX_SHOWN = 4
_LABELS = "access"


@dataclass(frozen=True, slots=True)
class Found:
    """Settings that were found in a folder.

    Attributes:
        path: the file.
        content: its content as read.
        settings: settings of hopweave.
        parts: options of other components that it names, by role and name.
    """

    path: Path
    content: bytes
    settings: Mapping[str, Any]
    parts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def guarded(self) -> dict[str, Any]:
        """Those of its settings that need trust."""
        return {**guarded(self.settings), **guarded(self.parts)}


def guarded(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that determine where questions and keys are sent, where replies are stored, and what is loaded and run here.

    Addresses (also of a corpus), names of environment variables, headers, proxies, TLS, extra request fields, weights, files
    that a method shows the model, access labels (which decide what is shown to whom), the store, and components from another
    package or a file.

    Args:
        values: nested, by role and name for options of components.

    Returns:
        Values by their dotted key.
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in ROLES and isinstance(value, Mapping):
            role: Role = key
            for name, options in value.items():
                _look_at_part(role, name, options, f"{key}.{name}", found)
        elif key == "store" and isinstance(value, Mapping) and "path" in value:
            found["store.path"] = value["path"]
        else:
            _look_at(key, key, value, found)
    return found


def _look_at_part(role: Role, name: str, options: Any, place: str, found: dict[str, Any]) -> None:
    if _is_foreign(role, name) or not isinstance(options, Mapping):
        found[place] = options
        return
    for option, value in options.items():
        if not _is_free(role, name, option, value) or (role == "retrievers" and _loads(option, value)):
            found[f"{place}.{option}"] = value
        elif option == "method_options" and isinstance(value, Mapping):
            for inner, of_inner in value.items():
                _look_at_part("methods", inner, of_inner, f"{place}.{option}.{inner}", found)
        else:
            _look_at(option, f"{place}.{option}", value, found)


def _is_free(role: Role, name: str, option: str, value: Any) -> bool:
    """Whether the list of its role allows an option, or its type can do no harm."""
    if role in _FREE:
        return option in _FREE[role] or (option == "model" and _is_no_file(role, name, value))
    if option in _FREE_TEXTS.get(role, ()) or isinstance(value, bool | int | float):
        return True
    texts = _texts_of(role, name)
    return texts is not None and option not in texts


@cache
def _texts_of(role: Role, name: str) -> frozenset[str] | None:
    """The options of a built-in component that may be any text, or lists or tables of them; `None` if nobody knows.

    Other options of a component, and components that do not exist, are refused when it is made.
    """
    try:
        part = load(role, name)
    except MissingExtra:
        return None
    except SettingsError:
        return frozenset()
    if not (isinstance(part, type) and is_dataclass(part)):
        return frozenset()
    hints = get_type_hints(part)
    return frozenset(option.name for option in fields(part) if option.init and not is_plain(hints[option.name]))


def _loads(option: str, value: Any) -> bool:
    """Whether an option of a retriever loads a model, or a part that is not of this package."""
    chosen = value if isinstance(value, list) else [value]
    return option in ("model", "engine_options") or (
        option in ("first", "engines") and any(_is_foreign("retrievers", name) for name in chosen)
    )


def _look_at(key: str, place: str, value: Any, found: dict[str, Any]) -> None:
    is_elsewhere = key == "corpus" and "://" in str(value)
    if is_elsewhere or _GUARDED.search(key) or (key in SELECTED and _is_foreign(SELECTED[key], value)):
        found[place] = value
    elif isinstance(value, Mapping):
        for inner, item in value.items():
            _look_at(str(inner), f"{place}.{inner}", item, found)


def _is_foreign(role: str, name: Any) -> bool:
    """Whether the component is not built in: it comes from another package or from a file."""
    known = entries(role)
    return part_file(name) is not None or (isinstance(name, str) and name in known and known[name].is_foreign)


def named_files(values: Mapping[str, Any]) -> Iterator[tuple[Role, str]]:
    """The components that settings name by the path of a file, wherever `guarded` finds them; nested as there."""
    for key, value in values.items():
        if key in SELECTED and part_file(value) is not None:
            yield SELECTED[key], value
        elif isinstance(value, Mapping):
            for role in PROTOCOLS:
                if role == key:
                    yield from ((role, name) for name in value if part_file(name) is not None)
            yield from named_files(value)


def _is_no_file(role: str, name: str, value: Any) -> bool:
    """Whether a model is only a name: one at an endpoint, or a known one, which comes from its publisher and is checked."""
    from hopweave.models.weights import KNOWN_MODELS

    if role != "llms" or name == "transformers_local":
        return False
    return name != "llama_cpp" or (isinstance(value, str) and value in KNOWN_MODELS)


def check_trust(found: list[Found], own: Mapping[str, Any], both: Mapping[str, Any]) -> None:
    """Refuses guarded settings from untrusted files.

    Args:
        found: the files that are not trusted.
        own: the settings without those files.
        both: the settings with them. Guarded settings must be equal in both, so the files may repeat what the user sets.

    Raises:
        SettingsError: with the file, the keys, and the command to run.
    """
    before, now = guarded(own), guarded(both)
    for file in found:
        keys = [key for key in guarded(file.settings) if key in now and before.get(key, _ABSENT) != now[key]]
        keys += guarded(file.parts)
        if keys:
            raise SettingsError(_refusal(file, keys))


_ABSENT = object()


def _refusal(file: Found, keys: list[str]) -> str:
    path = file.path.resolve()
    shown = ", ".join(keys[:_MAX_SHOWN]) + (f" and {len(keys) - _MAX_SHOWN} more" if len(keys) > _MAX_SHOWN else "")
    why = "it has changed since you trusted it" if str(path) in trusted() else "you have not trusted it"
    named = path.parent if path.name in TRUSTED_NAMES else path
    return (
        f"{path} sets {shown}, which {_effect(keys)}, and {why}; "
        f"read it, and if you trust it run: hopweave trust {shlex.quote(str(named))}"
    )


def _effect(keys: list[str]) -> str:
    if keys == [_LABELS]:
        return "would show you passages with these labels"
    if _LABELS in keys:
        return "could send your questions and keys elsewhere, load arbitrary code or show you passages with these labels"
    return "could send your questions and keys elsewhere or load arbitrary code"


TRUSTED_NAMES = ("hopweave.toml", PLAN, "scores.json", "compare.json")
"""The files that are searched for in a folder."""


def is_trusted(file: Found) -> bool:
    """Whether the user trusts the file in its current state. Errors as in `trusted`."""
    place = str(file.path.resolve())
    return file.sha256 in {(_FOR_NOW.get() or {}).get(place), trusted().get(place)}


@contextmanager
def trusting_for_now() -> Iterator[None]:
    """What this process writes meanwhile is trusted until the end, and not noted: it is a copy that is removed again."""
    before = _FOR_NOW.set({})
    try:
        yield
    finally:
        _FOR_NOW.reset(before)


def trusted() -> Mapping[str, str]:
    """The SHA-256 of each trusted file, by its path.

    Raises:
        SettingsError: if the list cannot be read, or if someone other than the user could have written it.
    """
    place = _place()
    try:
        with open_regular(place) as file:
            status = os.fstat(file.fileno())
            content = file.read(MAX_HELD_BYTES)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"cannot read {place}: {error.strerror}; check its permissions") from None
    if _others_may_write(status):
        raise SettingsError(f"others may write to {place}, which lists the files you trust; make it yours: chown and chmod 600")
    try:
        files = dict(read_json(content)["files"])
    except (ValueError, TypeError, KeyError):
        raise SettingsError(f"{place} cannot be read; delete it, and trust your files again") from None
    return {str(path): str(sha256) for path, sha256 in files.items()}


def trust(file: Found) -> None:
    """Trusts a file in its current state.

    Raises:
        SettingsError: if that cannot be saved.
    """
    _change(lambda files: {**files, str(file.path.resolve()): file.sha256})


def distrust(path: Path) -> list[str]:
    """Revokes trust in a file, or in the files of a folder; returns their paths. Errors as in `trust`."""
    resolved = path.resolve()
    gone = [known for known in trusted() if resolved in (Path(known), Path(known).parent)]
    if gone:
        _change(lambda files: {known: sha256 for known, sha256 in files.items() if known not in gone})
    return gone


def trust_own(file: Found) -> None:
    """Trusts what this process has just written for its user. If that cannot be saved, resuming requires `hopweave trust`."""
    for_now = _FOR_NOW.get()
    if for_now is not None:
        for_now[str(file.path.resolve())] = file.sha256
    elif file.guarded:
        with suppress(SettingsError):
            trust(file)


def _place() -> Path:
    return user_config_path("hopweave") / "trusted.json"


def _others_may_write(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):  # on Windows a file's mode says nothing; the user's folder is private
        return False
    return status.st_uid != os.geteuid() or bool(status.st_mode & 0o022)


def _change(change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    place = _place()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with lock(place.with_name(f".{place.name}.lock"), wait=True):
            files = dict(sorted(change(trusted()).items()))
            write_whole(place, json.dumps({"schema": SCHEMA, "files": files}, indent=1) + "\n", is_private=True)
    except OSError as error:
        raise SettingsError(f"cannot write {place}: {error.strerror}; make the folder writable") from None

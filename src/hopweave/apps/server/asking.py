"""Request options: a method, options that are numbers or choices, and limits below the operator's.

Only the operator sets paths, addresses, and the names of models and other components: a request can set an option only if its
type is a number, a truth value or a choice among given words.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_type_hints

from hopweave.apps.server.daily_counts import Reservation
from hopweave.apps.server.refusals import Refused, refusing
from hopweave.apps.server.server_settings import Limits
from hopweave.core.catalog import entries, entry, key_of, load
from hopweave.core.errors import DataError, MissingExtra, SettingsError, suggest
from hopweave.core.memoize import Kept
from hopweave.core.options import is_plain, notes_of
from hopweave.core.part_files import part_file
from hopweave.core.types import Question
from hopweave.core.visibility import Visible
from hopweave.run.conversation import Turn
from hopweave.run.corpora import Filter
from hopweave.run.nested_settings import merged
from hopweave.run.settings import Settings
from hopweave.run.weaver import check_question

MAX_NUMBER = 1000
"""The largest number that an option may have, unless its default is larger: the work for a question grows with it."""
LIMITS = ("max_llm_calls", "max_tokens", "max_searches", "max_seconds")
_OF_EVERY_QUESTION = ("require_support", "min_confidence", "check", *LIMITS)
_CHECKS = ("free", "more")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over HTTP, checked.

    Attributes:
        question: as it was asked.
        method: its name in the settings.
        corpus: the name of the corpus.
        access: the caller's access labels.
        where: values of metadata to search for.
        given: the options as they were given.
        options: those of them that are the method's.
        limits: of the question, within the operator's.
        require_support: whether an answer that no passage supports is withheld.
        min_confidence: the confidence below which an answer is withheld, 0 to 1.
        check: how its answer is checked; see `Settings.check`.
        earlier: the turns of the conversation before it.
        within: the caller's trace, as headers of W3C Trace Context; empty if there are none.
        reservation: of tokens, once the question was admitted.
    """

    question: Question
    method: str
    corpus: str
    access: tuple[str, ...] = ()
    where: Filter = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    require_support: bool = False
    min_confidence: float = 0.0
    check: str = "free"
    earlier: tuple[Turn, ...] = ()
    within: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reservation: Reservation | None = None

    @property
    def method_name(self) -> str:
        """What clients call the method."""
        return key_of("methods", self.method)

    @property
    def weaver_key(self) -> str:
        """Equal for questions that the same weaver answers, over the same open corpus."""
        judged = [self.require_support, self.min_confidence, self.check]
        chosen = [self.method, self.corpus, self.access, self.where, self.options, self.limits, judged]
        return json.dumps(chosen, sort_keys=True)

    def settings_over(self, settings: Settings) -> Settings:
        """The settings of the weaver that answers it, whose components are open. They go into the record, and so to the client.

        So they name the corpus as clients do, and leave out the options of the operator's components.
        """
        key = key_of("methods", self.method)
        named = {
            "profile": "default",
            "method": self.method,
            "corpus": self.corpus,
            "access": self.access,
            "where": dict(self.where),
            "require_support": self.require_support or settings.require_support,
            "min_confidence": max(self.min_confidence, settings.min_confidence),
            "check": max(self.check, settings.check, key=_CHECKS.index),
            "budget": dict(self.limits),
            "methods": {key: merged(settings.methods.get(key, {}), self.options)},
        }
        unsaid: dict[str, Any] = {key: {} for key in ("llms", "retrievers", "readers", "duplicate_detectors")}
        return settings.model_copy(update=named | unsaid)


class Choices:
    """What can be chosen over HTTP.

    Args:
        settings: of the operator.
        limits: of the server.
        methods: the names of the methods that are offered; if empty, all usable ones.

    Raises:
        SettingsError: for a method of the settings that does not exist, or whose file has a class with the name of a built-in
            one.
        MissingExtra: if a library that the method of the settings needs is not installed.
    """

    def __init__(self, settings: Settings, limits: Limits, methods: tuple[str, ...] = ()) -> None:
        self._settings = settings
        self._limits = limits
        self._good: Kept[str] = Kept()
        offered = {key_of("methods", name): name for name in (settings.method, *(methods or entries("methods")))}
        if methods and settings.method not in methods:
            del offered[key_of("methods", settings.method)]
        self.methods: dict[str, str] = {key: name for key, name in offered.items() if _can_be_used(name)}
        self.default_method = key_of("methods", settings.method) if not methods else key_of("methods", methods[0])
        if self.default_method not in self.methods:
            load("methods", settings.method)  # says what is missing

    def method(self, name: str | None) -> str:
        """The name in the settings of a method that a client names.

        Raises:
            Refused: for one that is not offered.
        """
        chosen = name or self.default_method
        if chosen not in self.methods:
            raise Refused(404, "unknown_method", f"there is no method {chosen[:100]!r}; {suggest(chosen[:100], self.methods)}")
        return self.methods[chosen]

    def asked(
        self,
        question: Question,
        method: str | None,
        corpus: str,
        options: Mapping[str, Any],
        *,
        access: tuple[str, ...] = (),
        where: Mapping[str, Any] | None = None,
        earlier: tuple[Turn, ...] = (),
    ) -> Asked:
        """A question as it will be asked.

        Raises:
            Refused: for anything that cannot be asked, or that clients may not choose.
        """
        name = self.method(method)
        with refusing(DataError, SettingsError):
            check_question(question)
            visible = Visible(access, where or {})
            chosen = {key: value for key, value in options.items() if key not in _OF_EVERY_QUESTION}
            asked = Asked(
                question,
                name,
                corpus,
                access,
                visible.where,
                dict(options),
                self._checked(name, chosen),
                self._limits_of(options),
                require_support=_truth("require_support", options.get("require_support", False)),
                min_confidence=_share("min_confidence", options.get("min_confidence", 0)),
                check=_check_chosen(options.get("check", _CHECKS[0])),
                earlier=earlier,
            )
            self._check_options(asked)
            return asked

    def _check_options(self, asked: Asked) -> None:
        """Builds the method once, to find invalid options. Options that were valid before are not checked again."""
        key = json.dumps([asked.method, asked.options])
        if self._good.get(key) is None:
            part = asked.settings_over(self._settings).part("methods", asked.method)
            _check_size(part, asked.options)
            self._good.keep(key, key)

    def _checked(self, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        known = settable(name)
        for key, value in options.items():
            if key not in known:
                choices = (*known, *_OF_EVERY_QUESTION)
                raise SettingsError(f"{key[:100]!r} is not an option that can be set over HTTP; {suggest(key[:100], choices)}")
            if not isinstance(value, bool | int | float | str | None):
                raise SettingsError(f"options.{key} must be a number, a truth value or a word")
        return dict(options)

    def _limits_of(self, options: Mapping[str, Any]) -> dict[str, float]:
        """The lowest limits of the operator's settings, the server and the request."""
        operator = self._settings.make_budget().limits()
        limits = {}
        for name in LIMITS:
            given = _number(name, options[name]) if options.get(name) is not None else None
            known = [value for value in (operator.get(name), self._limits.of_questions().get(name), given) if value is not None]
            if known:
                limits[name] = min(known)
        return limits


def settable(method: str) -> dict[str, str]:
    """The options of a method that can be set over HTTP, with what they mean.

    Of those named like an option of every question, such as `max_tokens`, there are none: the question takes them.

    Raises:
        SettingsError, MissingExtra: as in `core.catalog.load`.
    """
    part = load("methods", method)
    if not (isinstance(part, type) and dataclasses.is_dataclass(part)):
        return {}
    return dict(_plain_options(part))


@cache
def _plain_options(part: type) -> tuple[tuple[str, str], ...]:
    hints = get_type_hints(part, include_extras=True)
    named = ((one.name, hints[one.name]) for one in dataclasses.fields(part) if one.init)
    return tuple((name, notes_of(hint)) for name, hint in named if name not in _OF_EVERY_QUESTION and is_plain(hint))


def _check_size(part: Any, options: Mapping[str, Any]) -> None:
    defaults = {one.name: one.default for one in dataclasses.fields(part)} if dataclasses.is_dataclass(part) else {}
    for name in options:
        value, default = getattr(part, name), defaults.get(name)
        most = max(MAX_NUMBER, default if isinstance(default, int | float) else 0)
        if isinstance(value, int | float) and not abs(value) <= most:
            raise SettingsError(f"options.{name} may be {most} at most, not {value}")


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"options.{name} must be true or false")
    return value


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise SettingsError(f"options.{name} must be a number from 0 to 1")
    return value


def _check_chosen(value: object) -> str:
    if not isinstance(value, str) or value not in _CHECKS:
        raise SettingsError(f"options.check must be {' or '.join(_CHECKS)}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise SettingsError(f"options.{name} must be a number above 0")
    if name != "max_seconds" and value != int(value):
        raise SettingsError(f"options.{name} must be a whole number")
    return value


def _can_be_used(name: str) -> bool:
    """Whether the libraries that a method needs are installed."""
    try:
        load("methods", name)
    except MissingExtra:
        return False
    return True


def described(methods: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Each method with its options, as clients see them.

    Raises:
        SettingsError, MissingExtra: as in `settable`.
    """
    for key, name in methods.items():
        known = entry("methods", name) if part_file(name) is None else None
        about = {"summary": known.summary, "group": known.group} if known is not None else {}
        yield {"name": key, **about, "options": settable(name)}

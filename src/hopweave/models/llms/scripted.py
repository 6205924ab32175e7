"""A test double that replies by rules, without a model: for tests, examples and demonstrations."""

from __future__ import annotations

import asyncio
import hashlib
import json
import marshal
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hopweave.core.errors import ModelError, SettingsError, suggest
from hopweave.core.files import read_json, read_toml, read_whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.protocols import OnText
from hopweave.core.types import Abilities, Message, Reply, Sampling, TokenLogprob, ToolCall, Usage
from hopweave.models.llms._plan import prefill_of
from hopweave.models.llms._reply_text import cut

__all__ = ["Scripted"]

_WORD = lazy_pattern(r"\s*\S+")
_TOKEN = lazy_pattern(r"\s*\S+|\s+")


@dataclass(frozen=True, slots=True)
class Line:
    """A complete reply, and how it is given.

    Attributes:
        text: the text of the reply.
        error: raised instead of replying.
        num_errors: how many times `error` is raised before the reply is given; `None` means always.
        delay_seconds: the delay before anything else.
        stalls: shows the first chunks, and then nothing more until it is cancelled.
        pieces: how the text is split when streamed; by words if absent.
        yes_logit: sets the first token's log-probabilities, so that "Yes" has the probability sigmoid(yes_logit) and "No" the
            rest; the text defaults to the more likely of the two.
        logprobs: for the first tokens, alternatives with their log-probabilities.
        thoughts: what the model thinks before it replies.
        tool_calls: tools that it calls: the name and the arguments of each.
    """

    text: str = ""
    error: Exception | None = None
    num_errors: int | None = None
    delay_seconds: float = 0.0
    stalls: bool = False
    pieces: tuple[str, ...] = ()
    yes_logit: float | None = None
    logprobs: tuple[Mapping[str, float], ...] = ()
    thoughts: str = ""
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Say = str | Reply | Exception | Line
"""A possible response: a text, a reply, an error, or a complete line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A text to look for, and the response if it is found.

    Attributes:
        find: a text, or a compiled pattern.
        say: one response, or several in turn, the last of which is repeated.
        where: `last` searches only the last message, `all` the whole conversation.
    """

    find: str | re.Pattern[str]
    say: Say | Sequence[Say]
    where: Literal["last", "all"] = "last"

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether the text is found."""
        texts = [message.text for message in messages[-1 if self.where == "last" else 0 :]]
        text = "\n\n".join(texts)
        return self.find in text if isinstance(self.find, str) else self.find.search(text) is not None


if TYPE_CHECKING:
    Decide = Callable[[Sequence[Message], Sampling], Say]
    Rules = Decide | Sequence[Rule | tuple[str | re.Pattern[str], Say | Sequence[Say]] | Say]
else:  # code that reads options at run time need not understand patterns and exceptions
    Rules = Any


@dataclass
class Scripted:
    """A language model that follows a script.

    `rules` is a function or a list. In a list, a `Rule` or a pair `(find, say)` applies if its text is found in the last
    message, and the first match counts; other items are replies that are given in order, once each, when no rule matches.

    A reply is cut at stop strings and at `max_tokens` (a word is a token), as a model's would be, and a prefill at its start is
    removed.

    Attributes:
        calls: the messages and the sampling of every call.
        max_concurrency: the maximum number of concurrent calls.

    Raises:
        SettingsError: for a file of rules that cannot be read.
    """

    rules: Annotated[Rules, "the script; only from a program"] = ()
    rules_file: Annotated[Path | None, "rules as TOML or JSON: a list `rules` of tables with `find` or `match`, and `say`"] = (
        None
    )

    scores: Annotated[
        Mapping[str, float] | None,
        "texts to find in a given text, each with the log-probability of its tokens; none: cannot score",
    ] = None

    tools: Annotated[bool, "whether the model calls tools; the script then says which, and with what"] = False
    is_small: Annotated[bool, "whether methods take it for a small model, like the embedded one"] = True

    def __post_init__(self) -> None:
        given = self.rules if self.rules_file is None else [*_listed(self.rules), *read_rules(Path(self.rules_file))]
        self._decide = given if callable(given) else None
        items = [] if callable(given) else [_as_rule(item) for item in given]
        self._rules = [item for item in items if isinstance(item, Rule)]
        self._queue = [item for item in items if not isinstance(item, Rule)]
        self._num_uses: dict[int, int] = {}
        self._num_raised: dict[int, int] = {}
        self._num_open = 0
        self._identity = f"scripted:{_fingerprint(given if self.scores is None else [given, sorted(self.scores.items())])}"
        self.calls: list[tuple[tuple[Message, ...], Sampling]] = []
        self.max_concurrency = 0

    @property
    def identity(self) -> str:
        """A fingerprint of the rules."""
        return self._identity

    @property
    def abilities(self) -> Abilities:
        """All of them, without limits; scoring of a given text if there are scores, and tools if the script has them."""
        return Abilities(
            prefill=True,
            logprobs=True,
            json_schema=True,
            scores=self.scores is not None,
            tools=self.tools,
            is_small=self.is_small,
        )

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies by the rules.

        Raises:
            ModelError: not retryable, if no rule matches. Or whatever error the rules specify.
        """
        self.calls.append((tuple(messages), sampling))
        self._num_open += 1
        self.max_concurrency = max(self.max_concurrency, self._num_open)
        try:
            return await self._play(self._chosen(messages, sampling), messages, sampling, on_text)
        finally:
            self._num_open -= 1

    async def score_text(self, prompt: str, text: str) -> Reply:
        """A word is a token, scored by the first text that is found in prompt and text; otherwise it is certain.

        Raises:
            ModelError: not retryable, without scores.
        """
        if self.scores is None:
            raise ModelError("the script has no scores of given text")
        logprob = next((value for words, value in self.scores.items() if words in f"{prompt}{text}"), 0.0)
        tokens = tuple(TokenLogprob(token, logprob) for token in _TOKEN.findall(text))
        return Reply("", usage=Usage(len(f"{prompt}{text}".split())), logprobs=tokens)

    async def count_tokens(self, text: str) -> int:
        """A word is a token."""
        return len(_WORD.findall(text))

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""

    def _chosen(self, messages: Sequence[Message], sampling: Sampling) -> Say:
        if self._decide is not None:
            return self._decide(messages, sampling)
        for position, rule in enumerate(self._rules):
            if rule.fits(messages):
                says = rule.say if isinstance(rule.say, Sequence) and not isinstance(rule.say, str) else [rule.say]
                turn = self._num_uses.get(position, 0)
                chosen = says[min(turn, len(says) - 1)]
                if not self._is_to_fail(chosen):
                    self._num_uses[position] = turn + 1
                return chosen
        if not self._queue:
            last = messages[-1].text if messages else ""
            raise ModelError(f"no rule of the script fits the message that begins with {last[:200]!r}")
        return self._queue[0] if self._is_to_fail(self._queue[0]) else self._queue.pop(0)

    def _is_to_fail(self, say: Say) -> bool:
        """Whether this is one of the failures before a reply, so that the reply is still to come."""
        return isinstance(say, Line) and say.num_errors is not None and self._num_raised.get(id(say), 0) < say.num_errors

    async def _play(self, say: Say, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None) -> Reply:
        if isinstance(say, Exception):
            raise say
        if isinstance(say, Reply):
            return _as_a_model(say, (), messages, sampling, on_text)
        line = Line(say) if isinstance(say, str) else say
        await asyncio.sleep(line.delay_seconds)
        if line.error is not None and (line.num_errors is None or self._is_to_fail(line)):
            self._num_raised[id(line)] = self._num_raised.get(id(line), 0) + 1
            raise line.error
        if line.stalls:
            _show(line.text, line.pieces, on_text)
            await asyncio.Event().wait()
        return _as_a_model(_reply_of(line), line.pieces, messages, sampling, on_text)


def _listed(rules: Rules) -> Sequence[Any]:
    if callable(rules):
        raise SettingsError("rules is a function and rules_file is also given; use one of them")
    return rules


def _as_rule(item: Any) -> Rule | Say:
    return Rule(*item) if isinstance(item, tuple) else item


def _reply_of(line: Line) -> Reply:
    tops = list(line.logprobs)
    text = line.text
    if line.yes_logit is not None:
        tops[:1] = [{"Yes": _log_sigmoid(line.yes_logit), "No": _log_sigmoid(-line.yes_logit)}]
        text = text or ("Yes" if line.yes_logit >= 0 else "No")
    return Reply(
        text=text,
        logprobs=tuple(TokenLogprob(*_likeliest(top)) for top in tops),
        thoughts=line.thoughts,
        tool_calls=tuple(
            ToolCall(f"call_{number}", name, json.dumps(arguments, ensure_ascii=False))
            for number, (name, arguments) in enumerate(line.tool_calls, start=1)
        ),
    )


def _log_sigmoid(logit: float) -> float:
    return -math.log1p(math.exp(-logit)) if logit >= 0 else logit - math.log1p(math.exp(logit))


def _likeliest(top: Mapping[str, float]) -> tuple[str, float, tuple[tuple[str, float], ...]]:
    pairs = tuple(sorted(top.items(), key=lambda pair: -pair[1]))
    return (*pairs[0], pairs)


def _as_a_model(
    reply: Reply, pieces: Sequence[str], messages: Sequence[Message], sampling: Sampling, on_text: OnText | None
) -> Reply:
    """A reply as a model would give it: cut to the sampling limits, counted, and streamed if there is a listener."""
    text, is_stopped = cut(reply.text, prefill_of(messages), sampling.stop)
    words = _WORD.findall(text)
    is_full = len(words) > sampling.max_tokens
    if is_full:
        text = "".join(words[: sampling.max_tokens])
    _show(text, pieces, on_text)
    num_prompt_tokens = sum(len(message.text.split()) for message in messages)
    usage = reply.usage if reply.usage != Usage() else Usage(num_prompt_tokens, min(len(words), sampling.max_tokens))
    logprobs = tuple(replace(token, top=token.top[: sampling.top_logprobs]) for token in reply.logprobs)
    return Reply(
        text=text,
        finish_reason="length" if is_full else "stop" if is_stopped else reply.finish_reason,
        usage=usage,
        logprobs=(logprobs or _flat(words[: sampling.max_tokens])) if sampling.top_logprobs else (),
        thoughts=reply.thoughts,
        tool_calls=reply.tool_calls if sampling.tools else (),
    )


def _flat(words: Sequence[str]) -> tuple[TokenLogprob, ...]:
    """Log-probabilities if the rules give none: the model is certain of every word."""
    return tuple(TokenLogprob(word, 0.0, ((word, 0.0),)) for word in words)


def _show(text: str, pieces: Sequence[str], on_text: OnText | None) -> None:
    if on_text is not None:
        for piece in pieces if "".join(pieces) == text else re.findall(r"\S+\s*|\s+", text):
            on_text(piece)


def read_rules(path: Path) -> list[Rule | Line]:
    """Reads rules from a TOML or JSON file.

    Each table of the list `rules` has `find` (a text) or `match` (a regular expression) or neither (given in order), `where`
    (`last` or `all`), `say` (a text or a list of texts), and the other fields of a `Line`; `error` is a message, and
    `is_retryable` says whether a retry can help.

    Raises:
        SettingsError: for a file that cannot be read, with the location and the reason.
    """
    try:
        content = read_whole(path)
        data = read_json(content) if path.suffix == ".json" else read_toml(content)
    except OSError as error:
        raise SettingsError(f"cannot read the rules file {path}: {error.strerror}; check the path") from None
    except ValueError as error:
        raise SettingsError(f"the rules file {path} cannot be read: {error}; it is TOML, or JSON if it ends in .json") from None
    tables = data.get("rules") if isinstance(data, dict) else data
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsError(f"the rules file {path} must contain a list of tables called rules")
    return [_rule_of(table, f"rule {number} of {path}") for number, table in enumerate(tables, start=1)]


def _rule_of(table: Mapping[str, Any], place: str) -> Rule | Line:
    known = {"find", "match", "where", "say", "is_retryable", *(f.name for f in fields(Line) if f.name != "text")}
    for name in table.keys() - known:
        raise SettingsError(f"{place} has a field {name!r}; {suggest(name, known)}")
    options = {name: value for name, value in table.items() if name not in ("find", "match", "where", "say", "is_retryable")}
    if "tool_calls" in options:
        options["tool_calls"] = tuple((str(call["name"]), call.get("arguments", {})) for call in options["tool_calls"])
    if "error" in options:
        options["error"] = ModelError(str(options["error"]), retryable=bool(table.get("is_retryable")))
    for name in ("pieces", "logprobs"):
        if name in options:
            options[name] = tuple(options[name])
    said = table.get("say", "")
    lines = [Line(text, **options) for text in (said if isinstance(said, list) else [said])]
    if "find" not in table and "match" not in table:
        if len(lines) > 1:
            raise SettingsError(f"{place} has several replies and no text to find; write one rule for each")
        return lines[0]
    return Rule(_found_by(table, place), lines, table.get("where", "last"))


def _found_by(table: Mapping[str, Any], place: str) -> str | re.Pattern[str]:
    try:
        return str(table["find"]) if "find" in table else re.compile(str(table["match"]))
    except re.error as error:
        raise SettingsError(f"{place} has an invalid pattern: {error}") from None


def _fingerprint(given: Any) -> str:
    return hashlib.sha256(_bytes_of(given)).hexdigest()[:16]


def _bytes_of(value: Any) -> bytes:
    """Bytes that are the same for the same rules, in every run."""
    if isinstance(value, re.Pattern):
        return repr((value.pattern, value.flags)).encode()
    if isinstance(value, BaseException):
        return repr((type(value).__qualname__, value.args)).encode()
    if isinstance(value, Line | Rule):
        return b"".join(_bytes_of(getattr(value, f.name)) for f in fields(value))
    if isinstance(value, list | tuple):
        return b"[" + b",".join(_bytes_of(item) for item in value) + b"]"
    code = getattr(value, "__code__", None)
    if code is not None:
        return marshal.dumps(code, 2)  # later versions write references, which depend on other references to an object
    if callable(value):
        return f"{type(value).__module__}.{type(value).__qualname__}".encode()
    return repr(value).encode()
